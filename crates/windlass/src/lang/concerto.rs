//! Concerto's JSON: component types with behaviors, instances and connections, as the model of
//! Concerto-D in Maude reads them.
//!
//! | Concerto | here |
//! |---|---|
//! | `places`, `start` | places, the one initial place |
//! | a transition `from`, `to`, `behavior` | a transition with docks of its own and a behavior |
//! | a port `provide` with `places` | a provide port with one group of these places |
//! | a port `use` with `places` | a use port that is held while a token is in one of them |
//! | `instances`, `connects` | nodes, connections |
//! | `short` | nothing: an abbreviation that only its own tool prints |
//!
//! The tool itself accepts a transition to an undeclared place; here that is an error, as
//! is every other name that nothing declares. A file without `instances` describes types alone.

mod fields;

use std::collections::{BTreeMap, BTreeSet};

use super::Reading;
use super::language::{Context, Kind, Language, Reader, Text};
use crate::application::{
    Application, ComponentType, Connection, Deployment, Faults, Node as AppNode, NodeId, Policy,
};
use crate::diagnostic::{self, Diagnostic};
use crate::lifecycle::net::{
    Action, Dock, DockId, FIRST_BEHAVIOR, Group, GroupId, Net, NetTransition, Place, PlaceId, Port,
    PortKind, Side,
};
use crate::lifecycle::{Cost, Lifecycle};
use crate::tree::{self, Node};
use fields::{list, name, record, text, twice, unknown};

/// A name that nothing declares.
pub(crate) const UNKNOWN_NAME: &str = "CONCERTO001";
/// A value of the wrong kind, or one that means nothing.
pub(crate) const BAD_VALUE: &str = "CONCERTO002";
/// A key that must be there and is not.
pub(crate) const MISSING_KEY: &str = "CONCERTO003";
/// A key that means nothing.
pub(crate) const UNKNOWN_KEY: &str = "CONCERTO004";
/// Something that is declared twice.
pub(crate) const DECLARED_TWICE: &str = "CONCERTO005";

impl Language {
    /// The JSON of Concerto's model.
    pub const CONCERTO: Language = Language::new(&Concerto);
}

#[derive(Debug)]
struct Concerto;

impl Reader for Concerto {
    fn name(&self) -> &'static str {
        "concerto"
    }

    fn recognize_keys(&self, root: Node<'_>) -> Option<Kind> {
        detect(root).then_some(Kind::Application)
    }

    fn read(&self, text: Text, context: &mut Context<'_>) -> Reading {
        let (tree, mut findings) = text.parse(context.sources, &tree::Options::default());
        let application = read_application(tree.root(), &mut findings);
        diagnostic::sort(&mut findings);
        Reading { application, findings, ..Reading::default() }
    }
}

/// Whether a text is one of Concerto's: a list of components that have places and transitions.
pub(crate) fn detect(root: Node<'_>) -> bool {
    let Some(components) = root.get("components").filter(|components| components.is_list()) else {
        return false;
    };
    let described =
        |node: Node<'_>| node.get("places").is_some() && node.get("transitions").is_some();
    components.items().any(described)
}

/// Reads an application; it is there when the text has no errors.
pub(crate) fn read_application(
    root: Node<'_>,
    findings: &mut Vec<Diagnostic>,
) -> Option<Application> {
    let application = lower(root, findings);
    let broken = super::has_errors(findings) || !root.tree().is_complete();
    (!broken).then_some(application)
}

fn lower(root: Node<'_>, findings: &mut Vec<Diagnostic>) -> Application {
    let mut application = Application {
        name: "assembly".to_owned(),
        faults: Faults::default(),
        policy: Policy::default(),
        types: Vec::new(),
        nodes: Vec::new(),
        deployment: Deployment::default(),
        origin: root.span().into(),
        names: crate::application::NodeNames::default(),
    };
    if !record(root, "an assembly", &["components", "instances", "connects"], findings) {
        return application;
    }
    let components = list(root, "components", "an assembly", true, findings);
    twice("component", components.iter().filter_map(|node| node.get("name")), findings);
    for node in components {
        application.types.extend(component(node, findings));
    }
    let instances = list(root, "instances", "an assembly", false, findings);
    twice("instance", instances.iter().filter_map(|node| node.get("name")), findings);
    for node in instances {
        let instance = instance(node, &application.types, findings);
        application.nodes.extend(instance);
    }
    for node in list(root, "connects", "an assembly", false, findings) {
        connect(node, &mut application, findings);
    }
    application
}

fn component(node: Node<'_>, findings: &mut Vec<Diagnostic>) -> Option<ComponentType> {
    let keys = ["name", "short", "places", "start", "transitions", "ports"];
    if !record(node, "a component", &keys, findings) {
        return None;
    }
    let named = name(node, "name", "a component", findings);
    let mut net = Net::default();
    let places = list(node, "places", "a component", true, findings);
    twice("place", places.iter().copied(), findings);
    for place in places {
        if fields::is_name(place, findings) {
            let name = place.as_str().unwrap_or_default().to_owned();
            net.places.push(Place { name, origin: place.span().into() });
        }
    }
    let start = text(node, "start", "a component", findings);
    net.initial.extend(start.and_then(|start| place(&net, start, findings)));
    let transitions = list(node, "transitions", "a component", true, findings);
    twice("transition", transitions.iter().filter_map(|node| node.get("name")), findings);
    for item in transitions {
        let transition = transition(item, &mut net, findings);
        net.transitions.extend(transition);
    }
    let ports = list(node, "ports", "a component", false, findings);
    twice("port", ports.iter().filter_map(|node| node.get("name")), findings);
    for item in ports {
        let port = port(item, &mut net, findings);
        net.ports.extend(port);
    }
    let named = named?;
    Some(ComponentType {
        name: named.as_str().unwrap_or_default().to_owned(),
        requirements: Vec::new(),
        capabilities: Vec::new(),
        operations: Vec::new(),
        lifecycle: Lifecycle::Net(net),
        processes: BTreeMap::new(),
        cost_per_second: Cost::default(),
        origin: named.span().into(),
    })
}

fn place(net: &Net, node: Node<'_>, findings: &mut Vec<Diagnostic>) -> Option<PlaceId> {
    let found = net.place_named(node.as_str().unwrap_or_default());
    if found.is_none() {
        unknown("place", node, net.places.iter().map(|place| &*place.name), findings);
    }
    found
}

fn transition(
    node: Node<'_>,
    net: &mut Net,
    findings: &mut Vec<Diagnostic>,
) -> Option<NetTransition> {
    if !record(node, "a transition", &["name", "from", "to", "behavior"], findings) {
        return None;
    }
    let named = name(node, "name", "a transition", findings);
    let ends = [("from", Side::Output), ("to", Side::Input)].map(|(key, side)| {
        let place = place(net, text(node, key, "a transition", findings)?, findings)?;
        net.docks.push(Dock { place, side, name: None });
        Some(DockId::from(net.docks.len() - 1))
    });
    let behavior = name(node, "behavior", "a transition", findings)?;
    let behavior = behavior.as_str().unwrap_or_default();
    let (Some(named), [Some(source), Some(destination)]) = (named, ends) else { return None };
    Some(NetTransition {
        name: named.as_str().unwrap_or_default().to_owned(),
        source,
        destination,
        action: Action::default(),
        behavior: (behavior != FIRST_BEHAVIOR).then(|| behavior.to_owned()),
        origin: named.span().into(),
    })
}

fn port(node: Node<'_>, net: &mut Net, findings: &mut Vec<Diagnostic>) -> Option<Port> {
    if !record(node, "a port", &["name", "type", "places"], findings) {
        return None;
    }
    let named = name(node, "name", "a port", findings);
    let kind = text(node, "type", "a port", findings).and_then(|word| match word.as_str() {
        Some("use") => Some(PortKind::Use),
        Some("provide") => Some(PortKind::Provide),
        _ => {
            let message = "a port is of type `use` or `provide`";
            findings.push(Diagnostic::error(BAD_VALUE, word.span(), message));
            None
        }
    });
    let places = list(node, "places", "a port", true, findings);
    twice("place", places.iter().copied(), findings);
    let places: BTreeSet<PlaceId> =
        places.into_iter().filter_map(|node| place(net, node, findings)).collect();
    let (named, kind) = (named?, kind?);
    let name = named.as_str().unwrap_or_default().to_owned();
    let mut port = Port::new(name.clone(), kind, named.span().into());
    if kind == PortKind::Provide {
        port.groups.insert(GroupId::from(net.groups.len()));
        net.groups.push(Group { name, places, origin: named.span().into() });
    } else {
        port.places = places;
    }
    Some(port)
}

fn instance(
    node: Node<'_>,
    types: &[ComponentType],
    findings: &mut Vec<Diagnostic>,
) -> Option<AppNode> {
    if !record(node, "an instance", &["name", "component"], findings) {
        return None;
    }
    let named = name(node, "name", "an instance", findings);
    let kind = text(node, "component", "an instance", findings)?;
    let found = types.iter().position(|known| Some(&*known.name) == kind.as_str());
    if found.is_none() {
        unknown("component", kind, types.iter().map(|known| &*known.name), findings);
    }
    let (named, found) = (named?, found?);
    Some(AppNode {
        name: named.as_str().unwrap_or_default().to_owned(),
        component_type: found.into(),
        count: 1,
        instances: Vec::new(),
        bindings: Vec::new(),
        connections: Vec::new(),
        origin: named.span().into(),
    })
}

fn connect(node: Node<'_>, application: &mut Application, findings: &mut Vec<Diagnostic>) {
    let keys = ["provider", "provide_port", "user", "use_port"];
    if !record(node, "a connection", &keys, findings) {
        return;
    }
    let provider =
        end(node, ["provider", "provide_port"], PortKind::Provide, application, findings);
    let user = end(node, ["user", "use_port"], PortKind::Use, application, findings);
    let (Some((target, target_port)), Some((user, port))) = (provider, user) else { return };
    let origin = node.span().into();
    application.nodes[user.index()].connections.push(Connection {
        port,
        target,
        target_port,
        origin,
    });
}

/// One end of a connection: an instance and its port, which must be of a kind.
fn end(
    node: Node<'_>,
    [instance, port]: [&str; 2],
    kind: PortKind,
    application: &Application,
    findings: &mut Vec<Diagnostic>,
) -> Option<(NodeId, crate::lifecycle::net::PortId)> {
    let instance = text(node, instance, "a connection", findings);
    let port = text(node, port, "a connection", findings);
    let (instance, port) = (instance?, port?);
    let Some(found) = application.node_named(instance.as_str().unwrap_or_default()) else {
        let known = application.nodes.iter().map(|node| &*node.name);
        unknown("instance", instance, known, findings);
        return None;
    };
    let net = application.type_of(found).net()?;
    let known = net.ports.iter().filter(|port| port.kind == kind).map(|port| &*port.name);
    let id = net.port_named(port.as_str().unwrap_or_default());
    let id = id.filter(|id| net.port(*id).kind == kind);
    if id.is_none() {
        unknown(&format!("{} port", kind.as_str()), port, known, findings);
    }
    Some((found, id?))
}
