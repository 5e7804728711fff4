//! Going on with an assembly of nets that has been brought up before, or half-way: what has been
//! done is not done again, and what is left is done as the description says now.

use windlass::application::assembly::Assembly;
use windlass::lang::windlass::digest;
use windlass::simulate::Scenario;

use super::actions;
use super::bring_up::Description;
use super::drive::Beginning;
use super::error::Error;
use super::operator::{Notice, Question};
use super::start_net::{refuse_without_compensation, runnable};
use super::{Controller, LastRun, Outcome};
use crate::dispatcher::OnFailure;
use crate::entry::Purpose;
use crate::machine::net::NetMachine;

impl Controller<'_> {
    /// Brings up what is left of an assembly.
    pub(super) fn continue_net(
        &self,
        description: &Description<'_>,
        last: &LastRun,
    ) -> Result<Outcome, Error> {
        let before = Assembly::new(&last.application)?;
        let scenario = Scenario::default();
        let now = last.net_now(&before, &scenario)?;
        if last.purpose == Purpose::Down || now.is_undoing() {
            // What was to be undone may be half undone.
            return Err(Error::HalfWayBack { run: last.run, name: self.name.clone() });
        }
        let done = now.history();
        let has_changed = digest::of_application(description.application)
            != digest::of_application(&last.application);
        let assembly = runnable(description.application)?;
        let continued = || NetMachine::continue_net(&assembly, &scenario, &done);
        let misfit = |why| Error::NetMisfit { name: self.name.clone(), why };
        let machine = continued().map_err(misfit)?;
        self.tell_outdated(&assembly, &machine);
        if last.is_reached() && !has_changed {
            return Ok(Outcome::NothingToDo);
        }
        let rolls_back = self.settings.options.on_failure == OnFailure::RollBack;
        let asks = self.asks(description.world);
        // An operator who agrees to everything needs no list.
        if self.is_dry_run() || rolls_back || asks {
            let left = continued().map(NetMachine::remaining).unwrap_or_default();
            if rolls_back {
                refuse_without_compensation(&assembly, &left)?;
            }
            let left = actions::of_transitions(&assembly, &left);
            if self.is_dry_run() {
                return Ok(Outcome::DryRun(left));
            }
            if asks && has_changed && !left.is_empty() {
                self.confirm(Question::FirstRun, &left)?;
            }
        }
        let directory = description.absolute_directory();
        let start = description.net_start(&directory, Some(&done));
        let stay = self.stays_up(description);
        let finish = self.drive(machine, Beginning::New { start, plan: None }, stay)?;
        Ok(Outcome::Finished(finish))
    }

    /// Tells what has been done by another command than the description says now.
    fn tell_outdated(&self, assembly: &Assembly<'_>, machine: &NetMachine<'_>) {
        let outdated = machine.outdated().into_iter();
        let outdated: Vec<String> = outdated.map(|id| assembly.transition_name(id)).collect();
        if !outdated.is_empty() {
            self.operator.notice(&Notice::OutdatedTransitions(outdated));
        }
    }
}
