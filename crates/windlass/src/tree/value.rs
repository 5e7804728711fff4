//! Values without places: what is printed, and what a description carries along unread.

use super::{Node, Scalar};

/// A value of YAML or JSON.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Value {
    /// Null.
    #[default]
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
    Map(Vec<(String, Value)>),
    /// A list or mapping that is printed on one line.
    Inline(Box<Value>),
}

impl Value {
    /// An empty mapping to which entries are added with [`Value::with`].
    pub fn map() -> Value {
        Value::Map(Vec::new())
    }

    /// A list.
    pub fn list(items: impl IntoIterator<Item = impl Into<Value>>) -> Value {
        Value::List(items.into_iter().map(Into::into).collect())
    }

    /// The same value printed on one line.
    #[must_use]
    pub(crate) fn inline(self) -> Value {
        Value::Inline(Box::new(self))
    }

    /// A mapping with one more entry at its end; other values are unchanged.
    #[must_use]
    pub fn with(mut self, key: impl Into<String>, value: impl Into<Value>) -> Value {
        self.insert(key, value);
        self
    }

    /// A mapping with one more entry if there is a value.
    #[must_use]
    pub fn with_some(self, key: impl Into<String>, value: Option<impl Into<Value>>) -> Value {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }

    /// Adds an entry at the end of a mapping; other values are unchanged.
    pub fn insert(&mut self, key: impl Into<String>, value: impl Into<Value>) {
        if let Value::Map(entries) = self {
            entries.push((key.into(), value.into()));
        }
    }

    /// The value of the first entry with this key.
    pub fn get(&self, key: &str) -> Option<&Value> {
        match self.shape() {
            Value::Map(entries) => {
                entries.iter().find(|entry| entry.0 == key).map(|entry| &entry.1)
            }
            _ => None,
        }
    }

    /// Whether this is an empty list or mapping.
    pub(crate) fn is_empty(&self) -> bool {
        match self.shape() {
            Value::List(items) => items.is_empty(),
            Value::Map(entries) => entries.is_empty(),
            _ => false,
        }
    }

    /// The value without the wish to be printed on one line.
    pub(super) fn shape(&self) -> &Value {
        let mut value = self;
        while let Value::Inline(inner) = value {
            value = inner;
        }
        value
    }
}

macro_rules! value_from {
    ($($from:ty => |$name:ident| $to:expr;)*) => {
        $(impl From<$from> for Value {
            fn from($name: $from) -> Value {
                $to
            }
        })*
    };
}

value_from! {
    bool => |value| Value::Bool(value);
    i32 => |value| Value::Int(value.into());
    i64 => |value| Value::Int(value.into());
    i128 => |value| Value::Int(value);
    u32 => |value| Value::Int(value.into());
    u64 => |value| Value::Int(value.into());
    usize => |value| Value::Int(value as i128);
    f64 => |value| Value::Float(value);
    &str => |value| Value::Str(value.to_owned());
    &String => |value| Value::Str(value.clone());
    String => |value| Value::Str(value);
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(items: Vec<T>) -> Value {
        Value::list(items)
    }
}

impl<K: Into<String>, V: Into<Value>> FromIterator<(K, V)> for Value {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Value {
        Value::Map(entries.into_iter().map(|(key, value)| (key.into(), value.into())).collect())
    }
}

impl From<Scalar<'_>> for Value {
    fn from(scalar: Scalar<'_>) -> Value {
        match scalar {
            Scalar::Null => Value::Null,
            Scalar::Bool(value) => Value::Bool(value),
            Scalar::Int(value) => Value::Int(value),
            Scalar::BigInt(text) => text.parse().map_or(Value::Null, Value::Float),
            Scalar::Float(value) => Value::Float(value),
            Scalar::Str(text) => Value::Str(text.to_owned()),
        }
    }
}

enum Task<'t> {
    Read(Node<'t>),
    MakeList(usize),
    MakeMap(Node<'t>),
}

impl From<Node<'_>> for Value {
    /// The value of a node, aliases followed and tags forgotten. A key that is a list or a mapping
    /// becomes the text in which it is written; an integer beyond 128 bits becomes a float.
    fn from(node: Node<'_>) -> Value {
        let mut tasks = vec![Task::Read(node)];
        let mut done: Vec<Value> = Vec::new();
        while let Some(task) = tasks.pop() {
            match task {
                Task::Read(node) => match node.scalar_type() {
                    Some(scalar) => done.push(scalar.into()),
                    None if node.is_list() => {
                        tasks.push(Task::MakeList(node.len()));
                        tasks.extend(node.items().rev().map(Task::Read));
                    }
                    None => {
                        tasks.push(Task::MakeMap(node));
                        tasks.extend(node.entries().rev().map(|entry| Task::Read(entry.value)));
                    }
                },
                Task::MakeList(len) => {
                    let items = done.split_off(done.len().saturating_sub(len));
                    done.push(Value::List(items));
                }
                Task::MakeMap(node) => {
                    let values = done.split_off(done.len().saturating_sub(node.len()));
                    let keys = node.entries().map(|entry| entry.key.written_text().to_owned());
                    done.push(Value::Map(keys.zip(values).collect()));
                }
            }
        }
        done.pop().unwrap_or_default()
    }
}
