//! What decides how a deployment goes on: values in, events and outcomes out.
//!
//! Reading order: [`last_run`] (where a deployment stands, as its journal says), [`bring_up`] (from
//! there to what a description asks for), [`change_goal`] (from there to another goal, or down),
//! [`start_net`], [`continue_net`] and [`stop_net`] (the same for assemblies of nets), [`drive`]
//! (one run from its first entry to its end), [`drift`] (what runs against what the journal and the
//! description say), [`operator`] (who is asked and told).
//!
//! Absent on purpose: terminals, exit codes and the names of commands. A reason is an [`Error`],
//! and what the program that asks makes of it is its own business.

pub mod actions;
pub mod bring_up;
mod carry_over;
pub mod change_goal;
pub mod containers;
pub mod continue_net;
pub mod drift;
pub mod drive;
pub mod error;
pub mod hosts;
pub mod journal_error;
pub mod last_run;
pub mod lease;
pub mod operator;
pub mod prediction;
pub mod processes;
pub mod project;
pub mod read_journal;
pub mod recorded;
mod replace_file;
pub mod requirements;
pub mod restart;
pub mod resume_run;
pub mod run_start;
pub mod scale;
pub mod start_net;
pub mod stop_net;
pub mod take_down;

use std::path::PathBuf;

use windlass::application::{Application, Faults, GlobalState};
use windlass::goal::GoalFile;
use windlass::system::{Budget, Limits};

use crate::compose::ProjectEvent;
use crate::deployment::Deployment;
use crate::dispatcher::{Finish, Options};
use crate::machine::protocols::ProtocolMachine;
use crate::machine::single;
use crate::secrets::Secrets;
use crate::supervisor::DismissedEngine;

pub use actions::Action;
pub use error::Error;
pub use last_run::{LastRun, Standing};
pub(crate) use lease::Lease;
pub use operator::{Answer, Notice, Operator, Question};

/// Where actions take place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WorldKind {
    /// Commands and processes of this machine.
    #[default]
    Process,
    /// Containers of a Docker engine, beside the processes of this machine.
    Docker,
    /// The hosts that nodes name, by ssh.
    Ssh,
    /// Nowhere: virtual time.
    Simulated,
}

impl WorldKind {
    /// The word that a journal has for it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            WorldKind::Process => "process",
            WorldKind::Docker => "docker",
            WorldKind::Ssh => "ssh",
            WorldKind::Simulated => "simulated",
        }
    }

    /// The world that a journal names.
    pub(crate) fn from_journal(word: &str) -> Result<Self, Error> {
        [WorldKind::Process, WorldKind::Docker, WorldKind::Ssh, WorldKind::Simulated]
            .into_iter()
            .find(|world| world.as_str() == word)
            .ok_or_else(|| Error::UnknownWorld(word.to_owned()))
    }
}

/// How the runs of a deployment are driven.
#[derive(Debug, Clone)]
pub struct Settings {
    /// How many actions run at once, and what happens when one fails.
    pub options: Options,
    /// The values of the secrets that commands name.
    pub secrets: Secrets,
    /// Another configuration of ssh than the operator's own.
    pub ssh_config: Option<PathBuf>,
    /// Whether a run returns when its goal is reached, and leaves the processes to themselves.
    pub detach: bool,
    /// The program that redacts logs and keeps commands, one that was built with this
    /// crate, and none if there is none.
    pub program: Option<PathBuf>,
    /// Hears the progress of a Docker engine, from any thread.
    pub docker_progress: fn(&ProjectEvent),
    /// Hears what is worth a line while a host is waited for, from any thread.
    pub ssh_notice: fn(&str),
}

impl Default for Settings {
    /// A run returns when its goal is reached, and whoever wants to hear more says so.
    fn default() -> Self {
        Settings {
            options: Options::default(),
            secrets: Secrets::default(),
            ssh_config: None,
            detach: true,
            program: None,
            docker_progress: |_| {},
            ssh_notice: |_| {},
        }
    }
}

/// What became of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// A run came to an end, or to rest.
    Finished(Finish),
    /// There was nothing to do.
    NothingToDo,
    /// Nothing was done: these actions would be.
    DryRun(Vec<Action>),
}

impl Outcome {
    /// Whether everything is where it was to be.
    pub fn is_reached(&self) -> bool {
        matches!(self, Outcome::Finished(Finish::Reached) | Outcome::NothingToDo)
    }
}

/// A deployment, how it is driven, and who is asked.
pub struct Controller<'a> {
    /// Its folder.
    pub deployment: Deployment,
    /// Its name.
    pub name: String,
    /// How it is driven.
    pub settings: Settings,
    /// Who is asked and told.
    pub(crate) operator: &'a dyn Operator,
    /// Held until this goes: one engine drives a deployment at a time. None if nothing is done.
    lease: Option<Lease>,
}

impl<'a> Controller<'a> {
    /// The only one that drives this deployment.
    pub fn new(
        deployment: Deployment,
        name: &str,
        settings: Settings,
        operator: &'a dyn Operator,
    ) -> Result<Self, Error> {
        let lease = Some(Lease::take(&deployment, name, operator)?);
        Ok(Controller { deployment, name: name.to_owned(), settings, operator, lease })
    }

    /// One that only says what it would do.
    pub fn dry_run(
        deployment: Deployment,
        name: &str,
        settings: Settings,
        operator: &'a dyn Operator,
    ) -> Self {
        Controller { deployment, name: name.to_owned(), settings, operator, lease: None }
    }

    /// Whether nothing is done.
    pub fn is_dry_run(&self) -> bool {
        self.lease.is_none()
    }

    /// Lets go of the deployment; the engine in the background that gave way, if one did.
    pub fn release(self) -> Option<DismissedEngine> {
        self.lease.and_then(|lease| lease.dismissed)
    }

    /// Asks the operator; that nothing is done without a yes.
    fn confirm(&self, question: Question, actions: &[Action]) -> Result<(), Error> {
        match self.operator.confirm(&question, actions) {
            Answer::Yes => Ok(()),
            Answer::No => Err(Error::Declined),
            Answer::NotAsked => Err(Error::NotConfirmed(question)),
        }
    }

    /// A fault that nothing handles ends with the operator: whatever lacks what it relies on counts
    /// as dead, and its process is stopped.
    fn without_faults(&self, application: &Application, state: GlobalState) -> GlobalState {
        if application.faults == Faults::Replicas {
            return state;
        }
        let Some((after, dead)) = single::without_faults(application, &state) else { return state };
        self.operator.notice(&Notice::CountsAsDead(dead));
        after
    }
}

/// The machine of an application of protocols that is in `state`; nets are refused.
pub(crate) fn machine<'a>(
    application: &'a Application,
    state: &GlobalState,
    goal: Option<GoalFile>,
) -> Result<ProtocolMachine<'a>, Error> {
    ProtocolMachine::new(application, state.clone(), goal, search_limits).ok_or(Error::Mixed)
}

/// How much a search for a plan may cost before or during a run.
pub fn search_limits() -> Box<dyn Budget> {
    Box::new(Limits { states: 5_000_000, bytes: 2 << 30 })
}
