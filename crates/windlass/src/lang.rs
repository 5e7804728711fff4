//! One folder per language: `parse` never fails, `lower` keeps spans.
//!
//! [`read`] is the only entry: it finds out which language a text is in, reads it, and hands back
//! an application together with everything that is wrong with the text. A language that is added
//! later is one folder, one variant and one line in each `match` below.

pub mod windlass;

use crate::application::Application;
use crate::diagnostic::{self, Diagnostic};
use crate::goal::GoalFile;
use crate::source::{SourceId, Sources};
use crate::tree::{self, Tree};

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

    /// The language of a text, by the keys at its top.
    pub fn detect(tree: &Tree) -> Option<Language> {
        windlass::Document::detect(tree.root()).map(|_| Language::Windlass)
    }
}

/// What came out of reading one description.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    /// The language it was read as; none when no language fits.
    pub language: Option<Language>,
    /// The application, when the text describes one and has no errors of its own.
    pub application: Option<Application>,
    /// The goal that the description declares for itself.
    pub goal: Option<GoalFile>,
    /// Everything that is wrong with the text, in the order of the text; what the rules say about
    /// the application is asked separately.
    pub findings: Vec<Diagnostic>,
}

/// Reads the text `root` in the given language, or in the one that its keys tell.
pub fn read(language: Option<Language>, root: SourceId, sources: &Sources) -> Reading {
    let options = tree::Options::default();
    let (tree, mut findings) = tree::parse(root, &sources.get(root).text, &options);
    let language = language.or_else(|| Language::detect(&tree));
    let (application, goal) = match language {
        Some(Language::Windlass) => read_windlass(&tree, &mut findings),
        None => (None, None),
    };
    diagnostic::sort(&mut findings);
    Reading { language, application, goal, findings }
}

fn read_windlass(
    tree: &Tree,
    findings: &mut Vec<Diagnostic>,
) -> (Option<Application>, Option<GoalFile>) {
    use windlass::Document;
    let root = tree.root();
    match Document::detect(root) {
        Some(Document::Application) => return windlass::read_application(root, findings),
        Some(Document::Plan) => {
            windlass::read_plan(root, findings);
        }
        Some(document) => document.check_shape(root, findings),
        None if !tree.is_complete() => {}
        None => findings.push(
            Diagnostic::error(
                windlass::UNKNOWN_DOCUMENT,
                windlass::first_line(root),
                "this is no application, no state, no plan and no goal",
            )
            .help("an application starts with `windlass: 1` and has `types` and `nodes`"),
        ),
    }
    (None, None)
}
