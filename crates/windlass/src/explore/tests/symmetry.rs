//! Interchangeable replicas: fewer states, the same answers, stories on real states.

use super::super::{Compiled, Derived, Options, Quotient, search};
use super::ask;
use crate::system::example::Operations;
use crate::system::models::{Graph, Replicas};
use crate::system::{Evidence, Property, StopReason, Unlimited, Verdict};

/// Sorts the two-bit phases of a word: operations are interchangeable.
fn sort_phases(encoded: &mut [u64]) {
    let mut phases: Vec<u64> = (0..32).map(|index| encoded[0] >> (2 * index) & 3).collect();
    phases.sort_unstable_by(|left, right| right.cmp(left));
    encoded[0] = (0..32).map(|index| phases[index] << (2 * index)).sum();
}

#[test]
fn interchangeable_operations_are_counted_not_distinguished() {
    let system = Operations::new(8);
    let form = Quotient::new(Compiled(&system), sort_phases);
    let outcome =
        search(&form, Property::Always(&|_: &[u64]| true), &Options::default(), &mut Unlimited);
    // As many as ways to split 8 among three phases: (8 + 2) choose 2.
    assert_eq!(outcome.progress.states, 45);
    assert_eq!(outcome.verdict, Verdict::Holds(Evidence::Search(45)));
}

#[test]
fn traces_name_real_replicas() {
    let system = Replicas { count: 4, phases: 3, wraps: false };
    let form = Quotient::new(Derived(&system), |state: &mut Vec<u8>| state.sort_unstable());
    let options = Options::default();
    // `ask` passes the trace, which is one of real states, through the checker.
    let done = |state: &Vec<u8>| state.iter().all(|phase| *phase == 2);
    let reached = ask(&form, Property::Reachable(&done), &options, &mut Unlimited);
    assert_eq!(reached.progress.states, 15);
    let Verdict::Holds(Evidence::Trace(trace)) = &reached.verdict else { panic!("not reached") };
    assert_eq!(trace.steps.len(), 8);
    let mixed = |state: &Vec<u8>| state.iter().map(|phase| phase % 2).sum::<u8>() < 3;
    let always = ask(&form, Property::Always(&mixed), &options, &mut Unlimited);
    let Verdict::Fails(Evidence::Trace(trace)) = &always.verdict else { panic!("holds") };
    assert_eq!(trace.steps.len(), 3);
    let ends = ask(&form, Property::DeadlockFree(&|_| false), &options, &mut Unlimited);
    assert!(ends.verdict.fails());
    let ends = ask(&form, Property::Eventually(&done), &options, &mut Unlimited);
    assert_eq!(ends.verdict, Verdict::Holds(Evidence::Search(15)));
}

#[test]
fn a_cycle_of_representatives_is_followed_until_a_state_comes_back() {
    // A token goes round a ring of five. Up to rotation there is one state with a loop; a real
    // state comes back after five laps.
    let ring = Graph::of_edges(5, &[(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]);
    let form = Quotient::new(Derived(&ring), |holder: &mut u8| *holder = 0);
    let gone = |holder: &u8| *holder > 4;
    let outcome = ask(&form, Property::Eventually(&gone), &Options::default(), &mut Unlimited);
    let Verdict::Fails(Evidence::Lasso { stem, cycle }) = &outcome.verdict else { panic!("ends") };
    assert_eq!((stem.steps.len(), cycle.len()), (0, 5));
    assert_eq!(outcome.progress.states, 1);

    let system = Replicas { count: 3, phases: 3, wraps: true };
    let form = Quotient::new(Derived(&system), |state: &mut Vec<u8>| state.sort_unstable());
    let all_left = |state: &Vec<u8>| !state.contains(&0);
    let outcome = ask(&form, Property::Eventually(&all_left), &Options::default(), &mut Unlimited);
    assert!(matches!(outcome.verdict, Verdict::Fails(Evidence::Lasso { .. })), "{outcome:?}");
}

#[test]
fn a_wrong_symmetry_never_tells_a_wrong_story() {
    // Forgetting the second replica is no symmetry: the predicate sees it.
    let system = Replicas { count: 2, phases: 3, wraps: false };
    let form = Quotient::new(Derived(&system), |state: &mut Vec<u8>| state[1] = 2);
    let outcome = search(
        &form,
        Property::Reachable(&|state: &Vec<u8>| state[1] == 2 && state[0] == 1),
        &Options::default(),
        &mut Unlimited,
    );
    assert_eq!(outcome.verdict, Verdict::Unknown(StopReason::Replay));
}
