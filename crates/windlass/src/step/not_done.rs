//! Why a line was not carried out.

use std::fmt;

use crate::application::InstanceId;

/// Why a line was not carried out; nothing has changed then.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotDone {
    /// It is no command; this is what can be written.
    NoCommand(&'static str),
    /// There is no such node; these are the known ones, for people.
    UnknownNode {
        /// The name as it was written.
        name: String,
        /// What there is.
        known: String,
    },
    /// The type has no such operation or requirement.
    UnknownRole {
        /// The name of the type.
        component: String,
        /// `operation` or `requirement`.
        what: &'static str,
        /// The name as it was written.
        name: String,
    },
    /// There is no such component.
    UnknownComponent(String),
    /// There is no such transition.
    UnknownTransition(String),
    /// There is no such instance.
    UnknownInstance(InstanceId),
    /// The instance performs no operation that could end.
    Idle(InstanceId),
    /// There is nothing to take back.
    NothingToUndo,
    /// A premise does not hold; it and what would satisfy it, in words.
    Blocked(String),
    /// The faults that follow never settle.
    NeverSettles,
}

impl fmt::Display for NotDone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotDone::NoCommand(words) => f.write_str(words),
            NotDone::UnknownNode { name, known } => write!(f, "unknown node `{name}`; {known}"),
            NotDone::UnknownRole { component, what, name } => {
                write!(f, "`{component}` has no {what} `{name}`")
            }
            NotDone::UnknownComponent(name) => write!(f, "there is no component `{name}`"),
            NotDone::UnknownTransition(name) => write!(f, "there is no transition `{name}`"),
            NotDone::UnknownInstance(id) => write!(f, "there is no instance `{id}`"),
            NotDone::Idle(id) => write!(f, "no operation is under way on `{id}`"),
            NotDone::NothingToUndo => f.write_str("there is nothing to take back"),
            NotDone::Blocked(reason) => f.write_str(reason),
            NotDone::NeverSettles => f.write_str("the faults never settle"),
        }
    }
}

impl std::error::Error for NotDone {}
