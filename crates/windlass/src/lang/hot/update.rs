//! What an update from one template to another does to the resources.

use super::facts::PropertyFacts;
use super::renew;
use super::stack::{Resource, Stack};
use super::value::{Data, Value};
use crate::diagnostic::{Diagnostic, Severity};

/// Compares two templates: what is replaced, what is removed, what cannot be changed.
pub fn compare(old: &Stack, new: &Stack) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    for parameter in new.parameters.iter().filter(|parameter| parameter.immutable) {
        let before = old.parameters.iter().find(|before| before.name == parameter.name);
        if let Some(before) = before.filter(|before| differ(&before.value, &parameter.value)) {
            let message = format!("an update cannot change parameter `{}`", parameter.name);
            let finding = Diagnostic::error("HOT020", parameter.span, message);
            findings.push(finding.label(before.span, "the old value"));
        }
    }
    let replaced = renew::replaced(old, new);
    for resource in new.resources.iter().filter(|resource| resource.group.is_none()) {
        let Some(before) = old.named(&resource.name) else { continue };
        let known = findings.len();
        compare_resources(before, resource, &mut findings);
        let is_told = findings.len() > known;
        if !is_told && replaced.contains(resource.name.as_str()) {
            let message = format!(
                "the update replaces resource `{}`, because it refers to one that is replaced",
                resource.name
            );
            findings.push(Diagnostic::warning("HOT019", resource.span, message));
        }
    }
    for resource in old.resources.iter().filter(|resource| resource.group.is_none()) {
        if new.named(&resource.name).is_none() {
            let message = format!("the update removes resource `{}`", resource.name);
            let severity = Severity::Note;
            findings.push(Diagnostic::new("HOT019", severity, resource.span, message));
        }
    }
    findings
}

fn compare_resources(old: &Resource, new: &Resource, findings: &mut Vec<Diagnostic>) {
    let name = &new.name;
    if old.type_name != new.type_name {
        let message = format!(
            "the update replaces resource `{name}`: its type changes from {} to {}",
            old.type_name, new.type_name
        );
        let finding = Diagnostic::warning("HOT019", new.span, message);
        findings.push(finding.label(old.span, "the old resource"));
        return;
    }
    let Some(facts) = new.facts else { return };
    for property in &facts.properties {
        if property.update_allowed() || !changes(property, old, new) {
            continue;
        }
        let property_name = property.name;
        let mut finding = if property.immutable() {
            let message =
                format!("an update cannot change property `{property_name}` of resource `{name}`");
            Diagnostic::error("HOT020", new.at(property_name), message)
        } else {
            let message = format!(
                "the update replaces resource `{name}`, because property `{property_name}` changes"
            );
            Diagnostic::warning("HOT019", new.at(property_name), message)
        };
        if old.has(property_name) {
            finding = finding.label(old.at(property_name), "the old value");
        }
        findings.push(finding);
    }
}

/// Whether a property surely has another value in the new template.
pub(super) fn changes(property: &PropertyFacts, old: &Resource, new: &Resource) -> bool {
    match (old.get(&[property.name]), new.get(&[property.name])) {
        (Some(before), Some(after)) => differ(before, after),
        // A default that is written out is no change.
        (None, Some(value)) | (Some(value), None) => {
            property.default.is_none_or(|own| !is_default(own, value))
        }
        (None, None) => false,
    }
}

fn is_default(default: &str, value: &Value) -> bool {
    let text = value.scalar_text();
    text.is_some_and(|text| text.eq_ignore_ascii_case(default))
        || (default == "{}" && value.entries().is_empty() && matches!(value.data, Data::Map(_)))
        || (default == "[]" && value.items().is_empty() && matches!(value.data, Data::List(_)))
}

/// Whether two values are surely not the same.
pub(super) fn differ(a: &Value, b: &Value) -> bool {
    match (&a.data, &b.data) {
        (Data::Unknown(a), Data::Unknown(b)) => match (&a.from, &b.from) {
            (Some(a), Some(b)) => a != b,
            _ => false,
        },
        (Data::Unknown(_), _) | (_, Data::Unknown(_)) => true,
        (Data::Resource(a), Data::Resource(b)) => a != b,
        (Data::List(a), Data::List(b)) => {
            a.len() != b.len() || a.iter().zip(b).any(|(a, b)| differ(a, b))
        }
        (Data::Map(x), Data::Map(y)) => {
            let missing = |entry: &super::value::Entry| match b.entry(&entry.key) {
                Some(other) => differ(&entry.value, &other.value),
                None => true,
            };
            x.len() != y.len() || x.iter().any(missing)
        }
        _ => match (a.scalar_text(), b.scalar_text()) {
            (Some(a), Some(b)) => a != b,
            _ => true,
        },
    }
}
