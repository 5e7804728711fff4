//! One observable action of paper 004, as the library and as the naive reference read it: on
//! random states, and for each sentence of semantics.md that could be read otherwise.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]

use crate::naive;
use std::collections::BTreeSet;

use crate::naive::state::State;
use crate::naive::workflow::Event;
use crate::naive::world::World;
use crate::support::prng::Prng;
use crate::support::random::{self, Wild};
use crate::support::{long, sketch};
use windlass::application::{Application, GlobalState, Policy};
use windlass::semantics::replica::observe::{Observation, observe};
use windlass::semantics::replica::{Action, Replica};
use windlass::system::System;

fn event(application: &Application, action: &Action) -> Event {
    let name = |node: &windlass::application::NodeId| application.node(*node).name.clone();
    match action.clone() {
        Action::ScaleOut { node, instance } => {
            Event::ScaleOut { node: name(&node), id: instance.0, container: None }
        }
        Action::ScaleOutContained { node, instance, container } => {
            Event::ScaleOut { node: name(&node), id: instance.0, container: Some(container.0) }
        }
        Action::ScaleIn { instance } => Event::ScaleIn { id: instance.0 },
        Action::OpStart { instance, operation } => Event::Start { id: instance.0, operation },
        Action::OpEnd { instance, operation } => Event::End { id: instance.0, operation },
    }
}

/// One action of one state, as both read it: the states it leads to, bindings and all, or none
/// when it is not executable.
fn agreed(replica: &Replica, state: &GlobalState, action: &Action, at: &str) -> Option<Set> {
    let application = replica.application();
    let world = World { application, policy: replica.policy };
    let literal = State::from_global(application, state);
    let naive = naive::step(&world, &literal, &event(application, action));
    let real = replica.step(state, action);
    let at = || {
        let before = sketch::show(application, state);
        format!("{at}, {action:?}\n{real:?}\n{naive:?}\n{before}")
    };
    assert_eq!(real.is_ok(), naive.is_good(), "{}", at());
    let real: Set = real.as_ref().ok()?.iter().cloned().collect();
    let naive: Set = naive.settled.iter().map(|s| s.to_global(application)).collect();
    assert_eq!(real, naive, "{}", at());
    Some(real)
}

type Set = BTreeSet<GlobalState>;

/// A state that no run reaches: bindings are gone, instances are somewhere else.
fn unsettled(prng: &mut Prng, application: &Application, mut state: GlobalState) -> GlobalState {
    state.horizontal.retain(|_| prng.chance(60));
    for instance in state.instances.values_mut() {
        if prng.chance(25) {
            let protocol = application.protocol_of(instance.node).expect("a protocol");
            let elements: Vec<_> = protocol.elements().collect();
            instance.element = *prng.pick(&elements);
        }
    }
    state
}

/// Compares every candidate in every state of random walks of random applications.
fn compare(cases: u64, seed: u64, is_settled: bool) {
    let mut compared = 0;
    let policies = [Policy::Any, Policy::Greedy, Policy::LeastLoaded];
    for seed in (0..cases).map(|case| seed + case) {
        let mut prng = Prng::new(seed);
        let text = random::application_sketch(&mut prng, Wild::ALL);
        let application = sketch::application(&text);
        let mut replica = Replica::new(&application, GlobalState::empty()).expect("protocols");
        replica.pool = random::pool(&mut prng, &application);
        replica.policy = *prng.pick(&policies);
        for mut state in random::walk(&mut prng, &replica, 30) {
            if !is_settled {
                state = unsettled(&mut prng, &application, state);
            }
            for action in replica.candidates(&state) {
                agreed(&replica, &state, &action, &format!("seed {seed}\n{text}"));
                compared += 1;
            }
        }
    }
    assert!(compared > 2_000, "only {compared} actions");
}

#[test]
fn states_and_bindings_are_the_same() {
    compare(long::cases(80), long::seed(30_000), true);
}

#[test]
fn a_start_that_is_not_settled_goes_the_same_way() {
    compare(long::cases(60), long::seed(40_000), false);
}

/// A consumer `q` of providers `p` and `c`.
const READINGS: &str = "
    type p has cap
      state off
      state on offers cap
      op off up on
      op on down off
    type q needs r:SORT t:unaware
      state idle crash broken
      state busy needs r fault idle
      state broken
      op idle work busy needs r fault idle
      op idle other busy needs t fault idle
      op idle other busy fault idle
    node p p x2
    node c p
    node q q r=p.cap t=c.cap";

/// What an action leads to, by the states of `q1` and what its `r` is bound to.
fn seen(sort: &str, policy: Policy, start: &str, action: &Action) -> Vec<String> {
    let application = sketch::application(&READINGS.replace("SORT", sort));
    let start = sketch::state(&application, start);
    let mut replica = Replica::new(&application, start.clone()).expect("protocols");
    replica.policy = policy;
    let states = agreed(&replica, &start, action, "reading").expect("executable");
    let lines = states.iter().map(|state| {
        let text = sketch::show(&application, state);
        text.lines().filter(|line| line.contains(" q ")).collect::<Vec<_>>().join("; ")
    });
    lines.collect()
}

fn scale_in(id: &str) -> Action {
    Action::ScaleIn { instance: id.into() }
}

/// Point 7: `all` is faulted when fewer exist than are wanted, or one that exists does not offer;
/// a member that goes leaves the others, which still satisfy it.
#[test]
fn all_of_them_still_do_when_one_more_than_wanted_goes() {
    let three = "p1 p on\np2 p on\np3 p on\nq1 q busy r=p1,p2,p3";
    for sort in ["aware:all", "unaware:all"] {
        let after = seen(sort, Policy::Any, three, &scale_in("p3"));
        assert_eq!(after, ["q1 q busy r=p1 r=p2"], "{sort}");
        let two = "p1 p on\np2 p on\nq1 q busy r=p1,p2";
        assert_eq!(seen(sort, Policy::Any, two, &scale_in("p2")), ["q1 q idle"], "{sort}");
    }
}

/// Point 7: a replica-aware requirement of arity `at_least n` holds on to n instances.
#[test]
fn two_of_three_are_held_by_what_is_aware_of_them() {
    let three = "p1 p on\np2 p on\np3 p on\nq1 q busy r=p1,p2";
    let after = seen("aware:2", Policy::Any, three, &scale_in("p2"));
    assert_eq!(after, ["q1 q idle"]);
    let after = seen("unaware:2", Policy::Any, three, &scale_in("p2"));
    assert_eq!(after, ["q1 q busy r=p1 r=p3"]);
}

/// Point 2: `op-start` has no premise on requirements, so none prefers an alternative.
#[test]
fn every_alternative_may_start_even_one_that_lacks_something() {
    let start = Action::OpStart { instance: "q1".into(), operation: "other".to_owned() };
    let after = seen("unaware", Policy::Any, "c1 c off\nq1 q idle", &start);
    assert_eq!(after.len(), 2, "{after:?}");
    let after = seen("unaware", Policy::Any, "c1 c on\nq1 q idle", &start);
    assert_eq!(after.len(), 2, "{after:?}");
}

/// Point 2: faults are resolved "for any instance"; where loads decide, each order counts.
#[test]
fn least_loaded_settles_in_every_order() {
    let start = "p1 p on\np2 p on\np3 p on\nq1 q busy r=p3\nq2 q busy r=p3";
    let after = seen("unaware", Policy::LeastLoaded, start, &scale_in("p3"));
    assert_eq!(after, ["q1 q busy r=p1; q2 q busy r=p2", "q1 q busy r=p2; q2 q busy r=p1"]);
}

/// Point 2: an operation ends by its fault when one is pending that cannot be resolved, "normally
/// otherwise"; in a start state one may be pending that can.
#[test]
fn an_operation_of_a_start_that_is_not_settled_ends_normally() {
    let end = Action::OpEnd { instance: "q1".into(), operation: "work".to_owned() };
    let after = seen("unaware", Policy::Any, "p1 p on\nq1 q idle/work", &end);
    assert_eq!(after, ["q1 q busy r=p1"]);
    let after = seen("aware", Policy::Any, "p1 p on\nq1 q idle/work", &end);
    assert_eq!(after, ["q1 q idle"]);
}

/// Point 10: an operation running on the instance ends as failed; the process is found where the
/// type says for the state in which the operation began.
#[test]
fn a_crash_during_an_operation_goes_where_its_state_says() {
    let application = sketch::application(&READINGS.replace("SORT", "unaware"));
    for (text, expected) in [
        ("p1 p on\nq1 q idle/work r=p1", "q1 q broken"),
        ("p1 p on\nq1 q idle", "q1 q broken"),
        ("p1 p on\nq1 q busy r=p1", "q1 q idle"),
    ] {
        let start = sketch::state(&application, text);
        let replica = Replica::new(&application, start.clone()).expect("protocols");
        let crash = Observation::Crashed { instance: "q1".into() };
        let real = observe(&replica, &start, &crash).expect("observed");
        let real: Set = real.into_iter().map(|outcome| outcome.state).collect();
        let world = World { application: &application, policy: Policy::Any };
        let literal = State::from_global(&application, &start);
        let found = naive::replicas::crash_state(&world, &literal, "q1").expect("it exists");
        let report = naive::replicas::Report::In(found);
        let naive = naive::replicas::observe(&world, &literal, "q1", &report).settled;
        let naive: Set = naive.iter().map(|state| state.to_global(&application)).collect();
        assert_eq!(real, naive, "{text}");
        let shown: Vec<String> = real.iter().map(|s| sketch::show(&application, s)).collect();
        assert!(shown.len() == 1 && shown[0].contains(expected), "{text}: {shown:?}");
    }
}
