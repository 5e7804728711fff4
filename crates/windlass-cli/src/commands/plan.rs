//! `windlass plan APP --goal GOAL`: a plan from one state to another.

mod answer;
mod down;
mod renewal;
mod upgrade;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use windlass::application::{Application, GlobalState};
use windlass::goal::GoalFile;
use windlass::goal::evaluate::Closure;
use windlass::goal::names::Ids;
use windlass::lang::compose::{self, EndlessWait};
use windlass::plan::Plan;
use windlass::synthesize::{self, Answer, Objective, Question};
use windlass::verify::Effort;

use crate::args::Format;
use crate::budget::{LimitArgs, Watch};
use crate::commands::verify::{PolicyArg, check_declared, parse_goal};
use crate::failure::Failure;
use crate::load::{self, Loaded, Loader, PlanContext};
use crate::read_options::{ComposeArgs, TemplateArgs};
use crate::{exit_code, output, replace};

/// What `windlass plan` takes.
#[derive(Debug, Args)]
#[command(after_help = "\
A goal is a list of NODE=STATE (all wanted instances), NODE=STATE*N (exactly N), NODE=STATE*>=N,
NODE=gone, ID=STATE, ID=gone and @CAPABILITY. A goal file adds `keep`, `always`, `never` and
`budget`. Without a goal everything that the file declares is to be up.

The plan is free of faults in every order that it allows (with --allow-faults: valid in every
order, and the faults are named), and verified before it is printed.
`optimal` is said only with a proof: a lower bound that meets the plan. Every edge of the order has
a reason; what has no reason to wait may happen at the same time.

Exit codes: 0 a plan, 1 the goal cannot be reached (and why), 2 a goal or state that does not fit
the application, 3 a limit or Ctrl-C ended the search (the best plan so far is printed).

Examples:
  windlass plan windlass.yaml --goal 'gui=working*1'
  windlass plan windlass.yaml --state broken.state.yaml --goal-file up.goal.yaml --format json
  windlass plan windlass.yaml --state running.state.yaml --goal 'api=running*4' --as svg -o plan.svg
  windlass plan windlass.yaml --down
  windlass plan windlass.yaml --undo upgrade.plan.yaml --state before.state.yaml
  windlass plan v2.yaml --from-app v1.yaml --state running.state.yaml --combined both")]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub(crate) struct PlanArgs {
    /// The application
    #[arg(value_name = "APP")]
    pub(crate) app: PathBuf,

    /// What should hold in the end, e.g. `gui=working, api=running*2`
    #[arg(long, value_name = "GOAL", conflicts_with_all = ["goal_file", "undo"])]
    pub(crate) goal: Option<String>,

    /// A file with the goal and with what has to hold on the way
    #[arg(long, value_name = "FILE", conflicts_with = "undo")]
    pub(crate) goal_file: Option<PathBuf>,

    /// The plan that is to be undone; --state is where it started
    #[arg(long, value_name = "PLAN")]
    pub(crate) undo: Option<PathBuf>,

    /// Plan how to take everything down, from --state, or from where everything is up
    #[arg(long, conflicts_with_all = ["goal", "goal_file", "undo", "from_app"])]
    pub(crate) down: bool,

    /// The version of the application that --state is about; the plan leads to APP
    ///
    /// Without --state, a template of OpenStack Heat is taken to be there as a whole.
    #[arg(long, value_name = "OLD", conflicts_with = "undo")]
    pub(crate) from_app: Option<PathBuf>,

    /// Write both versions as one application, and its state, into FOLDER: what the plan is about
    #[arg(long, value_name = "FOLDER", requires = "from_app")]
    pub(crate) combined: Option<PathBuf>,

    /// The state in which the plan starts; without it nothing exists yet
    #[arg(long, value_name = "STATE")]
    pub(crate) state: Option<PathBuf>,

    /// What is to be as small as possible
    #[arg(long, value_enum, default_value_t = ObjectiveArg::Length, value_name = "OBJECTIVE")]
    pub(crate) objective: ObjectiveArg,

    /// Go on until the plan is proven to be the best, or a limit is reached
    #[arg(long)]
    pub(crate) optimal: bool,

    /// The plan may pass through faults that handlers take, where that is shorter or the only way
    #[arg(long)]
    pub(crate) allow_faults: bool,

    /// Mend what can be mended: remove nothing that is there, unless nothing else leads to the goal
    #[arg(long)]
    pub(crate) soft: bool,

    /// Nodes that the goal does not name must have no instances
    #[arg(long)]
    pub(crate) exact: bool,

    /// Which provider is bound when several offer, instead of what the application says
    #[arg(long, value_enum, value_name = "POLICY")]
    pub(crate) policy: Option<PolicyArg>,

    /// The form of the plan
    #[arg(long = "as", value_enum, default_value_t = Form::Summary, value_name = "FORM")]
    pub(crate) form: Form,

    /// Write to OUT instead of standard output
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,

    /// Say how many states it took and how long
    #[arg(long)]
    pub(crate) stats: bool,

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

/// What is to be as small as possible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ObjectiveArg {
    /// Scalings, starts and ends of operations
    Length,
    /// Time, when everything starts as soon as it may
    Makespan,
    /// The price of operations and of the seconds that instances exist
    Cost,
}

impl From<ObjectiveArg> for Objective {
    fn from(objective: ObjectiveArg) -> Self {
        match objective {
            ObjectiveArg::Length => Objective::Length,
            ObjectiveArg::Makespan => Objective::Makespan,
            ObjectiveArg::Cost => Objective::Cost,
        }
    }
}

/// A form that plans are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// For people: the actions, their order and what is proven
    Summary,
    /// A plan file of our own, as YAML
    Windlass,
    /// A plan file of RAMP, as JSON
    Ramp,
    /// A plan of TosKer: one operation a line
    Tosker,
    /// A picture for Markdown
    Mermaid,
    /// A picture for browsers, one lane per instance
    Svg,
}

/// Everything that an answer speaks about.
pub(crate) struct Request {
    pub(crate) application: Application,
    pub(crate) start: GlobalState,
    pub(crate) goal: GoalFile,
    /// Where a plan that is undone started.
    known: Option<GlobalState>,
    /// Whether whatever is removed shall come to rest first, by its own operations.
    rests_first: bool,
    /// Waits of a Compose file that cannot end.
    endless_waits: Vec<EndlessWait>,
}

/// Looks for a plan and prints it.
pub(crate) fn run(args: &PlanArgs, loader: &Loader) -> Result<u8, Failure> {
    let request = request(args, loader)?;
    let question = Question {
        closure: if args.exact { Closure::Exact } else { Closure::Open },
        policy: args.policy.map_or(request.application.policy, Into::into),
        objective: args.objective.into(),
        known: request.known.as_ref(),
        prove: args.optimal,
        allow_faults: args.allow_faults,
        soft: args.soft,
        ..Question::new(&request.application, &request.start, &request.goal)
    };
    let mut watch = Watch::start(&args.limits).showing("no plan costs less than");
    let effort = Effort { threads: args.limits.threads.into(), ..Effort::default() };
    let at_rest = request.rests_first.then(|| down::at_rest(&question, &effort, &mut watch));
    let answer = match at_rest.flatten() {
        Some(found) => Answer::Plan(found),
        None => synthesize::synthesize(&question, &effort, &mut watch),
    };
    let millis = args.stats.then(|| watch.millis());
    drop(watch);
    let exit = match &answer {
        Answer::Plan(found) if found.stopped.is_some() => exit_code::UNKNOWN,
        Answer::Plan(_) => exit_code::GOOD,
        Answer::Unreachable(_) => exit_code::FINDINGS,
        Answer::Unknown { .. } => exit_code::UNKNOWN,
        Answer::Nets => return Err(nets(&args.app)),
    };
    let text = answer::text(args, &request, answer, millis)?;
    match &args.output {
        Some(path) => {
            replace::write(path, &text).map_err(|error| Failure::file("write", path, &error))?;
        }
        None => output::stdout(&text)?,
    }
    Ok(exit)
}

fn request(args: &PlanArgs, loader: &Loader) -> Result<Request, Failure> {
    let Loaded { file, application, goal: declared, stack, tosca, compose: project, .. } =
        loader.application(&args.app, args.lang.as_deref())?;
    let endless_waits = project.map(|project| compose::endless_waits(&project)).unwrap_or_default();
    if application.is_net() {
        return Err(nets(&args.app));
    }
    if let Some(old) = &args.from_app {
        return match stack {
            Some(stack) => renewal::request(args, loader, old, &stack),
            None => upgrade::request(args, loader, old, &application, declared),
        };
    }
    if args.down {
        return down::request(args, loader, application, declared, tosca.is_some());
    }
    let start = match &args.state {
        Some(path) => loader.state(path, &application)?,
        None => GlobalState::empty(),
    };
    if let Some(path) = &args.undo {
        let context =
            PlanContext { application: &application, service: tosca.as_deref(), file: Some(&file) };
        let plan = loader.plan(path, context)?;
        return undone(path, &plan, application, start);
    }
    let known = load::instances(&application, &start, &Plan::default());
    let ids = Ids::Creatable(&known);
    let goal = match (goal_argument(args, loader, &application, ids)?, declared) {
        (Some(goal), _) => goal,
        (None, Some(declared)) => {
            check_declared(&declared, &application, ids)?;
            declared
        }
        (None, None) => {
            let goal = synthesize::everything_up(&application).map_err(|why| {
                Failure::usage(why.to_string())
                    .help("say with --goal what should hold in the end, or declare `up:`")
            })?;
            GoalFile { goal, ..GoalFile::default() }
        }
    };
    Ok(Request { application, start, goal, known: None, rests_first: false, endless_waits })
}

/// Nets say themselves what may start when: there is nothing to choose.
fn nets(path: &std::path::Path) -> Failure {
    Failure::usage(format!("`{}` describes nets, and plans are about protocols", path.display()))
        .help(
            "a net is its own plan: `windlass prove` says whether it always completes, \
             `windlass simulate` how long it takes, and `windlass up` runs it",
        )
}

/// The goal on the command line.
fn goal_argument(
    args: &PlanArgs,
    loader: &Loader,
    application: &Application,
    ids: Ids<'_>,
) -> Result<Option<GoalFile>, Failure> {
    Ok(match (&args.goal, &args.goal_file) {
        (Some(text), _) => {
            Some(GoalFile { goal: parse_goal(text, application, ids)?, ..GoalFile::default() })
        }
        (None, Some(path)) => Some(loader.goal(path, application, ids)?),
        (None, None) => None,
    })
}

/// The question whose answer undoes a plan.
fn undone(
    path: &std::path::Path,
    plan: &Plan,
    application: Application,
    start: GlobalState,
) -> Result<Request, Failure> {
    load::fitting(&application, &start, plan)?;
    match synthesize::undoing(&application, &start, plan) {
        Some((end, goal)) => {
            let known = Some(start);
            let endless_waits = Vec::new();
            Ok(Request { application, start: end, goal, known, rests_first: false, endless_waits })
        }
        None => Err(Failure::usage(format!("`{}` cannot be carried out", path.display()))
            .help("`windlass verify` says why")),
    }
}
