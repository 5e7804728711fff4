//! What paper 004 proves about planning, on random applications.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]

use crate::naive::graph::{Graph, Manner, Truth};
use crate::naive::state::State;
use crate::support::prng::Prng;
use crate::support::random::{self, Wild};
use crate::support::{long, planning, sketch};
use windlass::application::{Application, GlobalState, NodeId};
use windlass::goal::evaluate::Closure;
use windlass::goal::{Amount, Goal, GoalFile, Want};
use windlass::lifecycle::protocol::{Arity, StateId};
use windlass::synthesize::sequence::support::limits;
use windlass::synthesize::sequence::tables::Tables;
use windlass::synthesize::{Answer, Question};

fn ask(application: &Application, start: &GlobalState, goal: &GoalFile, faults: bool) -> Answer {
    let question = Question { allow_faults: faults, ..Question::new(application, start, goal) };
    planning::ask(&question, 20_000)
}

/// The support instances of one instance, by the definition.
fn by_definition(application: &Application, node: NodeId, all: &mut [u32]) {
    for binding in &application.node(node).bindings {
        let requirement = &application.type_of(node).requirements[binding.requirement.index()];
        let several = match requirement.arity {
            Arity::Any => 1,
            Arity::AtLeast(number) => number.max(1),
            Arity::All => application.node(binding.target).count.max(1),
        };
        for _ in 0..several {
            all[binding.target.index()] += 1;
            by_definition(application, binding.target, all);
        }
    }
}

/// Paper: 004 Prop. 4.1
#[test]
fn support_instances_are_finite_and_as_many_as_the_definition_says() {
    for seed in 0..long::cases(100) {
        let mut prng = Prng::new(long::seed(0x41) + seed);
        let application = random::application(&mut prng, Wild::default());
        let tables = Tables::new(&application).expect("protocols");
        let given: Vec<u32> = application.nodes.iter().map(|_| prng.below(3) as u32).collect();
        let mut all = given.clone();
        for (node, count) in given.iter().enumerate() {
            for _ in 0..*count {
                by_definition(&application, NodeId::from(node), &mut all);
            }
        }
        assert_eq!(limits(&tables, &given), all, "seed {seed}");
    }
}

/// Something small enough to be walked through.
const SMALL: &str = "
type box has host
  state off
  state on offers host
  op off start on
  op on stop off
type app needs host:containment
  state down
  state up needs host fault down
  op down start up needs host fault down
  op up stop down
node box box
node app app host=box.host
";

/// The planning graph of a small question is walked through to its end, whatever the goal.
///
/// Paper: 004 Prop. 4.2
#[test]
fn the_planning_graph_is_finite() {
    let application = sketch::application(SMALL);
    let start = sketch::state(&application, "b box on\na app up in b\n");
    let app = application.node_named("app").expect("a node");
    // Two boxes need room, so everything is looked at.
    let state = StateId::from(1);
    let wants = vec![
        Want::Node { node: app, state, amount: Amount::AtLeast(1) },
        Want::NodeGone(application.node_named("box").expect("a node")),
    ];
    let goal = Goal { wants };
    for interleaved in [false, true] {
        let manner = Manner { interleaved, faults: true };
        let graph = Graph::new(&application, &start, &goal, Closure::Open, manner);
        let truth = graph.search(&State::from_global(&application, &start), 200_000);
        assert_eq!(truth, Truth::Unreachable);
    }
}

/// Whatever happened, everything can be taken away.
///
/// Paper: 004 Prop. 4.3
#[test]
fn every_state_leads_back_to_nothing() {
    let mut cases = 0;
    for seed in 0..long::cases(120) {
        let mut prng = Prng::new(long::seed(0x43) + seed);
        let application = random::application(&mut prng, Wild::default());
        let start = random::start(&mut prng, &application);
        let gone = application.node_ids().map(Want::NodeGone).collect();
        let goal = GoalFile { goal: Goal { wants: gone }, ..GoalFile::default() };
        match ask(&application, &start, &goal, true) {
            Answer::Plan(_) => cases += 1,
            // A fault that no handler takes may be in the way, and beliefs may be too many.
            Answer::Unknown { .. } => {}
            Answer::Unreachable(why) => panic!("seed {seed}: {why:?}"),
            Answer::Nets => panic!("protocols"),
        }
    }
    assert!(cases > long::cases(120) * 3 / 4, "{cases}");
}

/// What can be reached from nothing can be reached from everywhere.
///
/// Paper: 004 Thm. 4.2
/// Deviation: the theorem prints the empty state where the given one is meant.
#[test]
fn what_can_be_reached_from_nothing_can_be_reached_from_everywhere() {
    let mut cases = 0;
    for seed in 0..long::cases(80) {
        let mut prng = Prng::new(long::seed(0x42) + seed);
        let application = random::application(&mut prng, Wild::default());
        let node = NodeId::from(prng.below(application.nodes.len()));
        let states = application.protocol_of(node).expect("protocols").states.len();
        let want = Want::Node {
            node,
            state: StateId::from(prng.below(states)),
            amount: Amount::Exactly(1),
        };
        let goal = GoalFile { goal: Goal { wants: vec![want] }, ..GoalFile::default() };
        if !matches!(ask(&application, &GlobalState::empty(), &goal, false), Answer::Plan(_)) {
            continue;
        }
        let start = random::start(&mut prng, &application);
        match ask(&application, &start, &goal, true) {
            Answer::Plan(_) => cases += 1,
            Answer::Unknown { .. } => {}
            Answer::Unreachable(why) => panic!("seed {seed}: {why:?}"),
            Answer::Nets => panic!("protocols"),
        }
    }
    assert!(cases > long::cases(80) / 4, "{cases}");
}
