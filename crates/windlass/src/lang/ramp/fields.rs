//! How a key is read: present, of its type, else a finding.

use super::{BAD_VALUE, DECLARED_TWICE, MISSING_KEY, MISSING_LIST, UNKNOWN_KEY, UNKNOWN_NAME};
use super::{UNLISTED, WRONG_TYPE};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::names;
use crate::lang::windlass::{first_line, name_complaint};
use crate::tree::{Entry, Node};

/// The entry of the first of these keys; the others are older spellings.
pub(super) fn entry<'t>(node: Node<'t>, keys: &[&str]) -> Option<Entry<'t>> {
    keys.iter().find_map(|key| node.get_entry(key))
}

/// The value of the first of these keys, which must be there.
pub(super) fn needed<'t>(
    node: Node<'t>,
    keys: &[&str],
    what: &str,
    findings: &mut Vec<Diagnostic>,
) -> Option<Node<'t>> {
    let found = entry(node, keys).map(|entry| entry.value);
    if found.is_none() && node.tree().is_complete() {
        let message = format!("{what} has no `{}`", keys[0]);
        findings.push(
            Diagnostic::error(MISSING_KEY, first_line(node), message)
                .help(format!("add `{}`; without it RAMP ends with a stack trace", keys[0])),
        );
    }
    found
}

/// A text that must be there.
pub(super) fn text<'t>(
    node: Node<'t>,
    keys: &[&str],
    what: &str,
    findings: &mut Vec<Diagnostic>,
) -> Option<Node<'t>> {
    let value = needed(node, keys, what, findings)?;
    if value.is_scalar() && !value.is_null() {
        return Some(value);
    }
    findings.push(wrong_type(value, "a text"));
    None
}

/// A text that is the name of something new.
pub(super) fn name<'t>(
    node: Node<'t>,
    what: &str,
    findings: &mut Vec<Diagnostic>,
) -> Option<Node<'t>> {
    let value = text(node, &["name"], what, findings)?;
    check_name(value, findings).then_some(value)
}

/// Whether a scalar may name something; if not, it is reported.
pub(super) fn check_name(value: Node<'_>, findings: &mut Vec<Diagnostic>) -> bool {
    let complaint = match value.as_str() {
        Some(text) if value.is_scalar() => name_complaint(text),
        _ => {
            findings.push(wrong_type(value, "a name"));
            return false;
        }
    };
    let Some(complaint) = complaint else { return true };
    findings.push(bad_value(value, complaint));
    false
}

/// The items of a list. A list that is not there reads as empty, with a note.
pub(super) fn list<'t>(
    node: Node<'t>,
    key: &str,
    what: &str,
    findings: &mut Vec<Diagnostic>,
) -> Vec<Node<'t>> {
    match node.get_entry(key) {
        Some(entry) if entry.value.is_list() => return entry.value.items().collect(),
        Some(entry) if !entry.value.is_null() => {
            findings.push(wrong_type(entry.value, "a list"));
            return Vec::new();
        }
        None if !node.tree().is_complete() => return Vec::new(),
        _ => {}
    }
    let place = node.get_entry(key).map_or_else(|| first_line(node), |entry| entry.key.span());
    let message = format!("{what} has no list `{key}`; it reads as empty");
    findings.push(
        Diagnostic::new(MISSING_LIST, Severity::Note, place, message)
            .help(format!("add `\"{key}\": []`; without it RAMP ends with a stack trace")),
    );
    Vec::new()
}

/// The texts in a list.
pub(super) fn names<'t>(
    node: Node<'t>,
    key: &str,
    what: &str,
    findings: &mut Vec<Diagnostic>,
) -> Vec<Node<'t>> {
    let mut items = list(node, key, what, findings);
    items.retain(|item| {
        let fine = item.is_scalar() && !item.is_null();
        if !fine {
            findings.push(wrong_type(*item, "a name"));
        }
        fine
    });
    items
}

/// Reports the keys of a mapping that are none of these, and values that are no mappings.
pub(super) fn record(
    node: Node<'_>,
    what: &str,
    known: &[&str],
    findings: &mut Vec<Diagnostic>,
) -> bool {
    if !node.is_mapping() {
        findings.push(wrong_type(node, &format!("a mapping that describes {what}")));
        return false;
    }
    names::unread_keys(UNKNOWN_KEY, node, what, known, findings);
    true
}

pub(super) fn wrong_type(node: Node<'_>, expected: &str) -> Diagnostic {
    let message = format!("expected {expected}, found {}", node.kind_name());
    Diagnostic::error(WRONG_TYPE, node.span(), message)
}

pub(super) fn bad_value(node: Node<'_>, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(BAD_VALUE, node.span(), message)
}

pub(super) fn declared_twice(second: Node<'_>, first: Node<'_>, message: String) -> Diagnostic {
    Diagnostic::error(DECLARED_TWICE, second.span(), message)
        .label(first.span(), "first declared here")
        .help("remove one of the two; RAMP keeps only the last")
}

pub(super) fn unlisted(node: Node<'_>, what: &str, list: &str) -> Diagnostic {
    let name = node.as_str().unwrap_or_default();
    let message = format!("{what} `{name}` is not listed in `{list}`");
    Diagnostic::warning(UNLISTED, node.span(), message)
        .help(format!("add it to `{list}`, or correct its spelling"))
}

/// Reports a name that nothing declares.
pub(super) fn unknown<'a>(
    what: &str,
    node: Node<'_>,
    known: impl Iterator<Item = &'a str> + Clone,
    findings: &mut Vec<Diagnostic>,
) {
    names::unknown(UNKNOWN_NAME, what, node, known, findings);
}
