//! How much a search may spend, and why it stopped before it was done.
//!
//! The library has no clock. A search asks a [`Budget`] every few states whether to go on; the
//! caller that starts the search implements it with time, memory, a signal and a progress bar.
//! Invariant: a limit reached is `Unknown`, never "holds".

use std::fmt;
use std::ops::ControlFlow;

/// Why a search ended without an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum StopReason {
    /// More states than the search was allowed to keep.
    States,
    /// More memory than the search was allowed to use.
    Memory,
    /// The time was up.
    Time,
    /// The user interrupted the search.
    Interrupted,
    /// Many states were looked at and none was good; with `--optimal` the search goes on.
    Patience,
    /// Some path is longer than the search was allowed to follow.
    Depth,
    /// The reference semantics does not follow a path that the search found: the compiled form or
    /// the symmetry is wrong. Reported instead of a story that did not happen.
    Replay,
    /// What is asked about has parts that nothing describes.
    Undescribed,
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::States => "the limit on states was reached",
            Self::Memory => "the limit on memory was reached",
            Self::Time => "the time was up",
            Self::Interrupted => "the search was interrupted",
            Self::Patience => "many states were looked at; --optimal looks on until a limit",
            Self::Depth => "the limit on the length of paths was reached",
            Self::Replay => "the path found cannot be replayed (a defect of Windlass)",
            Self::Undescribed => "it has parts that nothing describes",
        })
    }
}

/// What a search has done so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Distinct states found.
    pub states: usize,
    /// States whose successors have been generated.
    pub(crate) expanded: usize,
    /// Transitions followed, also those that led to a state already known.
    pub transitions: u64,
    /// Steps from the start to the layer that is being expanded.
    pub depth: u32,
    /// Bytes kept for states, their parents, the table over them and, where a property needs them,
    /// the edges. Not counted: what fields of states that are not compiled keep on the heap, and
    /// buffers for the successors of at most a few thousand states.
    pub bytes: usize,
}

/// Asked every few states whether the search may go on; the figures are new every few thousand.
pub trait Budget {
    /// Goes on, or stops for the reason given.
    fn spend(&mut self, progress: &Progress) -> ControlFlow<StopReason>;
}

/// A budget without limits.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unlimited;

impl Budget for Unlimited {
    fn spend(&mut self, _: &Progress) -> ControlFlow<StopReason> {
        ControlFlow::Continue(())
    }
}

/// A budget that needs no clock: so many states, so many bytes.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The most states that may be kept; more are found only between two questions.
    pub states: usize,
    /// The most bytes that may be kept.
    pub bytes: usize,
}

impl Budget for Limits {
    fn spend(&mut self, progress: &Progress) -> ControlFlow<StopReason> {
        if progress.states > self.states {
            return ControlFlow::Break(StopReason::States);
        }
        if progress.bytes > self.bytes {
            return ControlFlow::Break(StopReason::Memory);
        }
        ControlFlow::Continue(())
    }
}
