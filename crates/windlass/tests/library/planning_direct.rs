//! Plans without a search against those of the search, on random applications with one instance of
//! each node; and many nodes, which only the former plans.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]

use std::fmt::Write as _;

use crate::support::prng::Prng;
use crate::support::random::{self, Wild};
use crate::support::{long, planning, sketch};
use windlass::application::{Application, GlobalState};
use windlass::goal::evaluate::Closure;
use windlass::goal::{Amount, Goal, GoalFile, Want};
use windlass::lifecycle::protocol::StateId;
use windlass::synthesize::down::everything_down;
use windlass::synthesize::end_of;
use windlass::synthesize::order;
use windlass::synthesize::sequence::direct_plan::direct_plan;
use windlass::synthesize::sequence::distance::Weights;
use windlass::synthesize::sequence::{PlanningContext, Sequence, Task};
use windlass::system::Limits;
use windlass::verify::{self, Effort, GoalAnswer, Validity};

/// A goal for some of the nodes: one instance somewhere, or none.
fn goal(prng: &mut Prng, application: &Application) -> GoalFile {
    let mut wants = Vec::new();
    for node in application.node_ids() {
        if prng.chance(20) {
            continue;
        }
        let states = application.protocol_of(node).map_or(1, |protocol| protocol.states.len());
        let state = StateId::from(prng.below(states));
        let amount = *prng.pick(&[Amount::Wanted, Amount::Exactly(1), Amount::AtLeast(1)]);
        let is_gone = prng.chance(15);
        wants.push(if is_gone { Want::NodeGone(node) } else { Want::Node { node, state, amount } });
    }
    GoalFile { goal: Goal { wants }, ..GoalFile::default() }
}

/// Compares both ways to a goal; the end of the straight one, when there is one.
fn compared(
    application: &Application,
    start: &GlobalState,
    goal: &GoalFile,
    what: &str,
) -> Option<GlobalState> {
    let closure = Closure::Open;
    let task = Task { application, start, goal, closure, known: None, prove: true, soft: false };
    let context = PlanningContext::new(task).expect("protocols");
    let weights = Weights::length(&context.tables);
    let (actions, cost) = direct_plan(&context, &weights)?;
    let mut budget = Limits { states: 200_000, bytes: 1 << 30 };
    match context.sequence(&weights, &mut budget) {
        Sequence::Found { cost: least, stopped, .. } => {
            assert!(cost == least || stopped.is_some() && cost < least, "{what}: {cost}, {least}");
        }
        Sequence::Unknown { .. } => {}
        other @ Sequence::Unreachable { .. } => panic!("{what}: {actions:?} and {other:?}"),
    }
    let plan = order::sequence(&actions);
    let question = verify::Question {
        application,
        start,
        plan: &plan,
        policy: application.policy,
        goal: Some(&goal.goal),
        closure,
    };
    let mut budget = Limits { states: 200_000, bytes: 1 << 30 };
    let report = verify::verify(&question, &Effort::default(), &mut budget).expect("a verdict");
    assert_eq!(report.validity, Validity::Valid, "{what}: {actions:?}");
    assert_eq!(report.goal, Some(GoalAnswer::Met), "{what}: {actions:?}");
    Some(end_of(application, start, &plan).expect("an end"))
}

#[test]
fn no_plan_is_cheaper_than_one_without_a_search() {
    let (mut up, mut on) = (0, 0);
    let cases = long::cases(400);
    for seed in 0..cases {
        let mut prng = Prng::new(long::seed(0x57) + seed);
        let wild = if prng.chance(50) { Wild::ALL } else { Wild::default() };
        let mut application = random::application(&mut prng, wild);
        for node in &mut application.nodes {
            node.count = 1;
        }
        let first = goal(&mut prng, &application);
        let start = GlobalState::empty();
        let Some(end) = compared(&application, &start, &first, &format!("seed {seed}")) else {
            continue;
        };
        up += usize::from(!end.instances.is_empty());
        let next = goal(&mut prng, &application);
        let further = compared(&application, &end, &next, &format!("seed {seed}, from there"));
        on += usize::from(further.is_some_and(|there| there != end));
    }
    // Otherwise nothing was compared.
    assert!(up as u64 > cases / 20 && on as u64 > cases / 100, "{up} and {on} of {cases}");
}

/// Layers of ten nodes: each needs two of the layers below, and every fifth lives in the one
/// before.
fn layers(count: usize) -> Application {
    let mut text = String::new();
    for at in 0..count {
        let below: Vec<usize> = (1..=2).filter_map(|step| at.checked_sub(10 * step)).collect();
        let mut needs: Vec<String> = below.iter().map(|on| format!("r{on}")).collect();
        let mut sorts: Vec<String> = needs.iter().map(|name| format!("{name}:unaware")).collect();
        let mut bound: Vec<String> = below.iter().map(|on| format!("r{on}=n{on}.c")).collect();
        if at % 5 == 4 {
            needs.push("host".to_owned());
            sorts.push("host:containment".to_owned());
            bound.push(format!("host=n{}.c", at - 1));
        }
        let (needs, sorts, bound) = (needs.join(" "), sorts.join(" "), bound.join(" "));
        let _ = writeln!(
            text,
            "type t{at} needs {sorts} has c
              state off
              state on needs {needs} offers c fault off
              op off start on needs {needs} fault off
              op on stop off
            node n{at} t{at} {bound}"
        );
    }
    sketch::application(&text)
}

#[test]
fn many_nodes_are_planned_up_and_down() {
    let application = layers(200);
    let on = |node| Want::Node { node, state: StateId::from(1), amount: Amount::Wanted };
    let wants = application.node_ids().map(on).collect();
    let goal = GoalFile { goal: Goal { wants }, ..GoalFile::default() };
    let up = planning::plan(&application, &GlobalState::empty(), &goal);
    // An instance, and the start and the end of an operation.
    assert_eq!((up.plan.length(), up.optimal), (3 * 200, true));
    let end = end_of(&application, &GlobalState::empty(), &up.plan).expect("an end");
    let goal = GoalFile { goal: everything_down(&application), ..GoalFile::default() };
    let down = planning::plan(&application, &end, &goal);
    // What lives in others goes with them.
    assert_eq!((down.plan.length(), down.optimal), (160, true));
}
