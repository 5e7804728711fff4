//! Functions on texts, lists and mappings.

use super::evaluate::Evaluator;
use super::value::{Data, Entry, Kind, Value, equal};
use crate::source::Span;
use crate::tree::Node;

/// More repetitions than this are not written out.
const MOST_REPETITIONS: usize = 1000;

impl<'a> Evaluator<'a> {
    pub(super) fn str_replace(&mut self, name: &str, span: Span, arguments: Node<'a>) -> Value {
        let unknown = Value::unknown(span, Kind::String, None);
        let value = self.value(arguments);
        let (template, params) = match &value.data {
            Data::Map(_) => (value.get("template"), value.get("params")),
            Data::List(items) if items.len() == 2 => (items.get(1), items.first()),
            Data::Unknown(_) => return unknown,
            _ => (None, None),
        };
        let (Some(template), Some(params)) = (template, params) else {
            // A template or a parameter that is null is no mistake of form.
            let has = |key| value.entry(key).is_some();
            if !(has("template") && has("params")) {
                self.wrong(span, format!("`{name}` needs `template` and `params`"));
            }
            return unknown;
        };
        if !matches!(params.data, Data::Map(_) | Data::Unknown(_)) {
            self.wrong(params.span, format!("`params` of `{name}` must be a mapping"));
            return unknown;
        }
        let Some(mut text) = template.scalar_text() else {
            if matches!(template.data, Data::List(_) | Data::Map(_)) {
                self.wrong(template.span, format!("`template` of `{name}` must be a string"));
            }
            return unknown;
        };
        let mut entries: Vec<&Entry> = params.entries().iter().collect();
        entries.sort_by(|a, b| b.key.len().cmp(&a.key.len()).then(a.key.cmp(&b.key)));
        for entry in entries {
            if !text.contains(entry.key.as_str()) || entry.key.is_empty() {
                continue;
            }
            let Some(by) = entry.value.scalar_text() else { return unknown };
            if text.len() + by.len() > 1 << 20 {
                return unknown;
            }
            text = text.replace(entry.key.as_str(), &by);
        }
        if matches!(params.data, Data::Unknown(_)) { unknown } else { Value::text(span, text) }
    }

    pub(super) fn join(&mut self, name: &str, span: Span, arguments: Node<'a>) -> Value {
        let unknown = Value::unknown(span, Kind::String, None);
        let value = self.value(arguments);
        let items = value.items();
        if items.len() < 2 {
            if !matches!(value.data, Data::Unknown(_)) {
                self.wrong(span, format!("`{name}` takes a delimiter and a list"));
            }
            return unknown;
        }
        let Some(delimiter) = items[0].scalar_text() else { return unknown };
        let mut parts = Vec::new();
        for list in &items[1..] {
            match &list.data {
                Data::List(members) => {
                    for member in members {
                        let Some(part) = member.scalar_text() else { return unknown };
                        parts.push(part);
                    }
                }
                Data::Str(text) if name == "list_join" && !text.is_empty() => {
                    self.wrong(list.span, format!("`{name}` joins lists, and this is a string"));
                    return unknown;
                }
                _ => return unknown,
            }
        }
        Value::text(span, parts.join(&delimiter))
    }

    pub(super) fn split(&mut self, name: &str, span: Span, arguments: Node<'a>) -> Value {
        let unknown = Value::unknown(span, Kind::List, None);
        let value = self.value(arguments);
        let items = value.items();
        if !(2..=3).contains(&items.len()) {
            if !matches!(value.data, Data::Unknown(_)) {
                self.wrong(span, format!("`{name}` takes a delimiter and a string"));
            }
            return unknown;
        }
        let (Some(delimiter), Some(text)) = (items[0].as_str(), items[1].as_str()) else {
            return unknown;
        };
        if delimiter.is_empty() {
            return unknown;
        }
        let parts: Vec<Value> = text.split(delimiter).map(|part| Value::text(span, part)).collect();
        match items.get(2) {
            None => Value::new(span, Data::List(parts)),
            Some(at) => {
                let at = at.as_int().and_then(|at| usize::try_from(at).ok());
                at.and_then(|at| parts.get(at).cloned()).unwrap_or(Value::unknown(
                    span,
                    Kind::String,
                    None,
                ))
            }
        }
    }

    pub(super) fn repeat(&mut self, span: Span, arguments: Node<'a>) -> Value {
        let unknown = Value::unknown(span, Kind::List, None);
        let (Some(for_each), Some(template)) =
            (arguments.get("for_each"), arguments.get("template"))
        else {
            self.value(arguments);
            self.wrong(span, "`repeat` needs `for_each` and `template`");
            return unknown;
        };
        let mut rounds: Vec<Vec<(String, Value)>> = vec![Vec::new()];
        let mut known = true;
        for entry in for_each.entries() {
            let list = self.value(entry.value);
            let values: Vec<Value> = match list.data {
                Data::List(items) => items,
                Data::Map(entries) => {
                    entries.into_iter().map(|e| Value::text(e.key_span, e.key)).collect()
                }
                _ => Vec::new(),
            };
            known &= !values.is_empty() && rounds.len() * values.len() <= MOST_REPETITIONS;
            if !known {
                break;
            }
            let name = entry.name().to_owned();
            let extend = |round: &Vec<(String, Value)>| -> Vec<Vec<(String, Value)>> {
                let with = |value: &Value| {
                    let mut round = round.clone();
                    round.push((name.clone(), value.clone()));
                    round
                };
                values.iter().map(with).collect()
            };
            rounds = rounds.iter().flat_map(extend).collect();
        }
        if !known {
            self.value(template);
            return unknown;
        }
        let before = self.substitutions.len();
        let mut items = Vec::new();
        for (at, round) in rounds.into_iter().enumerate() {
            let findings = self.findings.len();
            self.substitutions.extend(round);
            items.push(self.value(template));
            self.substitutions.truncate(before);
            if at > 0 {
                // The template says the same in every round.
                self.findings.truncate(findings);
            }
        }
        Value::new(span, Data::List(items))
    }

    pub(super) fn concat(&mut self, name: &str, span: Span, arguments: Node<'a>) -> Value {
        let value = self.value(arguments);
        let Data::List(lists) = value.data else {
            if value.is_known() {
                self.wrong(span, format!("`{name}` takes a list of lists"));
            }
            return Value::unknown(span, Kind::List, None);
        };
        let mut all: Vec<Value> = Vec::new();
        let mut known = true;
        for list in lists {
            match list.data {
                Data::List(items) => {
                    for item in items {
                        let twice = || all.iter().any(|other| equal(other, &item) == Some(true));
                        if name == "list_concat" || all.len() > MOST_REPETITIONS || !twice() {
                            all.push(item);
                        }
                    }
                }
                Data::Null => {}
                Data::Str(_) | Data::Map(_) | Data::Int(_) | Data::Bool(_) | Data::Float(_) => {
                    self.wrong(list.span, format!("`{name}` takes lists"));
                    known = false;
                }
                Data::Unknown(_) | Data::Resource(_) => known = false,
            }
        }
        if known {
            Value::new(span, Data::List(all))
        } else {
            Value::unknown(span, Kind::List, None)
        }
    }

    pub(super) fn merge(&mut self, span: Span, arguments: Node<'a>) -> Value {
        let value = self.value(arguments);
        let Data::List(maps) = value.data else {
            if value.is_known() {
                self.wrong(span, "`map_merge` takes a list of mappings");
            }
            return Value::unknown(span, Kind::Map, None);
        };
        let mut merged: Vec<Entry> = Vec::new();
        let mut known = true;
        for map in maps {
            match map.data {
                Data::Map(entries) => {
                    for entry in entries {
                        merged.retain(|other| other.key != entry.key);
                        merged.push(entry);
                    }
                }
                Data::Null => {}
                Data::Unknown(_) | Data::Resource(_) => known = false,
                _ => {
                    self.wrong(map.span, "`map_merge` takes mappings");
                    known = false;
                }
            }
        }
        if known {
            Value::new(span, Data::Map(merged))
        } else {
            Value::unknown(span, Kind::Map, None)
        }
    }

    pub(super) fn map_replace(&mut self, span: Span, arguments: Node<'a>) -> Value {
        let value = self.value(arguments);
        if value.items().len() != 2 && !matches!(value.data, Data::Unknown(_)) {
            self.wrong(span, "`map_replace` takes a mapping and what to replace in it");
        }
        Value::unknown(span, Kind::Map, None)
    }

    pub(super) fn select(&mut self, span: Span, arguments: Node<'a>) -> Value {
        let value = self.value(arguments);
        let [index, from] = value.items() else {
            if !matches!(value.data, Data::Unknown(_)) {
                self.wrong(span, "`Fn::Select` takes an index and a list or mapping");
            }
            return Value::unknown(span, Kind::Any, None);
        };
        let found = match &from.data {
            Data::List(items) => {
                index.as_int().and_then(|at| usize::try_from(at).ok()).and_then(|at| items.get(at))
            }
            Data::Map(_) => index.as_str().and_then(|key| from.get(key)),
            _ => None,
        };
        match found {
            Some(found) => Value::new(span, found.data.clone()),
            None => Value::unknown(span, Kind::Any, None),
        }
    }

    pub(super) fn find_in_map(&mut self, span: Span, arguments: Node<'a>) -> Value {
        let unknown = Value::unknown(span, Kind::Any, None);
        let value = self.value(arguments);
        let [map, first, second] = value.items() else {
            self.wrong(span, "`Fn::FindInMap` takes the name of a mapping and two keys");
            return unknown;
        };
        let Some(name) = map.as_str() else { return unknown };
        let Some(map) = self.mappings.and_then(|mappings| mappings.get(name)) else {
            self.wrong(span, format!("there is no mapping `{name}`"));
            return unknown;
        };
        let (Some(first), Some(second)) = (first.scalar_text(), second.scalar_text()) else {
            return unknown;
        };
        match map.get(&first).and_then(|level| level.get(&second)) {
            Some(node) => Value::new(span, self.value(node).data),
            None => unknown,
        }
    }
}
