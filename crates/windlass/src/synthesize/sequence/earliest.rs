//! The earliest moments at which instances can be somewhere, when nothing gets in the way of
//! anything else and everything may happen at the same time: no plan is faster.
//!
//! A plan orders whole operations, so that a run in which they happen one after another is one of
//! its runs, and in that run what an operation or a state needs is offered by a state. So whatever
//! the plan, an operation starts when its instance is in the state before it, not earlier than
//! some instance of the provider is in a state that offers, and takes its time. Where faults may
//! help nothing of this holds.

use super::super::schedule::millis;
use super::relaxed::Relaxed;
use super::tables::Tables;
use super::target::Census;
use crate::application::{Application, NodeId};

/// Never.
pub(crate) const NEVER: u64 = u64::MAX;

/// Earliest moments, in milliseconds.
#[derive(Debug)]
pub(crate) struct Earliest<'a> {
    application: &'a Application,
    tables: &'a Tables,
    relaxed: &'a Relaxed,
    census: &'a Census,
    /// By node and state: when some instance can be there. Who is there at the start needs no time.
    at: Vec<Vec<u64>>,
}

impl<'a> Earliest<'a> {
    /// From a start on.
    pub(crate) fn new(
        application: &'a Application,
        tables: &'a Tables,
        relaxed: &'a Relaxed,
        census: &'a Census,
    ) -> Self {
        let is_there = |node: usize, state: usize| census.at[node][state] > 0;
        let nodes = tables.nodes.iter().enumerate();
        let at = nodes.map(|(node, table)| {
            (0..table.states).map(|s| if is_there(node, s) { 0 } else { NEVER }).collect()
        });
        let at = at.collect();
        let mut earliest = Earliest { application, tables, relaxed, census, at };
        // The least numbers that agree with each other: each is lowered until none can be.
        loop {
            let mut has_changed = false;
            for node in 0..tables.nodes.len() {
                let begins: Vec<(usize, u64)> =
                    earliest.at[node].iter().copied().enumerate().collect();
                let mut row = earliest.after(node, &begins);
                let created = earliest.after(node, &[earliest.creation(node)]);
                row.iter_mut().zip(created).for_each(|(when, other)| *when = other.min(*when));
                has_changed |= row != earliest.at[node];
                earliest.at[node] = row;
            }
            if !has_changed {
                return earliest;
            }
        }
    }

    /// When some instance can offer a capability.
    pub(crate) fn offer(&self, node: usize, capability: usize) -> u64 {
        if self.census.offering(self.tables, node, capability) > 0 {
            return 0;
        }
        let states = self.at[node].iter().enumerate();
        let able = states.filter(|(state, _)| self.tables.offers(node, *state, capability));
        able.map(|(_, when)| *when).min().unwrap_or(NEVER)
    }

    /// When everything that an element needs can be offered.
    fn offered(&self, node: usize, element: usize) -> u64 {
        let needs = self.tables.row(node, element).needs.iter();
        let requirements = &self.tables.nodes[node].requirements;
        let when = |r: &usize| requirements[*r].target.map_or(NEVER, |(p, c)| self.offer(p, c));
        needs.map(when).max().unwrap_or(0)
    }

    /// The initial state, and when a new instance can be in it: its container is there, and what
    /// the state needs.
    fn creation(&self, node: usize) -> (usize, u64) {
        let table = &self.tables.nodes[node];
        let some = |home: usize| self.at[home].iter().copied().min().unwrap_or(NEVER);
        let home = table.home.map_or(0, some);
        let when = home.max(self.offered(node, table.initial));
        (table.initial, if self.relaxed.creatable[node] { when } else { NEVER })
    }

    /// By state, when one instance can be there that begins in one of these states at these times:
    /// by induction over its operations, each of which takes its time from when it can start.
    fn after(&self, node: usize, begins: &[(usize, u64)]) -> Vec<u64> {
        let table = &self.tables.nodes[node];
        let component = self.application.type_of(NodeId::from(node));
        let mut at = vec![NEVER; table.states];
        for (state, when) in begins {
            at[*state] = at[*state].min(*when);
        }
        loop {
            let mut has_changed = false;
            for way in &table.ways {
                let operation = component.operations.get(way.operation);
                let takes = operation.and_then(|o| o.duration).map_or(0, millis);
                let ready = at[way.from].max(self.offered(node, way.element));
                let when = ready.saturating_add(takes).max(self.offered(node, way.to));
                if when < at[way.to] {
                    at[way.to] = when;
                    has_changed = true;
                }
            }
            if !has_changed {
                return at;
            }
        }
    }

    /// When an instance that is at `element` now can be in a state. In the middle of an operation
    /// that no plan ends it stays where it is.
    pub(crate) fn from(&self, node: usize, element: usize, state: usize) -> u64 {
        if element >= self.tables.nodes[node].states {
            return NEVER;
        }
        self.after(node, &[(element, 0)])[state]
    }

    /// When a new instance can be in a state.
    pub(crate) fn new_at(&self, node: usize, state: usize) -> u64 {
        self.after(node, &[self.creation(node)])[state]
    }

    /// When so many instances can be in a state at once. They are different ones, each of those
    /// that are there now or a new one, and each has its own earliest moment; so the last of them
    /// is not there before the number-th of all these moments.
    pub(crate) fn several(&self, node: usize, state: usize, number: u32) -> u64 {
        let here = self.census.at[node].iter().enumerate().filter(|(_, count)| **count > 0);
        let mut all: Vec<(u64, u32)> =
            here.map(|(element, count)| (self.from(node, element, state), *count)).collect();
        all.push((self.new_at(node, state), u32::MAX));
        all.sort_unstable();
        let mut missing = number;
        for (when, count) in all {
            if missing == 0 {
                return 0;
            }
            if count >= missing {
                return when;
            }
            missing -= count;
        }
        0
    }
}
