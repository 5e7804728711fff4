//! Why a machine has no plan, does not follow one, or does not let a task start or end: worded here
//! and nowhere else.

use std::fmt;

use windlass::synthesize::NoPlan;

/// Why there is no plan.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlanError {
    /// The run was given a plan, and no goal.
    NoGoal,
    /// The planner has none.
    Planner(NoPlan),
    /// Faults that nothing takes.
    Faults {
        /// Whether the application forbids faults; else no handler takes them.
        forbidden: bool,
        /// Who lacks what.
        faults: Vec<String>,
    },
    /// A transition of a net has been done more than once: only its last time is known.
    Repeated(String),
    /// These transitions of a net have no `compensate`.
    NoCompensation(Vec<String>),
}

impl fmt::Display for PlanError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlanError::NoGoal => out.write_str("no goal was given, only a plan"),
            PlanError::Planner(NoPlan::Unreachable(why)) => {
                write!(out, "unreachable: {}", why.headline)?;
                why.because.iter().try_for_each(|because| write!(out, "; {because}"))
            }
            PlanError::Planner(NoPlan::Stopped(reason)) => {
                write!(out, "no plan was found: {reason}")
            }
            PlanError::Planner(_) => out.write_str("nets are not planned"),
            PlanError::Faults { forbidden, faults } => {
                let why =
                    if *forbidden { "faults are forbidden" } else { "no handler takes this fault" };
                write!(out, "{why}: {}", faults.join(", "))
            }
            PlanError::Repeated(name) => write!(out, "`{name}` has been done more than once"),
            PlanError::NoCompensation(names) => {
                write!(out, "nothing says how to undo `{}`", names.join("`, `"))
            }
        }
    }
}

impl std::error::Error for PlanError {}

impl From<NoPlan> for PlanError {
    fn from(why: NoPlan) -> Self {
        PlanError::Planner(why)
    }
}

/// Why a plan cannot be followed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FollowError {
    /// The text of a journal is no plan.
    Unreadable,
    /// A step that is no operation, where there is one instance of each node.
    NoOperation(String),
    /// The assembly has no such transition.
    NoTransition(String),
    /// What is to be undone has not been done.
    NotDone(String),
}

impl fmt::Display for FollowError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FollowError::Unreadable => out.write_str("the plan cannot be read"),
            FollowError::NoOperation(label) => {
                write!(out, "`{label}` is no operation of a node: there is one instance of each")
            }
            FollowError::NoTransition(name) => write!(out, "there is no transition `{name}`"),
            FollowError::NotDone(name) => write!(out, "`{name}` has not been done"),
        }
    }
}

impl std::error::Error for FollowError {}

/// Why a task does not start, or does not end well.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// The plan has no such step.
    NoStep,
    /// Steps before it have not ended, or it has started already.
    NotItsTurn,
    /// It has not started.
    NotRunning,
    /// The plan makes an instance of a node that is not there.
    NoNode(String),
    /// A step that is no operation of the one instance of a node.
    NoOperation,
    /// A premise of the rules does not hold, as they explain it.
    Blocked(String),
    /// The plan was made without faults, and this would be one.
    Fault(String),
    /// Another operation of the same node is under way.
    Busy,
    /// No transition of the protocol fits.
    NoTransition,
    /// Something runs that has to run alone.
    RunsAlone(String),
    /// Something runs that the handlers of this one's fault would disturb.
    Handlers(String),
    /// It leads to an inconsistent state.
    Inconsistent(String),
    /// It may end neither before nor after something that runs.
    Overlap(String),
    /// Its instance died while it ran.
    InstanceDied,
    /// A transition of a net that cannot start.
    TransitionBlocked(String),
    /// A transition of a net that does not run.
    TransitionIdle(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::NoStep => out.write_str("the plan has no such step"),
            Refusal::NotItsTurn => out.write_str("it is not its turn"),
            Refusal::NotRunning => out.write_str("it does not run"),
            Refusal::NoNode(node) => write!(out, "there is no node `{node}`"),
            Refusal::NoOperation => out.write_str("it is no operation"),
            Refusal::Blocked(why) => out.write_str(why),
            Refusal::Fault(what) => write!(out, "it would cause a {what}"),
            Refusal::Busy => out.write_str("another operation of it is under way"),
            Refusal::NoTransition => out.write_str("no transition fits"),
            Refusal::RunsAlone(label) => write!(out, "`{label}` has to run alone"),
            Refusal::Handlers(label) => write!(out, "`{label}` runs, and handlers follow it"),
            Refusal::Inconsistent(fault) => {
                write!(out, "it leads to an inconsistent state: {fault}")
            }
            Refusal::Overlap(label) => write!(out, "it may not end before or after `{label}`"),
            Refusal::InstanceDied => out.write_str("its instance died while it ran"),
            Refusal::TransitionBlocked(name) => write!(out, "`{name}` cannot start"),
            Refusal::TransitionIdle(name) => write!(out, "`{name}` does not run"),
        }
    }
}

impl std::error::Error for Refusal {}
