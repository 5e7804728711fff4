//! The `check` commands of module LG.Semantics about graphs (paper 000 section 2.2).
//!
//! Scopes: single graphs of 3 names, 3 roles, at most 3 locations; pairs of sets of 2 names,
//! 2 roles, at most 2 locations each (172 sets, 29,584 pairs).

use std::collections::BTreeSet;

use super::exhaustive::{locations, subsets};
use crate::graph::compose::{
    atoms_in_graph, bindings_in_ls, bound_in_ls, bound_roles_in_lg, bound_roles_in_ls, compose,
    is_composition, mixable_lg, mixable_ls, unbound_roles_in_lg, unbound_roles_in_ls,
};
use crate::graph::wellformed::well_formed_location_set;
use crate::graph::{Atom, Clash, Location, LocationGraph, LocationSet, RoleId};

fn well_formed(c: &LocationSet) -> bool {
    well_formed_location_set(c).is_empty()
}

fn sets() -> Vec<LocationSet> {
    let sets: Vec<LocationSet> = subsets(&locations(2, 2), 2).collect();
    assert_eq!(sets.len(), 172);
    sets
}

/// The first pair of sets for which `holds` does not.
fn counterexample(
    sets: &[LocationSet],
    holds: impl Fn(&LocationSet, &LocationSet) -> bool,
) -> Option<(&LocationSet, &LocationSet)> {
    let mut pairs = sets.iter().flat_map(|c1| sets.iter().map(move |c2| (c1, c2)));
    pairs.find(|(c1, c2)| !holds(c1, c2))
}

/// Paper: 000 2.2 (UnboundRolesNotBound)
#[test]
fn unbound_roles_not_bound_for_3_locations_3_roles() {
    let all_roles = |c: &LocationSet| -> BTreeSet<RoleId> {
        c.iter().flat_map(|l| l.provided().chain(l.required())).collect()
    };
    let mut some_role_is_bound = 0;
    for locations in subsets(&locations(3, 3), 3) {
        let c = LocationGraph { locations };
        let bound = bound_roles_in_lg(&c);
        assert!(unbound_roles_in_lg(&c).is_disjoint(&bound), "{c:?}");
        // The mutant that forgets to take the bound roles away.
        some_role_is_bound += usize::from(!all_roles(&c.locations).is_disjoint(&bound));
    }
    assert!(some_role_is_bound > 0);
}

/// The functions of one pass agree with the printed definitions, for 3 names, 2 roles, at most
/// 3 locations.
#[test]
fn bound_and_unbound_roles_agree_with_the_printed_definitions() {
    for c in subsets(&locations(3, 2), 3) {
        let is_bound =
            |r: &RoleId| c.iter().any(|l1| c.iter().any(|l2| l1.provides(*r) && l2.requires(*r)));
        let roles = (0..2).map(RoleId);
        let bound: BTreeSet<RoleId> = roles.clone().filter(is_bound).collect();
        let offered = |r: &RoleId| c.iter().any(|l| l.provides(*r) || l.requires(*r));
        let unbound = roles.clone().filter(|r| offered(r) && !bound.contains(r));
        assert_eq!(bound_roles_in_ls(&c), bound, "{c:?}");
        assert_eq!(unbound_roles_in_ls(&c), unbound.collect(), "{c:?}");
        assert!(roles.clone().all(|r| bound_in_ls(r, &c).is_some() == bound.contains(&r)));
        for binding in bindings_in_ls(&c) {
            assert_eq!(bound_in_ls(binding.role, &c), Some(binding));
            assert!(binding.provider != binding.requirer);
        }
        assert_eq!(bindings_in_ls(&c).len(), bound.len());
    }
}

/// Paper: 000 2.2 (MixableLGsAreComposable)
///
/// Deviation: the paper prints `MixableLG[c1.c2]` where `MixableLG[c1, c2]` is meant.
#[test]
fn mixable_lgs_are_composable_for_2_locations_2_roles_each() {
    let sets = sets();
    let union = |c1: &LocationSet, c2: &LocationSet| well_formed(&(c1 | c2));
    let graphs: Vec<LocationSet> = sets.iter().filter(|c| well_formed(c)).cloned().collect();
    let mixable = |c1: &LocationSet, c2: &LocationSet| mixable_ls(c1, c2).is_empty();
    assert_eq!(counterexample(&graphs, |c1, c2| !mixable(c1, c2) || union(c1, c2)), None);

    // It needs graphs that are well formed, and each of the three conditions of mixable.
    assert!(counterexample(&sets, |c1, c2| !mixable(c1, c2) || union(c1, c2)).is_some());
    let forgetful: [fn(&Clash) -> bool; 3] = [
        |clash| matches!(clash, Clash::Name(_)),
        |clash| matches!(clash, Clash::Provided(_)),
        |clash| matches!(clash, Clash::Required(_)),
    ];
    for forgotten in forgetful {
        let mutant = |c1: &LocationSet, c2: &LocationSet| mixable_ls(c1, c2).iter().all(forgotten);
        assert!(counterexample(&graphs, |c1, c2| !mutant(c1, c2) || union(c1, c2)).is_some());
    }
}

/// Paper: 000 2.2 (MixableLS_Symmetric)
#[test]
fn mixable_ls_symmetric_for_2_locations_2_roles_each() {
    let sets = sets();
    // Even the clashes are the same.
    assert_eq!(counterexample(&sets, |c, d| mixable_ls(c, d) == mixable_ls(d, c)), None);

    // A condition that looks at the provided roles of one and the required roles of the other.
    let mutant = |c: &LocationSet, d: &LocationSet| {
        !c.iter().flat_map(Location::provided).any(|r| d.iter().any(|l| l.requires(r)))
    };
    assert!(counterexample(&sets, |c, d| mutant(c, d) == mutant(d, c)).is_some());
}

/// Composition is the union of mixable graphs, and `Null` is neutral.
#[test]
fn compose_is_the_union_of_mixable_graphs() {
    let (mut composed, mut refused) = (0, 0);
    for c1 in &sets() {
        let c1 = LocationGraph { locations: c1.clone() };
        assert_eq!(compose(&c1, &LocationGraph::null()).as_ref(), Ok(&c1));
        for location in locations(2, 2) {
            let c2 = LocationGraph::from(location);
            match compose(&c1, &c2) {
                Ok(c) => {
                    assert!(mixable_lg(&c1, &c2).is_empty() && is_composition(&c, &c1, &c2));
                    composed += 1;
                }
                Err(clashes) => {
                    assert_eq!(clashes, mixable_lg(&c1, &c2));
                    refused += 1;
                }
            }
        }
    }
    assert!(composed > 0 && refused > 0);
}

/// Names, both kinds of roles, and what process and sort mention are atoms.
#[test]
fn atoms_in_graph_gathers_every_kind() {
    let mut locations = locations(1, 2);
    let mut location = locations.swap_remove(1 + 3);
    assert_eq!((location.provided().count(), location.required().count()), (2, 0));
    location.required = std::mem::take(&mut location.provided);
    location.process.atoms.insert(Atom::Role(RoleId(7)));
    location.sort.atoms.insert(Atom::Name("other".into()));
    let expected = [
        Atom::Name("a".into()),
        Atom::Name("other".into()),
        Atom::Role(RoleId(0)),
        Atom::Role(RoleId(1)),
        Atom::Role(RoleId(7)),
    ];
    assert_eq!(atoms_in_graph(&[location].into()), expected.into());
}
