//! The integration tests of the engine: one program, one module for each subject.
//!
//! `cargo test -p windlass-run --test engine simulation::` runs those of one module.

mod arity_all;
mod compose_hash;
mod compose_hash_sweep;
mod damaged_journal;
mod embedding;
mod on_failure;
mod simulation;
mod single_instances;
