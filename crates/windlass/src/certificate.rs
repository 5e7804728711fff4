//! Evidence of a verdict, and the small checker that replays it.
//!
//! The checker asks the reference semantics only and searches nothing: it shares no code with
//! `explore` or with a question such as `verify`, so a defect there is found here. It shares `step`
//! with them; `docs/trust.md` says what that means.

mod any_size;
mod closed_set;
mod cover;
mod ladder;
mod measure;
mod order;
mod run;
#[cfg(test)]
mod tests;

use std::fmt;

pub use any_size::{RefusedArgument, check_argument};
pub use cover::{RefusedCover, check_cover};
pub use ladder::{RefusedClimb, check_climb};
pub use order::{RefusedOrder, check_order};

use crate::system::{Evidence, Property, StopReason, System, Verdict};

/// How many states of a closed set are stepped from before an answer is given. A step of the
/// reference costs many times a compiled one, so stepping from all would cost more than the search.
pub(crate) const MOST_STEPPED: usize = 1_000;

/// Evidence about a system, in its states and actions.
pub(crate) type EvidenceOf<S> = Evidence<<S as System>::State, <S as System>::Action>;

/// A verdict about a property of a system, with its evidence.
pub(crate) type VerdictOf<S> = Verdict<EvidenceOf<S>, EvidenceOf<S>>;

/// What evidence is to show.
#[derive(Debug, Clone, Copy)]
pub struct Claim<'a, T> {
    /// The property.
    pub property: Property<'a, T>,
    /// Whether it is claimed to hold, or not to.
    pub holds: bool,
}

/// Why evidence does not show what is claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refused {
    /// Evidence of this kind cannot show the claim.
    WrongKind {
        /// The property claimed.
        property: &'static str,
        /// Whether it was claimed to hold.
        holds: bool,
        /// The kind of evidence given.
        kind: &'static str,
    },
    /// The evidence only says that a search was made.
    NothingToCheck,
    /// The run or the set does not begin in the initial state.
    WrongStart,
    /// The step with this number (from 0) is blocked, by this premise.
    Blocked(usize, String),
    /// The state after the step with this number is no successor by its action.
    NotASuccessor(usize),
    /// The predicate has the wrong value in this state.
    WrongPredicate(String),
    /// The run stops in a state that has successors.
    NotAnEnd,
    /// The cycle is empty or does not come back to where it began.
    NotACycle,
    /// This state is an end that the property does not allow.
    BadEnd(String),
    /// This successor is missing from the set.
    NotClosed(String),
    /// The measure does not fall on the way to this state.
    DoesNotFall(String),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongKind { property, holds, kind } => {
                let verb = if *holds { "holds" } else { "fails" };
                write!(f, "evidence of kind `{kind}` cannot show that `{property}` {verb}")
            }
            Self::NothingToCheck => {
                f.write_str("the evidence is a search, which leaves nothing to check")
            }
            Self::WrongStart => f.write_str("the evidence does not contain the initial state"),
            Self::Blocked(step, premise) => write!(f, "step {step} is blocked: {premise}"),
            Self::NotASuccessor(step) => write!(f, "step {step} does not lead to the state given"),
            Self::WrongPredicate(state) => {
                write!(f, "the predicate has the wrong value in {state}")
            }
            Self::NotAnEnd => f.write_str("the run stops where it could go on"),
            Self::NotACycle => f.write_str("the cycle does not come back to where it began"),
            Self::BadEnd(state) => write!(f, "nothing can follow {state}"),
            Self::NotClosed(state) => write!(f, "the set lacks the successor {state}"),
            Self::DoesNotFall(state) => {
                write!(f, "the measure does not fall on the way to {state}")
            }
        }
    }
}

impl std::error::Error for Refused {}

/// Whether `evidence` shows `claim` for `system`, in time linear in the evidence (and the
/// logarithm of its size).
pub fn check<S: System>(
    system: &S,
    claim: &Claim<'_, S::State>,
    evidence: &EvidenceOf<S>,
) -> Result<(), Refused> {
    check_up_to(system, claim, evidence, usize::MAX)
}

/// [`check`], where of a closed set at most about `most_stepped` states are stepped from.
fn check_up_to<S: System>(
    system: &S,
    claim: &Claim<'_, S::State>,
    evidence: &EvidenceOf<S>,
    most_stepped: usize,
) -> Result<(), Refused> {
    let shows_a_run = match claim.property {
        Property::Reachable(_) => claim.holds,
        _ => !claim.holds,
    };
    match (evidence, &claim.property) {
        (Evidence::Search(_), _) => Err(Refused::NothingToCheck),
        (Evidence::Trace(trace), property) if shows_a_run => {
            run::check_trace(system, property, trace)
        }
        (Evidence::Lasso { stem, cycle }, Property::Eventually(p)) if shows_a_run => {
            run::check_lasso(system, *p, stem, cycle)
        }
        (Evidence::Measure(ranks), Property::Eventually(p)) if claim.holds => {
            measure::check(system, *p, ranks)
        }
        (Evidence::ClosedSet(states), property)
            if !shows_a_run && !matches!(property, Property::Eventually(_)) =>
        {
            closed_set::check(system, property, states, most_stepped)
        }
        _ => Err(Refused::WrongKind {
            property: claim.property.name(),
            holds: claim.holds,
            kind: evidence.kind(),
        }),
    }
}

/// The verdict, once its evidence has been checked; unknown when the evidence does not show it,
/// which is a defect of the search that made it. Evidence that is only a search passes: its kind
/// says that there is nothing to check.
///
/// Every answer of a search goes through here before it is given. A closed set of more than
/// [`MOST_STEPPED`] states is stepped from at that many of them, evenly spread; its start and the
/// predicate are checked in all. [`check`] does the whole.
pub(crate) fn checked<S: System>(
    system: &S,
    property: Property<'_, S::State>,
    verdict: VerdictOf<S>,
) -> VerdictOf<S> {
    let (holds, evidence) = match &verdict {
        Verdict::Unknown(_) => return verdict,
        Verdict::Holds(evidence) => (true, evidence),
        Verdict::Fails(evidence) => (false, evidence),
    };
    match check_up_to(system, &Claim { property, holds }, evidence, MOST_STEPPED) {
        Ok(()) | Err(Refused::NothingToCheck) => verdict,
        Err(_) => Verdict::Unknown(StopReason::Replay),
    }
}

/// Every successor of `state`, by the reference.
fn successors<S: System>(system: &S, state: &S::State) -> impl Iterator<Item = S::State> {
    system
        .candidates(state)
        .into_iter()
        .filter_map(move |action| system.step(state, &action).ok())
        .flatten()
}

/// Whether no action is possible in `state`, by the reference.
fn is_end<S: System>(system: &S, state: &S::State) -> bool {
    successors(system, state).next().is_none()
}
