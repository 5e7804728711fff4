//! Health checks: a command that ends well, a port that accepts, an address that answers.

use std::io::{Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use windlass::lifecycle::implementation::{Probe, ProbeKind};

use super::launch::Launcher;
use crate::world::Order;

const EVERY: Duration = Duration::from_secs(1);
const TIMEOUT: Duration = Duration::from_secs(2);
const FAILURES: u32 = 3;
/// While a process comes up it is asked more often, or every start would take a second.
const EVERY_AT_FIRST: Duration = Duration::from_millis(20);

/// How long to wait before the next check of a process that serves.
pub(in crate::world) fn every(probe: &Probe) -> Duration {
    probe.every.unwrap_or(EVERY)
}

/// How long to wait before the next check of a process that comes up: longer and longer.
pub(in crate::world) fn every_at_first(probe: &Probe, tries: u32) -> Duration {
    EVERY_AT_FIRST.saturating_mul(1 << tries.min(10)).min(every(probe))
}

/// After how many checks in a row that fail the process counts as dead.
pub(in crate::world) fn failures(probe: &Probe) -> u32 {
    probe.failures.unwrap_or(FAILURES)
}

/// Whether the process serves.
pub(super) fn passes(launcher: &Launcher, order: &Order, probe: &Probe) -> bool {
    let timeout = probe.timeout.unwrap_or(TIMEOUT);
    match &probe.kind {
        ProbeKind::Command(command) => launcher.succeeds(order, command, Some(timeout)),
        ProbeKind::Tcp(_) | ProbeKind::Http(_) => answers_from_here(probe),
    }
}

/// Whether an address answers this machine; a command is not asked.
pub(in crate::world) fn answers_from_here(probe: &Probe) -> bool {
    let timeout = probe.timeout.unwrap_or(TIMEOUT);
    match &probe.kind {
        ProbeKind::Command(_) => false,
        ProbeKind::Tcp(address) => connect(address, timeout).is_some(),
        ProbeKind::Http(address) => answers(address, timeout).unwrap_or(false),
    }
}

fn connect(address: &str, timeout: Duration) -> Option<TcpStream> {
    let mut addresses = address.to_socket_addrs().ok()?;
    addresses.find_map(|address| TcpStream::connect_timeout(&address, timeout).ok())
}

/// Whether a server answers with 2xx or 3xx.
fn answers(address: &str, timeout: Duration) -> Option<bool> {
    let (host, path) = parts(address)?;
    let server = if host.contains(':') { host.to_owned() } else { format!("{host}:80") };
    let mut stream = connect(&server, timeout)?;
    stream.set_read_timeout(Some(timeout)).ok()?;
    stream.set_write_timeout(Some(timeout)).ok()?;
    let request = format!("GET {path} HTTP/1.0\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).ok()?;
    let mut head = Vec::new();
    while head.len() < 12 {
        let mut bytes = [0; 64];
        match stream.read(&mut bytes).ok()? {
            0 => break,
            read => head.extend(&bytes[..read]),
        }
    }
    let line = String::from_utf8_lossy(&head);
    let status = line.strip_prefix("HTTP/")?.split(' ').nth(1)?.get(..1)?;
    Some(matches!(status, "2" | "3"))
}

/// Host and path of `http://HOST:PORT/PATH`.
fn parts(address: &str) -> Option<(&str, &str)> {
    let rest = address.strip_prefix("http://")?;
    Some(match rest.find('/') {
        Some(at) => (&rest[..at], &rest[at..]),
        None => (rest, "/"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;
    use std::thread;

    #[test]
    fn addresses_have_a_host_and_a_path() {
        assert_eq!(parts("http://a:1/b/c"), Some(("a:1", "/b/c")));
        assert_eq!(parts("http://a"), Some(("a", "/")));
        assert_eq!(parts("https://a"), None);
    }

    #[test]
    fn a_server_that_says_500_does_not_pass() {
        for (status, expected) in [("200 OK", true), ("302 Found", true), ("500 No", false)] {
            let server = TcpListener::bind("127.0.0.1:0").unwrap();
            let port = server.local_addr().unwrap().port();
            let thread = thread::spawn(move || {
                let (mut stream, _) = server.accept().unwrap();
                let mut bytes = [0; 256];
                let _ = stream.read(&mut bytes).unwrap();
                write!(stream, "HTTP/1.0 {status}\r\n\r\n").unwrap();
            });
            let address = format!("http://127.0.0.1:{port}/health");
            assert_eq!(answers(&address, Duration::from_secs(5)), Some(expected));
            thread.join().unwrap();
        }
    }
}
