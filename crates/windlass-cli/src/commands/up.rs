//! `windlass up FILE`: bring an application up, and look after it.

pub(crate) mod outputs;
mod project;
pub(crate) mod refusal;
mod staging;

use std::path::PathBuf;

use clap::Args;
use windlass::application::GlobalState;
use windlass::goal::GoalFile;
use windlass::goal::names::Ids;
use windlass::lang::Language;
use windlass::plan::Plan;
use windlass::synthesize;
use windlass_run::controller::bring_up::Description;
use windlass_run::controller::project::Project;
use windlass_run::controller::{Controller, WorldKind};

use crate::args::Format;
use crate::commands::engine::{self, Afterwards, DriveArgs, Found, Terminal, WhereArgs, WorldArg};
use crate::commands::verify::{check_declared, parse_goal};
use crate::failure::Failure;
use crate::load::{self, Loaded, Loader};
use crate::output;
use crate::read_options::{ComposeArgs, TemplateArgs};

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

/// What is to be brought up, and where.
struct Request {
    loaded: Loaded,
    world: WorldKind,
    project: Option<Project>,
    found: Found,
}

/// Brings an application up.
pub(crate) fn exec(args: &UpArgs, loader: &Loader) -> Result<u8, Failure> {
    let mut request = Request::read(args, loader)?;
    let found = request.found.clone();
    let terminal = Terminal::new(&found.address, args.format).saying_yes(args.yes);
    let controller = engine::controller(&found, &args.drive, &terminal, args.dry_run)?;
    let ended = bring_up(args, loader, &mut request, &controller, &terminal);
    let after = Afterwards::Supervise;
    let code = engine::finish(controller, ended, &args.drive, &found.address, after)?;
    if !args.dry_run {
        outputs::tell(args.format, code, &found.deployment, request.loaded.tosca.as_deref())?;
    }
    Ok(code)
}

impl Request {
    /// Reads the file, and looks at the Docker engine if it is for one.
    fn read(args: &UpArgs, loader: &Loader) -> Result<Self, Failure> {
        let mut loaded = loader.application(&args.file, args.lang.as_deref())?;
        let world = world_of(args, &loaded)?;
        let project_name = loaded.compose.as_ref().map(|project| project.name.clone());
        let (compose, sources) = (loaded.compose.take(), &loaded.sources);
        let project = project::prepared(args, world, compose, sources, &loader.options)?;
        if let Some(project) = &project {
            loaded.application = project.application.clone();
            loaded.goal = Some(project.goal.clone());
        }
        let mut found = engine::deployment(&args.place, &args.file, &loaded.application.name)?;
        found.address = found.address.of_project(project_name.as_deref());
        Ok(Request { loaded, world, project, found })
    }
}

/// Brings up what was read; the exit code.
fn bring_up(
    args: &UpArgs,
    loader: &Loader,
    request: &mut Request,
    controller: &Controller<'_>,
    terminal: &Terminal<'_>,
) -> Result<u8, Failure> {
    let Request { loaded, world, project, found } = request;
    let (loaded, world) = (&*loaded, *world);
    let directory = directory(args, world, found, loaded)?;
    let service = loaded.tosca.as_deref();
    let remember = || outputs::remember(&args.file, &found.deployment, service, &loader.options);
    let description = Description {
        application: &loaded.application,
        text: own_text(args, loaded),
        file: Some(&args.file),
        world,
        directory: &directory,
        adopt: args.adopt,
        on_begin: Some(&remember),
    };
    let prepared = controller.prepare(description, project.as_mut());
    let prepared = prepared.map_err(|why| terminal.failure(why))?;
    let (goal, plan) = target(args, loader, loaded, prepared.state())?;
    let outcome = terminal.conclude(prepared.bring_up(goal, plan));
    outcome.map_err(|failure| refusal::located(failure, &loaded.application, &loaded.sources))
}

/// The text of an application in our own language.
fn own_text<'l>(args: &UpArgs, loaded: &'l Loaded) -> Option<&'l str> {
    let is_own = args.lang.is_none() && loaded.language == Some(Language::WINDLASS);
    let mut texts = loaded.sources.iter().filter(|_| is_own && loaded.application.is_net());
    texts.next().map(|(_, source)| source.text.as_str())
}

/// The folder that paths of commands start from.
fn directory(
    args: &UpArgs,
    world: WorldKind,
    found: &Found,
    loaded: &Loaded,
) -> Result<PathBuf, Failure> {
    let is_real = matches!(world, WorldKind::Process | WorldKind::Ssh);
    let application = &loaded.application;
    match loaded.tosca.as_deref().filter(|_| is_real) {
        Some(service) if args.dry_run => {
            staging::inspected_directory(&loaded.file, application, service)
        }
        Some(service) => staging::directory(&loaded.file, &found.deployment, application, service),
        None => Ok(engine::folder_of(&args.file)),
    }
}

/// Where actions take place. What would go wrong there is reported here, before anything.
fn world_of(args: &UpArgs, loaded: &Loaded) -> Result<WorldKind, Failure> {
    staging::allowed(loaded.tosca.as_deref(), &loaded.sources)?;
    let world = args.world.map_or_else(|| usual_world(loaded), WorldKind::from);
    if world == WorldKind::Docker {
        output::stderr(&loaded.hazards);
    }
    Ok(world)
}

/// Where actions take place when it is not said: a service of TOSCA may give machines addresses.
fn usual_world(loaded: &Loaded) -> WorldKind {
    let is_elsewhere = !loaded.application.deployment.addresses.is_empty();
    match () {
        () if loaded.compose.is_some() => WorldKind::Docker,
        () if loaded.tosca.is_some() && is_elsewhere => WorldKind::Ssh,
        () => WorldKind::Process,
    }
}

/// The goal and the plan that the operator gives. What nets refuse is not read.
fn target(
    args: &UpArgs,
    loader: &Loader,
    loaded: &Loaded,
    start: &GlobalState,
) -> Result<(Option<GoalFile>, Option<Plan>), Failure> {
    if loaded.application.is_net() {
        let goal = args.goal.as_ref().map(|_| GoalFile::default());
        return Ok((goal, args.plan.as_ref().map(|_| Plan::default())));
    }
    let read = |path| loader.plan_file(path, loaded.plan_context());
    let file = args.plan.as_deref().map(read).transpose()?;
    let plan = file.as_ref().map(|file| file.plan(None)).transpose()?;
    let goal = wanted(args, loaded, start, plan.as_ref())?;
    for step in file.map(|file| file.skipped_steps()).unwrap_or_default() {
        output::notice(&step);
    }
    Ok((goal, plan))
}

fn wanted(
    args: &UpArgs,
    loaded: &Loaded,
    start: &GlobalState,
    plan: Option<&Plan>,
) -> Result<Option<GoalFile>, Failure> {
    let application = &loaded.application;
    let known = load::instances(application, start, plan.unwrap_or(&Plan::default()));
    let ids = Ids::Creatable(&known);
    if let Some(text) = &args.goal {
        let goal = parse_goal(text, application, ids)?;
        return Ok(Some(GoalFile { goal, ..GoalFile::default() }));
    }
    if let Some(declared) = &loaded.goal {
        check_declared(declared, application, ids)?;
        return Ok(Some(declared.clone()));
    }
    match synthesize::everything_up(application) {
        Ok(goal) => Ok(Some(GoalFile { goal, ..GoalFile::default() })),
        Err(_) if plan.is_some() => Ok(None),
        Err(why) => Err(Failure::usage(why.to_string())
            .help("say with --goal what should hold in the end, or declare `up:`")),
    }
}
