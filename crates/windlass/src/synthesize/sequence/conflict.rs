//! Goals that no state can satisfy, whatever the plan: seen by looking at numbers alone.
//!
//! The end of a plan has to satisfy the goal and the invariants at once. For each node the goal
//! says how many instances there are at least and at most, in each state and in all; an invariant
//! that asks for more, or forbids that much, rules every plan out.

use super::tables::Tables;
use super::target::{Condition, Target};
use crate::application::{GlobalState, Instance};

/// How many there can be in the end.
#[derive(Debug, Clone, Copy)]
struct Range {
    least: u64,
    most: u64,
}

const FREE: Range = Range { least: 0, most: u64::MAX };

/// What the goal says about the numbers of one node.
#[derive(Debug, Clone)]
struct Numbers {
    total: Range,
    at: Vec<Range>,
}

/// Whether goal and invariants contradict each other.
pub(crate) fn is_contradictory(tables: &Tables, target: &Target, start: &GlobalState) -> bool {
    let Some(numbers) = numbers(tables, target) else { return true };
    let over_budget = target
        .budget
        .iter()
        .zip(&numbers)
        .any(|(most, of)| most.is_some_and(|most| of.total.least > u64::from(most)));
    let broken = target.always.iter().flatten().any(|always| !can_hold(&numbers, always));
    let forced = target.never.iter().any(|never| never.iter().all(|c| must_hold(&numbers, c)));
    let lacks = |node: usize| lacks_providers(tables, &numbers, start, node);
    let is_alone = (0..numbers.len()).any(lacks);
    over_budget || broken || forced || is_alone || touches_kept(tables, target, start)
}

/// Whether an instance must end in a state that needs what nothing can offer then. A start
/// that is left as it is counts as it is.
fn lacks_providers(tables: &Tables, numbers: &[Numbers], start: &GlobalState, node: usize) -> bool {
    let there = |state: usize| {
        let at = |i: &Instance| i.node.index() == node && tables.element(node, i.element) == state;
        start.instances.values().filter(|instance| at(instance)).count() as u64
    };
    let can_offer = |(provider, capability): (usize, usize)| {
        let of = &numbers[provider];
        let rows = &tables.nodes[provider].rows;
        // What stays in the middle of an operation may offer too.
        let is_free = of.at.iter().all(|range| range.most > 0);
        of.total.most > 0
            && (is_free
                || (0..rows.len()).any(|element| {
                    of.at.get(element).is_none_or(|range| range.most > 0)
                        && tables.offers(provider, element, capability)
                }))
    };
    let wanted = numbers[node].at.iter().enumerate();
    wanted.filter(|(state, range)| range.least > 0 && there(*state) < range.least).any(
        |(state, _)| {
            let mut needs = tables.row(node, state).needs.iter();
            needs.any(|need| {
                let target = tables.nodes[node].requirements[*need].target;
                target.is_some_and(|target| !can_offer(target))
            })
        },
    )
}

/// Whether the goal wants something else of an instance that may not be touched.
fn touches_kept(tables: &Tables, target: &Target, start: &GlobalState) -> bool {
    target.roles.iter().filter(|role| role.kept).any(|role| {
        role.ids.iter().any(|id| {
            let Some(instance) = start.instance(id) else { return role.state.is_some() };
            let at = tables.element(role.node, instance.element);
            role.wanted_gone || role.state.is_some_and(|state| state != at)
        })
    })
}

/// The numbers of all nodes; none when they contradict each other already.
fn numbers(tables: &Tables, target: &Target) -> Option<Vec<Numbers>> {
    let free =
        |node: &super::tables::NodeTable| Numbers { total: FREE, at: vec![FREE; node.states] };
    let mut all: Vec<Numbers> = tables.nodes.iter().map(free).collect();
    for condition in &target.goal {
        match condition {
            Condition::Node { node, state, least, most, closed } => {
                let of = &mut all[*node];
                let least = u64::from(*least);
                of.at[*state].least = of.at[*state].least.max(least);
                of.total.least = of.total.least.max(least);
                if let Some(most) = most.map(u64::from) {
                    of.at[*state].most = of.at[*state].most.min(most);
                }
                if *closed {
                    of.total.most = of.total.most.min(of.at[*state].most);
                    let others = of.at.iter_mut().enumerate().filter(|(s, _)| s != state);
                    for (_, other) in others {
                        other.most = 0;
                    }
                }
            }
            Condition::NodeGone(node) => {
                all[*node].total.most = 0;
                for at in &mut all[*node].at {
                    at.most = 0;
                }
            }
            Condition::RoleAt(role, state) => {
                let role = &target.roles[*role as usize];
                let of = &mut all[role.node];
                of.at[*state].least = of.at[*state].least.max(role.ids.len() as u64);
                of.total.least = of.total.least.max(role.ids.len() as u64);
            }
            Condition::NodeIn { node, least, .. } => {
                let total = &mut all[*node].total;
                total.least = total.least.max(u64::from(*least));
            }
            Condition::RoleGone(_) | Condition::Offered(_) | Condition::Impossible => {}
        }
    }
    let fits = |range: &Range| range.least <= range.most;
    let good = |of: &Numbers| {
        let sum: u64 = of.at.iter().map(|range| range.least).sum();
        fits(&of.total) && of.at.iter().all(fits) && sum <= of.total.most
    };
    all.iter().all(good).then_some(all)
}

/// Whether a condition can hold in the end.
fn can_hold(numbers: &[Numbers], condition: &Condition) -> bool {
    match condition {
        Condition::Node { node, state, least, most, closed } => {
            let of = &numbers[*node];
            let others: u64 =
                of.at.iter().enumerate().filter(|(s, _)| s != state).map(|(_, r)| r.least).sum();
            of.at[*state].most.min(of.total.most) >= u64::from(*least)
                && most.is_none_or(|most| of.at[*state].least <= u64::from(most))
                && (!closed || others == 0)
        }
        Condition::NodeIn { node, states, least } => {
            let of = &numbers[*node];
            let most = states.iter().map(|s| of.at[*s].most).fold(0, u64::saturating_add);
            most.min(of.total.most) >= u64::from(*least)
        }
        Condition::NodeGone(node) => numbers[*node].total.least == 0,
        Condition::Impossible => false,
        Condition::RoleAt(..) | Condition::RoleGone(_) | Condition::Offered(_) => true,
    }
}

/// Whether a condition holds in whatever satisfies the goal.
fn must_hold(numbers: &[Numbers], condition: &Condition) -> bool {
    match condition {
        Condition::Node { node, state, least, most, closed } => {
            let of = &numbers[*node];
            let others = of.at.iter().enumerate().filter(|(s, _)| s != state);
            of.at[*state].least >= u64::from(*least)
                && most.is_none_or(|most| of.at[*state].most <= u64::from(most))
                && (!closed || others.map(|(_, r)| r.most).max().unwrap_or(0) == 0)
        }
        Condition::NodeGone(node) => numbers[*node].total.most == 0,
        _ => false,
    }
}
