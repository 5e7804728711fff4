//! The shortest failing run of a plan, step by step.

use crate::application::GlobalState;

/// One event of a story.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoryStep {
    /// The label of the step in the plan, and which part of it.
    pub label: String,
    /// What was done.
    pub action: String,
    /// What happened by itself afterwards: faults, switches, destruction.
    pub consequences: Vec<String>,
    /// The state after it.
    pub after: GlobalState,
}

/// A run of the plan that cannot go on.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counterexample {
    /// Where it starts.
    pub start: GlobalState,
    /// What was done before.
    pub steps: Vec<StoryStep>,
    /// The label of the action that fails, and which part of it.
    pub label: String,
    /// The action that fails.
    pub(crate) action: String,
    /// The premise that does not hold, and what would have satisfied it.
    pub reason: String,
    /// Whether no failing run is shorter; else a limit ended the search for one.
    pub shortest: bool,
}
