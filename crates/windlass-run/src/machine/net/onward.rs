//! Going on with what earlier runs have done, by a description that may have changed since: whoever
//! mends a command need not do everything anew.

use windlass::application::assembly::{Assembly, TransitionId};
use windlass::simulate::Scenario;

use super::undo::{Event, Past};
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
        let past = Past::read(assembly, done)?;
        let mut machine = Self::new(assembly, scenario);
        let mut offered: Vec<Task> = Vec::new();
        for event in past.events(assembly)? {
            match event {
                Event::Began(id) => {
                    offered.extend(machine.settled());
                    machine.start(Task(id.0))?;
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

    /// Whether a transition has been done.
    pub fn has_done(&self, id: TransitionId) -> bool {
        self.past.has_done(id)
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
