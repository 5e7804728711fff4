//! Plan synthesis: the figures that are promised, minimal orders, recovery, and goals with
//! conditions on the way.

mod support;

use support::{fixtures, sketch};
use windlass::application::{Application, GlobalState};
use windlass::goal::evaluate::Closure;
use windlass::goal::{self, GoalFile};
use windlass::source::{Sources, Span};
use windlass::synthesize::{Answer, Objective, Question, Synthesis, synthesize};
use windlass::system::Limits;
use windlass::verify::Effort;

/// A goal as people write it.
fn parse(application: &Application, text: &str) -> goal::Goal {
    let mut sources = Sources::new();
    let source = sources.add("goal", text);
    let span = Span { source, start: 0, end: text.len() as u32 };
    let mut findings = Vec::new();
    let goal = goal::parse(text, span, true, application, &mut findings);
    assert!(findings.is_empty(), "{findings:?}");
    goal
}

fn goal_file(application: &Application, text: &str) -> GoalFile {
    GoalFile { goal: parse(application, text), ..GoalFile::default() }
}

fn ask(application: &Application, start: &GlobalState, goal: &GoalFile) -> Answer {
    let question = Question {
        application,
        start,
        goal,
        closure: Closure::Open,
        policy: application.policy,
        objective: Objective::Length,
    };
    let mut budget = Limits { states: 2_000_000, bytes: 1 << 30 };
    synthesize(&question, &Effort::default(), &mut budget)
}

fn plan(application: &Application, start: &GlobalState, goal: &GoalFile) -> Synthesis {
    match ask(application, start, goal) {
        Answer::Plan(found) => *found,
        other => panic!("no plan: {other:?}"),
    }
}

fn deployed(k: usize) -> String {
    format!("gui=working*1,api=running*{k},node=running*1,maven=running*{k},mongo=running*1")
}

#[test]
fn thinking_is_deployed_in_8k_and_13_actions() {
    let (application, _) = fixtures::thinking();
    for k in [1, 2, 4, 16] {
        let goal = goal_file(&application, &deployed(k));
        let found = plan(&application, &GlobalState::empty(), &goal);
        assert_eq!((found.plan.length(), found.optimal), (8 * k + 13, true), "k = {k}");
    }
}

/// Thinking with k replicas, each api in a maven of its own.
fn running(application: &Application, k: usize) -> GlobalState {
    let mut text = "g1 gui working in n1 backend=a1\nn1 node running\nd1 mongo running\n".to_owned();
    for at in 1..=k {
        text += &format!("m{at} maven running\na{at} api running in m{at} data=d1\n");
    }
    sketch::state(application, &text)
}

fn replaced(application: &Application, k: usize) -> GoalFile {
    let old: Vec<String> = (1..=k).map(|at| format!("m{at}=gone,a{at}=gone")).collect();
    let text = format!("{},api=running*{k},maven=running*{k}", old.join(","));
    let always = vec![parse(application, "gui=working*>=1")];
    GoalFile { goal: parse(application, &text), always, ..GoalFile::default() }
}

#[test]
fn all_replicas_are_replaced_in_9k_actions_while_the_page_stays_up() {
    let (application, _) = fixtures::thinking();
    for k in [1, 2, 4, 16] {
        let start = running(&application, k);
        let found = plan(&application, &start, &replaced(&application, k));
        assert_eq!((found.plan.length(), found.optimal), (9 * k, true), "k = {k}");
    }
}
