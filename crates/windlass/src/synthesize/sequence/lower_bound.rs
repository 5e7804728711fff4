//! How far a global state is from the goal, and which states can stand for each other.
//!
//! Searches that follow sets of global states, because faults settle in more than one way or may
//! be used, ask here: the state in counts of classes, and the lower bound of `estimate.rs`.

use super::class::Counts;
use super::distance::Weights;
use super::estimate::Estimate;
use super::moves::Moves;
use super::names::NamedInstances;
use super::relaxed::Relaxed;
use super::{PlanningContext, support};
use crate::application::GlobalState;

/// Global states in counts of classes, with a lower bound of the cost from each to the goal.
#[derive(Debug)]
pub(crate) struct LowerBound<'w> {
    moves: Moves<'w>,
    estimate: Estimate,
    /// The most instances of each node that a plan can need.
    pub(crate) limits: Vec<u32>,
}

impl<'w> LowerBound<'w> {
    /// From any of `starts` on; faults may help on the way, or not.
    pub(crate) fn new<'s>(
        context: &'w PlanningContext<'_>,
        weights: &Weights,
        starts: impl Iterator<Item = &'s GlobalState>,
        despite_faults: bool,
    ) -> Self {
        let mut moves = context.moves();
        let mut all = Counts::new();
        let mut limits = vec![0; context.tables.nodes.len()];
        for start in starts {
            let (_, counts) = NamedInstances::new(&mut moves, start);
            let here = support::limits(&context.tables, &context.given(&moves, &counts));
            limits = limits.iter().zip(here).map(|(a, b)| b.max(*a)).collect();
            all.extend(counts);
        }
        moves.limits.clone_from(&limits);
        let estimate = if despite_faults {
            Estimate::despite_faults(&context.tables, &context.target, weights.clone())
        } else {
            let (tables, target) = (&context.tables, &context.target);
            let relaxed = Relaxed::new(tables, target, &moves.classes, &all, &limits);
            Estimate::new(tables, target, &relaxed, weights.clone())
        };
        LowerBound { moves, estimate, limits }
    }

    /// A state in counts, equal for states that differ only in which replica is which; and what a
    /// plan from there costs at least, none when there is none.
    pub(crate) fn of(&mut self, state: &GlobalState) -> (Counts, Option<u64>) {
        let (_, counts) = NamedInstances::new(&mut self.moves, state);
        let least = self.estimate.of(&self.moves, &counts);
        (counts, least)
    }
}
