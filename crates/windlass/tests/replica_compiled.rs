//! The compiled form of the relation of paper 004 against the reference, per transition: on the
//! states of random walks, and on states that are disturbed and not settled.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod support;

use std::collections::BTreeSet;

use support::fixtures::{CYCLE, CYCLE_START, thinking};
use support::long;
use support::prng::Prng;
use support::random::{self, Wild};
use support::sketch;
use windlass::application::{Application, GlobalState, InstanceId};
use windlass::lifecycle::protocol::{Element, Sort};
use windlass::semantics::replica::compiled::{Bindings, CompiledReplica};
use windlass::semantics::replica::{Action, Replica};
use windlass::system::{Compile, Outgoing, Perform, System, disagreement};

fn encoded(compiled: &CompiledReplica, state: &GlobalState) -> Vec<u64> {
    let mut row = vec![0; compiled.words()];
    compiled.encode(state, &mut row);
    row
}

/// A state without the bindings of replica-unaware requirements.
fn without_unaware(application: &Application, mut state: GlobalState) -> GlobalState {
    let instances = state.instances.clone();
    state.horizontal.retain(|(id, requirement, _)| {
        let ty = application.type_of(instances[id].node);
        ty.requirements[requirement.index()].sort != Sort::ReplicaUnaware
    });
    state
}

/// Everything that is wrong in one state.
fn problem(compiled: &CompiledReplica, state: &GlobalState, is_exact: bool) -> Option<String> {
    let application = compiled.replica().application();
    let project = |state: GlobalState| {
        if is_exact { state } else { without_unaware(application, state) }
    };
    if is_exact && let Some(disagreement) = disagreement(compiled, state) {
        return Some(format!("{disagreement:?}"));
    }
    let row = encoded(compiled, state);
    let back = compiled.decode(&row);
    if project(back.clone()) != project(state.clone()) {
        return Some(format!("decoded {back:?}"));
    }
    for action in compiled.candidates(state) {
        let number = compiled.number(&action).expect("every candidate has a number");
        let mut out = Outgoing::new(compiled.words());
        let is_done = compiled.perform(&row, number, &mut out);
        let reference = compiled.step(state, &action);
        if is_done != reference.is_ok() || is_done == out.is_empty() {
            return Some(format!("{action:?} is done: {is_done}, but {reference:?}"));
        }
        let Ok(reference) = reference else { continue };
        let reference: BTreeSet<_> = reference.into_vec().into_iter().map(project).collect();
        let rows: BTreeSet<Vec<u64>> = out.rows().map(<[u64]>::to_vec).collect();
        if rows.len() != out.len() {
            return Some(format!("{action:?} has duplicates"));
        }
        let found: BTreeSet<_> = rows.iter().map(|row| project(compiled.decode(row))).collect();
        if found != reference {
            return Some(format!("{action:?} leads to {found:?}, not to {reference:?}"));
        }
    }
    None
}

/// A state with one instance moved, removed or unbound, without settling.
fn disturbed(prng: &mut Prng, replica: &Replica, state: &GlobalState) -> GlobalState {
    let mut state = state.clone();
    let ids: Vec<InstanceId> = state.instances.keys().cloned().collect();
    if ids.is_empty() {
        return state;
    }
    let id = prng.pick(&ids).clone();
    match prng.below(3) {
        0 => {
            state.instances.remove(&id);
            state.vertical.remove(&id);
        }
        1 => {
            let node = state.instances[&id].node;
            let elements: Vec<Element> = replica.protocol(node).elements().collect();
            let element = *prng.pick(&elements);
            state.instances.entry(id).and_modify(|instance| instance.element = element);
        }
        _ => state.horizontal.retain(|(source, _, _)| *source != id),
    }
    state.horizontal.retain(|(source, _, _)| state.instances.contains_key(source));
    state
}

fn compare(cases: u64, seed: u64, bindings: Bindings) {
    let mut transitions = 0;
    let (cases, seed) = (long::cases(cases), long::seed(seed));
    for case in 0..cases {
        let mut prng = Prng::new(seed + case);
        let text = random::application_sketch(&mut prng, Wild::ALL);
        let application = sketch::application(&text);
        let mut replica = Replica::new(&application, GlobalState::empty()).expect("protocols");
        replica.pool = random::pool(&mut prng, &application);
        let walk = random::walk(&mut prng, &replica, 30);
        for state in &walk {
            let state =
                if prng.chance(30) { disturbed(&mut prng, &replica, state) } else { state.clone() };
            // Each state is also the start once in a while, so that what it has is in the layout.
            let mut here = replica.clone();
            here.start.clone_from(&state);
            if bindings == Bindings::AwareOnly && here.start != replica.start && prng.chance(50) {
                here.pool.truncate(prng.below(here.pool.len() + 1));
            }
            let compiled = CompiledReplica::new(here, bindings).expect("compiles");
            let is_exact = bindings == Bindings::Every
                || application.policy == windlass::application::Policy::LeastLoaded;
            if let Some(problem) = problem(&compiled, &state, is_exact) {
                let state = sketch::show(&application, &state);
                panic!("seed {}: {problem}\n{state}\n{text}", seed + case);
            }
            transitions += compiled.candidates(&state).len();
        }
    }
    assert!(transitions > 2_000, "only {transitions} transitions");
}

#[test]
fn with_every_binding_it_is_the_same_relation() {
    compare(40, 10_000, Bindings::Every);
}

#[test]
fn without_bindings_of_unaware_requirements_it_is_the_same_up_to_them() {
    compare(40, 20_000, Bindings::AwareOnly);
}

/// The start is settled, so what an action does not touch is not looked at on the whole walk.
#[test]
fn whole_walks_of_random_applications_fit_one_layout() {
    let (cases, seed) = (long::cases(60), long::seed(30_000));
    let (mut transitions, mut choices) = (0, 0);
    for case in 0..cases {
        let mut prng = Prng::new(seed + case);
        let text = random::application_sketch(&mut prng, Wild::ALL);
        let application = sketch::application(&text);
        let mut replica = Replica::new(&application, GlobalState::empty()).expect("protocols");
        replica.pool = random::pool(&mut prng, &application);
        let walk = random::walk(&mut prng, &replica, 40);
        let exact = CompiledReplica::new(replica.clone(), Bindings::Every).expect("compiles");
        let coarse = CompiledReplica::new(replica, Bindings::AwareOnly).expect("compiles");
        let is_exact = application.policy == windlass::application::Policy::LeastLoaded;
        for state in &walk {
            let found = problem(&exact, state, true);
            let found = found.or_else(|| problem(&coarse, state, is_exact));
            if let Some(problem) = found {
                let state = sketch::show(&application, state);
                panic!("seed {}: {problem}\n{state}\n{text}", seed + case);
            }
            for action in exact.candidates(state) {
                let successors = exact.step(state, &action).map_or(0, |all| all.len());
                transitions += successors;
                choices += usize::from(successors > 1);
            }
        }
    }
    assert!(transitions > 5_000, "only {transitions} transitions");
    assert!(choices > 200, "only {choices} actions with a choice");
}

#[test]
fn a_whole_walk_fits_one_layout() {
    let (application, running) = thinking();
    let mut replica = Replica::new(&application, running).expect("protocols");
    let mut prng = Prng::new(7);
    replica.pool = random::pool(&mut prng, &application);
    let walk = random::walk(&mut prng, &replica, 200);
    let compiled = CompiledReplica::new(replica.clone(), Bindings::Every).expect("compiles");
    assert!(compiled.words() <= 2, "Thinking with 18 ids needs {} words", compiled.words());
    for state in walk.iter().step_by(4) {
        assert_eq!(problem(&compiled, state, true), None);
    }
}

#[test]
fn an_id_may_become_an_instance_of_another_node() {
    let text = "type p has c
          state on offers c
          op on ping on
        type q needs r:aware
          state idle
          state busy needs r fault idle
          op idle ping busy
        node p p
        node q q r=p.c";
    let application = sketch::application(text);
    let start = sketch::state(&application, "x p on\ny q busy r=x");
    let mut replica = Replica::new(&application, start.clone()).expect("protocols");
    for (id, node) in [("x", "q"), ("y", "p"), ("x", "p"), ("z", "p")] {
        replica.pool.push(windlass::semantics::replica::Creation {
            instance: InstanceId::from(id),
            node: application.node_named(node).expect("a node"),
            container: None,
        });
    }
    let compiled = CompiledReplica::new(replica.clone(), Bindings::Every).expect("compiles");
    let mut prng = Prng::new(11);
    for state in random::walk(&mut prng, &replica, 200) {
        assert_eq!(
            problem(&compiled, &state, true),
            None,
            "{}",
            sketch::show(&application, &state)
        );
    }
}

#[test]
fn cycles_are_blocked_with_the_premise_of_the_reference() {
    let application = sketch::application(CYCLE);
    let start = sketch::state(&application, CYCLE_START);
    let replica = Replica::new(&application, start.clone()).expect("protocols");
    let compiled = CompiledReplica::new(replica, Bindings::Every).expect("compiles");
    assert_eq!(problem(&compiled, &start, true), None);
    let action = Action::OpStart { instance: InstanceId::from("p1"), operation: "down".to_owned() };
    let blocked = compiled.blocked(&encoded(&compiled, &start), &action);
    assert_eq!(blocked, compiled.replica().step(&start, &action).err());
    assert!(blocked.is_some());
}
