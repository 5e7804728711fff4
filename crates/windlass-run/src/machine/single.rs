//! A plan under way where every node is one instance and operations are atomic (paper 003, and the
//! relation of later BARREL with explicit handlers).
//!
//! In the rules an operation is one step; in the world it takes time. It is taken as the step at
//! its end, and its premises hold from its start to its end: operations run at the same time only
//! if every order of their ends is allowed and leaves every state consistent. Since a requirement
//! has one provider, it is enough to ask this for pairs of nodes that are bound to each other.
//! An operation that handlers follow (`faults: handled`) runs alone.

mod planning;
mod rules;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use windlass::application::{Application, GlobalState, Instance, InstanceId, NodeId};
use windlass::goal::GoalFile;
use windlass::goal::evaluate::Closure;
use windlass::lifecycle::implementation::Process;
use windlass::lifecycle::protocol::{Element, RequirementId, StateId, TransitionId};
use windlass::plan::{Plan, Step};
use windlass::semantics::protocol::observe;
use windlass::semantics::protocol::settled::Settled;
use windlass::semantics::protocol::{Action, ServiceTemplate, States};
use windlass::synthesize;
use windlass::system::Budget;

use super::progress::Progress;
use super::{
    FollowError, Machine, Note, Obstacle, PlanError, ProcessMismatch, Refusal, RunningProcesses,
    Work, instances,
};
use crate::entry::{Aim, Task};

pub use planning::without_faults;

/// An operation that has started and not ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Running {
    task: Task,
    transition: TransitionId,
}

/// A plan under way. A task is a step.
pub struct SingleMachine<'a> {
    application: &'a Application,
    /// The rules that `verify` asks.
    rules: Settled<'a>,
    goal: Option<GoalFile>,
    began: GlobalState,
    /// The instance that stands for each node.
    names: Vec<InstanceId>,
    /// Which nodes are bound to each other.
    related: Vec<BTreeSet<NodeId>>,
    states: States,
    running: BTreeMap<NodeId, Running>,
    /// Whether what runs has to be alone.
    alone: bool,
    /// The states and what is under way, for those who look.
    global: GlobalState,
    progress: Progress,
    aim: Aim,
    budget: fn() -> Box<dyn Budget>,
}

impl<'a> SingleMachine<'a> {
    /// Nothing to do yet, in `start`; none if a type is a net.
    pub fn new(
        application: &'a Application,
        start: &GlobalState,
        goal: Option<GoalFile>,
        budget: fn() -> Box<dyn Budget>,
    ) -> Option<Self> {
        let template = ServiceTemplate::new(application)?;
        let states = template.states_of(start);
        let given = synthesize::completed(application, start);
        let name = |node: NodeId| {
            let first = given.of_node(node).next().map(|(id, _)| id.clone());
            first.unwrap_or_else(|| InstanceId(application.node(node).name.clone()))
        };
        let mut machine = Self {
            application,
            rules: Settled(template),
            goal,
            began: GlobalState::empty(),
            names: application.node_ids().map(name).collect(),
            related: related(application),
            states,
            running: BTreeMap::new(),
            alone: false,
            global: GlobalState::empty(),
            progress: Progress::default(),
            aim: Aim::Goal,
            budget,
        };
        for node in application.node_ids() {
            machine.update_view(node);
        }
        for node in application.node_ids() {
            machine.set_container(node);
        }
        machine.began = machine.global.clone();
        Some(machine)
    }

    /// Where everything is; an operation under way is shown as such.
    pub fn state(&self) -> &GlobalState {
        &self.global
    }

    fn template(&self) -> &ServiceTemplate<'a> {
        &self.rules.0
    }

    fn update_view(&mut self, node: NodeId) {
        let element = match self.running.get(&node) {
            Some(running) => Element::Transition(running.transition),
            None => Element::State(self.states.of(node)),
        };
        let id = self.names[node.index()].clone();
        self.global.instances.insert(id, Instance { node, element });
    }

    /// What is contained is contained in the one instance of its container.
    fn set_container(&mut self, node: NodeId) {
        let Some(requirement) = self.application.type_of(node).containment() else { return };
        let Some(binding) = self.application.node(node).binding(requirement) else { return };
        let home = self.name(binding.target).clone();
        self.global.vertical.insert(self.name(node).clone(), (requirement, home));
    }

    fn node_of(&self, instance: &str) -> Option<NodeId> {
        self.global.instances.get(&InstanceId(instance.to_owned())).map(|found| found.node)
    }

    /// The action that a task is.
    fn action(&self, task: Task) -> Result<Action, Refusal> {
        let step = self.progress.step(task).ok_or(Refusal::NoStep)?;
        self.resolve(step).ok_or(Refusal::NoOperation)
    }

    fn resolve(&self, step: &Step) -> Option<Action> {
        Action::planned(self.application, &self.began, &step.action)
    }

    /// The operation that a task is, while it is under way.
    fn under_way(&self, task: Task) -> Option<(NodeId, Running)> {
        let Ok(Action::Perform { node, .. }) = self.action(task) else { return None };
        let running = self.running.get(&node).filter(|running| running.task == task)?;
        Some((node, *running))
    }

    /// The node and the transition of a task that the rules let start now, and whether it has to be
    /// alone.
    fn startable(&self, task: Task) -> Result<(NodeId, TransitionId, bool), Refusal> {
        let action = self.action(task)?;
        let Action::Perform { node, .. } = action else {
            return Err(Refusal::NoOperation);
        };
        if self.running.contains_key(&node) {
            return Err(Refusal::Busy);
        }
        let transition = self.allowed(node, &action)?;
        Ok((node, transition, self.check_overlap(node, transition)?))
    }

    fn name(&self, node: NodeId) -> &InstanceId {
        &self.names[node.index()]
    }

    fn state_name(&self, node: NodeId, state: StateId) -> &str {
        &self.template().protocol(node).state(state).name
    }

    fn requirement_name(&self, node: NodeId, requirement: RequirementId) -> &str {
        &self.application.type_of(node).requirements[requirement.index()].name
    }
}

/// For each node those that it is bound to, or that are bound to it.
fn related(application: &Application) -> Vec<BTreeSet<NodeId>> {
    let mut related = vec![BTreeSet::new(); application.nodes.len()];
    for node in application.node_ids() {
        for binding in &application.node(node).bindings {
            related[node.index()].insert(binding.target);
            related[binding.target.index()].insert(node);
        }
    }
    related
}

impl Machine for SingleMachine<'_> {
    fn ready(&mut self) -> Vec<Task> {
        self.progress.ready()
    }

    fn knows(&self, task: Task) -> bool {
        self.progress.step(task).is_some()
    }

    fn exclusive(&self, task: Task) -> Option<String> {
        let instance = self.progress.step(task).map(|step| step.action.instance().0.clone());
        Some(instance.unwrap_or_default())
    }

    fn start(&mut self, task: Task) -> Result<Vec<Note>, Refusal> {
        if !self.progress.is_turn(task) {
            return Err(Refusal::NotItsTurn);
        }
        let startable = self.startable(task).inspect_err(|_| self.progress.refuse(task));
        let (node, transition, alone) = startable?;
        self.alone = alone;
        self.running.insert(node, Running { task, transition });
        self.progress.started(task);
        self.update_view(node);
        Ok(Vec::new())
    }

    /// The operation is the step of the rules now. When the world has changed while it ran the
    /// rules may not allow it any more; it happened all the same, and is observed.
    fn end(&mut self, task: Task) -> Result<Vec<Note>, Refusal> {
        if !self.progress.is_running(task) {
            return Err(Refusal::NotRunning);
        }
        let Some((node, running)) = self.under_way(task) else {
            return Err(Refusal::InstanceDied);
        };
        self.running.remove(&node);
        self.alone = false;
        self.states = self.after(&self.states, node, running.transition);
        self.progress.ended(task);
        self.progress.release(task);
        Ok(self.settle(node))
    }

    /// The operation has failed: its instance is where it was before.
    fn give_up(&mut self, task: Task) -> Vec<Note> {
        self.progress.give_up(task);
        let Some((node, _)) = self.under_way(task) else { return Vec::new() };
        self.running.remove(&node);
        self.alone &= !self.running.is_empty();
        self.settle(node)
    }

    fn retry_abandoned(&mut self, task: Task) {
        self.progress.retry_abandoned(task);
    }

    /// What runs on the instance has failed with it.
    fn observe(&mut self, instance: &str) -> Vec<Note> {
        let Some(node) = self.node_of(instance) else { return Vec::new() };
        self.running.remove(&node);
        self.alone &= !self.running.is_empty();
        self.states = observe::crashed(self.template(), &self.states, node);
        self.settle(node)
    }

    fn work(&self, task: Task) -> Work {
        let Some(step) = self.progress.step(task) else { return Work::default() };
        let mut work =
            instances::work_of_step(self.application, &self.global, step, self.host(task));
        if let Some((node, running)) = self.under_way(task) {
            let transition = self.template().protocol(node).transition(running.transition);
            instances::add_transition(&mut work, self.application, node, transition);
        }
        work
    }

    fn process_mismatches(&self, running: &RunningProcesses) -> Vec<ProcessMismatch> {
        instances::process_mismatches(self.application, &self.global, running)
    }

    fn process_of(&self, instance: &str) -> Option<(String, Process)> {
        instances::process_of(self.application, &self.global, instance)
    }

    fn is_done(&self) -> bool {
        let holds =
            |goal: &GoalFile| goal.goal.holds(self.application, &self.global, Closure::Open);
        self.progress.is_done()
            && self.pending_faults().is_none()
            && (self.aim == Aim::Back || self.goal.as_ref().is_none_or(holds))
    }

    fn obstacles(&self) -> Vec<Obstacle> {
        let mut found = self.progress.obstacles(|task| {
            let Ok(action) = self.action(task) else { return "it is no operation".to_owned() };
            let Action::Perform { node, .. } = action else { return String::new() };
            let why = self.allowed(node, &action).and_then(|found| self.check_overlap(node, found));
            match why {
                Ok(_) => "it waits for a free place".to_owned(),
                Err(why) => why.to_string(),
            }
        });
        found.extend(self.pending_faults().map(|why| Obstacle::Fault { why: why.to_string() }));
        if found.is_empty() && self.progress.is_idle() && !self.is_done() {
            found.push(Obstacle::Goal);
        }
        found
    }

    fn plan(&self, aim: Aim) -> Result<Option<Plan>, PlanError> {
        if let Some(why) = self.pending_faults() {
            return Err(why);
        }
        match (aim, &self.goal) {
            (Aim::Goal, Some(goal)) => self.search(goal).map(Some),
            (Aim::Goal, None) => Err(PlanError::NoGoal),
            (Aim::Back, _) => self.search(&self.rollback_goal()).map(Some),
        }
    }

    fn follow(&mut self, plan: Arc<Plan>, aim: Aim) -> Result<(), FollowError> {
        if let Some(step) = plan.steps.iter().find(|step| self.resolve(step).is_none()) {
            return Err(FollowError::NoOperation(step.label.clone()));
        }
        (self.progress, self.aim) = (Progress::new(plan), aim);
        self.reap();
        Ok(())
    }

    fn host_of(&self, node: &str) -> Option<String> {
        instances::host_of(self.application, node)
    }

    fn host(&self, task: Task) -> Option<String> {
        let step = self.progress.step(task)?;
        instances::host_of_step(self.application, &self.global, step)
    }

    fn address(&self, host: &str) -> Option<String> {
        self.application.deployment.addresses.get(host).cloned()
    }

    fn hosts(&self) -> BTreeMap<String, u32> {
        self.application.deployment.hosts.clone()
    }
}
