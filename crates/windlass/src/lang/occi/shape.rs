//! Types for values that come without any: what TOSCA would have to declare so that they fit.

use std::collections::BTreeMap;

use crate::lang::tosca::locations::Assigned;
use crate::tree::Value;

/// What a value looks like.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shape {
    /// Nothing is known: an empty list, or an input without a value.
    Open,
    Boolean,
    Integer,
    Float,
    Text,
    List(Box<Shape>),
    /// Two integers: a list, or a range.
    Pair,
    /// A range without an end.
    Range,
    Map(BTreeMap<String, Shape>),
}

/// The functions that may stand for a value.
const CALLS: &[&str] = &["get_input", "concat", "token", "join"];

/// The function that a value calls, with its argument.
pub(super) fn call(value: &Value) -> Option<(&str, &Value)> {
    match value {
        Value::Inline(inner) => call(inner),
        Value::Map(entries) => match &entries[..] {
            [(name, argument)] if CALLS.contains(&&**name) => Some((name, argument)),
            _ => None,
        },
        _ => None,
    }
}

impl Shape {
    /// The shape of a value. Values are at most as deep as the text that they come from.
    pub(super) fn of(value: &Value) -> Shape {
        match value {
            Value::Inline(inner) => Shape::of(inner),
            Value::Null => Shape::Open,
            Value::Bool(_) => Shape::Boolean,
            Value::Int(_) => Shape::Integer,
            Value::Float(_) => Shape::Float,
            Value::Str(_) => Shape::Text,
            Value::List(items) => match &items[..] {
                [Value::Int(_), Value::Int(_)] => Shape::Pair,
                [Value::Int(_), Value::Str(end)] if end == "UNBOUNDED" => Shape::Range,
                items => {
                    let items = items.iter().map(Shape::of).fold(Shape::Open, Shape::with);
                    Shape::List(Box::new(items))
                }
            },
            Value::Map(entries) => match call(value) {
                Some(("get_input", _)) => Shape::Open,
                Some(_) => Shape::Text,
                None => {
                    let entry = |(key, value): &(String, Value)| (key.clone(), Shape::of(value));
                    Shape::Map(entries.iter().map(entry).collect())
                }
            },
        }
    }

    /// Whether both are declared in the same words.
    fn is_like(&self, other: &Shape) -> bool {
        let integers = |shape: &Shape| match shape {
            Shape::Pair => true,
            Shape::List(entry) => **entry == Shape::Integer,
            _ => false,
        };
        self == other || integers(self) && integers(other)
    }

    /// The shape that both values have. Where there is none, it is that of texts.
    fn with(self, other: Shape) -> Shape {
        match (self, other) {
            (Shape::Open, shape) | (shape, Shape::Open) => shape,
            (one, other) if one == other => one,
            (Shape::Integer | Shape::Float, Shape::Integer | Shape::Float) => Shape::Float,
            (Shape::Pair | Shape::Range, Shape::Pair | Shape::Range) => Shape::Range,
            (Shape::Pair, list @ Shape::List(_)) | (list @ Shape::List(_), Shape::Pair) => {
                Shape::List(Box::new(Shape::Integer)).with(list)
            }
            (Shape::Range, list @ Shape::List(_)) | (list @ Shape::List(_), Shape::Range) => {
                Shape::List(Box::new(Shape::Text)).with(list)
            }
            (Shape::List(one), Shape::List(other)) => Shape::List(Box::new(one.with(*other))),
            (Shape::Map(mut one), Shape::Map(other)) => {
                for (key, shape) in other {
                    let known = one.remove(&key).unwrap_or(Shape::Open);
                    one.insert(key, known.with(shape));
                }
                Shape::Map(one)
            }
            _ => Shape::Text,
        }
    }
}

/// The shapes of the values that several entities have under the same names.
pub(super) fn shapes<'v>(all: impl Iterator<Item = &'v Assigned>) -> BTreeMap<&'v str, Shape> {
    let mut shapes: BTreeMap<&str, Shape> = BTreeMap::new();
    for (name, value) in all.flatten() {
        let known = shapes.remove(&**name).unwrap_or(Shape::Open);
        shapes.insert(name, known.with(Shape::of(value)));
    }
    shapes
}

/// Definitions for shapes; mappings whose entries differ become data types of their own.
#[derive(Debug, Default)]
pub(super) struct Definitions {
    /// The data types, by name.
    pub(super) data_types: BTreeMap<String, Value>,
}

impl Definitions {
    /// Definitions of properties or attributes with these shapes. `owner` begins the names of the
    /// data types.
    pub(super) fn fields(&mut self, owner: &str, shapes: &BTreeMap<&str, Shape>) -> Option<Value> {
        let is_property = !owner.ends_with(".attributes");
        let field = |(name, shape): (&&str, &Shape)| {
            let schema = self.schema(&format!("{owner}.{name}"), shape);
            let schema = if is_property { schema.with("required", false) } else { schema };
            ((*name).to_owned(), schema.inline())
        };
        let all: Value = shapes.iter().map(field).collect();
        (!shapes.is_empty()).then_some(all)
    }

    fn schema(&mut self, name: &str, shape: &Shape) -> Value {
        let of = |word: &str| Value::map().with("type", word);
        match shape {
            Shape::Open | Shape::Text => of("string"),
            Shape::Boolean => of("boolean"),
            Shape::Integer => of("integer"),
            Shape::Float => of("float"),
            Shape::Range => of("range"),
            Shape::Pair => of("list").with("entry_schema", of("integer")),
            Shape::List(entry) => {
                let entry = self.schema(name, entry);
                of("list").with("entry_schema", entry)
            }
            Shape::Map(entries) => {
                let mut kinds = entries.values();
                let first = kinds.next().unwrap_or(&Shape::Text);
                if kinds.all(|kind| kind.is_like(first)) {
                    let entry = self.schema(name, first);
                    return of("map").with("entry_schema", entry);
                }
                let fields: Vec<(String, Value)> = entries
                    .iter()
                    .map(|(key, shape)| {
                        let schema = self.schema(&format!("{name}.{key}"), shape);
                        (key.clone(), schema.with("required", false).inline())
                    })
                    .collect();
                let body = Value::map()
                    .with("derived_from", "tosca.datatypes.Root")
                    .with("properties", fields.into_iter().collect::<Value>());
                self.data_types.insert(name.to_owned(), body);
                of(name)
            }
        }
    }
}

/// A value as it fits a shape: where a text is wanted, anything else is written as one.
pub(super) fn fitted(value: &Value, shape: &Shape) -> Value {
    match (value, shape) {
        (Value::Inline(inner), shape) => fitted(inner, shape),
        (value, _) if call(value).is_some() => value.clone(),
        (Value::Str(_) | Value::Null, _) => value.clone(),
        (other, Shape::Text) => {
            let text = crate::tree::emit::json(&other.clone().inline());
            Value::Str(text.trim_end().to_owned())
        }
        (Value::Int(number), Shape::Float) => Value::Float(*number as f64),
        (Value::List(items), Shape::List(entry)) => {
            Value::List(items.iter().map(|item| fitted(item, entry)).collect())
        }
        (Value::Map(entries), Shape::Map(shapes)) => entries
            .iter()
            .map(|(key, value)| {
                let shape = shapes.get(key).unwrap_or(&Shape::Open);
                (key.clone(), fitted(value, shape))
            })
            .collect(),
        (value, _) => value.clone(),
    }
}
