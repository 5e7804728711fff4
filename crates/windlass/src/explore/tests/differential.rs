//! The search against the slow obvious reference, on random graphs with nondeterminism.

use proptest::prelude::*;

use super::ask_both;
use super::naive::{avoids, cycle_length, distances, successors};
use crate::system::models::Graph;
use crate::system::{Evidence, Property, System, Verdict, disagreement};

/// Graphs of up to seven nodes; an action may have several targets, or none (then it is blocked).
fn graphs() -> impl Strategy<Value = Graph> {
    (1_u8..=7)
        .prop_flat_map(|nodes| {
            let targets = prop::collection::vec(0..nodes, 0..=2);
            let actions = prop::collection::vec(targets, 0..=2);
            prop::collection::vec(actions, usize::from(nodes))
        })
        .prop_map(Graph)
}

/// The steps of the trace that is the evidence.
fn trace_length(verdict: &Verdict<Evidence<u8, usize>, Evidence<u8, usize>>) -> Option<usize> {
    match verdict {
        Verdict::Holds(Evidence::Trace(trace)) | Verdict::Fails(Evidence::Trace(trace)) => {
            Some(trace.steps.len())
        }
        _ => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::test_size::cases(1000)))]

    #[test]
    fn always_and_reachable(graph in graphs(), good in any::<u8>()) {
        let predicate = |node: &u8| good >> node & 1 == 1;
        let known = distances(&graph, &0, &|_| true);
        let shortest = |wanted: bool| {
            let of = |(node, far): (&u8, &usize)| (predicate(node) == wanted).then_some(*far);
            known.iter().filter_map(of).min()
        };
        let always = ask_both(&graph, Property::Always(&predicate));
        prop_assert_eq!(always.verdict.holds(), shortest(false).is_none());
        prop_assert_eq!(trace_length(&always.verdict), shortest(false));
        if always.verdict.holds() {
            prop_assert_eq!(always.progress.states, known.len());
        }
        let reachable = ask_both(&graph, Property::Reachable(&predicate));
        prop_assert_eq!(reachable.verdict.holds(), shortest(true).is_some());
        prop_assert_eq!(trace_length(&reachable.verdict), shortest(true));
    }

    #[test]
    fn deadlock_free(graph in graphs(), accepted in any::<u8>()) {
        let predicate = |node: &u8| accepted >> node & 1 == 1;
        let known = distances(&graph, &0, &|_| true);
        let stuck = |node: &u8| !predicate(node) && successors(&graph, node).is_empty();
        let shortest = known.iter().filter(|(node, _)| stuck(node)).map(|(_, far)| *far).min();
        let outcome = ask_both(&graph, Property::DeadlockFree(&predicate));
        prop_assert_eq!(outcome.verdict.holds(), shortest.is_none());
        prop_assert_eq!(trace_length(&outcome.verdict), shortest);
    }

    #[test]
    fn eventually(graph in graphs(), good in any::<u8>()) {
        let predicate = |node: &u8| good >> node & 1 == 1;
        let outside = |node: &u8| !predicate(node);
        let outcome = ask_both(&graph, Property::Eventually(&predicate));
        prop_assert_eq!(outcome.verdict.fails(), avoids(&graph, &mut vec![0], &predicate));
        let known = distances(&graph, &0, &outside);
        let bad = known.iter().filter(|(node, _)| outside(node));
        let ends = bad.clone().filter(|(node, _)| successors(&graph, node).is_empty());
        let shortest = ends.map(|(_, far)| *far).min();
        prop_assert_eq!(trace_length(&outcome.verdict), shortest);
        if let Verdict::Fails(Evidence::Lasso { stem, cycle }) = &outcome.verdict {
            let on_cycle = bad.filter(|(node, _)| cycle_length(&graph, node, &predicate).is_some());
            prop_assert_eq!(Some(stem.steps.len()), on_cycle.map(|(_, far)| *far).min());
            prop_assert_eq!(Some(cycle.len()), cycle_length(&graph, stem.last(), &predicate));
        }
    }

    #[test]
    fn compiled_graphs_agree_per_transition(graph in graphs()) {
        for node in 0..graph.0.len() as u8 {
            prop_assert_eq!(disagreement(&graph, &node), None);
        }
    }

    #[test]
    fn compiled_operations_agree_per_transition(phases in prop::collection::vec(0_u8..3, 0..70)) {
        use crate::system::example::{Operations, Phase};
        let phase = |number: &u8| [Phase::Idle, Phase::Running, Phase::Done][usize::from(*number)];
        let state: Vec<Phase> = phases.iter().map(phase).collect();
        prop_assert_eq!(disagreement(&Operations::new(state.len()), &state), None);
    }
}

#[test]
fn a_wrong_compiled_form_is_noticed() {
    use super::super::{Compiled, Options, search};
    use crate::system::{Compile, Disagreement, Outgoing, StopReason, Successors, Unlimited};

    /// The compiled form knows a way from 0 to 2 that the reference does not.
    #[derive(Debug)]
    struct Wrong(Graph);
    impl System for Wrong {
        type State = u8;
        type Action = usize;
        type Blocked = &'static str;
        fn initial(&self) -> u8 {
            0
        }
        fn candidates(&self, node: &u8) -> Vec<usize> {
            self.0.candidates(node)
        }
        fn step(&self, node: &u8, action: &usize) -> Result<Successors<u8>, &'static str> {
            self.0.step(node, action)
        }
    }
    impl Compile for Wrong {
        fn words(&self) -> usize {
            1
        }
        fn encode(&self, node: &u8, into: &mut [u64]) {
            into[0] = u64::from(*node);
        }
        fn decode(&self, encoded: &[u64]) -> u8 {
            encoded[0] as u8
        }
        fn successors(&self, encoded: &[u64], out: &mut Outgoing) {
            if encoded[0] < 2 {
                out.push(0, encoded)[0] += 2;
            }
        }
        fn action(&self, _: &[u64], id: u32) -> usize {
            id as usize
        }
    }

    let wrong = Wrong(Graph::of_edges(3, &[(0, 1)]));
    assert_eq!(disagreement(&wrong, &0), Some(Disagreement::Missing(0, 1)));
    assert_eq!(disagreement(&wrong, &1), Some(Disagreement::Invented(0, 3)));
    let outcome = search(
        &Compiled(&wrong),
        Property::Reachable(&|encoded: &[u64]| encoded[0] == 2),
        &Options::default(),
        &mut Unlimited,
    );
    assert_eq!(outcome.verdict, Verdict::Unknown(StopReason::Replay), "no story that is not true");
}
