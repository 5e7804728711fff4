//! `windlass scale NODE=N`: more or fewer instances of what is up.

use std::path::PathBuf;

use clap::Args;
use windlass::application::{Application, Faults, NodeId};
use windlass::goal::{Amount, Goal, GoalFile, Want};
use windlass::spelling;
use windlass::synthesize;
use windlass_run::deployment::Deployment;
use windlass_run::entry::Purpose;
use windlass_run::world::docker::requests::Part;

use crate::args::Format;
use crate::commands::engine::{DriveArgs, Manner, Towards, WhereArgs, containers};
use crate::exit_code;
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
pub(crate) fn run(args: &ScaleArgs) -> Result<u8, Failure> {
    let (drive, format, yes) = (&args.drive, args.format, Some(args.yes));
    let manner = Manner { drive, format, yes, dry_run: args.dry_run };
    let towards = Towards::of(&args.place, &args.app, manner)?;
    let ended = scale(args, &towards);
    towards.leave_after(ended)
}

fn scale(args: &ScaleArgs, towards: &Towards<'_>) -> Result<u8, Failure> {
    let past = towards.past()?;
    past.protocols()?;
    if past.application.faults != Faults::Replicas {
        let word = past.application.faults.as_str();
        return Err(Failure::usage(format!("with `faults: {word}` a node is one instance"))
            .help("`faults: replicas` has more"));
    }
    if past.purpose == Purpose::Down {
        return Err(Failure::usage(format!("`{}` is down", towards.name))
            .help(format!("`{}` brings it up", towards.address.up())));
    }
    refuse_others(&towards.deployment, &args.counts)?;
    let goal = scaled(&past.application, past.goal.clone().unwrap_or_default(), &args.counts)?;
    refuse_needed(&past.application, &goal)?;
    refuse_second(&towards.deployment, &args.counts)?;
    towards.reach(&past, goal, Purpose::Up, !args.drive.detach)
}

/// Refuses to take away what something needs that stays: no plan leads there, and a search would
/// take long to find that out.
fn refuse_needed(application: &Application, goal: &GoalFile) -> Result<(), Failure> {
    let wants = &goal.goal.wants;
    let gone = wants.iter().filter_map(|want| match want {
        Want::NodeGone(node) => Some(*node),
        _ => None,
    });
    for gone in gone {
        let needs = |want: &Want| {
            let Want::Node { node, state, amount } = want else { return None };
            let requires = &application.protocol_of(*node)?.state(*state).requires;
            let mut bindings = application.node(*node).bindings.iter();
            let is_needed =
                bindings.any(|it| it.target == gone && requires.contains(&it.requirement));
            let least = match amount {
                Amount::Exactly(count) | Amount::AtLeast(count) => *count,
                Amount::Wanted => application.node(*node).count,
            };
            (is_needed && least > 0).then(|| application.node(*node).name.as_str())
        };
        let all: Vec<&str> = wants.iter().filter_map(needs).collect();
        if all.is_empty() {
            continue;
        }
        let (name, first) = (&application.node(gone).name, all.join("`, `"));
        let verb = if all.len() == 1 { "needs" } else { "need" };
        let too: Vec<String> = all.iter().map(|other| format!("{other}=0")).collect();
        return Err(Failure::usage(format!("`{first}` {verb} `{name}`; nothing was done"))
            .help(format!("say `{}` too", too.join(" ")))
            .ending(exit_code::FINDINGS));
    }
    Ok(())
}

/// Of a Compose project only services have a number.
fn refuse_others(deployment: &Deployment, counts: &[(String, u32)]) -> Result<(), Failure> {
    let Some(requests) = containers::read(deployment)? else { return Ok(()) };
    let is_service = |part: &Part| matches!(part, Part::Service(_));
    let services = || requests.parts.iter().filter(|(_, part)| is_service(part));
    for (name, _) in counts {
        let message = match requests.parts.get(name) {
            Some(part) if is_service(part) => continue,
            Some(_) => format!("`{name}` is no service, and only services are scaled"),
            None => format!("there is no service `{name}`"),
        };
        let names = services().map(|(node, _)| node.as_str());
        return Err(Failure::usage(message)
            .help(spelling::advice("service", name, names, 0).unwrap_or_default()));
    }
    Ok(())
}

/// Refuses more than one container of a service that no engine gives more of.
fn refuse_second(deployment: &Deployment, counts: &[(String, u32)]) -> Result<(), Failure> {
    let Some(requests) = containers::read(deployment)? else { return Ok(()) };
    for (name, _) in counts.iter().filter(|(_, count)| *count > 1) {
        let Some(Part::Service(service)) = requests.parts.get(name) else { continue };
        if let Some(why) = service.only_one() {
            let message = format!("there can be one `{name}` only: {why}; nothing was done");
            return Err(Failure::usage(message)
                .help("take that out of the file, and bring it up again first")
                .ending(exit_code::FINDINGS));
        }
    }
    Ok(())
}

/// The goal with other counts.
fn scaled(
    application: &Application,
    mut goal: GoalFile,
    counts: &[(String, u32)],
) -> Result<GoalFile, Failure> {
    for (name, count) in counts {
        let node = application.node_named(name).ok_or_else(|| {
            if application.node_ids().any(|node| template_of(application, node) == Some(name)) {
                return partnered(name);
            }
            let names = application.nodes.iter().map(|node| node.name.as_str());
            Failure::usage(format!("there is no node `{name}`"))
                .help(spelling::advice("node", name, names, 0).unwrap_or_default())
        })?;
        if let Some(template) = template_of(application, node).filter(|_| *count > 1) {
            return Err(partnered(template));
        }
        let wants = &mut goal.goal.wants;
        let state = state_of(wants, node).map_or_else(|| up_state(application, node), Ok)?;
        wants.retain(|want| !is_about(want, node));
        wants.push(match count {
            0 => Want::NodeGone(node),
            count => Want::Node { node, state, amount: Amount::Exactly(*count) },
        });
    }
    Ok(goal)
}

/// The node template of TOSCA of which a node is one of several.
fn template_of(application: &Application, node: NodeId) -> Option<&str> {
    application.deployment.part_of.get(&node).map(String::as_str)
}

/// An instance more would have no partner.
fn partnered(template: &str) -> Failure {
    let message = format!("each of `{template}` has a partner of its own; nothing was done");
    Failure::usage(message)
        .help("change `count` in the file, of the partners too, and run `windlass up`")
        .ending(exit_code::FINDINGS)
}

fn is_about(want: &Want, wanted: NodeId) -> bool {
    matches!(want, Want::Node { node, .. } | Want::NodeGone(node) if *node == wanted)
}

fn state_of(wants: &[Want], wanted: NodeId) -> Option<windlass::lifecycle::protocol::StateId> {
    wants.iter().find_map(|want| match want {
        Want::Node { node, state, .. } if *node == wanted => Some(*state),
        _ => None,
    })
}

/// Where the instances of a node are when everything is up.
fn up_state(
    application: &Application,
    node: NodeId,
) -> Result<windlass::lifecycle::protocol::StateId, Failure> {
    let name = &application.node(node).name;
    let unknown = || {
        Failure::usage(format!("nothing says when `{name}` is up"))
            .help("say it with `windlass up --goal`, or declare `up:`")
    };
    let Goal { wants } = synthesize::everything_up(application).map_err(|_| unknown())?;
    state_of(&wants, node).ok_or_else(unknown)
}
