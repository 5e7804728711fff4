//! Steps in place against the reference: on the states of random walks, and on states that are
//! disturbed and not settled, every action leads to the first outcome of the rules.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]

use crate::support::long;
use crate::support::prng::Prng;
use crate::support::random::{self, Wild};
use crate::support::sketch;
use windlass::application::{GlobalState, InstanceId};
use windlass::semantics::replica::in_place::{InPlace, Next};
use windlass::semantics::replica::{Action, Outcome, Replica, observable};
use windlass::system::System;

/// Takes an action both ways; whether it was taken in place, or how the two differ.
fn compared(replica: &Replica, state: &GlobalState, action: &Action) -> Result<bool, String> {
    let mut here = InPlace::new(replica, state.clone());
    let reference = observable::outcomes(replica, state, action);
    match (here.next(replica, action), reference) {
        (Err(blocked), Err(expected)) if blocked == expected => Ok(false),
        (Ok(next), Ok(outcomes)) => {
            let is_quiet = matches!(next, Next::Quiet(_));
            let events = here.take(replica, next);
            let found = Outcome { state: here.state().clone(), events };
            if outcomes.first() != Some(&found) {
                return Err(format!("leads to {found:?}, not to {:?}", outcomes.first()));
            }
            if here != InPlace::new(replica, found.state) {
                return Err(format!("leaves other indexes: {here:?}"));
            }
            Ok(is_quiet)
        }
        (next, reference) => Err(format!("{next:?}, but {reference:?}")),
    }
}

/// A state without some instance, or without its bindings.
fn disturbed(prng: &mut Prng, state: &GlobalState) -> GlobalState {
    let mut state = state.clone();
    let ids: Vec<InstanceId> = state.instances.keys().cloned().collect();
    if ids.is_empty() {
        return state;
    }
    let id = prng.pick(&ids).clone();
    if prng.chance(50) {
        // What was bound to it, or lived in it, keeps its traces.
        state.instances.remove(&id);
    } else {
        state.horizontal.retain(|(source, _, _)| *source != id);
    }
    state
}

#[test]
fn a_step_in_place_is_the_first_outcome() {
    let (mut quiet, mut all) = (0_u32, 0_u32);
    let (cases, seed) = (long::cases(150), long::seed(1));
    for case in 0..cases {
        let mut prng = Prng::new(seed + case);
        let text = random::application_sketch(&mut prng, Wild::ALL);
        let application = sketch::application(&text);
        let mut replica = Replica::new(&application, GlobalState::empty()).expect("protocols");
        replica.pool = random::pool(&mut prng, &application);
        for state in &random::walk(&mut prng, &replica, 30) {
            let state = if prng.chance(20) { disturbed(&mut prng, state) } else { state.clone() };
            for action in replica.candidates(&state) {
                match compared(&replica, &state, &action) {
                    Ok(is_quiet) => {
                        all += 1;
                        quiet += u32::from(is_quiet);
                    }
                    Err(why) => panic!(
                        "WINDLASS_SEED={}: {action:?} {why}\nin {state:?}\n{text}",
                        seed + case
                    ),
                }
            }
        }
    }
    assert!(quiet * 5 > all, "of {all} steps only {quiet} were taken in place");
}
