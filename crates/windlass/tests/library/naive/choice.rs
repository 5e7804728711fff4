//! `π`: which instances a requirement is bound to.
//!
//! Paper: 004 Def. 3.2. Every function returns ALL the choices that the policy may make.

use std::collections::BTreeSet;

use windlass::application::Policy;
use windlass::lifecycle::protocol::Arity;

use super::faults::satisfy;
use super::state::State;
use super::world::World;

/// `π(r, satisfy(r, G))` for a requirement of a node: the sets of instances that may be bound.
/// There is always at least one choice; with no candidate it is the empty set. The loads are
/// those of `state.horizontal`.
pub(crate) fn choices(
    world: &World<'_>,
    state: &State,
    node: &str,
    requirement: &str,
) -> Vec<BTreeSet<String>> {
    let candidates = satisfy(world, state, node, requirement);
    let needed = match world.arity(node, requirement) {
        Arity::Any => 1,
        Arity::AtLeast(count) => count as usize,
        Arity::All => candidates.len(),
    };
    let count = needed.min(candidates.len());
    match world.policy {
        Policy::Any => {
            let all: Vec<String> = candidates.into_iter().collect();
            subsets(&all, count)
        }
        Policy::Greedy => {
            let target = world.provider(node, requirement).map(|(target, _)| target);
            let declared: Vec<String> = target.map_or_else(Vec::new, |target| {
                world.node(&target).instances.iter().map(|wanted| wanted.id.clone()).collect()
            });
            let mut sorted: Vec<String> = candidates.into_iter().collect();
            let rank = |id: &String| declared.iter().position(|d| d == id);
            sorted.sort_by_key(|id| (rank(id).unwrap_or(declared.len()), id.clone()));
            vec![sorted.into_iter().take(count).collect()]
        }
        Policy::LeastLoaded => {
            let load = |id: &String| state.horizontal.iter().filter(|(_, _, to)| to == id).count();
            let mut sorted: Vec<String> = candidates.into_iter().collect();
            sorted.sort_by_key(|id| (load(id), id.clone()));
            vec![sorted.into_iter().take(count).collect()]
        }
    }
}

/// All sets of `count` members of `all`.
fn subsets(all: &[String], count: usize) -> Vec<BTreeSet<String>> {
    if count == 0 {
        return vec![BTreeSet::new()];
    }
    let Some((first, rest)) = all.split_first() else { return Vec::new() };
    let mut found = subsets(rest, count);
    for mut with_first in subsets(rest, count - 1) {
        with_first.insert(first.clone());
        found.push(with_first);
    }
    found
}

/// The states that result from binding all of `requirements` of instance `id` at once, for every
/// choice. All choices look at `state` as it is given: `satisfy` and the loads are computed once.
pub(crate) fn bind_all(
    world: &World<'_>,
    state: &State,
    id: &str,
    node: &str,
    requirements: &BTreeSet<String>,
) -> Vec<State> {
    let mut results = vec![state.clone()];
    for requirement in requirements {
        let options = choices(world, state, node, requirement);
        let mut next = Vec::new();
        for result in &results {
            for chosen in &options {
                let mut extended = result.clone();
                for provider in chosen {
                    let binding = (id.to_owned(), requirement.clone(), provider.clone());
                    extended.horizontal.insert(binding);
                }
                next.push(extended);
            }
        }
        results = next;
    }
    results
}
