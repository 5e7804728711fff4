//! The static semantics of location graphs (paper 000 section 2.1).
//!
//! The predicates keep the paper's names and order. Each returns what breaks it, so that a finding
//! can be made of it: a predicate holds when its answer is empty.

use std::collections::BTreeMap;

use super::{Location, LocationGraph, LocationSet, Name, RoleId};

/// What is wrong with a set of locations. Every variant lists two locations or more.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum IllFormed<'a> {
    /// Several locations have this name.
    SharedName(&'a Name, Vec<&'a Location>),
    /// Several locations provide this role.
    ProvidedTwice(RoleId, Vec<&'a Location>),
    /// Several locations require this role.
    RequiredTwice(RoleId, Vec<&'a Location>),
}

/// Locations in a location graph are uniquely named.
///
/// ```text
/// ∄ c1 ≠ c2 ∈ c : c1.name = c2.name
/// ```
///
/// Paper: 000 2.1 (UniquelyNamedLocations)
pub fn uniquely_named_locations(c: &LocationSet) -> Vec<IllFormed<'_>> {
    let names = c.iter().map(|location| (location.name(), location));
    shared(names).map(|(name, locations)| IllFormed::SharedName(name, locations)).collect()
}

/// A role is provided by a single location.
///
/// ```text
/// ∄ l ≠ h ∈ c : l.provided ∩ h.provided ≠ ∅
/// ```
///
/// Paper: 000 2.1 (UniquelyProvidedRoles)
pub fn uniquely_provided_roles(c: &LocationSet) -> Vec<IllFormed<'_>> {
    let roles = c.iter().flat_map(|l| l.provided().map(move |role| (role, l)));
    shared(roles).map(|(role, locations)| IllFormed::ProvidedTwice(role, locations)).collect()
}

/// A role is required by a single location.
///
/// ```text
/// ∄ l ≠ h ∈ c : l.required ∩ h.required ≠ ∅
/// ```
///
/// Paper: 000 2.1 (UniquelyRequiredRoles)
pub fn uniquely_required_roles(c: &LocationSet) -> Vec<IllFormed<'_>> {
    let roles = c.iter().flat_map(|l| l.required().map(move |role| (role, l)));
    shared(roles).map(|(role, locations)| IllFormed::RequiredTwice(role, locations)).collect()
}

/// The three constraints together: names, then provided roles, then required roles.
///
/// Paper: 000 2.1 (WellFormedLocationSet)
pub fn well_formed_location_set(c: &LocationSet) -> Vec<IllFormed<'_>> {
    let mut found = uniquely_named_locations(c);
    found.extend(uniquely_provided_roles(c));
    found.extend(uniquely_required_roles(c));
    found
}

/// Well-formedness of a graph is that of its locations.
///
/// Paper: 000 2.1 (WellFormedLocationGraph)
pub fn well_formed_location_graph(g: &LocationGraph) -> Vec<IllFormed<'_>> {
    well_formed_location_set(&g.locations)
}

/// The keys that several locations have, with those locations.
fn shared<'a, K: Ord>(
    pairs: impl Iterator<Item = (K, &'a Location)>,
) -> impl Iterator<Item = (K, Vec<&'a Location>)> {
    let mut holders: BTreeMap<K, Vec<&Location>> = BTreeMap::new();
    for (key, location) in pairs {
        holders.entry(key).or_default().push(location);
    }
    holders.into_iter().filter(|(_, locations)| locations.len() > 1)
}
