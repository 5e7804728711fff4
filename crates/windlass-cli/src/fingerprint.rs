//! A number for a finding that survives edits elsewhere in the file.
//!
//! It is made of the code, the file, the message, the text of the line, and of how many findings
//! with all of these equal come before it; not of the line number. Baselines and SARIF use it.
//! Invariant: the numbers are the same on every machine and in every version, because they are
//! written to files that outlive the program.

use std::collections::BTreeMap;

use windlass::diagnostic::Diagnostic;
use windlass::fnv::fnv1a_64;
use windlass::source::{SourceId, Sources};

/// Hands out fingerprints for the findings of one run, in their order.
pub(crate) struct Fingerprints<'a> {
    sources: &'a Sources,
    /// Findings seen so far with the same everything else.
    seen: BTreeMap<u64, u64>,
    /// Hash of the line last asked for: many findings of a huge line hash it once.
    last_line: Option<(SourceId, u32, u64)>,
}

impl<'a> Fingerprints<'a> {
    /// Starts with nothing seen.
    pub(crate) fn new(sources: &'a Sources) -> Self {
        Fingerprints { sources, seen: BTreeMap::new(), last_line: None }
    }

    /// The fingerprint of the next finding, which is in `file` and on `line`.
    pub(crate) fn next(&mut self, diagnostic: &Diagnostic, file: &str, line: u32) -> u64 {
        let line_hash = self.line_hash(diagnostic.primary.source, line);
        let same = hash(&[
            diagnostic.code.as_bytes(),
            file.as_bytes(),
            diagnostic.message.as_bytes(),
            &line_hash.to_le_bytes(),
        ]);
        let ordinal = self.seen.entry(same).or_default();
        let fingerprint = hash(&[&same.to_le_bytes(), &ordinal.to_le_bytes()]);
        *ordinal += 1;
        fingerprint
    }

    fn line_hash(&mut self, source: SourceId, line: u32) -> u64 {
        match self.last_line {
            Some((last_source, last, hash)) if (last_source, last) == (source, line) => hash,
            _ => {
                let fresh = hash(&[self.sources.get(source).line(line).trim().as_bytes()]);
                self.last_line = Some((source, line, fresh));
                fresh
            }
        }
    }
}

/// FNV-1a in 64 bits over the parts, each closed by a byte that UTF-8 never contains.
fn hash(parts: &[&[u8]]) -> u64 {
    fnv1a_64(parts.iter().flat_map(|part| part.iter().copied().chain([0xff])))
}

#[cfg(test)]
mod tests {
    use windlass::source::Span;

    use super::*;

    /// Fingerprints of one finding on each line that contains `bad`.
    fn fingerprints(text: &str) -> Vec<u64> {
        let mut sources = Sources::new();
        let source = sources.add("a.yaml", text);
        let mut fingerprints = Fingerprints::new(&sources);
        let lines = text.lines().zip(1..).filter(|(line, _)| line.contains("bad"));
        let span = Span { source, start: 0, end: 1 };
        let diagnostic = Diagnostic::error("WL001", span, "bad");
        lines.map(|(_, line)| fingerprints.next(&diagnostic, "a.yaml", line)).collect()
    }

    #[test]
    fn a_fingerprint_survives_other_lines_and_indentation() {
        let before = fingerprints("x: 1\nbad: 2\n");
        assert_eq!(before, fingerprints("# new\n\nx: 1\n  bad: 2\n"));
        assert_ne!(before, fingerprints("x: 1\nbad: 3\n"));
    }

    #[test]
    fn equal_findings_are_distinguished_by_their_order() {
        let two = fingerprints("bad\nbad\n");
        assert_ne!(two[0], two[1]);
        assert_eq!(two[0], fingerprints("bad\n")[0], "one more below changes nothing above");
    }

    #[test]
    fn the_hash_never_changes() {
        assert_eq!(hash(&[b"a"]), 0x089b_c907_b544_c769);
    }
}
