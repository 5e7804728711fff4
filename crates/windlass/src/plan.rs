//! Plans: partial orders of actions, as people write and exchange them.
//!
//! A plan speaks of instances, nodes and operations by name, because it is a document of its own
//! and may not fit the application it is given with. `semantics/` says what it means.

pub(crate) mod closure;
pub(crate) mod counting;
pub mod cover;
pub mod events;
pub mod fit;
pub mod lives;
pub mod needs;
pub mod slots;

pub use fit::{Misfit, MisfitKind, fit};

use crate::application::InstanceId;
use crate::cycle::{Cycles, Edges};
use crate::source::Origin;

/// One action of a plan.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum PlanAction {
    /// Perform an operation: its start and, later, its end.
    Operation {
        /// On which instance.
        instance: InstanceId,
        /// Which operation.
        operation: String,
    },
    /// Create an instance.
    ScaleOut {
        /// Of which node.
        node: String,
        /// With which id.
        instance: InstanceId,
        /// Inside which instance.
        container: Option<InstanceId>,
    },
    /// Destroy an instance, and with it what it contains.
    ScaleIn {
        /// Which one.
        instance: InstanceId,
    },
}

impl PlanAction {
    /// The instance that the action is about.
    pub fn instance(&self) -> &InstanceId {
        match self {
            PlanAction::Operation { instance, .. }
            | PlanAction::ScaleOut { instance, .. }
            | PlanAction::ScaleIn { instance } => instance,
        }
    }

    /// How many observable actions of paper 004 it is: an operation is a start and an end.
    pub(crate) fn length(&self) -> usize {
        match self {
            PlanAction::Operation { .. } => 2,
            PlanAction::ScaleOut { .. } | PlanAction::ScaleIn { .. } => 1,
        }
    }
}

/// An action with its label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Unique in the plan.
    pub label: String,
    /// What is done.
    pub action: PlanAction,
    /// Where it was written.
    pub origin: Origin,
}

/// `before` ends before `after` starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// Index of the earlier step.
    pub before: usize,
    /// Index of the later step.
    pub after: usize,
    /// Why, when a reason was given.
    pub why: Option<String>,
    /// Where it was written.
    pub origin: Origin,
}

/// A partial order of actions. Steps stand in the order of the document; that order means
/// nothing unless [`Plan::into_sequence`] makes it count.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// The actions.
    pub steps: Vec<Step>,
    /// The order edges; their transitive closure is the order.
    pub order: Vec<Order>,
    /// Digest of the application the plan was made for, when it says so.
    pub application: Option<String>,
    /// Digest of the state the plan starts from, when it says so.
    pub start: Option<String>,
}

impl Plan {
    /// The index of the step with this label.
    pub fn step_labelled(&self, label: &str) -> Option<usize> {
        self.steps.iter().position(|step| step.label == label)
    }

    /// The number of observable actions: scale-outs, scale-ins, operation starts and ends.
    pub fn length(&self) -> usize {
        self.steps.iter().map(|step| step.action.length()).sum()
    }

    /// The same steps, each after the one written before it.
    #[must_use]
    pub fn into_sequence(mut self) -> Self {
        self.order = (1..self.steps.len())
            .map(|after| Order { before: after - 1, after, why: None, origin: Origin(None) })
            .collect();
        self
    }

    /// This plan and then another one: every step of the other comes after all of these.
    #[must_use]
    pub fn followed_by(mut self, other: Plan) -> Self {
        let shift = self.steps.len();
        let is_end = |at: &usize| !self.order.iter().any(|edge| edge.before == *at);
        let ends: Vec<usize> = (0..shift).filter(is_end).collect();
        let is_start = |at: &usize| !other.order.iter().any(|edge| edge.after == *at);
        let starts: Vec<usize> = (0..other.steps.len()).filter(is_start).collect();
        let edge = |before, after, why, origin| Order { before, after, why, origin };
        for before in &ends {
            for after in &starts {
                self.order.push(edge(*before, after + shift, None, Origin(None)));
            }
        }
        for Order { before, after, why, origin } in other.order {
            self.order.push(edge(before + shift, after + shift, why, origin));
        }
        for mut step in other.steps {
            let wish = step.label.clone();
            let mut number = 2;
            while self.step_labelled(&step.label).is_some() {
                step.label = format!("{wish} {number}");
                number += 1;
            }
            self.steps.push(step);
        }
        self
    }

    /// The steps in an order that respects all edges, smallest index first; or the steps of one
    /// cycle, in its order, when there is none.
    pub fn topological_order(&self) -> Result<Vec<usize>, Vec<usize>> {
        let mut waiting = vec![0_usize; self.steps.len()];
        let mut successors = vec![Vec::new(); self.steps.len()];
        for edge in &self.order {
            waiting[edge.after] += 1;
            successors[edge.before].push(edge.after);
        }
        let mut ready: std::collections::BTreeSet<usize> =
            (0..self.steps.len()).filter(|step| waiting[*step] == 0).collect();
        let mut sorted = Vec::with_capacity(self.steps.len());
        while let Some(step) = ready.pop_first() {
            sorted.push(step);
            for next in &successors[step] {
                waiting[*next] -= 1;
                if waiting[*next] == 0 {
                    ready.insert(*next);
                }
            }
        }
        if sorted.len() == self.steps.len() { Ok(sorted) } else { Err(self.cycle()) }
    }

    /// A cycle of the order, in its order.
    fn cycle(&self) -> Vec<usize> {
        let mut before = vec![Vec::new(); self.steps.len()];
        for edge in &self.order {
            before[edge.after].push(edge.before);
        }
        let edges: Edges = before.into_iter().collect();
        let cycle = Cycles::new(&edges).next().unwrap_or_default();
        cycle.into_iter().rev().map(|step| step.vertex).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(steps: usize, order: &[(usize, usize)]) -> Plan {
        let step = |at: usize| Step {
            label: format!("s{at}"),
            action: PlanAction::ScaleIn { instance: InstanceId(format!("i{at}")) },
            origin: Origin(None),
        };
        let edge = |&(before, after): &(usize, usize)| Order {
            before,
            after,
            why: None,
            origin: Origin(None),
        };
        Plan {
            steps: (0..steps).map(step).collect(),
            order: order.iter().map(edge).collect(),
            ..Plan::default()
        }
    }

    /// A plan of operations (`true`) and scale-ins, each on an instance of its own.
    pub(super) fn plan_of(operations: &[bool], order: &[(usize, usize)]) -> Plan {
        let mut plan = plan(operations.len(), order);
        for (at, is_operation) in operations.iter().enumerate() {
            if *is_operation {
                let instance = InstanceId(format!("i{at}"));
                plan.steps[at].action =
                    PlanAction::Operation { instance, operation: "work".to_owned() };
            }
        }
        plan
    }

    #[test]
    fn a_cycle_is_found_in_its_order() {
        assert_eq!(plan(4, &[(3, 1), (1, 0)]).topological_order(), Ok(vec![2, 3, 1, 0]));
        let found = plan(5, &[(0, 1), (1, 2), (2, 3), (3, 1), (3, 4)]).topological_order();
        let cycle = found.expect_err("there is a cycle");
        assert_eq!(cycle.len(), 3);
        for step in [1, 2, 3] {
            assert!(cycle.contains(&step));
        }
        assert_eq!(plan(1, &[(0, 0)]).topological_order(), Err(vec![0]));
    }

    #[test]
    fn a_plan_that_follows_comes_after_all_of_the_first() {
        let whole = plan(2, &[]).followed_by(plan(3, &[(2, 0)]));
        let edges: Vec<(usize, usize)> =
            whole.order.iter().map(|edge| (edge.before, edge.after)).collect();
        assert_eq!(edges, [(0, 3), (0, 4), (1, 3), (1, 4), (4, 2)]);
        let labels: Vec<&str> = whole.steps.iter().map(|step| &*step.label).collect();
        assert_eq!(labels, ["s0", "s1", "s0 2", "s1 2", "s2"]);
        assert!(whole.topological_order().is_ok());
    }

    #[test]
    fn a_sequence_orders_every_neighbor() {
        let sequence = plan(3, &[]).into_sequence();
        assert_eq!(sequence.topological_order(), Ok(vec![0, 1, 2]));
        assert_eq!(sequence.length(), 3);
    }
}
