//! Values as far as they are known before anything runs, with their types.
//!
//! Functions are replaced by what they give. Who describes a service to others keeps what only an
//! input without a value would tell as the function, in the form of 1.3; what only a run can tell
//! is not known.

use std::borrow::Cow;
use std::cell::Cell;

use super::super::lower::links::Link;
use super::super::value::{BEFORE_2, Data, Entry, Value};
use super::Inputs;
use super::compute;
use super::evaluate::{DEEPEST, plain};
use super::locate::inside;
use super::runtime_values::Reading;
use super::value_context::ValueContext;
use crate::source::{SourceId, Span};
use crate::tree::Value as Plain;

/// The functions that may stay: they need inputs and nothing else.
const KEPT: &[&str] = &["get_input", "concat", "token", "join"];

/// The functions whose arguments are a way: what is computed among its steps is.
const READING: &[&str] = &["get_input", "get_property", "get_attribute", "get_operation_output"];

/// What a function without arguments takes.
static NOTHING: Value =
    Value { span: Span { source: SourceId(0), start: 0, end: 0 }, data: Data::List(Vec::new()) };

/// What a value is for.
#[derive(Clone, Copy)]
enum Reader<'r> {
    /// Who describes the service: attributes are what the template says, inputs may be open.
    Description,
    /// A run: attributes are what operations leave.
    Run,
    /// Who looks at what operations have left.
    After(&'r Reading<'r>),
}

/// The value of a node template for a description of it; none when only a run knows it, or when
/// it is null.
pub(crate) fn settled(inputs: &Inputs<'_, '_>, at: usize, value: &Value) -> Option<Plain> {
    described(inputs, &ValueContext::of_node(at), value)
}

/// The same for a value of a relationship, which can speak of its ends.
pub(crate) fn settled_of(inputs: &Inputs<'_, '_>, link: &Link<'_>, value: &Value) -> Option<Plain> {
    described(inputs, &ValueContext::of_link(link, link.source), value)
}

fn described(inputs: &Inputs<'_, '_>, place: &ValueContext, value: &Value) -> Option<Plain> {
    let settling = Settling::new(inputs, Reader::Description);
    settling.deep(value, place, 0).filter(|value| *value != Plain::Null)
}

/// The value for a run, when nothing that runs changes it.
pub(crate) fn static_value(
    inputs: &Inputs<'_, '_>,
    value: &Value,
    place: &ValueContext,
) -> Option<Plain> {
    Settling::new(inputs, Reader::Run).deep(value, place, 0)
}

/// ValueOwner value is asked for.
#[derive(Clone, Copy)]
pub(crate) enum ValueOwner {
    /// That of a node template, by its place.
    Node(usize),
    /// No node: functions name their nodes.
    NoNode,
}

/// So many parts of a value are looked at by who checks a service: values that are made of each
/// other, twice at every step, have more of them than can be counted.
const FEW: usize = 4096;

/// The same for who checks a service; none also when it is made of too many parts.
pub(crate) fn fixed(inputs: &Inputs<'_, '_>, whose: ValueOwner, value: &Value) -> Option<Plain> {
    let place = match whose {
        ValueOwner::Node(at) => ValueContext::of_node(at),
        ValueOwner::NoNode => ValueContext::nowhere(),
    };
    let left = Cell::new(FEW);
    Settling { inputs, reader: Reader::Run, left }.deep(value, &place, 0)
}

/// The value with what operations have left.
pub(crate) fn after(
    inputs: &Inputs<'_, '_>,
    value: &Value,
    place: &ValueContext,
    kept: &Reading<'_>,
) -> Option<Plain> {
    Settling::new(inputs, Reader::After(kept)).deep(value, place, 0)
}

/// The arguments of a function with what is computed among the steps of a way; none when that is
/// not known. Arguments of other functions are as they are.
pub(crate) fn steps<'v>(
    inputs: &Inputs<'_, '_>,
    name: &str,
    argument: &'v Value,
    place: &ValueContext,
) -> Option<Cow<'v, Value>> {
    Settling::new(inputs, Reader::Run).steps(name, argument, place, 0)
}

/// The function that a value calls, without the dollar sign, and its argument. From 2.0 the name
/// alone calls a function without arguments.
pub(crate) fn function(value: &Value, is_2: bool) -> Option<(&str, &Value)> {
    let is_name = |name: &&str| !name.is_empty() && !name.starts_with('$');
    if let Some(text) = value.text().filter(|_| is_2) {
        return Some((text.strip_prefix('$').filter(is_name)?, &NOTHING));
    }
    let [entry] = value.entries() else { return None };
    let name = entry.key.text()?;
    if is_2 {
        name.strip_prefix('$').filter(|rest| !rest.starts_with('$'))
    } else {
        BEFORE_2.contains(&name).then_some(name)
    }
    .map(|name| (name, &entry.value))
}

struct Settling<'i, 'a, 'm> {
    inputs: &'i Inputs<'a, 'm>,
    reader: Reader<'i>,
    /// How many parts may still be looked at.
    left: Cell<usize>,
}

impl<'i, 'a, 'm> Settling<'i, 'a, 'm> {
    fn new(inputs: &'i Inputs<'a, 'm>, reader: Reader<'i>) -> Self {
        Settling { inputs, reader, left: Cell::new(usize::MAX) }
    }

    fn deep(&self, value: &Value, place: &ValueContext, depth: usize) -> Option<Plain> {
        let left = self.left.get().checked_sub(1)?;
        self.left.set(left);
        if depth > DEEPEST {
            return None;
        }
        match &value.data {
            // A version may be written like a number, and then its zeros count.
            Data::Float(number, written) if !number.is_finite() || is_cut(*number, written) => {
                Some(Plain::Str(written.clone()))
            }
            Data::Text(text) if self.is_2() && text.starts_with("$$") => {
                Some(Plain::Str(text[1..].to_owned()))
            }
            Data::List(items) => {
                let items: Option<Vec<Plain>> =
                    items.iter().map(|item| self.deep(item, place, depth + 1)).collect();
                items.map(Plain::List)
            }
            _ if let Some((name, argument)) = function(value, self.is_2()) => {
                self.call(name, argument, place, depth)
            }
            Data::Map(entries) => {
                let entry = |entry: &Entry| {
                    let value = self.deep(&entry.value, place, depth + 1)?;
                    Some((plain_key(&entry.key), value))
                };
                entries.iter().map(entry).collect::<Option<Vec<_>>>().map(Plain::Map)
            }
            _ => Some(plain(value)),
        }
    }

    fn is_2(&self) -> bool {
        self.inputs.model.version.is_2()
    }

    /// See [`steps`].
    fn steps<'v>(
        &self,
        name: &str,
        argument: &'v Value,
        place: &ValueContext,
        depth: usize,
    ) -> Option<Cow<'v, Value>> {
        let is_computed = |step: &Value| function(step, self.is_2()).is_some();
        if !READING.contains(&name) || !argument.items().iter().any(is_computed) {
            return Some(Cow::Borrowed(argument));
        }
        let step = |step: &Value| {
            if !is_computed(step) {
                return Some(step.clone());
            }
            let data = match self.deep(step, place, depth + 1)? {
                Plain::Int(number) => Data::Int(number),
                Plain::Str(text) => Data::Text(text),
                _ => return None,
            };
            Some(Value { span: step.span, data })
        };
        let steps: Option<Vec<Value>> = argument.items().iter().map(step).collect();
        steps.map(|steps| Cow::Owned(Value { span: argument.span, data: Data::List(steps) }))
    }

    fn call(
        &self,
        name: &str,
        argument: &Value,
        place: &ValueContext,
        depth: usize,
    ) -> Option<Plain> {
        let argument = &*self.steps(name, argument, place, depth)?;
        match name {
            "node_index" if argument.items().is_empty() => {
                place.index().and_then(|index| i128::try_from(index).ok()).map(Plain::Int)
            }
            "relationship_index" if argument.items().is_empty() => {
                let index = place.relationship_index.and_then(|index| i128::try_from(index).ok());
                index.map(Plain::Int)
            }
            "get_input" => {
                let value = self.inputs.input_value(argument);
                let known = value.and_then(|value| self.deep(value, place, depth + 1));
                known.or_else(|| self.kept(name, argument, place, depth))
            }
            "get_property" => self.read(argument, place, false, depth),
            "get_attribute" if matches!(self.reader, Reader::Description) => {
                self.read(argument, place, true, depth)
            }
            "get_attribute" | "get_operation_output" => match self.reader {
                Reader::After(kept) => self.inputs.late(name, argument, place)?.with(kept),
                _ => None,
            },
            "get_nodes_of_type" => None,
            "get_artifact" => {
                let words: Vec<&str> = argument.items().iter().filter_map(Value::text).collect();
                self.inputs.artifact(&words, place).map(Plain::Str)
            }
            _ => {
                let given = self.deep(argument, place, depth + 1)?;
                // A function whose argument still is one stays too.
                let is_open = matches!(&given, Plain::List(items) if items.iter().any(is_call));
                let is_after = matches!(self.reader, Reader::After(_));
                let given = if is_after { compute::as_numbers(name, given) } else { given };
                let known = if is_open { None } else { compute::function(name, &given) };
                known.or_else(|| self.kept(name, argument, place, depth))
            }
        }
    }

    /// The value of a property or attribute as the text says it.
    fn read(
        &self,
        argument: &Value,
        place: &ValueContext,
        attributes: bool,
        depth: usize,
    ) -> Option<Plain> {
        let located = self.inputs.locate(argument.items(), place, attributes)?;
        let value = self.inputs.written(&located.owner, located.name, attributes)?;
        let inner = self.inputs.place_of(&located, place)?;
        let value = inside(value, located.rest)?;
        self.deep(value, &inner, depth + 1)
    }

    /// The call itself, when inputs are all that it lacks.
    fn kept(
        &self,
        name: &str,
        argument: &Value,
        place: &ValueContext,
        depth: usize,
    ) -> Option<Plain> {
        if !matches!(self.reader, Reader::Description) || !KEPT.contains(&name) {
            return None;
        }
        let argument = match argument.items() {
            [alone] if name == "get_input" => plain(alone),
            _ if name == "get_input" => plain(argument),
            _ => self.deep(argument, place, depth + 1)?,
        };
        Some(Plain::map().with(name, argument))
    }
}

fn is_call(value: &Plain) -> bool {
    matches!(value, Plain::Map(entries) if entries.len() == 1 && KEPT.contains(&&*entries[0].0))
}

fn plain_key(key: &Value) -> String {
    match plain(key) {
        Plain::Str(text) => text,
        other => crate::tree::emit::json(&other).trim_end().to_owned(),
    }
}

/// Whether a number is shorter than what is written.
fn is_cut(number: f64, written: &str) -> bool {
    let digits = |c: char| c.is_ascii_digit() || c == '.';
    written.chars().all(digits)
        && written.ends_with('0')
        && !written.ends_with(".0")
        && number.is_finite()
}
