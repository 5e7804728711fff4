//! Why a deployment cannot go on as it was asked to: every reason with its data, worded here and
//! nowhere else. What the operator can do about it depends on the program that asks; so do exit
//! codes.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::{error, fmt};

use windlass::application::Faults;
use windlass::application::assembly::NoAssembly;
use windlass::plan::fit::Misfit;
use windlass::verify::Validity;

use super::WorldKind;
use super::carry_over::StateMisfit;
use super::journal_error::{JournalAccess, Stage};
use super::operator::Question;
use super::requirements::MissingSecret;
use super::stop_net::NotStoppable;
use crate::compose::UnknownService;
use crate::entry::OrderId;
use crate::journal::JournalError;
use crate::machine::net::HistoryError;
use crate::machine::{FollowError, PlanError};
use crate::resume::{InDoubt, ResumeError, Verdict};
use crate::world::docker::OrderError;
use crate::world::docker::engine::EngineError;
use crate::world::docker::http::BadAddress;
use crate::world::docker::pull::ImageError;

/// What keeps a deployment from going on.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// Another engine drives the deployment.
    Locked {
        /// The deployment.
        name: String,
    },
    /// The folder of the deployment cannot be made or written to.
    Folder {
        /// The folder.
        path: PathBuf,
        /// Whether it is there.
        exists: bool,
        /// Why.
        error: io::Error,
    },
    /// A file cannot be used: what was to be done with it, as a verb.
    File {
        /// `read`, `write`, `use` or `find`.
        verb: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A file that belongs to a deployment is not what this program writes.
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What its reader says.
        why: String,
    },
    /// The configuration of ssh cannot be read.
    SshConfig {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The journal says what cannot have been.
    Damaged(Damage),
    /// The journal of a prediction, which is in memory, cannot be written.
    Memory(JournalError),
    /// The journal cannot be read.
    JournalRead(JournalAccess),
    /// The journal cannot be written.
    JournalWrite {
        /// What is known about it.
        access: JournalAccess,
        /// Whether anything of the run is in it.
        stage: Stage,
    },
    /// Nothing has ever run in the deployment.
    NeverUp {
        /// The deployment.
        name: String,
    },
    /// The last run has not ended.
    NotEnded {
        /// The run.
        run: u64,
        /// The deployment.
        name: String,
        /// Whether another run is to follow it that needs it ended, and not only gone on with.
        another_follows: bool,
    },
    /// The deployment is in another world.
    OtherWorld {
        /// The deployment.
        name: String,
        /// Its world.
        world: WorldKind,
    },
    /// A journal names a world that does not exist.
    UnknownWorld(String),
    /// The deployment is one of nets, and something else was to come up in it.
    OfNets,
    /// Nets go up and down as a whole.
    WholeNets,
    /// An application of protocols and nets.
    Mixed,
    /// The application is no assembly that can run.
    Assembly(NoAssembly),
    /// The instances that exist have no place in the description.
    StateMisfit(StateMisfit),
    /// Nothing says in which state a node is up.
    NoUpState {
        /// The node.
        node: String,
    },
    /// No plan leads to the goal.
    NoPlan(PlanError),
    /// A plan is not about this application and this state.
    PlanMisfit(Vec<Misfit>),
    /// A plan was made for another application or another state.
    StalePlan,
    /// A plan does not fit the application.
    ForeignPlan,
    /// A plan is not valid.
    InvalidPlan(Validity),
    /// A plan does not reach the goal; whether it sometimes does.
    MissesGoal {
        /// Whether it reaches the goal in some orders.
        sometimes: bool,
    },
    /// A plan has a cycle.
    CyclicPlan,
    /// The machine refuses the plan.
    NotFollowed(FollowError),
    /// A goal or a plan for nets, which run by their rules.
    NetWithGoal,
    /// The assembly gets stuck; what each waiting transition waits for.
    Stuck(Vec<String>),
    /// Transitions that nothing undoes, and a run that is to be undone if it fails.
    NothingUndoes(Vec<String>),
    /// There is no way back.
    NoWayBack(PlanError),
    /// What nets have done fits no way back.
    History(HistoryError),
    /// Nothing stops a net from where it is.
    NotStoppable(NotStoppable),
    /// A run of nets went back half-way.
    HalfWayBack {
        /// The run.
        run: u64,
        /// The deployment.
        name: String,
    },
    /// What nets have done does not fit the description any more.
    NetMisfit {
        /// The deployment.
        name: String,
        /// Why.
        why: HistoryError,
    },
    /// Secrets that commands name are missing.
    MissingSecrets(Vec<MissingSecret>),
    /// A container is described, and the world makes none.
    NeedsContainers {
        /// The type of the component.
        component: String,
        /// The image.
        image: String,
    },
    /// A simulated world ends with the command that made it.
    Simulated,
    /// The run failed and was rolled back.
    RolledBack(Vec<String>),
    /// These actions may have happened, and must not happen twice.
    InDoubt {
        /// The actions.
        doubts: Vec<InDoubt>,
        /// What the operator has said so far.
        verdicts: BTreeMap<OrderId, Verdict>,
    },
    /// The hosts that know what became of actions do not answer.
    Silent(ResumeError),
    /// A host that knows whether a process runs does not answer.
    HostSilent(String),
    /// An order is not in doubt.
    NotInDoubt(OrderId),
    /// The operator did not agree.
    Declined,
    /// The operator cannot be asked.
    NotConfirmed(Question),
    /// With these faults a node is one instance.
    OneInstance(Faults),
    /// The deployment is down.
    IsDown {
        /// The deployment.
        name: String,
    },
    /// The deployment has no goal to come back to.
    NoGoal {
        /// The deployment.
        name: String,
    },
    /// There is no such node, instance or service.
    NoSuch {
        /// What it should be.
        what: NoSuch,
        /// The name that was given.
        name: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// Of a Compose project only services are scaled.
    NoService {
        /// The name that was given.
        name: String,
        /// The services.
        known: Vec<String>,
    },
    /// What stays needs what is to go.
    Needed {
        /// Those that stay.
        by: Vec<String>,
        /// What is to go.
        node: String,
    },
    /// There can be one container of a service only.
    OnlyOne {
        /// The service.
        name: String,
        /// Why.
        why: String,
    },
    /// Each instance has a partner of its own.
    Partnered {
        /// The node template.
        template: String,
    },
    /// There is no way away from where a part is, and back.
    NoRestart {
        /// The instance.
        instance: String,
        /// Why.
        why: Option<PlanError>,
    },
    /// A deployment of another Compose project.
    OtherProject {
        /// The deployment.
        name: String,
        /// Its project.
        other: String,
        /// The one that was to come up in it.
        project: String,
    },
    /// Services of a Compose project cannot be chosen.
    Services(UnknownService),
    /// Names or ports of a Compose project are taken.
    Conflicts(Vec<String>),
    /// Services wait for the health of services without a check.
    NoHealthCheck(Vec<HealthWait>),
    /// Images cannot be pulled or built.
    Images(ImageError),
    /// There is no container of a Compose project to take over.
    NothingToAdopt {
        /// The project.
        project: String,
    },
    /// The Docker engine said no, or is not there.
    Docker(EngineError),
    /// The address of the Docker engine is none.
    DockerAddress(BadAddress),
    /// A container cannot be taken away.
    Container {
        /// The container.
        name: String,
        /// Why.
        why: OrderError,
    },
}

/// How a journal is damaged.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Damage {
    /// A run has no first entry.
    NoBeginning,
    /// The description of a run cannot be read.
    Description,
    /// The state in which a run began cannot be read.
    State,
    /// A plan cannot be read.
    Plan(FollowError),
    /// What nets had done does not fit them.
    History(HistoryError),
    /// Entries do not fit the rules.
    Entries(ResumeError),
}

impl fmt::Display for Damage {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Damage::NoBeginning => out.write_str("a run has no beginning"),
            Damage::Description => out.write_str("its description is unreadable"),
            Damage::State => out.write_str("a state is unreadable"),
            Damage::Plan(why) => fmt::Display::fmt(why, out),
            Damage::History(why) => fmt::Display::fmt(why, out),
            Damage::Entries(why) => fmt::Display::fmt(why, out),
        }
    }
}

/// A service that waits for the health of one without a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HealthWait {
    /// The one without a check.
    pub(crate) service: String,
    /// Its image.
    pub(crate) image: String,
    /// The one that waits.
    pub(crate) waiting: String,
}

impl fmt::Display for HealthWait {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let HealthWait { service, image, waiting } = self;
        write!(
            out,
            "`{waiting}` waits for the health of `{service}`, and neither the file nor the image \
             `{image}` has a check"
        )
    }
}

/// What a name should be the name of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoSuch {
    /// A node.
    Node,
    /// A service of a Compose project.
    Service,
    /// An instance or a node.
    Part,
}

impl error::Error for Error {}

impl From<EngineError> for Error {
    fn from(why: EngineError) -> Self {
        Error::Docker(why)
    }
}

impl From<NoAssembly> for Error {
    fn from(why: NoAssembly) -> Self {
        Error::Assembly(why)
    }
}

impl Error {
    /// A file that cannot be used.
    pub(crate) fn file(verb: &'static str, path: &Path, error: io::Error) -> Self {
        Error::File { verb, path: path.to_owned(), error }
    }
}

/// The words of the operating system without its numbers, which differ between systems.
pub fn plain(text: &str) -> String {
    let words = text.split(" (os error").next().unwrap_or_default();
    let mut characters = words.chars();
    characters
        .next()
        .map(|first| first.to_lowercase().chain(characters).collect())
        .unwrap_or_default()
}

fn quoted(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Locked { name } => write!(out, "another windlass drives `{name}`"),
            Error::Folder { path, exists, error } => {
                let verb = if *exists { "write to" } else { "make" };
                cannot(out, verb, path, error)
            }
            Error::File { verb, path, error } => cannot(out, verb, path, error),
            Error::SshConfig { path, error } => cannot(out, "read", path, error),
            Error::Unreadable { path, why } => write!(out, "`{}`: {why}", path.display()),
            Error::Damaged(why) => write!(out, "the journal is damaged: {why}"),
            Error::Memory(why) => fmt::Display::fmt(why, out),
            Error::JournalRead(access) => {
                write!(out, "cannot read `{}`: {}", access.path.display(), access.reason)
            }
            Error::JournalWrite { access, .. } => {
                write!(out, "cannot write `{}`: {}", access.path.display(), access.reason)
            }
            Error::NeverUp { name } => write!(out, "`{name}` has never been up"),
            Error::NotEnded { run, name, .. } => write!(out, "run {run} of `{name}` has not ended"),
            Error::OtherWorld { name, world } => {
                write!(out, "`{name}` is a deployment in the world `{}`", world.as_str())
            }
            Error::UnknownWorld(word) => write!(out, "there is no world `{word}`"),
            Error::OfNets => out.write_str("this deployment is one of nets"),
            Error::WholeNets => {
                out.write_str("this deployment is one of nets: they go up and down as a whole")
            }
            Error::Mixed => out.write_str("the application mixes nets in"),
            Error::Assembly(why) => fmt::Display::fmt(why, out),
            Error::Simulated => {
                out.write_str("a simulated world ends with the command that made it")
            }
            Error::Declined => out.write_str("nothing was done"),
            Error::NotConfirmed(question) => fmt::Display::fmt(question, out),
            Error::MissingSecrets(all) => missing_secrets(out, all),
            Error::NeedsContainers { component, image } => {
                write!(out, "a process of type `{component}` is a container of `{image}`")
            }
            Error::InDoubt { doubts, .. } => in_doubt(out, doubts),
            Error::Silent(why) => fmt::Display::fmt(why, out),
            Error::HostSilent(why) => out.write_str(why),
            Error::NotInDoubt(order) => write!(out, "order {} is not in doubt", order.0),
            _ => self.fmt_plan(out),
        }
    }
}

impl Error {
    /// Reasons that are about plans and goals.
    fn fmt_plan(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::StateMisfit(why) => {
                write!(out, "what runs does not fit the file any more: {why}")
            }
            Error::NoUpState { node } => write!(out, "nothing says when `{node}` is up"),
            Error::NoPlan(why) => fmt::Display::fmt(why, out),
            Error::PlanMisfit(all) => {
                let messages: Vec<&str> = all.iter().map(|it| it.message.as_str()).collect();
                out.write_str(&messages.join("; "))
            }
            Error::StalePlan => {
                out.write_str("the plan was made for another application or another state")
            }
            Error::ForeignPlan => out.write_str("the plan does not fit the application"),
            Error::InvalidPlan(validity) => {
                write!(out, "the plan is {}", validity.as_str().replace('_', " "))
            }
            Error::MissesGoal { sometimes } => {
                let word = if *sometimes { "may not" } else { "does not" };
                write!(out, "the plan {word} reach the goal; nothing was done")
            }
            Error::CyclicPlan => out.write_str("the plan is a cycle"),
            Error::NotFollowed(why) => write!(out, "the plan cannot be followed: {why}"),
            Error::RolledBack(why) => {
                write!(out, "the run failed and was rolled back: {}", why.join("; "))
            }
            Error::OneInstance(faults) => {
                write!(out, "with `faults: {}` a node is one instance", faults.as_str())
            }
            Error::IsDown { name } => write!(out, "`{name}` is down"),
            Error::NoGoal { name } => write!(out, "`{name}` has no goal to come back to"),
            Error::NoSuch { what: NoSuch::Node, name, .. } => {
                write!(out, "there is no node `{name}`")
            }
            Error::NoSuch { what: NoSuch::Service, name, .. } => {
                write!(out, "there is no service `{name}`")
            }
            Error::NoSuch { what: NoSuch::Part, name, .. } => {
                write!(out, "there is no instance and no node `{name}`")
            }
            Error::NoService { name, .. } => {
                write!(out, "`{name}` is no service, and only services are scaled")
            }
            Error::Needed { by, node } => {
                let verb = if by.len() == 1 { "needs" } else { "need" };
                write!(out, "{} {verb} `{node}`; nothing was done", quoted(by))
            }
            Error::OnlyOne { name, why } => {
                write!(out, "there can be one `{name}` only: {why}; nothing was done")
            }
            Error::Partnered { template } => {
                write!(out, "each of `{template}` has a partner of its own; nothing was done")
            }
            _ => self.fmt_net(out),
        }
    }

    /// Reasons that are about nets.
    fn fmt_net(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NetWithGoal => out.write_str(
                "an assembly of nets runs by its rules, without a goal and without a plan",
            ),
            Error::Stuck(words) => write!(out, "the assembly gets stuck: {}", words.join("; ")),
            Error::NothingUndoes(all) => {
                write!(out, "there is no way back: nothing says how to undo {}", quoted(all))
            }
            Error::NoWayBack(why) => write!(out, "there is no way back: {why}"),
            Error::History(why) => fmt::Display::fmt(why, out),
            Error::NotStoppable(why) => write!(out, "{why}; nothing was done"),
            Error::HalfWayBack { run, name } => {
                write!(out, "run {run} of `{name}` went back half-way")
            }
            Error::NetMisfit { name, why } => {
                write!(out, "what `{name}` has done does not fit the file any more: {why}")
            }
            Error::NoRestart { instance, .. } => {
                write!(out, "there is no way for `{instance}` back to a state before this one")
            }
            _ => self.fmt_project(out),
        }
    }

    /// Reasons that are about a Docker engine and Compose projects.
    fn fmt_project(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::OtherProject { name, other, project } => {
                write!(out, "`{name}` is a deployment of the project `{other}`, not of `{project}`")
            }
            Error::Services(why) => write!(out, "{why}"),
            Error::Images(why) => write!(out, "{why}"),
            Error::DockerAddress(why) => write!(out, "{why}"),
            Error::Conflicts(all) => out.write_str(&all.join("; ")),
            Error::NoHealthCheck(all) => {
                let all: Vec<String> = all.iter().map(ToString::to_string).collect();
                out.write_str(&all.join("; "))
            }
            Error::NothingToAdopt { project } => {
                write!(out, "no container of the project `{project}` is there")
            }
            Error::Docker(why) => fmt::Display::fmt(why, out),
            Error::Container { name, why } => write!(out, "`{name}`: {why}"),
            // Every other one is worded above.
            _ => Ok(()),
        }
    }
}

fn cannot(out: &mut fmt::Formatter<'_>, verb: &str, path: &Path, error: &io::Error) -> fmt::Result {
    write!(out, "cannot {verb} `{}`: {}", path.display(), plain(&error.to_string()))
}

fn missing_secrets(out: &mut fmt::Formatter<'_>, all: &[MissingSecret]) -> fmt::Result {
    let word = if all.len() == 1 { "secret" } else { "secrets" };
    let all: Vec<String> = all.iter().map(ToString::to_string).collect();
    write!(out, "no value for the {word} {}", all.join(", "))
}

fn in_doubt(out: &mut fmt::Formatter<'_>, doubts: &[InDoubt]) -> fmt::Result {
    out.write_str("it is unknown whether this happened, and it must not happen twice:")?;
    match doubts {
        [only] => write!(out, " `{}` (order {})", only.label, only.order.0),
        _ => Ok(()),
    }
}
