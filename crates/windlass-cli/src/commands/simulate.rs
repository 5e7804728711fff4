//! `windlass simulate FILE`: how long bringing something up takes, and why.

mod many;
mod protocols;
pub(crate) mod report;
mod text;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use windlass::application::Application;
use windlass::application::assembly::Assembly;
use windlass::export::gantt::{self, Bar};
use windlass::lang::Kind;
use windlass::lang::windlass::units;
use windlass::lifecycle::timing::Timing;
use windlass::simulate::runs::{self, Statistics};
use windlass::simulate::what_if::{self, Change, Names};
use windlass::simulate::{self, Mode, Scenario, Schedule, path};

use crate::args::Format;
use crate::failure::Failure;
use crate::load::{self, Loader};
use crate::read_options::{ComposeArgs, TemplateArgs};
use crate::{escape, exit_code, files, input, output, replace};

/// What `windlass simulate` takes.
#[derive(Debug, Args)]
#[command(after_help = "\
Runs an assembly of nets in virtual time: nothing is executed. An application of protocols (a
Compose file, a template) is brought up as `prove` does it; where it says nothing about time, each
operation counts one second. Every action takes the mean of its
duration; with --seed each duration is drawn, and with --runs N so many runs are made and their
mean, median and 95th percentile told. `hosts` and `locks` of the file and --jobs limit how much
runs at once.

--as compares ways of working: `madeus` runs everything that can run, `aeolus` one transition at a
time in each component, `kolla` one component after the other. Durations are those of the file: an
action that was measured while others ran takes less time alone.

A plan is carried out in the order that it says (--app names its application, --state where it
starts); its actions are `INSTANCE.OPERATION`, `INSTANCE.scale_out` and `INSTANCE.scale_in`.

Exit codes: 0 finished, 1 the assembly gets stuck or an action fails for good, 2 a file that cannot
be read, 3 Ctrl-C ended the runs before the last one.

Examples:
  windlass simulate windlass.yaml
  windlass simulate windlass.yaml --as kolla,aeolus,madeus
  windlass simulate windlass.yaml --set nova.pull=10s --without-dependency mariadb.haproxy
  windlass simulate windlass.yaml --runs 1000 --seed 7 --gantt run.svg
  windlass simulate plan.json --app windlass.yaml --state running.state.yaml")]
pub(crate) struct SimulateArgs {
    /// The assembly or the application, or with --app a plan
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// The application of a plan
    #[arg(long, value_name = "APP")]
    pub(crate) app: Option<PathBuf>,

    /// The state in which the plan starts; without it nothing exists yet
    #[arg(long, value_name = "STATE", requires = "app")]
    pub(crate) state: Option<PathBuf>,

    /// How many transitions run at once at most
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) jobs: Option<u32>,

    /// Draw durations, and make so many runs
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) runs: Option<u32>,

    /// Draw durations from this seed
    #[arg(long, value_name = "SEED")]
    pub(crate) seed: Option<u64>,

    /// Let a transition take another time
    #[arg(long = "set", value_name = "NODE.TRANSITION=DURATION")]
    pub(crate) set: Vec<String>,

    /// Take durations from a file of `NODE.TRANSITION: DURATION`
    #[arg(long, value_name = "FILE")]
    pub(crate) durations: Option<PathBuf>,

    /// Do not wait for what a port gives
    #[arg(long, value_name = "NODE.PORT")]
    pub(crate) without_dependency: Vec<String>,

    /// Whose way of working; several are compared with the first
    #[arg(
        long = "as",
        value_enum,
        value_delimiter = ',',
        default_value = "madeus",
        value_name = "MODE"
    )]
    pub(crate) modes: Vec<ModeWord>,

    /// Write a Gantt chart
    #[arg(long, value_name = "OUT.svg")]
    pub(crate) gantt: Option<PathBuf>,

    /// How the answer is written
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    pub(crate) format: Format,

    /// The language of the assembly; without it the file tells
    #[arg(long, value_name = "LANG")]
    pub(crate) lang: Option<String>,

    #[command(flatten)]
    pub(crate) compose: ComposeArgs,

    #[command(flatten)]
    pub(crate) template: TemplateArgs,
}

/// A mode on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModeWord {
    /// Everything that can run
    Madeus,
    /// One transition at a time in each component
    Aeolus,
    /// One component after the other
    Kolla,
}

impl ModeWord {
    fn mode(self) -> Mode {
        match self {
            ModeWord::Madeus => Mode::Madeus,
            ModeWord::Aeolus => Mode::Aeolus,
            ModeWord::Kolla => Mode::Kolla,
        }
    }
}

/// What was found out.
struct Answer<'a> {
    assembly: &'a Assembly<'a>,
    scenario: Scenario,
    schedule: Schedule,
    path: Vec<path::Step>,
    bars: Vec<Bar>,
    costs: Option<Vec<(String, f64)>>,
    statistics: Option<Statistics>,
    /// The other modes with their makespans; none where the run does not finish.
    others: Vec<(Mode, Option<f64>)>,
    /// Where the durations come from, when anybody says so.
    durations_from: Option<String>,
    /// Whether a plan is carried out.
    is_plan: bool,
}

impl Answer<'_> {
    /// Whether an action that had to wait for room waited for its turn: in this mode, one thing is
    /// done at a time, in each component or at all.
    fn waits_for_turn(&self, step: &path::Step) -> bool {
        let component = |run: u32| {
            self.assembly.local_transition(self.schedule.runs[run as usize].transition).0
        };
        let trigger = self.schedule.runs[step.run as usize].trigger;
        match self.scenario.mode {
            Mode::Madeus => false,
            Mode::Aeolus => trigger.is_some_and(|run| component(run) == component(step.run)),
            Mode::Kolla => true,
        }
    }
}

/// Simulates and tells.
pub(crate) fn run(args: &SimulateArgs, loader: &Loader) -> Result<u8, Failure> {
    let loaded = match &args.app {
        Some(app) => protocols::plan(args, loader, app)?,
        None => brought_up(args, loader)?,
    };
    let changes = changes(args, loader, &loaded)?;
    let application = what_if::apply(&loaded, &changes);
    let assembly = Assembly::new(&application).map_err(|why| Failure::usage(why.to_string()))?;
    let answer = answer(args, &assembly);
    if let Some(path) = &args.gantt {
        let title = format!("{} ({})", application.name, answer.scenario.mode.as_str());
        let svg = gantt::svg(&title, &answer.bars, answer.schedule.makespan);
        replace::write(path, &svg).map_err(|error| Failure::file("write", path, &error))?;
    }
    let text = match args.format {
        Format::Json => escape::json(&report::report(&answer))?,
        Format::Text => escape::visible_lines(&text::text(&answer)),
    };
    output::stdout(&text)?;
    let is_cut = answer.statistics.as_ref().is_some_and(|statistics| statistics.left_out > 0);
    Ok(match answer.schedule.is_finished() {
        _ if is_cut => exit_code::UNKNOWN,
        true => exit_code::GOOD,
        false => exit_code::FINDINGS,
    })
}

/// The assembly in the file, or the one that brings its application up.
fn brought_up(args: &SimulateArgs, loader: &Loader) -> Result<Application, Failure> {
    let path = &args.file;
    let load::Loaded { application, goal, .. } = if path.is_dir() || files::looks_like_archive(path)
    {
        loader.application(path, args.lang.as_deref())?
    } else {
        let text = loader.text(path)?;
        if text.kind() == Some(Kind::Plan) {
            return Err(Failure::usage(format!("`{}` is a plan", path.display()))
                .help("`--app APP` says which application it is for"));
        }
        let language = args.lang.as_deref().map(input::language).transpose()?;
        loader.application_in(text, path, language)?
    };
    if application.is_net() {
        return Ok(application);
    }
    protocols::assembly(&application, goal.as_ref())
}

/// Where the durations come from: as the file says, unless they were replaced.
fn durations_from(args: &SimulateArgs, application: &Application) -> Option<String> {
    let said = application.deployment.durations_from.clone();
    let file = args.durations.as_ref().map(|path| format!("`{}`", path.display()));
    let set = (!args.set.is_empty()).then(|| "--set".to_owned());
    let replaced: Vec<String> = [file, set].into_iter().flatten().collect();
    if replaced.is_empty() {
        return said;
    }
    let others = said.unwrap_or_else(|| "the file".to_owned());
    Some(format!("{}; for what they do not name {others}", replaced.join(" and ")))
}

/// What is to be otherwise than the file says. Later ones win.
fn changes(
    args: &SimulateArgs,
    loader: &Loader,
    application: &Application,
) -> Result<Vec<Change>, Failure> {
    let mut changes = Vec::new();
    let names = Names::new(application);
    if let Some(path) = &args.durations {
        for (name, timing) in loader.durations(path)? {
            let (node, transition) =
                names.transition(&name).map_err(|why| Failure::usage(why.to_string()))?;
            changes.push(Change::Duration { node, transition, timing });
        }
    }
    for set in &args.set {
        let (name, value) = set
            .split_once('=')
            .ok_or_else(|| Failure::usage(format!("`{set}` is not NODE.TRANSITION=DURATION")))?;
        let (node, transition) =
            names.transition(name).map_err(|why| Failure::usage(why.to_string()))?;
        let duration = units::duration(value).ok_or_else(|| {
            Failure::usage(format!("`{value}` is not a duration"))
                .help("write a number with a unit: `200ms`, `2.5s`, `1h30m`")
        })?;
        changes.push(Change::Duration { node, transition, timing: Timing::Fixed(duration) });
    }
    for name in &args.without_dependency {
        let (node, port) = names.dependency(name).map_err(|why| Failure::usage(why.to_string()))?;
        changes.push(Change::Without { node, port });
    }
    Ok(changes)
}

fn answer<'a>(args: &SimulateArgs, assembly: &'a Assembly<'a>) -> Answer<'a> {
    let seed = args.seed.or(args.runs.map(|_| 1));
    let mode = args.modes.first().map_or(Mode::Madeus, |word| word.mode());
    let scenario = Scenario { mode, jobs: args.jobs, seed, trace: false };
    let schedule = simulate::simulate(assembly, &scenario);
    let path = path::critical(assembly, &schedule);
    let bars = bars(assembly, &schedule, &path);
    let names = |assembly: &Assembly<'_>, node, port| {
        let application = assembly.application();
        let ports = application.type_of(node).net().map(|net| net.port(port).name.as_str());
        format!("{}.{}", application.node(node).name, ports.unwrap_or_default())
    };
    let costs = path::costs(assembly, &scenario, &schedule).map(|costs| {
        let costs = costs.into_iter();
        costs
            .map(|(node, port, saved)| (names(assembly, node, port), saved.as_secs_f64()))
            .collect()
    });
    let statistics = args.runs.map(|runs| {
        let mut many = many::Many::start(runs);
        let seed = seed.unwrap_or(1);
        runs::statistics(assembly, &scenario, seed, runs, &mut |made| many.go_on(made))
    });
    let others = args.modes.iter().skip(1).map(|word| {
        let other = Scenario { mode: word.mode(), ..scenario.clone() };
        let schedule = simulate::simulate(assembly, &other);
        (other.mode, schedule.is_finished().then_some(schedule.makespan.as_secs_f64()))
    });
    let others = others.collect();
    Answer {
        assembly,
        scenario,
        schedule,
        path,
        bars,
        costs,
        statistics,
        others,
        durations_from: durations_from(args, assembly.application()),
        is_plan: args.app.is_some(),
    }
}

/// A bar for each run, in the order of their starts.
fn bars(assembly: &Assembly<'_>, schedule: &Schedule, path: &[path::Step]) -> Vec<Bar> {
    let mut critical = vec![false; schedule.runs.len()];
    for step in path {
        critical[step.run as usize] = true;
    }
    let runs = schedule.runs.iter().zip(path::slack(schedule)).zip(critical);
    runs.map(|((run, slack), critical)| Bar {
        name: assembly.transition_name(run.transition),
        start: run.start,
        end: run.end,
        critical,
        slack,
    })
    .collect()
}
