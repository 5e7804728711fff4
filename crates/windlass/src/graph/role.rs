//! Roles: where locations attach to each other and interact (paper 000 section 2.1).
//!
//! A role is a bare identity, [`RoleId`]. What people call it depends on the side: the provider
//! knows it by a capability, the requirer by a requirement. A [`Role`] is an identity with the
//! name of that group, as one location sees it.

use std::fmt;

use super::Name;

/// The identity of a role within the graphs that are composed with each other.
///
/// Paper: 000 2.1 (Role)
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RoleId(pub u32);

impl From<usize> for RoleId {
    fn from(index: usize) -> Self {
        RoleId(u32::try_from(index).unwrap_or(u32::MAX))
    }
}

impl fmt::Debug for RoleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "r{}", self.0)
    }
}

/// A role as one location offers it.
///
/// Paper: 000 2.1 (Role)
///
/// Deviation: as printed (5.1 with the static constraints of 2.1) a capability could be the
/// target of one relationship only, so that two components on one host would be ill formed. There
/// is one role per capability and relationship here; the roles of one capability are grouped
/// under its name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Role {
    /// Which role it is.
    pub id: RoleId,
    /// The capability it belongs to in provided position, the requirement in required position.
    pub group: Name,
}

impl Role {
    /// The role `id`, grouped under the capability or requirement `group`.
    pub fn new(id: RoleId, group: impl Into<Name>) -> Self {
        Role { id, group: group.into() }
    }
}
