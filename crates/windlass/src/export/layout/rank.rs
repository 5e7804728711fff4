//! Which layer each item stands in: longest paths, pulled together, and wrapped when a layer
//! would be too wide.
//!
//! Invariant: no arc leads to an earlier layer.

use super::{Arc, Extent, Spacing};

/// The arcs of an acyclic graph, seen from each vertex.
struct Neighbors {
    before: Vec<Vec<usize>>,
    after: Vec<Vec<usize>>,
}

/// Graphs with fewer vertices than this are never wrapped, in layouts to the right and downward.
const WRAP_FROM: (usize, usize) = (6, 12);

/// The layer of every vertex of an acyclic graph, given the extents of the vertices.
///
/// No arc leads to an earlier layer. In graphs of moderate depth every arc leads to a later one;
/// what makes a layer too wide goes to a later layer. A graph that would be much too long is
/// folded: it fills one layer after the other, and an arc may stay within a layer.
pub(super) fn assign(sizes: &[Extent], arcs: &[Arc], spacing: &Spacing) -> Vec<usize> {
    let neighbors = neighbors(sizes.len(), arcs);
    let order = topological(&neighbors);
    let mut ranks = longest_paths(&neighbors, &order);
    pull_together(&neighbors, &order, &mut ranks);
    let pick = |pair: (usize, usize)| if spacing.proportion > 1.0 { pair.0 } else { pair.1 };
    if sizes.len() < pick(WRAP_FROM) {
        return ranks;
    }
    let area: f64 = sizes
        .iter()
        .map(|size| {
            let main = f64::from(size.main + spacing.channel(3));
            f64::from(size.cross + spacing.boxes) * main
        })
        .sum();
    let crosses: Vec<i32> = sizes.iter().map(|size| size.cross + spacing.boxes).collect();
    let widest = crosses.iter().copied().max().unwrap_or(0);
    let limit = widest.max((area / spacing.proportion).sqrt() as i32 * 5 / 4);
    if widths(&crosses, &ranks).iter().any(|&width| width > limit) {
        ranks = wrapped(&neighbors, &crosses, &order, &ranks, limit);
    }
    let wanted = (area * spacing.proportion).sqrt();
    if length(sizes, &ranks, spacing) > f64::from(spacing.page).max(2.0 * wanted) {
        ranks = folded(&crosses, &order, &ranks, limit);
    }
    ranks
}

/// How long the layers are together.
fn length(sizes: &[Extent], ranks: &[usize], spacing: &Spacing) -> f64 {
    let mut mains = vec![0; ranks.iter().max().map_or(0, |last| last + 1)];
    for (size, &rank) in sizes.iter().zip(ranks) {
        mains[rank] = size.main.max(mains[rank]);
    }
    mains.iter().map(|&main| f64::from(main + spacing.channel(3))).sum()
}

/// Fills one layer after the other, in the order of the given ranks.
fn folded(crosses: &[i32], order: &[usize], ideal: &[usize], limit: i32) -> Vec<usize> {
    let mut by_rank = order.to_vec();
    by_rank.sort_by_key(|&at| ideal[at]);
    let mut ranks = vec![0; crosses.len()];
    let (mut rank, mut filled) = (0, 0);
    for at in by_rank {
        if filled > 0 && filled + crosses[at] > limit {
            rank += 1;
            filled = 0;
        }
        filled += crosses[at];
        ranks[at] = rank;
    }
    ranks
}

fn neighbors(count: usize, arcs: &[Arc]) -> Neighbors {
    let mut neighbors =
        Neighbors { before: vec![Vec::new(); count], after: vec![Vec::new(); count] };
    for arc in arcs {
        neighbors.after[arc.from].push(arc.to);
        neighbors.before[arc.to].push(arc.from);
    }
    neighbors
}

/// A topological order, first declared first.
fn topological(neighbors: &Neighbors) -> Vec<usize> {
    let mut missing: Vec<usize> = neighbors.before.iter().map(Vec::len).collect();
    let mut ready: std::collections::BTreeSet<usize> =
        (0..missing.len()).filter(|&at| missing[at] == 0).collect();
    let mut order = Vec::with_capacity(missing.len());
    while let Some(at) = ready.pop_first() {
        order.push(at);
        for &next in &neighbors.after[at] {
            missing[next] -= 1;
            if missing[next] == 0 {
                ready.insert(next);
            }
        }
    }
    order
}

fn longest_paths(neighbors: &Neighbors, order: &[usize]) -> Vec<usize> {
    let mut ranks = vec![0; neighbors.after.len()];
    for &at in order {
        for &next in &neighbors.after[at] {
            ranks[next] = ranks[next].max(ranks[at] + 1);
        }
    }
    ranks
}

/// Moves every vertex towards the side where it has more neighbors, so that edges are short.
fn pull_together(neighbors: &Neighbors, order: &[usize], ranks: &mut [usize]) {
    for _ in 0..8 {
        let mut moved = false;
        for &at in order.iter().rev() {
            let (before, after) = (&neighbors.before[at], &neighbors.after[at]);
            let earliest = before.iter().map(|&b| ranks[b] + 1).max();
            let latest = after.iter().map(|&a| ranks[a] - 1).min();
            let wanted = match (earliest, latest) {
                (Some(earliest), Some(_)) if before.len() > after.len() => earliest,
                (Some(_), Some(latest)) if before.len() < after.len() => latest,
                (Some(earliest), None) => earliest,
                (None, Some(latest)) => latest,
                _ => ranks[at],
            };
            moved |= wanted != ranks[at];
            ranks[at] = wanted;
        }
        if !moved {
            break;
        }
    }
}

fn widths(sizes: &[i32], ranks: &[usize]) -> Vec<i32> {
    let mut widths = vec![0; ranks.iter().max().map_or(0, |last| last + 1)];
    for (size, &rank) in sizes.iter().zip(ranks) {
        widths[rank] += size;
    }
    widths
}

/// The same order of layers, each filled up to the limit only.
fn wrapped(
    neighbors: &Neighbors,
    sizes: &[i32],
    order: &[usize],
    ideal: &[usize],
    limit: i32,
) -> Vec<usize> {
    let mut by_rank = order.to_vec();
    by_rank.sort_by_key(|&at| ideal[at]);
    let mut ranks = vec![0; sizes.len()];
    let mut filled: Vec<i32> = Vec::new();
    // What was in one layer begins no earlier than the layer before it began.
    let (mut first_of_layer, mut layer) = (0, 0);
    for at in by_rank {
        if ideal[at] != layer {
            layer = ideal[at];
            first_of_layer += 1;
        }
        let earliest = neighbors.before[at].iter().map(|&b| ranks[b] + 1).max();
        let mut rank = earliest.unwrap_or(0).max(first_of_layer);
        while filled.get(rank).is_some_and(|&width| width > 0 && width + sizes[at] > limit) {
            rank += 1;
        }
        if filled.len() <= rank {
            filled.resize(rank + 1, 0);
        }
        filled[rank] += sizes[at];
        ranks[at] = rank;
    }
    without_gaps(ranks)
}

/// Renumbers layers so that none is empty.
pub(super) fn without_gaps(ranks: Vec<usize>) -> Vec<usize> {
    let used: std::collections::BTreeSet<usize> = ranks.iter().copied().collect();
    let numbers: std::collections::BTreeMap<usize, usize> =
        used.into_iter().enumerate().map(|(new, old)| (old, new)).collect();
    ranks.into_iter().map(|rank| numbers[&rank]).collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::drawing::Direction;
    use super::super::super::measure::PIXELS;
    use super::*;

    fn ranks(count: usize, pairs: &[(usize, usize)]) -> Vec<usize> {
        let arcs: Vec<Arc> = pairs.iter().map(|&(from, to)| Arc { from, to }).collect();
        let sizes = vec![Extent { cross: 50, main: 100 }; count];
        assign(&sizes, &arcs, &PIXELS.spacing(Direction::Right))
    }

    #[test]
    fn longest_path_decides() {
        assert_eq!(ranks(4, &[(0, 1), (1, 2), (0, 2), (2, 3)]), [0, 1, 2, 3]);
    }

    #[test]
    fn sources_stand_beside_what_they_need() {
        assert_eq!(ranks(4, &[(0, 1), (1, 2), (3, 2)]), [0, 1, 2, 1]);
    }

    #[test]
    fn wide_layers_are_wrapped() {
        let star: Vec<(usize, usize)> = (0..60).map(|at| (at, 60)).collect();
        let ranks = ranks(61, &star);
        assert!(ranks[60] > ranks[59] && (3..9).contains(&ranks[60]), "{ranks:?}");
    }

    #[test]
    fn long_chains_are_folded() {
        let chain: Vec<(usize, usize)> = (1..60).map(|at| (at - 1, at)).collect();
        let ranks = ranks(60, &chain);
        assert!(ranks.is_sorted() && (3..12).contains(&ranks[59]), "{ranks:?}");
    }
}
