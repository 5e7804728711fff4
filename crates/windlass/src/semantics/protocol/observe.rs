//! Observations where every node is one instance: the world is not where the model thinks it is.
//!
//! As in `semantics/replica/observe.rs` an observation is an action of the environment and never
//! part of a plan. What it breaks is a fault: handlers take it (`faults: handled`), or nothing may
//! happen any more (`faults: forbidden`).

use std::collections::BTreeSet;

use super::{Action, Blocked, ServiceTemplate, States};
use crate::application::NodeId;
use crate::lifecycle::protocol::{RequirementId, StateId};
use crate::system::System;

/// Where a crash leads what is in `state`: where its type says, else to the beginning.
pub(crate) fn after_crash(template: &ServiceTemplate, node: NodeId, state: StateId) -> StateId {
    let protocol = template.protocol(node);
    protocol.state(state).on_crash.unwrap_or(protocol.initial)
}

/// The process of a node died.
///
/// ```text
/// (N_i, s) ∈ G     s' = on_crash(s), or s̄_i when the type declares none
/// --------------------------------------------------------------------- (observe)
/// G --observe(N_i)--> {..., (N_i, s'), ...}
/// ```
/// Deviation: in no paper; this is how the outside world enters the model.
pub fn crashed(template: &ServiceTemplate, before: &States, node: NodeId) -> States {
    before.with(node, after_crash(template, node, before.of(node)))
}

/// A fault that a handler took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Handled {
    /// The node that relied on something.
    pub node: NodeId,
    /// What it relied on.
    pub requirement: RequirementId,
    /// Where its handler led.
    pub to: StateId,
}

/// Where handlers lead, one after another, and what they did. Nodes that are `busy` keep their
/// faults; the error is the first fault that no handler takes, where handlers cannot lead on.
///
/// Of several handlers the first is taken: a valid plan is good for each of them.
pub fn settle(
    template: &ServiceTemplate,
    before: &States,
    busy: &dyn Fn(NodeId) -> bool,
) -> (States, Vec<Handled>, Option<Blocked>) {
    let mut states = before.clone();
    let mut handled = Vec::new();
    let mut seen = BTreeSet::from([states.clone()]);
    loop {
        let mut blocked = None;
        let mut next = None;
        for (node, requirement) in template.faults(&states) {
            if busy(node) {
                continue;
            }
            match template.step(&states, &Action::HandleFault { node, requirement }) {
                Ok(after) => {
                    let after = after.first().clone();
                    let to = after.of(node);
                    next = Some((after, Handled { node, requirement, to }));
                    break;
                }
                Err(premise) => drop(blocked.get_or_insert(premise)),
            }
        }
        let Some((after, step)) = next else { return (states, handled, blocked) };
        states = after;
        handled.push(step);
        if !seen.insert(states.clone()) {
            // Handlers that lead in a cycle never let go of the fault.
            let (node, requirement) = (step.node, step.requirement);
            return (states, handled, Some(Blocked::FaultPending { node, requirement }));
        }
    }
}

/// What relies on something that is gone counts as dead, until every state is consistent: the way
/// out of a fault that nothing handles, when the operator asks for it. The nodes that are dead
/// then; none when even the beginning of a life cycle relies on what is not there.
pub fn given_up(template: &ServiceTemplate, before: &States) -> Option<(States, BTreeSet<NodeId>)> {
    let mut states = before.clone();
    let mut dead = BTreeSet::new();
    while let Some((node, _)) = template.faults(&states).first().copied() {
        let initial = template.protocol(node).initial;
        if states.of(node) == initial {
            return None;
        }
        // Where a crash leads may rely on it as well.
        let to =
            if dead.insert(node) { after_crash(template, node, states.of(node)) } else { initial };
        states = states.with(node, to);
    }
    Some((states, dead))
}
