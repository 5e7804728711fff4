//! Repair: which order edges make a plan fault-free?
//!
//! A way to a fault is a box of slots that can hold at once. By the overlap lemma an order avoids
//! the box if and only if one slot of it is over before another is entered; so every fault-free
//! order contains, for each box, an edge from the action that ends one slot to the action that
//! enters another. Trying exactly those edges, fewest first, is therefore complete: when nothing
//! is left to try, no order of whole actions is fault-free.

use std::collections::{BTreeSet, VecDeque};

use super::fault_free::{self, Fault};
use crate::application::{Application, GlobalState};
use crate::plan::events::Events;
use crate::plan::lives::Lives;
use crate::plan::needs::{Possible, Scene};
use crate::plan::{Order, Plan};
use crate::source::Origin;

/// An order edge by the indices of its steps.
pub type Edge = (usize, usize);

/// What came out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Repair {
    /// Nothing faults as it is.
    NotNeeded,
    /// With these edges nothing faults, and none of them can be left out.
    Edges(Vec<Edge>),
    /// No order of whole actions is fault-free.
    Impossible,
    /// Actions on one instance are not ordered, or an operation does not exist where it is
    /// planned: which order is meant is for the author to say.
    NotOrdered,
    /// The search was given up after so many orders.
    GaveUp(usize),
}

/// Looks for the fewest edges that make the plan fault-free, trying at most `most` orders.
pub fn repair(application: &Application, start: &GlobalState, plan: &Plan, most: usize) -> Repair {
    let ask = |edges: &[Edge]| question(application, start, plan, edges);
    let first = match ask(&[]) {
        Asked::Fault(fault, events) => candidates(&fault, &events),
        Asked::FaultFree => return Repair::NotNeeded,
        Asked::Disorder => return Repair::NotOrdered,
    };
    let mut seen: BTreeSet<Vec<Edge>> = BTreeSet::new();
    let mut queue: VecDeque<(Vec<Edge>, Vec<Edge>)> = VecDeque::from([(Vec::new(), first)]);
    let mut asked = 1;
    while let Some((edges, candidates)) = queue.pop_front() {
        for edge in candidates {
            let mut more = edges.clone();
            more.push(edge);
            let mut key = more.clone();
            key.sort_unstable();
            if !seen.insert(key) {
                continue;
            }
            if asked == most {
                return greedy(&ask, most).unwrap_or(Repair::GaveUp(asked));
            }
            asked += 1;
            match ask(&more) {
                Asked::FaultFree => return Repair::Edges(without_needless(more, &ask)),
                Asked::Fault(fault, events) => {
                    let next = self::candidates(&fault, &events);
                    queue.push_back((more, next));
                }
                Asked::Disorder => {}
            }
        }
    }
    Repair::Impossible
}

/// The first candidate each time: quick, and often enough.
fn greedy(ask: &impl Fn(&[Edge]) -> Asked, most: usize) -> Option<Repair> {
    let mut edges = Vec::new();
    for _ in 0..most {
        match ask(&edges) {
            Asked::FaultFree => return Some(Repair::Edges(without_needless(edges, ask))),
            Asked::Fault(fault, events) => edges.push(*candidates(&fault, &events).first()?),
            Asked::Disorder => return None,
        }
    }
    None
}

fn without_needless(mut edges: Vec<Edge>, ask: &impl Fn(&[Edge]) -> Asked) -> Vec<Edge> {
    for at in (0..edges.len()).rev() {
        let mut fewer = edges.clone();
        fewer.remove(at);
        if matches!(ask(&fewer), Asked::FaultFree) {
            edges = fewer;
        }
    }
    edges
}

/// What T1 says about the plan with some more edges.
enum Asked {
    FaultFree,
    Fault(Fault, Box<Events>),
    Disorder,
}

fn question(application: &Application, start: &GlobalState, plan: &Plan, edges: &[Edge]) -> Asked {
    let plan = with_edges(plan, edges);
    let Ok(events) = Events::new(&plan) else { return Asked::Disorder };
    let Ok(lives) = Lives::new(application, start, &plan, &events) else { return Asked::Disorder };
    if !lives.undefined.is_empty() || lives.has_alternatives {
        return Asked::Disorder;
    }
    let possible = Possible::planned(&lives);
    let scene = Scene { application, start, events: &events, lives: &lives, possible: &possible };
    match fault_free::shortest_fault(&scene) {
        Some(fault) => Asked::Fault(fault, Box::new(events)),
        None => Asked::FaultFree,
    }
}

/// The plan with some more edges.
pub fn with_edges(plan: &Plan, edges: &[Edge]) -> Plan {
    let mut plan = plan.clone();
    let new = |&(before, after): &Edge| Order { before, after, why: None, origin: Origin(None) };
    plan.order.extend(edges.iter().map(new));
    plan
}

/// The edges that avoid a fault: the end of one slot of a box before the entry of another. Those
/// that order the fewest new pairs of events come first.
fn candidates(fault: &Fault, events: &Events) -> Vec<Edge> {
    let mut found: Vec<(usize, Edge)> = Vec::new();
    for slots in &fault.boxes {
        for (at, ended) in slots.iter().enumerate() {
            for (other, entered) in slots.iter().enumerate() {
                let (Some(leave), Some(enter)) = (ended.leave, entered.enter) else { continue };
                let (before, after) = (events.get(leave).step, events.get(enter).step);
                let backwards = events.at_most(events.first_of(after), events.last_of(before));
                if at == other || backwards {
                    continue;
                }
                let weight = events.count_below(&[events.last_of(before)]);
                found.push((weight, (before, after)));
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    let mut edges: Vec<Edge> = Vec::new();
    for (_, edge) in found {
        if !edges.contains(&edge) {
            edges.push(edge);
        }
    }
    edges
}
