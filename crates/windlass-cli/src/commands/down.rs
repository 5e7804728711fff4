//! `windlass down`: take an application down.

use std::path::PathBuf;

use clap::Args;
use windlass::application::NodeId;
use windlass::goal::{Goal, GoalFile, Want};
use windlass_run::entry::Purpose;

use crate::args::Format;
use crate::commands::engine::{DriveArgs, Past, Towards, WhereArgs, containers};
use crate::exit_code;
use crate::failure::Failure;

/// What `windlass down` takes.
#[derive(Debug, Args)]
#[command(after_help = "\
A plan is made from where the application is to where nothing of it exists, and followed: operations
in the order that the life cycles ask for, then the instances go. What lies in containers is first
brought back to where it began, in a run of its own, so that nothing vanishes while it works.

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
    let towards = Towards::of(&args.place, &args.file, &args.drive, args.format, None)?;
    let past = towards.past()?;
    let application = &past.application;
    let composed = containers::Composed::read(&towards.deployment, application)?;
    let leaves = |id: &NodeId| {
        composed.as_ref().is_none_or(|it| it.leaves(&application.node(*id).name, args.volumes))
    };
    let wants = application.node_ids().filter(leaves).map(Want::NodeGone).collect();
    if let Some(composed) = &composed {
        composed.confirm(&towards.deployment, args.volumes, args.yes)?;
    }
    let gone = GoalFile { goal: Goal { wants }, ..GoalFile::default() };
    let mut code = exit_code::GOOD;
    if let Some(rest) = at_rest(&past)?.filter(|_| composed.is_none()) {
        code = towards.reach(&past, rest, Purpose::Down, false)?;
    }
    if code == exit_code::GOOD {
        code = towards.reach(&towards.past()?, gone, Purpose::Down, false)?;
    }
    Ok(code)
}

/// The goal that every instance is where it began, when some would otherwise go with their
/// container in whatever state they are, and when there is a way there.
fn at_rest(past: &Past) -> Result<Option<GoalFile>, Failure> {
    let standing = past.protocols()?;
    let instances = &standing.state.instances;
    if standing.state.vertical.is_empty() {
        return Ok(None);
    }
    let wants = instances.iter().filter_map(|(id, instance)| {
        let protocol = past.application.protocol_of(instance.node)?;
        let state = protocol.state(protocol.initial).name.clone();
        Some(Want::Instance { instance: id.clone(), state })
    });
    let goal = Goal { wants: wants.collect() };
    let mut rest = GoalFile { goal, ..GoalFile::default() };
    for instance in instances.values() {
        // Nobody new is needed to stop what is there, and removing it is no way to stop it.
        *rest.budget.entry(instance.node).or_insert(0) += 1;
        rest.never.push(Goal { wants: vec![Want::NodeGone(instance.node)] });
    }
    rest.never.dedup();
    Ok(Towards::can_reach(past, &standing, &rest)?.then_some(rest))
}
