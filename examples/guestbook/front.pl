# The page that guests see; it asks the API. Arguments: port, API port.
use strict;
use warnings;
use IO::Socket::INET;

my ($port, $api_port) = @ARGV;
$SIG{PIPE} = 'IGNORE';

sub guests {
    my $api = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $api_port, Timeout => 2)
        or return undef;
    print $api "GET /guests HTTP/1.0\r\n\r\n";
    my $answer = join '', <$api>;
    return $answer =~ m{^HTTP/1\.\d 200.*?\r\n\r\n(.*)}s ? $1 : undef;
}

my $server = IO::Socket::INET->new(
    LocalAddr => '127.0.0.1', LocalPort => $port, Listen => 16, ReuseAddr => 1,
) or die "cannot listen on $port: $@\n";
$| = 1;
print "front: listening on $port, API on $api_port\n";
while (my $client = $server->accept) {
    my $request = <$client>;
    next unless defined $request;
    my $guests = guests();
    my $status = defined $guests ? '200 OK' : '502 Bad Gateway';
    my $list = defined $guests ? $guests : "no API\n";
    print $client "HTTP/1.0 $status\r\nContent-Type: text/plain\r\n\r\nGuests:\n$list";
    close $client;
}
