//! `windlass down`: take an application down.

use std::path::PathBuf;

use clap::Args;
use windlass::application::NodeId;
use windlass::goal::{Goal, GoalFile, Want};
use windlass_run::entry::Purpose;

use crate::args::Format;
use crate::commands::engine::{self, DriveArgs, Towards, WhereArgs, containers};
use crate::failure::Failure;

/// What `windlass down` takes.
#[derive(Debug, Args)]
#[command(after_help = "\
A plan is made from where the application is to where nothing of it exists, and followed: operations
in the order that the life cycles ask for, then the instances go.

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
    let (deployment, name) = engine::existing(&args.place, &args.file)?;
    let lock = engine::lock(&deployment, &name)?;
    let towards = Towards {
        deployment: &deployment,
        name: &name,
        drive: &args.drive,
        format: args.format,
        yes: None,
    };
    let past = towards.past()?;
    let application = &past.application;
    let composed = containers::Composed::read(&deployment, application)?;
    let leaves = |id: &NodeId| {
        composed.as_ref().is_none_or(|it| it.leaves(&application.node(*id).name, args.volumes))
    };
    let wants = application.node_ids().filter(leaves).map(Want::NodeGone).collect();
    if let Some(composed) = &composed {
        composed.confirm(&deployment, args.volumes, args.yes)?;
    }
    let goal = GoalFile { goal: Goal { wants }, ..GoalFile::default() };
    let code = towards.reach(&past, goal, Purpose::Down, false);
    drop(lock);
    code
}
