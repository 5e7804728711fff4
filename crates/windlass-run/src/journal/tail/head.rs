//! The first line of the file beside the tables, and the sum that every line ends with.

use std::fmt::Write as _;
use std::fs;
use std::sync::OnceLock;

/// The length of a head: it is written again in place.
pub(super) const LENGTH: usize = NAME.len() + 4 * (1 + DIGITS) + SUM;

const NAME: &str = "windlass-tail";
/// Of the largest number.
const DIGITS: usize = 20;
/// A blank, sixteen digits, the end of the line.
const SUM: usize = 18;

/// What the first line says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Head {
    /// Counts how often the file was started again.
    pub(super) generation: u64,
    /// The boot of the machine in which that was.
    pub(super) boot: u64,
    /// The place of the last entry in the tables at that time.
    pub(super) after: u64,
    /// The length of all lines when their engine ended; 0 as long as it has not.
    pub(super) whole: u64,
}

impl Head {
    /// For a file that starts again.
    pub(super) fn next(self, after: u64) -> Self {
        Head { generation: self.generation + 1, boot: boot(), after, whole: 0 }
    }

    /// Whether the machine has not been rebooted since.
    pub(super) fn is_of_this_boot(self) -> bool {
        self.boot != 0 && self.boot == boot()
    }

    pub(super) fn line(self) -> String {
        let Head { generation, boot, after, whole } = self;
        let mut line = NAME.to_owned();
        for number in [generation, boot, after, whole] {
            // Writing to a string cannot fail, here and below.
            let _ = write!(line, " {number:0DIGITS$}");
        }
        close(&mut line);
        line
    }

    pub(super) fn parse(line: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(opened(line)?).ok()?;
        let mut words = text.split(' ');
        let is_head = words.next() == Some(NAME);
        let mut number = || words.next()?.parse().ok();
        let (generation, boot) = (number()?, number()?);
        let (after, whole) = (number()?, number()?);
        is_head.then_some(Head { generation, boot, after, whole })
    }
}

/// Ends a line with its sum.
pub(super) fn close(line: &mut String) {
    let sum = sum(line.as_bytes());
    let _ = writeln!(line, " {sum:016x}");
}

/// A line without its sum, if that is right.
pub(super) fn opened(line: &[u8]) -> Option<&[u8]> {
    let (text, written) = line.split_at_checked(line.len().checked_sub(SUM)?)?;
    let written = written.strip_prefix(b" ")?.strip_suffix(b"\n")?;
    let written = u64::from_str_radix(std::str::from_utf8(written).ok()?, 16).ok()?;
    (sum(text) == written).then_some(text)
}

/// The boot of this machine as a number; 0 when the system does not say.
fn boot() -> u64 {
    static BOOT: OnceLock<u64> = OnceLock::new();
    *BOOT.get_or_init(|| fs::read("/proc/sys/kernel/random/boot_id").map_or(0, |text| sum(&text)))
}

/// A number that another text hardly has: every step can be turned back, so that a change within
/// eight bytes changes it for certain.
fn sum(text: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let (words, rest) = text.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let all = words.iter().chain([&last]);
    let length = text.len() as u64;
    all.fold(length, |sum, word| {
        (sum ^ u64::from_le_bytes(*word)).wrapping_mul(FACTOR).rotate_left(29)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_comes_back_and_a_changed_one_does_not() {
        let head = Head { generation: 7, boot: u64::MAX, after: 1 << 40, whole: 4711 };
        let line = head.line();
        assert_eq!(line.len(), LENGTH);
        assert_eq!(Head::parse(line.as_bytes()), Some(head));
        for at in 0..LENGTH {
            let mut changed = line.clone().into_bytes();
            changed[at] ^= 1;
            let parsed = Head::parse(&changed);
            assert!(parsed.is_none() || at >= LENGTH - SUM, "{at}: {parsed:?}");
        }
        assert_eq!(Head::parse(b""), None);
        assert_eq!(Head::default().line().len(), LENGTH);
    }
}
