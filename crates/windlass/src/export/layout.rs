//! Places for everything in a drawing.
//!
//! A layered layout after Sugiyama: cycles are broken ([`cycle`]), items are put into layers
//! ([`rank`]), ordered within them ([`order`]), placed ([`position`]) and connected with lines
//! that run straight or turn at right angles ([`route`]). Boxes inside boxes are laid out from the
//! inside to the outside ([`hierarchy`]); parts that do not hang together stand on shelves
//! ([`pack`]).
//!
//! Layouts are made of whole units and do not depend on anything but the drawing and the metrics.
//! Invariants: boxes overlap only when one is inside the other; a line crosses no box that it
//! does not begin or end in.

mod builder;
mod course;
mod cycle;
mod hierarchy;
mod layered;
mod network;
mod order;
mod pack;
mod position;
mod rank;
mod route;
#[cfg(test)]
mod tests;

use super::drawing::{Direction, Drawing};
use super::measure::{Metrics, units};
use builder::Builder;

/// Drawings with more boxes than this are put on shelves, without lines.
pub(crate) const MOST_ITEMS: usize = 1500;
/// Drawings with more edges than this are put on shelves, without lines.
pub(crate) const MOST_EDGES: usize = 4000;

/// A point of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Point {
    /// From the left.
    pub(crate) x: i32,
    /// From the top.
    pub(crate) y: i32,
}

/// A rectangle of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Rect {
    /// The left side.
    pub(crate) x: i32,
    /// The upper side.
    pub(crate) y: i32,
    /// The width.
    pub(crate) width: i32,
    /// The height.
    pub(crate) height: i32,
}

/// Where everything in a drawing is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Layout {
    /// The width of the picture.
    pub(crate) width: i32,
    /// The height of the picture.
    pub(crate) height: i32,
    /// Where each box is.
    pub(crate) boxes: Vec<Rect>,
    /// The corners of the line of each edge; none for an edge from a box to itself.
    pub(crate) lines: Vec<Vec<Point>>,
    /// Whether the drawing was too large for lines.
    pub(crate) without_lines: bool,
}

/// A number of a bundle: edges that end at the same place share their way.
type Bundle = usize;

/// An extent across and along the direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Extent {
    cross: i32,
    main: i32,
}

/// A place across and along the direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Spot {
    cross: i32,
    main: i32,
}

impl Spot {
    fn moved(self, by: Spot) -> Spot {
        Spot { cross: self.cross + by.cross, main: self.main + by.main }
    }
}

/// An arc of a graph of numbers.
#[derive(Debug, Clone, Copy)]
struct Arc {
    from: usize,
    to: usize,
}

/// The side of an item that lines come in at, or go out at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    /// Where the direction comes from.
    Start,
    /// Where the direction goes to.
    End,
}

impl Side {
    fn opposite(self) -> Side {
        match self {
            Side::Start => Side::End,
            Side::End => Side::Start,
        }
    }
}

/// Distances across and along the direction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spacing {
    /// Across, between lines.
    pub(crate) line: i32,
    /// Across, between boxes.
    pub(crate) boxes: i32,
    /// Across, between a box and a line that passes it.
    pub(crate) beside: i32,
    /// Along, between tracks.
    pub(crate) track: i32,
    /// Along, before the first track.
    pub(crate) lead: i32,
    /// Along, after the last track.
    pub(crate) tail: i32,
    /// Along, between two layers when all lines run straight.
    pub(crate) straight: i32,
    /// Along, between blocks on a shelf.
    pub(crate) apart: i32,
    /// 1 when items stand in the middle of their layer, 0 when at its beginning.
    pub(crate) centered: i32,
    /// Along, what is shorter than this is never folded.
    pub(crate) page: i32,
    /// The wanted length along for one unit across.
    pub(crate) proportion: f64,
}

impl Spacing {
    /// The room between two layers with so many tracks.
    fn channel(&self, tracks: usize) -> i32 {
        match tracks {
            0 => self.straight,
            _ => self.lead + self.tail + self.track * (units(tracks) - 1),
        }
    }
}

/// Finds places for everything in a drawing.
pub(crate) fn lay_out(drawing: &Drawing, metrics: &Metrics) -> Layout {
    let without_lines = drawing.items.len() > MOST_ITEMS || drawing.edges.len() > MOST_EDGES;
    let spacing = metrics.spacing(drawing.direction);
    let routed =
        if without_lines { &Drawing { edges: Vec::new(), ..drawing.clone() } } else { drawing };
    let chains = hierarchy::all_chains(routed);
    let (courses, ranks) = course::choose(routed, &chains, metrics, &spacing);
    let cut = hierarchy::cut(routed, &chains, &courses, drawing.direction == Direction::Right);
    let mut builder = Builder::new(drawing, metrics, spacing, cut, ranks);
    let outermost = drawing.items.len();
    for level in drawing.innermost_first() {
        builder.lay_out_level(level);
    }
    builder.lay_out_level(outermost);
    let boxes = builder.boxes();
    let lines = if without_lines {
        vec![Vec::new(); drawing.edges.len()]
    } else {
        (0..drawing.edges.len()).map(|edge| builder.line(edge, &boxes)).collect()
    };
    let whole = builder.real(builder.levels[outermost].size);
    Layout { width: whole.0, height: whole.1, boxes, lines, without_lines }
}
