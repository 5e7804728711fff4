//! Management protocols (paper 003 Def. 1, paper 004 Def. 3.1).
//!
//! | paper | here |
//! |---|---|
//! | `N = ⟨S, R, C, O, M⟩` | [`ComponentType`](crate::application::ComponentType) |
//! | `s̄` | [`Protocol::initial`] |
//! | `τ` | [`Protocol::transitions`], each with an identity of its own |
//! | `ρ` | `requires` of a state or transition |
//! | `χ` | `offers` of a state or transition |
//! | `φ` | `handlers` of a state or transition |
//! | `e ∈ S ∪ τ` | [`Element`] |
//!
//! All indices are local to the component type that owns the protocol.

use std::collections::BTreeSet;

use super::index;
use crate::source::Origin;

index!(
    /// A requirement of a component type.
    pub RequirementId
);
index!(
    /// A capability of a component type.
    pub CapabilityId
);
index!(
    /// An operation of a component type.
    pub OperationId
);
index!(
    /// A state of a protocol.
    pub StateId
);
index!(
    /// A transition of a protocol.
    pub TransitionId
);

/// What kind of dependency a requirement is.
///
/// Paper: 004 Notation 3.2
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sort {
    /// The instance lives inside the instance that offers the capability.
    Containment,
    /// The instance depends on one specific instance and faults when that stops offering.
    ReplicaAware,
    /// Any instance of the target node will do, and a switch is no fault.
    ReplicaUnaware,
}

impl Sort {
    /// The word in `windlass.yaml`.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Sort::Containment => "containment",
            Sort::ReplicaAware => "replica_aware",
            Sort::ReplicaUnaware => "replica_unaware",
        }
    }
}

/// How many instances of the target node must offer the capability.
///
/// Paper: 004 Def. 3.2
/// Deviation: the paper knows `any` only; `all` and `at_least` are ours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Arity {
    /// One that offers it is enough.
    #[default]
    Any,
    /// As many as wanted exist, and every existing one offers it.
    All,
    /// That many distinct instances offer it; never 0.
    AtLeast(u32),
}

/// A requirement of a component type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirement {
    /// Its name, unique in the type.
    pub name: String,
    /// What kind of dependency it is.
    pub sort: Sort,
    /// How many providers it needs.
    pub arity: Arity,
    /// Where it was declared.
    pub origin: Origin,
}

/// A capability of a component type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capability {
    /// Its name, unique in the type.
    pub name: String,
    /// Where it was declared.
    pub origin: Origin,
}

/// Where an instance is: in a state, or on the way between two.
///
/// Paper: 004 Def. 3.4
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Element {
    /// Resting in a state.
    State(StateId),
    /// Performing a transition.
    Transition(TransitionId),
}

/// A fault handler: where an instance goes when something it relies on is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handler {
    /// The state it goes to.
    pub to: StateId,
    /// Where it was declared.
    pub origin: Origin,
}

/// A state of a protocol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// Its name, unique in the protocol.
    pub name: String,
    /// `ρ(s)`: what must keep being satisfied here.
    pub requires: BTreeSet<RequirementId>,
    /// `χ(s)`: what is offered here.
    pub offers: BTreeSet<CapabilityId>,
    /// `φ`: where a fault leads.
    pub handlers: Vec<Handler>,
    /// The state in which an instance is found after its process died here; the initial state
    /// when nothing is said.
    pub on_crash: Option<StateId>,
    /// Where it was declared.
    pub origin: Origin,
}

/// A transition of a protocol.
///
/// Several transitions with equal source, operation and target and different requirements are
/// alternatives: a transition is known by its index, not by its ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transition {
    /// `s`.
    pub from: StateId,
    /// `o`.
    pub operation: OperationId,
    /// `s'`.
    pub to: StateId,
    /// `ρ(⟨s, o, s'⟩)`, in 003 the condition `H`.
    pub requires: BTreeSet<RequirementId>,
    /// `χ(⟨s, o, s'⟩)`.
    pub offers: BTreeSet<CapabilityId>,
    /// `φ`: where a fault during the operation leads.
    pub handlers: Vec<Handler>,
    /// Where it was declared.
    pub origin: Origin,
}

/// `M_N`, the management protocol of a component type.
///
/// Paper: 003 Def. 1
/// Paper: 004 Def. 3.1
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Protocol {
    /// `s̄`.
    pub initial: StateId,
    /// `S`.
    pub states: Vec<State>,
    /// `τ`.
    pub transitions: Vec<Transition>,
    /// The operations that bring an instance up, when there is more than one shortest way.
    pub up: Option<Vec<OperationId>>,
}

impl Protocol {
    /// The state with this id.
    pub fn state(&self, id: StateId) -> &State {
        &self.states[id.index()]
    }

    /// The transition with this id.
    pub fn transition(&self, id: TransitionId) -> &Transition {
        &self.transitions[id.index()]
    }

    /// The state with this name.
    pub fn state_named(&self, name: &str) -> Option<StateId> {
        self.states.iter().position(|state| state.name == name).map(StateId::from)
    }

    /// `ρ(e)`.
    pub fn requires(&self, element: Element) -> &BTreeSet<RequirementId> {
        match element {
            Element::State(id) => &self.state(id).requires,
            Element::Transition(id) => &self.transition(id).requires,
        }
    }

    /// `χ(e)`.
    pub fn offers(&self, element: Element) -> &BTreeSet<CapabilityId> {
        match element {
            Element::State(id) => &self.state(id).offers,
            Element::Transition(id) => &self.transition(id).offers,
        }
    }

    /// `{ s' | ⟨e, s'⟩ ∈ φ }`, in the order of declaration.
    pub fn handlers(&self, element: Element) -> &[Handler] {
        match element {
            Element::State(id) => &self.state(id).handlers,
            Element::Transition(id) => &self.transition(id).handlers,
        }
    }

    /// The transitions that perform `operation` in `state`, in the order of declaration.
    pub fn transitions_for(
        &self,
        state: StateId,
        operation: OperationId,
    ) -> impl Iterator<Item = TransitionId> {
        self.transitions
            .iter()
            .enumerate()
            .filter(move |(_, t)| t.from == state && t.operation == operation)
            .map(|(at, _)| TransitionId::from(at))
    }

    /// Every state and every transition, states first.
    pub fn elements(&self) -> impl Iterator<Item = Element> {
        let states = (0..self.states.len()).map(|at| Element::State(StateId::from(at)));
        let transitions =
            (0..self.transitions.len()).map(|at| Element::Transition(TransitionId::from(at)));
        states.chain(transitions)
    }
}
