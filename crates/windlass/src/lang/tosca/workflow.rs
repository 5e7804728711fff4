//! Imperative workflows as plans, and plans as imperative workflows.
//!
//! A step runs when every step that names it in `on_success` has ended; the activities of a step
//! run in order. A node whose `create` a workflow calls comes into being first: instances are part
//! of our plans, and not of workflows. States that a workflow sets are the word of its author and
//! not an action, and steps that only follow a failure are no part of the plan; `judge` says what
//! is wrong with them.

mod conditions;
mod declarative;
mod expand_instances;
pub(crate) mod reach;
mod separate_file;
mod skipped_operations;
mod skipped_steps;
mod steps;
mod undescribed;

pub use conditions::{Judgement, after, judge};
pub use declarative::declarative_plans;
pub use separate_file::{housed, within};
pub use skipped_steps::skipped_steps;

use std::collections::{BTreeMap, BTreeSet};

use super::command::{Inputs, ReturnedAttributes};
use super::lower::links::{Link, Links, links};
use super::lower::operation_sequences::{Way, ways};
use super::lower::{name_of, parts, plain};
use super::model::{Activity, ActivityKind, Model, Service, Workflow};
use super::weaving::Kind;
use crate::application::InstanceId;
use crate::lang::{Inexpressible, Written};
use crate::plan::{Order, Plan, PlanAction, Step};
use crate::source::Origin;
use crate::tree::Value;

/// What brings a node that the orchestrator brings itself, and what takes it away.
const PROVIDE: &str = "provide";
const RELEASE: &str = "release";

/// Workflows that an orchestrator has of its own, and what they do.
const BRINGS: &[&str] = &["deploy", "install"];
const TAKES_AWAY: &[&str] = &["undeploy", "uninstall"];

/// Whether a delegated workflow is one whose operations are known.
fn is_woven(name: &str) -> bool {
    BRINGS.contains(&name) || TAKES_AWAY.contains(&name)
}

/// How deep workflows may stand in each other.
const DEEPEST: usize = 16;

/// The plan of a workflow: the one that is named, else `deploy`, else the first one.
pub fn plan(model: &Model, name: Option<&str>) -> Option<Plan> {
    Some(expand_instances::taken_apart(
        reading(model, name, skipped_operations::over)?,
        &parts(model),
    ))
}

/// The same for a workflow that is one part of a life: what it does not call, another one may.
pub(crate) fn part(model: &Model, name: &str) -> Option<Plan> {
    reading(model, Some(name), |_, _| ())
}

fn reading(
    model: &Model,
    name: Option<&str>,
    complete: impl FnOnce(&mut Plan, &[Way]),
) -> Option<Plan> {
    let service = model.service.as_ref()?;
    let workflow = found(service, name)?;
    let is_tosker = super::protocol::is_used(model, service);
    let mut reading = Reading {
        model,
        service,
        links: links(model, service),
        plan: Plan::default(),
        has_lives: !is_tosker,
        ways: ways(model).map(|(ways, ..)| ways).unwrap_or_default(),
    };
    reading.workflow(workflow, "", 0);
    complete(&mut reading.plan, &reading.ways);
    reading.create_instances();
    Some(reading.plan)
}

fn found<'m>(service: &'m Service, name: Option<&str>) -> Option<&'m Workflow> {
    match name {
        Some(name) => service.workflows.get(name),
        None => service
            .workflows
            .get("deploy")
            .or_else(|| service.workflows.iter().next().map(|(_, workflow)| workflow)),
    }
}

/// The steps that are taken when nothing fails.
pub(crate) fn taken(workflow: &Workflow) -> BTreeSet<&str> {
    let steps = || workflow.steps.iter().map(|(name, step)| (&*name.text, step));
    let names =
        |names: &[super::value::Name], wanted: &str| names.iter().any(|it| it.text == wanted);
    let is_named = |wanted: &str| {
        steps().any(|(_, it)| names(&it.on_success, wanted) || names(&it.on_failure, wanted))
    };
    if steps().all(|(_, step)| step.on_failure.is_empty()) {
        return steps().map(|(name, _)| name).collect();
    }
    let mut open: Vec<&str> = steps().map(|(name, _)| name).filter(|it| !is_named(it)).collect();
    let mut taken = BTreeSet::new();
    while let Some(at) = open.pop() {
        if let Some((name, step)) = workflow.steps.entry(at)
            && taken.insert(&*name.text)
        {
            open.extend(step.on_success.iter().map(|next| &*next.text));
        }
    }
    taken
}

struct Reading<'m> {
    model: &'m Model,
    service: &'m Service,
    links: Links<'m>,
    plan: Plan,
    /// Whether instances come into being by the plan.
    has_lives: bool,
    /// What the orchestrator does with each node, unless protocols say it.
    ways: Vec<Way>,
}

/// Where a step begins and ends in the plan; a step without actions has neither.
#[derive(Default, Clone)]
struct Ends {
    first: Vec<usize>,
    last: Vec<usize>,
}

impl<'m> Reading<'m> {
    /// Adds the steps of a workflow and says where it begins and ends.
    fn workflow(&mut self, workflow: &'m Workflow, prefix: &str, depth: usize) -> Ends {
        if depth > DEEPEST {
            return Ends::default();
        }
        let mut ends: BTreeMap<&str, Ends> = BTreeMap::new();
        let taken = taken(workflow);
        for (name, step) in workflow.steps.iter().filter(|(name, _)| taken.contains(&*name.text)) {
            let label = format!("{prefix}{}", plain(&name.text));
            let targets = self.targets(step.target.as_ref().map(|name| &*name.text));
            let mut whole = Ends::default();
            for activity in &step.activities {
                let relationship = step.target_relationship.as_ref().map(|name| &*name.text);
                let next = self.activity(activity, &targets, relationship, &label, depth);
                whole = self.after(whole, next);
            }
            ends.insert(&name.text, whole);
        }
        let follows: BTreeMap<&str, Vec<&str>> = workflow
            .steps
            .iter()
            .map(|(name, step)| {
                (&*name.text, step.on_success.iter().map(|next| &*next.text).collect())
            })
            .collect();
        for from in ends.keys() {
            self.order_after(from, &ends, &follows);
        }
        let followers: BTreeSet<&str> = follows.values().flatten().copied().collect();
        let begins = |step: &&&str| !followers.contains(**step);
        let stops = |step: &&&str| follows.get(**step).is_none_or(Vec::is_empty);
        let first = ends.keys().filter(begins).flat_map(|step| &ends[step].first);
        let last = ends.keys().filter(stops).flat_map(|step| &ends[step].last);
        Ends { first: first.copied().collect(), last: last.copied().collect() }
    }

    /// Orders a step before those that follow it, through steps that do nothing.
    fn order_after(
        &mut self,
        from: &str,
        ends: &BTreeMap<&str, Ends>,
        follows: &BTreeMap<&str, Vec<&str>>,
    ) {
        let before = ends.get(from).map(|ends| ends.last.clone()).unwrap_or_default();
        let mut open: Vec<&str> = vec![from];
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        while let Some(at) = open.pop() {
            for next in follows.get(at).into_iter().flatten() {
                let Some(found) = ends.get(next) else { continue };
                if !seen.insert(next) {
                    continue;
                }
                if found.first.is_empty() {
                    open.push(next);
                }
                for (before, after) in pairs(&before, &found.first) {
                    self.order(before, after);
                }
            }
        }
    }

    fn order(&mut self, before: usize, after: usize) {
        let known = |edge: &Order| (edge.before, edge.after) == (before, after);
        if before != after && !self.plan.order.iter().any(known) {
            self.plan.order.push(Order { before, after, why: None, origin: Origin(None) });
        }
    }

    /// One part after another.
    fn after(&mut self, whole: Ends, next: Ends) -> Ends {
        if next.first.is_empty() {
            return whole;
        }
        for (before, after) in pairs(&whole.last, &next.first) {
            self.order(before, after);
        }
        let first = if whole.first.is_empty() { next.first } else { whole.first };
        Ends { first, last: next.last }
    }

    /// The node templates that a word means: one, or the members of a group.
    fn targets(&self, word: Option<&'m str>) -> Vec<&'m str> {
        let Some(word) = word else { return Vec::new() };
        match self.service.groups.get(word) {
            Some(group) => group.members.iter().map(|name| &*name.text).collect(),
            None => vec![word],
        }
    }

    fn activity(
        &mut self,
        activity: &'m Activity,
        targets: &[&str],
        relationship: Option<&str>,
        label: &str,
        depth: usize,
    ) -> Ends {
        match activity.kind {
            ActivityKind::SetState => Ends::default(),
            ActivityKind::Delegate => self.delegated(activity, targets, label),
            ActivityKind::Inline => {
                let Some(inner) = self.service.workflows.get(&activity.subject.text) else {
                    return Ends::default();
                };
                self.workflow(inner, &format!("{label}/"), depth + 1)
            }
            ActivityKind::CallOperation => {
                let mut ends = Ends::default();
                for target in targets {
                    let operation = operation(&activity.subject.text, relationship);
                    if self.has_lives && self.is_passed_over(target, &operation) {
                        continue;
                    }
                    let at = self.add(label, target, operation, activity.span.into());
                    ends.first.push(at);
                    ends.last.push(at);
                }
                ends
            }
        }
    }

    /// Whether an operation of a relationship is one that nothing carries out.
    fn is_passed_over(&self, node: &str, operation: &str) -> bool {
        let (links, given) = (&self.links, ReturnedAttributes::new());
        let inputs = Inputs { model: self.model, service: self.service, links, given: &given };
        skipped_operations::between(&inputs, node, operation)
    }

    /// What is left to the orchestrator: of nodes that it brings, this is their whole life; of
    /// others it is what the weaving rules say.
    fn delegated(&mut self, activity: &'m Activity, targets: &[&str], label: &str) -> Ends {
        let word = &*activity.subject.text;
        let operation = if BRINGS.contains(&word) { PROVIDE } else { RELEASE };
        if !is_woven(word) {
            return Ends::default();
        }
        let mut ends = Ends::default();
        for target in targets {
            let template = self.service.nodes.get(target);
            let is_brought = template.is_some_and(|template| {
                template.directives.iter().any(|directive| directive.text != "create")
            });
            let way = self.ways.iter().find(|way| way.node == name_of(target));
            let operations: Vec<String> = match way {
                _ if is_brought => vec![operation.to_owned()],
                Some(way) if operation == PROVIDE => {
                    way.up.iter().map(|(it, _)| it.clone()).collect()
                }
                Some(way) => way.down.clone(),
                None => Vec::new(),
            };
            let mut whole = Ends::default();
            for operation in operations {
                let at = self.add(label, target, operation, activity.span.into());
                whole = self.after(whole, Ends { first: vec![at], last: vec![at] });
            }
            ends.first.extend(whole.first);
            ends.last.extend(whole.last);
        }
        ends
    }

    fn add(&mut self, label: &str, node: &str, operation: String, origin: Origin) -> usize {
        let wish = label.to_owned();
        let mut label = wish.clone();
        let mut number = 2;
        while self.plan.step_labelled(&label).is_some() {
            label = format!("{wish}_{number}");
            number += 1;
        }
        let instance = InstanceId(name_of(node));
        let action = PlanAction::Operation { instance, operation };
        self.plan.steps.push(Step { label, action, origin });
        self.plan.steps.len() - 1
    }

    /// An instance for each node that the plan creates, inside of its host.
    fn create_instances(&mut self) {
        if !self.has_lives {
            return;
        }
        let creates = |step: &Step| match &step.action {
            PlanAction::Operation { instance, operation }
                if operation == "Standard.create" || operation == PROVIDE =>
            {
                Some(instance.0.clone())
            }
            _ => None,
        };
        let created: BTreeSet<String> = self.plan.steps.iter().filter_map(creates).collect();
        let mut born: BTreeMap<String, usize> = BTreeMap::new();
        let operations = self.plan.steps.len();
        for node in &created {
            let hosts: Vec<&Link<'_>> = self
                .links
                .iter()
                .filter(|link| link.kind == Kind::Hosted && self.name(link.source) == *node)
                .collect();
            let container = match hosts[..] {
                [host] => Some(self.name(host.target)),
                _ => None,
            };
            let action = PlanAction::ScaleOut {
                node: node.clone(),
                instance: InstanceId(node.clone()),
                container: container.map(InstanceId),
            };
            born.insert(node.clone(), self.plan.steps.len());
            let label = format!("instance:{node}");
            self.plan.steps.push(Step { label, action, origin: Origin(None) });
        }
        for (node, at) in &born {
            if let PlanAction::ScaleOut { container: Some(container), .. } =
                &self.plan.steps[*at].action
                && let Some(host) = born.get(&container.0)
            {
                self.order(*host, *at);
            }
            let own: Vec<usize> = (0..operations)
                .filter(|step| self.plan.steps[*step].action.instance().0 == *node)
                .collect();
            for step in own {
                self.order(*at, step);
            }
        }
    }

    fn name(&self, node: usize) -> String {
        self.service.nodes.at(node).map(|(name, _)| name_of(&name.text)).unwrap_or_default()
    }
}

fn pairs(before: &[usize], after: &[usize]) -> Vec<(usize, usize)> {
    before.iter().flat_map(|b| after.iter().map(|a| (*b, *a))).collect()
}

/// `Standard.create`, however the interface is written; of a relationship with its requirement.
fn operation(subject: &str, relationship: Option<&str>) -> String {
    let (interface, operation) = subject.rsplit_once('.').unwrap_or(("Standard", subject));
    let interface = match interface {
        "tosca.interfaces.node.lifecycle.Standard" => "Standard",
        "tosca.interfaces.relationship.Configure" => "Configure",
        other => other,
    };
    let name = format!("{}.{}", name_of(interface), name_of(operation));
    match relationship {
        Some(requirement) => format!("{name}:{}", name_of(requirement)),
        None => name,
    }
}

/// What a plan is called as a workflow: `undeploy` when it takes away and brings nothing.
pub fn name(plan: &Plan) -> &'static str {
    let does = |words: &[&str]| {
        plan.steps.iter().any(|step| match &step.action {
            PlanAction::Operation { operation, .. } => words.contains(&&**operation),
            _ => false,
        })
    };
    let takes_away = does(&["Standard.stop", "Standard.delete", RELEASE]);
    let brings = does(&["Standard.create", "Standard.configure", "Standard.start", PROVIDE]);
    if takes_away && !brings { "undeploy" } else { "deploy" }
}

/// Plans as imperative workflows. Instances have no words there and are left out.
pub fn print(plans: &[(&str, &Plan)]) -> Result<Written<Value>, Inexpressible> {
    let mut refused = Inexpressible::new("TOSCA");
    let mut workflows = Value::map();
    let mut scales = false;
    for (name, plan) in plans {
        let steps = steps(plan, &mut refused);
        workflows.insert(*name, Value::map().with("steps", steps));
        let is_operation = |step: &Step| matches!(step.action, PlanAction::Operation { .. });
        scales |= !plan.steps.iter().all(is_operation);
    }
    let document = Value::map()
        .with("tosca_definitions_version", "tosca_simple_yaml_1_3")
        .with("topology_template", Value::map().with("workflows", workflows));
    let left_out = if scales { vec!["that instances come and go"] } else { Vec::new() };
    refused.or(Written { document, left_out })
}

fn steps(plan: &Plan, refused: &mut Inexpressible) -> Value {
    let mut steps = Value::map();
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); plan.steps.len()];
    for edge in &plan.order {
        next[edge.before].push(edge.after);
    }
    for (at, step) in plan.steps.iter().enumerate() {
        let PlanAction::Operation { instance, operation } = &step.action else { continue };
        let (call, requirement) = match operation.split_once(':') {
            Some((call, requirement)) => (call, Some(requirement)),
            None => (&**operation, None),
        };
        let activity = match call {
            PROVIDE => Value::map().with("delegate", "deploy"),
            RELEASE => Value::map().with("delegate", "undeploy"),
            _ if call.contains('.') => Value::map().with("call_operation", call),
            _ => {
                refused.add(format!("the operation `{operation}`, which names no interface"));
                continue;
            }
        };
        let next = following(plan, &next, at);
        let mut body = Value::map()
            .with("target", instance.0.as_str())
            .with_some("target_relationship", requirement)
            .with("activities", Value::List(vec![activity.inline()]));
        if !next.is_empty() {
            body = body.with("on_success", Value::list(next).inline());
        }
        steps.insert(step.label.clone(), body);
    }
    steps
}

/// The next operations, past scalings. `next` has the steps that come right after each.
fn following<'p>(plan: &'p Plan, next: &[Vec<usize>], at: usize) -> BTreeSet<&'p str> {
    let (mut found, mut seen) = (BTreeSet::new(), BTreeSet::new());
    let mut open: Vec<usize> = next[at].clone();
    while let Some(at) = open.pop() {
        if !seen.insert(at) {
            continue;
        }
        let step = &plan.steps[at];
        match step.action {
            PlanAction::Operation { .. } => {
                found.insert(&*step.label);
            }
            _ => open.extend(&next[at]),
        }
    }
    found
}
