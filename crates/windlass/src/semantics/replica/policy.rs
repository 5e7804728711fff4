//! `π`, the connection policy (paper 004 Def. 3.2), and the bindings it makes.

use std::collections::{BTreeMap, BTreeSet};

use super::faults::satisfy;
use super::{Replica, Tracking};
use crate::application::{GlobalState, InstanceId, NodeId, Policy};
use crate::lifecycle::protocol::{Arity, Element, RequirementId, Sort};

/// `π(r, satisfy(r, G))`: the sets of instances that a requirement of `node` may be bound to.
/// As many as it needs, or all candidates when there are fewer: the policy binds what it can, and
/// an empty candidate set binds nothing.
///
/// `providers` has the instances, `bindings` what is bound already; only `least-loaded` looks at
/// the latter.
///
/// Paper: 004 Def. 3.2
/// Paper: 004 Def. 3.3 (v)
/// Deviation: the policy picks a set, of one instance for the paper's requirements, of n for
/// `at_least n` and of all for `all`; and the policy `any` is not a function.
pub(crate) fn choices(
    replica: &Replica,
    providers: &GlobalState,
    bindings: &GlobalState,
    node: NodeId,
    requirement: RequirementId,
) -> Vec<BTreeSet<InstanceId>> {
    let declared = replica.requirement(node, requirement);
    let offering = satisfy(replica, providers, node, requirement);
    if offering.is_empty() {
        return Vec::new();
    }
    let size = match declared.arity {
        Arity::Any => 1,
        Arity::AtLeast(least) => (least.max(1) as usize).min(offering.len()),
        Arity::All => return vec![offering],
    };
    let stands_for_all =
        replica.tracking == Tracking::Representative && declared.sort == Sort::ReplicaUnaware;
    match replica.policy {
        Policy::Any if !stands_for_all => subsets(&offering.into_iter().collect::<Vec<_>>(), size),
        Policy::Any | Policy::Greedy => {
            vec![first_by(offering, size, |id| declared_at(replica, providers, id))]
        }
        Policy::LeastLoaded => {
            let mut load: BTreeMap<&InstanceId, usize> = BTreeMap::new();
            for (_, _, target) in &bindings.horizontal {
                *load.entry(target).or_default() += 1;
            }
            vec![first_by(offering, size, |id| load.get(id).copied().unwrap_or_default())]
        }
    }
}

/// Where the application names an instance; instances it does not name come after, by id.
fn declared_at(replica: &Replica, state: &GlobalState, id: &InstanceId) -> usize {
    let named = state.instance(id).and_then(|instance| {
        let declared = &replica.application().node(instance.node).instances;
        declared.iter().position(|wanted| wanted.id == id.0)
    });
    named.unwrap_or(usize::MAX)
}

/// The first `size` instances by a key, ties by id.
fn first_by(
    offering: BTreeSet<InstanceId>,
    size: usize,
    key: impl Fn(&InstanceId) -> usize,
) -> BTreeSet<InstanceId> {
    let mut ordered: Vec<InstanceId> = offering.into_iter().collect();
    // The sort is stable and the set was ordered by id.
    ordered.sort_by_key(key);
    ordered.truncate(size);
    ordered.into_iter().collect()
}

/// Every subset of `size` of the `items`, in lexicographic order; there are at least `size`.
fn subsets(items: &[InstanceId], size: usize) -> Vec<BTreeSet<InstanceId>> {
    let mut chosen: Vec<usize> = (0..size).collect();
    let mut subsets = Vec::new();
    loop {
        subsets.push(chosen.iter().map(|at| items[*at].clone()).collect());
        // The rightmost position that can still move on.
        let Some(place) = (0..size).rev().find(|p| chosen[*p] + size - p < items.len()) else {
            return subsets;
        };
        chosen[place] += 1;
        for later in place + 1..size {
            chosen[later] = chosen[later - 1] + 1;
        }
    }
}

/// `ψ(H, N, i, e, e')`: the bindings when the instance `id` of `node` goes from `from` to `to`.
/// An instance that is created comes from nowhere.
///
/// ```text
/// ψ(H, N, i, e, e') = (H \ {⟨i, r, ·⟩ ∈ H | r ∈ ρ(e) \ ρ(e')})
///                   ∪ {⟨i, r, i'⟩ | r ∈ ρ(e') \ ρ(e) ∧ r ∉ R^C ∧ i' = π(r, satisfy(r, G))}
/// ```
/// `before` has `G`; the result is `after` with its new bindings, once per choice of the policy.
///
/// Paper: 004 Def. 3.9 (ψ)
pub(crate) fn rebind(
    replica: &Replica,
    before: &GlobalState,
    mut after: GlobalState,
    id: &InstanceId,
    node: NodeId,
    from: Option<Element>,
    to: Element,
) -> Vec<GlobalState> {
    let protocol = replica.protocol(node);
    let nothing = BTreeSet::new();
    let relied = from.map_or(&nothing, |element| protocol.requires(element));
    let relies = protocol.requires(to);
    for requirement in relied.difference(relies) {
        after.unbind(id, *requirement);
    }
    let is_horizontal =
        |r: &&RequirementId| replica.requirement(node, **r).sort != Sort::Containment;
    let new: Vec<RequirementId> =
        relies.difference(relied).filter(is_horizontal).copied().collect();
    bind(replica, before, after, id, node, &new)
}

/// `state` with requirements of `id` bound to what the policy picks among `providers`, once per
/// choice; a requirement for which there is nothing to pick stays unbound. The policy looks at
/// the bindings of `state` as it is given: all are made at once.
pub(crate) fn bind(
    replica: &Replica,
    providers: &GlobalState,
    state: GlobalState,
    id: &InstanceId,
    node: NodeId,
    requirements: &[RequirementId],
) -> Vec<GlobalState> {
    let mut bound = vec![state.clone()];
    for requirement in requirements {
        let choices = choices(replica, providers, &state, node, *requirement);
        if choices.is_empty() {
            continue;
        }
        let mut next = Vec::new();
        for state in &bound {
            for targets in &choices {
                let mut state = state.clone();
                let bindings = targets.iter().map(|t| (id.clone(), *requirement, t.clone()));
                state.horizontal.extend(bindings);
                next.push(state);
            }
        }
        bound = next;
    }
    bound
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subsets_are_complete_and_in_order() {
        let items: Vec<InstanceId> = ["a", "b", "c", "d"].map(InstanceId::from).to_vec();
        let show =
            |set: &BTreeSet<InstanceId>| set.iter().map(|id| id.0.as_str()).collect::<String>();
        let shown: Vec<String> = subsets(&items, 2).iter().map(show).collect();
        assert_eq!(shown, ["ab", "ac", "ad", "bc", "bd", "cd"]);
        assert_eq!(subsets(&items, 4).len(), 1);
        assert_eq!(subsets(&items, 1).len(), 4);
    }
}
