//! One template after the other: parameters, conditions, resources, outputs.

use std::collections::{BTreeMap, BTreeSet};

use super::conditions::Conditions;
use super::environment::Environment;
use super::evaluate::{Evaluator, Head};
use super::facts::TypeFacts;
use super::parameter::{self, Parameter, options};
use super::sections;
use super::stack::Stack;
use super::value::{Kind, Value};
use super::versions::{Format, Version, release_of_heat, release_rank};
use super::{Settings, cycle, nested, resources, schema};
use crate::diagnostic::{Diagnostic, Severity};
use crate::source::files::{FileError, Files, ImportStack, ReadFile};
use crate::source::{SourceId, Sources, Span};
use crate::tree::{self, Node};

/// Reads a template with everything that it uses.
pub(super) struct Builder<'f> {
    pub(super) sources: &'f mut Sources,
    pub(super) files: Option<&'f mut dyn Files>,
    pub(super) environment: Environment,
    pub(super) settings: &'f Settings,
    pub(super) findings: Vec<Diagnostic>,
    pub(super) imports: ImportStack,
    /// Templates used as types that were read, by the identity of their file.
    pub(super) known: BTreeMap<String, Nested>,
    /// Their stacks, in the order of reading.
    pub(super) stacks: Vec<Stack>,
}

/// What a template used as a type takes and gives.
#[derive(Debug, Clone)]
pub(super) struct Nested {
    pub(super) parameters: BTreeMap<String, Parameter>,
    pub(super) outputs: BTreeSet<String>,
}

/// What a type name stands for.
#[derive(Debug, Clone)]
pub(super) enum Resolved {
    /// A type of Heat.
    Facts(&'static TypeFacts),
    /// A template, by the identity of its file.
    Template(String),
    /// Something of which nothing is known.
    Anything,
}

/// Everything of a template that its resources are evaluated with.
pub(super) struct Scope<'t> {
    pub(super) version: &'static Version,
    pub(super) path: Option<String>,
    pub(super) parameters: BTreeMap<String, Parameter>,
    pub(super) conditions: Conditions,
    pub(super) heads: BTreeMap<String, Head>,
    pub(super) types: BTreeMap<String, Resolved>,
    pub(super) mappings: Option<Node<'t>>,
}

impl<'t> Scope<'t> {
    pub(super) fn evaluator<'s>(&'s self) -> Evaluator<'s>
    where
        't: 's,
    {
        let mut evaluator =
            Evaluator::new(self.version, &self.parameters, &self.heads, &self.conditions);
        evaluator.mappings = self.mappings;
        evaluator
    }
}

impl Builder<'_> {
    /// Reads a template; `outer` says that another one uses it as a type.
    pub(super) fn template(
        &mut self,
        source: SourceId,
        path: Option<&str>,
        outer: bool,
    ) -> Option<(Stack, Nested)> {
        let (tree, mut syntax) = tree::parse(source, &self.sources.get(source).text, &options());
        sections::rename_duplicates(&tree, &mut syntax);
        self.findings.append(&mut syntax);
        let root = tree.root();
        if !root.is_mapping() {
            if tree.is_complete() {
                let message = format!("a template is a mapping, and this is {}", root.kind_name());
                self.findings.push(Diagnostic::error("HOT002", root.span(), message));
            }
            return None;
        }
        let (version, span) = sections::version(root, &mut self.findings);
        sections::check_names(root, version, &mut self.findings);
        self.check_release(version.release, span, "this template version");
        let mut stack = Stack::new(version, span);
        let parameters = self.parameters(root, version, outer);
        sections::groups(root, &parameters, &mut self.findings);
        let mut scope = Scope {
            version,
            path: path.map(str::to_owned),
            parameters,
            conditions: Conditions::default(),
            heads: BTreeMap::new(),
            types: BTreeMap::new(),
            mappings: root.get("Mappings"),
        };
        let mut used = self.conditions(root, &mut scope);
        self.heads(root, &mut scope);
        used.append(&mut resources::read(self, root, &scope, &mut stack));
        let (mut read_by_outputs, outputs) = self.outputs(root, &scope);
        used.append(&mut read_by_outputs);
        cycle::check(&stack, &mut self.findings);
        stack.parameters = in_order(root, &scope.parameters);
        if tree.is_complete() {
            self.unused(&stack.parameters, &used);
        }
        Some((stack, Nested { parameters: scope.parameters, outputs }))
    }

    /// Says so when something is newer than the release that is asked for.
    pub(super) fn check_release(&mut self, release: &str, span: Span, what: &str) {
        let wanted = self.settings.release.as_deref();
        let Some(wanted) = wanted.and_then(|name| Some((name, release_rank(name)?))) else {
            return;
        };
        if release_rank(release).is_some_and(|rank| rank > wanted.1) {
            let message = format!("{what} came with {release}, after {}", wanted.0);
            self.findings.push(Diagnostic::error("HOT021", span, message));
        }
    }

    fn parameters(
        &mut self,
        root: Node<'_>,
        version: &Version,
        outer: bool,
    ) -> BTreeMap<String, Parameter> {
        let word = if version.format == Format::Hot { "parameters" } else { "Parameters" };
        let mut parameters = BTreeMap::new();
        let mut missing = Vec::new();
        let section = sections::mapping(root, word, &mut self.findings);
        for entry in section.into_iter().flat_map(Node::entries) {
            let name = entry.name();
            let default = self.environment.defaults.get(name);
            let unknown =
                Value::unknown(entry.key.span(), Kind::Any, Some(format!("parameter {name}")));
            let given = match (outer, self.environment.parameters.get(name)) {
                (true, _) => Some(&unknown),
                (false, Some((value, _))) => Some(value),
                (false, None) => default,
            };
            let has_value = given.is_some();
            let mut parameter =
                parameter::read(entry.key, entry.value, version.format, given, &mut self.findings);
            parameter.has_default |= default.is_some();
            if !has_value && !parameter.has_default && !outer {
                missing.push((name.to_owned(), entry.key.span()));
            }
            parameters.insert(name.to_owned(), parameter);
        }
        self.without_value(&missing);
        if !outer {
            for (name, (_, span)) in &self.environment.parameters {
                if !parameters.contains_key(name) {
                    let message = format!("the template has no parameter `{name}`");
                    self.findings.push(Diagnostic::error("HOT013", *span, message));
                }
            }
        }
        parameters
    }

    /// Row C24. Whoever creates the stack may still give values, so this is no error.
    fn without_value(&mut self, missing: &[(String, Span)]) {
        if self.environment.is_given {
            for (name, span) in missing {
                let message = format!("parameter `{name}` gets no value (C24)");
                let help = "give it a default, or a value in the environment";
                self.findings.push(Diagnostic::warning("HOT124", *span, message).help(help));
            }
        } else if let Some((_, span)) = missing.first() {
            let names: Vec<_> = missing.iter().map(|(name, _)| format!("`{name}`")).collect();
            let message =
                format!("values are needed to create the stack: {} (C24)", names.join(", "));
            self.findings.push(Diagnostic::new("HOT124", Severity::Note, *span, message));
        }
    }

    fn conditions(&mut self, root: Node<'_>, scope: &mut Scope<'_>) -> BTreeSet<String> {
        let word = if scope.version.format == Format::Hot { "conditions" } else { "Conditions" };
        let Some(section) = sections::mapping(root, word, &mut self.findings) else {
            return BTreeSet::new();
        };
        let (conditions, mut findings, used) = {
            let heads = BTreeMap::new();
            let none = Conditions::default();
            let mut evaluator = Evaluator::new(scope.version, &scope.parameters, &heads, &none);
            evaluator.mappings = root.get("Mappings");
            let (conditions, findings) = Conditions::read(section, &mut evaluator);
            (conditions, findings, evaluator.used)
        };
        scope.conditions = conditions;
        self.findings.append(&mut findings);
        used
    }

    /// The types of all resources, before any of them is evaluated.
    fn heads(&mut self, root: Node<'_>, scope: &mut Scope<'_>) {
        let word = if scope.version.format == Format::Hot { "resources" } else { "Resources" };
        let section = sections::mapping(root, word, &mut self.findings);
        if section.is_none_or(Node::is_empty) {
            let message = "this template has no resources (C02)";
            let span = root.get_entry(word).map_or(super::first(root), |entry| entry.key.span());
            self.findings.push(Diagnostic::warning("HOT102", span, message));
        }
        let key = if scope.version.format == Format::Hot { "type" } else { "Type" };
        for entry in section.into_iter().flat_map(Node::entries) {
            if let Some(parameter) = scope.parameters.get(entry.name()) {
                let name = entry.name();
                let message = format!("a parameter and a resource are both called `{name}`");
                self.findings.push(
                    Diagnostic::error("HOT011", entry.key.span(), message)
                        .label(parameter.span, "the parameter"),
                );
            }
            let resolved = match entry.value.get(key) {
                Some(node) if node.is_scalar() && !node.is_null() => {
                    let type_name = node.as_str().unwrap_or_default();
                    self.resolve(type_name, entry.name(), node.span(), scope.path.as_deref())
                }
                _ => Resolved::Anything,
            };
            let head = match &resolved {
                Resolved::Facts(facts) => Head { facts: Some(facts), outputs: None },
                Resolved::Template(file) => {
                    let outputs = self.known.get(file).map(|nested| nested.outputs.clone());
                    Head { facts: None, outputs }
                }
                Resolved::Anything => Head { facts: None, outputs: None },
            };
            scope.heads.insert(entry.name().to_owned(), head);
            scope.types.insert(entry.name().to_owned(), resolved);
        }
    }

    /// What a type name stands for; a template is read when it is first met.
    pub(super) fn resolve(
        &mut self,
        type_name: &str,
        resource: &str,
        span: Span,
        from: Option<&str>,
    ) -> Resolved {
        let (name, from, span) = match self.environment.lookup(type_name, resource) {
            Some((to, mapping)) => (to, mapping.file.clone(), mapping.span),
            None => (type_name.to_owned(), from.map(str::to_owned), span),
        };
        if name == "OS::Heat::None" {
            return Resolved::Anything;
        }
        if nested::is_file(&name) {
            return self.nested(&name, from.as_deref(), span);
        }
        match schema::find_type(&name, span, &mut self.findings) {
            Some(facts) => {
                self.check_status(facts, span);
                if facts.is_placeholder() { Resolved::Anything } else { Resolved::Facts(facts) }
            }
            None => Resolved::Anything,
        }
    }

    fn check_status(&mut self, facts: &'static TypeFacts, span: Span) {
        if let Some((status, version)) = facts.retired() {
            let name = facts.name;
            let words = match status {
                "DEPRECATED" => "deprecated",
                "HIDDEN" => "hidden and about to go",
                _ => "not supported",
            };
            let message = format!("type `{name}` is {words} since Heat {version}");
            let mut finding = Diagnostic::warning("HOT015", span, message);
            finding.help = facts.replacement().map(|new| format!("use `{new}`"));
            self.findings.push(finding);
        }
        let release = facts.since().and_then(release_of_heat);
        if let Some(name) = release.and_then(|rank| super::versions::RELEASES.get(rank)) {
            self.check_release(name, span, &format!("type `{}`", facts.name));
        }
    }

    fn nested(&mut self, name: &str, from: Option<&str>, span: Span) -> Resolved {
        let Some(path) = nested::local(name) else { return Resolved::Anything };
        let read = match &mut self.files {
            Some(files) => files.read(from, path),
            None => return Resolved::Anything,
        };
        let file: ReadFile = match read {
            Ok(file) => file,
            Err(error) => return self.refused(&error, span),
        };
        if self.known.contains_key(&file.identity) {
            return Resolved::Template(file.identity);
        }
        if let Err(error) = self.imports.enter(&file, Some(span)) {
            return self.refused(&error, span);
        }
        let ReadFile { name, identity, text } = file;
        let source = self.sources.add_included(name.clone(), text, Some(span));
        let read = self.template(source, Some(&name), true);
        self.imports.leave();
        match read {
            Some((stack, nested)) => {
                self.stacks.push(stack);
                self.known.insert(identity.clone(), nested);
                Resolved::Template(identity)
            }
            None => Resolved::Anything,
        }
    }

    fn refused(&mut self, error: &FileError, span: Span) -> Resolved {
        let mut finding = error.diagnostic(span);
        if matches!(error, FileError::OutsideRoot { .. }) {
            // Heat would read it; that it was not looked at is no mistake of the template.
            finding.severity = Severity::Warning;
        }
        self.findings.push(finding);
        Resolved::Anything
    }

    fn outputs(
        &mut self,
        root: Node<'_>,
        scope: &Scope<'_>,
    ) -> (BTreeSet<String>, BTreeSet<String>) {
        let hot = scope.version.format == Format::Hot;
        let (word, value) = if hot { ("outputs", "value") } else { ("Outputs", "Value") };
        let known: &[&str] = if hot {
            &["value", "description", "condition"]
        } else {
            &["Value", "Description", "Condition", "Export"]
        };
        let mut names = BTreeSet::new();
        let mut evaluator = scope.evaluator();
        let section = sections::mapping(root, word, &mut self.findings);
        for entry in section.into_iter().flat_map(Node::entries) {
            names.insert(entry.name().to_owned());
            sections::unknown_keys(entry.value, known, "HOT003", "an output", &mut self.findings);
            if let Some(condition) = entry.value.get(known[2]).filter(|node| !node.is_null()) {
                evaluator.condition(condition);
            }
            match entry.value.get(value) {
                Some(node) => {
                    evaluator.value(node);
                }
                None => {
                    let message = format!("output `{}` has no `{value}`", entry.name());
                    self.findings.push(Diagnostic::error("HOT002", entry.key.span(), message));
                }
            }
        }
        self.take_files(&mut evaluator, scope.path.as_deref());
        self.findings.append(&mut evaluator.findings);
        (evaluator.used, names)
    }

    /// Looks whether the files that functions name are there.
    pub(super) fn take_files(&mut self, evaluator: &mut Evaluator<'_>, from: Option<&str>) {
        for (name, span) in evaluator.files.drain(..) {
            let (Some(files), Some(path)) = (&mut self.files, nested::local(&name)) else {
                continue;
            };
            if let Err(error) = files.exists(from, path) {
                self.refused(&error, span);
            }
        }
    }

    fn unused(&mut self, parameters: &[Parameter], used: &BTreeSet<String>) {
        for parameter in parameters.iter().filter(|parameter| !used.contains(&parameter.name)) {
            let message = format!("nothing reads parameter `{}`", parameter.name);
            self.findings.push(Diagnostic::warning("HOT014", parameter.span, message));
        }
    }
}

/// The parameters in the order of the text.
fn in_order(root: Node<'_>, parameters: &BTreeMap<String, Parameter>) -> Vec<Parameter> {
    let section = root.get("parameters").or_else(|| root.get("Parameters"));
    let entries = section.into_iter().flat_map(Node::entries);
    entries.filter_map(|entry| parameters.get(entry.name()).cloned()).collect()
}
