//! Going on with what earlier runs have done, by a description that may have changed since: whoever
//! mends a command need not do everything anew.

use std::collections::BTreeSet;

use windlass::application::assembly::{Assembly, TransitionId};
use windlass::simulate::Scenario;

use super::undo::{Event, Past, Undoing};
use super::{NetMachine, transition};
use crate::entry::Task;
use crate::machine::Machine as _;

impl<'a> NetMachine<'a> {
    /// An assembly that has done what a text of [`NetMachine::done`] says, and goes on from there.
    ///
    /// The same is done once more by the rules, without anybody doing it: an assembly in which it
    /// could not have happened like this is refused.
    pub fn onward(
        assembly: &'a Assembly<'a>,
        scenario: &'a Scenario,
        done: &str,
    ) -> Result<Self, String> {
        let mut past = Past::read(assembly, done)?;
        past.begin_again();
        let mut machine = Self::new(assembly, scenario);
        let mut offered: Vec<Task> = Vec::new();
        for event in past.events(assembly)? {
            match event {
                Event::Began(id) => {
                    offered.extend(machine.settled());
                    machine.start(Task(id.0)).map_err(|_| machine.why_not(id))?;
                }
                Event::Ended(id) => drop(machine.end(Task(id.0))?),
            }
        }
        offered.extend(machine.settled());
        offered.retain(|task| machine.live.can_start(transition(*task)));
        offered.sort_unstable();
        offered.dedup();
        (machine.offered, machine.past) = (offered, past);
        Ok(machine)
    }

    /// What has been done by another command than the assembly has now.
    pub fn outdated(&self) -> Vec<TransitionId> {
        self.past.outdated(self.assembly)
    }

    /// What happens from here when everything goes well, in an order in which it may begin.
    pub fn foreseen(mut self) -> Vec<TransitionId> {
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
    pub fn is_going_back(&self) -> bool {
        self.undoing.as_ref().is_some_and(|undoing| !undoing.is_done())
    }

    /// Whether a way back has ended, and something is left of what was done before.
    pub fn has_gone_back(&self) -> bool {
        self.undoing.as_ref().is_some_and(Undoing::is_done) && !self.past.is_empty()
    }

    /// Why a transition could not have begun now.
    fn why_not(&self, id: TransitionId) -> String {
        let (component, local) = self.assembly.local_transition(id);
        let net = self.assembly.net(component).0;
        let source = self.assembly.dock(component, net.transition(local).source);
        let place = &net.place(net.source_place(local)).name;
        let name = self.assembly.transition_name(id);
        if self.live.marked_docks().any(|dock| dock == source) {
            format!("a port that `{name}` uses was not provided when it began")
        } else {
            format!("nothing had come to `{place}`, where `{name}` begins now")
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
