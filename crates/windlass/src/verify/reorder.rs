//! Repair by search: which order edges make a plan of atomic operations valid?
//!
//! Asked of plans that are weakly valid. A failing run is avoided by an order if and only if the
//! order puts some action before one that the run executes without it. Those edges are tried,
//! fewest first. Where they are too many, the order that is known to be good is thinned out.

use super::repair::{Attempt, Edge, Repair, fewest, without_needless};

/// Above this many actions a known order is not thinned out: each edge costs a search.
const MOST_ACTIONS: usize = 200;

/// What a search says about a plan with some more edges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Every order is good.
    Valid,
    /// These actions one after the other, of which the last one fails.
    Fails(Vec<usize>),
    /// A limit came first.
    Unknown,
}

/// Looks for the fewest edges that make a plan of `actions` actions valid, trying at most `most`
/// orders; `good` is an order that is known to be good.
pub(crate) fn reorder(
    actions: usize,
    good: &[usize],
    ask: &impl Fn(&[Edge]) -> Answer,
    most: usize,
) -> Repair {
    if most == 0 {
        return Repair::GaveUp(0);
    }
    let attempt = |edges: &[Edge]| match ask(edges) {
        Answer::Valid => Attempt::Good,
        Answer::Fails(run) => Attempt::OneOf(avoiding(actions, &run)),
        Answer::Unknown => Attempt::Unclear,
    };
    match fewest(&attempt, most) {
        Repair::GaveUp(_) if good.len() == actions && actions <= MOST_ACTIONS => {
            let chain: Vec<Edge> = good.windows(2).map(|pair| (pair[0], pair[1])).collect();
            if matches!(attempt(&chain), Attempt::Good) {
                // Every pair, so that an edge can go while those around it stay.
                let pairs = (0..good.len())
                    .flat_map(|at| good[at + 1..].iter().map(move |later| (good[at], *later)));
                let all = if actions <= 12 { pairs.collect() } else { chain };
                return Repair::Edges(without_needless(all, &attempt));
            }
            Repair::GaveUp(most)
        }
        found => found,
    }
}

/// The edges of which one is in every order that avoids a run; those about its last action first.
fn avoiding(actions: usize, run: &[usize]) -> Vec<Edge> {
    let Some(&failed) = run.last() else { return Vec::new() };
    let mut edges = Vec::new();
    for (at, &after) in run.iter().enumerate() {
        let later = (0..actions).filter(|step| *step != after && !run[..at].contains(step));
        edges.extend(later.map(|before| (before, after)));
    }
    edges.sort_by_key(|(before, after)| (*before != failed && *after != failed, *before, *after));
    edges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_avoided_by_what_comes_earlier_than_in_it() {
        assert_eq!(avoiding(3, &[0, 1]), [(1, 0), (2, 1), (2, 0)]);
    }

    #[test]
    fn the_fewest_edges_are_found() {
        // Good when 2 comes before 0.
        let ask = |edges: &[Edge]| {
            if edges.contains(&(2, 0)) { Answer::Valid } else { Answer::Fails(vec![1, 0]) }
        };
        assert_eq!(reorder(3, &[2, 0, 1], &ask, 100), Repair::Edges(vec![(2, 0)]));
    }

    #[test]
    fn a_known_order_is_thinned_out_when_the_search_is_given_up() {
        let ask = |edges: &[Edge]| {
            if edges.contains(&(2, 0)) { Answer::Valid } else { Answer::Fails(vec![1, 0]) }
        };
        assert_eq!(reorder(3, &[2, 0, 1], &ask, 1), Repair::Edges(vec![(2, 0)]));
    }
}
