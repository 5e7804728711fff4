//! The topology of an application: one location per node, one role per capability and binding.

use std::collections::BTreeSet;

use windlass::application::topology::{Point, Topology};
use windlass::application::{Application, Connection, NodeId};
use windlass::graph::compose::unbound_roles_in_lg;
use windlass::graph::wellformed::well_formed_location_graph;
use windlass::lifecycle::net::{Place, Port, PortId, PortKind};
use windlass::lifecycle::{Lifecycle, Net};
use windlass::source::Origin;

use super::applications::{application, binding, component, node, web_services};

/// The bindings as (requirer, requirement, provider, capability).
fn edges(topology: &Topology) -> BTreeSet<[String; 4]> {
    let edge = |b: &windlass::graph::Binding| {
        let group = |l: &windlass::graph::Location| {
            l.group_of(b.role).map(ToString::to_string).expect("a role of the location")
        };
        let name = |l: &windlass::graph::Location| l.name().to_string();
        [name(b.requirer), group(b.requirer), name(b.provider), group(b.provider)]
    };
    topology.graph.bindings().iter().map(edge).collect()
}

fn expected<const N: usize>(rows: [[&str; 4]; N]) -> BTreeSet<[String; 4]> {
    rows.map(|row| row.map(ToString::to_string)).into()
}

/// Two services on one server: two roles, grouped under one capability.
#[test]
fn a_shared_capability_has_one_role_per_binding() {
    let application = web_services();
    let topology = Topology::of(&application);
    assert_eq!(well_formed_location_graph(&topology.graph), []);
    assert_eq!((topology.graph.locations.len(), topology.roles.len()), (5, 4));
    let apache = topology.graph.location("Apache").expect("a location per node");
    assert_eq!(apache.sort().name.as_str(), "Server");
    assert_eq!(apache.process().name.as_str(), "Unavailable");
    let groups = apache.capabilities();
    let groups: Vec<_> =
        groups.into_iter().map(|(name, roles)| (name.as_str(), roles.len())).collect();
    assert_eq!(groups, [("WebAppRuntime", 2)]);
    let rows = [
        ["Translator", "WSRuntime", "Apache", "WebAppRuntime"],
        ["Convertor", "WSRuntime", "Apache", "WebAppRuntime"],
        ["Apache", "ServerContainer", "Debian", "SoftwareContainer"],
        ["Debian", "OSContainer", "VMWare", "Container"],
    ];
    assert_eq!(edges(&topology), expected(rows));
}

fn selfish(bound: bool) -> Application {
    let states: &[(&str, &[&str], &[&str])] = &[("on", &[], &["give"])];
    let of_type = component("Selfish", &["need"], &["give"], states, &[]);
    let bindings = if bound { vec![binding(0, 0, 0)] } else { Vec::new() };
    let other = node("a.need", 0, Vec::new());
    application("selfish", vec![of_type], vec![node("a", 0, bindings), other])
}

/// What nothing is bound to is an unbound role, and says so.
#[test]
fn unbound_requirements_and_capabilities_are_unbound_roles() {
    let application = selfish(false);
    let topology = Topology::of(&application);
    assert_eq!(topology.graph.bindings(), []);
    let unbound = unbound_roles_in_lg(&topology.graph);
    assert_eq!(unbound.len(), 4);
    for role in unbound {
        let relation = topology.relation(role).expect("every role has a meaning");
        assert!(relation.provided.is_some() != relation.required.is_some());
    }
    let of_a = topology.graph.location("a").expect("a location per node");
    assert_eq!((of_a.provided().count(), of_a.required().count()), (1, 1));
}

/// A location cannot bind to itself: a connector stands between, under a name of its own.
#[test]
fn a_node_that_requires_its_own_capability_gets_a_connector() {
    let application = selfish(true);
    let topology = Topology::of(&application);
    assert_eq!(well_formed_location_graph(&topology.graph), []);
    let rows = [["a", "need", "a.need'", "need"], ["a.need'", "need", "a", "give"]];
    assert_eq!(edges(&topology), expected(rows));
    assert_eq!(topology.graph.locations.len(), 3);
}

/// Ports of nets are roles too; the process is the set of initial places.
#[test]
fn ports_of_nets_are_roles() {
    let origin = Origin::default();
    let port = |name: &str, kind| Port {
        name: name.into(),
        kind,
        port_type: None,
        transitions: BTreeSet::new(),
        groups: BTreeSet::new(),
        places: BTreeSet::new(),
        origin,
    };
    let place = |name: &str| Place { name: name.into(), origin };
    let net = Net {
        places: vec![place("here"), place("there")],
        initial: [0.into(), 1.into()].into(),
        ports: vec![port("service", PortKind::Provide), port("address", PortKind::DataUse)],
        ..Net::default()
    };
    let mut of_type = component("Peer", &[], &[], &[("unused", &[], &[])], &[]);
    of_type.lifecycle = Lifecycle::Net(net);
    let (port, target_port) = (PortId(1), PortId(0));
    let mut client = node("client", 0, Vec::new());
    client.connections.push(Connection { port, target: NodeId(1), target_port, origin });
    let nodes = vec![client, node("server", 0, Vec::new())];
    let topology = Topology::of(&application("peers", vec![of_type], nodes));
    let rows = [["client", "address", "server", "service"]];
    assert_eq!(edges(&topology), expected(rows));
    assert_eq!(unbound_roles_in_lg(&topology.graph).len(), 2);
    let required = topology.roles[0].required.expect("bound");
    assert_eq!((required.node, required.point), (NodeId(0), Point::Port(port)));
    let client = topology.graph.location("client").expect("a location per node");
    assert_eq!(client.process().name.as_str(), "here + there");
}
