//! What runs, against what the journal and the description say: processes that died while no engine
//! looked after them, and those that are described otherwise by now.

use std::collections::{BTreeMap, BTreeSet};

use windlass::application::{Application, ComponentType, GlobalState};
use windlass::goal::GoalFile;
use windlass::lifecycle::Protocol;
use windlass::lifecycle::protocol::{Element, OperationId, StateId};

use super::actions::{self, Action};
use super::error::Error;
use super::operator::Notice;
use super::processes::ObservedProcesses;
use super::{Controller, LastRun, Standing, machine};
use crate::entry::Aim;
use crate::machine::{Machine, RunningProcesses};

impl Controller<'_> {
    /// The actions that bringing up takes when processes have died: those that rely on them follow
    /// their fault handlers, and a plan leads on from there. None when everything runs.
    pub(super) fn actions_after_deaths(
        &self,
        application: &Application,
        state: &GlobalState,
        goal: Option<&GoalFile>,
        last: &LastRun,
    ) -> Result<Option<Vec<Action>>, Error> {
        let Some(standing) = last.standing()? else { return Ok(None) };
        let (name, tell) = (&self.name, self.settings.ssh_notice);
        let observed = ObservedProcesses::read(&self.deployment, name, last, &standing, tell)?;
        let dead = observed.dead(&standing)?;
        if dead.is_empty() {
            return Ok(None);
        }
        let mut model = machine(application, state, goal.cloned())?;
        let processes = standing.processes.keys().filter(|id| !dead.contains(*id));
        let running: RunningProcesses = processes
            .filter_map(|id| model.process_of(id).map(|(_, process)| (id.clone(), process)))
            .collect();
        for id in &dead {
            model.observe(id);
        }
        let mismatches = model.process_mismatches(&running).into_iter();
        let mut all: Vec<Action> =
            mismatches.map(|it| actions::repair(&it.instance, it.spawn.as_ref())).collect();
        let now = self.without_faults(application, model.state().clone());
        let plan = machine(application, &now, goal.cloned())?.plan(Aim::Goal);
        let plan = plan.map_err(Error::NoPlan)?.unwrap_or_default();
        all.extend(actions::of_plan(application, &now, &plan)?);
        Ok(Some(all))
    }
}

/// Which processes run by another command than the description says, of which nodes there are more
/// instances (none of them is removed, because they may have been asked for), and what has been
/// done otherwise than described.
pub(crate) fn notices(application: &Application, last: &LastRun) -> Result<Vec<Notice>, Error> {
    let Some(standing) = last.standing()? else { return Ok(Vec::new()) };
    let mut all = changed(application, last, &standing);
    all.extend(surplus(application, last, &standing));
    all.extend(outdated(application, last, &standing));
    Ok(all)
}

/// The nodes of which there are more instances than the file asks for: how many, and how many it
/// asks for.
fn surplus(application: &Application, last: &LastRun, standing: &Standing) -> Vec<Notice> {
    let mut there: BTreeMap<&str, usize> = BTreeMap::new();
    for instance in standing.state.instances.values() {
        *there.entry(&last.application.node(instance.node).name).or_default() += 1;
    }
    let wanted = |name: &str| Some(application.node(application.node_named(name)?).count as usize);
    let all = there.into_iter().filter_map(|(name, there)| Some((name, there, wanted(name)?)));
    let more = all.filter(|(_, there, wanted)| there > wanted);
    let notice = |(node, there, wanted): (&str, usize, usize)| {
        let node = node.to_owned();
        Notice::Surplus { node, there, wanted }
    };
    more.map(notice).collect()
}

/// The operations that led instances to where they are, and that the file describes otherwise now.
fn outdated(application: &Application, last: &LastRun, standing: &Standing) -> Vec<Notice> {
    let mut all = Vec::new();
    for (id, instance) in &standing.state.instances {
        let then = last.application.type_of(instance.node);
        let name = &last.application.node(instance.node).name;
        let Some(node) = application.node_named(name) else { continue };
        let now = application.type_of(node);
        let run = |of: &ComponentType, name: &str| {
            of.operations.iter().find(|it| it.name == name).map(|it| it.run.clone())
        };
        let mut done = done(then, instance.element);
        done.retain(|name| run(now, name).is_some_and(|now| Some(now) != run(then, name)));
        if !done.is_empty() {
            let (instance, operations) = (id.0.clone(), done);
            all.push(Notice::OutdatedOperations { instance, operations });
        }
    }
    all
}

/// The operations without which no instance comes to a state.
fn done(component: &ComponentType, element: Element) -> Vec<String> {
    let (Some(protocol), Element::State(state)) = (component.protocol(), element) else {
        return Vec::new();
    };
    let operations = (0..component.operations.len()).map(OperationId::from);
    let needed = operations.filter(|operation| !is_reached_without(protocol, state, *operation));
    needed.map(|operation| component.operations[operation.index()].name.clone()).collect()
}

/// Whether a state is reached from the first one without an operation.
fn is_reached_without(protocol: &Protocol, state: StateId, without: OperationId) -> bool {
    let (mut seen, mut next) = (BTreeSet::from([protocol.initial]), vec![protocol.initial]);
    while let Some(at) = next.pop() {
        let ways = protocol.transitions.iter().filter(|way| way.from == at);
        for way in ways.filter(|way| way.operation != without) {
            if seen.insert(way.to) {
                next.push(way.to);
            }
        }
    }
    seen.contains(&state)
}

/// The instances that run by another command than the file says now.
fn changed(application: &Application, last: &LastRun, standing: &Standing) -> Vec<Notice> {
    let described = |application: &Application, name: &str, state: &str| {
        let component = application.type_of(application.node_named(name)?);
        let state = component.protocol()?.state_named(state)?;
        component.processes.get(&state).cloned()
    };
    let differs = |id: &&String| {
        let Some(instance) = standing.state.instance(&id.as_str().into()) else { return false };
        let node = &last.application.node(instance.node).name;
        let (Some(protocol), Element::State(state)) =
            (last.application.protocol_of(instance.node), instance.element)
        else {
            return false;
        };
        let state = &protocol.state(state).name;
        described(application, node, state) != described(&last.application, node, state)
    };
    let changed = standing.processes.keys().filter(differs).cloned();
    changed.map(|instance| Notice::OutdatedProcess { instance }).collect()
}
