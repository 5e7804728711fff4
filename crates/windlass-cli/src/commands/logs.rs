//! `windlass logs`: what the commands and processes wrote.

mod containers;

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use windlass_run::deployment::Deployment;
use windlass_run::entry::{Entry, OrderId};
use windlass_run::journal::sqlite::Sqlite;

use crate::args::Format;
use crate::commands::engine::{self, WhereArgs};
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
    /// Only actions whose label is this, or of the instance with this name; of a Compose project
    /// only this service
    #[arg(value_name = "ACTION")]
    action: Option<String>,

    /// The run (default: the last)
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

/// How often `--follow` looks for more. A file that grows tells nobody.
const LOOK_EVERY: Duration = Duration::from_millis(300);

/// The log of one order, and how much of it has been printed.
struct Log {
    order: OrderId,
    label: String,
    path: PathBuf,
    printed: u64,
}

/// Prints logs.
pub(crate) fn run(args: &LogsArgs) -> Result<u8, Failure> {
    let (deployment, name) = engine::existing(&args.place, &args.app)?;
    if let Some(sheet) = engine::containers::read(&deployment)? {
        return containers::print(args, &sheet);
    }
    let journal = Sqlite::read_only(&deployment.journal())?;
    let last = journal.last_run()?;
    let run = args.run.unwrap_or(last);
    if !(1..=last).contains(&run) {
        return Err(Failure::usage(format!("`{name}` has no run {run}")));
    }
    let mut logs: Vec<Log> = Vec::new();
    let (mut seen, mut shown) = (0, None);
    loop {
        let now = if args.follow { journal.last_run()? } else { run };
        for record in journal.records(now, seen)? {
            seen = record.seq;
            if let Entry::Intent { order, label, instance, .. } = record.entry
                && args.action.as_ref().is_none_or(|wanted| *wanted == label || *wanted == instance)
            {
                logs.push(log(&deployment, now, order, label));
            }
        }
        for log in &mut logs {
            print(args.format, log, &mut shown)?;
        }
        if !args.follow {
            return Ok(exit_code::GOOD);
        }
        std::thread::sleep(LOOK_EVERY);
    }
}

fn log(deployment: &Deployment, run: u64, order: OrderId, label: String) -> Log {
    let path = deployment.logs(run).join(format!("{}.log", order.0));
    Log { order, label, path, printed: 0 }
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
                escape::json_line(&serde_json::json!({
                    "schema": "windlass/logs/1", "order": log.order, "action": log.label,
                    "line": line,
                }))
            })
            .collect::<Result<String, _>>()?,
        Format::Text => {
            let head = if *shown == Some(log.order) {
                String::new()
            } else {
                format!("== {} (order {})\n", log.label, log.order.0)
            };
            escape::visible_lines(&format!("{head}{text}"))
        }
    };
    *shown = Some(log.order);
    output::stdout(&out)?;
    Ok(())
}
