//! What waits: for its turn, for a moment, for another attempt, for a limited resource.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use crate::entry::{OrderId, Task};
use crate::limits::{Limits, Resource};

/// What happens when its moment has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Timer {
    /// A task that failed is tried again.
    Retry(Task),
    /// An order has taken too long.
    Timeout(OrderId),
    /// A process that dies again and again is not started again at once.
    Pause,
}

/// Tasks that wait, and the moments at which something is due.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    queue: VecDeque<Task>,
    timers: BTreeSet<(Duration, Timer)>,
    /// Tasks that have started and wait for another attempt, with the number of that attempt.
    retrying: BTreeMap<Task, u32>,
    limits: Limits,
}

impl Waiting {
    pub(super) fn new(limits: Limits) -> Self {
        Waiting { limits, ..Waiting::default() }
    }

    /// Tasks whose turn has come.
    pub(crate) fn enqueue(&mut self, tasks: impl IntoIterator<Item = Task>) {
        self.queue.extend(tasks);
    }

    /// The next task, unless as much runs as may.
    pub(super) fn pop(&mut self) -> Option<Task> {
        if self.limits.is_full() { None } else { self.queue.pop_front() }
    }

    /// Takes all of `resources` for a task; else the task waits for the first that is not free.
    pub(super) fn acquire_for(&mut self, task: Task, resources: &[Resource]) -> bool {
        self.limits.acquire(Some(task), resources)
    }

    /// Takes `resources` even where none is free.
    pub(super) fn acquire(&mut self, resources: &[Resource]) {
        self.limits.acquire(None, resources);
    }

    /// Gives resources back; tasks that waited for them may try again.
    pub(super) fn release(&mut self, resources: &[Resource]) {
        let woken = self.limits.release(resources);
        self.queue.extend(woken);
    }

    /// Another plan is followed: the tasks of the last one no longer wait.
    pub(super) fn clear_tasks(&mut self) {
        self.queue.clear();
        self.limits.clear_waiting();
    }

    /// A task waits for another attempt until `moment`.
    pub(super) fn retry_at(&mut self, task: Task, attempt: u32, moment: Duration) {
        self.retrying.insert(task, attempt);
        self.timers.insert((moment, Timer::Retry(task)));
    }

    /// A task is tried again as soon as possible.
    pub(super) fn retry_now(&mut self, task: Task, attempt: u32) {
        self.retrying.insert(task, attempt);
        self.queue.push_back(task);
    }

    /// A task that will be tried again has this attempt next; it is not its turn yet.
    pub(crate) fn set_attempt(&mut self, task: Task, attempt: u32) {
        self.retrying.insert(task, attempt);
    }

    /// The number of the attempt that a task waits for.
    pub(super) fn attempt(&self, task: Task) -> Option<u32> {
        self.retrying.get(&task).copied()
    }

    /// A task waits for no other attempt; whether it did.
    pub(crate) fn drop_retry(&mut self, task: Task) -> bool {
        self.retrying.remove(&task).is_some()
    }

    /// No task waits for another attempt; those that did.
    pub(crate) fn take_retries(&mut self) -> Vec<Task> {
        std::mem::take(&mut self.retrying).into_keys().collect()
    }

    /// It is the turn of whatever waits for another attempt.
    pub(crate) fn enqueue_retries(&mut self) {
        self.queue.extend(self.retrying.keys());
    }

    pub(super) fn start_timeout(&mut self, order: OrderId, deadline: Option<Duration>) {
        self.timers.extend(deadline.map(|deadline| (deadline, Timer::Timeout(order))));
    }

    pub(super) fn stop_timeout(&mut self, order: OrderId, deadline: Option<Duration>) {
        if let Some(deadline) = deadline {
            self.timers.remove(&(deadline, Timer::Timeout(order)));
        }
    }

    /// Nothing is planned before `moment`.
    pub(super) fn pause_until(&mut self, moment: Duration) {
        self.timers.insert((moment, Timer::Pause));
    }

    /// Whether a process that died again has to wait before anything is planned for it.
    pub(super) fn is_paused(&self) -> bool {
        self.timers.iter().any(|(_, timer)| *timer == Timer::Pause)
    }

    pub(super) fn has_timers(&self) -> bool {
        !self.timers.is_empty()
    }

    pub(super) fn clear_timers(&mut self) {
        self.timers.clear();
    }

    /// When something is due next.
    pub(super) fn next_moment(&self) -> Option<Duration> {
        self.timers.first().map(|(moment, _)| *moment)
    }

    /// The next of what is due by `now`.
    pub(super) fn pop_due(&mut self, now: Duration) -> Option<Timer> {
        if self.next_moment()? > now {
            return None;
        }
        self.timers.pop_first().map(|(_, timer)| timer)
    }
}
