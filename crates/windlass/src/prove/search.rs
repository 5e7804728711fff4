//! Every run is looked at: for systems that one run does not decide.

use std::hash::Hash;

use super::{Answer, Proof};
use crate::certificate::{self, EvidenceOf, VerdictOf};
use crate::explore::{self, Derived, Options};
use crate::system::{Budget, Predicate, Property, System, Verdict};

/// Whether nothing can happen in a state.
pub(super) fn is_end<S: System>(system: &S, state: &S::State) -> bool {
    system.candidates(state).iter().all(|action| system.step(state, action).is_err())
}

/// Decides whether every run ends in a state of the goal. A run that ends elsewhere is preferred to
/// one that never ends. The evidence is there when it has been checked, or is a search.
pub(super) fn search<S>(
    system: &S,
    is_goal: Predicate<'_, S::State>,
    assumptions: Vec<String>,
    options: &Options,
    budget: &mut dyn Budget,
) -> (Proof, Option<EvidenceOf<S>>)
where
    S: System + Sync,
    S::State: Hash + Send + Sync,
    S::Action: Send + Sync,
{
    let arrives = |state: &S::State| is_goal(state) && is_end(system, state);
    let property = Property::Eventually(&arrives);
    let outcome = explore::search(&Derived(system), property, options, budget);
    let proof = Proof {
        answer: Answer::Unknown,
        method: "search",
        assumptions,
        stuck: None,
        evidence: "search",
        size: outcome.progress.states,
        stopped: None,
    };
    with_verdict(proof, system, property, outcome.verdict)
}

/// The proof with a verdict, whose evidence is checked first.
fn with_verdict<S: System>(
    mut proof: Proof,
    system: &S,
    property: Property<'_, S::State>,
    verdict: VerdictOf<S>,
) -> (Proof, Option<EvidenceOf<S>>) {
    let (holds, evidence) = match certificate::checked(system, property, verdict) {
        Verdict::Unknown(reason) => {
            proof.stopped = Some(reason);
            return (proof, None);
        }
        Verdict::Holds(evidence) => (true, evidence),
        Verdict::Fails(evidence) => (false, evidence),
    };
    proof.evidence = evidence.kind();
    proof.answer = if holds { Answer::AlwaysCompletes } else { Answer::CanGetStuck };
    (proof, Some(evidence))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::models::Graph;
    use crate::system::{Evidence, StopReason, Unlimited};

    /// 0 -> {1, 2} -> 3, and node 4 that nothing leads to.
    fn graph() -> Graph {
        Graph::of_edges(5, &[(0, 1), (0, 2), (1, 3), (2, 3), (4, 3)])
    }

    fn judged(verdict: VerdictOf<Graph>) -> Proof {
        let system = graph();
        let is_last = |node: &u8| *node == 3;
        let (proof, _) = search(&system, &is_last, Vec::new(), &Options::default(), &mut Unlimited);
        let proof = Proof { answer: Answer::Unknown, ..proof };
        with_verdict(proof, &system, Property::Eventually(&is_last), verdict).0
    }

    #[test]
    fn damaged_evidence_is_no_answer() {
        let system = graph();
        let is_last = |node: &u8| *node == 3;
        let (proof, evidence) =
            search(&system, &is_last, Vec::new(), &Options::default(), &mut Unlimited);
        assert_eq!((proof.answer, proof.evidence), (Answer::AlwaysCompletes, "measure"));
        let Some(Evidence::Measure(ranks)) = evidence else { panic!("every state has a rank") };
        assert_eq!(
            judged(Verdict::Holds(Evidence::Measure(ranks.clone()))).answer,
            Answer::AlwaysCompletes
        );
        let claims = (0..ranks.len()).flat_map(|at| {
            let mut fewer = ranks.clone();
            fewer.remove(at);
            let mut higher = ranks.clone();
            higher[at].1 += 10;
            let is_start = ranks[at].0 == 0;
            let higher = (!is_start).then_some(higher);
            [Some(fewer), higher].into_iter().flatten().map(Evidence::Measure)
        });
        for evidence in claims {
            let proof = judged(Verdict::Holds(evidence));
            assert_eq!(proof.answer, Answer::Unknown);
            assert_eq!(proof.stopped, Some(StopReason::Replay));
        }
        let trace = crate::system::Trace { start: 0, steps: Vec::new() };
        let proof = judged(Verdict::Fails(Evidence::Trace(trace)));
        assert_eq!(proof.answer, Answer::Unknown, "the run could go on");
    }
}
