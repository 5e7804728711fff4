//! `windlass plan` as one function: looks for a plan, orders it, verifies it, or says why there is
//! none.
//!
//! Nothing leaves this module that `verify` does not call valid, and `optimal` is said only when
//! a lower bound meets the plan.

mod explain;
mod objective;

pub use explain::Explanation;
pub use objective::Objective;

use crate::analysis::synthesis::schedule::{self, Length};
use crate::analysis::synthesis::{Because, Sequence, Task, Workshop, order};
use crate::application::{Application, Faults, GlobalState, Instance, InstanceId, Policy};
use crate::goal::evaluate::Closure;
use crate::goal::{Amount, Goal, GoalFile, Want};
use crate::lifecycle::protocol::{Element, StateId};
use crate::plan::{Plan, PlanAction};
use crate::semantics::replica::{Replica, observable};
use crate::system::{Budget, StopReason};
use crate::verify::{self, Effort, GoalAnswer, Report, Validity};

/// What is asked.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The description.
    pub application: &'a Application,
    /// Where the plan starts.
    pub start: &'a GlobalState,
    /// What it has to reach, and what has to hold on the way.
    pub goal: &'a GoalFile,
    /// Whether the goal closes the rest of the application.
    pub closure: Closure,
    /// Which provider is bound when several offer.
    pub policy: Policy,
    /// What is to be as small as possible.
    pub objective: Objective,
    /// Another state in which instances have names that the goal may use.
    pub known: Option<&'a GlobalState>,
    /// Whether to go on until the plan is proven to be the best, however long that takes.
    pub prove: bool,
}

/// A plan with what is known about it.
#[derive(Debug, Clone)]
pub struct Synthesis {
    /// The plan.
    pub plan: Plan,
    /// Its value by the objective.
    pub value: u64,
    /// No plan has a smaller value.
    pub bound: u64,
    /// Whether the bound proves that no plan is better.
    pub optimal: bool,
    /// One action after another.
    pub before: Length,
    /// As parallel as the order allows.
    pub after: Length,
    /// Why the search for a better one ended early.
    pub stopped: Option<StopReason>,
    /// States looked at.
    pub states: usize,
    /// What `verify` says about the plan.
    pub report: Report,
}

/// What came out.
#[derive(Debug, Clone)]
pub enum Answer {
    /// A plan.
    Plan(Box<Synthesis>),
    /// There is none.
    Unreachable(Explanation),
    /// Nothing was found before a limit was reached.
    Unknown {
        /// Which limit.
        stopped: StopReason,
        /// No plan has a smaller value.
        bound: u64,
        /// States looked at.
        states: usize,
    },
    /// The application is one of nets.
    Nets,
}

/// Looks for a plan.
pub fn synthesize(question: &Question<'_>, effort: &Effort, budget: &mut dyn Budget) -> Answer {
    let start = &effective_start(question);
    let mut application = Application { policy: question.policy, ..question.application.clone() };
    // A goal says how many are all of a node.
    for (node, count) in question.goal.goal.counts() {
        application.nodes[node.index()].count = count;
    }
    let application = &application;
    let question = &Question { application, start, ..*question };
    let Question { goal, closure, known, prove, .. } = *question;
    let task = Task { application, start, goal, closure, known, prove };
    let Some(workshop) = Workshop::new(task) else { return Answer::Nets };
    let mut best: Option<Synthesis> = None;
    let mut last = None;
    for weights in objective::attempts(question, &workshop.tables) {
        match workshop.sequence(&weights, budget) {
            Sequence::Found { actions, bound, stopped, states, .. } => {
                let bound = objective::bound(question, &workshop, &weights, bound);
                let fresh = finished(question, &workshop, &actions, effort, budget);
                let Some(mut fresh) = fresh else {
                    last = Some(Answer::Unknown { stopped: StopReason::Replay, bound, states });
                    continue;
                };
                (fresh.bound, fresh.stopped, fresh.states) = (bound, stopped, states);
                if best.as_ref().is_none_or(|best| fresh.value < best.value) {
                    best = Some(fresh);
                }
            }
            Sequence::Unreachable { because, .. } => {
                return Answer::Unreachable(explain::explain(question, &workshop, because, budget));
            }
            Sequence::Unknown { stopped, bound, states } => {
                last = Some(Answer::Unknown { stopped, bound, states });
            }
        }
    }
    match (best, last) {
        (Some(mut best), _) => {
            best.bound = best.bound.min(best.value);
            best.optimal = best.bound == best.value;
            Answer::Plan(Box::new(best))
        }
        (None, Some(unknown)) => unknown,
        (None, None) => Answer::Unknown { stopped: StopReason::States, bound: 0, states: 0 },
    }
}

/// Orders a sequence and verifies it; none when the result is not valid, which is a defect.
fn finished(
    question: &Question<'_>,
    workshop: &Workshop<'_>,
    actions: &[PlanAction],
    effort: &Effort,
    budget: &mut dyn Budget,
) -> Option<Synthesis> {
    let Question { application, start, .. } = *question;
    let sequence = order::sequence(actions);
    let ordered = order::ordered(application, start, &sequence, &workshop.target.watched());
    let mut plans = vec![ordered, sequence.clone()];
    plans.dedup();
    let before = schedule::schedule(application, start, &sequence).length;
    for plan in plans {
        let report = judge(question, &plan, effort, budget)?;
        if report.validity == Validity::Valid && report.goal == Some(GoalAnswer::Met) {
            let after = schedule::schedule(application, start, &plan).length;
            let value = objective::value(question, &plan);
            let (bound, optimal, states, stopped) = (0, false, 0, None);
            return Some(Synthesis {
                plan,
                value,
                bound,
                optimal,
                before,
                after,
                stopped,
                states,
                report,
            });
        }
    }
    None
}

fn judge(
    question: &Question<'_>,
    plan: &Plan,
    effort: &Effort,
    budget: &mut dyn Budget,
) -> Option<Report> {
    let asked = verify::Question {
        application: question.application,
        start: question.start,
        plan,
        policy: question.policy,
        goal: Some(&question.goal.goal),
        closure: question.closure,
    };
    verify::verify(&asked, effort, budget).ok()
}

/// The start as the plan finds it: where there is one instance of each node, those that are not
/// given are in their initial states; and faults that are pending have settled.
fn effective_start(question: &Question<'_>) -> GlobalState {
    let application = question.application;
    let mut start = question.start.clone();
    if application.faults == Faults::Replicas {
        let Some(mut replica) = Replica::new(application, start.clone()) else { return start };
        replica.policy = question.policy;
        let given = crate::semantics::replica::Outcome { state: start.clone(), events: Vec::new() };
        // Several outcomes differ in bindings that are a choice, or in which handler came first.
        if let Ok(outcomes) = observable::settle(&replica, vec![given])
            && let Some(first) = outcomes.into_iter().next()
        {
            return first.state;
        }
        return start;
    }
    for node in application.node_ids() {
        let Some(protocol) = application.protocol_of(node) else { continue };
        if start.of_node(node).next().is_none() {
            let declared = application.node(node).instances.first().map(|i| i.id.clone());
            let id = declared.unwrap_or_else(|| application.node(node).name.clone());
            let element = Element::State(protocol.initial);
            start.instances.insert(InstanceId(id), Instance { node, element });
        }
    }
    start
}

/// The goal that everything an application declares is up: each node with instances in the state
/// where its `up:` leads, or in the only state to which all operations lead that have no way on.
/// The node that has no such state, when there is one.
pub fn everything_up(application: &Application) -> Result<Goal, String> {
    let mut goal = Goal::default();
    for node in application.node_ids() {
        if application.node(node).count == 0 {
            continue;
        }
        let name = || application.node(node).name.clone();
        let state = application.protocol_of(node).and_then(up_state).ok_or_else(name)?;
        goal.wants.push(Want::Node { node, state, amount: Amount::Wanted });
    }
    Ok(goal)
}

fn up_state(protocol: &crate::lifecycle::Protocol) -> Option<StateId> {
    let mut state = protocol.initial;
    for operation in protocol.up.as_ref()? {
        let way = protocol.transitions_for(state, *operation).next()?;
        state = protocol.transition(way).to;
    }
    Some(state)
}

/// The plan that undoes another: from where that one ends back to where it started.
pub fn undoing(
    application: &Application,
    start: &GlobalState,
    plan: &Plan,
) -> Option<(GlobalState, GoalFile)> {
    let end = objective::end_of(application, start, plan)?;
    let mut goal = GoalFile::default();
    for (id, instance) in &start.instances {
        let Element::State(state) = instance.element else { return None };
        let name = application.protocol_of(instance.node)?.state(state).name.clone();
        goal.goal.wants.push(Want::Instance { instance: id.clone(), state: name });
    }
    for id in end.instances.keys().filter(|id| !start.instances.contains_key(*id)) {
        goal.goal.wants.push(Want::InstanceGone(id.clone()));
    }
    Some((end, goal))
}

/// Why there is no plan, in the words of the search.
pub(crate) type Cause = Because;
