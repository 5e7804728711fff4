//! Windlass, the pure library: text in, values out.
//!
//! No I/O, no async, no clock, no randomness. Arrows between the modules point downward only in
//! the list below, which is also the reading order; `cargo xtask tidy` checks them.

#![forbid(unsafe_code)]

// Reading order: source, diagnostic, spelling, tree, graph, lifecycle, application, plan, goal,
// lang, rule, system, semantics, explore, certificate, then one folder per question: verify,
// synthesize, prove, analyze, simulate, step; and export.
pub mod analyze;
pub mod application;
pub mod certificate;
mod cycle;
pub mod diagnostic;
pub mod explore;
pub mod export;
pub mod fnv;
pub mod goal;
pub mod graph;
pub mod lang;
pub mod lifecycle;
pub mod plan;
pub mod prove;
pub mod rule;
pub mod semantics;
pub mod simulate;
pub mod source;
pub mod spelling;
pub mod step;
pub mod synthesize;
pub mod system;
pub mod tree;
pub mod verify;

#[cfg(test)]
mod test_size;
