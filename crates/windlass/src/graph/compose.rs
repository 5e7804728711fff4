//! Bound and unbound roles, and how two sets of locations become one (paper 000 section 2.2).
//!
//! The auxiliary functions on location graphs, under the paper's names. Where the paper has a
//! form for a set of locations and one for a graph, ours are `_ls` and `_lg`.

use std::collections::{BTreeMap, BTreeSet};

use super::{Atom, Location, LocationGraph, LocationSet, Name, RoleId};

/// A bound role with the two locations that it binds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Binding<'a> {
    /// The role.
    pub role: RoleId,
    /// The location that provides it.
    pub provider: &'a Location,
    /// The location that requires it.
    pub requirer: &'a Location,
}

/// Where `r` is bound in `c`: a provider and a requirer, the first ones if `c` is ill formed.
///
/// ```text
/// ∃ l1, l2 ∈ c : r ∈ l1.provided ∩ l2.required
/// ```
///
/// Paper: 000 2.2 (Bound_in_LS)
///
/// Deviation: the text says "two locations" where the formula allows `l1 = l2`. The formula is
/// kept; the disjoint positions within a location make both say the same.
pub fn bound_in_ls(r: RoleId, c: &LocationSet) -> Option<Binding<'_>> {
    let provider = c.iter().find(|l1| l1.provides(r))?;
    let requirer = c.iter().find(|l2| l2.requires(r))?;
    Some(Binding { role: r, provider, requirer })
}

/// Where `r` is bound in the graph `c`.
///
/// Paper: 000 2.2 (Bound_in_LG)
pub fn bound_in_lg(r: RoleId, c: &LocationGraph) -> Option<Binding<'_>> {
    bound_in_ls(r, &c.locations)
}

/// The roles bound in `c`: those that [`bound_in_ls`] finds, in one pass.
///
/// Paper: 000 2.2 (Bound_roles_in_LS)
pub fn bound_roles_in_ls(c: &LocationSet) -> BTreeSet<RoleId> {
    let provided = provided(c);
    c.iter().flat_map(Location::required).filter(|role| provided.contains(role)).collect()
}

/// The roles bound in the graph `c`.
///
/// Paper: 000 2.2 (Bound_roles_in_LG)
pub fn bound_roles_in_lg(c: &LocationGraph) -> BTreeSet<RoleId> {
    bound_roles_in_ls(&c.locations)
}

/// The roles of `c` that are not bound in it: (c.provided ∪ c.required) ∖ bound roles.
///
/// Paper: 000 2.2 (Unbound_roles_in_LS)
pub fn unbound_roles_in_ls(c: &LocationSet) -> BTreeSet<RoleId> {
    // A role is unbound when it occurs in one position only: the symmetric difference.
    &provided(c) ^ &required(c)
}

/// The roles of the graph `c` that are not bound in it.
///
/// Paper: 000 2.2 (Unbound_roles_in_LG)
pub fn unbound_roles_in_lg(c: &LocationGraph) -> BTreeSet<RoleId> {
    unbound_roles_in_ls(&c.locations)
}

/// Every bound role of `c` with the locations it binds, ordered by role.
pub fn bindings_in_ls(c: &LocationSet) -> Vec<Binding<'_>> {
    let mut providers: BTreeMap<RoleId, &Location> = BTreeMap::new();
    let mut requirers: BTreeMap<RoleId, &Location> = BTreeMap::new();
    for location in c {
        location.provided().for_each(|role| _ = providers.entry(role).or_insert(location));
        location.required().for_each(|role| _ = requirers.entry(role).or_insert(location));
    }
    let binding = |(role, provider)| {
        requirers.get(&role).map(|&requirer| Binding { role, provider, requirer })
    };
    providers.into_iter().filter_map(binding).collect()
}

/// Every name and role that occurs in `lg`.
///
/// Paper: 000 2.2 (AtomsInGraph)
pub fn atoms_in_graph(lg: &LocationSet) -> BTreeSet<Atom> {
    lg.iter().flat_map(Location::atoms).collect()
}

/// Why two sets of locations cannot be composed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Clash {
    /// A location of each has this name.
    Name(Name),
    /// A location of each provides this role.
    Provided(RoleId),
    /// A location of each requires this role.
    Required(RoleId),
}

/// Whether `c1` and `c2` can be composed: nothing clashes.
///
/// ```text
/// c1.name ∩ c2.name = ∅   c1.provided ∩ c2.provided = ∅   c1.required ∩ c2.required = ∅
/// ```
///
/// Paper: 000 2.2 (MixableLS)
pub fn mixable_ls(c1: &LocationSet, c2: &LocationSet) -> Vec<Clash> {
    let mut clashes: Vec<Clash> = Vec::new();
    clashes.extend((&names(c1) & &names(c2)).into_iter().cloned().map(Clash::Name));
    clashes.extend((&provided(c1) & &provided(c2)).into_iter().map(Clash::Provided));
    clashes.extend((&required(c1) & &required(c2)).into_iter().map(Clash::Required));
    clashes
}

/// Whether the graphs `c1` and `c2` can be composed.
///
/// Paper: 000 2.2 (MixableLG)
pub fn mixable_lg(c1: &LocationGraph, c2: &LocationGraph) -> Vec<Clash> {
    mixable_ls(&c1.locations, &c2.locations)
}

/// Whether `c` is the composition of `c1` and `c2`: their union, as the predicate is printed.
///
/// Paper: 000 2.2 (Compose)
pub fn is_composition(c: &LocationGraph, c1: &LocationGraph, c2: &LocationGraph) -> bool {
    c.locations == &c1.locations | &c2.locations
}

/// The composition of two graphs, or what clashes.
///
/// Paper: 000 2.2 (Compose)
///
/// Deviation: the printed predicate does not ask for mixable graphs; the text calls that its
/// precondition, and this function checks it.
pub fn compose(c1: &LocationGraph, c2: &LocationGraph) -> Result<LocationGraph, Vec<Clash>> {
    let clashes = mixable_lg(c1, c2);
    if clashes.is_empty() {
        Ok(LocationGraph { locations: &c1.locations | &c2.locations })
    } else {
        Err(clashes)
    }
}

fn names(c: &LocationSet) -> BTreeSet<&Name> {
    c.iter().map(Location::name).collect()
}

fn provided(c: &LocationSet) -> BTreeSet<RoleId> {
    c.iter().flat_map(Location::provided).collect()
}

fn required(c: &LocationSet) -> BTreeSet<RoleId> {
    c.iter().flat_map(Location::required).collect()
}
