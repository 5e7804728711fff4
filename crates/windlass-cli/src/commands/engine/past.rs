//! Where a deployment stands, as its journal says.

use std::collections::BTreeMap;

use windlass::application::assembly::{Assembly, NoAssembly};
use windlass::application::{Application, GlobalState};
use windlass::goal::GoalFile;
use windlass::lang::{self, documents};
use windlass::simulate::Scenario;
use windlass::source::Sources;
use windlass_run::deployment::Deployment;
use windlass_run::dispatcher::{Dispatcher, Options};
use windlass_run::entry::{Ending, Entry, OrderId, Purpose, Record};
use windlass_run::journal::Off;
use windlass_run::journal::sqlite::Sqlite;
use windlass_run::machine::net::NetMachine;
use windlass_run::machine::protocols::ProtocolMachine;
use windlass_run::world::simulated::Simulated;

use super::search_limits;
use crate::exit_code;
use crate::failure::Failure;

/// The last run of a deployment.
#[derive(Debug)]
pub(crate) struct Past {
    /// Its number.
    pub(crate) run: u64,
    /// Its entries.
    pub(crate) records: Vec<Record>,
    /// What it was for.
    pub(crate) purpose: Purpose,
    /// The description that it follows.
    pub(crate) application: Application,
    /// Its goal.
    pub(crate) goal: Option<GoalFile>,
    /// The folder that commands start from.
    pub(crate) directory: String,
    /// Where it takes place.
    pub(crate) world: String,
    /// Where it began.
    pub(crate) start: GlobalState,
    /// Of nets on their way back: what had been done.
    done: Option<String>,
}

/// Where a run of protocols stands.
#[derive(Debug)]
pub(crate) struct Standing {
    /// The instances and their states.
    pub(crate) state: GlobalState,
    /// The orders behind the processes that should run.
    pub(crate) processes: BTreeMap<String, OrderId>,
}

/// Reads a description that a journal keeps.
pub(crate) fn read_application(text: &str) -> Result<(Application, Option<GoalFile>), Failure> {
    let mut sources = Sources::new();
    let root = sources.add("journal", text);
    let reading = lang::read(None, root, &sources);
    let application =
        reading.application.ok_or_else(|| damaged("its description is unreadable"))?;
    Ok((application, reading.goal))
}

fn damaged(why: &str) -> Failure {
    Failure::usage(format!("the journal is damaged: {why}")).ending(exit_code::EXECUTION)
}

impl Past {
    /// The last run; none when there was none.
    pub(crate) fn read(deployment: &Deployment) -> Result<Option<Self>, Failure> {
        if !deployment.exists() {
            return Ok(None);
        }
        let journal = Sqlite::read_only(&deployment.journal())?;
        let run = journal.last_run()?;
        if run == 0 {
            return Ok(None);
        }
        Self::of_run(&journal, run).map(Some)
    }

    /// A run by its number.
    pub(crate) fn of_run(journal: &Sqlite, run: u64) -> Result<Self, Failure> {
        Self::of_records(run, journal.records(run, 0)?)
    }

    /// A run by its entries.
    pub(crate) fn of_records(run: u64, records: Vec<Record>) -> Result<Self, Failure> {
        let Some(Entry::Begun { purpose, application, directory, world, start, .. }) =
            records.first().map(|record| record.entry.clone())
        else {
            return Err(damaged("a run has no beginning"));
        };
        let (application, goal) = read_application(&application)?;
        let (start, done) = if application.is_net() { (None, start) } else { (start, None) };
        let start = match start {
            Some(text) => {
                let mut sources = Sources::new();
                let root = sources.add("journal", text);
                let reading = documents::read_state(root, &sources, &application);
                reading.document.ok_or_else(|| damaged("a state is unreadable"))?
            }
            None => GlobalState::empty(),
        };
        Ok(Past { run, records, purpose, application, goal, directory, world, start, done })
    }

    /// The entries alone.
    pub(crate) fn entries(&self) -> Vec<Entry> {
        self.records.iter().map(|record| record.entry.clone()).collect()
    }

    /// Whether the run came to an end, so that another one may begin.
    pub(crate) fn is_over(&self) -> bool {
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
    fn ending(&self) -> Option<Ending> {
        let mut last = self.records.iter().rev().map(|record| &record.entry);
        last.find_map(|entry| match entry {
            Entry::Ended { ending, .. } => Some(*ending),
            _ => None,
        })
    }

    /// Whether the run ended where it was to end.
    pub(crate) fn is_reached(&self) -> bool {
        self.ending() == Some(Ending::Reached)
    }

    /// Whether nothing is left of what was brought up.
    pub(crate) fn is_down(&self) -> bool {
        self.purpose == Purpose::Down && self.is_reached()
            || self.ending() == Some(Ending::RolledBack)
    }

    /// Where a run of protocols stands; none for nets.
    pub(crate) fn standing(&self) -> Result<Option<Standing>, Failure> {
        let machine = ProtocolMachine::new(
            &self.application,
            self.start.clone(),
            self.goal.clone(),
            search_limits,
        );
        let Some(machine) = machine else { return Ok(None) };
        let world = Simulated::default();
        let mut engine = Dispatcher::new(machine, world, Off, Options::default(), OrderId(1));
        engine.fold(&self.entries()).map_err(|why| damaged(&why.to_string()))?;
        let processes = engine.processes();
        Ok(Some(Standing { state: engine.machine.state().clone(), processes }))
    }

    /// Where a run of protocols stands; nets are refused.
    pub(crate) fn protocols(&self) -> Result<Standing, Failure> {
        self.standing()?.ok_or_else(|| {
            Failure::usage("this deployment is one of nets: they go up and down as a whole")
        })
    }

    /// The assembly at the beginning of this run.
    pub(crate) fn net<'a>(
        &self,
        assembly: &'a Assembly<'a>,
        scenario: &'a Scenario,
    ) -> Result<NetMachine<'a>, Failure> {
        match &self.done {
            Some(done) => NetMachine::after(assembly, scenario, done).map_err(|why| damaged(&why)),
            None => Ok(NetMachine::new(assembly, scenario)),
        }
    }

    /// The assembly as this run left it.
    pub(crate) fn net_now<'a>(
        &self,
        assembly: &'a Assembly<'a>,
        scenario: &'a Scenario,
    ) -> Result<NetMachine<'a>, Failure> {
        let (machine, world) = (self.net(assembly, scenario)?, Simulated::default());
        let mut engine = Dispatcher::new(machine, world, Off, Options::default(), OrderId(1));
        engine.fold(&self.entries()).map_err(|why| damaged(&why.to_string()))?;
        let mut machine = engine.machine;
        machine.come_to_rest();
        Ok(machine)
    }

    /// Where the tokens of a run of nets are: component and place.
    pub(crate) fn places(&self) -> Result<Vec<(String, String)>, Failure> {
        let assembly = match Assembly::new(&self.application) {
            Ok(assembly) => assembly,
            Err(NoAssembly::Protocols) => return Ok(Vec::new()),
            Err(too_large @ NoAssembly::TooLarge) => {
                return Err(Failure::usage(too_large.to_string()));
            }
        };
        Ok(self.net_now(&assembly, &Scenario::default())?.places())
    }
}
