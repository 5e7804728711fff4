//! `windlass down`: take an application down.

pub(crate) mod nets;

use std::path::PathBuf;

use clap::Args;
use windlass::application::{Faults, NodeId};
use windlass::goal::{Goal, GoalFile, Want};
use windlass::synthesize::down;
use windlass_run::entry::Purpose;

use crate::args::Format;
use crate::commands::engine::{DriveArgs, Manner, Towards, WhereArgs, WorldArg, containers};
use crate::exit_code;
use crate::failure::Failure;

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
pub(crate) fn run(args: &DownArgs) -> Result<u8, Failure> {
    let (drive, format) = (&args.drive, args.format);
    let manner = Manner { drive, format, yes: None, dry_run: false };
    let towards = Towards::of(&args.place, &args.file, manner)?;
    let ended = down(args, &towards);
    // What is down needs no supervisor; after a refusal it still does.
    if ended.is_err() { towards.leave_after(ended) } else { ended }
}

fn down(args: &DownArgs, towards: &Towards<'_>) -> Result<u8, Failure> {
    let past = towards.past()?;
    let application = &past.application;
    if application.is_net() {
        return nets::run(towards, &past, &args.file);
    }
    let known = past.protocols()?.state;
    let mut composed = containers::Composed::read(&towards.deployment, application, &known)?;
    if let Some(composed) = &mut composed {
        composed.confirm(args.volumes, args.yes)?;
        composed.settle_orphans(args.remove_orphans, args.volumes)?;
    }
    let leaves = |id: &NodeId| {
        composed.as_ref().is_none_or(|it| it.leaves(&application.node(*id).name, args.volumes))
    };
    let wants = match application.faults {
        Faults::Replicas => application.node_ids().filter(leaves).map(Want::NodeGone).collect(),
        // There is one instance of each node for good.
        Faults::Forbidden | Faults::Handled => down::everything_down(application).wants,
    };
    if let Some(composed) = &composed {
        composed.keep_leaving(&towards.deployment, args.volumes)?;
    }
    let gone = GoalFile { goal: Goal { wants }, ..GoalFile::default() };
    let code = towards.reach(&past, gone, Purpose::Down, false)?;
    if code == exit_code::GOOD && composed.is_none() && past.world == WorldArg::Docker.as_str() {
        containers::remove_leftovers(&towards.name)?;
    }
    Ok(code)
}
