//! Pictures of nets: places, transitions on the way between them, groups as frames, ports
//! (paper 002 Fig. 1).
//!
//! Transitions that share a dock meet at one point of the place; each of the others has a point
//! of its own. Groups are frames as long as they nest; a group that overlaps another is written
//! at its places instead.

use std::collections::BTreeSet;
use std::time::Duration;

use super::drawing::{Anchor, Direction, Drawing, End, Shape, Stroke};
use crate::application::ComponentType;
use crate::lifecycle::Net;
use crate::lifecycle::net::{GroupId, NetTransitionId, PlaceId, PortId, PortKind};

/// The life cycle of a component type whose life cycle is a net.
pub(super) fn draw(component: &ComponentType, net: &Net) -> Drawing {
    let mut drawing = Drawing::new(format!("life cycle of {}", component.name), Direction::Down);
    add_places(&mut drawing, net);
    add_transitions(&mut drawing, net);
    let frames = add_groups(&mut drawing, net);
    for (at, port) in net.ports.iter().enumerate() {
        add_port(&mut drawing, net, PortId::from(at), &frames);
        if let (PortKind::Provide, true) = (port.kind, port.groups.is_empty()) {
            drawing.notes.push(format!("port {} is bound to no group", port.name));
        }
    }
    if !net.ports.is_empty() {
        drawing.notes.insert(0, "dotted: ports".to_owned());
    }
    drawing
}

fn add_places(drawing: &mut Drawing, net: &Net) {
    let finals = net.final_places();
    let reached = net.reachable_places();
    for (at, place) in net.places.iter().enumerate() {
        let id = PlaceId::from(at);
        let (shape, word) = match (net.initial.contains(&id), finals.contains(&id)) {
            (true, _) => (Shape::InitialPlace, "initial"),
            _ if !reached.contains(&id) => (Shape::Place, "never reached"),
            (false, true) => (Shape::FinalPlace, ""),
            (false, false) => (Shape::Place, ""),
        };
        let item = drawing.add(shape, &place.name);
        word.clone_into(&mut drawing.items[item].subtitle);
    }
}

/// The item of a place; places come first, then transitions.
fn place_item(place: PlaceId) -> usize {
    place.index()
}

fn transition_item(net: &Net, transition: NetTransitionId) -> usize {
    net.places.len() + transition.index()
}

fn add_transitions(drawing: &mut Drawing, net: &Net) {
    for (at, transition) in net.transitions.iter().enumerate() {
        let id = NetTransitionId::from(at);
        let item = drawing.add(Shape::Action, &transition.name);
        if let Some(duration) = &transition.action.duration {
            drawing.items[item].subtitle = seconds(duration.mean());
        }
        let (from, to) = (net.source_place(id), net.destination_place(id));
        let meaning = format!(
            "{} leads from {} to {}",
            transition.name,
            net.place(from).name,
            net.place(to).name
        );
        let source =
            End { item: place_item(from), anchor: Anchor::Shared(transition.source.index()) };
        let target =
            End { item: place_item(to), anchor: Anchor::Shared(transition.destination.index()) };
        drawing.connect(source, End::at(item), meaning.clone()).arrow = false;
        drawing.connect(End::at(item), target, meaning);
    }
}

/// The frames of the groups that nest; the others are written at their places.
fn add_groups(drawing: &mut Drawing, net: &Net) -> Vec<Option<usize>> {
    let mut frames = vec![None; net.groups.len()];
    let mut by_size: Vec<usize> = (0..net.groups.len()).collect();
    by_size.sort_by_key(|&at| (std::cmp::Reverse(net.groups[at].places.len()), at));
    let mut accepted: Vec<usize> = Vec::new();
    for at in by_size {
        let group = &net.groups[at];
        let nests = accepted.iter().all(|&other| {
            let other = &net.groups[other].places;
            group.places.is_subset(other) || group.places.is_disjoint(other)
        });
        if group.places.is_empty() || !nests {
            for place in &group.places {
                let subtitle = &mut drawing.items[place_item(*place)].subtitle;
                let separator = if subtitle.is_empty() { "in " } else { ", in " };
                subtitle.push_str(separator);
                subtitle.push_str(&group.name);
            }
            continue;
        }
        let frame = drawing.add(Shape::Group, &group.name);
        frames[at] = Some(frame);
        accepted.push(at);
        // Groups come by falling size, so that the last frame of a place is the innermost one.
        if let Some(around) =
            group.places.first().and_then(|p| drawing.items[place_item(*p)].inside)
        {
            drawing.put(frame, around);
        }
        for place in &group.places {
            drawing.put(place_item(*place), frame);
        }
        for transition in inner_transitions(net, &group.places) {
            drawing.put(transition_item(net, transition), frame);
        }
    }
    frames
}

/// The transitions with both ends in a set of places; they count for the group.
fn inner_transitions(net: &Net, places: &BTreeSet<PlaceId>) -> Vec<NetTransitionId> {
    let inside = |id: &NetTransitionId| {
        places.contains(&net.source_place(*id)) && places.contains(&net.destination_place(*id))
    };
    (0..net.transitions.len()).map(NetTransitionId::from).filter(inside).collect()
}

fn add_port(drawing: &mut Drawing, net: &Net, id: PortId, frames: &[Option<usize>]) {
    let port = net.port(id);
    let item = drawing.add(Shape::Port, &port.name);
    let word = port.kind.as_str().replace('_', " ");
    drawing.items[item].subtitle = match &port.port_type {
        Some(port_type) => format!("{word} {port_type}"),
        None => word,
    };
    let mut links: Vec<(End, End, String)> = Vec::new();
    for transition in &port.transitions {
        let target = transition_item(net, *transition);
        let meaning = format!("{} needs {}", net.transition(*transition).name, port.name);
        links.push((End::at(item), End::at(target), meaning));
    }
    for group in &port.groups {
        let meaning = format!("{} gives {}", net.groups[group.index()].name, port.name);
        for source in group_items(net, *group, frames) {
            links.push((End::at(source), End::at(item), meaning.clone()));
        }
    }
    for place in &port.places {
        let meaning = format!("{} sets {}", net.place(*place).name, port.name);
        links.push((End::at(place_item(*place)), End::at(item), meaning));
    }
    for (from, to, meaning) in links {
        drawing.connect(from, to, meaning).stroke = Stroke::Dotted;
    }
}

/// The frame of a group, or its places when it has no frame.
fn group_items(net: &Net, group: GroupId, frames: &[Option<usize>]) -> Vec<usize> {
    match frames[group.index()] {
        Some(frame) => vec![frame],
        None => net.groups[group.index()].places.iter().map(|place| place_item(*place)).collect(),
    }
}

/// A duration in seconds, without needless digits.
fn seconds(duration: Duration) -> String {
    let text = format!("{:.3}", duration.as_secs_f64());
    format!("{} s", text.trim_end_matches('0').trim_end_matches('.'))
}
