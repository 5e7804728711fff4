//! The checker of journals in which every node is one instance (paper 003): it asks the rules of
//! the library and knows nothing of the machine.
//!
//! An operation is one step, taken when it ends. From its start to its end the rules allow it,
//! unless a process has died meanwhile.

use std::collections::{BTreeMap, BTreeSet};

use windlass::application::{Application, GlobalState, Instance, InstanceId, NodeId};
use windlass::goal::GoalFile;
use windlass::goal::evaluate::Closure;
use windlass::lang::documents;
use windlass::lifecycle::protocol::Element;
use windlass::plan::Plan;
use windlass::semantics::protocol::{Action, ServiceTemplate, States, is_consistent};
use windlass::source::Sources;
use windlass::system::System;
use windlass_run::entry::{End, Entry, Task};
use windlass_run::world::simulated::Simulated;

use super::checker::{action, commands, declared, fitting, stories};

struct Follower<'a> {
    template: ServiceTemplate<'a>,
    application: &'a Application,
    states: States,
    plan: Plan,
    /// What runs, by node.
    open: BTreeMap<NodeId, (Task, Action)>,
    /// Whether a process died since the plan was made.
    disturbed: bool,
}

impl Follower<'_> {
    fn planned(&self, task: Task) -> Result<(NodeId, Action), String> {
        let planned = action(&self.plan, task);
        let found = Action::planned(self.application, &GlobalState::empty(), &planned);
        match found {
            Some(action @ Action::Perform { node, .. }) => Ok((node, action)),
            _ => Err(format!("{planned:?} is no operation")),
        }
    }

    fn start(&mut self, task: Task) -> Result<(), String> {
        let (node, action) = self.planned(task)?;
        let allowed = self.template.step(&self.states, &action);
        allowed.map_err(|why| format!("{action:?} is no step: {why:?}"))?;
        self.open.insert(node, (task, action));
        Ok(())
    }

    fn end(&mut self, task: Task) -> Result<(), String> {
        let (node, action) = self.planned(task)?;
        // An operation whose instance died meanwhile ends in vain.
        if self.open.get(&node).is_none_or(|(other, _)| *other != task) {
            return Ok(());
        }
        self.open.remove(&node);
        match self.template.step(&self.states, &action) {
            Ok(after) => self.states = after.first().clone(),
            Err(_) if self.disturbed => {
                let Action::Perform { operation, .. } = action else { return Ok(()) };
                let protocol = self.template.protocol(node);
                let mut ways = protocol.transitions_for(self.states.of(node), operation);
                let way = ways.next().ok_or("no such operation")?;
                self.states = self.states.with(node, protocol.transition(way).to);
            }
            Err(why) => return Err(format!("{action:?} ended and is no step: {why:?}")),
        }
        Ok(())
    }

    /// Handlers, as long as there are any; then everything is right that was not disturbed.
    fn settle(&mut self) -> Result<(), String> {
        loop {
            let mut all = self.template.candidates(&self.states).into_iter();
            let next = all.find_map(|action| match action {
                Action::HandleFault { node, .. } if !self.open.contains_key(&node) => {
                    self.template.step(&self.states, &action).ok()
                }
                _ => None,
            });
            let Some(after) = next else { break };
            self.states = after.first().clone();
        }
        if self.disturbed {
            return Ok(());
        }
        if !is_consistent(&self.template, &self.states) {
            return Err("an undisturbed state is inconsistent".to_owned());
        }
        for (_, action) in self.open.values() {
            let allowed = self.template.step(&self.states, action);
            allowed.map_err(|why| format!("{action:?} runs and is no step any more: {why:?}"))?;
        }
        Ok(())
    }

    fn crash(&mut self, instance: &str) -> Result<(), String> {
        let node = self.application.node_named(instance).ok_or("no such node")?;
        self.open.remove(&node);
        let protocol = self.template.protocol(node);
        let state = protocol.state(self.states.of(node));
        self.states = self.states.with(node, state.on_crash.unwrap_or(protocol.initial));
        self.disturbed = true;
        Ok(())
    }

    fn global(&self) -> GlobalState {
        let mut global = GlobalState::empty();
        for node in self.application.node_ids() {
            let element = Element::State(self.states.of(node));
            let id = InstanceId(self.application.node(node).name.clone());
            global.instances.insert(id, Instance { node, element });
        }
        global
    }
}

/// How many operations ran at the same time at most.
pub(crate) fn check(
    application: &Application,
    goal: &GoalFile,
    entries: &[Entry],
    world: &Simulated,
) -> Result<usize, String> {
    let stories = stories(entries)?;
    commands(&stories, world, |label| declared(application, label))?;
    let template = ServiceTemplate::new(application).ok_or("nets")?;
    let states = template.initial();
    let (plan, open) = (Plan::default(), BTreeMap::new());
    let mut at = Follower { template, application, states, plan, open, disturbed: false };
    let mut started: BTreeSet<(usize, Task)> = BTreeSet::new();
    let mut most = 0;
    for entry in entries {
        match entry {
            Entry::Planned { plan: text, .. } => {
                let mut sources = Sources::new();
                let root = sources.add("plan", text.text());
                at.plan = documents::read_plan(root, &sources).document.ok_or("no plan")?;
                at.disturbed = false;
            }
            Entry::Intent { order, task: Some(task), .. }
                if started.insert((stories[order].generation, *task)) =>
            {
                at.start(*task)?;
                most = most.max(at.open.len());
            }
            Entry::Outcome { order, end: End::Done, .. } => {
                if let Some(task) = stories[order].task {
                    at.end(task)?;
                }
            }
            Entry::GaveUp { task, .. } => {
                at.open.retain(|_, (other, _)| other != task);
                started.retain(|(_, other)| other != task);
            }
            Entry::Observed { instance, .. } => at.crash(instance)?,
            _ => {}
        }
        at.settle()?;
    }
    let state = at.global();
    if !goal.goal.holds(application, &state, Closure::Open) {
        return Err("the journal does not lead to the goal".to_owned());
    }
    fitting(application, std::iter::once(&state), world)?;
    Ok(most)
}
