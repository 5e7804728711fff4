//! One template after the other: parameters, conditions, resources, outputs.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::conditions::Conditions;
use super::environment::Environment;
use super::evaluate::{Evaluator, Head};
use super::facts::TypeFacts;
use super::nested::{Interface, Nested};
use super::parameter::{self, Parameter, options};
use super::sections;
use super::stack::{Output, Stack};
use super::value::{Kind, Value};
use super::versions::{Format, Version, release_rank};
use super::{Settings, cycle, hidden, nested, resources};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::language::Text;
use crate::source::files::{Files, ImportStack};
use crate::source::{SourceId, Sources, Span};
use crate::tree::{Node, Tree};

/// The text of a template as a tree, and what is wrong with it as YAML.
pub(super) struct ParsedTemplate {
    tree: Tree,
    findings: Vec<Diagnostic>,
}

/// Reads a template with everything that it uses.
pub(super) struct Builder<'f> {
    /// The text to begin with, until it is read.
    pub(super) first: Option<Text>,
    /// What was parsed: a nested template is evaluated for every use, and parsed for the first.
    pub(super) parsed: BTreeMap<SourceId, Rc<ParsedTemplate>>,
    pub(super) sources: &'f mut Sources,
    pub(super) files: Option<&'f mut dyn Files>,
    pub(super) environment: Environment,
    pub(super) settings: &'f Settings,
    pub(super) findings: Vec<Diagnostic>,
    pub(super) imports: ImportStack,
    /// Templates used as types that were read, by the identity of their file.
    pub(super) known: BTreeMap<String, Nested>,
    /// The same once more for each use, with the values that are passed in.
    pub(super) uses: Vec<Stack>,
}

/// What a template is used for.
#[derive(Debug, Clone, Copy)]
pub(super) enum TemplateUse<'v> {
    /// The user who creates the stack.
    User,
    /// Another template, which uses it as a type: nothing is known about the values.
    Type,
    /// A resource of that type with these properties.
    Resource(&'v Value),
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
    /// Reads a template; also the parameters that it takes and the outputs that it gives.
    ///
    /// Paper: 000 7.1.1
    pub(super) fn template(
        &mut self,
        source: SourceId,
        path: Option<&str>,
        usage: TemplateUse<'_>,
    ) -> Option<(Stack, Interface)> {
        let parsed = self.parse(source);
        let tree = &parsed.tree;
        self.findings.extend(parsed.findings.iter().cloned());
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
        let hot = version.format == Format::Hot;
        let mut stack = Stack::new(version, span);
        let parameters = self.parameters(root, version, usage);
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
        hidden::add(&mut stack);
        cycle::check(&stack, &mut self.findings);
        stack.parameters = in_order(root, &scope.parameters);
        if tree.is_complete() {
            self.unused(&stack.parameters, &used);
        }
        let description = root.get(if hot { "description" } else { "Description" });
        stack.description = description.and_then(Node::as_str).map(str::to_owned);
        stack.conditions = scope.conditions.names().map(str::to_owned).collect();
        let names = outputs.iter().map(|output| output.name.clone()).collect();
        stack.outputs = outputs;
        Some((stack, Interface { parameters: scope.parameters, outputs: names }))
    }

    fn parse(&mut self, source: SourceId) -> Rc<ParsedTemplate> {
        if let Some(parsed) = self.parsed.get(&source) {
            return Rc::clone(parsed);
        }
        let first = self.first.take_if(|first| first.id == source);
        let text = first.unwrap_or_else(|| Text::new(source));
        let (tree, mut findings) = text.parse(self.sources, &options());
        sections::rename_duplicates(&tree, &mut findings);
        let parsed = Rc::new(ParsedTemplate { tree, findings });
        self.parsed.insert(source, Rc::clone(&parsed));
        parsed
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
        usage: TemplateUse<'_>,
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
            let passed;
            let given = match (usage, self.environment.parameters.get(name)) {
                (TemplateUse::Type, _) => Some(&unknown),
                (TemplateUse::Resource(properties), _) => {
                    passed = properties.get(name).map(Value::exported);
                    passed.as_ref().or(default)
                }
                (TemplateUse::User, Some((value, _))) => Some(value),
                (TemplateUse::User, None) => default,
            };
            let has_value = given.is_some();
            let before = self.findings.len();
            let mut parameter =
                parameter::read(entry.key, entry.value, version.format, given, &mut self.findings);
            if matches!(usage, TemplateUse::Resource(_)) {
                // What is wrong with it was said when the type was read, and with the values when
                // the properties were compared.
                self.findings.truncate(before);
            }
            parameter.has_default |= default.is_some();
            if !has_value && !parameter.has_default && matches!(usage, TemplateUse::User) {
                missing.push((name.to_owned(), entry.key.span()));
            }
            parameters.insert(name.to_owned(), parameter);
        }
        self.without_value(&missing);
        if matches!(usage, TemplateUse::User) {
            for (name, (_, span)) in &self.environment.parameters {
                if !parameters.contains_key(name) {
                    let message = format!("the template has no parameter `{name}`");
                    self.findings.push(Diagnostic::error("HOT013", *span, message));
                }
            }
        }
        parameters
    }

    /// Row C24. The user who creates the stack may still give values, so this is no error.
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
            let finding = Diagnostic::warning("HOT102", span, message);
            self.findings.push(swallowed(root, word, finding));
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
                    let outputs = self.known.get(file).map(|nested| nested.gives.outputs.clone());
                    Head { facts: None, outputs }
                }
                Resolved::Anything => Head { facts: None, outputs: None },
            };
            scope.heads.insert(entry.name().to_owned(), head);
            scope.types.insert(entry.name().to_owned(), resolved);
        }
    }

    /// The outputs, and the parameters that they read.
    fn outputs(&mut self, root: Node<'_>, scope: &Scope<'_>) -> (BTreeSet<String>, Vec<Output>) {
        let hot = scope.version.format == Format::Hot;
        let word = if hot { "outputs" } else { "Outputs" };
        let known: &[&str] = if hot {
            &["value", "description", "condition"]
        } else {
            &["Value", "Description", "Condition", "Export"]
        };
        let mut outputs = Vec::new();
        let mut evaluator = scope.evaluator();
        let section = sections::mapping(root, word, &mut self.findings);
        for entry in section.into_iter().flat_map(Node::entries) {
            sections::unknown_keys(entry.value, known, "HOT003", "an output", &mut self.findings);
            if let Some(condition) = entry.value.get(known[2]).filter(|node| !node.is_null()) {
                evaluator.condition(condition);
            }
            let value = match entry.value.get(known[0]) {
                Some(node) => evaluator.value(node),
                None => {
                    let message = format!("output `{}` has no `{}`", entry.name(), known[0]);
                    self.findings.push(Diagnostic::error("HOT002", entry.key.span(), message));
                    Value::unknown(entry.key.span(), Kind::Any, None)
                }
            };
            let description = entry.value.get(known[1]).and_then(Node::as_str).map(str::to_owned);
            outputs.push(Output { name: entry.name().to_owned(), description, value });
        }
        self.take_files(&mut evaluator, scope.path.as_deref());
        self.findings.append(&mut evaluator.findings);
        (evaluator.used, outputs)
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

/// A section that stands too far to the right becomes a part of the text before it.
fn swallowed(root: Node<'_>, word: &str, finding: Diagnostic) -> Diagnostic {
    let starts = format!("{word}:");
    let holds = |node: &Node<'_>| {
        let text = node.as_str().unwrap_or_default();
        // A folded text has its lines in one.
        node.is_scalar() && text.split_whitespace().any(|word| word == starts)
    };
    match root.entries().find(|entry| holds(&entry.value)) {
        Some(entry) => {
            finding.label(entry.value.span(), "in the middle of this text").help(format!(
                "`{starts}` is part of the text of `{}`: begin it at the start of its line",
                entry.name()
            ))
        }
        None => finding,
    }
}
