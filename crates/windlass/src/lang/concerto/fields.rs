//! How a key is read: present, of its kind, else a finding.

use std::collections::BTreeMap;

use super::{BAD_VALUE, DECLARED_TWICE, MISSING_KEY, UNKNOWN_KEY, UNKNOWN_NAME};
use crate::diagnostic::Diagnostic;
use crate::lang::names;
use crate::lang::windlass::{first_line, name_complaint};
use crate::tree::Node;

fn wrong(node: Node<'_>, expected: &str) -> Diagnostic {
    let message = format!("expected {expected}, found {}", node.kind_name());
    Diagnostic::error(BAD_VALUE, node.span(), message)
}

fn needed<'t>(
    node: Node<'t>,
    key: &str,
    what: &str,
    findings: &mut Vec<Diagnostic>,
) -> Option<Node<'t>> {
    let found = node.get(key);
    if found.is_none() && node.tree().is_complete() {
        let message = format!("{what} has no `{key}`");
        findings.push(
            Diagnostic::error(MISSING_KEY, first_line(node), message).help(format!("add `{key}`")),
        );
    }
    found
}

/// A text that must be there.
pub(super) fn text<'t>(
    node: Node<'t>,
    key: &str,
    what: &str,
    findings: &mut Vec<Diagnostic>,
) -> Option<Node<'t>> {
    let value = needed(node, key, what, findings)?;
    if value.is_scalar() && !value.is_null() {
        return Some(value);
    }
    findings.push(wrong(value, "a text"));
    None
}

/// A text that is the name of something.
pub(super) fn name<'t>(
    node: Node<'t>,
    key: &str,
    what: &str,
    findings: &mut Vec<Diagnostic>,
) -> Option<Node<'t>> {
    let value = needed(node, key, what, findings)?;
    is_name(value, findings).then_some(value)
}

/// Whether a scalar may name something; if not, it is reported.
pub(super) fn is_name(value: Node<'_>, findings: &mut Vec<Diagnostic>) -> bool {
    let Some(text) = value.as_str().filter(|_| value.is_scalar() && !value.is_null()) else {
        findings.push(wrong(value, "a name"));
        return false;
    };
    match name_complaint(text) {
        Some(complaint) => {
            findings.push(Diagnostic::error(BAD_VALUE, value.span(), complaint));
            false
        }
        None => true,
    }
}

/// The items of a list; one that need not be there is then empty.
pub(super) fn list<'t>(
    node: Node<'t>,
    key: &str,
    what: &str,
    must: bool,
    findings: &mut Vec<Diagnostic>,
) -> Vec<Node<'t>> {
    let value = if must { needed(node, key, what, findings) } else { node.get(key) };
    match value {
        Some(value) if value.is_list() => value.items().collect(),
        Some(value) => {
            findings.push(wrong(value, "a list"));
            Vec::new()
        }
        None => Vec::new(),
    }
}

/// Reports the keys of a mapping that are none of these, and values that are no mappings.
pub(super) fn record(
    node: Node<'_>,
    what: &str,
    known: &[&str],
    findings: &mut Vec<Diagnostic>,
) -> bool {
    if !node.is_mapping() {
        findings.push(wrong(node, &format!("a mapping that describes {what}")));
        return false;
    }
    names::unread_keys(UNKNOWN_KEY, node, what, known, findings);
    true
}

/// Reports names that come twice.
pub(super) fn twice<'t>(
    what: &str,
    names: impl Iterator<Item = Node<'t>>,
    findings: &mut Vec<Diagnostic>,
) {
    let mut seen: BTreeMap<&str, Node<'t>> = BTreeMap::new();
    for node in names {
        let Some(name) = node.as_str() else { continue };
        if let Some(first) = seen.get(name) {
            findings.push(
                Diagnostic::error(DECLARED_TWICE, node.span(), format!("{what} `{name}` again"))
                    .label(first.span(), "first named here")
                    .help("remove one of the two"),
            );
        } else {
            seen.insert(name, node);
        }
    }
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
