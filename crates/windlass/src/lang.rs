//! One folder per language: `parse` never fails, `lower` keeps spans.
//!
//! [`read`] is the only entry: it finds out which language a text is in, reads it, and hands back
//! an application together with everything that is wrong with the text. A language that is added
//! later is one folder, one variant and one line in each `match` below.

use crate::application::Application;
use crate::diagnostic::Diagnostic;

/// A language that Windlass reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// Our own, `windlass.yaml`.
    Windlass,
}

impl Language {
    /// Every language, in the order in which detection tries them.
    pub const ALL: &[Language] = &[Language::Windlass];

    /// The name for `--lang`.
    pub fn name(self) -> &'static str {
        match self {
            Language::Windlass => "windlass",
        }
    }

    /// The language with this name.
    pub fn from_name(name: &str) -> Option<Language> {
        Self::ALL.iter().copied().find(|language| language.name() == name)
    }
}

/// What came out of reading one description.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    /// The language it was read as; none when no language fits.
    pub language: Option<Language>,
    /// The application, when enough of the text could be understood.
    pub application: Option<Application>,
    /// Everything that is wrong with the text, in the order of the text.
    pub findings: Vec<Diagnostic>,
}
