//! The shape of a document as data: which keys, which values, what each one means.
//!
//! One description serves twice: [`check`] compares a document with it and reports every unknown
//! key, wrong type and missing key at once, and `schema.rs` turns it into JSON Schema. Lowering
//! can therefore pass over whatever has the wrong shape: it has been reported.

use crate::diagnostic::{Diagnostic, Edit};
use crate::spelling;
use crate::tree::Node;

/// What a value may look like.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    /// Any scalar but null, read as text.
    Text,
    /// A text that names something: see [`name_complaint`].
    Name,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A whole number from the first to the second bound.
    Integer(u32, u32),
    /// `1h30m`, `2.5s`, `200ms`.
    Duration,
    /// A number from 0 to a million with at most three decimals.
    Cost,
    /// A list.
    List(&'static Shape),
    /// A mapping from names to values.
    Map(&'static Shape),
    /// A mapping with known keys.
    Record(&'static Record),
    /// The first shape of the same kind (scalar, list, mapping) as the value.
    Either(&'static [Shape]),
}

/// A mapping with known keys.
#[derive(Debug, Clone, Copy)]
pub(super) struct Record {
    /// What it describes, for messages: "a state".
    pub(crate) what: &'static str,
    /// Its keys, in the order in which they are printed.
    pub(crate) keys: &'static [Key],
}

/// A key of a record.
#[derive(Debug, Clone, Copy)]
pub(super) struct Key {
    /// Its name.
    pub(crate) name: &'static str,
    /// What its value may look like.
    pub(crate) shape: Shape,
    /// Whether it must be there.
    pub(crate) required: bool,
    /// What it means, in one sentence for the schema.
    pub(crate) doc: &'static str,
}

/// A key that must be there.
pub(super) const fn required(name: &'static str, shape: Shape, doc: &'static str) -> Key {
    Key { name, shape, required: true, doc }
}

/// A key that may be left out.
pub(super) const fn optional(name: &'static str, shape: Shape, doc: &'static str) -> Key {
    Key { name, shape, required: false, doc }
}

/// Codes of the findings below.
pub(super) const UNKNOWN_KEY: &str = "WL001";
/// A value of the wrong type.
pub(super) const WRONG_TYPE: &str = "WL002";
/// A key that must be there and is not.
pub(super) const MISSING_KEY: &str = "WL003";
/// A value of the right type that means nothing.
pub(super) const BAD_VALUE: &str = "WL005";

/// Compares a value with a shape. Recursion follows the shape, whose depth is fixed.
pub(super) fn check(node: Node<'_>, shape: &Shape, findings: &mut Vec<Diagnostic>) {
    match shape {
        Shape::Text => {
            scalar(node, "a text", findings);
        }
        Shape::Name => {
            if let Some(text) = scalar(node, "a name", findings) {
                name(node, text, findings);
            }
        }
        Shape::Word(words) => word(node, words, findings),
        Shape::Integer(least, most) => integer(node, *least, *most, findings),
        Shape::Duration => {
            let help = "write a number with a unit: `200ms`, `2.5s`, `1h30m`";
            value_of(node, "a duration", super::units::duration, help, findings);
        }
        Shape::Cost => {
            let help = "write a number from 0 to 1000000 with at most three decimals";
            value_of(node, "a cost", super::units::cost, help, findings);
        }
        Shape::List(item) => list(node, item, findings),
        Shape::Map(value) => map(node, value, findings),
        Shape::Record(record) => self::record(node, record, findings),
        Shape::Either(shapes) => either(node, shapes, findings),
    }
}

fn wrong_type(node: Node<'_>, expected: &str) -> Diagnostic {
    let message = format!("expected {expected}, found {}", node.kind_name());
    Diagnostic::error(WRONG_TYPE, node.span(), message).help(instead(node, expected))
}

/// What to write in place of a value of another type.
fn instead(node: Node<'_>, expected: &str) -> String {
    const SHORT: usize = 40;
    let (is_list, is_mapping) = (expected.contains("a list"), expected.contains("a mapping"));
    let text = node.as_str().filter(|text| !text.trim().is_empty() && text.len() <= SHORT);
    match text {
        Some(text) if is_list => {
            let words: Vec<&str> = text.split_whitespace().collect();
            let shell = if is_mapping { ", or `{ shell: ... }` if it is for a shell" } else { "" };
            format!("write it as a list: `[{}]`{shell}", words.join(", "))
        }
        _ if is_list && node.is_mapping() => "write each entry after a dash: `- entry`".to_owned(),
        _ if is_mapping && node.is_list() => {
            "write names with a colon in place of the dashes: `name: value`".to_owned()
        }
        _ if is_mapping => "write its keys below it, each with a colon".to_owned(),
        _ => format!("write {expected} in its place"),
    }
}

fn scalar<'t>(node: Node<'t>, expected: &str, findings: &mut Vec<Diagnostic>) -> Option<&'t str> {
    if node.is_scalar() && !node.is_null() {
        return node.as_str();
    }
    findings.push(wrong_type(node, expected));
    None
}

fn name(node: Node<'_>, text: &str, findings: &mut Vec<Diagnostic>) {
    if let Some(complaint) = name_complaint(text) {
        findings.push(
            Diagnostic::error(BAD_VALUE, node.span(), complaint)
                .help("names are for people and for goals: letters, digits, `-`, `_`, `.`, `:`"),
        );
    }
}

/// Why a text is no name. Commas, `=`, `*` and `@` belong to the grammar of goals.
pub(in crate::lang) fn name_complaint(text: &str) -> Option<String> {
    const LONGEST: usize = 200;
    if text.trim().is_empty() {
        return Some("a name is empty".to_owned());
    }
    if text.chars().count() > LONGEST {
        return Some(format!("a name is longer than {LONGEST} characters"));
    }
    if text.chars().any(char::is_control) {
        return Some("a name contains a control character".to_owned());
    }
    if text.trim() != text {
        return Some(format!("the name `{text}` starts or ends with a space"));
    }
    let found = text.chars().find(|c| matches!(c, ',' | '=' | '*' | '@'))?;
    Some(format!("the name `{text}` contains `{found}`, which goals use"))
}

fn word(node: Node<'_>, words: &[&str], findings: &mut Vec<Diagnostic>) {
    let Some(text) = scalar(node, "a word", findings) else { return };
    if words.contains(&text) {
        return;
    }
    let list = words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
    let mut finding =
        Diagnostic::error(BAD_VALUE, node.span(), format!("`{text}` means nothing here"))
            .help(format!("write one of {list}"));
    if findings.len() < spelling::MOST_ADVISED
        && let Some(near) = spelling::nearest(text, words.iter().copied())
    {
        let edit = Edit { span: node.span(), replacement: near.to_owned() };
        finding = finding.fix(format!("write `{near}`"), vec![edit]);
    }
    findings.push(finding);
}

fn integer(node: Node<'_>, least: u32, most: u32, findings: &mut Vec<Diagnostic>) {
    match node.as_int() {
        Some(number) if number >= i128::from(least) && number <= i128::from(most) => {}
        Some(number) => findings.push(
            Diagnostic::error(BAD_VALUE, node.span(), format!("{number} is out of range"))
                .help(format!("write a whole number from {least} to {most}")),
        ),
        None => findings.push(wrong_type(node, "a whole number")),
    }
}

fn value_of<T>(
    node: Node<'_>,
    expected: &str,
    read: fn(&str) -> Option<T>,
    help: &str,
    findings: &mut Vec<Diagnostic>,
) {
    let Some(text) = scalar(node, expected, findings) else { return };
    if read(text).is_none() {
        let message = format!("`{text}` is not {expected}");
        findings.push(Diagnostic::error(BAD_VALUE, node.span(), message).help(help));
    }
}

fn list(node: Node<'_>, item: &Shape, findings: &mut Vec<Diagnostic>) {
    if !node.is_list() {
        findings.push(wrong_type(node, "a list"));
    }
    for child in node.items() {
        check(child, item, findings);
    }
}

fn map(node: Node<'_>, value: &Shape, findings: &mut Vec<Diagnostic>) {
    if !node.is_mapping() && !node.is_null() {
        findings.push(wrong_type(node, "a mapping"));
    }
    for entry in node.entries() {
        check(entry.key, &Shape::Name, findings);
        check(entry.value, value, findings);
    }
}

fn record(node: Node<'_>, record: &Record, findings: &mut Vec<Diagnostic>) {
    if !node.is_mapping() && !node.is_null() {
        findings.push(wrong_type(node, &format!("a mapping that describes {}", record.what)));
        return;
    }
    for entry in node.entries() {
        match record.keys.iter().find(|key| Some(key.name) == entry.key.as_str()) {
            Some(key) => check(entry.value, &key.shape, findings),
            None => unknown_key(node, entry.key, record, findings),
        }
    }
    for key in record.keys.iter().filter(|key| key.required && node.get(key.name).is_none()) {
        if node.tree().is_complete() {
            let message = format!("{} has no `{}`", record.what, key.name);
            findings.push(
                Diagnostic::error(MISSING_KEY, super::first_line(node), message)
                    .help(format!("add `{}`: {}", key.name, key.doc)),
            );
        }
    }
}

fn unknown_key(node: Node<'_>, key: Node<'_>, record: &Record, findings: &mut Vec<Diagnostic>) {
    let text = key.as_str().unwrap_or_default();
    let finding =
        Diagnostic::error(UNKNOWN_KEY, key.span(), format!("{} has no key `{text}`", record.what));
    if findings.len() >= spelling::MOST_ADVISED {
        findings.push(finding);
        return;
    }
    let free = record.keys.iter().map(|key| key.name).filter(|name| node.get(name).is_none());
    findings.push(match spelling::nearest(text, free) {
        Some(near) => {
            let edit = Edit { span: key.span(), replacement: near.to_owned() };
            finding
                .help(format!("did you mean `{near}`?"))
                .fix(format!("rename `{text}` to `{near}`"), vec![edit])
        }
        None => {
            let known: Vec<_> = record.keys.iter().map(|key| format!("`{}`", key.name)).collect();
            finding.help(format!("known keys: {}", known.join(", ")))
        }
    });
}

fn either(node: Node<'_>, shapes: &[Shape], findings: &mut Vec<Diagnostic>) {
    let fits = |shape: &&Shape| match shape {
        Shape::List(_) => node.is_list(),
        Shape::Map(_) | Shape::Record(_) => node.is_mapping(),
        Shape::Either(_) => false,
        _ => node.is_scalar() && !node.is_null(),
    };
    match shapes.iter().find(fits) {
        Some(shape) => check(node, shape, findings),
        None => {
            let kinds: Vec<_> = shapes.iter().map(kind_name).collect();
            findings.push(wrong_type(node, &kinds.join(" or ")));
        }
    }
}

fn kind_name(shape: &Shape) -> &'static str {
    match shape {
        Shape::List(_) => "a list",
        Shape::Map(_) | Shape::Record(_) => "a mapping",
        Shape::Name => "a name",
        Shape::Word(_) => "a word",
        Shape::Integer(..) => "a whole number",
        Shape::Duration => "a duration",
        Shape::Cost => "a cost",
        Shape::Text | Shape::Either(_) => "a text",
    }
}
