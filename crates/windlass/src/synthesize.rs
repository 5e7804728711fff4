//! `windlass plan` as one function: looks for a plan, orders it, verifies it, or says why there is
//! none.
//!
//! Nothing leaves this module that `verify` does not call valid, and `optimal` is said only when
//! a lower bound meets the plan. [`graceful_removal`] joins several such plans for the engine.

mod atomic;
mod belief;
pub mod down;
mod explain;
pub mod graceful_removal;
mod interleave;
pub mod invariants;
mod loosen;
mod objective;
pub mod order;
mod pending;
pub mod schedule;
pub mod sequence;
mod strong;
mod trim;
pub mod upgrade;
mod with_faults;

pub use explain::Explanation;
pub use objective::{Objective, end_of};

use self::invariants::Invariants;
use self::schedule::Length;
use self::sequence::distance::Weights;
use self::sequence::{PlanningContext, Sequence, Task, UnreachableReason};
use crate::application::{Application, Faults, GlobalState, Instance, InstanceId, Policy};
use crate::goal::evaluate::Closure;
use crate::goal::{Amount, Goal, GoalFile, Want};
use crate::lifecycle::protocol::{Element, StateId};
use crate::plan::{Plan, PlanAction};
use crate::system::{Budget, Limits, StopReason};
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
    /// Whether the plan may pass through faults that handlers take.
    pub allow_faults: bool,
    /// Whether a plan that removes nothing is preferred to a shorter one.
    pub soft: bool,
}

impl<'a> Question<'a> {
    /// The plain question: the fewest actions, no faults, whatever else is there may stay.
    pub fn new(application: &'a Application, start: &'a GlobalState, goal: &'a GoalFile) -> Self {
        Question {
            application,
            start,
            goal,
            closure: Closure::Open,
            policy: application.policy,
            objective: Objective::Length,
            known: None,
            prove: false,
            allow_faults: false,
            soft: false,
        }
    }
}

/// A plan with what is known about it.
#[derive(Debug, Clone)]
#[non_exhaustive]
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
    /// The faults that it passes through, in words; empty unless they were allowed.
    pub faults: Vec<String>,
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

/// Why there is no plan.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoPlan {
    /// No plan reaches the goal.
    Unreachable(Explanation),
    /// A limit was reached before a plan was found.
    Stopped(StopReason),
    /// The application is one of nets, which need no plans.
    Nets,
}

impl Answer {
    /// The plan alone, or why there is none.
    pub fn into_plan(self) -> Result<Plan, NoPlan> {
        match self {
            Answer::Plan(found) => Ok(found.plan),
            Answer::Unreachable(why) => Err(NoPlan::Unreachable(why)),
            Answer::Unknown { stopped, .. } => Err(NoPlan::Stopped(stopped)),
            Answer::Nets => Err(NoPlan::Nets),
        }
    }
}

/// Looks for a plan.
pub fn synthesize(question: &Question<'_>, effort: &Effort, budget: &mut dyn Budget) -> Answer {
    let start = &completed(question.application, question.start);
    let mut application = Application { policy: question.policy, ..question.application.clone() };
    // A goal says how many are all of a node.
    for (node, count) in question.goal.goal.counts() {
        application.nodes[node.index()].count = count;
    }
    let application = &application;
    let question = &Question { application, start, ..*question };
    if question.soft {
        // What can be mended is mended; what cannot is replaced.
        let gentle = planned(question, effort, budget);
        if !matches!(gentle, Answer::Unreachable(_) | Answer::Unknown { .. }) {
            return gentle;
        }
    }
    planned(&Question { soft: false, ..*question }, effort, budget)
}

/// The answer to a question whose application and start are complete.
fn planned(question: &Question<'_>, effort: &Effort, budget: &mut dyn Budget) -> Answer {
    let Question { application, start, goal, closure, known, prove, soft, .. } = *question;
    let task = Task { application, start, goal, closure, known, prove, soft };
    let Some(context) = PlanningContext::new(task) else { return Answer::Nets };
    let unsettled = pending::is_unsettled(question, &context);
    let planner = Planner { question, context: &context, effort, unsettled };
    let answer = planner.without_faults(budget);
    if question.allow_faults && application.faults == Faults::Replicas {
        return planner.with_faults(answer, budget);
    }
    answer
}

/// How many states `verify` may look at: a sequence is followed to its end, an order only as far as
/// that is cheap, and there are many edges to ask about. The budget of the search may be spent
/// already, and what was found is worth a verdict.
const FOR_A_SEQUENCE: usize = 5_000_000;
const FOR_AN_ORDER: usize = 50_000;

/// One question on its way to an answer.
struct Planner<'a> {
    question: &'a Question<'a>,
    context: &'a PlanningContext<'a>,
    effort: &'a Effort,
    /// Whether faults are pending in the start.
    unsettled: bool,
}

impl Planner<'_> {
    fn without_faults(&self, budget: &mut dyn Budget) -> Answer {
        let (question, context) = (self.question, self.context);
        let mut best: Option<Synthesis> = None;
        let mut last = None;
        for weights in objective::attempts(question, &context.tables) {
            let (attempt, because) = self.attempt(&weights, budget);
            let pending::Outcome { path, bound, stopped, states } = attempt;
            let Some(path) = path else {
                match (because, stopped) {
                    (Some(because), _) => return self.unreachable(because, budget),
                    (None, None) => return self.unreachable(UnreachableReason::Searched, budget),
                    (None, Some(stopped)) => {
                        last = Some(Answer::Unknown { stopped, bound, states });
                    }
                }
                continue;
            };
            let bound = objective::bound(question, context, bound, self.unsettled);
            let Some(mut fresh) = self.finished(&path) else {
                last = Some(Answer::Unknown { stopped: StopReason::Replay, bound, states });
                continue;
            };
            (fresh.bound, fresh.stopped, fresh.states) = (bound, stopped, states);
            if best.as_ref().is_none_or(|best| fresh.value < best.value) {
                best = Some(fresh);
            }
        }
        match (best, last) {
            (Some(best), _) => Answer::Plan(Box::new(best.judged())),
            (None, Some(unknown)) => unknown,
            (None, None) => Answer::Unknown { stopped: StopReason::States, bound: 0, states: 0 },
        }
    }

    /// One search, and why there is no plan where that is known.
    fn attempt(
        &self,
        weights: &Weights,
        budget: &mut dyn Budget,
    ) -> (pending::Outcome, Option<UnreachableReason>) {
        if self.unsettled {
            return (pending::sequence(self.question, self.context, weights, budget), None);
        }
        let outcome =
            |path, bound, stopped, states| pending::Outcome { path, bound, stopped, states };
        match self.context.sequence(weights, budget) {
            Sequence::Found { actions, cost, bound, stopped, states } => {
                let path = pending::Path { actions, cut: None, cost };
                (outcome(Some(path), bound, stopped, states), None)
            }
            Sequence::Unreachable { because, states } => {
                (outcome(None, u64::MAX, None, states), Some(because))
            }
            Sequence::Unknown { stopped, bound, states } => {
                (outcome(None, bound, Some(stopped), states), None)
            }
        }
    }

    fn unreachable(&self, because: UnreachableReason, budget: &mut dyn Budget) -> Answer {
        let (question, context) = (self.question, self.context);
        if self.unsettled {
            if let Some(explanation) = pending::explain(question, context) {
                return Answer::Unreachable(explanation);
            }
            if let Some(start) = pending::settled_start(question, context) {
                let question = &Question { start: &start, ..*question };
                return Answer::Unreachable(explain::explain(question, context, because, budget));
            }
        }
        Answer::Unreachable(explain::explain(question, context, because, budget))
    }

    /// The better of an answer without faults and of what faults make possible.
    fn with_faults(&self, answer: Answer, budget: &mut dyn Budget) -> Answer {
        let (question, context) = (self.question, self.context);
        let known = match &answer {
            Answer::Plan(found) => Some(found),
            _ => None,
        };
        let most = known.map(|found| match question.objective {
            Objective::Length => found.value,
            _ => u64::MAX,
        });
        let found = with_faults::search(question, context, most, self.unsettled, budget);
        let Some(with_faults::Found { better, bound, stopped, states }) = found else {
            return answer;
        };
        let bound = objective::bound(question, context, bound, true);
        let fresh = better.and_then(|actions| {
            let mut fresh = self.loosened(&actions)?;
            (fresh.bound, fresh.stopped, fresh.states) = (bound, stopped, states);
            Some(fresh)
        });
        match (answer, fresh) {
            (Answer::Plan(known), Some(fresh)) if known.value <= fresh.value => {
                Answer::Plan(Box::new(Synthesis { bound, ..*known }.judged()))
            }
            (_, Some(fresh)) => Answer::Plan(Box::new(fresh.judged())),
            (Answer::Plan(known), None) => {
                let stopped = known.stopped.or(stopped);
                Answer::Plan(Box::new(Synthesis { bound, stopped, ..*known }.judged()))
            }
            (Answer::Unreachable(_), None) if stopped.is_some() => {
                let stopped = stopped.unwrap_or(StopReason::States);
                Answer::Unknown { stopped, bound, states }
            }
            (answer, None) => answer,
        }
    }

    /// Orders a sequence and verifies it; none when the result is not valid, which is a defect.
    fn finished(&self, path: &pending::Path) -> Option<Synthesis> {
        let Question { application, start, .. } = *self.question;
        let sequence = order::sequence(&path.actions);
        let (watched, file) = (self.context.target.watched(), self.question.goal);
        let invariants = Invariants { watched: &watched, file };
        let ordered = match &path.cut {
            None if self.unsettled => sequence.clone(),
            None if application.faults != Faults::Replicas => {
                order::ordered(&application.with_plain_needs(), start, &sequence, invariants)
            }
            None => order::ordered(application, start, &sequence, invariants),
            Some(cut) => {
                let rest = order::sequence(path.actions.get(1..)?);
                let rest = order::ordered(application, cut, &rest, invariants);
                order::after_first(&sequence, &rest, "faults of the start settle with it")
            }
        };
        let mut plans = vec![ordered, sequence];
        plans.dedup();
        let is_sequence = |plan: &Plan| plan.order.len() + 1 == path.actions.len();
        let found = plans.into_iter().find_map(|plan| {
            let states = if is_sequence(&plan) { FOR_A_SEQUENCE } else { FOR_AN_ORDER };
            self.verified(plan, states)
        })?;
        let has_reasons = found.plan.order.iter().all(|edge| edge.why.is_some());
        if has_reasons && application.faults == Faults::Replicas {
            return Some(found);
        }
        // The reasons of tier T1 are not to be had, or ask for more than the relation does.
        let trimmed = self.trimmed(&found.plan).and_then(|plan| self.verified(plan, FOR_AN_ORDER));
        Some(trimmed.unwrap_or(found))
    }

    /// A sequence that may fault, with as little order as validity needs.
    fn loosened(&self, actions: &[PlanAction]) -> Option<Synthesis> {
        let sequence = order::sequence(actions);
        let found = self.trimmed(&sequence).and_then(|plan| self.verified(plan, FOR_AN_ORDER));
        let mut found = found.or_else(|| self.verified(sequence, FOR_A_SEQUENCE))?;
        found.faults = with_faults::faults(self.question, self.context, actions, self.unsettled);
        Some(found)
    }

    /// Whether instances that are to be where they were before live in the same containers.
    fn leads_home(&self, plan: &Plan) -> bool {
        let Question { application, start, known, goal, .. } = *self.question;
        let Some(known) = known.filter(|_| application.faults == Faults::Replicas) else {
            return true;
        };
        let homes = goal.goal.wants.iter().filter_map(|want| match want {
            Want::Instance { instance, .. } => Some((instance, known.container(instance)?)),
            _ => None,
        });
        let mut homes = homes.peekable();
        // Carrying a plan out costs far more than looking whether anything lives in anything.
        if homes.peek().is_none() {
            return true;
        }
        let Some(end) = end_of(application, start, plan) else { return false };
        homes.all(|(instance, before)| end.container(instance) == Some(before))
    }

    /// A plan with what `verify` says; none unless it is valid and meets the goal.
    fn verified(&self, plan: Plan, states: usize) -> Option<Synthesis> {
        let Question { application, start, .. } = *self.question;
        let mut budget = Limits { states, bytes: 1 << 30 };
        let report = judge(self.question, &plan, self.effort, &mut budget)?;
        if report.validity != Validity::Valid
            || report.goal != Some(GoalAnswer::Met)
            || !self.leads_home(&plan)
        {
            return None;
        }
        let sequence = plan.clone().into_sequence();
        Some(Synthesis {
            value: objective::value(self.question, &plan),
            before: schedule::schedule(application, start, &sequence).length,
            after: schedule::schedule(application, start, &plan).length,
            plan,
            bound: 0,
            optimal: false,
            stopped: None,
            states: 0,
            faults: Vec::new(),
            report,
        })
    }
}

impl Synthesis {
    /// With what its bound says about it.
    fn judged(mut self) -> Self {
        self.bound = self.bound.min(self.value);
        self.optimal = self.bound == self.value;
        self
    }
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
/// given are in their initial states.
pub fn completed(application: &Application, start: &GlobalState) -> GlobalState {
    let mut start = start.clone();
    if application.faults == Faults::Replicas {
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

/// A node of which nothing says when it is up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoUpState {
    /// Its name.
    pub node: String,
}

impl std::fmt::Display for NoUpState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "nothing says when `{}` is up", self.node)
    }
}

impl std::error::Error for NoUpState {}

/// The goal that everything an application declares is up: each node with instances in the state
/// where its `up:` leads, or in its only state.
pub fn everything_up(application: &Application) -> Result<Goal, NoUpState> {
    let mut goal = Goal::default();
    for node in application.node_ids() {
        if application.node(node).count == 0 {
            continue;
        }
        let unknown = || NoUpState { node: application.node(node).name.clone() };
        let state = application.protocol_of(node).and_then(up_state).ok_or_else(unknown)?;
        goal.wants.push(Want::Node { node, state, amount: Amount::Wanted });
    }
    Ok(goal)
}

fn up_state(protocol: &crate::lifecycle::Protocol) -> Option<StateId> {
    let mut state = protocol.initial;
    if protocol.up.is_none() && protocol.states.len() == 1 {
        return Some(state);
    }
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
    let start = &completed(application, start);
    let end = end_of(application, start, plan)?;
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
pub(crate) type Cause = UnreachableReason;
