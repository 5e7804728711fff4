//! Boxes inside boxes: every edge is cut into one link per box that it enters or leaves.
//!
//! Levels are laid out from the inside to the outside. An edge that leaves a box does so at a
//! place that the inner level has chosen, and the outer level goes on from there.

use std::collections::BTreeMap;

use super::super::drawing::{Anchor, Drawing, Edge, End, Stroke};
use super::course::Course;
use super::{Bundle, Side};

/// Where a part of an edge touches something, before the inner levels are laid out.
#[derive(Debug, Clone, Copy)]
pub(super) enum Joint {
    /// The border of the box around the level.
    Border,
    /// An item that the edge itself ends at.
    Ends(End),
    /// An item that the edge goes on inside of.
    Enters(usize),
}

/// The part of an edge within one level.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    /// In the earlier layer.
    pub(crate) upper: Joint,
    /// In the later layer.
    pub(crate) lower: Joint,
    /// The bundle.
    pub(crate) bundle: Bundle,
}

impl Part {
    fn new(upper: Joint, lower: Joint, bundle: Bundle) -> Self {
        Part { upper, lower, bundle }
    }
}

/// A step of the way of an edge.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    /// The box around the level; the number of boxes for the outermost level.
    pub(crate) level: usize,
    /// The part within the level.
    pub(crate) part: usize,
    /// Whether the edge runs from lower to upper.
    pub(crate) reversed: bool,
}

/// All edges of a drawing, cut into parts.
#[derive(Debug)]
pub(super) struct Cut {
    /// The parts of each level.
    pub(crate) parts: Vec<Vec<Part>>,
    /// The steps of each edge.
    pub(crate) steps: Vec<Vec<Step>>,
    /// Places at the border of a box where an edge of the box itself begins or ends.
    pub(crate) phantoms: Vec<Vec<(Side, Bundle)>>,
}

/// Where the two chains of boxes around the ends of an edge meet.
pub(super) struct Chains {
    /// The first end and the boxes around it, up to but without the common box.
    pub(crate) from: Vec<usize>,
    /// The same of the other end.
    pub(crate) to: Vec<usize>,
    /// The common box; the number of boxes for the outermost level.
    pub(crate) common: usize,
}

/// Cuts the edges of a drawing, given the direction of each.
/// `rows_are_fixed` says whether rows have a place of their own.
pub(super) fn cut(
    drawing: &Drawing,
    chains: &[Chains],
    courses: &[Course],
    rows_are_fixed: bool,
) -> Cut {
    let count = drawing.items.len();
    let bundles = bundles(&drawing.edges, courses);
    let mut cut = Cut {
        parts: vec![Vec::new(); count + 1],
        steps: vec![Vec::new(); drawing.edges.len()],
        phantoms: vec![Vec::new(); count + 1],
    };
    let children = drawing.children();
    for (at, edge) in drawing.edges.iter().enumerate() {
        if edge.from.item == edge.to.item {
            continue;
        }
        let (chains, course) = (&chains[at], courses[at]);
        cut.edge(at, edge, chains, course, bundles[at]);
        // An edge of a container that ends at no row gets a place among the lines that cross
        // the border; where the other end is inside the container, it has one already.
        for (end, chain, side) in [
            (edge.from, &chains.from, course.source_side()),
            (edge.to, &chains.to, course.target_side()),
        ] {
            let at_row = rows_are_fixed && matches!(end.anchor, Anchor::Row(_));
            if !children[end.item].is_empty() && !at_row && !chain.is_empty() {
                cut.phantoms[end.item].push((side, bundles[at]));
            }
        }
    }
    for phantoms in &mut cut.phantoms {
        phantoms.sort_unstable();
        phantoms.dedup();
    }
    cut
}

impl Cut {
    fn edge(&mut self, at: usize, edge: &Edge, chains: &Chains, course: Course, bundle: Bundle) {
        let mut add = |level: usize, part: Part, reversed: bool| {
            self.parts[level].push(part);
            let part = self.parts[level].len() - 1;
            self.steps[at].push(Step { level, part, reversed });
        };
        // A part between an item and the border: it leaves the item at the given side.
        let to_border = |item: Joint, side: Side| match side {
            Side::Start => Part::new(Joint::Border, item, bundle),
            Side::End => Part::new(item, Joint::Border, bundle),
        };
        let joint = |end: End, depth: usize, item: usize| match depth {
            0 => Joint::Ends(end),
            _ => Joint::Enters(item),
        };
        let side = course.source_side();
        for (depth, pair) in chains.from.windows(2).enumerate() {
            let part = to_border(joint(edge.from, depth, pair[0]), side);
            add(pair[1], part, side == Side::Start);
        }
        let outermost = |end: End, chain: &[usize]| match chain.last() {
            Some(&item) => joint(end, chain.len() - 1, item),
            None => Joint::Border,
        };
        let source = outermost(edge.from, &chains.from);
        let target = outermost(edge.to, &chains.to);
        match course {
            Course::Back => add(chains.common, Part::new(target, source, bundle), true),
            _ => add(chains.common, Part::new(source, target, bundle), false),
        }
        let side = course.target_side();
        for (depth, pair) in chains.to.windows(2).enumerate().rev() {
            let part = to_border(joint(edge.to, depth, pair[0]), side);
            add(pair[1], part, side == Side::End);
        }
    }
}

/// The boxes around the ends of every edge.
pub(super) fn all_chains(drawing: &Drawing) -> Vec<Chains> {
    drawing.edges.iter().map(|edge| chains(drawing, edge)).collect()
}

/// The boxes around both ends. An end that is itself around the other one has an empty chain.
fn chains(drawing: &Drawing, edge: &Edge) -> Chains {
    let outermost = drawing.items.len();
    let around = |item: usize| {
        let mut chain = vec![item];
        let mut at = item;
        while let Some(next) = drawing.items[at].inside {
            chain.push(next);
            at = next;
        }
        chain
    };
    let (mut from, mut to) = (around(edge.from.item), around(edge.to.item));
    let mut common = outermost;
    while let (Some(a), Some(b)) = (from.last(), to.last()) {
        if a != b {
            break;
        }
        common = *a;
        from.pop();
        to.pop();
    }
    Chains { from, to, common }
}

/// Edges that end at the same place in the same way are one bundle.
fn bundles(edges: &[Edge], courses: &[Course]) -> Vec<Bundle> {
    let mut numbers: BTreeMap<(End, Stroke, bool, Course), Bundle> = BTreeMap::new();
    let keys = edges.iter().zip(courses).map(|(edge, &course)| {
        let next = numbers.len();
        *numbers.entry((edge.to, edge.stroke, edge.arrow, course)).or_insert(next)
    });
    keys.collect()
}
