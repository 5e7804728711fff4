//! The search: best first, greedy for a plan, then by cost for the best one.
//!
//! States are counts of classes, costs are exact, the bound never says too much; so when the
//! cheapest open state cannot lead to anything cheaper than the plan at hand, that plan is optimal.
//! A bound that is exact all along leads straight to the goal, whatever the number of replicas.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

use rustc_hash::FxBuildHasher;

use super::class::Counts;
use super::distance::Weights;
use super::estimate::Estimate;
use super::moves::{Kind, Move, Moves};
use super::target::Census;
use crate::system::{Budget, Progress, StopReason};

/// What the search found.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    /// The best path so far with its cost.
    pub(crate) path: Option<(Vec<Move>, u64)>,
    /// No plan costs less than this.
    pub(crate) bound: u64,
    /// What the bound was before the search: it leaves no move out.
    pub(crate) floor: u64,
    /// Why it ended early; none when the answer is final.
    pub(crate) stopped: Option<StopReason>,
    /// States found.
    pub(crate) states: usize,
}

/// A state that was found.
struct Entry {
    state: Counts,
    cost: u64,
    least: u64,
    parent: usize,
    step: Option<Move>,
}

/// How eagerly the search runs for the goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manner {
    /// Whatever looks nearest to the goal.
    Greedy,
    /// Whatever may be part of the cheapest plan.
    Exact,
}

/// Where a state has more moves than this, the greedy search takes the first that is good.
const MANY_MOVES: usize = 64;

/// How many states the parts of the search may look at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patience {
    /// Until there is some plan.
    pub(crate) greedy: usize,
    /// Until there is a better one or a proof that there is none, once there is a plan.
    pub(crate) exact: usize,
    /// Until there is some plan, by cost: where nothing looks nearer to the goal than the rest.
    pub(crate) first: usize,
}

/// Looks for a cheapest path.
pub(crate) fn search(
    moves: &mut Moves<'_>,
    start: &Counts,
    estimate: &Estimate,
    weights: &Weights,
    patience: Patience,
    budget: &mut dyn Budget,
) -> Found {
    let Some(bound) = estimate.of(moves, start) else {
        return Found { path: None, bound: u64::MAX, floor: u64::MAX, stopped: None, states: 1 };
    };
    let floor = bound;
    let mut greedy = Run::new(moves, estimate, weights, Manner::Greedy, start, bound);
    let first = greedy.run(u64::MAX, patience.greedy, budget);
    let states = greedy.entries.len();
    let interrupted = matches!(first, Ended::Stopped(reason) if reason != StopReason::Depth);
    let path = greedy.goal.map(|goal| (greedy.path(goal), greedy.entries[goal].cost));
    match (first, &path) {
        // Everything was looked at.
        (Ended::Exhausted, None) => {
            return Found { path: None, bound: u64::MAX, floor, stopped: None, states };
        }
        (_, Some((_, cost))) if *cost <= bound => {
            return Found { path, bound, floor, stopped: None, states };
        }
        (Ended::Stopped(reason), _) if interrupted => {
            return Found { path, bound, floor, stopped: Some(reason), states };
        }
        _ => {}
    }
    let most = path.as_ref().map_or(u64::MAX, |(_, cost)| *cost);
    let mut exact = Run::new(moves, estimate, weights, Manner::Exact, start, bound);
    let limit = if path.is_some() { patience.exact } else { patience.first };
    let ended = exact.run(most, limit, budget);
    let states = states + exact.entries.len();
    if let Some(goal) = exact.goal {
        let cost = exact.entries[goal].cost;
        let path = Some((exact.path(goal), cost));
        return Found { path, bound: cost, floor, stopped: None, states };
    }
    match ended {
        Ended::Stopped(reason) => {
            let bound = exact.bound.min(most);
            // Running out of patience with a plan at hand is no limit that the caller set.
            let is_patience = reason == StopReason::Depth;
            let reason = if is_patience { StopReason::Patience } else { reason };
            let stopped = Some(reason).filter(|_| !is_patience || path.is_none());
            Found { path, bound, floor, stopped, states }
        }
        _ => Found { path, bound: most, floor, stopped: None, states },
    }
}

enum Ended {
    AtGoal,
    Exhausted,
    Stopped(StopReason),
}

struct Run<'a, 'b> {
    moves: &'a mut Moves<'b>,
    estimate: &'a Estimate,
    weights: &'a Weights,
    manner: Manner,
    entries: Vec<Entry>,
    numbers: hashbrown::HashMap<Counts, usize, FxBuildHasher>,
    /// (rank, turn, age): smallest rank first, then whose turn it is, then youngest.
    open: BinaryHeap<(Reverse<u64>, u64, usize)>,
    bytes: usize,
    goal: Option<usize>,
    /// No path through what is open costs less.
    bound: u64,
    /// How many states were looked at, also those that lead to nothing better.
    looked: usize,
    /// What it costs at least from states that lead to nothing better at what was spent.
    left_out: hashbrown::HashMap<Counts, u64, FxBuildHasher>,
}

impl<'a, 'b> Run<'a, 'b> {
    fn new(
        moves: &'a mut Moves<'b>,
        estimate: &'a Estimate,
        weights: &'a Weights,
        manner: Manner,
        start: &Counts,
        least: u64,
    ) -> Self {
        let mut run = Run {
            moves,
            estimate,
            weights,
            manner,
            entries: Vec::new(),
            numbers: hashbrown::HashMap::default(),
            open: BinaryHeap::new(),
            bytes: 0,
            goal: None,
            bound: least,
            looked: 0,
            left_out: hashbrown::HashMap::default(),
        };
        run.reach(start.clone(), 0, usize::MAX, None, u64::MAX);
        run
    }

    fn run(&mut self, most: u64, patience: usize, budget: &mut dyn Budget) -> Ended {
        let mut expanded = 0_usize;
        let mut ask_at = 0_usize;
        while let Some((Reverse(rank), turn, at)) = self.open.pop() {
            let cost = self.entries[at].cost;
            if self.turn(cost) != turn {
                // Found again at a lower cost since.
                continue;
            }
            if self.manner == Manner::Exact {
                self.bound = self.bound.max(rank);
            }
            let state = self.entries[at].state.clone();
            if self.moves.is_goal(&state) {
                self.goal = Some(at);
                return Ended::AtGoal;
            }
            expanded += 1;
            // A state may have hundreds of successors, and each takes its time.
            if expanded + self.looked >= ask_at {
                ask_at = expanded + self.looked + 256;
                let progress = Progress {
                    states: self.entries.len(),
                    expanded,
                    transitions: 0,
                    depth: u32::try_from(self.bound).unwrap_or(u32::MAX),
                    bytes: self.bytes,
                };
                if let ControlFlow::Break(reason) = budget.spend(&progress) {
                    return Ended::Stopped(reason);
                }
            }
            if self.looked > patience {
                return Ended::Stopped(StopReason::Depth);
            }
            let census = self.moves.census(&state);
            let candidates = self.moves.candidates(&state, &census);
            if self.manner == Manner::Greedy && candidates.len() > MANY_MOVES {
                self.first_good(candidates, &census, at, rank, turn, most);
                continue;
            }
            for step in self.sorted(candidates) {
                let Some(next) = self.moves.perform(&state, &step) else { continue };
                let more = cost.saturating_add(self.cost(&step));
                self.reach(next, more, at, Some(step), most);
            }
        }
        Ended::Exhausted
    }

    /// Reaches the states behind moves, preferred ones first, until one is as near to the goal as
    /// its step costs: nothing is nearer for its price. The state is opened again for the rest,
    /// behind what was reached; what is known by then is not looked at twice. What is near to the
    /// node of the step before is preferred: of many nodes, one after another has its turn.
    fn first_good(
        &mut self,
        candidates: Vec<Move>,
        census: &Census,
        at: usize,
        rank: u64,
        turn: u64,
        most: u64,
    ) {
        let (cost, least) = (self.entries[at].cost, self.entries[at].least);
        let state = self.entries[at].state.clone();
        let here = self.entries[at].step.as_ref().map_or(0, |step| self.place(step));
        let mut candidates = self.sorted(candidates);
        candidates.reverse();
        candidates.sort_by_cached_key(|step| {
            let place = self.place(step);
            (self.neighbors(step), place.abs_diff(here), place < here)
        });
        for step in candidates {
            if self.moves.cannot_succeed(census, &step) {
                continue;
            }
            let Some(next) = self.moves.perform(&state, &step) else { continue };
            let price = self.cost(&step);
            let known = self.entries.len();
            self.reach(next, cost.saturating_add(price), at, Some(step), most);
            let is_new = self.entries.len() > known;
            if is_new && self.entries[known].least.saturating_add(price) <= least {
                self.open.push((Reverse(rank), turn, at));
                return;
            }
        }
    }

    /// Moves with those that are preferred last: the youngest of equals comes first.
    fn sorted(&self, mut moves: Vec<Move>) -> Vec<Move> {
        moves.sort_by_key(|step| Reverse(self.neighbors(step)));
        moves
    }

    /// How many live where a move creates an instance: a container with fewer is preferred.
    fn neighbors(&self, step: &Move) -> u32 {
        let home = step.path.last().filter(|_| matches!(step.kind, Kind::Create(..)));
        home.map_or(0, |home| {
            let children = &self.moves.classes.get(*home).children;
            children.iter().map(|(_, count)| *count).sum()
        })
    }

    /// The place of the node that a move is about, among nodes in the order of their needs.
    fn place(&self, step: &Move) -> usize {
        let last = step.path.last().map_or(0, |last| self.moves.classes.get(*last).node);
        let node = if let Kind::Create(node, _) = step.kind { node } else { last };
        self.moves.tables.nodes[node].place
    }

    fn cost(&self, step: &Move) -> u64 {
        match step.kind {
            Kind::Operation(way) => {
                let node = step.path.last().map_or(0, |last| self.moves.classes.get(*last).node);
                self.weights.operation[node][way]
            }
            Kind::Remove => self.weights.remove,
            Kind::Create(..) => self.weights.create,
        }
    }

    fn rank(&self, cost: u64, least: u64) -> u64 {
        match self.manner {
            Manner::Exact => cost.saturating_add(least),
            Manner::Greedy => least,
        }
    }

    /// Among equals the exact search goes where most is done already; the greedy one goes where
    /// least was spent, so that it does not lose itself where the bound says nothing.
    fn turn(&self, cost: u64) -> u64 {
        match self.manner {
            Manner::Exact => cost,
            Manner::Greedy => u64::MAX - cost,
        }
    }

    /// Notes a state, unless it is known at no greater cost or cannot be part of a plan below
    /// `most`.
    fn reach(&mut self, state: Counts, cost: u64, parent: usize, step: Option<Move>, most: u64) {
        if let Some(&at) = self.numbers.get(&state) {
            if cost < self.entries[at].cost && self.manner == Manner::Exact {
                let entry = &mut self.entries[at];
                (entry.cost, entry.parent, entry.step) = (cost, parent, step);
                let rank = self.rank(cost, self.entries[at].least);
                self.open.push((Reverse(rank), self.turn(cost), at));
            }
            return;
        }
        let least = match self.left_out.get(&state) {
            Some(least) => *least,
            None => {
                self.looked += 1;
                self.estimate.of(self.moves, &state).unwrap_or(u64::MAX)
            }
        };
        if least == u64::MAX || cost.saturating_add(least) >= most {
            self.bytes += state.len() * 8 + 48;
            self.left_out.insert(state, least);
            return;
        }
        let at = self.entries.len();
        self.bytes += 2 * state.len() * 8 + 160;
        self.numbers.insert(state.clone(), at);
        self.entries.push(Entry { state, cost, least, parent, step });
        self.open.push((Reverse(self.rank(cost, least)), self.turn(cost), at));
    }

    /// The moves that lead to an entry.
    fn path(&self, mut at: usize) -> Vec<Move> {
        let mut path = Vec::new();
        while let Some(step) = &self.entries[at].step {
            path.push(step.clone());
            at = self.entries[at].parent;
        }
        path.reverse();
        path
    }
}
