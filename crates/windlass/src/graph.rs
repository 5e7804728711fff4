//! Location graphs, the pivot between all languages (paper 000 section 2).
//!
//! A configuration is a set of locations. A location has a name, a sort, a process, and the roles
//! it provides and requires; a role that one location provides and another requires binds the
//! two. Whatever the language, `show`, the structural rules and `convert` see such a graph.
//!
//! Reading order: the values ([`value`], [`role`], [`sort`], [`process`]), the [`location`]s made
//! of them, what makes a set of locations well formed ([`wellformed`]), how two sets become one
//! ([`compose`]), and what a set can do ([`transition`]).
//!
//! Invariant: nothing here knows an application, a lifecycle or a language.

pub mod value;

pub mod role;

pub mod sort;

pub mod process;

pub mod location;

pub mod wellformed;

pub mod compose;

pub mod transition;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

pub use self::compose::{Binding, Clash, bindings_in_ls};
pub use self::location::{Location, Overlap};
pub use self::process::Process;
pub use self::role::{Role, RoleId};
pub use self::sort::Sort;
pub use self::value::{Atom, Name, Value};
pub use self::wellformed::IllFormed;

/// A set of locations, in the order of their names.
///
/// Paper: 000 2.1 (Location)
///
/// Deviation: two Alloy locations can differ while all their fields agree; ours are equal then,
/// and a set holds them once.
pub type LocationSet = BTreeSet<Location>;

/// A configuration: just a set of locations.
///
/// Paper: 000 2.1 (LocationGraph)
/// Paper: 000 2.1 (All_LocationGraph_Are_Well_Formed)
///
/// Deviation: the paper makes well-formedness a fact of every graph. Graphs come from people's
/// files here, so it is a question, [`wellformed::well_formed_location_graph`], whose answer
/// names what is wrong.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct LocationGraph {
    /// The locations.
    pub locations: LocationSet,
}

impl LocationGraph {
    /// The graph without locations, neutral for composition.
    ///
    /// Paper: 000 2.1 (Null)
    /// Paper: 000 2.1 (NullHasNoLocations)
    pub fn null() -> Self {
        Self::default()
    }

    /// The location of that name; the first one when the graph is ill formed.
    pub fn location(&self, name: &str) -> Option<&Location> {
        self.locations.iter().find(|location| location.name().as_str() == name)
    }

    /// Every bound role with the two locations it binds, ordered by role.
    pub fn bindings(&self) -> Vec<Binding<'_>> {
        bindings_in_ls(&self.locations)
    }
}

impl FromIterator<Location> for LocationGraph {
    fn from_iter<I: IntoIterator<Item = Location>>(locations: I) -> Self {
        Self { locations: locations.into_iter().collect() }
    }
}

/// The graph that consists of one location.
///
/// Paper: 000 2.2 (LocationGraphFromLocation)
impl From<Location> for LocationGraph {
    fn from(location: Location) -> Self {
        std::iter::once(location).collect()
    }
}
