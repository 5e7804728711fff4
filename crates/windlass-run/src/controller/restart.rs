//! Stopping a part of what is up, with what relies on it, and starting it again.

use std::collections::{BTreeMap, BTreeSet};

use windlass::application::{GlobalState, Instance, InstanceId, NodeId};
use windlass::goal::{GoalFile, Want};
use windlass::lifecycle::protocol::{Element, RequirementId};

use super::change_goal::{GoalChange, actions_to, can_reach};
use super::error::{Error, NoSuch};
use super::{Controller, LastRun, Outcome, Standing, containers};
use crate::deployment::Deployment;
use crate::entry::Purpose;

impl Controller<'_> {
    /// Restarts an instance, or all of a node: two runs, away from where the part is and back to
    /// the goal.
    pub fn restart(&self, part: &str) -> Result<Outcome, Error> {
        let last = self.ended_run()?;
        let standing = last.protocols()?;
        let Some(back) = last.goal.clone().filter(|_| last.purpose == Purpose::Up) else {
            return Err(Error::NoGoal { name: self.name.clone() });
        };
        let parts = parts(&last, &standing, part)?;
        let there = there(&self.deployment, &last, &standing)?;
        let goal = goal_before_restart(&last, &standing, &parts, &there)?;
        if self.is_dry_run() {
            let (mut all, state) = actions_to(&last.application, &standing.state, &goal)?;
            all.extend(actions_to(&last.application, &state, &back)?.0);
            return Ok(Outcome::DryRun(all));
        }
        let (purpose, asks) = (Purpose::Up, false);
        let away = GoalChange { goal, purpose, stay: false, asks };
        let outcome = self.change_goal(&last, away)?;
        if !outcome.is_reached() {
            return Ok(outcome);
        }
        let stay = !self.settings.detach;
        let back = GoalChange { goal: back, purpose, stay, asks };
        self.change_goal(&self.ended_run()?, back)
    }
}

/// The instances that are meant.
fn parts(last: &LastRun, standing: &Standing, part: &str) -> Result<Vec<InstanceId>, Error> {
    let instances = &standing.state.instances;
    let named = |(id, instance): &(&InstanceId, &Instance)| {
        let node = &last.application.node(instance.node).name;
        // The first may be called as its node; containers always have numbers.
        let is_first = id.0 == *node && part.strip_prefix(node.as_str()) == Some("-1");
        id.0 == part || node == part || is_first
    };
    let found: Vec<InstanceId> = instances.iter().filter(named).map(|(id, _)| id.clone()).collect();
    if found.is_empty() {
        let nodes = last.application.nodes.iter().map(|node| node.name.clone());
        let known = instances.keys().map(|id| id.0.clone()).chain(nodes).collect();
        return Err(Error::NoSuch { what: NoSuch::Part, name: part.to_owned(), known });
    }
    Ok(found)
}

/// How many instances of each node there are.
fn numbers(state: &GlobalState) -> BTreeMap<NodeId, u32> {
    let mut numbers = BTreeMap::new();
    for instance in state.instances.values() {
        *numbers.entry(instance.node).or_insert(0) += 1;
    }
    numbers
}

/// How many instances a Docker engine has of the nodes of a project: other programs may have made
/// more than the journal knows of, and the plan begins with them.
fn there(
    deployment: &Deployment,
    last: &LastRun,
    standing: &Standing,
) -> Result<BTreeMap<NodeId, u32>, Error> {
    let (application, known) = (&last.application, &standing.state);
    let project = containers::RunningProject::read(deployment, application, known)?;
    Ok(project.map(|project| numbers(&project.state)).unwrap_or_default())
}

/// A goal in which every part is in a state from which an operation leads to its present one, and
/// every other instance where it is, or else one operation before that too: none is removed.
fn goal_before_restart(
    last: &LastRun,
    standing: &Standing,
    parts: &[InstanceId],
    there: &BTreeMap<NodeId, u32>,
) -> Result<GoalFile, Error> {
    // What relies on a part is stopped, not helped by another instance meanwhile.
    let mut goal = GoalFile { budget: numbers(&standing.state), ..GoalFile::default() };
    for (node, number) in there {
        let most = goal.budget.entry(*node).or_insert(0);
        *most = (*most).max(*number);
    }
    let mut near = goal.clone();
    near.goal.wants = followed(last, standing, parts);
    if can_reach(last, standing, &near)?.is_ok() {
        return Ok(near);
    }
    let others = standing.state.instances.keys().filter(|id| !parts.contains(id));
    for (id, stays) in parts.iter().map(|id| (id, false)).chain(others.map(|id| (id, true))) {
        let mut found = None;
        let mut why = None;
        for state in states(last, standing, id, stays) {
            let mut wider = goal.clone();
            wider.goal.wants.push(Want::Instance { instance: id.clone(), state });
            match can_reach(last, standing, &wider)? {
                Ok(()) => {
                    found = Some(wider);
                    break;
                }
                Err(reason) => drop(why.get_or_insert(reason)),
            }
        }
        goal = found.ok_or_else(|| {
            let instance = id.0.clone();
            Error::NoRestart { instance, why }
        })?;
    }
    Ok(goal)
}

/// Where every instance is when the parts have gone one step back, and after them what needs one
/// of those that went for as long as it is where it is.
fn followed(last: &LastRun, standing: &Standing, parts: &[InstanceId]) -> Vec<Want> {
    let state = &standing.state;
    let mut gone: BTreeSet<&InstanceId> = parts.iter().collect();
    loop {
        let nodes: BTreeSet<NodeId> =
            gone.iter().filter_map(|id| Some(state.instance(id)?.node)).collect();
        let follows = |(id, instance): &(&InstanceId, &Instance)| {
            let Element::State(now) = instance.element else { return false };
            let Some(protocol) = last.application.protocol_of(instance.node) else { return false };
            let node = last.application.node(instance.node);
            let needed = |requirement: &RequirementId| {
                let binding = node.bindings.iter().find(|it| it.requirement == *requirement);
                binding.is_some_and(|binding| nodes.contains(&binding.target))
            };
            !gone.contains(id) && protocol.state(now).requires.iter().any(needed)
        };
        let more: Vec<&InstanceId> =
            state.instances.iter().filter(follows).map(|(id, _)| id).collect();
        if more.is_empty() {
            break;
        }
        gone.extend(more);
    }
    let want = |id: &InstanceId| {
        let states = states(last, standing, id, !gone.contains(id));
        let state = states.into_iter().next()?;
        Some(Want::Instance { instance: id.clone(), state })
    };
    state.instances.keys().filter_map(want).collect()
}

/// The state of an instance, if it may stay, and those from which an operation leads to it.
fn states(last: &LastRun, standing: &Standing, id: &InstanceId, stays: bool) -> Vec<String> {
    let Some(instance) = standing.state.instance(id) else { return Vec::new() };
    let Some(protocol) = last.application.protocol_of(instance.node) else { return Vec::new() };
    let Element::State(now) = instance.element else { return Vec::new() };
    let before = protocol.transitions.iter().filter(|it| it.to == now && it.from != now);
    let all = stays.then_some(now).into_iter().chain(before.map(|it| it.from));
    all.map(|state| protocol.state(state).name.clone()).collect()
}
