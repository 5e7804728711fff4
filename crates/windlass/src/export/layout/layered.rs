//! One level laid out in layers: ranks, order, positions, routes.

use std::collections::BTreeMap;

use super::super::measure::units;
use super::network::{Attach, Kind, Link, Network, Place, Segment};
use super::route::{self, Net, Tracks};
use super::{Bundle, Extent, Side, Spacing, Spot, order, position};

/// What is laid out: items by their extents, links between them and to the border.
pub(super) struct Level<'a> {
    /// The extents of the items.
    pub(crate) sizes: &'a [Extent],
    /// The links.
    pub(crate) links: &'a [Link],
    /// Places at the border that nothing inside leads to.
    pub(crate) phantoms: &'a [(Side, Bundle)],
    /// The layers of the items.
    pub(crate) ranks: &'a [usize],
}

/// Where everything is, counted from where the level begins.
#[derive(Debug, Default)]
pub(super) struct Placed {
    /// Where each item begins.
    pub(crate) spots: Vec<Spot>,
    /// The extents of the items; they grow when many lines end at them.
    pub(crate) sizes: Vec<Extent>,
    /// The way of each link, from upper to lower.
    pub(crate) ways: Vec<Vec<Spot>>,
    /// Where bundles leave the level.
    pub(crate) borders: BTreeMap<(Side, Bundle), i32>,
    /// The extent of the level.
    pub(crate) size: Extent,
}

/// Lays out one level.
pub(super) fn lay_out(level: &Level<'_>, spacing: &Spacing) -> Placed {
    let sizes = grown(level, spacing);
    let mut network = Network::new(&sizes, level.ranks, level.links, level.phantoms);
    order::arrange(&mut network);
    let mut starts = position::place(&mut network, spacing);
    normalize(&mut starts);
    let channels = channels(&network, &starts, spacing);
    let (layers, main) = layer_starts(&network, &channels, spacing);
    placed(&network, sizes, &starts, &layers, &channels, main, spacing)
}

/// The extents of the items, large enough for the lines that end where they like.
fn grown(level: &Level<'_>, spacing: &Spacing) -> Vec<Extent> {
    let mut keys: Vec<(usize, Side, u64)> = Vec::new();
    for link in level.links {
        for (place, side) in [(link.upper, Side::End), (link.lower, Side::Start)] {
            if let Place::Item(item, Attach::Free(key)) = place {
                keys.push((item, side, key));
            }
        }
    }
    keys.sort_unstable();
    keys.dedup();
    let mut sizes = level.sizes.to_vec();
    for lines in keys.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let needed = spacing.line * (units(lines.len()) + 1);
        let size = &mut sizes[lines[0].0];
        size.cross = size.cross.max(needed);
    }
    sizes
}

/// Moves everything so that the first vertex begins at nought.
fn normalize(starts: &mut [i32]) {
    let first = starts.iter().copied().min().unwrap_or(0);
    for start in starts {
        *start -= first;
    }
}

/// The tracks between each layer and the next.
fn channels(network: &Network, starts: &[i32], spacing: &Spacing) -> Vec<Tracks> {
    let mut nets: Vec<BTreeMap<Bundle, Net>> = vec![BTreeMap::new(); network.layers.len()];
    for segment in &network.segments {
        let upper = &network.contacts[segment.upper];
        let lower = &network.contacts[segment.lower];
        let channel = &mut nets[network.vertices[upper.vertex].layer];
        let net = channel.entry(segment.bundle).or_default();
        net.uppers.push(starts[upper.vertex] + upper.offset);
        let end = starts[lower.vertex] + lower.offset;
        if segment.beside {
            net.uppers.push(end);
        } else {
            net.lowers.push(end);
        }
    }
    nets.iter().map(|nets| route::assign(nets, spacing.line)).collect()
}

/// Where each layer begins along the direction, how long it is, and where the last one ends.
fn layer_starts(
    network: &Network,
    channels: &[Tracks],
    spacing: &Spacing,
) -> (Vec<(i32, i32)>, i32) {
    let mut layers = Vec::with_capacity(network.layers.len());
    let mut main = 0;
    for (at, (layer, tracks)) in network.layers.iter().zip(channels).enumerate() {
        let size = layer.iter().map(|&v| network.vertices[v].size.main).max().unwrap_or(0);
        layers.push((main, size));
        main += size;
        let is_last = at + 1 == network.layers.len();
        if !is_last || tracks.count > 0 {
            main += channel(network, at, tracks.count, spacing).1;
        }
    }
    (layers, main)
}

/// Where the first track after a layer is, and how much room there is up to the next layer.
///
/// Lines that leave the level have room enough on the other side of the border.
fn channel(network: &Network, layer: usize, tracks: usize, spacing: &Spacing) -> (i32, i32) {
    let is_border = |layer: usize| {
        let vertices = network.layers.get(layer).map(|vertices| &vertices[..]).unwrap_or_default();
        !vertices.is_empty()
            && vertices.iter().all(|&v| matches!(network.vertices[v].kind, Kind::Border(..)))
    };
    let lead = if is_border(layer) { 0 } else { spacing.lead };
    let tail =
        if layer + 1 == network.layers.len() || is_border(layer + 1) { 0 } else { spacing.tail };
    match (tracks, lead, tail) {
        (0, 0, _) | (0, _, 0) => (0, 0),
        (0, ..) => (0, spacing.straight),
        _ => (lead, lead + tail + spacing.track * (units(tracks) - 1).max(0)),
    }
}

fn placed(
    network: &Network,
    sizes: Vec<Extent>,
    starts: &[i32],
    layers: &[(i32, i32)],
    channels: &[Tracks],
    main: i32,
    spacing: &Spacing,
) -> Placed {
    let mut spots = vec![Spot { cross: 0, main: 0 }; sizes.len()];
    let mut borders = BTreeMap::new();
    let mut cross = 0;
    for (vertex, &start) in network.vertices.iter().zip(starts) {
        cross = cross.max(start + vertex.size.cross);
        match vertex.kind {
            Kind::Item(item) => {
                let (begin, size) = layers[vertex.layer];
                let main = begin + (size - vertex.size.main) * spacing.centered / 2;
                spots[item] = Spot { cross: start, main };
            }
            Kind::Border(side, bundle) => {
                borders.insert((side, bundle), start);
            }
            Kind::Pass => {}
        }
    }
    let point = |contact: usize, end: bool| {
        let contact = &network.contacts[contact];
        let vertex = &network.vertices[contact.vertex];
        let main = match vertex.kind {
            Kind::Item(item) => spots[item].main + if end { vertex.size.main } else { 0 },
            _ => layers[vertex.layer].0 + if end { layers[vertex.layer].1 } else { 0 },
        };
        Spot { cross: starts[contact.vertex] + contact.offset, main }
    };
    let way = |segments: &Vec<Segment>| {
        let mut way: Vec<Spot> = Vec::new();
        for segment in segments {
            let (from, to) = (point(segment.upper, true), point(segment.lower, false));
            way.push(from);
            let layer = network.vertices[network.contacts[segment.upper].vertex].layer;
            let to = if segment.beside { point(segment.lower, true) } else { to };
            if from.cross != to.cross {
                let track = channels[layer].of.get(&segment.bundle).copied().unwrap_or(0);
                let lead = channel(network, layer, channels[layer].count, spacing).0;
                let main = layers[layer].0 + layers[layer].1 + lead + spacing.track * units(track);
                way.push(Spot { cross: from.cross, main });
                way.push(Spot { cross: to.cross, main });
            }
            way.push(to);
        }
        way
    };
    let ways = network.ways.iter().map(way).collect();
    Placed { spots, sizes, ways, borders, size: Extent { cross, main } }
}
