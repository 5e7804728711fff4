//! Broken instances, satisfied requirements, pending and resolvable faults.
//!
//! Paper: 004 Def. 3.7, Notation 3.3, Def. 3.8.

use std::collections::BTreeSet;

use windlass::lifecycle::protocol::{Arity, Sort};

use super::state::{Active, Place, State};
use super::world::World;

/// `⟨i, r⟩`.
pub(crate) type Fault = (String, String);

/// Instances whose container is gone.
///
/// Paper: 004 Def. 3.7
pub(crate) fn broken(state: &State) -> BTreeSet<String> {
    let mut broken = BTreeSet::new();
    for (id, (_, container)) in &state.vertical {
        if state.active.contains_key(id) && !state.active.contains_key(container) {
            broken.insert(id.clone());
        }
    }
    broken
}

/// `{ i' | ⟨i', e⟩ ∈ G ∧ b(r) ∈ χ(e) }`.
///
/// Paper: 004 Notation 3.3
pub(crate) fn satisfy(
    world: &World<'_>,
    state: &State,
    node: &str,
    requirement: &str,
) -> BTreeSet<String> {
    let Some((target, capability)) = world.provider(node, requirement) else {
        return BTreeSet::new();
    };
    state
        .active
        .iter()
        .filter(|(_, active)| active.node == target && world.offers(active).contains(&capability))
        .map(|(id, _)| id.clone())
        .collect()
}

/// Whether these providers are enough for the arity of the requirement.
///
/// Deviation: the paper knows `any` only; semantics.md point 7 adds the others.
pub(crate) fn enough(
    world: &World<'_>,
    state: &State,
    node: &str,
    requirement: &str,
    providers: &BTreeSet<String>,
) -> bool {
    let Some((target, _)) = world.provider(node, requirement) else { return false };
    match world.arity(node, requirement) {
        Arity::Any => !providers.is_empty(),
        Arity::AtLeast(count) => providers.len() >= count as usize,
        Arity::All => {
            let existing = state.instances_of(&target);
            existing.len() >= world.wanted(&target) && existing.is_subset(providers)
        }
    }
}

/// Whether the bindings of instance `id` satisfy a requirement of it.
pub(crate) fn is_satisfied(world: &World<'_>, state: &State, id: &str, requirement: &str) -> bool {
    let node = &state.active[id].node;
    let offering = satisfy(world, state, node, requirement);
    if world.sort(node, requirement) == Sort::Containment {
        return state
            .vertical
            .get(id)
            .is_some_and(|(by, container)| by == requirement && offering.contains(container));
    }
    let is_aware = world.sort(node, requirement) == Sort::ReplicaAware;
    if is_aware && world.arity(node, requirement) == Arity::All {
        // Point 7: as many exist as are wanted, and every existing one offers; no word of bindings.
        return enough(world, state, node, requirement, &offering);
    }
    let providers = state.bound(id, requirement).intersection(&offering).cloned().collect();
    enough(world, state, node, requirement, &providers)
}

/// Requirements that are assumed and not satisfied.
///
/// Paper: 004 Def. 3.8
pub(crate) fn pending(world: &World<'_>, state: &State) -> BTreeSet<Fault> {
    let mut faults = BTreeSet::new();
    for (id, active) in &state.active {
        for requirement in world.requires(active) {
            if !is_satisfied(world, state, id, &requirement) {
                faults.insert((id.clone(), requirement));
            }
        }
    }
    faults
}

/// Pending faults that another instance of the target node can take away.
///
/// Paper: 004 Def. 3.8
pub(crate) fn resolvable(world: &World<'_>, state: &State) -> BTreeSet<Fault> {
    let mut faults = pending(world, state);
    faults.retain(|(id, requirement)| {
        let node = &state.active[id].node;
        world.sort(node, requirement) == Sort::ReplicaUnaware
            && enough(world, state, node, requirement, &satisfy(world, state, node, requirement))
    });
    faults
}

/// The states to which a fault of `requirement` may lead: handlers that drop it, and of those the
/// ones that keep an inclusion-largest set of requirements.
///
/// Paper: 004 Def. 3.9 (handle-fault)
pub(crate) fn handler_targets(
    world: &World<'_>,
    active: &Active,
    requirement: &str,
) -> BTreeSet<String> {
    let kept = |state: &String| {
        world.requires(&Active { node: active.node.clone(), place: Place::In(state.clone()) })
    };
    let dropping: BTreeSet<String> = world
        .handlers(active)
        .into_iter()
        .filter(|target| !kept(target).contains(requirement))
        .collect();
    let beaten = |target: &String| {
        dropping.iter().any(|other| {
            kept(target).is_subset(&kept(other)) && kept(target).len() < kept(other).len()
        })
    };
    dropping.iter().filter(|target| !beaten(target)).cloned().collect()
}
