//! Environment files: values of parameters, and what stands for a resource type.

use std::collections::BTreeMap;

use super::parameter::{options, plain};
use super::value::{Data, Value};
use crate::diagnostic::Diagnostic;
use crate::source::{SourceId, Sources, Span};
use crate::spelling;
use crate::tree::{self, Entry, Node};

/// Everything that environment files say together.
#[derive(Debug, Clone, Default)]
pub(crate) struct Environment {
    /// Whether there is an environment at all: then every parameter must get a value.
    pub(crate) is_given: bool,
    /// Values of parameters, with the place of the name.
    pub(crate) parameters: BTreeMap<String, (Value, Span)>,
    /// Values for parameters of whatever template.
    pub(crate) defaults: BTreeMap<String, Value>,
    /// What stands for a type.
    pub(crate) registry: Vec<Mapping>,
    strategies: BTreeMap<String, String>,
}

/// One line of a registry.
#[derive(Debug, Clone)]
pub(crate) struct Mapping {
    /// The type, perhaps with `*` at its end.
    pub(crate) from: String,
    /// The resource to which alone it applies.
    pub(crate) resource: Option<String>,
    /// A type or a file.
    pub(crate) to: String,
    /// The file that says so, for paths.
    pub(crate) file: Option<String>,
    /// Where it is written.
    pub(crate) span: Span,
}

const SECTIONS: &[&str] = &[
    "parameters",
    "parameter_defaults",
    "parameter_merge_strategies",
    "resource_registry",
    "encrypted_param_names",
    "encrypted_parameters",
    "event_sinks",
];

/// When a hook stops a resource, and what may be forbidden to happen to one.
const HOOKS: &[&str] =
    &["pre-create", "pre-update", "pre-delete", "post-create", "post-update", "post-delete"];
const RESTRICTED: &[&str] = &["replace", "update"];

/// Says which lines of a registry mean nothing.
fn check_registry(root: Node<'_>, findings: &mut Vec<Diagnostic>) {
    let words = |name: &str| match name {
        "hooks" => Some(HOOKS),
        "restricted_actions" => Some(RESTRICTED),
        _ => None,
    };
    for entry in section(root, "resource_registry") {
        if entry.name() != "resources" {
            check_target(entry, findings);
            continue;
        }
        for inner in entry.value.entries().flat_map(|resource| resource.value.entries()) {
            match words(inner.name()) {
                Some(known) => check_words(inner, known, findings),
                None => check_target(inner, findings),
            }
        }
    }
}

/// A type stands for a type or a file.
fn check_target(entry: Entry<'_>, findings: &mut Vec<Diagnostic>) {
    if plain(entry.value).as_str().is_none() {
        let message = format!("`{}` must stand for a type or a file", entry.name());
        findings.push(Diagnostic::error("HOT013", entry.value.span(), message));
    }
}

fn check_words(entry: Entry<'_>, known: &[&str], findings: &mut Vec<Diagnostic>) {
    let one = entry.value.is_scalar().then_some(entry.value);
    for node in one.into_iter().chain(entry.value.items()) {
        let word = node.as_str().unwrap_or_default();
        if !known.contains(&word) {
            let message = format!("`{word}` cannot stand in `{}`", entry.name());
            let mut finding = Diagnostic::error("HOT013", node.span(), message);
            finding.help = spelling::advice("word", word, known.iter().copied(), findings.len());
            findings.push(finding);
        }
    }
}

impl Environment {
    /// Adds a file; what it says wins over what was said before.
    pub(crate) fn add(
        &mut self,
        source: SourceId,
        path: Option<&str>,
        sources: &Sources,
        findings: &mut Vec<Diagnostic>,
    ) {
        self.is_given = true;
        let (tree, mut syntax) = tree::parse_source(source, sources, &options());
        findings.append(&mut syntax);
        let root = tree.root();
        if root.is_null() {
            return;
        }
        if !root.is_mapping() {
            let message = "an environment must be a mapping";
            findings.push(Diagnostic::error("HOT013", root.span(), message));
            return;
        }
        super::sections::unknown_keys(root, SECTIONS, "HOT013", "an environment", findings);
        for entry in root.entries().filter(|entry| entry.name() != "event_sinks") {
            if !entry.value.is_mapping()
                && !entry.value.is_null()
                && entry.name() != "encrypted_param_names"
            {
                let message = format!("`{}` must be a mapping", entry.name());
                findings.push(Diagnostic::error("HOT013", entry.value.span(), message));
            }
        }
        for entry in section(root, "parameter_merge_strategies") {
            if let Some(strategy) = entry.value.as_str() {
                self.strategies.insert(entry.name().to_owned(), strategy.to_owned());
            }
        }
        for entry in section(root, "parameters") {
            let before = self.parameters.get(entry.name()).map(|given| &given.0);
            let value = self.merged(entry.name(), before, plain(entry.value));
            self.parameters.insert(entry.name().to_owned(), (value, entry.key.span()));
        }
        for entry in section(root, "parameter_defaults") {
            let value =
                self.merged(entry.name(), self.defaults.get(entry.name()), plain(entry.value));
            self.defaults.insert(entry.name().to_owned(), value);
        }
        check_registry(root, findings);
        self.add_registry(root, path);
    }

    /// A value together with the one before, as the strategy for the parameter says.
    fn merged(&self, name: &str, before: Option<&Value>, value: Value) -> Value {
        let strategy = self.strategies.get(name).or_else(|| self.strategies.get("default"));
        if !matches!(strategy.map(String::as_str), Some("merge" | "deep_merge")) {
            return value;
        }
        let data = match (before.map(|value| &value.data), &value.data) {
            (Some(Data::List(old)), Data::List(new)) => {
                Data::List(old.iter().chain(new).cloned().collect())
            }
            (Some(Data::Map(old)), Data::Map(new)) => {
                let kept = old.iter().filter(|entry| value.entry(&entry.key).is_none());
                Data::Map(kept.chain(new).cloned().collect())
            }
            _ => return value,
        };
        Value::new(value.span, data)
    }

    fn add_registry(&mut self, root: Node<'_>, path: Option<&str>) {
        let base = root.get("resource_registry").and_then(|r| r.get("base_url"));
        let base = base.and_then(Node::as_str).unwrap_or_default();
        let mut add = |from: &str, resource: Option<&str>, value: Node<'_>| {
            if let Some(to) = value.as_str() {
                let is_path = super::nested::is_file(to) && !to.contains("://");
                let to = if is_path { format!("{base}{to}") } else { to.to_owned() };
                self.registry.push(Mapping {
                    from: from.to_owned(),
                    resource: resource.map(str::to_owned),
                    to,
                    file: path.map(str::to_owned),
                    span: value.span(),
                });
            }
        };
        for entry in section(root, "resource_registry") {
            match entry.name() {
                "base_url" => {}
                "resources" => {
                    for resource in entry.value.entries() {
                        let words = ["hooks", "restricted_actions", "base_url"];
                        let types = resource.value.entries();
                        for inner in types.filter(|inner| !words.contains(&inner.name())) {
                            add(inner.name(), Some(resource.name()), inner.value);
                        }
                    }
                }
                name => add(name, None, entry.value),
            }
        }
    }

    /// What stands for a type of a resource: the most special line, the last of equals.
    pub(crate) fn lookup(&self, type_name: &str, resource: &str) -> Option<(String, &Mapping)> {
        let mut best: Option<(usize, String, &Mapping)> = None;
        for mapping in &self.registry {
            if mapping.resource.as_deref().is_some_and(|wanted| !is_like(wanted, resource)) {
                continue;
            }
            let special = if mapping.resource.is_some() { 1000 } else { 0 };
            let found = match mapping.from.strip_suffix('*') {
                None if mapping.from == type_name => Some((special + 500, mapping.to.clone())),
                Some(prefix) if type_name.starts_with(prefix) => {
                    let to = match mapping.to.strip_suffix('*') {
                        Some(stem) => format!("{stem}{}", &type_name[prefix.len()..]),
                        None => mapping.to.clone(),
                    };
                    Some((special + prefix.len().min(400), to))
                }
                _ => None,
            };
            if let Some((rank, to)) = found
                && best.as_ref().is_none_or(|best| best.0 <= rank)
            {
                best = Some((rank, to, mapping));
            }
        }
        best.map(|(_, to, mapping)| (to, mapping)).filter(|(to, _)| to != type_name)
    }
}

fn is_like(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(prefix) => name.starts_with(prefix),
        None => pattern == name,
    }
}

fn section<'t>(root: Node<'t>, name: &str) -> impl Iterator<Item = Entry<'t>> {
    root.get(name).into_iter().flat_map(Node::entries)
}
