//! HTTP/1.1 over the socket of a Docker engine: one request a connection, answers read as they
//! come.
//!
//! Only what the engine speaks: no redirects, no encodings, no TLS (a remote engine is reached
//! through a tunnel of ssh that ends in a socket here).

use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

/// Where an engine listens by default.
const USUAL: &str = "/var/run/docker.sock";
/// A line of a head is never longer.
const LONGEST_LINE: u64 = 64 << 10;

/// Where an engine listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// A socket of this machine.
    Unix(PathBuf),
    /// `HOST:PORT`.
    Tcp(String),
}

/// A text that is no address of an engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadAddress(pub String);

impl fmt::Display for BadAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no address of a Docker engine: unix:// or tcp://", self.0)
    }
}

impl Address {
    /// What `DOCKER_HOST` means.
    pub fn parse(host: Option<&str>) -> Result<Self, BadAddress> {
        match host.filter(|host| !host.is_empty()) {
            None => Ok(Address::Unix(USUAL.into())),
            Some(host) => {
                if let Some(path) = host.strip_prefix("unix://") {
                    Ok(Address::Unix(path.into()))
                } else if let Some(rest) =
                    host.strip_prefix("tcp://").or_else(|| host.strip_prefix("http://"))
                {
                    Ok(Address::Tcp(rest.trim_end_matches('/').to_owned()))
                } else {
                    Err(BadAddress(host.to_owned()))
                }
            }
        }
    }

    fn connect(&self) -> io::Result<Stream> {
        match self {
            Address::Unix(path) => UnixStream::connect(path).map(Stream::Unix),
            Address::Tcp(host) => TcpStream::connect(host).map(Stream::Tcp),
        }
    }
}

#[derive(Debug)]
enum Stream {
    Unix(UnixStream),
    Tcp(TcpStream),
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Unix(stream) => stream.read(buffer),
            Stream::Tcp(stream) => stream.read(buffer),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        match self {
            Stream::Unix(stream) => stream.write(buffer),
            Stream::Tcp(stream) => stream.write(buffer),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Stream::Unix(stream) => stream.flush(),
            Stream::Tcp(stream) => stream.flush(),
        }
    }
}

/// What is sent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request<'a> {
    /// `GET`, `POST`, `PUT`, `DELETE`.
    pub(crate) method: &'a str,
    /// The path with its query.
    pub(crate) path: &'a str,
    /// What kind of text the body is.
    pub(crate) kind: &'a str,
    /// The body.
    pub(crate) body: &'a [u8],
    /// One more header.
    pub(crate) header: Option<(&'a str, &'a str)>,
}

/// What came back: its status, and its body to be read.
#[derive(Debug)]
pub(crate) struct Answer {
    /// 2xx is good.
    pub(crate) status: u16,
    /// The rest.
    pub(crate) body: Body,
}

/// The body of an answer.
#[derive(Debug)]
pub struct Body {
    reader: BufReader<Stream>,
    left: Remaining,
}

/// How much of a body is left.
#[derive(Debug)]
enum Remaining {
    Bytes(u64),
    Chunk { left: u64, is_first: bool },
    UntilClosed,
    Nothing,
}

/// Sends a request and reads the head of the answer.
pub(crate) fn send(address: &Address, request: Request<'_>) -> io::Result<Answer> {
    let mut stream = address.connect()?;
    let Request { method, path, kind, body, header } = request;
    let more = header.map_or(String::new(), |(name, value)| format!("{name}: {value}\r\n"));
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: docker\r\nConnection: close\r\nContent-Type: {kind}\r\n\
         {more}Content-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body)?;
    stream.flush()?;
    let mut reader = BufReader::new(stream);
    let first = line(&mut reader)?;
    let status = first.split(' ').nth(1).and_then(|word| word.parse().ok());
    let status: u16 = status.ok_or_else(|| protocol_error("the first line of the answer"))?;
    let mut left = Remaining::UntilClosed;
    loop {
        let header = line(&mut reader)?;
        if header.is_empty() {
            break;
        }
        let Some((name, value)) = header.split_once(':') else { continue };
        let value = value.trim();
        if name.eq_ignore_ascii_case("content-length") {
            left = Remaining::Bytes(
                value.parse().map_err(|_| protocol_error("the length of the answer"))?,
            );
        } else if name.eq_ignore_ascii_case("transfer-encoding") && value == "chunked" {
            left = Remaining::Chunk { left: 0, is_first: true };
        }
    }
    if status == 204 || status == 304 {
        left = Remaining::Nothing;
    }
    Ok(Answer { status, body: Body { reader, left } })
}

fn protocol_error(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{what} is not HTTP"))
}

fn line(reader: &mut BufReader<Stream>) -> io::Result<String> {
    let mut bytes = Vec::new();
    reader.take(LONGEST_LINE).read_until(b'\n', &mut bytes)?;
    if bytes.is_empty() {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the engine hung up"));
    }
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}

impl Body {
    /// Lets a read that waits for more end without a byte every so often.
    pub(super) fn wake_every(&mut self, time: Duration) -> io::Result<()> {
        match self.reader.get_ref() {
            Stream::Unix(stream) => stream.set_read_timeout(Some(time)),
            Stream::Tcp(stream) => stream.set_read_timeout(Some(time)),
        }
    }
}

impl Read for Body {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Remaining::Chunk { left: 0, is_first } = self.left {
            if !is_first {
                line(&mut self.reader)?;
            }
            let size = line(&mut self.reader)?;
            let size = size.split(';').next().unwrap_or_default().trim();
            let size = u64::from_str_radix(size, 16).map_err(|_| protocol_error("a chunk"))?;
            self.left = match size {
                0 => Remaining::Nothing,
                left => Remaining::Chunk { left, is_first: false },
            };
        }
        let most = match self.left {
            Remaining::Nothing => return Ok(0),
            Remaining::Bytes(left) | Remaining::Chunk { left, .. } => left,
            Remaining::UntilClosed => u64::MAX,
        };
        let most = usize::try_from(most).unwrap_or(usize::MAX).min(buffer.len());
        let read = self.reader.read(&mut buffer[..most])?;
        match &mut self.left {
            Remaining::Bytes(left) | Remaining::Chunk { left, .. } => *left -= read as u64,
            Remaining::UntilClosed | Remaining::Nothing => {}
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;
    use std::thread;

    fn answered(text: &'static str) -> (u16, String) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let listener = UnixListener::bind(&path).unwrap();
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            // Who answers before the request has been sent breaks the pipe.
            let mut request = Vec::new();
            while !request.ends_with(b"abc") {
                let mut part = [0; 4096];
                let read = stream.read(&mut part).unwrap();
                request.extend_from_slice(&part[..read]);
            }
            stream.write_all(text.as_bytes()).unwrap();
            String::from_utf8_lossy(&request).into_owned()
        });
        let request = Request {
            method: "GET",
            path: "/x?y=1",
            kind: "text/plain",
            body: b"abc",
            header: None,
        };
        let mut answer = send(&Address::Unix(path), request).unwrap();
        let mut body = String::new();
        answer.body.read_to_string(&mut body).unwrap();
        assert!(server.join().unwrap().starts_with("GET /x?y=1 HTTP/1.1\r\n"));
        (answer.status, body)
    }

    #[test]
    fn bodies_of_every_kind_are_read() {
        let with_length = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhiand more";
        assert_eq!(answered(with_length), (200, "hi".to_owned()));
        let chunks =
            "HTTP/1.1 201 x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n1\r\n!\r\n0\r\n\r\n";
        assert_eq!(answered(chunks), (201, "hi!".to_owned()));
        assert_eq!(answered("HTTP/1.0 500 x\r\n\r\nall"), (500, "all".to_owned()));
        assert_eq!(answered("HTTP/1.1 304 x\r\n\r\n"), (304, String::new()));
    }

    #[test]
    fn addresses() {
        assert_eq!(Address::parse(None), Ok(Address::Unix(USUAL.into())));
        assert_eq!(Address::parse(Some("unix:///a/b")), Ok(Address::Unix("/a/b".into())));
        assert_eq!(Address::parse(Some("tcp://h:2375")), Ok(Address::Tcp("h:2375".into())));
        assert!(Address::parse(Some("ssh://h")).is_err());
    }
}
