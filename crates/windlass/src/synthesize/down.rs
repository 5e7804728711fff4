//! The question whose answer takes everything down.

use super::{
    Answer, Explanation, NoUpState, Question, Synthesis, completed, everything_up, judge,
    objective, schedule, synthesize,
};
use crate::application::{Application, Faults, GlobalState};
use crate::goal::{Amount, Goal, GoalFile, Want};
use crate::plan::Plan;
use crate::system::Budget;
use crate::verify::{Effort, GoalAnswer, Validity};

/// Why it is unknown where an application is when it is up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoStart {
    /// Nothing says when a node is up.
    NoGoal(NoUpState),
    /// No plan brings it up, and why.
    Unreachable(Explanation),
    /// No plan that brings it up was found.
    NoPlan,
}

/// Where an application is when the goal of the question holds, or without one when everything that
/// it declares is up: where a plan for that ends.
pub fn when_up(
    question: &Question<'_>,
    effort: &Effort,
    budget: &mut dyn Budget,
) -> Result<GlobalState, NoStart> {
    let declared = &question.goal.goal;
    let goal = if declared.wants.is_empty() {
        everything_up(question.application).map_err(NoStart::NoGoal)?
    } else {
        declared.clone()
    };
    let goal = &GoalFile { goal, ..GoalFile::default() };
    let question = Question { goal, ..*question };
    let start = completed(question.application, question.start);
    match synthesize(&question, effort, budget) {
        Answer::Plan(found) => {
            let end = objective::end_of(question.application, &start, &found.plan);
            end.ok_or(NoStart::NoPlan)
        }
        Answer::Unreachable(why) => Err(NoStart::Unreachable(why)),
        _ => Err(NoStart::NoPlan),
    }
}

/// The goal that nothing is left: no instance, or where each node has one for good, every instance
/// as it was before anything happened.
pub fn everything_down(application: &Application) -> Goal {
    let want = |node| match application.protocol_of(node) {
        Some(protocol) if application.faults != Faults::Replicas => {
            Want::Node { node, state: protocol.initial, amount: Amount::Wanted }
        }
        _ => Want::NodeGone(node),
    };
    Goal { wants: application.node_ids().map(want).collect() }
}

/// A plan that was made elsewhere as the answer to a question, with what is known about it; none
/// unless it is valid and meets the goal. `bound` is what no plan is better than.
pub fn given(
    question: &Question<'_>,
    plan: Plan,
    bound: u64,
    effort: &Effort,
    budget: &mut dyn Budget,
) -> Option<Synthesis> {
    let start = &completed(question.application, question.start);
    let question = &Question { start, ..*question };
    let report = judge(question, &plan, effort, budget)?;
    if report.validity != Validity::Valid || report.goal != Some(GoalAnswer::Met) {
        return None;
    }
    let sequence = plan.clone().into_sequence();
    Some(Synthesis {
        value: objective::value(question, &plan),
        before: schedule::schedule(question.application, start, &sequence).length,
        after: schedule::schedule(question.application, start, &plan).length,
        plan,
        bound,
        optimal: false,
        stopped: None,
        states: 0,
        faults: Vec::new(),
        report,
    })
}
