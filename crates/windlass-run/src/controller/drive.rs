//! Driving a run: which world, who is told, how it ends.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use windlass::plan::Plan;

use super::error::{Damage, Error};
use super::journal_error::{self, Stage};
use super::operator::{Notice, Operator};
use super::prediction::{self, Span};
use super::run_start::RunStart;
use super::{Controller, LastRun, WorldKind, containers, hosts};
use crate::deployment::Deployment;
use crate::dispatcher::{Dispatcher, Finish};
use crate::entry::{Aim, Entry, OrderId, Record};
use crate::journal::JournalError;
use crate::journal::sqlite::Sqlite;
use crate::machine::Machine;
use crate::resume::{ResumeError, Verdict};
use crate::secrets::Secrets;
use crate::world::World;
use crate::world::process::{ProcessSettings, Processes};
use crate::world::simulated::{Faults, Simulated};

/// Where operations leave what the operator should know, in the folder of the deployment.
const REMARKS: &str = "shared/remarks=";

/// How a run begins.
#[derive(Debug)]
pub(crate) enum Beginning<'a> {
    /// From here, with this plan.
    New {
        /// What it begins with.
        start: RunStart<'a>,
        /// The plan that it follows.
        plan: Option<Plan>,
    },
    /// After the last run, which has not ended.
    Resumed {
        /// That run.
        last: &'a LastRun,
        /// What the operator says about actions in doubt.
        verdicts: BTreeMap<OrderId, Verdict>,
    },
}

impl Beginning<'_> {
    fn stage(&self) -> Stage {
        match self {
            Beginning::New { .. } => Stage::New,
            Beginning::Resumed { .. } => Stage::Begun,
        }
    }

    fn start(&self) -> RunStart<'_> {
        match self {
            Beginning::New { start, .. } => *start,
            Beginning::Resumed { last, .. } => last.run_start(),
        }
    }
}

/// A run that is about to go on, for whoever shows it.
#[derive(Debug)]
pub struct RunView<'a> {
    beginning: &'a Beginning<'a>,
    jobs: Option<usize>,
}

impl RunView<'_> {
    /// Where it takes place.
    pub fn world(&self) -> WorldKind {
        self.beginning.start().world
    }

    /// What engines before this one wrote about it.
    pub fn earlier_records(&self) -> &[Record] {
        match self.beginning {
            Beginning::New { .. } => &[],
            Beginning::Resumed { last, .. } => &last.records,
        }
    }

    /// What is in its journal, or about to be.
    pub fn records(&self) -> Vec<Record> {
        match self.beginning {
            Beginning::New { start, plan } => {
                let (aim, why) = (Aim::Goal, String::new());
                let plan = plan.clone().map(|plan| Arc::new(plan).into());
                let plan = plan.map(|plan| Entry::Planned { plan, aim, why });
                let entries = std::iter::once(start.entry()).chain(plan);
                entries.map(|entry| Record { run: 0, seq: 0, at: 0, entry }).collect()
            }
            Beginning::Resumed { last, .. } => last.records.clone(),
        }
    }

    /// What the description lets expect, which takes a while to compute. Without a prediction there
    /// is no estimate, and nothing else is lost.
    pub fn predicted(&self) -> Vec<Span> {
        let spans = match self.beginning {
            Beginning::New { start, plan } => prediction::of_start(start, plan.clone(), self.jobs),
            Beginning::Resumed { last, .. } => prediction::of_run(last, self.jobs),
        };
        spans.unwrap_or_default()
    }
}

/// Opens the journal of a deployment.
pub(crate) fn open_journal(
    deployment: &Deployment,
    secrets: &Secrets,
) -> Result<Sqlite, JournalError> {
    Sqlite::open(&deployment.journal(), secrets.clone())
}

impl Controller<'_> {
    /// Drives a model to its goal; with `stay`, its processes are looked after then.
    pub(crate) fn drive<M: Machine>(
        &self,
        machine: M,
        beginning: Beginning<'_>,
        stay: bool,
    ) -> Result<Finish, Error> {
        let stage = beginning.stage();
        let journal = open_journal(&self.deployment, &self.settings.secrets);
        let journal = journal.map_err(|why| self.unwritten(stage, &why))?;
        self.drive_in(journal, machine, beginning, stay)
    }

    /// The same with a journal that is open.
    pub(crate) fn drive_in<M: Machine>(
        &self,
        mut journal: Sqlite,
        machine: M,
        beginning: Beginning<'_>,
        stay: bool,
    ) -> Result<Finish, Error> {
        let run = match &beginning {
            Beginning::New { .. } => journal.begin_run(),
            Beginning::Resumed { last, .. } => journal.continue_run(last.run).map(|()| last.run),
        };
        let run = run.map_err(|why| self.unwritten(beginning.stage(), &why))?;
        let start = beginning.start();
        let place = || self.place(run, Path::new(start.directory));
        match start.world {
            WorldKind::Simulated => {
                let world = Simulated::new(self.settings.options.seed, Faults::default()).playing();
                self.with_world(machine, world, journal, beginning, stay)
            }
            WorldKind::Docker => {
                let world = containers::world(self, place()?)?;
                self.operator.interruptible(world.interrupter());
                self.with_world(machine, world, journal, beginning, stay)
            }
            WorldKind::Ssh => {
                let world = hosts::world(self, place()?)?;
                self.operator.interruptible(world.interrupter());
                self.with_world(machine, world, journal, beginning, stay)
            }
            WorldKind::Process => {
                let world = Processes::new(place()?, self.settings.secrets.clone());
                let world =
                    world.map_err(|error| Error::file("use", self.deployment.folder(), error))?;
                self.operator.interruptible(world.interrupter());
                self.with_world(machine, world, journal, beginning, stay)
            }
        }
    }

    /// Where processes run and write.
    fn place(&self, run: u64, directory: &Path) -> Result<ProcessSettings, Error> {
        Ok(ProcessSettings {
            folder: absolute(self.deployment.folder())?,
            logs: absolute(&self.deployment.logs(run))?,
            directory: absolute(directory)?,
            name: self.name.clone(),
            program: self.settings.program.clone(),
        })
    }

    fn with_world<M: Machine, W: World>(
        &self,
        machine: M,
        world: W,
        journal: Sqlite,
        beginning: Beginning<'_>,
        stay: bool,
    ) -> Result<Finish, Error> {
        let (operator, options) = (self.operator, self.settings.options);
        let next = journal.next_order();
        let next = next.map_err(|why| self.unwritten(beginning.stage(), &why))?;
        operator.begins(&RunView { beginning: &beginning, jobs: options.jobs });
        let engine = Dispatcher::new(machine, world, journal, options, next);
        let mut engine = engine
            .listening(|at: Duration, entries: &[Entry]| operator.events(at, entries))
            .watching(|machine: &M| operator.waits(&|| machine.obstacles()));
        let unwritten = |why| self.unwritten(Stage::Begun, &why);
        match beginning {
            Beginning::New { start, plan } => {
                let begun = engine.begin_run(start.entry(), plan);
                let begun = begun.map_err(|why| self.unwritten(Stage::New, &why))?;
                begun.map_err(Error::NotFollowed)?;
                engine.adopt_processes().map_err(unwritten)?;
            }
            Beginning::Resumed { last, verdicts } => {
                let settled = engine.fold(&last.entries());
                let settled = settled.and_then(|()| engine.reconcile(&verdicts));
                settled.map_err(|why| self.not_resumed(why, verdicts))?;
            }
        }
        let finish = if stay { engine.supervise() } else { engine.run() }.map_err(unwritten)?;
        drop(engine);
        tell_remarks(&self.deployment, operator);
        operator.ends();
        Ok(finish)
    }

    /// The failure to write the journal.
    pub(crate) fn unwritten(&self, stage: Stage, why: &JournalError) -> Error {
        journal_error::unwritten(&self.deployment, stage, why)
    }

    /// What keeps a run from going on.
    fn not_resumed(&self, why: ResumeError, verdicts: BTreeMap<OrderId, Verdict>) -> Error {
        match why {
            ResumeError::InDoubt(doubts) => Error::InDoubt { doubts, verdicts },
            ResumeError::Silent(_) => Error::Silent(why),
            ResumeError::Misfit(_) => Error::Damaged(Damage::Entries(why)),
            ResumeError::Journal(why) => self.unwritten(Stage::Begun, &why),
        }
    }
}

fn absolute(path: &Path) -> Result<PathBuf, Error> {
    std::path::absolute(path).map_err(|error| Error::file("find", path, error))
}

/// Tells what operations had to say to the operator, once.
fn tell_remarks(deployment: &Deployment, operator: &dyn Operator) {
    let folder = deployment.folder().join(REMARKS);
    let Ok(entries) = fs::read_dir(&folder) else { return };
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    for text in files.iter().filter_map(|file| fs::read_to_string(file).ok()) {
        text.lines().for_each(|line| operator.notice(&Notice::Remark(line.to_owned())));
    }
    // What stays would only be told again.
    let _ = fs::remove_dir_all(&folder);
}
