//! Random applications, states and plans of the relations of paper 003: one instance of each node,
//! called like its node, and atomic operations.

use windlass::application::{Application, Faults, GlobalState, Instance, InstanceId, NodeId};
use windlass::lifecycle::protocol::Element;
use windlass::plan::{Plan, PlanAction};
use windlass::semantics::protocol::settled::Settled;
use windlass::semantics::protocol::{Action, ServiceTemplate, States, is_consistent};
use windlass::system::System;

use super::prng::Prng;
use super::random::{self, Wild};
use super::sketch;

/// A random application in which faults are as `faults` says.
pub fn application(prng: &mut Prng, faults: Faults) -> Application {
    let arities = prng.chance(20);
    let wild = Wild { arities, handlers: true, alternatives: true, policies: false };
    let mut application = sketch::application(&random::application_sketch(prng, wild));
    application.nodes.iter_mut().for_each(|node| node.count = 1);
    application.faults = faults;
    application
}

/// The states of all nodes as a global state.
pub fn global(application: &Application, states: &States) -> GlobalState {
    let mut global = GlobalState::empty();
    for node in application.node_ids() {
        let id = InstanceId(application.node(node).name.clone());
        let element = Element::State(states.of(node));
        global.instances.insert(id, Instance { node, element });
    }
    global
}

/// One operation of a plan, with whatever it causes; none when it is not executable. Where faults
/// are forbidden, only consistent states are gone to.
fn perform(template: &ServiceTemplate, states: &States, action: &Action) -> Option<Vec<States>> {
    let reached = match template.application().faults {
        Faults::Handled => Settled(template.clone()).step(states, action).ok()?.into_vec(),
        _ => template.step(states, action).ok()?.into_vec(),
    };
    let good: Vec<States> = reached.into_iter().filter(|s| is_consistent(template, s)).collect();
    (!good.is_empty()).then_some(good)
}

/// Operations that can be carried out one after the other from `states`, and where that leads.
fn walk(
    prng: &mut Prng,
    template: &ServiceTemplate,
    mut states: States,
    length: usize,
) -> (Vec<Action>, States) {
    let mut done = Vec::new();
    for _ in 0..length {
        let candidates: Vec<Action> = template
            .candidates(&states)
            .into_iter()
            .filter(|action| matches!(action, Action::Perform { .. }))
            .collect();
        if candidates.is_empty() {
            break;
        }
        let action = *prng.pick(&candidates);
        // Now and then an action that cannot be carried out gets into the plan.
        match perform(template, &states, &action) {
            Some(reached) => states = prng.pick(&reached).clone(),
            None if prng.chance(90) => continue,
            None => {}
        }
        done.push(action);
    }
    (done, states)
}

/// A start state: from a walk; seldom one in which anything is anywhere.
pub fn start(prng: &mut Prng, application: &Application) -> GlobalState {
    let Some(template) = ServiceTemplate::new(application) else { return GlobalState::empty() };
    let mut states = template.start.clone();
    if prng.chance(3) {
        for (at, state) in states.0.iter_mut().enumerate() {
            let count = template.protocol(NodeId::from(at)).states.len();
            *state = prng.below(count).into();
        }
    } else {
        let length = prng.between(0, 12);
        states = walk(prng, &template, states, length).1;
    }
    global(application, &states)
}

/// A plan of at most `length` operations: a walk, then most of its order is forgotten.
pub fn plan(
    prng: &mut Prng,
    application: &Application,
    start: &GlobalState,
    length: usize,
) -> Plan {
    let Some(template) = ServiceTemplate::new(application) else { return Plan::default() };
    let states = template.states_of(start);
    let (done, _) = walk(prng, &template, states, length);
    let planned = |action: &Action| match action {
        Action::Perform { node, operation } => Some(PlanAction::Operation {
            instance: InstanceId(application.node(*node).name.clone()),
            operation: application.type_of(*node).operations[operation.index()].name.clone(),
        }),
        _ => None,
    };
    random::unordered(prng, done.iter().filter_map(planned).collect())
}
