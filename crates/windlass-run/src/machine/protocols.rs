//! The machine of an application of protocols, whichever of the two relations it declares.

use std::collections::BTreeMap;
use std::sync::Arc;

use windlass::application::{Application, Faults, GlobalState};
use windlass::goal::GoalFile;
use windlass::lifecycle::implementation::Process;
use windlass::plan::Plan;
use windlass::synthesize::graceful_removal::Arrange;
use windlass::system::Budget;

use super::plan::PlanMachine;
use super::single::SingleMachine;
use super::{
    FollowError, Machine, Note, Obstacle, PlanError, ProcessMismatch, Refusal, RunningProcesses,
    Work,
};
use crate::entry::{Aim, Task};

/// A plan of protocols under way.
pub enum ProtocolMachine<'a> {
    /// `faults: replicas` (paper 004).
    Replicas(Box<PlanMachine<'a>>),
    /// `faults: forbidden` and `faults: handled` (paper 003).
    Single(Box<SingleMachine<'a>>),
}

impl<'a> ProtocolMachine<'a> {
    /// Nothing to do yet, in `start`; none if a type is a net.
    pub fn new(
        application: &'a Application,
        start: GlobalState,
        goal: Option<GoalFile>,
        budget: fn() -> Box<dyn Budget>,
    ) -> Option<Self> {
        if application.faults == Faults::Replicas {
            let machine = PlanMachine::new(application, start, goal, budget)?;
            return Some(ProtocolMachine::Replicas(Box::new(machine)));
        }
        let machine = SingleMachine::new(application, &start, goal, budget)?;
        Some(ProtocolMachine::Single(Box::new(machine)))
    }

    /// Where everything is.
    pub(crate) fn state(&self) -> &GlobalState {
        match self {
            ProtocolMachine::Replicas(machine) => machine.state(),
            ProtocolMachine::Single(machine) => machine.state(),
        }
    }

    /// Adds to the order of every plan that is made; instances that are all there need no order.
    pub(crate) fn arrange(&mut self, arrange: Option<Arrange>) {
        if let ProtocolMachine::Replicas(machine) = self {
            machine.arrange = arrange;
        }
    }

    fn inner(&self) -> &dyn Machine {
        match self {
            ProtocolMachine::Replicas(machine) => &**machine,
            ProtocolMachine::Single(machine) => &**machine,
        }
    }

    fn inner_mut(&mut self) -> &mut (dyn Machine + 'a) {
        match self {
            ProtocolMachine::Replicas(machine) => &mut **machine,
            ProtocolMachine::Single(machine) => &mut **machine,
        }
    }
}

impl Machine for ProtocolMachine<'_> {
    fn ready(&mut self) -> Vec<Task> {
        self.inner_mut().ready()
    }

    fn knows(&self, task: Task) -> bool {
        self.inner().knows(task)
    }

    fn exclusive(&self, task: Task) -> Option<String> {
        self.inner().exclusive(task)
    }

    fn start(&mut self, task: Task) -> Result<Vec<Note>, Refusal> {
        self.inner_mut().start(task)
    }

    fn end(&mut self, task: Task) -> Result<Vec<Note>, Refusal> {
        self.inner_mut().end(task)
    }

    fn give_up(&mut self, task: Task) -> Vec<Note> {
        self.inner_mut().give_up(task)
    }

    fn retry_abandoned(&mut self, task: Task) {
        self.inner_mut().retry_abandoned(task);
    }

    fn observe(&mut self, instance: &str) -> Vec<Note> {
        self.inner_mut().observe(instance)
    }

    fn work(&self, task: Task) -> Work {
        self.inner().work(task)
    }

    fn process_mismatches(&self, running: &RunningProcesses) -> Vec<ProcessMismatch> {
        self.inner().process_mismatches(running)
    }

    fn process_of(&self, instance: &str) -> Option<(String, Process)> {
        self.inner().process_of(instance)
    }

    fn is_done(&self) -> bool {
        self.inner().is_done()
    }

    fn obstacles(&self) -> Vec<Obstacle> {
        self.inner().obstacles()
    }

    fn plan(&self, aim: Aim) -> Result<Option<Plan>, PlanError> {
        self.inner().plan(aim)
    }

    fn follow(&mut self, plan: Arc<Plan>, aim: Aim) -> Result<(), FollowError> {
        self.inner_mut().follow(plan, aim)
    }

    fn host_of(&self, node: &str) -> Option<String> {
        self.inner().host_of(node)
    }

    fn address(&self, host: &str) -> Option<String> {
        self.inner().address(host)
    }

    fn host(&self, task: Task) -> Option<String> {
        self.inner().host(task)
    }

    fn hosts(&self) -> BTreeMap<String, u32> {
        self.inner().hosts()
    }

    fn locks(&self) -> BTreeMap<String, u32> {
        self.inner().locks()
    }
}
