//! The location graph of an application: the pivot is derived, never stored beside it.
//!
//! One location per node; its sort is the type, its process the state in which the lifecycle
//! begins. One role per capability and binding, grouped under the capability's name on the side of
//! the provider and under the requirement's name on the other; a requirement or capability that
//! nothing is bound to is an unbound role of its own. Ports of nets are treated alike.
//!
//! Invariant: the graph is well formed as long as the names of the nodes are unique.

use std::collections::BTreeSet;

use super::{Application, ComponentType, Node, NodeId};
use crate::graph::{Location, LocationGraph, Process, Role, RoleId, Sort};
use crate::lifecycle::Lifecycle;
use crate::lifecycle::net::PortId;
use crate::lifecycle::protocol::{CapabilityId, RequirementId};
use crate::source::Origin;

/// The location graph of an application, and what its roles stand for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topology {
    /// The graph.
    pub graph: LocationGraph,
    /// What each role stands for; a [`RoleId`] is an index into this list.
    pub roles: Vec<Relation>,
}

/// What a role stands for: both sides for a binding, one side for what is unbound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relation {
    /// The side that provides.
    pub provided: Option<End>,
    /// The side that requires.
    pub required: Option<End>,
    /// Where the binding was declared, or else the requirement, capability or port.
    pub(crate) origin: Origin,
}

/// One side of a [`Relation`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct End {
    /// The node.
    pub node: NodeId,
    /// The point of attachment of its type.
    pub point: Point,
}

/// Where something can be attached to a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Point {
    /// A requirement of a protocol.
    Requirement(RequirementId),
    /// A capability of a protocol.
    Capability(CapabilityId),
    /// A port of a net.
    Port(PortId),
}

impl Topology {
    /// The topology of an application.
    ///
    /// Paper: 000 2.1 (LocationGraph)
    ///
    /// Deviation: one role per capability and relationship (see [`Role`]).
    pub fn of(application: &Application) -> Self {
        Builder::new(application).build()
    }

    /// What a role of the graph stands for.
    pub fn relation(&self, role: RoleId) -> Option<&Relation> {
        self.roles.get(role.0 as usize)
    }
}

/// The roles found so far, per node.
struct Builder<'a> {
    application: &'a Application,
    provided: Vec<Vec<Role>>,
    required: Vec<Vec<Role>>,
    connectors: Vec<Location>,
    roles: Vec<Relation>,
}

impl<'a> Builder<'a> {
    fn new(application: &'a Application) -> Self {
        let none = vec![Vec::new(); application.nodes.len()];
        Builder {
            application,
            provided: none.clone(),
            required: none,
            connectors: Vec::new(),
            roles: Vec::new(),
        }
    }

    fn build(mut self) -> Topology {
        let mut bound = BTreeSet::new();
        for id in self.application.node_ids() {
            for (required, provided, origin) in links(id, self.application.node(id)) {
                bound.extend([required, provided]);
                if required.node == provided.node {
                    self.mediate(required, provided, origin);
                } else {
                    self.role(Some(provided), Some(required), origin);
                }
            }
        }
        for id in self.application.node_ids() {
            for (point, provides, origin) in points(self.application.type_of(id)) {
                let end = End { node: id, point };
                if !bound.contains(&end) {
                    self.role(provides.then_some(end), (!provides).then_some(end), origin);
                }
            }
        }
        let nodes = self.application.nodes.iter();
        let roles = self.provided.into_iter().zip(self.required);
        let locations = nodes.zip(roles).map(|(node, (provided, required))| {
            let of_type = self.application.component_type(node.component_type);
            let process = Process::new(initial(of_type));
            location(&node.name, Sort::new(&of_type.name), process, provided, required)
        });
        let graph = locations.chain(self.connectors).collect();
        Topology { graph, roles: self.roles }
    }

    /// A new role between the two ends, of which one may be missing.
    fn role(&mut self, provided: Option<End>, required: Option<End>, origin: Origin) -> RoleId {
        let id = RoleId::from(self.roles.len());
        let group = |end: End| point_name(self.application.type_of(end.node), end.point);
        if let Some(end) = provided {
            self.provided[end.node.index()].push(Role::new(id, group(end)));
        }
        if let Some(end) = required {
            self.required[end.node.index()].push(Role::new(id, group(end)));
        }
        self.roles.push(Relation { provided, required, origin });
        id
    }

    /// A node that requires what it provides itself: no location has a role in both positions, so
    /// a further location connects two roles, as the paper says in 2.1.
    fn mediate(&mut self, required: End, provided: End, origin: Origin) {
        let inward = self.role(Some(provided), None, origin);
        let outward = self.role(None, Some(required), origin);
        let node = self.application.node(required.node);
        let of_type = self.application.type_of(required.node);
        let need = point_name(of_type, required.point);
        let mut name = format!("{}.{need}", node.name);
        let is_taken = |name: &str| {
            self.application.node_named(name).is_some()
                || self.connectors.iter().any(|c| c.name().as_str() == name)
        };
        while is_taken(&name) {
            name.push('\'');
        }
        let roles = (Role::new(outward, need), Role::new(inward, need));
        let (sort, process) = (Sort::new("connector"), Process::new("connector"));
        self.connectors.push(location(&name, sort, process, vec![roles.0], vec![roles.1]));
    }
}

/// What a node is bound to: its own end, the other end, and where that was said.
fn links(id: NodeId, node: &Node) -> impl Iterator<Item = (End, End, Origin)> {
    let end = |node, point| End { node, point };
    let bindings = node.bindings.iter().map(move |binding| {
        let required = end(id, Point::Requirement(binding.requirement));
        (required, end(binding.target, Point::Capability(binding.capability)), binding.origin)
    });
    let connections = node.connections.iter().map(move |connection| {
        let required = end(id, Point::Port(connection.port));
        (required, end(connection.target, Point::Port(connection.target_port)), connection.origin)
    });
    bindings.chain(connections)
}

/// The points of attachment of a type, whether each of them provides, and where it was declared.
fn points(of_type: &ComponentType) -> Vec<(Point, bool, Origin)> {
    let requirements = of_type.requirements.iter().enumerate();
    let requirements = requirements.map(|(at, r)| (Point::Requirement(at.into()), false, r.origin));
    let capabilities = of_type.capabilities.iter().enumerate();
    let capabilities = capabilities.map(|(at, c)| (Point::Capability(at.into()), true, c.origin));
    let ports = of_type.net().map(|net| &net.ports[..]).unwrap_or_default().iter().enumerate();
    // A port that leads nowhere is one that others lead to.
    let ports =
        ports.map(|(at, p)| (Point::Port(at.into()), p.kind.counterpart().is_none(), p.origin));
    requirements.chain(capabilities).chain(ports).collect()
}

fn point_name(of_type: &ComponentType, point: Point) -> &str {
    let name = match point {
        Point::Requirement(id) => of_type.requirements.get(id.index()).map(|r| &r.name),
        Point::Capability(id) => of_type.capabilities.get(id.index()).map(|c| &c.name),
        Point::Port(id) => of_type.net().and_then(|net| net.ports.get(id.index())).map(|p| &p.name),
    };
    name.map_or("", |name| name)
}

/// The state in which a lifecycle begins; for a net its initial places.
fn initial(of_type: &ComponentType) -> String {
    match &of_type.lifecycle {
        Lifecycle::Protocol(protocol) => protocol.state(protocol.initial).name.clone(),
        Lifecycle::Net(net) => {
            let places: Vec<&str> = net.initial.iter().map(|p| &*net.place(*p).name).collect();
            places.join(" + ")
        }
    }
}

#[expect(clippy::expect_used, reason = "every role is made for two different locations")]
fn location(
    name: &str,
    sort: Sort,
    process: Process,
    provided: Vec<Role>,
    required: Vec<Role>,
) -> Location {
    Location::new(name, sort, process, provided, required).expect("positions are disjoint")
}
