//! One observable action of 004, with the faults that it causes settled.
//!
//! Paper: 004 Def. 4.1; and rule `observe` of semantics.md point 10.

use super::Outcome;
use super::faults::{broken, pending, resolvable};
use super::rules::{
    Applied, handle_fault, move_to, op_end, op_start, performing, scale_in, scale_out,
};
use super::settle::settle;
use super::state::{Place, State};
use super::workflow::Event;
use super::world::World;

/// All that `event` may lead to.
pub(crate) fn step(world: &World<'_>, state: &State, event: &Event) -> Outcome {
    if let Some(id) = broken(state).first() {
        // Rule no-broken-instances; only a start state can be like this.
        return Outcome::blocked(format!("{id} is broken"));
    }
    let mut ended_by_fault = false;
    let applied = match event {
        Event::ScaleOut { node, id, container } => {
            scale_out(world, state, node, id, container.as_deref())
        }
        Event::ScaleIn { id } => scale_in(state, id),
        Event::Start { id, operation } => op_start(world, state, id, operation),
        Event::End { id, operation } => {
            let faults = pending(world, state);
            let left = faults.difference(&resolvable(world, state)).any(|(of, _)| of == id);
            ended_by_fault = left;
            if left {
                op_fault(world, state, id, operation)
            } else if faults.iter().any(|(of, _)| of == id) {
                // Only a start state is like this: no fault in the sense of semantics.md point 2
                // is pending, so the operation ends normally, and what is left settles with it.
                performing(world, state, id, operation).map(|at| {
                    let target = world.target(&state.active[id].node, at);
                    move_to(world, state, id, Place::In(target))
                })
            } else {
                op_end(world, state, id, operation)
            }
        }
        Event::Atomic { .. } => Err("operations are not atomic here".to_owned()),
    };
    match applied {
        Err(why) => Outcome::blocked(why),
        Ok(states) => {
            let mut outcome = settle(world, states);
            outcome.fault |= ended_by_fault;
            outcome
        }
    }
}

/// The end of an operation whose instance has a fault: the handler of the transition decides.
///
/// Paper: 004 Def. 4.1 (op-fault)
fn op_fault(world: &World<'_>, state: &State, id: &str, operation: &str) -> Applied {
    performing(world, state, id, operation)?;
    let mut states = Vec::new();
    let mut unhandled = None;
    for (_, requirement) in pending(world, state).iter().filter(|(of, _)| of == id) {
        match handle_fault(world, state, id, requirement) {
            Ok(handled) => states.extend(handled),
            Err(why) => unhandled = Some(why),
        }
    }
    match unhandled {
        Some(why) if states.is_empty() => Err(why),
        _ => Ok(states),
    }
}

/// What the world reports about an instance.
pub(crate) enum Report {
    /// It is in this state.
    In(String),
    /// It is gone.
    Gone,
}

/// Rule `observe`: the model follows the world, then faults settle. A report that says what the
/// model says changes nothing.
pub(crate) fn observe(world: &World<'_>, state: &State, id: &str, report: &Report) -> Outcome {
    let Some(active) = state.active.get(id) else {
        return Outcome::blocked(format!("{id} is not there"));
    };
    match report {
        Report::In(name) if active.place == Place::In(name.clone()) => {
            Outcome { settled: [state.clone()].into(), ..Outcome::default() }
        }
        Report::In(name) => settle(world, move_to(world, state, id, Place::In(name.clone()))),
        Report::Gone => match scale_in(state, id) {
            Ok(states) => settle(world, states),
            Err(why) => Outcome::blocked(why),
        },
    }
}

/// The state in which an instance is found when its process has died: what its type declares for
/// the state it was in, or in which the operation that it performed had begun.
pub(crate) fn crash_state(world: &World<'_>, state: &State, id: &str) -> Option<String> {
    let active = state.active.get(id)?;
    let protocol = world.protocol(&active.node);
    let declared = match &active.place {
        Place::In(name) => protocol.states.iter().find(|s| s.name == *name)?.on_crash,
        Place::Doing(at) => protocol.state(protocol.transitions[*at].from).on_crash,
    };
    Some(protocol.state(declared.unwrap_or(protocol.initial)).name.clone())
}
