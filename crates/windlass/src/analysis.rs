//! One file per question; each returns a `Verdict` with evidence.

pub mod overview;
pub mod validity;
