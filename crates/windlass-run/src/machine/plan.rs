//! A plan of protocols under way (paper 004): a partial order of operations and scalings.
//!
//! A step starts when the steps before it have ended and the rules let it start; if it would fault
//! something although the plan was made without faults, it does not.

use std::collections::BTreeMap;
use std::sync::Arc;

use windlass::application::{Application, GlobalState};
use windlass::goal::GoalFile;
use windlass::goal::Want;
use windlass::goal::evaluate::Closure;
use windlass::lifecycle::implementation::Process;
use windlass::lifecycle::protocol::Element;
use windlass::plan::{Plan, PlanAction};
use windlass::semantics::Semantics;
use windlass::semantics::replica::in_place::{InPlace, Next};
use windlass::semantics::replica::observe::{Observation, observe};
use windlass::semantics::replica::{Action, Blocked, Creation, Event, Replica};
use windlass::synthesize::graceful_removal::{Arrange, GracefulRemoval};
use windlass::system::Budget;

use super::progress::Progress;
use super::{
    FollowError, Machine, Note, Obstacle, PlanError, ProcessMismatch, Refusal, RunningProcesses,
    Work, instances,
};
use crate::entry::{Aim, Task};

/// A plan under way. A task is a step.
pub struct PlanMachine<'a> {
    replica: Replica<'a>,
    application: &'a Application,
    goal: Option<GoalFile>,
    began: GlobalState,
    now: InPlace,
    progress: Progress,
    aim: Aim,
    /// Whether the plan may fault what it does not mean to: the author of a plan said so.
    pub(crate) allow_faults: bool,
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
            now: InPlace::new(&replica, start.clone()),
            replica,
            application,
            goal,
            began: start,
            progress: Progress::default(),
            aim: Aim::Goal,
            allow_faults: false,
            arrange: None,
            budget,
        })
    }

    /// Where everything is.
    pub(crate) fn state(&self) -> &GlobalState {
        self.now.state()
    }

    fn action(&self, task: Task) -> Result<PlanAction, Refusal> {
        self.progress.step(task).map(|step| step.action.clone()).ok_or(Refusal::NoStep)
    }

    /// The observable action with which a step begins; for a scaling it is the whole step.
    fn first_action(&self, task: Task) -> Result<Action, Refusal> {
        match self.action(task)? {
            PlanAction::Operation { instance, operation } => {
                Ok(Action::OpStart { instance, operation })
            }
            PlanAction::ScaleIn { instance } => Ok(Action::ScaleIn { instance }),
            PlanAction::ScaleOut { node, instance, container } => {
                let found = self.application.node_named(&node);
                let node = found.ok_or(Refusal::NoNode(node))?;
                Ok(Action::create(&Creation { instance, node, container }))
            }
        }
    }

    /// The first outcome of an action. Which of several it is makes no difference to the goal: a
    /// valid plan reaches it for every choice.
    fn next(&self, action: &Action) -> Result<Next, Refusal> {
        let refused = |blocked: Blocked| Refusal::Blocked(self.replica.explain(&blocked));
        self.now.next(&self.replica, action).map_err(refused)
    }

    fn apply(&mut self, next: Next) -> Vec<Note> {
        let words = |event: &Event| Note {
            what: event.describe(self.application),
            fault: event.is_fault(),
        };
        let notes = next.events().iter().map(words).collect();
        self.now.take(&self.replica, next);
        self.progress.offer_again();
        notes
    }

    fn observed(&mut self, observation: &Observation) -> Vec<Note> {
        let seen = observe(&self.replica, self.state(), observation);
        match seen.map(|outcomes| outcomes.into_iter().next()) {
            Ok(Some(outcome)) => self.apply(Next::Outcome(outcome)),
            Ok(None) => Vec::new(),
            Err(blocked) => {
                vec![Note { what: self.replica.explain(&blocked), fault: true }]
            }
        }
    }

    /// Where a step leads, if the rules let it start now.
    fn allowed(&self, task: Task) -> Result<Next, Refusal> {
        let next = self.next(&self.first_action(task)?)?;
        match next.events().iter().find(|event| event.is_fault()) {
            Some(fault) if !self.allow_faults => {
                Err(Refusal::Fault(fault.describe(self.application)))
            }
            _ => Ok(next),
        }
    }

    fn rollback_goal(&self) -> GoalFile {
        let mut goal = GoalFile::default();
        for (id, instance) in &self.began.instances {
            let Element::State(state) = instance.element else { continue };
            let Some(protocol) = self.application.protocol_of(instance.node) else { continue };
            let is_there =
                self.state().instance(id).is_some_and(|now| now.element == instance.element);
            let is_led_to = protocol.initial == state
                || protocol.transitions.iter().any(|transition| transition.to == state);
            if !is_there && !is_led_to {
                // It had crashed, and has been started since: that stays.
                continue;
            }
            let state = protocol.state(state).name.clone();
            goal.goal.wants.push(Want::Instance { instance: id.clone(), state });
        }
        let new =
            self.state().instances.keys().filter(|id| !self.began.instances.contains_key(*id));
        goal.goal.wants.extend(new.map(|id| Want::InstanceGone(id.clone())));
        goal
    }
}

impl Machine for PlanMachine<'_> {
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
        let next = self.allowed(task).inspect_err(|_| self.progress.refuse(task))?;
        self.progress.started(task);
        // A scaling is one step of the model; it is taken when its effect is there.
        let is_instant = !matches!(self.action(task)?, PlanAction::Operation { .. });
        Ok(if is_instant { Vec::new() } else { self.apply(next) })
    }

    fn end(&mut self, task: Task) -> Result<Vec<Note>, Refusal> {
        if !self.progress.is_running(task) {
            return Err(Refusal::NotRunning);
        }
        let action = match self.action(task)? {
            PlanAction::Operation { instance, operation } => Action::OpEnd { instance, operation },
            _ => self.first_action(task)?,
        };
        self.progress.ended(task);
        let next = self.next(&action)?;
        self.progress.release(task);
        Ok(self.apply(next))
    }

    fn give_up(&mut self, task: Task) -> Vec<Note> {
        self.progress.give_up(task);
        let Ok(action) = self.action(task) else { return Vec::new() };
        let id = action.instance().clone();
        // The operation has failed: the instance is where it was before.
        let Some(instance) = self.state().instance(&id) else { return Vec::new() };
        let Element::Transition(transition) = instance.element else { return Vec::new() };
        let state = self.replica.protocol(instance.node).transition(transition).from;
        self.observed(&Observation::InState { instance: id, state })
    }

    fn retry_abandoned(&mut self, task: Task) {
        self.progress.retry_abandoned(task);
    }

    fn observe(&mut self, instance: &str) -> Vec<Note> {
        self.observed(&Observation::Crashed { instance: instance.into() })
    }

    fn work(&self, task: Task) -> Work {
        let Some(step) = self.progress.step(task) else { return Work::default() };
        let mut work =
            instances::work_of_step(self.application, self.state(), step, self.host(task));
        let id = step.action.instance();
        let Some(instance) = self.state().instance(id) else { return work };
        match instance.element {
            Element::State(state) => {
                work.stop = self.process_of(&id.0).map(|(_, process)| process);
                work.removes = matches!(step.action, PlanAction::ScaleIn { .. })
                    && state != self.replica.protocol(instance.node).initial;
            }
            Element::Transition(transition) => {
                let transition = self.replica.protocol(instance.node).transition(transition);
                instances::add_transition(&mut work, self.application, instance.node, transition);
            }
        }
        work
    }

    fn process_mismatches(&self, running: &RunningProcesses) -> Vec<ProcessMismatch> {
        instances::process_mismatches(self.application, self.state(), running)
    }

    fn process_of(&self, instance: &str) -> Option<(String, Process)> {
        instances::process_of(self.application, self.state(), instance)
    }

    fn is_done(&self) -> bool {
        let holds =
            |goal: &GoalFile| goal.goal.holds(self.application, self.state(), Closure::Open);
        self.progress.is_done() && (self.aim == Aim::Back || self.goal.as_ref().is_none_or(holds))
    }

    fn obstacles(&self) -> Vec<Obstacle> {
        let mut found = self.progress.obstacles(|task| match self.allowed(task) {
            Ok(_) => "it waits for a free place".to_owned(),
            Err(why) => why.to_string(),
        });
        if found.is_empty() && self.progress.is_idle() && !self.is_done() {
            found.push(Obstacle::Goal);
        }
        found
    }

    fn plan(&self, aim: Aim) -> Result<Option<Plan>, PlanError> {
        let goal = match (aim, &self.goal) {
            (Aim::Goal, Some(goal)) => goal.clone(),
            (Aim::Goal, None) => return Err(PlanError::NoGoal),
            (Aim::Back, _) => self.rollback_goal(),
        };
        let question = GracefulRemoval {
            application: self.application,
            replica: &self.replica,
            start: self.state(),
            known: &self.began,
            goal: &goal,
            allow_faults: self.allow_faults,
            arrange: self.arrange,
            budget: self.budget,
        };
        Ok(Some(question.plan()?))
    }

    fn host_of(&self, node: &str) -> Option<String> {
        instances::host_of(self.application, node)
    }

    fn host(&self, task: Task) -> Option<String> {
        let step = self.progress.step(task)?;
        instances::host_of_step(self.application, self.state(), step)
    }

    fn address(&self, host: &str) -> Option<String> {
        self.application.deployment.addresses.get(host).cloned()
    }

    fn hosts(&self) -> BTreeMap<String, u32> {
        self.application.deployment.hosts.clone()
    }

    fn follow(&mut self, plan: Arc<Plan>, aim: Aim) -> Result<(), FollowError> {
        self.progress = Progress::new(plan);
        self.replica.pool = Creation::planned(self.application, self.progress.plan());
        self.aim = aim;
        Ok(())
    }
}
