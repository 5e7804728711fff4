//! `windlass up FILE`: bring an application up, and look after it.

mod differs;
mod laid;
pub(crate) mod net;
mod onward;
pub(crate) mod outputs;
mod project;
pub(crate) mod refusal;

use std::path::PathBuf;

use clap::Args;
use windlass::application::{Application, GlobalState};
use windlass::goal::GoalFile;
use windlass::goal::evaluate::Closure;
use windlass::goal::names::Ids;
use windlass::lang;
use windlass::lang::documents;
use windlass::plan::Plan;
use windlass::source::Sources;
use windlass::synthesize;
use windlass::tree::emit;
use windlass::verify::{self, Effort, GoalAnswer, Validity};
use windlass_run::deployment::{Deployment, Lock};
use windlass_run::entry::{Aim, Entry, Purpose};
use windlass_run::machine::Machine;

use crate::args::Format;
use crate::commands::engine::{
    self, Address, Drive, DriveArgs, Past, WhereArgs, WorldArg, actions, drive, search_limits,
};
use crate::commands::verify::{check_declared, parse_goal};
use crate::failure::Failure;
use crate::load::{self, Loader, PlanContext, PlanFile};
use crate::read_options::{ComposeArgs, TemplateArgs};
use crate::{exit_code, output};

/// What `windlass up` takes.
#[derive(Debug, Args)]
#[command(after_help = "\
The plan is made and verified before anything runs; nothing starts that the rules of the life cycles
do not allow. Every decision is in a journal before it takes effect: after a crash at any instant
`windlass resume` goes on.

The command stays and looks after the processes: one that dies is handled as its life cycle says,
and a new plan leads back to the goal. Ctrl-C ends it and leaves the application running;
`windlass down` takes it down.

Exit codes: 0 the goal is reached, 1 the goal cannot be reached or the plan is not valid, 2 usage,
4 an action failed or is in doubt, 130 interrupted.

Examples:
  windlass up windlass.yaml --dry-run
  windlass up windlass.yaml --yes --detach
  windlass up windlass.yaml --goal 'api=running*3'")]
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub(crate) struct UpArgs {
    /// The application
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Of a Compose file only these services, and those that they need
    #[arg(value_name = "SERVICE")]
    pub(crate) services: Vec<String>,

    /// What should hold in the end; without it what the file says, else everything is up
    #[arg(long, value_name = "GOAL")]
    goal: Option<String>,

    /// Follow this plan instead of making one
    #[arg(long, value_name = "PLAN")]
    plan: Option<PathBuf>,

    /// Where actions take place (default: `docker` for a Compose file, `ssh` for a TOSCA service
    /// whose machines have addresses, else `process`)
    #[arg(long, value_enum, value_name = "WORLD")]
    world: Option<WorldArg>,

    #[command(flatten)]
    place: WhereArgs,

    #[command(flatten)]
    drive: DriveArgs,

    /// Of a Compose file: take over what `docker compose up` has started, and change nothing
    #[arg(long, conflicts_with_all = ["goal", "plan", "dry_run"])]
    adopt: bool,

    /// Of a Compose file: recreate volumes whose definition changed; their data is lost
    #[arg(long)]
    renew_volumes: bool,

    /// Of a Compose file: build images that are built here also when they are there
    #[arg(long)]
    build: bool,

    /// Of a Compose file: let only the engine check the health of containers, which begins after
    /// one interval; else their checks are run inside them as soon as they have started, too
    #[arg(long)]
    engine_checks: bool,

    /// Print the actions with their commands, and do nothing
    #[arg(long)]
    dry_run: bool,

    /// Do not ask
    #[arg(long)]
    yes: bool,

    /// How events are written: lines, or JSON with one event a line
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    format: Format,

    /// The language of the file; without it the file tells
    #[arg(long, value_name = "LANG")]
    lang: Option<String>,

    #[command(flatten)]
    pub(crate) compose: ComposeArgs,

    #[command(flatten)]
    pub(crate) template: TemplateArgs,
}

/// The orders behind the processes that run, by instance.
type Processes = std::collections::BTreeMap<String, windlass_run::entry::OrderId>;

/// Where a run begins.
pub(crate) struct Beginning {
    pub(crate) state: GlobalState,
    pub(crate) processes: Processes,
    pub(crate) is_first: bool,
}

/// What is to be brought up, and where.
struct EngineResult {
    loaded: load::Loaded,
    world: WorldArg,
    project: Option<project::Prepared>,
    /// What is to be said about what was taken over.
    adopted: String,
    deployment: Deployment,
    name: String,
    address: Address,
}

/// Brings an application up.
pub(crate) fn run(args: &UpArgs, loader: &Loader) -> Result<u8, Failure> {
    let asked = asked(args, loader)?;
    if args.dry_run {
        return bring_up(args, loader, asked, None);
    }
    let (deployment, address) = (asked.deployment.clone(), asked.address.clone());
    let (lock, gave_way) = engine::lock(&deployment, &asked.name)?;
    let ended = bring_up(args, loader, asked, Some(lock));
    engine::unless_refused(ended, gave_way.as_ref(), (&deployment, &address))
}

fn asked(args: &UpArgs, loader: &Loader) -> Result<EngineResult, Failure> {
    let mut loaded = loader.application(&args.file, args.lang.as_deref())?;
    let world = world_of(args, &loaded)?;
    let project_name = loaded.compose.as_ref().map(|project| project.name.clone());
    project::refuse_other(args, world, project_name.as_deref())?;
    let mut project =
        project::prepared(args, world, loaded.compose.take(), &loaded.sources, &loader.options)?;
    let adopted = project::adopted(args.adopt, project.as_mut())?;
    if let Some(project) = &project {
        loaded.application = project.application.clone();
        loaded.goal = Some(project.goal.clone());
    }
    let (deployment, name) = engine::deployment(&args.place, &args.file, &loaded.application.name)?;
    let address = Address::new(&args.place, &args.file, &name).of_project(project_name.as_deref());
    Ok(EngineResult { loaded, world, project, adopted, deployment, name, address })
}

/// Brings an application up that no other engine drives.
fn bring_up(
    args: &UpArgs,
    loader: &Loader,
    asked: EngineResult,
    lock: Option<Lock>,
) -> Result<u8, Failure> {
    let EngineResult { loaded, world, mut project, adopted, deployment, name, address } = asked;
    let text = net::text(args, &loaded);
    let (application, goal) = (loaded.application, loaded.goal);
    let secrets = engine::secrets(args.drive.secrets.as_deref())?;
    let directory = directory(args, world, &deployment, &application, loaded.tosca.as_deref())?;
    let past = past_in(world, Past::read(&deployment)?, &name)?;
    allowed(past.as_ref(), &name, &address)?;
    engine::needs::met(&application, &secrets, Some(&args.file), world)?;
    let way = Drive {
        args: &args.drive,
        format: args.format,
        deployment: &deployment,
        name: &name,
        address: &address,
        world,
        directory: directory.clone(),
        secrets,
        stay: !args.drive.detach && !args.adopt && world != WorldArg::Simulated,
    };
    if application.is_net() {
        let past = past.as_ref().filter(|past| !past.is_down());
        return net_up(args, &application, &way, (text, past), lock)
            .map_err(|failure| refusal::located(failure, &application, &loaded.sources));
    }
    let beginning = match &project {
        Some(project) => project.beginning(past.is_none() && !args.adopt),
        None => beginning(&application, past.as_ref())?,
    };
    let context = PlanContext::of(&application, loaded.tosca.as_deref(), &loaded.file);
    let file = args.plan.as_deref().map(|path| loader.plan_file(path, context)).transpose()?;
    let goal = wanted(args, file.as_ref(), &application, &beginning.state, goal)?;
    let from = engine::without_faults(&application, beginning.state.clone());
    let mut planner = engine::machine(&application, &from, goal.clone())?;
    planner.arrange(project.as_ref().map(|_| windlass_run::compose::arrange as _));
    let mut plan = planned(file.as_ref(), &application, &from, &planner, goal.as_ref())
        .map_err(|failure| refusal::located(failure, &application, &loaded.sources))?;
    let mut machine = engine::machine(&application, &beginning.state, goal.clone())?;
    machine.arrange(project.as_ref().map(|project| project.order(&mut plan)));
    let actions = project::actions(&application, &from, &plan, project.as_ref())?;
    let known = past.as_ref().filter(|_| project.is_none());
    differs::tell(&application, known, &address)?;
    if args.dry_run {
        let known = known.filter(|_| args.plan.is_none());
        let (state, place) = (&beginning.state, (&deployment, name.as_str()));
        let met = differs::actions(&application, state, goal.as_ref(), place, known)?;
        actions::show(args.format, met.unwrap_or(actions))?;
        return Ok(exit_code::GOOD);
    }
    output::stdout(&adopted)?;
    confirm(args, world, (beginning.is_first, actions::removes(&plan)), &actions::text(&actions))?;
    project.as_mut().map_or(Ok(()), |project| project.write(&deployment, past.as_ref()))?;
    laid::forget(&deployment, &beginning.state);
    outputs::remember(&args.file, &deployment, loaded.tosca.as_deref(), &loader.options);
    let text = emit::yaml(&lang::windlass::print(&application, goal.as_ref()));
    let start = emit::yaml(&lang::windlass::print_state(&application, &beginning.state));
    let begun = begun(text, &directory, world, (Some(start), beginning.processes));
    let code = drive(&way, machine, engine::Beginning::New { begun, plan: Some(plan) })?;
    drop(lock);
    outputs::tell(args.format, code, &deployment, loaded.tosca.as_deref())?;
    engine::leave_supervisor(&args.drive, &deployment, &name, code)
}

/// Brings an assembly of nets up. What earlier runs have done is not done again.
fn net_up(
    args: &UpArgs,
    application: &Application,
    way: &Drive<'_>,
    (text, past): (Option<String>, Option<&Past>),
    lock: Option<Lock>,
) -> Result<u8, Failure> {
    if args.goal.is_some() || args.plan.is_some() {
        let message = "an assembly of nets runs by its rules, without a goal and without a plan";
        return Err(Failure::usage(message).help("leave out `--goal` and `--plan`"));
    }
    let code = match past {
        Some(past) => onward::up(args, application, way, (text, past))?,
        None => net::up(args, application, way, text)?,
    };
    drop(lock);
    engine::leave_supervisor(&args.drive, way.deployment, way.name, code)
}

/// The first entry of a run from where everything is, with the processes that run.
fn begun(
    application: String,
    directory: &std::path::Path,
    world: WorldArg,
    (start, processes): (Option<String>, Processes),
) -> Entry {
    Entry::Begun {
        purpose: Purpose::Up,
        application,
        directory: in_full(directory),
        world: world.as_str().to_owned(),
        start,
        processes,
    }
}

/// The folder that paths of commands start from.
fn directory(
    args: &UpArgs,
    world: WorldArg,
    deployment: &Deployment,
    application: &Application,
    service: Option<&lang::tosca::Model>,
) -> Result<PathBuf, Failure> {
    let is_real = matches!(world, WorldArg::Process | WorldArg::Ssh);
    match service.filter(|_| is_real) {
        Some(service) if args.dry_run => laid::looked_at(&args.file, application, service),
        Some(service) => laid::directory(&args.file, deployment, application, service),
        None => Ok(engine::folder_of(&args.file)),
    }
}

/// Where actions take place. What would go wrong there is reported here, before anything.
fn world_of(args: &UpArgs, loaded: &load::Loaded) -> Result<WorldArg, Failure> {
    laid::allowed(loaded.tosca.as_deref(), &loaded.sources)?;
    let world = args.world.unwrap_or_else(|| usual_world(loaded));
    if world == WorldArg::Docker {
        output::stderr(&loaded.hazards);
    }
    Ok(world)
}

/// Where actions take place by default: a service of TOSCA may give machines addresses.
fn usual_world(loaded: &load::Loaded) -> WorldArg {
    let is_elsewhere = !loaded.application.deployment.addresses.is_empty();
    match () {
        () if loaded.compose.is_some() => WorldArg::Docker,
        () if loaded.tosca.is_some() && is_elsewhere => WorldArg::Ssh,
        () => WorldArg::Process,
    }
}

fn in_full(path: &std::path::Path) -> String {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).display().to_string()
}

/// Whether a run may begin at all.
fn allowed(past: Option<&Past>, name: &str, address: &Address) -> Result<(), Failure> {
    if let Some(past) = past.filter(|past| !past.is_over()) {
        let message = format!("run {} of `{name}` has not ended", past.run);
        let resume = address.command("resume");
        return Err(Failure::usage(message).help(format!("`{resume}` continues it")));
    }
    Ok(())
}

/// The last run, as far as it says anything about `world`: what was only simulated is nowhere.
fn past_in(world: WorldArg, past: Option<Past>, name: &str) -> Result<Option<Past>, Failure> {
    let simulated = WorldArg::Simulated.as_str();
    let Some(past) = past.filter(|past| past.world != simulated) else { return Ok(None) };
    if past.world != world.as_str() {
        let message = format!("`{name}` is a deployment in the world `{}`", past.world);
        return Err(Failure::usage(message).help("choose another with --name"));
    }
    Ok(Some(past))
}

/// Where the last run left everything.
fn beginning(application: &Application, past: Option<&Past>) -> Result<Beginning, Failure> {
    let Some(past) = past else {
        let processes = std::collections::BTreeMap::new();
        let state = synthesize::completed(application, &GlobalState::empty());
        return Ok(Beginning { state, processes, is_first: true });
    };
    let standing = past.standing()?.ok_or_else(|| {
        Failure::usage("this deployment is one of nets").help("choose another with --name")
    })?;
    // The file may have changed: what is there has to fit it.
    let text = emit::yaml(&lang::windlass::print_state(&past.application, &standing.state));
    let mut sources = Sources::new();
    let root = sources.add("state", text);
    let reading = documents::read_state(root, &sources, application);
    let kept = || documents::kept_state(root, &sources, application);
    let state = reading.document.or_else(kept).ok_or_else(|| {
        let why = reading.findings.first().map(|finding| finding.message.clone());
        Failure::usage(format!(
            "what runs does not fit the file any more: {}",
            why.unwrap_or_default()
        ))
        .help("take it down with `windlass down` first")
    })?;
    Ok(Beginning { state, processes: standing.processes, is_first: false })
}

fn wanted(
    args: &UpArgs,
    file: Option<&PlanFile<'_>>,
    application: &Application,
    start: &GlobalState,
    declared: Option<GoalFile>,
) -> Result<Option<GoalFile>, Failure> {
    let plan = file.map(|file| file.plan(None)).transpose()?.unwrap_or_default();
    let known = load::instances(application, start, &plan);
    let ids = Ids::Creatable(&known);
    if let Some(text) = &args.goal {
        let goal = parse_goal(text, application, ids)?;
        return Ok(Some(GoalFile { goal, ..GoalFile::default() }));
    }
    if let Some(declared) = declared {
        check_declared(&declared, application, ids)?;
        return Ok(Some(declared));
    }
    match synthesize::everything_up(application) {
        Ok(goal) => Ok(Some(GoalFile { goal, ..GoalFile::default() })),
        Err(_) if args.plan.is_some() => Ok(None),
        Err(node) => Err(Failure::usage(format!("nothing says when `{node}` is up"))
            .help("say with --goal what should hold in the end, or declare `up:`")),
    }
}

/// The plan that is followed: the operator's, if it is valid, or one that was just made.
fn planned(
    file: Option<&PlanFile<'_>>,
    application: &Application,
    start: &GlobalState,
    machine: &impl Machine,
    goal: Option<&GoalFile>,
) -> Result<Plan, Failure> {
    let Some(file) = file else {
        let plan = machine.plan(Aim::Goal);
        return plan
            .map(Option::unwrap_or_default)
            .map_err(|why| Failure::usage(why.to_string()).ending(exit_code::FINDINGS));
    };
    let plan = file.plan(None)?;
    file.skipped_steps().iter().for_each(|it| output::notice(it));
    load::fitting(application, start, &plan)?;
    let stale = |said: &Option<String>, is: String| said.as_ref().is_some_and(|it| *it != is);
    if stale(&plan.application, lang::windlass::digest::of_application(application))
        || stale(&plan.start, lang::windlass::digest::of_state(application, start))
    {
        return Err(Failure::usage("the plan was made for another application or another state")
            .help("make a new one with `windlass plan`, or let `windlass up` make it"));
    }
    let question = verify::Question {
        application,
        start,
        plan: &plan,
        policy: application.policy,
        goal: goal.map(|goal| &goal.goal),
        closure: Closure::Open,
    };
    let mut budget = search_limits();
    let report = verify::verify(&question, &Effort::default(), &mut *budget)
        .map_err(|_| Failure::usage("the plan does not fit the application"))?;
    if report.validity != Validity::Valid {
        let message = format!("the plan is {}", report.validity.as_str().replace('_', " "));
        return Err(Failure::usage(message)
            .help("`windlass verify` says why")
            .ending(exit_code::FINDINGS));
    }
    if matches!(report.goal, Some(GoalAnswer::NotMet | GoalAnswer::Sometimes)) {
        let word = if report.goal == Some(GoalAnswer::NotMet) { "does not" } else { "may not" };
        return Err(Failure::usage(format!("the plan {word} reach the goal; nothing was done"))
            .help("say with --goal what holds at its end, or leave --plan out")
            .ending(exit_code::FINDINGS));
    }
    Ok(plan)
}

/// Asks the operator before anything runs for the first time, or is removed.
fn confirm(
    args: &UpArgs,
    world: WorldArg,
    (is_first, removes): (bool, bool),
    list: &str,
) -> Result<(), Failure> {
    let why = match (is_first, removes) {
        _ if world == WorldArg::Simulated => return Ok(()),
        (true, _) => "these commands would run for the first time",
        (false, true) => "this plan removes instances",
        (false, false) => return Ok(()),
    };
    actions::confirm(args.yes, why, list)
}
