//! The question whose answer takes everything down.

use windlass::application::{Application, Faults, GlobalState};
use windlass::goal::GoalFile;
use windlass::goal::evaluate::Closure;
use windlass::synthesize::down::{NoStart, everything_down, given, when_up};
use windlass::synthesize::{Objective, Question, Synthesis};
use windlass::verify::Effort;
use windlass_run::controller::search_limits;
use windlass_run::entry::Aim;
use windlass_run::machine::Machine as _;
use windlass_run::machine::plan::PlanMachine;

use super::{PlanArgs, Request};
use crate::budget::Watch;
use crate::exit_code;
use crate::failure::Failure;
use crate::load::Loader;

/// Where it is, and nothing as the goal.
pub(super) fn request(
    args: &PlanArgs,
    loader: &Loader,
    application: Application,
    declared: Option<GoalFile>,
    is_service: bool,
) -> Result<Request, Failure> {
    let start = match &args.state {
        Some(path) => loader.state(path, &application)?,
        None => up(args, &application, declared.unwrap_or_default())?,
    };
    let goal = GoalFile { goal: everything_down(&application), ..GoalFile::default() };
    let rests_first = is_service && application.faults == Faults::Replicas;
    Ok(Request { application, start, goal, known: None, rests_first, endless_waits: Vec::new() })
}

/// The plan by which nothing is removed before it was stopped and deleted, as `windlass down` takes
/// it; none when the life cycles do not let them.
pub(super) fn at_rest(
    question: &Question<'_>,
    effort: &Effort,
    watch: &mut Watch,
) -> Option<Box<Synthesis>> {
    let start = question.start;
    let goal = Some(question.goal.clone());
    let machine = PlanMachine::new(question.application, start.clone(), goal, search_limits)?;
    let plan = machine.plan(Aim::Goal).ok().flatten()?;
    // What is inside nothing goes by an action of its own.
    let alone = start.instances.keys().filter(|id| start.container(id).is_none()).count();
    let bound = if question.objective == Objective::Length { alone as u64 } else { 0 };
    given(question, plan, bound, effort, watch).map(Box::new)
}

/// Where it is when what the file declares holds, or without that when everything is up.
fn up(
    args: &PlanArgs,
    application: &Application,
    declared: GoalFile,
) -> Result<GlobalState, Failure> {
    let question = Question {
        application,
        start: &GlobalState::empty(),
        goal: &declared,
        closure: Closure::Open,
        policy: args.policy.map_or(application.policy, Into::into),
        objective: Objective::Length,
        known: None,
        prove: false,
        allow_faults: false,
        soft: false,
    };
    let mut watch = Watch::start(&args.limits);
    let effort = Effort { threads: args.limits.threads.into(), ..Effort::default() };
    when_up(&question, &effort, &mut watch).map_err(|why| match why {
        NoStart::NoGoal(why) => {
            Failure::usage(why.to_string()).help("say with --state where the application is")
        }
        NoStart::Unreachable(why) => {
            let because = why.because.join("; ");
            Failure::usage(format!("everything is never up: {}: {because}", why.headline))
                .ending(exit_code::FINDINGS)
                .help("say with --state where the application is")
        }
        NoStart::NoPlan => Failure::usage("no plan was found that brings everything up")
            .ending(exit_code::UNKNOWN)
            .help("say with --state where the application is"),
    })
}
