//! Values as text: YAML that a person would write, and JSON.
//!
//! Invariant: every text printed here reads back as the same value, with every [`super::Schema`]
//! (property test). Strings are quoted only when they have to be. Printing needs no recursion.

use std::fmt::Write as _;

use super::{Scalar, Schema, Value};

/// Keys longer than this are written in the form `? key`, for which no limit is known.
const LONG_KEY: usize = 200;

/// YAML, in block style except for [`Value::Inline`]; ends with a line break.
pub fn yaml(value: &Value) -> String {
    let mut printer = Printer { out: String::new(), open: Vec::new() };
    printer.value(value, 0, Position::Root);
    while let Some(frame) = printer.open.last_mut() {
        let Some(child) = frame.children.next() else {
            printer.open.pop();
            continue;
        };
        let indent = frame.indent;
        if !std::mem::take(&mut frame.on_line) {
            spaces(&mut printer.out, indent);
        }
        match child {
            Child::Item(value) => {
                printer.out.push('-');
                printer.value(value, indent, Position::Item);
            }
            Child::Entry(key, value) => {
                if printer.key(key) {
                    printer.out.push('\n');
                    spaces(&mut printer.out, indent);
                }
                printer.out.push(':');
                printer.value(value, indent, Position::Entry);
            }
        }
    }
    printer.out
}

/// JSON, indented by two except for [`Value::Inline`]; ends with a line break. Numbers that JSON
/// cannot write (infinity, not a number) become null.
pub fn json(value: &Value) -> String {
    enum Task<'v> {
        Value(&'v Value, usize),
        Entry(&'v str, &'v Value, usize),
        Line(&'static str, usize),
    }
    let mut out = String::new();
    let mut tasks = vec![Task::Value(value, 0)];
    while let Some(task) = tasks.pop() {
        let (value, indent) = match task {
            Task::Line(text, indent) => {
                line(&mut out, text, indent);
                continue;
            }
            Task::Entry(key, value, indent) => {
                double_quoted(&mut out, key);
                out.push_str(": ");
                (value, indent)
            }
            Task::Value(value, indent) => (value, indent),
        };
        let inner = indent + 2;
        match value {
            Value::List(items) if !items.is_empty() => {
                out.push('[');
                tasks.push(Task::Line("]", indent));
                for (at, item) in items.iter().enumerate().rev() {
                    tasks.push(Task::Value(item, inner));
                    tasks.push(Task::Line(if at > 0 { "," } else { "" }, inner));
                }
            }
            Value::Map(entries) if !entries.is_empty() => {
                out.push('{');
                tasks.push(Task::Line("}", indent));
                for (at, (key, value)) in entries.iter().enumerate().rev() {
                    tasks.push(Task::Entry(key, value, inner));
                    tasks.push(Task::Line(if at > 0 { "," } else { "" }, inner));
                }
            }
            value => flow(&mut out, value, Notation::Json),
        }
    }
    out.push('\n');
    out
}

/// A comma belongs before the line break, a bracket behind it.
fn line(out: &mut String, text: &'static str, indent: usize) {
    if text == "," {
        out.push_str(text);
    }
    out.push('\n');
    spaces(out, indent);
    if text != "," {
        out.push_str(text);
    }
}

enum Child<'v> {
    Item(&'v Value),
    Entry(&'v str, &'v Value),
}

/// A list or mapping that is being printed in block style.
struct Frame<'v> {
    children: Box<dyn Iterator<Item = Child<'v>> + 'v>,
    indent: usize,
    /// Whether the first child goes on behind a `-` that is already there.
    on_line: bool,
}

/// What stands before a value on its line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    /// Nothing.
    Root,
    /// `-`
    Item,
    /// `key:`
    Entry,
}

struct Printer<'v> {
    out: String,
    open: Vec<Frame<'v>>,
}

impl<'v> Printer<'v> {
    /// Prints a value behind what stands at `indent` already.
    fn value(&mut self, value: &'v Value, indent: usize, position: Position) {
        let children: Box<dyn Iterator<Item = Child<'v>> + 'v> = match value {
            Value::List(items) if !items.is_empty() => Box::new(items.iter().map(Child::Item)),
            Value::Map(entries) if !entries.is_empty() => {
                Box::new(entries.iter().map(|(key, value)| Child::Entry(key, value)))
            }
            other => return self.scalar_or_flow(other, indent, position),
        };
        let (indent, on_line) = match position {
            Position::Root => (0, true),
            Position::Item => (indent + 2, true),
            Position::Entry => (indent + 2, false),
        };
        self.out.push_str(match position {
            Position::Root => "",
            Position::Item => " ",
            Position::Entry => "\n",
        });
        self.open.push(Frame { children, indent, on_line });
    }

    fn scalar_or_flow(&mut self, value: &Value, indent: usize, position: Position) {
        if position != Position::Root {
            self.out.push(' ');
        }
        match value {
            Value::Str(text) if is_literal(text) => literal(&mut self.out, text, indent + 2),
            value => flow(&mut self.out, value, Notation::Block),
        }
        self.out.push('\n');
    }

    /// Prints a key without its colon; says whether the colon belongs on a line of its own.
    fn key(&mut self, key: &str) -> bool {
        let mut text = String::new();
        string(&mut text, key, Notation::Block);
        let long = text.len() > LONG_KEY;
        if long {
            self.out.push_str("? ");
        }
        self.out.push_str(&text);
        long
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Notation {
    /// YAML outside of brackets.
    Block,
    /// YAML within brackets.
    Flow,
    /// JSON.
    Json,
}

/// Prints a value on one line.
fn flow(out: &mut String, value: &Value, notation: Notation) {
    enum Task<'v> {
        Value(&'v Value, Notation),
        Key(&'v str),
        Text(&'static str),
    }
    let inner = if notation == Notation::Json { Notation::Json } else { Notation::Flow };
    let mut tasks = vec![Task::Value(value, notation)];
    while let Some(task) = tasks.pop() {
        match task {
            Task::Text(text) => out.push_str(text),
            Task::Key(key) => {
                string(out, key, inner);
                out.push_str(": ");
            }
            Task::Value(value, notation) => match value.shape() {
                Value::List(items) => {
                    out.push('[');
                    tasks.push(Task::Text("]"));
                    for (at, item) in items.iter().enumerate().rev() {
                        tasks.push(Task::Value(item, inner));
                        tasks.push(Task::Text(if at > 0 { ", " } else { "" }));
                    }
                }
                Value::Map(entries) => {
                    out.push('{');
                    tasks.push(Task::Text("}"));
                    for (at, (key, value)) in entries.iter().enumerate().rev() {
                        tasks.push(Task::Value(value, inner));
                        tasks.push(Task::Key(key));
                        tasks.push(Task::Text(if at > 0 { ", " } else { "" }));
                    }
                }
                scalar => write_scalar(out, scalar, notation),
            },
        }
    }
}

/// A scalar that is no text, as it stands in YAML.
pub(super) fn scalar(value: &Value) -> String {
    let mut out = String::new();
    write_scalar(&mut out, value, Notation::Block);
    out
}

fn write_scalar(out: &mut String, value: &Value, notation: Notation) {
    match value {
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Int(value) => {
            // Writing to a string cannot fail.
            let _ = write!(out, "{value}");
        }
        Value::Float(value) => float(out, *value, notation),
        Value::Str(text) => string(out, text, notation),
        _ => out.push_str("null"),
    }
}

/// A float with a dot, and a sign in the exponent, because one loader insists on both.
fn float(out: &mut String, value: f64, notation: Notation) {
    if !value.is_finite() {
        out.push_str(match (notation, value.is_nan(), value > 0.0) {
            (Notation::Json, ..) => "null",
            (_, true, _) => ".nan",
            (_, false, true) => ".inf",
            (_, false, false) => "-.inf",
        });
        return;
    }
    let text = format!("{value:?}");
    let Some((mantissa, exponent)) = text.split_once('e') else {
        out.push_str(&text);
        return;
    };
    out.push_str(mantissa);
    out.push_str(if mantissa.contains('.') { "e" } else { ".0e" });
    out.push_str(if exponent.starts_with('-') { "" } else { "+" });
    out.push_str(exponent);
}

fn string(out: &mut String, text: &str, notation: Notation) {
    if notation != Notation::Json && is_plain(text, notation == Notation::Flow) {
        out.push_str(text);
    } else {
        double_quoted(out, text);
    }
}

/// Whether a text means itself without quotes, for every loader.
fn is_plain(text: &str, in_flow: bool) -> bool {
    let bytes = text.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else { return false };
    if b"-?:,[]{}#&*!|>'\"%@`=<~. \t".contains(first) || matches!(last, b' ' | b'\t' | b':') {
        return false;
    }
    let harmless = text.chars().all(|c| !must_escape(c) && c != '\t');
    let separator = text.contains(": ") || text.contains(" #");
    let bracket = in_flow && text.contains([',', '[', ']', '{', '}', ':']);
    if !harmless || separator || bracket {
        return false;
    }
    let is_text = |schema: Schema| matches!(schema.resolve(text), Scalar::Str(_));
    [Schema::Core, Schema::Yaml11, Schema::Go].into_iter().all(is_text)
        && !matches!(text, "y" | "Y" | "n" | "N")
        && !looks_like_a_date(bytes)
}

/// Dates are values of their own for some loaders: four digits and a dash.
fn looks_like_a_date(bytes: &[u8]) -> bool {
    bytes.len() >= 8 && bytes[4] == b'-' && bytes[..4].iter().all(u8::is_ascii_digit)
}

/// Characters that YAML or JSON cannot hold as they are, or that are invisible.
fn must_escape(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}')
}

/// Double quotes with the escapes that JSON and YAML share.
fn double_quoted(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if must_escape(c) => {
                // Writing to a string cannot fail; all these characters have four digits.
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Whether a text of several lines can be written as a literal block.
fn is_literal(text: &str) -> bool {
    let body = text.strip_suffix('\n').unwrap_or(text);
    let printable = |line: &str| !line.chars().any(must_escape) && !line.ends_with([' ', '\t']);
    text.contains('\n')
        && !body.ends_with('\n')
        && !body.is_empty()
        && !body.starts_with([' ', '\t', '\n'])
        && body.split('\n').all(printable)
}

fn literal(out: &mut String, text: &str, indent: usize) {
    let body = text.strip_suffix('\n');
    out.push_str(if body.is_some() { "|" } else { "|-" });
    for line in body.unwrap_or(text).split('\n') {
        out.push('\n');
        if !line.is_empty() {
            spaces(out, indent);
            out.push_str(line);
        }
    }
}

fn spaces(out: &mut String, count: usize) {
    out.extend(std::iter::repeat_n(' ', count));
}
