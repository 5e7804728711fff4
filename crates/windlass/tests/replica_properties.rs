//! Properties of the relation of paper 004 on random applications, and a naive settling beside
//! the real one. A failing case prints its seed and its application.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod support;

use std::collections::{BTreeMap, BTreeSet};

use support::fixtures::{CYCLE, CYCLE_START, thinking};
use support::long;
use support::prng::Prng;
use support::random::{self, Wild};
use support::sketch;
use windlass::application::{Application, GlobalState, Instance, InstanceId, NodeId, Policy};
use windlass::lifecycle::protocol::{Element, RequirementId};
use windlass::semantics::replica::behavior::{self, Label};
use windlass::semantics::replica::faults::{broken, pending, resolvable, unresolvable};
use windlass::semantics::replica::{Action, Blocked, Event, Replica, Tracking, observable};
use windlass::system::System;

/// Calls `check` with the states of a random walk in each of `cases` random applications.
fn for_random_states(
    cases: u64,
    seed: u64,
    wild: Wild,
    mut check: impl FnMut(&Replica, &GlobalState, &mut Prng) -> Result<(), String>,
) {
    let (cases, seed) = (long::cases(cases), long::seed(seed));
    for case in 0..cases {
        let mut prng = Prng::new(seed + case);
        let text = random::application_sketch(&mut prng, wild);
        let application = sketch::application(&text);
        let mut replica = Replica::new(&application, GlobalState::empty()).expect("protocols");
        replica.pool = random::pool(&mut prng, &application);
        for state in random::walk(&mut prng, &replica, 40) {
            if let Err(problem) = check(&replica, &state, &mut prng) {
                let state = sketch::show(&application, &state);
                panic!("seed {}: {problem}\n{state}\n{text}", seed + case);
            }
        }
    }
}

fn rests(state: &GlobalState, id: &InstanceId) -> bool {
    state.instance(id).is_some_and(|i| matches!(i.element, Element::State(_)))
}

/// `↦` as semantics.md says it, with every order of resolving and of handling.
fn naive(
    replica: &Replica,
    before: &GlobalState,
    action: &Action,
) -> Result<BTreeSet<GlobalState>, Blocked> {
    let mut open: Vec<GlobalState> = Vec::new();
    let exec = behavior::step(replica, before, &Label::Do(action.clone()));
    match (action, exec) {
        (Action::OpEnd { instance, .. }, Err(Blocked::FaultPending { .. })) => {
            let mut blocked = None;
            for (id, requirement) in pending(replica, before).iter().filter(|(i, _)| i == instance)
            {
                let label = Label::HandleFault(id.clone(), *requirement);
                match behavior::step(replica, before, &label) {
                    Ok(after) => open.extend(after),
                    Err(premise) => blocked = Some(premise),
                }
            }
            if let (Some(blocked), []) = (blocked, &open[..]) {
                return Err(blocked);
            }
        }
        (_, exec) => open = exec?,
    }
    let mut seen: BTreeSet<GlobalState> = open.iter().cloned().collect();
    let mut settled = BTreeSet::new();
    while let Some(state) = open.pop() {
        let gone: Vec<Label> = broken(&state).map(|(id, _)| Label::Destroy(id.clone())).collect();
        let resolve = resolvable(replica, &state);
        let resolve = resolve.into_iter().map(|(id, r)| Label::ResolveFault(id, r));
        let handle = unresolvable(replica, &state).into_iter().filter(|(id, _)| rests(&state, id));
        let handle = handle.map(|(id, r)| Label::HandleFault(id, r));
        let labels = [gone, resolve.collect(), handle.collect()];
        let Some(labels) = labels.into_iter().find(|labels| !labels.is_empty()) else {
            settled.insert(state);
            continue;
        };
        let mut blocked = None;
        let mut any = false;
        for label in labels {
            match behavior::step(replica, &state, &label) {
                Ok(after) => {
                    any = true;
                    open.extend(after.into_iter().filter(|s| seen.insert(s.clone())));
                }
                Err(premise) => blocked = Some(premise),
            }
        }
        if let (false, Some(blocked)) = (any, blocked) {
            return Err(blocked);
        }
    }
    Ok(settled)
}

fn states(
    replica: &Replica,
    state: &GlobalState,
    action: &Action,
) -> Option<BTreeSet<GlobalState>> {
    let successors = replica.step(state, action).ok()?;
    let count = successors.len();
    let set: BTreeSet<GlobalState> = successors.into_vec().into_iter().collect();
    assert_eq!(set.len(), count, "successors have no duplicates");
    Some(set)
}

#[test]
fn settling_in_one_order_reaches_what_every_order_reaches() {
    let wild = Wild { arities: true, alternatives: true, ..Wild::default() };
    let mut faulty = 0;
    for_random_states(40, 1_000, wild, |replica, state, prng| {
        let mut replica = replica.clone();
        replica.policy = *prng.pick(&[Policy::Any, Policy::Greedy]);
        for action in replica.candidates(state) {
            let real = states(&replica, state, &action);
            let naive = naive(&replica, state, &action).ok();
            if real != naive {
                return Err(format!("{action:?}: {real:?} but naively {naive:?}"));
            }
            let events = observable::outcomes(&replica, state, &action).unwrap_or_default();
            faulty += events.iter().filter(|o| o.events.iter().any(Event::is_fault)).count();
        }
        Ok(())
    });
    assert!(faulty > 300, "only {faulty} outcomes with faults");
}

#[test]
fn wild_applications_settle_as_every_order_does() {
    let wild = Wild { policies: false, ..Wild::ALL };
    for_random_states(25, 2_000, wild, |replica, state, _| {
        for action in replica.candidates(state) {
            let real = replica.step(state, &action);
            if let Err(Blocked::NeverSettles { .. }) = real {
                continue;
            }
            let real = real.ok().map(|s| s.into_vec().into_iter().collect::<BTreeSet<_>>());
            let naive = naive(replica, state, &action).ok();
            if real != naive {
                return Err(format!("{action:?}: {real:?} but naively {naive:?}"));
            }
        }
        Ok(())
    });
}

#[test]
fn settled_states_have_only_the_faults_of_running_operations() {
    for_random_states(80, 3_000, Wild::ALL, |replica, state, _| {
        let sources = state.horizontal.iter().map(|(id, _, _)| id).chain(state.vertical.keys());
        // 004, footnote 6.
        if let Some(id) = sources.into_iter().find(|id| !state.instances.contains_key(id)) {
            return Err(format!("{id} is bound and does not exist"));
        }
        if let Some((id, _)) = broken(state).next() {
            return Err(format!("{id} is broken"));
        }
        match pending(replica, state).iter().find(|(id, _)| rests(state, id)) {
            Some((id, _)) => Err(format!("{id} has a fault pending")),
            None if !resolvable(replica, state).is_empty() => Err("a resolvable fault".to_owned()),
            None => Ok(()),
        }
    });
}

/// Instances, states and containment, without horizontal bindings; and bindings of
/// replica-aware requirements.
type Projected =
    (BTreeMap<InstanceId, Instance>, BTreeSet<(InstanceId, RequirementId, InstanceId)>);

fn projected(application: &Application, state: GlobalState) -> Projected {
    use windlass::lifecycle::protocol::Sort;
    let is_aware = |id: &InstanceId, requirement: RequirementId| {
        let node = state.instances[id].node;
        application.type_of(node).requirements[requirement.index()].sort == Sort::ReplicaAware
    };
    let aware = state.horizontal.iter().filter(|(id, r, _)| is_aware(id, *r)).cloned().collect();
    (state.instances.clone(), aware)
}

#[test]
fn one_binding_of_a_replica_unaware_requirement_stands_for_all() {
    for_random_states(30, 4_000, Wild { policies: false, ..Wild::ALL }, |replica, state, _| {
        let mut short = replica.clone();
        short.tracking = Tracking::Representative;
        for action in replica.candidates(state) {
            let project = |states: Option<BTreeSet<GlobalState>>| {
                states.map(|states| {
                    let application = replica.application();
                    states.into_iter().map(|s| projected(application, s)).collect::<BTreeSet<_>>()
                })
            };
            let full = project(states(replica, state, &action));
            let few = project(states(&short, state, &action));
            if full != few {
                return Err(format!("{action:?}: {full:?} but {few:?}"));
            }
        }
        Ok(())
    });
}

#[test]
fn deterministic_policies_and_race_free_handlers_have_one_successor() {
    let (mut application, running) = thinking();
    for policy in [Policy::Greedy, Policy::LeastLoaded] {
        application.policy = policy;
        let replica = Replica::new(&application, running.clone()).expect("protocols");
        let mut prng = Prng::new(5_000);
        for state in random::walk(&mut prng, &replica, 300) {
            for action in replica.candidates(&state) {
                let successors = replica.step(&state, &action).expect("Thinking is complete");
                assert_eq!(successors.len(), 1, "{action:?}");
            }
        }
    }
}

/// The name of a variant.
fn variant(value: &impl std::fmt::Debug) -> String {
    format!("{value:?}").split([' ', '{', '(']).next().unwrap_or_default().to_owned()
}

/// Every label on every instance, sensible or not.
fn labels(replica: &Replica, state: &GlobalState) -> Vec<Label> {
    let application = replica.application();
    let mut labels = Vec::new();
    let stranger = InstanceId::from("stranger");
    let ids: Vec<InstanceId> = state.instances.keys().chain([&stranger]).cloned().collect();
    for id in &ids {
        let node = state.instance(id).map_or(NodeId(0), |instance| instance.node);
        let ty = application.type_of(node);
        for operation in ty.operations.iter().map(|o| o.name.clone()).chain(["zz".to_owned()]) {
            let (instance, name) = (id.clone(), operation.clone());
            labels.push(Label::Do(Action::OpStart { instance, operation: name }));
            labels.push(Label::Do(Action::OpEnd { instance: id.clone(), operation }));
        }
        for at in 0..ty.requirements.len() {
            labels.push(Label::ResolveFault(id.clone(), at.into()));
            labels.push(Label::HandleFault(id.clone(), at.into()));
        }
        labels.push(Label::Do(Action::ScaleIn { instance: id.clone() }));
        labels.push(Label::Destroy(id.clone()));
        for node in application.node_ids() {
            labels.push(Label::Do(Action::ScaleOut { node, instance: id.clone() }));
            for container in ids.iter().take(3).cloned() {
                let instance = id.clone();
                let action = Action::ScaleOutContained { node, instance, container };
                labels.push(Label::Do(action));
            }
        }
    }
    labels
}

/// The same state when an instance vanished or moved and nothing has settled.
fn disturbed(prng: &mut Prng, replica: &Replica, state: &GlobalState) -> GlobalState {
    let mut state = state.clone();
    let ids: Vec<InstanceId> = state.instances.keys().cloned().collect();
    if ids.is_empty() {
        return state;
    }
    let id = prng.pick(&ids);
    if prng.chance(50) {
        state.instances.remove(id);
        state.vertical.remove(id);
    } else if let Some(instance) = state.instances.get_mut(id) {
        let elements: Vec<Element> = replica.protocol(instance.node).elements().collect();
        instance.element = *prng.pick(&elements);
    }
    state.horizontal.retain(|(source, _, _)| state.instances.contains_key(source));
    state
}

#[test]
fn every_rule_fires_and_every_premise_is_seen() {
    let mut fired = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut note = |replica: &Replica, state: &GlobalState| {
        for label in labels(replica, state) {
            let name = match &label {
                Label::Do(action) => variant(action),
                other => variant(other),
            };
            match behavior::step(replica, state, &label) {
                Ok(after) => {
                    assert!(!after.is_empty(), "a rule that applies has a conclusion");
                    fired.insert(name);
                }
                Err(blocked) => {
                    assert!(!blocked.explain(replica.application()).is_empty());
                    seen.insert(variant(&blocked));
                }
            }
            if let Label::Do(action) = &label
                && let Err(blocked @ Blocked::NeverSettles { .. }) = replica.step(state, action)
            {
                seen.insert(variant(&blocked));
            }
        }
    };
    let cycle = sketch::application(CYCLE);
    let start = sketch::state(&cycle, CYCLE_START);
    note(&Replica::new(&cycle, start.clone()).expect("protocols"), &start);
    for_random_states(24, 6_000, Wild::ALL, |replica, state, prng| {
        note(replica, state);
        note(replica, &disturbed(prng, replica, state));
        Ok(())
    });
    let rules = [
        "Destroy",
        "HandleFault",
        "OpEnd",
        "OpStart",
        "ResolveFault",
        "ScaleIn",
        "ScaleOut",
        "ScaleOutContained",
    ];
    assert_eq!(Vec::from_iter(fired), rules);
    let premises = [
        "Broken",
        "Busy",
        "FaultPending",
        "IdInUse",
        "NeedsContainer",
        "NeedsNoContainer",
        "NeverSettles",
        "NoHandler",
        "NotActive",
        "NotBroken",
        "NotDefined",
        "NotPending",
        "NotResolvable",
        "NotRunning",
        "Resolvable",
        "WrongContainer",
    ];
    assert_eq!(Vec::from_iter(seen), premises);
}
