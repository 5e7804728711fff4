//! The `check` commands of module LocationGraphs (paper 000 section 2.1).
//!
//! The paper checks them `for 40` with a SAT solver; here every set of locations of two scopes is
//! enumerated: 3 names, 3 roles, at most 3 locations (88,642 sets), and 4 names, 2 roles, at most
//! 4 locations (66,712 sets).

use super::exhaustive::{locations, locations_with_overlaps, subsets};
use crate::graph::wellformed::{
    uniquely_named_locations, uniquely_provided_roles, uniquely_required_roles,
    well_formed_location_graph, well_formed_location_set,
};
use crate::graph::{IllFormed, Location, LocationGraph, LocationSet, RoleId};

fn well_formed(lg: &LocationSet) -> bool {
    well_formed_location_set(lg).is_empty()
}

/// The conclusion of the first assertion, for every role and every two locations.
fn provided_and_required_by_distinct(lg: &LocationSet) -> bool {
    (0..3).map(RoleId).all(|r| {
        let mut pairs = lg.iter().flat_map(|l| lg.iter().map(move |h| (l, h)));
        pairs.all(|(l, h)| !(l.provides(r) && h.requires(r)) || l != h)
    })
}

/// The conclusion of the second assertion, for every role and every subset.
fn binds_at_most_two(lg: &LocationSet) -> bool {
    let locations: Vec<&Location> = lg.iter().collect();
    let subsets = subsets(&locations, locations.len());
    (0..3).map(RoleId).all(|r| {
        let offers = |h: &&&Location| h.requires(r) || h.provides(r);
        subsets.iter().all(|ls| ls.iter().any(|h| !offers(&h)) || ls.len() < 3)
    })
}

/// The first set that satisfies the premise and not the conclusion.
fn counterexample(
    sets: &[LocationSet],
    premise: impl Fn(&LocationSet) -> bool,
    conclusion: impl Fn(&LocationSet) -> bool,
) -> Option<&LocationSet> {
    sets.iter().find(|lg| premise(lg) && !conclusion(lg))
}

/// Paper: 000 2.1 (RoleIsProvidedAndRequiredByTwoDistinctLocations)
#[test]
fn role_is_provided_and_required_by_two_distinct_locations_for_3_locations_3_roles() {
    let sets = subsets(&locations(3, 3), 3);
    assert_eq!(sets.len(), 88_642);
    assert_eq!(counterexample(&sets, well_formed, provided_and_required_by_distinct), None);

    // It rests on the disjoint positions of a location: with overlaps it is false.
    let broken = subsets(&locations_with_overlaps(1, 1), 1);
    assert!(counterexample(&broken, well_formed, provided_and_required_by_distinct).is_some());
}

/// Paper: 000 2.1 (ARoleBindsAtMostTwoLocations)
#[test]
fn a_role_binds_at_most_two_locations_for_3_locations_3_roles() {
    let sets = subsets(&locations(3, 3), 3);
    assert_eq!(sets.iter().filter(|lg| well_formed(lg)).count(), 3_308);
    assert_eq!(counterexample(&sets, well_formed, binds_at_most_two), None);
}

/// Paper: 000 2.1 (ARoleBindsAtMostTwoLocations)
#[test]
fn a_role_binds_at_most_two_locations_for_4_locations_2_roles() {
    let sets = subsets(&locations(4, 2), 4);
    assert_eq!(sets.len(), 66_712);
    assert_eq!(counterexample(&sets, well_formed, binds_at_most_two), None);

    // Both constraints on roles are needed, the one on names is not.
    let provided = |lg: &LocationSet| uniquely_provided_roles(lg).is_empty();
    let required = |lg: &LocationSet| uniquely_required_roles(lg).is_empty();
    assert!(counterexample(&sets, required, binds_at_most_two).is_some());
    assert!(counterexample(&sets, provided, binds_at_most_two).is_some());
    let both = |lg: &LocationSet| provided(lg) && required(lg);
    assert_eq!(counterexample(&sets, both, binds_at_most_two), None);
}

/// The predicates group by key where the paper compares pairs; both say the same for 3 names,
/// 2 roles, at most 3 locations.
#[test]
fn predicates_agree_with_the_printed_pairs() {
    let pairwise = |lg: &LocationSet, clash: &dyn Fn(&Location, &Location) -> bool| {
        lg.iter().any(|l| lg.iter().any(|h| l != h && clash(l, h)))
    };
    for lg in subsets(&locations(3, 2), 3) {
        let named = pairwise(&lg, &|l, h| l.name() == h.name());
        let provided = pairwise(&lg, &|l, h| l.provided().any(|r| h.provides(r)));
        let required = pairwise(&lg, &|l, h| l.required().any(|r| h.requires(r)));
        assert_eq!(uniquely_named_locations(&lg).is_empty(), !named, "{lg:?}");
        assert_eq!(uniquely_provided_roles(&lg).is_empty(), !provided, "{lg:?}");
        assert_eq!(uniquely_required_roles(&lg).is_empty(), !required, "{lg:?}");
        assert_eq!(well_formed(&lg), !(named || provided || required), "{lg:?}");
    }
}

/// What is wrong comes with the locations that make it so.
#[test]
fn ill_formed_graphs_name_their_witnesses() {
    let both = |provided: bool| {
        let of =
            |l: &Location| if provided { l.provides(RoleId(0)) } else { l.requires(RoleId(0)) };
        let ls = locations(2, 1).into_iter().filter(of);
        LocationGraph { locations: ls.collect() }
    };
    let graph = both(true);
    let all: Vec<&Location> = graph.locations.iter().collect();
    assert_eq!(all.len(), 2);
    let expected = vec![IllFormed::ProvidedTwice(RoleId(0), all)];
    assert_eq!(well_formed_location_graph(&graph), expected);

    let graph = both(false);
    let all: Vec<&Location> = graph.locations.iter().collect();
    let expected = vec![IllFormed::RequiredTwice(RoleId(0), all)];
    assert_eq!(well_formed_location_graph(&graph), expected);

    let graph: LocationGraph = locations(1, 1).into_iter().collect();
    let all: Vec<&Location> = graph.locations.iter().collect();
    let expected = vec![IllFormed::SharedName(all[0].name(), all.clone())];
    assert_eq!(well_formed_location_graph(&graph), expected);
    assert_eq!(well_formed_location_graph(&LocationGraph::null()), []);
}
