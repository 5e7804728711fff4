//! Short forms: ports and volumes in one text.

use core::fmt;
use core::net::IpAddr;

/// Why a text is no short form.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShortFormError {
    /// A port of a protocol that there is not.
    Protocol(String),
    /// An IPv6 address without brackets.
    BareIpv6(String),
    /// An address of the host that is none.
    HostAddress(String),
    /// Nothing stands where the port of the container should.
    NoContainerPort,
    /// The port of the container is 0.
    ContainerPortZero,
    /// As many ports of the host as of the container are needed.
    RangeLengths,
    /// A number that is no port.
    Port(String),
    /// A range that ends before it starts.
    ReversedRange(String),
    /// A volume without any text.
    Empty,
    /// A volume with nothing between two colons.
    EmptyPart(String),
    /// A volume with more than three parts.
    TooManyColons(String),
}

impl fmt::Display for ShortFormError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use ShortFormError as Error;
        match self {
            Error::Protocol(protocol) => {
                write!(f, "`{protocol}` is no protocol: tcp, udp or sctp")
            }
            Error::BareIpv6(host) => {
                write!(f, "`{host}` is no address of the host; write `[{host}]`")
            }
            Error::HostAddress(host) => write!(f, "`{host}` is no address of the host"),
            Error::NoContainerPort => f.write_str("the port of the container is missing"),
            Error::ContainerPortZero => f.write_str("the port of the container cannot be 0"),
            Error::RangeLengths => f.write_str("the ranges of ports have different lengths"),
            Error::Port(text) => write!(f, "`{text}` is no port"),
            Error::ReversedRange(text) => {
                write!(f, "`{text}` is no range of ports: it ends before it starts")
            }
            Error::Empty => f.write_str("there is nothing between the quotes"),
            Error::EmptyPart(text) => write!(f, "`{text}` has nothing between two colons"),
            Error::TooManyColons(text) => write!(f, "`{text}` has too many colons"),
        }
    }
}

impl core::error::Error for ShortFormError {}

/// One published port of the container.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ShortPort {
    /// The address of the host; none is every address.
    pub host_ip: Option<IpAddr>,
    /// The ports of the host from which one is taken; none when the engine chooses.
    pub published: Option<(u16, u16)>,
    /// The port in the container.
    pub target: u16,
    /// `tcp`, `udp` or `sctp`.
    pub protocol: String,
}

/// `[[HOST:]HOST_PORT[-END]:]PORT[-END][/PROTOCOL]`, one for each port of the container.
pub fn ports(text: &str) -> Result<Vec<ShortPort>, ShortFormError> {
    let (rest, protocol) = match text.split_once('/') {
        Some((rest, protocol)) => (rest, protocol.to_ascii_lowercase()),
        None => (text, "tcp".to_owned()),
    };
    if !matches!(protocol.as_str(), "tcp" | "udp" | "sctp") {
        return Err(ShortFormError::Protocol(protocol));
    }
    let (rest, container) = match rest.rsplit_once(':') {
        Some((before, container)) => (Some(before), container),
        None => (None, rest),
    };
    let (host, published) = match rest {
        None => (None, ""),
        Some(rest) => match rest.rsplit_once(':') {
            Some((host, published)) => (Some(host), published),
            None => (None, rest),
        },
    };
    if let Some(host) = host.filter(|host| host.contains(':') && !host.starts_with('[')) {
        return Err(ShortFormError::BareIpv6(host.to_owned()));
    }
    let host_ip = match host.map(|host| host.trim_start_matches('[').trim_end_matches(']')) {
        None | Some("") => None,
        Some(host) => Some(host.parse().map_err(|_| ShortFormError::HostAddress(host.to_owned()))?),
    };
    if container.is_empty() {
        return Err(ShortFormError::NoContainerPort);
    }
    let (first, last) = range(container)?;
    if first == 0 {
        return Err(ShortFormError::ContainerPortZero);
    }
    let published = if published.is_empty() { None } else { Some(range(published)?) };
    spread(first, last, published, host_ip, &protocol)
}

/// One port for each port of the container.
fn spread(
    first: u16,
    last: u16,
    published: Option<(u16, u16)>,
    host_ip: Option<IpAddr>,
    protocol: &str,
) -> Result<Vec<ShortPort>, ShortFormError> {
    let count = u32::from(last) - u32::from(first) + 1;
    let host_count = published.map(|(a, b)| u32::from(b) - u32::from(a) + 1);
    if host_count.is_some_and(|hosts| hosts != count && count != 1) {
        return Err(ShortFormError::RangeLengths);
    }
    let port = |offset: u32| {
        let target = (u32::from(first) + offset) as u16;
        let published = match published {
            Some(range) if count == 1 => Some(range),
            Some((start, _)) => {
                let host = (u32::from(start) + offset) as u16;
                Some((host, host))
            }
            None => None,
        };
        ShortPort { host_ip, published, target, protocol: protocol.to_owned() }
    };
    Ok((0..count).map(port).collect())
}

/// `80` or `80-90`.
pub(crate) fn range(text: &str) -> Result<(u16, u16), ShortFormError> {
    let port = |part: &str| {
        let number = part.parse::<u16>().ok().filter(|_| !part.starts_with('+'));
        // Of a number below nothing the whole is shown.
        let shown = if part.is_empty() { text } else { part };
        number.ok_or_else(|| ShortFormError::Port(shown.to_owned()))
    };
    let (first, last) = match text.split_once('-') {
        Some((first, last)) => (port(first)?, port(last)?),
        None => (port(text)?, port(text)?),
    };
    if last < first {
        return Err(ShortFormError::ReversedRange(text.to_owned()));
    }
    Ok((first, last))
}

/// What a short form of a volume says.
///
/// Paper: 000 6.2 (VolumeSpec)
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShortVolume {
    /// A path of the host or the name of a volume; none is an anonymous volume.
    pub source: Option<String>,
    /// The path in the container.
    pub target: String,
    /// `ro`, `z`, `nocopy` and the like.
    pub options: Vec<String>,
}

impl ShortVolume {
    /// Whether the source is a path of the host.
    pub fn is_bind(&self) -> bool {
        self.source.as_deref().is_some_and(is_path)
    }
}

/// Whether the source of a mount is a path: it starts with `.`, `/`, `~`, or a drive.
pub(crate) fn is_path(source: &str) -> bool {
    source.starts_with(['.', '/', '~'])
        || source.starts_with("\\\\")
        || (source.len() > 2 && starts_with_drive(source))
}

/// Whether a text starts as `C:` does. Compose reads any letter before a colon so.
pub(crate) fn starts_with_drive(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() > 1 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':'
}

/// `[SOURCE:]TARGET[:OPTIONS]`.
pub fn volume(text: &str) -> Result<ShortVolume, ShortFormError> {
    if text.is_empty() {
        return Err(ShortFormError::Empty);
    }
    if text.len() <= 2 {
        return Ok(ShortVolume { target: text.to_owned(), ..ShortVolume::default() });
    }
    let mut parts: Vec<String> = Vec::new();
    for (at, part) in text.split(':').enumerate() {
        // A single letter before a colon is a drive, unless it is the whole text.
        let behind_drive = parts.last().is_some_and(|last| {
            last.len() == 1 && last.as_bytes()[0].is_ascii_alphabetic() && at <= 3
        });
        match parts.last_mut() {
            Some(last) if behind_drive => {
                last.push(':');
                last.push_str(part);
            }
            _ => parts.push(part.to_owned()),
        }
    }
    if parts.iter().any(|part| part.trim().is_empty()) {
        return Err(ShortFormError::EmptyPart(text.to_owned()));
    }
    match <[String; 3]>::try_from(parts) {
        Ok([source, target, options]) => {
            let options = options.split(',').map(str::to_owned).collect();
            Ok(ShortVolume { source: Some(source), target, options })
        }
        Err(parts) => match parts.as_slice() {
            [target] => Ok(ShortVolume { target: target.clone(), ..ShortVolume::default() }),
            [source, target] => Ok(ShortVolume {
                source: Some(source.clone()),
                target: target.clone(),
                options: Vec::new(),
            }),
            _ => Err(ShortFormError::TooManyColons(text.to_owned())),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_in_all_short_forms() {
        let one = |text| ports(text).map(|all| (all.len(), all[0].clone()));
        let port = |host: Option<&str>, published, target, protocol: &str| ShortPort {
            host_ip: host.and_then(|host| host.parse().ok()),
            published,
            target,
            protocol: protocol.to_owned(),
        };
        assert_eq!(one("80"), Ok((1, port(None, None, 80, "tcp"))));
        assert_eq!(one("8080:80/udp"), Ok((1, port(None, Some((8080, 8080)), 80, "udp"))));
        let local = port(Some("127.0.0.1"), Some((1, 1)), 2, "tcp");
        assert_eq!(one("127.0.0.1:1:2"), Ok((1, local)));
        assert_eq!(one("[::1]:1:2"), Ok((1, port(Some("::1"), Some((1, 1)), 2, "tcp"))));
        assert_eq!(one("3000-3005"), Ok((6, port(None, None, 3000, "tcp"))));
        assert_eq!(one("9000-9001:80-81"), Ok((2, port(None, Some((9000, 9000)), 80, "tcp"))));
        assert_eq!(one("9000-9010:80"), Ok((1, port(None, Some((9000, 9010)), 80, "tcp"))));
        for wrong in ["", "x", "80:", "70000", "90-80", "1-2:1-3", "80/icmp", "a.b:1:2"] {
            assert!(ports(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn volumes_in_all_short_forms() {
        let read = |text| volume(text).map(|v| (v.source, v.target, v.options.len()));
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(read("/a"), Ok((None, "/a".into(), 0)));
        assert_eq!(read("data:/a"), Ok((some("data"), "/a".into(), 0)));
        assert_eq!(read("./x:/a:ro,z"), Ok((some("./x"), "/a".into(), 2)));
        assert_eq!(read("C:\\x:/a"), Ok((some("C:\\x"), "/a".into(), 0)));
        assert_eq!(read("v:/v"), Ok((None, "v:/v".into(), 0)), "as Compose reads it");
        assert!(volume(":/a").is_err());
        assert!(volume("").is_err());
    }
}
