//! `windlass down`: take an application down.

use std::path::PathBuf;

use clap::Args;
use windlass_run::controller::take_down::TakeDown;

use crate::args::Format;
use crate::commands::engine::{self, Afterwards, DriveArgs, Terminal, WhereArgs};
use crate::failure::Failure;
use crate::load::Loader;

/// What `windlass down` takes.
#[derive(Debug, Args)]
#[command(after_help = "\
A plan is made from where the application is to where nothing of it exists, and followed: what uses
something comes to rest before it, by its own operations (`stop`, say) and as far back as they lead;
then the instances go. An assembly of nets goes through its behavior `stop`, or is undone by what its
transitions say under `compensate`, last first; one that says neither is refused.

Exit codes: 0 nothing is left, 2 usage, 4 an action failed or is in doubt.

Examples:
  windlass down
  windlass down shop/windlass.yaml --name blue")]
pub(crate) struct DownArgs {
    /// The application, to find its deployment
    #[arg(value_name = "FILE", default_value = "windlass.yaml")]
    file: PathBuf,

    /// Of a Compose project: remove its volumes too, with what is in them
    #[arg(short, long)]
    volumes: bool,

    /// Of a Compose project: remove containers too whose service is in its file no more
    #[arg(long)]
    remove_orphans: bool,

    /// Do not ask
    #[arg(long)]
    yes: bool,

    #[command(flatten)]
    place: WhereArgs,

    #[command(flatten)]
    drive: DriveArgs,

    /// How events are written: lines, or JSON with one event a line
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    format: Format,
}

/// Takes an application down.
pub(crate) fn exec(args: &DownArgs) -> Result<u8, Failure> {
    let found = engine::existing(&args.place, &args.file)?;
    let terminal = Terminal::new(&found.address, args.format).saying_yes(args.yes);
    let controller = engine::controller(&found, &args.drive, &terminal, false)?;
    // A file that cannot be read corrects nothing.
    let corrected =
        || Loader::default().application(&args.file, None).ok().map(|it| it.application);
    let (volumes, remove_orphans) = (args.volumes, args.remove_orphans);
    let request = TakeDown { volumes, remove_orphans, corrected: Some(&corrected) };
    let ended = terminal.conclude(controller.take_down(&request));
    // What is down is not looked after; after a refusal it is.
    engine::finish(controller, ended, &args.drive, &found.address, Afterwards::Nothing)
}
