//! What several integration tests share: applications as short texts, the applications of the
//! papers, and random applications, states and plans from a seed.
//!
//! Nothing here is part of the library.

#![allow(unreachable_pub, reason = "fixtures are written as if they were a library")]
#![allow(clippy::format_push_string, clippy::struct_excessive_bools, reason = "short, not fast")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a fixture that is wrong must panic")]

pub mod atomic;
pub mod fixtures;
pub mod long;
pub mod planning;
pub mod prng;
pub mod random;
pub mod sketch;
pub mod small;
pub mod traps;
