//! The renderings of a configuration: JSON, and text.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::attributes::{CAPABILITY, REQUIREMENT, TYPE, written};
use super::{Configuration, Link, Resource, SCHEME};
use crate::lang::tosca::locations::Values;
use crate::tree::{Value, emit};

/// The JSON rendering: an entity collection.
pub fn json(configuration: &Configuration) -> Value {
    let kind = |term: &str| format!("{SCHEME}{}", term.to_lowercase());
    let uri = |kind_of: &str, id: &str| {
        Value::map().with("location", format!("/{id}/")).with("kind", kind(kind_of))
    };
    let kinds = kinds(configuration);
    let kind_of = |id: &str| kinds.get(id).copied().unwrap_or_default();
    let resource = |resource: &Resource| {
        let link = |link: &Link| {
            Value::map()
                .with("kind", kind(&link.kind))
                .with("id", link.id.as_str())
                .with("attributes", attributes(ends(link), &link.values))
                .with("source", uri(&resource.kind, &resource.id))
                .with("target", uri(kind_of(&link.target), &link.target))
        };
        let links: Vec<Value> = resource.links.iter().map(link).collect();
        let links = (!links.is_empty()).then_some(Value::List(links));
        let own = vec![(TYPE, &*resource.kind)];
        Value::map()
            .with("kind", kind(&resource.kind))
            .with("id", resource.id.as_str())
            .with("attributes", attributes(own, &resource.values))
            .with_some("links", links)
    };
    Value::map()
        .with("resources", Value::List(configuration.resources.iter().map(resource).collect()))
}

/// The kinds of resources, by their ids.
fn kinds(configuration: &Configuration) -> BTreeMap<&str, &str> {
    configuration.resources.iter().map(|it| (&*it.id, &*it.kind)).collect()
}

/// The words of TOSCA that a link carries.
fn ends(link: &Link) -> Vec<(&'static str, &str)> {
    vec![(TYPE, &*link.kind), (REQUIREMENT, &*link.ends.0), (CAPABILITY, &*link.ends.1)]
}

fn attributes(own: Vec<(&'static str, &str)>, values: &Values) -> Value {
    let own = own.into_iter().map(|(name, word)| (name.to_owned(), Value::from(word)));
    own.chain(written(values)).collect()
}

/// The text rendering.
pub fn text(configuration: &Configuration) -> String {
    let kinds = kinds(configuration);
    let mut text = String::new();
    for resource in &configuration.resources {
        let class =
            |term: &str| format!("{}; scheme=\"{SCHEME}\"; class=\"kind\"", term.to_lowercase());
        let _ = writeln!(text, "Category: {}", class(&resource.kind));
        let _ = writeln!(text, "X-OCCI-Attribute: occi.core.id=\"{}\"", resource.id);
        let _ = writeln!(text, "X-OCCI-Attribute: {TYPE}=\"{}\"", resource.kind);
        for (name, value) in written(&resource.values) {
            let _ = writeln!(text, "X-OCCI-Attribute: {name}={}", scalar(&value));
        }
        for link in &resource.links {
            let _ = write!(
                text,
                "Link: </{}/>; rel=\"{SCHEME}{}\"; self=\"/{}/\"; category=\"{SCHEME}{}\"",
                link.target,
                kinds.get(&*link.target).copied().unwrap_or_default().to_lowercase(),
                link.id,
                link.kind.to_lowercase(),
            );
            let own = ends(link).into_iter().map(|(name, word)| (name.to_owned(), word.into()));
            for (name, value) in own.chain(written(&link.values)) {
                let _ = write!(text, "; {name}={}", scalar(&value));
            }
            text.push('\n');
        }
        text.push('\n');
    }
    text
}

/// A value on one line: numbers and truth values as they are, anything else between quotes; lists
/// and mappings as JSON, and so is a text that looks like one.
fn scalar(value: &Value) -> String {
    let quoted = |text: &str| {
        let mut all = String::from("\"");
        for c in text.chars() {
            match c {
                '"' | '\\' => all.extend(['\\', c]),
                '\n' => all.push_str("\\n"),
                '\r' => all.push_str("\\r"),
                c => all.push(c),
            }
        }
        all.push('"');
        all
    };
    match value {
        Value::Str(text) if text.starts_with(['{', '[', '"']) => {
            quoted(emit::json(value).trim_end())
        }
        Value::Str(text) => quoted(text),
        Value::List(_) | Value::Map(_) | Value::Inline(_) => {
            quoted(emit::json(&value.clone().inline()).trim_end())
        }
        other => emit::json(other).trim_end().to_owned(),
    }
}
