//! Covers: the evidence that a plan is valid, need by need.
//!
//! A cover says for each stage of each life where the instance may be, and for each requirement
//! that it may rely on there either why it is satisfied at every cut, or nothing: then handlers
//! may act, and their targets are among the possible elements. `certificate` checks a cover by
//! looking things up; it never searches.

use super::lives::LifeId;
use super::needs::Possible;
use super::slots::PassedOver;
use crate::lifecycle::protocol::RequirementId;

/// Some of these providers offer at every cut of a window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offered {
    /// The providers whose failing slots are compared; one alone is often enough.
    pub(crate) providers: Vec<LifeId>,
    /// Why they never fail together.
    pub passed: Vec<PassedOver>,
}

/// How a binding comes about that a replica-aware need holds on to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    /// It is there at the start.
    Start(LifeId),
    /// It is made when a stage is entered, and an instance offers then.
    Entered(Offered),
}

/// A provider that may have been bound in one of its offering slots has not failed since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Kept {
    /// Whether it cannot be bound in that slot at all.
    pub(crate) never_bound: bool,
    /// The proof of either.
    pub(crate) passed: Vec<PassedOver>,
}

/// One place at which the binding of a replica-aware need may have been made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The stage that was entered.
    pub(crate) stage: usize,
    /// How the binding came about.
    pub(crate) origin: Origin,
    /// For each provider and each of its offering slots, in order. Of a binding that is there at
    /// the start only its own provider and the slot from the start.
    pub(crate) kept: Vec<Kept>,
}

/// Why a question of counting is answered by no.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Counted {
    /// Too few rows have a slot at all.
    TooFew,
    /// For each combination of the rows that have a slot, in lexicographic order.
    Combinations(Vec<Vec<PassedOver>>),
    /// Too many combinations to write down: the minimum cut is computed again.
    MinimumCut,
}

/// Why a requirement is satisfied at every cut of a stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proof {
    /// A fault would show at the end of an operation that does not end within the plan.
    NeverShows,
    /// Containment, or replica-unaware: an instance offers.
    Offered(Offered),
    /// Replica-aware: the bound instance still offers.
    Bound(Vec<Entry>),
    /// An arity beyond `any`: the answers to its questions, in order.
    Counted(Vec<Counted>),
}

/// A requirement that is satisfied at every cut of a stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Satisfied {
    /// Whose requirement.
    pub(crate) life: LifeId,
    /// In which stage.
    pub(crate) stage: usize,
    /// Which requirement.
    pub(crate) requirement: RequirementId,
    /// Why.
    pub proof: Proof,
}

/// The evidence that a plan is valid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cover {
    /// Where each instance may be in each stage of its life.
    pub possible: Possible,
    /// What is satisfied, in the order of lives, stages and requirements.
    pub satisfied: Vec<Satisfied>,
}

impl Cover {
    /// Whether nothing faults in any order: then only the planned elements are possible.
    pub fn is_fault_free(&self) -> bool {
        self.possible.0.iter().flatten().all(|elements| elements.len() <= 1)
    }

    /// Whether every instance that is there in the end is in one known state.
    pub fn is_deterministic(&self) -> bool {
        let mut last = self.possible.0.iter().filter_map(|stages| stages.last());
        last.all(|elements| elements.len() <= 1)
    }
}
