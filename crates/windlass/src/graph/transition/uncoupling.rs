//! A transition of a part while the rest stands still (paper 000 section 2.2).
//!
//! The predicates stand as printed; [`uncouple`] computes the one transition that satisfies them
//! and the facts, or says which premise fails.

use super::{Interaction, Transition};
use crate::graph::compose::{atoms_in_graph, mixable_ls};
use crate::graph::{Atom, Clash, LocationSet};

/// A premise of [`uncoupling_transition`] that fails.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotUncoupled {
    /// The part and the rest cannot be composed before the transition.
    InitNotMixable(Vec<Clash>),
    /// The part and the rest cannot be composed after the transition.
    TermNotMixable(Vec<Clash>),
    /// These signals happen at roles of the rest, which would have to take part.
    Coupled(Vec<Interaction>),
    /// The context of the transition does not know these atoms of the rest.
    UnknownAtoms(Vec<Atom>),
}

/// `t` needs nothing of the locations `c`.
///
/// ```text
/// MixableLS(t.init, c)   MixableLS(t.term, c)   t.label.role ∩ (c.provided ∪ c.required) = ∅
/// ```
///
/// Paper: 000 2.2 (Uncoupled_Transition)
pub fn uncoupled_transition(t: &Transition, c: &LocationSet) -> bool {
    mixable_ls(&t.init, c).is_empty()
        && mixable_ls(&t.term, c).is_empty()
        && signals_at(t, c).next().is_none()
}

/// `tt` is what happens to `t.init ∪ c` when `t` happens and `c` stands still.
///
/// ```text
/// tt.env = t.env   Uncoupled_Transition(t, c)   tt.init = t.init ∪ c
/// tt.label = t.label   tt.term = t.term ∪ c
/// ```
///
/// Paper: 000 2.2 (Uncoupling_Transition)
pub fn uncoupling_transition(tt: &Transition, t: &Transition, c: &LocationSet) -> bool {
    tt.env == t.env
        && uncoupled_transition(t, c)
        && tt.init == &t.init | c
        && tt.label == t.label
        && tt.term == &t.term | c
}

/// The uncoupling transition of `t` and `c`, or the first premise that fails.
///
/// Paper: 000 2.2 (Uncoupling_Transition)
///
/// Deviation: the predicate does not ask that the context knows the atoms of `c`. In Alloy the
/// fact `TransitionsContextsGatherAllAtoms` does, since it holds for `tt` too; here it is the
/// last premise.
pub fn uncouple(t: &Transition, c: &LocationSet) -> Result<Transition, NotUncoupled> {
    let clashes = mixable_ls(&t.init, c);
    if !clashes.is_empty() {
        return Err(NotUncoupled::InitNotMixable(clashes));
    }
    let clashes = mixable_ls(&t.term, c);
    if !clashes.is_empty() {
        return Err(NotUncoupled::TermNotMixable(clashes));
    }
    let coupled: Vec<Interaction> = signals_at(t, c).cloned().collect();
    if !coupled.is_empty() {
        return Err(NotUncoupled::Coupled(coupled));
    }
    let unknown: Vec<Atom> = atoms_in_graph(c).difference(&t.env.atoms).cloned().collect();
    if !unknown.is_empty() {
        return Err(NotUncoupled::UnknownAtoms(unknown));
    }
    Ok(Transition {
        env: t.env.clone(),
        init: &t.init | c,
        label: t.label.clone(),
        term: &t.term | c,
    })
}

/// The signals of `t` at roles of `c`.
fn signals_at<'a>(t: &'a Transition, c: &'a LocationSet) -> impl Iterator<Item = &'a Interaction> {
    let at_rest = |m: &&Interaction| c.iter().any(|l| l.provides(m.role) || l.requires(m.role));
    t.label.signals.iter().filter(at_rest)
}
