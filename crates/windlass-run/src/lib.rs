//! The effects of Windlass: everything that touches the world outside the process.
//!
//! The pure library decides what may happen next; this crate makes it happen and writes down what
//! did. Reading order: [`entry`] (what is written down), [`journal`] (where), [`world`] (who
//! carries actions out), [`machine`] (what may start), [`dispatcher`] (the loop), [`resume`] (the
//! same loop after a crash), [`deployment`] (the folder in which all of it is kept),
//! [`supervisor`] (an engine in the background), [`controller`] (what decides how a deployment goes
//! on: the place to begin for a program that brings something up).
//!
//! Invariants: one thread owns the state and takes events one at a time; nothing starts that
//! `step` blocks; every decision is in the journal before it takes effect; waiting costs nothing.

#![forbid(unsafe_code)]

pub mod compose;
pub mod controller;
pub mod deployment;
pub mod dispatcher;
pub mod entry;
pub mod journal;
mod limits;
pub mod machine;
pub mod resume;
pub mod secrets;
pub mod supervisor;
pub mod world;

pub use windlass;
