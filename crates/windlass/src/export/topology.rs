//! Pictures of topologies: nodes with the roles they provide and require, containers around what
//! they contain (papers 000 section 2.1 and 004 Fig. 1).
//!
//! What is bound to what comes from the location graph of the application, so that every language
//! is drawn alike.

use std::collections::{BTreeMap, BTreeSet};

use super::drawing::{Direction, Drawing, End, RowKind, Shape};
use crate::application::topology::{self, Point, Topology};
use crate::application::{Application, ComponentType, Node};
use crate::lifecycle::net::PortKind;
use crate::lifecycle::protocol::{Arity, Sort};

/// The topology of an application.
pub(super) fn draw(application: &Application) -> Drawing {
    let mut drawing = Drawing::new(format!("topology of {}", application.name), Direction::Right);
    for node in &application.nodes {
        let component = application.component_type(node.component_type);
        let item = drawing.add(Shape::Component, &node.name);
        drawing.items[item].subtitle = subtitle(node, component);
    }
    let topology = Topology::of(application);
    let hosted = put_inside(&mut drawing, application);
    let rows = Rows::add(&mut drawing, application, &topology, &hosted);
    for relation in &topology.roles {
        if let (Some(required), Some(provided)) = (relation.required, relation.provided)
            && !hosted.contains(&required)
        {
            let row = |end: topology::End| End::row(end.node.index(), rows.rows[&end]);
            let meaning = meaning(application, required, provided);
            drawing.connect(row(required), row(provided), meaning);
        }
    }
    drawing.notes = legend(&drawing);
    drawing
}

/// The type and the number of instances, as far as they say something.
fn subtitle(node: &Node, component: &ComponentType) -> String {
    match (component.name == node.name, node.count) {
        (true, 1) => String::new(),
        (true, count) => format!("×{count}"),
        (false, 1) => component.name.clone(),
        (false, count) => format!("{} ×{count}", component.name),
    }
}

/// Puts nodes into their containers; says which requirements that satisfied.
fn put_inside(drawing: &mut Drawing, application: &Application) -> BTreeSet<topology::End> {
    let hosted = application.node_ids().filter_map(|node| {
        let requirement = application.type_of(node).containment()?;
        let container = application.node(node).binding(requirement)?.target;
        let inside = drawing.put(node.index(), container.index());
        inside.then_some(topology::End { node, point: Point::Requirement(requirement) })
    });
    hosted.collect()
}

/// The row of every point of attachment.
struct Rows {
    rows: BTreeMap<topology::End, usize>,
}

impl Rows {
    /// Adds the rows of all nodes: what each provides first.
    fn add(
        drawing: &mut Drawing,
        application: &Application,
        topology: &Topology,
        hosted: &BTreeSet<topology::End>,
    ) -> Self {
        let relations = topology.roles.iter();
        let bound: BTreeSet<topology::End> =
            relations.filter(|r| r.provided.is_some()).filter_map(|r| r.required).collect();
        let mut rows = BTreeMap::new();
        for node in application.node_ids() {
            let (provided, required) = points(application.type_of(node));
            for point in provided {
                let end = topology::End { node, point };
                let (name, remark) = texts(application, end);
                let row = drawing.add_row(node.index(), RowKind::Provided, name, remark);
                rows.insert(end, row);
            }
            for point in required {
                let end = topology::End { node, point };
                let (name, mut remark) = texts(application, end);
                let kind = if hosted.contains(&end) {
                    RowKind::Hosted
                } else if bound.contains(&end) {
                    RowKind::Required
                } else if is_bound_to_itself(application, end) {
                    remark.push_str(if remark.is_empty() { "itself" } else { ", itself" });
                    RowKind::Required
                } else {
                    RowKind::Unbound
                };
                rows.insert(end, drawing.add_row(node.index(), kind, name, remark));
            }
        }
        Rows { rows }
    }
}

/// What a type provides, and what it requires.
fn points(component: &ComponentType) -> (Vec<Point>, Vec<Point>) {
    let capabilities = (0..component.capabilities.len()).map(|at| Point::Capability(at.into()));
    let requirements = (0..component.requirements.len()).map(|at| Point::Requirement(at.into()));
    let (mut provided, mut required) =
        (capabilities.collect::<Vec<_>>(), requirements.collect::<Vec<_>>());
    let ports = component.net().map(|net| &net.ports[..]).unwrap_or_default();
    for (at, port) in ports.iter().enumerate() {
        let side = if port.kind.counterpart().is_none() { &mut provided } else { &mut required };
        side.push(Point::Port(at.into()));
    }
    (provided, required)
}

/// The name of a point of attachment, and something short about it.
fn texts(application: &Application, end: topology::End) -> (&str, String) {
    let component = application.type_of(end.node);
    match end.point {
        Point::Capability(id) => (&component.capabilities[id.index()].name, String::new()),
        Point::Requirement(id) => {
            let requirement = &component.requirements[id.index()];
            let arity = match requirement.arity {
                Arity::Any => String::new(),
                Arity::All => "all".to_owned(),
                Arity::AtLeast(n) => format!("at least {n}"),
            };
            (&requirement.name, arity)
        }
        Point::Port(id) => {
            let port = component.net().and_then(|net| net.ports.get(id.index()));
            let is_data =
                port.is_some_and(|p| matches!(p.kind, PortKind::DataUse | PortKind::DataProvide));
            let remark = if is_data { "data" } else { "" };
            (port.map_or("", |port| &port.name), remark.to_owned())
        }
    }
}

/// Whether a node requires what it provides itself; the graph has a connector between then.
fn is_bound_to_itself(application: &Application, end: topology::End) -> bool {
    let node = application.node(end.node);
    match end.point {
        Point::Requirement(id) => node.binding(id).is_some_and(|b| b.target == end.node),
        Point::Port(id) => node.connections.iter().any(|c| c.port == id && c.target == end.node),
        Point::Capability(_) => false,
    }
}

fn meaning(application: &Application, required: topology::End, provided: topology::End) -> String {
    let aware = match required.point {
        Point::Requirement(id) => {
            let requirement = &application.type_of(required.node).requirements[id.index()];
            if requirement.sort == Sort::ReplicaAware { ", always of one instance" } else { "" }
        }
        _ => "",
    };
    format!(
        "{}.{} requires {}.{}{aware}",
        application.node(required.node).name,
        texts(application, required).0,
        application.node(provided.node).name,
        texts(application, provided).0
    )
}

fn legend(drawing: &Drawing) -> Vec<String> {
    let words = [
        (RowKind::Provided, "● provides"),
        (RowKind::Required, "○ requires"),
        (RowKind::Hosted, "□ requires the box around"),
        (RowKind::Unbound, "◌ requires, bound to nothing"),
    ];
    let has = |kind: RowKind| {
        drawing.items.iter().flat_map(|item| &item.rows).any(|row| row.kind == kind)
    };
    let used: Vec<&str> =
        words.iter().filter(|(kind, _)| has(*kind)).map(|(_, word)| *word).collect();
    if used.is_empty() { Vec::new() } else { vec![used.join(" · ")] }
}
