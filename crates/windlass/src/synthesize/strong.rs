//! Strong plans over beliefs: best first, every action good wherever the application may be.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::ops::ControlFlow;

use super::belief::{Belief, World};
use super::sequence::class::Counts;
use super::sequence::distance::Weights;
use super::sequence::lower_bound::LowerBound;
use super::sequence::tables::Tables;
use crate::application::{Application, GlobalState};
use crate::lifecycle::protocol::Element;
use crate::plan::PlanAction;
use crate::system::{Budget, Progress, StopReason};

/// What a search over beliefs found.
pub(super) struct Strong {
    /// The actions of the best plan, with what they cost.
    pub(super) path: Option<(Vec<PlanAction>, u64)>,
    /// No plan costs less.
    pub(super) bound: u64,
    /// Why it ended early.
    pub(super) stopped: Option<StopReason>,
    /// Beliefs found.
    pub(super) states: usize,
}

/// A belief that was found.
struct Entry {
    belief: Belief,
    cost: u64,
    least: u64,
    parent: usize,
    action: Option<PlanAction>,
    is_first: bool,
    is_superseded: bool,
}

/// Replicas can stand for each other as long as it is certain where each of them is.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Certain(Counts),
    Uncertain(Belief),
}

/// How the search goes on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Manner {
    /// Whatever looks nearest to the goal, or whatever may be part of the cheapest plan.
    pub(super) greedy: bool,
    /// Only plans that cost less are of interest.
    pub(super) most: u64,
    /// How many beliefs may be found.
    pub(super) patience: usize,
    /// Whether faults of the start settle with the first action.
    pub(super) unsettled: bool,
}

/// A search.
///
/// Paper: 004 Thm. 4.1
/// Deviation: the theorem holds for deterministic policies and handlers; with the policy `any` a
/// path has to be good for all successors, which is what is searched here.
pub(super) struct Search<'a, 'w> {
    pub(super) world: &'a World<'a>,
    pub(super) lower_bound: &'a mut LowerBound<'w>,
    pub(super) weights: &'a Weights,
    pub(super) tables: &'a Tables,
    pub(super) application: &'a Application,
}

impl Search<'_, '_> {
    /// A cheapest strong path from a belief, or some path when greedy.
    pub(super) fn run(
        &mut self,
        start: &Belief,
        manner: Manner,
        budget: &mut dyn Budget,
    ) -> Strong {
        let mut open = Open::default();
        // An unsettled start is no state to stay in: a first action is needed.
        let least = if manner.unsettled { Some(0) } else { self.least(start) };
        if let Some(least) = least {
            let (belief, parent) = (start.clone(), usize::MAX);
            let is_first = manner.unsettled;
            let (cost, action, is_superseded) = (0, None, false);
            let entry = Entry { belief, cost, least, parent, action, is_first, is_superseded };
            open.push(None, entry, manner);
        }
        let (mut bound, mut expanded) = (0, 0_usize);
        while let Some((rank, at)) = open.pop() {
            if !manner.greedy {
                bound = bound.max(rank);
            }
            let (belief, cost) = (open.all[at].belief.clone(), open.all[at].cost);
            let is_first = open.all[at].is_first;
            if !is_first && self.world.is_goal(&belief) {
                let bound = if manner.greedy { 0 } else { cost };
                let (path, states) = (Some((open.path(at), cost)), open.all.len());
                return Strong { path, bound, stopped: None, states };
            }
            expanded += 1;
            let reason = open.spend(expanded, bound, manner, budget);
            if let Some(stopped) = reason {
                let states = open.all.len();
                return Strong { path: None, bound, stopped: Some(stopped), states };
            }
            for action in self.world.candidates(&belief) {
                let price = self.price(&belief, &action);
                let Some(after) = self.world.act(&belief, &action, is_first) else { continue };
                self.reach(&mut open, at, cost + price, action, after.belief, manner);
            }
        }
        Strong { path: None, bound: manner.most, stopped: None, states: open.all.len() }
    }

    fn reach(
        &mut self,
        open: &mut Open,
        parent: usize,
        cost: u64,
        action: PlanAction,
        belief: Belief,
        manner: Manner,
    ) {
        let certain = match belief.first() {
            Some(only) if belief.len() == 1 => Some(self.lower_bound.of(only)),
            _ => None,
        };
        let (key, least) = match certain {
            Some((counts, least)) => (Key::Certain(counts), least),
            None => (Key::Uncertain(belief.clone()), self.least(&belief)),
        };
        let Some(least) = least.filter(|least| cost.saturating_add(*least) < manner.most) else {
            return;
        };
        let (action, is_first, is_superseded) = (Some(action), false, false);
        let entry = Entry { belief, cost, least, parent, action, is_first, is_superseded };
        open.push(Some(key), entry, manner);
    }

    /// What a plan costs at least: as much as from the farthest state; none when one is hopeless.
    fn least(&mut self, belief: &Belief) -> Option<u64> {
        let mut least = 0;
        for state in belief {
            least = least.max(self.lower_bound.of(state).1?);
        }
        Some(least)
    }

    pub(super) fn price(&self, belief: &Belief, action: &PlanAction) -> u64 {
        price(self.application, self.tables, self.weights, belief, action)
    }
}

/// What an action costs.
pub(super) fn price(
    application: &Application,
    tables: &Tables,
    weights: &Weights,
    belief: &Belief,
    action: &PlanAction,
) -> u64 {
    match action {
        PlanAction::ScaleOut { .. } => weights.create,
        PlanAction::ScaleIn { .. } => weights.remove,
        PlanAction::Operation { instance, operation } => {
            let of = |state: &GlobalState| {
                let found = state.instance(instance)?;
                let Element::State(from) = found.element else { return None };
                let node = found.node.index();
                let component = application.type_of(found.node);
                let operation = component.operation_named(operation)?.index();
                let ways = tables.nodes[node].ways.iter().enumerate();
                let fits = ways.filter(|(_, w)| w.from == from.index() && w.operation == operation);
                fits.map(|(at, _)| weights.operation[node][at]).min()
            };
            belief.first().and_then(of).unwrap_or(0)
        }
    }
}

/// Beliefs that wait.
#[derive(Default)]
struct Open {
    all: Vec<Entry>,
    numbers: BTreeMap<Key, usize>,
    /// (rank, turn, age): smallest rank first, then whose turn it is, then youngest.
    heap: BinaryHeap<(Reverse<u64>, u64, usize)>,
}

impl Open {
    fn push(&mut self, key: Option<Key>, entry: Entry, manner: Manner) {
        let rank = if manner.greedy { entry.least } else { entry.cost.saturating_add(entry.least) };
        let turn = if manner.greedy { u64::MAX - entry.cost } else { entry.cost };
        if let Some(known) = key.as_ref().and_then(|key| self.numbers.get(key)) {
            if manner.greedy || self.all[*known].cost <= entry.cost {
                return;
            }
            // Reached again at a lower cost, perhaps by other replicas, so that what was found
            // from the entry before is not what would be found from this one.
            self.all[*known].is_superseded = true;
        }
        let at = self.all.len();
        if let Some(key) = key {
            self.numbers.insert(key, at);
        }
        self.all.push(entry);
        self.heap.push((Reverse(rank), turn, at));
    }

    /// The next belief that was not reached again at a lower cost.
    fn pop(&mut self) -> Option<(u64, usize)> {
        loop {
            let (Reverse(rank), _, at) = self.heap.pop()?;
            if !self.all[at].is_superseded {
                return Some((rank, at));
            }
        }
    }

    fn spend(
        &self,
        expanded: usize,
        bound: u64,
        manner: Manner,
        budget: &mut dyn Budget,
    ) -> Option<StopReason> {
        let states = self.all.len();
        if states > manner.patience {
            return Some(StopReason::Depth);
        }
        if !expanded.is_multiple_of(16) {
            return None;
        }
        let depth = u32::try_from(bound).unwrap_or(u32::MAX);
        let progress = Progress { states, expanded, transitions: 0, depth, bytes: states << 12 };
        match budget.spend(&progress) {
            ControlFlow::Break(reason) => Some(reason),
            ControlFlow::Continue(()) => None,
        }
    }

    fn path(&self, mut at: usize) -> Vec<PlanAction> {
        let mut path = Vec::new();
        while let Some(action) = &self.all[at].action {
            path.push(action.clone());
            at = self.all[at].parent;
        }
        path.reverse();
        path
    }
}
