//! What a workflow says beside its operations: states that it sets, conditions that must hold
//! before it runs, and the way that it takes after a failure.
//!
//! A state that is set must be the one that the operations before it lead to, or, where it is a
//! state on the way, the one of the operation that follows. A precondition is compared with where
//! the nodes are at the start. After a failure of a step everything before it is done; it is
//! unknown how far the step itself came. What is unknown is named, never taken for good.

use std::collections::{BTreeMap, BTreeSet};

use super::super::model::{ActivityKind, Model, Service, Step, Workflow};
use super::super::value::{Data, Value};
use super::steps::{STANDARD, Steps, called, standard, targets};
use super::undescribed;
use crate::plan::{Plan, PlanAction};

/// What was found out about a workflow.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Judgement {
    /// What contradicts the life cycle, or can never hold.
    pub wrong: Vec<String>,
    /// What is unknown before the workflow runs.
    pub unknown: Vec<String>,
    /// What the workflow leaves to others that nothing describes: there is no verdict then.
    pub undescribed: Vec<String>,
}

/// Where a node is before anything is done with it.
const INITIAL: &str = "initial";

/// Where the nodes are after a plan: the last operation of each decides.
pub fn after(plan: &Plan) -> BTreeMap<String, String> {
    let mut states = BTreeMap::new();
    for step in plan.topological_order().unwrap_or_default() {
        if let PlanAction::Operation { instance, operation } = &plan.steps[step].action
            && let Some(found) = standard(operation)
        {
            states.insert(instance.0.clone(), found.to.to_owned());
        }
    }
    states
}

/// Judges the workflow of this name, else `deploy` or the first one. `start` says where nodes are;
/// one that is not named has not begun.
pub fn judge(
    model: &Model,
    name: Option<&str>,
    start: &BTreeMap<String, String>,
) -> Option<Judgement> {
    let service = model.service.as_ref()?;
    let workflow = super::found(service, name)?;
    let steps = Steps::of(service, workflow);
    let mut judge = Judge { service, workflow, start, steps, said: Judgement::default() };
    judge.preconditions();
    judge.states();
    judge.failures();
    judge.said.undescribed = undescribed::steps(service, workflow);
    Some(judge.said)
}

struct Judge<'m> {
    service: &'m Service,
    workflow: &'m Workflow,
    start: &'m BTreeMap<String, String>,
    steps: Steps<'m>,
    said: Judgement,
}

/// What a condition says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Truth {
    Yes,
    No,
    Unknown,
}

impl Truth {
    fn all(parts: impl Iterator<Item = Truth>) -> Truth {
        parts.fold(Truth::Yes, |all, part| match (all, part) {
            (Truth::No, _) | (_, Truth::No) => Truth::No,
            (Truth::Unknown, _) | (_, Truth::Unknown) => Truth::Unknown,
            _ => Truth::Yes,
        })
    }

    fn not(self) -> Truth {
        match self {
            Truth::Yes => Truth::No,
            Truth::No => Truth::Yes,
            Truth::Unknown => Truth::Unknown,
        }
    }

    fn is(fact: bool) -> Truth {
        if fact { Truth::Yes } else { Truth::No }
    }
}

impl<'m> Judge<'m> {
    fn state(&self, node: &str) -> &'m str {
        self.start.get(node).map_or(INITIAL, String::as_str)
    }

    fn preconditions(&mut self) {
        let Some(all) = &self.workflow.preconditions else { return };
        if all.items().is_empty() {
            let words = "its precondition is a function, which is not evaluated";
            self.said.unknown.push(words.to_owned());
        }
        for one in all.items() {
            let Some(target) = one.get("target").and_then(Value::text) else { continue };
            if one.get("target_relationship").is_some() {
                let words =
                    format!("the precondition on a relationship of `{target}` is not judged");
                self.said.unknown.push(words);
                continue;
            }
            let holds = one.get("condition").map_or(Truth::Yes, |it| self.clauses(it, target));
            let at = self.state(target);
            match holds {
                Truth::Yes => {}
                Truth::No => self.said.wrong.push(format!(
                    "the precondition on `{target}` does not hold at the start, where `{target}` \
                     is {at}"
                )),
                Truth::Unknown => self.said.unknown.push(format!(
                    "only the run knows whether the precondition on `{target}` holds"
                )),
            }
        }
    }

    /// A list of clauses: all of them hold.
    fn clauses(&self, value: &Value, target: &str) -> Truth {
        let listed = value.items().iter().map(|clause| self.clause(clause, target));
        Truth::all(listed.chain(value.entries().iter().map(|_| self.clause(value, target)).take(1)))
    }

    fn clause(&self, clause: &Value, target: &str) -> Truth {
        Truth::all(clause.entries().iter().map(|entry| {
            let inner = &entry.value;
            match entry.key.text().unwrap_or_default() {
                "and" | "assert" => self.clauses(inner, target),
                "or" => {
                    let parts = inner.items().iter().map(|clause| self.clause(clause, target));
                    Truth::all(parts.map(Truth::not)).not()
                }
                "not" => self.clauses(inner, target).not(),
                "approve" => Truth::Unknown,
                "state" => {
                    let state = Data::Text(self.state(target).to_owned());
                    constraints(inner, &state)
                }
                name => match self.known(target, name) {
                    Some(value) => constraints(inner, &value.data),
                    None => Truth::Unknown,
                },
            }
        }))
    }

    /// A value that the template gives a property. An attribute may be another one by then.
    fn known(&self, target: &str, name: &str) -> Option<&'m Value> {
        let value = self.service.nodes.get(target)?.properties.get(name)?;
        (value.items().is_empty() && value.entries().is_empty()).then_some(value)
    }

    fn states(&mut self) {
        let workflow = self.workflow;
        for (number, (name, step)) in workflow.steps.iter().enumerate() {
            for (at, activity) in step.activities.iter().enumerate() {
                match activity.kind {
                    ActivityKind::SetState => {
                        for node in targets(self.service, step) {
                            self.set(number, &name.text, step, at, node);
                        }
                    }
                    ActivityKind::Inline => self.said.unknown.push(format!(
                        "states that `{}` sets are not judged within `{}`",
                        activity.subject.text, name.text
                    )),
                    _ => {}
                }
            }
        }
    }

    /// A state that is set: by what is before it, or for a state on the way by what follows.
    fn set(&mut self, number: usize, name: &str, step: &'m Step, at: usize, node: &str) {
        let state = step.activities[at].subject.text.as_str();
        let on_the_way = STANDARD.iter().find(|it| it.during == state);
        let settled = STANDARD.iter().any(|it| it.to == state);
        if on_the_way.is_none() && !settled {
            return;
        }
        let is_open = self.steps.on(node).iter().any(|other| self.steps.are_beside(number, *other));
        let (own, near) = if on_the_way.is_some() {
            let own = step.activities[at + 1..].iter().find_map(called);
            (own, self.steps.first_after(number, node))
        } else {
            let own = step.activities[..at].iter().rev().find_map(called);
            (own, self.steps.last_before(number, node))
        };
        if own.is_none() && (is_open || near.len() > 1) {
            let words =
                format!("`{name}` sets `{node}` to {state}: the order leaves open after what");
            self.said.unknown.push(words);
            return;
        }
        let near = near.first().map(|step| self.steps.operations(*step)).unwrap_or_default();
        let near = if on_the_way.is_some() { near.first() } else { near.last() };
        let decisive = own.or(near.copied());
        let is = match (on_the_way, decisive) {
            (Some(wanted), Some(next)) if next.name == wanted.name => return,
            (Some(wanted), Some(next)) => format!("{} follows and not {}", next.name, wanted.name),
            (Some(wanted), None) => format!("no {} follows", wanted.name),
            (None, Some(last)) if last.to == state => return,
            (None, Some(last)) => format!("{} leads to {}", last.name, last.to),
            (None, None) if self.state(node) == state => return,
            (None, None) => format!("it is {} before the workflow", self.state(node)),
        };
        self.said.wrong.push(format!("`{name}` sets `{node}` to {state}, but {is}"));
    }

    /// After the failure of a step: what follows must be possible from where nodes are then.
    fn failures(&mut self) {
        let workflow = self.workflow;
        for (number, (name, step)) in workflow.steps.iter().enumerate() {
            for next in &step.on_failure {
                let mut states: BTreeMap<&str, &str> = BTreeMap::new();
                for (node, _) in self.service.nodes.iter() {
                    let node = node.text.as_str();
                    let near = self.steps.last_before(number, node);
                    let last = near.first().and_then(|it| self.steps.operations(*it).pop());
                    states.insert(node, last.map_or(self.state(node), |it| it.to));
                }
                // It is unknown how far they are when it fails.
                let others = workflow.steps.iter().enumerate();
                let beside = others.filter(|(other, _)| self.steps.are_beside(number, *other));
                let beside = beside.map(|(_, (_, step))| step).chain([step]);
                for node in beside.flat_map(|step| targets(self.service, step)) {
                    states.remove(node);
                }
                self.way(&name.text, &next.text, &mut states);
            }
        }
    }

    fn way(&mut self, failed: &str, first: &'m str, states: &mut BTreeMap<&'m str, &'m str>) {
        let workflow = self.workflow;
        let mut seen = BTreeSet::new();
        let mut open = vec![first];
        while let Some(name) = open.pop() {
            let Some(step) = workflow.steps.get(name).filter(|_| seen.insert(name)) else {
                continue;
            };
            for node in targets(self.service, step) {
                for operation in step.activities.iter().filter_map(called) {
                    match states.get(node) {
                        Some(at) if operation.from.contains(at) => {}
                        Some(at) => self.said.wrong.push(format!(
                            "when `{failed}` fails, `{name}` calls {} of `{node}`, which is {at}",
                            operation.name
                        )),
                        None => self.said.unknown.push(format!(
                            "when `{failed}` fails it is unknown how far `{node}` is, of which \
                             `{name}` calls {}",
                            operation.name
                        )),
                    }
                    states.insert(node, operation.to);
                }
            }
            open.extend(step.on_success.iter().map(|next| &*next.text));
        }
    }
}

/// Whether a value satisfies constraints, as far as they are plain.
fn constraints(all: &Value, value: &Data) -> Truth {
    let one = |clause: &Value| {
        Truth::all(clause.entries().iter().map(|entry| match entry.key.text() {
            Some("equal") => Truth::is(same(&entry.value.data, value)),
            Some("valid_values") => {
                Truth::is(entry.value.items().iter().any(|item| same(&item.data, value)))
            }
            _ => Truth::Unknown,
        }))
    };
    match &all.data {
        Data::List(items) => Truth::all(items.iter().map(one)),
        Data::Map(_) => one(all),
        plain => Truth::is(same(plain, value)),
    }
}

fn same(one: &Data, other: &Data) -> bool {
    match (one, other) {
        (Data::Text(one), Data::Text(other)) | (Data::Float(_, one), Data::Float(_, other)) => {
            one == other
        }
        (Data::Int(one), Data::Int(other)) => one == other,
        (Data::Bool(one), Data::Bool(other)) => one == other,
        _ => false,
    }
}
