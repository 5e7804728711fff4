//! Values of a template after its functions were evaluated: what is known is there, what is not is
//! an unknown of known type.

use crate::source::Span;
use crate::tree::{Node, Scalar};

/// A value and the place where it was written.
#[derive(Debug, Clone)]
pub(crate) struct Value {
    /// The place.
    pub(crate) span: Span,
    /// The value.
    pub(crate) data: Data,
}

/// What a value holds.
#[derive(Debug, Clone)]
pub(crate) enum Data {
    /// Null, or nothing written.
    Null,
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i128),
    /// Any other number.
    Float(f64),
    /// Text.
    Str(String),
    /// A list.
    List(Vec<Value>),
    /// A mapping, in order.
    Map(Vec<Entry>),
    /// The identity of a resource of the same template.
    Resource(String),
    /// Not known before deployment.
    Unknown(Unknown),
}

/// One entry of a mapping.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    /// The key.
    pub(crate) key: String,
    /// Where the key is written.
    pub(crate) key_span: Span,
    /// The value.
    pub value: Value,
}

/// A value that is known only when the stack is deployed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unknown {
    /// Its type, as far as it is known.
    pub(crate) kind: Kind,
    /// Where it will come from; two unknowns of one origin are equal.
    pub(crate) from: Option<String>,
}

/// The type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Whatever.
    Any,
    /// Text.
    String,
    /// A number.
    Number,
    /// A whole number.
    Integer,
    /// A boolean.
    Boolean,
    /// A list.
    List,
    /// A mapping.
    Map,
}

impl Kind {
    /// The type with this name in Heat's schemas.
    pub(crate) fn from_word(word: &str) -> Kind {
        match word {
            "string" | "String" => Kind::String,
            "number" | "Number" => Kind::Number,
            "integer" | "Integer" => Kind::Integer,
            "boolean" | "Boolean" => Kind::Boolean,
            "list" | "List" => Kind::List,
            "map" | "Map" => Kind::Map,
            _ => Kind::Any,
        }
    }

    /// For messages: "a string".
    pub(crate) fn words(self) -> &'static str {
        match self {
            Kind::Any => "a value",
            Kind::String => "a string",
            Kind::Number => "a number",
            Kind::Integer => "an integer",
            Kind::Boolean => "a boolean",
            Kind::List => "a list",
            Kind::Map => "a mapping",
        }
    }
}

impl Value {
    /// A value at a place.
    pub(crate) fn new(span: Span, data: Data) -> Value {
        Value { span, data }
    }

    /// Text at a place.
    pub(crate) fn text(span: Span, text: impl Into<String>) -> Value {
        Value { span, data: Data::Str(text.into()) }
    }

    /// An unknown at a place.
    pub(crate) fn unknown(span: Span, kind: Kind, from: Option<String>) -> Value {
        Value { span, data: Data::Unknown(Unknown { kind, from }) }
    }

    /// The value of a scalar as it is written; null for lists and mappings.
    pub(crate) fn scalar(node: Node<'_>) -> Value {
        let data = match node.scalar_type() {
            None | Some(Scalar::Null) => Data::Null,
            Some(Scalar::Bool(value)) => Data::Bool(value),
            Some(Scalar::Int(value)) => Data::Int(value),
            Some(Scalar::Float(value)) => Data::Float(value),
            Some(Scalar::Str(text) | Scalar::BigInt(text)) => Data::Str(text.to_owned()),
        };
        Value { span: node.span(), data }
    }

    /// Whether nothing is given: null.
    pub(crate) fn is_null(&self) -> bool {
        matches!(self.data, Data::Null)
    }

    /// Whether the value is known all the way down.
    pub(crate) fn is_known(&self) -> bool {
        match &self.data {
            Data::Unknown(_) | Data::Resource(_) => false,
            Data::List(items) => items.iter().all(Value::is_known),
            Data::Map(entries) => entries.iter().all(|entry| entry.value.is_known()),
            _ => true,
        }
    }

    /// The value of a key of a mapping that is given and not null.
    pub(crate) fn get(&self, key: &str) -> Option<&Value> {
        self.entry(key).map(|entry| &entry.value).filter(|value| !value.is_null())
    }

    /// The entry of a mapping.
    pub(crate) fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries().iter().find(|entry| entry.key == key)
    }

    /// The entries of a mapping; none for other values.
    pub(crate) fn entries(&self) -> &[Entry] {
        match &self.data {
            Data::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The items of a list; none for other values.
    pub(crate) fn items(&self) -> &[Value] {
        match &self.data {
            Data::List(items) => items,
            _ => &[],
        }
    }

    /// The text of a string.
    pub(crate) fn as_str(&self) -> Option<&str> {
        match &self.data {
            Data::Str(text) => Some(text),
            _ => None,
        }
    }

    /// A whole number, also written as text, as Heat converts it.
    pub(crate) fn as_int(&self) -> Option<i128> {
        match &self.data {
            Data::Int(value) => Some(*value),
            Data::Str(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    /// A number, also written as text.
    pub(crate) fn as_number(&self) -> Option<f64> {
        match &self.data {
            Data::Int(value) => Some(*value as f64),
            Data::Float(value) => Some(*value),
            Data::Str(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    /// A boolean, also written as text, as Heat converts it.
    pub(crate) fn as_bool(&self) -> Option<bool> {
        match &self.data {
            Data::Bool(value) => Some(*value),
            Data::Int(1) => Some(true),
            Data::Int(0) => Some(false),
            Data::Str(text) => match text.to_lowercase().as_str() {
                "t" | "true" | "on" | "y" | "yes" | "1" => Some(true),
                "f" | "false" | "off" | "n" | "no" | "0" => Some(false),
                _ => None,
            },
            _ => None,
        }
    }

    /// The resource whose identity this is.
    pub(crate) fn as_resource(&self) -> Option<&str> {
        match &self.data {
            Data::Resource(name) => Some(name),
            _ => None,
        }
    }

    /// A scalar as text, for comparing and for `str_replace`.
    pub(crate) fn scalar_text(&self) -> Option<String> {
        match &self.data {
            Data::Str(text) => Some(text.clone()),
            Data::Int(value) => Some(value.to_string()),
            Data::Float(value) => Some(value.to_string()),
            Data::Bool(value) => Some(if *value { "True" } else { "False" }.to_owned()),
            Data::Null => Some(String::new()),
            _ => None,
        }
    }

    /// A text that is equal for two values that are surely the same thing; none when nothing is
    /// known. A resource and an unknown of known origin have an identity.
    pub(crate) fn identity(&self) -> Option<String> {
        match &self.data {
            Data::Resource(name) => Some(format!("resource {name}")),
            Data::Unknown(unknown) => unknown.from.as_ref().map(|from| format!("unknown {from}")),
            Data::Str(text) if text.is_empty() => None,
            Data::Null | Data::List(_) | Data::Map(_) => None,
            _ => self.scalar_text(),
        }
    }

    /// The same value; resources are unknown in another template.
    #[must_use]
    pub(crate) fn exported(&self) -> Value {
        let data = match &self.data {
            Data::Resource(name) => Data::Unknown(Unknown {
                kind: Kind::String,
                from: Some(format!("outer resource {name}")),
            }),
            Data::List(items) => Data::List(items.iter().map(Value::exported).collect()),
            Data::Map(entries) => Data::Map(
                entries
                    .iter()
                    .map(|entry| Entry { value: entry.value.exported(), ..entry.clone() })
                    .collect(),
            ),
            other => other.clone(),
        };
        Value { span: self.span, data }
    }

    /// What it is, for messages: "a list".
    pub(crate) fn kind_words(&self) -> &'static str {
        match &self.data {
            Data::Null => "null",
            Data::Bool(_) => "a boolean",
            Data::Int(_) => "an integer",
            Data::Float(_) => "a number",
            Data::Str(_) => "a string",
            Data::List(_) => "a list",
            Data::Map(_) => "a mapping",
            Data::Resource(_) => "the identity of a resource",
            Data::Unknown(unknown) => unknown.kind.words(),
        }
    }

    /// The value itself when it is a short scalar, else what it is.
    pub(crate) fn shown(&self) -> String {
        match self.scalar_text() {
            Some(text) if !self.is_null() && text.chars().count() <= 60 => format!("`{text}`"),
            _ => self.kind_words().to_owned(),
        }
    }
}

/// Whether two known values are equal, numbers by value; none when it is not known.
pub(crate) fn equal(a: &Value, b: &Value) -> Option<bool> {
    match (&a.data, &b.data) {
        (Data::Unknown(x), Data::Unknown(y)) if x.from.is_some() && x.from == y.from => Some(true),
        (Data::Unknown(_) | Data::Resource(_), _) | (_, Data::Unknown(_) | Data::Resource(_)) => {
            None
        }
        (Data::List(x), Data::List(y)) => {
            if x.len() != y.len() {
                return Some(false);
            }
            all(x.iter().zip(y).map(|(x, y)| equal(x, y)))
        }
        (Data::Map(x), Data::Map(y)) => {
            if x.len() != y.len() {
                return Some(false);
            }
            all(x.iter().map(|entry| match b.entry(&entry.key) {
                Some(other) => equal(&entry.value, &other.value),
                None => Some(false),
            }))
        }
        (Data::Int(_) | Data::Float(_), Data::Int(_) | Data::Float(_)) => {
            Some(a.as_number() == b.as_number())
        }
        (Data::Str(x), Data::Str(y)) => Some(x == y),
        (Data::Bool(x), Data::Bool(y)) => Some(x == y),
        (Data::Null, Data::Null) => Some(true),
        _ => Some(false),
    }
}

/// The conjunction of answers.
pub(crate) fn all(mut answers: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut known = true;
    let found_false = answers.any(|answer| {
        known &= answer.is_some();
        answer == Some(false)
    });
    match (found_false, known) {
        (true, _) => Some(false),
        (false, true) => Some(true),
        (false, false) => None,
    }
}
