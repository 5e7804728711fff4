//! How an event changes a belief, on readable states and on encoded ones.

use std::cell::RefCell;
use std::fmt::Debug;
use std::hash::Hash;

use super::super::execution::Execution;
use crate::plan::events::EventId;
use crate::system::{Outgoing, Perform, System};

/// A form in which beliefs are followed.
pub trait BeliefForm {
    /// A state of the application.
    type State;
    /// A set of states in this form; equal sets are equal.
    type Belief: Clone + Ord + Hash + Debug;

    /// The start is certain.
    fn initial(&self) -> Self::Belief;

    /// The belief after an event; none when the event fails in one of its states.
    fn after(&self, belief: &Self::Belief, event: EventId) -> Option<Self::Belief>;

    /// The states of a belief, in order; none when the form is coarser than the states.
    fn exact(&self, belief: &Self::Belief) -> Option<Vec<Self::State>>;

    /// About how many bytes a belief takes.
    fn bytes(&self, belief: &Self::Belief) -> usize;
}

/// Beliefs of readable states, for any system.
pub struct Readable<'a, S: System>(pub &'a Execution<'a, S>);

impl<S: System> BeliefForm for Readable<'_, S>
where
    S::State: Hash,
{
    type State = S::State;
    type Belief = Vec<S::State>;

    fn initial(&self) -> Self::Belief {
        vec![self.0.system().initial()]
    }

    fn after(&self, belief: &Self::Belief, event: EventId) -> Option<Self::Belief> {
        self.0.after_all(belief, event)
    }

    fn exact(&self, belief: &Self::Belief) -> Option<Vec<S::State>> {
        Some(belief.clone())
    }

    fn bytes(&self, belief: &Self::Belief) -> usize {
        size_of::<S::State>() * belief.len()
    }
}

/// Beliefs of encoded states: their words, one state after the other, in order.
pub struct Encoded<'a, S: Perform> {
    execution: &'a Execution<'a, S>,
    /// By event.
    numbers: Vec<Option<u32>>,
    is_exact: bool,
    scratch: RefCell<Outgoing>,
}

impl<'a, S: Perform> Encoded<'a, S> {
    /// `is_exact`: different states are encoded differently.
    pub fn new(execution: &'a Execution<'a, S>, is_exact: bool) -> Self {
        let system = execution.system();
        let events = (0..execution.len() as u32).map(EventId);
        Self {
            numbers: events.map(|event| system.number(execution.action(event))).collect(),
            execution,
            is_exact,
            scratch: RefCell::new(Outgoing::new(system.words())),
        }
    }

    fn width(&self) -> usize {
        self.execution.system().words().max(1)
    }
}

impl<S: Perform> BeliefForm for Encoded<'_, S> {
    type State = S::State;
    type Belief = Vec<u64>;

    fn initial(&self) -> Vec<u64> {
        let mut row = vec![0; self.width()];
        let system = self.execution.system();
        system.encode(&system.initial(), &mut row);
        row
    }

    fn after(&self, belief: &Vec<u64>, event: EventId) -> Option<Vec<u64>> {
        let number = self.numbers[event.index()]?;
        let system = self.execution.system();
        let mut out = self.scratch.borrow_mut();
        out.clear();
        for row in belief.chunks_exact(self.width()) {
            if !system.perform(row, number, &mut out) {
                return None;
            }
        }
        let mut rows: Vec<&[u64]> = out.rows().collect();
        rows.sort_unstable();
        rows.dedup();
        let are_good = |row: &&[u64]| self.execution.accepts(&system.decode(row));
        if self.execution.is_selective() && !rows.iter().all(are_good) {
            return None;
        }
        Some(rows.concat())
    }

    fn exact(&self, belief: &Vec<u64>) -> Option<Vec<S::State>> {
        let rows = belief.chunks_exact(self.width());
        let mut states: Vec<S::State> =
            rows.map(|row| self.execution.system().decode(row)).collect();
        states.sort();
        self.is_exact.then_some(states)
    }

    fn bytes(&self, belief: &Vec<u64>) -> usize {
        size_of_val(belief.as_slice())
    }
}
