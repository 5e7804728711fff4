//! The inference rules, one function each, in the paper's order.
//!
//! Paper: 004 Def. 3.9. Each returns all states that the rule may lead to, before any fault
//! settles; an empty list, or an error with the reason, when a premise fails. `destroy` taking
//! precedence is seen to by the callers.

use std::collections::BTreeSet;

use windlass::lifecycle::protocol::Sort;

use super::choice::{bind_all, choices};
use super::faults::{handler_targets, pending, resolvable};
use super::state::{Active, Place, State};
use super::world::World;

/// All states, or the premise that failed.
pub(crate) type Applied = Result<Vec<State>, String>;

/// `ψ` together with the change of `G`: instance `id` goes to `place`, bindings that are no longer
/// assumed go, newly assumed horizontal requirements are bound.
///
/// Paper: 004 Def. 3.9
pub(crate) fn move_to(world: &World<'_>, state: &State, id: &str, place: Place) -> Vec<State> {
    let before = state.active[id].clone();
    let after = Active { node: before.node.clone(), place };
    let assumed_before = world.requires(&before);
    let assumed_after = world.requires(&after);
    let mut without = state.clone();
    for dropped in assumed_before.difference(&assumed_after) {
        without.unbind(id, dropped);
    }
    let gained: BTreeSet<String> = assumed_after
        .difference(&assumed_before)
        .filter(|requirement| world.sort(&before.node, requirement) != Sort::Containment)
        .cloned()
        .collect();
    // `satisfy` looks at G, in which the instance has not moved yet.
    let mut results = bind_all(world, &without, id, &before.node, &gained);
    for result in &mut results {
        result.active.insert(id.to_owned(), after.clone());
    }
    results
}

/// A new instance of a node without containment requirement, or inside `container`.
///
/// Paper: 004 Def. 3.9 (scaleout)
/// Paper: 004 Def. 3.9 (scaleout-c)
pub(crate) fn scale_out(
    world: &World<'_>,
    state: &State,
    node: &str,
    id: &str,
    container: Option<&str>,
) -> Applied {
    if state.active.contains_key(id) {
        return Err(format!("{id} is alive"));
    }
    let mut created = state.clone();
    match (world.containment(node), container) {
        (None, None) => {}
        (None, Some(_)) => return Err(format!("{node} is contained in nothing")),
        (Some(_), None) => return Err(format!("{node} needs a container")),
        (Some(requirement), Some(container)) => {
            let Some(holder) = state.active.get(container) else {
                return Err(format!("container {container} is not there"));
            };
            let target = world.provider(node, &requirement).map(|(target, _)| target);
            if target.as_ref() != Some(&holder.node) {
                return Err(format!("{container} cannot contain {node}"));
            }
            created.vertical.insert(id.to_owned(), (requirement, container.to_owned()));
        }
    }
    let active = Active { node: node.to_owned(), place: Place::In(world.initial(node)) };
    let mut assumed = world.requires(&active);
    assumed.retain(|requirement| world.sort(node, requirement) != Sort::Containment);
    let mut results = bind_all(world, &created, id, node, &assumed);
    for result in &mut results {
        result.active.insert(id.to_owned(), active.clone());
    }
    Ok(results)
}

/// Removes an instance, the horizontal bindings that touch it, and its own vertical binding; the
/// vertical bindings of what it contains stay, so that those are broken.
///
/// Paper: 004 Def. 3.9 (scalein)
pub(crate) fn scale_in(state: &State, id: &str) -> Applied {
    if !state.active.contains_key(id) {
        return Err(format!("{id} is not there"));
    }
    let mut removed = state.clone();
    removed.active.remove(id);
    removed.horizontal.retain(|(from, _, to)| from != id && to != id);
    removed.vertical.remove(id);
    Ok(vec![removed])
}

/// An operation starts; there is no premise on requirements.
///
/// Paper: 004 Def. 3.9 (op-start)
pub(crate) fn op_start(world: &World<'_>, state: &State, id: &str, operation: &str) -> Applied {
    let Some(active) = state.active.get(id) else { return Err(format!("{id} is not there")) };
    let Place::In(name) = &active.place else {
        return Err(format!("{id} is performing an operation"));
    };
    let transitions = world.transitions(&active.node, name, operation);
    if transitions.is_empty() {
        return Err(format!("{id} has no {operation} in {name}"));
    }
    let starts = transitions.into_iter();
    Ok(starts.flat_map(|at| move_to(world, state, id, Place::Doing(at))).collect())
}

/// The transition that `id` performs, when it performs `operation`.
pub(crate) fn performing(
    world: &World<'_>,
    state: &State,
    id: &str,
    operation: &str,
) -> Result<usize, String> {
    match state.active.get(id) {
        None => Err(format!("{id} is not there")),
        Some(Active { node, place: Place::Doing(at) })
            if world.operation(node, *at) == operation =>
        {
            Ok(*at)
        }
        Some(_) => Err(format!("{id} is not performing {operation}")),
    }
}

/// An operation ends well; no fault may be pending on its instance.
///
/// Paper: 004 Def. 3.9 (op-end)
pub(crate) fn op_end(world: &World<'_>, state: &State, id: &str, operation: &str) -> Applied {
    let at = performing(world, state, id, operation)?;
    if pending(world, state).iter().any(|(of, _)| of == id) {
        return Err(format!("a fault is pending on {id}"));
    }
    let target = world.target(&state.active[id].node, at);
    Ok(move_to(world, state, id, Place::In(target)))
}

/// A replica-unaware requirement is bound again.
///
/// Paper: 004 Def. 3.9 (resolve-fault)
pub(crate) fn resolve_fault(
    world: &World<'_>,
    state: &State,
    id: &str,
    requirement: &str,
) -> Applied {
    if !resolvable(world, state).contains(&(id.to_owned(), requirement.to_owned())) {
        return Err(format!("{requirement} of {id} is not resolvable"));
    }
    let mut without = state.clone();
    without.unbind(id, requirement);
    let node = state.active[id].node.clone();
    let mut results = Vec::new();
    for chosen in choices(world, &without, &node, requirement) {
        let mut resolved = without.clone();
        for provider in chosen {
            resolved.horizontal.insert((id.to_owned(), requirement.to_owned(), provider));
        }
        results.push(resolved);
    }
    Ok(results)
}

/// A fault that cannot be resolved is handled, in a state or in a transition.
///
/// Paper: 004 Def. 3.9 (handle-fault)
pub(crate) fn handle_fault(
    world: &World<'_>,
    state: &State,
    id: &str,
    requirement: &str,
) -> Applied {
    let fault = (id.to_owned(), requirement.to_owned());
    if !pending(world, state).contains(&fault) || resolvable(world, state).contains(&fault) {
        return Err(format!("{requirement} of {id} is not to be handled"));
    }
    let active = &state.active[id];
    let targets = handler_targets(world, active, requirement);
    if targets.is_empty() {
        return Err(format!("no handler for {requirement} of {id} in {:?}", active.place));
    }
    let moves = targets.into_iter();
    Ok(moves.flat_map(|target| move_to(world, state, id, Place::In(target))).collect())
}
