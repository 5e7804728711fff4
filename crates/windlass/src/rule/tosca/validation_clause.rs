//! Validation clauses of 2.0: boolean expressions over `$value`, as far as values are known.

use super::quantity::{self, Quantity};
use super::schema::Base;
use super::violated_constraint::{length, matches, quantity};
use crate::lang::tosca::model::{Model, NodeTemplate};
use crate::lang::tosca::value::{Data, Value};
use std::cmp::Ordering;

/// A value that an expression has.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Known {
    /// A boolean.
    Bool(bool),
    /// A number.
    Number(f64),
    /// Text.
    Text(String),
    /// A list or a map, as it is written.
    Whole(Value),
    /// A value with a unit, a version, ...
    Quantity(Quantity),
}

/// Whether a value calls a function: one key, from 2.0 with a dollar sign.
pub(super) fn is_call(value: &Value, version_2: bool) -> bool {
    let [entry] = value.entries() else { return false };
    let Some(name) = entry.key.text() else { return false };
    if version_2 {
        return name.starts_with('$') && !name.starts_with("$$");
    }
    // Data types may have a field of such a name, which no list stands below.
    let has_list = matches!(entry.value.data, Data::List(_));
    name.starts_with("get_") || ["concat", "token", "join"].contains(&name) && has_list
}

/// The value of a validation clause for a value; none when it is not known.
pub(super) fn validation(
    model: &Model,
    clause: &Value,
    value: &Value,
    base: Base<'_>,
) -> Option<Known> {
    Evaluation { model, value, base, candidate: None }.expression(clause)
}

/// Whether a clause holds for a node, whose values `SELF` gives; none when it is not known.
pub(super) fn holds_for(model: &Model, clause: &Value, node: &NodeTemplate) -> Option<bool> {
    let nothing = Value { span: clause.span, data: Data::Null };
    let evaluation =
        Evaluation { model, value: &nothing, base: Base::Unknown, candidate: Some(node) };
    match evaluation.expression(clause)? {
        Known::Bool(value) => Some(value),
        _ => None,
    }
}

struct Evaluation<'a> {
    model: &'a Model,
    value: &'a Value,
    base: Base<'a>,
    /// The node that `SELF` means in a filter.
    candidate: Option<&'a NodeTemplate>,
}

impl Evaluation<'_> {
    fn expression(&self, expression: &Value) -> Option<Known> {
        match &expression.data {
            Data::Text(text) if text == "$value" => return self.own(self.value),
            Data::Map(_) if is_call(expression, true) => {
                let entry = expression.entries().first()?;
                return self.call(entry.key.text()?, &entry.value);
            }
            _ => {}
        }
        self.own(expression)
    }

    /// A literal, read as a value of the type that is checked where it fits.
    fn own(&self, value: &Value) -> Option<Known> {
        match &value.data {
            Data::Bool(value) => Some(Known::Bool(*value)),
            Data::Int(number) => Some(Known::Number(*number as f64)),
            Data::Float(number, _) if self.base != Base::BuiltIn("version") => {
                Some(Known::Number(*number))
            }
            Data::Float(..) | Data::Text(_) => match quantity::of(self.model, value, self.base) {
                Some(Quantity::Text(text)) => Some(Known::Text(text)),
                Some(quantity) => Some(Known::Quantity(quantity)),
                None => value.text().map(|text| Known::Text(text.to_owned())),
            },
            Data::List(_) | Data::Map(_) => Some(Known::Whole(value.clone())),
            Data::Null => None,
        }
    }

    fn call(&self, name: &str, arguments: &Value) -> Option<Known> {
        let items = arguments.items();
        match name {
            "$value" => Some(self.inside(items)?),
            "$get_property" => self.of_candidate(items),
            "$and" => self.fold(items, true, |all, one| all && one),
            "$or" => self.fold(items, false, |any, one| any || one),
            "$xor" => self.fold(items, false, |odd, one| odd != one),
            "$not" => {
                let one = items.first().unwrap_or(arguments);
                let Known::Bool(value) = self.expression(one)? else { return None };
                Some(Known::Bool(!value))
            }
            "$equal" => {
                let (one, other) =
                    (self.expression(items.first()?)?, self.expression(items.get(1)?)?);
                let same = Self::order(&one, &other).map_or(one == other, Ordering::is_eq);
                Some(Known::Bool(same))
            }
            "$greater_than" => self.compare(items, Ordering::is_gt),
            "$greater_or_equal" => self.compare(items, Ordering::is_ge),
            "$less_than" => self.compare(items, Ordering::is_lt),
            "$less_or_equal" => self.compare(items, Ordering::is_le),
            "$in_range" => {
                let bounds = items.get(1)?.items();
                let own = self.expression(items.first()?)?;
                let (lower, upper) =
                    (self.expression(bounds.first()?)?, self.expression(bounds.get(1)?)?);
                // Bounds that nothing lies between were reported as such.
                if Self::order(&lower, &upper).is_some_and(Ordering::is_gt) {
                    return None;
                }
                let (lower, upper) = (self.rank(&own, &lower)?, self.rank(&own, &upper)?);
                Some(Known::Bool(lower.is_ge() && upper.is_le()))
            }
            "$valid_values" => {
                let own = self.expression(items.first()?)?;
                let list = items.get(1)?;
                let Data::List(values) = &list.data else { return None };
                let same = |to: &Value| {
                    self.expression(to)
                        .is_some_and(|to| Self::order(&own, &to).map_or(own == to, Ordering::is_eq))
                };
                Some(Known::Bool(values.iter().any(same)))
            }
            "$matches" => {
                let Known::Text(text) = self.expression(items.first()?)? else { return None };
                let Known::Text(pattern) = self.expression(items.get(1)?)? else { return None };
                matches(&text, &pattern).map(Known::Bool)
            }
            "$length" => {
                let one = items.first().unwrap_or(arguments);
                match self.expression(one)? {
                    Known::Text(text) => Some(Known::Number(text.chars().count() as f64)),
                    Known::Whole(value) => length(&value).map(Known::Number),
                    _ => None,
                }
            }
            _ => self.text_or_list(name, items),
        }
    }

    /// A property of the candidate, or of one of its capabilities, when the text says it.
    fn of_candidate(&self, path: &[Value]) -> Option<Known> {
        let node = self.candidate?;
        let id = node.of.id?;
        let words: Vec<&str> = path.iter().filter_map(Value::text).collect();
        let (value, schemas, name) = match words[..] {
            ["SELF", name] => {
                let schemas = self.model.schemas(id, |of| &of.properties);
                (node.properties.get(name), schemas, name)
            }
            ["SELF", "CAPABILITY", capability, name] => {
                let schemas = self.model.capability_schemas(
                    id,
                    capability,
                    |of| &of.properties,
                    |of| &of.properties,
                );
                let assigned = node.capabilities.get(capability);
                (assigned.and_then(|it| it.properties.get(name)), schemas, name)
            }
            _ => return None,
        };
        let schema = schemas.get(name)?;
        let value = value.or(schema.default.as_ref())?;
        let of = schema.of.as_ref()?;
        let is_plain = matches!(
            self.model.base(of, self.model.version),
            Base::BuiltIn("string" | "integer" | "float" | "boolean")
        );
        (is_plain && !is_call(value, true)).then(|| self.own(value)).flatten()
    }

    /// Functions over text, lists and maps.
    fn text_or_list(&self, name: &str, items: &[Value]) -> Option<Known> {
        let (one, other) = (self.expression(items.first()?)?, self.expression(items.get(1)?)?);
        let holds = match (name, &one, &other) {
            ("$has_suffix", Known::Text(text), Known::Text(end)) => text.ends_with(end.as_str()),
            ("$has_prefix", Known::Text(text), Known::Text(start)) => {
                text.starts_with(start.as_str())
            }
            ("$contains", Known::Text(text), Known::Text(part)) => text.contains(part.as_str()),
            ("$has_entry", Known::Whole(whole), entry) => {
                let own = whole.items().iter().chain(whole.entries().iter().map(|e| &e.value));
                own.into_iter().any(|item| self.own(item).as_ref() == Some(entry))
            }
            ("$has_key", Known::Whole(whole), key) => {
                whole.entries().iter().any(|entry| self.own(&entry.key).as_ref() == Some(key))
            }
            _ => return None,
        };
        Some(Known::Bool(holds))
    }

    /// A part of the value.
    fn inside(&self, path: &[Value]) -> Option<Known> {
        let mut at = self.value;
        for step in path {
            at = match &step.data {
                Data::Text(key) => at.get(key)?,
                Data::Int(index) => at.items().get(usize::try_from(*index).ok()?)?,
                _ => return None,
            };
        }
        // A part is of another type than the whole.
        let inner = Evaluation {
            model: self.model,
            value: at,
            base: Base::Unknown,
            candidate: self.candidate,
        };
        if path.is_empty() { self.own(at) } else { inner.own(at) }
    }

    fn fold(&self, items: &[Value], start: bool, step: fn(bool, bool) -> bool) -> Option<Known> {
        let mut result = start;
        for item in items {
            let Known::Bool(value) = self.expression(item)? else { return None };
            result = step(result, value);
        }
        Some(Known::Bool(result))
    }

    fn compare(&self, items: &[Value], holds: fn(Ordering) -> bool) -> Option<Known> {
        let (one, other) = (self.expression(items.first()?)?, self.expression(items.get(1)?)?);
        self.rank(&one, &other).map(|order| Known::Bool(holds(order)))
    }

    /// Which of two is more. Of a type that is not known, a text may be a quantity with a unit.
    fn rank(&self, one: &Known, other: &Known) -> Option<Ordering> {
        let is_text = matches!(one, Known::Text(_));
        if is_text && self.base == Base::Unknown { None } else { Self::order(one, other) }
    }

    fn order(one: &Known, other: &Known) -> Option<Ordering> {
        quantity(one)?.order(&quantity(other)?)
    }
}
