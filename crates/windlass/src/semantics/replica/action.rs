//! What can happen to an application with replicas, and what happens by itself in between.

use crate::application::{Application, GlobalState, InstanceId, NodeId};
use crate::lifecycle::protocol::{Element, RequirementId, StateId};
use crate::plan::events::EventKind;
use crate::plan::{self, Plan, PlanAction};

/// An observable action: what the manager of the application can do. One variant per rule.
///
/// Operations are known by name, because an id may stand for instances of different nodes at
/// different times, and each type has operations of its own.
///
/// Paper: 004 Def. 4.1
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Action {
    /// `scale_out`: an instance of a node without containment.
    ScaleOut {
        /// `N`.
        node: NodeId,
        /// `i`, the id of the new instance.
        instance: InstanceId,
    },
    /// `scale_out_contained`: an instance inside another.
    ScaleOutContained {
        /// `N`.
        node: NodeId,
        /// `i`, the id of the new instance.
        instance: InstanceId,
        /// `i_c`, the instance it lives in.
        container: InstanceId,
    },
    /// `scale_in`.
    ScaleIn {
        /// `i`.
        instance: InstanceId,
    },
    /// `op_start`.
    OpStart {
        /// `i`.
        instance: InstanceId,
        /// `o`.
        operation: String,
    },
    /// `op_end`, or the end of an operation by its fault.
    OpEnd {
        /// `i`.
        instance: InstanceId,
        /// `o`.
        operation: String,
    },
}

impl Action {
    /// The action that an event of a plan is; none when the plan names a node that the
    /// application does not have, and for operations that are to be atomic.
    pub fn planned(
        application: &Application,
        plan: &Plan,
        event: plan::events::Event,
    ) -> Option<Self> {
        match (plan.steps[event.step].action.clone(), event.kind) {
            (PlanAction::ScaleOut { node, instance, container }, _) => {
                let node = application.node_named(&node)?;
                Some(Action::create(&Creation { instance, node, container }))
            }
            (PlanAction::ScaleIn { instance }, _) => Some(Action::ScaleIn { instance }),
            (PlanAction::Operation { instance, operation }, EventKind::Start) => {
                Some(Action::OpStart { instance, operation })
            }
            (PlanAction::Operation { instance, operation }, EventKind::End) => {
                Some(Action::OpEnd { instance, operation })
            }
            (PlanAction::Operation { .. }, _) => None,
        }
    }

    /// The action that creates an instance.
    pub fn create(creation: &Creation) -> Self {
        let Creation { instance, node, container } = creation.clone();
        match container {
            Some(container) => Action::ScaleOutContained { node, instance, container },
            None => Action::ScaleOut { node, instance },
        }
    }

    /// The instance that the action is about.
    pub(crate) fn instance(&self) -> &InstanceId {
        match self {
            Action::ScaleOut { instance, .. }
            | Action::ScaleOutContained { instance, .. }
            | Action::ScaleIn { instance }
            | Action::OpStart { instance, .. }
            | Action::OpEnd { instance, .. } => instance,
        }
    }

    /// The action as people write it.
    pub(crate) fn describe(&self, application: &Application) -> String {
        match self {
            Action::ScaleOut { node, instance } => {
                format!("scale-out {} {instance}", application.node(*node).name)
            }
            Action::ScaleOutContained { node, instance, container } => {
                format!("scale-out {} {instance} in {container}", application.node(*node).name)
            }
            Action::ScaleIn { instance } => format!("scale-in {instance}"),
            Action::OpStart { instance, operation } => format!("start {instance} {operation}"),
            Action::OpEnd { instance, operation } => format!("end {instance} {operation}"),
        }
    }
}

/// An instance that may be created.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Creation {
    /// Its id.
    pub instance: InstanceId,
    /// Its node.
    pub node: NodeId,
    /// The instance it will live in; none exactly for nodes without containment.
    pub container: Option<InstanceId>,
}

impl Creation {
    /// Every instance that a plan creates, each once, in order: the pool in which the plan runs.
    pub fn planned(application: &Application, plan: &Plan) -> Vec<Self> {
        let creation = |step: &plan::Step| match &step.action {
            PlanAction::ScaleOut { node, instance, container } => Some(Creation {
                instance: instance.clone(),
                node: application.node_named(node)?,
                container: container.clone(),
            }),
            _ => None,
        };
        let mut all: Vec<Self> = plan.steps.iter().filter_map(creation).collect();
        all.sort();
        all.dedup();
        all
    }
}

/// A rule that fired by itself while faults settled.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Event {
    /// `destroy`.
    Destroyed {
        /// The instance that went.
        instance: InstanceId,
        /// The container that had gone before.
        container: InstanceId,
    },
    /// `resolve_fault`: a switch of provider, no fault.
    Resolved {
        /// The instance that switched.
        instance: InstanceId,
        /// The requirement.
        requirement: RequirementId,
        /// What it was bound to.
        from: Vec<InstanceId>,
        /// What it is bound to now.
        to: Vec<InstanceId>,
    },
    /// `handle_fault`: a fault.
    Handled {
        /// The instance that was faulted.
        instance: InstanceId,
        /// Its node.
        node: NodeId,
        /// The requirement.
        requirement: RequirementId,
        /// Where it was; a transition when an operation ended by its fault.
        from: Element,
        /// Where the handler led.
        to: StateId,
    },
}

impl Event {
    /// What happened, in words.
    pub fn describe(&self, application: &Application) -> String {
        match self {
            Event::Destroyed { instance, container } => {
                format!("{instance} is destroyed with its container {container}")
            }
            Event::Resolved { instance, to, .. } => {
                let to: Vec<String> = to.iter().map(ToString::to_string).collect();
                format!("{instance} switches to {}", to.join(", "))
            }
            Event::Handled { instance, node, requirement, to, .. } => {
                let component = application.type_of(*node);
                let name = &component.requirements[requirement.index()].name;
                let state = component.protocol().map_or("", |p| &p.state(*to).name);
                format!("fault: {instance} loses {name} and falls back to {state}")
            }
        }
    }

    /// Whether it is a fault: something was needed and could not be had.
    pub fn is_fault(&self) -> bool {
        matches!(self, Event::Handled { .. })
    }
}

/// One state that an action can lead to, with the rules that fired by themselves on the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The state, settled.
    pub state: GlobalState,
    /// The rules, in the order in which they fired.
    pub events: Vec<Event>,
}
