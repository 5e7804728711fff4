//! The walk over a file beside the tables.

use super::super::codes;
use super::super::quirks;
use super::super::switches;
use super::super::version::Version;
use super::{Entity, Key, Others, Shape, Short};
use crate::diagnostic::{Diagnostic, Severity};
use crate::source::Span;
use crate::spelling;
use crate::tree::{Entry, Node};

/// Compares a node with an entity; `name` is the place to point at when something is missing.
pub(crate) fn check(
    node: Node<'_>,
    name: Span,
    entity: &'static Entity,
    version: Version,
    findings: &mut Vec<Diagnostic>,
) {
    Walk { version, findings }.entity(node, name, entity);
}

struct Walk<'a> {
    version: Version,
    findings: &'a mut Vec<Diagnostic>,
}

impl Walk<'_> {
    fn entity(&mut self, node: Node<'_>, name: Span, entity: &'static Entity) {
        if !node.is_mapping() {
            return self.short(node, name, entity);
        }
        if entity.short == Short::Value && is_value(node, entity) && !self.version.is_2() {
            self.shape(node, &with_article(entity.word), "a map with a `type`");
            return self.tolerate(true);
        }
        for entry in node.entries() {
            self.entry(node, entry, entity);
        }
        self.missing(node, name, entity);
    }

    /// What stands in place of a mapping.
    fn short(&mut self, node: Node<'_>, name: Span, entity: &'static Entity) {
        let fits = match entity.short {
            Short::Any => true,
            Short::Value => self.version.is_2(),
            Short::Text => node.as_text().is_some(),
            Short::TextOrList => node.as_text().is_some() || node.is_list(),
            Short::No => false,
        };
        if node.is_null() {
            return self.missing(node, name, entity);
        }
        if !fits {
            let wanted = if matches!(entity.short, Short::No | Short::Value) {
                "a map"
            } else {
                "a map or a string"
            };
            self.shape(node, &with_article(entity.word), wanted);
            self.tolerate(entity.short == Short::Value);
            if entity.word == "operation" && node.is_list() {
                self.quirk(switches::LISTED_OPERATIONS);
            }
        }
    }

    fn entry(&mut self, parent: Node<'_>, entry: Entry<'_>, entity: &'static Entity) {
        let known = |key: &&Key| key.name == entry.name();
        let key = entity.keys.iter().filter(known).find(|key| key.is_in(self.version));
        if let Some(key) = key {
            return self.value(entry, key.shape);
        }
        match entity.others {
            Others::Free => {}
            // With a type it is a definition, which has keys of its own.
            Others::FreeValue if parent.get("type").is_none_or(|of| of.as_text().is_none()) => {}
            Others::Named(other, until) if self.version <= until => {
                self.entity(entry.value, entry.key.span(), other);
            }
            _ => self.unknown(parent, entry, entity),
        }
    }

    fn unknown(&mut self, parent: Node<'_>, entry: Entry<'_>, entity: &'static Entity) {
        let name = entry.name();
        let message = format!("{} has no key `{name}`", with_article(entity.word));
        let finding = Diagnostic::error(codes::UNKNOWN_KEY, entry.key.span(), message);
        let elsewhere = entity.keys.iter().find(|key| key.name == name);
        let finding = if let Some(key) = elsewhere {
            let words = if key.since > self.version {
                format!("`{name}` exists from version {} on", key.since.as_str())
            } else {
                format!("`{name}` exists up to version {}", key.until.as_str())
            };
            finding.help(format!("{words}; this file is in {}", self.version.as_str()))
        } else {
            let free = |key: &&Key| key.is_in(self.version) && parent.get(key.name).is_none();
            let names = entity.keys.iter().filter(free).map(|key| key.name);
            match spelling::advice("key", name, names, self.findings.len()) {
                Some(advice) => finding.help(advice),
                None => finding,
            }
        };
        self.findings.push(finding);
        // A word that tools show, in some files of types.
        let is_shown = name == "short_name" && entity.word.ends_with(" type");
        let is_later = elsewhere.is_some_and(|key| key.since > self.version && !key.since.is_2());
        self.tolerate(is_later || is_shown);
        if elsewhere.is_some_and(|key| self.version.is_2() && !key.until.is_2()) {
            self.quirk(switches::KEYS_OF_1_3);
        } else if switches::is_key_of_tacker(entity.word, name) {
            self.quirk(switches::POLICIES_OF_TACKER);
        }
    }

    fn missing(&mut self, node: Node<'_>, name: Span, entity: &'static Entity) {
        for key in entity.keys.iter().filter(|key| key.mandatory && key.is_in(self.version)) {
            // What a template copies, it need not write.
            let is_copied = key.name == "type" && node.get("copy").is_some();
            // A key that is misspelled is not missing, too.
            let is_misspelled = || {
                let is_key = |name: &str| entity.keys.iter().any(|key| key.name == name);
                let names = || entity.keys.iter().map(|key| key.name);
                let unknown = node.entries().map(|it| it.name()).filter(|it| !is_key(it));
                let free = || names().filter(|name| node.get(name).is_none());
                let meant = unknown.filter_map(|it| spelling::nearest(it, free()));
                meant.into_iter().any(|meant| meant == key.name)
            };
            if node.get(key.name).is_none() && !is_copied && !is_misspelled() {
                let message = format!("this {} has no `{}`", entity.word, key.name);
                self.findings.push(Diagnostic::error(codes::MISSING_KEY, name, message));
            }
        }
    }

    fn shape(&mut self, node: Node<'_>, what: &str, wanted: &str) {
        let message = format!("{what} must be {wanted}, this is {}", node.kind_name());
        self.findings.push(Diagnostic::error(codes::WRONG_SHAPE, node.span(), message));
    }

    /// Says which quirk tolerates the last finding.
    fn quirk(&mut self, quirk: &'static str) {
        if let Some(last) = self.findings.last_mut() {
            last.quirk = Some(quirk);
        }
    }

    /// Makes the last finding a warning when it is one of the things that are tolerated.
    fn tolerate(&mut self, is_quirk: bool) {
        if is_quirk
            && quirks::are_tolerated(self.version)
            && let Some(last) = self.findings.last_mut()
        {
            last.severity = Severity::Warning;
        }
    }

    /// The value of a keyname.
    fn value(&mut self, entry: Entry<'_>, shape: Shape) {
        let node = entry.value;
        let what = format!("`{}`", entry.name());
        // An empty section is tolerated before 2.0.
        if node.is_null() && !self.version.is_2() && !matches!(shape, Shape::Text) {
            return;
        }
        let (fits, wanted) = match shape {
            Shape::Any => return,
            Shape::Text => (node.as_text().is_some(), "a string"),
            Shape::Word(words) => return self.word(entry, words),
            Shape::Bool => (node.as_bool().is_some(), "a boolean"),
            Shape::Version => (is_version(node), "a version, such as `1.0` or `1.2.3.beta-4`"),
            Shape::TextList => (is_text_list(node), "a list of strings"),
            Shape::Range => (is_range(node), "a list of two bounds"),
            Shape::Mapping => (Self::is_mapping(node), "a map"),
            Shape::Metadata => return self.metadata(node),
            Shape::Count => (is_count(node), "a non-negative integer"),
            Shape::List => (node.is_list(), "a list"),
            Shape::Map(of) => return self.map(entry, of),
            Shape::NamedList(of) => return self.named_list(node, &what, of, false),
            Shape::MapOrNamedList(of) => return self.named_list(node, &what, of, true),
            Shape::Items(of) => return self.items(node, &what, of),
            Shape::One(of) => return self.entity(node, entry.key.span(), of),
        };
        if !fits {
            let at = if node.is_null() { entry.key } else { node };
            let message = format!("{what} must be {wanted}, this is {}", node.kind_name());
            self.findings.push(Diagnostic::error(codes::WRONG_SHAPE, at.span(), message));
            // One number for both bounds.
            self.tolerate(matches!(shape, Shape::Range) && node.as_int().is_some_and(|n| n >= 0));
        }
    }

    /// One of some words; before 2.0 others do no harm.
    fn word(&mut self, entry: Entry<'_>, words: &[&'static str]) {
        let written = entry.value.as_str().unwrap_or_default();
        if !words.iter().any(|word| word.eq_ignore_ascii_case(written)) {
            let message = format!("`{}` is not `{written}`", entry.name());
            let finding = Diagnostic::error(codes::WRONG_VALUE, entry.value.span(), message);
            let known = spelling::advice("word", written, words.iter().copied(), 0);
            self.findings.push(finding.help(known.unwrap_or_default()));
            self.tolerate(true);
        }
    }

    fn is_mapping(node: Node<'_>) -> bool {
        node.is_mapping()
            && !node.entries().any(|entry| entry.name().is_empty() && Self::is_bad(entry))
    }

    /// An empty name that is no unit prefix.
    fn is_bad(entry: Entry<'_>) -> bool {
        entry.key.is_null() || entry.value.is_null()
    }

    fn metadata(&mut self, node: Node<'_>) {
        if !node.is_mapping() {
            self.shape(node, "`metadata`", "a map");
            return self.tolerate(true);
        }
        if self.version.is_2() {
            return;
        }
        for entry in node.entries().filter(|entry| !entry.value.is_scalar()) {
            self.shape(entry.value, &format!("`{}`", entry.name()), "a string");
            self.tolerate(!quirks::is_defined_metadata(entry.name()));
        }
        if let Some(entry) = node.get_entry("template_version")
            && entry.value.is_scalar()
            && !is_version(entry.value)
        {
            self.shape(entry.value, "`template_version`", "a version, such as `1.0`");
        }
    }

    fn map(&mut self, entry: Entry<'_>, of: &'static Entity) {
        let node = entry.value;
        if !node.is_mapping() {
            let at = if node.is_null() { entry.key } else { node };
            let message = format!(
                "`{}` must be a map from names to {}s, this is {}",
                entry.name(),
                of.word,
                node.kind_name()
            );
            self.findings.push(Diagnostic::error(codes::WRONG_SHAPE, at.span(), message));
            return;
        }
        for named in node.entries() {
            self.name(named, of);
            self.entity(named.value, named.key.span(), of);
        }
    }

    /// Names are text; before 2.0 a number is tolerated.
    fn name(&mut self, named: Entry<'_>, of: &'static Entity) {
        let text = named.key.as_text().unwrap_or_default();
        if text.is_empty() && (self.version.is_2() || !named.key.is_scalar()) {
            let kind = if named.key.as_text().is_some() { "empty" } else { named.key.kind_name() };
            let message =
                format!("the name of {} must be a string, this is {kind}", with_article(of.word));
            self.findings.push(Diagnostic::error(codes::WRONG_SHAPE, named.key.span(), message));
        }
    }

    fn named_list(&mut self, node: Node<'_>, what: &str, of: &'static Entity, or_map: bool) {
        let mapping_is_fine = node.is_mapping() && or_map;
        if !node.is_list() && !mapping_is_fine {
            return self.shape(node, what, &format!("a list of named {}s", of.word));
        }
        if mapping_is_fine {
            // Policies are a list by the text; before 2.0 other files write a map.
            if of.word == "policy" {
                self.shape(node, what, "a list of named policies");
                self.tolerate(true);
            }
            for named in node.entries() {
                self.entity(named.value, named.key.span(), of);
            }
        }
        for item in node.items() {
            // Before 2.0 `- local_storage: x` may have more keys beside it by wrong indentation.
            if !item.is_mapping() || item.len() != 1 {
                self.shape(item, &format!("an item of {what}"), "a map with one name");
                continue;
            }
            for named in item.entries() {
                self.name(named, of);
                self.entity(named.value, named.key.span(), of);
            }
        }
    }

    fn items(&mut self, node: Node<'_>, what: &str, of: &'static Entity) {
        if !node.is_list() {
            return self.shape(node, what, &format!("a list of {}s", of.word));
        }
        for item in node.items() {
            self.entity(item, item.span(), of);
        }
    }
}

/// A word with its article.
fn with_article(word: &str) -> String {
    let article = if word.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {word}")
}

/// Whether a mapping has no keyname of an entity in any version: then it is a value.
pub(super) fn is_value(node: Node<'_>, entity: &Entity) -> bool {
    let is_key = |entry: Entry<'_>| entity.keys.iter().any(|key| key.name == entry.name());
    !node.is_empty() && !node.entries().any(is_key)
}

fn is_text_list(node: Node<'_>) -> bool {
    node.is_list() && node.items().all(|item| item.as_text().is_some())
}

fn is_count(node: Node<'_>) -> bool {
    node.is_mapping()
        || node.as_int().is_some_and(|count| count >= 0)
        || node.as_text().is_some_and(|text| text.starts_with('$'))
}

fn is_range(node: Node<'_>) -> bool {
    let bound = |item: Node<'_>| {
        item.as_int().is_some_and(|bound| bound >= 0) || item.as_str() == Some("UNBOUNDED")
    };
    node.is_mapping() || node.len() == 2 && node.items().all(bound)
}

/// `major.minor[.fix[.qualifier[-build]]]`; a float is a version too, and before 2.0 an integer.
pub(crate) fn is_version(node: Node<'_>) -> bool {
    node.as_str().is_some_and(is_version_text)
}

/// Whether a text is a version.
pub(crate) fn is_version_text(text: &str) -> bool {
    let mut parts = text.split('.');
    let number = |part: Option<&str>| {
        part.is_some_and(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
    };
    if !number(parts.next()) || !number(parts.next()) {
        return false;
    }
    let Some(fix) = parts.next() else { return true };
    if !number(Some(fix)) {
        return false;
    }
    let Some(qualifier) = parts.next() else { return true };
    let (qualifier, build) = match qualifier.split_once('-') {
        Some((qualifier, build)) => (qualifier, Some(build)),
        None => (qualifier, None),
    };
    let word = !qualifier.is_empty()
        && qualifier.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    word && build.is_none_or(|build| number(Some(build))) && parts.next().is_none()
}
