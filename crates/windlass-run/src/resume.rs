//! After a crash: fold over the journal, look at the world, settle what is in doubt, go on.

use std::collections::BTreeMap;
use std::fmt;

use windlass::lifecycle::implementation::Effect;

use crate::dispatcher::Dispatcher;
use crate::entry::{Aim, End, Entry, OrderId, Task, Witness};
use crate::journal::{Journal, JournalError};
use crate::machine::{Machine, Untidy};
use crate::world::{OrderStatus, World};

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

/// An action of which it is unknown whether it happened, and that must not happen twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InDoubt {
    /// The order.
    pub order: OrderId,
    /// For people.
    pub label: String,
}

/// Why a run cannot be resumed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoResume {
    /// The operator has to decide about these first.
    InDoubt(Vec<InDoubt>),
    /// Whoever knows what became of these does not answer: the orders, and where they are.
    Silent(Vec<(InDoubt, String)>),
    /// The journal does not fit the rules: it is damaged, or of another program.
    Misfit(String),
    /// The journal cannot be written.
    Journal(JournalError),
}

impl fmt::Display for NoResume {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoResume::InDoubt(all) => {
                let labels: Vec<&str> = all.iter().map(|doubt| doubt.label.as_str()).collect();
                write!(formatter, "it is unknown whether this happened: {}", labels.join(", "))
            }
            NoResume::Silent(all) => {
                let about = |(it, host): &(InDoubt, String)| {
                    format!("`{}` (order {}) at the host {host}", it.label, it.order.0)
                };
                let all: Vec<String> = all.iter().map(about).collect();
                let all = all.join(", ");
                write!(formatter, "there is no answer, so it is unknown what became of {all}")
            }
            NoResume::Misfit(why) => write!(formatter, "the journal does not fit: {why}"),
            NoResume::Journal(error) => error.fmt(formatter),
        }
    }
}

impl From<JournalError> for NoResume {
    fn from(error: JournalError) -> Self {
        NoResume::Journal(error)
    }
}

impl<M: Machine, W: World, J: Journal> Dispatcher<'_, M, W, J> {
    /// The state after `entries`, which some engine wrote. Nothing is done and nothing written.
    pub fn fold(&mut self, entries: &[Entry]) -> Result<(), NoResume> {
        for entry in entries {
            self.replay(entry).map_err(NoResume::Misfit)?;
        }
        // What was decided then is not decided again.
        self.entries.clear();
        self.occupy();
        Ok(())
    }

    /// Whether an entry speaks of what there is: a journal may be damaged, or of another program.
    fn fits(&self, entry: &Entry) -> Result<(), String> {
        let (task, label) = match entry {
            Entry::Intent { order, label, .. } if order.0 >= LAST_ORDER => {
                return Err(format!("`{label}` has the impossible number {}", order.0));
            }
            Entry::Intent { order, label, .. } if self.given.contains_key(order) => {
                return Err(format!("`{label}` has the number of another order, {}", order.0));
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
        Err(format!("`{label}` is step {} of a plan that has no such step", task.0))
    }

    fn replay(&mut self, entry: &Entry) -> Result<(), String> {
        self.fits(entry)?;
        match entry {
            Entry::Begun { processes, .. } => {
                self.hold_processes(processes);
            }
            Entry::Planned { plan, aim, .. } => {
                self.rolling_back = *aim == Aim::Back;
                self.replan = None;
                self.given_up.clear();
                self.again.clear();
                self.forget_failures();
                self.retrying.clear();
                let follows = plan.read().and_then(|plan| self.machine.follow(plan, *aim));
                follows.map_err(|why| why.to_string())?;
            }
            Entry::Intent { order, task, instance, label, attempt } => {
                self.next_order = self.next_order.max(OrderId(order.0 + 1));
                self.replay_intent(*order, *task, instance, *attempt)
                    .map_err(|why| format!("`{label}` was started although {why}"))?;
            }
            Entry::Outcome { order, end, .. } => self.replay_outcome(*order, end)?,
            Entry::GaveUp { task, label, reason } => {
                self.retrying.remove(task);
                self.given_up.push(*task);
                self.failed.push(format!("`{label}` failed: {reason}"));
                self.machine.give_up(*task);
            }
            Entry::TakenUp { task } => self.taken_up(*task),
            Entry::Observed { instance, .. } => {
                self.holders.remove(instance);
                self.machine.observe(instance);
                self.replan = Some((Aim::Goal, format!("the process of {instance} died")));
            }
            Entry::Followed { .. } | Entry::Ended { .. } => {}
        }
        Ok(())
    }

    /// The processes that run when a run begins.
    pub(crate) fn hold_processes(&mut self, processes: &BTreeMap<String, OrderId>) {
        for (instance, order) in processes {
            if let Some((node, process)) = self.machine.process_of(instance) {
                let holder = crate::dispatcher::Holder { order: *order, node, process };
                self.holders.insert(instance.clone(), holder);
            }
        }
    }

    fn replay_intent(
        &mut self,
        id: OrderId,
        task: Option<Task>,
        instance: &str,
        attempt: u32,
    ) -> Result<(), String> {
        let work = match task {
            Some(task) => {
                if self.retrying.remove(&task).is_none() {
                    self.replay_start(task)?;
                }
                self.machine.work(task)
            }
            None => {
                let processes = self.holders.iter();
                let processes = processes.map(|(id, holder)| (id.clone(), holder.process.clone()));
                let untidy = self.machine.untidy(&processes.collect());
                let found = untidy.into_iter().find(|untidy| untidy.instance == instance);
                let none =
                    || Untidy { instance: instance.to_owned(), node: String::new(), spawn: None };
                self.tidying(found.unwrap_or_else(none))
            }
        };
        let order = self.order(id, work);
        let resources = Vec::new();
        let given = crate::dispatcher::Given {
            order,
            task,
            attempt,
            resources,
            timed_out: false,
            deadline: None,
        };
        self.given.insert(id, Box::new(given));
        Ok(())
    }

    /// Starts a task as it was started then: the rules without an action come first.
    fn replay_start(&mut self, task: Task) -> Result<(), String> {
        loop {
            let Err(why) = self.machine.start(task) else { return Ok(()) };
            let ready = self.machine.ready();
            if ready.is_empty() {
                return self.machine.start(task).map(|_| ()).map_err(|_| why.to_string());
            }
            // Whatever is offered here is not offered again.
            self.enqueue(ready);
        }
    }

    fn replay_outcome(&mut self, id: OrderId, end: &End) -> Result<(), String> {
        let Some(given) = self.given.remove(&id) else {
            return Err(format!("order {} ended without having been given", id.0));
        };
        self.hold(&given.order, end);
        let Some(task) = given.task else { return Ok(()) };
        match end {
            End::Done => {
                // An end in vain was in vain then as well.
                let _ = self.machine.end(task);
            }
            End::NotDone => {
                self.retrying.insert(task, given.attempt);
            }
            End::Failed { .. } | End::TimedOut | End::Cancelled => {
                // Whether it is given up stands in the next entry.
                self.retrying.insert(task, given.attempt.saturating_add(1));
            }
        }
        Ok(())
    }

    fn taken_up(&mut self, task: Task) {
        self.machine.take_up(task);
        self.given_up.retain(|other| *other != task);
        self.again.insert(task);
        self.forget_failures();
        if self.machine.exclusive(task).is_none() {
            // A transition of a net keeps its token while it is in trouble.
            self.retrying.insert(task, 0);
        }
    }

    /// What has failed is tried again; why everything is undone stays known.
    fn forget_failures(&mut self) {
        self.failed.truncate(usize::from(self.rolling_back));
    }

    /// Looks at the world and settles what is in doubt. Then [`Dispatcher::run`] goes on.
    ///
    /// `verdicts` is what the operator says, by order. Nothing is started here, and nothing is
    /// written when the operator has to be asked first, or does not want to wait for the answers.
    pub fn reconcile(&mut self, verdicts: &BTreeMap<OrderId, Verdict>) -> Result<(), NoResume> {
        let open: Vec<OrderId> = self.given.keys().copied().collect();
        let mut settled = Vec::new();
        let mut asked = Vec::new();
        let mut silent = Vec::new();
        for id in open {
            let Some(given) = self.given.get(&id) else { continue };
            let order = given.order.clone();
            let doubt = self.world.inquire(&order);
            if self.world.is_interrupted() {
                return Ok(());
            }
            match doubt {
                OrderStatus::Known => {
                    self.asked.insert(id);
                }
                OrderStatus::NotDone => settled.push((id, End::NotDone, Witness::World)),
                // What the operator does not say is waited for, whatever it declares.
                OrderStatus::Silent if !verdicts.contains_key(&id) => {
                    let doubt = InDoubt { order: id, label: order.label.clone() };
                    silent.push((doubt, order.host.unwrap_or_default()));
                }
                OrderStatus::Unknown | OrderStatus::Silent => {
                    match (&order.effect, verdicts.get(&id)) {
                        (_, Some(Verdict::Done)) => {
                            settled.push((id, End::Done, Witness::Operator))
                        }
                        (_, Some(Verdict::Again)) => {
                            settled.push((id, End::NotDone, Witness::Operator));
                        }
                        (Effect::Idempotent, None) => {
                            settled.push((id, End::NotDone, Witness::Idempotent));
                        }
                        (Effect::Observable(check), None) => {
                            match self.world.check(&order, check) {
                                Some(true) => settled.push((id, End::Done, Witness::Check)),
                                Some(false) => settled.push((id, End::NotDone, Witness::Check)),
                                None => {
                                    let doubt = InDoubt { order: id, label: order.label.clone() };
                                    silent.push((doubt, order.host.unwrap_or_default()));
                                }
                            }
                        }
                        (Effect::AtMostOnce, None) => {
                            asked.push(InDoubt { order: id, label: order.label.clone() });
                        }
                    }
                }
            }
        }
        if !silent.is_empty() {
            return Err(NoResume::Silent(silent));
        }
        if !asked.is_empty() {
            return Err(NoResume::InDoubt(asked));
        }
        if self.world.is_interrupted() {
            return Ok(());
        }
        for (id, end, witness) in settled {
            self.ended(id, end, Some(witness));
        }
        self.find_processes();
        self.try_again();
        self.commit()?;
        Ok(())
    }

    /// At the beginning of a run: the processes that an earlier run started are looked after.
    pub fn look_after(&mut self) -> Result<(), JournalError> {
        self.find_processes();
        self.commit()
    }

    /// Processes that run are looked after; those that do not have died meanwhile.
    fn find_processes(&mut self) {
        let stopping: Vec<OrderId> = self
            .given
            .values()
            .filter_map(|given| given.order.stop.as_ref().map(|(order, _)| *order))
            .collect();
        for (instance, holder) in self.holders.clone() {
            let order = self.holding(&instance, &holder);
            if self.world.is_interrupted() {
                return;
            }
            if !stopping.contains(&holder.order) && !self.world.adopt(&order) {
                let detail = "it did not run when the engine came back".to_owned();
                self.died(&instance, holder.order, detail);
            }
        }
    }

    /// What failed for good is tried again, and so is what waited for another try.
    fn try_again(&mut self) {
        if self.replan.is_none() {
            for task in std::mem::take(&mut self.given_up) {
                self.entries.push(Entry::TakenUp { task });
                self.taken_up(task);
            }
        }
        self.forget_failures();
        let waiting: Vec<Task> = self.retrying.keys().copied().collect();
        self.enqueue(waiting);
    }
}
