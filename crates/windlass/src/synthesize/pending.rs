//! Plans from a start in which faults are pending (paper 004: from a faulted state back).
//!
//! The start is taken as given: its faults settle with the first action, whichever it is, and
//! perhaps in more than one way. So every first action is looked at, nearest to the goal first.
//! Where all that it leads to differs in bindings only, the count-canonical search goes on from
//! there; else the search over beliefs, whose plans are good for every way.

use super::belief::{Belief, World};
use super::sequence::distance::Weights;
use super::sequence::lower_bound::LowerBound;
use super::sequence::{PlanningContext, Sequence, Task};
use super::strong::{Manner, Search, price};
use super::{Explanation, Question};
use crate::application::{Faults, GlobalState, InstanceId};
use crate::plan::PlanAction;
use crate::semantics::replica::Replica;
use crate::semantics::replica::faults;
use crate::system::{Budget, StopReason};

/// Actions, one after another, with what is known about them.
pub(super) struct Path {
    /// The actions.
    pub(super) actions: Vec<PlanAction>,
    /// Where the first of them leads, when that is certain but for bindings.
    pub(super) cut: Option<GlobalState>,
    /// What they cost.
    pub(super) cost: u64,
}

/// What came out.
pub(super) struct Outcome {
    pub(super) path: Option<Path>,
    /// No plan costs less.
    pub(super) bound: u64,
    pub(super) stopped: Option<StopReason>,
    pub(super) states: usize,
}

/// Whether something of the start moves by itself as soon as anything happens.
pub(super) fn is_unsettled(question: &Question<'_>, context: &PlanningContext<'_>) -> bool {
    if question.application.faults != Faults::Replicas {
        return false;
    }
    let Some(world) = World::new(question, &context.target, false) else { return false };
    // A fault that no handler takes never settles.
    world.settled().is_none_or(|(_, moved)| !moved.is_empty())
}

/// How many beliefs are looked at for some plan, and for a better one.
const GREEDY: usize = 20_000;
const EXACT: usize = 2_000;
/// How many first actions are followed to the goal when that leads there and the best plan is not
/// asked for.
const FIRSTS: usize = 1;

/// Looks for a cheapest plan.
pub(super) fn sequence(
    question: &Question<'_>,
    context: &PlanningContext<'_>,
    weights: &Weights,
    budget: &mut dyn Budget,
) -> Outcome {
    let nothing = Outcome { path: None, bound: u64::MAX, stopped: None, states: 0 };
    let Some(mut world) = World::new(question, &context.target, false) else { return nothing };
    let Some((settled, _)) = world.settled() else { return nothing };
    let start = Belief::from([question.start.clone()]);
    world.limits = LowerBound::new(context, weights, settled.iter(), false).limits;
    let (application, tables) = (question.application, &context.tables);
    let mut firsts: Vec<(u64, PlanAction, Belief)> = Vec::new();
    for action in world.candidates(&start) {
        let Some(after) = world.act(&start, &action, true) else { continue };
        let mut lower_bound = LowerBound::new(context, weights, after.belief.iter(), false);
        let least =
            after.belief.iter().map(|state| lower_bound.of(state).1).collect::<Option<Vec<_>>>();
        let Some(least) = least.and_then(|all| all.into_iter().max()) else { continue };
        let paid = price(application, tables, weights, &start, &action);
        firsts.push((paid.saturating_add(least), action, after.belief));
    }
    firsts.sort_by_key(|(least, ..)| *least);
    let floor = firsts.first().map_or(u64::MAX, |(least, ..)| *least);
    if question.soft {
        firsts.retain(|(_, action, _)| !matches!(action, PlanAction::ScaleIn { .. }));
    }
    let mut outcome = nothing;
    for (tried, (least, action, belief)) in firsts.into_iter().enumerate() {
        let best = outcome.path.as_ref().map_or(u64::MAX, |path| path.cost);
        let is_enough = outcome.path.is_some() && tried >= FIRSTS && !question.prove;
        if least >= best || is_enough {
            outcome.bound = outcome.bound.min(least);
            continue;
        }
        let paid = price(application, tables, weights, &start, &action);
        let continuation = Continuation { question, context, weights, world: &world };
        let mut found = continuation.from(&belief, budget);
        outcome.states += found.states;
        outcome.stopped = outcome.stopped.or(found.stopped);
        outcome.bound = outcome.bound.min(found.bound.saturating_add(paid));
        if let Some(path) = found.path.as_mut() {
            path.cost = path.cost.saturating_add(paid);
            path.actions.insert(0, action);
            if path.cost < best {
                outcome.path = found.path;
            }
        }
        let interrupted = outcome.stopped.is_some_and(|reason| reason != StopReason::Depth);
        if interrupted {
            outcome.bound = outcome.bound.min(least);
            break;
        }
    }
    if question.soft {
        // Plans that remove something were left out.
        outcome.bound = outcome.bound.min(floor);
    }
    outcome
}

/// What follows the first action.
struct Continuation<'a> {
    question: &'a Question<'a>,
    context: &'a PlanningContext<'a>,
    weights: &'a Weights,
    world: &'a World<'a>,
}

impl Continuation<'_> {
    fn from(&self, belief: &Belief, budget: &mut dyn Budget) -> Outcome {
        match World::merged(belief) {
            Some(cut) => self.certain(cut, budget),
            None => self.uncertain(belief, budget),
        }
    }

    fn certain(&self, cut: GlobalState, budget: &mut dyn Budget) -> Outcome {
        let Question { application, start, goal, closure, prove, soft, .. } = *self.question;
        // Instances of the start may be called by name although they are gone.
        let known = self.question.known.or(Some(start));
        let task = Task { application, start: &cut, goal, closure, known, prove, soft };
        let found =
            PlanningContext::new(task).map(|context| context.sequence(self.weights, budget));
        match found {
            Some(Sequence::Found { actions, cost, bound, stopped, states }) => {
                let path = Some(Path { actions, cut: Some(cut), cost });
                Outcome { path, bound, stopped, states }
            }
            Some(Sequence::Unknown { stopped, bound, states }) => {
                Outcome { path: None, bound, stopped: Some(stopped), states }
            }
            Some(Sequence::Unreachable { states, .. }) => {
                Outcome { path: None, bound: u64::MAX, stopped: None, states }
            }
            None => Outcome { path: None, bound: u64::MAX, stopped: None, states: 0 },
        }
    }

    fn uncertain(&self, belief: &Belief, budget: &mut dyn Budget) -> Outcome {
        let mut lower_bound = LowerBound::new(self.context, self.weights, belief.iter(), false);
        let (weights, tables) = (self.weights, &self.context.tables);
        let application = self.question.application;
        let world = self.world;
        let mut search =
            Search { world, lower_bound: &mut lower_bound, weights, tables, application };
        let manner = Manner { greedy: true, most: u64::MAX, patience: GREEDY, unsettled: false };
        let some = search.run(belief, manner, budget);
        let most = some.path.as_ref().map_or(u64::MAX, |(_, cost)| *cost);
        if some.path.is_none() && some.stopped.is_none() {
            return Outcome { path: None, bound: u64::MAX, stopped: None, states: some.states };
        }
        let patience = match (&some.path, self.question.prove) {
            (Some(_), false) => EXACT,
            _ => usize::MAX,
        };
        let manner = Manner { greedy: false, most, patience, unsettled: false };
        let best = search.run(belief, manner, budget);
        let found = best.path.or(some.path);
        let stopped = best.stopped.filter(|r| *r != StopReason::Depth || found.is_none());
        let path = found.map(|(actions, cost)| Path { actions, cut: None, cost });
        Outcome { path, bound: best.bound, stopped, states: some.states + best.states }
    }
}

/// Why nothing leads out of a start whose faults settle in several ways, or never; none when they
/// settle in one way, so that the goal itself is what is to be explained.
pub(super) fn explain(
    question: &Question<'_>,
    context: &PlanningContext<'_>,
) -> Option<Explanation> {
    let world = World::new(question, &context.target, false)?;
    if let Some((id, container)) = faults::broken(question.start).next() {
        let because = vec![format!("`{id}` lives in `{container}`, which is not there")];
        let headline = "nothing can happen before what lives in nothing is gone".to_owned();
        return Some(Explanation { headline, because, culprit: id.to_string() });
    }
    let faults = pending_faults(question);
    let culprit = faults.join(", ");
    let Some((settled, _)) = world.settled() else {
        let headline = "a fault of the start never settles: no handler takes it".to_owned();
        return Some(Explanation { headline, because: faults, culprit });
    };
    if World::merged(&settled).is_some() {
        return None;
    }
    let headline =
        "no plan is good for every way in which the faults of the start settle".to_owned();
    let because = settled.iter().map(|state| in_words(question, &settled, state)).collect();
    Some(Explanation { headline, because, culprit })
}

/// The faults of the start, each as `instance.requirement`.
fn pending_faults(question: &Question<'_>) -> Vec<String> {
    let Some(replica) = Replica::new(question.application, question.start.clone()) else {
        return Vec::new();
    };
    let pending = faults::unresolvable(&replica, question.start).into_iter();
    let named = pending.filter_map(|(id, requirement)| {
        let node = question.start.instance(&id)?.node;
        Some(format!("{id}.{}", replica.requirement(node, requirement).name))
    });
    named.collect()
}

/// Where one way of settling leads what others lead elsewhere.
fn in_words(question: &Question<'_>, all: &Belief, state: &GlobalState) -> String {
    let differs =
        |id: &&InstanceId| all.iter().any(|other| other.instance(id) != state.instance(id));
    let places: Vec<String> = state
        .instances
        .keys()
        .filter(differs)
        .filter_map(|id| {
            let instance = state.instance(id)?;
            let protocol = question.application.protocol_of(instance.node)?;
            let crate::lifecycle::protocol::Element::State(at) = instance.element else {
                return None;
            };
            Some(format!("{id} in `{}`", protocol.state(at).name))
        })
        .collect();
    format!("they may leave {}", places.join(", "))
}

/// The start as it is when its faults have settled in one way, to explain goals.
pub(super) fn settled_start(
    question: &Question<'_>,
    context: &PlanningContext<'_>,
) -> Option<GlobalState> {
    let world = World::new(question, &context.target, false)?;
    let (settled, _) = world.settled()?;
    settled.into_iter().next()
}
