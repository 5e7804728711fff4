//! From names to indices: a document becomes an [`Application`].
//!
//! Types come first, then nodes, then what connects nodes. Whatever has the wrong shape has been
//! reported already and is passed over here; what is reported here are names that nothing
//! declares and declarations that contradict each other.

mod commands;
mod net;
mod nodes;
mod protocol;
mod timing;

use std::collections::BTreeMap;

use super::{CONFLICTING_KEYS, DECLARED_TWICE, LIFECYCLE, first_line, unknown};
use crate::application::{Application, ComponentType, Deployment, Faults, Policy};
use crate::diagnostic::Diagnostic;
use crate::lifecycle::protocol::{Arity, Capability, Requirement, Sort};
use crate::lifecycle::timing::Timing;
use crate::lifecycle::{Cost, Lifecycle, Protocol};
use crate::source::Origin;
use crate::tree::{Entry, Node};

/// Lowers the root of a document.
pub(super) fn application(root: Node<'_>, findings: &mut Vec<Diagnostic>) -> Application {
    let mut application = Application {
        name: text(root, "name").unwrap_or("application").to_owned(),
        faults: word(
            root,
            "faults",
            &[Faults::Forbidden, Faults::Handled, Faults::Replicas],
            Faults::as_str,
        ),
        policy: word(
            root,
            "policy",
            &[Policy::Any, Policy::Greedy, Policy::LeastLoaded],
            Policy::as_str,
        ),
        types: Vec::new(),
        nodes: Vec::new(),
        deployment: deployment(root),
        origin: Origin::from(first_line(root)),
        names: crate::application::NodeNames::default(),
    };
    for entry in entries(root, "types") {
        application.types.push(component_type(entry, findings));
    }
    one_kind(&application, findings);
    nodes::lower(root, &mut application, findings);
    application
}

/// What the file says beside types and nodes; the nodes add their part.
fn deployment(root: Node<'_>) -> Deployment {
    let slots = |key: &str| {
        let all = entries(root, key);
        all.filter_map(|entry| {
            let number = entry.value.get("slots").unwrap_or(entry.value);
            let slots = u32::try_from(number.as_int()?).ok()?;
            Some((entry.name().to_owned(), slots))
        })
        .collect()
    };
    Deployment {
        hosts: slots("hosts"),
        addresses: entries(root, "hosts")
            .filter_map(|entry| {
                let address = text(entry.value, "address")?;
                Some((entry.name().to_owned(), address.to_owned()))
            })
            .collect(),
        locks: slots("locks"),
        durations_from: text(root, "durations_from").map(str::to_owned),
        ..Deployment::default()
    }
}

/// Lowers a list of durations.
pub(super) fn durations(root: Node<'_>, findings: &mut Vec<Diagnostic>) -> Vec<(String, Timing)> {
    let timing = |entry: Entry<'_>| {
        Some((entry.name().to_owned(), timing::duration(entry.value, findings)?))
    };
    root.entries().filter_map(timing).collect()
}

/// All lifecycles of one application are of one kind.
fn one_kind(application: &Application, findings: &mut Vec<Diagnostic>) {
    let first = |net: bool| application.types.iter().find(|t| t.net().is_some() == net);
    let (Some(net), Some(protocol)) = (first(true), first(false)) else { return };
    let (Some(net_place), Some(protocol_place)) = (net.origin.0, protocol.origin.0) else { return };
    findings.push(
        Diagnostic::error(
            LIFECYCLE,
            net_place,
            format!("type `{}` is a net while `{}` is a protocol", net.name, protocol.name),
        )
        .label(protocol_place, "a protocol")
        .help("describe all types of an application by nets, or all by protocols"),
    );
}

fn component_type(entry: Entry<'_>, findings: &mut Vec<Diagnostic>) -> ComponentType {
    let node = entry.value;
    let mut component = ComponentType {
        name: entry.name().to_owned(),
        requirements: entries(node, "requirements").map(requirement).collect(),
        capabilities: items(node, "capabilities")
            .filter_map(|item| {
                Some(Capability { name: item.as_str()?.to_owned(), origin: item.span().into() })
            })
            .collect(),
        operations: entries(node, "operations").map(|e| commands::operation(e, findings)).collect(),
        lifecycle: Lifecycle::Protocol(Protocol {
            initial: 0.into(),
            states: Vec::new(),
            transitions: Vec::new(),
            up: None,
        }),
        processes: BTreeMap::new(),
        cost_per_second: cost(node, "cost_per_second"),
        origin: entry.key.span().into(),
    };
    twice("capability", items(node, "capabilities"), findings);
    match (node.get_entry("protocol"), node.get_entry("net")) {
        (Some(protocol), None) => protocol::lower(protocol.value, node, &mut component, findings),
        (None, Some(net)) => net::lower(net.value, node, &mut component, findings),
        (None, None) => findings.push(
            Diagnostic::error(
                LIFECYCLE,
                entry.key.span(),
                format!("type `{}` has no life cycle", component.name),
            )
            .help("add `protocol` or `net`"),
        ),
        (Some(protocol), Some(net)) => findings.push(
            Diagnostic::error(
                LIFECYCLE,
                net.key.span(),
                format!("type `{}` has two life cycles", component.name),
            )
            .label(protocol.key.span(), "the other one")
            .help("keep `protocol` or `net`"),
        ),
    }
    component
}

fn requirement(entry: Entry<'_>) -> Requirement {
    let node = entry.value;
    let sorts = [Sort::Containment, Sort::ReplicaAware, Sort::ReplicaUnaware];
    let written = node.as_str().or_else(|| text(node, "sort")).unwrap_or_default();
    let sort = sorts.into_iter().find(|sort| sort.as_str() == written);
    let arity = node.get("arity").map_or(Arity::Any, |arity| match arity.as_str() {
        Some("all") => Arity::All,
        Some(_) => Arity::Any,
        None => integer(arity, "at_least").map_or(Arity::Any, Arity::AtLeast),
    });
    Requirement {
        name: entry.name().to_owned(),
        sort: sort.unwrap_or(Sort::ReplicaUnaware),
        arity,
        origin: entry.key.span().into(),
    }
}

/// Reports the second and every further equal item of a list of names.
fn twice<'t>(what: &str, items: impl Iterator<Item = Node<'t>>, findings: &mut Vec<Diagnostic>) {
    let mut first = BTreeMap::new();
    for item in items {
        let Some(name) = item.as_str() else { continue };
        if let Some(known) = first.insert(name, item) {
            findings.push(
                Diagnostic::error(
                    DECLARED_TWICE,
                    item.span(),
                    format!("{what} `{name}` is listed twice"),
                )
                .label(known.span(), "first listed here")
                .help("remove one of the two"),
            );
        }
    }
}

/// The index of each named item that `find` knows; the others are reported.
fn resolve<'t, T: Ord, C: FromIterator<T>>(
    what: &str,
    items: impl Iterator<Item = Node<'t>>,
    find: impl Fn(&str) -> Option<T>,
    known: &[&str],
    findings: &mut Vec<Diagnostic>,
) -> C {
    let mut found = Vec::new();
    for item in items {
        match item.as_str().map(&find) {
            Some(Some(id)) => found.push(id),
            Some(None) => unknown(what, item, known.iter().copied(), findings),
            None => {}
        }
    }
    found.into_iter().collect()
}

/// Reports keys that make no sense together.
fn conflict(node: Node<'_>, message: impl Into<String>, help: &str) -> Diagnostic {
    Diagnostic::error(CONFLICTING_KEYS, node.span(), message).help(help)
}

fn entries<'t>(node: Node<'t>, key: &str) -> impl Iterator<Item = Entry<'t>> + use<'t> {
    node.get(key).into_iter().flat_map(Node::entries)
}

fn items<'t>(node: Node<'t>, key: &str) -> impl Iterator<Item = Node<'t>> + use<'t> {
    node.get(key).into_iter().flat_map(Node::items)
}

fn text<'t>(node: Node<'t>, key: &str) -> Option<&'t str> {
    node.get(key).and_then(Node::as_str)
}

fn integer(node: Node<'_>, key: &str) -> Option<u32> {
    node.get(key).and_then(Node::as_int).and_then(|number| u32::try_from(number).ok())
}

fn cost(node: Node<'_>, key: &str) -> Cost {
    text(node, key).and_then(super::units::cost).unwrap_or_default()
}

fn duration(node: Node<'_>, key: &str) -> Option<std::time::Duration> {
    text(node, key).and_then(super::units::duration)
}

/// The value whose word stands under `key`, else the default.
fn word<T: Copy + Default>(node: Node<'_>, key: &str, all: &[T], name: fn(T) -> &'static str) -> T {
    let written = text(node, key).unwrap_or_default();
    all.iter().copied().find(|value| name(*value) == written).unwrap_or_default()
}
