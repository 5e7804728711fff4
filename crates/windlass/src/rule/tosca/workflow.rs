//! Workflows: what steps name, whether they end, and whether workflows run themselves.

use super::Checker;
use super::schema::Base;
use super::value::is_required;
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::tosca::codes;
use crate::lang::tosca::model::{Activity, ActivityKind, Service, Step, TypeId, Workflow};
use crate::lang::tosca::switches;
use crate::lang::tosca::value::{Name, Value};
use crate::source::Span;
use crate::spelling;
use std::collections::{BTreeMap, BTreeSet};

/// The states of nodes; the last three are aliases that engines use.
const STATES: &[&str] = &[
    "initial",
    "creating",
    "created",
    "configuring",
    "configured",
    "starting",
    "started",
    "stopping",
    "deleting",
    "error",
    "available",
    "stopped",
    "deleted",
];

/// Where the operations of a step may run, beside nodes by name.
const HOSTS: &[&str] = &["SELF", "HOST", "SOURCE", "TARGET", "ORCHESTRATOR"];

/// Workflows that every orchestrator makes by itself.
const WOVEN: &[&str] = &["deploy", "undeploy", "install", "uninstall", "start", "stop"];

impl Checker<'_> {
    pub(super) fn workflows(&mut self) {
        let model = self.model;
        let Some(service) = &model.service else { return };
        self.workflows_alone(service);
        for (name, workflow) in service.workflows.iter() {
            for (_, step) in workflow.steps.iter() {
                self.step(service, workflow, step);
            }
            if !self.version().is_2() {
                self.preconditions(service, workflow);
            }
            let is_whole = workflow.steps.iter().all(|(_, step)| {
                let mut next = step.on_success.iter().chain(&step.on_failure);
                next.all(|name| workflow.steps.get(&name.text).is_some())
            });
            // What follows from the unknown name of a step is no finding of its own.
            if self.ends(name, workflow) && is_whole {
                self.order(service, workflow);
            }
        }
        self.recursion(service);
    }

    fn step(&mut self, service: &Service, workflow: &Workflow, step: &Step) {
        for name in step.on_success.iter().chain(&step.on_failure) {
            if workflow.steps.get(&name.text).is_none() {
                let message = format!("there is no step `{}`", name.text);
                let near = spelling::nearest(&name.text, workflow.steps.names());
                let help = near.map(|near| format!("did you mean `{near}`?"));
                self.advise(codes::UNKNOWN_NAME, name.span, message, help);
            }
        }
        self.related(service, step);
        let Some(target) = &step.target else { return };
        let node = service.nodes.get(&target.text);
        self.target_of_step(service, &target.text, target.span);
        if let Some(host) = &step.host {
            self.operation_host(host, HOSTS, Some(service));
        }
        let of = node.and_then(|node| node.of.id).filter(|id| !self.model.is_opaque(*id));
        for activity in &step.activities {
            match activity.kind {
                ActivityKind::SetState => self.state(&activity.subject),
                ActivityKind::Inline => self.inlined(service, activity),
                ActivityKind::Delegate => self.delegated(service, activity),
                ActivityKind::CallOperation => {
                    if let Some(of) = of.filter(|_| step.target_relationship.is_none()) {
                        self.call(workflow, of, &target.text, activity);
                    } else if node.is_none() && step.target_relationship.is_none() {
                        self.call_of_group(service, &target.text, activity);
                    }
                }
            }
        }
    }

    /// Workflows in a file of their own name nodes of a service that is elsewhere.
    fn workflows_alone(&mut self, service: &Service) {
        let mut steps = service.workflows.iter().flat_map(|(_, workflow)| workflow.steps.iter());
        let first = steps.find_map(|(_, step)| step.target.as_ref());
        let Some(first) = first.filter(|_| is_alone(service)) else { return };
        let message = format!(
            "there are no node templates in this file, so `{}` and all other targets are unknown",
            first.text
        );
        let finding = Diagnostic::warning(codes::UNKNOWN_NAME, first.span, message);
        let help = "`windlass verify --app SERVICE FILE` judges the workflows of a file within a \
                    service";
        self.findings.push(finding.help(help));
    }

    /// What a step or a condition is about is there.
    fn target_of_step(&mut self, service: &Service, name: &str, span: Span) {
        let is_there = service.nodes.get(name).is_some() || service.groups.get(name).is_some();
        if is_there || is_alone(service) {
            return;
        }
        let message = format!("the target `{name}` is no node template and no group");
        let near = spelling::nearest(name, service.nodes.names());
        let help = near.map(|near| format!("did you mean `{near}`?"));
        self.advise(codes::UNKNOWN_NAME, span, message, help);
    }

    pub(super) fn state(&mut self, state: &Name) {
        if self.version().is_2() || STATES.contains(&state.text.as_str()) {
            return;
        }
        let message = format!("there is no node state `{}`", state.text);
        let help = spelling::known("state", STATES.iter().take(10).copied());
        self.advise(codes::STATE, state.span, message, Some(help));
        self.quirk(switches::FREE_STATES);
    }

    /// What is left to the orchestrator is something that it can do. Others may know more.
    pub(super) fn delegated(&mut self, service: &Service, activity: &Activity) {
        let before = self.findings.len();
        self.known_workflow(service, &activity.subject);
        for found in &mut self.findings[before..] {
            if found.help.is_none() {
                found.severity = Severity::Warning;
            }
        }
    }

    /// A workflow that runs in place gets the inputs that it has, and those that it needs.
    pub(super) fn inlined(&mut self, service: &Service, activity: &Activity) {
        self.known_workflow(service, &activity.subject);
        let Some(workflow) = service.workflows.get(&activity.subject.text) else { return };
        for (name, value) in activity.inputs.iter() {
            match workflow.inputs.get(&name.text) {
                Some(input) => self.value(value, &input.schema, self.version()),
                None => {
                    let of = &activity.subject.text;
                    let message = format!("the workflow `{of}` has no input `{}`", name.text);
                    let near = spelling::nearest(&name.text, workflow.inputs.names());
                    let help = near.map(|near| format!("did you mean `{near}`?"));
                    self.advise(codes::UNKNOWN_NAME, name.span, message, help);
                }
            }
        }
        for (name, input) in workflow.inputs.iter() {
            let is_given = activity.inputs.get(&name.text).is_some();
            if !is_given && input.value.is_none() && is_required(&input.schema) {
                let of = &activity.subject.text;
                let message = format!("the workflow `{of}` needs the input `{}`", name.text);
                self.error(codes::OPERATION, activity.span, message);
            }
        }
    }

    /// Preconditions are about nodes that exist, and about what they have.
    fn preconditions(&mut self, service: &Service, workflow: &Workflow) {
        let all = workflow.preconditions.as_ref().map_or(&[][..], Value::items);
        for condition in all {
            let Some(target) = condition.get("target") else { continue };
            let Some(name) = target.text() else { continue };
            let node = service.nodes.get(name);
            self.target_of_step(service, name, target.span);
            let of = node.and_then(|node| node.of.id).filter(|id| !self.model.is_opaque(*id));
            if let (Some(of), Some(clause)) = (of, condition.get("condition")) {
                self.assertions(of, name, clause);
            }
        }
        for (_, step) in workflow.steps.iter() {
            let target = step.target.as_ref().filter(|_| step.target_relationship.is_none());
            let node = target.and_then(|target| Some((target, service.nodes.get(&target.text)?)));
            let Some((target, node)) = node else { continue };
            let of = node.of.id.filter(|id| !self.model.is_opaque(*id));
            if let (Some(of), Some(filter)) = (of, &step.filter) {
                self.assertions(of, &target.text, filter);
            }
        }
    }

    /// What a condition names is an attribute or property, or the state.
    fn assertions(&mut self, of: TypeId, owner: &str, clause: &Value) {
        for item in clause.items() {
            self.assertions(of, owner, item);
        }
        for entry in clause.entries() {
            let Some(name) = entry.key.text() else { continue };
            if ["assert", "and", "or", "not"].contains(&name) {
                self.assertions(of, owner, &entry.value);
                continue;
            }
            let attributes = self.model.schemas(of, |of| &of.attributes);
            let properties = self.model.schemas(of, |of| &of.properties);
            let is_there = attributes.get(name).is_some() || properties.get(name).is_some();
            if name != "state" && !is_there {
                let known = attributes.names().chain(properties.names()).chain(["state"]);
                let message = format!("`{owner}` has no attribute `{name}`");
                let near = spelling::nearest(name, known);
                let help = near.map(|near| format!("did you mean `{near}`?"));
                self.advise(codes::UNKNOWN_NAME, entry.key.span, message, help);
                // Other processors accept it, and real files do it.
                self.tolerate(true);
                continue;
            }
            let schema = attributes.get(name).or_else(|| properties.get(name));
            let of = schema.and_then(|schema| schema.of.as_ref());
            let base = of.map_or(Base::Unknown, |of| self.model.base(of, self.version()));
            self.clauses_of(&entry.value, if name == "state" { Base::Unknown } else { base });
            if name == "state" {
                self.compared_states(&entry.value);
            }
        }
    }

    /// The states that a node is compared with are some that it can have.
    fn compared_states(&mut self, clause: &Value) {
        let words = |value: &Value| {
            let name = |text: &str| Name { text: text.to_owned(), span: value.span };
            value.text().map(name)
        };
        let alone = std::slice::from_ref(clause);
        for one in clause.items().iter().chain(alone) {
            let operators = one.entries().iter().map(|entry| &entry.value);
            let compared = operators.flat_map(|value| value.items().iter().chain([value]));
            for state in compared.chain([one]).filter_map(words) {
                self.state(&state);
            }
        }
    }

    pub(super) fn known_workflow(&mut self, service: &Service, name: &Name) {
        let is_known = service.workflows.get(&name.text).is_some() || WOVEN.contains(&&*name.text);
        if !is_known {
            let message = format!("there is no workflow `{}`", name.text);
            let known = service.workflows.names().chain(WOVEN.iter().copied());
            let near = spelling::nearest(&name.text, known);
            let help = near.map(|near| format!("did you mean `{near}`?"));
            self.advise(codes::UNKNOWN_NAME, name.span, message, help);
        }
    }

    /// A called operation exists and gets the inputs that it needs.
    fn call(&mut self, workflow: &Workflow, of: TypeId, target: &str, activity: &Activity) {
        let name = &activity.subject;
        if !self.has_operation(of, &name.text) {
            let message = format!("`{target}` has no operation `{}`", name.text);
            let known = self.operation_names(of);
            let near = spelling::nearest(&name.text, known.iter().map(String::as_str));
            let help = match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => "an operation is written `interface.operation`".to_owned(),
            };
            self.advise(codes::OPERATION, name.span, message, Some(help));
            return;
        }
        let Some((interface, operation)) = name.text.rsplit_once(['.', '/']) else { return };
        let declared = self.inputs_of(of, interface, operation);
        let known: Vec<String> = declared.iter().map(|(name, _)| name.clone()).collect();
        for (given, _) in activity.inputs.iter() {
            if !known.contains(&given.text) {
                self.near_miss(given, "input", &known);
            }
        }
        for (input, schema) in declared {
            let is_needed =
                is_required(&schema) && !self.is_settled(of, (interface, operation), &input);
            match activity.inputs.get(&input) {
                None => {
                    let is_given = self.is_given_by_template(target, &name.text, &input);
                    if is_needed && !is_given {
                        let message = format!("`{}` needs the input `{input}`", name.text);
                        self.error(codes::OPERATION, activity.span, message);
                    }
                }
                Some(value) => {
                    self.value(value, &schema, self.version());
                    let fed = value.get("$get_input").or_else(|| value.get("get_input"));
                    let fed = fed.and_then(|name| workflow.inputs.get(name.text()?));
                    let is_optional = fed.is_some_and(|fed| {
                        fed.schema.required == Some(false) && fed.schema.default.is_none()
                    });
                    if is_needed && is_optional {
                        let message =
                            format!("`{input}` is required and its value may not be given");
                        self.error(codes::OPERATION, value.span, message);
                    }
                }
            }
        }
    }

    /// Some member of a group has the operation that is called of all, or the group has it itself.
    fn call_of_group(&mut self, service: &Service, target: &str, activity: &Activity) {
        let Some(group) = service.groups.get(target) else { return };
        let name = &activity.subject;
        let members = group.members.iter().filter_map(|member| service.nodes.get(&member.text));
        let mut types = members.filter_map(|member| member.of.id).chain(group.of.id);
        if types.any(|of| self.has_operation(of, &name.text)) {
            return;
        }
        let is_open = group.of.id.is_none_or(|of| self.model.is_opaque(of));
        let own = name.text.rsplit_once(['.', '/']);
        let own = own.and_then(|(interface, _)| group.interfaces.get(interface));
        let Some(nodes) = self.targeted(service, target).filter(|all| !all.is_empty()) else {
            return;
        };
        if is_open || own.is_some() {
            return;
        }
        let types: BTreeSet<TypeId> = nodes.iter().map(|(_, _, of)| *of).collect();
        let known: Vec<String> = types.iter().flat_map(|of| self.operation_names(*of)).collect();
        let message = format!("no member of `{target}` has an operation `{}`", name.text);
        let near = spelling::nearest(&name.text, known.iter().map(String::as_str));
        let help = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => "an operation is written `interface.operation`".to_owned(),
        };
        self.advise(codes::OPERATION, name.span, message, Some(help));
    }

    /// Whether a node template gives an input of an operation a value itself.
    fn is_given_by_template(&self, node: &str, operation: &str, input: &str) -> bool {
        let service = self.model.service.as_ref();
        let node = service.and_then(|service| service.nodes.get(node));
        let Some((interface, operation)) = operation.rsplit_once(['.', '/']) else { return false };
        let own = node.and_then(|node| node.interfaces.get(interface));
        own.is_some_and(|own| {
            let of_operation = own.operations.get(operation).map(|it| &it.inputs);
            [Some(&own.inputs), of_operation]
                .into_iter()
                .flatten()
                .any(|it| it.get(input).is_some())
        })
    }

    /// The operations of a type, each with its interface.
    pub(super) fn operation_names(&self, of: TypeId) -> Vec<String> {
        let chain = self.model.types.chain(of);
        let interfaces: BTreeSet<&str> = chain.flat_map(|(_, of)| of.interfaces.names()).collect();
        let whole = |interface: &str| {
            let known = self.operations(of, interface).unwrap_or_default();
            known.into_iter().map(|it| format!("{interface}.{it}")).collect::<Vec<_>>()
        };
        interfaces.into_iter().flat_map(whole).collect()
    }

    /// What a trigger gives to an operation fits.
    pub(super) fn called_inputs(&mut self, of: TypeId, activity: &Activity) {
        let name = &activity.subject.text;
        let Some((interface, operation)) = name.rsplit_once(['.', '/']) else { return };
        for (input, schema) in self.inputs_of(of, interface, operation) {
            if let Some(value) = activity.inputs.get(&input) {
                self.value(value, &schema, self.version());
            }
        }
    }

    /// The inputs that an operation declares, with those of its interface.
    fn inputs_of(
        &self,
        of: TypeId,
        interface: &str,
        operation: &str,
    ) -> Vec<(String, crate::lang::tosca::model::Schema)> {
        let mut inputs: Vec<(String, crate::lang::tosca::model::Schema)> = Vec::new();
        for (_, of) in self.model.types.chain(of) {
            let Some(interface) = of.interfaces.get(interface) else { continue };
            let own = interface.operations.get(operation).map(|operation| &operation.inputs);
            for (name, input) in interface
                .inputs
                .iter()
                .chain(own.into_iter().flat_map(crate::lang::tosca::model::Fields::iter))
            {
                let is_known = inputs.iter().any(|(known, _)| *known == name.text);
                if input.schema.of.is_some() && input.value.is_none() && !is_known {
                    inputs.push((name.text.clone(), input.schema.clone()));
                }
            }
            let typed = interface.of.as_ref().and_then(|of| of.id);
            let chain = typed.into_iter().flat_map(|of| self.model.types.chain(of));
            for own in chain.filter_map(|(_, of)| of.operations.get(operation)) {
                for (name, input) in own.inputs.iter() {
                    let is_known = inputs.iter().any(|(known, _)| *known == name.text);
                    if input.schema.of.is_some() && !is_known {
                        inputs.push((name.text.clone(), input.schema.clone()));
                    }
                }
            }
        }
        inputs
    }

    /// Whether the steps of a workflow come to an end; a cycle is reported.
    fn ends(&mut self, name: &Name, workflow: &Workflow) -> bool {
        let mut left = never_ended(workflow);
        if left.is_empty() {
            left = never_begun(workflow);
        }
        let Some(first) = left.first() else { return true };
        let names: Vec<String> = left.iter().map(|step| format!("`{step}`")).collect();
        let span = workflow.steps.entry(first).map_or(name.span, |(name, _)| name.span);
        let message = format!("the workflow `{}` never gets to {}", name.text, names.join(", "));
        let note = "These steps wait for each other, or for steps that do.";
        self.findings.push(Diagnostic::error(codes::WORKFLOW_CYCLE, span, message).note(note));
        false
    }

    /// Workflows that run themselves in place.
    fn recursion(&mut self, service: &Service) {
        // Workflows that run each other are one mistake.
        let mut said: BTreeSet<&str> = BTreeSet::new();
        for (name, workflow) in service.workflows.iter() {
            let mut seen: BTreeMap<&str, Option<&str>> = BTreeMap::new();
            let mut open: Vec<(&Activity, Option<&str>)> = Vec::new();
            open.extend(inlined(workflow).into_iter().map(|it| (it, None)));
            while let Some((activity, from)) = open.pop() {
                let subject = activity.subject.text.as_str();
                if subject == name.text {
                    let way = std::iter::successors(from, |at| seen.get(at).copied().flatten());
                    let mut way: Vec<&str> = way.collect();
                    way.reverse();
                    if !way.iter().chain([&subject]).any(|it| said.contains(it)) {
                        self.runs_itself(&activity.subject, &way);
                    }
                    said.extend(way);
                    said.insert(subject);
                    break;
                }
                if let Some(next) = service.workflows.get(subject)
                    && !seen.contains_key(subject)
                {
                    seen.insert(subject, from);
                    open.extend(inlined(next).into_iter().map(|it| (it, Some(subject))));
                }
            }
        }
    }

    fn runs_itself(&mut self, name: &Name, way: &[&str]) {
        let mut message = format!("the workflow `{}` runs itself", name.text);
        if !way.is_empty() {
            let names: Vec<String> = way.iter().map(|it| format!("`{it}`")).collect();
            message = format!("{message}, by way of {}", names.join(", "));
        }
        self.error(codes::WORKFLOW_CYCLE, name.span, message);
        // From 2.0 a filter may end it.
        if self.version().is_2()
            && let Some(last) = self.findings.last_mut()
        {
            last.severity = Severity::Warning;
        }
    }
}

/// The steps that are in a cycle or behind one: a step whose predecessors are all done can be done.
fn never_ended(workflow: &Workflow) -> BTreeSet<&str> {
    let steps: BTreeMap<&str, &Step> =
        workflow.steps.iter().map(|(name, step)| (&*name.text, step)).collect();
    let mut waits: BTreeMap<&str, usize> = steps.keys().map(|name| (*name, 0)).collect();
    for next in steps.values().flat_map(|step| &step.on_success) {
        waits.entry(&next.text).and_modify(|it| *it += 1);
    }
    let ready = waits.iter().filter(|(_, count)| **count == 0);
    let mut open: Vec<&str> = ready.map(|(name, _)| *name).collect();
    let mut left: BTreeSet<&str> = steps.keys().copied().collect();
    while let Some(name) = open.pop() {
        left.remove(name);
        for next in steps.get(name).into_iter().flat_map(|step| &step.on_success) {
            let Some(count) = waits.get_mut(&*next.text) else { continue };
            *count -= 1;
            if *count == 0 {
                open.push(&next.text);
            }
        }
    }
    left
}

/// The steps that no way leads to from one that waits for nothing, failures included.
fn never_begun(workflow: &Workflow) -> BTreeSet<&str> {
    let next = |step: &str| {
        let step = workflow.steps.get(step);
        step.into_iter().flat_map(|it| it.on_success.iter().chain(&it.on_failure))
    };
    let waiting: BTreeSet<&str> =
        workflow.steps.names().flat_map(next).map(|name| name.text.as_str()).collect();
    let mut left: BTreeSet<&str> = workflow.steps.names().collect();
    let mut open: Vec<&str> = left.iter().copied().filter(|it| !waiting.contains(it)).collect();
    while let Some(step) = open.pop() {
        if left.remove(step) {
            open.extend(next(step).map(|name| name.text.as_str()));
        }
    }
    left
}

/// Whether a file has workflows and nothing that they could be about.
fn is_alone(service: &Service) -> bool {
    service.nodes.is_empty() && service.groups.is_empty() && !service.workflows.is_empty()
}

fn inlined(workflow: &Workflow) -> Vec<&Activity> {
    let steps = workflow.steps.iter().flat_map(|(_, step)| &step.activities);
    steps.filter(|activity| activity.kind == ActivityKind::Inline).collect()
}
