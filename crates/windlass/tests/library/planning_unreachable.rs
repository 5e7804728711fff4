//! Goals that cannot be reached: the explanation names the culprit.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]

use crate::support::planning::{ask, goal, goal_file, labels, plan};
use crate::support::sketch;
use windlass::application::{Application, GlobalState};
use windlass::goal::evaluate::Closure;
use windlass::goal::{Goal, GoalFile};
use windlass::synthesize::{Answer, Question};

/// The culprit of a question that has no plan.
fn culprit(application: &Application, start: &str, goal: &GoalFile) -> String {
    let start = sketch::state(application, start);
    assert_ne!(goal.goal, Goal::default());
    match ask(&Question::new(application, &start, goal), 200_000) {
        Answer::Unreachable(why) => why.culprit,
        other => panic!("{other:?}"),
    }
}

/// A page that needs data to start and to be up.
const SHOP: &str = "
type web needs data:unaware
  state down
  state up needs data fault down
  op down start up needs data fault down
  op up stop down
type store has data
  state cold
  state warm
  state hot offers data
  op cold warm warm
  op warm heat hot
  op hot cool cold
node web web data=store.data
node store store
";
const SHOP_UP: &str = "w web up data=s\ns store hot\n";

#[test]
fn a_requirement_bound_to_nothing() {
    let text = SHOP.replace("node web web data=store.data", "node web web");
    let application = sketch::application(&text);
    assert_eq!(culprit(&application, "", &goal_file(&application, "web=up*1")), "web.data");
}

#[test]
fn a_capability_that_no_state_offers() {
    let application = sketch::application(&SHOP.replace(" offers data", ""));
    assert_eq!(culprit(&application, "", &goal_file(&application, "web=up*1")), "store.data");
}

#[test]
fn things_that_wait_for_each_other() {
    let application = sketch::application(
        "
type a needs r:unaware has c
  state off
  state on offers c
  op off start on needs r fault off
type b needs r:unaware has c
  state off
  state on offers c
  op off start on needs r fault off
node a a r=b.c
node b b r=a.c
",
    );
    assert_eq!(culprit(&application, "", &goal_file(&application, "a=on*1")), "a.r -> b.r");
}

#[test]
fn a_state_that_no_operation_leads_to() {
    let application = sketch::application(&SHOP.replace("  op warm heat hot\n", ""));
    assert_eq!(culprit(&application, "", &goal_file(&application, "store=hot*1")), "store.`hot`");
}

#[test]
fn a_container_that_never_carries() {
    let application = sketch::application(
        "
type app needs host:containment
  state off
  state on needs host fault off
  op off start on needs host fault off
type box needs power:unaware has host
  state dark
  state lit offers host
  op dark light lit needs power fault dark
type plant has current
  state idle
  state loud
  op idle run loud
node app app host=box.host
node box box power=plant.current
node plant plant
",
    );
    assert_eq!(culprit(&application, "", &goal_file(&application, "app=on*1")), "plant.current");
}

#[test]
fn an_unknown_instance() {
    let application = sketch::application(SHOP);
    assert_eq!(culprit(&application, "", &goal_file(&application, "nine=up")), "nine");
}

/// `store-1` is what a new store is called, also where no state or description says so.
#[test]
fn a_new_instance_can_be_called_by_its_number() {
    let application = sketch::application(SHOP);
    let file = goal_file(&application, "store-1=hot");
    let found = plan(&application, &GlobalState::empty(), &file);
    assert_eq!(labels(&found), ["create store-1", "warm store-1", "heat store-1"]);
}

#[test]
fn an_invariant_against_the_goal() {
    let application = sketch::application(SHOP);
    let mut file = goal_file(&application, "web=gone,store=hot*1");
    file.always.push(goal(&application, "web=up*>=1"));
    file.always.push(goal(&application, "store=hot*>=1"));
    assert_eq!(culprit(&application, SHOP_UP, &file), "always: web=up*>=1");
}

/// A page that is up needs a store, and nothing but the page may remain.
#[test]
fn nothing_else_may_remain() {
    let application = sketch::application(SHOP);
    for (start, wanted) in [("", "web=up*1"), ("s store hot\nw web down\n", "w=up")] {
        let (start, file) = (sketch::state(&application, start), goal_file(&application, wanted));
        let question = Question::new(&application, &start, &file);
        let Answer::Unreachable(why) =
            ask(&Question { closure: Closure::Exact, ..question }, 200_000)
        else {
            panic!("{wanted}");
        };
        assert_eq!(why.because, ["--exact: nothing else remains", wanted]);
        assert_eq!(why.culprit, "--exact: nothing else remains");
        assert!(matches!(ask(&question, 200_000), Answer::Plan(_)));
    }
    // What is already there stays as it is.
    let (start, file) =
        (sketch::state(&application, SHOP_UP), goal_file(&application, "w=up,s=hot"));
    let question = Question::new(&application, &start, &file);
    let answer = ask(&Question { closure: Closure::Exact, ..question }, 200_000);
    assert!(matches!(answer, Answer::Plan(found) if found.plan.steps.is_empty()));
}

#[test]
fn a_budget_below_the_goal() {
    let application = sketch::application(SHOP);
    let mut file = goal_file(&application, "store=hot*2");
    file.budget.insert(application.node_named("store").expect("a node"), 1);
    assert_eq!(culprit(&application, "", &file), "budget: store 1");
}

#[test]
fn an_instance_that_may_not_be_touched() {
    let application = sketch::application(SHOP);
    let mut file = goal_file(&application, "web=down*1");
    file.keep.push("w".into());
    assert_eq!(culprit(&application, SHOP_UP, &file), "keep: w");
}

#[test]
fn a_state_on_the_way_that_is_forbidden() {
    let application = sketch::application(SHOP);
    let mut file = goal_file(&application, "web=up*1");
    file.never.push(goal(&application, "store=warm*>=1"));
    file.never.push(goal(&application, "web=up*>=3"));
    assert_eq!(culprit(&application, "", &file), "never: store=warm*>=1");
}

#[test]
fn wants_that_exclude_each_other() {
    let application = sketch::application(SHOP);
    let goal = goal_file(&application, "web=up*1,store=gone");
    assert_eq!(culprit(&application, "", &goal), "web=up*1, store=gone");
}

#[test]
fn a_start_that_is_not_allowed() {
    let application = sketch::application(SHOP);
    let mut file = goal_file(&application, "web=up*1");
    file.always.push(goal(&application, "web=up*>=1"));
    assert_eq!(culprit(&application, "", &file), "always: web=up*>=1");
}

#[test]
fn an_invariant_that_only_a_search_finds() {
    // The store has to be cooled before it can be heated again, and the page needs it meanwhile.
    let text = SHOP
        .replace("state warm\n", "state warm\n  state worn offers data\n")
        .replace("  op hot cool cold\n", "  op hot use worn\n  op worn cool cold\n");
    let application = sketch::application(&text);
    let mut file = goal_file(&application, "web=up*1,s=hot");
    file.budget.insert(application.node_named("store").expect("a node"), 1);
    file.always.push(goal(&application, "web=up*>=1"));
    let start = "w web up data=s\ns store worn\n";
    let found = culprit(&application, start, &file);
    assert_eq!(found, "always: web=up*>=1, budget: store 1");
}
