//! `windlass prove FILE`: does bringing it up always complete, whatever the order of events?

mod argument;
mod nets;
mod text;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use windlass::analyze;
use windlass::application::{Application, NodeId};
use windlass::diagnostic::Diagnostic;
use windlass::explore::Options;
use windlass::goal::names::Ids;
use windlass::lang::Kind;
use windlass::lang::compose::{self, Project};
use windlass::lifecycle::setup::{RuleSet, Topology};
use windlass::plan::Plan;
use windlass::prove::{self, Answer, AnySize, Proof};
use windlass::semantics::bring_up::NoPath;

use crate::args::Format;
use crate::budget::{LimitArgs, Watch};
use crate::commands::up::refusal;
use crate::commands::verify::{check_declared, parse_goal};
use crate::failure::Failure;
use crate::load::{self, Loader};
use crate::read_options::{ComposeArgs, TemplateArgs};
use crate::{escape, exit_code, output, replace};

/// What `windlass prove` takes.
#[derive(Debug, Args)]
#[command(after_help = "\
FILE is an application of protocols, an assembly of nets, or a topology of a rule set. `always
completes` means that every maximal run is finite and ends in the goal; otherwise a shortest run to
where nothing can start any more is shown, and what waits for what. The goal of nets is that every
token is on a final place. With --any-size, RULES is a rule set, and the answer is about every topology
that can be built from its types.

Exit codes: 0 always completes, 1 can get stuck, 2 a file that cannot be read or a node without a way
up, 3 unknown.

Examples:
  windlass prove windlass.yaml
  windlass prove windlass.yaml --may-fail api.start
  windlass prove crossed.yaml --picture waits.svg
  windlass prove --any-size examples/setup/rules.yaml --explain")]
pub(crate) struct ProveArgs {
    /// The application or topology
    #[arg(value_name = "FILE", required_unless_present = "any_size")]
    pub(crate) file: Option<PathBuf>,

    /// Prove a rule set for every topology
    #[arg(long, value_name = "RULES", conflicts_with_all = ["file", "goal", "may_fail"])]
    pub(crate) any_size: Option<PathBuf>,

    /// Where instances should end (default: the goal of the file, or everything up)
    #[arg(long, value_name = "GOAL")]
    pub(crate) goal: Option<String>,

    /// Operations or transitions that may fail, as NODE.OPERATION or NODE, or `all`
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) may_fail: Vec<String>,

    /// Print the argument in sentences
    #[arg(long)]
    pub(crate) explain: bool,

    /// Draw what waits for what in nets that can get stuck
    #[arg(long, value_name = "OUT.svg", conflicts_with = "any_size")]
    pub(crate) picture: Option<PathBuf>,

    /// Write the proof for every topology to a file (Markdown when it ends in .md, else JSON)
    #[arg(long, value_name = "OUT", requires = "any_size")]
    pub(crate) certificate: Option<PathBuf>,

    /// The most nodes and relationships of topologies that are tried when the proof stays open
    #[arg(long, value_name = "N", default_value_t = 6, requires = "any_size",
        value_parser = clap::value_parser!(u8).range(1..=9))]
    pub(crate) max_size: u8,

    /// How the answer is written
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    pub(crate) format: Format,

    /// The language of the application; without it the file tells
    #[arg(long, value_name = "LANG")]
    pub(crate) lang: Option<String>,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,

    #[command(flatten)]
    pub(crate) compose: ComposeArgs,

    #[command(flatten)]
    pub(crate) template: TemplateArgs,
}

const SCHEMA: &str = "windlass/prove/1";

/// The answer of `windlass prove --format json`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "windlass/prove/1", deny_unknown_fields)]
pub(crate) struct ProveReport {
    /// Always `windlass/prove/1`; a change that could break a reader gets another number.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// `always_completes`, `can_get_stuck` or `unknown`.
    verdict: &'static str,
    /// `one run`, `search`, `argument` or `topologies`.
    method: &'static str,
    /// What the verdict rests on.
    assumptions: Vec<String>,
    /// How it gets stuck.
    counterexample: Option<StuckReport>,
    /// What was checked: its kind and its size, or the argument for every topology.
    certificate: argument::Certificate,
    /// Why there is no answer.
    open: Vec<String>,
}

/// How it gets stuck.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct StuckReport {
    /// The smallest topology that gets stuck (any size); with an unknown answer, one with a run
    /// that has no end.
    topology: Option<argument::TopologyReport>,
    /// What happens, in order.
    trace: Vec<String>,
    /// What then repeats forever; empty when nothing can happen any more.
    cycle: Vec<String>,
    /// Who waits for what in the end.
    waiting: Vec<String>,
}

/// What was asked about.
enum Request {
    Application(Box<load::Loaded>),
    Topology(Box<Topology>),
}

/// Proves and tells.
pub(crate) fn run(args: &ProveArgs, loader: &Loader) -> Result<u8, Failure> {
    if let Some(path) = &args.any_size {
        return any_size(args, loader, path);
    }
    let Some(path) = &args.file else { return Err(Failure::usage("no file")) };
    let proof = match request(loader, path, args.lang.as_deref())? {
        Request::Application(loaded) if loaded.application.is_net() => {
            nets::prove(args, &loaded.application)?
        }
        _ if args.picture.is_some() => {
            return Err(Failure::usage("--picture is about assemblies of nets"));
        }
        Request::Topology(topology) => {
            if args.goal.is_some() || !args.may_fail.is_empty() {
                let message = "--goal and --may-fail are about applications of protocols";
                return Err(Failure::usage(message));
            }
            let mut watch = Watch::start(&args.limits);
            prove::topology(&topology, &options(args), &mut watch)
        }
        Request::Application(loaded) => application(args, &loaded)?,
    };
    let report = one(&proof);
    tell(args, &report, || text::one(&proof, args.explain))?;
    Ok(code(proof.answer))
}

fn options(args: &ProveArgs) -> Options {
    Options { threads: args.limits.threads.into(), ..Options::default() }
}

fn code(answer: Answer) -> u8 {
    match answer {
        Answer::AlwaysCompletes => exit_code::GOOD,
        Answer::CanGetStuck => exit_code::FINDINGS,
        Answer::Unknown => exit_code::UNKNOWN,
    }
}

/// A topology is one of ours; everything else is asked for an application.
fn request(loader: &Loader, path: &Path, lang: Option<&str>) -> Result<Request, Failure> {
    if lang.is_none() && !path.is_dir() && !crate::files::looks_like_archive(path) {
        let text = loader.text(path)?;
        match text.kind() {
            Some(Kind::Topology) => {
                return Ok(Request::Topology(Box::new(load::topology_in(text)?)));
            }
            Some(Kind::Rules) => {
                let message = format!("`{}` is a rule set, not a topology", text.name);
                return Err(Failure::usage(message).help("ask with --any-size"));
            }
            _ => {
                let loaded = loader.application_in(text, path, None)?;
                return Ok(Request::Application(Box::new(loaded)));
            }
        }
    }
    Ok(Request::Application(Box::new(loader.application(path, lang)?)))
}

fn application(args: &ProveArgs, loaded: &load::Loaded) -> Result<Proof, Failure> {
    let application = &loaded.application;
    let start = analyze::wanted(application);
    let known = load::instances(application, &start, &Plan::default());
    let ids = Ids::Known(&known);
    let goal = match (&args.goal, &loaded.goal) {
        (Some(text), _) => Some(parse_goal(text, application, ids)?),
        (None, Some(declared)) => {
            check_declared(declared, application, ids)?;
            Some(declared.goal.clone())
        }
        (None, None) => None,
    };
    let (targets, others) =
        goal.map(|goal| prove::targets(application, &start, &goal)).unwrap_or_default();
    if !others.is_empty() {
        let message = "the goal asks for more than states of wanted instances";
        return Err(Failure::usage(message).help("write NODE=STATE or ID=STATE"));
    }
    let may_fail = may_fail(application, &args.may_fail)?;
    let mut watch = Watch::start(&args.limits);
    let proof =
        prove::application(application, &start, &targets, may_fail, &options(args), &mut watch);
    drop(watch);
    let mut proof = proof.map_err(|missing| no_path(application, &missing))?;
    if let (Some(stuck), Some(project)) = (&mut proof.stuck, &loaded.compose) {
        in_words_of_compose(project, &mut stuck.waiting);
    }
    if let Some(project) = &loaded.compose {
        // The proof is about the order of events; what an engine gives only once is not in it.
        let against = refusal::certain(project, &loaded.sources).into_iter();
        let told = |it: Diagnostic| format!("this does no harm: {} ({})", it.message, it.code);
        proof.assumptions.extend(against.map(told));
    }
    Ok(proof)
}

/// Says what services wait for as a Compose file says it.
fn in_words_of_compose(project: &Project, sentences: &mut [String]) {
    for wait in compose::endless_waits(project) {
        let culprit = wait.culprit();
        let Some((node, capability)) = culprit.rsplit_once('.') else { continue };
        let ours = prove::waits_for_never(node, capability);
        for sentence in sentences.iter_mut() {
            if let Some(head) = sentence.strip_suffix(&ours) {
                *sentence = format!("{head}it waits for {}", wait.why);
            }
        }
    }
}

/// `node.operation`, `node` or `all`.
fn may_fail(
    application: &Application,
    list: &[String],
) -> Result<BTreeSet<(NodeId, String)>, Failure> {
    let mut found = BTreeSet::new();
    let operations = |node: NodeId| {
        application.type_of(node).operations.iter().map(move |o| (node, o.name.clone()))
    };
    for word in list {
        if word == "all" {
            found.extend(application.node_ids().flat_map(operations));
            continue;
        }
        let (name, operation) = word.split_once('.').unwrap_or((word, ""));
        let Some(node) = application.node_named(name) else {
            return Err(Failure::usage(format!("--may-fail: no node `{name}`")));
        };
        let before = found.len();
        found.extend(operations(node).filter(|(_, o)| operation.is_empty() || o == operation));
        if found.len() == before && !operations(node).any(|(_, o)| o == operation) {
            let message = format!("--may-fail: `{name}` has no operation `{operation}`");
            return Err(Failure::usage(message));
        }
    }
    Ok(found)
}

pub(super) fn no_path(application: &Application, missing: &[NoPath]) -> Failure {
    let words = |no_path: &NoPath| {
        let (node, state) = match no_path {
            NoPath::NoGoal(node) => (*node, None),
            NoPath::DeclaredLeadsElsewhere(node, state)
            | NoPath::Unreachable(node, state)
            | NoPath::Ambiguous(node, state) => (*node, Some(*state)),
        };
        let name = &application.node(node).name;
        let state = state.zip(application.protocol_of(node));
        let state = state.map_or("?", |(state, protocol)| &*protocol.state(state).name);
        match no_path {
            NoPath::NoGoal(_) => format!("`{name}`: which state means that it is up?"),
            NoPath::DeclaredLeadsElsewhere(..) => {
                format!("`{name}`: its `up` cannot go on in state `{state}`")
            }
            NoPath::Unreachable(..) => format!("`{name}`: no operations lead to `{state}`"),
            NoPath::Ambiguous(..) => format!("`{name}`: two shortest ways lead to `{state}`"),
        }
    };
    let Some((last, others)) = missing.split_last() else { return Failure::usage("no way up") };
    for no_path in others {
        Failure::usage(words(no_path)).print();
    }
    Failure::usage(words(last))
        .help("declare `up: [OPERATION, ...]` in its protocol, or name a state with --goal")
}

fn one(proof: &Proof) -> ProveReport {
    ProveReport {
        schema: SCHEMA,
        verdict: proof.answer.as_str(),
        method: proof.method,
        assumptions: proof.assumptions.clone(),
        counterexample: proof.stuck.as_ref().map(|stuck| StuckReport {
            topology: None,
            trace: stuck.trace.clone(),
            cycle: stuck.cycle.clone(),
            waiting: stuck.waiting.clone(),
        }),
        certificate: argument::Certificate::of_one(proof),
        open: proof.stopped.iter().map(ToString::to_string).collect(),
    }
}

fn any_size(args: &ProveArgs, loader: &Loader, path: &Path) -> Result<u8, Failure> {
    let rules = loader.rules(path)?;
    let mut watch = Watch::start(&args.limits);
    let most = usize::from(args.max_size);
    let answer = prove::any_size(&rules, most, &options(args), &mut watch);
    drop(watch);
    if let Some(out) = &args.certificate {
        write_certificate(out, &rules, &answer)?;
    }
    let report = every(&rules, &answer);
    tell(args, &report, || text::every(&rules, &answer, args.explain))?;
    Ok(code(answer.answer))
}

fn every(rules: &RuleSet, answer: &AnySize) -> ProveReport {
    let smallest = answer.smallest.as_ref();
    let mut open = answer.open.clone();
    open.extend(answer.stopped.iter().map(ToString::to_string));
    ProveReport {
        schema: SCHEMA,
        verdict: answer.answer.as_str(),
        method: if answer.argument.is_some() { "argument" } else { "topologies" },
        assumptions: text::any_size_assumptions(rules),
        counterexample: smallest.map(|smallest| StuckReport {
            topology: Some(argument::TopologyReport::of(&smallest.topology)),
            trace: smallest.stuck.trace.clone(),
            cycle: smallest.stuck.cycle.clone(),
            waiting: smallest.stuck.waiting.clone(),
        }),
        certificate: argument::Certificate::of_every(rules, answer),
        open,
    }
}

fn write_certificate(out: &Path, rules: &RuleSet, answer: &AnySize) -> Result<(), Failure> {
    let markdown = out.extension().is_some_and(|extension| extension == "md");
    let text = if markdown {
        text::every(rules, answer, true)
    } else {
        escape::json(&every(rules, answer))?
    };
    replace::write(out, text.as_bytes())
        .map_err(|error| Failure::usage(format!("{}: {error}", out.display())))
}

fn tell(
    args: &ProveArgs,
    report: &ProveReport,
    text: impl FnOnce() -> String,
) -> Result<(), Failure> {
    let text = match args.format {
        Format::Json => escape::json(report)?,
        Format::Text => text(),
    };
    output::stdout(&text)?;
    Ok(())
}
