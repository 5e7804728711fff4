//! Composition of transitions that happen together (paper 000 section 2.2).
//!
//! The predicates stand as printed; [`synchronize`] computes the one transition that satisfies
//! them, or says which premise fails.

use std::collections::BTreeSet;

use super::signal::{matched_signals, unmatched, wf_signals};
use super::{Context, Interaction, Label, Transition};
use crate::graph::Clash;
use crate::graph::LocationSet;
use crate::graph::compose::{bound_roles_in_ls, mixable_ls};
use crate::graph::wellformed::well_formed_location_set;

/// A premise of [`synchronized_transitions`] that fails.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotSynchronized {
    /// The transitions have no context, or different ones.
    NoCommonContext,
    /// Two of them start in sets that cannot be composed.
    NotMixable(Vec<Clash>),
    /// The initial sets together are ill formed.
    IllFormedInit,
    /// Two different signals on the same side of a bound role.
    AmbiguousSignals,
    /// Signals on bound roles that find no partner.
    Unmatched(Vec<Interaction>),
    /// The terminal sets together are ill formed.
    IllFormedTerm,
}

/// The transitions `ts` can happen together.
///
/// ```text
/// |ts.env| = 1     ∀ t1 ≠ t2 ∈ ts : MixableLS(t1.init, t2.init)
/// WellFormed(ts.init)     Matched_Signals(sb)     WellFormed(ts.term)
/// where sb = { m ∈ ts.label : m.role ∈ bound(ts.init) }
/// ```
///
/// Paper: 000 2.2 (Synchronized_Transitions)
pub fn synchronized_transitions(ts: &BTreeSet<Transition>) -> bool {
    let init = init(ts);
    let mixable = |t1: &Transition, t2: &Transition| mixable_ls(&t1.init, &t2.init).is_empty();
    common_context(ts).is_some()
        && ts.iter().all(|t1| ts.iter().all(|t2| t1 == t2 || mixable(t1, t2)))
        && well_formed_location_set(&init).is_empty()
        && matched_signals(&signals_on_bound_roles(ts, &init))
        && well_formed_location_set(&term(ts)).is_empty()
}

/// `t` is what happens when all of `ts` happen together.
///
/// ```text
/// Synchronized_Transitions(ts)   t.env = ts.env   t.init = ts.init
/// t.label = ts.label ∖ sb        t.term = ts.term
/// ```
///
/// Paper: 000 2.2 (Synchronizing_Transition)
pub fn synchronizing_transition(t: &Transition, ts: &BTreeSet<Transition>) -> bool {
    let init = init(ts);
    let sb = signals_on_bound_roles(ts, &init);
    synchronized_transitions(ts)
        && Some(&t.env) == common_context(ts)
        && t.init == init
        && t.label.signals == &signals(ts) - &sb
        && t.term == term(ts)
}

/// The synchronizing transition of `ts`, or the first premise that fails.
///
/// Paper: 000 2.2 (Synchronizing_Transition)
pub fn synchronize(ts: &BTreeSet<Transition>) -> Result<Transition, NotSynchronized> {
    let env = common_context(ts).ok_or(NotSynchronized::NoCommonContext)?;
    // Growing the initial set one by one asks every pair once, since clashes add up.
    let mut init = LocationSet::new();
    let mut term = LocationSet::new();
    for t in ts {
        let clashes = mixable_ls(&init, &t.init);
        if !clashes.is_empty() {
            return Err(NotSynchronized::NotMixable(clashes));
        }
        init.extend(t.init.iter().cloned());
        term.extend(t.term.iter().cloned());
    }
    if !well_formed_location_set(&init).is_empty() {
        return Err(NotSynchronized::IllFormedInit);
    }
    let bound = bound_roles_in_ls(&init);
    let (inside, outside) = signals(ts).into_iter().partition(|m| bound.contains(&m.role));
    if !wf_signals(&inside) {
        return Err(NotSynchronized::AmbiguousSignals);
    }
    let alone: Vec<Interaction> = unmatched(&inside).cloned().collect();
    if !alone.is_empty() {
        return Err(NotSynchronized::Unmatched(alone));
    }
    if !well_formed_location_set(&term).is_empty() {
        return Err(NotSynchronized::IllFormedTerm);
    }
    Ok(Transition { env: env.clone(), init, label: Label { signals: outside }, term })
}

/// The context of all of `ts`, when they have exactly one.
fn common_context(ts: &BTreeSet<Transition>) -> Option<&Context> {
    let first = &ts.first()?.env;
    ts.iter().all(|t| &t.env == first).then_some(first)
}

fn init(ts: &BTreeSet<Transition>) -> LocationSet {
    ts.iter().flat_map(|t| &t.init).cloned().collect()
}

fn term(ts: &BTreeSet<Transition>) -> LocationSet {
    ts.iter().flat_map(|t| &t.term).cloned().collect()
}

fn signals(ts: &BTreeSet<Transition>) -> BTreeSet<Interaction> {
    ts.iter().flat_map(|t| &t.label.signals).cloned().collect()
}

/// The paper's `sb`: the signals that must find their partner within `ts`.
fn signals_on_bound_roles(ts: &BTreeSet<Transition>, init: &LocationSet) -> BTreeSet<Interaction> {
    let bound = bound_roles_in_ls(init);
    signals(ts).into_iter().filter(|m| bound.contains(&m.role)).collect()
}
