//! Pictures of topologies: nodes with the roles they provide and require, containers around what
//! they contain (papers 000 section 2.1 and 004 Fig. 1).

use super::drawing::{Direction, Drawing, End, RowKind, Shape};
use crate::application::{Application, ComponentType, Node, NodeId};
use crate::lifecycle::net::PortKind;
use crate::lifecycle::protocol::{Arity, Requirement, Sort};

/// The topology of an application.
pub(super) fn draw(application: &Application) -> Drawing {
    let mut drawing = Drawing::new(format!("topology of {}", application.name), Direction::Right);
    for node in &application.nodes {
        let component = application.component_type(node.component_type);
        let item = drawing.add(Shape::Component, &node.name);
        drawing.items[item].subtitle = subtitle(node, component);
    }
    let hosted = put_inside(&mut drawing, application);
    let rows: Vec<Rows> =
        application.node_ids().map(|id| add_rows(&mut drawing, application, id, &hosted)).collect();
    for id in application.node_ids() {
        add_edges(&mut drawing, application, id, &hosted, &rows);
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

/// Puts nodes into their containers; says for each node which requirement that was.
fn put_inside(drawing: &mut Drawing, application: &Application) -> Vec<Option<usize>> {
    let hosted = application.nodes.iter().enumerate().map(|(at, node)| {
        let requirement = application.component_type(node.component_type).containment()?;
        let container = node.binding(requirement)?.target;
        drawing.put(at, container.index()).then_some(requirement.index())
    });
    hosted.collect()
}

/// The rows of a node, by the indices of what they stand for.
struct Rows {
    capabilities: Vec<usize>,
    requirements: Vec<usize>,
    ports: Vec<usize>,
}

fn add_rows(
    drawing: &mut Drawing,
    application: &Application,
    id: NodeId,
    hosted: &[Option<usize>],
) -> Rows {
    let (node, component) = (application.node(id), application.type_of(id));
    let item = id.index();
    let capabilities = component.capabilities.iter().map(|capability| {
        drawing.add_row(item, RowKind::Provided, &capability.name, String::new())
    });
    let capabilities = capabilities.collect();
    let requirements = component.requirements.iter().enumerate().map(|(at, requirement)| {
        let binding = node.binding(at.into());
        let kind = match binding {
            None => RowKind::Unbound,
            Some(_) if hosted[item] == Some(at) => RowKind::Hosted,
            Some(_) => RowKind::Required,
        };
        let to_itself = binding.is_some_and(|binding| binding.target == id);
        drawing.add_row(item, kind, &requirement.name, remark(requirement, to_itself))
    });
    let requirements = requirements.collect();
    Rows { capabilities, requirements, ports: add_ports(drawing, node, component, item) }
}

fn remark(requirement: &Requirement, to_itself: bool) -> String {
    let arity = match requirement.arity {
        Arity::Any => String::new(),
        Arity::All => "all".to_owned(),
        Arity::AtLeast(n) => format!("at least {n}"),
    };
    match (to_itself, arity.is_empty()) {
        (false, _) => arity,
        (true, true) => "bound to itself".to_owned(),
        (true, false) => format!("{arity}, bound to itself"),
    }
}

/// The rows of the ports of a net: what is provided first.
fn add_ports(
    drawing: &mut Drawing,
    node: &Node,
    component: &ComponentType,
    item: usize,
) -> Vec<usize> {
    let ports = component.net().map(|net| &net.ports[..]).unwrap_or_default();
    let mut rows = vec![0; ports.len()];
    for provides in [true, false] {
        for (at, port) in ports.iter().enumerate() {
            let connected = node.connections.iter().any(|c| c.port.index() == at);
            let kind = match port.kind.counterpart() {
                None => RowKind::Provided,
                Some(_) if connected => RowKind::Required,
                Some(_) => RowKind::Unbound,
            };
            if (kind == RowKind::Provided) == provides {
                let data = matches!(port.kind, PortKind::DataUse | PortKind::DataProvide);
                let remark = if data { "data".to_owned() } else { String::new() };
                rows[at] = drawing.add_row(item, kind, &port.name, remark);
            }
        }
    }
    rows
}

fn add_edges(
    drawing: &mut Drawing,
    application: &Application,
    id: NodeId,
    hosted: &[Option<usize>],
    rows: &[Rows],
) {
    let (node, component) = (application.node(id), application.type_of(id));
    let from = id.index();
    for binding in &node.bindings {
        let requirement = &component.requirements[binding.requirement.index()];
        if binding.target == id || hosted[from] == Some(binding.requirement.index()) {
            continue;
        }
        let target = binding.target.index();
        let capability =
            &application.type_of(binding.target).capabilities[binding.capability.index()];
        let aware = if requirement.sort == Sort::ReplicaAware { ", of one instance" } else { "" };
        let meaning = format!(
            "{}.{} needs {}.{}{aware}",
            node.name, requirement.name, drawing.items[target].title, capability.name
        );
        let start = End::row(from, rows[from].requirements[binding.requirement.index()]);
        let end = End::row(target, rows[target].capabilities[binding.capability.index()]);
        drawing.connect(start, end, meaning);
    }
    for connection in &node.connections {
        let (Some(net), Some(other)) =
            (component.net(), application.type_of(connection.target).net())
        else {
            continue;
        };
        let target = connection.target.index();
        let meaning = format!(
            "{}.{} uses {}.{}",
            node.name,
            net.port(connection.port).name,
            drawing.items[target].title,
            other.port(connection.target_port).name
        );
        let start = End::row(from, rows[from].ports[connection.port.index()]);
        let end = End::row(target, rows[target].ports[connection.target_port.index()]);
        drawing.connect(start, end, meaning);
    }
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
