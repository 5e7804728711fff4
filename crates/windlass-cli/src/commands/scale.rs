//! `windlass scale NODE=N`: more or fewer instances of what is up.

use std::path::PathBuf;

use clap::Args;

use crate::args::Format;
use crate::commands::engine::{self, Afterwards, DriveArgs, Terminal, WhereArgs};
use crate::failure::Failure;

/// What `windlass scale` takes.
#[derive(Debug, Args)]
#[command(after_help = "\
A plan is made from where the application is to so many instances of the nodes, each where the last
goal wanted it, and followed. Other nodes stay as the last goal says. When instances are removed the
plan is shown and the operator asked.

Exit codes: 0 reached, 1 it cannot be reached, 2 usage, 4 an action failed or is in doubt,
130 interrupted.

Examples:
  windlass scale api=3
  windlass scale api=1 --dry-run
  windlass scale api=1 worker=0 --yes --detach")]
pub(crate) struct ScaleArgs {
    /// How many instances of which node
    #[arg(value_name = "NODE=N", required = true, value_parser = wanted)]
    counts: Vec<(String, u32)>,

    /// The application, to find its deployment
    #[arg(long, value_name = "FILE", default_value = "windlass.yaml")]
    app: PathBuf,

    #[command(flatten)]
    place: WhereArgs,

    #[command(flatten)]
    drive: DriveArgs,

    /// Print the actions with their commands, and do nothing
    #[arg(long)]
    dry_run: bool,

    /// Do not ask
    #[arg(long)]
    yes: bool,

    /// How events are written: lines, or JSON with one event a line
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    format: Format,
}

fn wanted(text: &str) -> Result<(String, u32), String> {
    let (node, count) = text.split_once('=').ok_or("write NODE=N")?;
    let count = count.parse().map_err(|_| format!("`{count}` is no number of instances"))?;
    Ok((node.to_owned(), count))
}

/// Scales.
pub(crate) fn exec(args: &ScaleArgs) -> Result<u8, Failure> {
    let found = engine::existing(&args.place, &args.app)?;
    let terminal = Terminal::new(&found.address, args.format).saying_yes(args.yes);
    let terminal = terminal.listing_actions();
    let controller = engine::controller(&found, &args.drive, &terminal, args.dry_run)?;
    let ended = terminal.conclude(controller.scale(&args.counts));
    engine::finish(controller, ended, &args.drive, &found.address, Afterwards::Restore)
}
