//! Values as they are written in a service template: owned, each part with its place.

use crate::source::Span;
use crate::tree::{Kind, Node, Scalar};

/// A word with its place: a name, a reference.
#[derive(Debug, Clone)]
pub struct Name {
    /// The word.
    pub(crate) text: String,
    /// Where it is written.
    pub(crate) span: Span,
}

impl Name {
    /// The text of a node, whatever its type; of a list or mapping as it is written.
    pub(crate) fn of(node: Node<'_>) -> Name {
        Name { text: node.as_str().unwrap_or_default().to_owned(), span: node.span() }
    }
}

/// A value with its place.
#[derive(Debug, Clone)]
pub struct Value {
    /// Where it is written.
    pub(crate) span: Span,
    /// What it is.
    pub(crate) data: Data,
}

/// What a value is. Functions are mappings (and, from 2.0, mappings whose key starts with `$`); who
/// looks at a value asks `function` whether it is a call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Data {
    /// Null.
    Null,
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i128),
    /// Any other number, with how it is written, which versions need.
    Float(f64, String),
    /// Text.
    Text(String),
    /// A list.
    List(Vec<Value>),
    /// A mapping, in the order of the text.
    Map(Vec<Entry>),
}

/// One entry of a mapping.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    /// The key; almost always text.
    pub(crate) key: Value,
    /// The value.
    pub value: Value,
}

/// Two values are equal when they say the same, wherever they are written.
impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.data == other.data
    }
}

impl Value {
    /// The value of a node, aliases followed. Trees are at most a few hundred levels deep.
    pub(crate) fn of(node: Node<'_>) -> Value {
        let data = match node.kind() {
            Kind::List => Data::List(node.items().map(Value::of).collect()),
            Kind::Mapping => Data::Map(
                node.entries()
                    .map(|entry| Entry { key: Value::of(entry.key), value: Value::of(entry.value) })
                    .collect(),
            ),
            Kind::Scalar(scalar) => Data::of(scalar, node),
        };
        Value { span: node.span(), data }
    }

    /// The text, when this is text.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.data {
            Data::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The items of a list; nothing for other values.
    pub(crate) fn items(&self) -> &[Value] {
        match &self.data {
            Data::List(items) => items,
            _ => &[],
        }
    }

    /// The entries of a mapping; nothing for other values.
    pub(crate) fn entries(&self) -> &[Entry] {
        match &self.data {
            Data::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The value of a key of a mapping.
    pub(crate) fn get(&self, key: &str) -> Option<&Value> {
        let entry = self.entries().iter().find(|entry| entry.key.text() == Some(key));
        entry.map(|entry| &entry.value)
    }

    /// This value with another one laid over it: mappings are merged, anything else is replaced.
    #[must_use]
    pub(crate) fn merged(&self, over: &Value) -> Value {
        let (Data::Map(own), Data::Map(others)) = (&self.data, &over.data) else {
            return over.clone();
        };
        let mut entries = own.clone();
        for other in others {
            match entries.iter_mut().find(|entry| entry.key == other.key) {
                Some(entry) => entry.value = entry.value.merged(&other.value),
                None => entries.push(other.clone()),
            }
        }
        Value { span: over.span, data: Data::Map(entries) }
    }

    /// Whether this is null.
    pub(crate) fn is_null(&self) -> bool {
        self.data == Data::Null
    }

    /// What it is, for messages.
    pub(crate) fn kind_name(&self) -> &'static str {
        match self.data {
            Data::Null => "null",
            Data::Bool(_) => "a boolean",
            Data::Int(_) => "an integer",
            Data::Float(..) => "a float",
            Data::Text(_) => "a string",
            Data::List(_) => "a list",
            Data::Map(_) => "a map",
        }
    }
}

impl Data {
    fn of(scalar: Scalar<'_>, node: Node<'_>) -> Data {
        match scalar {
            Scalar::Null => Data::Null,
            Scalar::Bool(value) => Data::Bool(value),
            Scalar::Int(value) => Data::Int(value),
            Scalar::Float(value) => {
                Data::Float(value, node.as_str().unwrap_or_default().to_owned())
            }
            _ => Data::Text(node.as_str().unwrap_or_default().to_owned()),
        }
    }
}

/// The functions of the versions before 2.0; from then on a dollar sign says what is a function.
pub(crate) const BEFORE_2: &[&str] = &[
    "get_input",
    "get_property",
    "get_attribute",
    "get_operation_output",
    "get_nodes_of_type",
    "get_artifact",
    "concat",
    "token",
    "join",
];

/// Which of several relationships is meant may stand after the name of a requirement.
pub(crate) fn index(steps: &[Value]) -> (usize, &[Value]) {
    match steps.split_first() {
        Some((first, left)) => match first.data {
            Data::Int(at) => (usize::try_from(at).unwrap_or(0), left),
            _ if first.text() == Some("ALL") => (0, left),
            _ => (0, steps),
        },
        None => (0, steps),
    }
}
