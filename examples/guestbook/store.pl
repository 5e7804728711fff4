# A store of lines: "add TEXT" keeps one, "list" gives them all. Arguments: port, file.
use strict;
use warnings;
use IO::Socket::INET;

my ($port, $path) = @ARGV;
my $server = IO::Socket::INET->new(
    LocalAddr => '127.0.0.1', LocalPort => $port, Listen => 16, ReuseAddr => 1,
) or die "cannot listen on $port: $@\n";
$| = 1;
print "store: listening on $port\n";
while (my $client = $server->accept) {
    my $line = <$client>;
    next unless defined $line;
    if ($line =~ /^add (.*)/) {
        open my $file, '>>', $path or die "cannot write $path: $!\n";
        print $file "$1\n";
        close $file;
        print $client "kept\n";
    } elsif (open my $file, '<', $path) {
        print $client $_ while <$file>;
        close $file;
    }
    close $client;
}
