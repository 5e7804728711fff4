//! Locations: the components of a configuration (paper 000 section 2.1).
//!
//! Invariant: no location provides a role that it requires; [`Location::new`] sees to it and the
//! fields cannot be changed otherwise.

use std::collections::BTreeMap;

use super::{Atom, Name, Process, Role, RoleId, Sort};

/// A locus of computation: a component, a connector or a relation.
///
/// Paper: 000 2.1 (Location)
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    pub(super) name: Name,
    pub(super) process: Process,
    pub(super) sort: Sort,
    pub(super) provided: BTreeMap<RoleId, Name>,
    pub(super) required: BTreeMap<RoleId, Name>,
}

/// A role that was to be provided and required by the same location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overlap {
    /// The location.
    pub location: Name,
    /// The role.
    pub role: RoleId,
}

impl Location {
    /// A location, unless one of its roles is in both positions: provided ∩ required = ∅. Of a
    /// role that is named twice in one position the last group counts.
    ///
    /// Paper: 000 2.1 (Location)
    pub fn new(
        name: impl Into<Name>,
        sort: Sort,
        process: Process,
        provided: impl IntoIterator<Item = Role>,
        required: impl IntoIterator<Item = Role>,
    ) -> Result<Self, Overlap> {
        let name = name.into();
        let by_id = |role: Role| (role.id, role.group);
        let provided: BTreeMap<_, _> = provided.into_iter().map(by_id).collect();
        let required: BTreeMap<_, _> = required.into_iter().map(by_id).collect();
        match provided.keys().find(|role| required.contains_key(role)) {
            Some(&role) => Err(Overlap { location: name, role }),
            None => Ok(Location { name, process, sort, provided, required }),
        }
    }

    /// The name.
    pub fn name(&self) -> &Name {
        &self.name
    }

    /// The type.
    pub fn sort(&self) -> &Sort {
        &self.sort
    }

    /// The behavior.
    pub fn process(&self) -> &Process {
        &self.process
    }

    /// The provided roles, in order.
    pub fn provided(&self) -> impl Iterator<Item = RoleId> + '_ {
        self.provided.keys().copied()
    }

    /// The required roles, in order.
    pub fn required(&self) -> impl Iterator<Item = RoleId> + '_ {
        self.required.keys().copied()
    }

    /// Whether the location provides `role`.
    pub fn provides(&self, role: RoleId) -> bool {
        self.provided.contains_key(&role)
    }

    /// Whether the location requires `role`.
    pub fn requires(&self, role: RoleId) -> bool {
        self.required.contains_key(&role)
    }

    /// The capability or requirement that `role` belongs to here.
    pub fn group_of(&self, role: RoleId) -> Option<&Name> {
        self.provided.get(&role).or_else(|| self.required.get(&role))
    }

    /// The provided roles per capability.
    pub fn capabilities(&self) -> BTreeMap<&Name, Vec<RoleId>> {
        grouped(&self.provided)
    }

    /// The required roles per requirement.
    pub fn requirements(&self) -> BTreeMap<&Name, Vec<RoleId>> {
        grouped(&self.required)
    }

    /// The same location with another behavior, as after a transition.
    #[must_use]
    pub fn becoming(&self, process: Process) -> Self {
        Location { process, ..self.clone() }
    }

    /// Every name and role that occurs in the location.
    ///
    /// Paper: 000 2.2 (AtomsInGraph)
    pub fn atoms(&self) -> impl Iterator<Item = Atom> + '_ {
        let mentioned = self.process.atoms.iter().chain(&self.sort.atoms).cloned();
        let roles = self.provided().chain(self.required()).map(Atom::Role);
        mentioned.chain(roles).chain([Atom::Name(self.name.clone())])
    }
}

fn grouped(roles: &BTreeMap<RoleId, Name>) -> BTreeMap<&Name, Vec<RoleId>> {
    let mut groups: BTreeMap<&Name, Vec<RoleId>> = BTreeMap::new();
    for (&role, group) in roles {
        groups.entry(group).or_default().push(role);
    }
    groups
}
