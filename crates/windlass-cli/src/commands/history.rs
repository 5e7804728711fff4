//! `windlass history`: what was decided and what became of it.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use windlass_run::entry::{Entry, Purpose};
use windlass_run::journal::sqlite::Sqlite;

use crate::args::Format;
use crate::commands::engine::{self, Lines, WhereArgs};
use crate::failure::Failure;
use crate::{escape, exit_code, output};

/// What `windlass history` takes.
#[derive(Debug, Args)]
#[command(after_help = "\
With --format json every entry is a line of its own, as the journal keeps it.

Examples:
  windlass history
  windlass history --run 3
  windlass history --format json > journal.jsonl")]
pub(crate) struct HistoryArgs {
    /// The application, to find its deployment
    #[arg(value_name = "FILE", default_value = "windlass.yaml")]
    file: PathBuf,

    /// Only this run
    #[arg(long, value_name = "N")]
    run: Option<u64>,

    #[command(flatten)]
    place: WhereArgs,

    /// How the answer is written
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    format: Format,
}

/// Prints the journal.
pub(crate) fn run(args: &HistoryArgs) -> Result<u8, Failure> {
    let (deployment, name) = engine::existing(&args.place, &args.file)?;
    let journal = Sqlite::read_only(&deployment.journal())?;
    let last = journal.last_run()?;
    let runs: Vec<u64> = match args.run {
        Some(run) if (1..=last).contains(&run) => vec![run],
        Some(run) => return Err(Failure::usage(format!("`{name}` has no run {run}"))),
        None => (1..=last).collect(),
    };
    let mut out = String::new();
    for run in runs {
        let mut lines = Lines::timed(true);
        for record in journal.records(run, 0)? {
            if args.format == Format::Json {
                out.push_str(&escape::json_line(&record)?);
                continue;
            }
            let at = Duration::from_millis(record.at);
            if let Entry::Begun { purpose, .. } = &record.entry {
                let word = if *purpose == Purpose::Up { "up" } else { "down" };
                let _ = writeln!(out, "run {run}: {word}");
            }
            if let Some(line) = lines.line(at, &record.entry) {
                out.push_str(&escape::visible_lines(&format!("  {line}\n")));
            }
        }
    }
    output::stdout(&out)?;
    Ok(exit_code::GOOD)
}
