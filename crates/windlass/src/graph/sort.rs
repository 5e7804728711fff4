//! Sorts of locations (paper 000 section 2.1).
//!
//! The model leaves the datatype open; a name and the atoms it mentions are enough for us.

use std::collections::BTreeSet;

use super::{Atom, Name};

/// The type of a location, e.g. the name of its node type.
///
/// Paper: 000 2.1 (Sort)
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sort {
    /// What it is called.
    pub name: Name,
    /// The location names and roles it mentions (the paper's `satoms`).
    pub atoms: BTreeSet<Atom>,
}

impl Sort {
    /// A sort that mentions no location and no role.
    pub fn new(name: impl Into<Name>) -> Self {
        Sort { name: name.into(), atoms: BTreeSet::new() }
    }
}
