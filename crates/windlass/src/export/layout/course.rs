//! Which way each edge runs, and which layer each item stands in.
//!
//! Decided from the outside to the inside, before anything is placed, with estimates of how large
//! the boxes will be: a box must know on which side its edges leave it.

use std::collections::BTreeMap;

use super::super::drawing::{Direction, Drawing};
use super::super::measure::{self, Metrics};
use super::hierarchy::Chains;
use super::{Arc, Extent, Side, Spacing, cycle, rank};

/// How an edge runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Course {
    /// To a later layer.
    Forward,
    /// To an earlier layer.
    Back,
    /// Within a layer: out at the end side and in again there.
    Beside,
}

impl Course {
    /// The side at which an edge leaves its source.
    pub(super) fn source_side(self) -> Side {
        if self == Course::Back { Side::Start } else { Side::End }
    }

    /// The side at which an edge enters its target.
    pub(super) fn target_side(self) -> Side {
        if self == Course::Forward { Side::Start } else { Side::End }
    }
}

/// The course of every edge and the layer of every item.
pub(super) fn choose(
    drawing: &Drawing,
    chains: &[Chains],
    metrics: &Metrics,
    spacing: &Spacing,
) -> (Vec<Course>, Vec<usize>) {
    let extents = estimates(drawing, metrics, spacing);
    let mut by_level: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut courses: Vec<Course> = drawing
        .edges
        .iter()
        .map(|edge| if edge.back { Course::Back } else { Course::Forward })
        .collect();
    for (at, chains) in chains.iter().enumerate() {
        if !chains.from.is_empty() && !chains.to.is_empty() {
            by_level.entry(chains.common).or_default().push(at);
        }
    }
    let mut ranks = vec![0; drawing.items.len()];
    for (level, items) in connected_items(drawing, chains) {
        let edges = by_level.get(&level).map(|edges| &edges[..]).unwrap_or_default();
        // The ends of the edges at this level, and whether the author says they lead back.
        let pairs: Vec<(usize, usize, bool)> = edges
            .iter()
            .filter_map(|&edge| {
                let (from, to) = (chains[edge].from.last()?, chains[edge].to.last()?);
                Some((*from, *to, courses[edge] == Course::Back))
            })
            .collect();
        for (&item, rank) in items.iter().zip(level_ranks(&items, &pairs, &extents, spacing)) {
            ranks[item] = rank;
        }
        for (&edge, (from, to, _)) in edges.iter().zip(pairs) {
            courses[edge] = match ranks[from].cmp(&ranks[to]) {
                std::cmp::Ordering::Less => Course::Forward,
                std::cmp::Ordering::Equal => Course::Beside,
                std::cmp::Ordering::Greater => Course::Back,
            };
        }
    }
    (courses, ranks)
}

/// The items of each level that edges begin or end at, pass, or leave; sorted.
fn connected_items(drawing: &Drawing, chains: &[Chains]) -> BTreeMap<usize, Vec<usize>> {
    let mut connected = vec![false; drawing.items.len()];
    for &item in chains.iter().flat_map(|chains| chains.from.iter().chain(&chains.to)) {
        connected[item] = true;
    }
    let mut levels: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, item) in drawing.items.iter().enumerate().filter(|(at, _)| connected[*at]) {
        levels.entry(item.inside.unwrap_or(drawing.items.len())).or_default().push(at);
    }
    levels
}

/// The layers of the items of one level.
fn level_ranks(
    items: &[usize],
    pairs: &[(usize, usize, bool)],
    extents: &[Extent],
    spacing: &Spacing,
) -> Vec<usize> {
    let local = |item: usize| items.binary_search(&item).unwrap_or(0);
    let mut arcs: Vec<Arc> = pairs
        .iter()
        .map(|&(from, to, back)| {
            let (from, to) = if back { (to, from) } else { (from, to) };
            Arc { from: local(from), to: local(to) }
        })
        .collect();
    let against = cycle::against(items.len(), &arcs);
    for (arc, against) in arcs.iter_mut().zip(against) {
        if against {
            *arc = Arc { from: arc.to, to: arc.from };
        }
    }
    let sizes: Vec<Extent> = items.iter().map(|&item| extents[item]).collect();
    rank::assign(&sizes, &arcs, spacing)
}

/// How large every box will be, more or less.
fn estimates(drawing: &Drawing, metrics: &Metrics, spacing: &Spacing) -> Vec<Extent> {
    let right = drawing.direction == Direction::Right;
    let mut inner_area = vec![0.0; drawing.items.len()];
    let mut extents = vec![Extent::default(); drawing.items.len()];
    for at in drawing.innermost_first() {
        let item = &drawing.items[at];
        let (width, height) = measure::text_size(item, metrics);
        let (cross, main) = if right { (height, width) } else { (width, height) };
        let across = (inner_area[at] / spacing.proportion).sqrt();
        let along = (across * spacing.proportion) as i32;
        let inside = if across > 0.0 { cross } else { 0 };
        extents[at] = Extent { cross: cross.max(inside + across as i32), main: main.max(along) };
        if let Some(around) = item.inside {
            let main = f64::from(extents[at].main + spacing.channel(2));
            inner_area[around] += f64::from(extents[at].cross + spacing.boxes) * main;
        }
    }
    extents
}
