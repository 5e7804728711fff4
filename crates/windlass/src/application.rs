//! What every language is lowered to: types with life cycles, nodes, bindings, implementations
//! and wanted counts.
//!
//! An application is a description; it does not move. `semantics/` says how it moves,
//! [`GlobalState`] says where it is.
//!
//! Lowering has already resolved every name: indices are always valid. Each part carries its
//! [`Origin`], so that a rule which looks at an application can point at the line of any language.

pub mod assembly;
mod deployment;
mod global_state;
mod names;
pub mod topology;

use std::collections::BTreeMap;

pub use deployment::Deployment;
pub use global_state::{GlobalState, Instance, InstanceId};
pub use names::NodeNames;

use crate::lifecycle::implementation::{Command, Effect, Process};
use crate::lifecycle::net::PortId;
use crate::lifecycle::protocol::{
    Arity, Capability, CapabilityId, OperationId, Requirement, RequirementId, Sort, StateId,
};
use crate::lifecycle::timing::Retry;
use crate::lifecycle::{Cost, Expected, Lifecycle, Net, Protocol, index};
use crate::source::Origin;

index!(
    /// A component type of an application.
    pub TypeId
);
index!(
    /// A node (template) of an application.
    pub NodeId
);

/// Which transition relation an application of protocols uses (semantics.md, "Which relation").
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Faults {
    /// 003: an inconsistent state is never part of a valid plan; no handler is expected.
    Forbidden,
    /// Later BARREL: handlers and hard recovery as explicit steps, one instance per node.
    Handled,
    /// 004: replicas, and faults that settle by themselves.
    #[default]
    Replicas,
}

impl Faults {
    /// The word in `windlass.yaml`.
    pub fn as_str(self) -> &'static str {
        match self {
            Faults::Forbidden => "forbidden",
            Faults::Handled => "handled",
            Faults::Replicas => "replicas",
        }
    }
}

/// `π`, which instance a requirement is bound to when several could satisfy it.
///
/// Paper: 004 Def. 3.2
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Policy {
    /// Whichever: a verdict must hold for every choice.
    #[default]
    Any,
    /// The first in the order of declaration.
    Greedy,
    /// The one with the fewest bindings, ties by id.
    LeastLoaded,
}

impl Policy {
    /// The word in `windlass.yaml` and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Policy::Any => "any",
            Policy::Greedy => "greedy",
            Policy::LeastLoaded => "least-loaded",
        }
    }
}

/// An operation of a component type and the command behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// Its name, unique in the type.
    pub name: String,
    /// The command that performs it; none when the operation only changes the model.
    pub run: Option<Command>,
    /// How long it is expected to take.
    pub duration: Expected,
    /// What it costs.
    pub cost: Cost,
    /// When it is given up.
    pub timeout: Expected,
    /// What happens when it fails.
    pub retry: Option<Retry>,
    /// What may be done when it is unknown whether it happened; the default is at most once.
    pub effect: Option<Effect>,
    /// Where it runs, when not where its node does.
    pub host: Option<String>,
    /// Where it was declared.
    pub origin: Origin,
}

/// `N = ⟨S, R, C, O, M⟩`, a component type.
///
/// For a net the requirements, capabilities and operations are empty: its ports and transitions
/// say the same in its own words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComponentType {
    /// Its name, unique in the application.
    pub name: String,
    /// `R`.
    pub requirements: Vec<Requirement>,
    /// `C`.
    pub capabilities: Vec<Capability>,
    /// `O`.
    pub operations: Vec<Operation>,
    /// `M`.
    pub lifecycle: Lifecycle,
    /// The processes that are states: while one runs, the instance is in that state.
    pub processes: BTreeMap<StateId, Process>,
    /// What an instance costs for each second that it exists.
    pub cost_per_second: Cost,
    /// Where it was declared.
    pub origin: Origin,
}

impl ComponentType {
    /// The protocol, when the life cycle is one.
    pub fn protocol(&self) -> Option<&Protocol> {
        match &self.lifecycle {
            Lifecycle::Protocol(protocol) => Some(protocol),
            Lifecycle::Net(_) => None,
        }
    }

    /// The net, when the life cycle is one.
    pub fn net(&self) -> Option<&Net> {
        match &self.lifecycle {
            Lifecycle::Net(net) => Some(net),
            Lifecycle::Protocol(_) => None,
        }
    }

    /// The requirement with this name.
    pub fn requirement_named(&self, name: &str) -> Option<RequirementId> {
        self.requirements.iter().position(|r| r.name == name).map(RequirementId::from)
    }

    /// The capability with this name.
    pub fn capability_named(&self, name: &str) -> Option<CapabilityId> {
        self.capabilities.iter().position(|c| c.name == name).map(CapabilityId::from)
    }

    /// The operation with this name.
    pub fn operation_named(&self, name: &str) -> Option<OperationId> {
        self.operations.iter().position(|o| o.name == name).map(OperationId::from)
    }

    /// `R^C`: the first containment requirement; well-formed types have at most one.
    pub fn containment(&self) -> Option<RequirementId> {
        self.requirements.iter().position(|r| r.sort == Sort::Containment).map(RequirementId::from)
    }
}

/// `b(r)`: the capability that satisfies a requirement of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// The requirement of the node that holds the binding.
    pub requirement: RequirementId,
    /// The node that offers.
    pub target: NodeId,
    /// The capability it offers.
    pub capability: CapabilityId,
    /// Where it was declared.
    pub origin: Origin,
}

/// `(u, p) ∈ L_P ∪ L_D`: a connection of a port of the node that holds it to a port of another.
///
/// Paper: 002 Sec. III-B
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connection {
    /// The use or data-use port.
    pub port: PortId,
    /// The node that provides.
    pub target: NodeId,
    /// Its provide or data-provide port.
    pub target_port: PortId,
    /// Where it was declared.
    pub origin: Origin,
}

/// An instance that the file asks for by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedInstance {
    /// Its id.
    pub id: String,
    /// The id of the instance that contains it.
    pub container: Option<String>,
    /// Where it was declared.
    pub origin: Origin,
}

/// A node of the topology: a use of a component type, with any number of instances at run time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Its name, unique in the application.
    pub name: String,
    /// Its type.
    pub component_type: TypeId,
    /// How many instances are wanted.
    pub count: u32,
    /// The wanted instances that have a name; at most `count`.
    pub instances: Vec<WantedInstance>,
    /// Bindings of requirements (protocols).
    pub bindings: Vec<Binding>,
    /// Connections of ports (nets).
    pub connections: Vec<Connection>,
    /// Where it was declared.
    pub origin: Origin,
}

impl Node {
    /// The binding of a requirement.
    pub fn binding(&self, requirement: RequirementId) -> Option<&Binding> {
        self.bindings.iter().find(|binding| binding.requirement == requirement)
    }
}

/// `A = ⟨T, b, π⟩` with everything that running it needs.
///
/// Paper: 004 Def. 3.2
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Application {
    /// Its name.
    pub name: String,
    /// Which relation its protocols follow.
    pub faults: Faults,
    /// `π`.
    pub policy: Policy,
    /// The component types.
    pub types: Vec<ComponentType>,
    /// `T`, the nodes.
    pub nodes: Vec<Node>,
    /// Where and how the components of nets are deployed.
    pub deployment: Deployment,
    /// The whole description.
    pub origin: Origin,
    /// The nodes by name.
    pub names: NodeNames,
}

impl Application {
    /// The type with this id.
    pub fn component_type(&self, id: TypeId) -> &ComponentType {
        &self.types[id.index()]
    }

    /// The node with this id.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// The type of a node.
    pub fn type_of(&self, node: NodeId) -> &ComponentType {
        self.component_type(self.node(node).component_type)
    }

    /// The protocol of a node; none for nets.
    pub fn protocol_of(&self, node: NodeId) -> Option<&Protocol> {
        self.type_of(node).protocol()
    }

    /// The node with this name.
    pub fn node_named(&self, name: &str) -> Option<NodeId> {
        self.names.find(&self.nodes, name)
    }

    /// The same where every requirement is satisfied by the node that it is bound to, whatever
    /// lives in what: how the relations of paper 003, with one instance of each node, see it.
    #[must_use]
    pub(crate) fn with_plain_needs(&self) -> Self {
        let mut plain = self.clone();
        for requirement in plain.types.iter_mut().flat_map(|of| &mut of.requirements) {
            (requirement.sort, requirement.arity) = (Sort::ReplicaUnaware, Arity::Any);
        }
        plain
    }

    /// Every node id, in the order of declaration.
    pub fn node_ids(&self) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        (0..self.nodes.len()).map(NodeId::from)
    }

    /// Whether the life cycles are nets; an application has one kind only.
    pub fn is_net(&self) -> bool {
        self.types.iter().any(|t| t.net().is_some())
    }
}
