//! The text rendering of OCCI, read: lines `Category`, `X-OCCI-Attribute` and `Link`, a blank line
//! between resources. It becomes the same collection as the JSON rendering.

use super::Configuration;
use crate::diagnostic::Diagnostic;
use crate::source::{SourceId, Sources};
use crate::tree::{self, Parsed, Value};

/// Whether a text is of this rendering.
pub(crate) fn is_text(text: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty());
    first.is_some_and(|line| line.starts_with("Category:") && line.contains("class=\"kind\""))
}

/// Reads a text; none when something is wrong with it. What is wrong is said at its beginning.
pub(crate) fn read_text(
    root: SourceId,
    text: &str,
    findings: &mut Vec<Diagnostic>,
) -> Option<Configuration> {
    let mut resources = Vec::new();
    for block in text.split("\n\n").filter(|block| !block.trim().is_empty()) {
        resources.push(resource(block));
    }
    let collection = Value::map().with("resources", Value::List(resources));
    // Every node lies at the beginning of the text, and so do the findings.
    let parsed = Parsed::of_value(root, &collection);
    super::read(parsed.root(), findings)
}

fn resource(block: &str) -> Value {
    let (mut kind, mut attributes, mut links) = (None, Vec::new(), Vec::new());
    for line in block.lines() {
        let Some((word, rest)) = line.split_once(':') else { continue };
        match word.trim() {
            "Category" => {
                let parts = parts(rest);
                let scheme = named(&parts, "scheme");
                let is_kind = named(&parts, "class").as_deref() == Some("kind");
                if let (true, Some(scheme), Some((term, _))) = (is_kind, scheme, parts.first()) {
                    kind = kind.or(Some(format!("{scheme}{term}")));
                }
            }
            "X-OCCI-Attribute" => attributes.extend(parts(rest)),
            "Link" => links.extend(link(rest)),
            _ => {}
        }
    }
    let id = attributes.iter().position(|(name, _)| name == "occi.core.id");
    let id = id.map(|at| attributes.remove(at).1);
    let links = (!links.is_empty()).then_some(Value::List(links));
    Value::map()
        .with_some("kind", kind)
        .with_some("id", id)
        .with("attributes", attributes.into_iter().collect::<Value>())
        .with_some("links", links)
}

/// A link; a line that offers an action is none.
fn link(rest: &str) -> Option<Value> {
    let (target, rest) = rest.trim().strip_prefix('<')?.split_once('>')?;
    let mut all = parts(rest);
    let mut take = |name: &str| {
        let at = all.iter().position(|(known, _)| known == name)?;
        Some(all.remove(at).1)
    };
    let category = take("category")?;
    let Value::Str(category) = category else { return None };
    let itself = take("self");
    let id = take("occi.core.id").or_else(|| match itself {
        Some(Value::Str(path)) => Some(Value::from(path.trim_matches('/'))),
        _ => None,
    });
    for name in ["rel", "occi.core.source", "occi.core.target"] {
        take(name);
    }
    let kind = category.split_whitespace().next().unwrap_or_default();
    Some(
        Value::map()
            .with("kind", kind)
            .with_some("id", id)
            .with("attributes", all.into_iter().collect::<Value>())
            .with("target", Value::map().with("location", target)),
    )
}

fn named(parts: &[(String, Value)], name: &str) -> Option<String> {
    let found = parts.iter().find(|(known, _)| known == name);
    found.and_then(|(_, value)| match value {
        Value::Str(text) => Some(text.clone()),
        _ => None,
    })
}

/// Names with values, between semicolons; a word alone has no value.
fn parts(text: &str) -> Vec<(String, Value)> {
    let mut all = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let end = rest.find(['=', ';']).unwrap_or(rest.len());
        let name = rest[..end].trim().to_owned();
        if !rest[end..].starts_with('=') {
            if !name.is_empty() {
                all.push((name, Value::Null));
            }
            rest = rest.get(end + 1..).unwrap_or_default().trim_start();
            continue;
        }
        let (value, left) = value(rest[end + 1..].trim_start());
        all.push((name, value));
        rest = left.trim_start().trim_start_matches(';').trim_start();
    }
    all
}

/// A value and what follows it: between quotes a text, or JSON; else a number or a truth value.
fn value(text: &str) -> (Value, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find(';').unwrap_or(text.len());
        return (plain(text[..end].trim()), &text[end..]);
    };
    let (mut content, mut escaped) = (String::new(), false);
    for (at, c) in quoted.char_indices() {
        match (escaped, c) {
            (true, 'n') => content.push('\n'),
            (true, 'r') => content.push('\r'),
            (false, '\\') => {}
            (false, '"') => {
                // JSON has lists, mappings and texts that look like them; `plain` gives a text
                // that is no JSON back as it is.
                let is_whole = content.starts_with(['{', '[', '"']);
                let value = if is_whole { plain(&content) } else { Value::Str(content) };
                return (value, &quoted[at + 1..]);
            }
            (_, c) => content.push(c),
        }
        escaped = !escaped && c == '\\';
    }
    (Value::Str(content), "")
}

/// What a text is as JSON; a text when it is none.
fn plain(text: &str) -> Value {
    let mut sources = Sources::new();
    let id = sources.add("value", text);
    let (tree, wrong) = tree::parse(id, text, &tree::Options::default());
    if wrong.is_empty() { Value::from(tree.root()) } else { Value::from(text) }
}
