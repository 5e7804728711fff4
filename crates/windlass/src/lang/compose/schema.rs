//! Which keys a Compose file may have, and of which kind their values are.
//!
//! The table is [`table`]; this file compares a value with it. All that is wrong is reported, each
//! at its place, with the word that was probably meant.

mod hint;
pub(crate) mod table;

use super::item::{Data, Item};
use super::{Findings, SHAPE};
use crate::diagnostic::Diagnostic;
use crate::spelling;

/// What a value may be.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Shape {
    /// Anything.
    Any,
    /// Null.
    Null,
    /// Text.
    Str,
    /// A boolean.
    Bool,
    /// An integer.
    Int,
    /// An integer from the first number to the second.
    Between(i128, i128),
    /// Any number.
    Num,
    /// One of these words.
    Words(&'static [&'static str]),
    /// Text that contains one of these words; behind one that ends in `_` stand a number and a
    /// unit of time.
    Containing(&'static [&'static str]),
    /// One of several shapes.
    Either(&'static [Shape]),
    /// A list.
    List(&'static Shape),
    /// A list without two equal items.
    Unique(&'static Shape),
    /// A mapping with any keys.
    Pairs(&'static Shape),
    /// A mapping whose keys are names.
    Named(&'static Shape),
    /// A mapping with the keys of a table.
    Keys(&'static Keys),
}

/// A mapping with certain keys.
#[derive(Debug)]
pub(crate) struct Keys {
    /// The keys, in the order of the alphabet.
    pub(crate) known: &'static [(&'static str, Shape)],
    /// Those that must be there.
    pub(crate) required: &'static [&'static str],
    /// Whether keys that start with `x-` are free.
    pub(crate) extensible: bool,
    /// Whether any other key is free too.
    pub(crate) open: bool,
}

/// Compares a whole file with the table.
pub(crate) fn check(root: &Item, findings: &mut Findings) {
    compare(root, &table::FILE, &mut Vec::new(), findings);
}

fn compare(item: &Item, shape: &Shape, path: &mut Vec<String>, findings: &mut Findings) {
    match (shape, &item.data) {
        (Shape::Either(shapes), _) => {
            if let Some(fitting) = shapes.iter().find(|shape| is_of_kind(item, shape)) {
                return compare(item, fitting, path, findings);
            }
            report_kind(item, shape, path, findings);
        }
        (Shape::List(of) | Shape::Unique(of), Data::List(items)) => {
            for (at, inner) in items.iter().enumerate() {
                path.push(format!("[{at}]"));
                compare(inner, of, path, findings);
                path.pop();
            }
            if matches!(shape, Shape::Unique(_)) {
                report_twins(items, path, findings);
            }
        }
        (Shape::Pairs(of) | Shape::Named(of), Data::Map(map)) => {
            for (key, entry) in map {
                if matches!(shape, Shape::Named(_)) && !is_name(key) {
                    let message = format!("`{key}` is no name in `{}`", shown(path));
                    let help = "a name has letters, digits, `.`, `_` and `-` only";
                    findings.push(Diagnostic::error(SHAPE, entry.key, message).help(help));
                }
                path.push(key.clone());
                compare(&entry.item, of, path, findings);
                path.pop();
            }
        }
        (Shape::Keys(keys), Data::Map(_)) => compare_keys(item, keys, path, findings),
        (Shape::Between(low, high), Data::Int(value)) if value < low || value > high => {
            report_range(item, *low, *high, path, findings);
        }
        (Shape::Between(low, high), Data::Float(value))
            if value.fract() == 0.0 && (*value < *low as f64 || *value > *high as f64) =>
        {
            report_range(item, *low, *high, path, findings);
        }
        (Shape::Words(words), Data::Str(text)) if !words.contains(&text.as_str()) => {
            let message = format!("`{}` cannot be `{text}`", shown(path));
            let help = match spelling::nearest(text, words.iter().copied()) {
                Some(word) => format!("did you mean `{word}`?"),
                None => format!("one of: {}", words.join(", ")),
            };
            findings.push(item.error(SHAPE, message).help(help));
        }
        (Shape::Containing(words), Data::Str(text))
            if !words.iter().any(|word| contains(text, word)) =>
        {
            let message = format!("`{}` cannot be `{text}`", shown(path));
            let help = format!("one of: {}", words.join(", ").replace("every_", "every_12h"));
            findings.push(item.error(SHAPE, message).help(help));
        }
        _ if is_of_kind(item, shape) => {}
        _ => report_kind(item, shape, path, findings),
    }
}

fn compare_keys(item: &Item, keys: &Keys, path: &mut Vec<String>, findings: &mut Findings) {
    for (key, entry) in item.entries() {
        match keys.known.iter().find(|(known, _)| known == key) {
            Some((_, shape)) => {
                path.push(key.clone());
                compare(&entry.item, shape, path, findings);
                path.pop();
            }
            None if keys.open || (keys.extensible && key.starts_with("x-")) => {}
            None => {
                let place = if path.is_empty() {
                    "at the top of the file".to_owned()
                } else {
                    format!("in `{}`", shown(path))
                };
                let message = format!("unknown key `{key}` {place}");
                let finding = Diagnostic::error(SHAPE, entry.key, message);
                let known = keys.known.iter().map(|(known, _)| *known);
                findings.push(match spelling::nearest(key, known) {
                    _ if path.is_empty() && says_what_it_runs(&entry.item) => {
                        finding.help("a service goes below the key `services`")
                    }
                    Some(word) => finding.help(format!("did you mean `{word}`?")),
                    None if keys.extensible => finding.help("keys of your own start with `x-`"),
                    None => finding.help(hint::of_words("keys", keys.known.iter().map(|it| it.0))),
                });
            }
        }
    }
    for required in keys.required {
        if !item.map().is_some_and(|map| map.contains_key(*required)) {
            let message = format!("`{}` needs the key `{required}`", shown(path));
            let help = format!("write `{required}:` with its value there");
            findings.push(item.error(SHAPE, message).help(help));
        }
    }
}

/// Whether a value looks like a service.
fn says_what_it_runs(item: &Item) -> bool {
    item.get("image").is_some_and(Item::is_scalar) || item.get("build").is_some()
}

/// Whether a value is of the kind of a shape, whatever is in it.
fn is_of_kind(item: &Item, shape: &Shape) -> bool {
    match shape {
        Shape::Any => true,
        Shape::Null => item.data == Data::Null,
        Shape::Str | Shape::Words(_) | Shape::Containing(_) => matches!(item.data, Data::Str(_)),
        Shape::Bool => matches!(item.data, Data::Bool(_)),
        Shape::Int | Shape::Between(..) => match item.data {
            Data::Int(_) => true,
            Data::Float(value) => value.fract() == 0.0,
            _ => false,
        },
        Shape::Num => matches!(item.data, Data::Int(_) | Data::Float(_)),
        Shape::Either(shapes) => shapes.iter().any(|shape| is_of_kind(item, shape)),
        Shape::List(_) | Shape::Unique(_) => matches!(item.data, Data::List(_)),
        Shape::Pairs(_) | Shape::Named(_) | Shape::Keys(_) => matches!(item.data, Data::Map(_)),
    }
}

fn report_range(item: &Item, low: i128, high: i128, path: &[String], findings: &mut Findings) {
    let message = if high == i128::MAX {
        format!("`{}` must be at least {low}", shown(path))
    } else {
        format!("`{}` must be from {low} to {high}", shown(path))
    };
    findings.push(item.error(SHAPE, message).help(hint::for_range(item, low, high)));
}

fn report_kind(item: &Item, shape: &Shape, path: &[String], findings: &mut Findings) {
    let mut kinds = Vec::new();
    kind_names(shape, &mut kinds);
    let message = format!("`{}` must be {}; this is {}", shown(path), or(&kinds), item.kind_name());
    findings.push(item.error(SHAPE, message).help(hint::for_kind(item, &kinds, path)));
}

fn kind_names(shape: &Shape, kinds: &mut Vec<&'static str>) {
    let kind = match shape {
        Shape::Any => "anything",
        Shape::Null => "null",
        Shape::Str | Shape::Words(_) | Shape::Containing(_) => "a string",
        Shape::Bool => "a boolean",
        Shape::Int | Shape::Between(..) => "an integer",
        Shape::Num => "a number",
        Shape::List(_) | Shape::Unique(_) => "a list",
        Shape::Pairs(_) | Shape::Named(_) | Shape::Keys(_) => "a mapping",
        Shape::Either(shapes) => {
            shapes.iter().for_each(|shape| kind_names(shape, kinds));
            return;
        }
    };
    if !kinds.contains(&kind) {
        kinds.push(kind);
    }
}

fn or(words: &[&str]) -> String {
    match words.split_last() {
        None => String::new(),
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
    }
}

/// Two equal texts in a list that may not have them.
fn report_twins(items: &[Item], path: &[String], findings: &mut Findings) {
    let mut seen = std::collections::BTreeMap::new();
    for item in items.iter().filter(|item| item.is_scalar()) {
        if let Some(first) = seen.insert(item.plain(), item.span) {
            let message = format!("`{}` lists `{}` twice", shown(path), item.plain());
            let finding = item.error(SHAPE, message).help("remove one of the two");
            findings.push(finding.label(first, "it is listed here already"));
        }
    }
}

fn contains(text: &str, word: &str) -> bool {
    let mut behind = text.match_indices(word).map(|(at, _)| &text[at + word.len()..]);
    let is_time = |rest: &str| {
        let unit = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        unit.len() < rest.len() && unit.starts_with(['w', 'd', 'h', 'm', 's'])
    };
    behind.any(|rest| !word.ends_with('_') || is_time(rest))
}

fn is_name(key: &str) -> bool {
    !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
}

fn shown(path: &[String]) -> String {
    if path.is_empty() { "the file".to_owned() } else { path.join(".").replace(".[", "[") }
}
