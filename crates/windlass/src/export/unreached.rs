//! Places that no token ever reaches, as a picture: the way from the initial places as far as it
//! goes, and what begins or ends where no token ever is.

use std::collections::{BTreeMap, BTreeSet};

use super::drawing::{Direction, Drawing, End, Shape, Stroke};
use crate::application::assembly::{Assembly, ComponentId};
use crate::lifecycle::net::{Net, NetTransitionId, PlaceId};

/// The picture of the first component of each node that has such places; none when all places can
/// be reached.
pub fn draw(assembly: &Assembly<'_>) -> Option<Drawing> {
    let mut drawing = Drawing::new("places never reached", Direction::Right);
    let mut seen = BTreeSet::new();
    for component in assembly.component_ids() {
        let (net, _) = assembly.net(component);
        let reached = net.reachable_places();
        let is_new = seen.insert(assembly.component(component).node);
        if is_new && reached.len() < net.places.len() {
            add(&mut drawing, assembly, component, &reached);
        }
    }
    (!drawing.items.is_empty()).then_some(drawing)
}

fn add(
    drawing: &mut Drawing,
    assembly: &Assembly<'_>,
    component: ComponentId,
    reached: &BTreeSet<PlaceId>,
) {
    let (net, _) = assembly.net(component);
    let mut items: BTreeMap<PlaceId, usize> = BTreeMap::new();
    for place in shown(net, reached) {
        let name = assembly.place_name(assembly.place(component, place));
        let item = drawing.add(Shape::Place, name.clone());
        if !reached.contains(&place) {
            "never entered".clone_into(&mut drawing.items[item].subtitle);
            drawing.notes.push(format!("No transition leads from an initial place to {name}."));
        } else if net.initial.contains(&place) {
            "initial".clone_into(&mut drawing.items[item].subtitle);
        }
        items.insert(place, item);
    }
    for id in (0..net.transitions.len()).map(NetTransitionId::from) {
        let ends = (items.get(&net.source_place(id)), items.get(&net.destination_place(id)));
        let (Some(from), Some(to)) = ends else { continue };
        let edge = drawing.connect(End::at(*from), End::at(*to), net.transition(id).name.clone());
        if !reached.contains(&net.source_place(id)) {
            edge.stroke = Stroke::Dotted;
        }
    }
}

/// The places that are drawn: those never reached, what follows them, and where tokens come to an
/// end or begin.
fn shown(net: &Net, reached: &BTreeSet<PlaceId>) -> BTreeSet<PlaceId> {
    let all = (0..net.places.len()).map(PlaceId::from);
    let mut shown: BTreeSet<PlaceId> = all.filter(|place| !reached.contains(place)).collect();
    for id in (0..net.transitions.len()).map(NetTransitionId::from) {
        if !reached.contains(&net.source_place(id)) {
            shown.insert(net.destination_place(id));
        }
    }
    shown.extend(net.final_places());
    shown.extend(&net.initial);
    shown
}
