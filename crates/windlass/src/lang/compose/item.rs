//! Values that are merged: like a tree, but owned, changeable, and with a place for each value.
//!
//! Several files become one value here. Every part keeps the place it came from, and a value that
//! won over another keeps the place of the one that lost, so that a finding can say both.

use std::collections::BTreeMap;

use crate::diagnostic::Diagnostic;
use crate::lang::base64::is_base64;
use crate::source::Span;
use crate::tree::{Kind, Node, Scalar, Style};

/// What is said about the place of a value that lost.
pub(crate) const OVERRIDES: &str = "it overrides the value written here";

/// A value with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// What it is.
    pub data: Data,
    /// Where it was written.
    pub span: Span,
    /// Where the value was written that this one replaces.
    pub(crate) replaced: Option<Span>,
    /// How it is merged.
    pub(crate) tag: Tag,
}

/// What a value is.
#[derive(Debug, Clone, PartialEq)]
pub enum Data {
    /// Null.
    Null,
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i128),
    /// Any other number.
    Float(f64),
    /// Text.
    Str(String),
    /// A list.
    List(Vec<Item>),
    /// A mapping, by key.
    Map(Map),
}

/// A mapping.
pub(crate) type Map = BTreeMap<String, Entry>;

/// One entry of a mapping.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Where the key was written.
    pub(crate) key: Span,
    /// The value.
    pub item: Item,
}

/// The tag with which Compose lets an override take something away.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Tag {
    /// None of these.
    #[default]
    None,
    /// `!reset`: what the files before say is forgotten, and so is this value.
    Reset,
    /// `!override`: what the files before say is forgotten.
    Override,
}

impl Item {
    /// A value at a place.
    pub(crate) fn new(data: Data, span: Span) -> Self {
        Item { data, span, replaced: None, tag: Tag::None }
    }

    /// Text at a place.
    pub(crate) fn text(text: impl Into<String>, span: Span) -> Self {
        Item::new(Data::Str(text.into()), span)
    }

    /// An empty mapping at a place.
    pub(crate) fn empty_map(span: Span) -> Self {
        Item::new(Data::Map(Map::new()), span)
    }

    /// The value of a key of a mapping; null counts as not there.
    pub fn get(&self, key: &str) -> Option<&Item> {
        let item = &self.map()?.get(key)?.item;
        (item.data != Data::Null).then_some(item)
    }

    /// The value at the end of a path of keys.
    pub fn at(&self, path: &[&str]) -> Option<&Item> {
        path.iter().try_fold(self, |item, key| item.get(key))
    }

    /// The mapping, if it is one.
    pub fn map(&self) -> Option<&Map> {
        match &self.data {
            Data::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The mapping, if it is one.
    pub(crate) fn map_mut(&mut self) -> Option<&mut Map> {
        match &mut self.data {
            Data::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The entries of a mapping; nothing for other values.
    pub fn entries(&self) -> impl Iterator<Item = (&String, &Entry)> {
        self.map().into_iter().flatten()
    }

    /// The items of a list; nothing for other values.
    pub fn items(&self) -> &[Item] {
        match &self.data {
            Data::List(items) => items,
            _ => &[],
        }
    }

    /// The text, if it is text.
    pub fn as_str(&self) -> Option<&str> {
        match &self.data {
            Data::Str(text) => Some(text),
            _ => None,
        }
    }

    /// The boolean, also when it was written as a word.
    pub fn as_bool(&self) -> Option<bool> {
        match &self.data {
            Data::Bool(value) => Some(*value),
            Data::Str(text) => super::cast::boolean(text),
            _ => None,
        }
    }

    /// The number, also when it was written as text.
    pub fn as_int(&self) -> Option<i128> {
        match &self.data {
            Data::Int(value) => Some(*value),
            Data::Float(value) if value.fract() == 0.0 => Some(*value as i128),
            Data::Str(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    /// A scalar as text; empty for null, lists and mappings.
    pub fn plain(&self) -> String {
        match &self.data {
            Data::Bool(value) => value.to_string(),
            // What has more than 64 bits is a number like any other for Go.
            Data::Int(value) if !(i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(value) => {
                float(*value as f64)
            }
            Data::Int(value) => value.to_string(),
            Data::Float(value) => float(*value),
            Data::Str(text) => text.clone(),
            Data::Null | Data::List(_) | Data::Map(_) => String::new(),
        }
    }

    /// Whether this is null, a boolean, a number or text.
    pub fn is_scalar(&self) -> bool {
        !matches!(self.data, Data::List(_) | Data::Map(_))
    }

    /// What it is, for messages.
    pub(crate) fn kind_name(&self) -> &'static str {
        match &self.data {
            Data::Null => "null",
            Data::Bool(_) => "a boolean",
            Data::Int(_) => "an integer",
            Data::Float(_) => "a number",
            Data::Str(_) => "a string",
            Data::List(_) => "a list",
            Data::Map(_) => "a mapping",
        }
    }

    /// An error at this value, which says what it replaced.
    pub(crate) fn error(&self, code: &'static str, message: impl Into<String>) -> Diagnostic {
        self.explain(Diagnostic::error(code, self.span, message))
    }

    /// A finding at this value with the place of the value that it replaced.
    pub(crate) fn explain(&self, finding: Diagnostic) -> Diagnostic {
        match self.replaced {
            Some(span) => finding.label(span, OVERRIDES),
            None => finding,
        }
    }
}

/// A number as Go prints it, and so Compose: the fewest digits, with an exponent from a million on
/// and below a ten-thousandth.
fn float(value: f64) -> String {
    if value.is_infinite() {
        return if value > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    let exponent = format!("{value:e}");
    let power =
        exponent.split_once('e').and_then(|(digits, power)| Some((digits, power.parse().ok()?)));
    let Some((digits, power)): Option<(&str, i32)> = power else { return value.to_string() };
    if (-4..6).contains(&power) {
        return value.to_string();
    }
    let sign = if power < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", power.abs())
}

/// Whether two values say the same, wherever they say it.
pub(crate) fn same(a: &Item, b: &Item) -> bool {
    match (&a.data, &b.data) {
        (Data::List(a), Data::List(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Data::Map(a), Data::Map(b)) => {
            let same_entry = |((k, a), (l, b)): ((&String, &Entry), (&String, &Entry))| {
                k == l && same(&a.item, &b.item)
            };
            a.len() == b.len() && a.iter().zip(b).all(same_entry)
        }
        (a, b) => a == b,
    }
}

/// The value of a node. Keys that are no text are reported; a tree is never deeper than its limit,
/// so that the recursion is bounded.
pub(crate) fn from_node(
    node: Node<'_>,
    path: &mut Vec<String>,
    findings: &mut Vec<Diagnostic>,
) -> Item {
    let data = match node.kind() {
        Kind::Scalar(scalar) => {
            report_date(node, scalar, path, findings);
            report_tag(node, scalar, findings);
            // A tag of one's own makes text of whatever follows.
            match node.as_str().filter(|_| is_own_tag(node.tag())) {
                Some(text) => Data::Str(text.to_owned()),
                None => scalar_data(scalar),
            }
        }
        Kind::List => Data::List(
            node.items()
                .enumerate()
                .map(|(at, item)| {
                    path.push(format!("[{at}]"));
                    let item = from_node(item, path, findings);
                    path.pop();
                    item
                })
                .collect(),
        ),
        Kind::Mapping => Data::Map(from_mapping(node, path, findings)),
    };
    let tag = match node.tag() {
        Some("!reset") => Tag::Reset,
        Some("!override") => Tag::Override,
        _ => Tag::None,
    };
    Item { data, span: node.span(), replaced: None, tag }
}

fn from_mapping(node: Node<'_>, path: &mut Vec<String>, findings: &mut Vec<Diagnostic>) -> Map {
    let mut map = Map::new();
    for entry in node.entries() {
        let Some(name) = entry.key.as_text() else {
            let place = if path.is_empty() { "at the top".to_owned() } else { path.join(".") };
            let place = place.replace(".[", "[");
            let message = format!("a key that is no text, in {place}: {}", entry.name());
            let help = "put the key in quotes";
            findings.push(Diagnostic::error(super::SHAPE, entry.key.span(), message).help(help));
            continue;
        };
        path.push(name.to_owned());
        let item = from_node(entry.value, path, findings);
        path.pop();
        map.entry(name.to_owned()).or_insert(Entry { key: entry.key.span(), item });
    }
    map
}

/// Compose takes a date without quotes for a time, which fits nowhere but in extensions.
fn report_date(
    node: Node<'_>,
    scalar: Scalar<'_>,
    path: &[String],
    findings: &mut Vec<Diagnostic>,
) {
    let Scalar::Str(text) = scalar else { return };
    let is_free = path.iter().any(|part| part.starts_with("x-"));
    let is_plain = node.style() == Some(Style::Plain) && node.tag().is_none();
    let is_time = is_plain || node.tag() == Some("!!timestamp");
    if is_free || !is_time || !is_date(text) {
        return;
    }
    let message =
        format!("`{}` is a date for Compose, and no text", path.join(".").replace(".[", "["));
    let help = format!("put it in quotes: \"{text}\"");
    findings.push(Diagnostic::error(super::SHAPE, node.span(), message).help(help));
}

/// A tag of YAML that its value belies.
fn report_tag(node: Node<'_>, scalar: Scalar<'_>, findings: &mut Vec<Diagnostic>) {
    let (Some(tag), Scalar::Str(text)) = (node.tag(), scalar) else { return };
    let is_good = match tag {
        "!!int" | "!!float" | "!!bool" | "!!null" => false,
        "!!binary" => is_base64(&text.replace(['\n', '\r'], "")),
        "!!timestamp" => is_date(text),
        _ => true,
    };
    if !is_good {
        let message = format!("`{text}` is not what its tag `{tag}` says");
        let help = "remove the tag, or write what it says";
        findings.push(Diagnostic::error(super::SHAPE, node.span(), message).help(help));
    }
}

fn is_own_tag(tag: Option<&str>) -> bool {
    tag.is_some_and(|tag| {
        !tag.starts_with("!!") && !matches!(tag, "!" | "!reset" | "!override") && tag.len() > 1
    })
}

/// `2020-1-31`, alone or with a time behind it.
fn is_date(text: &str) -> bool {
    let (date, time) = match text.find(['T', 't', ' ']) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    };
    let parts: Vec<&str> = date.split('-').collect();
    let number = |text: &str, most: u32| {
        text.len() <= 2 && text.parse::<u32>().is_ok_and(|number| (1..=most).contains(&number))
    };
    let [year, month, day] = parts[..] else { return false };
    let is_day = year.len() == 4
        && year.bytes().all(|byte| byte.is_ascii_digit())
        && number(month, 12)
        && number(day, 31);
    is_day
        && time.is_none_or(|time| {
            let clock: Vec<&str> = time.splitn(3, ':').collect();
            clock.len() == 3
                && clock.iter().all(|part| part.starts_with(|c: char| c.is_ascii_digit()))
        })
}

fn scalar_data(scalar: Scalar<'_>) -> Data {
    match scalar {
        Scalar::Null => Data::Null,
        Scalar::Bool(value) => Data::Bool(value),
        Scalar::Int(value) => Data::Int(value),
        Scalar::BigInt(text) => match text.replace('_', "").parse::<f64>() {
            Ok(number) if number.is_finite() => Data::Float(number),
            // Too large for any number, or not a decimal one: Compose has a text then.
            _ => Data::Str(text.to_owned()),
        },
        Scalar::Float(value) => Data::Float(value),
        Scalar::Str(text) => Data::Str(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::{float, is_date};

    #[test]
    fn dates_of_yaml() {
        for text in ["2020-01-01", "2020-1-1", "2020-01-01T10:00:00Z", "2020-01-01 10:00:00"] {
            assert!(is_date(text), "{text}");
        }
        for text in ["2020-13-01", "20-01-01", "2020-01", "2020-01-01-x", "a-b-c", "2020-01-01 x"] {
            assert!(!is_date(text), "{text}");
        }
    }

    #[test]
    fn numbers_as_compose_writes_them() {
        let all = [(1e5, "100000"), (1e6, "1e+06"), (1_234_567.5, "1.2345675e+06"), (3.0, "3")];
        let more = [(1e-5, "1e-05"), (0.0001, "0.0001"), (-0.0, "-0"), (f64::INFINITY, "+Inf")];
        for (number, text) in all.into_iter().chain(more) {
            assert_eq!(float(number), text);
        }
        assert_eq!(float(f64::NAN), "NaN");
    }
}
