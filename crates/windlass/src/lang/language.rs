//! What every language implements, and the table of those that are read.
//!
//! A language is one folder with one [`Reader`] and one line in [`LANGUAGES`]. Recognizing and
//! reading texts, `--lang` and its help follow from the table.

use std::fmt;

use super::{ReadOptions, Reading, compose, tosca};
use crate::application::{Application, GlobalState};
use crate::diagnostic::Diagnostic;
use crate::plan::Plan;
use crate::source::files::Files;
use crate::source::{SourceId, Sources};
use crate::tree::{self, Node, Parsed, Tree, Value};

/// Findings on the way.
type Findings = Vec<Diagnostic>;

/// The languages that are read, in the order in which a text is shown to them.
pub const LANGUAGES: &[Language] = &[
    Language::WINDLASS,
    Language::RAMP,
    Language::BARREL,
    Language::TOSKER,
    Language::CONCERTO,
    Language::COMPOSE,
    Language::HOT,
    Language::TOSCA,
    Language::OCCI,
];

/// What a file can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An application.
    Application,
    /// A state of one.
    State,
    /// A plan for one.
    Plan,
    /// A goal for one.
    Goal,
    /// A rule set.
    Rules,
    /// A topology of one.
    Topology,
}

/// How far from a description the files may lie that it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// In its own folder or below.
    Folder,
    /// Below the current folder, when the description lies there too.
    CurrentFolder,
    /// In the project that the description is a part of.
    Project,
}

/// How a text came to be looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// It has no path: its name says little.
    Alone,
    /// It was found in a folder, and may be anything.
    Found,
    /// It lies in an archive, and may be anything.
    Packed,
    /// It was named, so that it is meant to be a description.
    Named,
}

/// A text whose keys tell nothing, for a guess.
#[derive(Debug, Clone, Copy)]
pub struct Unrecognized<'a> {
    /// Its name, with its folders.
    pub(crate) name: &'a str,
    /// Its content.
    pub(crate) text: &'a str,
    /// Its tree, as far as it has one.
    pub(crate) root: Node<'a>,
    /// How it came to be looked at.
    pub(crate) origin: Origin,
}

impl<'a> Unrecognized<'a> {
    /// The name without folders.
    pub(crate) fn file_name(&self) -> &'a str {
        self.name.rsplit('/').next().unwrap_or(self.name)
    }
}

/// A text for a reader. Its tree is there when it was parsed before.
#[derive(Debug)]
pub struct Text {
    /// The text.
    pub(crate) id: SourceId,
    pub(super) parsed: Option<Parsed>,
}

impl Text {
    /// A text that was not parsed yet.
    pub fn new(id: SourceId) -> Self {
        Text { id, parsed: None }
    }

    /// What was made from a text, for the reader of another language.
    pub(crate) fn of_value(id: SourceId, value: &Value) -> Self {
        Text { id, parsed: Some(Parsed::of_value(id, value)) }
    }

    /// The tree and what is wrong with the text. Nothing is parsed twice.
    pub fn parse(self, sources: &Sources, options: &tree::Options) -> (Tree, Vec<Diagnostic>) {
        match self.parsed {
            Some(parsed) => parsed.read_as(sources, options),
            None => tree::parse_source(self.id, sources, options),
        }
    }
}

/// What the rules say about a model before it is lowered. No reader judges by itself: the entry of
/// the languages hands the rules in.
#[derive(Debug, Clone, Copy)]
pub struct ModelRules {
    /// The rules on a model of TOSCA, which also give requirements their targets.
    pub(crate) tosca:
        fn(Option<&mut tosca::Model>, &Sources, Option<&mut dyn Files>, &mut Findings),
    /// What Compose refuses in a project; whether all of it was read.
    pub(crate) compose: fn(&compose::Project, bool) -> Findings,
}

/// What a reader is given beside the text.
pub struct Context<'a> {
    /// The place of the text among the files.
    pub(crate) path: &'a str,
    /// The texts; those that are read on the way are added.
    pub sources: &'a mut Sources,
    /// The files that the text may name; none when it stands alone.
    pub(crate) files: Option<&'a mut dyn Files>,
    /// What is said beside the text.
    pub(crate) options: &'a ReadOptions,
    /// What is asked before a model is lowered.
    pub(crate) rules: ModelRules,
}

/// The files of a context, lent to another reader, which gives them back.
pub(super) fn reborrow<'b>(files: &'b mut Option<&mut dyn Files>) -> Option<&'b mut dyn Files> {
    files.as_mut().map(|files| &mut **files as &mut dyn Files)
}

impl fmt::Debug for Context<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("path", &self.path).finish_non_exhaustive()
    }
}

/// How a language is recognized and read.
pub trait Reader: fmt::Debug + Sync {
    /// The name for `--lang`.
    fn name(&self) -> &'static str;

    /// What a text is that is neither YAML nor JSON; none when it is not of this language.
    fn recognize_text(&self, _text: &str) -> Option<Kind> {
        None
    }

    /// Whether texts of this language may be YAML or JSON.
    fn is_yaml(&self) -> bool {
        true
    }

    /// What a text is by the keys at its top; none when it is not of this language.
    fn recognize_keys(&self, _root: Node<'_>) -> Option<Kind> {
        None
    }

    /// What a text is whose keys tell nothing, by its name or by what it resembles.
    fn guess(&self, _text: Unrecognized<'_>) -> Option<Kind> {
        None
    }

    /// Whether a text of this language is only there for others to import.
    fn is_library(&self, _text: &str) -> bool {
        false
    }

    /// How far away the files may lie that a text names.
    fn reach(&self, _root: Option<Node<'_>>) -> Reach {
        Reach::Folder
    }

    /// Reads a text of this language. It never fails: what is wrong is a finding.
    fn read(&self, text: Text, context: &mut Context<'_>) -> Reading;

    /// Reads a plan; none when a text of this language holds none.
    fn read_plan(
        &self,
        _text: Text,
        _context: &mut Context<'_>,
        _findings: &mut Vec<Diagnostic>,
    ) -> Option<Plan> {
        None
    }

    /// Reads a state of an application; none when the language has no states.
    fn read_state(
        &self,
        _root: Node<'_>,
        _application: &Application,
        _findings: &mut Vec<Diagnostic>,
    ) -> Option<GlobalState> {
        None
    }
}

/// A language that is read. Two are the same when they have the same name.
#[derive(Clone, Copy)]
pub struct Language(&'static dyn Reader);

impl Language {
    /// The language that a reader reads.
    pub const fn new(reader: &'static dyn Reader) -> Self {
        Language(reader)
    }

    /// How it is recognized and read.
    pub(crate) fn reader(self) -> &'static dyn Reader {
        self.0
    }

    /// The name for `--lang`.
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// The language with this name.
    pub fn from_name(name: &str) -> Option<Language> {
        LANGUAGES.iter().copied().find(|language| language.name() == name)
    }
}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl PartialEq for Language {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Language {}
