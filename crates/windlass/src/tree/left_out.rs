//! The note that stands for findings which are not shown.

use crate::diagnostic::{Diagnostic, Severity};
use crate::source::Span;

/// The code of the note.
pub(super) const FINDINGS_LEFT_OUT: &str = "YAML010";

/// How many findings are not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeftOut {
    /// As many were found and left out.
    pub count: usize,
    /// Whether there may be more, because the text was not read to its end.
    pub at_least: bool,
}

const AT_LEAST: &str = "at least ";

impl LeftOut {
    /// The note.
    pub fn finding(self, span: Span) -> Diagnostic {
        let at_least = if self.at_least { AT_LEAST } else { "" };
        let ending = if self.count == 1 { "" } else { "s" };
        let message = format!("{at_least}{} further finding{ending} not shown", self.count);
        Diagnostic::new(FINDINGS_LEFT_OUT, Severity::Note, span, message)
    }

    /// What a note says; none when the finding is no such note.
    pub fn of(finding: &Diagnostic) -> Option<Self> {
        if finding.code != FINDINGS_LEFT_OUT {
            return None;
        }
        let rest = finding.message.strip_prefix(AT_LEAST);
        let number = rest.unwrap_or(&finding.message).split(' ').next()?;
        Some(LeftOut { count: number.parse().ok()?, at_least: rest.is_some() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceId;

    #[test]
    fn a_note_says_what_it_was_made_of() {
        let span = Span { source: SourceId(0), start: 0, end: 0 };
        for (count, at_least, message) in [
            (1, false, "1 further finding not shown"),
            (99_000, true, "at least 99000 further findings not shown"),
        ] {
            let left_out = LeftOut { count, at_least };
            let finding = left_out.finding(span);
            assert_eq!(finding.message, message);
            assert_eq!(LeftOut::of(&finding), Some(left_out));
        }
        assert_eq!(LeftOut::of(&Diagnostic::error("YAML001", span, "1 further thing")), None);
    }
}
