//! One file per question; each returns a `Verdict` with evidence.

pub mod any_size;
pub mod overview;
pub mod synthesis;
pub mod validity;
