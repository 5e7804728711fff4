//! Applications for the tests of pictures.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::application::{
    Application, Binding, ComponentType, Connection, Faults, Node, NodeId, Operation, Policy,
    TypeId,
};
use crate::lifecycle::net::{
    Action, Dock, DockId, Group, Net, NetTransition, Place, PlaceId, Port, PortKind, Side,
};
use crate::lifecycle::protocol::{
    Arity, Capability, Handler, OperationId, Protocol, Requirement, Sort, State, StateId,
    Transition,
};
use crate::lifecycle::timing::Timing;
use crate::lifecycle::{Cost, Lifecycle};
use crate::source::Origin;

const NOWHERE: Origin = Origin(None);

/// A component type whose states and transitions are given by names.
pub(crate) struct TypeBuilder {
    component: ComponentType,
}

impl TypeBuilder {
    /// A type with these requirements and capabilities, and the states by name, initial first.
    pub(crate) fn new(
        name: &str,
        requirements: &[(&str, Sort)],
        capabilities: &[&str],
        states: &[&str],
    ) -> Self {
        let requirements = requirements.iter().map(|(name, sort)| Requirement {
            name: (*name).to_owned(),
            sort: *sort,
            arity: Arity::Any,
            origin: NOWHERE,
        });
        let capabilities = capabilities
            .iter()
            .map(|name| Capability { name: (*name).to_owned(), origin: NOWHERE });
        let states = states.iter().map(|name| State {
            name: (*name).to_owned(),
            requires: [].into(),
            offers: [].into(),
            handlers: Vec::new(),
            on_crash: None,
            origin: NOWHERE,
        });
        let protocol = Protocol {
            initial: StateId(0),
            states: states.collect(),
            transitions: Vec::new(),
            up: None,
        };
        TypeBuilder {
            component: ComponentType {
                name: name.to_owned(),
                requirements: requirements.collect(),
                capabilities: capabilities.collect(),
                operations: Vec::new(),
                lifecycle: Lifecycle::Protocol(protocol),
                processes: BTreeMap::new(),
                cost_per_second: Cost(0),
                origin: NOWHERE,
            },
        }
    }

    fn protocol(&mut self) -> &mut Protocol {
        match &mut self.component.lifecycle {
            Lifecycle::Protocol(protocol) => protocol,
            Lifecycle::Net(_) => unreachable!("the builder makes protocols"),
        }
    }

    fn state_id(&mut self, name: &str) -> StateId {
        self.protocol().state_named(name).expect("a state of the type")
    }

    /// What a state relies on and offers, and where its faults lead.
    pub(crate) fn state(
        mut self,
        name: &str,
        requires: &[&str],
        offers: &[&str],
        faults: &[&str],
    ) -> Self {
        let requires =
            requires.iter().map(|r| self.component.requirement_named(r).expect("known")).collect();
        let offers =
            offers.iter().map(|c| self.component.capability_named(c).expect("known")).collect();
        let handlers = self.handlers(faults);
        let id = self.state_id(name);
        let state = &mut self.protocol().states[id.index()];
        (state.requires, state.offers, state.handlers) = (requires, offers, handlers);
        self
    }

    fn handlers(&mut self, faults: &[&str]) -> Vec<Handler> {
        let to: Vec<StateId> = faults.iter().map(|name| self.state_id(name)).collect();
        to.into_iter().map(|to| Handler { to, origin: NOWHERE }).collect()
    }

    /// A transition.
    pub(crate) fn transition(
        mut self,
        from: &str,
        operation: &str,
        to: &str,
        requires: &[&str],
        faults: &[&str],
    ) -> Self {
        let known = self.component.operation_named(operation);
        let operation = known.unwrap_or_else(|| {
            self.component.operations.push(Operation {
                name: operation.to_owned(),
                run: None,
                duration: None,
                cost: Cost(0),
                timeout: None,
                retry: None,
                effect: None,
                origin: NOWHERE,
            });
            OperationId::from(self.component.operations.len() - 1)
        });
        let requires =
            requires.iter().map(|r| self.component.requirement_named(r).expect("known")).collect();
        let handlers = self.handlers(faults);
        let (from, to) = (self.state_id(from), self.state_id(to));
        let transition = Transition {
            from,
            operation,
            to,
            requires,
            offers: [].into(),
            handlers,
            origin: NOWHERE,
        };
        self.protocol().transitions.push(transition);
        self
    }

    /// The type.
    pub(crate) fn build(self) -> ComponentType {
        self.component
    }
}

/// A node without bindings.
pub(crate) fn node(name: &str, component_type: usize, count: u32) -> Node {
    Node {
        name: name.to_owned(),
        component_type: TypeId::from(component_type),
        count,
        instances: Vec::new(),
        bindings: Vec::new(),
        connections: Vec::new(),
        origin: NOWHERE,
    }
}

/// An application of these types and nodes.
pub(crate) fn application(name: &str, types: Vec<ComponentType>, nodes: Vec<Node>) -> Application {
    Application {
        name: name.to_owned(),
        faults: Faults::Replicas,
        policy: Policy::Any,
        types,
        nodes,
        deployment: crate::application::Deployment::default(),
        origin: NOWHERE,
        names: crate::application::NodeNames::default(),
    }
}

/// Binds `node.requirement` to `target.capability`, by names.
pub(crate) fn bind(application: &mut Application, from: &str, to: &str) {
    let (node, requirement) = from.split_once('.').expect("node.requirement");
    let (target, capability) = to.split_once('.').expect("node.capability");
    let node = application.node_named(node).expect("a node");
    let target = application.node_named(target).expect("a node");
    let requirement = application.type_of(node).requirement_named(requirement).expect("known");
    let capability = application.type_of(target).capability_named(capability).expect("known");
    let binding = Binding { requirement, target, capability, origin: NOWHERE };
    application.nodes[node.index()].bindings.push(binding);
}

fn on_and_off(name: &str, capability: &str) -> ComponentType {
    TypeBuilder::new(name, &[], &[capability], &["stopped", "running"])
        .state("running", &[], &[capability], &[])
        .transition("stopped", "start", "running", &[], &[])
        .transition("running", "stop", "stopped", &[], &[])
        .build()
}

fn gui() -> ComponentType {
    let states = ["not-installed", "installed", "configured", "working", "damaged"];
    let needs = [("host", Sort::Containment), ("backend", Sort::ReplicaUnaware)];
    let both = &["host", "backend"][..];
    TypeBuilder::new("gui", &needs, &[], &states)
        .state("working", both, &[], &["configured"])
        .transition("not-installed", "install", "installed", &["host"], &["damaged"])
        .transition("installed", "config", "configured", both, &["installed"])
        .transition("configured", "config", "configured", both, &["installed"])
        .transition("configured", "start", "working", both, &["configured"])
        .transition("working", "stop", "configured", &["host"], &["configured"])
        .transition("installed", "uninstall", "not-installed", &["host"], &["damaged"])
        .transition("configured", "uninstall", "not-installed", &["host"], &["damaged"])
        .build()
}

fn api() -> ComponentType {
    let states = ["unavailable", "available", "running", "damaged"];
    let needs = [("host", Sort::Containment), ("data", Sort::ReplicaAware)];
    TypeBuilder::new("api", &needs, &["endpoint"], &states)
        .state("running", &["host", "data"], &["endpoint"], &["available"])
        .transition("unavailable", "install", "available", &["host"], &["damaged"])
        .transition("available", "uninstall", "unavailable", &["host"], &["damaged"])
        .transition("available", "start", "running", &["host"], &["available"])
        .transition("running", "config", "running", &["host"], &["damaged"])
        .transition("running", "stop", "available", &["host"], &["available"])
        .build()
}

/// Five nodes, two of them containers (paper 004 Fig. 1).
pub(crate) fn thinking() -> Application {
    let types = vec![gui(), api(), on_and_off("container", "host"), on_and_off("database", "db")];
    let nodes = vec![
        node("gui", 0, 1),
        node("api", 1, 2),
        node("node", 2, 1),
        node("maven", 2, 2),
        node("mongo", 3, 1),
    ];
    let mut thinking = application("thinking", types, nodes);
    bind(&mut thinking, "gui.host", "node.host");
    bind(&mut thinking, "gui.backend", "api.endpoint");
    bind(&mut thinking, "api.host", "maven.host");
    bind(&mut thinking, "api.data", "mongo.db");
    thinking
}

/// A net by names: places, initial first; transitions; groups.
pub(crate) fn net(
    places: &[&str],
    transitions: &[(&str, &str, &str, u64)],
    groups: &[(&str, &[&str])],
) -> Net {
    let mut net = Net::default();
    for name in places {
        net.places.push(Place { name: (*name).to_owned(), origin: NOWHERE });
    }
    net.initial = [PlaceId(0)].into();
    for (name, from, to, millis) in transitions {
        let mut dock = |place: &str, side: Side| {
            let place = net.place_named(place).expect("a place");
            net.docks.push(Dock { place, side, name: None });
            DockId::from(net.docks.len() - 1)
        };
        let (source, destination) = (dock(from, Side::Output), dock(to, Side::Input));
        let duration = Some(Timing::Fixed(Duration::from_millis(*millis)));
        net.transitions.push(NetTransition {
            name: (*name).to_owned(),
            source,
            destination,
            action: Action { duration, ..Action::default() },
            behavior: None,
            origin: NOWHERE,
        });
    }
    for (name, places) in groups {
        let places = places.iter().map(|place| net.place_named(place).expect("a place"));
        let (name, places) = ((*name).to_owned(), places.collect());
        net.groups.push(Group { name, places, origin: NOWHERE });
    }
    net
}

/// Adds a port; `bound` names transitions, groups or places, whatever its kind asks for.
pub(crate) fn port(net: &mut Net, name: &str, kind: PortKind, bound: &[&str]) {
    let index = |list: Vec<&String>, name: &str| {
        list.iter().position(|other| *other == name).expect("something of the net")
    };
    let mut port = Port {
        name: name.to_owned(),
        kind,
        port_type: None,
        transitions: [].into(),
        groups: [].into(),
        places: [].into(),
        origin: NOWHERE,
    };
    for name in bound {
        match kind {
            PortKind::Use | PortKind::DataUse => {
                let all = net.transitions.iter().map(|t| &t.name).collect();
                port.transitions.insert(index(all, name).into());
            }
            PortKind::Provide => {
                let all = net.groups.iter().map(|g| &g.name).collect();
                port.groups.insert(index(all, name).into());
            }
            PortKind::DataProvide => {
                let all = net.places.iter().map(|p| &p.name).collect();
                port.places.insert(index(all, name).into());
            }
        }
    }
    net.ports.push(port);
}

/// A component type whose life cycle is a net.
pub(crate) fn net_type(name: &str, net: Net) -> ComponentType {
    ComponentType {
        lifecycle: Lifecycle::Net(net),
        ..TypeBuilder::new(name, &[], &[], &["unused"]).build()
    }
}

/// A net with branches, nested groups and all kinds of ports, and a client of it.
pub(crate) fn server_and_client() -> Application {
    let mut server = net(
        &["initiated", "pulled", "bootstrapped", "restarted", "deployed"],
        &[
            ("pull", "initiated", "pulled", 23_470),
            ("config", "initiated", "pulled", 4980),
            ("bootstrap", "pulled", "bootstrapped", 22_390),
            ("restart", "bootstrapped", "restarted", 12_540),
            ("check", "restarted", "deployed", 2_000),
        ],
        &[
            ("reachable", &["bootstrapped", "restarted", "deployed"]),
            ("serving", &["restarted", "deployed"]),
        ],
    );
    port(&mut server, "facts", PortKind::Use, &["config"]);
    port(&mut server, "haproxy", PortKind::Use, &["bootstrap", "restart"]);
    port(&mut server, "service", PortKind::Provide, &["serving"]);
    port(&mut server, "ping", PortKind::Provide, &["reachable"]);
    port(&mut server, "address", PortKind::DataProvide, &["pulled"]);
    let mut client = net(
        &["initial", "configured", "running"],
        &[("install", "initial", "configured", 6000), ("run", "configured", "running", 3000)],
        &[],
    );
    port(&mut client, "server-address", PortKind::DataUse, &["install"]);
    port(&mut client, "server", PortKind::Use, &["run"]);
    let types = vec![net_type("server", server), net_type("client", client)];
    let nodes = vec![node("server", 0, 1), node("client", 1, 1)];
    let mut both = application("two-components", types, nodes);
    for (port, target_port) in [(0, 4), (1, 2)] {
        both.nodes[1].connections.push(Connection {
            port: crate::lifecycle::net::PortId(port),
            target: NodeId(0),
            target_port: crate::lifecycle::net::PortId(target_port),
            origin: NOWHERE,
        });
    }
    both
}

/// So many nodes: hosts with services on them that need each other, a few databases.
pub(crate) fn cluster(count: usize) -> Application {
    let hosts = (count / 8).max(1);
    let service = TypeBuilder::new(
        "service",
        &[
            ("host", Sort::Containment),
            ("upstream", Sort::ReplicaUnaware),
            ("store", Sort::ReplicaAware),
        ],
        &["http"],
        &["off", "on"],
    );
    let types = vec![on_and_off("machine", "host"), service.build(), on_and_off("database", "sql")];
    let databases = (count / 40).max(1);
    let mut nodes: Vec<Node> = (0..hosts).map(|at| node(&format!("host-{at}"), 0, 1)).collect();
    nodes.extend((0..databases).map(|at| node(&format!("database-{at}"), 2, 1)));
    let services = count.saturating_sub(nodes.len());
    nodes.extend(
        (0..services)
            .map(|at| node(&format!("service-{at}"), 1, 1 + u32::try_from(at % 3).unwrap())),
    );
    let mut all = application("cluster", types, nodes);
    let mut seed = 7u64;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % below.max(1)
    };
    for at in 0..services {
        let service = format!("service-{at}");
        bind(&mut all, &format!("{service}.host"), &format!("host-{}.host", at * hosts / services));
        if at > 0 {
            let upstream = at.saturating_sub(1 + random(12));
            let upstream = format!("service-{upstream}.http");
            bind(&mut all, &format!("{service}.upstream"), &upstream);
        }
        if at % 3 == 0 {
            let store = format!("database-{}.sql", random(databases));
            bind(&mut all, &format!("{service}.store"), &store);
        }
    }
    all
}
