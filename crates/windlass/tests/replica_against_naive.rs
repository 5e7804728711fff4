//! One observable action of paper 004, as the library and as the naive reference read it. Neither
//! was written from the other; what one reads otherwise is listed in the heads of both.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]

#[path = "naive/mod.rs"]
mod naive;
mod support;

use std::collections::BTreeSet;

use naive::state::State;
use naive::workflow::Event;
use naive::world::World;
use support::prng::Prng;
use support::random::{self, Wild};
use support::sketch;
use windlass::application::{Application, GlobalState, Policy};
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

/// Compares every candidate in every state of random walks; `view` says what must be equal.
fn compare<V: Ord + std::fmt::Debug>(
    (cases, seed, wild): (u64, u64, Wild),
    is_wanted: impl Fn(&str) -> bool,
    policies: &[Policy],
    view: impl Fn(GlobalState) -> V,
) {
    let mut compared = 0;
    for case in 0..cases {
        let mut prng = Prng::new(seed + case);
        let text = random::application_sketch(&mut prng, wild);
        if !is_wanted(&text) {
            continue;
        }
        let application = sketch::application(&text);
        let mut replica = Replica::new(&application, GlobalState::empty()).expect("protocols");
        replica.pool = random::pool(&mut prng, &application);
        replica.policy = *prng.pick(policies);
        let world = World { application: &application, policy: replica.policy };
        for state in random::walk(&mut prng, &replica, 30) {
            for action in replica.candidates(&state) {
                let literal = State::from_global(&application, &state);
                let naive = naive::step(&world, &literal, &event(&application, &action));
                let real = replica.step(&state, &action);
                let at = || {
                    format!(
                        "seed {}, {action:?}\n{real:?}\n{naive:?}\n{}\n{text}",
                        seed + case,
                        sketch::show(&application, &state)
                    )
                };
                assert_eq!(real.is_ok(), naive.is_good(), "{}", at());
                compared += 1;
                let Ok(successors) = &real else { continue };
                let real: BTreeSet<V> = successors.iter().cloned().map(&view).collect();
                let naive: BTreeSet<V> =
                    naive.settled.iter().map(|s| view(s.to_global(&application))).collect();
                assert_eq!(real, naive, "{}", at());
            }
        }
    }
    assert!(compared > 2_000, "only {compared} actions");
}

#[test]
fn states_and_bindings_are_the_same() {
    let wild = Wild { handlers: true, ..Wild::default() };
    compare((60, 30_000, wild), |_| true, &[Policy::Any, Policy::Greedy], |state| state);
}

#[test]
fn with_arities_states_are_the_same() {
    let wild = Wild { arities: true, ..Wild::default() };
    // Replica-aware `all` is read otherwise when a member is scaled in.
    let is_wanted = |text: &str| !text.contains(":aware:all");
    compare((60, 40_000, wild), is_wanted, &[Policy::Any, Policy::Greedy], |state| state.instances);
}
