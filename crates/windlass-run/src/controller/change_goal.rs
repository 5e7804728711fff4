//! From where a deployment stands to another goal: what `down`, `scale` and `restart` share.

use std::path::{Path, PathBuf};

use windlass::application::{Application, Faults, GlobalState};
use windlass::goal::{GoalFile, Want};
use windlass::lang;
use windlass::lifecycle::protocol::Element;
use windlass::synthesize;
use windlass::tree::emit;
use windlass_run::deployment::{Deployment, Lock};
use windlass_run::entry::{Aim, Entry, Purpose};
use windlass_run::machine::{Machine, PlanError};
use windlass_run::supervisor::Dismissed;

use super::past::Standing;
use super::{
    Address, Beginning, Drive, DriveArgs, Past, WhereArgs, actions, containers, drive, needs,
    secrets,
};
use crate::args::Format;
use crate::commands::resume::world_of;
use crate::failure::Failure;
use crate::{exit_code, output};

/// A deployment and how it is driven.
pub(crate) struct Towards<'a> {
    pub(crate) deployment: Deployment,
    pub(crate) name: String,
    pub(crate) address: Address,
    /// Held until this goes: one engine drives a deployment at a time. None if nothing is done.
    lock: Option<Lock>,
    /// The engine in the background that looked after it.
    supervised: Option<Dismissed>,
    manner: Manner<'a>,
}

/// How a deployment is driven.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Manner<'a> {
    pub(crate) drive: &'a DriveArgs,
    pub(crate) format: Format,
    /// Whether the operator is asked before instances are removed; none: never.
    pub(crate) yes: Option<bool>,
    /// Whether the actions are only shown.
    pub(crate) dry_run: bool,
}

impl<'a> Towards<'a> {
    /// The deployment of an application that has been up, for this engine alone.
    pub(crate) fn of(place: &WhereArgs, file: &Path, manner: Manner<'a>) -> Result<Self, Failure> {
        let (deployment, name) = super::existing(place, file)?;
        let address = Address::new(place, file, &name);
        let (lock, supervised) = if manner.dry_run {
            (None, None)
        } else {
            let (lock, gave_way) = super::lock(&deployment, &name)?;
            (Some(lock), gave_way)
        };
        Ok(Towards { deployment, name, address, lock, supervised, manner })
    }

    /// The last run, which must be over.
    pub(crate) fn past(&self) -> Result<Past, Failure> {
        let mut past = Past::read(&self.deployment)?
            .ok_or_else(|| super::never_up(&self.name, &self.address))?;
        if let Some(goal) = &past.goal {
            count(&mut past.application, goal);
        }
        if !past.is_over() {
            let message = format!("run {} of `{}` has not ended", past.run, self.name);
            let resume = self.address.command("resume");
            return Err(Failure::usage(message).help(format!("`{resume} --detach` ends it")));
        }
        Ok(past)
    }

    /// Makes a plan to `goal` and follows it; the exit code.
    pub(crate) fn reach(
        &self,
        past: &Past,
        goal: GoalFile,
        purpose: Purpose,
        stay: bool,
    ) -> Result<u8, Failure> {
        let secrets = secrets(self.manner.drive.secrets.as_deref())?;
        let world = world_of(&past.world)?;
        if purpose == Purpose::Up {
            needs::met(&past.application, &secrets, None, world)?;
        }
        let mut standing = past.protocols()?;
        // So many are all of a node from here on, also for whoever looks at what runs.
        let mut application = past.application.clone();
        count(&mut application, &goal);
        let application = &application;
        let mut requests = None;
        let known = &standing.state;
        if let Some(composed) = containers::Composed::read(&self.deployment, application, known)? {
            // The Docker engine knows better than the journal, and what was replaced is history.
            if !self.manner.dry_run {
                composed.keep(&self.deployment)?;
            }
            (standing.state, standing.processes) = (composed.state, composed.processes);
            requests = Some(composed.requests);
        }
        let start = emit::yaml(&lang::windlass::print_state(application, &standing.state));
        let begun = Entry::Begun {
            purpose,
            application: emit::yaml(&lang::windlass::print(application, Some(&goal))),
            directory: past.directory.clone(),
            world: past.world.clone(),
            start: Some(start),
            processes: standing.processes.clone(),
        };
        let arranged = |state: &GlobalState| {
            let mut machine = super::machine(application, state, Some(goal.clone()))?;
            machine.arrange(containers::arrangement(&self.deployment));
            Ok::<_, Failure>(machine)
        };
        let machine = arranged(&standing.state)?;
        let from = super::without_faults(application, standing.state);
        let plan = arranged(&from)?
            .plan(Aim::Goal)
            .map_err(|why| Failure::usage(why.to_string()).ending(exit_code::FINDINGS))?;
        if self.manner.dry_run {
            let plan = plan.unwrap_or_default();
            let actions = actions::of_project(application, &from, &plan, requests.as_ref())?;
            actions::show(self.manner.format, actions)?;
            return Ok(exit_code::GOOD);
        }
        if let (Some(yes), Some(plan)) = (self.manner.yes, &plan) {
            actions::ask_before_removals(yes, application, &from, plan)?;
        }
        drive(&self.way(past, stay)?, machine, Beginning::New { begun, plan })
    }

    /// The actions that lead from `from` to `goal`, and where they lead.
    pub(crate) fn actions(
        past: &Past,
        from: &GlobalState,
        goal: &GoalFile,
    ) -> Result<(Vec<actions::ActionReport>, GlobalState), Failure> {
        let application = &past.application;
        let machine = super::machine(application, from, Some(goal.clone()))?;
        let plan = machine.plan(Aim::Goal);
        let plan =
            plan.map_err(|why| Failure::usage(why.to_string()).ending(exit_code::FINDINGS))?;
        let plan = plan.unwrap_or_default();
        let actions = actions::of_plan(application, from, &plan)?;
        let end = match application.faults {
            Faults::Replicas => synthesize::end_of(application, from, &plan),
            // There is one instance of each node, and the goal says where each is.
            Faults::Forbidden | Faults::Handled => Some(placed(application, from, goal)),
        };
        Ok((actions, end.unwrap_or_else(|| from.clone())))
    }

    /// How a run after `past` is driven.
    pub(crate) fn way(&self, past: &Past, stay: bool) -> Result<Drive<'_>, Failure> {
        Ok(Drive {
            args: self.manner.drive,
            format: self.manner.format,
            deployment: &self.deployment,
            name: &self.name,
            address: &self.address,
            world: world_of(&past.world)?,
            directory: PathBuf::from(&past.directory),
            secrets: secrets(self.manner.drive.secrets.as_deref())?,
            stay,
        })
    }

    /// Lets go of the deployment as [`Towards::leave`] does; when nothing was done, an engine in
    /// the background that gave way looks after it again.
    pub(crate) fn leave_after(self, ended: Result<u8, Failure>) -> Result<u8, Failure> {
        if let Ok(code) = ended {
            return self.leave(code);
        }
        let Towards { deployment, address, lock, supervised, .. } = self;
        drop(lock);
        super::unless_refused(ended, supervised.as_ref(), (&deployment, &address))
    }

    /// Lets go of the deployment. An engine in the background looks after it again if one did, or
    /// if the operator wants one.
    pub(crate) fn leave(self, code: u8) -> Result<u8, Failure> {
        let Towards { deployment, name, address, lock, supervised, manner } = self;
        let args = manner.drive;
        drop(lock);
        if supervised.is_none() || args.supervise {
            return super::leave_supervisor(args, &deployment, &name, code);
        }
        if code == exit_code::GOOD && args.detach {
            super::supervise(args, &deployment, &name)?;
            output::notice("an engine in the background looks after it again");
        } else {
            output::notice(&super::alone(&address));
        }
        Ok(code)
    }

    /// Whether a plan to `goal` exists from where everything is, or why not.
    pub(crate) fn can_reach(
        past: &Past,
        standing: &Standing,
        goal: &GoalFile,
    ) -> Result<Result<(), PlanError>, Failure> {
        let machine = super::machine(&past.application, &standing.state, Some(goal.clone()))?;
        Ok(machine.plan(Aim::Goal).map(drop))
    }
}

/// Gives nodes as many instances as a goal wants of them: whoever needs all of a node needs those.
fn count(application: &mut Application, goal: &GoalFile) {
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
