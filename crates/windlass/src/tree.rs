//! YAML and JSON as a spanned tree.
//!
//! [`parse`] never fails: it returns what could be read and a list of findings. A [`Tree`] is an
//! arena of small nodes, each with its place in the text; [`Node`] is the handle with which every
//! language reads it. Aliases are never expanded, merge keys are resolved here, and the type of a
//! scalar is decided here ([`Schema`]), because the languages disagree about both.
//!
//! Invariants: reading, walking and dropping a tree needs no recursion; following every alias of
//! a tree visits at most [`Options::max_nodes`] nodes and goes at most [`Options::max_depth`]
//! levels deep, because an alias that would exceed this is reported and reads as null.

mod build;
pub mod emit;
mod events;
mod keys;
mod left_out;
mod node;
mod of_value;
mod parsed;
mod scalar;
pub mod value;

pub use build::parse;
pub use left_out::LeftOut;
pub use node::{Entry, Kind, Node};
pub(crate) use parsed::Parsed;
pub use scalar::{Scalar, Schema};
pub use value::Value;

use crate::diagnostic::Diagnostic;
use crate::source::{SourceId, Sources, Span};

/// Reads one of the texts, as [`parse`] does.
pub(crate) fn parse_source(
    source: SourceId,
    sources: &Sources,
    options: &Options,
) -> (Tree, Vec<Diagnostic>) {
    sources.note_parse(source);
    parse(source, &sources.get(source).text, options)
}

/// The code of a key that a mapping has twice.
pub(crate) const DUPLICATE_KEY: &str = "YAML002";
/// The code of a file without content.
pub(crate) const EMPTY_FILE: &str = "YAML009";

/// How a text is read, and how much of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Which plain scalars are numbers, booleans and null.
    pub schema: Schema,
    /// Whether the key `<<` merges mappings into its own.
    pub merge_keys: bool,
    /// Levels of lists and mappings in each other, aliases followed.
    pub max_depth: u32,
    /// Nodes in one text, aliases followed.
    pub max_nodes: u32,
    /// Bytes of one text.
    pub max_bytes: u32,
    /// Findings in one text; the rest is summed up in one more.
    pub max_findings: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            schema: Schema::Core,
            merge_keys: true,
            max_depth: 200,
            max_nodes: 5_000_000,
            max_bytes: 64 << 20,
            max_findings: 1000,
        }
    }
}

impl Options {
    /// The usual limits with another schema.
    pub fn with_schema(schema: Schema) -> Self {
        Options { schema, ..Options::default() }
    }
}

/// A node of one tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NodeId(u32);

/// One document of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Document {
    root: NodeId,
    /// Whether the document was read to its end. In an incomplete one the absence of a key says
    /// nothing: it may stand behind the syntax error.
    pub(crate) complete: bool,
}

/// The notation of a scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// Without quotes: the text decides the type.
    Plain,
    /// In single or double quotes.
    Quoted,
    /// A literal or folded block.
    Block,
}

/// What a node is, as it is stored: one byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// `a..b` is a range of the source text.
    ScalarInText(Style),
    /// `a..b` is a range of the pool of texts that differ from how they are written.
    ScalarInPool(Style),
    /// `a` is the first child, `b` the number of children.
    List,
    /// `a` is the first child, `b` the number of entries; key and value alternate.
    Mapping,
    /// `a` is the node meant. An alias that means nothing is a null scalar instead.
    Alias,
}

/// One node as it is stored.
#[derive(Debug, Clone, Copy)]
struct NodeData {
    start: u32,
    end: u32,
    a: u32,
    b: u32,
    shape: Shape,
}

/// A text that was read: all its documents.
#[derive(Debug, Clone)]
pub struct Tree {
    source: SourceId,
    schema: Schema,
    text: Box<str>,
    pool: String,
    nodes: Vec<NodeData>,
    children: Vec<NodeId>,
    /// Tags with the range in which they are written, in the order of their nodes.
    tags: Vec<(NodeId, u32, u32)>,
    documents: Vec<Document>,
    complete: bool,
}

impl Tree {
    /// The root of the first document; null when there is none.
    pub fn root(&self) -> Node<'_> {
        let id = self.documents.first().map_or(NodeId(0), |document| document.root);
        Node::new(self, id)
    }

    /// The documents in order, with the root of each.
    pub fn documents(&self) -> impl Iterator<Item = (Document, Node<'_>)> {
        self.documents.iter().map(|document| (*document, Node::new(self, document.root)))
    }

    /// Whether the whole text was read. In an incomplete tree the absence of a key says nothing.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// The node with this id.
    pub(crate) fn node(&self, id: NodeId) -> Node<'_> {
        Node::new(self, id)
    }

    /// How many nodes the tree has, aliases not followed.
    pub fn node_count(&self) -> usize {
        self.nodes.len() - 1
    }

    fn data(&self, id: NodeId) -> &NodeData {
        &self.nodes[id.0 as usize]
    }

    fn span(&self, start: u32, end: u32) -> Span {
        Span { source: self.source, start, end }
    }

    /// The node that is meant: for an alias its target, which is never an alias itself.
    fn resolve(&self, id: NodeId) -> NodeId {
        let data = self.data(id);
        if data.shape == Shape::Alias { NodeId(data.a) } else { id }
    }

    fn scalar_text(&self, data: &NodeData) -> Option<&str> {
        let range = data.a as usize..data.b as usize;
        match data.shape {
            Shape::ScalarInText(_) => self.text.get(range),
            Shape::ScalarInPool(_) => self.pool.get(range),
            _ => None,
        }
    }

    fn tag(&self, id: NodeId) -> Option<&str> {
        let at = self.tags.binary_search_by_key(&id, |(node, _, _)| *node).ok()?;
        let (_, start, end) = self.tags[at];
        self.text.get(start as usize..end as usize)
    }
}

#[cfg(test)]
mod hostile;
#[cfg(test)]
mod tests;
