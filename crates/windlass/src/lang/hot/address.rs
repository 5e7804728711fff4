//! Addresses, networks and ranges of IPv4 and IPv6, as numbers.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::fmt;

/// An address with its version, comparable within one version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Address {
    /// Whether it is IPv6.
    pub is_v6: bool,
    /// Its number.
    pub number: u128,
}

impl Address {
    /// Reads an address.
    pub fn parse(text: &str) -> Option<Address> {
        match text.trim().parse().ok()? {
            IpAddr::V4(v4) => Some(Address { is_v6: false, number: u32::from(v4).into() }),
            IpAddr::V6(v6) => Some(Address { is_v6: true, number: v6.into() }),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_v6 {
            Ipv6Addr::from(self.number).fmt(f)
        } else {
            Ipv4Addr::from(u32::try_from(self.number).unwrap_or(u32::MAX)).fmt(f)
        }
    }
}

/// All addresses from the first to the last.
///
/// Paper: 000 7.2.3
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// The first.
    pub first: Address,
    /// The last.
    pub last: Address,
}

impl Range {
    /// The addresses of a network in the notation `address/prefix`.
    pub fn cidr(text: &str) -> Option<Range> {
        let (address, prefix) = text.trim().split_once('/')?;
        let address = Address::parse(address)?;
        let width = if address.is_v6 { 128 } else { 32 };
        let digits = !prefix.is_empty() && prefix.bytes().all(|byte| byte.is_ascii_digit());
        let prefix: u32 = prefix.parse().ok().filter(|prefix| digits && *prefix <= width)?;
        let host = width - prefix;
        let mask = if host >= 128 { u128::MAX } else { (1u128 << host) - 1 };
        let first = address.number & !mask;
        let at = |number| Address { is_v6: address.is_v6, number };
        Some(Range { first: at(first), last: at(first | mask) })
    }

    /// Whether an address is one of them.
    pub fn contains(&self, address: Address) -> bool {
        address.is_v6 == self.first.is_v6 && self.first <= address && address <= self.last
    }

    /// Whether two ranges have an address in common.
    pub fn overlaps(&self, other: &Range) -> bool {
        self.first.is_v6 == other.first.is_v6
            && self.first <= other.last
            && other.first <= self.last
    }
}

/// A MAC address in one notation, if the text is one.
pub fn mac(text: &str) -> Option<String> {
    let lower = text.trim().to_ascii_lowercase();
    let parts: Vec<&str> = lower.split([':', '-']).collect();
    let two = |part: &&str| part.len() == 2 && part.bytes().all(|b| b.is_ascii_hexdigit());
    (parts.len() == 6 && parts.iter().all(two)).then(|| parts.join(":"))
}

#[cfg(test)]
mod tests {
    use super::{Address, Range, mac};

    #[test]
    fn networks_are_ranges() {
        let net = Range::cidr("10.0.0.7/24").unwrap();
        assert_eq!(net.first.to_string(), "10.0.0.0");
        assert_eq!(net.last.to_string(), "10.0.0.255");
        assert!(net.contains(Address::parse("10.0.0.9").unwrap()));
        assert!(!net.contains(Address::parse("::1").unwrap()));
        assert!(!net.overlaps(&Range::cidr("10.0.1.0/24").unwrap()));
        assert!(Range::cidr("0.0.0.0/0").unwrap().overlaps(&net));
        assert!(Range::cidr("::/0").is_some());
        for bad in ["10.0.0.300/24", "10.0.0.0/33", "10.0.0.0", "10.0.0.0/", "x/8", "10.0.0.0/+8"] {
            assert_eq!(Range::cidr(bad), None, "{bad}");
        }
    }

    #[test]
    fn macs_are_compared_in_one_notation() {
        assert_eq!(mac("FA-16-3e-00-00-01").as_deref(), Some("fa:16:3e:00:00:01"));
        assert_eq!(mac("fa:16:3e:00:00"), None);
    }
}
