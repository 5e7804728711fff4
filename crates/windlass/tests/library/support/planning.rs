//! Questions to the planner, as short texts.

use windlass::application::{Application, GlobalState};
use windlass::goal::{self, Goal, GoalFile};
use windlass::source::{Sources, Span};
use windlass::synthesize::{Answer, Question, Synthesis, synthesize};
use windlass::system::Limits;
use windlass::verify::Effort;

/// A goal as people write it.
pub fn goal(application: &Application, text: &str) -> Goal {
    let mut sources = Sources::new();
    let source = sources.add("goal", text);
    let span = Span { source, start: 0, end: text.len() as u32 };
    let mut findings = Vec::new();
    let goal = goal::parse(text, span, true, application, &mut findings);
    assert!(findings.is_empty(), "{findings:?}");
    goal
}

/// A goal without anything that has to hold on the way.
pub fn goal_file(application: &Application, text: &str) -> GoalFile {
    GoalFile { goal: goal(application, text), ..GoalFile::default() }
}

/// The answer to a question, looking at so many states at most.
pub fn ask(question: &Question<'_>, states: usize) -> Answer {
    let mut budget = Limits { states, bytes: 1 << 30 };
    synthesize(question, &Effort::default(), &mut budget)
}

/// The plan that answers a question.
pub fn found(question: &Question<'_>) -> Synthesis {
    match ask(question, 2_000_000) {
        Answer::Plan(found) => *found,
        other => panic!("no plan: {other:?}"),
    }
}

/// The plan that answers a plain question.
pub fn plan(application: &Application, start: &GlobalState, goal: &GoalFile) -> Synthesis {
    found(&Question::new(application, start, goal))
}

/// The labels of the actions, in the order in which they were found.
pub fn labels(found: &Synthesis) -> Vec<&str> {
    found.plan.steps.iter().map(|step| &*step.label).collect()
}
