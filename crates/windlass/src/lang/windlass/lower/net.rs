//! Nets: places, docks, transitions, groups, ports.

use std::collections::BTreeMap;

use super::{commands, conflict, cost, duration, entries, items, resolve, text, timing, twice};
use crate::application::ComponentType;
use crate::diagnostic::Diagnostic;
use crate::lang::windlass::unknown;
use crate::lifecycle::Lifecycle;
use crate::lifecycle::net::{
    Action, Dock, DockId, FIRST_BEHAVIOR, Group, Net, NetTransition, NetTransitionId, Place,
    PlaceId, Port, PortKind, Side,
};
use crate::tree::{Entry, Node};

/// Lowers `net:` of a type.
pub(super) fn lower(
    node: Node<'_>,
    type_node: Node<'_>,
    component: &mut ComponentType,
    findings: &mut Vec<Diagnostic>,
) {
    for key in ["requirements", "capabilities", "operations"] {
        if let Some(entry) = type_node.get_entry(key) {
            let help = "a net says what it needs and gives by its ports, and acts by transitions";
            findings.push(conflict(entry.key, format!("a net has no `{key}`"), help));
        }
    }
    component.requirements.clear();
    component.capabilities.clear();
    component.operations.clear();
    twice("place", items(node, "places"), findings);
    let mut builder = Builder { net: Net::default(), docks: BTreeMap::new() };
    builder.net.places = items(node, "places")
        .filter_map(|item| {
            Some(Place { name: item.as_str()?.to_owned(), origin: item.span().into() })
        })
        .collect();
    builder.net.initial = builder.places(node, "initial", findings);
    for entry in entries(node, "transitions") {
        builder.transition(entry, findings);
    }
    for entry in entries(node, "groups") {
        let known = builder.place_names();
        let find = |name: &str| builder.net.place_named(name);
        twice("place", entry.value.items(), findings);
        let places = resolve("place", entry.value.items(), find, &known, findings);
        let origin = entry.key.span().into();
        builder.net.groups.push(Group { name: entry.name().to_owned(), places, origin });
    }
    for entry in entries(node, "ports") {
        let port = builder.port(entry, findings);
        builder.net.ports.push(port);
    }
    for entry in entries(node, "transitions") {
        builder.values(entry, findings);
    }
    component.lifecycle = Lifecycle::Net(builder.net);
}

struct Builder {
    net: Net,
    /// Docks that transitions share by name.
    docks: BTreeMap<(PlaceId, Side, String), DockId>,
}

impl Builder {
    fn place_names(&self) -> Vec<&str> {
        self.net.places.iter().map(|place| &*place.name).collect()
    }

    fn places<C: FromIterator<PlaceId>>(
        &self,
        node: Node<'_>,
        key: &str,
        findings: &mut Vec<Diagnostic>,
    ) -> C {
        let find = |name: &str| self.net.place_named(name);
        twice("place", items(node, key), findings);
        resolve("place", items(node, key), find, &self.place_names(), findings)
    }

    fn transition(&mut self, entry: Entry<'_>, findings: &mut Vec<Diagnostic>) {
        let node = entry.value;
        let source = self.end(node.get("from"), Side::Output, findings);
        let destination = self.end(node.get("to"), Side::Input, findings);
        let action = Action {
            run: node.get("run").and_then(|run| commands::command(run, findings)),
            duration: node.get("duration").and_then(|value| timing::duration(value, findings)),
            cost: cost(node, "cost"),
            timeout: duration(node, "timeout"),
            retry: node.get("retry").and_then(timing::retry),
            effect: node.get("effect").and_then(|effect| commands::effect(effect, findings)),
            compensate: node.get("compensate").and_then(|undo| commands::command(undo, findings)),
            host: text(node, "host").map(str::to_owned),
            lock: text(node, "lock").map(str::to_owned),
            sets: BTreeMap::new(),
        };
        let behavior = text(node, "behavior").map(str::to_owned);
        let (Some(source), Some(destination)) = (source, destination) else { return };
        let name = entry.name().to_owned();
        let origin = entry.key.span().into();
        let behavior = behavior.filter(|name| name != FIRST_BEHAVIOR);
        let transition = NetTransition { name, source, destination, action, behavior, origin };
        self.net.transitions.push(transition);
    }

    /// The values that a transition gives; known only after the ports are.
    fn values(&mut self, entry: Entry<'_>, findings: &mut Vec<Diagnostic>) {
        let sets: Vec<_> = entries(entry.value, "sets").collect();
        let Some(at) = self.net.transitions.iter().position(|t| t.name == entry.name()) else {
            return;
        };
        let id = NetTransitionId::from(at);
        for set in sets {
            let ports = self.net.ports.iter();
            let known = ports.filter(|port| port.kind == PortKind::DataProvide);
            let known: Vec<_> = known.map(|port| &*port.name).collect();
            let port = self.net.port_named(set.name()).filter(|_| known.contains(&set.name()));
            let Some(port) = port else {
                unknown("data_provide port", set.key, known.into_iter(), findings);
                continue;
            };
            if !self.net.port(port).places.contains(&self.net.destination_place(id)) {
                let message = format!(
                    "`{}` does not lead to a place that sets `{}`",
                    entry.name(),
                    set.name()
                );
                let help = "a value is set when a place of the port is entered";
                findings.push(conflict(set.key, message, help));
                continue;
            }
            if let Some(value) = set.value.as_str() {
                self.net.transitions[at].action.sets.insert(port, value.to_owned());
            }
        }
    }

    /// One end of a transition: a place, which gives it a dock of its own, or a named dock.
    fn end(
        &mut self,
        node: Option<Node<'_>>,
        side: Side,
        findings: &mut Vec<Diagnostic>,
    ) -> Option<DockId> {
        let node = node?;
        let (place_node, dock) =
            if node.is_mapping() { (node.get("place")?, text(node, "dock")) } else { (node, None) };
        let Some(place) = self.net.place_named(place_node.as_str()?) else {
            unknown("place", place_node, self.place_names().into_iter(), findings);
            return None;
        };
        let name = dock.map(str::to_owned);
        let known = name.clone().and_then(|name| self.docks.get(&(place, side, name)).copied());
        Some(known.unwrap_or_else(|| {
            let id = DockId::from(self.net.docks.len());
            self.net.docks.push(Dock { place, side, name: name.clone() });
            if let Some(name) = name {
                self.docks.insert((place, side, name), id);
            }
            id
        }))
    }

    fn port(&self, entry: Entry<'_>, findings: &mut Vec<Diagnostic>) -> Port {
        let node = entry.value;
        let kinds = [PortKind::Use, PortKind::Provide, PortKind::DataUse, PortKind::DataProvide];
        let written = text(node, "kind").unwrap_or_default();
        let kind = kinds.into_iter().find(|kind| kind.as_str() == written).unwrap_or(PortKind::Use);
        let wrong_keys: &[&str] = match kind {
            PortKind::Use => &["groups"],
            PortKind::DataUse => &["groups", "places"],
            PortKind::Provide => &["transitions", "places"],
            PortKind::DataProvide => &["transitions", "groups"],
        };
        for key in wrong_keys {
            if let Some(wrong) = node.get_entry(key) {
                let message = format!("a {} port has no `{key}`", kind.as_str());
                let help = "use ports need transitions, provide ports groups, data_provide places";
                findings.push(conflict(wrong.key, message, help));
            }
        }
        let transitions: Vec<_> = self.net.transitions.iter().map(|t| &*t.name).collect();
        let groups: Vec<_> = self.net.groups.iter().map(|g| &*g.name).collect();
        let position = |all: &[&str], name: &str| all.iter().position(|known| *known == name);
        let find_transition = |name: &str| position(&transitions, name).map(Into::into);
        let find_group = |name: &str| position(&groups, name).map(Into::into);
        Port {
            name: entry.name().to_owned(),
            kind,
            port_type: text(node, "type").map(str::to_owned),
            transitions: resolve(
                "transition",
                items(node, "transitions"),
                find_transition,
                &transitions,
                findings,
            ),
            groups: resolve("group", items(node, "groups"), find_group, &groups, findings),
            places: self.places(node, "places", findings),
            origin: entry.key.span().into(),
        }
    }
}
