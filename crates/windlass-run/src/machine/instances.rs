//! What a state of instances asks of the world: shared by the machines of protocols.

use std::collections::BTreeMap;

use windlass::application::{Application, GlobalState, InstanceId, NodeId};
use windlass::lifecycle::implementation::{Effect, Process};
use windlass::lifecycle::protocol::{Element, Transition};
use windlass::plan::{PlanAction, Step};

use super::{ProcessMismatch, RunningProcesses, Work};

/// The name of the node of an instance; empty when there is no such instance.
pub(super) fn node_name(
    application: &Application,
    state: &GlobalState,
    instance: &InstanceId,
) -> String {
    let node = state.instance(instance).map(|instance| instance.node);
    node.map(|node| application.node(node).name.clone()).unwrap_or_default()
}

/// The node of an instance and the process that its state is.
pub(super) fn process_of(
    application: &Application,
    state: &GlobalState,
    instance: &str,
) -> Option<(String, Process)> {
    let id = InstanceId(instance.to_owned());
    let found = state.instance(&id)?;
    let Element::State(at) = found.element else { return None };
    let process = application.type_of(found.node).processes.get(&at)?;
    Some((application.node(found.node).name.clone(), process.clone()))
}

/// The processes that do not fit the states of their instances.
pub(super) fn process_mismatches(
    application: &Application,
    state: &GlobalState,
    running: &RunningProcesses,
) -> Vec<ProcessMismatch> {
    let mut mismatches: BTreeMap<&str, Option<Process>> = BTreeMap::new();
    for (id, instance) in &state.instances {
        let Element::State(at) = instance.element else { continue };
        let wanted = application.type_of(instance.node).processes.get(&at);
        if running.get(&id.0) != wanted {
            mismatches.insert(&id.0, wanted.cloned());
        }
    }
    let known = |id: &String| state.instances.contains_key(&InstanceId(id.clone()));
    let gone = running.keys().filter(|id| !known(id));
    mismatches.extend(gone.map(|id| (id.as_str(), None)));
    let found = |(id, spawn): (&str, Option<Process>)| ProcessMismatch {
        instance: id.to_owned(),
        node: node_name(application, state, &id.into()),
        spawn,
    };
    mismatches.into_iter().map(found).collect()
}

/// A step of which nothing is known but what the plan says.
pub(super) fn work_of_step(
    application: &Application,
    state: &GlobalState,
    step: &Step,
    host: Option<String>,
) -> Work {
    let id = step.action.instance();
    Work {
        label: step.label.clone(),
        instance: id.0.clone(),
        node: match &step.action {
            PlanAction::ScaleOut { node, .. } => node.clone(),
            _ => node_name(application, state, id),
        },
        host,
        ..Work::default()
    }
}

/// What an operation under way has to do: its command, and the processes of the states that it
/// leaves and enters.
pub(super) fn add_transition(
    work: &mut Work,
    application: &Application,
    node: NodeId,
    transition: &Transition,
) {
    let component = application.type_of(node);
    let operation = &component.operations[transition.operation.index()];
    let before = component.processes.get(&transition.from);
    let after = component.processes.get(&transition.to);
    let stays = before == after && transition.from != transition.to;
    if !stays {
        work.stop = before.cloned();
        work.spawn = after.cloned();
    }
    work.operation = Some(operation.name.clone());
    work.run.clone_from(&operation.run);
    work.effect = operation.effect.clone().unwrap_or(Effect::AtMostOnce);
    work.timeout = operation.timeout;
    work.retry = operation.retry;
    work.expected = operation.duration;
}

/// Where whatever is about a node takes place.
pub(super) fn host_of(application: &Application, node: &str) -> Option<String> {
    let hosts = &application.deployment.host;
    if hosts.is_empty() {
        return None;
    }
    hosts.get(&application.node_named(node)?).cloned()
}

/// Where a step takes place.
pub(super) fn host_of_step(
    application: &Application,
    state: &GlobalState,
    step: &Step,
) -> Option<String> {
    match &step.action {
        PlanAction::ScaleOut { node, .. } => host_of(application, node),
        PlanAction::Operation { instance, operation } => {
            let node = state.instance(instance)?.node;
            let mut operations = application.type_of(node).operations.iter();
            let own = operations.find(|known| known.name == *operation);
            let own = own.and_then(|operation| operation.host.clone());
            own.or_else(|| application.deployment.host.get(&node).cloned())
        }
        other @ PlanAction::ScaleIn { .. } => {
            host_of(application, &node_name(application, state, other.instance()))
        }
    }
}
