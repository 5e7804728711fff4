//! Where a deployment stands, as its journal says.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use windlass::application::assembly::{Assembly, NoAssembly};
use windlass::application::{Application, GlobalState};
use windlass::goal::GoalFile;
use windlass::lang::{self, documents};
use windlass::simulate::Scenario;
use windlass::source::Sources;
use windlass_run::deployment::{Deployment, has_no_room};
use windlass_run::dispatcher::{Dispatcher, Options};
use windlass_run::entry::{Ending, Entry, OrderId, Purpose, Record};
use windlass_run::journal::sqlite::Sqlite;
use windlass_run::journal::{JournalError, Off};
use windlass_run::machine::net::{NetHistory, NetMachine, Token};
use windlass_run::machine::protocols::ProtocolMachine;
use windlass_run::world::simulated::Simulated;

use super::search_limits;
use crate::commands::down::nets;
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
    /// Of nets: what earlier runs had done.
    done: Option<NetHistory>,
    /// Whether the world ever said that the run was over, and how.
    pub(crate) end: Option<(Ending, Vec<String>)>,
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

/// A journal that says what cannot have been: nothing is executed then.
pub(super) fn damaged(why: &str) -> Failure {
    Failure::usage(format!("the journal is damaged: {why}")).help(
        "nothing was done; `windlass history --format json` shows what can still be read. Put back \
         a copy of the folder of the deployment, or move it away: what runs stays as it is",
    )
}

/// Opens a journal to read it. Where nothing can be written, a copy is read.
pub(crate) fn journal(deployment: &Deployment) -> Result<Sqlite, Failure> {
    let path = deployment.journal();
    let opened = Sqlite::read_only(&path).and_then(|journal| journal.last_run().map(|_| journal));
    match opened {
        Ok(journal) => Ok(journal),
        Err(why) if is_guarded(&path) => copied(&path).map_err(|_| unreadable(&path, &why)),
        Err(why) => Err(unreadable(&path, &why)),
    }
}

/// Whether a file can be read and nothing be written beside it.
fn is_guarded(path: &Path) -> bool {
    if is_on_full_disk(path) {
        return fs::File::open(path).is_ok();
    }
    let beside = path.with_extension("probe");
    let made = fs::OpenOptions::new().create_new(true).write(true).open(&beside);
    let is_guarded = made.is_err();
    if !is_guarded {
        let _ = fs::remove_file(beside);
    }
    is_guarded && fs::File::open(path).is_ok()
}

fn is_on_full_disk(path: &Path) -> bool {
    path.parent().is_some_and(has_no_room)
}

/// A journal as a copy of its files has it.
fn copied(path: &Path) -> Result<Sqlite, Box<dyn std::error::Error>> {
    let unique = format!("windlass-{}-{:?}", std::process::id(), std::time::Instant::now());
    let unique = unique.replace(|c: char| !c.is_ascii_alphanumeric() && c != '-', "");
    let folder = std::env::temp_dir().join(unique);
    fs::DirBuilder::new().mode(0o700).create(&folder)?;
    let copy = folder.join("journal.db");
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let opened = fs::copy(path, &copy).map_err(JournalError::from).and_then(|_| {
        // Without a log everything is in the file.
        let _ = fs::copy(log, folder.join("journal.db-wal"));
        let journal = Sqlite::read_only(&copy)?.of_copy(path);
        journal.last_run()?;
        Ok(journal)
    });
    // What is open stays readable.
    let _ = fs::remove_dir_all(&folder);
    Ok(opened?)
}

/// A journal that cannot be read: nothing is executed then.
fn unreadable(path: &Path, why: &JournalError) -> Failure {
    let failure = Failure::usage(format!("cannot read `{}`: {}", path.display(), why.reason()));
    if is_on_full_disk(path) {
        return failure.help("nothing was done; the disk is full: make room there, then try again");
    }
    failure.help(
        "nothing was done; put back a copy of the folder of the deployment, or move it away: what \
         runs stays as it is",
    )
}

/// The entries of a run after the entry `after`.
pub(crate) fn records(
    deployment: &Deployment,
    journal: &Sqlite,
    run: u64,
    after: u64,
) -> Result<Vec<Record>, Failure> {
    journal.records(run, after).map_err(|why| unreadable(&deployment.journal(), &why))
}

/// The number of the last run; 0 when there was none.
pub(crate) fn last_run(deployment: &Deployment, journal: &Sqlite) -> Result<u64, Failure> {
    journal.last_run().map_err(|why| unreadable(&deployment.journal(), &why))
}

impl Past {
    /// The last run; none when there was none.
    pub(crate) fn read(deployment: &Deployment) -> Result<Option<Self>, Failure> {
        if !deployment.exists() {
            return Ok(None);
        }
        let journal = journal(deployment)?;
        let run = last_run(deployment, &journal)?;
        if run == 0 {
            return Ok(None);
        }
        Self::of_run(deployment, &journal, run).map(Some)
    }

    /// A run by its number.
    pub(crate) fn of_run(
        deployment: &Deployment,
        journal: &Sqlite,
        run: u64,
    ) -> Result<Self, Failure> {
        Self::of_records(run, records(deployment, journal, run, 0)?)
    }

    /// A run by its entries.
    pub(crate) fn of_records(run: u64, records: Vec<Record>) -> Result<Self, Failure> {
        let Some(Entry::Begun { purpose, application, directory, world, start, .. }) =
            records.first().map(|record| record.entry.clone())
        else {
            return Err(damaged("a run has no beginning"));
        };
        let mut ends = records.iter().rev().filter_map(|record| match &record.entry {
            Entry::Ended { ending, why } => Some((*ending, why.clone())),
            _ => None,
        });
        let end = ends.next();
        drop(ends);
        let (application, goal) = read_application(&application)?;
        let (start, done) = if application.is_net() { (None, start) } else { (start, None) };
        let done = done.as_deref().map(NetHistory::from_text).transpose();
        let done = done.map_err(|why| damaged(&why.to_string()))?;
        let start = match start {
            Some(text) => {
                let mut sources = Sources::new();
                let root = sources.add("journal", text);
                let state = documents::kept_state(root, &sources, &application);
                state.ok_or_else(|| damaged("a state is unreadable"))?
            }
            None => GlobalState::empty(),
        };
        Ok(Past { run, records, purpose, application, goal, directory, world, start, done, end })
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
    pub(crate) fn ending(&self) -> Option<Ending> {
        self.end.as_ref().map(|(ending, _)| *ending)
    }

    /// The actions that were under way when the last entry was written.
    pub(crate) fn under_way(&self) -> BTreeMap<OrderId, &str> {
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
        let was_nowhere = self.done.is_none();
        self.purpose == Purpose::Down && self.is_reached()
            || self.ending() == Some(Ending::RolledBack) && was_nowhere
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
        let machine = match (&self.done, self.purpose) {
            (Some(done), Purpose::Down) => nets::machine(assembly, scenario, done),
            (Some(done), Purpose::Up) => NetMachine::continue_net(assembly, scenario, done),
            (None, _) => Ok(NetMachine::new(assembly, scenario)),
        };
        machine.map_err(|why| damaged(&why.to_string()))
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
        if machine.has_undone() {
            // What an earlier run did is there as before.
            let history = machine.history();
            machine = NetMachine::continue_net(assembly, scenario, &history)
                .map_err(|why| damaged(&why.to_string()))?;
        }
        machine.settle();
        Ok(machine)
    }

    /// Where the tokens of a run of nets are.
    pub(crate) fn tokens(&self) -> Result<Vec<Token>, Failure> {
        let assembly = match Assembly::new(&self.application) {
            Ok(assembly) => assembly,
            Err(NoAssembly::Protocols) => return Ok(Vec::new()),
            Err(too_large @ NoAssembly::TooLarge) => {
                return Err(Failure::usage(too_large.to_string()));
            }
        };
        Ok(self.net_now(&assembly, &Scenario::default())?.tokens())
    }
}
