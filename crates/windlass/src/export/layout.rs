//! Places for everything in a drawing.
//!
//! A layered layout after Sugiyama: circles are broken ([`cycle`]), items are put into layers
//! ([`rank`]), ordered within them ([`order`]), placed ([`position`]) and connected with lines
//! that run straight or turn at right angles ([`route`]). Boxes inside boxes are laid out from the
//! inside to the outside ([`hierarchy`]); parts that do not hang together stand on shelves
//! ([`pack`]).
//!
//! Layouts are made of whole units and do not depend on anything but the drawing and the metrics.
//! Invariants: boxes overlap only when one is inside the other; a line crosses no box that it
//! does not begin or end in.

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

use super::drawing::{Anchor, Direction, Drawing, End};
use super::measure::{self, Metrics};
use hierarchy::{Cut, Joint};
use network::{Attach, Link, Place};

/// Drawings with more boxes than this are put on shelves, without lines.
pub const MOST_ITEMS: usize = 1500;
/// Drawings with more edges than this are put on shelves, without lines.
pub const MOST_EDGES: usize = 4000;

/// A point of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Point {
    /// From the left.
    pub x: i32,
    /// From the top.
    pub y: i32,
}

/// A rectangle of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rect {
    /// The left side.
    pub x: i32,
    /// The upper side.
    pub y: i32,
    /// The width.
    pub width: i32,
    /// The height.
    pub height: i32,
}

/// Where everything in a drawing is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// The width of the picture.
    pub width: i32,
    /// The height of the picture.
    pub height: i32,
    /// Where each box is.
    pub boxes: Vec<Rect>,
    /// The corners of the line of each edge; none for an edge from a box to itself.
    pub lines: Vec<Vec<Point>>,
    /// Whether the drawing was too large for lines.
    pub without_lines: bool,
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
    pub line: i32,
    /// Across, between boxes.
    pub boxes: i32,
    /// Across, between a box and a line that passes it.
    pub beside: i32,
    /// Along, between tracks.
    pub track: i32,
    /// Along, before the first track.
    pub lead: i32,
    /// Along, after the last track.
    pub tail: i32,
    /// Along, between two layers when all lines run straight.
    pub straight: i32,
    /// Along, between blocks on a shelf.
    pub apart: i32,
    /// 1 when items stand in the middle of their layer, 0 when at its beginning.
    pub centered: i32,
    /// Along, what is shorter than this is never folded.
    pub page: i32,
    /// The wanted length along for one unit across.
    pub proportion: f64,
}

impl Spacing {
    /// The room between two layers with so many tracks.
    fn channel(&self, tracks: usize) -> i32 {
        match tracks {
            0 => self.straight,
            _ => self.lead + self.tail + self.track * (tracks as i32 - 1),
        }
    }
}

/// Finds places for everything in a drawing.
pub fn lay_out(drawing: &Drawing, metrics: &Metrics) -> Layout {
    let without_lines = drawing.items.len() > MOST_ITEMS || drawing.edges.len() > MOST_EDGES;
    let spacing = metrics.spacing(drawing.direction);
    let routed = match without_lines {
        true => &Drawing { edges: Vec::new(), ..drawing.clone() },
        false => drawing,
    };
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
    let lines = match without_lines {
        true => vec![Vec::new(); drawing.edges.len()],
        false => (0..drawing.edges.len()).map(|edge| builder.line(edge, &boxes)).collect(),
    };
    let whole = builder.real(builder.levels[outermost].size);
    Layout { width: whole.0, height: whole.1, boxes, lines, without_lines }
}

/// What is known while levels are laid out from the inside to the outside.
struct Builder<'a> {
    drawing: &'a Drawing,
    metrics: &'a Metrics,
    spacing: Spacing,
    children: Vec<Vec<usize>>,
    cut: Cut,
    /// The layer of each box within its level.
    ranks: Vec<usize>,
    /// The place of each box among the boxes beside it.
    local: Vec<usize>,
    /// The extent of each box, known when its level is laid out.
    extents: Vec<Extent>,
    /// The level inside each box, and the outermost one last.
    levels: Vec<layered::Placed>,
}

impl<'a> Builder<'a> {
    fn new(
        drawing: &'a Drawing,
        metrics: &'a Metrics,
        spacing: Spacing,
        cut: Cut,
        ranks: Vec<usize>,
    ) -> Self {
        let count = drawing.items.len();
        let children = drawing.children();
        let mut local = vec![0; count];
        for siblings in &children {
            for (at, &item) in siblings.iter().enumerate() {
                local[item] = at;
            }
        }
        let levels = (0..=count).map(|_| layered::Placed::default()).collect();
        let extents = vec![Extent::default(); count];
        Builder { drawing, metrics, spacing, children, cut, ranks, local, extents, levels }
    }

    fn is_right(&self) -> bool {
        self.drawing.direction == Direction::Right
    }

    /// Width and height of an extent.
    fn real(&self, extent: Extent) -> (i32, i32) {
        if self.is_right() { (extent.main, extent.cross) } else { (extent.cross, extent.main) }
    }

    fn extent(&self, (width, height): (i32, i32)) -> Extent {
        match self.is_right() {
            true => Extent { cross: height, main: width },
            false => Extent { cross: width, main: height },
        }
    }

    fn point(&self, spot: Spot) -> Point {
        match self.is_right() {
            true => Point { x: spot.main, y: spot.cross },
            false => Point { x: spot.cross, y: spot.main },
        }
    }

    /// Where the inside of a box begins, counted from the box.
    fn inside_begins(&self, item: usize) -> Spot {
        let header = measure::text_size(&self.drawing.items[item], self.metrics).1;
        let (x, y) = (self.metrics.inset.0, header);
        if self.is_right() { Spot { cross: y, main: x } } else { Spot { cross: x, main: y } }
    }

    /// Lays out what is inside a box, and sets the extent of the box.
    fn lay_out_level(&mut self, level: usize) {
        let children = &self.children[level];
        let sizes: Vec<Extent> = children.iter().map(|&child| self.extents[child]).collect();
        let links: Vec<Link> = self.cut.parts[level].iter().map(|part| self.link(part)).collect();
        let ranks: Vec<usize> = children.iter().map(|&child| self.ranks[child]).collect();
        let phantoms = &self.cut.phantoms[level];
        let placed = pack::lay_out(&sizes, &ranks, &links, phantoms, &self.spacing);
        for (&child, &size) in children.iter().zip(&placed.sizes) {
            self.extents[child] = size;
        }
        if let Some(item) = self.drawing.items.get(level) {
            let text = measure::text_size(item, self.metrics);
            let (width, height) = self.real(placed.size);
            let inset = self.metrics.inset;
            let size = match children.is_empty() {
                true => text,
                false => (text.0.max(width + 2 * inset.0), text.1 + height + inset.1),
            };
            self.extents[level] = self.extent(size);
        }
        self.levels[level] = placed;
    }

    /// A part of an edge as a link of its level; the levels inside are known by now.
    fn link(&self, part: &hierarchy::Part) -> Link {
        let rank = |joint: Joint| Self::item_of(joint).map(|item| self.ranks[item]);
        let beside = rank(part.upper).is_some() && rank(part.upper) == rank(part.lower);
        let lower_side = if beside { Side::End } else { Side::Start };
        Link {
            upper: self.place(part.upper, Side::End, part.bundle),
            lower: self.place(part.lower, lower_side, part.bundle),
            bundle: part.bundle,
        }
    }

    /// The item of its level that a part of an edge ends at or goes on inside of.
    fn item_of(joint: Joint) -> Option<usize> {
        match joint {
            Joint::Border => None,
            Joint::Enters(item) | Joint::Ends(End { item, .. }) => Some(item),
        }
    }

    fn place(&self, joint: Joint, side: Side, bundle: Bundle) -> Place {
        match joint {
            Joint::Border => Place::Border,
            Joint::Enters(item) => self.at_border_of(item, side, bundle),
            Joint::Ends(End { item, anchor: Anchor::Row(row) }) if self.is_right() => {
                let middle = measure::row_middle(&self.drawing.items[item], row, self.metrics);
                Place::Item(self.local[item], Attach::Fixed(middle))
            }
            Joint::Ends(End { item, .. }) if !self.children[item].is_empty() => {
                self.at_border_of(item, side, bundle)
            }
            Joint::Ends(End { item, anchor }) => {
                let key = match anchor {
                    Anchor::Shared(key) => (1 << 40) + key as u64,
                    Anchor::Free | Anchor::Row(_) => bundle as u64,
                };
                Place::Item(self.local[item], Attach::Free(key))
            }
        }
    }

    /// Where a bundle crosses the border of a box, as the level inside has chosen it.
    fn at_border_of(&self, item: usize, side: Side, bundle: Bundle) -> Place {
        let inside = self.levels[item].borders.get(&(side, bundle)).copied().unwrap_or(0);
        let offset = inside + self.inside_begins(item).cross;
        Place::Item(self.local[item], Attach::Fixed(offset))
    }

    /// The rectangles of all boxes.
    fn boxes(&self) -> Vec<Rect> {
        let count = self.drawing.items.len();
        let mut boxes = vec![Rect::default(); count];
        let mut order = self.drawing.innermost_first();
        order.reverse();
        for item in order {
            let around = self.drawing.items[item].inside;
            let level = around.unwrap_or(count);
            let begin = around.map(|around| (boxes[around], self.inside_begins(around)));
            let spot = self.levels[level].spots[self.local[item]];
            let at = self.absolute(spot, begin);
            let (width, height) = self.real(self.extents[item]);
            boxes[item] = Rect { x: at.x, y: at.y, width, height };
        }
        boxes
    }

    fn absolute(&self, spot: Spot, begin: Option<(Rect, Spot)>) -> Point {
        match begin {
            None => self.point(spot),
            Some((rect, inside)) => {
                let point = self.point(spot.moved(inside));
                Point { x: point.x + rect.x, y: point.y + rect.y }
            }
        }
    }

    /// The corners of the line of an edge, from its source to its target.
    fn line(&self, edge: usize, boxes: &[Rect]) -> Vec<Point> {
        let mut line: Vec<Point> = Vec::new();
        for step in &self.cut.steps[edge] {
            let around = boxes.get(step.level).copied();
            let begin = around.map(|rect| (rect, self.inside_begins(step.level)));
            let way = &self.levels[step.level].ways[step.part];
            let part = &self.cut.parts[step.level][step.part];
            let mut points: Vec<Point> =
                way.iter().map(|&spot| self.absolute(spot, begin)).collect();
            if let Some(rect) = around {
                self.stretch(&mut points, part, rect);
            }
            if step.reversed {
                points.reverse();
            }
            line.extend(points);
        }
        simplified(&line)
    }

    /// Lines that leave a level go straight on to the border of the box around it.
    fn stretch(&self, points: &mut [Point], part: &hierarchy::Part, rect: Rect) {
        let right = self.is_right();
        let to = |point: &mut Point, end: bool| match (right, end) {
            (true, false) => point.x = rect.x,
            (true, true) => point.x = rect.x + rect.width,
            (false, false) => point.y = rect.y,
            (false, true) => point.y = rect.y + rect.height,
        };
        if let (Joint::Border, Some(first)) = (part.upper, points.first_mut()) {
            to(first, false);
        }
        if let (Joint::Border, Some(last)) = (part.lower, points.last_mut()) {
            to(last, true);
        }
    }
}

/// The same line without points on the way between two others.
fn simplified(line: &[Point]) -> Vec<Point> {
    let mut corners: Vec<Point> = Vec::with_capacity(line.len());
    for &point in line {
        if corners.last() == Some(&point) {
            continue;
        }
        if let [.., a, b] = corners[..] {
            let level = a.y == b.y && b.y == point.y;
            let upright = a.x == b.x && b.x == point.x;
            if level || upright {
                corners.pop();
            }
        }
        corners.push(point);
    }
    corners
}
