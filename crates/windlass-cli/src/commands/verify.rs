//! `windlass verify PLAN --app APP`: is a plan valid in every order, and in spite of every fault?

mod json;
mod text;

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use windlass::application::{Application, GlobalState, Instance, InstanceId, Policy};
use windlass::goal::evaluate::Closure;
use windlass::goal::names::Ids;
use windlass::goal::{self, Goal, GoalFile};
use windlass::lang::tosca::workflow;
use windlass::lang::windlass::digest;
use windlass::lifecycle::protocol::Element;
use windlass::plan::Plan;
use windlass::source::Sources;
use windlass::verify::{self, Effort, GoalAnswer, Question, Refused, Report, Validity};

#[cfg(test)]
pub(crate) use json::VerifyReport;
pub(crate) use json::places;

use crate::args::Format;
use crate::budget::{LimitArgs, Watch};
use crate::failure::Failure;
use crate::load::{self, Loader};
use crate::read_options::{ComposeArgs, TemplateArgs};
use crate::{escape, exit_code, output};

/// What `windlass verify` takes.
#[derive(Debug, Args)]
#[command(after_help = "\
A plan is `valid` when every order of its actions that it allows can be carried out, whatever the
choices of providers and handlers; `weakly_valid` when some order can; else `not_valid`. A plan
that is not valid comes with a shortest failing run and, where there are any, the order edges that
make it free of faults.

Exit codes: 0 valid (or accepted) and the goal met, 1 not valid or the goal not met, 2 a plan or
state that does not fit the application, 3 a limit was reached.

Examples:
  windlass verify restart.plan.yaml --app windlass.yaml --state running.state.yaml
  windlass verify plan.json --app thinking.json --goal 'gui=working*1'
  windlass verify steps.json --app app.json --sequence --format json
  windlass verify app.down.plan --app app.yaml --after app.up.plan")]
pub(crate) struct VerifyArgs {
    /// The plan: ours, RAMP's or TosKer's
    #[arg(value_name = "PLAN")]
    pub(crate) plan: PathBuf,

    /// The application
    #[arg(long, value_name = "APP")]
    pub(crate) app: PathBuf,

    /// The state in which the plan starts; without it nothing exists yet
    #[arg(long, value_name = "STATE")]
    pub(crate) state: Option<PathBuf>,

    /// A plan that is carried out before; both are judged as one
    #[arg(long, value_name = "PLAN")]
    pub(crate) after: Option<PathBuf>,

    /// The workflow of a TOSCA service that is the plan; without it `deploy`, or the first one
    #[arg(long, value_name = "NAME")]
    pub(crate) workflow: Option<String>,

    /// Read the actions as a sequence, in the order of the file
    #[arg(long)]
    pub(crate) sequence: bool,

    /// Which provider is bound when several offer, instead of what the application says
    #[arg(long, value_enum, value_name = "POLICY")]
    pub(crate) policy: Option<PolicyArg>,

    /// What should hold in the end, e.g. `gui=working, api=running*2`
    #[arg(long, value_name = "GOAL")]
    pub(crate) goal: Option<String>,

    /// Nodes that the goal does not name must have no instances
    #[arg(long, requires = "goal")]
    pub(crate) exact: bool,

    /// A verdict that is good enough for exit code 0
    #[arg(long, value_enum, value_name = "VERDICT")]
    pub(crate) accept: Option<Accept>,

    /// Draw the failing run as SVG to OUT
    #[arg(long, value_name = "OUT")]
    pub(crate) story: Option<PathBuf>,

    /// Say which tier decided, how many states it took and how long
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

/// A connection policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PolicyArg {
    /// Whichever: the verdict holds for every choice
    Any,
    /// The first in the order of declaration
    Greedy,
    /// The one with the fewest bindings
    LeastLoaded,
}

impl From<PolicyArg> for Policy {
    fn from(policy: PolicyArg) -> Self {
        match policy {
            PolicyArg::Any => Policy::Any,
            PolicyArg::Greedy => Policy::Greedy,
            PolicyArg::LeastLoaded => Policy::LeastLoaded,
        }
    }
}

/// A verdict that can be accepted beside `valid`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Accept {
    /// Some order is good for every choice
    WeaklyValid,
}

/// How a remark begins that makes a workflow wrong.
const CONTRADICTION: &str = "contradiction";

/// Everything that a report speaks about.
pub(crate) struct Request {
    pub(crate) application: Application,
    pub(crate) start: GlobalState,
    pub(crate) plan: Plan,
    goal: Option<Goal>,
    /// What should be known about the plan beside the verdict.
    remarks: Vec<String>,
    /// Whether a workflow says something beside its operations that cannot be.
    contradicts: bool,
    /// Whether a workflow leaves something to others that nothing describes.
    is_undescribed: bool,
}

/// Judges the plan and tells the verdict.
pub(crate) fn run(args: &VerifyArgs, loader: &Loader) -> Result<u8, Failure> {
    let request = request(args, loader)?;
    let question = Question {
        application: &request.application,
        start: &request.start,
        plan: &request.plan,
        policy: args.policy.map_or(request.application.policy, Into::into),
        goal: request.goal.as_ref(),
        closure: if args.exact { Closure::Exact } else { Closure::Open },
    };
    let mut watch = Watch::start(&args.limits);
    let effort = Effort { threads: args.limits.threads.into(), ..Effort::default() };
    let mut report = verify::verify(&question, &effort, &mut watch)
        .map_err(|refused| Failure::usage(refusal(&request.plan, &refused)))?;
    if request.is_undescribed {
        report = report.undescribed();
    }
    report.remarks.splice(0..0, request.remarks.iter().cloned());
    let millis = watch.millis();
    drop(watch);
    let stats = args.stats.then_some(millis);
    let answer = match args.format {
        Format::Json => escape::json(&json::report(&request, &report, stats))?,
        Format::Text => text::report(&request, &report, stats),
    };
    output::stdout(&answer)?;
    match (&args.story, &report.counterexample) {
        (Some(path), Some(story)) => {
            let svg = windlass::export::story::svg(&request.application, story);
            let written = crate::replace::write(path, &svg);
            written.map_err(|error| Failure::file("write", path, &error))?;
        }
        (Some(path), None) => {
            let path = path.display();
            output::notice(&format!("there is no failing run to draw, so `{path}` is not written"));
        }
        (None, _) => {}
    }
    let code = exit(args, &report);
    let is_good = [exit_code::GOOD, exit_code::UNKNOWN].contains(&code);
    Ok(if request.contradicts && is_good { exit_code::FINDINGS } else { code })
}

fn request(args: &VerifyArgs, loader: &Loader) -> Result<Request, Failure> {
    let loaded = loader.application(&args.app, args.lang.as_deref())?;
    let (context, application) = (loaded.plan_context(), &loaded.application);
    let start = match &args.state {
        Some(path) => loader.state(path, application)?,
        None => GlobalState::empty(),
    };
    let file = loader.plan_file(&args.plan, context)?;
    let mut plan = file.plan(args.workflow.as_deref())?;
    if args.sequence {
        in_order(&plan)?;
        plan = plan.into_sequence();
    }
    let mut at_start = states_of(application, &start);
    let mut undescribed = Vec::new();
    if let Some(before) = &args.after {
        let before = loader.plan_file(before, context)?;
        undescribed = before.judgement(None, &at_start).undescribed;
        let before = before.plan(None)?;
        at_start.extend(workflow::after(&before));
        plan = before.followed_by(plan);
    }
    let judged = file.judgement(args.workflow.as_deref(), &at_start);
    undescribed.extend(judged.undescribed);
    let fits = load::fitting(application, &start, &plan);
    fits.map_err(|failure| match &args.state {
        _ if !undescribed.is_empty() => failure.help(undescribed.join("; ")),
        Some(_) => failure,
        None if args.after.is_none() && args.workflow.is_some() => failure.help(format!(
            "nothing exists before the workflow: `--after {}` brings the service up first, \
             `--state` says where it is",
            args.app.display()
        )),
        None => failure.help("no --state was given, so nothing exists before the plan"),
    })?;
    let mut remarks = made_for(application, &start, &plan)?;
    let contradicts = !judged.wrong.is_empty();
    remarks.extend(judged.wrong.iter().map(|what| format!("{CONTRADICTION}: {what}")));
    let is_undescribed = !undescribed.is_empty();
    let unknown = undescribed.iter().chain(&judged.unknown);
    remarks.extend(unknown.map(|what| format!("not judged: {what}")));
    let known = load::instances(application, &start, &plan);
    let parse = |text| parse_goal(text, application, Ids::Known(&known));
    let goal = args.goal.as_deref().map(parse).transpose()?;
    let application = loaded.application;
    Ok(Request { application, start, plan, goal, remarks, contradicts, is_undescribed })
}

/// The state of each instance, by name.
fn states_of(application: &Application, state: &GlobalState) -> BTreeMap<String, String> {
    let named = |(id, instance): (&InstanceId, &Instance)| {
        let Element::State(state) = instance.element else { return None };
        let protocol = application.protocol_of(instance.node)?;
        Some((id.0.clone(), protocol.state(state).name.clone()))
    };
    state.instances.iter().filter_map(named).collect()
}

/// What a plan says itself about where it belongs: one for another application is refused, one for
/// another state is judged from the state that was given, with a remark.
fn made_for(
    application: &Application,
    start: &GlobalState,
    plan: &Plan,
) -> Result<Vec<String>, Failure> {
    let differs = |said: &Option<String>, is: String| said.as_ref().is_some_and(|it| *it != is);
    if differs(&plan.application, digest::of_application(application)) {
        return Err(Failure::usage(
            "the plan was made for another application, or for another version of this one: \
             `application` in it is the digest of that one",
        )
        .help(
            "make a new plan with `windlass plan`, or take `application` out of the plan to \
             judge it by this one",
        ));
    }
    if differs(&plan.start, digest::of_state(application, start)) {
        let remark = "the plan was made for another start state; it is judged from the one given";
        return Ok(vec![remark.to_owned()]);
    }
    Ok(Vec::new())
}

/// Refuses to read actions in the order of the file when the plan says another one.
fn in_order(plan: &Plan) -> Result<(), Failure> {
    let against: Vec<_> = plan.order.iter().filter(|edge| edge.before >= edge.after).collect();
    let Some(first) = against.first() else { return Ok(()) };
    let label = |step: usize| &plan.steps[step].label;
    let (before, after) = (label(first.before), label(first.after));
    let more = match against.len() - 1 {
        0 => String::new(),
        more => format!(" (and {})", crate::report::count(more, "further edge")),
    };
    let message = format!(
        "--sequence reads the actions in the order of the file, and the plan says otherwise: \
         `{before}` comes before `{after}`{more}"
    );
    Err(Failure::usage(message).help("leave --sequence out, or write the actions in their order"))
}

/// Reads the goal of a command line, which may name these instances.
pub(crate) fn parse_goal(
    text: &str,
    application: &Application,
    ids: Ids<'_>,
) -> Result<Goal, Failure> {
    parse_goal_of("--goal", text, application, ids)
}

/// Refuses a goal that a description declares and that names none of these instances: what comes
/// with the state and the plan was not known when the description was read.
pub(crate) fn check_declared(
    declared: &GoalFile,
    application: &Application,
    ids: Ids<'_>,
) -> Result<(), Failure> {
    let goals = std::iter::once(&declared.goal).chain(&declared.always).chain(&declared.never);
    for goal in goals.filter(|goal| !goal.wants.is_empty()) {
        let text = goal::print(goal, application);
        parse_goal_of("the goal in the description", &text, application, ids)?;
    }
    Ok(())
}

fn parse_goal_of(
    whose: &str,
    text: &str,
    application: &Application,
    ids: Ids<'_>,
) -> Result<Goal, Failure> {
    let mut sources = Sources::new();
    let source = sources.add(whose, text);
    let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
    let span = windlass::source::Span { source, start: 0, end };
    let mut findings = Vec::new();
    let goal = goal::parse_among(text, span, true, application, ids, &mut findings);
    match findings.first() {
        None => Ok(goal),
        Some(finding) => {
            let failure = Failure::usage(format!("{whose}: {}", finding.message));
            Err(match &finding.help {
                Some(help) => failure.help(help),
                None => failure,
            })
        }
    }
}

fn refusal(plan: &Plan, refused: &Refused) -> String {
    let label = |step: &usize| format!("`{}`", plan.steps[*step].label);
    match refused {
        Refused::CyclicOrder(steps) => {
            let labels: Vec<String> = steps.iter().map(label).collect();
            format!("the order of the plan has a cycle: {}", labels.join(", "))
        }
        Refused::Nets => "the application is one of nets, and plans are about protocols".to_owned(),
        Refused::NoSuchInstance(step) => format!(
            "{}: the application has one instance of each node, and this action names another \
             instance or scales",
            label(step)
        ),
    }
}

fn exit(args: &VerifyArgs, report: &Report) -> u8 {
    let accepted = match report.validity {
        Validity::Valid => true,
        Validity::WeaklyValid => args.accept == Some(Accept::WeaklyValid),
        Validity::NotValid => false,
        Validity::Unknown(_) => return exit_code::UNKNOWN,
    };
    let met = args.goal.is_none() || report.goal == Some(GoalAnswer::Met);
    if accepted && met { exit_code::GOOD } else { exit_code::FINDINGS }
}
