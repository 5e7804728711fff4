//! One file per question; each returns a `Verdict` with evidence.

pub mod validity;
