//! What starts, and with what: the tasks that may start now, as far as limits, locks and hosts let
//! them, and the processes that have to follow the states of their instances.

use std::time::Duration;

use windlass::lifecycle::implementation::{Effect, Process};

use super::{Dispatcher, InFlight, RunningProcess};
use crate::entry::{End, Entry, OrderId, Task};
use crate::journal::Journal;
use crate::limits::Resource;
use crate::machine::{Machine, ProcessMismatch, Work};
use crate::world::{Order, World};

impl<M: Machine, W: World, J: Journal> Dispatcher<'_, M, W, J> {
    /// Starts whatever can start, but of a batch only so many at once; whether there may be more.
    pub(super) fn advance(&mut self) -> bool {
        if self.control.is_interrupted() {
            return false;
        }
        self.repair_processes();
        let waits = self.control.is_stopping() || self.control.is_replanning();
        if waits || self.orders.has_doubtful() {
            return false;
        }
        loop {
            let ready = self.machine.ready();
            let is_quiet = ready.is_empty();
            self.waiting.enqueue(ready);
            let mut has_started = false;
            while !self.is_batch_full()
                && let Some(task) = self.waiting.pop()
            {
                has_started |= self.begin(task);
            }
            if self.is_batch_full() {
                return true;
            }
            if is_quiet && !has_started {
                return false;
            }
        }
    }

    /// Whether enough is about to start.
    fn is_batch_full(&self) -> bool {
        self.outbox.starting() >= self.world.batch(self.outbox.is_unrepeatable())
    }

    fn resources(&self, task: Task, work: Option<&Work>) -> Vec<Resource> {
        let mut resources: Vec<Resource> =
            self.machine.exclusive(task).map(Resource::Instance).into_iter().collect();
        match work {
            Some(work) => {
                resources.extend(work.host.clone().map(Resource::Host));
                resources.extend(work.lock.clone().map(Resource::Lock));
            }
            None => resources.extend(self.machine.host(task).map(Resource::Host)),
        }
        resources
    }

    /// Orders that are under way after a fold take what they need, also those of an earlier engine.
    pub(crate) fn hold_resources(&mut self) {
        for id in self.orders.ids() {
            let (resources, deadline) = match self.orders.task(id) {
                Some(task) => {
                    let work = self.machine.work(task);
                    (self.resources(task, Some(&work)), self.deadline(work.timeout))
                }
                // The repair of a process: nothing else may happen to its instance meanwhile.
                None => {
                    let instance = self.orders.order(id).map(|order| order.instance.clone());
                    (instance.map(Resource::Instance).into_iter().collect(), None)
                }
            };
            self.waiting.acquire(&resources);
            self.waiting.start_timeout(id, deadline);
            self.orders.hold(id, resources, deadline);
        }
    }

    fn deadline(&self, timeout: Option<Duration>) -> Option<Duration> {
        timeout.map(|timeout| self.world.now().saturating_add(timeout))
    }

    /// Starts a task for the first time or again, if its resources are free and the rules let it.
    fn begin(&mut self, task: Task) -> bool {
        let again = self.waiting.attempt(task);
        // What a net's transition is does not depend on whether it has started.
        let work = self.machine.exclusive(task).is_none().then(|| self.machine.work(task));
        let resources = self.resources(task, work.as_ref());
        if !self.waiting.acquire_for(task, &resources) {
            return false;
        }
        let (attempt, notes) = match again {
            Some(attempt) => {
                self.waiting.drop_retry(task);
                (attempt, Vec::new())
            }
            None => match self.machine.start(task) {
                Ok(notes) => (0, notes),
                Err(_) => {
                    self.waiting.release(&resources);
                    return false;
                }
            },
        };
        let work = work.unwrap_or_else(|| self.machine.work(task));
        self.give(Some(task), work, attempt, resources);
        self.record_notes(notes);
        true
    }

    /// Where a host is reached: by its name, when nothing else is said.
    pub(crate) fn address(&self, host: Option<String>) -> Option<String> {
        host.map(|name| self.machine.address(&name).unwrap_or(name))
    }

    /// The order that a piece of work is.
    pub(crate) fn order(&self, id: OrderId, work: Work) -> Order {
        let stops = |(process, running): (Process, &RunningProcess)| (running.order, process);
        Order {
            id,
            label: work.label,
            stop: work.stop.zip(self.processes.get(&work.instance)).map(stops),
            host: self.address(work.host.or_else(|| self.machine.host_of(&work.node))),
            instance: work.instance,
            node: work.node,
            operation: work.operation,
            run: work.run,
            spawn: work.spawn,
            removes: work.removes,
            effect: work.effect,
            expected: work.expected,
            again: false,
        }
    }

    fn give(&mut self, task: Option<Task>, work: Work, attempt: u32, resources: Vec<Resource>) {
        let id = self.orders.next_id();
        let timeout = work.timeout;
        let mut order = self.order(id, work);
        order.again = task.is_some_and(|task| self.failures.is_retried(task));
        self.outbox.record(Entry::Intent {
            order: id,
            task,
            instance: order.instance.clone(),
            label: order.label.clone(),
            attempt,
        });
        let is_empty = !self.world.performs(&order);
        self.outbox.note_order(&order);
        let deadline = self.deadline(timeout);
        let in_flight = InFlight::new(order, task, attempt);
        self.orders.insert(InFlight { resources, deadline, ..in_flight });
        if is_empty {
            // Nothing to wait for: the outcome is part of the same commit.
            self.order_ended(id, End::Done, None);
            return;
        }
        self.waiting.start_timeout(id, deadline);
        self.outbox.start(id);
    }

    /// Processes follow the states of their instances. Looked at only after something unplanned
    /// happened: what goes by plan keeps them together by itself. What failed is not tried again
    /// before something else happens to its instance.
    fn repair_processes(&mut self) {
        if !self.processes.take_check_request() {
            return;
        }
        for mismatch in self.machine.process_mismatches(&self.processes.by_instance()) {
            if self.processes.is_unrepairable(&mismatch) {
                continue;
            }
            if self.orders.has_instance(&mismatch.instance) {
                // Looked at again when that has ended.
                self.processes.request_check();
                continue;
            }
            let resources = vec![Resource::Instance(mismatch.instance.clone())];
            let work = self.repair(mismatch);
            self.waiting.acquire(&resources);
            self.give(None, work, 0, resources);
        }
    }

    /// What puts a process into the state of its instance.
    pub(crate) fn repair(&self, mismatch: ProcessMismatch) -> Work {
        let ProcessMismatch { instance, node, spawn } = mismatch;
        let stop = self.processes.get(&instance).map(|running| running.process.clone());
        let verb = if spawn.is_some() { "start" } else { "stop" };
        Work {
            label: format!("{verb} the process of {instance}"),
            node,
            stop,
            spawn,
            effect: Effect::Idempotent,
            instance,
            ..Work::default()
        }
    }
}
