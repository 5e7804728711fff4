//! Plan synthesis: the figures that are promised, minimal orders, recovery, and goals with
//! conditions on the way.

#![allow(clippy::format_push_string, reason = "short, not fast")]
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

use crate::support::planning::{found, goal, goal_file, plan};
use crate::support::prng::Prng;
use crate::support::{fixtures, long, random, sketch};
use windlass::application::{Application, GlobalState, NodeId};
use windlass::goal::evaluate::Closure;
use windlass::goal::{Goal, GoalFile};
use windlass::plan::events::{EventId, Events};
use windlass::plan::{Plan, PlanAction, Step};
use windlass::semantics::replica::{Action, Creation, Replica};
use windlass::synthesize::invariants::Invariants;
use windlass::synthesize::order::is_fault_free;
use windlass::synthesize::{Objective, Question, Synthesis, undoing};
use windlass::system::System;

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
    let mut text =
        "g1 gui working in n1 backend=a1\nn1 node running\nd1 mongo running\n".to_owned();
    for at in 1..=k {
        text += &format!("m{at} maven running\na{at} api running in m{at} data=d1\n");
    }
    sketch::state(application, &text)
}

fn replaced(application: &Application, k: usize) -> GoalFile {
    let old: Vec<String> = (1..=k).map(|at| format!("m{at}=gone,a{at}=gone")).collect();
    let text = format!("{},api=running*{k},maven=running*{k}", old.join(","));
    let always = vec![goal(application, "gui=working*>=1")];
    GoalFile { goal: goal(application, &text), always, ..GoalFile::default() }
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

/// Without any one of its edges the plan is no longer free of faults.
fn assert_minimal(application: &Application, start: &GlobalState, found: &Synthesis) {
    assert!(is_fault_free(application, start, &found.plan));
    for at in 0..found.plan.order.len() {
        let mut fewer = found.plan.clone();
        let edge = fewer.order.remove(at);
        let (before, after) =
            (&found.plan.steps[edge.before].label, &found.plan.steps[edge.after].label);
        assert!(!is_fault_free(application, start, &fewer), "{before} -> {after} is not needed");
        assert!(edge.why.is_some());
    }
}

#[test]
fn no_edge_of_the_order_can_be_missed() {
    let (application, _) = fixtures::thinking();
    let deploy = plan(&application, &GlobalState::empty(), &goal_file(&application, &deployed(16)));
    assert_minimal(&application, &GlobalState::empty(), &deploy);
    assert_eq!((deploy.before.depth, deploy.after.depth), (88, 6));
    let start = running(&application, 4);
    let roll = plan(&application, &start, &replaced(&application, 4));
    assert_minimal(&application, &start, &roll);
    assert_eq!(roll.report.deterministic, Some(true));
}

/// Plans with more than 200 actions: a sample of the edges.
#[test]
fn no_edge_of_a_large_order_can_be_missed() {
    let (application, _) = fixtures::thinking();
    let empty = GlobalState::empty();
    let deploy = plan(&application, &empty, &goal_file(&application, &deployed(48)));
    let start = running(&application, 36);
    let roll = plan(&application, &start, &replaced(&application, 36));
    let mut prng = Prng::new(long::seed(7));
    for (start, found) in [(&empty, &deploy), (&start, &roll)] {
        assert!(found.plan.steps.len() > 200 && found.optimal);
        assert!(is_fault_free(&application, start, &found.plan));
        for _ in 0..long::cases(30) {
            let mut fewer = found.plan.clone();
            let edge = fewer.order.remove(prng.below(found.plan.order.len()));
            let label = |step: usize| &found.plan.steps[step].label;
            let words = format!("{} -> {}", label(edge.before), label(edge.after));
            assert!(!is_fault_free(&application, start, &fewer), "{words} is not needed");
        }
    }
}

#[test]
fn support_is_created_on_demand_and_not_left_behind() {
    let (application, _) = fixtures::thinking();
    // A page that works needs everything below it, which therefore stays.
    let found =
        plan(&application, &GlobalState::empty(), &goal_file(&application, "gui=working*1"));
    assert_eq!((found.plan.length(), found.optimal), (21, true));
    // An installed page needs its container only, and to be configured once it has a service to
    // ask.
    let found =
        plan(&application, &GlobalState::empty(), &goal_file(&application, "gui=configured*1"));
    let removed = |step: &&Step| matches!(step.action, PlanAction::ScaleIn { .. });
    assert_eq!((found.plan.length(), found.optimal), (19 + 2, true));
    assert_eq!(found.plan.steps.iter().filter(removed).count(), 2);
}

#[test]
fn faulted_states_are_left_by_the_shortest_way() {
    let (application, _) = fixtures::thinking();
    let goal = goal_file(&application, &deployed(3));
    let mut slowest = std::time::Duration::ZERO;
    let (mut cases, mut proven, mut seed) = (0, 0, long::seed(0x4e));
    while cases < long::cases(40) {
        seed += 1;
        let mut prng = Prng::new(seed);
        let replica = Replica::new(&application, running(&application, 3)).expect("protocols");
        let length = prng.between(3, 20);
        let start = random::walk(&mut prng, &replica, length).pop().unwrap_or_default();
        if goal.goal.holds(&application, &start, Closure::Open) {
            continue;
        }
        let begin = std::time::Instant::now();
        let found = plan(&application, &start, &goal);
        slowest = slowest.max(begin.elapsed());
        proven += u64::from(found.optimal);
        cases += 1;
    }
    eprintln!(
        "figure: {cases} faulted states, {proven} proven, slowest {} ms",
        slowest.as_millis()
    );
    // The bench measures it; here anything but a hang is fine, however busy the machine is.
    assert!(slowest.as_secs() < 60, "{slowest:?}");
}

#[test]
fn a_plan_is_undone() {
    let (application, _) = fixtures::thinking();
    let start = running(&application, 2);
    let more =
        plan(&application, &start, &goal_file(&application, "api=running*4,maven=running*3"));
    let (end, goal) = undoing(&application, &start, &more.plan).expect("a valid plan has an end");
    let back = plan(&application, &end, &goal);
    // One container goes with what it holds; what else is new goes by itself.
    assert!(back.optimal);
    assert!(back.plan.length() <= 2, "{:?}", back.plan);
}

#[test]
fn objectives_have_bounds() {
    let text = fixtures::THINKING;
    let mut application = sketch::application(text);
    for component in &mut application.types {
        for (at, operation) in component.operations.iter_mut().enumerate() {
            operation.duration = Some(std::time::Duration::from_secs(1 + at as u64));
            operation.cost = windlass::lifecycle::Cost(1_000);
        }
    }
    let goal = goal_file(&application, &deployed(2));
    for objective in [Objective::Makespan, Objective::Cost] {
        let start = GlobalState::empty();
        let question = Question { objective, ..Question::new(&application, &start, &goal) };
        let found = found(&question);
        assert!(found.optimal, "{objective:?}: {} of {}", found.bound, found.value);
        let expected = match objective {
            // A container starts, a service is installed and started, the page configured and
            // started: 1 + 1 + 3 + 2 + 3 seconds.
            Objective::Makespan => found.after.millis,
            _ => 11 * 1_000,
        };
        assert_eq!(found.value, expected, "{objective:?}");
    }
}

/// Two stores that take ten seconds to start, both on one host.
const STORES: &str = "
type store has data
  state off
  state on offers data
  op off start on
node left store
node right store
";

fn best(application: &Application, goal: &str, objective: Objective) -> Synthesis {
    let (start, goal) = (GlobalState::empty(), goal_file(application, goal));
    found(&Question { objective, ..Question::new(application, &start, &goal) })
}

#[test]
fn a_host_does_so_much_at_once() {
    let mut application = sketch::application(STORES);
    application.types[0].operations[0].duration = Some(std::time::Duration::from_secs(10));
    for node in application.node_ids().collect::<Vec<_>>() {
        application.deployment.host.insert(node, "rack".to_owned());
    }
    for (slots, seconds) in [(None, 10), (Some(2), 10), (Some(1), 20)] {
        application.deployment.hosts.clear();
        application.deployment.hosts.extend(slots.map(|slots| ("rack".to_owned(), slots)));
        let found = best(&application, "left=on*1,right=on*1", Objective::Makespan);
        assert_eq!((found.value, found.optimal), (seconds * 1000, true), "{slots:?}");
    }
}

#[test]
fn instances_cost_as_long_as_they_exist() {
    let mut application = sketch::application(STORES);
    let store = &mut application.types[0];
    store.operations[0].duration = Some(std::time::Duration::from_secs(10));
    store.operations[0].cost = windlass::lifecycle::Cost(5_000);
    store.cost_per_second = windlass::lifecycle::Cost(100);
    let found = best(&application, "left=on*2", Objective::Cost);
    assert_eq!((found.value, found.bound, found.optimal), (12_000, 12_000, true));
}

#[test]
fn the_relation_of_003_is_planned_too() {
    let application = sketch::application(fixtures::WEB_SERVICES);
    let goal = goal_file(&application, "translator=deployed");
    let found = plan(&application, &GlobalState::empty(), &goal);
    let labels: Vec<&str> = found.plan.steps.iter().map(|step| &*step.label).collect();
    assert_eq!(labels.len(), 6, "{labels:?}");
    assert!(found.optimal);
    assert!(found.plan.steps.iter().all(|s| matches!(s.action, PlanAction::Operation { .. })));
}

#[test]
fn a_budget_makes_replacement_one_after_another() {
    let (application, _) = fixtures::thinking();
    let start = running(&application, 2);
    let mut goal = replaced(&application, 2);
    let maven = application.node_named("maven").expect("a node");
    goal.budget.insert(maven, 2);
    let found = plan(&application, &start, &goal);
    assert_eq!(found.plan.length(), 18);
    goal.budget.insert(maven, 3);
    assert_eq!(plan(&application, &start, &goal).plan.length(), 18);
}

/// How an order that invariants loosened behaves: every run of some hundred keeps them.
fn assert_kept(application: &Application, start: &GlobalState, goal: &GoalFile, plan: &Plan) {
    let events = Events::new(plan).expect("an order");
    let mut replica = Replica::new(application, start.clone()).expect("protocols");
    replica.pool = Creation::planned(application, plan);
    let mut prng = Prng::new(long::seed(0x17));
    for _ in 0..long::cases(200) {
        let (mut done, mut state) = (vec![false; events.len()], start.clone());
        loop {
            let ready = |id: &EventId| {
                let mut before = events.predecessors(*id).iter();
                !done[id.index()] && before.all(|earlier| done[earlier.index()])
            };
            let able: Vec<EventId> = events.ids().filter(ready).collect();
            if able.is_empty() {
                break;
            }
            let id = able[prng.below(able.len())];
            let action = Action::planned(application, plan, events.get(id)).expect("an action");
            state = replica.step(&state, &action).expect("it can happen").first().clone();
            done[id.index()] = true;
            let holds = |goal: &Goal| goal.holds(application, &state, Closure::Open);
            assert!(goal.always.iter().all(holds));
            let is_within =
                |(node, most): (&NodeId, &u32)| state.of_node(*node).count() <= *most as usize;
            assert!(goal.budget.iter().all(is_within));
        }
    }
}

/// A plan whose order keeps its invariants, and of which no edge can be missed.
fn assert_as_free_as_invariants_allow(count: u32, always: &str, most: u32) {
    let (application, _) = fixtures::thinking();
    let start = running(&application, count as usize);
    let mut file = replaced(&application, count as usize);
    file.always.push(goal(&application, always));
    file.budget.insert(application.node_named("api").expect("a node"), most);
    let found = plan(&application, &start, &file);
    assert_kept(&application, &start, &file, &found.plan);
    assert!(found.after.depth < found.before.depth, "{:?}", found.plan);
    let mut watched = vec![false; application.nodes.len()];
    watched[application.node_named("api").expect("a node").index()] = true;
    watched[application.node_named("gui").expect("a node").index()] = true;
    let invariants = Invariants { watched: &watched, file: &file };
    assert!(invariants.hold(&application, &start, &found.plan));
    for at in 0..found.plan.order.len() {
        let mut fewer = found.plan.clone();
        let edge = fewer.order.remove(at);
        let is_good = is_fault_free(&application, &start, &fewer)
            && invariants.hold(&application, &start, &fewer);
        assert!(!is_good, "{edge:?} is not needed");
    }
}

/// Services are replaced while one of them runs: two of three at the same time.
#[test]
fn what_invariants_look_at_happens_at_once_where_they_hold_all_the_same() {
    assert_as_free_as_invariants_allow(3, "api=running*>=1", 4);
}

/// The same for 144 actions, which have more cuts than can be listed.
#[test]
fn invariants_of_many_replicas_ask_for_few_edges() {
    assert_as_free_as_invariants_allow(16, "api=running*>=12", 18);
}
