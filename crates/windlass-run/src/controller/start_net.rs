//! Bringing assemblies of nets up. A large one is looked at for as long as it takes to make a
//! journal for it, so that both are done at once.

use std::thread::{self, ScopedJoinHandle};

use windlass::application::Application;
use windlass::application::assembly::{Assembly, TransitionId};
use windlass::simulate::{self, Scenario, Waiting};

use super::actions;
use super::bring_up::Description;
use super::drive::{Beginning, open_journal};
use super::error::Error;
use super::journal_error::Stage;
use super::operator::Question;
use super::{Controller, Outcome, WorldKind};
use crate::dispatcher::OnFailure;
use crate::journal::JournalError;
use crate::journal::sqlite::Sqlite;
use crate::machine::net::NetMachine;

/// The journal that another thread opens.
type Opening<'s> = ScopedJoinHandle<'s, Result<Sqlite, JournalError>>;

impl Controller<'_> {
    /// Brings an assembly of nets up in which nothing has been done.
    pub(super) fn start_net(&self, description: &Description<'_>) -> Result<Outcome, Error> {
        // Whoever has to be asked may say no, and then there is no journal.
        let is_certain = !self.is_dry_run() && !self.asks(description.world);
        let (deployment, secrets) = (&self.deployment, &self.settings.secrets);
        thread::scope(|scope| {
            let journal = is_certain.then(|| scope.spawn(|| open_journal(deployment, secrets)));
            self.start_net_in(journal, description)
        })
    }

    fn start_net_in(
        &self,
        journal: Option<Opening<'_>>,
        description: &Description<'_>,
    ) -> Result<Outcome, Error> {
        let assembly = match runnable(description.application) {
            Ok(assembly) => assembly,
            Err(why) => {
                // Nothing is left of what is refused.
                let opened = journal.and_then(|opening| opening.join().ok()).and_then(Result::ok);
                opened.into_iter().for_each(Sqlite::remove_unused);
                return Err(why);
            }
        };
        let scenario = Scenario::default();
        let remaining = || NetMachine::new(&assembly, &scenario).remaining();
        if self.settings.options.on_failure == OnFailure::RollBack {
            refuse_without_compensation(&assembly, &remaining())?;
        }
        if self.is_dry_run() {
            return Ok(Outcome::DryRun(actions::of_transitions(&assembly, &remaining())));
        }
        if self.asks(description.world) {
            let actions = actions::of_transitions(&assembly, &remaining());
            self.confirm(Question::FirstRun, &actions)?;
        }
        let machine = NetMachine::new(&assembly, &scenario);
        let journal = match journal.map(ScopedJoinHandle::join) {
            Some(opened) => opened.unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            None => open_journal(&self.deployment, &self.settings.secrets),
        };
        let journal = journal.map_err(|why| self.unwritten(Stage::New, &why))?;
        let directory = description.absolute_directory();
        let start = description.net_start(&directory, None);
        let stay = self.stays_up(description);
        let beginning = Beginning::New { start, plan: None };
        Ok(Outcome::Finished(self.drive_in(journal, machine, beginning, stay)?))
    }

    /// Whether the operator is asked before commands run for the first time.
    pub(super) fn asks(&self, world: WorldKind) -> bool {
        world != WorldKind::Simulated && !self.operator.agrees()
    }
}

/// The assembly, if all of it can be brought up.
pub(super) fn runnable(application: &Application) -> Result<Assembly<'_>, Error> {
    let assembly = Assembly::new(application)?;
    refuse_deadlock(&assembly)?;
    Ok(assembly)
}

/// What cannot be undone is not begun when a failure is to be undone.
pub(super) fn refuse_without_compensation(
    assembly: &Assembly<'_>,
    coming: &[TransitionId],
) -> Result<(), Error> {
    let is_final = |id: &&TransitionId| {
        let action = &assembly.net_transition(**id).action;
        action.run.is_some() && action.compensate.is_none()
    };
    let all = coming.iter().filter(is_final);
    let all: Vec<String> = all.map(|id| assembly.transition_name(*id)).collect();
    if all.is_empty() { Ok(()) } else { Err(Error::NothingUndoes(all)) }
}

/// An assembly whose run gets stuck is not begun: the run that the engine would make is made in
/// virtual time first, which is linear in the number of transitions.
pub(super) fn refuse_deadlock(assembly: &Assembly<'_>) -> Result<(), Error> {
    let schedule = simulate::simulate(assembly, &Scenario::default());
    // A time-out that is shorter than the expected duration is no deadlock.
    let late = schedule.waiting.iter().any(|waiting| matches!(waiting, Waiting::Failed(_)));
    if schedule.is_finished() || late {
        return Ok(());
    }
    Err(Error::Stuck(schedule.waiting.iter().map(|why| why.told(assembly)).collect()))
}
