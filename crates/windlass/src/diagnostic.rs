//! The one diagnostic type that every reader, rule and analysis speaks.
//!
//! How a diagnostic looks is the command line's business; what it says is decided here. The
//! wording guide is `docs/wording.md`: a message is a fragment in lower case that names the
//! user's identifiers, never ours.

use crate::source::Span;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The description is wrong; the exit code says so.
    Error,
    /// The description is doubtful; the exit code says so only with `--strict`.
    Warning,
    /// Something worth knowing.
    Note,
}

impl Severity {
    /// The word for people and for JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// A further place that helps to understand the finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What is there, e.g. "first declared here".
    pub message: String,
}

/// A replacement of one range of bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// What is replaced; an empty span inserts.
    pub span: Span,
    /// What stands there afterwards.
    pub replacement: String,
}

/// A change that removes the finding and alters nothing else; `check --fix` applies it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// What the change does, as an imperative: "rename `hots` to `host`".
    pub message: String,
    /// Edits that do not overlap.
    pub edits: Vec<Edit>,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable code, never used again for something else: prefix by language, then a number.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// A lower-case fragment without a full stop.
    pub message: String,
    /// Where it is.
    pub primary: Span,
    /// Further places.
    pub labels: Vec<Label>,
    /// Further facts, one sentence each.
    pub notes: Vec<String>,
    /// What to do about it.
    pub help: Option<String>,
    /// A safe fix.
    pub fix: Option<Fix>,
    /// The quirk that tolerates an error, when there is one to switch on.
    pub(crate) quirk: Option<&'static str>,
}

impl Diagnostic {
    /// A finding without further places, notes, help or fix.
    pub fn new(
        code: &'static str,
        severity: Severity,
        primary: Span,
        message: impl Into<String>,
    ) -> Self {
        Diagnostic {
            code,
            severity,
            message: short(message.into()),
            primary,
            labels: Vec::new(),
            notes: Vec::new(),
            help: None,
            fix: None,
            quirk: None,
        }
    }

    /// An error.
    pub fn error(code: &'static str, primary: Span, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, primary, message)
    }

    /// A warning.
    pub fn warning(code: &'static str, primary: Span, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Warning, primary, message)
    }

    /// With a further place.
    #[must_use]
    pub(crate) fn label(mut self, span: Span, message: impl Into<String>) -> Self {
        self.labels.push(Label { span, message: short(message.into()) });
        self
    }

    /// With a further fact.
    #[must_use]
    pub(crate) fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(short(note.into()));
        self
    }

    /// With advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(short(help.into()));
        self
    }

    /// With the name of the quirk that tolerates it.
    #[must_use]
    pub(crate) fn tolerated_by(mut self, quirk: &'static str) -> Self {
        self.quirk = Some(quirk);
        self
    }

    /// With a safe fix.
    #[must_use]
    pub(crate) fn fix(mut self, message: impl Into<String>, edits: Vec<Edit>) -> Self {
        self.fix = Some(Fix { message: message.into(), edits });
        self
    }
}

/// Values in messages that are longer are cut.
const LONGEST_VALUE: usize = 300;

/// A text in which no value between backquotes is longer than a person reads.
fn short(text: String) -> String {
    if text.len() <= LONGEST_VALUE {
        return text;
    }
    let cut = |(at, part): (usize, &str)| {
        // Between an even and an odd backquote stand our own words, unless a value has one.
        let most = if at % 2 == 1 { LONGEST_VALUE } else { LONGEST_VALUE * 10 };
        match part.char_indices().nth(most) {
            None => part.to_owned(),
            Some(_) => part.chars().take(60).chain(['\u{2026}']).collect(),
        }
    };
    text.split('`').enumerate().map(cut).collect::<Vec<_>>().join("`")
}

/// Leaves out findings that were made before: the same in the same place.
pub(crate) fn without_repetitions(findings: &mut Vec<Diagnostic>) {
    let mut seen = std::collections::BTreeSet::new();
    findings.retain(|finding| {
        seen.insert((finding.primary, finding.code, finding.severity, finding.message.clone()))
    });
}

/// Puts findings into the order in which a reader meets them: by text, place, code, message.
pub fn sort(findings: &mut [Diagnostic]) {
    findings.sort_by(|a, b| {
        (a.primary, a.code, a.severity, &a.message)
            .cmp(&(b.primary, b.code, b.severity, &b.message))
    });
}
