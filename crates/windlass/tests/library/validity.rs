//! The tiers of plan validity against the naive reference, on random plans.
//!
//! `WINDLASS_LONG` says how many times as many plans are compared, `WINDLASS_SEED` where the
//! numbers start.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "tests panic and talk"
)]
#![allow(clippy::format_collect, clippy::format_push_string, reason = "short, not fast")]

use crate::naive;
use crate::support::long;
use crate::support::prng::Prng;
use crate::support::random::{self, Wild};
use windlass::application::{Application, GlobalState, Policy};
use windlass::certificate::check_cover;
use windlass::lifecycle::protocol::Element;
use windlass::plan::Plan;
use windlass::plan::cover::{Cover, Proof};
use windlass::plan::events::Events;
use windlass::plan::lives::Lives;
use windlass::plan::needs::{Possible, Scene};
use windlass::semantics::replica::Replica;
use windlass::verify::repair::{self, Repair};
use windlass::verify::{despite_faults, fault_free};

/// One random case: an application, a start state and a plan.
struct Case {
    application: Application,
    start: GlobalState,
    plan: Plan,
}

fn case(seed: u64, wild: Wild) -> Option<Case> {
    let mut prng = Prng::new(seed);
    let application = random::application(&mut prng, wild);
    let start = random::start(&mut prng, &application);
    let plan = {
        let mut replica = Replica::new(&application, start.clone())?;
        replica.pool = random::pool(&mut prng, &application);
        let length = prng.between(2, 6);
        random::plan(&mut prng, &replica, length)
    };
    Some(Case { application, start, plan })
}

#[test]
fn what_the_fault_free_tier_says_is_what_every_order_shows() {
    let first = long::seed(1);
    let (mut compared, mut always, mut sometimes, mut disordered) = (0, 0, 0, 0);
    for seed in first..first + long::cases(300) {
        let Some(Case { application, start, plan }) = case(seed, Wild::default()) else { continue };
        let judged = naive::judge(&application, &start, &plan, Policy::Any, 4000);
        let Ok(Some(judged)) = judged else { continue };
        let events = Events::new(&plan).expect("random plans have no cycle");
        compared += 1;
        let Ok(lives) = Lives::new(&application, &start, &plan, &events) else {
            disordered += 1;
            assert_ne!(judged.verdict, naive::Verdict::Valid, "seed {seed}: T0a");
            continue;
        };
        if !lives.undefined.is_empty() {
            continue;
        }
        let possible = Possible::planned(&lives);
        let scene = Scene {
            application: &application,
            start: &start,
            events: &events,
            lives: &lives,
            possible: &possible,
        };
        // The reference counts a fault that an operation keeps until it ends; the tier counts it at
        // the end, and an operation that is under way at the start never ends by the plan.
        let resting = start.instances.values().all(|i| matches!(i.element, Element::State(_)));
        match fault_free::shortest_fault(&scene) {
            None => {
                always += 1;
                assert_eq!(judged.verdict, naive::Verdict::Valid, "seed {seed}");
                assert_eq!(judged.deterministic, Some(true), "seed {seed}");
                assert!(!resting || judged.shortest_fault.is_none(), "seed {seed}");
            }
            Some(fault) => {
                sometimes += 1;
                let naive = judged.shortest_fault.unwrap_or(usize::MAX);
                assert!(
                    !resting
                        || naive == fault.length
                        || naive + 1 == fault.length
                        || fault.length == 0,
                    "seed {seed}: the reference faults after {naive}, the tier says {fault:?}"
                );
            }
        }
    }
    println!("{compared} compared: {always} never, {sometimes} sometimes, {disordered} disordered");
    assert!(always * 10 > compared && sometimes * 10 > compared && disordered > 0);
}

#[test]
fn what_a_cover_shows_is_valid() {
    let first = long::seed(1);
    let (mut compared, mut valid, mut covered, mut fault_free, mut tampered) = (0, 0, 0, 0, 0);
    for seed in first..first + long::cases(300) {
        let Some(Case { application, start, plan }) = case(seed, Wild::ALL) else { continue };
        let policy = application.policy;
        let Ok(Some(judged)) = naive::judge(&application, &start, &plan, policy, 4000) else {
            continue;
        };
        compared += 1;
        valid += usize::from(judged.verdict == naive::Verdict::Valid);
        let events = Events::new(&plan).expect("random plans have no cycle");
        let Ok(lives) = Lives::new(&application, &start, &plan, &events) else { continue };
        let cover = despite_faults::cover(&application, &start, &plan, &events, &lives);
        let Some(cover) = cover else { continue };
        covered += 1;
        fault_free += usize::from(cover.is_fault_free());
        assert_eq!(judged.verdict, naive::Verdict::Valid, "seed {seed}");
        assert_eq!(check_cover(&application, &start, &plan, &cover), Ok(()), "seed {seed}");
        tampered += refused_tampering(&application, &start, &plan, &cover, seed);
        if cover.is_deterministic() {
            assert_eq!(judged.deterministic, Some(true), "seed {seed}");
        }
    }
    println!("{compared} compared: {valid} valid, {covered} covered, {fault_free} fault-free");
    println!("{tampered} tampered covers refused");
    assert!(tampered > 0);
    assert!(covered * 3 > valid * 2, "most valid plans have a cover");
}

/// Changes a cover in every way that takes something away from it; each one must be refused, or
/// have been needless. Returns how many were refused.
fn refused_tampering(
    application: &Application,
    start: &GlobalState,
    plan: &Plan,
    cover: &Cover,
    seed: u64,
) -> usize {
    let mut refused = 0;
    for at in 0..cover.satisfied.len() {
        let mut less = cover.clone();
        less.satisfied[at].proof = Proof::NeverShows;
        if less != *cover {
            let answer = check_cover(application, start, plan, &less);
            assert!(answer.is_err(), "seed {seed}: proof {at} replaced");
            refused += 1;
        }
    }
    for life in 0..cover.possible.0.len() {
        for stage in 0..cover.possible.0[life].len() {
            let mut less = cover.clone();
            let removed = less.possible.0[life][stage].pop_first().is_some();
            let answer = check_cover(application, start, plan, &less);
            // Of several elements one may be there for caution only; the only one never is.
            let only = less.possible.0[life][stage].is_empty();
            assert!(!(removed && only && answer.is_ok()), "seed {seed}: {life} {stage} emptied");
            refused += usize::from(answer.is_err());
        }
    }
    // An order that is not in the plan: the proofs that use it must fall.
    let unordered = Plan { order: Vec::new(), ..plan.clone() };
    let uses_order = cover.satisfied.iter().any(|s| match &s.proof {
        Proof::Offered(offered) => !offered.passed.is_empty(),
        _ => false,
    });
    if uses_order && !plan.order.is_empty() {
        refused += usize::from(check_cover(application, start, &unordered, cover).is_err());
    }
    refused
}

/// Whether some order of whole actions is fault-free, by trying every one of them.
fn some_order_is_fault_free(application: &Application, start: &GlobalState, plan: &Plan) -> bool {
    let count = plan.steps.len();
    let mut open: Vec<Vec<usize>> = vec![Vec::new()];
    while let Some(done) = open.pop() {
        if done.len() == count {
            let order: Vec<_> = done.windows(2).map(|pair| (pair[0], pair[1])).collect();
            let sequence = repair::with_edges(plan, &order);
            if repair::repair(application, start, &sequence, 1) == Repair::NotNeeded {
                return true;
            }
            continue;
        }
        for next in (0..count).filter(|next| !done.contains(next)) {
            let waits = |edge: &&windlass::plan::Order| edge.after == next;
            if plan.order.iter().filter(waits).all(|edge| done.contains(&edge.before)) {
                let mut more = done.clone();
                more.push(next);
                open.push(more);
            }
        }
    }
    false
}

#[test]
fn a_repair_is_fault_free_and_there_is_none_only_when_no_order_is() {
    let first = long::seed(1);
    let (mut repaired, mut impossible, mut given_up) = (0, 0, 0);
    for seed in first..first + long::cases(300) {
        let Some(Case { application, start, plan }) = case(seed, Wild::default()) else { continue };
        match repair::repair(&application, &start, &plan, 2000) {
            Repair::Edges(edges) => {
                repaired += 1;
                let plan = repair::with_edges(&plan, &edges);
                let again = repair::repair(&application, &start, &plan, 1);
                assert_eq!(again, Repair::NotNeeded, "seed {seed}");
            }
            Repair::Impossible => {
                impossible += 1;
                let found = some_order_is_fault_free(&application, &start, &plan);
                assert!(!found, "seed {seed}: an order is fault-free");
            }
            Repair::NotNeeded => {}
            Repair::GaveUp(_) => given_up += 1,
        }
    }
    println!("{repaired} repaired, {impossible} impossible, {given_up} given up");
    assert!(repaired > 0 && impossible > 0 && given_up * 20 < repaired + impossible);
}
