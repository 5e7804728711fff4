//! How far an instance is from where it is wanted, looking at its own protocol alone, and what it
//! needs on every way there.

use super::relaxed::Relaxed;
use super::tables::Tables;

/// More than anything costs.
pub(crate) const NEVER: u64 = 1 << 48;

/// What moves cost.
#[derive(Debug, Clone)]
pub struct Weights {
    /// By node and transition.
    pub(crate) operation: Vec<Vec<u64>>,
    /// A scale-out.
    pub(crate) create: u64,
    /// A scale-in.
    pub(crate) remove: u64,
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
pub(crate) struct Distances {
    /// By state; [`NEVER`] when no way leads there.
    pub(crate) cost: Vec<u64>,
    /// By state and requirement: whether every way needs it, at some moment or at its end.
    pub(crate) must: Vec<Vec<bool>>,
}

impl Distances {
    /// The same when faults may help: needs block nothing, because an operation starts
    /// without them, and a fault leads to where its handler says for nothing.
    pub(crate) fn despite_faults(
        tables: &Tables,
        weights: &Weights,
        node: usize,
        is_wanted: impl Fn(usize) -> bool,
    ) -> Self {
        let table = &tables.nodes[node];
        let mut edges: Vec<(usize, usize, u64)> = Vec::new();
        for (at, way) in table.ways.iter().enumerate() {
            let price = weights.operation[node][at];
            edges.push((way.from, way.to, price));
            let falls = table.falls.iter().filter(|(from, _)| *from == way.element);
            edges.extend(falls.map(|(_, to)| (way.from, *to, price)));
        }
        let by_itself = table.falls.iter().filter(|(from, _)| *from < table.states);
        edges.extend(by_itself.map(|(from, to)| (*from, *to, 0)));
        let mut cost: Vec<u64> =
            (0..table.states).map(|state| if is_wanted(state) { 0 } else { NEVER }).collect();
        // Bellman and Ford: as many rounds as there are states are enough.
        for _ in 0..table.states {
            for (from, to, price) in &edges {
                cost[*from] = cost[*from].min(cost[*to].saturating_add(*price));
            }
        }
        let must = vec![vec![false; table.requirements.len()]; table.states];
        Distances { cost, must }
    }

    /// To the states for which `is_wanted` says so, over operations that can ever be performed.
    pub(crate) fn new(
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
