//! `windlass history`: what was decided and what became of it.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use windlass::export::gantt;
use windlass_run::controller::prediction::{self, Span};
use windlass_run::controller::{Error, LastRun, read_journal};
use windlass_run::entry::{Entry, Purpose, Record};

use crate::args::Format;
use crate::commands::engine::{self, Lines, WhereArgs};
use crate::failure::Failure;
use crate::{escape, exit_code, output, replace};

/// What `windlass history` takes.
#[derive(Debug, Args)]
#[command(after_help = "\
With --format json every entry is a line of its own, as the journal keeps it. --chart and --gantt show
the actions of a run (the last, or --run N) as bars, each above the bar that the durations in the
description predict.

Examples:
  windlass history
  windlass history --run 3 --chart
  windlass history --gantt run.svg
  windlass history --format json > journal.jsonl")]
pub(crate) struct HistoryArgs {
    /// The application, to find its deployment
    #[arg(value_name = "FILE", default_value = "windlass.yaml")]
    file: PathBuf,

    /// Only this run
    #[arg(long, value_name = "N")]
    run: Option<u64>,

    /// Show a run as bars, what happened above what was predicted
    #[arg(long)]
    chart: bool,

    /// Write these bars as a picture
    #[arg(long, value_name = "OUT.svg")]
    gantt: Option<PathBuf>,

    #[command(flatten)]
    place: WhereArgs,

    /// How the answer is written
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    format: Format,
}

/// A line of `--format json`: an entry of the journal.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HistoryLine<'a> {
    /// `windlass/history/1`.
    schema: &'static str,
    /// The entry with its place.
    #[serde(flatten)]
    record: &'a Record,
}

/// How many characters the bars have.
const WIDTH: usize = 50;

/// Prints the journal.
pub(crate) fn exec(args: &HistoryArgs) -> Result<u8, Failure> {
    let found = engine::existing(&args.place, &args.file)?;
    let refuse = |why| engine::failure(why, &found.address, args.format);
    let (deployment, name) = (&found.deployment, &found.name);
    let journal = read_journal::open(deployment).map_err(refuse)?;
    let last = read_journal::last_number(deployment, &journal).map_err(refuse)?;
    let runs: Vec<u64> = match args.run {
        Some(run) if (1..=last).contains(&run) => vec![run],
        Some(run) => return Err(Failure::usage(format!("`{name}` has no run {run}"))),
        None => (1..=last).collect(),
    };
    if args.chart || args.gantt.is_some() {
        let never_up = || refuse(Error::NeverUp { name: name.clone() });
        let run = *runs.last().ok_or_else(never_up)?;
        let run = LastRun::of_run(deployment, &journal, run).map_err(refuse)?;
        let predicted = prediction::of_run(&run, None).map_err(refuse)?;
        return chart(args, name, &run, &predicted);
    }
    let mut out = String::new();
    for run in runs {
        let records = read_journal::records(deployment, &journal, run, 0).map_err(refuse)?;
        list(args.format, run, &records, &mut out)?;
    }
    output::stdout(&out)?;
    Ok(exit_code::GOOD)
}

/// The entries of a run.
fn list(format: Format, run: u64, records: &[Record], out: &mut String) -> Result<(), Failure> {
    let mut lines = Lines::timed(true);
    for record in records {
        if format == Format::Json {
            let schema = "windlass/history/1";
            out.push_str(&escape::json_line(&HistoryLine { schema, record })?);
            continue;
        }
        let at = Duration::from_millis(record.at);
        if let Entry::Begun { purpose, .. } = &record.entry {
            let word = if *purpose == Purpose::Up { "up" } else { "down" };
            let _ = writeln!(out, "run {run}: {word}");
        }
        let mut line = String::from("  ");
        lines.write(&mut line, at, &record.entry);
        if line.ends_with('\n') {
            out.push_str(&escape::visible_lines(&line));
        }
    }
    Ok(())
}

/// The bars of a run.
fn chart(args: &HistoryArgs, name: &str, run: &LastRun, predicted: &[Span]) -> Result<u8, Failure> {
    let (bars, last) = prediction::bars(&prediction::spans(&run.records), predicted);
    if let Some(path) = &args.gantt {
        let svg = gantt::svg(&format!("{name}, run {}", run.run), &bars, last);
        replace::write(path, &svg).map_err(|error| Failure::file("write", path, &error))?;
    }
    if args.chart {
        output::stdout(&escape::visible_lines(&gantt::text(&bars, last, WIDTH)))?;
    }
    Ok(exit_code::GOOD)
}
