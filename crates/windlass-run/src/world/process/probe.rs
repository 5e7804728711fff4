//! Health checks: a command that ends well, a port that accepts, an address that answers.

use std::fmt;
use std::io::{self, Read, Write};
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

/// Why a process does not serve.
#[derive(Debug)]
pub(in crate::world) enum ProbeError {
    /// The process itself has not begun.
    NotBegun,
    /// The command that checks it fails or takes too long.
    Command,
    /// A command is to be run where the process is, not here.
    IsCommand,
    /// Its address does not answer as it should.
    NoAnswer {
        /// The address.
        address: String,
        /// Why.
        error: io::Error,
    },
}

impl fmt::Display for ProbeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProbeError::NotBegun => f.write_str("it has not begun"),
            ProbeError::Command => f.write_str("its command does not end well"),
            ProbeError::IsCommand => f.write_str("it is a command"),
            ProbeError::NoAnswer { address, error } => {
                // Without the number of the error, which tells people nothing.
                let why = error.to_string();
                let why = why.split(" (os error").next().unwrap_or_default();
                write!(f, "{address}: {}", why.to_lowercase())
            }
        }
    }
}

/// Whether the process serves, and why not.
pub(super) fn answer(launcher: &Launcher, order: &Order, probe: &Probe) -> Result<(), ProbeError> {
    let timeout = probe.timeout.unwrap_or(TIMEOUT);
    match &probe.kind {
        ProbeKind::Command(command) if launcher.succeeds(order, command, Some(timeout)) => Ok(()),
        ProbeKind::Command(_) => Err(ProbeError::Command),
        ProbeKind::Tcp(_) | ProbeKind::Http(_) => answer_to_here(probe),
    }
}

/// Whether an address answers this machine, and why not; a command is not asked.
pub(in crate::world) fn answer_to_here(probe: &Probe) -> Result<(), ProbeError> {
    let timeout = probe.timeout.unwrap_or(TIMEOUT);
    match &probe.kind {
        ProbeKind::Command(_) => Err(ProbeError::IsCommand),
        ProbeKind::Tcp(address) => {
            connect(address, timeout).map(|_| ()).map_err(|error| no_answer(address, error))
        }
        ProbeKind::Http(address) => {
            answers(address, timeout).map_err(|error| no_answer(address, error))
        }
    }
}

fn no_answer(address: &str, error: io::Error) -> ProbeError {
    ProbeError::NoAnswer { address: address.to_owned(), error }
}

fn connect(address: &str, timeout: Duration) -> io::Result<TcpStream> {
    let mut last = io::Error::other("it is no address");
    for address in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, timeout) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Whether a server answers with 2xx or 3xx.
fn answers(address: &str, timeout: Duration) -> io::Result<()> {
    let (host, path) = parts(address).ok_or_else(|| io::Error::other("it is no address"))?;
    let server = if host.contains(':') { host.to_owned() } else { format!("{host}:80") };
    let mut stream = connect(&server, timeout)?;
    stream.set_read_timeout(Some(timeout))?;
    stream.set_write_timeout(Some(timeout))?;
    let request = format!("GET {path} HTTP/1.0\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    let mut head = Vec::new();
    while head.len() < 12 {
        let mut bytes = [0; 64];
        match stream.read(&mut bytes)? {
            0 => break,
            read => head.extend(&bytes[..read]),
        }
    }
    let line = String::from_utf8_lossy(&head);
    let status = line.strip_prefix("HTTP/").and_then(|rest| rest.split(' ').nth(1)?.get(..3));
    match status {
        Some(status) if status.starts_with(['2', '3']) => Ok(()),
        Some(status) => Err(io::Error::other(format!("it answers {status}"))),
        None => Err(io::Error::other("it does not speak HTTP")),
    }
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
            assert_eq!(answers(&address, Duration::from_secs(5)).is_ok(), expected);
            thread.join().unwrap();
        }
    }
}
