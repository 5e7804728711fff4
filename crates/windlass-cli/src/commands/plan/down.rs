//! The question whose answer takes everything down.

use windlass::application::{Application, GlobalState};
use windlass::goal::GoalFile;
use windlass::goal::evaluate::Closure;
use windlass::synthesize::down::{NoStart, everything_down, when_up};
use windlass::synthesize::{Objective, Question};
use windlass::verify::Effort;

use super::{Asked, PlanArgs};
use crate::budget::Watch;
use crate::exit_code;
use crate::failure::Failure;
use crate::load;

/// Where it is, and nothing as the goal.
pub(super) fn asked(args: &PlanArgs, application: Application) -> Result<Asked, Failure> {
    let start = match &args.state {
        Some(path) => load::state(path, &application)?,
        None => up(args, &application)?,
    };
    let goal = GoalFile { goal: everything_down(&application), ..GoalFile::default() };
    Ok(Asked { application, start, goal, known: None })
}

/// Where it is when everything is up.
fn up(args: &PlanArgs, application: &Application) -> Result<GlobalState, Failure> {
    let question = Question {
        application,
        start: &GlobalState::empty(),
        goal: &GoalFile::default(),
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
        NoStart::NoGoal(node) => Failure::usage(format!("nothing says when `{node}` is up"))
            .help("say with --state where the application is"),
        NoStart::NoPlan => Failure::usage("no plan was found that brings everything up")
            .ending(exit_code::UNKNOWN)
            .help("say with --state where the application is"),
    })
}
