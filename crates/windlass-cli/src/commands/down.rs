//! `windlass down`: take an application down.

use std::path::PathBuf;

use clap::Args;
use windlass::goal::{Goal, GoalFile, Want};
use windlass::lang;
use windlass::tree::emit;
use windlass_run::entry::{Aim, Entry, Purpose};
use windlass_run::machine::Machine;
use windlass_run::machine::plan::PlanMachine;

use crate::args::Format;
use crate::commands::engine::{
    self, Beginning, Drive, DriveArgs, Past, WhereArgs, containers, drive, search_limits,
};
use crate::commands::resume::world_of;
use crate::exit_code;
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
    let past = Past::read(&deployment)?
        .ok_or_else(|| Failure::usage(format!("`{name}` has never been up")))?;
    if !past.is_over() {
        let message = format!("run {} of `{name}` has not ended", past.run);
        return Err(Failure::usage(message).help("`windlass resume --detach` ends it"));
    }
    let composed = containers::Composed::read(&deployment, &past.application)?;
    let standing = past.standing()?.ok_or_else(|| {
        Failure::usage("this deployment is one of nets, and nets have no way back")
    })?;
    let application = &past.application;
    let (state, processes) = match &composed {
        Some(composed) => (composed.state.clone(), composed.processes.clone()),
        None => (standing.state.clone(), standing.processes.clone()),
    };
    let leaves = |id: &windlass::application::NodeId| {
        composed.as_ref().is_none_or(|it| it.leaves(&application.node(*id).name, args.volumes))
    };
    let wants = application.node_ids().filter(leaves).map(Want::NodeGone).collect();
    if let Some(composed) = &composed {
        composed.confirm(&deployment, args.volumes, args.yes)?;
    }
    let goal = GoalFile { goal: Goal { wants }, ..GoalFile::default() };
    let start = emit::yaml(&lang::windlass::print_state(application, &state));
    let begun = Entry::Begun {
        purpose: Purpose::Down,
        application: emit::yaml(&lang::windlass::print(application, Some(&goal))),
        directory: past.directory.clone(),
        world: past.world.clone(),
        start: Some(start),
        processes,
    };
    let machine = PlanMachine::new(application, state, Some(goal), search_limits);
    let mut machine = machine.ok_or_else(|| Failure::usage("the application mixes nets in"))?;
    machine.arrange = containers::arrangement(&deployment);
    let plan =
        machine.plan(Aim::Goal).map_err(|why| Failure::usage(why).ending(exit_code::FINDINGS))?;
    let way = Drive {
        args: &args.drive,
        format: args.format,
        deployment: &deployment,
        name: &name,
        world: world_of(&past.world)?,
        directory: PathBuf::from(&past.directory),
        secrets: engine::secrets(args.drive.secrets.as_deref())?,
        stay: false,
    };
    let code = drive(&way, machine, Beginning::New { begun, plan });
    drop(lock);
    code
}
