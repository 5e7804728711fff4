//! A value with parts that only a run tells: where they are kept, the lines of a shell that fetch
//! them, and what they are once operations have left them.

use std::fmt::Write as _;

use super::{compute, quoted};
use crate::source::SourceId;
use crate::tree::{self, Value as Plain};

/// Fetches what operations have left.
const GIVEN: &str = include_str!("given.sh");
/// Says something to the operator and goes on.
const REMARK: &str = include_str!("remark.sh");
/// Goes into JSON.
const PART: &str = include_str!("part.sh");
/// A value as JSON: what looks like a text is one.
const JSON: &str = "json() {
    case $1 in
    [\\[{]* | true | false) printf %s \"$1\" ;;
    '' | *[!0-9]*) printf '\"%s\"' \"$(printf %s \"$1\" | sed 's/[\\\\\"]/\\\\&/g')\" ;;
    *) printf %s \"$1\" ;;
    esac
}
";

/// What operations have left, by the folder of a node and a name.
pub(crate) type Reading<'r> = dyn Fn(&str, &str) -> Option<String> + 'r;

/// A value in parts.
pub(crate) struct RuntimeValue {
    pub(crate) parts: Vec<Part>,
}

/// A part of a value.
pub(crate) enum Part {
    /// It is known.
    Text(String),
    /// An operation has left it.
    Kept(Box<Kept>),
    /// The items of a list, with a text between them.
    Joined(RuntimeValue, String),
    /// A value as it stands in JSON.
    Json(RuntimeValue),
    /// The number of the instance among those of its node, from 0.
    Index,
    /// One of these, by that number.
    Numbered(Vec<RuntimeValue>),
}

/// What an operation leaves.
pub(crate) struct Kept {
    /// The folder of the node.
    pub(crate) folder: String,
    /// The name of the file.
    pub(crate) name: String,
    /// The way into the value.
    pub(crate) way: Vec<String>,
    /// What it is when no operation has left it.
    pub(crate) known: Option<RuntimeValue>,
}

impl Kept {
    /// What is missing, for people.
    fn describe(&self) -> String {
        let name = self.name.replace('=', ".");
        let way: Vec<&str> =
            std::iter::once(&*name).chain(self.way.iter().map(|it| &**it)).collect();
        format!("`{}` of `{}`", way.join("."), self.folder)
    }
}

impl From<Part> for RuntimeValue {
    fn from(part: Part) -> Self {
        RuntimeValue { parts: vec![part] }
    }
}

impl RuntimeValue {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Part::Text(text.into()).into()
    }

    pub(crate) fn kept(kept: Kept) -> Self {
        Part::Kept(Box::new(kept)).into()
    }

    /// The text, when it is known before anything runs.
    pub(crate) fn plain(&self) -> Option<String> {
        let part = |part: &Part| match part {
            Part::Text(text) => Some(text.clone()),
            _ => None,
        };
        self.parts.iter().map(part).collect()
    }

    /// The value with what operations have left.
    pub(crate) fn with(&self, kept: &Reading<'_>) -> Option<Plain> {
        if let [part] = &self.parts[..] {
            return part.with(kept);
        }
        let is_json = self.parts.iter().any(|part| matches!(part, Part::Json(_)));
        let part = |part: &Part| part.with(kept).map(|value| shown(&value));
        let whole: String = self.parts.iter().map(part).collect::<Option<_>>()?;
        Some(if is_json { typed(whole) } else { Plain::Str(whole) })
    }

    /// What the engine resolves when it needs the value: files among what is shared.
    pub(crate) fn reference(&self) -> String {
        let part = |part: &Part| match part {
            Part::Text(text) => text.clone(),
            Part::Kept(kept) => RuntimeValue::first_of(&files(kept)),
            Part::Joined(found, _) | Part::Json(found) => found.reference(),
            Part::Index | Part::Numbered(_) => String::new(),
        };
        self.parts.iter().map(part).collect()
    }

    /// Whether it differs from instance to instance.
    pub(crate) fn is_numbered(&self) -> bool {
        self.parts.iter().any(|part| match part {
            Part::Index | Part::Numbered(_) => true,
            Part::Text(_) => false,
            Part::Kept(kept) => kept.known.as_ref().is_some_and(RuntimeValue::is_numbered),
            Part::Joined(found, _) | Part::Json(found) => found.is_numbered(),
        })
    }

    /// A reference to the first of some files that is there.
    pub(crate) fn first_of(files: &[String]) -> String {
        format!("${{shared:{}}}", files.join("|"))
    }
}

/// Where a value may be: its file, and those of what it is made of otherwise.
fn files(kept: &Kept) -> Vec<String> {
    let mut all = vec![format!("{}/{}", kept.folder, kept.name)];
    if let Some([Part::Kept(other)]) = kept.known.as_ref().map(|known| &known.parts[..]) {
        all.extend(files(other));
    }
    all
}

impl Part {
    fn with(&self, kept: &Reading<'_>) -> Option<Plain> {
        match self {
            Part::Text(text) => Some(Plain::Str(text.clone())),
            Part::Kept(it) => {
                let left = kept(&it.folder, &it.name).map(typed);
                let left = left.and_then(|value| inside(value, &it.way));
                left.or_else(|| it.known.as_ref()?.with(kept))
            }
            Part::Joined(list, between) => {
                let list = list.with(kept)?;
                compute::function("join", &Plain::List(vec![list, Plain::Str(between.clone())]))
            }
            Part::Json(found) => {
                let text = tree::emit::json(&found.with(kept)?.inline());
                Some(Plain::Str(text.trim_end().to_owned()))
            }
            Part::Index | Part::Numbered(_) => None,
        }
    }
}

/// Goes into a value.
fn inside(mut value: Plain, way: &[String]) -> Option<Plain> {
    for step in way {
        value = match value {
            Plain::List(items) => items.into_iter().nth(step.parse().ok()?)?,
            Plain::Map(entries) => entries.into_iter().find(|(key, _)| key == step)?.1,
            _ => return None,
        };
    }
    Some(value)
}

/// What a script wrote: lists and mappings are JSON, anything else is text.
fn typed(text: String) -> Plain {
    if !text.starts_with(['[', '{']) {
        return Plain::Str(text);
    }
    let (tree, findings) = tree::parse(SourceId(0), &text, &tree::Options::default());
    if findings.is_empty() { tree.root().into() } else { Plain::Str(text) }
}

/// A value for a script: lists and mappings are JSON on one line.
pub(crate) fn shown(value: &Plain) -> String {
    match value {
        Plain::Null => String::new(),
        other => compute::text(other)
            .unwrap_or_else(|| tree::emit::json(&other.clone().inline()).trim_end().to_owned()),
    }
}

/// The lines of a shell that fetch values. A value that is missing ends the script, so each is
/// fetched by a line of its own. On the way down it is empty instead: what failed on the way up has
/// given nothing, and must not keep anything from being taken away.
pub(crate) struct Fetching<'a> {
    /// The folder of the node whose operation it is.
    own: &'a str,
    /// Its name, as its only instance has it.
    name: &'a str,
    /// The operation, when it is one of the way down.
    down: Option<&'a str>,
    body: String,
    number: usize,
    uses_part: bool,
    uses_json: bool,
}

impl<'a> Fetching<'a> {
    pub(crate) fn new(own: &'a str, name: &'a str, down: Option<&'a str>) -> Self {
        let body = String::new();
        Fetching { own, name, down, body, number: 0, uses_part: false, uses_json: false }
    }

    /// Sets a variable.
    pub(crate) fn variable(&mut self, name: &str, found: &RuntimeValue) {
        let text = self.words(found);
        let _ = writeln!(self.body, "{name}=\"{text}\"\nexport {name}");
    }

    /// All lines, with the functions that they call.
    pub(crate) fn lines(&self) -> String {
        let mut lines = GIVEN.to_owned();
        lines.push_str(if self.down.is_some() { REMARK } else { "" });
        lines.push_str(if self.uses_part { PART } else { "" });
        lines.push_str(if self.uses_json { JSON } else { "" });
        lines.push_str(self.body.trim_end());
        lines
    }

    /// What stands between double quotes for a value, after the lines that fetch it.
    fn words(&mut self, found: &RuntimeValue) -> String {
        found.parts.iter().map(|part| self.word(part)).collect()
    }

    fn word(&mut self, part: &Part) -> String {
        let (command, otherwise) = match part {
            Part::Text(text) => return escaped(text),
            Part::Kept(kept) => return self.kept(kept),
            Part::Joined(list, between) => {
                self.uses_part = true;
                let list = self.words(list);
                let command = format!("printf %s \"{list}\" | part join {}", quoted(between));
                (command, "what is to be joined is no list".to_owned())
            }
            Part::Json(found) => {
                self.uses_json = true;
                (format!("json \"{}\"", self.words(found)), "there is no value".to_owned())
            }
            Part::Numbered(all) => return self.numbered(all),
            Part::Index => {
                let name = quoted(self.name);
                let number = "echo $((${WINDLASS_INSTANCE##*-} - 1))";
                let command =
                    format!("case $WINDLASS_INSTANCE in ({name}) echo 0 ;; (*) {number} ;; esac");
                (command, "the instance has no number".to_owned())
            }
        };
        let variable = self.fresh();
        let otherwise = self.otherwise(&variable, &otherwise);
        let _ = writeln!(self.body, "{variable}=$({command}) || {otherwise}");
        format!("${{{variable}}}")
    }

    /// The value of the instance that runs.
    fn numbered(&mut self, all: &[RuntimeValue]) -> String {
        let index = self.word(&Part::Index);
        let variable = self.fresh();
        let _ = writeln!(self.body, "case {index} in");
        for (number, found) in all.iter().enumerate() {
            let _ = writeln!(self.body, "{number})");
            let words = self.words(found);
            let _ = writeln!(self.body, "{variable}=\"{words}\" ;;");
        }
        let missing = ending("there is no value for an instance of this number");
        let _ = writeln!(self.body, "*) {missing} ;;\nesac");
        format!("${{{variable}}}")
    }

    fn kept(&mut self, kept: &Kept) -> String {
        let folder =
            if kept.folder == self.own { "\"$own\"".to_owned() } else { quoted(&kept.folder) };
        let mut command = format!("given {folder} {}", quoted(&kept.name));
        if !kept.way.is_empty() {
            self.uses_part = true;
            let way: Vec<String> = kept.way.iter().map(|step| quoted(step)).collect();
            command = format!("{command} | part {}", way.join(" "));
        }
        let variable = self.fresh();
        match &kept.known {
            Some(known) => {
                let _ = writeln!(self.body, "if {variable}=$({command}); then :; else");
                let words = self.words(known);
                let _ = writeln!(self.body, "{variable}=\"{words}\"; fi");
            }
            None => {
                let missing = format!("no operation has given {}", kept.describe());
                let missing = self.otherwise(&variable, &missing);
                let _ = writeln!(self.body, "{variable}=$({command}) || {missing}");
            }
        }
        format!("${{{variable}}}")
    }

    /// What happens when a value cannot be had.
    fn otherwise(&self, variable: &str, why: &str) -> String {
        match self.down {
            None => ending(why),
            Some(operation) => {
                let why = quoted(&format!("{why}; it is empty for {operation}"));
                format!("{{ remark {why}; {variable}=; }}")
            }
        }
    }

    fn fresh(&mut self) -> String {
        self.number += 1;
        format!("windlass_{}", self.number)
    }
}

/// Says why a script ends, and ends it.
fn ending(why: &str) -> String {
    format!("{{ printf '%s\\n' {} >&2; exit 1; }}", quoted(why))
}

fn escaped(text: &str) -> String {
    let mut all = String::new();
    for c in text.chars() {
        if "\"\\$`".contains(c) {
            all.push('\\');
        }
        all.push(c);
    }
    all
}
