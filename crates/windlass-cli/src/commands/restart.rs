//! `windlass restart PART`: stop a part of what is up, with what relies on it, and start it again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use clap::Args;
use windlass::application::{GlobalState, Instance, InstanceId, NodeId};
use windlass::goal::{GoalFile, Want};
use windlass::lifecycle::protocol::{Element, RequirementId};
use windlass::spelling;
use windlass_run::entry::Purpose;

use crate::args::Format;
use crate::commands::engine::{
    DriveArgs, Manner, Past, Standing, Towards, WhereArgs, actions, containers,
};
use crate::exit_code;
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
pub(crate) fn run(args: &RestartArgs) -> Result<u8, Failure> {
    let (drive, format) = (&args.drive, args.format);
    let manner = Manner { drive, format, yes: None, dry_run: args.dry_run };
    let towards = Towards::of(&args.place, &args.app, manner)?;
    let ended = restart(args, &towards);
    towards.leave_after(ended)
}

fn restart(args: &RestartArgs, towards: &Towards<'_>) -> Result<u8, Failure> {
    let past = towards.past()?;
    let standing = past.protocols()?;
    let Some(back) = past.goal.clone().filter(|_| past.purpose == Purpose::Up) else {
        return Err(Failure::usage(format!("`{}` has no goal to come back to", towards.name))
            .help(format!("`{}` gives it one", towards.address.up())));
    };
    let parts = parts(&past, &standing, &args.part)?;
    let away = away(&past, &standing, &parts, &there(towards, &past, &standing)?)?;
    if args.dry_run {
        let (mut all, state) = Towards::actions(&past, &standing.state, &away)?;
        all.extend(Towards::actions(&past, &state, &back)?.0);
        actions::show(args.format, all)?;
        return Ok(exit_code::GOOD);
    }
    let mut code = towards.reach(&past, away, Purpose::Up, false)?;
    if code == exit_code::GOOD {
        code = towards.reach(&towards.past()?, back, Purpose::Up, !args.drive.detach)?;
    }
    Ok(code)
}

/// The instances that are meant.
fn parts(past: &Past, standing: &Standing, part: &str) -> Result<Vec<InstanceId>, Failure> {
    let instances = &standing.state.instances;
    let named = |(id, instance): &(&InstanceId, &Instance)| {
        let node = &past.application.node(instance.node).name;
        // The first may be called as its node; containers always have numbers.
        let is_first = id.0 == *node && part.strip_prefix(node.as_str()) == Some("-1");
        id.0 == part || node == part || is_first
    };
    let found: Vec<InstanceId> = instances.iter().filter(named).map(|(id, _)| id.clone()).collect();
    if found.is_empty() {
        let nodes = past.application.nodes.iter().map(|node| node.name.as_str());
        let known = instances.keys().map(|id| id.0.as_str()).chain(nodes);
        let help = spelling::advice("instances and node", part, known, 0).unwrap_or_default();
        let message = format!("there is no instance and no node `{part}`");
        return Err(Failure::usage(message).help(help));
    }
    Ok(found)
}

/// How many instances of each node there are.
fn numbers(state: &GlobalState) -> BTreeMap<NodeId, u32> {
    let mut numbers = BTreeMap::new();
    for instance in state.instances.values() {
        *numbers.entry(instance.node).or_insert(0) += 1;
    }
    numbers
}

/// How many instances a Docker engine has of the nodes of a project: other programs may have made
/// more than the journal knows of, and the plan begins with them.
fn there(
    towards: &Towards<'_>,
    past: &Past,
    standing: &Standing,
) -> Result<BTreeMap<NodeId, u32>, Failure> {
    let (application, known) = (&past.application, &standing.state);
    let composed = containers::Composed::read(&towards.deployment, application, known)?;
    Ok(composed.map(|composed| numbers(&composed.state)).unwrap_or_default())
}

/// A goal in which every part is in a state from which an operation leads to its present one, and
/// every other instance where it is, or else one operation before that too: none is removed.
fn away(
    past: &Past,
    standing: &Standing,
    parts: &[InstanceId],
    there: &BTreeMap<NodeId, u32>,
) -> Result<GoalFile, Failure> {
    // What relies on a part is stopped, not helped by another instance meanwhile.
    let mut goal = GoalFile { budget: numbers(&standing.state), ..GoalFile::default() };
    for (node, number) in there {
        let most = goal.budget.entry(*node).or_insert(0);
        *most = (*most).max(*number);
    }
    let mut near = goal.clone();
    near.goal.wants = followed(past, standing, parts);
    if Towards::can_reach(past, standing, &near)?.is_ok() {
        return Ok(near);
    }
    let others = standing.state.instances.keys().filter(|id| !parts.contains(id));
    for (id, stays) in parts.iter().map(|id| (id, false)).chain(others.map(|id| (id, true))) {
        let mut found = None;
        let mut why = None;
        for state in states(past, standing, id, stays) {
            let mut wider = goal.clone();
            wider.goal.wants.push(Want::Instance { instance: id.clone(), state });
            match Towards::can_reach(past, standing, &wider)? {
                Ok(()) => {
                    found = Some(wider);
                    break;
                }
                Err(reason) => drop(why.get_or_insert(reason)),
            }
        }
        goal = found.ok_or_else(|| {
            let message = format!("there is no way for `{id}` back to a state before this one");
            Failure::usage(message)
                .help(why.map(|why| why.to_string()).unwrap_or_default())
                .ending(exit_code::FINDINGS)
        })?;
    }
    Ok(goal)
}

/// Where every instance is when the parts have gone one step back, and after them what needs one
/// of those that went for as long as it is where it is.
fn followed(past: &Past, standing: &Standing, parts: &[InstanceId]) -> Vec<Want> {
    let state = &standing.state;
    let mut gone: BTreeSet<&InstanceId> = parts.iter().collect();
    loop {
        let nodes: BTreeSet<NodeId> =
            gone.iter().filter_map(|id| Some(state.instance(id)?.node)).collect();
        let follows = |(id, instance): &(&InstanceId, &Instance)| {
            let Element::State(now) = instance.element else { return false };
            let Some(protocol) = past.application.protocol_of(instance.node) else { return false };
            let node = past.application.node(instance.node);
            let needed = |requirement: &RequirementId| {
                let binding = node.bindings.iter().find(|it| it.requirement == *requirement);
                binding.is_some_and(|binding| nodes.contains(&binding.target))
            };
            !gone.contains(id) && protocol.state(now).requires.iter().any(needed)
        };
        let more: Vec<&InstanceId> =
            state.instances.iter().filter(follows).map(|(id, _)| id).collect();
        if more.is_empty() {
            break;
        }
        gone.extend(more);
    }
    let want = |id: &InstanceId| {
        let states = states(past, standing, id, !gone.contains(id));
        let state = states.into_iter().next()?;
        Some(Want::Instance { instance: id.clone(), state })
    };
    state.instances.keys().filter_map(want).collect()
}

/// The state of an instance, if it may stay, and those from which an operation leads to it.
fn states(past: &Past, standing: &Standing, id: &InstanceId, stays: bool) -> Vec<String> {
    let Some(instance) = standing.state.instance(id) else { return Vec::new() };
    let Some(protocol) = past.application.protocol_of(instance.node) else { return Vec::new() };
    let Element::State(now) = instance.element else { return Vec::new() };
    let before = protocol.transitions.iter().filter(|it| it.to == now && it.from != now);
    let all = stays.then_some(now).into_iter().chain(before.map(|it| it.from));
    all.map(|state| protocol.state(state).name.clone()).collect()
}
