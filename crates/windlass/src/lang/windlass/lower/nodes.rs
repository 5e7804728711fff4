//! Nodes, wanted instances, bindings and connections.

use std::collections::{BTreeMap, BTreeSet};

use super::{conflict, entries, integer, items, text};
use crate::application::{
    Application, Binding, ComponentType, Connection, Node as AppNode, NodeId, TypeId,
    WantedInstance,
};
use crate::diagnostic::Diagnostic;
use crate::lang::windlass::{DECLARED_TWICE, UNKNOWN_NAME, unknown};
use crate::lifecycle::net::NetTransition;
use crate::lifecycle::{Cost, Lifecycle, Net};
use crate::source::Origin;
use crate::spelling;
use crate::tree::{Entry, Node};

/// Adds the nodes of the document, then binds them: a binding may name a later node.
pub(super) fn lower(root: Node<'_>, application: &mut Application, findings: &mut Vec<Diagnostic>) {
    // The first type with a name counts, as everywhere.
    let mut types: BTreeMap<String, TypeId> = BTreeMap::new();
    for (at, component) in application.types.iter().enumerate() {
        types.entry(component.name.clone()).or_insert(TypeId::from(at));
    }
    let mut missing = None;
    for entry in entries(root, "nodes") {
        let written = entry.value.get("type");
        let component_type = written.and_then(|node| types.get(node.as_str()?).copied());
        if let (Some(written), None) = (written, component_type)
            && written.as_str().is_some()
        {
            unknown("type", written, types.keys().map(|t| &**t), findings);
        }
        let instances: Vec<_> = entries(entry.value, "instances").map(wanted).collect();
        let count = count(entry, instances.len(), findings);
        let component_type = component_type
            .unwrap_or_else(|| *missing.get_or_insert_with(|| placeholder(application)));
        application.nodes.push(AppNode {
            name: entry.name().to_owned(),
            component_type,
            count,
            instances,
            bindings: Vec::new(),
            connections: Vec::new(),
            origin: entry.key.span().into(),
        });
    }
    unique_instances(application, findings);
    // Looked up once for all: assemblies have as many bindings as nodes, and many nodes.
    let names: BTreeMap<String, NodeId> =
        application.node_ids().rev().map(|id| (application.node(id).name.clone(), id)).collect();
    for (at, entry) in entries(root, "nodes").enumerate() {
        bind(NodeId::from(at), entry, application, &names, findings);
        deploy(NodeId::from(at), entry, application, findings);
    }
}

/// What a node says about its deployment.
fn deploy(
    id: NodeId,
    entry: Entry<'_>,
    application: &mut Application,
    findings: &mut Vec<Diagnostic>,
) {
    let whole = text(entry.value, "part_of").map(str::to_owned);
    application.deployment.part_of.extend(whole.map(|whole| (id, whole)));
    let component = application.type_of(id);
    if is_placeholder(component) {
        return;
    }
    let host = text(entry.value, "host").map(str::to_owned);
    let Some(net) = component.net() else {
        if let Some(wrong) = entry.value.get_entry("behaviors") {
            let help = "it is for nodes whose type is a net";
            findings.push(conflict(wrong.key, "a protocol has no `behaviors`".to_owned(), help));
        }
        application.deployment.host.extend(host.map(|host| (id, host)));
        return;
    };
    let known: BTreeSet<&str> = net.transitions.iter().map(NetTransition::behavior).collect();
    let mut behaviors = Vec::new();
    for item in items(entry.value, "behaviors") {
        match item.as_str().filter(|name| known.contains(name)) {
            Some(name) => behaviors.push(name.to_owned()),
            None => unknown("behavior", item, known.iter().copied(), findings),
        }
    }
    if !behaviors.is_empty() {
        application.deployment.behaviors.insert(id, behaviors);
    }
    application.deployment.host.extend(host.map(|host| (id, host)));
}

/// A type without states for nodes whose type is unknown, so that every index stays valid while
/// the rest of the text is read. The application that holds it is never handed out.
fn placeholder(application: &mut Application) -> TypeId {
    let id = TypeId::from(application.types.len());
    application.types.push(ComponentType {
        name: String::new(),
        requirements: Vec::new(),
        capabilities: Vec::new(),
        operations: Vec::new(),
        lifecycle: Lifecycle::Net(Net::default()),
        processes: BTreeMap::new(),
        cost_per_second: Cost::default(),
        origin: Origin(None),
    });
    id
}

/// Whether the type of a node is unknown: what its names mean cannot be said.
fn is_placeholder(component: &ComponentType) -> bool {
    component.name.is_empty()
}

fn wanted(entry: Entry<'_>) -> WantedInstance {
    WantedInstance {
        id: entry.name().to_owned(),
        container: text(entry.value, "in").map(str::to_owned),
        origin: entry.key.span().into(),
    }
}

fn count(entry: Entry<'_>, named: usize, findings: &mut Vec<Diagnostic>) -> u32 {
    let named_count = u32::try_from(named).unwrap_or(u32::MAX);
    let Some(count) = integer(entry.value, "count") else { return named_count.max(1) };
    if let Some(written) = entry.value.get("count").filter(|_| count < named_count) {
        let message = format!("`count` is {count}, yet {named} instances are named");
        findings.push(conflict(written, message, "raise `count`, or name fewer instances"));
    }
    count
}

fn unique_instances(application: &Application, findings: &mut Vec<Diagnostic>) {
    let mut first = BTreeMap::new();
    for instance in application.nodes.iter().flat_map(|node| &node.instances) {
        let Some(known) = first.insert(&instance.id, instance) else { continue };
        let (Some(place), Some(known)) = (instance.origin.0, known.origin.0) else { continue };
        findings.push(
            Diagnostic::error(
                DECLARED_TWICE,
                place,
                format!("instance `{}` is declared twice", instance.id),
            )
            .label(known, "first declared here")
            .help("ids are unique in the whole application"),
        );
    }
}

fn bind(
    id: NodeId,
    entry: Entry<'_>,
    application: &mut Application,
    names: &BTreeMap<String, NodeId>,
    findings: &mut Vec<Diagnostic>,
) {
    let component = application.type_of(id);
    if is_placeholder(component) {
        return;
    }
    let mut bindings = Vec::new();
    let mut connections = Vec::new();
    for bound in entries(entry.value, "bind") {
        let targets: Vec<Node<'_>> =
            if bound.value.is_list() { bound.value.items().collect() } else { vec![bound.value] };
        if let Some(net) = component.net() {
            let Some(port) = net.port_named(bound.name()) else {
                let known = net.ports.iter().map(|port| &*port.name);
                unknown("port", bound.key, known, findings);
                continue;
            };
            let Some(wanted) = net.port(port).kind.counterpart() else {
                let message = format!("`{}` provides; only ports that use are bound", bound.name());
                findings.push(conflict(bound.key, message, "bind it from the node that uses it"));
                continue;
            };
            for target in targets {
                let known = |t: &ComponentType| -> Vec<String> {
                    let ports = t.net().map_or(&[][..], |net| &net.ports[..]);
                    ports.iter().filter(|p| p.kind == wanted).map(|p| p.name.clone()).collect()
                };
                let what = format!("{} port", wanted.as_str());
                let found = end(target, &what, known, application, names, findings);
                let Some((node, name)) = found else { continue };
                let ports = application.type_of(node).net().and_then(|net| net.port_named(&name));
                let Some(target_port) = ports else { continue };
                let origin = target.span().into();
                connections.push(Connection { port, target: node, target_port, origin });
            }
            continue;
        }
        let Some(requirement) = component.requirement_named(bound.name()) else {
            let known = component.requirements.iter().map(|r| &*r.name);
            unknown("requirement", bound.key, known, findings);
            continue;
        };
        if targets.len() != 1 {
            let message = format!("requirement `{}` has {} targets", bound.name(), targets.len());
            findings.push(conflict(bound.value, message, "bind it to exactly one NODE.CAPABILITY"));
            continue;
        }
        let known = |t: &ComponentType| -> Vec<String> {
            t.capabilities.iter().map(|c| c.name.clone()).collect()
        };
        let found = end(targets[0], "capability", known, application, names, findings);
        let Some((target, name)) = found else { continue };
        let Some(capability) = application.type_of(target).capability_named(&name) else {
            continue;
        };
        let origin = targets[0].span().into();
        bindings.push(Binding { requirement, target, capability, origin });
    }
    let node = &mut application.nodes[id.index()];
    node.bindings = bindings;
    node.connections = connections;
}

/// Resolves `NODE.NAME`, where both may contain dots: the last dot that makes sense counts.
fn end(
    target: Node<'_>,
    what: &str,
    known: impl Fn(&ComponentType) -> Vec<String>,
    application: &Application,
    names: &BTreeMap<String, NodeId>,
    findings: &mut Vec<Diagnostic>,
) -> Option<(NodeId, String)> {
    let text = target.as_str()?;
    let splits = text.rmatch_indices('.').map(|(at, _)| (&text[..at], &text[at + 1..]));
    let with_node = |(node, name): (&str, _)| Some((*names.get(node)?, name));
    let Some((node, name)) = splits.clone().find_map(with_node) else {
        let message = match text.split_once('.') {
            Some((node, _)) => format!("unknown node `{node}`"),
            None => format!("`{text}` is not NODE.NAME"),
        };
        let finding = Diagnostic::error(UNKNOWN_NAME, target.span(), message);
        findings.push(if findings.len() < spelling::MOST_ADVISED {
            let nodes = application.nodes.iter().map(|node| &*node.name);
            finding.help(spelling::known("node", nodes))
        } else {
            finding
        });
        return None;
    };
    let component = application.type_of(node);
    if is_placeholder(component) {
        return None;
    }
    let names = known(component);
    if names.iter().any(|known| known == name) {
        return Some((node, name.to_owned()));
    }
    let node_name = &application.node(node).name;
    let message = format!("node `{node_name}` has no {what} `{name}`");
    let names = names.iter().map(|name| &**name);
    let help = match spelling::nearest(name, names.clone()) {
        Some(near) => format!("did you mean `{node_name}.{near}`?"),
        None => spelling::known(what, names),
    };
    findings.push(Diagnostic::error(UNKNOWN_NAME, target.span(), message).help(help));
    None
}
