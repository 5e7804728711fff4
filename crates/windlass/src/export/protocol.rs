//! Pictures of management protocols: states with what they need and offer, operations on the way
//! between them, fault handlers dashed (papers 003 Fig. 2 and 004 Fig. 2).

use std::collections::VecDeque;

use super::drawing::{Direction, Drawing, End, RowKind, Shape, Stroke};
use crate::application::ComponentType;
use crate::lifecycle::protocol::{Protocol, Transition};

/// The life cycle of a component type whose life cycle is a protocol.
pub(super) fn draw(component: &ComponentType, protocol: &Protocol) -> Drawing {
    let mut drawing = Drawing::new(format!("life cycle of {}", component.name), Direction::Down);
    let order = distance_order(protocol);
    for (at, state) in protocol.states.iter().enumerate() {
        let initial = at == protocol.initial.index();
        let shape = if initial { Shape::InitialState } else { Shape::State };
        let item = drawing.add(shape, &state.name);
        if initial {
            "initial".clone_into(&mut drawing.items[item].subtitle);
        }
        for capability in &state.offers {
            let name = &component.capabilities[capability.index()].name;
            drawing.add_row(item, RowKind::Provided, name, String::new());
        }
        for requirement in &state.requires {
            let name = &component.requirements[requirement.index()].name;
            drawing.add_row(item, RowKind::Required, name, String::new());
        }
    }
    for transition in &protocol.transitions {
        add_operation(&mut drawing, component, protocol, transition, &order);
    }
    for (from, state) in protocol.states.iter().enumerate() {
        for handler in &state.handlers {
            let to = handler.to.index();
            let meaning =
                format!("a fault in {} leads to {}", state.name, protocol.state(handler.to).name);
            let edge = drawing.connect(End::at(from), End::at(to), meaning);
            edge.stroke = Stroke::Dashed;
            edge.back = order[to] <= order[from];
        }
    }
    drawing.notes = legend(&drawing);
    drawing
}

/// An operation: from its state through a label to the next state, and on a fault to others.
fn add_operation(
    drawing: &mut Drawing,
    component: &ComponentType,
    protocol: &Protocol,
    transition: &Transition,
    order: &[usize],
) {
    let operation = &component.operations[transition.operation.index()].name;
    let (from, to) = (transition.from.index(), transition.to.index());
    let names = (&protocol.state(transition.from).name, &protocol.state(transition.to).name);
    let label = drawing.add(Shape::Action, operation);
    for capability in &transition.offers {
        let name = &component.capabilities[capability.index()].name;
        drawing.add_row(label, RowKind::Provided, name, String::new());
    }
    for requirement in &transition.requires {
        let name = &component.requirements[requirement.index()].name;
        drawing.add_row(label, RowKind::Required, name, String::new());
    }
    // The label of an operation that stays in its state hangs below it.
    let (out_back, in_back) = match order[from].cmp(&order[to]) {
        std::cmp::Ordering::Less => (false, false),
        std::cmp::Ordering::Equal => (false, true),
        std::cmp::Ordering::Greater => (true, true),
    };
    let meaning = format!("{operation} leads from {} to {}", names.0, names.1);
    let first = drawing.connect(End::at(from), End::at(label), meaning.clone());
    first.arrow = false;
    first.back = out_back;
    drawing.connect(End::at(label), End::at(to), meaning).back = in_back;
    let lowest = order[from].min(order[to]);
    for handler in &transition.handlers {
        let target = handler.to.index();
        let meaning =
            format!("a fault during {operation} leads to {}", protocol.state(handler.to).name);
        let edge = drawing.connect(End::at(label), End::at(target), meaning);
        edge.stroke = Stroke::Dashed;
        edge.back = order[target] <= lowest;
    }
}

/// The place of each state: by the number of operations from the initial state, then as declared.
fn distance_order(protocol: &Protocol) -> Vec<usize> {
    let count = protocol.states.len();
    let mut distance = vec![usize::MAX; count];
    let mut pending = VecDeque::from([protocol.initial.index()]);
    if let Some(initial) = distance.get_mut(protocol.initial.index()) {
        *initial = 0;
    }
    let mut after = vec![Vec::new(); count];
    for transition in &protocol.transitions {
        after[transition.from.index()].push(transition.to.index());
    }
    while let Some(at) = pending.pop_front() {
        for &next in &after[at] {
            if distance[next] == usize::MAX {
                distance[next] = distance[at] + 1;
                pending.push_back(next);
            }
        }
    }
    let mut states: Vec<usize> = (0..count).collect();
    states.sort_by_key(|&at| (distance[at], at));
    let mut order = vec![0; count];
    for (place, at) in states.into_iter().enumerate() {
        order[at] = place;
    }
    order
}

fn legend(drawing: &Drawing) -> Vec<String> {
    let has = |kind: RowKind| {
        drawing.items.iter().flat_map(|item| &item.rows).any(|row| row.kind == kind)
    };
    let mut words = Vec::new();
    if has(RowKind::Provided) {
        words.push("● offers");
    }
    if has(RowKind::Required) {
        words.push("○ needs");
    }
    if drawing.edges.iter().any(|edge| edge.stroke == Stroke::Dashed) {
        words.push("dashed: after a fault");
    }
    if words.is_empty() { Vec::new() } else { vec![words.join(" · ")] }
}
