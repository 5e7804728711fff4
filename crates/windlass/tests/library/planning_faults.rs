//! Plans from states in which faults are pending, and plans that may use faults.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]

use crate::support::planning::{self, goal_file, labels};
use crate::support::{fixtures, sketch};
use windlass::application::{Application, GlobalState};
use windlass::goal::GoalFile;
use windlass::goal::evaluate::Closure;
use windlass::synthesize::{Answer, Question, Synthesis};
use windlass::system::Limits;
use windlass::verify::{self, Effort, Validity};

/// A question whose plan has to be the best, with faults or without.
fn proven<'a>(
    application: &'a Application,
    start: &'a GlobalState,
    goal: &'a GoalFile,
    allow_faults: bool,
) -> Question<'a> {
    Question { prove: true, allow_faults, ..Question::new(application, start, goal) }
}

fn ask(
    application: &Application,
    start: &GlobalState,
    goal: &GoalFile,
    allow_faults: bool,
) -> Answer {
    planning::ask(&proven(application, start, goal, allow_faults), 200_000)
}

fn plan(
    application: &Application,
    start: &GlobalState,
    goal: &GoalFile,
    allow_faults: bool,
) -> Synthesis {
    planning::found(&proven(application, start, goal, allow_faults))
}

/// Where a page ends that loses its data cannot be chosen.
const EITHER: &str = "
type web needs data:unaware
  state down
  state up needs data fault left right
  state left
  state right
  op down start up needs data fault down
  op left fix down
  op right fix down
type store has data
  state off
  state on offers data
  op off start on
node web web data=store.data
node store store
";

/// The page may not go, nor may there be another one.
fn down_again(application: &Application) -> GoalFile {
    let mut goal = goal_file(application, "web=down*1,store=on*1");
    goal.never.push(planning::goal(application, "web=gone"));
    goal.budget.insert(application.node_named("web").expect("a node"), 1);
    goal
}

#[test]
fn a_plan_is_good_for_every_way_in_which_faults_settle() {
    let application = sketch::application(EITHER);
    let start = sketch::state(&application, "w web up\ns store off\n");
    let found = plan(&application, &start, &down_again(&application), false);
    assert_eq!(labels(&found), ["start s", "fix w"]);
    assert!(found.optimal, "{found:?}");
}

#[test]
fn a_start_that_settles_in_ways_no_plan_unites_is_said_to() {
    let application = sketch::application(&EITHER.replace("  op right fix down\n", ""));
    let start = sketch::state(&application, "w web up\ns store off\n");
    let Answer::Unreachable(why) = ask(&application, &start, &down_again(&application), false)
    else {
        panic!("a plan, although nothing leads on from the one state")
    };
    assert_eq!(why.culprit, "w.data");
    assert_eq!(why.because, ["they may leave w in `left`", "they may leave w in `right`"]);
    // Without the conditions the page goes, wherever it is.
    let found = plan(&application, &start, &goal_file(&application, "web=down*1"), false);
    assert_eq!(found.plan.length(), 2, "{:?}", labels(&found));
}

#[test]
fn a_fault_without_a_handler_is_named() {
    let application = sketch::application(&EITHER.replace(" fault left right", ""));
    let start = sketch::state(&application, "w web up\ns store off\n");
    let Answer::Unreachable(why) = ask(&application, &start, &down_again(&application), false)
    else {
        panic!("a plan, although nothing can happen")
    };
    assert_eq!(why.culprit, "w.data");
}

#[test]
fn a_plan_from_pending_faults_is_valid_from_the_state_as_it_is_given() {
    let (application, mut start) = fixtures::thinking();
    let stopped = sketch::state(&application, "d1 mongo stopped\n");
    start.instances.extend(stopped.instances);
    let text = "gui=working*1,api=running*2,node=running*1,maven=running*2,mongo=running*1";
    let goal = goal_file(&application, text);
    let found = plan(&application, &start, &goal, false);
    // The database starts; then the services, and then the page.
    assert_eq!((found.plan.length(), found.optimal), (8, true), "{:?}", labels(&found));
    let question = verify::Question {
        application: &application,
        start: &start,
        plan: &found.plan,
        policy: application.policy,
        goal: Some(&goal.goal),
        closure: Closure::Open,
    };
    let mut budget = Limits { states: 200_000, bytes: 1 << 30 };
    let report = verify::verify(&question, &Effort::default(), &mut budget).expect("protocols");
    assert_eq!(report.validity, Validity::Valid);
    assert!(!report.remarks.is_empty());
    assert!(found.faults.is_empty());
}

#[test]
fn faults_are_used_when_they_are_allowed_and_help() {
    let (application, _) = fixtures::thinking();
    let empty = GlobalState::empty();
    let goal = goal_file(&application, "gui=damaged*1");
    assert!(matches!(ask(&application, &empty, &goal, false), Answer::Unreachable(_)));
    let found = plan(&application, &empty, &goal, true);
    // Installing into a container that does not run is a fault.
    assert_eq!((found.plan.length(), found.optimal), (4, true), "{:?}", labels(&found));
    assert_eq!(found.faults, ["fault: gui loses host and falls back to damaged"]);
    assert_eq!(found.report.validity, Validity::Valid);
}

#[test]
fn a_fault_can_be_shorter_than_an_operation() {
    let (application, start) = fixtures::thinking();
    let goal = goal_file(&application, "api=available*2");
    let slow = plan(&application, &start, &goal, false);
    let quick = plan(&application, &start, &goal, true);
    assert!(slow.faults.is_empty() && !quick.faults.is_empty());
    assert!(quick.plan.length() < slow.plan.length(), "{:?}", labels(&quick));
    assert_eq!(quick.report.validity, Validity::Valid);
}

#[test]
fn where_faults_do_not_help_nothing_changes() {
    let (application, start) = fixtures::thinking();
    let goal = goal_file(&application, "api=running*3,maven=running*3");
    let found = plan(&application, &start, &goal, true);
    assert_eq!((found.plan.length(), found.optimal), (8, true));
    assert!(found.faults.is_empty());
}

#[test]
fn what_can_be_mended_is_mended_and_what_cannot_is_replaced() {
    let text = "
type web
  state down
  state sick
  state better
  op sick rest better
  op better heal down
node web web
";
    let softly = |text: &str| {
        let application = sketch::application(text);
        let start = sketch::state(&application, "w web sick\n");
        let goal = goal_file(&application, "web=down*1");
        let hard = plan(&application, &start, &goal, false);
        assert_eq!((hard.plan.length(), hard.optimal), (2, true));
        let question = Question { soft: true, ..Question::new(&application, &start, &goal) };
        planning::found(&question)
    };
    let mended = softly(text);
    assert_eq!((labels(&mended), mended.optimal), (vec!["rest w", "heal w"], false));
    let replaced = softly(&text.replace("  op better heal down\n", ""));
    assert_eq!(labels(&replaced), ["remove w", "create web"]);
}
