//! After a crash: fold over the journal, look at the world, settle what is in doubt, go on.

mod mismatch;

use std::collections::BTreeMap;
use std::fmt;

use crate::dispatcher::{Dispatcher, InFlight, RunningProcess, Settlement};
use crate::entry::{Aim, End, Entry, OrderId, Task, Witness};
use crate::journal::{Journal, JournalError};
use crate::machine::{Machine, ProcessMismatch, Refusal, Work};
use crate::world::{Order, OrderStatus, World};

pub(crate) use mismatch::JournalMismatch;

/// No journal has as many orders: the file would not fit on a disk.
const LAST_ORDER: u64 = 1 << 62;

/// What the operator says about an action in doubt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It has been done.
    Done,
    /// It has not been done; do it.
    Again,
}

/// An action that may have happened or not, and that must not happen twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InDoubt {
    /// The order.
    pub order: OrderId,
    /// For people.
    pub label: String,
}

impl InDoubt {
    pub(crate) fn of(order: &Order) -> Self {
        InDoubt { order: order.id, label: order.label.clone() }
    }
}

/// Why a run cannot be resumed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResumeError {
    /// The operator has to decide about these first.
    InDoubt(Vec<InDoubt>),
    /// A host does not say what became of these: the orders, and where they are.
    Silent(Vec<(InDoubt, String)>),
    /// The journal does not fit the rules: it is damaged, or of another program.
    Misfit(JournalMismatch),
    /// The journal cannot be written.
    Journal(JournalError),
}

impl fmt::Display for ResumeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ResumeError::InDoubt(all) => {
                let labels: Vec<&str> = all.iter().map(|doubt| doubt.label.as_str()).collect();
                write!(formatter, "it is unknown whether this happened: {}", labels.join(", "))
            }
            ResumeError::Silent(all) => {
                let about = |(it, host): &(InDoubt, String)| {
                    format!("`{}` (order {}) at the host {host}", it.label, it.order.0)
                };
                let all: Vec<String> = all.iter().map(about).collect();
                let all = all.join(", ");
                write!(formatter, "there is no answer, so it is unknown what became of {all}")
            }
            ResumeError::Misfit(why) => write!(formatter, "the journal does not fit: {why}"),
            ResumeError::Journal(error) => error.fmt(formatter),
        }
    }
}

impl std::error::Error for ResumeError {}

impl From<JournalError> for ResumeError {
    fn from(error: JournalError) -> Self {
        ResumeError::Journal(error)
    }
}

impl<M: Machine, W: World, J: Journal> Dispatcher<'_, M, W, J> {
    /// The state after `entries`, which some engine wrote. Nothing is done and nothing written.
    pub fn fold(&mut self, entries: &[Entry]) -> Result<(), ResumeError> {
        for entry in entries {
            self.replay(entry).map_err(ResumeError::Misfit)?;
        }
        // What was decided then is not decided again.
        self.outbox.clear_entries();
        self.hold_resources();
        Ok(())
    }

    /// Whether an entry speaks of what there is: a journal may be damaged, or of another program.
    fn fits(&self, entry: &Entry) -> Result<(), JournalMismatch> {
        let (task, label) = match entry {
            Entry::Intent { order, label, .. } if order.0 >= LAST_ORDER => {
                let (label, order) = (label.clone(), *order);
                return Err(JournalMismatch::ImpossibleNumber { label, order });
            }
            Entry::Intent { order, label, .. } if self.orders.contains(*order) => {
                let (label, order) = (label.clone(), *order);
                return Err(JournalMismatch::NumberTaken { label, order });
            }
            Entry::Intent { task: Some(task), label, .. } | Entry::GaveUp { task, label, .. } => {
                (*task, label.as_str())
            }
            Entry::TakenUp { task } => (*task, "an action"),
            _ => return Ok(()),
        };
        if self.machine.knows(task) {
            return Ok(());
        }
        Err(JournalMismatch::NoStep { label: label.to_owned(), task })
    }

    fn replay(&mut self, entry: &Entry) -> Result<(), JournalMismatch> {
        self.fits(entry)?;
        match entry {
            Entry::Begun { processes, .. } => {
                self.restore_processes(processes);
            }
            Entry::Planned { plan, aim, .. } => {
                self.control.follow(*aim);
                self.failures.clear_tasks();
                self.forget_failures();
                self.waiting.take_retries();
                let follows = plan.read().and_then(|plan| self.machine.follow(plan, *aim));
                follows.map_err(JournalMismatch::Plan)?;
            }
            Entry::Intent { order, task, instance, label, attempt } => {
                self.orders.skip_id(*order);
                let work = self
                    .replay_work(*task, instance)
                    .map_err(|why| JournalMismatch::NotStartable { label: label.clone(), why })?;
                let order = self.order(*order, work);
                self.orders.insert(InFlight::new(order, *task, *attempt));
            }
            Entry::Outcome { order, end, .. } => self.replay_outcome(*order, end)?,
            Entry::GaveUp { task, label, reason } => {
                self.waiting.drop_retry(*task);
                self.failures.abandon(*task);
                self.failures.record(format!("`{label}` failed: {reason}"));
                self.machine.give_up(*task);
            }
            Entry::TakenUp { task } => self.retry_abandoned(*task),
            Entry::Observed { instance, .. } => {
                self.processes.remove(instance);
                self.machine.observe(instance);
                self.control.replan(Aim::Goal, format!("the process of {instance} died"));
            }
            Entry::Followed { .. } | Entry::Ended { .. } => {}
        }
        Ok(())
    }

    /// The processes that run when a run begins.
    pub(crate) fn restore_processes(&mut self, processes: &BTreeMap<String, OrderId>) {
        for (instance, order) in processes {
            if let Some((node, process)) = self.machine.process_of(instance) {
                let running = RunningProcess { order: *order, node, process };
                self.processes.insert(instance.clone(), running);
            }
        }
    }

    /// What an order had to do, whose task is started as it was then.
    fn replay_work(&mut self, task: Option<Task>, instance: &str) -> Result<Work, Refusal> {
        if let Some(task) = task {
            if !self.waiting.drop_retry(task) {
                self.replay_start(task)?;
            }
            return Ok(self.machine.work(task));
        }
        let mismatches = self.machine.process_mismatches(&self.processes.by_instance());
        let found = mismatches.into_iter().find(|mismatch| mismatch.instance == instance);
        let none =
            || ProcessMismatch { instance: instance.to_owned(), node: String::new(), spawn: None };
        Ok(self.repair(found.unwrap_or_else(none)))
    }

    /// Starts a task as it was started then: the rules without an action come first.
    fn replay_start(&mut self, task: Task) -> Result<(), Refusal> {
        loop {
            let Err(why) = self.machine.start(task) else { return Ok(()) };
            let ready = self.machine.ready();
            if ready.is_empty() {
                return self.machine.start(task).map(|_| ()).map_err(|_| why);
            }
            // Whatever is offered here is not offered again.
            self.waiting.enqueue(ready);
        }
    }

    fn replay_outcome(&mut self, id: OrderId, end: &End) -> Result<(), JournalMismatch> {
        let ended = self.orders.remove(id).ok_or(JournalMismatch::NotGiven(id))?;
        if *end == End::Done {
            self.processes.order_done(&ended.order);
        }
        let Some(task) = ended.task else { return Ok(()) };
        match end {
            End::Done => {
                // An end without success had none then as well.
                let _ = self.machine.end(task);
            }
            End::NotDone => self.waiting.set_attempt(task, ended.attempt),
            End::Failed { .. } | End::TimedOut | End::Cancelled => {
                // Whether it is given up stands in the next entry.
                self.waiting.set_attempt(task, ended.attempt.saturating_add(1));
            }
        }
        Ok(())
    }

    /// A task that failed for good is tried again.
    fn retry_abandoned(&mut self, task: Task) {
        self.machine.retry_abandoned(task);
        self.failures.retry_abandoned(task);
        self.forget_failures();
        if self.machine.exclusive(task).is_none() {
            // A transition of a net keeps its token while it is in trouble.
            self.waiting.set_attempt(task, 0);
        }
    }

    /// What has failed is tried again; why everything is undone stays known.
    fn forget_failures(&mut self) {
        self.failures.forget_reasons(self.control.is_rolling_back());
    }

    /// Looks at the world and settles what is in doubt. Then [`Dispatcher::run`] goes on.
    ///
    /// `verdicts` is what the operator says, by order. Nothing is started here, and nothing is
    /// written when the operator has to be asked first, or does not want to wait for the answers.
    pub fn reconcile(&mut self, verdicts: &BTreeMap<OrderId, Verdict>) -> Result<(), ResumeError> {
        let mut settled = Vec::new();
        let mut undecided = Vec::new();
        let mut silent = Vec::new();
        for id in self.orders.ids() {
            let Some(order) = self.orders.order(id).cloned() else { continue };
            let status = self.world.inquire(&order);
            if self.world.is_interrupted() {
                return Ok(());
            }
            let settlement = match (status, verdicts.get(&id)) {
                (OrderStatus::Known, _) => {
                    self.orders.mark_inquired(id);
                    continue;
                }
                (OrderStatus::NotDone, _) => Settlement::Ended(End::NotDone, Witness::World),
                // What the operator does not say is waited for, whatever it declares.
                (OrderStatus::Silent, None) => Settlement::NoAnswer,
                (_, Some(Verdict::Done)) => Settlement::Ended(End::Done, Witness::Operator),
                (_, Some(Verdict::Again)) => Settlement::Ended(End::NotDone, Witness::Operator),
                (OrderStatus::Unknown, None) => self.settle(&order),
            };
            match settlement {
                Settlement::Ended(end, witness) => settled.push((id, end, witness)),
                Settlement::NoAnswer => {
                    silent.push((InDoubt::of(&order), order.host.unwrap_or_default()));
                }
                Settlement::Undecided => undecided.push(InDoubt::of(&order)),
            }
        }
        if !silent.is_empty() {
            return Err(ResumeError::Silent(silent));
        }
        if !undecided.is_empty() {
            return Err(ResumeError::InDoubt(undecided));
        }
        if self.world.is_interrupted() {
            return Ok(());
        }
        for (id, end, witness) in settled {
            self.order_ended(id, end, Some(witness));
        }
        self.adopt_running();
        self.try_again();
        self.commit()?;
        Ok(())
    }

    /// At the beginning of a run: the processes that an earlier run started are looked after.
    pub(crate) fn adopt_processes(&mut self) -> Result<(), JournalError> {
        self.adopt_running();
        self.commit()
    }

    /// Processes that run are looked after; those that do not have died meanwhile.
    fn adopt_running(&mut self) {
        let stopping = self.orders.stopping();
        let all: Vec<(String, RunningProcess)> =
            self.processes.iter().map(|(id, running)| (id.clone(), running.clone())).collect();
        for (instance, running) in all {
            let order = self.process_order(&instance, &running);
            if self.world.is_interrupted() {
                return;
            }
            if !stopping.contains(&running.order) && !self.world.adopt(&order) {
                let detail = "it did not run when the engine came back".to_owned();
                self.process_died(&instance, running.order, detail);
            }
        }
    }

    /// What failed for good is tried again, and so is what waited for another attempt.
    fn try_again(&mut self) {
        if !self.control.is_replanning() {
            for task in self.failures.abandoned() {
                self.outbox.record(Entry::TakenUp { task });
                self.retry_abandoned(task);
            }
        }
        self.forget_failures();
        self.waiting.enqueue_retries();
    }
}
