//! `windlass history`: what was decided and what became of it.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use windlass::export::gantt;
use windlass_run::entry::{Entry, Purpose, Record};

use crate::args::Format;
use crate::commands::engine::{self, Address, Lines, Past, WhereArgs, chart};
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
pub(crate) fn run(args: &HistoryArgs) -> Result<u8, Failure> {
    let (deployment, name) = engine::existing(&args.place, &args.file)?;
    let address = Address::new(&args.place, &args.file, &name);
    let journal = engine::journal(&deployment)?;
    let last = engine::last_run(&deployment, &journal)?;
    let runs: Vec<u64> = match args.run {
        Some(run) if (1..=last).contains(&run) => vec![run],
        Some(run) => return Err(Failure::usage(format!("`{name}` has no run {run}"))),
        None => (1..=last).collect(),
    };
    if args.chart || args.gantt.is_some() {
        let Some(run) = runs.last() else {
            return Err(engine::never_up(&name, &address));
        };
        return chart(args, &name, &Past::of_run(&deployment, &journal, *run)?);
    }
    let mut out = String::new();
    for run in runs {
        let mut lines = Lines::timed(true);
        for record in engine::records(&deployment, &journal, run, 0)? {
            if args.format == Format::Json {
                let schema = "windlass/history/1";
                out.push_str(&escape::json_line(&HistoryLine { schema, record: &record })?);
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
    }
    output::stdout(&out)?;
    Ok(exit_code::GOOD)
}

/// The bars of a run.
fn chart(args: &HistoryArgs, name: &str, past: &Past) -> Result<u8, Failure> {
    let happened = chart::spans(&past.records);
    let (bars, last) = chart::bars(&happened, &chart::predicted(past, None)?);
    if let Some(path) = &args.gantt {
        let svg = gantt::svg(&format!("{name}, run {}", past.run), &bars, last);
        replace::write(path, &svg).map_err(|error| Failure::file("write", path, &error))?;
    }
    if args.chart {
        output::stdout(&escape::visible_lines(&gantt::text(&bars, last, WIDTH)))?;
    }
    Ok(exit_code::GOOD)
}
