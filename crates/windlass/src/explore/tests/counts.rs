//! Exact numbers of states and lengths of traces, and limits.

use super::super::{Compiled, Derived, Options, search, space};
use super::{ask, ask_both};
use crate::system::example::{Operations, Phase};
use crate::system::models::{Counter, Forks, Graph, Philosophers};
use crate::system::{Evidence, Limits, Property, StopReason, Unlimited, Verdict};

#[test]
fn n_operations_have_three_to_the_n_states() {
    for (count, states) in [(0, 1), (1, 3), (2, 9), (5, 243), (8, 6561)] {
        let outcome = ask_both(&Operations::new(count), Property::Always(&|_| true));
        assert!(outcome.verdict.holds());
        assert_eq!(outcome.progress.states, states);
        assert_eq!(outcome.progress.expanded, states);
        // Each of the operations has two transitions in every state of the others.
        let transitions = 2 * count * states / 3;
        assert_eq!(outcome.progress.transitions, transitions as u64);
        assert_eq!(outcome.progress.depth, 2 * count as u32);
    }
}

#[test]
fn more_operations_than_fit_in_one_word() {
    // One operation is enough to reach the second word when the others are out of play.
    let system = Operations::new(40);
    let beyond = |state: &Vec<Phase>| state[39] == Phase::Done;
    let outcome =
        ask(&Compiled(&system), Property::Reachable(&beyond), &Options::default(), &mut Unlimited);
    let Verdict::Holds(Evidence::Trace(trace)) = outcome.verdict else { panic!("not reached") };
    assert_eq!(trace.steps.len(), 2);
}

#[test]
fn a_counter_is_followed_to_its_end() {
    let counter = Counter { last: 10_000, wraps: false };
    let options = Options::default();
    let reached =
        ask(&Derived(&counter), Property::Reachable(&|n| *n == 9_000), &options, &mut Unlimited);
    let Verdict::Holds(Evidence::Trace(trace)) = reached.verdict else { panic!("not reached") };
    assert_eq!(trace.steps.len(), 9_000);
    assert_eq!(reached.progress.states, 9_001);
    let ends =
        ask(&Derived(&counter), Property::Eventually(&|n| *n == 10_000), &options, &mut Unlimited);
    assert!(ends.verdict.holds());
    let stuck =
        ask(&Derived(&counter), Property::DeadlockFree(&|_| false), &options, &mut Unlimited);
    let Verdict::Fails(Evidence::Trace(trace)) = stuck.verdict else { panic!("no deadlock") };
    assert_eq!(trace.steps.len(), 10_000);
}

#[test]
fn a_wrapping_counter_never_ends() {
    let counter = Counter { last: 100, wraps: true };
    let never = ask(
        &Derived(&counter),
        Property::Eventually(&|n| *n > 100),
        &Options::default(),
        &mut Unlimited,
    );
    let Verdict::Fails(Evidence::Lasso { stem, cycle }) = never.verdict else { panic!("ends") };
    assert_eq!((stem.steps.len(), cycle.len()), (0, 101));
}

#[test]
fn philosophers_starve_together() {
    // The states are the round words over {nothing, left, both} in which "both" is followed by
    // "nothing"; their numbers are the companion Pell numbers, a(n) = 2 a(n-1) + a(n-2).
    for (count, states) in [(2, 6), (3, 14), (4, 34), (5, 82), (6, 198)] {
        let table = Philosophers(count);
        let form = Derived(&table);
        let all = space(&form, &Options::default(), &mut Unlimited);
        assert_eq!(all.map(|all| all.states().len()).ok(), Some(states), "{count} philosophers");
        let outcome = ask(
            &Derived(&table),
            Property::DeadlockFree(&|_| false),
            &Options::default(),
            &mut Unlimited,
        );
        let Verdict::Fails(Evidence::Trace(trace)) = outcome.verdict else { panic!("no deadlock") };
        assert_eq!(trace.steps.len(), count);
        assert!(trace.last().iter().all(|forks| *forks == Forks::Left));
    }
}

#[test]
fn joining_paths_do_not_hide_a_cycle() {
    // 0 -> 1 -> 3, 0 -> 2 -> 3, 3 -> 1: a search that marks states met on another path as good
    // would pass over the cycle 1, 3.
    let graph = Graph::of_edges(5, &[(0, 4), (0, 1), (0, 2), (1, 3), (2, 3), (3, 1), (3, 4)]);
    let outcome = ask_both(&graph, Property::Eventually(&|node| *node == 4));
    let Verdict::Fails(Evidence::Lasso { stem, cycle }) = outcome.verdict else { panic!("ends") };
    assert_eq!(stem.states().copied().collect::<Vec<_>>(), [0, 1]);
    assert_eq!(cycle.iter().map(|step| step.after).collect::<Vec<_>>(), [3, 1]);
}

#[test]
fn a_self_loop_is_a_cycle() {
    let graph = Graph::of_edges(2, &[(0, 0), (0, 1)]);
    let outcome = ask_both(&graph, Property::Eventually(&|node| *node == 1));
    let Verdict::Fails(Evidence::Lasso { stem, cycle }) = outcome.verdict else { panic!("ends") };
    assert_eq!((stem.steps.len(), cycle.len()), (0, 1));
}

#[test]
fn cycles_after_the_predicate_do_not_matter() {
    let graph = Graph::of_edges(3, &[(0, 1), (1, 2), (2, 1)]);
    let outcome = ask_both(&graph, Property::Eventually(&|node| *node == 1));
    assert!(matches!(outcome.verdict, Verdict::Holds(Evidence::Measure(_))));
    assert_eq!(outcome.progress.states, 2, "nothing is searched beyond the predicate");
}

#[test]
fn a_space_knows_its_states_and_edges() {
    let graph = Graph::of_edges(4, &[(0, 2), (2, 3), (2, 0), (0, 3)]);
    let form = Compiled(&graph);
    let Ok(all) = space(&form, &Options::default(), &mut Unlimited) else { panic!("limit") };
    let nodes: Vec<u8> = all.states().map(|state| all.decode(state)).collect();
    assert_eq!(nodes, [0, 2, 3], "node 1 cannot be reached");
    assert_eq!(all.successors(0), [1, 2]);
    assert_eq!(all.successors(1), [2, 0]);
    assert!(all.successors(2).is_empty());
    assert_eq!(all.trace(2).map(|trace| trace.steps.len()), Some(1));
    assert_eq!(all.progress().depth, 1);
}

#[test]
fn limits_end_as_unknown() {
    let system = Operations::new(9);
    let form = Compiled(&system);
    let always = Property::Always(&|_: &[u64]| true);
    let few = &mut Limits { states: 5_000, bytes: usize::MAX };
    let outcome = search(&form, always, &Options::default(), few);
    assert_eq!(outcome.verdict, Verdict::Unknown(StopReason::States));
    let little = &mut Limits { states: usize::MAX, bytes: 50_000 };
    let outcome = search(&form, always, &Options::default(), little);
    assert_eq!(outcome.verdict, Verdict::Unknown(StopReason::Memory));
    for (most, complete) in [(17, false), (18, true)] {
        let options = Options { max_depth: Some(most), ..Options::default() };
        let outcome = search(&form, always, &options, &mut Unlimited);
        let unknown = Verdict::Unknown(StopReason::Depth);
        assert_eq!(outcome.verdict == unknown, !complete, "depth {most}");
    }
}

#[test]
fn a_hit_before_the_limit_counts() {
    let system = Operations::new(9);
    let options = Options { max_depth: Some(3), ..Options::default() };
    let outcome = search(
        &Compiled(&system),
        Property::Reachable(&|encoded: &[u64]| encoded[0] == 0b10_01),
        &options,
        &mut Limits { states: 1, bytes: 1 },
    );
    assert!(outcome.verdict.holds());
}

#[test]
fn large_sets_are_not_written_down() {
    let system = Operations::new(4);
    for (evidence_limit, kind) in [(80, "search"), (81, "closed_set")] {
        let options = Options { evidence_limit, ..Options::default() };
        let outcome =
            ask(&Compiled(&system), Property::Always(&|_| true), &options, &mut Unlimited);
        let Verdict::Holds(evidence) = outcome.verdict else { panic!("fails") };
        assert_eq!(evidence.kind(), kind);
    }
}

#[test]
fn memory_is_a_row_and_sixteen_bytes_a_state() {
    // At any size, also just after the table has grown; a constant covers the open segments.
    let system = Operations::new(11);
    struct Strict;
    impl crate::system::Budget for Strict {
        fn spend(
            &mut self,
            progress: &crate::system::Progress,
        ) -> std::ops::ControlFlow<StopReason> {
            assert!(progress.bytes <= progress.states * (8 + 16) + 150_000, "{progress:?}");
            std::ops::ControlFlow::Continue(())
        }
    }
    let form = Compiled(&system);
    let always = Property::Always(&|_: &[u64]| true);
    let outcome = search(&form, always, &Options::default(), &mut Strict);
    assert_eq!(outcome.progress.states, 177_147);
    assert!(outcome.progress.bytes <= 177_147 * 24, "{:?}", outcome.progress);
}
