//! `windlass logs`: what the commands and processes wrote.
//!
//! Without `--run` that is the last run, and the processes that run now, whichever run began them;
//! when all of that is silent, the last run in which something was written.

mod containers;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use windlass::spelling;
use windlass_run::controller::{self, Error, LastRun, read_journal};
use windlass_run::deployment::Deployment;
use windlass_run::entry::{Entry, OrderId, Record};
use windlass_run::journal::sqlite::Sqlite;

use crate::args::Format;
use crate::commands::engine::{self, Found, WhereArgs};
use crate::failure::Failure;
use crate::{escape, exit_code, output};

/// What `windlass logs` takes.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  windlass logs
  windlass logs 'api start'
  windlass logs api --run 2
  windlass logs -f")]
pub(crate) struct LogsArgs {
    /// Only actions whose label is this, or of the instance or node with this name; of a Compose
    /// project only this service
    #[arg(value_name = "ACTION")]
    action: Option<String>,

    /// Only this run (default: the last one, and the processes that run)
    #[arg(long, value_name = "N")]
    run: Option<u64>,

    /// Go on with what is written from now on; Ctrl-C ends it
    #[arg(short, long, conflicts_with = "run")]
    follow: bool,

    /// The application, to find its deployment
    #[arg(long, value_name = "FILE", default_value = "windlass.yaml")]
    app: PathBuf,

    #[command(flatten)]
    place: WhereArgs,

    /// How the answer is written
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    format: Format,
}

/// How often `--follow` looks for more: a file does not report that it grows.
const LOOK_EVERY: Duration = Duration::from_millis(300);

/// The log of one order, and how much of it has been printed.
struct Log {
    order: OrderId,
    label: String,
    path: PathBuf,
    printed: u64,
}

/// A line of `--format json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LogLine<'a> {
    /// `windlass/logs/1`.
    schema: &'static str,
    /// The number of the action.
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<OrderId>,
    /// Its label.
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<&'a str>,
    /// Of a Compose project: the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    service: Option<&'a str>,
    /// Of a Compose project: the container.
    #[serde(skip_serializing_if = "Option::is_none")]
    container: Option<&'a str>,
    /// What was written.
    line: &'a str,
}

/// Prints logs.
pub(crate) fn exec(args: &LogsArgs) -> Result<u8, Failure> {
    let found = engine::existing(&args.place, &args.app)?;
    let refuse = |why| engine::failure(why, &found.address, args.format);
    if let Some(requests) = controller::containers::read(&found.deployment).map_err(refuse)? {
        return containers::print(args, &requests, &found);
    }
    let journal = read_journal::open(&found.deployment).map_err(refuse)?;
    let last = read_journal::last_number(&found.deployment, &journal).map_err(refuse)?;
    if last == 0 {
        return Err(refuse(Error::NeverUp { name: found.name.clone() }));
    }
    if let Some(run) = args.run.filter(|run| !(1..=last).contains(run)) {
        let help = format!("its runs are 1 to {last}");
        return Err(Failure::usage(format!("`{}` has no run {run}", found.name)).help(help));
    }
    print_all(args, &found, &journal, last)
}

/// Prints what was written, and with `--follow` what is written from now on.
fn print_all(args: &LogsArgs, found: &Found, journal: &Sqlite, last: u64) -> Result<u8, Failure> {
    let refuse = |why| engine::failure(why, &found.address, args.format);
    let deployment = &found.deployment;
    let wanted = Wanted::new(args, found, journal, last)?;
    let (mut run, mut seen) = (last, wanted.last_entry(last)?);
    let mut logs = wanted.logs(args.run)?;
    let mut shown = None;
    loop {
        for log in &mut logs {
            print(args.format, log, &mut shown)?;
        }
        if !args.follow {
            break;
        }
        std::thread::sleep(LOOK_EVERY);
        // Another command may have begun another run meanwhile.
        loop {
            for record in read_journal::records(deployment, journal, run, seen).map_err(refuse)? {
                seen = record.seq;
                let fresh = wanted.log(run, record.entry);
                logs.extend(fresh.filter(|log| logs.iter().all(|it| it.order != log.order)));
            }
            if read_journal::last_number(deployment, journal).map_err(refuse)? <= run {
                break;
            }
            (run, seen) = (run + 1, 0);
        }
    }
    if shown.is_none() {
        output::notice("nothing was written");
    }
    Ok(exit_code::GOOD)
}

/// Which orders are meant.
struct Wanted<'a> {
    found: &'a Found,
    format: Format,
    deployment: &'a Deployment,
    journal: &'a Sqlite,
    last: u64,
    action: Option<&'a str>,
    /// The instances of the node that is named.
    instances: BTreeSet<String>,
    /// The orders behind the processes that run now.
    processes: BTreeMap<OrderId, String>,
}

impl<'a> Wanted<'a> {
    fn new(
        args: &'a LogsArgs,
        found: &'a Found,
        journal: &'a Sqlite,
        last: u64,
    ) -> Result<Self, Failure> {
        let refuse = |why| engine::failure(why, &found.address, args.format);
        let deployment = &found.deployment;
        let last_run = LastRun::of_run(deployment, journal, last).map_err(refuse)?;
        let standing = last_run.standing().map_err(refuse)?;
        let mut processes = BTreeMap::new();
        let mut instances = BTreeSet::new();
        if let Some(standing) = &standing {
            let of_processes = standing.processes.iter();
            processes.extend(of_processes.map(|(instance, order)| (*order, instance.clone())));
            let of_node = standing.state.instances.iter().filter(|(_, instance)| {
                args.action.as_ref() == Some(&last_run.application.node(instance.node).name)
            });
            instances.extend(of_node.map(|(id, _)| id.0.clone()));
        }
        let wanted = Wanted {
            found,
            format: args.format,
            deployment,
            journal,
            last,
            action: args.action.as_deref(),
            instances,
            processes,
        };
        wanted.known(&last_run)?;
        Ok(wanted)
    }

    fn records(&self, run: u64) -> Result<Vec<Record>, Failure> {
        read_journal::records(self.deployment, self.journal, run, 0)
            .map_err(|why| engine::failure(why, &self.found.address, self.format))
    }

    /// Refuses a name that nothing has or ever had.
    fn known(&self, last_run: &LastRun) -> Result<(), Failure> {
        let Some(action) = self.action else { return Ok(()) };
        let nodes = last_run.application.nodes.iter().map(|node| node.name.clone());
        let mut names: BTreeSet<String> = nodes.collect();
        for run in (1..=self.last).rev() {
            for record in self.records(run)? {
                if let Entry::Intent { label, instance, .. } = record.entry {
                    names.extend([label, instance]);
                }
            }
            if names.contains(action) {
                return Ok(());
            }
        }
        let known = names.iter().map(String::as_str);
        let help = spelling::advice("action", action, known, 0).unwrap_or_default();
        let message = format!("there is no action, instance or node `{action}` in any run");
        Err(Failure::usage(message).help(help))
    }

    /// The log of the order that an entry gives, if it is meant.
    fn log(&self, run: u64, entry: Entry) -> Option<Log> {
        let Entry::Intent { order, label, instance, .. } = entry else { return None };
        let fits = |wanted: &str| {
            wanted == label || wanted == instance || self.instances.contains(&instance)
        };
        if !self.action.is_none_or(fits) {
            return None;
        }
        let path = self.deployment.logs(run).join(format!("{}.log", order.0));
        Some(Log { order, label, path, printed: 0 })
    }

    /// The number of the last entry of a run.
    fn last_entry(&self, run: u64) -> Result<u64, Failure> {
        let records = self.records(run)?;
        Ok(records.last().map_or(0, |record| record.seq))
    }

    fn of_run(&self, run: u64) -> Result<Vec<Log>, Failure> {
        let records = self.records(run)?;
        Ok(records.into_iter().filter_map(|record| self.log(run, record.entry)).collect())
    }

    /// The logs that are shown first.
    fn logs(&self, run: Option<u64>) -> Result<Vec<Log>, Failure> {
        if let Some(run) = run {
            return self.of_run(run);
        }
        let mut missing = self.processes.clone();
        let mut logs = self.of_run(self.last)?;
        for run in (1..self.last).rev() {
            for log in &logs {
                missing.remove(&log.order);
            }
            if missing.is_empty() && logs.iter().any(Log::is_written) {
                break;
            }
            let is_silent = !logs.iter().any(Log::is_written);
            let mut earlier = self.of_run(run)?;
            // Of an earlier run what still runs, and everything if nothing was written since.
            earlier.retain(|log| missing.contains_key(&log.order) || is_silent && log.is_written());
            logs.splice(0..0, earlier);
        }
        Ok(logs)
    }
}

impl Log {
    fn is_written(&self) -> bool {
        std::fs::metadata(&self.path).is_ok_and(|file| file.len() > 0)
    }
}

/// Prints what has not been printed yet, under the name of its action.
fn print(format: Format, log: &mut Log, shown: &mut Option<OrderId>) -> Result<(), Failure> {
    // An action without a command has no log.
    let Ok(mut file) = File::open(&log.path) else { return Ok(()) };
    let unreadable = |error: std::io::Error| Failure::file("read", &log.path, &error);
    file.seek(SeekFrom::Start(log.printed)).map_err(unreadable)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.is_empty() {
        return Ok(());
    }
    log.printed += bytes.len() as u64;
    let text = String::from_utf8_lossy(&bytes);
    let out = match format {
        Format::Json => text
            .lines()
            .map(|line| {
                let (order, action) = (Some(log.order), Some(log.label.as_str()));
                escape::json_line(&LogLine { order, action, ..LogLine::of(line) })
            })
            .collect::<Result<String, _>>()?,
        Format::Text => {
            let head = if *shown == Some(log.order) {
                String::new()
            } else {
                format!("== {} (order {})\n", log.label, log.order.0)
            };
            escape::visible_log(&format!("{head}{text}"))
        }
    };
    *shown = Some(log.order);
    output::stdout(&out)?;
    Ok(())
}

impl<'a> LogLine<'a> {
    /// A line without an owner yet.
    fn of(line: &'a str) -> Self {
        let schema = "windlass/logs/1";
        LogLine { schema, order: None, action: None, service: None, container: None, line }
    }
}
