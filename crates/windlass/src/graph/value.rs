//! Values: what locations are made of and what they exchange (paper 000 section 2.1).
//!
//! The model is of higher order: names, roles, sorts and processes are values themselves.

use std::fmt;
use std::sync::Arc;

use super::{Process, RoleId, Sort};

/// The name of a location, and any other word of the model. Cloning is cheap.
///
/// Paper: 000 2.1 (Name)
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(Arc<str>);

impl Name {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<T: AsRef<str> + ?Sized> From<&T> for Name {
    fn from(text: &T) -> Self {
        Name(Arc::from(text.as_ref()))
    }
}

impl From<String> for Name {
    fn from(text: String) -> Self {
        Name(Arc::from(text))
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

/// A name or a role: what a context knows, and what sorts and processes can mention (the paper's
/// `satoms` and `patoms`).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Atom {
    /// A location name.
    Name(Name),
    /// A role.
    Role(RoleId),
}

/// What one interaction carries.
///
/// Paper: 000 2.1 (Value)
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// A location name.
    Name(Name),
    /// A behavior, e.g. new functionality handed to a running system.
    Process(Process),
    /// A type of locations.
    Sort(Sort),
    /// A role.
    Role(RoleId),
    /// Any other value: the paper's `Value` is not abstract.
    Datum(Name),
}
