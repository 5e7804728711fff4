//! Observations: the world is not where the model thinks it is. Our rule, in no paper.
//!
//! An observation is an action of the environment, never part of a plan. The same step serves
//! explanation, recovery planning and the analysis of crashes.

use super::behavior::{enter, scale_in};
use super::observable::settle;
use super::{Blocked, Outcome, Replica};
use crate::application::{GlobalState, InstanceId};
use crate::lifecycle::protocol::{Element, StateId};

/// What the world reports.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Observation {
    /// The instance is in this state. An operation that the model thinks it performs has failed.
    InState {
        /// The instance.
        instance: InstanceId,
        /// Its state.
        state: StateId,
    },
    /// The process of the instance died.
    Crashed {
        /// The instance.
        instance: InstanceId,
    },
    /// The instance does not exist any more.
    Vanished {
        /// The instance.
        instance: InstanceId,
    },
}

/// The model follows the world; then faults settle.
///
/// ```text
/// ⟨i, e⟩_N ∈ G     e ≠ s     G' = (G \ {⟨i, e⟩_N}) ∪ {⟨i, s⟩_N}     H' = ψ(H, N, i, e, s)
/// --------------------------------------------------------------------------------------- (observe)
/// ⟨G, H, V⟩ |--observe(i, s)--> settled ⟨G', H', V⟩
/// ```
/// A crash leads to the state that the type declares for it, else to its initial state; what
/// vanished is scaled in. An observation of what the model says already changes nothing.
///
/// Deviation: in no paper; this is how the outside world enters the model.
pub fn observe(
    replica: &Replica,
    before: &GlobalState,
    observation: &Observation,
) -> Result<Vec<Outcome>, Blocked> {
    let (Observation::InState { instance: id, .. }
    | Observation::Crashed { instance: id }
    | Observation::Vanished { instance: id }) = observation;
    let Some(instance) = before.instance(id) else {
        return Err(Blocked::NotActive { instance: id.clone() });
    };
    let after = match observation {
        Observation::Vanished { .. } => scale_in(before, id)?,
        Observation::InState { .. } | Observation::Crashed { .. } => {
            let protocol = replica.protocol(instance.node);
            let seen = match (observation, instance.element) {
                (Observation::InState { state, .. }, _) => *state,
                (_, Element::State(state)) => {
                    protocol.state(state).on_crash.unwrap_or(protocol.initial)
                }
                (_, Element::Transition(transition)) => {
                    let source = protocol.state(protocol.transition(transition).from);
                    source.on_crash.unwrap_or(protocol.initial)
                }
            };
            if instance.element == Element::State(seen) {
                return Ok(vec![Outcome { state: before.clone(), events: Vec::new() }]);
            }
            enter(replica, before, id, instance, Element::State(seen))
        }
    };
    let started = after.into_iter().map(|state| Outcome { state, events: Vec::new() });
    settle(replica, started.collect())
}
