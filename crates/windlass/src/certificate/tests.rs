//! Good evidence is accepted; evidence changed in any field is refused.

use super::{Claim, Refused, check, check_up_to, checked};
use crate::system::models::{Counter, Graph};
use crate::system::{Evidence, Property, Step, StopReason, System, Trace, Verdict};

type GraphEvidence = Evidence<u8, usize>;

/// 0 -> {1, 2} by one action, 1 -> 3, 2 -> 3, 3 -> 1; node 4 is apart, 5 is an end.
fn graph() -> Graph {
    Graph(vec![
        vec![vec![1, 2]],
        vec![vec![3]],
        vec![vec![3], vec![5]],
        vec![vec![1]],
        vec![vec![4]],
        vec![],
    ])
}

fn step(action: usize, after: u8) -> Step<u8, usize> {
    Step { action, after }
}

fn trace(start: u8, steps: &[(usize, u8)]) -> Trace<u8, usize> {
    Trace { start, steps: steps.iter().map(|(action, after)| step(*action, *after)).collect() }
}

fn refused(property: Property<'_, u8>, holds: bool, evidence: &GraphEvidence) -> Refused {
    match check(&graph(), &Claim { property, holds }, evidence) {
        Ok(()) => panic!("accepted: {evidence:?}"),
        Err(refused) => refused,
    }
}

#[track_caller]
fn accepted(property: Property<'_, u8>, holds: bool, evidence: &GraphEvidence) {
    assert_eq!(check(&graph(), &Claim { property, holds }, evidence), Ok(()));
}

#[test]
fn traces() {
    let is_three = |node: &u8| *node == 3;
    let reachable = Property::Reachable(&is_three);
    let good = trace(0, &[(0, 2), (0, 3)]);
    accepted(reachable, true, &Evidence::Trace(good.clone()));
    let bad = |trace| refused(reachable, true, &Evidence::Trace(trace));
    assert_eq!(bad(trace(2, &[(0, 3)])), Refused::WrongStart);
    assert_eq!(bad(trace(0, &[(1, 2), (0, 3)])), Refused::Blocked(0, "\"no such action\"".into()));
    assert_eq!(bad(trace(0, &[(0, 3)])), Refused::NotASuccessor(0));
    assert_eq!(bad(trace(0, &[(0, 2), (1, 3)])), Refused::NotASuccessor(1));
    assert_eq!(bad(trace(0, &[(0, 2)])), Refused::WrongPredicate("2".into()));
    assert_eq!(bad(trace(0, &[])), Refused::WrongPredicate("0".into()));
    // The same run shows the opposite claim of the opposite property, and nothing else.
    let differs = |node: &u8| *node != 3;
    accepted(Property::Always(&differs), false, &Evidence::Trace(good.clone()));
    for (property, holds) in [
        (Property::Always(&differs as &(dyn Fn(&u8) -> bool + Sync)), true),
        (Property::Reachable(&is_three), false),
        (Property::DeadlockFree(&differs), true),
        (Property::Eventually(&is_three), true),
    ] {
        let why = refused(property, holds, &Evidence::Trace(good.clone()));
        assert!(matches!(why, Refused::WrongKind { kind: "trace", .. }), "{why}");
    }
}

#[test]
fn ends() {
    let never = |_: &u8| false;
    let good = trace(0, &[(0, 2), (1, 5)]);
    let deadlock = Property::DeadlockFree(&never);
    accepted(deadlock, false, &Evidence::Trace(good.clone()));
    accepted(Property::Eventually(&never), false, &Evidence::Trace(good.clone()));
    let early = Evidence::Trace(trace(0, &[(0, 2)]));
    assert_eq!(refused(deadlock, false, &early), Refused::NotAnEnd);
    assert_eq!(refused(Property::Eventually(&never), false, &early), Refused::NotAnEnd);
    let allowed = |node: &u8| *node == 5;
    let why = refused(Property::DeadlockFree(&allowed), false, &Evidence::Trace(good.clone()));
    assert_eq!(why, Refused::WrongPredicate("5".into()));
    let met = |node: &u8| *node == 2;
    let why = refused(Property::Eventually(&met), false, &Evidence::Trace(good));
    assert_eq!(why, Refused::WrongPredicate("2".into()));
}

#[test]
fn lassos() {
    let is_five = |node: &u8| *node == 5;
    let property = Property::Eventually(&is_five);
    let lasso =
        |stem, cycle: &[(usize, u8)]| Evidence::Lasso { stem, cycle: trace(0, cycle).steps };
    let stem = || trace(0, &[(0, 1)]);
    accepted(property, false, &lasso(stem(), &[(0, 3), (0, 1)]));
    let bad = |evidence| refused(property, false, &evidence);
    assert_eq!(bad(lasso(stem(), &[])), Refused::NotACycle);
    assert_eq!(bad(lasso(stem(), &[(0, 3)])), Refused::NotACycle);
    assert_eq!(bad(lasso(stem(), &[(0, 1)])), Refused::NotASuccessor(1));
    assert!(matches!(bad(lasso(stem(), &[(1, 3), (0, 1)])), Refused::Blocked(1, _)));
    assert_eq!(bad(lasso(trace(4, &[]), &[(0, 4)])), Refused::WrongStart);
    assert_eq!(bad(lasso(trace(0, &[(0, 3)]), &[(0, 1), (0, 3)])), Refused::NotASuccessor(0));
    let is_three = |node: &u8| *node == 3;
    let why = refused(Property::Eventually(&is_three), false, &lasso(stem(), &[(0, 3), (0, 1)]));
    assert_eq!(why, Refused::WrongPredicate("3".into()));
    let why = refused(property, true, &lasso(stem(), &[(0, 3), (0, 1)]));
    assert!(matches!(why, Refused::WrongKind { .. }));
    let why = refused(Property::Always(&is_three), false, &lasso(stem(), &[(0, 3), (0, 1)]));
    assert!(matches!(why, Refused::WrongKind { .. }));
}

#[test]
fn closed_sets() {
    let apart = |node: &u8| *node == 4;
    let not_apart = |node: &u8| *node != 4;
    let all = vec![0, 1, 2, 3, 5];
    accepted(Property::Always(&not_apart), true, &Evidence::ClosedSet(all.clone()));
    accepted(Property::Reachable(&apart), false, &Evidence::ClosedSet(all.clone()));
    for left_out in &all {
        let rest = all.iter().copied().filter(|node| node != left_out).collect();
        let why = refused(Property::Always(&not_apart), true, &Evidence::ClosedSet(rest));
        let expected = match left_out {
            0 => Refused::WrongStart,
            node => Refused::NotClosed(node.to_string()),
        };
        assert_eq!(why, expected);
    }
    let more = Evidence::ClosedSet(vec![0, 1, 2, 3, 4, 5]);
    let why = refused(Property::Always(&not_apart), true, &more);
    assert_eq!(why, Refused::WrongPredicate("4".into()));
    let why = refused(Property::Reachable(&apart), false, &more);
    assert_eq!(why, Refused::WrongPredicate("4".into()));
    let is_five = |node: &u8| *node == 5;
    accepted(Property::DeadlockFree(&is_five), true, &Evidence::ClosedSet(all.clone()));
    let why = refused(Property::DeadlockFree(&apart), true, &Evidence::ClosedSet(all.clone()));
    assert_eq!(why, Refused::BadEnd("5".into()));
    // A closed set says nothing about cycles.
    let why = refused(Property::Eventually(&not_apart), true, &Evidence::ClosedSet(all.clone()));
    assert!(matches!(why, Refused::WrongKind { kind: "closed_set", .. }));
    let why = refused(Property::Always(&not_apart), false, &Evidence::ClosedSet(all));
    assert!(matches!(why, Refused::WrongKind { .. }));
}

#[test]
fn measures() {
    let counter = Counter { last: 3, wraps: true };
    let is_last = |count: &u32| *count == 3;
    let check_ranks = |property, holds, ranks: &[(u32, u32)]| {
        check(&counter, &Claim { property, holds }, &Evidence::Measure(ranks.to_vec()))
    };
    let eventually = Property::Eventually(&is_last);
    let good = [(0, 3), (1, 2), (2, 1), (3, 0)];
    assert_eq!(check_ranks(eventually, true, &good), Ok(()));
    for position in 0..4 {
        let mut without = good.to_vec();
        without.remove(position);
        let expected = match position {
            0 => Refused::WrongStart,
            state => Refused::NotClosed(state.to_string()),
        };
        assert_eq!(check_ranks(eventually, true, &without), Err(expected));
    }
    for (position, rank) in [(0, 2), (1, 1), (2, 2), (2, 0), (3, 1)] {
        let mut changed = good;
        changed[position].1 = rank;
        let checked = check_ranks(eventually, true, &changed);
        assert!(matches!(checked, Err(Refused::DoesNotFall(_))), "{changed:?}: {checked:?}");
    }
    let never = |_: &u32| false;
    let checked = check_ranks(Property::Eventually(&never), true, &good);
    assert_eq!(checked, Err(Refused::DoesNotFall("0".into())), "the counter goes round");
    let ends = Counter { last: 3, wraps: false };
    let claim = Claim { property: Property::Eventually(&never), holds: true };
    let checked = check(&ends, &claim, &Evidence::Measure(good.to_vec()));
    assert_eq!(checked, Err(Refused::BadEnd("3".into())));
    for (property, holds) in [(eventually, false), (Property::Always(&never), true)] {
        let checked = check_ranks(property, holds, &good);
        assert!(matches!(checked, Err(Refused::WrongKind { kind: "measure", .. })));
    }
}

#[test]
fn a_search_leaves_nothing_to_check() {
    let always = |_: &u8| true;
    let why = refused(Property::Always(&always), true, &Evidence::Search(5));
    assert_eq!(why, Refused::NothingToCheck);
    assert_eq!(graph().initial(), 0);
}

#[test]
fn a_verdict_with_damaged_evidence_is_unknown() {
    let not_apart = |node: &u8| *node != 4;
    let always = Property::Always(&not_apart);
    let all: GraphEvidence = Evidence::ClosedSet(vec![0, 1, 2, 3, 5]);
    let good = Verdict::Holds(all.clone());
    assert_eq!(checked(&graph(), always, good.clone()), good);
    let unknown = Verdict::Unknown(StopReason::Replay);
    let open = Verdict::Holds(Evidence::ClosedSet(vec![0, 1, 2]));
    assert_eq!(checked(&graph(), always, open), unknown);
    assert_eq!(checked(&graph(), always, Verdict::Fails(all)), unknown);
    let run = Verdict::Fails(Evidence::Trace(trace(0, &[(0, 2)])));
    assert_eq!(checked(&graph(), always, run), unknown);
    // What only says that a search was made has nothing to check, and says so by its kind.
    let search = Verdict::Holds(Evidence::Search(5));
    assert_eq!(checked(&graph(), always, search.clone()), search);
}

#[test]
fn a_large_set_is_stepped_from_in_part_and_looked_at_as_a_whole() {
    let ticking = Counter { last: 99, wraps: false };
    let below = |limit: u32| move |number: &u32| *number < limit;
    let all: Vec<u32> = (0..100).collect();
    let up_to = |limit: u32, states: &[u32], most: usize| {
        let small = below(limit);
        let claim = Claim { property: Property::Always(&small), holds: true };
        check_up_to(&ticking, &claim, &Evidence::ClosedSet(states.to_vec()), most)
    };
    assert_eq!(up_to(100, &all, 10), Ok(()));
    assert_eq!(up_to(50, &all, 10), Err(Refused::WrongPredicate("50".into())));
    assert_eq!(up_to(100, &all[1..], 10), Err(Refused::WrongStart));
    // Of ten states, evenly spread, the first is always stepped from.
    assert_eq!(up_to(100, &[0], 10), Err(Refused::NotClosed("1".into())));
    let mut gap = all.clone();
    gap.retain(|number| *number != 50);
    assert_eq!(up_to(100, &gap, 100), Err(Refused::NotClosed("50".into())));
}
