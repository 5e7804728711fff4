//! Faults settle before the next action (semantics.md point 2).
//!
//! While an instance is broken, `destroy`; else while a fault is resolvable, `resolve-fault`; else
//! `handle-fault` for instances that are in a state; until none applies. All orders are tried.

use std::collections::BTreeSet;

use super::Outcome;
use super::faults::{broken, pending, resolvable};
use super::rules::{handle_fault, resolve_fault, scale_in};
use super::state::{Place, State};
use super::world::World;

/// All the ways in which the faults of some states settle.
///
/// Paper: 004 Def. 4.1 (absorbe-r)
/// Paper: 004 Def. 4.1 (absorbe-h)
/// Paper: 004 Def. 4.1 (absorbe-d)
/// Deviation: the absorbing is eager, it may not stop before nothing applies.
pub(crate) fn settle(world: &World<'_>, states: Vec<State>) -> Outcome {
    let mut outcome = Outcome::default();
    let mut seen: BTreeSet<State> = BTreeSet::new();
    let mut waiting = states;
    while let Some(state) = waiting.pop() {
        if !seen.insert(state.clone()) {
            continue;
        }
        let mut next = Vec::new();
        let broken = broken(&state);
        let resolvable = resolvable(world, &state);
        if !broken.is_empty() {
            for id in &broken {
                next.extend(scale_in(&state, id).unwrap_or_default());
            }
        } else if !resolvable.is_empty() {
            for (id, requirement) in &resolvable {
                next.extend(resolve_fault(world, &state, id, requirement).unwrap_or_default());
            }
        } else {
            let faults = pending(world, &state);
            outcome.fault |= !faults.is_empty();
            let resting: Vec<_> = faults
                .iter()
                .filter(|(id, _)| matches!(state.active[id].place, Place::In(_)))
                .collect();
            let mut unhandled = None;
            for (id, requirement) in &resting {
                match handle_fault(world, &state, id, requirement) {
                    Ok(handled) => next.extend(handled),
                    Err(why) => unhandled = Some(why),
                }
            }
            if next.is_empty() {
                // Nothing applies: either all is well, or a fault is left that no handler takes.
                match unhandled {
                    None => drop(outcome.settled.insert(state)),
                    Some(why) => outcome.failure = Some(why),
                }
            }
        }
        waiting.extend(next);
    }
    outcome
}
