//! Descriptions of life cycles, without behavior.
//!
//! A component type has one life cycle: a management protocol (papers 003 and 004) or a net
//! (paper 002). `semantics/` says what such a description means; here it is plain data.

pub mod implementation;
pub mod net;
pub mod protocol;
pub mod setup;
pub mod timing;

use std::time::Duration;

pub use net::Net;
pub use protocol::Protocol;

/// The life cycle of a component type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lifecycle {
    /// States and operations that rely on requirements and offer capabilities.
    Protocol(Protocol),
    /// Places, transitions, groups and ports.
    Net(Net),
}

/// How long an action is expected to take.
pub type Expected = Option<Duration>;

/// A price in thousandths of whatever unit the author has in mind, so that sums are exact.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cost(pub u64);

/// Declares an index type: a small number that is only valid inside one owner.
macro_rules! index {
    ($(#[$doc:meta])* $visibility:vis $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $visibility struct $name($visibility u32);

        impl $name {
            /// As an index into the owner's list.
            $visibility fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl From<usize> for $name {
            fn from(index: usize) -> Self {
                $name(u32::try_from(index).unwrap_or(u32::MAX))
            }
        }
    };
}
pub(crate) use index;
