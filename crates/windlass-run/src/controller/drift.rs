//! What runs, against what the journal and the file say: processes that died while no engine looked,
//! and those that the file describes otherwise by now.

use std::collections::{BTreeMap, BTreeSet};

use windlass::application::{Application, ComponentType, GlobalState};
use windlass::goal::GoalFile;
use windlass::lifecycle::Protocol;
use windlass::lifecycle::protocol::{Element, OperationId, StateId};
use windlass_run::deployment::Deployment;
use windlass_run::entry::Aim;
use windlass_run::machine::{Machine, RunningProcesses};

use crate::commands::engine::actions::{self, ActionReport};
use crate::commands::engine::{self, Address, Past, Standing};
use crate::commands::status;
use crate::failure::Failure;
use crate::{exit_code, output};

/// The actions that `up` takes when processes have died: those that rely on them follow their fault
/// handlers, and a plan leads on from there. None when everything runs.
pub(super) fn actions(
    application: &Application,
    state: &GlobalState,
    goal: Option<&GoalFile>,
    (deployment, name): (&Deployment, &str),
    past: Option<&Past>,
) -> Result<Option<Vec<ActionReport>>, Failure> {
    let Some(past) = past else { return Ok(None) };
    let Some(standing) = past.standing()? else { return Ok(None) };
    let dead: BTreeSet<String> =
        status::dead(deployment, name, past, &standing)?.into_iter().collect();
    if dead.is_empty() {
        return Ok(None);
    }
    let mut machine = engine::machine(application, state, goal.cloned())?;
    let processes = standing.processes.keys().filter(|id| !dead.contains(*id));
    let running: RunningProcesses = processes
        .filter_map(|id| machine.process_of(id).map(|(_, process)| (id.clone(), process)))
        .collect();
    for id in &dead {
        machine.observe(id);
    }
    let mismatches = machine.process_mismatches(&running).into_iter();
    let mut all: Vec<ActionReport> = mismatches
        .map(|mismatch| actions::repair(&mismatch.instance, mismatch.spawn.as_ref()))
        .collect();
    let now = engine::without_faults(application, machine.state().clone());
    let plan = engine::machine(application, &now, goal.cloned())?.plan(Aim::Goal);
    let plan = plan.map_err(|why| Failure::usage(why.to_string()).ending(exit_code::FINDINGS))?;
    let plan = plan.unwrap_or_default();
    all.extend(actions::of_plan(application, &now, &plan)?);
    Ok(Some(all))
}

/// Tells which processes run by another command than the file says, and of which nodes there are
/// more instances: `up` removes none of them, because `scale` may have made them.
pub(super) fn tell(
    application: &Application,
    past: Option<&Past>,
    address: &Address,
) -> Result<(), Failure> {
    let Some(past) = past else { return Ok(()) };
    let Some(standing) = past.standing()? else { return Ok(()) };
    for id in changed(application, past, &standing) {
        let restart = address.option("restart", &id);
        output::notice(&format!(
            "`{id}` runs as it was described before, not as the file says now: after this, \
             `{restart}` starts it again"
        ));
    }
    for (node, there, wanted) in beyond(application, past, &standing) {
        let scale = address.option("scale", &format!("{node}={wanted}"));
        output::notice(&format!(
            "`{node}` has {there} instances, and the file asks for {wanted}: `{scale}` removes the \
             others"
        ));
    }
    for (id, operations) in outdated(application, past, &standing) {
        let operations: Vec<String> = operations.iter().map(|it| format!("`{it}`")).collect();
        let down = address.command("down");
        output::notice(&format!(
            "{} of `{id}` has been done as it was described before, not as the file says now, and \
             is not done again: `{down}` and `up` do it again",
            operations.join(", ")
        ));
    }
    Ok(())
}

/// The nodes of which there are more instances than the file asks for: how many, and how many it
/// asks for.
fn beyond(
    application: &Application,
    past: &Past,
    standing: &Standing,
) -> Vec<(String, usize, usize)> {
    let mut there: BTreeMap<&str, usize> = BTreeMap::new();
    for instance in standing.state.instances.values() {
        *there.entry(&past.application.node(instance.node).name).or_default() += 1;
    }
    let wanted = |name: &str| Some(application.node(application.node_named(name)?).count as usize);
    let all = there.into_iter().filter_map(|(name, there)| Some((name, there, wanted(name)?)));
    let more = all.filter(|(_, there, wanted)| there > wanted);
    more.map(|(name, there, wanted)| (name.to_owned(), there, wanted)).collect()
}

/// The operations that led instances to where they are, and that the file describes otherwise now.
fn outdated(
    application: &Application,
    past: &Past,
    standing: &Standing,
) -> Vec<(String, Vec<String>)> {
    let mut all = Vec::new();
    for (id, instance) in &standing.state.instances {
        let then = past.application.type_of(instance.node);
        let name = &past.application.node(instance.node).name;
        let Some(node) = application.node_named(name) else { continue };
        let now = application.type_of(node);
        let run = |of: &ComponentType, name: &str| {
            of.operations.iter().find(|it| it.name == name).map(|it| it.run.clone())
        };
        let mut done = done(then, instance.element);
        done.retain(|name| run(now, name).is_some_and(|now| Some(now) != run(then, name)));
        if !done.is_empty() {
            all.push((id.0.clone(), done));
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
fn changed(application: &Application, past: &Past, standing: &Standing) -> Vec<String> {
    let described = |application: &Application, name: &str, state: &str| {
        let component = application.type_of(application.node_named(name)?);
        let state = component.protocol()?.state_named(state)?;
        component.processes.get(&state).cloned()
    };
    let differs = |id: &&String| {
        let Some(instance) = standing.state.instance(&id.as_str().into()) else { return false };
        let node = &past.application.node(instance.node).name;
        let (Some(protocol), Element::State(state)) =
            (past.application.protocol_of(instance.node), instance.element)
        else {
            return false;
        };
        let state = &protocol.state(state).name;
        described(application, node, state) != described(&past.application, node, state)
    };
    standing.processes.keys().filter(differs).cloned().collect()
}
