//! Who is asked before something runs, and told what happens: a person at a terminal, a page, or a
//! program.

use std::fmt;
use std::time::Duration;

use super::actions::Action;
use super::drive::RunView;
use crate::compose::ProjectEvent;
use crate::deployment::Deployment;
use crate::entry::Entry;
use crate::machine::Obstacle;
use crate::supervisor::DismissedEngine;
use crate::world::process::Interrupter;

/// Whoever a deployment belongs to. Every method has a default, so that a program implements what
/// it cares for; without an answer nothing is done that needs one.
pub trait Operator {
    /// Something is worth a line.
    fn notice(&self, _notice: &Notice) {}

    /// Whether something may be done.
    fn confirm(&self, _question: &Question, _actions: &[Action]) -> Answer {
        Answer::NotAsked
    }

    /// Whether everything that may be asked is answered with yes: then nothing is worked out that
    /// only a question would need.
    fn agrees(&self) -> bool {
        false
    }

    /// An engine in the background has ended, because this one wants to drive its deployment.
    fn supervisor_dismissed(&self, _deployment: &Deployment, _engine: &DismissedEngine) {}

    /// A run is about to go on.
    fn begins(&self, _run: &RunView<'_>) {}

    /// Entries of the journal, as soon as they are safe.
    fn events(&self, _at: Duration, _entries: &[Entry]) {}

    /// What waits for what may be asked; after how long this wants to be called again, if nothing
    /// happens before.
    fn waits(&self, _obstacles: &dyn Fn() -> Vec<Obstacle>) -> Option<Duration> {
        None
    }

    /// The run is over, or has come to rest.
    fn ends(&self) {}

    /// From here on the run can be interrupted by this.
    fn interruptible(&self, _interrupter: Interrupter) {}
}

/// What the operator says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// It may be done.
    Yes,
    /// It may not.
    No,
    /// Nothing: there is no way to ask.
    NotAsked,
}

/// What the operator is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Question {
    /// May commands run that have never run before?
    FirstRun,
    /// May instances be removed?
    Removals,
    /// May volumes be removed, with what is in them?
    RemoveVolumes(Vec<String>),
    /// May a volume be made again whose definition changed, without what is in it?
    RenewVolume(String),
}

impl Question {
    /// Whether the actions of a plan are what is asked about.
    pub fn is_about_actions(&self) -> bool {
        matches!(self, Question::FirstRun | Question::Removals)
    }
}

impl fmt::Display for Question {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Question::FirstRun => out.write_str("these commands would run for the first time"),
            Question::Removals => out.write_str("this plan removes instances"),
            Question::RemoveVolumes(names) => {
                write!(out, "this removes volumes with their data: {}", names.join(", "))
            }
            Question::RenewVolume(name) => write!(
                out,
                "the definition of the volume `{name}` changed; recreating it loses its data"
            ),
        }
    }
}

/// What the operator should know.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notice {
    /// What relies on something that is gone counts as dead.
    CountsAsDead(Vec<String>),
    /// A process runs by another command than the description says.
    OutdatedProcess {
        /// Its instance.
        instance: String,
    },
    /// A node has more instances than the description asks for.
    Surplus {
        /// The node.
        node: String,
        /// How many there are.
        there: usize,
        /// How many the description asks for.
        wanted: usize,
    },
    /// Operations have been done otherwise than the description says.
    OutdatedOperations {
        /// Their instance.
        instance: String,
        /// Their names.
        operations: Vec<String>,
    },
    /// Transitions of nets have been done otherwise than the description says.
    OutdatedTransitions(Vec<String>),
    /// What of a Compose project was taken over, and what differs.
    Adopted(Vec<ProjectEvent>),
    /// An operation left this for the operator.
    Remark(String),
    /// Something happens to a Compose project.
    Project(ProjectEvent),
}

impl fmt::Display for Notice {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Notice::CountsAsDead(dead) => write!(
                out,
                "what relies on something that is gone counts as dead: {}",
                dead.join(", ")
            ),
            Notice::OutdatedProcess { instance } => write!(
                out,
                "`{instance}` runs as it was described before, not as the file says now"
            ),
            Notice::Surplus { node, there, wanted } => {
                write!(out, "`{node}` has {there} instances, and the file asks for {wanted}")
            }
            Notice::OutdatedOperations { instance, operations } => {
                let operations: Vec<String> =
                    operations.iter().map(|it| format!("`{it}`")).collect();
                write!(
                    out,
                    "{} of `{instance}` has been done as it was described before, not as the file \
                     says now, and is not done again",
                    operations.join(", ")
                )
            }
            Notice::OutdatedTransitions(names) => {
                let names: Vec<String> = names.iter().map(|it| format!("`{it}`")).collect();
                write!(
                    out,
                    "done as it was described before, not as the file says now, and not done \
                     again: {}",
                    names.join(", ")
                )
            }
            Notice::Adopted(events) => {
                let all: Vec<String> =
                    events.iter().map(|it| format!("{} {it}", it.as_str())).collect();
                out.write_str(&all.join(", "))
            }
            Notice::Remark(text) => out.write_str(text),
            Notice::Project(event) => write!(out, "{} {event}", event.as_str()),
        }
    }
}
