//! The steps of a workflow by their places: which operations of the life cycle each calls, on which
//! nodes, and which come before which.

use std::collections::BTreeMap;

use super::super::model::{Activity, ActivityKind, Service, Step, Workflow};
use super::reach::Reach;

/// An operation of the life cycle: its states before, the state while it runs, the state after.
pub(super) struct Standard {
    pub(super) name: &'static str,
    pub(super) from: &'static [&'static str],
    pub(super) during: &'static str,
    pub(super) to: &'static str,
}

pub(super) const STANDARD: &[Standard] = &[
    Standard { name: "create", from: &["initial"], during: "creating", to: "created" },
    Standard { name: "configure", from: &["created"], during: "configuring", to: "configured" },
    Standard { name: "start", from: &["created", "configured"], during: "starting", to: "started" },
    Standard { name: "stop", from: &["started"], during: "stopping", to: "configured" },
    Standard {
        name: "delete",
        from: &["created", "configured"],
        during: "deleting",
        to: "initial",
    },
];

pub(super) fn standard(operation: &str) -> Option<&'static Standard> {
    let (interface, name) = operation.rsplit_once('.')?;
    let is_standard = interface == "Standard" || interface.ends_with(".Standard");
    STANDARD.iter().find(|it| is_standard && it.name == name)
}

/// The operation of the life cycle that an activity calls.
pub(super) fn called(activity: &Activity) -> Option<&'static Standard> {
    let calls = activity.kind == ActivityKind::CallOperation;
    calls.then(|| standard(&activity.subject.text)).flatten()
}

/// The node templates that a step is for: one, or the members of a group.
pub(super) fn targets<'m>(service: &'m Service, step: &'m Step) -> Vec<&'m str> {
    let Some(target) = &step.target else { return Vec::new() };
    match service.groups.get(&target.text) {
        Some(group) => group.members.iter().map(|name| &*name.text).collect(),
        None => vec![&target.text],
    }
}

/// The steps of a workflow.
pub(super) struct Steps<'m> {
    operations: Vec<Vec<&'static Standard>>,
    /// Which steps call operations of a node, by their names.
    on: BTreeMap<&'m str, Vec<usize>>,
    /// Which follow which when nothing fails.
    after: Reach,
    /// Whether a step is taken when nothing fails.
    is_taken: Vec<bool>,
}

impl<'m> Steps<'m> {
    pub(super) fn of(service: &'m Service, workflow: &'m Workflow) -> Self {
        let places: BTreeMap<&str, usize> =
            workflow.steps.names().enumerate().map(|(at, name)| (name, at)).collect();
        let taken = super::taken(workflow);
        let mut on: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        let mut next: Vec<Vec<usize>> = Vec::new();
        let mut operations: Vec<Vec<&'static Standard>> = Vec::new();
        for (_, step) in workflow.steps.iter() {
            let names = step.on_success.iter();
            next.push(names.filter_map(|name| places.get(&*name.text).copied()).collect());
            operations.push(step.activities.iter().filter_map(called).collect());
        }
        for at in places.values() {
            let Some((_, step)) = workflow.steps.at(*at) else { continue };
            let is_of_node = step.target_relationship.is_none() && !operations[*at].is_empty();
            for node in targets(service, step).into_iter().filter(|_| is_of_node) {
                let own = on.entry(node).or_default();
                // A group may name a member twice.
                if own.last() != Some(at) {
                    own.push(*at);
                }
            }
        }
        let is_taken = workflow.steps.names().map(|name| taken.contains(name)).collect();
        Steps { operations, on, after: Reach::of(&next), is_taken }
    }

    /// The operations that a step calls.
    pub(super) fn operations(&self, step: usize) -> Vec<&'static Standard> {
        self.operations[step].clone()
    }

    /// The steps that call operations of a node.
    pub(super) fn on(&self, node: &str) -> &[usize] {
        self.on.get(node).map_or(&[], Vec::as_slice)
    }

    /// Whether two steps may run at the same time: what only follows a failure takes the place of
    /// what follows a success.
    pub(super) fn are_beside(&self, one: usize, other: usize) -> bool {
        one != other
            && !self.after.leads(one, other)
            && !self.after.leads(other, one)
            && self.is_taken[one] == self.is_taken[other]
    }

    /// The last steps on a node before a step: none of the others there follows them.
    pub(super) fn last_before(&self, step: usize, node: &str) -> Vec<usize> {
        let before: Vec<usize> =
            self.on(node).iter().copied().filter(|it| self.after.leads(*it, step)).collect();
        let is_last = |at: &usize| !before.iter().any(|other| self.after.leads(*at, *other));
        before.iter().copied().filter(is_last).collect()
    }

    /// The first steps on a node after a step: they follow none of the others there.
    pub(super) fn first_after(&self, step: usize, node: &str) -> Vec<usize> {
        let after: Vec<usize> =
            self.on(node).iter().copied().filter(|it| self.after.leads(step, *it)).collect();
        let is_first = |at: &usize| !after.iter().any(|other| self.after.leads(*other, *at));
        after.iter().copied().filter(is_first).collect()
    }
}
