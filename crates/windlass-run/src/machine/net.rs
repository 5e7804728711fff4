//! An assembly of nets under way (paper 002).

use std::collections::{BTreeMap, BTreeSet};

use windlass::application::assembly::{Assembly, TransitionId};
use windlass::lifecycle::implementation::{Effect, Process};
use windlass::lifecycle::timing::Timing;
use windlass::semantics::Semantics;
use windlass::semantics::net::{Action, Blocked, Madeus};
use windlass::simulate::{Live, Scenario, Waiting};

use super::{Holders, Machine, Note, Untidy, Work};
use crate::entry::{Aim, Task};

/// An assembly under way. A task is a transition.
pub struct NetMachine<'a> {
    assembly: &'a Assembly<'a>,
    live: Live<'a, 'a>,
    given_up: BTreeSet<Task>,
}

impl<'a> NetMachine<'a> {
    /// Tokens on the initial places.
    pub fn new(assembly: &'a Assembly<'a>, scenario: &'a Scenario) -> Self {
        Self { assembly, live: Live::new(assembly, scenario), given_up: BTreeSet::new() }
    }

    /// Every rule applied so far, when the scenario asks for a trace.
    pub fn trace(&self) -> impl Iterator<Item = Action> {
        self.live.trace()
    }

    /// Where the tokens are: component and place.
    pub fn places(&self) -> Vec<(String, String)> {
        let name = |place| {
            let (component, local) = self.assembly.local_place(place);
            let place = &self.assembly.net(component).0.place(local).name;
            (self.assembly.component_name(component), place.clone())
        };
        self.live.marked_places().map(name).collect()
    }
}

fn transition(task: Task) -> TransitionId {
    TransitionId(task.0)
}

impl Machine for NetMachine<'_> {
    fn ready(&mut self) -> Vec<Task> {
        self.live.settle().into_iter().map(|id| Task(id.0)).collect()
    }

    fn exclusive(&self, _: Task) -> Option<String> {
        None
    }

    fn start(&mut self, task: Task) -> Result<Vec<Note>, String> {
        if self.live.start(transition(task)) {
            return Ok(Vec::new());
        }
        Err(format!("`{}` cannot start", self.assembly.transition_name(transition(task))))
    }

    fn end(&mut self, task: Task) -> Result<Vec<Note>, String> {
        if self.live.end(transition(task)) {
            return Ok(Vec::new());
        }
        Err(format!("`{}` does not run", self.assembly.transition_name(transition(task))))
    }

    fn give_up(&mut self, task: Task) -> Vec<Note> {
        self.given_up.insert(task);
        self.live.give_up(transition(task));
        Vec::new()
    }

    fn take_up(&mut self, task: Task) {
        self.given_up.remove(&task);
        self.live.take_up(transition(task));
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
        Work {
            label: self.assembly.transition_name(id),
            instance: self.assembly.component_name(component),
            node: application.node(node).name.clone(),
            operation: None,
            run: action.run.clone(),
            leaves: None,
            enters: None,
            effect: action.effect.clone().unwrap_or(Effect::AtMostOnce),
            timeout: action.timeout,
            retry: action.retry,
            host: host.cloned(),
            lock: action.lock.clone(),
            expected: action.duration.as_ref().map(Timing::mean),
        }
    }

    fn untidy(&self, _: &Holders) -> Vec<Untidy> {
        Vec::new()
    }

    fn process_of(&self, _: &str) -> Option<(String, Process)> {
        None
    }

    fn is_done(&self) -> bool {
        self.given_up.is_empty() && self.live.waiting().is_empty()
    }

    fn stuck(&self) -> Vec<String> {
        let madeus = Madeus { assembly: self.assembly, failures: true };
        let mut words: Vec<String> = Vec::new();
        for waiting in self.live.waiting() {
            words.push(match waiting {
                Waiting::Port(id, port) => format!(
                    "`{}` waits: {}",
                    self.assembly.transition_name(id),
                    madeus.explain(&Blocked::PortNotReady { port })
                ),
                Waiting::Circle(id) => {
                    format!("`{}` begins again", self.assembly.transition_name(id))
                }
                Waiting::Failed(id) => {
                    format!("`{}` failed", self.assembly.transition_name(id))
                }
                Waiting::Place(place) => {
                    format!("a token cannot pass `{}`", self.assembly.place_name(place))
                }
            });
        }
        words
    }

    fn plan(&self, _: Aim) -> Result<Option<String>, String> {
        Ok(None)
    }

    fn follow(&mut self, _: &str, _: Aim) -> Result<(), String> {
        Err("an assembly of nets follows no plan".to_owned())
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
