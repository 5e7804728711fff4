//! What a set of locations can do: transitions and the facts about them (paper 000 section 2.2).
//!
//! A transition takes an initial set of locations to a terminal one while interactions happen at
//! roles; its label lists those that need a partner outside. How transitions of parts become
//! transitions of the whole is in [`synchronizing`] and [`uncoupling`].

pub mod signal;

pub mod synchronizing;

pub mod uncoupling;

use std::collections::BTreeSet;

pub use self::signal::{Interaction, Label, Polarity};

use super::compose::{atoms_in_graph, unbound_roles_in_ls};
use super::{Atom, LocationSet, RoleId};

/// The evolution of a set of locations: ⟨env, init, label, term⟩.
///
/// Paper: 000 2.2 (Transition)
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Transition {
    /// What is known at the onset.
    pub env: Context,
    /// The locations before.
    pub init: LocationSet,
    /// The interactions that need a partner outside of `init`.
    pub label: Label,
    /// The locations after.
    pub term: LocationSet,
}

/// The atoms known at the onset of a transition; a name or role that is not among them is new.
///
/// Paper: 000 2.2 (Context)
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Context {
    /// The known names and roles.
    pub atoms: BTreeSet<Atom>,
}

impl Context {
    /// The context that knows exactly what occurs in `locations`.
    pub fn of(locations: &LocationSet) -> Self {
        Context { atoms: atoms_in_graph(locations) }
    }
}

/// A fact about transitions that one of them breaks, with the witness.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Malformed {
    /// The context does not know an atom of the initial set.
    UnknownAtom(Atom),
    /// There is nothing that could move.
    NoInitialLocation,
    /// A signal on a role that is bound in the initial set, or that does not occur there.
    SignalNotOnUnboundRole(Interaction),
    /// Several signals on one role.
    SeveralSignalsOnRole(RoleId),
}

/// The context knows every atom of the initial set: atoms(t.init) ⊆ t.env.
///
/// Paper: 000 2.2 (TransitionsContextsGatherAllAtoms)
///
/// Deviation: the text calls this fact `TransitionsEnvironmentsGatherAllAtoms`; the Alloy name is
/// kept.
pub fn transitions_contexts_gather_all_atoms(t: &Transition) -> Vec<Malformed> {
    let atoms = atoms_in_graph(&t.init);
    atoms.difference(&t.env.atoms).cloned().map(Malformed::UnknownAtom).collect()
}

/// The empty set of locations has no transition: t.init ≠ ∅.
///
/// Paper: 000 2.2 (ATransitionInitialGraphsNotEmpty)
pub fn a_transition_initial_graphs_not_empty(t: &Transition) -> Vec<Malformed> {
    t.init.is_empty().then_some(Malformed::NoInitialLocation).into_iter().collect()
}

/// What happens on a bound role stays inside: ∀ m ∈ t.label : m.role ∈ unbound(t.init).
///
/// Paper: 000 2.2 (SignalsInTransitionsEmittedOnUnboundRoles)
pub fn signals_in_transitions_emitted_on_unbound_roles(t: &Transition) -> Vec<Malformed> {
    let unbound = unbound_roles_in_ls(&t.init);
    let inside = t.label.signals.iter().filter(|m| !unbound.contains(&m.role));
    inside.cloned().map(Malformed::SignalNotOnUnboundRole).collect()
}

/// A transition has at most one signal per role.
///
/// Paper: 000 2.2 (SignalsInTransitionsEmittedOnAGivenRoleAreUnique)
pub fn signals_in_transitions_emitted_on_a_given_role_are_unique(t: &Transition) -> Vec<Malformed> {
    let mut seen = BTreeSet::new();
    let again = t.label.signals.iter().map(|m| m.role).filter(|&role| !seen.insert(role));
    let several: BTreeSet<RoleId> = again.collect();
    several.into_iter().map(Malformed::SeveralSignalsOnRole).collect()
}

/// The four well-formedness facts about transitions together, in the paper's order.
pub fn well_formed_transition(t: &Transition) -> Vec<Malformed> {
    let mut found = transitions_contexts_gather_all_atoms(t);
    found.extend(a_transition_initial_graphs_not_empty(t));
    found.extend(signals_in_transitions_emitted_on_unbound_roles(t));
    found.extend(signals_in_transitions_emitted_on_a_given_role_are_unique(t));
    found
}
