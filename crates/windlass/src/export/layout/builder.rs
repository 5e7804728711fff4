//! Levels put together: extents from the inside to the outside, places and lines the other way.

use super::super::drawing::{Anchor, Direction, Drawing, End};
use super::super::measure::{self, Metrics};
use super::hierarchy::{self, Cut, Joint};
use super::network::{Attach, Link, Place};
use super::{Bundle, Extent, Point, Rect, Side, Spacing, Spot, layered, pack};

/// What is known while levels are laid out from the inside to the outside.
pub(super) struct Builder<'a> {
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
    pub(super) levels: Vec<layered::Placed>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(
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
    pub(super) fn real(&self, extent: Extent) -> (i32, i32) {
        if self.is_right() { (extent.main, extent.cross) } else { (extent.cross, extent.main) }
    }

    fn extent(&self, width: i32, height: i32) -> Extent {
        if self.is_right() {
            Extent { cross: height, main: width }
        } else {
            Extent { cross: width, main: height }
        }
    }

    fn point(&self, spot: Spot) -> Point {
        if self.is_right() {
            Point { x: spot.main, y: spot.cross }
        } else {
            Point { x: spot.cross, y: spot.main }
        }
    }

    /// Where the inside of a box begins, counted from the box: below its text, or to the right of
    /// it when lines come from above.
    fn inside_begins(&self, item: usize) -> Spot {
        let (width, height) = measure::text_size(&self.drawing.items[item], self.metrics);
        if self.is_right() {
            Spot { cross: height, main: self.metrics.inset.0 }
        } else {
            Spot { cross: width, main: self.metrics.inset.1 + 1 }
        }
    }

    /// The size of a box with something of the given size inside.
    fn size_around(&self, item: usize, inner: (i32, i32)) -> (i32, i32) {
        let text = measure::text_size(&self.drawing.items[item], self.metrics);
        let begin = self.point(self.inside_begins(item));
        let inset = self.metrics.inset;
        (text.0.max(begin.x + inner.0 + inset.0), text.1.max(begin.y + inner.1 + inset.1))
    }

    /// Lays out what is inside a box, and sets the extent of the box.
    pub(super) fn lay_out_level(&mut self, level: usize) {
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
            let size = if children.is_empty() {
                measure::text_size(item, self.metrics)
            } else {
                self.size_around(level, self.real(placed.size))
            };
            self.extents[level] = self.extent(size.0, size.1);
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
    pub(super) fn boxes(&self) -> Vec<Rect> {
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
    pub(super) fn line(&self, edge: usize, boxes: &[Rect]) -> Vec<Point> {
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
