//! Reading `windlass.toml`: everything that is wrong with it at once, each at its place.

use std::ops::Range;
use std::path::Path;

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use windlass::diagnostic::{Diagnostic, Severity};
use windlass::lang::tosca::switches::Switches;
use windlass::rule;
use windlass::source::{SourceId, Span};
use windlass::spelling;

use super::{Override, Selection, Settings, Wanted, covers};
use crate::suppress::unknown_code;

/// The settings in a text, and what is wrong with it, before the text has a place among others.
/// `folder` is where the file is.
pub(super) fn settings(text: &str, folder: &Path) -> (Settings, Vec<Diagnostic>) {
    let mut reader = Reader { folder, findings: Vec::new() };
    let root = match DeTable::parse(text) {
        Ok(root) => root,
        Err(error) => {
            // What follows the first error mostly follows from it, so nothing else is said or used.
            let at = span(error.span().unwrap_or_default());
            let finding = Diagnostic::error("CFG001", at, lower_first(error.message()));
            return (Settings::default(), vec![finding]);
        }
    };
    let mut settings = Settings::default();
    for (key, value) in root.get_ref() {
        match key.get_ref().as_ref() {
            "check" => reader.check(value, &mut settings),
            "tosca" => reader.tosca(value, &mut settings),
            other => reader.unknown_key(key.span(), other, &["check", "tosca"]),
        }
    }
    (settings, reader.findings)
}

struct Reader<'a> {
    folder: &'a Path,
    findings: Vec<Diagnostic>,
}

type Value<'a> = Spanned<DeValue<'a>>;

impl Reader<'_> {
    fn check(&mut self, value: &Value<'_>, settings: &mut Settings) {
        let Some(table) = self.table(value) else { return };
        for (key, value) in table {
            let name = key.get_ref().as_ref();
            if name == "exclude" {
                settings.exclude = Some(self.paths(value));
            } else if name == "override" {
                for one in self.list(value, "tables") {
                    settings.overrides.extend(self.override_(one));
                }
            } else if !self.selection(name, value, &mut settings.base) {
                let known = ["exclude", "select", "ignore", "severity", "override"];
                self.unknown_key(key.span(), name, &known);
            }
        }
    }

    fn tosca(&mut self, value: &Value<'_>, settings: &mut Settings) {
        let Some(table) = self.table(value) else { return };
        for (key, value) in table {
            let name = key.get_ref().as_ref();
            if name != "quirks" {
                self.unknown_key(key.span(), name, &["quirks"]);
                continue;
            }
            for (quirk, range) in self.strings(value) {
                if !settings.quirks.switch_on(&quirk) {
                    let near = spelling::nearest(&quirk, Switches::names());
                    let help = near.map_or_else(
                        || spelling::known("quirk", Switches::names()),
                        |near| format!("did you mean `{near}`?"),
                    );
                    self.wrong(range, format!("there is no quirk `{quirk}`"), help);
                }
            }
        }
    }

    fn override_(&mut self, value: &Value<'_>) -> Option<Override> {
        let table = self.table(value)?;
        let mut selection = Selection::default();
        let mut paths = None;
        for (key, value) in table {
            let name = key.get_ref().as_ref();
            if name == "paths" {
                paths = Some(self.paths(value));
            } else if !self.selection(name, value, &mut selection) {
                let known = ["paths", "select", "ignore", "severity"];
                self.unknown_key(key.span(), name, &known);
            }
        }
        if paths.is_none() {
            let message = "this override does not say which files it is about";
            self.wrong(value.span(), message, "add `paths = [\"...\"]`");
        }
        Some(Override { paths: paths?, selection })
    }

    /// Reads a key that a selection has; no when it has no such key.
    fn selection(&mut self, name: &str, value: &Value<'_>, selection: &mut Selection) -> bool {
        match name {
            "select" => selection.select = Some(self.codes(value)),
            "ignore" => selection.ignore = self.codes(value),
            "severity" => {
                let Some(table) = self.table(value) else { return true };
                for (key, value) in table {
                    let code = key.get_ref().to_string();
                    if rule::find(&code).is_none() {
                        let finding = unknown_code(&code, span(key.span()));
                        self.findings.push(finding);
                    }
                    if let Some(severity) = self.severity(value) {
                        selection.severity.insert(code, severity);
                    }
                }
            }
            _ => return false,
        }
        true
    }

    fn codes(&mut self, value: &Value<'_>) -> Vec<String> {
        let mut codes = Vec::new();
        for (code, range) in self.strings(value) {
            if !rule::all().iter().any(|rule| covers(&code, rule.code)) {
                self.findings.push(unknown_code(&code, span(range)));
            }
            codes.push(code);
        }
        codes
    }

    fn severity(&mut self, value: &Value<'_>) -> Option<Wanted> {
        match value.get_ref().as_str() {
            Some("error") => Some(Wanted::As(Severity::Error)),
            Some("warning") => Some(Wanted::As(Severity::Warning)),
            Some("note") => Some(Wanted::As(Severity::Note)),
            Some("off") => Some(Wanted::Off),
            _ => {
                let help = "write \"error\", \"warning\", \"note\" or \"off\"";
                self.wrong(value.span(), "this is not a severity", help);
                None
            }
        }
    }

    fn paths(&mut self, value: &Value<'_>) -> Gitignore {
        let mut builder = GitignoreBuilder::new(self.folder);
        for (pattern, range) in self.strings(value) {
            if let Err(error) = builder.add_line(None, &pattern) {
                let message = format!("this is not a pattern of paths: {error}");
                self.wrong(range, message, "patterns are those of .gitignore");
            }
        }
        builder.build().unwrap_or_else(|_| Gitignore::empty())
    }

    fn strings(&mut self, value: &Value<'_>) -> Vec<(String, Range<usize>)> {
        let mut strings = Vec::new();
        for item in self.list(value, "strings") {
            match item.get_ref().as_str() {
                Some(text) => strings.push((text.to_owned(), item.span())),
                None => self.wrong(item.span(), "this is not a string", "put it in quotes"),
            }
        }
        strings
    }

    fn list<'v, 'i>(&mut self, value: &'v Value<'i>, of: &str) -> &'v [Value<'i>] {
        if let Some(list) = value.get_ref().as_array() {
            return list;
        }
        let help = format!("write a list of {of}");
        self.wrong(value.span(), format!("expected a list, found {}", kind(value)), help);
        &[]
    }

    fn table<'v, 'i>(&mut self, value: &'v Value<'i>) -> Option<&'v DeTable<'i>> {
        let table = value.get_ref().as_table();
        if table.is_none() {
            let message = format!("expected a table, found {}", kind(value));
            self.wrong(value.span(), message, "write a table of keys and values");
        }
        table
    }

    fn wrong(&mut self, range: Range<usize>, message: impl Into<String>, help: impl Into<String>) {
        self.findings.push(Diagnostic::error("CFG003", span(range), message).help(help));
    }

    fn unknown_key(&mut self, range: Range<usize>, name: &str, known: &[&str]) {
        let message = format!("`{name}` is not a setting");
        let finding = Diagnostic::error("CFG002", span(range), message);
        self.findings.push(match spelling::nearest(name, known.iter().copied()) {
            Some(near) => finding.help(format!("did you mean `{near}`?")),
            None => finding.help(format!("known here: {}", known.join(", "))),
        });
    }
}

fn span(range: Range<usize>) -> Span {
    Span { source: SourceId(0), start: range.start as u32, end: range.end as u32 }
}

fn kind(value: &Value<'_>) -> &'static str {
    match value.get_ref() {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

fn lower_first(message: &str) -> String {
    let mut characters = message.chars();
    characters.next().map(|c| c.to_lowercase().chain(characters).collect()).unwrap_or_default()
}
