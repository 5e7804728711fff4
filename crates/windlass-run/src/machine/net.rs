//! An assembly of nets under way (paper 002), or on its way back.

mod continue_net;
mod history;
mod places;
mod tokens;
mod undo;

pub(crate) use history::{HistoryError, NetHistory};
pub(crate) use places::InBetween;
pub use tokens::Token;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use windlass::application::assembly::{Assembly, TransitionId};
use windlass::lifecycle::implementation::{Effect, Process};
use windlass::lifecycle::timing::Timing;
use windlass::plan::Plan;
use windlass::semantics::Semantics;
use windlass::semantics::net::{Blocked, Madeus};
use windlass::simulate::{Live, Scenario, Waiting};

use super::{
    FollowError, Machine, Note, Obstacle, PlanError, ProcessMismatch, Refusal, RunningProcesses,
    Work,
};
use crate::entry::{Aim, Task};
use history::TransitionLog;
use undo::Undoing;

/// An assembly under way. A task is a transition.
pub struct NetMachine<'a> {
    assembly: &'a Assembly<'a>,
    /// The host of each node that has one, by name: it is asked for with every order.
    hosts: BTreeMap<&'a str, &'a str>,
    live: Live<'a, 'a>,
    abandoned: BTreeSet<Task>,
    log: TransitionLog,
    /// What could begin when this run did, after what earlier ones have done.
    offered: Vec<Task>,
    /// From here on a task is to undo a transition.
    undoing: Option<Undoing>,
}

impl<'a> NetMachine<'a> {
    /// Tokens on the initial places.
    pub fn new(assembly: &'a Assembly<'a>, scenario: &'a Scenario) -> Self {
        let live = Live::new(assembly, scenario);
        let (abandoned, log, offered) = (BTreeSet::new(), TransitionLog::default(), Vec::new());
        let application = assembly.application();
        let hosts = application.deployment.host.iter();
        let hosts = hosts.map(|(node, host)| (&*application.node(*node).name, host.as_str()));
        Self { assembly, hosts: hosts.collect(), live, abandoned, log, offered, undoing: None }
    }

    /// An assembly that has done what a history says; it can only go back.
    pub(crate) fn undo_net(
        assembly: &'a Assembly<'a>,
        scenario: &'a Scenario,
        history: &NetHistory,
    ) -> Result<Self, HistoryError> {
        let log = TransitionLog::restore(assembly, history)?;
        let undoing = Some(Undoing::default());
        Ok(Self { log, undoing, ..Self::new(assembly, scenario) })
    }

    /// What has been done, for another run.
    pub(crate) fn history(&self) -> NetHistory {
        self.log.history(self.assembly)
    }

    /// Lets tokens go where they go by themselves. An engine does so when it asks what is next; who
    /// only looks at a run that was read from a journal has not asked.
    pub(crate) fn settle(&mut self) {
        while !self.live.settle().is_empty() {}
    }
}

fn transition(task: Task) -> TransitionId {
    TransitionId(task.0)
}

impl Machine for NetMachine<'_> {
    fn ready(&mut self) -> Vec<Task> {
        if let Some(undoing) = &mut self.undoing {
            return undoing.ready();
        }
        let offered = std::mem::take(&mut self.offered).into_iter();
        offered.chain(self.live.settle().into_iter().map(|id| Task(id.0))).collect()
    }

    fn knows(&self, task: Task) -> bool {
        (task.0 as usize) < self.assembly.transition_ids().size_hint().0
    }

    fn exclusive(&self, _: Task) -> Option<String> {
        None
    }

    fn start(&mut self, task: Task) -> Result<Vec<Note>, Refusal> {
        if let Some(undoing) = &mut self.undoing {
            return undoing.start(transition(task)).map(|()| Vec::new());
        }
        if self.live.start(transition(task)) {
            self.log.began(transition(task));
            return Ok(Vec::new());
        }
        Err(Refusal::TransitionBlocked(self.assembly.transition_name(transition(task))))
    }

    fn end(&mut self, task: Task) -> Result<Vec<Note>, Refusal> {
        if let Some(undoing) = &mut self.undoing {
            undoing.end(transition(task))?;
            self.log.undone(self.assembly, transition(task));
            return Ok(Vec::new());
        }
        if self.live.end(transition(task)) {
            self.log.ended(transition(task));
            return Ok(Vec::new());
        }
        Err(Refusal::TransitionIdle(self.assembly.transition_name(transition(task))))
    }

    fn give_up(&mut self, task: Task) -> Vec<Note> {
        if let Some(undoing) = &mut self.undoing {
            undoing.give_up(transition(task));
            return Vec::new();
        }
        self.abandoned.insert(task);
        self.live.give_up(transition(task));
        Vec::new()
    }

    fn retry_abandoned(&mut self, task: Task) {
        if let Some(undoing) = &mut self.undoing {
            undoing.retry_abandoned(transition(task));
            return;
        }
        self.abandoned.remove(&task);
        self.live.retry_abandoned(transition(task));
    }

    fn observe(&mut self, _: &str) -> Vec<Note> {
        Vec::new()
    }

    fn work(&self, task: Task) -> Work {
        let id = transition(task);
        let (component, _) = self.assembly.local_transition(id);
        let action = &self.assembly.net_transition(id).action;
        let node = self.assembly.component(component).node;
        let application = self.assembly.application();
        let host = action.host.as_ref().or_else(|| application.deployment.host.get(&node));
        let name = self.assembly.transition_name(id);
        let (label, run, effect, expected) = if self.undoing.is_some() {
            let effect = undo::effect(action.effect.as_ref());
            (format!("undo {name}"), &action.compensate, effect, None)
        } else {
            let effect = action.effect.clone().unwrap_or(Effect::AtMostOnce);
            (name, &action.run, effect, action.duration.as_ref().map(Timing::mean))
        };
        Work {
            label,
            instance: self.assembly.component_name(component),
            node: application.node(node).name.clone(),
            operation: None,
            run: run.clone(),
            stop: None,
            spawn: None,
            removes: false,
            effect,
            timeout: action.timeout,
            retry: action.retry,
            host: host.cloned(),
            lock: action.lock.clone(),
            expected,
        }
    }

    fn process_mismatches(&self, _: &RunningProcesses) -> Vec<ProcessMismatch> {
        Vec::new()
    }

    fn process_of(&self, _: &str) -> Option<(String, Process)> {
        None
    }

    fn is_done(&self) -> bool {
        if let Some(undoing) = &self.undoing {
            return undoing.is_done();
        }
        self.abandoned.is_empty() && self.live.waiting().is_empty()
    }

    fn obstacles(&self) -> Vec<Obstacle> {
        if let Some(undoing) = &self.undoing {
            return undoing.obstacles(self.assembly);
        }
        let madeus = Madeus { assembly: self.assembly, failures: true };
        let action = |id| self.assembly.transition_name(id);
        let obstacle = |waiting| match waiting {
            Waiting::Port(id, port) => {
                let why = madeus.explain(&Blocked::PortNotReady { port });
                Obstacle::Port { action: action(id), why }
            }
            Waiting::Cycle(id) => Obstacle::Cycle { action: action(id) },
            Waiting::Failed(id) => Obstacle::Failed { action: action(id) },
            Waiting::Place(place) => Obstacle::Place { place: self.assembly.place_name(place) },
        };
        self.live.waiting().into_iter().map(obstacle).collect()
    }

    /// Forward the rules alone decide; back there is what `compensate` says.
    fn plan(&self, aim: Aim) -> Result<Option<Plan>, PlanError> {
        match (aim, &self.undoing) {
            (Aim::Goal, None) => Ok(None),
            _ => self.log.undo_plan(self.assembly).map(Some),
        }
    }

    fn follow(&mut self, plan: Arc<Plan>, _: Aim) -> Result<(), FollowError> {
        self.undoing = Some(self.log.undoing(self.assembly, &plan)?);
        Ok(())
    }

    fn host_of(&self, node: &str) -> Option<String> {
        self.hosts.get(node).map(|host| (*host).to_owned())
    }

    fn address(&self, host: &str) -> Option<String> {
        self.assembly.application().deployment.addresses.get(host).cloned()
    }

    fn hosts(&self) -> BTreeMap<String, u32> {
        self.assembly.application().deployment.hosts.clone()
    }

    fn locks(&self) -> BTreeMap<String, u32> {
        let locks = &self.assembly.application().deployment.locks;
        let mut all: BTreeMap<String, u32> = BTreeMap::new();
        // A lock that only transitions name is held by one at a time.
        for id in self.assembly.transition_ids() {
            if let Some(lock) = &self.assembly.net_transition(id).action.lock {
                all.entry(lock.clone()).or_insert(1);
            }
        }
        all.extend(locks.clone());
        all
    }
}
