//! Processs of locations (paper 000 section 2.1).
//!
//! The model leaves the datatype open; a name and the atoms it mentions are enough for us.

use std::collections::BTreeSet;

use super::{Atom, Name};

/// The behavior of a location, e.g. the state its lifecycle is in.
///
/// Paper: 000 2.1 (Process)
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Process {
    /// What it is called.
    pub name: Name,
    /// The location names and roles it mentions (the paper's `patoms`).
    pub atoms: BTreeSet<Atom>,
}

impl Process {
    /// A process that mentions no location and no role.
    pub fn new(name: impl Into<Name>) -> Self {
        Process { name: name.into(), atoms: BTreeSet::new() }
    }
}
