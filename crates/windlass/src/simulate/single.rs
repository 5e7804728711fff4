//! Assemblies in which every component has a net of its own, made of something else.

use std::collections::BTreeMap;

use crate::application::{
    Application, ComponentType, Connection, Deployment, Node, NodeId, TypeId,
};
use crate::lifecycle::net::Net;
use crate::lifecycle::{Cost, Lifecycle};
use crate::source::Origin;

/// The application without components; those to come run where these nodes of it do.
pub(super) fn empty(
    of: &Application,
    stand_for: impl Iterator<Item = Option<NodeId>>,
) -> Application {
    let hosts = stand_for.enumerate().filter_map(|(at, node)| {
        let host = of.deployment.host.get(&node?)?;
        Some((NodeId::from(at), host.clone()))
    });
    let deployment =
        Deployment { host: hosts.collect(), behaviors: BTreeMap::new(), ..of.deployment.clone() };
    Application { types: Vec::new(), nodes: Vec::new(), deployment, ..of.clone() }
}

/// Adds a component with its net.
pub(super) fn push(
    application: &mut Application,
    name: &str,
    net: Net,
    connections: Vec<Connection>,
    origin: Origin,
) {
    application.nodes.push(Node {
        name: name.to_owned(),
        component_type: TypeId::from(application.types.len()),
        count: 1,
        instances: Vec::new(),
        bindings: Vec::new(),
        connections,
        origin,
    });
    application.types.push(ComponentType {
        name: name.to_owned(),
        requirements: Vec::new(),
        capabilities: Vec::new(),
        operations: Vec::new(),
        lifecycle: Lifecycle::Net(net),
        processes: BTreeMap::new(),
        cost_per_second: Cost::default(),
        origin,
    });
}
