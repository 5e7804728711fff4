//! Weak validity: is SOME order of the events good for EVERY choice of policy and handler?
//!
//! An order does not decide how bindings and handlers turn out, so after some
//! events there is a set of states in which the application may be: a belief. An event may come
//! next when it is executable, and leads to acceptable states only, in all of them. The plan is
//! weakly valid when such events lead to its end; one lucky run proves nothing.
//!
//! [`Beliefs`] is that as a system, so a witness order is an ordinary trace and "there is none" an
//! ordinary closed set, and the ordinary checker replays both. The search is depth first, because
//! every witness is equally long and most plans have many.

mod form;

use std::ops::ControlFlow;

pub use form::{BeliefForm, Encoded, Readable};

use super::execution::{Execution, NotEnabled};
use crate::certificate;
use crate::plan::events::EventId;
use crate::system::{
    Budget, Evidence, Progress, Property, Step, StopReason, Successors, System, Trace, Verdict,
};

/// Configurations between two questions to the budget.
const ASK_EVERY: usize = 256;

/// What has happened, and where that may have led.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Belief<T> {
    /// How many events of each path of the plan have happened.
    pub executed: Vec<u32>,
    /// The states in which the application may be, in order; never none.
    pub(crate) states: Vec<T>,
}

/// Why an event is not to come next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotGood {
    /// The plan does not let it.
    NotEnabled(NotEnabled),
    /// In some state of the belief it is blocked, or leads where the plan may not go.
    Fails,
}

/// The orders of a plan that are good for every choice so far.
pub struct Beliefs<'a, S: System>(pub &'a Execution<'a, S>);

impl<S: System> Beliefs<'_, S> {
    /// Whether everything has been executed.
    pub(crate) fn is_complete(&self, belief: &Belief<S::State>) -> bool {
        self.0.is_all(&belief.executed)
    }
}

impl<S: System> System for Beliefs<'_, S> {
    type State = Belief<S::State>;
    type Action = EventId;
    type Blocked = NotGood;

    fn initial(&self) -> Self::State {
        Belief { executed: self.0.nothing(), states: vec![self.0.system().initial()] }
    }

    fn candidates(&self, belief: &Self::State) -> Vec<EventId> {
        self.0.enabled(&belief.executed).collect()
    }

    fn step(
        &self,
        belief: &Self::State,
        event: &EventId,
    ) -> Result<Successors<Self::State>, NotGood> {
        if let Some(reason) = self.0.why_not(*event, &belief.executed) {
            return Err(NotGood::NotEnabled(reason));
        }
        let states = self.0.after_all(&belief.states, *event).ok_or(NotGood::Fails)?;
        Ok(Successors::one(Belief { executed: self.0.with(&belief.executed, *event), states }))
    }
}

/// Evidence about the orders of a plan.
pub(crate) type OrderEvidence<T> = Evidence<Belief<T>, EventId>;

/// Whether a plan is weakly valid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeakDecision<T> {
    /// A witness order as a trace of beliefs; or all beliefs, none of which is at the end.
    pub verdict: Verdict<OrderEvidence<T>, OrderEvidence<T>>,
    /// What the search did.
    pub(crate) progress: Progress,
}

impl<T> WeakDecision<T> {
    /// The witness order.
    pub(crate) fn order(&self) -> Option<Vec<EventId>> {
        match &self.verdict {
            Verdict::Holds(Evidence::Trace(trace)) => Some(trace.actions().copied().collect()),
            _ => None,
        }
    }

    /// The states in which the witness order may end.
    pub(crate) fn finals(&self) -> &[T] {
        match &self.verdict {
            Verdict::Holds(Evidence::Trace(trace)) => &trace.last().states,
            _ => &[],
        }
    }
}

/// Looks for an order that is good for every choice (Def. 4.2 inside Def. 4.3). `form` says how
/// events change beliefs, and may be faster than the readable one; an order that is
/// found is replayed in the latter. That there is none is shown by at most `evidence_limit` states
/// of all beliefs together. Either has been through `certificate` before it is returned.
///
/// Paper: 004 Def. 4.3
pub fn weakly_valid<S: System, W: BeliefForm<State = S::State>>(
    execution: &Execution<'_, S>,
    form: &W,
    evidence_limit: usize,
    budget: &mut dyn Budget,
) -> WeakDecision<S::State> {
    let mut search = Search { execution, form, seen: Seen::<W>::default(), stack: Vec::new() };
    let mut progress = Progress::default();
    let verdict = match search.run(budget, &mut progress) {
        Err(reason) => Verdict::Unknown(reason),
        Ok(Some(order)) => match replay(execution, &order) {
            Some(trace) => Verdict::Holds(Evidence::Trace(trace)),
            None => Verdict::Unknown(StopReason::Replay),
        },
        Ok(None) => Verdict::Fails(search.closed_set(evidence_limit)),
    };
    let beliefs = Beliefs(execution);
    let everything = execution.everything();
    let complete = |belief: &Belief<S::State>| belief.executed == everything;
    let verdict = certificate::checked(&beliefs, Property::Reachable(&complete), verdict);
    WeakDecision { verdict, progress }
}

/// The trace of beliefs along an order, by the readable step; none when the order is not good.
fn replay<S: System>(
    execution: &Execution<'_, S>,
    order: &[EventId],
) -> Option<Trace<Belief<S::State>, EventId>> {
    let beliefs = Beliefs(execution);
    let mut trace = Trace { start: beliefs.initial(), steps: Vec::with_capacity(order.len()) };
    for event in order {
        let after = beliefs.step(trace.last(), event).ok()?.first().clone();
        trace.steps.push(Step { action: *event, after });
    }
    beliefs.is_complete(trace.last()).then_some(trace)
}

/// Executed events and a belief, in the form of the search.
type Key<W> = (Vec<u32>, <W as BeliefForm>::Belief);
/// Every belief that was entered; one that was left has no way to the end.
type Seen<W> = hashbrown::HashSet<Key<W>, rustc_hash::FxBuildHasher>;

/// A belief on the way from the start, with the events that are still to be tried from it.
struct Frame<W: BeliefForm> {
    key: Key<W>,
    /// The event that led here.
    by: Option<EventId>,
    untried: Vec<EventId>,
}

struct Search<'a, S: System, W: BeliefForm> {
    execution: &'a Execution<'a, S>,
    form: &'a W,
    seen: Seen<W>,
    stack: Vec<Frame<W>>,
}

impl<S: System, W: BeliefForm<State = S::State>> Search<'_, S, W> {
    fn enter(&mut self, key: Key<W>, by: Option<EventId>) {
        let mut untried: Vec<EventId> = self.execution.enabled(&key.0).collect();
        // The last one is tried first, and the plan's own order is as good a guess as any.
        untried.sort_unstable_by(|a, b| b.cmp(a));
        self.stack.push(Frame { key: key.clone(), by, untried });
        self.seen.insert(key);
    }

    /// A witness order, or none when there is none.
    fn run(
        &mut self,
        budget: &mut dyn Budget,
        progress: &mut Progress,
    ) -> Result<Option<Vec<EventId>>, StopReason> {
        self.enter((self.execution.nothing(), self.form.initial()), None);
        while let Some(frame) = self.stack.last_mut() {
            if self.execution.is_all(&frame.key.0) {
                return Ok(Some(self.stack.iter().filter_map(|frame| frame.by).collect()));
            }
            let Some(event) = frame.untried.pop() else {
                self.stack.pop();
                continue;
            };
            let Some(belief) = self.form.after(&frame.key.1, event) else { continue };
            let key = (self.execution.with(&frame.key.0, event), belief);
            progress.transitions += 1;
            if self.seen.contains(&key) {
                continue;
            }
            progress.bytes += self.form.bytes(&key.1) + 4 * key.0.len();
            self.enter(key, Some(event));
            progress.states = self.seen.len();
            progress.expanded = progress.states;
            progress.depth = progress.depth.max(self.stack.len() as u32 - 1);
            if progress.states.is_multiple_of(ASK_EVERY)
                && let ControlFlow::Break(reason) = budget.spend(progress)
            {
                return Err(reason);
            }
        }
        Ok(None)
    }

    /// After a search without a result: everything that good events reach, if that can be written
    /// down.
    fn closed_set(self, limit: usize) -> OrderEvidence<S::State> {
        let count = self.seen.len();
        let mut all: Vec<Belief<S::State>> = Vec::new();
        let mut size = 0;
        if count <= limit {
            let decoded = self.seen.into_iter().map_while(|(executed, belief)| {
                let states = self.form.exact(&belief)?;
                size += states.len();
                (size <= limit).then_some(Belief { executed, states })
            });
            all.extend(decoded);
        }
        if all.len() < count {
            return Evidence::Search(count);
        }
        all.sort();
        Evidence::ClosedSet(all)
    }
}
