//! What functions give, as far as the text tells: the same that operations would get.

use super::Checker;
use super::function::Place;
use super::schema::Base;
use crate::lang::tosca::codes;
use crate::lang::tosca::command::static_values::{self, ValueOwner};
use crate::lang::tosca::command::{Inputs, ReturnedAttributes};
use crate::lang::tosca::lower::links::{Links, links};
use crate::lang::tosca::model::{Fields, Schema};
use crate::lang::tosca::value::{Data, Entry, Value};
use crate::source::Span;
use crate::tree::Value as Plain;

/// What values are computed in, found out once.
pub(super) struct Evaluation<'m> {
    links: Links<'m>,
    /// Whether some node comes from elsewhere, with values of its own.
    has_others: bool,
}

impl Checker<'_> {
    /// The value of a function call; none when it is not sure, as nothing is of inputs without a
    /// value, of attributes, and of nodes that come from elsewhere.
    pub(super) fn constant_value(&self, value: &Value, place: Place<'_>) -> Option<Value> {
        let model = self.model;
        let service = model.service.as_ref()?;
        let whose = match place {
            Place::Node(name, _) => ValueOwner::Node(service.nodes.position(name)?),
            // Its inputs may hide those of the service.
            Place::Workflow(_) => return None,
            _ => ValueOwner::NoNode,
        };
        let evaluation = self.evaluation.get_or_init(|| Evaluation {
            links: links(model, service),
            has_others: service.nodes.iter().any(|(_, node)| self.is_elsewhere(node)),
        });
        if evaluation.has_others && calls(value, "get_property", model.version.is_2()) {
            return None;
        }
        let given = ReturnedAttributes::new();
        let inputs = Inputs { model, service, links: &evaluation.links, given: &given };
        static_values::fixed(&inputs, whose, value).map(|known| at(known, value.span))
    }

    /// An index on the way of `get_property` or `get_input` is that of an entry, where the list is
    /// known.
    pub(super) fn within_list(&mut self, function: &str, way: &Value, place: Place<'_>) {
        let dollar = if self.version().is_2() { "$" } else { "" };
        for (at, step) in way.items().iter().enumerate().skip(1) {
            let index = match &step.data {
                Data::Int(index) => index.to_string(),
                // `$node_index` is a call.
                Data::Text(text) if text.starts_with('$') => continue,
                Data::Float(_, text) | Data::Text(text) => text.clone(),
                Data::Null | Data::Bool(_) | Data::List(_) | Data::Map(_) => continue,
            };
            let text = |text: String| Value { span: way.span, data: Data::Text(text) };
            let before = Value { span: way.span, data: Data::List(way.items()[..at].to_vec()) };
            let entry = Entry { key: text(format!("{dollar}{function}")), value: before };
            let call = Value { span: way.span, data: Data::Map(vec![entry]) };
            let Some(Data::List(items)) = self.constant_value(&call, place).map(|list| list.data)
            else {
                continue;
            };
            match index.parse::<i128>() {
                Ok(number) if usize::try_from(number).is_ok_and(|it| it < items.len()) => continue,
                Ok(_) => {}
                Err(_) => {
                    let message = format!("`{index}` is no index of a list");
                    let help = "entries of a list are counted: 0, 1, 2, ...".to_owned();
                    return self.advise(codes::FUNCTION, step.span, message, Some(help));
                }
            }
            let message = format!("the list has no entry of index {index}");
            let help = match items.len() {
                0 => "it is empty".to_owned(),
                1 => "it has 1 entry, of index 0".to_owned(),
                count => format!("it has {count} entries, and the first index is 0"),
            };
            return self.advise(codes::FUNCTION, step.span, message, Some(help));
        }
    }

    /// The parts of a value with what each of them must be.
    pub(super) fn parts<'v>(&self, value: &'v Value, schema: &Schema) -> Vec<(&'v Value, Schema)> {
        let model = self.model;
        let base = schema.of.as_ref().map_or(Base::Unknown, |of| model.base(of, model.version));
        let entries = value.entries().iter();
        match base {
            Base::BuiltIn("list" | "map") => {
                let Some(entry) = model.entry_of(schema) else { return Vec::new() };
                let all = value.items().iter().chain(entries.map(|entry| &entry.value));
                all.map(|part| (part, entry.clone())).collect()
            }
            Base::Structure(id) if !value.entries().is_empty() => {
                let fields: Fields<Schema> = model.schemas(id, |of| &of.properties);
                let field =
                    |entry: &'v Entry| Some((&entry.value, fields.get(entry.key.text()?)?.clone()));
                entries.filter_map(field).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// Whether a function is called somewhere in a value.
fn calls(value: &Value, name: &str, is_2: bool) -> bool {
    let is_it = |entry: &Entry| {
        let key = entry.key.text().unwrap_or_default();
        if is_2 { key.strip_prefix('$') == Some(name) } else { key == name }
    };
    let inner = value.entries().iter().map(|entry| &entry.value);
    value.entries().iter().any(is_it)
        || value.items().iter().chain(inner).any(|part| calls(part, name, is_2))
}

/// A value with the place of the call that gives it.
fn at(value: Plain, span: Span) -> Value {
    let data = match value {
        Plain::Null => Data::Null,
        Plain::Bool(it) => Data::Bool(it),
        Plain::Int(it) => Data::Int(it),
        Plain::Float(it) => Data::Float(it, it.to_string()),
        Plain::Str(it) => Data::Text(it),
        Plain::Inline(it) => return at(*it, span),
        Plain::List(items) => Data::List(items.into_iter().map(|it| at(it, span)).collect()),
        Plain::Map(entries) => {
            let entry = |(key, value): (String, Plain)| Entry {
                key: Value { span, data: Data::Text(key) },
                value: at(value, span),
            };
            Data::Map(entries.into_iter().map(entry).collect())
        }
    };
    Value { span, data }
}
