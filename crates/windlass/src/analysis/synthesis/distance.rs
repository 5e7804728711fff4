//! How far an instance is from where it is wanted, looking at its own protocol alone, and what it
//! needs on every way there.

use super::relaxed::Relaxed;
use super::tables::Tables;

/// More than anything costs.
pub const NEVER: u64 = 1 << 48;

/// What moves cost.
#[derive(Debug, Clone)]
pub struct Weights {
    /// By node and transition.
    pub operation: Vec<Vec<u64>>,
    /// A scale-out.
    pub create: u64,
    /// A scale-in.
    pub remove: u64,
}

impl Weights {
    /// Observable actions: an operation is a start and an end.
    pub fn length(tables: &Tables) -> Self {
        let operation = tables.nodes.iter().map(|node| vec![2; node.ways.len()]).collect();
        Weights { operation, create: 1, remove: 1 }
    }
}

/// Distances of the states of one node to a set of its states.
#[derive(Debug, Clone)]
pub struct Distances {
    /// By state; [`NEVER`] when no way leads there.
    pub cost: Vec<u64>,
    /// By state and requirement: whether every way needs it, at some moment or at its end.
    pub must: Vec<Vec<bool>>,
}

impl Distances {
    /// To the states for which `is_wanted` says so, over operations that can ever be performed.
    pub fn new(
        tables: &Tables,
        relaxed: &Relaxed,
        weights: &Weights,
        node: usize,
        is_wanted: impl Fn(usize) -> bool,
    ) -> Self {
        let table = &tables.nodes[node];
        let all = table.requirements.len();
        let wanted = |state: usize| is_wanted(state) && relaxed.can_be(tables, node, state);
        let mut cost = vec![NEVER; table.states];
        let mut must = vec![vec![true; all]; table.states];
        for state in (0..table.states).filter(|state| wanted(*state)) {
            cost[state] = 0;
            must[state] = (0..all).map(|r| tables.needs(node, state, r)).collect();
        }
        let usable: Vec<_> = table
            .ways
            .iter()
            .enumerate()
            .filter(|(_, way)| relaxed.is_usable(tables, node, way))
            .collect();
        loop {
            let mut has_changed = false;
            for (at, way) in &usable {
                let through = cost[way.to].saturating_add(weights.operation[node][*at]);
                if cost[way.to] < NEVER && through < cost[way.from] {
                    cost[way.from] = through;
                    has_changed = true;
                }
            }
            if !has_changed {
                break;
            }
        }
        // The greatest sets that every way agrees on.
        loop {
            let mut has_changed = false;
            for state in (0..table.states).filter(|state| cost[*state] < NEVER && !wanted(*state)) {
                let leads = || usable.iter().filter(|(_, w)| w.from == state && cost[w.to] < NEVER);
                let needed = |r: usize| {
                    leads().all(|(_, w)| tables.needs(node, w.element, r) || must[w.to][r])
                };
                let fewer: Vec<bool> = (0..all).map(|r| must[state][r] && needed(r)).collect();
                has_changed |= fewer != must[state];
                must[state] = fewer;
            }
            if !has_changed {
                break;
            }
        }
        Distances { cost, must }
    }
}
