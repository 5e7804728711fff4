# An API in front of the store: GET /guests lists, GET /add/NAME adds. Arguments: port, store port.
use strict;
use warnings;
use IO::Socket::INET;

my ($port, $store_port) = @ARGV;
$SIG{PIPE} = 'IGNORE';

sub ask {
    my ($question) = @_;
    my $store = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $store_port, Timeout => 2)
        or return undef;
    print $store "$question\n";
    my @lines = <$store>;
    return join '', @lines;
}

my $server = IO::Socket::INET->new(
    LocalAddr => '127.0.0.1', LocalPort => $port, Listen => 16, ReuseAddr => 1,
) or die "cannot listen on $port: $@\n";
$| = 1;
print "api: listening on $port, store on $store_port\n";
while (my $client = $server->accept) {
    my $request = <$client>;
    next unless defined $request;
    my $answer;
    if ($request =~ m{^GET /add/(\w+)}) {
        $answer = ask("add $1");
    } elsif ($request =~ m{^GET /guests}) {
        $answer = ask('list');
    }
    my $status = defined $answer ? '200 OK' : '503 Service Unavailable';
    $answer = '' unless defined $answer;
    print $client "HTTP/1.0 $status\r\nContent-Type: text/plain\r\n\r\n$answer";
    close $client;
}
