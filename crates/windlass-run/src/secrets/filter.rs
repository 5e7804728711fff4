//! Hides secrets in a stream of bytes that comes in pieces.

use super::{MASK, Secrets};

/// A stream without secrets.
#[derive(Debug)]
pub(crate) struct Filter {
    /// Longest first.
    needles: Vec<Vec<u8>>,
    /// The end of what came, as far as it may be the beginning of a secret.
    held: Vec<u8>,
    /// Whether what is shown is as long as what came.
    keeps_length: bool,
}

impl Filter {
    /// One that hides these.
    pub(crate) fn new(secrets: &Secrets) -> Self {
        Filter {
            needles: secrets.needles.iter().map(|needle| needle.clone().into_bytes()).collect(),
            held: Vec::new(),
            keeps_length: false,
        }
    }

    /// One for streams that are taken up later at the length that is known.
    #[must_use]
    pub(crate) fn keeping_length(mut self) -> Self {
        self.keeps_length = true;
        self
    }

    fn mask(&self, secret: usize) -> Vec<u8> {
        if self.keeps_length { vec![b'*'; secret] } else { MASK.as_bytes().to_vec() }
    }

    /// What can be shown after another piece has come.
    pub(crate) fn pass(&mut self, piece: &[u8]) -> Vec<u8> {
        if self.needles.is_empty() {
            return piece.to_vec();
        }
        self.held.extend_from_slice(piece);
        let mut shown = Vec::with_capacity(self.held.len());
        let mut at = 0;
        while at < self.held.len() {
            let rest = &self.held[at..];
            // A longer secret may still come, of which a shorter one is the beginning.
            if self
                .needles
                .iter()
                .any(|needle| needle.len() > rest.len() && needle.starts_with(rest))
            {
                break;
            }
            match self.needles.iter().find(|needle| rest.starts_with(needle)) {
                Some(needle) => {
                    shown.extend(self.mask(needle.len()));
                    at += needle.len();
                }
                None => {
                    shown.push(rest[0]);
                    at += 1;
                }
            }
        }
        self.held.drain(..at);
        shown
    }

    /// What was held back, when nothing more comes.
    pub(crate) fn rest(&mut self) -> Vec<u8> {
        let mut shown = Vec::new();
        while !self.held.is_empty() {
            let needle = self.needles.iter().find(|needle| self.held.starts_with(needle));
            let length = needle.map_or(1, Vec::len);
            match needle {
                Some(_) => shown.extend(self.mask(length)),
                None => shown.push(self.held[0]),
            }
            self.held.drain(..length);
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_any_size_hide_the_same() {
        let secret = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let secrets =
            Secrets::from([secret("a", "hunter2"), secret("b", "hunter22"), secret("c", "xx")]);
        let text = "hunter hunter2 hunter22 xxx hunterhunter2 x\nhunt";
        let expected = "hunter *** *** ***x hunter*** x\nhunt";
        for size in 1..text.len() {
            let mut filter = Filter::new(&secrets);
            let mut shown = Vec::new();
            for piece in text.as_bytes().chunks(size) {
                shown.extend(filter.pass(piece));
            }
            assert!(!filter.held.is_empty());
            shown.extend(filter.rest());
            assert_eq!(String::from_utf8(shown).unwrap(), expected, "{size}");
            let mut filter = Filter::new(&secrets).keeping_length();
            let mut length: usize =
                text.as_bytes().chunks(size).map(|piece| filter.pass(piece).len()).sum();
            length += filter.rest().len();
            assert_eq!(length, text.len());
        }
    }
}
