//! The effects of Windlass: everything that touches the world outside the process.
//!
//! The pure library decides what may happen next; this crate makes it happen and writes down
//! what did. It holds nothing yet: the dispatcher, the executor, the worlds and the journal
//! arrive with the engine. It exists from the first day so that the arrow
//! `windlass-cli -> windlass-run -> windlass` is enforced by Cargo and not by good intentions.

#![forbid(unsafe_code)]

pub use windlass;
