//! Where the vertices of each layer stand: lines as straight as the order allows.
//!
//! One layer after the other is placed against its neighbors. With the order fixed, the sum of
//! the weighted distances to the wanted places is least when neighboring vertices that get into
//! each other's way move as one block to the median of what they want (isotonic regression).
//! Medians, not means: one line becomes straight instead of two nearly straight.

use std::collections::BTreeMap;

use super::super::measure::units;
use super::network::Network;
use super::{Side, Spacing};

/// How often the layers are swept.
const SWEEPS: usize = 8;

type Groups = BTreeMap<(usize, Side), Vec<usize>>;

/// Where every vertex begins, across the direction. Chooses the free contacts as well.
pub(super) fn place(network: &mut Network, spacing: &Spacing) -> Vec<i32> {
    let groups = sorted_free_contacts(network);
    spread(network, &groups);
    let mut field = Field::new(network, spacing);
    let depth = network.layers.len();
    for round in 0..SWEEPS {
        for layer in 1..depth {
            field.place(network, layer, &[Side::Start]);
        }
        for layer in (0..depth.saturating_sub(1)).rev() {
            field.place(network, layer, &[Side::End]);
        }
        if round >= SWEEPS / 2 {
            field.place_all(network);
        }
    }
    // First every line ends where it stands by itself; now the ends may slide.
    field.ranges = ranges(network, spacing, &groups);
    for _ in 0..SWEEPS / 2 {
        field.place_all(network);
    }
    for _ in 0..2 {
        field.slide(network, &groups);
    }
    field.starts
}

/// The free contacts of each side, in the order of what they lead to.
fn sorted_free_contacts(network: &Network) -> Groups {
    let (upper, lower) = network.neighbors();
    let mut place = vec![0; network.vertices.len()];
    for layer in &network.layers {
        for (at, &vertex) in layer.iter().enumerate() {
            place[vertex] = at;
        }
    }
    let key = |contact: usize| {
        let ends: Vec<usize> = upper[contact].iter().chain(&lower[contact]).copied().collect();
        let sum: i64 = ends
            .iter()
            .map(|&end| {
                let contact = &network.contacts[end];
                let within = i64::from(contact.offset).min(9999);
                i64::from(units(place[contact.vertex])) * 10_000
                    + if contact.free { 5000 } else { within }
            })
            .sum();
        (sum / i64::from(units(ends.len().max(1))), contact)
    };
    let mut groups = network.free_contacts();
    for contacts in groups.values_mut() {
        contacts.sort_by_key(|&contact| key(contact));
    }
    groups
}

/// Spreads the free contacts of each side evenly.
fn spread(network: &mut Network, groups: &Groups) {
    for (&(vertex, _), contacts) in groups {
        let size = network.vertices[vertex].size.cross;
        let parts = units(contacts.len()) + 1;
        for (at, &contact) in contacts.iter().enumerate() {
            network.contacts[contact].offset = size * (units(at) + 1) / parts;
        }
    }
}

/// How lines share a side: how far they keep from its corners, and from each other.
fn margin_and_step(size: i32, count: usize, spacing: &Spacing) -> (i32, i32) {
    let count = units(count);
    let margin = (spacing.line * 2 / 3).min(size / (count + 1)).max(1);
    let step = spacing.line.min((size - 1 - 2 * margin) / (count - 1).max(1)).max(0);
    (margin, step)
}

/// The least and the greatest offset of every contact.
fn ranges(network: &Network, spacing: &Spacing, groups: &Groups) -> Vec<(i32, i32)> {
    let mut ranges: Vec<(i32, i32)> =
        network.contacts.iter().map(|contact| (contact.offset, contact.offset)).collect();
    for (&(vertex, _), contacts) in groups {
        let size = network.vertices[vertex].size.cross;
        let (margin, step) = margin_and_step(size, contacts.len(), spacing);
        for (at, &contact) in contacts.iter().enumerate() {
            let (before, after) = (units(at), units(contacts.len() - 1 - at));
            let least = margin + step * before;
            ranges[contact] = (least, (size - 1 - margin - step * after).max(least));
        }
    }
    ranges
}

/// Something that a vertex wants: a place, and how much.
#[derive(Clone, Copy)]
struct DesiredPosition {
    place: i32,
    weight: i32,
}

/// The vertices of a network while they are moved.
struct Field<'a> {
    spacing: &'a Spacing,
    /// The contacts on the other ends of the segments of each contact, by the side they are on.
    upper: Vec<Vec<usize>>,
    lower: Vec<Vec<usize>>,
    /// The contacts of each vertex.
    touching: Vec<Vec<usize>>,
    /// The least and the greatest offset of every contact.
    ranges: Vec<(i32, i32)>,
    /// How far the picture may reach across: a little more than its widest layer needs. Without
    /// a bound straight lines would be paid for with large holes.
    room: i32,
    starts: Vec<i32>,
}

impl<'a> Field<'a> {
    /// Every layer begins at nought and is as tight as can be.
    fn new(network: &Network, spacing: &'a Spacing) -> Self {
        let (upper, lower) = network.neighbors();
        let mut touching = vec![Vec::new(); network.vertices.len()];
        for (at, contact) in network.contacts.iter().enumerate() {
            touching[contact.vertex].push(at);
        }
        let ranges = network.contacts.iter().map(|contact| (contact.offset, contact.offset));
        let mut field = Field {
            spacing,
            upper,
            lower,
            touching,
            ranges: ranges.collect(),
            room: 0,
            starts: vec![0; network.vertices.len()],
        };
        for layer in &network.layers {
            for pair in layer.windows(2) {
                field.starts[pair[1]] =
                    field.starts[pair[0]] + field.distance(network, pair[0], pair[1]);
            }
        }
        let sizes = network.vertices.iter().map(|vertex| vertex.size.cross);
        let widest = sizes.zip(&field.starts).map(|(size, start)| start + size).max();
        field.room = widest.unwrap_or(0) * 9 / 8 + 2 * spacing.boxes;
        field
    }

    /// The least distance between the beginnings of two vertices that stand side by side.
    fn distance(&self, network: &Network, left: usize, right: usize) -> i32 {
        let (left, right) = (&network.vertices[left], &network.vertices[right]);
        let gap = match (left.is_thin(), right.is_thin()) {
            (true, true) => self.spacing.line,
            (false, false) => self.spacing.boxes,
            _ => self.spacing.beside,
        };
        left.size.cross + gap
    }

    /// Places all layers against both neighbors, there and back.
    fn place_all(&mut self, network: &Network) {
        let depth = network.layers.len();
        for layer in (0..depth).chain((0..depth).rev()) {
            self.place(network, layer, &[Side::Start, Side::End]);
        }
    }

    /// Places one layer against the neighbors on some sides, which stay where they are.
    fn place(&mut self, network: &Network, layer: usize, sides: &[Side]) {
        let vertices = &network.layers[layer];
        let mut shift = 0;
        let mut shifts = Vec::with_capacity(vertices.len());
        let mut wishes = Vec::with_capacity(vertices.len());
        for (at, &vertex) in vertices.iter().enumerate() {
            if at > 0 {
                shift += self.distance(network, vertices[at - 1], vertex);
            }
            shifts.push(shift);
            wishes.push(self.wishes(network, vertex, sides, shift));
        }
        let last = vertices.last().map_or(0, |&last| shift + network.vertices[last].size.cross);
        let most = (self.room - last).max(0);
        for ((place, shift), &vertex) in
            isotonic(wishes, self.spacing.line).into_iter().zip(shifts).zip(vertices)
        {
            self.starts[vertex] = place.clamp(0, most) + shift;
        }
    }

    /// Where a vertex wants to be, less a shift.
    fn wishes(
        &self,
        network: &Network,
        vertex: usize,
        sides: &[Side],
        shift: i32,
    ) -> Vec<DesiredPosition> {
        let mut wishes = Vec::new();
        for &contact in &self.touching[vertex] {
            let (least, greatest) = self.ranges[contact];
            for &end in sides.iter().flat_map(|&side| self.ends(contact, side)) {
                let far = network.contacts[end].vertex;
                let thin = [vertex, far].map(|v| network.vertices[v].is_thin());
                let weight = [1, 2, 8][thin.iter().filter(|&&thin| thin).count()];
                // Anywhere between these two places the line can be straight.
                for offset in [self.ranges[end].0 - greatest, self.ranges[end].1 - least] {
                    wishes
                        .push(DesiredPosition { place: self.starts[far] + offset - shift, weight });
                }
            }
        }
        if wishes.is_empty() {
            wishes.push(DesiredPosition { place: self.starts[vertex] - shift, weight: 1 });
        }
        wishes
    }

    fn ends(&self, contact: usize, side: Side) -> &[usize] {
        match side {
            Side::Start => &self.upper[contact],
            Side::End => &self.lower[contact],
        }
    }

    /// Moves free contacts along their side towards what they lead to, in their order.
    fn slide(&self, network: &mut Network, groups: &Groups) {
        for (&(vertex, side), contacts) in groups {
            let size = network.vertices[vertex].size.cross;
            let (margin, step) = margin_and_step(size, contacts.len(), self.spacing);
            let wishes = contacts.iter().enumerate().map(|(at, &contact)| {
                let wish = |&end: &usize| {
                    let far = &network.contacts[end];
                    let weight = if network.vertices[far.vertex].is_thin() { 2 } else { 1 };
                    let place = self.starts[far.vertex] + far.offset - self.starts[vertex];
                    DesiredPosition { place: place - step * units(at), weight }
                };
                let wishes: Vec<DesiredPosition> =
                    self.ends(contact, side).iter().map(wish).collect();
                if wishes.is_empty() {
                    vec![DesiredPosition { place: size / 2, weight: 1 }]
                } else {
                    wishes
                }
            });
            let places = isotonic(wishes.collect(), self.spacing.line);
            let last = (size - 1 - margin - step * (units(contacts.len()) - 1)).max(margin);
            for ((at, &contact), place) in contacts.iter().enumerate().zip(places) {
                network.contacts[contact].offset = place.clamp(margin, last) + step * units(at);
            }
        }
    }
}

/// Places that never fall and are as near to the wishes as possible; `snap` as for [`median`].
fn isotonic(wishes: Vec<Vec<DesiredPosition>>, snap: i32) -> Vec<i32> {
    struct Block {
        wishes: Vec<DesiredPosition>,
        members: usize,
        place: i32,
    }
    let mut blocks: Vec<Block> = Vec::new();
    for mut wishes in wishes {
        let place = median(&mut wishes, snap);
        let mut block = Block { place, wishes, members: 1 };
        while let Some(previous) = blocks.pop_if(|previous| previous.place > block.place) {
            block.wishes.extend(previous.wishes);
            block.members += previous.members;
            block.place = median(&mut block.wishes, snap);
        }
        blocks.push(block);
    }
    blocks.iter().flat_map(|block| std::iter::repeat_n(block.place, block.members)).collect()
}

/// The middle of the places where the weighted distance to all wishes is least. When they are
/// nearer to each other than `snap`, the first of them: rather one straight line than two that
/// are bent a little.
fn median(wishes: &mut [DesiredPosition], snap: i32) -> i32 {
    wishes.sort_unstable_by_key(|wish| wish.place);
    let total: i64 = wishes.iter().map(|wish| i64::from(wish.weight)).sum();
    let (mut sum, mut lowest) = (0, None);
    for wish in wishes.iter() {
        sum += i64::from(wish.weight);
        if let Some(lowest) = lowest {
            let near = wish.place - lowest < snap;
            return if near { lowest } else { i32::midpoint(lowest, wish.place) };
        }
        match (2 * sum).cmp(&total) {
            std::cmp::Ordering::Greater => return wish.place,
            std::cmp::Ordering::Equal => lowest = Some(wish.place),
            std::cmp::Ordering::Less => {}
        }
    }
    lowest.unwrap_or(0)
}
