//! Values below which no plan is, for objectives that are no sums over actions.
//!
//! *Makespan*: the greater of two. The critical path: the earliest moment at which what the goal
//! wants can be there when nothing gets in the way of anything else (`earliest.rs`). The work of a
//! host: whatever the plan, the operations on a host take so long together, and so many of them
//! run at once.
//!
//! *Rent*: what has to be created exists at least as long as its own operations take, and what is
//! there already as long as the plan.

use super::super::schedule;
use super::distance::{Distances, Weights};
use super::earliest::{self, Earliest};
use super::estimate::Estimate;
use super::names::NamedInstances;
use super::target::{Census, Condition, Role};
use super::{PlanningContext, support};
use crate::application::NodeId;

impl PlanningContext<'_> {
    /// No plan is faster, in milliseconds.
    pub(crate) fn least_makespan(&self) -> u64 {
        self.earliest_goal().max(self.busiest_host())
    }

    /// The earliest moment at which what the goal wants can be there, in milliseconds: no plan is
    /// faster, however many actions it has.
    fn earliest_goal(&self) -> u64 {
        let mut moves = self.moves();
        let (_, start) = NamedInstances::new(&mut moves, self.task.start);
        moves.limits = support::limits(&self.tables, &self.given(&moves, &start));
        let relaxed = self.relaxed(&moves, &start);
        let census = moves.census(&start);
        let application = self.task.application;
        let earliest = Earliest::new(application, &self.tables, &relaxed, &census);
        let of = |condition: &Condition| match condition {
            Condition::Node { node, state, least, .. } => earliest.several(*node, *state, *least),
            Condition::RoleAt(role, state) => self.role(&earliest, &census, *role, *state),
            Condition::Offered(places) => {
                places.iter().map(|(node, c)| earliest.offer(*node, *c)).min().unwrap_or(0)
            }
            _ => 0,
        };
        // What cannot be at all is no matter of time.
        self.target.goal.iter().map(of).filter(|when| *when < earliest::NEVER).max().unwrap_or(0)
    }

    /// When every instance of a role can be in a state: each gets there, or is removed and created
    /// again.
    fn role(&self, earliest: &Earliest<'_>, census: &Census, role: u32, state: usize) -> u64 {
        let Role { node, ids, .. } = &self.target.roles[role as usize];
        let again = earliest.new_at(*node, state);
        let here = census.roles[role as usize].iter().filter(|(_, count)| **count > 0);
        let moved = here.map(|(element, _)| earliest.from(*node, *element, state).min(again));
        let is_missing = (census.present(role) as usize) < ids.len();
        moved.chain(is_missing.then_some(again)).max().unwrap_or(0)
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
    ///
    /// In the end there are as many instances of a node as the goal wants at least, and each of
    /// them is paid for: one that was created since then, so as long as its own operations took,
    /// which happened one after another; one that was there at the start as long as the whole plan
    /// takes. Of the latter there are not more than there were at the start.
    pub(crate) fn least_rent(&self) -> u64 {
        let application = self.task.application;
        let mut moves = self.moves();
        let (_, start) = NamedInstances::new(&mut moves, self.task.start);
        moves.limits = support::limits(&self.tables, &self.given(&moves, &start));
        let relaxed = self.relaxed(&moves, &start);
        let (census, times) = (moves.census(&start), self.times());
        let whole = self.least_makespan();
        let mut by_node = vec![0_u64; self.tables.nodes.len()];
        for condition in &self.target.goal {
            let Condition::Node { node, state, least, .. } = condition else { continue };
            let to = Distances::new(&self.tables, &relaxed, &times, *node, |s| s == *state);
            let takes = to.cost[self.tables.nodes[*node].initial];
            let rate = application.type_of(NodeId::from(*node)).cost_per_second.0;
            let rent = |time: u64| rate.saturating_mul(time) / 1000;
            let old = (*least).min(census.total[*node]);
            let new = u64::from(*least - old).saturating_mul(rent(takes));
            let rent = u64::from(old).saturating_mul(rent(takes.min(whole))).saturating_add(new);
            // Conditions on one node may be about the same instances.
            by_node[*node] = by_node[*node].max(rent);
        }
        by_node.into_iter().fold(0, u64::saturating_add)
    }

    /// What the sum of these weights is at least.
    fn least(&self, weights: Weights) -> u64 {
        let mut moves = self.moves();
        let (_, start) = NamedInstances::new(&mut moves, self.task.start);
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
