//! The sections of a template beside parameters and resources, and keys that are not known.

use std::collections::BTreeMap;

use super::parameter::Parameter;
use super::versions::{CFN, Format, HOT, Version, find, release_rank, words};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::spelling;
use crate::tree::{DUPLICATE_KEY, Node, Tree};

/// Reports every key of a mapping that is not known.
pub(super) fn unknown_keys(
    node: Node<'_>,
    known: &[&str],
    code: &'static str,
    what: &str,
    findings: &mut Vec<Diagnostic>,
) {
    for entry in node.entries() {
        let name = entry.name();
        if !known.contains(&name) {
            let mut finding =
                Diagnostic::error(code, entry.key.span(), format!("`{name}` is no key of {what}"));
            finding.help = spelling::advice("key", name, known.iter().copied(), findings.len());
            findings.push(finding);
        }
    }
}

/// Whether the keys at the top say that a text is a template.
pub(crate) fn detect(root: Node<'_>) -> bool {
    ["heat_template_version", "HeatTemplateFormatVersion", "AWSTemplateFormatVersion"]
        .iter()
        .any(|key| root.get(key).is_some_and(Node::is_scalar))
}

/// The version of a template; says so when there is none.
pub(super) fn version(root: Node<'_>, findings: &mut Vec<Diagnostic>) -> (&'static Version, Span) {
    let newest = &HOT[HOT.len() - 1];
    for (key, at) in [("AWSTemplateFormatVersion", 0), ("HeatTemplateFormatVersion", 1)] {
        if let Some(entry) = root.get_entry(key) {
            let word = entry.value.as_str().unwrap_or_default();
            if word != CFN[at].date {
                let message = format!("`{word}` is no version that Heat knows (C01)");
                let help = format!("write {}", CFN[at].date);
                findings.push(Diagnostic::error("HOT101", entry.value.span(), message).help(help));
            }
            return (&CFN[at], entry.key.span());
        }
    }
    let Some(entry) = root.get_entry("heat_template_version") else {
        let span = super::first(root);
        let message = "there is no `heat_template_version` (C01)";
        findings.push(Diagnostic::error("HOT101", span, message));
        return (newest, span);
    };
    let word = entry.value.as_str().unwrap_or_default();
    if let Some(version) = find(word) {
        return (version, entry.key.span());
    }
    let release = release_rank(word).or((word == "2019-04-10").then_some(10));
    let before = |version: &&Version| {
        release.is_some_and(|rank| release_rank(version.release).is_some_and(|own| own <= rank))
    };
    if let Some(version) = HOT.iter().rev().find(before) {
        // A release without a version of its own: the template was written for the one before.
        let message = format!("Heat registers no template version for {word} (C01)");
        let help = format!("write {}; that is how this template is read", version.as_str());
        let finding = Diagnostic::warning("HOT101", entry.value.span(), message);
        findings.push(finding.help(help));
        return (version, entry.key.span());
    }
    let message = format!("`{word}` is no version that Heat registers (C01)");
    let mut finding = Diagnostic::error("HOT101", entry.value.span(), message);
    let near = spelling::nearest(word, words());
    let older = HOT.iter().rev().find(|version| version.date < word);
    let near = near.or(older.map(|version| version.date).filter(|_| word.starts_with("20")));
    finding.help = Some(match near {
        Some(near) => format!("the nearest that is registered is {near}"),
        None => spelling::known("version", words()),
    });
    findings.push(finding);
    (newest, entry.key.span())
}

/// The sections that a template of a version may have.
pub(super) fn check_names(root: Node<'_>, version: &Version, findings: &mut Vec<Diagnostic>) {
    let hot = ["heat_template_version", "description", "parameter_groups", "parameters"];
    let cfn = ["AWSTemplateFormatVersion", "HeatTemplateFormatVersion", "Description"];
    let known: Vec<&str> = match version.format {
        Format::Hot => {
            let conditions = version.has_conditions().then_some("conditions");
            hot.into_iter().chain(["resources", "outputs"]).chain(conditions).collect()
        }
        Format::Cfn => cfn
            .into_iter()
            .chain(["Parameters", "Mappings", "Conditions", "Resources", "Outputs", "Metadata"])
            .chain(["ParameterGroups"])
            .collect(),
    };
    for entry in root.entries() {
        let name = entry.name();
        if known.contains(&name) {
            continue;
        }
        let message = format!("a template has no section `{name}`");
        let mut finding = Diagnostic::error("HOT001", entry.key.span(), message);
        finding.help = match name {
            "conditions" => Some("conditions came with version 2016-10-14".to_owned()),
            _ => spelling::advice("section", name, known.iter().copied(), findings.len()),
        };
        findings.push(finding);
    }
}

/// A section that must be a mapping, when it is there.
pub(super) fn mapping<'t>(
    root: Node<'t>,
    name: &str,
    findings: &mut Vec<Diagnostic>,
) -> Option<Node<'t>> {
    let section = root.get(name).filter(|section| !section.is_null())?;
    if section.is_mapping() {
        return Some(section);
    }
    let message =
        format!("section `{name}` must be a mapping, and this is {}", section.kind_name());
    findings.push(Diagnostic::error("HOT002", section.span(), message));
    None
}

/// Parameter groups (rows C04, C05, C07, C12, C13).
///
/// Paper: 000 7.2.1
pub(super) fn groups(
    root: Node<'_>,
    parameters: &BTreeMap<String, Parameter>,
    findings: &mut Vec<Diagnostic>,
) {
    let name =
        if root.get("ParameterGroups").is_some() { "ParameterGroups" } else { "parameter_groups" };
    let Some(section) = root.get(name).filter(|section| !section.is_null()) else { return };
    if !section.is_list() {
        let message = format!("`{name}` must be a list, and this is {}", section.kind_name());
        findings.push(Diagnostic::error("HOT002", section.span(), message));
        return;
    }
    let mut labels: BTreeMap<&str, Span> = BTreeMap::new();
    let mut groups: BTreeMap<&str, (usize, Span)> = BTreeMap::new();
    for (at, group) in section.items().enumerate() {
        if !group.is_mapping() {
            let message =
                format!("a parameter group must be a mapping, and this is {}", group.kind_name());
            findings.push(Diagnostic::error("HOT002", group.span(), message));
            continue;
        }
        unknown_keys(
            group,
            &["label", "description", "parameters"],
            "HOT003",
            "a parameter group",
            findings,
        );
        if let Some(node) = group.get("label")
            && let Some(label) = node.as_str().filter(|_| !node.is_null())
            && let Some(first) = labels.insert(label, node.span())
        {
            let message = format!("two parameter groups have the label `{label}` (C04)");
            let finding = Diagnostic::error("HOT104", node.span(), message);
            findings.push(finding.label(first, "first given here"));
        }
        let Some(list) = group.get("parameters") else {
            let message = "a parameter group must have `parameters`";
            findings.push(Diagnostic::error("HOT002", group.span(), message));
            continue;
        };
        if !list.is_list() {
            let message =
                format!("`parameters` of a group must be a list, and this is {}", list.kind_name());
            findings.push(Diagnostic::error("HOT002", list.span(), message));
            continue;
        }
        if list.is_empty() {
            let message = "this parameter group lists no parameter (C13)";
            findings.push(Diagnostic::warning("HOT113", list.span(), message));
        }
        for item in list.items() {
            member(item, at, parameters, &mut groups, findings);
        }
    }
}

fn member<'t>(
    item: Node<'t>,
    group: usize,
    parameters: &BTreeMap<String, Parameter>,
    groups: &mut BTreeMap<&'t str, (usize, Span)>,
    findings: &mut Vec<Diagnostic>,
) {
    let name = item.as_str().unwrap_or_default();
    if !parameters.contains_key(name) {
        let message = format!("this group lists `{name}`, which is no parameter (C05)");
        let mut finding = Diagnostic::error("HOT105", item.span(), message);
        let known = parameters.keys().map(String::as_str);
        finding.help = spelling::advice("parameter", name, known, findings.len());
        findings.push(finding);
    }
    match groups.get(name).copied() {
        Some((first, span)) if first == group => {
            let message = format!("this group lists parameter `{name}` twice (C12)");
            findings.push(
                Diagnostic::error("HOT112", item.span(), message).label(span, "first listed here"),
            );
        }
        Some((_, span)) => {
            let message = format!("parameter `{name}` is in two groups (C07)");
            findings.push(
                Diagnostic::error("HOT107", item.span(), message).label(span, "first listed here"),
            );
        }
        None => {
            groups.insert(name, (group, item.span()));
        }
    }
}

/// Duplicate keys of the sections get the code of their row (C03, C06, C08, C09).
pub(super) fn rename_duplicates(tree: &Tree, findings: &mut [Diagnostic]) {
    const ROWS: &[(&str, &str, &str, &str)] = &[
        ("resources", "HOT103", "resource", "C03"),
        ("Resources", "HOT103", "resource", "C03"),
        ("parameters", "HOT106", "parameter", "C06"),
        ("Parameters", "HOT106", "parameter", "C06"),
        ("outputs", "HOT108", "output", "C08"),
        ("Outputs", "HOT108", "output", "C08"),
        ("conditions", "HOT109", "condition", "C09"),
        ("Conditions", "HOT109", "condition", "C09"),
    ];
    if findings.iter().all(|finding| finding.code != DUPLICATE_KEY) {
        return;
    }
    for (section, code, what, row) in ROWS {
        let Some(section) = tree.root().get(section) else { continue };
        let names: BTreeMap<Span, &str> =
            section.entries().map(|entry| (entry.key.span(), entry.name())).collect();
        for finding in findings.iter_mut().filter(|finding| finding.code == DUPLICATE_KEY) {
            if let Some(name) = names.get(&finding.primary) {
                finding.code = code;
                finding.message = format!("{what} `{name}` is defined twice ({row})");
            }
        }
    }
}
