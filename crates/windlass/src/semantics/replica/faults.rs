//! Broken instances and faults (paper 004 Def. 3.7, Notation 3.3, Def. 3.8).
//!
//! "A fault" in our texts is one that is pending and not resolvable: [`unresolvable`].

use std::collections::{BTreeMap, BTreeSet};

use super::Replica;
use crate::application::{Binding, GlobalState, Instance, InstanceId, NodeId};
use crate::lifecycle::protocol::{Arity, RequirementId, Sort};

/// A requirement of an instance.
pub type Need = (InstanceId, RequirementId);

/// `broken(G, V) = { ⟨i, ·⟩ ∈ G | ⟨i, ·, i'⟩ ∈ V ∧ ∄ ⟨i', ·⟩ ∈ G }`: what lived in something that
/// is gone, with the id of what is gone.
///
/// Paper: 004 Def. 3.7
pub fn broken(state: &GlobalState) -> impl Iterator<Item = (&InstanceId, &InstanceId)> {
    state
        .vertical
        .iter()
        .map(|(id, (_, container))| (id, container))
        .filter(|(id, _)| state.instances.contains_key(id))
        .filter(|(_, container)| !state.instances.contains_key(container))
}

/// `satisfy(r, G) = { i | ⟨i, e⟩_N ∈ G ∧ b(r) ∈ χ_N(e) }`: who offers what a requirement of
/// `node` is bound to.
///
/// Paper: 004 Notation 3.3
pub fn satisfy(
    replica: &Replica,
    state: &GlobalState,
    node: NodeId,
    requirement: RequirementId,
) -> BTreeSet<InstanceId> {
    let Some(binding) = replica.application().node(node).binding(requirement) else {
        return BTreeSet::new();
    };
    offering(replica, binding, state.of_node(binding.target))
}

/// Those of the instances of its target that offer what a requirement is bound to.
fn offering<'s>(
    replica: &Replica,
    binding: &Binding,
    providers: impl Iterator<Item = (&'s InstanceId, Instance)>,
) -> BTreeSet<InstanceId> {
    providers
        .filter(|(_, instance)| replica.offers(*instance).contains(&binding.capability))
        .map(|(id, _)| id.clone())
        .collect()
}

/// Whether the existing instances could satisfy a requirement of `node`, as many as it needs.
///
/// Deviation: the paper needs one provider. `at_least n` needs n; `all` needs every existing
/// instance of the target, and as many of them as are wanted.
pub fn is_satisfiable(
    replica: &Replica,
    state: &GlobalState,
    node: NodeId,
    requirement: RequirementId,
) -> bool {
    let offering = satisfy(replica, state, node, requirement).len();
    match replica.requirement(node, requirement).arity {
        Arity::Any => offering > 0,
        Arity::AtLeast(least) => offering >= least.max(1) as usize,
        Arity::All => match replica.application().node(node).binding(requirement) {
            None => false,
            Some(binding) => {
                let existing = state.of_node(binding.target).count();
                existing >= replica.wanted(binding.target) && offering == existing
            }
        },
    }
}

/// Whether a requirement of the instance `id` is satisfied by what it is bound to:
/// `∃ i', e' . ⟨i, r, i'⟩ ∈ H ∪ V ∧ ⟨i', e'⟩ ∈ G ∧ b(r) ∈ χ(e')`.
///
/// Paper: 004 Def. 3.8
/// Deviation: `at_least n` is satisfied while n bound instances offer; `all` while as many exist as
/// are wanted, and each that exists offers. (A replica-unaware one is bound again when others
/// come.)
pub fn is_satisfied(
    replica: &Replica,
    state: &GlobalState,
    id: &InstanceId,
    instance: Instance,
    requirement: RequirementId,
) -> bool {
    let offering = satisfy(replica, state, instance.node, requirement);
    is_satisfied_by(replica, state, id, instance, requirement, &offering)
}

/// The same when it is known who offers what the requirement is bound to.
fn is_satisfied_by(
    replica: &Replica,
    state: &GlobalState,
    id: &InstanceId,
    instance: Instance,
    requirement: RequirementId,
    offering: &BTreeSet<InstanceId>,
) -> bool {
    let declared = replica.requirement(instance.node, requirement);
    if declared.sort == Sort::Containment {
        return state
            .vertical
            .get(id)
            .is_some_and(|(r, container)| *r == requirement && offering.contains(container));
    }
    let good = state.bound(id, requirement).filter(|target| offering.contains(*target)).count();
    match declared.arity {
        Arity::Any => good > 0,
        Arity::AtLeast(least) => good >= least.max(1) as usize,
        Arity::All => {
            // Who relies on all of them relies on no one in particular.
            (declared.sort == Sort::ReplicaAware || good == offering.len())
                && is_satisfiable(replica, state, instance.node, requirement)
        }
    }
}

/// `pending(G, H, V)`: what instances rely on and do not have.
///
/// Paper: 004 Def. 3.8 (pending)
pub fn pending(replica: &Replica, state: &GlobalState) -> BTreeSet<Need> {
    let mut pending = BTreeSet::new();
    let mut by_node: BTreeMap<NodeId, Vec<(&InstanceId, Instance)>> = BTreeMap::new();
    for (id, instance) in &state.instances {
        by_node.entry(instance.node).or_default().push((id, *instance));
    }
    // Who satisfies a requirement, as [`satisfy`] says it.
    let satisfying = |node: NodeId, requirement: RequirementId| {
        let binding = replica.application().node(node).binding(requirement);
        binding.map_or_else(BTreeSet::new, |binding| {
            let providers = by_node.get(&binding.target).into_iter().flatten();
            offering(replica, binding, providers.copied())
        })
    };
    // Many instances of one node ask for the same.
    let mut known: BTreeMap<(NodeId, RequirementId), BTreeSet<InstanceId>> = BTreeMap::new();
    for (id, instance) in &state.instances {
        for requirement in replica.requires(*instance) {
            let offering = known
                .entry((instance.node, *requirement))
                .or_insert_with(|| satisfying(instance.node, *requirement));
            if !is_satisfied_by(replica, state, id, *instance, *requirement, offering) {
                pending.insert((id.clone(), *requirement));
            }
        }
    }
    pending
}

/// `resolvable(G, H, V)`: the pending faults of replica-unaware requirements that others satisfy.
///
/// Paper: 004 Def. 3.8 (resolvable)
pub fn resolvable(replica: &Replica, state: &GlobalState) -> BTreeSet<Need> {
    let mut faults = pending(replica, state);
    faults.retain(|need| is_resolvable(replica, state, need));
    faults
}

/// `pending(G, H, V) \ resolvable(G, H, V)`: the faults that only a handler can take.
pub fn unresolvable(replica: &Replica, state: &GlobalState) -> BTreeSet<Need> {
    let mut faults = pending(replica, state);
    faults.retain(|need| !is_resolvable(replica, state, need));
    faults
}

/// Whether a pending fault is one of a replica-unaware requirement that others satisfy.
pub(super) fn is_resolvable(replica: &Replica, state: &GlobalState, need: &Need) -> bool {
    let (id, requirement) = need;
    state.instance(id).is_some_and(|instance| {
        let sort = replica.requirement(instance.node, *requirement).sort;
        sort == Sort::ReplicaUnaware && is_satisfiable(replica, state, instance.node, *requirement)
    })
}
