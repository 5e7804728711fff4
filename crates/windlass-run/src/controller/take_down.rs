//! Taking a deployment down: to where nothing of it exists.

use windlass::application::{Application, Faults, NodeId};
use windlass::goal::{Goal, GoalFile, Want};
use windlass::synthesize::down;

use super::change_goal::GoalChange;
use super::error::Error;
use super::{Controller, Outcome, WorldKind, containers};
use crate::dispatcher::Finish;
use crate::entry::Purpose;

/// What goes with a deployment.
#[derive(Default)]
pub struct TakeDown<'a> {
    /// Of a Compose project: its volumes, with what is in them.
    pub volumes: bool,
    /// Of a Compose project: containers too whose service is in its file no more.
    pub remove_orphans: bool,
    /// The description of nets as it is now, in case a way back fails or is missing: a command with
    /// a mistake can be corrected, and one that was missing be added.
    pub corrected: Option<&'a dyn Fn() -> Option<Application>>,
}

impl Controller<'_> {
    /// Takes the deployment down.
    pub fn take_down(&self, request: &TakeDown<'_>) -> Result<Outcome, Error> {
        let last = self.ended_run()?;
        let application = &last.application;
        if application.is_net() {
            return self.stop_net(&last, request);
        }
        let known = last.protocols()?.state;
        let mut project = containers::RunningProject::read(&self.deployment, application, &known)?;
        if let Some(project) = &mut project {
            if let Some(question) = project.question(request.volumes) {
                self.confirm(question, &[])?;
            }
            project.settle_orphans(self.operator, request.remove_orphans, request.volumes)?;
        }
        let leaves = |id: &NodeId| {
            let name = &application.node(*id).name;
            project.as_ref().is_none_or(|project| project.leaves(name, request.volumes))
        };
        let wants = match application.faults {
            Faults::Replicas => application.node_ids().filter(leaves).map(Want::NodeGone).collect(),
            // There is one instance of each node for good.
            Faults::Forbidden | Faults::Handled => down::everything_down(application).wants,
        };
        if let Some(project) = &project {
            project.keep_removal_requests(&self.deployment, request.volumes)?;
        }
        let goal = GoalFile { goal: Goal { wants }, ..GoalFile::default() };
        let (purpose, stay, asks) = (Purpose::Down, false, false);
        let outcome = self.change_goal(&last, GoalChange { goal, purpose, stay, asks })?;
        let is_reached = matches!(outcome, Outcome::Finished(Finish::Reached));
        if is_reached && project.is_none() && last.world == WorldKind::Docker {
            containers::remove_leftovers(&self.name, self.operator)?;
        }
        Ok(outcome)
    }
}
