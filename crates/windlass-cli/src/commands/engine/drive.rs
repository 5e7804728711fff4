//! Driving a run: which world, what the operator sees, how it ends.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use windlass_run::deployment::Deployment;
use windlass_run::dispatcher::{Dispatcher, Finish, OnFailure, Options};
use windlass_run::entry::{Entry, OrderId};
use windlass_run::journal::sqlite::Sqlite;
use windlass_run::machine::Machine;
use windlass_run::resume::{NoResume, Verdict};
use windlass_run::secrets::Secrets;
use windlass_run::world::World;
use windlass_run::world::process::{Place, Processes};
use windlass_run::world::simulated::{Faults, Simulated};

use super::lines::Lines;
use super::{DriveArgs, OnFailureArg, WorldArg, containers};
use crate::args::Format;
use crate::failure::Failure;
use crate::{escape, exit_code, output};

/// Everything a run needs beside its model.
pub(crate) struct Drive<'a> {
    pub(crate) args: &'a DriveArgs,
    pub(crate) format: Format,
    pub(crate) deployment: &'a Deployment,
    pub(crate) name: &'a str,
    pub(crate) world: WorldArg,
    pub(crate) directory: PathBuf,
    pub(crate) secrets: Secrets,
    /// Whether processes are looked after when the goal is reached.
    pub(crate) stay: bool,
}

/// How a run begins.
pub(crate) enum Beginning {
    /// With this entry and this plan.
    New { begun: Entry, plan: Option<String> },
    /// After these entries, with what the operator says about actions in doubt.
    Again { run: u64, entries: Vec<Entry>, verdicts: BTreeMap<OrderId, Verdict> },
}

/// Drives a model to its goal; the exit code.
pub(crate) fn drive<M: Machine>(
    drive: &Drive<'_>,
    machine: M,
    beginning: Beginning,
) -> Result<u8, Failure> {
    let mut journal = Sqlite::open(&drive.deployment.journal(), drive.secrets.clone())?;
    let run = match &beginning {
        Beginning::New { .. } => journal.begin_run()?,
        Beginning::Again { run, .. } => {
            journal.continue_run(*run)?;
            *run
        }
    };
    match drive.world {
        WorldArg::Simulated => {
            let world = Simulated::new(drive.args.seed, Faults::default()).playing();
            with_world(drive, machine, world, journal, beginning)
        }
        WorldArg::Docker => {
            let world = containers::world(drive, place(drive, run)?)?;
            let interrupter = world.interrupter();
            let _ = ctrlc::set_handler(move || interrupter.interrupt());
            with_world(drive, machine, world, journal, beginning)
        }
        WorldArg::Process => {
            let place = place(drive, run)?;
            let world = Processes::new(place, drive.secrets.clone())
                .map_err(|error| Failure::file("use", drive.deployment.folder(), &error))?;
            let interrupter = world.interrupter();
            // Without a handler Ctrl-C ends the engine; the run can be resumed all the same.
            let _ = ctrlc::set_handler(move || interrupter.interrupt());
            with_world(drive, machine, world, journal, beginning)
        }
    }
}

/// Where processes run and write.
fn place(drive: &Drive<'_>, run: u64) -> Result<Place, Failure> {
    Ok(Place {
        folder: absolute(drive.deployment.folder())?,
        logs: absolute(&drive.deployment.logs(run))?,
        directory: absolute(&drive.directory)?,
        name: drive.name.to_owned(),
    })
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
    let next = journal.next_order()?;
    let mut lines = Lines::timed(drive.world != WorldArg::Simulated);
    if let Beginning::Again { entries, .. } = &beginning {
        lines.recall(entries);
    }
    let format = drive.format;
    let listener = move |at: Duration, entry: &Entry| show(format, &mut lines, at, entry);
    let mut engine = Dispatcher::new(machine, world, journal, options, next).listening(listener);
    match beginning {
        Beginning::New { begun, plan } => {
            if let Err(why) = engine.begin_run(begun, plan.as_deref())? {
                return Err(Failure::usage(format!("the plan cannot be followed: {why}")));
            }
            engine.look_after()?;
        }
        Beginning::Again { entries, verdicts, .. } => {
            engine.fold(&entries).and_then(|()| engine.reconcile(&verdicts)).map_err(doubts)?;
        }
    }
    let finish = if drive.stay { engine.keep()? } else { engine.run()? };
    Ok(ended(drive, &finish))
}

/// What keeps a run from going on.
fn doubts(why: NoResume) -> Failure {
    match why {
        NoResume::InDoubt(doubts) => {
            let orders: Vec<String> = doubts
                .iter()
                .map(|doubt| format!("`{}` (order {})", doubt.label, doubt.order.0))
                .collect();
            let message = format!(
                "nobody knows whether this happened, and it must not happen twice: {}",
                orders.join(", ")
            );
            let first = doubts.first().map_or(0, |doubt| doubt.order.0);
            let help = format!(
                "look, then say `windlass resume --in-doubt {first}=done` or \
                 `--in-doubt {first}=again`"
            );
            Failure::usage(message).help(help).ending(exit_code::EXECUTION)
        }
        other => Failure::usage(other.to_string()).ending(exit_code::EXECUTION),
    }
}

/// One entry, as the operator wants to see it.
fn show(format: Format, lines: &mut Lines, at: Duration, entry: &Entry) {
    let text = match format {
        Format::Text => match lines.line(at, entry) {
            Some(line) => escape::visible_lines(&format!("{line}\n")),
            None => return,
        },
        Format::Json => {
            let millis = u64::try_from(at.as_millis()).unwrap_or(u64::MAX);
            let event = serde_json::json!({
                "schema": "windlass/event/1", "at_ms": millis, "event": entry,
            });
            match escape::json_line(&event) {
                Ok(line) => line,
                Err(_) => return,
            }
        }
    };
    // A reader that went away does not stop a run.
    let _ = output::stdout(&text);
}

fn ended(drive: &Drive<'_>, finish: &Finish) -> u8 {
    let name = drive.name;
    match finish {
        Finish::Reached => exit_code::GOOD,
        Finish::Failed(_) | Finish::Stalled(_) => {
            output::notice(&format!(
                "what has been done stays; `windlass resume --name {name}` goes on when the cause \
                 is gone"
            ));
            exit_code::EXECUTION
        }
        Finish::InDoubt(labels) => {
            output::notice(&format!("nobody knows how this ended: {}", labels.join(", ")));
            output::notice(&format!("`windlass resume --name {name}` says what to do"));
            exit_code::EXECUTION
        }
        Finish::RolledBack(_) => exit_code::EXECUTION,
        Finish::Interrupted => {
            output::notice(&format!(
                "interrupted; what runs goes on, and `windlass resume --name {name}` takes over"
            ));
            exit_code::INTERRUPTED
        }
    }
}
