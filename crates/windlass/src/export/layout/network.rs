//! The layered network of one level: items, and thin vertices where an edge passes a layer.
//!
//! Edges that end at the same place share their way: they form a bundle, and a bundle passes a
//! layer at most once. A star with a hundred rays is drawn as a few lines that flow together.
//!
//! Invariant: every segment leads from a layer to the next one, or stays beside its layer.

use std::collections::BTreeMap;

use super::{Bundle, Extent, Side};

/// Where a link touches an item of its level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Attach {
    /// At a fixed distance from where the item begins.
    Fixed(i32),
    /// Wherever it suits, together with the others of the same key.
    Free(u64),
}

/// One end of a link: at an item of the level, or at the border of the box around the level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    /// At an item.
    Item(usize, Attach),
    /// At the border.
    Border,
}

/// The part of an edge within one level, from the earlier layer to the later one. Where both
/// ends are in one layer, both are at its end side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Link {
    /// In the earlier layer.
    pub(crate) upper: Place,
    /// In the later layer.
    pub(crate) lower: Place,
    /// The bundle it belongs to.
    pub(crate) bundle: Bundle,
}

/// What a vertex stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// An item of the level.
    Item(usize),
    /// A place where a bundle passes.
    Pass,
    /// A place where a bundle leaves the level.
    Border(Side, Bundle),
}

/// A vertex of the network.
#[derive(Debug, Clone, Copy)]
pub(super) struct Vertex {
    /// What it stands for.
    pub(crate) kind: Kind,
    /// Its layer.
    pub(crate) layer: usize,
    /// Its extent; nothing for thin vertices.
    pub(crate) size: Extent,
}

impl Vertex {
    /// Whether it is only a point of a line.
    pub(super) fn is_thin(&self) -> bool {
        !matches!(self.kind, Kind::Item(_))
    }
}

/// A point of a vertex that segments touch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Contact {
    /// The vertex.
    pub(crate) vertex: usize,
    /// The distance from where the vertex begins.
    pub(crate) offset: i32,
    /// Whether the distance may be chosen.
    pub(crate) free: bool,
}

/// A part of a bundle between two layers that follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Segment {
    /// The contact in the earlier layer.
    pub(crate) upper: usize,
    /// The contact in the later layer.
    pub(crate) lower: usize,
    /// The bundle.
    pub(crate) bundle: Bundle,
    /// Whether both contacts are in one layer.
    pub(crate) beside: bool,
}

/// A layered network.
pub(super) struct Network {
    /// The vertices.
    pub(crate) vertices: Vec<Vertex>,
    /// The vertices of each layer, in order.
    pub(crate) layers: Vec<Vec<usize>>,
    /// The contacts.
    pub(crate) contacts: Vec<Contact>,
    /// The segments, sorted, each once.
    pub(crate) segments: Vec<Segment>,
    /// For every link the segments it runs along, from upper to lower.
    pub(crate) ways: Vec<Vec<Segment>>,
    by_key: BTreeMap<(usize, Side, Attach), usize>,
    passes: BTreeMap<(Bundle, usize), usize>,
    borders: BTreeMap<(Side, Bundle), usize>,
}

impl Network {
    /// The network of the items with these layers and extents, and of the links between them.
    ///
    /// `phantoms` are places at the border that nothing inside leads to.
    pub(super) fn new(
        sizes: &[Extent],
        ranks: &[usize],
        links: &[Link],
        phantoms: &[(Side, Bundle)],
    ) -> Self {
        let mut network = Network::of_items(sizes, ranks, links, phantoms);
        for &(side, bundle) in phantoms {
            network.border(side, bundle);
        }
        for link in links {
            let way = network.way(link);
            network.ways.push(way);
        }
        network.segments = network.ways.iter().flatten().copied().collect();
        network.segments.sort_unstable();
        network.segments.dedup();
        network
    }

    fn of_items(
        sizes: &[Extent],
        ranks: &[usize],
        links: &[Link],
        phantoms: &[(Side, Bundle)],
    ) -> Self {
        let starts = links.iter().any(|link| link.upper == Place::Border)
            || phantoms.iter().any(|(side, _)| *side == Side::Start);
        let ends = links.iter().any(|link| link.lower == Place::Border)
            || phantoms.iter().any(|(side, _)| *side == Side::End);
        let shift = usize::from(starts);
        let depth = ranks.iter().max().map_or(0, |last| last + 1) + shift + usize::from(ends);
        let mut network = Network {
            vertices: Vec::new(),
            layers: vec![Vec::new(); depth],
            contacts: Vec::new(),
            segments: Vec::new(),
            ways: Vec::new(),
            by_key: BTreeMap::new(),
            passes: BTreeMap::new(),
            borders: BTreeMap::new(),
        };
        for (item, (&size, &rank)) in sizes.iter().zip(ranks).enumerate() {
            network.add(Vertex { kind: Kind::Item(item), layer: rank + shift, size });
        }
        network
    }

    fn add(&mut self, vertex: Vertex) -> usize {
        let at = self.vertices.len();
        self.layers[vertex.layer].push(at);
        self.vertices.push(vertex);
        at
    }

    /// The vertex where a bundle leaves the level.
    fn border(&mut self, side: Side, bundle: Bundle) -> usize {
        if let Some(&known) = self.borders.get(&(side, bundle)) {
            return known;
        }
        let layer = if side == Side::Start { 0 } else { self.layers.len() - 1 };
        let size = Extent { cross: 0, main: 0 };
        let at = self.add(Vertex { kind: Kind::Border(side, bundle), layer, size });
        self.borders.insert((side, bundle), at);
        at
    }

    /// The vertex where a bundle passes a layer.
    fn pass(&mut self, bundle: Bundle, layer: usize) -> usize {
        if let Some(&known) = self.passes.get(&(bundle, layer)) {
            return known;
        }
        let size = Extent { cross: 0, main: 0 };
        let at = self.add(Vertex { kind: Kind::Pass, layer, size });
        self.passes.insert((bundle, layer), at);
        at
    }

    /// The contact of a vertex on a side.
    fn contact(&mut self, vertex: usize, side: Side, attach: Attach) -> usize {
        // A line goes straight through a thin vertex, so that its two sides are one contact.
        let side = if self.vertices[vertex].is_thin() { Side::Start } else { side };
        if let Some(&known) = self.by_key.get(&(vertex, side, attach)) {
            return known;
        }
        let (offset, free) = match attach {
            Attach::Fixed(offset) => (offset, false),
            Attach::Free(_) => (0, true),
        };
        let at = self.contacts.len();
        self.contacts.push(Contact { vertex, offset, free });
        self.by_key.insert((vertex, side, attach), at);
        at
    }

    fn end(&mut self, place: Place, side: Side, bundle: Bundle) -> usize {
        match place {
            // The upper end of a link touches the end side of its item.
            Place::Item(item, attach) => self.contact(item, side, attach),
            Place::Border => {
                let border = self.border(side.opposite(), bundle);
                self.contact(border, side, Attach::Fixed(0))
            }
        }
    }

    /// The segments of one link; makes the vertices where it passes.
    fn way(&mut self, link: &Link) -> Vec<Segment> {
        let bundle = link.bundle;
        let first = self.end(link.upper, Side::End, bundle);
        if let (Place::Item(upper, _), Place::Item(lower, _)) = (link.upper, link.lower)
            && self.vertices[upper].layer == self.vertices[lower].layer
        {
            let last = self.end(link.lower, Side::End, bundle);
            return vec![Segment { upper: first, lower: last, bundle, beside: true }];
        }
        let last = self.end(link.lower, Side::Start, bundle);
        let from = self.vertices[self.contacts[first].vertex].layer;
        let to = self.vertices[self.contacts[last].vertex].layer;
        let mut stops = vec![first];
        for layer in from + 1..to {
            let pass = self.pass(bundle, layer);
            stops.push(self.contact(pass, Side::Start, Attach::Fixed(0)));
        }
        stops.push(last);
        let segment =
            |pair: &[usize]| Segment { upper: pair[0], lower: pair[1], bundle, beside: false };
        stops.windows(2).map(segment).collect()
    }

    /// The free contacts of each item on each side, in the order in which they were made.
    pub(super) fn free_contacts(&self) -> BTreeMap<(usize, Side), Vec<usize>> {
        let mut groups: BTreeMap<(usize, Side), Vec<usize>> = BTreeMap::new();
        for (&(vertex, side, _), &contact) in &self.by_key {
            if self.contacts[contact].free {
                groups.entry((vertex, side)).or_default().push(contact);
            }
        }
        groups
    }

    /// The contacts on the other ends of the segments of each contact: earlier, later layers.
    pub(super) fn neighbors(&self) -> (Vec<Vec<usize>>, Vec<Vec<usize>>) {
        let mut upper = vec![Vec::new(); self.contacts.len()];
        let mut lower = vec![Vec::new(); self.contacts.len()];
        for segment in self.segments.iter().filter(|segment| !segment.beside) {
            lower[segment.upper].push(segment.lower);
            upper[segment.lower].push(segment.upper);
        }
        (upper, lower)
    }
}
