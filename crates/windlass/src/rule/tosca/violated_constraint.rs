//! Constraints: the clauses before 2.0 and the validation of 2.0.

use super::quantity::{self, Quantity};
use super::schema::Base;
use super::validation_clause::{self, Known};
use crate::lang::tosca::model::Model;
use crate::lang::tosca::value::{Data, Value};
use std::cmp::Ordering;

/// Why a value violates a constraint; none when it does not, or when that is not known.
pub(super) fn violated(
    model: &Model,
    value: &Value,
    base: Base<'_>,
    constraints: &Value,
) -> Option<String> {
    if let Data::List(clauses) = &constraints.data {
        return clauses.iter().find_map(|clause| clause_violated(model, value, base, clause));
    }
    let function = constraints.entries().first()?.key.text()?;
    if !function.starts_with('$') {
        return clause_violated(model, value, base, constraints);
    }
    let known = validation_clause::validation(model, constraints, value, base);
    (known == Some(Known::Bool(false))).then(|| format!("it violates `{}`", words(constraints)))
}

/// Why a value violates one clause of the old form.
pub(super) fn clause_violated(
    model: &Model,
    value: &Value,
    base: Base<'_>,
    clause: &Value,
) -> Option<String> {
    let entry = clause.entries().first()?;
    let (name, wanted) = (entry.key.text()?, &entry.value);
    let holds = holds(model, value, base, name, wanted)?;
    (!holds).then(|| format!("it must be `{name}: {}`", words(wanted)))
}

/// Whether a clause holds; none when that is not known.
fn holds(model: &Model, value: &Value, base: Base<'_>, name: &str, wanted: &Value) -> Option<bool> {
    if validation_clause::is_call(wanted, false) || validation_clause::is_call(value, false) {
        return None;
    }
    let order = |to: &Value| {
        let one = quantity::of(model, value, base)?;
        one.order(&quantity::of(model, to, base)?)
    };
    match name {
        "equal" => Some(order(wanted).map_or(value == wanted, Ordering::is_eq)),
        "greater_than" => order(wanted).map(Ordering::is_gt),
        "greater_or_equal" => order(wanted).map(Ordering::is_ge),
        "less_than" => order(wanted).map(Ordering::is_lt),
        "less_or_equal" => order(wanted).map(Ordering::is_le),
        "in_range" => in_range(model, value, base, wanted),
        "valid_values" => {
            if !matches!(wanted.data, Data::List(_)) {
                return None;
            }
            let same = |to: &Value| order(to).map_or(value == to, Ordering::is_eq);
            Some(wanted.items().iter().any(same))
        }
        "length" => Some(length(value)?.total_cmp(&quantity::number_of(wanted)?).is_eq()),
        "min_length" => Some(length(value)? >= quantity::number_of(wanted)?),
        "max_length" => Some(length(value)? <= quantity::number_of(wanted)?),
        "pattern" => matches(value.text()?, wanted.text()?),
        _ => None,
    }
}

fn in_range(model: &Model, value: &Value, base: Base<'_>, wanted: &Value) -> Option<bool> {
    let [lower, upper] = wanted.items() else { return None };
    // Bounds that nothing lies between were reported as such.
    let bounds = quantity::of(model, lower, base).zip(quantity::of(model, upper, base));
    if bounds.and_then(|(lower, upper)| lower.order(&upper)) == Some(Ordering::Greater) {
        return None;
    }
    // A range lies in a range when both its bounds do.
    if base == Base::BuiltIn("range") {
        let parts = value.items().iter();
        let integer = Base::BuiltIn("integer");
        let mut inside = parts.filter_map(|part| in_range(model, part, integer, wanted));
        return Some(inside.all(|one| one));
    }
    let own = quantity::of(model, value, base)?;
    let side = |bound: &Value, bad: Ordering| {
        if bound.text() == Some("UNBOUNDED") {
            return Some(true);
        }
        Some(own.order(&quantity::of(model, bound, base)?)? != bad)
    };
    Some(side(lower, Ordering::Less)? && side(upper, Ordering::Greater)?)
}

/// The length of text, a list or a map.
pub(super) fn length(value: &Value) -> Option<f64> {
    match &value.data {
        Data::Text(text) => Some(text.chars().count() as f64),
        Data::List(items) => Some(items.len() as f64),
        Data::Map(entries) => Some(entries.len() as f64),
        _ => None,
    }
}

/// Whether the whole of a text matches a pattern; none when the pattern cannot be used.
pub(super) fn matches(text: &str, pattern: &str) -> Option<bool> {
    let whole = format!("^(?:{pattern})$");
    let built = regex::RegexBuilder::new(&whole).size_limit(1 << 20).build();
    built.ok().map(|pattern| pattern.is_match(text))
}

/// A value in a few words.
pub(super) fn words(value: &Value) -> String {
    match &value.data {
        Data::Null => "null".to_owned(),
        Data::Bool(value) => value.to_string(),
        Data::Int(number) => number.to_string(),
        Data::Float(_, text) | Data::Text(text) => text.clone(),
        Data::List(items) => {
            let items: Vec<String> = items.iter().take(8).map(words).collect();
            format!("[{}]", items.join(", "))
        }
        Data::Map(entries) => {
            let pair = |entry: &crate::lang::tosca::value::Entry| {
                format!("{}: {}", words(&entry.key), words(&entry.value))
            };
            let entries: Vec<String> = entries.iter().take(8).map(pair).collect();
            format!("{{{}}}", entries.join(", "))
        }
    }
}

/// A known value as something comparable.
pub(super) fn quantity(known: &Known) -> Option<Quantity> {
    match known {
        Known::Number(number) => Some(Quantity::Number(*number)),
        Known::Text(text) => Some(Quantity::Text(text.clone())),
        Known::Bool(value) => Some(Quantity::Bool(*value)),
        Known::Quantity(quantity) => Some(quantity.clone()),
        Known::Whole(_) => None,
    }
}
