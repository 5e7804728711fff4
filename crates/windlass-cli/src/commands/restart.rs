//! `windlass restart PART`: stop a part of what is up, with what relies on it, and start it again.

use std::path::PathBuf;

use clap::Args;

use crate::args::Format;
use crate::commands::engine::{self, Afterwards, DriveArgs, Terminal, WhereArgs};
use crate::failure::Failure;

/// What `windlass restart` takes.
#[derive(Debug, Args)]
#[command(after_help = "\
Two runs: a plan to where the part is in the state before its present one, which takes along what
relies on it, and a plan back to the last goal. Nothing is faulted on the way. When the first run
was interrupted, `windlass resume` ends it and `windlass up` brings the rest back.

Exit codes: 0 the goal holds again, 1 there is no way there and back, 2 usage, 4 an action failed or
is in doubt, 130 interrupted.

Examples:
  windlass restart api
  windlass restart api --dry-run
  windlass restart api_2 --detach")]
pub(crate) struct RestartArgs {
    /// An instance, or a node: all its instances
    #[arg(value_name = "PART")]
    part: String,

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

    /// How events are written: lines, or JSON with one event a line
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    format: Format,
}

/// Restarts a part.
pub(crate) fn exec(args: &RestartArgs) -> Result<u8, Failure> {
    let found = engine::existing(&args.place, &args.app)?;
    let terminal = Terminal::new(&found.address, args.format);
    let controller = engine::controller(&found, &args.drive, &terminal, args.dry_run)?;
    let ended = terminal.conclude(controller.restart(&args.part));
    engine::finish(controller, ended, &args.drive, &found.address, Afterwards::Restore)
}
