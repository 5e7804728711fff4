//! `windlass simulate` as one function: an assembly of nets in virtual time.
//!
//! Reading order: `engine.rs` (tokens and events), `slots.rs` (what limits how much runs at
//! once), `chance.rs` (durations from a seed), `path.rs` (critical path and slack), `what_if.rs`
//! (the same assembly with other durations or without a dependency), `runs.rs` (many runs).
//! `bring_up.rs` and `planned.rs` make assemblies of protocols and of plans, by `single.rs`.
//!
//! A simulated run is one run of the relation in `semantics/net.rs`: every rule that can be
//! applied is applied at once, an action ends when its duration is over. Among runs it is the one
//! in which an enabled transition starts before a token leaves the place that serves it, so that
//! what can be used is used. Its trace is replayed by the reference in the tests. Time is linear in
//! the number of transitions and connections, but for a heap of the actions that run.

pub mod bring_up;
mod chance;
mod engine;
pub mod path;
pub mod planned;
pub mod runs;
mod single;
mod slots;
pub mod what_if;

pub use engine::live::Live;

use std::time::Duration;

use crate::application::assembly::{Assembly, PortId, TransitionId};
use crate::semantics::net::Action;

/// Whose way of working is simulated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// Everything that can run runs.
    #[default]
    Madeus,
    /// One transition at a time in each component.
    Aeolus,
    /// One component after the other, one transition at a time.
    Kolla,
}

impl Mode {
    /// The word on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Mode::Madeus => "madeus",
            Mode::Aeolus => "aeolus",
            Mode::Kolla => "kolla",
        }
    }
}

/// How an assembly is run.
#[derive(Debug, Clone, Default)]
pub struct Scenario {
    /// Whose way of working.
    pub mode: Mode,
    /// How many transitions run at once at most.
    pub jobs: Option<u32>,
    /// The seed of every duration; without one each action takes its mean.
    pub seed: Option<u64>,
    /// Whether every step is recorded.
    pub trace: bool,
}

/// How an action ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Well.
    Done,
    /// It took longer than it may; it may have been tried again.
    TimedOut,
}

/// One execution of a transition.
#[derive(Debug, Clone, Copy)]
pub struct Run {
    /// The transition.
    pub transition: TransitionId,
    /// When it started.
    pub start: Duration,
    /// When it ended.
    pub end: Duration,
    /// Which try it was, from 0.
    pub attempt: u32,
    /// How it ended.
    pub how: End,
    /// The run whose end let it start; none when it could start at once.
    pub trigger: Option<u32>,
}

/// Something that had to be over before a run could start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cause {
    /// The run that had to be over.
    pub(crate) run: u32,
    /// The use port through which it was waited for, or the provide port that it used until then;
    /// none inside a component.
    pub(crate) port: Option<PortId>,
}

/// Why a token does not move any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Waiting {
    /// A transition for a port that is never provided.
    Port(TransitionId, PortId),
    /// A transition that failed as often as it may.
    Failed(TransitionId),
    /// A transition that begins once more within one behavior: its net goes in a cycle, forever.
    Cycle(TransitionId),
    /// A place that cannot be entered, because a dock or a port is missing.
    Place(crate::application::assembly::PlaceId),
}

impl Waiting {
    /// The reason in words.
    pub fn describe(&self, assembly: &Assembly<'_>) -> String {
        match *self {
            Waiting::Port(transition, port) => {
                let links = assembly.links_of_user(port).iter();
                let providers = links.map(|link| assembly.port_name(assembly.link(*link).provider));
                let providers: Vec<String> = providers.take(3).collect();
                let why = match providers.as_slice() {
                    [] => "which is not connected".to_owned(),
                    [one] => format!("which `{one}` never provides by then"),
                    several => format!("which none of `{}` provides by then", several.join("`, `")),
                };
                format!(
                    "`{}` waits for port `{}`, {why}",
                    assembly.transition_name(transition),
                    assembly.port_name(port)
                )
            }
            Waiting::Failed(transition) => {
                format!("`{}` timed out for good", assembly.transition_name(transition))
            }
            Waiting::Cycle(transition) => format!(
                "`{}` begins again: its net goes in a cycle, and this never ends",
                assembly.transition_name(transition)
            ),
            Waiting::Place(place) => {
                format!("a token cannot pass `{}`", assembly.place_name(place))
            }
        }
    }
}

/// A simulated run of an assembly.
#[derive(Debug, Clone, Default)]
pub struct Schedule {
    /// Every execution, in the order of their starts.
    pub runs: Vec<Run>,
    /// When the last one ended.
    pub makespan: Duration,
    /// Why it did not finish; empty when it did.
    pub waiting: Vec<Waiting>,
    /// Every step with its moment, when that was asked for.
    pub trace: Vec<(Duration, Action)>,
    causes: Vec<Cause>,
    cause_starts: Vec<u32>,
}

impl Schedule {
    /// Whether every token came to rest on a final place.
    pub fn is_finished(&self) -> bool {
        self.waiting.is_empty()
    }

    /// What had to be over before a run could start.
    pub(crate) fn causes(&self, run: usize) -> &[Cause] {
        let start = self.cause_starts[run] as usize;
        let end = self.cause_starts.get(run + 1).map_or(self.causes.len(), |end| *end as usize);
        &self.causes[start..end]
    }
}

/// Runs an assembly in virtual time.
pub fn simulate(assembly: &Assembly<'_>, scenario: &Scenario) -> Schedule {
    engine::Engine::new(assembly, scenario).run()
}
