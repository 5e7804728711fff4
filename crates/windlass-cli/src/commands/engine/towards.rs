//! From where a deployment stands to another goal: what `down`, `scale` and `restart` share.

use std::path::{Path, PathBuf};

use windlass::application::GlobalState;
use windlass::goal::GoalFile;
use windlass::lang;
use windlass::tree::emit;
use windlass_run::deployment::{Deployment, Lock};
use windlass_run::entry::{Aim, Entry, Purpose};
use windlass_run::machine::Machine;

use super::past::Standing;
use super::{Beginning, Drive, DriveArgs, Past, WhereArgs, actions, containers, drive, secrets};
use crate::args::Format;
use crate::commands::resume::world_of;
use crate::exit_code;
use crate::failure::Failure;

/// A deployment and how it is driven.
pub(crate) struct Towards<'a> {
    pub(crate) deployment: Deployment,
    pub(crate) name: String,
    /// Held until this goes: one engine drives a deployment at a time.
    _lock: Lock,
    drive: &'a DriveArgs,
    format: Format,
    /// Whether the operator is asked before instances are removed; none: never.
    yes: Option<bool>,
}

impl<'a> Towards<'a> {
    /// The deployment of an application that has been up, for this engine alone.
    pub(crate) fn of(
        place: &WhereArgs,
        file: &Path,
        drive: &'a DriveArgs,
        format: Format,
        yes: Option<bool>,
    ) -> Result<Self, Failure> {
        let (deployment, name) = super::existing(place, file)?;
        let lock = super::lock(&deployment, &name)?;
        Ok(Towards { deployment, name, _lock: lock, drive, format, yes })
    }

    /// The last run, which must be over.
    pub(crate) fn past(&self) -> Result<Past, Failure> {
        let past = Past::read(&self.deployment)?
            .ok_or_else(|| Failure::usage(format!("`{}` has never been up", self.name)))?;
        if !past.is_over() {
            let message = format!("run {} of `{}` has not ended", past.run, self.name);
            return Err(Failure::usage(message).help("`windlass resume --detach` ends it"));
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
        let mut standing = past.protocols()?;
        let application = &past.application;
        if let Some(composed) = containers::Composed::read(&self.deployment, application)? {
            // The Docker engine knows better than the journal, and what was replaced is history.
            composed.keep(&self.deployment)?;
            (standing.state, standing.processes) = (composed.state, composed.processes);
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
            .map_err(|why| Failure::usage(why).ending(exit_code::FINDINGS))?;
        if let (Some(yes), Some(plan)) = (self.yes, &plan) {
            actions::ask_before_removals(yes, application, &from, plan)?;
        }
        drive(&self.way(past, stay)?, machine, Beginning::New { begun, plan })
    }

    /// How a run after `past` is driven.
    pub(crate) fn way(&self, past: &Past, stay: bool) -> Result<Drive<'_>, Failure> {
        Ok(Drive {
            args: self.drive,
            format: self.format,
            deployment: &self.deployment,
            name: &self.name,
            world: world_of(&past.world)?,
            directory: PathBuf::from(&past.directory),
            secrets: secrets(self.drive.secrets.as_deref())?,
            stay,
        })
    }

    /// Lets go of the deployment, and leaves an engine in the background if the operator wants one.
    pub(crate) fn leave(self, code: u8) -> Result<u8, Failure> {
        let Towards { deployment, name, _lock: lock, drive, .. } = self;
        drop(lock);
        super::leave_supervisor(drive, &deployment, &name, code)
    }

    /// Whether a plan to `goal` exists from where everything is, or why not.
    pub(crate) fn can_reach(
        past: &Past,
        standing: &Standing,
        goal: &GoalFile,
    ) -> Result<Result<(), String>, Failure> {
        let machine = super::machine(&past.application, &standing.state, Some(goal.clone()))?;
        Ok(machine.plan(Aim::Goal).map(drop))
    }
}
