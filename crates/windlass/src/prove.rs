//! `windlass prove` as one function per kind of question: does bringing it up always complete?
//!
//! `always completes` means: every maximal run is finite and ends in the goal. Systems that only
//! ever climb are decided by one run (`system/ladder.rs`), everything else by search; rule sets for
//! any size by `any_size/`. Every answer has been through `certificate` before it is given.

pub mod any_size;
mod application;
mod explain;
mod net;
mod search;
mod topology;

pub use any_size::{AnySize, Smallest, any_size};
pub use application::{application, targets, waits_for_never};
pub use net::net;
pub use topology::topology;

use crate::application::assembly::progress::Explanation;
use crate::system::StopReason;

/// Runs up to this many steps are also replayed by the reference, step by step.
const REPLAYED: usize = 2_000;

/// The answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// Every maximal run is finite and ends in the goal.
    AlwaysCompletes,
    /// Some run ends elsewhere, or never.
    CanGetStuck,
    /// A limit came first, or a case stays open.
    Unknown,
}

impl Answer {
    /// The word in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Answer::AlwaysCompletes => "always_completes",
            Answer::CanGetStuck => "can_get_stuck",
            Answer::Unknown => "unknown",
        }
    }
}

/// How things get stuck.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stuck {
    /// What happens, in order.
    pub trace: Vec<String>,
    /// Whether no shorter run gets stuck.
    pub shortest: bool,
    /// What then repeats forever; empty when nothing can happen any more.
    pub cycle: Vec<String>,
    /// What waits for what in the end, and why that never comes.
    pub waiting: Vec<String>,
    /// The same for nets: the waits from one transition on, to be drawn.
    pub waits: Option<Explanation>,
}

/// An answer about one application or topology.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Proof {
    /// The answer.
    pub answer: Answer,
    /// How it was found: `one run` or `search`.
    pub method: &'static str,
    /// What it rests on.
    pub assumptions: Vec<String>,
    /// How it gets stuck, when it can.
    pub stuck: Option<Stuck>,
    /// The kind of evidence that was checked: `run`, `trace`, `measure` or `search`.
    pub evidence: &'static str,
    /// The steps of the run, or the states of the search.
    pub size: usize,
    /// Why there is no answer.
    pub stopped: Option<StopReason>,
}
