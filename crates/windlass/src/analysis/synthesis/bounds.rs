//! Values below which no plan is, for objectives that are no sums over actions.
//!
//! *Makespan*: the greater of two. The critical path: the earliest moment at which what the goal
//! wants can be there when nothing gets in the way of anything else. The work of a host: whatever
//! the plan, the operations on a host take so long together, and so many of them run at once.
//!
//! *Rent*: what has to be created exists at least as long as its own operations take.

use super::distance::{Distances, Weights};
use super::estimate::Estimate;
use super::names::Cast;
use super::target::Condition;
use super::{Workshop, schedule, support};
use crate::application::NodeId;

impl Workshop<'_> {
    /// No plan is faster, in milliseconds.
    pub fn least_makespan(&self) -> u64 {
        self.earliest_goal().max(self.busiest_host())
    }

    /// The earliest moment at which what the goal wants can be there, in milliseconds: no plan is
    /// faster, however many actions it has.
    fn earliest_goal(&self) -> u64 {
        let mut moves = self.moves();
        let (_, start) = Cast::new(&mut moves, self.task.start);
        moves.limits = support::limits(&self.tables, &self.given(&moves, &start));
        let relaxed = self.relaxed(&moves, &start);
        let census = moves.census(&start);
        let there = |node: usize, state: usize| census.at[node][state] > 0;
        let offered =
            |node: usize, capability: usize| census.offering(&self.tables, node, capability) > 0;
        let application = self.task.application;
        let earliest = schedule::earliest(application, &self.tables, &relaxed, there, offered);
        let fresh = |node: usize, state: usize, least: u32| {
            // Who is there already needs no time.
            if census.at[node][state] >= least { 0 } else { earliest[node][state] }
        };
        let of = |condition: &Condition| match condition {
            Condition::Node { node, state, least, .. } => fresh(*node, *state, *least),
            Condition::RoleAt(role, state) => {
                fresh(self.target.roles[*role as usize].node, *state, u32::MAX)
            }
            _ => 0,
        };
        self.target.goal.iter().map(of).max().unwrap_or(0)
    }

    /// The time that the work of the busiest host takes.
    fn busiest_host(&self) -> u64 {
        let deployment = &self.task.application.deployment;
        let times = self.times();
        let work = |(host, slots): (&String, &u32)| {
            let mut weights = Weights { create: 0, remove: 0, ..times.clone() };
            for (node, operations) in weights.operation.iter_mut().enumerate() {
                if deployment.host.get(&NodeId::from(node)) != Some(host) {
                    operations.fill(0);
                }
            }
            self.least(weights).div_ceil(u64::from(*slots).max(1))
        };
        deployment.hosts.iter().map(work).max().unwrap_or(0)
    }

    /// No plan pays less for the time that instances exist, in thousandths.
    pub fn least_rent(&self) -> u64 {
        let application = self.task.application;
        let mut moves = self.moves();
        let (_, start) = Cast::new(&mut moves, self.task.start);
        moves.limits = support::limits(&self.tables, &self.given(&moves, &start));
        let relaxed = self.relaxed(&moves, &start);
        let (census, times) = (moves.census(&start), self.times());
        let of = |condition: &Condition| {
            let Condition::Node { node, state, least, .. } = condition else { return 0 };
            let missing = u64::from(least.saturating_sub(census.total[*node]));
            let to = Distances::new(&self.tables, &relaxed, &times, *node, |s| s == *state);
            let takes = to.cost[self.tables.nodes[*node].initial];
            let rate = application.type_of(NodeId::from(*node)).cost_per_second.0;
            missing.saturating_mul(rate.saturating_mul(takes) / 1000)
        };
        self.target.goal.iter().map(of).fold(0, u64::saturating_add)
    }

    /// What the sum of these weights is at least.
    fn least(&self, weights: Weights) -> u64 {
        let mut moves = self.moves();
        let (_, start) = Cast::new(&mut moves, self.task.start);
        moves.limits = support::limits(&self.tables, &self.given(&moves, &start));
        let relaxed = self.relaxed(&moves, &start);
        let estimate = Estimate::new(&self.tables, &self.target, &relaxed, weights);
        estimate.of(&moves, &start).unwrap_or(0)
    }

    /// The durations of operations, in milliseconds.
    fn times(&self) -> Weights {
        let mut weights = Weights::length(&self.tables);
        for (node, table) in self.tables.nodes.iter().enumerate() {
            let component = self.task.application.type_of(NodeId::from(node));
            for (at, way) in table.ways.iter().enumerate() {
                let duration = component.operations.get(way.operation).and_then(|o| o.duration);
                weights.operation[node][at] = duration.map_or(0, schedule::millis);
            }
        }
        weights
    }
}
