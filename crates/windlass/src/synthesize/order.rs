//! From a sequence to an order that is as parallel as possible.
//!
//! The order starts with every edge that carries a reason. What other edges imply is left out;
//! then, one after another, each edge that is about needs is dropped when the plan stays free of
//! faults without it (tier T1). So no edge that remains can be missed. Where invariants are bounds
//! on numbers, edges are added that make them hold (`cuts.rs`); what others look at stays in one
//! row, except where they hold in every order (`invariants.rs`).

pub(crate) mod reasons;

use std::collections::{BTreeMap, BTreeSet};

use self::reasons::{Edge, Reasons, label, reasons};
use super::invariants::Invariants;
use crate::application::{Application, GlobalState};
use crate::plan::events::Events;
use crate::plan::lives::Lives;
use crate::plan::needs::{Possible, Scene};
use crate::plan::{Order, Plan, PlanAction, Step};
use crate::source::Origin;
use crate::verify::fault_free;

/// Plans with more actions than this keep every edge that has a reason and is not implied.
const MOST_TRIED: usize = 200;

/// The sequence as a plan, every action after the one before it.
pub fn sequence(actions: &[PlanAction]) -> Plan {
    let mut times = BTreeMap::new();
    let operation = |action: &PlanAction| match action {
        PlanAction::Operation { instance, operation } => Some(format!("{operation} {instance}")),
        _ => None,
    };
    let operations = actions.iter().filter_map(operation).collect();
    let step = |action: &PlanAction| Step {
        label: label(action, &operations, &mut times),
        action: action.clone(),
        origin: Origin(None),
    };
    Plan { steps: actions.iter().map(step).collect(), ..Plan::default() }.into_sequence()
}

/// The sequence with only the order that has reasons; the sequence itself when reasons alone do
/// not keep it free of faults.
pub(crate) fn ordered(
    application: &Application,
    start: &GlobalState,
    sequence: &Plan,
    invariants: Invariants<'_>,
) -> Plan {
    let Some(found) = reasons(application, start, sequence, invariants.watched) else {
        return sequence.clone();
    };
    let mut edges: BTreeMap<Edge, String> = found
        .structure
        .iter()
        .chain(&found.needs)
        .map(|(edge, why)| (*edge, why.clone()))
        .collect();
    without_implied(sequence.steps.len(), &mut edges, &found);
    let mut trial = Trial { application, start, sequence, invariants, edges, is_chain: false };
    let is_small = sequence.steps.len() <= MOST_TRIED;
    let bounded = trial.bounded();
    if let Some(pairs) = &bounded {
        trial.edges.extend(pairs.clone());
    } else {
        trial.is_chain = true;
        trial.edges.extend(found.invariants.clone());
    }
    if !is_fault_free(application, start, &with(sequence, &trial.edges)) {
        return sequence.clone();
    }
    if is_small && trial.is_chain {
        trial.loosen_invariants(&found);
    }
    if is_small {
        trial.drop_where(|edge| bounded.as_ref().is_some_and(|pairs| pairs.contains_key(edge)));
        trial.drop_where(|edge| found.needs.contains_key(edge));
    }
    with(sequence, &reduced(sequence, trial.edges))
}

/// The most pairs of actions that invariants look at and that are tried the other way around.
const MOST_PAIRS: usize = 400;

/// An order that is made smaller while the plan stays good.
struct Trial<'a> {
    application: &'a Application,
    start: &'a GlobalState,
    sequence: &'a Plan,
    invariants: Invariants<'a>,
    edges: BTreeMap<Edge, String>,
    /// Whether all that invariants look at happens in the order of the sequence.
    is_chain: bool,
}

impl Trial<'_> {
    /// Whether nothing faults and the invariants hold, in every order.
    fn is_good(&self) -> bool {
        let plan = with(self.sequence, &self.edges);
        is_fault_free(self.application, self.start, &plan)
            && (self.is_chain
                || self.invariants.is_empty()
                || self.invariants.hold(self.application, self.start, &plan))
    }

    /// The edges that make invariants hold which are bounds on numbers; none where some are not.
    fn bounded(&self) -> Option<BTreeMap<Edge, String>> {
        let bounds = self.invariants.bounds(self.application, self.start, self.sequence)?;
        let mut edges = self.edges.clone();
        let mut added = BTreeMap::new();
        for bound in bounds {
            let events = Events::new(&with(self.sequence, &edges)).ok()?;
            for (gain, loss) in bound.missing(&|a, b| events.at_most(a, b))? {
                let edge = (events.get(gain).step, events.get(loss).step);
                added.entry(edge).or_insert_with(|| bound.about.clone());
            }
            edges.extend(added.clone());
        }
        Some(added)
    }

    /// What invariants look at is in one row; pairs of it are taken apart, nearest first, where
    /// the invariants hold all the same.
    fn loosen_invariants(&mut self, found: &Reasons) {
        let row = &found.watched;
        let length = row.len();
        if found.invariants.is_empty() || length * length > 2 * MOST_PAIRS {
            return;
        }
        self.is_chain = false;
        let mut kept: Vec<Vec<bool>> =
            (0..length).map(|a| (0..length).map(|b| a < b).collect()).collect();
        for distance in 1..length {
            for before in 0..length - distance {
                let after = before + distance;
                if (before + 1..after).any(|middle| kept[before][middle] && kept[middle][after]) {
                    continue;
                }
                kept[before][after] = false;
                self.replace_invariants(found, row, &kept);
                if !self.is_good() {
                    kept[before][after] = true;
                }
            }
        }
        self.replace_invariants(found, row, &kept);
    }

    /// The edges of invariants are those that are kept and not implied by others of them.
    fn replace_invariants(&mut self, found: &Reasons, row: &[usize], kept: &[Vec<bool>]) {
        let is_other =
            |edge: &Edge| found.structure.contains_key(edge) || found.needs.contains_key(edge);
        self.edges.retain(|edge, _| is_other(edge));
        for after in 0..row.len() {
            for before in (0..after).filter(|before| kept[*before][after]) {
                let mut middle = before + 1..after;
                if !middle.any(|middle| kept[before][middle] && kept[middle][after]) {
                    let about = self.sequence.steps[row[after]].action.instance();
                    let why = format!("an invariant looks at {about}");
                    self.edges.entry((row[before], row[after])).or_insert(why);
                }
            }
        }
    }

    /// Some edges are dropped, one after another, where the plan stays good without them.
    fn drop_where(&mut self, is_tried: impl Fn(&Edge) -> bool) {
        let tried: Vec<Edge> = self.edges.keys().copied().filter(is_tried).collect();
        for edge in tried {
            let Some(why) = self.edges.remove(&edge) else { continue };
            if !self.is_good() {
                self.edges.insert(edge, why);
            }
        }
    }
}

/// The first action of a sequence, and everything else after it in the order of `rest`.
pub(crate) fn after_first(sequence: &Plan, rest: &Plan, why: &str) -> Plan {
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
