//! Addresses, networks and ranges of IPv4 and IPv6.

use core::net::IpAddr;

use ipnet::IpNet;

/// Reads an address.
pub(crate) fn address(text: &str) -> Option<IpAddr> {
    text.trim().parse().ok()
}

/// All addresses from the first to the last, both of one version.
///
/// Paper: 000 7.2.3
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Range {
    /// The first.
    pub(crate) first: IpAddr,
    /// The last.
    pub(crate) last: IpAddr,
}

impl Range {
    /// The addresses of a network in the notation `address/prefix`.
    pub(crate) fn cidr(text: &str) -> Option<Range> {
        let net: IpNet = text.trim().parse().ok()?;
        Some(Range { first: net.network(), last: net.broadcast() })
    }

    /// Whether it is about IPv6.
    pub(crate) fn is_ipv6(&self) -> bool {
        self.first.is_ipv6()
    }

    /// Whether an address is one of them. Every IPv4 address is less than every IPv6 address.
    pub(crate) fn contains(&self, address: IpAddr) -> bool {
        self.first <= address && address <= self.last
    }

    /// Whether an address of an IPv4 network of more than four stands for all of it: the first and
    /// the last one.
    pub(crate) fn is_reserved(&self, address: IpAddr) -> bool {
        let (IpAddr::V4(first), IpAddr::V4(last)) = (self.first, self.last) else { return false };
        last.to_bits() - first.to_bits() > 3 && (address == first || address == last)
    }

    /// Whether two ranges have an address in common.
    pub(crate) fn overlaps(&self, other: &Range) -> bool {
        self.first <= other.last && other.first <= self.last
    }
}

/// A MAC address in one notation, if the text is one.
pub(crate) fn mac(text: &str) -> Option<String> {
    let lower = text.trim().to_ascii_lowercase();
    let parts: Vec<&str> = lower.split([':', '-']).collect();
    let two = |part: &&str| part.len() == 2 && part.bytes().all(|b| b.is_ascii_hexdigit());
    (parts.len() == 6 && parts.iter().all(two)).then(|| parts.join(":"))
}

#[cfg(test)]
mod tests {
    use super::{Range, address, mac};

    #[test]
    fn networks_are_ranges() {
        let net = Range::cidr("10.0.0.7/24").unwrap();
        assert_eq!(net.first.to_string(), "10.0.0.0");
        assert_eq!(net.last.to_string(), "10.0.0.255");
        assert!(net.contains(address("10.0.0.9").unwrap()));
        assert!(!net.contains(address("::1").unwrap()));
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
