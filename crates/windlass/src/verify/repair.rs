//! Repair: which order edges make a plan fault-free?
//!
//! A way to a fault is a box of slots that can hold at once. By the overlap lemma an order avoids
//! the box if and only if one slot of it is over before another is entered; so every fault-free
//! order contains, for each box, an edge from the action that ends one slot to the action that
//! enters another. Actions on one instance that are not ordered have to be ordered one way or the
//! other. Trying exactly those edges, fewest first, is therefore complete: when nothing is left to
//! try, no order of whole actions is fault-free.

use std::collections::{BTreeSet, VecDeque};

use super::fault_free::{self, Fault};
use crate::application::{Application, GlobalState};
use crate::plan::events::{EventId, Events};
use crate::plan::lives::{Disorder, Lives};
use crate::plan::needs::{Possible, Scene};
use crate::plan::{Order, Plan, PlanAction};
use crate::source::Origin;

/// An order edge by the indices of its steps.
pub(crate) type Edge = (usize, usize);

/// What came out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Repair {
    /// Nothing faults as it is.
    NotNeeded,
    /// With these edges nothing faults, and none of them can be left out.
    Edges(Vec<Edge>),
    /// No order of whole actions is fault-free.
    Impossible,
    /// The search was given up after so many orders, or an operation has alternatives, so that
    /// no order decides what it leads to.
    GaveUp(usize),
}

/// Looks for the fewest edges that make the plan fault-free, trying at most `most` orders.
pub fn repair(application: &Application, start: &GlobalState, plan: &Plan, most: usize) -> Repair {
    fewest(&|edges: &[Edge]| question(application, start, plan, edges), most)
}

/// The fewest edges for which the answer is [`Attempt::Good`]: every edge that is good contains one
/// of the candidates of each answer that is not.
pub(super) fn fewest(ask: &impl Fn(&[Edge]) -> Attempt, most: usize) -> Repair {
    let first = match ask(&[]) {
        Attempt::Good => return Repair::NotNeeded,
        Attempt::OneOf(candidates) => candidates,
        Attempt::Unclear => return Repair::GaveUp(1),
    };
    let mut seen: BTreeSet<Vec<Edge>> = BTreeSet::new();
    let mut queue: VecDeque<(Vec<Edge>, Vec<Edge>)> = VecDeque::from([(Vec::new(), first)]);
    let mut attempts = 1;
    let mut is_complete = true;
    while let Some((edges, candidates)) = queue.pop_front() {
        for edge in candidates {
            let mut more = edges.clone();
            more.push(edge);
            let mut key = more.clone();
            key.sort_unstable();
            if !seen.insert(key) {
                continue;
            }
            if attempts == most {
                return greedy(ask, most).unwrap_or(Repair::GaveUp(attempts));
            }
            attempts += 1;
            match ask(&more) {
                Attempt::Good => return Repair::Edges(without_needless(more, ask)),
                Attempt::OneOf(next) => queue.push_back((more, next)),
                Attempt::Unclear => is_complete = false,
            }
        }
    }
    if is_complete { Repair::Impossible } else { Repair::GaveUp(attempts) }
}

/// The first candidate each time: quick, and often enough.
fn greedy(ask: &impl Fn(&[Edge]) -> Attempt, most: usize) -> Option<Repair> {
    let mut edges = Vec::new();
    for _ in 0..most {
        match ask(&edges) {
            Attempt::Good => return Some(Repair::Edges(without_needless(edges, ask))),
            Attempt::OneOf(candidates) => edges.push(*candidates.first()?),
            Attempt::Unclear => return None,
        }
    }
    None
}

pub(super) fn without_needless(
    mut edges: Vec<Edge>,
    ask: &impl Fn(&[Edge]) -> Attempt,
) -> Vec<Edge> {
    for at in (0..edges.len()).rev() {
        let mut fewer = edges.clone();
        fewer.remove(at);
        if matches!(ask(&fewer), Attempt::Good) {
            edges = fewer;
        }
    }
    edges
}

/// What is known about the plan with some more edges.
pub(super) enum Attempt {
    /// It is as it should be.
    Good,
    /// It is not, and whatever edges make it so, one of these is among them.
    OneOf(Vec<Edge>),
    /// Nothing.
    Unclear,
}

/// What T1 says.
fn question(
    application: &Application,
    start: &GlobalState,
    plan: &Plan,
    edges: &[Edge],
) -> Attempt {
    let plan = with_edges(plan, edges);
    // A cycle: no edge more will help.
    let Ok(events) = Events::new(&plan) else { return Attempt::OneOf(Vec::new()) };
    let lives = match Lives::new(application, start, &plan, &events) {
        Ok(lives) => lives,
        Err(Disorder { earlier: Some(earlier), later, .. }) => {
            let (earlier, later) = (events.get(earlier).step, events.get(later).step);
            return Attempt::OneOf(vec![(earlier, later), (later, earlier)]);
        }
        Err(Disorder { later, .. }) => return Attempt::OneOf(orders(start, &plan, &events, later)),
    };
    if lives.has_alternatives {
        return Attempt::Unclear;
    }
    if let Some(undefined) = lives.undefined.first() {
        return Attempt::OneOf(orders(start, &plan, &events, undefined.event));
    }
    let possible = Possible::planned(&lives);
    let scene = Scene { application, start, events: &events, lives: &lives, possible: &possible };
    match fault_free::shortest_fault(&scene) {
        Some(fault) => Attempt::OneOf(candidates(&fault, &events)),
        None => Attempt::Good,
    }
}

/// The edges of which one is needed where an event cannot happen in some order, though nothing
/// faults: those between actions on the same instance, or on what it lives in, that are not ordered
/// yet. When there are none, these actions come in the same order always, and it is a wrong one.
fn orders(start: &GlobalState, plan: &Plan, events: &Events, event: EventId) -> Vec<Edge> {
    let step = events.get(event).step;
    let mut about = BTreeSet::from([plan.steps[step].action.instance()]);
    loop {
        let homes = plan.steps.iter().filter_map(|step| match &step.action {
            PlanAction::ScaleOut { instance, container: Some(container), .. } => {
                about.contains(instance).then_some(container)
            }
            _ => None,
        });
        let found = start.vertical.iter().filter(|(inside, _)| about.contains(inside));
        let more: BTreeSet<_> = homes.chain(found.map(|(_, (_, home))| home)).collect();
        if more.is_subset(&about) {
            break;
        }
        about.extend(more);
    }
    let steps: Vec<usize> = (0..plan.steps.len())
        .filter(|at| about.contains(plan.steps[*at].action.instance()))
        .collect();
    let comes_first = |a: usize, b: usize| events.at_most(events.last_of(a), events.first_of(b));
    let mut edges = Vec::new();
    for (at, &one) in steps.iter().enumerate() {
        for &other in &steps[at + 1..] {
            if !comes_first(one, other) && !comes_first(other, one) {
                edges.extend([(one, other), (other, one)]);
            }
        }
    }
    edges
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
