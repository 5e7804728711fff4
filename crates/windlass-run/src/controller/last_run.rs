//! Where a deployment stands, as its journal says.

use std::collections::BTreeMap;

use windlass::application::assembly::{Assembly, NoAssembly};
use windlass::application::{Application, GlobalState};
use windlass::goal::GoalFile;
use windlass::simulate::Scenario;

use super::error::{Damage, Error};
use super::run_start::{Processes, RunStart};
use super::{WorldKind, read_journal, recorded, search_limits};
use crate::deployment::Deployment;
use crate::dispatcher::{Dispatcher, Options};
use crate::entry::{Ending, Entry, OrderId, Purpose, Record};
use crate::journal::Off;
use crate::journal::sqlite::Sqlite;
use crate::machine::net::{HistoryError, NetHistory, NetMachine, Token};
use crate::machine::protocols::ProtocolMachine;
use crate::resume::ResumeError;
use crate::world::simulated::Simulated;

/// The last run of a deployment.
#[derive(Debug)]
pub struct LastRun {
    /// Its number.
    pub run: u64,
    /// Its entries.
    pub records: Vec<Record>,
    /// What it was for.
    pub purpose: Purpose,
    /// The description that it follows.
    pub application: Application,
    /// Its goal.
    pub(crate) goal: Option<GoalFile>,
    /// The folder that commands start from.
    pub(crate) directory: String,
    /// Where it takes place.
    pub world: WorldKind,
    /// Where it began.
    pub(crate) start: GlobalState,
    /// Of nets: what earlier runs had done.
    history: Option<NetHistory>,
    /// The processes that ran when it began.
    processes: Processes,
    /// How it ended, if it did.
    pub end: Option<RunEnd>,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunEnd {
    /// How.
    pub(crate) ending: Ending,
    /// Why, line by line.
    pub why: Vec<String>,
    /// Whether it failed because no plan leads on.
    pub no_plan: bool,
}

/// Where a run of protocols stands.
#[derive(Debug)]
pub struct Standing {
    /// The instances and their states.
    pub state: GlobalState,
    /// The orders behind the processes that should run.
    pub processes: BTreeMap<String, OrderId>,
}

impl LastRun {
    /// The last run; none when there was none.
    pub fn read(deployment: &Deployment) -> Result<Option<Self>, Error> {
        if !deployment.exists() {
            return Ok(None);
        }
        let journal = read_journal::open(deployment)?;
        let run = read_journal::last_number(deployment, &journal)?;
        if run == 0 {
            return Ok(None);
        }
        Self::of_run(deployment, &journal, run).map(Some)
    }

    /// A run by its number.
    pub fn of_run(deployment: &Deployment, journal: &Sqlite, run: u64) -> Result<Self, Error> {
        Self::of_records(run, read_journal::records(deployment, journal, run, 0)?)
    }

    /// A run by its entries.
    pub fn of_records(run: u64, records: Vec<Record>) -> Result<Self, Error> {
        let Some(Entry::Begun { purpose, application, directory, world, start, processes }) =
            records.first().map(|record| record.entry.clone())
        else {
            return Err(Error::Damaged(Damage::NoBeginning));
        };
        let end = records.iter().rev().find_map(|record| match &record.entry {
            Entry::Ended { ending, why, no_plan } => {
                Some(RunEnd { ending: *ending, why: why.clone(), no_plan: *no_plan })
            }
            _ => None,
        });
        let world = WorldKind::from_journal(&world)?;
        let (application, goal) = recorded::read_application(&application)?;
        let (start, history) = if application.is_net() { (None, start) } else { (start, None) };
        let history = history.as_deref().map(NetHistory::from_text).transpose();
        let history = history.map_err(damaged_history)?;
        let start = start.map(|text| recorded::read_state(&text, &application)).transpose()?;
        Ok(LastRun {
            run,
            records,
            purpose,
            application,
            goal,
            directory,
            world,
            start: start.unwrap_or_else(GlobalState::empty),
            history,
            processes,
            end,
        })
    }

    /// What it began with.
    pub(crate) fn run_start(&self) -> RunStart<'_> {
        RunStart {
            purpose: self.purpose,
            application: &self.application,
            text: None,
            goal: self.goal.as_ref(),
            directory: &self.directory,
            world: self.world,
            state: &self.start,
            history: self.history.as_ref(),
            processes: &self.processes,
        }
    }

    /// The entries alone.
    pub(crate) fn entries(&self) -> Vec<Entry> {
        self.records.iter().map(|record| record.entry.clone()).collect()
    }

    /// Whether the run came to an end, so that another one may begin.
    pub fn is_over(&self) -> bool {
        let mut open = 0_i64;
        for record in &self.records {
            match record.entry {
                Entry::Intent { .. } => open += 1,
                Entry::Outcome { .. } => open -= 1,
                _ => {}
            }
        }
        let last = self.records.iter().rev().map(|record| &record.entry);
        let mut last = last.filter(|entry| !matches!(entry, Entry::Followed { .. }));
        open == 0 && matches!(last.next(), Some(Entry::Ended { .. }))
    }

    /// How the run ended.
    pub fn ending(&self) -> Option<Ending> {
        self.end.as_ref().map(|end| end.ending)
    }

    /// The actions that were under way when the last entry was written.
    pub fn under_way(&self) -> BTreeMap<OrderId, &str> {
        let mut open: BTreeMap<OrderId, &str> = BTreeMap::new();
        for record in &self.records {
            match &record.entry {
                Entry::Intent { order, label, .. } => drop(open.insert(*order, label)),
                Entry::Outcome { order, .. } => drop(open.remove(order)),
                _ => {}
            }
        }
        open
    }

    /// Whether the run ended where it was to end.
    pub(crate) fn is_reached(&self) -> bool {
        self.ending() == Some(Ending::Reached)
    }

    /// Whether nothing is left of what was brought up.
    pub(crate) fn is_down(&self) -> bool {
        // Who goes back goes to where the run began.
        let was_nowhere = self.history.is_none();
        self.purpose == Purpose::Down && self.is_reached()
            || self.ending() == Some(Ending::RolledBack) && was_nowhere
    }

    /// Where a run of protocols stands; none for nets.
    pub fn standing(&self) -> Result<Option<Standing>, Error> {
        let machine = ProtocolMachine::new(
            &self.application,
            self.start.clone(),
            self.goal.clone(),
            search_limits,
        );
        let Some(machine) = machine else { return Ok(None) };
        let world = Simulated::default();
        let mut engine = Dispatcher::new(machine, world, Off, Options::default(), OrderId(1));
        engine.fold(&self.entries()).map_err(damaged_entries)?;
        let processes = engine.processes();
        Ok(Some(Standing { state: engine.machine.state().clone(), processes }))
    }

    /// Where a run of protocols stands; nets are refused.
    pub(crate) fn protocols(&self) -> Result<Standing, Error> {
        self.standing()?.ok_or(Error::WholeNets)
    }

    /// The assembly at the beginning of this run.
    pub(crate) fn net<'a>(
        &self,
        assembly: &'a Assembly<'a>,
        scenario: &'a Scenario,
    ) -> Result<NetMachine<'a>, Error> {
        self.run_start().net(assembly, scenario).map_err(damaged_history)
    }

    /// The assembly as this run left it.
    pub(crate) fn net_now<'a>(
        &self,
        assembly: &'a Assembly<'a>,
        scenario: &'a Scenario,
    ) -> Result<NetMachine<'a>, Error> {
        let (machine, world) = (self.net(assembly, scenario)?, Simulated::default());
        let mut engine = Dispatcher::new(machine, world, Off, Options::default(), OrderId(1));
        engine.fold(&self.entries()).map_err(damaged_entries)?;
        let mut machine = engine.machine;
        if machine.has_undone() {
            // What an earlier run did is there as before.
            let history = machine.history();
            machine =
                NetMachine::continue_net(assembly, scenario, &history).map_err(damaged_history)?;
        }
        machine.settle();
        Ok(machine)
    }

    /// Where the tokens of a run of nets are.
    pub fn tokens(&self) -> Result<Vec<Token>, Error> {
        let assembly = match Assembly::new(&self.application) {
            Ok(assembly) => assembly,
            Err(NoAssembly::Protocols) => return Ok(Vec::new()),
            Err(why) => return Err(Error::Assembly(why)),
        };
        Ok(self.net_now(&assembly, &Scenario::default())?.tokens())
    }
}

fn damaged_history(why: HistoryError) -> Error {
    Error::Damaged(Damage::History(why))
}

fn damaged_entries(why: ResumeError) -> Error {
    Error::Damaged(Damage::Entries(why))
}
