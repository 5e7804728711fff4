//! From where a deployment stands to what a description asks for.

use std::fs;
use std::path::Path;

use windlass::application::{Application, GlobalState};
use windlass::goal::GoalFile;
use windlass::goal::evaluate::Closure;
use windlass::lang::windlass::digest;
use windlass::plan::Plan;
use windlass::plan::fit::fit;
use windlass::synthesize;
use windlass::synthesize::graceful_removal::Arrange;
use windlass::verify::{self, Effort, GoalAnswer, Validity};

use super::actions::{self, Action};
use super::carry_over::carry_over;
use super::drive::Beginning;
use super::error::Error;
use super::operator::{Notice, Question};
use super::project::Project;
use super::run_start::{NO_INSTANCES, NO_PROCESSES, Processes, RunStart};
use super::{Controller, LastRun, Outcome, WorldKind, drift, machine, requirements, search_limits};
use crate::compose;
use crate::entry::{Aim, Purpose};
use crate::machine::Machine;
use crate::machine::net::NetHistory;

/// What operations leave for each other, in the folder of the deployment.
pub const SHARED: &str = "shared";

/// What is to be brought up, and where.
#[derive(Clone, Copy)]
pub struct Description<'a> {
    /// The application.
    pub application: &'a Application,
    /// Its text, if it is in our own language: a journal keeps that of nets as it is.
    pub text: Option<&'a str>,
    /// Where it was read from, for messages.
    pub file: Option<&'a Path>,
    /// Where actions take place.
    pub world: WorldKind,
    /// The folder that paths of commands start from.
    pub directory: &'a Path,
    /// Whether what is there is taken over as it is, so that there is nothing to look after.
    pub adopt: bool,
    /// Called when it is certain that a run begins.
    pub on_begin: Option<&'a dyn Fn()>,
}

impl<'a> Description<'a> {
    /// An application whose commands and processes run on this machine.
    pub fn new(application: &'a Application, directory: &'a Path) -> Self {
        Description {
            application,
            text: None,
            file: None,
            world: WorldKind::Process,
            directory,
            adopt: false,
            on_begin: None,
        }
    }

    /// The folder that paths of commands start from, in full.
    pub(super) fn absolute_directory(&self) -> String {
        let absolute = std::path::absolute(self.directory);
        absolute.unwrap_or_else(|_| self.directory.to_owned()).display().to_string()
    }

    /// The beginning of a run of nets, of which earlier runs have done something.
    pub(super) fn net_start<'s>(
        &'s self,
        directory: &'s str,
        history: Option<&'s NetHistory>,
    ) -> RunStart<'s> {
        RunStart {
            purpose: Purpose::Up,
            application: self.application,
            text: self.text,
            goal: None,
            directory,
            world: self.world,
            state: &NO_INSTANCES,
            history,
            processes: &NO_PROCESSES,
        }
    }
}

/// Where a run begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StartState {
    /// The instances and their states.
    pub(crate) state: GlobalState,
    /// The processes that run.
    pub(crate) processes: Processes,
    /// Whether nothing has run before.
    pub(crate) is_first: bool,
}

/// A deployment that is about to be brought up.
pub struct Preparation<'c> {
    controller: &'c Controller<'c>,
    description: Description<'c>,
    project: Option<&'c mut Project>,
    last: Option<LastRun>,
    start: StartState,
}

impl<'c> Controller<'c> {
    /// Looks where the deployment stands, and refuses what cannot come up from there.
    pub fn prepare(
        &'c self,
        description: Description<'c>,
        project: Option<&'c mut Project>,
    ) -> Result<Preparation<'c>, Error> {
        let (application, world) = (description.application, description.world);
        let last = self.last_run_in(world)?;
        if let Some(last) = last.as_ref().filter(|last| !last.is_over()) {
            let (run, name) = (last.run, self.name.clone());
            return Err(Error::NotEnded { run, name, another_follows: false });
        }
        let secrets = &self.settings.secrets;
        requirements::check(application, secrets, description.file, world)?;
        let start = match &project {
            Some(project) => project.start(self.operator, last.is_none() && !description.adopt),
            None if application.is_net() => StartState::first(GlobalState::empty()),
            None => start_state(application, last.as_ref())?,
        };
        Ok(Preparation { controller: self, description, project, last, start })
    }

    /// The last run, as far as it says anything about `world`: what was only simulated is nowhere.
    fn last_run_in(&self, world: WorldKind) -> Result<Option<LastRun>, Error> {
        let last = LastRun::read(&self.deployment)?;
        match last.filter(|last| last.world != WorldKind::Simulated) {
            Some(last) if last.world != world => {
                Err(Error::OtherWorld { name: self.name.clone(), world: last.world })
            }
            last => Ok(last),
        }
    }

    /// Whether what is up is looked after.
    pub(super) fn stays_up(&self, description: &Description<'_>) -> bool {
        let is_real = description.world != WorldKind::Simulated;
        !self.settings.detach && !description.adopt && is_real
    }
}

impl StartState {
    fn first(state: GlobalState) -> Self {
        StartState { state, processes: Processes::new(), is_first: true }
    }
}

/// Where the last run left everything, as far as the description has a place for it.
fn start_state(application: &Application, last: Option<&LastRun>) -> Result<StartState, Error> {
    let Some(last) = last else {
        let state = synthesize::completed(application, &GlobalState::empty());
        return Ok(StartState::first(state));
    };
    let standing = last.standing()?.ok_or(Error::OfNets)?;
    let state = carry_over(&standing.state, &last.application, application);
    let state = state.map_err(Error::StateMisfit)?;
    Ok(StartState { state, processes: standing.processes, is_first: false })
}

impl Preparation<'_> {
    /// Where everything is.
    pub fn state(&self) -> &GlobalState {
        &self.start.state
    }

    /// Brings the deployment up: to the goal, by the plan that is given, or by one that is made.
    /// Without both, everything is up in the end. Nets run by their rules, without a goal and
    /// without a plan.
    pub fn bring_up(self, goal: Option<GoalFile>, plan: Option<Plan>) -> Result<Outcome, Error> {
        let application = self.description.application;
        if !application.is_net() && goal.is_none() && plan.is_none() {
            let goal = synthesize::everything_up(application);
            let goal = goal.map_err(|why| Error::NoUpState { node: why.node })?;
            let goal = GoalFile { goal, ..GoalFile::default() };
            return self.bring_up_protocols(Some(goal), None);
        }
        if !application.is_net() {
            return self.bring_up_protocols(goal, plan);
        }
        if goal.is_some() || plan.is_some() {
            return Err(Error::NetWithGoal);
        }
        match self.last.as_ref().filter(|last| !last.is_down()) {
            Some(last) => self.controller.continue_net(&self.description, last),
            None => self.controller.start_net(&self.description),
        }
    }

    fn bring_up_protocols(
        mut self,
        goal: Option<GoalFile>,
        given: Option<Plan>,
    ) -> Result<Outcome, Error> {
        let (controller, description) = (self.controller, self.description);
        let is_given = given.is_some();
        let Planned { plan, arrange, actions } = self.planned(goal.as_ref(), given)?;
        let mut model = machine(description.application, self.state(), goal.clone())?;
        model.arrange(arrange);
        self.tell_drift()?;
        if controller.is_dry_run() {
            let after = self.actions_after_deaths(goal.as_ref(), is_given)?;
            return Ok(Outcome::DryRun(after.unwrap_or(actions)));
        }
        if let Some(adopted) = self.project.as_mut().and_then(|project| project.adopted.take()) {
            controller.operator.notice(&Notice::Adopted(adopted));
        }
        if let Some(question) = self.question(&plan) {
            controller.confirm(question, &actions)?;
        }
        if let Some(project) = self.project.as_mut() {
            project.keep(&controller.deployment, self.last.as_ref())?;
        }
        if self.state().instances.is_empty() {
            // What operations of an earlier life have left would only be found by those that ask
            // before anything was given.
            let _ = fs::remove_dir_all(controller.deployment.folder().join(SHARED));
        }
        if let Some(on_begin) = description.on_begin {
            on_begin();
        }
        let start = RunStart {
            purpose: Purpose::Up,
            application: description.application,
            text: None,
            goal: goal.as_ref(),
            directory: &description.absolute_directory(),
            world: description.world,
            state: self.state(),
            history: None,
            processes: &self.start.processes,
        };
        let stay = controller.stays_up(&description);
        let beginning = Beginning::New { start, plan: Some(plan) };
        Ok(Outcome::Finished(controller.drive(model, beginning, stay)?))
    }

    /// The plan that is followed: the one that is given, if it is good, or one that is made.
    fn planned(&self, goal: Option<&GoalFile>, given: Option<Plan>) -> Result<Planned, Error> {
        let application = self.description.application;
        let from = self.controller.without_faults(application, self.state().clone());
        let mut planner = machine(application, &from, goal.cloned())?;
        planner.arrange(self.project.as_ref().map(|_| compose::arrange as Arrange));
        let mut plan = match given {
            Some(plan) => verified(application, &from, plan, goal)?,
            None => planner.plan(Aim::Goal).map_err(Error::NoPlan)?.unwrap_or_default(),
        };
        let arrange = self.project.as_ref().map(|project| project.order(&mut plan));
        let requests = self.project.as_ref().map(|project| &project.requests);
        let actions = actions::of_project(application, &from, &plan, requests)?;
        Ok(Planned { plan, arrange, actions })
    }

    /// The last run of what is no Compose project: an engine is asked about those.
    fn known(&self) -> Option<&LastRun> {
        self.last.as_ref().filter(|_| self.project.is_none())
    }

    /// Tells what differs from the description.
    fn tell_drift(&self) -> Result<(), Error> {
        let Some(last) = self.known() else { return Ok(()) };
        let notices = drift::notices(self.description.application, last)?;
        for notice in &notices {
            self.controller.operator.notice(notice);
        }
        Ok(())
    }

    /// What would be done about processes that have died; a given plan is followed as it is.
    fn actions_after_deaths(
        &self,
        goal: Option<&GoalFile>,
        is_given: bool,
    ) -> Result<Option<Vec<Action>>, Error> {
        let Some(last) = self.known().filter(|_| !is_given) else { return Ok(None) };
        let application = self.description.application;
        self.controller.actions_after_deaths(application, self.state(), goal, last)
    }

    /// What the operator is asked before the plan is followed.
    fn question(&self, plan: &Plan) -> Option<Question> {
        match (self.start.is_first, actions::removes_instances(plan)) {
            _ if self.description.world == WorldKind::Simulated => None,
            (true, _) => Some(Question::FirstRun),
            (false, true) => Some(Question::Removals),
            (false, false) => None,
        }
    }
}

/// A plan that is about to be followed.
struct Planned {
    plan: Plan,
    /// How later plans are arranged.
    arrange: Option<Arrange>,
    /// What the plan does.
    actions: Vec<Action>,
}

/// The plan of the operator, if it is about this application and this state, valid, and reaches the
/// goal.
fn verified(
    application: &Application,
    start: &GlobalState,
    plan: Plan,
    goal: Option<&GoalFile>,
) -> Result<Plan, Error> {
    let misfits = fit(application, start, &plan);
    if !misfits.is_empty() {
        return Err(Error::PlanMisfit(misfits));
    }
    let stale = |said: &Option<String>, is: String| said.as_ref().is_some_and(|it| *it != is);
    if stale(&plan.application, digest::of_application(application))
        || stale(&plan.start, digest::of_state(application, start))
    {
        return Err(Error::StalePlan);
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
        .map_err(|_| Error::ForeignPlan)?;
    if report.validity != Validity::Valid {
        return Err(Error::InvalidPlan(report.validity));
    }
    match report.goal {
        Some(GoalAnswer::NotMet) => Err(Error::MissesGoal { sometimes: false }),
        Some(GoalAnswer::Sometimes) => Err(Error::MissesGoal { sometimes: true }),
        _ => Ok(plan),
    }
}
