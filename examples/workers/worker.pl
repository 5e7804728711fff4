# A worker: answers each connection with its name. Every instance has a port of its own, the first
# argument plus the number at the end of its name. With `--ask` it asks the one of its name instead.
use strict;
use warnings;
use IO::Socket::INET;

my ($first, $ask) = @ARGV;
my $name = $ENV{WINDLASS_INSTANCE} // 'worker';
my $port = $first + ($name =~ /(\d+)$/ ? $1 : 0);
if (defined $ask) {
    my $worker = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port, Timeout => 2)
        or die "nothing listens on $port\n";
    my $answer = <$worker> // '';
    exit($answer eq "$name\n" ? 0 : 1);
}
my $server = IO::Socket::INET->new(
    LocalAddr => '127.0.0.1', LocalPort => $port, Listen => 16, ReuseAddr => 1,
) or die "cannot listen on $port: $@\n";
$| = 1;
print "$name: listening on $port\n";
while (my $client = $server->accept) {
    print $client "$name\n";
    close $client;
}
