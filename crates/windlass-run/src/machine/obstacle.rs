//! What keeps a task from starting, as a value; `Display` has the words.

use std::fmt;

/// Why something that is to be done has not begun.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Obstacle {
    /// The action failed and is not tried again.
    Failed {
        /// Its label.
        action: String,
    },
    /// It is the action's turn, and a rule forbids it.
    Forbidden {
        /// Its label.
        action: String,
        /// The rule, in words.
        why: String,
    },
    /// An action comes first.
    Order {
        /// Its label.
        action: String,
        /// The label of the one before it.
        before: String,
    },
    /// A port is not ready.
    Port {
        /// The transition.
        action: String,
        /// Which port, in words.
        why: String,
    },
    /// A transition is on a cycle, and begins again.
    Cycle {
        /// The transition.
        action: String,
    },
    /// What began after it is undone before it.
    UndoneLater {
        /// The transition.
        action: String,
    },
    /// A token cannot leave its place.
    Place {
        /// The place.
        place: String,
    },
    /// A fault waits to be handled.
    Fault {
        /// Which, in words.
        why: String,
    },
    /// Nothing is left to do, and the goal does not hold.
    Goal,
}

impl Obstacle {
    /// The label of what does not begin.
    pub fn action(&self) -> Option<&str> {
        match self {
            Obstacle::Failed { action }
            | Obstacle::Forbidden { action, .. }
            | Obstacle::Order { action, .. }
            | Obstacle::Port { action, .. }
            | Obstacle::Cycle { action }
            | Obstacle::UndoneLater { action } => Some(action),
            Obstacle::Place { .. } | Obstacle::Fault { .. } | Obstacle::Goal => None,
        }
    }

    /// What comes first, in words; none when something else is in the way.
    pub fn waits_for(&self) -> Option<String> {
        match self {
            Obstacle::Order { before, .. } => Some(format!("`{before}`")),
            Obstacle::UndoneLater { .. } => Some("what began after it".to_owned()),
            _ => None,
        }
    }
}

impl fmt::Display for Obstacle {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Obstacle::Failed { action } => write!(out, "`{action}` failed"),
            Obstacle::Forbidden { action, why } => write!(out, "`{action}` cannot start: {why}"),
            Obstacle::Order { action, before } => write!(out, "`{action}` waits for `{before}`"),
            Obstacle::Port { action, why } => write!(out, "`{action}` waits: {why}"),
            Obstacle::Cycle { action } => write!(out, "`{action}` begins again"),
            Obstacle::UndoneLater { action } => {
                write!(out, "`{action}` waits for what began after it")
            }
            Obstacle::Place { place } => write!(out, "a token cannot pass `{place}`"),
            Obstacle::Fault { why } => out.write_str(why),
            Obstacle::Goal => out.write_str("every action is done, and the goal does not hold"),
        }
    }
}
