//! What a plan changes: without a search, by a cover, against a search through every run.
//!
//! `WINDLASS_LONG` says how many times as many plans are compared, `WINDLASS_SEED` where the
//! numbers start.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "tests panic and talk"
)]

use std::collections::BTreeSet;

use crate::support::long;
use crate::support::prng::Prng;
use crate::support::random::{self, Wild};
use windlass::application::Policy;
use windlass::goal::evaluate::Closure;
use windlass::semantics::replica::Replica;
use windlass::system::Limits;
use windlass::verify::{self, Effect, Effects, Effort, Question, Report, Validity};

/// By tiers and by search alone; the tiers follow bindings through so many states.
fn both(seed: u64, policy: Policy, binding_limit: usize) -> Option<(Report, Report)> {
    let mut prng = Prng::new(seed);
    let wild = if seed.is_multiple_of(2) { Wild::ALL } else { Wild::default() };
    let application = random::application(&mut prng, wild);
    let start = random::start(&mut prng, &application);
    let mut replica = Replica::new(&application, start.clone())?;
    replica.pool = random::pool(&mut prng, &application);
    let length = prng.between(1, 6);
    let plan = random::plan(&mut prng, &replica, length);
    let question = Question {
        application: &application,
        start: &start,
        plan: &plan,
        policy,
        goal: None,
        closure: Closure::Open,
    };
    let ask = |search_only: bool| {
        // Every binding is followed as long as the states are no more than evidence lists.
        let effort = Effort { search_only, binding_limit, ..Effort::default() };
        let mut limits = Limits { states: effort.evidence_limit, bytes: usize::MAX };
        verify::verify(&question, &effort, &mut limits).ok()
    };
    Some((ask(false)?, ask(true)?))
}

/// Compares what T1 says with every run: how many plans, and how many are told in the same words.
fn compare(binding_limit: usize) -> (usize, usize) {
    let first = long::seed(1);
    let (mut compared, mut equal) = (0, 0);
    for seed in first..first + long::cases(1500) {
        let policy = if seed % 3 == 0 { Policy::Greedy } else { Policy::Any };
        let Some((quick, slow)) = both(seed, policy, binding_limit) else { continue };
        // A closed set: the search was small, and followed every binding.
        if quick.tier != "T1" || slow.evidence != "closed_set" {
            continue;
        }
        compared += 1;
        equal += usize::from(quick.effects == slow.effects);
        let all = |effects: &Effects| effects.certain.union(&effects.possible).cloned().collect();
        let (said, seen): (BTreeSet<Effect>, BTreeSet<Effect>) =
            (all(&quick.effects), all(&slow.effects));
        assert!(said.is_superset(&seen), "seed {seed}, {policy:?}: {said:?} without {seen:?}");
        let (said, seen) = (&quick.effects.certain, &slow.effects.certain);
        assert!(said.is_subset(seen), "seed {seed}, {policy:?}: {said:?} beside {seen:?}");
        let is_wide = quick.effects != slow.effects;
        assert!(!is_wide || !quick.remarks.is_empty(), "seed {seed}, {policy:?}: no remark");
    }
    (compared, equal)
}

#[test]
fn effects_of_small_plans_are_those_of_every_run() {
    let (compared, equal) = compare(Effort::default().binding_limit);
    println!("figure: effects: {compared} plans compared, {equal} equal");
    assert!(compared > 100 && equal == compared, "{compared}, {equal}");
}

#[test]
fn effects_without_a_search_miss_nothing_and_say_nothing_wrong_for_certain() {
    let (compared, equal) = compare(0);
    println!("figure: effects without a search: {compared} plans compared, {equal} equal");
    assert!(compared > 100 && equal * 20 > compared * 19, "{compared}, {equal}");
}

#[test]
fn what_a_few_runs_show_is_what_the_search_allows() {
    let first = long::seed(1);
    let mut compared = 0;
    for seed in first..first + long::cases(1500) {
        let Some((quick, slow)) = both(seed, Policy::Any, 0) else { continue };
        // A search that was given up says nothing.
        if matches!(slow.validity, Validity::Unknown(_)) {
            continue;
        }
        if quick.validity != Validity::Valid || slow.validity != Validity::Valid {
            assert_eq!(quick.validity, slow.validity, "seed {seed}");
            continue;
        }
        // A closed set: the search was small, and followed every binding.
        if slow.evidence != "closed_set" {
            continue;
        }
        compared += 1;
        assert!(quick.deterministic.is_none_or(|known| Some(known) == slow.deterministic));
        let (said, seen) = (&quick.effects.certain, &slow.effects.certain);
        let wrong: Vec<_> = said.difference(seen).collect();
        assert!(wrong.is_empty(), "seed {seed}, {}: {wrong:?} of {seen:?}", quick.tier);
    }
    assert!(compared > 100, "{compared}");
}
