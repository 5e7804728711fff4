//! The relations `forbidden` and `handled`: one instance per node, atomic operations, static
//! bindings.
//!
//! Paper: 003 Def. 5 to 7; semantics.md "Which relation". Which instance satisfies what follows
//! from the description alone, so `H` and `V` of the state are not looked at.

use std::collections::BTreeSet;

use super::Outcome;
use super::faults::{Fault, enough, handler_targets, satisfy};
use super::state::{Place, State};
use super::workflow::Event;
use super::world::World;

/// `caps(r)` is defined and offered.
fn is_offered(world: &World<'_>, state: &State, node: &str, requirement: &str) -> bool {
    enough(world, state, node, requirement, &satisfy(world, state, node, requirement))
}

/// The assumed requirements that nothing satisfies; a state is consistent when there are none.
///
/// Paper: 003 Def. 6
pub(crate) fn unsatisfied(world: &World<'_>, state: &State) -> BTreeSet<Fault> {
    let mut faults = BTreeSet::new();
    for (id, active) in &state.active {
        for requirement in world.requires(active) {
            if !is_offered(world, state, &active.node, &requirement) {
                faults.insert((id.clone(), requirement));
            }
        }
    }
    faults
}

/// The states that an operation leads to: one for each alternative whose condition holds.
///
/// Paper: 003 Def. 5
fn operate(
    world: &World<'_>,
    state: &State,
    id: &str,
    operation: &str,
) -> Result<BTreeSet<State>, String> {
    let Some(active) = state.active.get(id) else { return Err(format!("{id} is not there")) };
    let Place::In(name) = &active.place else {
        return Err(format!("{id} is performing an operation"));
    };
    let mut reached = BTreeSet::new();
    let mut why = format!("{id} has no {operation} in {name}");
    for at in world.transitions(&active.node, name, operation) {
        let mut condition = active.clone();
        condition.place = Place::Doing(at);
        let needed = world.requires(&condition);
        let missing = needed.iter().find(|r| !is_offered(world, state, &active.node, r));
        if let Some(requirement) = missing {
            why = format!("{requirement} of {id} is not offered");
            continue;
        }
        let mut next = state.clone();
        let mut moved = active.clone();
        moved.place = Place::In(world.target(&active.node, at));
        next.active.insert(id.to_owned(), moved);
        reached.insert(next);
    }
    if reached.is_empty() { Err(why) } else { Ok(reached) }
}

/// An operation from a consistent state to consistent states.
///
/// Paper: 003 Def. 7
pub(crate) fn step_forbidden(world: &World<'_>, state: &State, event: &Event) -> Outcome {
    let Event::Atomic { id, operation } = event else {
        return Outcome::blocked("only operations are known here");
    };
    if let Some((of, requirement)) = unsatisfied(world, state).first() {
        return Outcome::blocked(format!("{requirement} of {of} is not satisfied"));
    }
    let reached = match operate(world, state, id, operation) {
        Ok(reached) => reached,
        Err(why) => return Outcome::blocked(why),
    };
    let mut outcome = Outcome::default();
    for next in reached {
        if let Some((of, requirement)) = unsatisfied(world, &next).first() {
            outcome.failure = Some(format!("{requirement} of {of} is no longer satisfied"));
            outcome.fault = true;
        } else {
            outcome.settled.insert(next);
        }
    }
    outcome
}

/// An operation while no fault is pending, then handlers until none is. No other operation could
/// run in between, so the handlers belong to the operation that caused the faults.
pub(crate) fn step_handled(world: &World<'_>, state: &State, event: &Event) -> Outcome {
    let Event::Atomic { id, operation } = event else {
        return Outcome::blocked("only operations are known here");
    };
    if let Some((of, requirement)) = unsatisfied(world, state).first() {
        return Outcome::blocked(format!("{requirement} of {of} is pending"));
    }
    let mut waiting: Vec<State> = match operate(world, state, id, operation) {
        Ok(reached) => reached.into_iter().collect(),
        Err(why) => return Outcome::blocked(why),
    };
    let mut outcome = Outcome::default();
    let mut seen = BTreeSet::new();
    while let Some(state) = waiting.pop() {
        if !seen.insert(state.clone()) {
            continue;
        }
        let faults = unsatisfied(world, &state);
        outcome.fault |= !faults.is_empty();
        let handled = handler_steps(world, &state);
        if faults.is_empty() {
            outcome.settled.insert(state);
        } else if handled.is_empty() {
            outcome.failure = Some(format!("no handler for any of {faults:?}"));
        } else {
            waiting.extend(handled);
        }
    }
    outcome
}

/// The explicit steps in which one pending fault is handled.
pub(crate) fn handler_steps(world: &World<'_>, state: &State) -> BTreeSet<State> {
    let mut reached = BTreeSet::new();
    for (id, requirement) in unsatisfied(world, state) {
        for target in handler_targets(world, &state.active[&id], &requirement) {
            reached.insert(reset(state, &id, target));
        }
    }
    reached
}

/// The explicit steps of hard recovery: a contained node whose container is in its initial state
/// is put into its own initial state.
pub(crate) fn hard_recovery_steps(world: &World<'_>, state: &State) -> BTreeSet<State> {
    let mut reached = BTreeSet::new();
    for (id, active) in &state.active {
        let container = world
            .containment(&active.node)
            .and_then(|requirement| world.provider(&active.node, &requirement))
            .map(|(target, _)| target);
        let Some(container) = container else { continue };
        let container_initial = Place::In(world.initial(&container));
        let fresh = state
            .active
            .values()
            .any(|other| other.node == container && other.place == container_initial);
        let initial = world.initial(&active.node);
        if fresh && active.place != Place::In(initial.clone()) {
            reached.insert(reset(state, id, initial));
        }
    }
    reached
}

/// The state with one instance put into a state.
fn reset(state: &State, id: &str, target: String) -> State {
    let mut next = state.clone();
    if let Some(active) = next.active.get_mut(id) {
        active.place = Place::In(target);
    }
    next
}

/// All operations of all instances, as explicit steps; refused while a fault is pending.
pub(crate) fn operation_steps(world: &World<'_>, state: &State) -> BTreeSet<State> {
    let mut reached = BTreeSet::new();
    if !unsatisfied(world, state).is_empty() {
        return reached;
    }
    for (id, active) in &state.active {
        for operation in &world.type_of(&active.node).operations {
            reached.extend(operate(world, state, id, &operation.name).unwrap_or_default());
        }
    }
    reached
}

/// The reachable states by explicit steps, those with a pending fault, and those without a step.
/// `forbidden` is the same with neither handlers nor hard recovery.
pub(crate) fn count(
    world: &World<'_>,
    start: &State,
    handlers: bool,
    hard_recovery: bool,
) -> (usize, usize, usize) {
    let mut seen = BTreeSet::new();
    let mut waiting = vec![start.clone()];
    let (mut inconsistent, mut deadlocks) = (0, 0);
    while let Some(state) = waiting.pop() {
        if !seen.insert(state.clone()) {
            continue;
        }
        let mut next = operation_steps(world, &state);
        if handlers {
            next.extend(handler_steps(world, &state));
        }
        if hard_recovery {
            next.extend(hard_recovery_steps(world, &state));
        }
        inconsistent += usize::from(!unsatisfied(world, &state).is_empty());
        deadlocks += usize::from(next.is_empty());
        waiting.extend(next);
    }
    (seen.len(), inconsistent, deadlocks)
}
