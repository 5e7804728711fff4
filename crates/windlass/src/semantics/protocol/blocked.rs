//! The premises of paper 003 Def. 5 and of the `handled` relation, as reasons why a step is not
//! possible.

use crate::application::{Application, NodeId};
use crate::lifecycle::protocol::{OperationId, RequirementId, StateId};
use crate::semantics::{offering, states_with};

/// The premise that failed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Blocked {
    /// The state is inconsistent: `node` relies on something that is not offered.
    FaultPending {
        /// The node that relies on it.
        node: NodeId,
        /// What it relies on.
        requirement: RequirementId,
    },
    /// A node is alive inside one that is not and waits for its hard reset.
    ResetPending {
        /// The node that waits.
        node: NodeId,
        /// The node it is contained in.
        container: NodeId,
    },
    /// `∄ s --(H, o)--> s'`.
    NotDefined {
        /// The node.
        node: NodeId,
        /// Its state.
        state: StateId,
        /// The operation that does not exist there.
        operation: OperationId,
    },
    /// `caps(r)` is undefined, or nothing offers it.
    NotOffered {
        /// The node that would perform the operation.
        node: NodeId,
        /// The operation.
        operation: OperationId,
        /// `r`.
        requirement: RequirementId,
    },
    /// The application has no handlers: `faults: forbidden`.
    NotHandled,
    /// There is no such fault.
    NotPending {
        /// The node.
        node: NodeId,
        /// The requirement that is satisfied, or that its state does not rely on.
        requirement: RequirementId,
    },
    /// No handler of the state drops the requirement.
    NoHandler {
        /// The node.
        node: NodeId,
        /// Its state.
        state: StateId,
        /// The requirement.
        requirement: RequirementId,
    },
    /// Hard recovery was not asked for.
    NoHardRecovery,
    /// The node is contained in no other.
    NotContained {
        /// The node.
        node: NodeId,
    },
    /// The container is not in its initial state.
    ContainerAlive {
        /// The node.
        node: NodeId,
        /// Its container.
        container: NodeId,
    },
}

impl Blocked {
    /// The premise in words, with what would satisfy it.
    pub(crate) fn explain(&self, application: &Application) -> String {
        let node_name = |node: &NodeId| application.node(*node).name.as_str();
        let requirement_name = |node: &NodeId, requirement: &RequirementId| {
            application.type_of(*node).requirements[requirement.index()].name.as_str()
        };
        match self {
            Blocked::FaultPending { node, requirement } => format!(
                "`{}` relies on `{}`, which is not offered: {}",
                node_name(node),
                requirement_name(node, requirement),
                wanted(application, *node, *requirement),
            ),
            Blocked::ResetPending { node, container } => format!(
                "`{}` must be reset first: its container `{}` is gone",
                node_name(node),
                node_name(container),
            ),
            Blocked::NotDefined { node, state, operation } => {
                not_defined(application, *node, *state, *operation)
            }
            Blocked::NotOffered { node, operation, requirement } => format!(
                "operation `{}` of `{}` needs `{}`, which is not offered: {}",
                application.type_of(*node).operations[operation.index()].name,
                node_name(node),
                requirement_name(node, requirement),
                wanted(application, *node, *requirement),
            ),
            Blocked::NotHandled => {
                "the application handles no faults (`faults: forbidden`)".to_owned()
            }
            Blocked::NotPending { node, requirement } => format!(
                "`{}` of `{}` is not faulted",
                requirement_name(node, requirement),
                node_name(node),
            ),
            Blocked::NoHandler { node, state, requirement } => {
                let states = application.protocol_of(*node).map(|p| p.state(*state).name.as_str());
                format!(
                    "no handler for `{requirement}` in state `{}` of `{}`; a handler to a state \
                     that does not rely on `{requirement}` would take the fault",
                    states.unwrap_or_default(),
                    node_name(node),
                    requirement = requirement_name(node, requirement),
                )
            }
            Blocked::NoHardRecovery => "hard recovery is off".to_owned(),
            Blocked::NotContained { node } => {
                format!("`{}` is contained in no other node", node_name(node))
            }
            Blocked::ContainerAlive { node, container } => format!(
                "the container `{}` of `{}` is alive",
                node_name(container),
                node_name(node),
            ),
        }
    }
}

/// What would satisfy a requirement: the capability it is bound to and the states that offer it.
fn wanted(application: &Application, node: NodeId, requirement: RequirementId) -> String {
    let Some(binding) = application.node(node).binding(requirement) else {
        return "it is bound to nothing".to_owned();
    };
    offering(application, binding.target, binding.capability)
}

/// Where an operation does not exist, and where it would.
fn not_defined(
    application: &Application,
    node: NodeId,
    state: StateId,
    operation: OperationId,
) -> String {
    let component = application.type_of(node);
    let Some(protocol) = component.protocol() else { return String::new() };
    format!(
        "`{}` is in state `{}`, where operation `{}` does not exist; it exists in {}",
        application.node(node).name,
        protocol.state(state).name,
        component.operations[operation.index()].name,
        states_with(protocol, operation),
    )
}
