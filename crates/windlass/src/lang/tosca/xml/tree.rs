//! Elements with their places, apart from the parser that found them.
//!
//! The tree owns its texts, so that many files can be read and looked at together. Comments and
//! instructions are not kept; who edits a text uses the places and leaves the rest as it is.

use crate::source::{SourceId, Span};

/// A name with its namespace.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Name {
    /// The namespace; empty when there is none.
    pub(crate) namespace: String,
    /// The name within it.
    pub(crate) local: String,
}

/// An attribute of an element.
#[derive(Debug, Clone)]
pub(crate) struct Attribute {
    namespace: String,
    local: String,
    /// Its value.
    pub(crate) value: String,
    /// Where the value stands, without quotes.
    pub(crate) span: Span,
}

#[derive(Debug, Clone)]
struct Data {
    name: Name,
    attributes: Vec<Attribute>,
    /// Prefixes declared here with their namespaces; the empty prefix is the default.
    declared: Vec<(String, String)>,
    text: String,
    parent: Option<u32>,
    children: Vec<u32>,
    span: Span,
    name_span: Span,
}

/// A text that was read.
#[derive(Debug, Clone)]
pub(crate) struct Tree {
    source: SourceId,
    elements: Vec<Data>,
}

/// An element of a tree.
#[derive(Clone, Copy)]
pub(crate) struct Element<'t> {
    tree: &'t Tree,
    id: u32,
}

impl Tree {
    /// The outermost element.
    pub(crate) fn root(&self) -> Element<'_> {
        Element { tree: self, id: 0 }
    }

    /// The text that was read.
    pub(crate) fn source(&self) -> SourceId {
        self.source
    }
}

impl<'t> Element<'t> {
    fn data(self) -> &'t Data {
        &self.tree.elements[self.id as usize]
    }

    /// Its name.
    pub(crate) fn name(self) -> &'t Name {
        &self.data().name
    }

    /// Whether it has this name.
    pub(crate) fn is(self, namespace: &str, local: &str) -> bool {
        self.name().namespace == namespace && self.name().local == local
    }

    /// The attribute without a namespace.
    pub(crate) fn attribute(self, local: &str) -> Option<&'t Attribute> {
        let named = |a: &&Attribute| a.namespace.is_empty() && a.local == local;
        self.data().attributes.iter().find(named)
    }

    /// The texts directly inside, joined.
    #[cfg(test)]
    pub(crate) fn text(self) -> &'t str {
        &self.data().text
    }

    /// The elements directly inside, in order.
    pub(crate) fn children(self) -> impl DoubleEndedIterator<Item = Element<'t>> + Clone {
        let tree = self.tree;
        self.data().children.iter().map(move |id| Element { tree, id: *id })
    }

    /// The elements directly inside with this name, in order.
    pub(crate) fn children_named(
        self,
        namespace: &'static str,
        local: &'static str,
    ) -> impl DoubleEndedIterator<Item = Element<'t>> + Clone {
        self.children().filter(move |child| child.is(namespace, local))
    }

    /// The first element directly inside with this name.
    pub(crate) fn child(self, namespace: &str, local: &str) -> Option<Element<'t>> {
        self.children().find(|child| child.is(namespace, local))
    }

    /// The element around it.
    pub(crate) fn parent(self) -> Option<Element<'t>> {
        self.data().parent.map(|id| Element { tree: self.tree, id })
    }

    /// Its place, from its start tag to its end tag.
    pub(crate) fn span(self) -> Span {
        self.data().span
    }

    /// The place of the name in its start tag, for messages.
    pub(crate) fn name_span(self) -> Span {
        self.data().name_span
    }

    /// The prefix that means a namespace here; the empty one is the default namespace.
    pub(crate) fn prefix_of(self, namespace: &str) -> Option<&'t str> {
        let mut seen: Vec<&str> = Vec::new();
        let mut at = Some(self);
        while let Some(element) = at {
            for (prefix, uri) in &element.data().declared {
                if !seen.contains(&prefix.as_str()) {
                    if uri == namespace {
                        return Some(prefix);
                    }
                    seen.push(prefix);
                }
            }
            at = element.parent();
        }
        None
    }

    /// What a qualified name in an attribute or text means here: `ns:Name` or `Name`.
    pub(crate) fn qualified(self, text: &str) -> Name {
        let text = text.trim();
        let (prefix, local) = text.split_once(':').unwrap_or(("", text));
        let mut at = Some(self);
        while let Some(element) = at {
            let declared = element.data().declared.iter().find(|(p, _)| p == prefix);
            if let Some((_, uri)) = declared {
                return Name { namespace: uri.clone(), local: local.to_owned() };
            }
            at = element.parent();
        }
        Name { namespace: String::new(), local: local.to_owned() }
    }
}

/// Copies what the parser found.
pub(super) fn build(source: SourceId, document: &roxmltree::Document<'_>) -> Tree {
    let span = |range: std::ops::Range<usize>| Span {
        source,
        start: range.start as u32,
        end: range.end as u32,
    };
    let mut elements: Vec<Data> = Vec::new();
    // The element of each node of the parser, so that children find their parents.
    let mut ids: Vec<Option<u32>> = Vec::new();
    for node in document.descendants() {
        let place = node.id().get_usize();
        if ids.len() <= place {
            ids.resize(place + 1, None);
        }
        let parent = node.parent().and_then(|parent| ids[parent.id().get_usize()]);
        if node.is_text() {
            if let Some(parent) = parent {
                elements[parent as usize].text.push_str(node.text().unwrap_or_default());
            }
            continue;
        }
        if !node.is_element() {
            continue;
        }
        let id = elements.len() as u32;
        ids[place] = Some(id);
        if let Some(parent) = parent {
            elements[parent as usize].children.push(id);
        }
        elements.push(data(source, node, parent, span(node.range())));
    }
    Tree { source, elements }
}

fn data(source: SourceId, node: roxmltree::Node<'_, '_>, parent: Option<u32>, span: Span) -> Data {
    let attributes = node.attributes().map(|attribute| {
        let range = attribute.range_value();
        Attribute {
            namespace: attribute.namespace().unwrap_or_default().to_owned(),
            local: attribute.name().to_owned(),
            value: attribute.value().to_owned(),
            span: Span { source, start: range.start as u32, end: range.end as u32 },
        }
    });
    // The parser lists every namespace in scope; what the element around has as well is not ours.
    let around = node.parent_element();
    let inherited = |name: Option<&str>, uri: &str| {
        around.is_some_and(|around| around.lookup_namespace_uri(name) == Some(uri))
    };
    let declared = node
        .namespaces()
        .filter(|namespace| !inherited(namespace.name(), namespace.uri()))
        .map(|namespace| {
            (namespace.name().unwrap_or_default().to_owned(), namespace.uri().to_owned())
        });
    let text = &node.document().input_text()[span.start as usize..span.end as usize];
    let name = text[1..].find(|c: char| c.is_whitespace() || matches!(c, '/' | '>'));
    let name_end = span.start + 1 + name.unwrap_or(0) as u32;
    Data {
        name: Name {
            namespace: node.tag_name().namespace().unwrap_or_default().to_owned(),
            local: node.tag_name().name().to_owned(),
        },
        attributes: attributes.collect(),
        declared: declared.collect(),
        text: String::new(),
        parent,
        children: Vec::new(),
        span,
        name_span: Span { source, start: span.start + 1, end: name_end },
    }
}
