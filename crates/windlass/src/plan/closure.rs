//! How many providers can fail to offer at the same cut: a minimum-weight closure.
//!
//! Each event weighs how many providers it makes offer minus how many it stops; a cut is a set of
//! events closed downward. Minimizing the weight over the cuts of a window is the closure problem,
//! which one maximum flow solves: events that help on the side of the source, events that hurt on
//! the side of the sink, and an unlimited edge from each event to the events it needs.

use std::collections::{BTreeMap, VecDeque};

use super::events::EventId;
use super::needs::Scene;
use super::slots::Slot;

/// Whether `together` rows can be inside one of their slots at a common cut of the window; if so,
/// which rows are inside at the cut where most of them are.
pub(crate) fn at_once(
    scene: &Scene<'_>,
    window: &Slot,
    rows: &[Vec<Slot>],
    together: usize,
) -> Option<Vec<usize>> {
    let events = scene.events;
    let done = |event: EventId| window.after.iter().any(|top| events.at_most(event, *top));
    let excluded = |event: EventId| window.leave.is_some_and(|leave| events.at_most(leave, event));
    // Gain of each event that is free: rows that enter a slot minus rows that leave one.
    let mut gain: BTreeMap<EventId, i64> = BTreeMap::new();
    let mut inside = 0_i64;
    for slot in rows.iter().flatten() {
        for (event, weight) in [(slot.enter, 1), (slot.leave, -1)] {
            match event {
                None => inside += i64::from(weight == 1),
                Some(event) if done(event) => inside += weight,
                Some(event) if excluded(event) => {}
                Some(event) => *gain.entry(event).or_default() += weight,
            }
        }
    }
    let chosen = Network::new(scene, &gain, &done).best_closure();
    let best = inside + chosen.iter().filter_map(|event| gain.get(event)).sum::<i64>();
    if best < i64::try_from(together).unwrap_or(i64::MAX) {
        return None;
    }
    let happened = |event: EventId| done(event) || chosen.contains(&event);
    let is_inside =
        |slot: &Slot| slot.enter.is_none_or(happened) && !slot.leave.is_some_and(happened);
    let inside = (0..rows.len()).filter(|row| rows[*row].iter().any(is_inside));
    Some(inside.take(together).collect())
}

/// A flow network over the free events; node 0 is the source, node 1 the sink.
struct Network {
    ids: Vec<EventId>,
    /// (to, capacity, index of the reverse edge)
    edges: Vec<Vec<(usize, i64, usize)>>,
}

const SOURCE: usize = 0;
const SINK: usize = 1;

impl Network {
    /// The events with a gain, and every free event that they need.
    fn new(
        scene: &Scene<'_>,
        gain: &BTreeMap<EventId, i64>,
        done: &impl Fn(EventId) -> bool,
    ) -> Self {
        let mut index: BTreeMap<EventId, usize> = BTreeMap::new();
        let mut ids = Vec::new();
        let mut open: Vec<EventId> = gain.keys().copied().collect();
        while let Some(event) = open.pop() {
            if index.contains_key(&event) || done(event) {
                continue;
            }
            index.insert(event, ids.len() + 2);
            ids.push(event);
            open.extend(scene.events.predecessors(event));
        }
        let mut network = Network { edges: vec![Vec::new(); ids.len() + 2], ids };
        for (event, node) in &index {
            match gain.get(event).copied().unwrap_or(0) {
                0 => {}
                gain if gain > 0 => network.connect(SOURCE, *node, gain),
                loss => network.connect(*node, SINK, -loss),
            }
            for needed in scene.events.predecessors(*event) {
                if let Some(to) = index.get(needed) {
                    network.connect(*node, *to, i64::MAX / 4);
                }
            }
        }
        network
    }

    fn connect(&mut self, from: usize, to: usize, capacity: i64) {
        let (forward, backward) = (self.edges[from].len(), self.edges[to].len());
        self.edges[from].push((to, capacity, backward));
        self.edges[to].push((from, 0, forward));
    }

    /// The events on the side of the source of a minimum cut: a closure of greatest gain.
    fn best_closure(mut self) -> Vec<EventId> {
        while let Some(path) = self.augmenting_path() {
            let least = path.iter().map(|(node, edge)| self.edges[*node][*edge].1).min();
            for (node, edge) in path {
                let amount = least.unwrap_or(0);
                let (to, _, back) = self.edges[node][edge];
                self.edges[node][edge].1 -= amount;
                self.edges[to][back].1 += amount;
            }
        }
        let reached = self.reachable();
        let free = self.ids.iter().enumerate();
        free.filter(|(at, _)| reached[at + 2].is_some()).map(|(_, event)| *event).collect()
    }

    /// For each node that spare capacity leads to, the edge by which it was found.
    fn reachable(&self) -> Vec<Option<(usize, usize)>> {
        let mut found = vec![None; self.edges.len()];
        found[SOURCE] = Some((SOURCE, 0));
        let mut queue = VecDeque::from([SOURCE]);
        while let Some(node) = queue.pop_front() {
            for (at, (to, capacity, _)) in self.edges[node].iter().enumerate() {
                if *capacity > 0 && found[*to].is_none() {
                    found[*to] = Some((node, at));
                    queue.push_back(*to);
                }
            }
        }
        found
    }

    fn augmenting_path(&self) -> Option<Vec<(usize, usize)>> {
        let found = self.reachable();
        let mut path = Vec::new();
        let mut node = SINK;
        while node != SOURCE {
            let (previous, edge) = found[node]?;
            path.push((previous, edge));
            node = previous;
        }
        Some(path)
    }
}
