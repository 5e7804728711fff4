//! A text that was parsed before its language was known.
//!
//! Languages disagree about scalars and limits, but not about the structure of a text. So the tree
//! that tells the language is also the one that the language reads: [`Parsed::read_as`] sets its
//! schema, and parses again only where a limit of that language decides how far a text is read.

use super::{Node, Options, Schema, Tree, Value, build, of_value};
use crate::diagnostic::{self, Diagnostic};
use crate::source::{SourceId, Sources};

/// A tree with what is wrong with its text.
#[derive(Debug, Clone)]
pub(crate) struct Parsed {
    pub(super) tree: Tree,
    pub(super) findings: Vec<Diagnostic>,
    pub(super) options: Options,
    /// Nodes, aliases followed.
    pub(super) size: u64,
    /// What only Go finds wrong.
    pub(super) colons: Vec<Diagnostic>,
    /// Whether a limit on nodes or bytes was reached.
    pub(super) is_limited: bool,
}

impl Parsed {
    /// Parses a text with the usual options.
    pub(crate) fn new(source: SourceId, sources: &Sources) -> Self {
        sources.note_parse(source);
        build::parse_text(source, &sources.get(source).text, &Options::default())
    }

    /// A value as if it stood in a text, all of it at the beginning of this source.
    pub(crate) fn of_value(source: SourceId, value: &Value) -> Self {
        of_value::of_value(source, value)
    }

    /// The root of the first document.
    pub(crate) fn root(&self) -> Node<'_> {
        self.tree.root()
    }

    /// The tree and the findings as if the text had been parsed with these options.
    pub(crate) fn read_as(self, sources: &Sources, options: &Options) -> (Tree, Vec<Diagnostic>) {
        if self.options == *options {
            return (self.tree, self.findings);
        }
        let is_same_structure = self.options.merge_keys == options.merge_keys
            && self.options.max_depth == options.max_depth
            && self.options.schema != Schema::Go;
        let fits = !self.is_limited
            && self.size <= u64::from(options.max_nodes)
            && self.findings.len() + self.colons.len() <= options.max_findings;
        if !is_same_structure || !fits {
            return super::parse_source(self.tree.source, sources, options);
        }
        let Parsed { mut tree, mut findings, colons, .. } = self;
        tree.schema = options.schema;
        if options.schema == Schema::Go && !colons.is_empty() {
            findings.extend(colons);
            diagnostic::sort(&mut findings);
        }
        (tree, findings)
    }
}
