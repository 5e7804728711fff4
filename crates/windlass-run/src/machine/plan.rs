//! A plan of protocols under way (paper 004): a partial order of operations and scalings.
//!
//! A step starts when the steps before it have ended and the rules let it start; if it would fault
//! something although the plan was made without faults, it does not.

mod leaving;

use std::collections::{BTreeMap, BTreeSet};

use windlass::application::{Application, GlobalState, InstanceId};
use windlass::goal::GoalFile;
use windlass::goal::Want;
use windlass::goal::evaluate::Closure;
use windlass::lang;
use windlass::lang::documents;
use windlass::lifecycle::implementation::{Effect, Process};
use windlass::lifecycle::protocol::{Element, StateId};
use windlass::plan::{Plan, PlanAction};
use windlass::semantics::Semantics;
use windlass::semantics::replica::observe::{Observation, observe};
use windlass::semantics::replica::{Action, Blocked, Creation, Outcome, Replica, observable};
use windlass::source::Sources;
use windlass::system::Budget;
use windlass::tree::emit;

use super::{Holders, Machine, Note, Untidy, Work};
use crate::entry::{Aim, Task};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    Waiting,
    Running,
    Done,
    GivenUp,
}

/// Adds order to a plan: application, nodes by instance, plan.
pub type Arrange = fn(&Application, &BTreeMap<String, String>, &mut Plan);

/// A plan under way. A task is a step.
pub struct PlanMachine<'a> {
    replica: Replica<'a>,
    application: &'a Application,
    goal: Option<GoalFile>,
    began: GlobalState,
    state: GlobalState,
    plan: Plan,
    aim: Aim,
    status: Vec<Status>,
    /// Steps that each step waits for, and those that wait for it.
    missing: Vec<usize>,
    after: Vec<Vec<usize>>,
    /// Steps that wait for nobody and have not started.
    frontier: BTreeSet<usize>,
    /// Steps of the frontier that have been offered since the state changed.
    offered: BTreeSet<usize>,
    /// Whether the plan may fault what it does not mean to: the author of a plan said so.
    pub allow_faults: bool,
    /// Adds to the order of every plan that is made, by the nodes of its instances.
    pub arrange: Option<Arrange>,
    /// How much a search for a plan may cost.
    budget: fn() -> Box<dyn Budget>,
}

impl<'a> PlanMachine<'a> {
    /// Nothing to do yet, in `start`; none if a type is a net.
    pub fn new(
        application: &'a Application,
        start: GlobalState,
        goal: Option<GoalFile>,
        budget: fn() -> Box<dyn Budget>,
    ) -> Option<Self> {
        let mut replica = Replica::new(application, start.clone())?;
        for (node, count) in goal.iter().flat_map(|goal| goal.goal.counts()) {
            replica.want(node, count);
        }
        Some(Self {
            replica,
            application,
            goal,
            began: start.clone(),
            state: start,
            plan: Plan::default(),
            aim: Aim::Goal,
            status: Vec::new(),
            missing: Vec::new(),
            after: Vec::new(),
            frontier: BTreeSet::new(),
            offered: BTreeSet::new(),
            allow_faults: false,
            arrange: None,
            budget,
        })
    }

    /// Where everything is.
    pub fn state(&self) -> &GlobalState {
        &self.state
    }

    fn adopt_plan(&mut self, plan: Plan) {
        let steps = plan.steps.len();
        self.status = vec![Status::Waiting; steps];
        self.missing = vec![0; steps];
        self.after = vec![Vec::new(); steps];
        for edge in &plan.order {
            self.missing[edge.after] += 1;
            self.after[edge.before].push(edge.after);
        }
        self.frontier = (0..steps).filter(|step| self.missing[*step] == 0).collect();
        self.offered.clear();
        self.replica.pool = Creation::planned(self.application, &plan);
        self.plan = plan;
    }

    /// The observable action with which a step begins; for a scaling it is the whole step.
    fn first_action(&self, step: usize) -> Result<Action, String> {
        match self.plan.steps[step].action.clone() {
            PlanAction::Operation { instance, operation } => {
                Ok(Action::OpStart { instance, operation })
            }
            PlanAction::ScaleIn { instance } => Ok(Action::ScaleIn { instance }),
            PlanAction::ScaleOut { node, instance, container } => {
                let found = self.application.node_named(&node);
                let node = found.ok_or_else(|| format!("there is no node `{node}`"))?;
                Ok(Action::create(&Creation { instance, node, container }))
            }
        }
    }

    /// The first outcome of an action. Which of several it is makes no difference to the goal: a
    /// valid plan reaches it for every choice.
    fn outcome(&self, action: &Action) -> Result<Outcome, String> {
        self.outcome_in(&self.state, action)
    }

    fn outcome_in(&self, state: &GlobalState, action: &Action) -> Result<Outcome, String> {
        let words = |blocked: Blocked| self.replica.explain(&blocked);
        let outcomes = observable::outcomes(&self.replica, state, action).map_err(words)?;
        outcomes.into_iter().next().ok_or_else(|| "nothing settles".to_owned())
    }

    fn enter(&mut self, outcome: Outcome) -> Vec<Note> {
        let words = |event: &windlass::semantics::replica::Event| Note {
            what: event.describe(self.application),
            fault: event.is_fault(),
        };
        let notes = outcome.events.iter().map(words).collect();
        self.state = outcome.state;
        self.offered.clear();
        notes
    }

    fn is_instant(&self, step: usize) -> bool {
        !matches!(self.plan.steps[step].action, PlanAction::Operation { .. })
    }

    fn observed(&mut self, observation: &Observation) -> Vec<Note> {
        let seen = observe(&self.replica, &self.state, observation);
        match seen.map(|outcomes| outcomes.into_iter().next()) {
            Ok(Some(outcome)) => self.enter(outcome),
            Ok(None) => Vec::new(),
            Err(blocked) => {
                vec![Note { what: self.replica.explain(&blocked), fault: true }]
            }
        }
    }

    fn process_in(&self, instance: &InstanceId, state: StateId) -> Option<&'a Process> {
        let instance = self.state.instance(instance)?;
        self.application.type_of(instance.node).processes.get(&state)
    }

    fn node_name(&self, instance: &InstanceId) -> String {
        let node = self.state.instance(instance).map(|instance| instance.node);
        node.map(|node| self.application.node(node).name.clone()).unwrap_or_default()
    }

    /// The node of every instance that is there or that a plan makes.
    fn nodes_of(&self, plan: &Plan) -> BTreeMap<String, String> {
        let there = self.state.instances.iter();
        let there =
            there.map(|(id, own)| (id.0.clone(), self.application.node(own.node).name.clone()));
        let made = plan.steps.iter().filter_map(|step| match &step.action {
            PlanAction::ScaleOut { node, instance, .. } => Some((instance.0.clone(), node.clone())),
            _ => None,
        });
        there.chain(made).collect()
    }

    fn back(&self) -> GoalFile {
        let mut goal = GoalFile::default();
        for (id, instance) in &self.began.instances {
            let Element::State(state) = instance.element else { continue };
            let Some(protocol) = self.application.protocol_of(instance.node) else { continue };
            let state = protocol.state(state).name.clone();
            goal.goal.wants.push(Want::Instance { instance: id.clone(), state });
        }
        let new = self.state.instances.keys().filter(|id| !self.began.instances.contains_key(*id));
        goal.goal.wants.extend(new.map(|id| Want::InstanceGone(id.clone())));
        goal
    }
}

/// The text of a plan, as journals and files keep it.
pub fn print(plan: &Plan) -> String {
    emit::yaml(&lang::windlass::print_plan(plan))
}

impl Machine for PlanMachine<'_> {
    fn ready(&mut self) -> Vec<Task> {
        let fresh: Vec<usize> = self.frontier.difference(&self.offered).copied().collect();
        self.offered.extend(&fresh);
        fresh.into_iter().map(|step| Task(step as u32)).collect()
    }

    fn exclusive(&self, task: Task) -> Option<String> {
        Some(self.plan.steps[task.0 as usize].action.instance().0.clone())
    }

    fn start(&mut self, task: Task) -> Result<Vec<Note>, String> {
        let step = task.0 as usize;
        if self.status.get(step) != Some(&Status::Waiting) || self.missing[step] > 0 {
            return Err("it is not its turn".to_owned());
        }
        let outcome = self.outcome(&self.first_action(step)?)?;
        if !self.allow_faults
            && let Some(fault) = outcome.events.iter().find(|event| event.is_fault())
        {
            return Err(format!("it would cause a {}", fault.describe(self.application)));
        }
        self.status[step] = Status::Running;
        self.frontier.remove(&step);
        // A scaling is one step of the model; it is taken when its effect is there.
        Ok(if self.is_instant(step) { Vec::new() } else { self.enter(outcome) })
    }

    fn end(&mut self, task: Task) -> Result<Vec<Note>, String> {
        let step = task.0 as usize;
        if self.status.get(step) != Some(&Status::Running) {
            return Err("it does not run".to_owned());
        }
        let action = match self.plan.steps[step].action.clone() {
            PlanAction::Operation { instance, operation } => Action::OpEnd { instance, operation },
            _ => self.first_action(step)?,
        };
        self.status[step] = Status::Done;
        let outcome = self.outcome(&action)?;
        for next in self.after[step].clone() {
            self.missing[next] -= 1;
            if self.missing[next] == 0 {
                self.frontier.insert(next);
            }
        }
        Ok(self.enter(outcome))
    }

    fn give_up(&mut self, task: Task) -> Vec<Note> {
        let step = task.0 as usize;
        self.status[step] = Status::GivenUp;
        let id = self.plan.steps[step].action.instance().clone();
        // The operation has failed: the instance is where it was before.
        let Some(instance) = self.state.instance(&id) else { return Vec::new() };
        let Element::Transition(transition) = instance.element else { return Vec::new() };
        let state = self.replica.protocol(instance.node).transition(transition).from;
        self.observed(&Observation::InState { instance: id, state })
    }

    fn take_up(&mut self, task: Task) {
        let step = task.0 as usize;
        if self.status.get(step) == Some(&Status::GivenUp) {
            self.status[step] = Status::Waiting;
            self.frontier.insert(step);
            self.offered.remove(&step);
        }
    }

    fn observe(&mut self, instance: &str) -> Vec<Note> {
        self.observed(&Observation::Crashed { instance: instance.into() })
    }

    fn work(&self, task: Task) -> Work {
        let step = &self.plan.steps[task.0 as usize];
        let id = step.action.instance();
        let mut work = Work {
            label: step.label.clone(),
            instance: id.0.clone(),
            node: match &step.action {
                PlanAction::ScaleOut { node, .. } => node.clone(),
                _ => self.node_name(id),
            },
            operation: None,
            run: None,
            leaves: None,
            enters: None,
            effect: Effect::AtMostOnce,
            timeout: None,
            retry: None,
            host: self.host(task),
            lock: None,
            expected: None,
        };
        let Some(instance) = self.state.instance(id) else { return work };
        match instance.element {
            Element::State(state) => work.leaves = self.process_in(id, state).cloned(),
            Element::Transition(transition) => {
                let transition = self.replica.protocol(instance.node).transition(transition);
                let component = self.application.type_of(instance.node);
                let operation = &component.operations[transition.operation.index()];
                let before = component.processes.get(&transition.from);
                let after = component.processes.get(&transition.to);
                let stays = before == after && transition.from != transition.to;
                if !stays {
                    work.leaves = before.cloned();
                    work.enters = after.cloned();
                }
                work.operation = Some(operation.name.clone());
                work.run.clone_from(&operation.run);
                work.effect = operation.effect.clone().unwrap_or(Effect::AtMostOnce);
                work.timeout = operation.timeout;
                work.retry = operation.retry;
                work.expected = operation.duration;
            }
        }
        work
    }

    fn untidy(&self, holders: &Holders) -> Vec<Untidy> {
        let mut untidy: BTreeMap<&str, Option<Process>> = BTreeMap::new();
        for (id, instance) in &self.state.instances {
            let Element::State(state) = instance.element else { continue };
            let wanted = self.application.type_of(instance.node).processes.get(&state);
            if holders.get(&id.0) != wanted {
                untidy.insert(&id.0, wanted.cloned());
            }
        }
        let known = |id: &String| self.state.instances.contains_key(&InstanceId(id.clone()));
        let gone = holders.keys().filter(|id| !known(id));
        untidy.extend(gone.map(|id| (id.as_str(), None)));
        let found = |(id, spawn): (&str, Option<Process>)| Untidy {
            instance: id.to_owned(),
            node: self.node_name(&id.into()),
            spawn,
        };
        untidy.into_iter().map(found).collect()
    }

    fn process_of(&self, instance: &str) -> Option<(String, Process)> {
        let id = InstanceId(instance.to_owned());
        let Element::State(state) = self.state.instance(&id)?.element else { return None };
        Some((self.node_name(&id), self.process_in(&id, state)?.clone()))
    }

    fn is_done(&self) -> bool {
        let holds = |goal: &GoalFile| goal.goal.holds(self.application, &self.state, Closure::Open);
        self.status.iter().all(|status| *status == Status::Done)
            && (self.aim == Aim::Back || self.goal.as_ref().is_none_or(holds))
    }

    fn stuck(&self) -> Vec<String> {
        let mut words = Vec::new();
        for step in 0..self.plan.steps.len() {
            let label = &self.plan.steps[step].label;
            match self.status[step] {
                Status::Done | Status::Running => {}
                Status::GivenUp => words.push(format!("`{label}` failed")),
                Status::Waiting if self.missing[step] == 0 => {
                    let why = self.first_action(step).and_then(|action| self.outcome(&action));
                    let why = why.map_or_else(|why| why, |_| "it would cause a fault".to_owned());
                    words.push(format!("`{label}` cannot start: {why}"));
                }
                Status::Waiting => {
                    let edge = |edge: &&windlass::plan::Order| {
                        edge.after == step && self.status[edge.before] != Status::Done
                    };
                    let before = self.plan.order.iter().find(edge);
                    let before = before.map_or("", |edge| &self.plan.steps[edge.before].label);
                    words.push(format!("`{label}` waits for `{before}`"));
                }
            }
        }
        if words.is_empty() && !self.is_done() {
            words.push("every action is done, and the goal does not hold".to_owned());
        }
        words
    }

    fn plan(&self, aim: Aim) -> Result<Option<String>, String> {
        let goal = match (aim, &self.goal) {
            (Aim::Goal, Some(goal)) => goal.clone(),
            (Aim::Goal, None) => return Err("no goal was given, only a plan".to_owned()),
            (Aim::Back, _) => self.back(),
        };
        Ok(self.way(&goal)?.as_ref().map(print))
    }

    fn host_of(&self, node: &str) -> Option<String> {
        let hosts = &self.application.deployment.host;
        if hosts.is_empty() {
            return None;
        }
        hosts.get(&self.application.node_named(node)?).cloned()
    }

    fn host(&self, task: Task) -> Option<String> {
        if self.application.deployment.host.is_empty() {
            return None;
        }
        match &self.plan.steps[task.0 as usize].action {
            PlanAction::ScaleOut { node, .. } => self.host_of(node),
            other => self.host_of(&self.node_name(other.instance())),
        }
    }

    fn address(&self, host: &str) -> Option<String> {
        self.application.deployment.addresses.get(host).cloned()
    }

    fn hosts(&self) -> BTreeMap<String, u32> {
        self.application.deployment.hosts.clone()
    }

    fn follow(&mut self, plan: &str, aim: Aim) -> Result<(), String> {
        let mut sources = Sources::new();
        let root = sources.add("plan", plan);
        let reading = documents::read_plan(root, &sources);
        let plan = reading.document.ok_or("the plan cannot be read")?;
        self.adopt_plan(plan);
        self.aim = aim;
        Ok(())
    }
}
