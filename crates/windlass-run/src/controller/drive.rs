//! Driving a run: which world, what the operator sees, how it ends.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use windlass::plan::Plan;
use windlass_run::deployment::Deployment;
use windlass_run::dispatcher::{Dispatcher, Finish, OnFailure, Options, Unseen};
use windlass_run::entry::{Aim, Entry, OrderId, Record};
use windlass_run::journal::JournalError;
use windlass_run::journal::sqlite::Sqlite;
use windlass_run::machine::Machine;
use windlass_run::resume::{NoResume, Verdict};
use windlass_run::secrets::Secrets;
use windlass_run::supervisor::Dismissed;
use windlass_run::world::World;
use windlass_run::world::process::{Interrupter, ProcessSettings, Processes};
use windlass_run::world::simulated::{Faults, Simulated};

use super::lines::Lines;
use super::live::Live;
use super::unkept::Stage;
use super::{
    Address, DriveArgs, OnFailureArg, Past, WorldArg, chart, containers, doubt, hosts, past,
};
use crate::args::Format;
use crate::failure::Failure;
use crate::{escape, exit_code, output};

/// Where operations leave what the operator should know, in the folder of the deployment.
const REMARKS: &str = "shared/remarks=";

/// Everything a run needs beside its model.
pub(crate) struct Drive<'a> {
    pub(crate) args: &'a DriveArgs,
    pub(crate) format: Format,
    pub(crate) deployment: &'a Deployment,
    pub(crate) name: &'a str,
    /// How the operator finds it again.
    pub(crate) address: &'a Address,
    pub(crate) world: WorldArg,
    pub(crate) directory: PathBuf,
    pub(crate) secrets: Secrets,
    /// Whether processes are looked after when the goal is reached.
    pub(crate) stay: bool,
}

/// How a run begins.
pub(crate) enum Beginning {
    /// With this entry and this plan.
    New { begun: Entry, plan: Option<Plan> },
    /// After these records, with what the operator says about actions in doubt.
    Again { run: u64, records: Vec<Record>, verdicts: BTreeMap<OrderId, Verdict> },
}

impl Beginning {
    fn stage(&self) -> Stage {
        match self {
            Beginning::New { .. } => Stage::New,
            Beginning::Again { .. } => Stage::Begun,
        }
    }
}

/// Drives a model to its goal; the exit code.
pub(crate) fn drive<M: Machine>(
    drive: &Drive<'_>,
    machine: M,
    beginning: Beginning,
) -> Result<u8, Failure> {
    let stage = beginning.stage();
    let journal = open_journal(drive).map_err(|why| drive.unkept(stage, &why))?;
    drive_in(drive, machine, journal, beginning)
}

/// Opens the journal of a deployment.
pub(crate) fn open_journal(drive: &Drive<'_>) -> Result<Sqlite, JournalError> {
    Sqlite::open(&drive.deployment.journal(), drive.secrets.clone())
}

/// Drives a model to its goal with this journal; the exit code.
pub(crate) fn drive_in<M: Machine>(
    drive: &Drive<'_>,
    machine: M,
    mut journal: Sqlite,
    beginning: Beginning,
) -> Result<u8, Failure> {
    let run = match &beginning {
        Beginning::New { .. } => journal.begin_run(),
        Beginning::Again { run, .. } => journal.continue_run(*run).map(|()| *run),
    };
    let run = run.map_err(|why| drive.unkept(beginning.stage(), &why))?;
    match drive.world {
        WorldArg::Simulated => {
            let world = Simulated::new(drive.args.seed, Faults::default()).playing();
            with_world(drive, machine, world, journal, beginning)
        }
        WorldArg::Docker => {
            let world = containers::world(drive, place(drive, run)?)?;
            hear_operator(world.interrupter());
            with_world(drive, machine, world, journal, beginning)
        }
        WorldArg::Ssh => {
            let world = hosts::world(drive, place(drive, run)?)?;
            hear_operator(world.interrupter());
            with_world(drive, machine, world, journal, beginning)
        }
        WorldArg::Process => {
            let place = place(drive, run)?;
            let world = Processes::new(place, drive.secrets.clone())
                .map_err(|error| Failure::file("use", drive.deployment.folder(), &error))?;
            hear_operator(world.interrupter());
            with_world(drive, machine, world, journal, beginning)
        }
    }
}

/// Where processes run and write.
fn place(drive: &Drive<'_>, run: u64) -> Result<ProcessSettings, Failure> {
    Ok(ProcessSettings {
        folder: absolute(drive.deployment.folder())?,
        logs: absolute(&drive.deployment.logs(run))?,
        directory: absolute(&drive.directory)?,
        name: drive.name.to_owned(),
        program: std::env::current_exe().ok(),
    })
}

/// The engine that Ctrl-C is for. A command may drive one after the other.
static DRIVEN: Mutex<Option<Interrupter>> = Mutex::new(None);

fn hear_operator(interrupter: Interrupter) {
    if let Ok(mut driven) = DRIVEN.lock() {
        *driven = Some(interrupter);
    }
    // Without a handler Ctrl-C ends the engine; the run can be resumed all the same. A second
    // engine finds the handler of the first.
    let _ = ctrlc::set_handler(|| {
        interrupt();
    });
}

/// Tells the engine that the operator wants to stop; whether there is one.
fn interrupt() -> bool {
    let driven = DRIVEN.lock();
    let interrupter = driven.as_deref().ok().and_then(Option::as_ref);
    interrupter.map(Interrupter::interrupt).is_some()
}

/// From here on, whoever ends this command before it drives an engine has the engine in the
/// background back that gave way.
pub(crate) fn or_back(deployment: &Deployment, dismissed: &Dismissed) {
    let (deployment, dismissed) = (deployment.clone(), dismissed.clone());
    let _ = ctrlc::set_handler(move || {
        if !interrupt() {
            // When it cannot be started again, no one is left to report that to.
            let _ = dismissed.leave(&deployment);
            std::process::exit(i32::from(exit_code::INTERRUPTED));
        }
    });
}

fn absolute(path: &std::path::Path) -> Result<PathBuf, Failure> {
    std::path::absolute(path).map_err(|error| Failure::file("find", path, &error))
}

fn with_world<M: Machine, W: World>(
    drive: &Drive<'_>,
    machine: M,
    world: W,
    journal: Sqlite,
    beginning: Beginning,
) -> Result<u8, Failure> {
    let on_failure = match drive.args.on_failure {
        OnFailureArg::Stop => OnFailure::Stop,
        OnFailureArg::GoOn => OnFailure::GoOn,
        OnFailureArg::RollBack => OnFailure::RollBack,
    };
    let jobs = drive.args.jobs.map(usize::from);
    let options = Options { jobs, on_failure, seed: drive.args.seed, keep_faults: false };
    let stage = beginning.stage();
    let next = journal.next_order().map_err(|why| drive.unkept(stage, &why))?;
    let mut lines = Lines::timed(drive.world != WorldArg::Simulated);
    if let Beginning::Again { records, .. } = &beginning {
        lines.recall(records);
    }
    let format = drive.format;
    let live = RefCell::new(live_view(drive, &beginning, jobs));
    let listener = |at: Duration, entries: &[Entry]| {
        let text = shown(format, &mut lines, at, entries);
        match &mut *live.borrow_mut() {
            Some(live) => {
                for entry in entries {
                    live.saw(entry);
                }
                live.print(&text);
            }
            // A reader that went away does not stop a run.
            None => drop(output::stdout_bytes(text.as_bytes())),
        }
    };
    let watcher = |machine: &M| live.borrow_mut().as_mut()?.waits(|| machine.stuck());
    let engine = Dispatcher::new(machine, world, journal, options, next);
    let mut engine = engine.listening(listener).watching(watcher);
    let unkept = |why| drive.unkept(Stage::Begun, &why);
    match beginning {
        Beginning::New { begun, plan } => {
            let begun = engine.begin_run(begun, plan);
            if let Err(why) = begun.map_err(|why| drive.unkept(Stage::New, &why))? {
                return Err(Failure::usage(format!("the plan cannot be followed: {why}")));
            }
            engine.look_after().map_err(unkept)?;
        }
        Beginning::Again { records, verdicts, .. } => {
            let entries: Vec<Entry> = records.into_iter().map(|record| record.entry).collect();
            let settled = engine.fold(&entries).and_then(|()| engine.reconcile(&verdicts));
            settled.map_err(|why| not_resumed(drive, &why, &verdicts))?;
        }
    }
    let finish = if drive.stay { engine.keep() } else { engine.run() }.map_err(unkept)?;
    drop(engine);
    remarks(drive.deployment);
    let told = live.into_inner().and_then(Live::finish);
    if let Some(told) = told {
        output::notice(&told);
    }
    Ok(ended(drive, &finish))
}

/// Tells what operations had to say to the operator, once.
fn remarks(deployment: &Deployment) {
    let folder = deployment.folder().join(REMARKS);
    let Ok(entries) = fs::read_dir(&folder) else { return };
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    for text in files.iter().filter_map(|file| fs::read_to_string(file).ok()) {
        text.lines().for_each(output::notice);
    }
    // What stays would only be told again.
    let _ = fs::remove_dir_all(&folder);
}

/// The view for people who look at a terminal.
fn live_view(drive: &Drive<'_>, beginning: &Beginning, jobs: Option<usize>) -> Option<Live> {
    if drive.format != Format::Text || drive.world == WorldArg::Simulated {
        return None;
    }
    Live::new(|| {
        let records: Vec<Record> = match beginning {
            Beginning::New { begun, plan } => {
                let (aim, why) = (Aim::Goal, String::new());
                let plan = plan.clone().map(|plan| Arc::new(plan).into());
                let plan = plan.map(|plan| Entry::Planned { plan, aim, why });
                let entries = std::iter::once(begun.clone()).chain(plan);
                entries.map(|entry| Record { run: 0, seq: 0, at: 0, entry }).collect()
            }
            Beginning::Again { records, .. } => records.clone(),
        };
        let past = Past::of_records(0, records.clone());
        // Without a prediction there is no estimate, and nothing else is lost.
        let predicted = past.and_then(|past| chart::predicted(&past, jobs)).unwrap_or_default();
        (records, predicted)
    })
}

/// What keeps a run from going on.
fn not_resumed(
    drive: &Drive<'_>,
    why: &NoResume,
    verdicts: &BTreeMap<OrderId, Verdict>,
) -> Failure {
    match why {
        NoResume::InDoubt(doubts) => doubt::failure(drive, doubts, verdicts),
        NoResume::Silent(_) => {
            let resume = drive.address.command("resume");
            let help = format!("when it answers again, `{resume}` goes on");
            Failure::usage(why.to_string()).help(help).ending(exit_code::EXECUTION)
        }
        NoResume::Misfit(_) => past::damaged(&why.to_string()),
        NoResume::Journal(why) => drive.unkept(Stage::Begun, why),
    }
}

/// A line of `--format json`: an entry of the journal, as soon as it is safe.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EventLine<'a> {
    /// `windlass/event/1`.
    schema: &'static str,
    /// When, in milliseconds since 1970; of a simulated world in milliseconds of virtual time.
    at_ms: u64,
    /// What was decided, or happened.
    event: &'a Entry,
}

/// Entries, as the operator wants to see them. Times are those of the journal.
fn shown(format: Format, lines: &mut Lines, at: Duration, entries: &[Entry]) -> String {
    match format {
        Format::Text => {
            let mut text = String::with_capacity(64 * entries.len());
            for entry in entries {
                lines.write(&mut text, at, entry);
            }
            escape::visible_lines(&text)
        }
        Format::Json => {
            let at_ms = u64::try_from(at.as_millis()).unwrap_or(u64::MAX);
            let line = |event| EventLine { schema: "windlass/event/1", at_ms, event };
            entries.iter().filter_map(|entry| escape::json_line(&line(entry)).ok()).collect()
        }
    }
}

/// What the dispatcher says when it found no plan: resuming finds none either.
pub(crate) const NO_WAY_ON: &str = "and there is no way on";

fn ended(drive: &Drive<'_>, finish: &Finish) -> u8 {
    let resume = drive.address.command("resume");
    match finish {
        Finish::Reached => exit_code::GOOD,
        Finish::Failed(why) if why.iter().any(|why| why.contains(NO_WAY_ON)) => {
            let (up, down) = (drive.address.up(), drive.address.command("down"));
            output::notice(&format!("what runs stays as it is; `{up}` or `{down}` leads on"));
            exit_code::EXECUTION
        }
        Finish::Failed(_) | Finish::Stalled(_) => {
            let up = drive.address.up();
            output::notice(&format!(
                "what has been done stays; `{resume}` goes on when the cause is gone, `{up}` by \
                 the file as it is then"
            ));
            exit_code::EXECUTION
        }
        Finish::InDoubt(doubts) => {
            let failure = doubt::failure(drive, doubts, &BTreeMap::new());
            failure.print();
            failure.exit_code
        }
        Finish::Unseen(unseen) => {
            for Unseen { instance, host } in unseen {
                output::notice(&format!(
                    "the host {host} does not answer, so it is unknown whether the process of \
                     {instance} runs"
                ));
            }
            output::notice(&format!("when it answers again, `{resume}` goes on"));
            exit_code::EXECUTION
        }
        Finish::RolledBack(_) => {
            let up = drive.address.up();
            output::notice(&format!(
                "everything is where the run began; what an operation did that no other one undoes \
                 is still done; `{up}` starts again"
            ));
            exit_code::EXECUTION
        }
        Finish::Interrupted => {
            output::notice(&format!("interrupted; what runs goes on; `{resume}` takes over"));
            exit_code::INTERRUPTED
        }
    }
}
