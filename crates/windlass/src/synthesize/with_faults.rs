//! Plans that may pass through faults which handlers take (`--allow-faults`).
//!
//! The planning graph of the paper has those arcs too. They are searched over beliefs, with the
//! plan without faults as what has to be beaten: faults are used only when they help.

use super::belief::{Belief, World};
use super::sequence::PlanningContext;
use super::sequence::distance::Weights;
use super::sequence::lower_bound::LowerBound;
use super::strong::{Manner, Search};
use super::{Question, objective};
use crate::plan::PlanAction;
use crate::system::{Budget, StopReason};

/// What the search says.
pub(super) struct Found {
    /// Actions that cost less than what was to be beaten.
    pub(super) better: Option<Vec<PlanAction>>,
    /// No plan costs less, whether it faults or not.
    pub(super) bound: u64,
    /// Why it ended early.
    pub(super) stopped: Option<StopReason>,
    /// Beliefs found.
    pub(super) states: usize,
}

/// How many beliefs are looked at when there is a plan already.
const PATIENCE: usize = 3_000;
/// How many are looked at for some plan.
const GREEDY: usize = 20_000;

/// Looks for a plan that costs less than `most`.
pub(super) fn search(
    question: &Question<'_>,
    context: &PlanningContext<'_>,
    most: Option<u64>,
    unsettled: bool,
    budget: &mut dyn Budget,
) -> Option<Found> {
    let weights: Weights = objective::attempts(question, &context.tables).into_iter().next()?;
    let mut world = World::new(question, &context.target, true)?;
    let mut lower_bound = LowerBound::new(context, &weights, std::iter::once(question.start), true);
    world.limits.clone_from(&lower_bound.limits);
    let start = Belief::from([question.start.clone()]);
    let mut search = Search {
        world: &world,
        lower_bound: &mut lower_bound,
        weights: &weights,
        tables: &context.tables,
        application: question.application,
    };
    let mut best = most.unwrap_or(u64::MAX);
    let (mut some, mut states) = (None, 0);
    if most.is_none() {
        let manner = Manner { greedy: true, most: best, patience: GREEDY, unsettled };
        let found = search.run(&start, manner, budget);
        states += found.states;
        match found.path {
            Some((actions, cost)) => (some, best) = (Some(actions), cost),
            None if found.stopped.is_none() => {
                return Some(Found { better: None, bound: u64::MAX, stopped: None, states });
            }
            None => {}
        }
    }
    let has_plan = best < u64::MAX;
    let patience = if has_plan && !question.prove { PATIENCE } else { usize::MAX };
    let manner = Manner { greedy: false, most: best, patience, unsettled };
    let exact = search.run(&start, manner, budget);
    states += exact.states;
    let better = exact.path.map(|(actions, _)| actions).or(some);
    let stopped = exact.stopped.filter(|reason| !has_plan || *reason != StopReason::Depth);
    Some(Found { better, bound: exact.bound, stopped, states })
}

/// The faults that a sequence passes through, in words.
pub(super) fn faults(
    question: &Question<'_>,
    context: &PlanningContext<'_>,
    actions: &[PlanAction],
    unsettled: bool,
) -> Vec<String> {
    let mut words = Vec::new();
    let Some(world) = World::new(question, &context.target, true) else { return words };
    let mut belief = Belief::from([question.start.clone()]);
    for (at, action) in actions.iter().enumerate() {
        let Some(after) = world.act(&belief, action, unsettled && at == 0) else { break };
        words.extend(after.faults.iter().map(|event| event.describe(question.application)));
        belief = after.belief;
    }
    words
}
