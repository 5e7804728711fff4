//! The `check` commands of module LocationGraphs (paper 000 section 2.1).
//!
//! The paper checks them `for 40` with a SAT solver; here every set of locations of two scopes is
//! enumerated: 3 names, 3 roles, at most 3 locations (88,642 sets), and 4 names, 2 roles, at most
//! 4 locations (66,712 sets). The numbers of well-formed ones can be counted by hand: k locations
//! have different names, and a role has one of (k + 1)^2 - k places, so there are
//! 1 + 3 * 3^3 + 3 * 7^3 + 13^3 = 3,308 and 1 + 4 * 3^2 + 6 * 7^2 + 4 * 13^2 + 21^2 = 1,448.

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
    let subsets: Vec<_> = subsets(&locations, locations.len()).collect();
    (0..3).map(RoleId).all(|r| {
        let offers = |h: &&&Location| h.requires(r) || h.provides(r);
        subsets.iter().all(|ls| ls.iter().any(|h| !offers(&h)) || ls.len() < 3)
    })
}

/// The first set that satisfies the premise and not the conclusion, or how many sets there are and
/// how many of them satisfy the premise.
fn check(
    sets: impl Iterator<Item = LocationSet>,
    premise: impl Fn(&LocationSet) -> bool,
    conclusion: impl Fn(&LocationSet) -> bool,
) -> Result<(usize, usize), LocationSet> {
    let (mut all, mut relevant) = (0, 0);
    for lg in sets {
        all += 1;
        if premise(&lg) {
            relevant += 1;
            if !conclusion(&lg) {
                return Err(lg);
            }
        }
    }
    Ok((all, relevant))
}

/// Paper: 000 2.1 (RoleIsProvidedAndRequiredByTwoDistinctLocations)
#[test]
fn role_is_provided_and_required_by_two_distinct_locations_for_3_locations_3_roles() {
    let locations = locations(3, 3);
    let sets = subsets(&locations, 3);
    assert_eq!(check(sets, well_formed, provided_and_required_by_distinct), Ok((88_642, 3_308)));

    // It rests on the disjoint positions of a location: with overlaps it is false.
    let overlapping = locations_with_overlaps(1, 1);
    let sets = subsets(&overlapping, 1);
    assert!(check(sets, well_formed, provided_and_required_by_distinct).is_err());
}

/// Paper: 000 2.1 (ARoleBindsAtMostTwoLocations)
#[test]
fn a_role_binds_at_most_two_locations_for_3_locations_3_roles() {
    let locations = locations(3, 3);
    let sets = subsets(&locations, 3);
    assert_eq!(check(sets, well_formed, binds_at_most_two), Ok((88_642, 3_308)));
}

/// Paper: 000 2.1 (ARoleBindsAtMostTwoLocations)
#[test]
fn a_role_binds_at_most_two_locations_for_4_locations_2_roles() {
    let locations = locations(4, 2);
    let sets = || subsets(&locations, 4);
    assert_eq!(check(sets(), well_formed, binds_at_most_two), Ok((66_712, 1_448)));

    // Both constraints on roles are needed.
    let provided = |lg: &LocationSet| uniquely_provided_roles(lg).is_empty();
    let required = |lg: &LocationSet| uniquely_required_roles(lg).is_empty();
    assert!(check(sets(), required, binds_at_most_two).is_err());
    assert!(check(sets(), provided, binds_at_most_two).is_err());
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
