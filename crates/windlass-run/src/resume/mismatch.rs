//! Why a journal does not fit the rules: it is damaged, or of another program.

use std::fmt;

use crate::entry::{OrderId, Task};
use crate::machine::{FollowError, Refusal};

/// An entry that cannot have been written in the state before it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum JournalMismatch {
    /// No order has such a number.
    ImpossibleNumber {
        /// Of the order.
        label: String,
        /// The number.
        order: OrderId,
    },
    /// Another order of this number is under way.
    NumberTaken {
        /// Of the order.
        label: String,
        /// The number.
        order: OrderId,
    },
    /// The plan has no such step.
    NoStep {
        /// Of the action.
        label: String,
        /// The step.
        task: Task,
    },
    /// The plan cannot be followed.
    Plan(FollowError),
    /// The rules do not let the action start.
    NotStartable {
        /// Of the action.
        label: String,
        /// Why not.
        why: Refusal,
    },
    /// The order ended, and was never given.
    NotGiven(OrderId),
}

impl fmt::Display for JournalMismatch {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JournalMismatch::ImpossibleNumber { label, order } => {
                write!(out, "`{label}` has the impossible number {}", order.0)
            }
            JournalMismatch::NumberTaken { label, order } => {
                write!(out, "`{label}` has the number of another order, {}", order.0)
            }
            JournalMismatch::NoStep { label, task } => {
                write!(out, "`{label}` is step {} of a plan that has no such step", task.0)
            }
            JournalMismatch::Plan(why) => why.fmt(out),
            JournalMismatch::NotStartable { label, why } => {
                write!(out, "`{label}` was started although {why}")
            }
            JournalMismatch::NotGiven(order) => {
                write!(out, "order {} ended without having been given", order.0)
            }
        }
    }
}

impl std::error::Error for JournalMismatch {}
