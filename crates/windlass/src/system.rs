//! The one transition-system abstraction that every semantics implements and every analysis asks.
//!
//! Guard and effect are one function, [`System::step`]: search keeps its `Ok`, an explanation
//! prints its `Err`, the certificate checker replays it, and the engine asks it before it starts
//! anything. So plan, check and run cannot diverge.

mod budget;
mod compile;
mod evidence;
pub mod example;
mod interchange;
pub mod ladder;
#[cfg(test)]
pub(crate) mod models;
mod property;

use std::fmt::Debug;

pub use budget::{Budget, Limits, Progress, StopReason, Unlimited};
pub use compile::{Compile, Disagreement, Outgoing, Perform, disagreement};
pub use evidence::{Evidence, Step, Trace};
pub(crate) use interchange::{BitField, Interchange, Interchangeable};
pub use property::{Predicate, Property, Verdict};

/// The states that one action can lead to. Never empty: an action without a successor is blocked.
///
/// 004 Def. 4.2 as printed is vacuously true for an action that cannot be executed; a type that
/// cannot be empty closes that hole for every analysis at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Successors<S> {
    first: S,
    rest: Vec<S>,
}

impl<S> Successors<S> {
    /// The only successor of a deterministic action.
    pub fn one(state: S) -> Self {
        Self { first: state, rest: Vec::new() }
    }

    /// All of `states`, in their order, or nothing when there are none.
    pub(crate) fn from_vec(states: Vec<S>) -> Option<Self> {
        let mut states = states.into_iter();
        let first = states.next()?;
        Some(Self { first, rest: states.collect() })
    }

    /// How many successors there are; at least one.
    #[expect(clippy::len_without_is_empty, reason = "successors are never empty")]
    pub fn len(&self) -> usize {
        1 + self.rest.len()
    }

    /// The first successor.
    pub fn first(&self) -> &S {
        &self.first
    }

    /// Every successor, in order.
    pub fn iter(&self) -> impl Iterator<Item = &S> {
        std::iter::once(&self.first).chain(&self.rest)
    }

    /// What `change` makes of each successor.
    pub(crate) fn map<T>(self, mut change: impl FnMut(S) -> T) -> Successors<T> {
        let first = change(self.first);
        Successors { first, rest: self.rest.into_iter().map(change).collect() }
    }

    /// Every successor, by value.
    pub fn into_vec(self) -> Vec<S> {
        let mut all = vec![self.first];
        all.extend(self.rest);
        all
    }
}

impl<S> IntoIterator for Successors<S> {
    type Item = S;
    type IntoIter = std::iter::Chain<std::iter::Once<S>, std::vec::IntoIter<S>>;

    fn into_iter(self) -> Self::IntoIter {
        std::iter::once(self.first).chain(self.rest)
    }
}

/// A labelled transition system.
pub trait System {
    /// Plain ordered data.
    type State: Clone + Ord + Debug;
    /// One variant per rule of the paper.
    type Action: Clone + Ord + Debug;
    /// One variant per premise of the paper.
    type Blocked: Debug;

    /// The state in which everything starts.
    fn initial(&self) -> Self::State;

    /// Every action worth trying in `state`; may contain actions that turn out to be blocked.
    fn candidates(&self, state: &Self::State) -> Vec<Self::Action>;

    /// All states reachable by `action`, or the first premise that failed.
    fn step(
        &self,
        state: &Self::State,
        action: &Self::Action,
    ) -> Result<Successors<Self::State>, Self::Blocked>;
}
