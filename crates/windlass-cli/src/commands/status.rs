//! `windlass status`: where a deployment stands, and whether the world agrees.

mod containers;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use windlass::lifecycle::protocol::Element;
use windlass_run::deployment::Deployment;
use windlass_run::entry::Ending;
use windlass_run::machine::net::Token;
use windlass_run::secrets::Secrets;
use windlass_run::world::process::{ProcessSettings, Processes};
use windlass_run::world::ssh::Ssh;

use crate::args::Format;
use crate::commands::engine::{self, Address, NO_WAY_ON, Past, Standing, WhereArgs};
use crate::failure::Failure;
use crate::{escape, exit_code, output};

/// Of how many reasons each has a line of its own.
const MANY: usize = 20;

/// What `windlass status` takes.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit codes: 0 the goal is met and the world is as the journal says, 1 the last run did not reach its
goal, the world differs from the journal (drift) or a host does not answer, 2 usage.

Examples:
  windlass status
  windlass status shop/windlass.yaml --format json")]
pub(crate) struct StatusArgs {
    /// The application, to find its deployment
    #[arg(value_name = "FILE", default_value = "windlass.yaml")]
    file: PathBuf,

    #[command(flatten)]
    place: WhereArgs,

    /// How the answer is written
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    format: Format,
}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct StatusReport {
    /// `windlass/status/1`.
    schema: &'static str,
    /// The deployment.
    name: String,
    /// The number of its last run.
    run: u64,
    /// `driven` by an engine now, `ended`, or `interrupted` and to be resumed.
    engine: &'static str,
    /// How the run ended: `reached`, `failed`, `rolled_back` or `stalled`; none when it has not.
    ending: Option<&'static str>,
    /// Why it did not reach its goal, or what was under way when it was interrupted.
    why: Vec<String>,
    /// Every instance.
    instances: Vec<InstanceReport>,
    /// Whether the world differs from the journal.
    drift: bool,
    /// What leads on, when something is not as it should be.
    help: Option<String>,
}

/// One instance.
#[derive(Debug, Serialize, JsonSchema)]
struct InstanceReport {
    /// Its id.
    instance: String,
    /// Its node; of a net the component.
    node: String,
    /// Its state, its running operation, or its place.
    state: String,
    /// Whether its process runs; none when its state has no process, or that is unknown.
    process: Option<bool>,
    /// The number of its process, when it runs.
    pid: Option<u32>,
    /// Of a net: what its token waits for.
    waits: Option<String>,
    /// The host that would know whether its process runs, when it does not answer.
    unreachable: Option<String>,
    /// Whether a network or a volume should be there, and is not.
    #[serde(skip)]
    is_gone: bool,
}

/// Prints where a deployment stands.
pub(crate) fn run(args: &StatusArgs) -> Result<u8, Failure> {
    let (deployment, name) = engine::existing(&args.place, &args.file)?;
    let address = Address::new(&args.place, &args.file, &name);
    // Before the journal is read: an engine that ends meanwhile has written how.
    let driven = deployment.is_driven();
    let past = Past::read(&deployment)?.ok_or_else(|| engine::never_up(&name, &address))?;
    let engine = match (driven, past.is_over()) {
        (true, _) => "driven",
        (false, true) => "ended",
        (false, false) => "interrupted",
    };
    let instances = instances(&deployment, &name, &past)?;
    let is_lost = |it: &InstanceReport| it.process == Some(false) || it.is_gone;
    let drift = !driven && instances.iter().any(is_lost);
    // What cannot be seen cannot be compared.
    let is_unknown = !driven && instances.iter().any(|it| it.unreachable.is_some());
    let (ending, why) = ended(&past, driven);
    let is_met = driven || ending == Some("reached");
    let help = match (ending, drift) {
        _ if driven => None,
        (Some("rolled_back"), _) => Some(format!("`{}` starts again", address.up())),
        (Some("reached"), false) if is_unknown => {
            let resume = address.command("resume");
            Some(format!("when it answers again, `{resume}` looks after what runs there"))
        }
        (Some("reached"), false) => None,
        // A run that is resumed recreates containers, and not what they are in.
        _ if instances.iter().any(|it| it.is_gone) => {
            Some(format!("`{}` brings it back", address.up()))
        }
        (Some("reached"), true) => Some(format!("`{}` brings it back", address.command("resume"))),
        _ if why.iter().any(|why| why.contains(NO_WAY_ON)) => {
            let (up, down) = (address.up(), address.command("down"));
            Some(format!("`{up}` or `{down}` leads on"))
        }
        _ => Some(format!("`{}` goes on", address.command("resume"))),
    };
    let (schema, run) = ("windlass/status/1", past.run);
    let report = StatusReport { schema, name, run, engine, ending, why, instances, drift, help };
    output::stdout(&match args.format {
        Format::Json => escape::json(&report)?,
        Format::Text => text(&report),
    })?;
    Ok(if drift || is_unknown || !is_met { exit_code::FINDINGS } else { exit_code::GOOD })
}

/// How the last run ended, and why; of one that has not ended what was under way.
fn ended(past: &Past, driven: bool) -> (Option<&'static str>, Vec<String>) {
    if !past.is_over() {
        let under_way = past.under_way().into_iter();
        let why = under_way.map(|(id, label)| format!("`{label}` (order {}) was under way", id.0));
        return (None, if driven { Vec::new() } else { why.collect() });
    }
    let why = past.end.as_ref().map(|(_, why)| why.clone()).unwrap_or_default();
    let word = past.ending().map(|ending| match ending {
        Ending::Reached => "reached",
        Ending::Failed => "failed",
        Ending::RolledBack => "rolled_back",
        Ending::Stalled => "stalled",
    });
    (word, why)
}

fn instances(
    deployment: &Deployment,
    name: &str,
    past: &Past,
) -> Result<Vec<InstanceReport>, Failure> {
    let Some(standing) = past.standing()? else {
        let report = |token: Token| InstanceReport {
            instance: token.component.clone(),
            node: token.component,
            state: token.at,
            process: None,
            pid: None,
            waits: token.waits,
            unreachable: None,
            is_gone: false,
        };
        return Ok(past.tokens()?.into_iter().map(report).collect());
    };
    let place = place(deployment, name, past);
    if past.world == "docker" {
        return containers::all(deployment, past, &standing);
    }
    let is_real = past.world != "simulated";
    let found =
        if is_real { found(deployment, name, place, past, &standing)? } else { BTreeMap::new() };
    let mut all = Vec::new();
    for (id, instance) in &standing.state.instances {
        let component = past.application.type_of(instance.node);
        let Some(protocol) = component.protocol() else { continue };
        let (state, has_process) = match instance.element {
            Element::State(state) => {
                (protocol.state(state).name.clone(), component.processes.contains_key(&state))
            }
            Element::Transition(transition) => {
                let operation = protocol.transition(transition).operation;
                (format!("{}...", component.operations[operation.index()].name), false)
            }
        };
        let (pid, unreachable) = match found.get(id.0.as_str()) {
            Some(Found::Runs(number)) => (Some(*number), None),
            Some(Found::Unreachable { host, .. }) => (None, Some(host.clone())),
            None => (None, None),
        };
        let is_known = is_real && unreachable.is_none();
        all.push(InstanceReport {
            instance: id.0.clone(),
            node: past.application.node(instance.node).name.clone(),
            state,
            process: (has_process && is_known).then_some(pid.is_some()),
            pid,
            waits: None,
            unreachable,
            is_gone: false,
        });
    }
    Ok(all)
}

/// The instances whose processes should run and do not; containers are not asked about.
pub(crate) fn dead(
    deployment: &Deployment,
    name: &str,
    past: &Past,
    standing: &Standing,
) -> Result<Vec<String>, Failure> {
    if !matches!(past.world.as_str(), "process" | "ssh") {
        return Ok(Vec::new());
    }
    let found = found(deployment, name, place(deployment, name, past), past, standing)?;
    let away = found.values().find_map(|found| match found {
        Found::Unreachable { why, .. } => Some(why),
        Found::Runs(_) => None,
    });
    if let Some(why) = away {
        return Err(Failure::usage(why).ending(exit_code::EXECUTION));
    }
    Ok(standing.processes.keys().filter(|id| !found.contains_key(*id)).cloned().collect())
}

fn place(deployment: &Deployment, name: &str, past: &Past) -> ProcessSettings {
    ProcessSettings {
        folder: deployment.folder().to_owned(),
        logs: deployment.logs(past.run),
        directory: PathBuf::from("."),
        name: name.to_owned(),
        program: None,
    }
}

/// What is known about a process that should run.
enum Found {
    /// It runs, and has this number.
    Runs(u32),
    /// It is unknown: this host does not answer.
    Unreachable { host: String, why: String },
}

/// The processes that run, and those of which it is unknown whether they do, by instance.
fn found(
    deployment: &Deployment,
    name: &str,
    place: ProcessSettings,
    past: &Past,
    standing: &Standing,
) -> Result<BTreeMap<String, Found>, Failure> {
    let unsupported = |error: std::io::Error| Failure::file("read", deployment.folder(), &error);
    let mut found = BTreeMap::new();
    if past.world != "ssh" {
        let world = Processes::new(place, Secrets::default()).map_err(unsupported)?;
        for (id, order) in &standing.processes {
            found.extend(world.running(*order).map(|number| (id.clone(), Found::Runs(number))));
        }
        return Ok(found);
    }
    let reach = engine::hosts::reach(deployment, name, None)?;
    let world = Ssh::new(place, Secrets::default(), reach).map_err(unsupported)?;
    let mut away = BTreeMap::new();
    for (id, order) in &standing.processes {
        let instance = standing.state.instance(&id.as_str().into());
        let hosts = &past.application.deployment;
        let host = instance.and_then(|it| hosts.host.get(&it.node));
        let address = host.map(|name| hosts.addresses.get(name).unwrap_or(name).as_str());
        let host = host.cloned().unwrap_or_default();
        // A host that does not answer is asked once, not for each of its processes.
        let said = match away.get(&host) {
            Some(why) => Err(String::clone(why)),
            None => world.running(address, *order),
        };
        let one = match said {
            Ok(number) => number.map(Found::Runs),
            Err(why) => {
                away.insert(host.clone(), why.clone());
                Some(Found::Unreachable { host, why })
            }
        };
        found.extend(one.map(|one| (id.clone(), one)));
    }
    Ok(found)
}

fn text(report: &StatusReport) -> String {
    let how = match (report.engine, report.ending) {
        ("ended", Some("reached")) => "ended".to_owned(),
        ("ended", Some(ending)) => ending.replace('_', " "),
        (engine, _) => engine.to_owned(),
    };
    let mut out = format!("{}  run {}, {how}", report.name, report.run);
    match &report.why[..] {
        [] => out.push('\n'),
        [why] => {
            let _ = writeln!(out, ": {why}");
        }
        all => {
            out.push_str(":\n");
            for why in all.iter().take(MANY) {
                let _ = writeln!(out, "    {why}");
            }
            if let Some(more) = all.len().checked_sub(MANY).filter(|more| *more > 0) {
                let _ = writeln!(out, "    and {more} more");
            }
        }
    }
    let width = |of: fn(&InstanceReport) -> &str| {
        report.instances.iter().map(|instance| of(instance).chars().count()).max().unwrap_or(0)
    };
    let (first, second) = (width(|it| &it.instance), width(|it| &it.state));
    for one in &report.instances {
        let InstanceReport { instance, state, process, pid, waits, unreachable, is_gone, .. } = one;
        let process = match (process, pid) {
            _ if let Some(host) = unreachable => {
                format!("  unknown: the host {host} does not answer")
            }
            _ if *is_gone => "  DRIFT: it was removed".to_owned(),
            (_, Some(pid)) => format!("  process {pid} runs"),
            (Some(true), None) => "  runs".to_owned(),
            (Some(false), None) => "  DRIFT: its process does not run".to_owned(),
            (None, None) => {
                waits.as_ref().map(|waits| format!("  waits for {waits}")).unwrap_or_default()
            }
        };
        let line = format!("  {instance:first$}  {state:second$}{process}");
        let line = format!("{}\n", line.trim_end());
        // Tokens of one component that wait for the same are printed once.
        if !out.ends_with(&format!("\n{line}")) {
            out.push_str(&line);
        }
    }
    if report.instances.is_empty() {
        out.push_str("  nothing is there\n");
    }
    if let Some(help) = &report.help {
        let _ = writeln!(out, "help: {help}");
    }
    escape::visible_lines(&out)
}
