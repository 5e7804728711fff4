//! From a sequence to an order that is as parallel as possible.
//!
//! The order starts with every edge that carries a reason. What other edges imply is left out;
//! then, one after another, each edge that is about needs is dropped when the plan stays free of
//! faults without it (tier T1). So no edge that remains can be missed.

use std::collections::{BTreeMap, BTreeSet};

use super::reasons::{Edge, Reasons, label, reasons};
use crate::analysis::validity::fault_free;
use crate::application::{Application, GlobalState};
use crate::plan::events::Events;
use crate::plan::lives::Lives;
use crate::plan::needs::{Possible, Scene};
use crate::plan::{Order, Plan, PlanAction, Step};
use crate::source::Origin;

/// Plans with more actions than this keep every edge that has a reason and is not implied.
const MOST_TRIED: usize = 200;

/// The sequence as a plan, every action after the one before it.
pub fn sequence(actions: &[PlanAction]) -> Plan {
    let mut times = BTreeMap::new();
    let step = |action: &PlanAction| Step {
        label: label(action, &mut times),
        action: action.clone(),
        origin: Origin(None),
    };
    Plan { steps: actions.iter().map(step).collect(), ..Plan::default() }.into_sequence()
}

/// The sequence with only the order that has reasons; the sequence itself when reasons alone do
/// not keep it free of faults. `watched` are the nodes that invariants look at.
pub fn ordered(
    application: &Application,
    start: &GlobalState,
    sequence: &Plan,
    watched: &[bool],
) -> Plan {
    let Some(found) = reasons(application, start, sequence, watched) else {
        return sequence.clone();
    };
    let mut edges: BTreeMap<Edge, String> =
        found.edges().map(|(edge, why)| (*edge, why.clone())).collect();
    without_implied(sequence.steps.len(), &mut edges, &found);
    if !is_fault_free(application, start, &with(sequence, &edges)) {
        return sequence.clone();
    }
    if sequence.steps.len() <= MOST_TRIED {
        let tried: Vec<Edge> =
            edges.keys().filter(|edge| found.needs.contains_key(edge)).copied().collect();
        for edge in tried {
            let Some(why) = edges.remove(&edge) else { continue };
            if !is_fault_free(application, start, &with(sequence, &edges)) {
                edges.insert(edge, why);
            }
        }
    }
    with(sequence, &reduced(sequence, edges))
}

/// The first action of a sequence, and everything else after it in the order of `rest`.
pub fn after_first(sequence: &Plan, rest: &Plan, why: &str) -> Plan {
    let mut is_after = vec![false; sequence.steps.len()];
    let mut order: Vec<Order> = Vec::new();
    for edge in &rest.order {
        is_after[edge.after + 1] = true;
        order.push(Order { before: edge.before + 1, after: edge.after + 1, ..edge.clone() });
    }
    let first = (1..sequence.steps.len()).filter(|step| !is_after[*step]).map(|after| Order {
        before: 0,
        after,
        why: Some(why.to_owned()),
        origin: Origin(None),
    });
    order.extend(first);
    order.sort_by_key(|edge| (edge.before, edge.after));
    Plan { order, ..sequence.clone() }
}

fn with(sequence: &Plan, edges: &BTreeMap<Edge, String>) -> Plan {
    let order = |((before, after), why): (&Edge, &String)| Order {
        before: *before,
        after: *after,
        why: Some(why.clone()),
        origin: Origin(None),
    };
    Plan { order: edges.iter().map(order).collect(), ..sequence.clone() }
}

/// Whether nothing faults or gets stuck in any order that the plan allows (T0a, T0b, T1).
pub fn is_fault_free(application: &Application, start: &GlobalState, plan: &Plan) -> bool {
    let Ok(events) = Events::new(plan) else { return false };
    let Ok(lives) = Lives::new(application, start, plan, &events) else { return false };
    if !lives.undefined.is_empty() || lives.has_alternatives {
        return false;
    }
    let possible = Possible::planned(&lives);
    let scene = Scene { application, start, events: &events, lives: &lives, possible: &possible };
    fault_free::shortest_fault(&scene).is_none()
}

/// Leaves out edges about needs that another edge implies together with edges that stay for
/// certain: the same provider for an earlier action of the user's instance, or the same user and
/// a later action of the provider's.
fn without_implied(steps: usize, edges: &mut BTreeMap<Edge, String>, found: &Reasons) {
    let mut next: Vec<Option<usize>> = vec![None; steps];
    for (before, after) in found.structure.keys() {
        next[*before] = Some(next[*before].map_or(*after, |known: usize| known.min(*after)));
    }
    let all: BTreeSet<Edge> = found.needs.keys().copied().collect();
    let mut implied: BTreeSet<Edge> = BTreeSet::new();
    for (before, after) in &all {
        let mut later = next[*before];
        while let Some(at) = later.filter(|at| at <= after) {
            if at == *after || edges.contains_key(&(at, *after)) {
                implied.insert((*before, *after));
            }
            later = next[at];
        }
        let mut user = next[*after];
        while let Some(at) = user {
            if all.contains(&(*before, at)) {
                implied.insert((*before, at));
            }
            user = next[at];
        }
    }
    edges.retain(|edge, _| !implied.contains(edge));
}

/// The transitive reduction.
fn reduced(sequence: &Plan, edges: BTreeMap<Edge, String>) -> BTreeMap<Edge, String> {
    let Ok(events) = Events::new(&with(sequence, &edges)) else { return edges };
    let mut into: Vec<Vec<usize>> = vec![Vec::new(); sequence.steps.len()];
    for (before, after) in edges.keys() {
        into[*after].push(*before);
    }
    let comes_before =
        |a: usize, b: usize| a != b && events.at_most(events.last_of(a), events.first_of(b));
    let implied = |(before, after): &Edge| into[*after].iter().any(|w| comes_before(*before, *w));
    edges.into_iter().filter(|(edge, _)| !implied(edge)).collect()
}
