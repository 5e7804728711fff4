//! From where a deployment stands to another goal: what taking down, scaling and restarting share.

use windlass::application::{Application, Faults, GlobalState};
use windlass::goal::{GoalFile, Want};
use windlass::lifecycle::protocol::Element;
use windlass::plan::Plan;
use windlass::synthesize;

use super::actions::{self, Action};
use super::drive::Beginning;
use super::error::Error;
use super::operator::Question;
use super::run_start::RunStart;
use super::{Controller, LastRun, Outcome, Standing, containers, machine, requirements};
use crate::entry::{Aim, Purpose};
use crate::machine::{Machine, PlanError};

/// Another goal, and how it is reached.
#[derive(Debug, Clone)]
pub(super) struct GoalChange {
    pub(super) goal: GoalFile,
    /// What the run is for.
    pub(super) purpose: Purpose,
    /// Whether processes are looked after when the goal is reached.
    pub(super) stay: bool,
    /// Whether the operator is asked before instances are removed.
    pub(super) asks: bool,
}

impl Controller<'_> {
    /// The last run, which must be over.
    pub(super) fn ended_run(&self) -> Result<LastRun, Error> {
        let mut last = LastRun::read(&self.deployment)?
            .ok_or_else(|| Error::NeverUp { name: self.name.clone() })?;
        if let Some(goal) = &last.goal {
            set_counts(&mut last.application, goal);
        }
        if !last.is_over() {
            let (run, name) = (last.run, self.name.clone());
            return Err(Error::NotEnded { run, name, another_follows: true });
        }
        Ok(last)
    }

    /// Makes a plan to another goal and follows it.
    pub(super) fn change_goal(&self, last: &LastRun, change: GoalChange) -> Result<Outcome, Error> {
        let GoalChange { goal, purpose, stay, asks } = change;
        if purpose == Purpose::Up {
            let secrets = &self.settings.secrets;
            requirements::check(&last.application, secrets, None, last.world)?;
        }
        let mut standing = last.protocols()?;
        // So many are all of a node from here on, also for a look at what runs.
        let mut application = last.application.clone();
        set_counts(&mut application, &goal);
        let application = &application;
        let mut requests = None;
        let project =
            containers::RunningProject::read(&self.deployment, application, &standing.state)?;
        if let Some(project) = project {
            // The Docker engine knows better than the journal, and what was replaced is history.
            if !self.is_dry_run() {
                project.keep(&self.deployment)?;
            }
            (standing.state, standing.processes) = (project.state, project.processes);
            requests = Some(project.requests);
        }
        let arranged = |state: &GlobalState| {
            let mut machine = machine(application, state, Some(goal.clone()))?;
            machine.arrange(containers::arrangement(&self.deployment));
            Ok::<_, Error>(machine)
        };
        let machine = arranged(&standing.state)?;
        let from = self.without_faults(application, standing.state.clone());
        let plan = arranged(&from)?.plan(Aim::Goal).map_err(Error::NoPlan)?;
        if self.is_dry_run() {
            let plan = plan.unwrap_or_default();
            let actions = actions::of_project(application, &from, &plan, requests.as_ref())?;
            return Ok(Outcome::DryRun(actions));
        }
        if let Some(plan) = plan.as_ref().filter(|_| asks) {
            self.ask_before_removals(application, &from, plan)?;
        }
        let start = RunStart {
            purpose,
            application,
            text: None,
            goal: Some(&goal),
            directory: &last.directory,
            world: last.world,
            state: &standing.state,
            history: None,
            processes: &standing.processes,
        };
        let finish = self.drive(machine, Beginning::New { start, plan }, stay)?;
        Ok(Outcome::Finished(finish))
    }

    /// Asks before a plan is followed that takes instances away.
    fn ask_before_removals(
        &self,
        application: &Application,
        start: &GlobalState,
        plan: &Plan,
    ) -> Result<(), Error> {
        if !actions::removes_instances(plan) {
            return Ok(());
        }
        let actions = actions::of_plan(application, start, plan)?;
        self.confirm(Question::Removals, &actions)
    }
}

/// The actions that lead from `from` to `goal`, and where they lead.
pub(super) fn actions_to(
    application: &Application,
    from: &GlobalState,
    goal: &GoalFile,
) -> Result<(Vec<Action>, GlobalState), Error> {
    let machine = machine(application, from, Some(goal.clone()))?;
    let plan = machine.plan(Aim::Goal).map_err(Error::NoPlan)?.unwrap_or_default();
    let actions = actions::of_plan(application, from, &plan)?;
    let end = match application.faults {
        Faults::Replicas => synthesize::end_of(application, from, &plan),
        // There is one instance of each node, and the goal says where each is.
        Faults::Forbidden | Faults::Handled => Some(placed(application, from, goal)),
    };
    Ok((actions, end.unwrap_or_else(|| from.clone())))
}

/// Whether a plan to `goal` exists from where everything is, or why not.
pub(super) fn can_reach(
    last: &LastRun,
    standing: &Standing,
    goal: &GoalFile,
) -> Result<Result<(), PlanError>, Error> {
    let machine = machine(&last.application, &standing.state, Some(goal.clone()))?;
    Ok(machine.plan(Aim::Goal).map(drop))
}

/// Gives nodes as many instances as a goal wants of them: what needs all of a node needs those.
fn set_counts(application: &mut Application, goal: &GoalFile) {
    for (node, count) in goal.goal.counts().into_iter().filter(|(_, count)| *count > 0) {
        application.nodes[node.index()].count = count;
    }
}

/// A state with the instances that a goal names where it wants them.
fn placed(application: &Application, from: &GlobalState, goal: &GoalFile) -> GlobalState {
    let mut state = from.clone();
    for want in &goal.goal.wants {
        let Want::Instance { instance, state: wanted } = want else { continue };
        let Some(found) = state.instances.get_mut(instance) else { continue };
        let protocol = application.protocol_of(found.node);
        if let Some(wanted) = protocol.and_then(|protocol| protocol.state_named(wanted)) {
            found.element = Element::State(wanted);
        }
    }
    state
}
