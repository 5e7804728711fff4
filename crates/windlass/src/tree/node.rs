//! The handle with which every language reads a tree.
//!
//! Content is read through aliases: an alias has the type, text, items and entries of the value
//! it means, while [`Node::span`] stays where the alias is written.

use super::{NodeId, Scalar, Shape, Style, Tree, keys};
use crate::source::Span;

/// A value in a tree.
#[derive(Clone, Copy)]
pub struct Node<'t> {
    tree: &'t Tree,
    id: NodeId,
}

/// One entry of a mapping.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'t> {
    /// The key.
    pub(crate) key: Node<'t>,
    /// The value; null when none is written.
    pub value: Node<'t>,
}

impl<'t> Entry<'t> {
    /// The text of the key; empty when the key is a list or a mapping.
    pub(crate) fn name(&self) -> &'t str {
        self.key.as_str().unwrap_or_default()
    }

    /// The place of key and value together.
    pub fn span(&self) -> Span {
        self.key.span().to(self.value.span())
    }
}

/// What a node holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind<'t> {
    /// Null, boolean, number or text.
    Scalar(Scalar<'t>),
    /// A list.
    List,
    /// A mapping.
    Mapping,
}

impl<'t> Node<'t> {
    pub(super) fn new(tree: &'t Tree, id: NodeId) -> Self {
        Node { tree, id }
    }

    /// The tree.
    pub(crate) fn tree(self) -> &'t Tree {
        self.tree
    }

    /// The place where this value, or the alias for it, is written.
    pub fn span(self) -> Span {
        let data = self.tree.data(self.id);
        self.tree.span(data.start, data.end)
    }

    /// Whether this is an alias of a value that stands elsewhere.
    pub fn is_alias(self) -> bool {
        self.tree.data(self.id).shape == Shape::Alias
    }

    /// The tag as it is written, e.g. `!reset`.
    pub(crate) fn tag(self) -> Option<&'t str> {
        self.tree.tag(self.tree.resolve(self.id))
    }

    /// What it holds.
    pub(crate) fn kind(self) -> Kind<'t> {
        match self.scalar_type() {
            Some(scalar) => Kind::Scalar(scalar),
            None if self.is_list() => Kind::List,
            None => Kind::Mapping,
        }
    }

    /// What it holds, for messages: "a mapping", "a list", "a string".
    pub(crate) fn kind_name(self) -> &'static str {
        match self.kind() {
            Kind::Scalar(scalar) => scalar.kind_name(),
            Kind::List => "a list",
            Kind::Mapping => "a mapping",
        }
    }

    /// The value of a scalar; `None` for lists and mappings.
    pub(crate) fn scalar_type(self) -> Option<Scalar<'t>> {
        let text = self.as_str()?;
        match self.tag() {
            Some("!" | "!!str") => return Some(Scalar::Str(text)),
            Some(tag @ ("!!int" | "!!float" | "!!bool" | "!!null")) => {
                return Some(self.tree.schema.resolve_tagged(tag, text));
            }
            _ => {}
        }
        match self.style()? {
            Style::Plain => Some(self.tree.schema.resolve(text)),
            Style::Quoted | Style::Block => Some(Scalar::Str(text)),
        }
    }

    /// The notation of a scalar.
    pub(crate) fn style(self) -> Option<Style> {
        match self.content().shape {
            Shape::ScalarInText(style) | Shape::ScalarInPool(style) => Some(style),
            _ => None,
        }
    }

    /// The text of a scalar of any type; `None` for lists and mappings.
    pub fn as_str(self) -> Option<&'t str> {
        self.tree.scalar_text(self.content())
    }

    /// The text of a scalar; of a list or mapping the text in which it is written.
    pub(super) fn written_text(self) -> &'t str {
        let data = self.content();
        let written = || self.tree.text.get(data.start as usize..data.end as usize);
        self.as_str().or_else(written).unwrap_or_default()
    }

    /// The text of a scalar whose type is text: not of `12` or `true`, but of `"12"`.
    pub(crate) fn as_text(self) -> Option<&'t str> {
        match self.scalar_type()? {
            Scalar::Str(text) => Some(text),
            _ => None,
        }
    }

    /// The value of a boolean.
    pub(crate) fn as_bool(self) -> Option<bool> {
        match self.scalar_type()? {
            Scalar::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The value of an integer.
    pub(crate) fn as_int(self) -> Option<i128> {
        match self.scalar_type()? {
            Scalar::Int(value) => Some(value),
            _ => None,
        }
    }

    /// Whether this is null, written or not.
    pub(crate) fn is_null(self) -> bool {
        self.scalar_type() == Some(Scalar::Null)
    }

    /// Whether this is null, a boolean, a number or text.
    pub(crate) fn is_scalar(self) -> bool {
        self.style().is_some()
    }

    /// Whether this is a list.
    pub(crate) fn is_list(self) -> bool {
        self.content().shape == Shape::List
    }

    /// Whether this is a mapping.
    pub(crate) fn is_mapping(self) -> bool {
        self.content().shape == Shape::Mapping
    }

    /// The number of items or entries; 0 for scalars.
    pub(crate) fn len(self) -> usize {
        if self.is_scalar() { 0 } else { self.content().b as usize }
    }

    /// Whether there are no items or entries.
    pub(crate) fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The items of a list in order; nothing for other nodes.
    pub fn items(self) -> impl DoubleEndedIterator<Item = Node<'t>> + ExactSizeIterator + Clone {
        let tree = self.tree;
        let ids = if self.is_list() { self.children() } else { &[] };
        ids.iter().map(move |id| Node::new(tree, *id))
    }

    /// The entries of a mapping in order, merge keys resolved; nothing for other nodes. A key
    /// that is given twice appears twice.
    pub fn entries(self) -> impl DoubleEndedIterator<Item = Entry<'t>> + ExactSizeIterator + Clone {
        let tree = self.tree;
        let ids = if self.is_mapping() { &self.children()[..self.len() * 2] } else { &[] };
        ids.chunks_exact(2).map(move |pair| Entry {
            key: Node::new(tree, pair[0]),
            value: Node::new(tree, pair[1]),
        })
    }

    /// The value of a key of a mapping; the first if the key is given twice.
    pub fn get(self, key: &str) -> Option<Node<'t>> {
        self.get_entry(key).map(|entry| entry.value)
    }

    /// The entry of a mapping with this key; the first if the key is given twice.
    pub(crate) fn get_entry(self, key: &str) -> Option<Entry<'t>> {
        if !self.is_mapping() {
            return None;
        }
        let children = self.children();
        let at = keys::find(self.tree, children, self.len(), key)?;
        Some(Entry {
            key: Node::new(self.tree, children[at * 2]),
            value: Node::new(self.tree, children[at * 2 + 1]),
        })
    }

    fn content(self) -> &'t super::NodeData {
        self.tree.data(self.tree.resolve(self.id))
    }

    /// The children of a list; of a mapping also the order of its keys if it has one.
    fn children(self) -> &'t [NodeId] {
        let data = self.content();
        let width = match data.shape {
            Shape::Mapping => data.b * if data.b as usize > keys::SMALL { 3 } else { 2 },
            _ => data.b,
        };
        &self.tree.children[data.a as usize..(data.a + width) as usize]
    }
}

impl std::fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} at {}", self.kind_name(), self.tree.data(self.id).start)
    }
}
