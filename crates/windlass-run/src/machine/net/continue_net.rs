//! Going on with what earlier runs have done, by a description that may have changed since: after
//! a command was repaired not everything has to be done again.

use std::collections::BTreeSet;

use windlass::application::assembly::{Assembly, TransitionId};
use windlass::simulate::Scenario;

use super::history::{Event, HistoryError, NetHistory, TransitionLog};
use super::undo::Undoing;
use super::{NetMachine, transition};
use crate::entry::Task;
use crate::machine::Machine as _;

impl<'a> NetMachine<'a> {
    /// An assembly that has done what a history says, and goes on from there.
    ///
    /// The same is done once more by the rules, and nothing is executed: an assembly in which it
    /// could not have happened like this is refused.
    pub(crate) fn continue_net(
        assembly: &'a Assembly<'a>,
        scenario: &'a Scenario,
        history: &NetHistory,
    ) -> Result<Self, HistoryError> {
        let mut log = TransitionLog::restore(assembly, history)?;
        log.begin_again();
        let mut machine = Self::new(assembly, scenario);
        let mut offered: Vec<Task> = Vec::new();
        let name = |id| assembly.transition_name(id);
        for event in log.events().map_err(|id| HistoryError::Repeated(name(id)))? {
            match event {
                Event::Began(id) => {
                    offered.extend(machine.settled());
                    machine.start(Task(id.0)).map_err(|_| machine.start_error(id))?;
                }
                Event::Ended(id) => {
                    let ended = machine.end(Task(id.0));
                    ended.map_err(|_| HistoryError::NotRunning(name(id)))?;
                }
            }
        }
        offered.extend(machine.settled());
        offered.retain(|task| machine.live.can_start(transition(*task)));
        offered.sort_unstable();
        offered.dedup();
        (machine.offered, machine.log) = (offered, log);
        Ok(machine)
    }

    /// What has been done by another command than the assembly has now.
    pub(crate) fn outdated(&self) -> Vec<TransitionId> {
        self.log.outdated(self.assembly)
    }

    /// What happens from here when everything goes well, in an order in which it may begin.
    pub(crate) fn remaining(mut self) -> Vec<TransitionId> {
        let (mut all, mut seen) = (Vec::new(), BTreeSet::new());
        loop {
            let mut ready = self.ready();
            if ready.is_empty() {
                return all;
            }
            ready.retain(|task| seen.insert(*task) && self.start(*task).is_ok());
            for task in ready {
                all.push(transition(task));
                // It has just started.
                let _ = self.end(task);
            }
        }
    }

    /// Whether something is left to undo of a way back that began.
    pub(crate) fn is_undoing(&self) -> bool {
        self.undoing.as_ref().is_some_and(|undoing| !undoing.is_done())
    }

    /// Whether a way back has ended, and something is left of what was done before.
    pub(crate) fn has_undone(&self) -> bool {
        self.undoing.as_ref().is_some_and(Undoing::is_done) && !self.log.is_empty()
    }

    /// Why a transition could not have begun now.
    fn start_error(&self, id: TransitionId) -> HistoryError {
        let (component, local) = self.assembly.local_transition(id);
        let net = self.assembly.net(component).0;
        let source = self.assembly.dock(component, net.transition(local).source);
        let transition = self.assembly.transition_name(id);
        if self.live.marked_docks().any(|dock| dock == source) {
            HistoryError::PortNotProvided(transition)
        } else {
            let place = net.place(net.source_place(local)).name.clone();
            HistoryError::PlaceEmpty { transition, place }
        }
    }

    /// All that can begin when every token has gone where it goes by itself.
    fn settled(&mut self) -> Vec<Task> {
        let mut all = Vec::new();
        loop {
            let ready = self.ready();
            if ready.is_empty() {
                return all;
            }
            all.extend(ready);
        }
    }
}
