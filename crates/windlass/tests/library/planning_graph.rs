//! The planner against exhaustive search over the planning graph of paper 004.
//!
//! The reference knows nothing of the planner: it takes the naive semantics, gives every
//! requirement of every instance of start and goal a support instance of its own (Def. 4.5), and
//! walks through everything that can be reached (Def. 4.6), cheapest first. It follows sets of
//! states, because with the policy `any` a path has to be good for every choice, and leaves out
//! what faults, unless faults are allowed. Operations are performed as a whole, because a plan
//! orders whole operations; how much that leaves out is counted against the graph in which their
//! starts and ends are arcs of their own.

#![allow(clippy::format_push_string, reason = "short, not fast")]
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::naive::graph::{Graph, Manner, Truth};
use crate::naive::state::State;
use crate::support::long;
use crate::support::prng::Prng;
use crate::support::{planning, sketch, small};
use windlass::application::{Application, GlobalState};
use windlass::goal::evaluate::Closure;
use windlass::goal::{self, GoalFile};
use windlass::lifecycle::protocol::{Element, StateId};
use windlass::plan::Plan;
use windlass::semantics::replica::Replica;
use windlass::synthesize::order::is_fault_free;
use windlass::synthesize::{Answer, Question};
use windlass::system::System;

/// The same with an instance where it should not be, so that faults may be pending.
fn disturbed(prng: &mut Prng, application: &Application, mut state: GlobalState) -> GlobalState {
    let number = prng.below(state.instances.len().max(1));
    if let Some(instance) = state.instances.values_mut().nth(number) {
        let states = application.protocol_of(instance.node).expect("protocols").states.len();
        instance.element = Element::State(StateId::from(prng.below(states)));
    }
    state
}

/// A random question.
struct Case {
    text: String,
    application: Application,
    start: GlobalState,
    file: GoalFile,
    closure: Closure,
    faults: bool,
    disturbed: bool,
}

impl Case {
    fn new(seed: u64) -> Self {
        let mut prng = Prng::new(long::seed(0x91a9) + seed);
        let text = small::application(&mut prng, 45);
        let application = sketch::application(&text);
        let mut start = small::start(&mut prng, &application);
        let disturbed = prng.chance(25);
        if disturbed {
            start = self::disturbed(&mut prng, &application, start);
        }
        let file = GoalFile { goal: small::goal(&mut prng, &application), ..GoalFile::default() };
        let closure = if prng.chance(20) { Closure::Exact } else { Closure::Open };
        let faults = prng.chance(25);
        Case { text, application, start, file, closure, faults, disturbed }
    }

    /// The application with as many instances of each node as the goal wants.
    fn counted(&self) -> Application {
        let mut counted = self.application.clone();
        for (node, count) in self.file.goal.counts() {
            counted.nodes[node.index()].count = count;
        }
        counted
    }

    fn truth(&self, counted: &Application, interleaved: bool, limit: usize) -> Truth {
        let manner = Manner { interleaved, faults: self.faults };
        let graph = Graph::new(counted, &self.start, &self.file.goal, self.closure, manner);
        graph.search(&State::from_global(counted, &self.start), limit)
    }

    fn answer(&self) -> Answer {
        let plain = Question::new(&self.application, &self.start, &self.file);
        let (closure, allow_faults) = (self.closure, self.faults);
        planning::ask(&Question { closure, allow_faults, prove: true, ..plain }, 30_000)
    }

    fn describe(&self, seed: u64, answer: &Answer) -> String {
        let start = sketch::show(&self.application, &self.start);
        let goal = goal::print(&self.file.goal, &self.application);
        let (closure, faults, text) = (self.closure, self.faults, &self.text);
        format!("seed {seed}: {goal} {closure:?} faults {faults} from\n{start}\n{text}\n{answer:?}")
    }
}

/// What came of all cases.
#[derive(Debug, Default)]
struct Tally {
    reached: u64,
    unreachable: u64,
    too_large: u64,
    /// Of those reached: faults allowed, and used; faults pending in the start.
    with_faults: u64,
    faulting: u64,
    disturbed: u64,
    /// Compared with the graph of single events, and those where it has shorter paths.
    interleaved: u64,
    shorter: u64,
}

#[test]
fn reachability_and_length_agree_with_exhaustive_search() {
    let mut tally = Tally::default();
    let cases = long::cases(240);
    // A case that failed is looked at again by its number.
    let first = std::env::var("WINDLASS_FIRST").ok().and_then(|n| n.parse().ok()).unwrap_or(0_u64);
    for seed in first..first + cases {
        let case = Case::new(seed);
        let counted = case.counted();
        let truth = case.truth(&counted, false, 1_500);
        let answer = case.answer();
        match (&truth, &answer) {
            (Truth::Length(length), Answer::Plan(found)) => {
                let at = || case.describe(seed, &answer);
                assert_eq!(found.plan.length(), *length, "{}", at());
                assert!(found.optimal, "{}", at());
                let settled = !case.faults && !case.disturbed;
                assert!(!settled || found.report.deterministic == Some(true), "{}", at());
                assert!(case.faults || found.faults.is_empty(), "{}", at());
                // Tier T1 is cautious about arities; what it cannot show stays a sequence.
                let shown = settled && found.report.tier == "T1";
                assert!(!shown || is_minimal(&counted, &case.start, &found.plan), "{}", at());
                tally.reached += 1;
                tally.with_faults += u64::from(case.faults);
                tally.faulting += u64::from(!found.faults.is_empty());
                tally.disturbed += u64::from(case.disturbed);
            }
            (Truth::Unreachable, Answer::Unreachable(_)) => tally.unreachable += 1,
            (Truth::TooLarge, _) => tally.too_large += 1,
            _ => panic!("{truth:?}, {}", case.describe(seed, &answer)),
        }
        if seed % 4 == 0 && truth != Truth::TooLarge {
            compare_interleaved(&case, &counted, &truth, &mut tally);
        }
    }
    eprintln!("figure: {cases} cases, {tally:?}");
    assert!(tally.reached > cases / 4 && tally.unreachable > cases / 40, "{tally:?}");
    assert!(tally.faulting > 0 && tally.disturbed > 0 && tally.interleaved > 0, "{tally:?}");
}

/// Def. 4.6 has an arc for the start of an operation and one for its end. Paths of whole operations
/// are among its paths, so it can only be shorter: where something is offered only while an
/// operation runs, and another operation has to start and end meanwhile. No order of whole actions
/// can say that.
fn compare_interleaved(case: &Case, counted: &Application, truth: &Truth, tally: &mut Tally) {
    let interleaved = case.truth(counted, true, 2_000);
    match (&interleaved, truth) {
        (Truth::TooLarge, _) => return,
        (Truth::Length(short), Truth::Length(long)) => {
            assert!(short <= long, "{}", case.text);
            tally.shorter += u64::from(short < long);
        }
        (Truth::Length(_), Truth::Unreachable) => tally.shorter += 1,
        (Truth::Unreachable, Truth::Unreachable) => {}
        _ => panic!("{interleaved:?} against {truth:?}: {}", case.text),
    }
    tally.interleaved += 1;
}

/// Whether the plan is free of faults, and would not be without any one of its edges.
fn is_minimal(application: &Application, start: &GlobalState, plan: &Plan) -> bool {
    let without = |at: usize| {
        let mut fewer = plan.clone();
        fewer.order.remove(at);
        fewer
    };
    is_fault_free(application, start, plan)
        && (0..plan.order.len()).all(|at| !is_fault_free(application, start, &without(at)))
}

/// What offers to the plan's own instances is a matter of the plan: a state of a random walk
/// is settled, so that the first action finds it as it is.
#[test]
fn starts_are_settled() {
    for seed in 0..50 {
        let mut prng = Prng::new(seed);
        let application = sketch::application(&small::application(&mut prng, 45));
        let start = small::start(&mut prng, &application);
        let replica = Replica::new(&application, start.clone()).expect("protocols");
        let faults =
            windlass::semantics::replica::faults::unresolvable(&replica, &replica.initial());
        assert!(faults.is_empty());
    }
}
