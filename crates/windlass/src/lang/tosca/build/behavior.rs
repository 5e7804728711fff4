//! Interfaces, operations, artifacts, workflows and activities.

use super::super::codes;
use super::super::grammar::behavior::INTERFACE_DEFINITION;
use super::super::grammar::data::PARAMETER;
use super::super::model::{
    Activity, ActivityKind, Artifact, Fields, Implementation, Interface, Operation, Parameter,
    Schema, Step, TypeKind, Workflow,
};
use super::super::value::{Name, Value};
use super::{Build, value, word, words};
use crate::diagnostic::Diagnostic;
use crate::spelling;
use crate::tree::{Entry, Node};

/// What a step or a trigger may do.
const ACTIVITIES: &[&str] = &["set_state", "call_operation", "delegate", "inline"];

impl Build<'_> {
    pub(super) fn interfaces(
        &mut self,
        node: Option<Node<'_>>,
        defines: bool,
    ) -> Fields<Interface> {
        self.fields(node, |build, entry| {
            let mut interface = build.interface(entry.value, true, defines);
            // In types an interface may be named after its type.
            if interface.of.is_none() && defines {
                interface.of =
                    build.quiet_ref(TypeKind::Interface, entry.key).filter(|of| of.id.is_some());
            }
            interface.span = entry.key.span();
            interface
        })
    }

    /// An interface; before 2.0 its operations may stand beside the keynames.
    pub(super) fn interface(&mut self, node: Node<'_>, typed: bool, defines: bool) -> Interface {
        let of = node.get("type").filter(|_| typed);
        let of = of.and_then(|node| self.type_ref(TypeKind::Interface, node));
        let operation = |build: &mut Self, entry: Entry<'_>| build.operation(entry, defines);
        let mut operations = self.fields(node.get("operations"), operation);
        if !self.version().is_2() {
            let known = INTERFACE_DEFINITION.keys;
            for entry in node.entries() {
                let name = entry.name();
                let is_key = known.iter().any(|key| key.name == name)
                    || ["derived_from", "version"].contains(&name);
                if !is_key {
                    let operation = self.operation(entry, defines);
                    operations.push(Name::of(entry.key), operation);
                }
            }
        }
        Interface {
            of,
            inputs: self.inputs(node.get("inputs"), defines),
            operations,
            notifications: self.fields(node.get("notifications"), operation),
            span: node.span(),
        }
    }

    fn operation(&mut self, entry: Entry<'_>, defines: bool) -> Operation {
        let node = entry.value;
        let implementation =
            if node.is_mapping() { node.get("implementation") } else { Some(node) };
        Operation {
            inputs: self.inputs(node.get("inputs"), defines),
            outputs: self.values(node.get("outputs")),
            implementation: implementation
                .filter(|node| !node.is_null())
                .map(|node| self.implementation(node)),
            span: entry.key.span(),
        }
    }

    fn inputs(&mut self, node: Option<Node<'_>>, defines: bool) -> Fields<Parameter> {
        self.fields(node, |build, entry| build.input(entry, defines))
    }

    /// A definition when it names a type, else a value. In a type a definition that refines an
    /// inherited one may leave its type out.
    fn input(&mut self, entry: Entry<'_>, defines: bool) -> Parameter {
        let node = entry.value;
        let is_key = |entry: Entry<'_>| PARAMETER.keys.iter().any(|it| it.name == entry.name());
        let refines = defines && node.entries().next().is_some() && node.entries().all(is_key);
        if refines || node.get("type").is_some_and(|of| of.as_text().is_some()) {
            return self.parameter(entry);
        }
        Parameter {
            schema: Schema::default(),
            value: Some(Value::of(node)),
            has_unknown_key: false,
            span: entry.key.span(),
        }
    }

    pub(super) fn parameter(&mut self, entry: Entry<'_>) -> Parameter {
        let node = entry.value;
        let schema = if node.is_mapping() { self.schema(node) } else { Schema::default() };
        let version = self.version();
        let is_known = |entry: Entry<'_>| {
            PARAMETER.keys.iter().any(|key| key.name == entry.name() && key.is_in(version))
        };
        Parameter {
            schema,
            value: value(node.get("value")),
            has_unknown_key: node.is_mapping() && !node.entries().all(is_known),
            span: entry.key.span(),
        }
    }

    pub(super) fn implementation(&mut self, node: Node<'_>) -> Implementation {
        let primary = if node.is_mapping() && node.get("file").is_none() {
            node.get("primary")
        } else {
            Some(node)
        };
        let listed = node.get("dependencies");
        // A file alone is a list of one.
        let alone = listed.filter(|node| node.as_text().is_some());
        let dependencies = listed.into_iter().flat_map(Node::items).chain(alone);
        let dependencies = dependencies.map(|node| self.artifact(node)).collect();
        Implementation {
            primary: primary.map(|node| self.artifact(node)),
            dependencies,
            host: word(node.get("operation_host").filter(|_| !self.version().is_2())),
            timeout: value(node.get("timeout")),
            span: node.span(),
        }
    }

    pub(super) fn artifact(&mut self, node: Node<'_>) -> Artifact {
        // Before 2.0 many files invent types of artifacts.
        let of = node.get("type").and_then(|node| {
            if self.version().is_2() {
                self.type_ref(TypeKind::Artifact, node)
            } else {
                self.doubtful_ref(TypeKind::Artifact, node)
            }
        });
        Artifact {
            of,
            file: word(if node.is_mapping() { node.get("file") } else { Some(node) }),
            repository: word(node.get("repository")),
            deploy_path: word(node.get("deploy_path")),
            properties: self.values(node.get("properties")),
            span: node.span(),
        }
    }

    pub(super) fn workflow(&mut self, entry: Entry<'_>) -> Workflow {
        let node = entry.value;
        let implementation = node.get("implementation").filter(|node| !node.is_null());
        Workflow {
            inputs: self.fields(node.get("inputs"), Self::parameter),
            outputs: self.values(node.get("outputs")),
            preconditions: value(node.get("preconditions").or(node.get("precondition"))),
            steps: self.fields(node.get("steps"), Self::step),
            implementation: implementation.map(|node| self.implementation(node)),
            span: entry.key.span(),
        }
    }

    fn step(&mut self, entry: Entry<'_>) -> Step {
        let node = entry.value;
        Step {
            target: word(node.get("target")),
            target_relationship: word(node.get("target_relationship")),
            host: word(node.get("operation_host")),
            filter: value(node.get("filter")),
            activities: self.activities(node.get("activities"), true),
            on_success: words(node.get("on_success")),
            on_failure: words(node.get("on_failure")),
            span: entry.key.span(),
        }
    }

    /// Activities. A trigger may also, before 2.0, name an operation of its own.
    pub(super) fn activities(
        &mut self,
        node: Option<Node<'_>>,
        in_workflow: bool,
    ) -> Vec<Activity> {
        let mut all = Vec::new();
        let is_one = |item: Node<'_>| item.entries().any(|it| ACTIVITIES.contains(&it.name()));
        let items = node.into_iter().flat_map(Node::items).chain(node);
        let entries = items.flat_map(|item| item.entries().map(move |it| (it, is_one(item))));
        for (entry, is_beside) in entries {
            let name = entry.name();
            if ACTIVITIES.contains(&name) {
                all.extend(self.activity(entry));
                continue;
            }
            let near = spelling::nearest(name, ACTIVITIES.iter().copied());
            if in_workflow || self.version().is_2() || near.is_some() || is_beside {
                let message = format!("there is no activity `{name}`");
                let finding = Diagnostic::error(codes::UNKNOWN_KEY, entry.key.span(), message);
                self.findings.push(match near {
                    Some(near) => finding.help(format!("did you mean `{near}`?")),
                    None => finding.help(spelling::known("activity", ACTIVITIES.iter().copied())),
                });
            }
        }
        all
    }

    fn activity(&mut self, entry: Entry<'_>) -> Option<Activity> {
        let kind = match entry.name() {
            "set_state" => ActivityKind::SetState,
            "call_operation" => ActivityKind::CallOperation,
            "delegate" => ActivityKind::Delegate,
            "inline" => ActivityKind::Inline,
            _ => return None,
        };
        let node = entry.value;
        let word_for = if kind == ActivityKind::CallOperation { "operation" } else { "workflow" };
        let subject = node.get(word_for);
        let before = self.findings.len();
        for inner in node.entries().filter(|it| ![word_for, "inputs"].contains(&it.name())) {
            let message = format!("`{}` has no key `{}`", entry.name(), inner.name());
            let finding = Diagnostic::error(codes::UNKNOWN_KEY, inner.key.span(), message);
            self.findings.push(finding.help(format!("known keys: `{word_for}`, `inputs`")));
        }
        let subject = word(if node.is_mapping() { subject } else { Some(node) });
        let subject = subject.filter(|name| !name.text.is_empty());
        // A key that is misspelled says it already.
        if subject.is_none() && self.findings.len() == before {
            let what = if kind == ActivityKind::SetState { "state" } else { word_for };
            let message = format!("`{}` names no {what}", entry.name());
            self.findings.push(Diagnostic::error(codes::MISSING_KEY, entry.key.span(), message));
        }
        Some(Activity {
            kind,
            subject: subject?,
            inputs: self.values(node.get("inputs")),
            span: entry.key.span(),
        })
    }
}
