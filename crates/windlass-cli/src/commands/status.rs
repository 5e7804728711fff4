//! `windlass status`: where a deployment stands, and whether the world agrees.

mod containers;

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use windlass::lifecycle::protocol::Element;
use windlass_run::controller::processes::{ObservedProcess, ObservedProcesses};
use windlass_run::controller::{Error, LastRun, WorldKind};
use windlass_run::entry::Ending;
use windlass_run::machine::net::Token;

use crate::args::Format;
use crate::commands::engine::{self, Address, Found, WhereArgs};
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
    /// Whether the run failed because no plan leads on.
    #[serde(skip)]
    no_plan: bool,
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
pub(crate) fn exec(args: &StatusArgs) -> Result<u8, Failure> {
    let found = engine::existing(&args.place, &args.file)?;
    let refuse = |why| engine::failure(why, &found.address, args.format);
    // Before the journal is read: an engine that ends meanwhile has written how.
    let driven = found.deployment.is_driven();
    let last = LastRun::read(&found.deployment).map_err(refuse)?;
    let last = last.ok_or_else(|| refuse(Error::NeverUp { name: found.name.clone() }))?;
    let report = report(&found, &last, driven).map_err(refuse)?;
    output::stdout(&match args.format {
        Format::Json => escape::json(&report)?,
        Format::Text => text(&report),
    })?;
    let is_met = driven || report.ending == Some("reached");
    let is_bad = report.drift || is_unknown(&report.instances, driven) || !is_met;
    Ok(if is_bad { exit_code::FINDINGS } else { exit_code::GOOD })
}

/// Whether the world cannot be compared with the journal, because a host does not answer.
fn is_unknown(instances: &[InstanceReport], driven: bool) -> bool {
    !driven && instances.iter().any(|it| it.unreachable.is_some())
}

fn report(found: &Found, last: &LastRun, driven: bool) -> Result<StatusReport, Error> {
    let engine = match (driven, last.is_over()) {
        (true, _) => "driven",
        (false, true) => "ended",
        (false, false) => "interrupted",
    };
    let instances = instances(found, last)?;
    let is_lost = |it: &InstanceReport| it.process == Some(false) || it.is_gone;
    let drift = !driven && instances.iter().any(is_lost);
    let (ending, why) = ended(last, driven);
    let (schema, name, run) = ("windlass/status/1", found.name.clone(), last.run);
    let no_plan = last.is_over() && last.end.as_ref().is_some_and(|end| end.no_plan);
    let mut report = StatusReport {
        schema,
        name,
        run,
        engine,
        ending,
        why,
        instances,
        drift,
        help: None,
        no_plan,
    };
    report.help = if driven { None } else { help(&report, &found.address) };
    Ok(report)
}

/// What leads on, when something is not as it should be.
fn help(report: &StatusReport, address: &Address) -> Option<String> {
    let (up, resume) = (address.up(), address.command("resume"));
    match (report.ending, report.drift) {
        (Some("rolled_back"), _) => Some(format!("`{up}` starts again")),
        (Some("reached"), false) if is_unknown(&report.instances, false) => {
            Some(format!("when it answers again, `{resume}` looks after what runs there"))
        }
        (Some("reached"), false) => None,
        // A run that is resumed makes containers again, and not what they are in.
        _ if report.instances.iter().any(|it| it.is_gone) => Some(format!("`{up}` brings it back")),
        (Some("reached"), true) => Some(format!("`{resume}` brings it back")),
        _ if report.no_plan => Some(format!("`{up}` or `{}` leads on", address.command("down"))),
        _ => Some(format!("`{resume}` goes on")),
    }
}

/// How the last run ended, and why; of one that has not ended what was under way.
fn ended(last: &LastRun, driven: bool) -> (Option<&'static str>, Vec<String>) {
    if !last.is_over() {
        let under_way = last.under_way().into_iter();
        let why = under_way.map(|(id, label)| format!("`{label}` (order {}) was under way", id.0));
        return (None, if driven { Vec::new() } else { why.collect() });
    }
    let why = last.end.as_ref().map(|end| end.why.clone()).unwrap_or_default();
    let word = last.ending().map(|ending| match ending {
        Ending::Reached => "reached",
        Ending::Failed => "failed",
        Ending::RolledBack => "rolled_back",
        Ending::Stalled => "stalled",
    });
    (word, why)
}

fn instances(found: &Found, last: &LastRun) -> Result<Vec<InstanceReport>, Error> {
    let Some(standing) = last.standing()? else {
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
        return Ok(last.tokens()?.into_iter().map(report).collect());
    };
    if last.world == WorldKind::Docker {
        return containers::all(&found.deployment, last, &standing);
    }
    let Found { deployment, name, .. } = found;
    let tell = engine::notice_above_view;
    let observed = ObservedProcesses::read(deployment, name, last, &standing, tell)?;
    let mut all = Vec::new();
    for (id, instance) in &standing.state.instances {
        let component = last.application.type_of(instance.node);
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
        let (pid, unreachable) = match observed.get(&id.0) {
            Some(ObservedProcess::Runs(number)) => (Some(*number), None),
            Some(ObservedProcess::Unreachable { host, .. }) => (None, Some(host.clone())),
            None => (None, None),
        };
        let is_known = observed.is_known() && unreachable.is_none();
        all.push(InstanceReport {
            instance: id.0.clone(),
            node: last.application.node(instance.node).name.clone(),
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
