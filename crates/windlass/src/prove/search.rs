//! Every run is looked at: for systems that one run does not decide.

use std::hash::Hash;

use super::{Answer, Proof};
use crate::certificate;
use crate::explore::{self, Derived, Options};
use crate::system::{Budget, Evidence, Predicate, Property, System, Verdict};

/// The evidence of a search, in readable states.
type EvidenceOf<S> = Evidence<<S as System>::State, <S as System>::Action>;

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
    let mut proof = Proof {
        answer: Answer::Unknown,
        method: "search",
        assumptions,
        stuck: None,
        evidence: "search",
        size: outcome.progress.states,
        stopped: None,
    };
    let (holds, evidence) = match outcome.verdict {
        Verdict::Unknown(reason) => {
            proof.stopped = Some(reason);
            return (proof, None);
        }
        Verdict::Holds(evidence) => (true, evidence),
        Verdict::Fails(evidence) => (false, evidence),
    };
    let claim = certificate::Claim { property: Property::Eventually(&arrives), holds };
    match certificate::check(system, &claim, &evidence) {
        Ok(()) | Err(certificate::Refused::NothingToCheck) => {}
        Err(_) => return (proof, None),
    }
    proof.evidence = evidence.kind();
    proof.answer = if holds { Answer::AlwaysCompletes } else { Answer::CanGetStuck };
    (proof, Some(evidence))
}
