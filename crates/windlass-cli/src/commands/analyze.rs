//! `windlass analyze APP`: what everything that can happen looks like.

pub(crate) mod nets;

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use windlass::analyze::overview::Overview;
use windlass::analyze::{self, Scope};
use windlass::application::Faults;
use windlass::explore::Options;

use crate::args::Format;
use crate::budget::{LimitArgs, Watch};
use crate::failure::Failure;
use crate::load::Loader;
use crate::read_options::{ComposeArgs, TemplateArgs};
use crate::{escape, exit_code, output};

/// What `windlass analyze` takes.
#[derive(Debug, Args)]
#[command(after_help = "\
Explores every state that can be reached and counts: states in which something is relied on that
nothing offers (inconsistent), states in which nothing can happen (deadlocks), the largest distance
from the start, whether the start can be reached again from everywhere (reversible), operations
that never run and states that are never reached.

With `faults: replicas` the wanted instances exist from the start, in their initial states.

When a limit comes first, the counts are those of what was seen by then, marked as partial.

Exit codes: 0 explored, 2 a file that cannot be read, 3 a limit was reached.

Examples:
  windlass analyze windlass.yaml
  windlass analyze thinking.csar --hard-recovery --format json")]
pub(crate) struct AnalyzeArgs {
    /// The application
    #[arg(value_name = "APP")]
    pub(crate) app: PathBuf,

    /// Where everything starts
    #[arg(long, value_name = "STATE")]
    pub(crate) state: Option<PathBuf>,

    /// Let instances crash at any time (faults: replicas)
    #[arg(long)]
    pub(crate) crash: bool,

    /// Reset what lives in a container that is not alive (faults: forbidden or handled)
    #[arg(long)]
    pub(crate) hard_recovery: bool,

    /// Ask for a shortest run to a valuation of an assembly of nets
    ///
    /// COMPONENT.PLACE or COMPONENT.TRANSITION holds a token, `!` before it: it holds none.
    #[arg(long, value_name = "VALUATION")]
    pub(crate) reach: Option<String>,

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

const SCHEMA: &str = "windlass/analyze/1";

/// The answer of `windlass analyze --format json`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "windlass/analyze/1", deny_unknown_fields)]
pub(crate) struct AnalyzeReport {
    /// Always `windlass/analyze/1`; a change that could break a reader gets another number.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// Whether everything was explored. If not, the counts are those of what was seen before the
    /// limit, and the lists name what was not seen yet.
    complete: bool,
    /// The limit that came first.
    limit: Option<String>,
    /// In how many ways the states of the instances can be combined, reachable or not; null when
    /// there are more than can be counted.
    product: Option<u64>,
    /// Distinct states reachable from the start.
    reachable: usize,
    /// As many of them were looked at for `inconsistent`, `never_run` and `never_reached`.
    examined: usize,
    /// Those in which something is relied on and not satisfied.
    inconsistent: usize,
    /// Those in which nothing can happen.
    deadlocks: usize,
    /// The largest distance of a reachable state from the start.
    longest_shortest_plan: usize,
    /// Whether the start can be reached again from everywhere; null when a limit came first.
    reversible: Option<bool>,
    /// Operations that run nowhere.
    never_run: Vec<String>,
    /// States of components that are never reached.
    never_reached: Vec<String>,
}

/// Explores and tells.
pub(crate) fn run(args: &AnalyzeArgs, loader: &Loader) -> Result<u8, Failure> {
    let application = loader.application(&args.app, args.lang.as_deref())?.application;
    if application.is_net() {
        return nets::run(args, &application);
    }
    if args.reach.is_some() {
        return Err(Failure::usage("--reach is for assemblies of nets"));
    }
    refuse_ignored(args, application.faults)?;
    let start = match &args.state {
        Some(path) => loader.state(path, &application)?,
        None => analyze::wanted(&application),
    };
    let mut watch = Watch::start(&args.limits);
    let options = Options { threads: args.limits.threads.into(), ..Options::default() };
    let product = analyze::combinations(&application, &start);
    let scope = Scope { start, crash: args.crash, hard_recovery: args.hard_recovery };
    let overview = analyze::analyze(&application, scope, &options, &mut watch);
    drop(watch);
    match overview {
        None => Err(Failure::usage("the application is one of nets, and has no protocols")),
        Some(overview) => tell(args, product, overview),
    }
}

/// Refuses an option that the relation of the application would ignore.
fn refuse_ignored(args: &AnalyzeArgs, faults: Faults) -> Result<(), Failure> {
    let replicas = faults == Faults::Replicas;
    let (option, relations) = match (args.crash, args.hard_recovery) {
        (true, _) if !replicas => ("--crash", "`faults: replicas`"),
        (_, true) if replicas => ("--hard-recovery", "`faults: forbidden` or `faults: handled`"),
        _ => return Ok(()),
    };
    let message = format!("{option} is for applications with {relations}");
    Err(Failure::usage(message).help(format!("this one has `faults: {}`", faults.as_str())))
}

fn tell(args: &AnalyzeArgs, product: Option<u64>, overview: Overview) -> Result<u8, Failure> {
    let stopped = overview.stopped;
    let text = match args.format {
        Format::Json => escape::json(&AnalyzeReport {
            schema: SCHEMA,
            complete: stopped.is_none(),
            limit: stopped.map(|reason| reason.to_string()),
            product,
            reachable: overview.reachable,
            examined: overview.examined,
            inconsistent: overview.inconsistent,
            deadlocks: overview.deadlocks,
            longest_shortest_plan: overview.longest_shortest_plan,
            reversible: overview.reversible,
            never_run: overview.never_run,
            never_reached: overview.never_reached,
        })?,
        Format::Text => text(product, &overview),
    };
    output::stdout(&text)?;
    match stopped {
        None => Ok(exit_code::GOOD),
        Some(reason) => {
            output::notice(&format!("unknown: {reason}"));
            Ok(exit_code::UNKNOWN)
        }
    }
}

fn text(product: Option<u64>, overview: &Overview) -> String {
    let mut out = String::new();
    let reversible = match overview.reversible {
        Some(true) => "yes",
        Some(false) => "no",
        None => "unknown",
    };
    let (more, of) = match overview.stopped {
        None => ("", String::new()),
        Some(_) => (" or more", format!(" (of {} states looked at)", overview.examined)),
    };
    // Writing to a string cannot fail.
    if overview.stopped.is_some() {
        let _ = writeln!(out, "partial: a limit was reached, and this is what was seen by then");
    }
    let product =
        product.map_or_else(|| "more than 2^64".to_owned(), |product| product.to_string());
    let _ = writeln!(out, "combinations of states   {product}");
    let _ = writeln!(out, "reachable states         {}{more}", overview.reachable);
    let _ = writeln!(out, "inconsistent             {}{more}{of}", overview.inconsistent);
    let _ = writeln!(out, "deadlocks                {}{more}", overview.deadlocks);
    let _ = writeln!(out, "longest shortest plan    {}{more}", overview.longest_shortest_plan);
    let _ = writeln!(out, "reversible               {reversible}");
    let titles = match overview.stopped {
        None => ["never run", "never reached"],
        Some(_) => ["not run yet", "not reached yet"],
    };
    for (title, names) in titles.into_iter().zip([&overview.never_run, &overview.never_reached]) {
        let names: Vec<_> = names.iter().map(|name| escape::visible(name)).collect();
        let list = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        let _ = writeln!(out, "{title:24} {list}");
    }
    out
}
