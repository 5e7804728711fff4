//! The observable actions of a plan and the order between them.
//!
//! Paper: 004 Sec. 4.2: each operation is a start and an end, in this order; an order edge puts
//! the last action of the earlier step before the first of the later one. In the relations of 003
//! an operation is one atomic action.

use std::collections::BTreeSet;

use windlass::application::{Application, Faults};
use windlass::plan::{Plan, PlanAction};

use super::state::State;

/// An observable action.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Event {
    /// `scaleout(N, i)` or `scaleout(N, i, i_c)`.
    ScaleOut { node: String, id: String, container: Option<String> },
    /// `scalein(i)`.
    ScaleIn { id: String },
    /// `op_start(i, o)`.
    Start { id: String, operation: String },
    /// `op_end(i, o)`.
    End { id: String, operation: String },
    /// `⟨o, N⟩` of 003.
    Atomic { id: String, operation: String },
}

/// Why a plan is not judged at all; the label of the step that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The order has a cycle.
    CyclicOrder,
    /// A scale-out of a node that the application does not have.
    UnknownNode(String),
    /// An action on an instance that neither the start state nor a scale-out of the plan knows.
    UnknownInstance(String),
    /// An operation that no node has of which the instance can be.
    UnknownOperation(String),
    /// Scaling in a relation without replicas.
    NoScaling(String),
    /// A life cycle is not a protocol.
    NotProtocols,
}

/// Events, and for each the events that must come before it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Workflow {
    /// The actions.
    pub(crate) events: Vec<Event>,
    /// For each action the indices of its direct predecessors.
    pub(crate) before: Vec<BTreeSet<usize>>,
}

impl Workflow {
    /// The actions of a plan, after a look at its names and its order.
    pub(crate) fn of_plan(
        application: &Application,
        start: &State,
        plan: &Plan,
    ) -> Result<Self, Refusal> {
        if application.types.iter().any(|t| t.protocol().is_none()) {
            return Err(Refusal::NotProtocols);
        }
        check_names(application, start, plan)?;
        let mut workflow = Workflow::default();
        // First and last event of each step.
        let mut ends = Vec::new();
        for step in &plan.steps {
            let first = workflow.events.len();
            for event in events_of(&step.action, application.faults) {
                let earlier = (workflow.events.len() > first).then(|| workflow.events.len() - 1);
                workflow.events.push(event);
                workflow.before.push(earlier.into_iter().collect());
            }
            ends.push((first, workflow.events.len() - 1));
        }
        for edge in &plan.order {
            let (last_of_before, first_of_after) = (ends[edge.before].1, ends[edge.after].0);
            workflow.before[first_of_after].insert(last_of_before);
        }
        if workflow.is_cyclic() { Err(Refusal::CyclicOrder) } else { Ok(workflow) }
    }

    /// The events whose predecessors have all been executed and that have not been themselves.
    pub(crate) fn enabled(&self, executed: &BTreeSet<usize>) -> Vec<usize> {
        (0..self.events.len())
            .filter(|at| !executed.contains(at) && self.before[*at].is_subset(executed))
            .collect()
    }

    /// Whether an action waits for itself: executing whatever is enabled does not end it all.
    fn is_cyclic(&self) -> bool {
        let mut executed = BTreeSet::new();
        loop {
            let enabled = self.enabled(&executed);
            if enabled.is_empty() {
                return executed.len() < self.events.len();
            }
            executed.extend(enabled);
        }
    }
}

fn events_of(action: &PlanAction, faults: Faults) -> Vec<Event> {
    match action {
        PlanAction::ScaleOut { node, instance, container } => vec![Event::ScaleOut {
            node: node.clone(),
            id: instance.0.clone(),
            container: container.as_ref().map(|c| c.0.clone()),
        }],
        PlanAction::ScaleIn { instance } => vec![Event::ScaleIn { id: instance.0.clone() }],
        PlanAction::Operation { instance, operation } => {
            let (id, operation) = (instance.0.clone(), operation.clone());
            if faults == Faults::Replicas {
                let started = Event::Start { id: id.clone(), operation: operation.clone() };
                vec![started, Event::End { id, operation }]
            } else {
                vec![Event::Atomic { id, operation }]
            }
        }
    }
}

/// Unknown names are mistakes in the plan, not failing traces.
fn check_names(application: &Application, start: &State, plan: &Plan) -> Result<(), Refusal> {
    // The nodes of which an instance with this id can be.
    let nodes_of = |id: &str| -> BTreeSet<String> {
        let created = plan.steps.iter().filter_map(|step| match &step.action {
            PlanAction::ScaleOut { node, instance, .. } if instance.0 == id => Some(node.clone()),
            _ => None,
        });
        created.chain(start.active.get(id).map(|active| active.node.clone())).collect()
    };
    for step in &plan.steps {
        let label = || step.label.clone();
        let scaling = !matches!(step.action, PlanAction::Operation { .. });
        if scaling && application.faults != Faults::Replicas {
            return Err(Refusal::NoScaling(label()));
        }
        if let PlanAction::ScaleOut { node, container, .. } = &step.action {
            if application.node_named(node).is_none() {
                return Err(Refusal::UnknownNode(label()));
            }
            if container.as_ref().is_some_and(|id| nodes_of(&id.0).is_empty()) {
                return Err(Refusal::UnknownInstance(label()));
            }
        }
        let nodes = nodes_of(&step.action.instance().0);
        if nodes.is_empty() {
            return Err(Refusal::UnknownInstance(label()));
        }
        if let PlanAction::Operation { operation, .. } = &step.action {
            let has = |name: &String| {
                application.node_named(name).is_some_and(|node| {
                    application.type_of(node).operation_named(operation).is_some()
                })
            };
            if !nodes.iter().any(has) {
                return Err(Refusal::UnknownOperation(label()));
            }
        }
    }
    Ok(())
}
