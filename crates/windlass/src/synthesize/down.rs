//! The question whose answer takes everything down.

use super::{Answer, Question, completed, everything_up, objective, synthesize};
use crate::application::{Application, Faults, GlobalState};
use crate::goal::{Amount, Goal, GoalFile, Want};
use crate::system::Budget;
use crate::verify::Effort;

/// Why nobody knows where an application is when it is up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoStart {
    /// Nothing says when this node is up.
    NoGoal(String),
    /// No plan that brings it up was found.
    NoPlan,
}

/// Where an application is when everything that it declares is up: where a plan for that ends.
pub fn when_up(
    question: &Question<'_>,
    effort: &Effort,
    budget: &mut dyn Budget,
) -> Result<GlobalState, NoStart> {
    let goal = everything_up(question.application).map_err(NoStart::NoGoal)?;
    let goal = &GoalFile { goal, ..GoalFile::default() };
    let question = Question { goal, ..*question };
    let start = completed(question.application, question.start);
    match synthesize(&question, effort, budget) {
        Answer::Plan(found) => {
            let end = objective::end_of(question.application, &start, &found.plan);
            end.ok_or(NoStart::NoPlan)
        }
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
