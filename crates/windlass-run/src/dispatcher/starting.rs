//! What starts, and with what: the tasks that may start now, as far as limits, locks and hosts let
//! them, and the processes that have to follow the states of their instances.

use windlass::lifecycle::implementation::{Effect, Process};

use super::{Dispatcher, Given, Holder, Timer};
use crate::entry::{End, Entry, OrderId, Task};
use crate::journal::Journal;
use crate::limits::Resource;
use crate::machine::{Holders, Machine, Untidy, Work};
use crate::world::{Order, World};

impl<M: Machine, W: World, J: Journal> Dispatcher<'_, M, W, J> {
    /// Starts whatever can start, but of a batch only so many at once; whether there may be more.
    pub(super) fn advance(&mut self) -> bool {
        if self.interrupted {
            return false;
        }
        self.tidy();
        if self.stopping || self.replan.is_some() || !self.doubtful.is_empty() {
            return false;
        }
        loop {
            let ready = self.machine.ready();
            let is_quiet = ready.is_empty();
            self.queue.extend(ready);
            let mut has_started = false;
            while !self.is_batch_full()
                && !self.limits.is_full()
                && let Some(task) = self.queue.pop_front()
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
        self.launch.len() >= self.world.batch(self.once)
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

    /// Orders that are under way after a fold take what they need, whoever gave them.
    pub(crate) fn occupy(&mut self) {
        for id in self.given.keys().copied().collect::<Vec<_>>() {
            let Some(given) = self.given.get_mut(&id) else { continue };
            let Some(task) = given.task else {
                // Tidying up: nothing else may happen to its instance meanwhile.
                given.resources = vec![Resource::Instance(given.order.instance.clone())];
                self.limits.take(None, &given.resources);
                continue;
            };
            let work = self.machine.work(task);
            let resources = self.resources(task, Some(&work));
            self.limits.take(None, &resources);
            let deadline = work.timeout.map(|timeout| self.world.now().saturating_add(timeout));
            if let Some(deadline) = deadline {
                self.timers.insert((deadline, Timer::Timeout(id)));
            }
            if let Some(given) = self.given.get_mut(&id) {
                (given.resources, given.deadline) = (resources, deadline);
            }
        }
    }

    /// Starts a task for the first time or again, if its resources are free and the rules let it.
    fn begin(&mut self, task: Task) -> bool {
        let again = self.retrying.get(&task).copied();
        // What a net's transition is does not depend on whether it has started.
        let work = self.machine.exclusive(task).is_none().then(|| self.machine.work(task));
        let resources = self.resources(task, work.as_ref());
        if !self.limits.take(Some(task), &resources) {
            return false;
        }
        let (attempt, notes) = match again {
            Some(attempt) => {
                self.retrying.remove(&task);
                (attempt, Vec::new())
            }
            None => match self.machine.start(task) {
                Ok(notes) => (0, notes),
                Err(_) => {
                    let woken = self.limits.give_back(&resources);
                    self.queue.extend(woken);
                    return false;
                }
            },
        };
        let work = work.unwrap_or_else(|| self.machine.work(task));
        self.give(Some(task), work, attempt, resources);
        self.followed(notes);
        true
    }

    /// Where a host is reached: by its name, when nothing else is said.
    pub(crate) fn address(&self, host: Option<String>) -> Option<String> {
        host.map(|name| self.machine.address(&name).unwrap_or(name))
    }

    /// The order that a piece of work is.
    pub(crate) fn order(&self, id: OrderId, work: Work) -> Order {
        let stops = |(process, holder): (Process, &Holder)| (holder.order, process);
        Order {
            id,
            label: work.label,
            stop: work.leaves.zip(self.holders.get(&work.instance)).map(stops),
            host: self.address(work.host.or_else(|| self.machine.host_of(&work.node))),
            instance: work.instance,
            node: work.node,
            operation: work.operation,
            run: work.run,
            spawn: work.enters,
            removes: work.removes,
            effect: work.effect,
            expected: work.expected,
            again: false,
        }
    }

    fn give(&mut self, task: Option<Task>, work: Work, attempt: u32, resources: Vec<Resource>) {
        let id = self.next_order;
        self.next_order.0 += 1;
        let timeout = work.timeout;
        let mut order = self.order(id, work);
        order.again = task.is_some_and(|task| self.again.contains(&task));
        self.entries.push(Entry::Intent {
            order: id,
            task,
            instance: order.instance.clone(),
            label: order.label.clone(),
            attempt,
        });
        let is_empty = !self.world.performs(&order);
        self.once |= !order.is_repeatable();
        let deadline = timeout.map(|timeout| self.world.now().saturating_add(timeout));
        let given = Given { order, task, attempt, resources, timed_out: false, deadline };
        self.given.insert(id, Box::new(given));
        if is_empty {
            // Nothing to wait for: the outcome is part of the same commit.
            self.ended(id, End::Done, None);
            return;
        }
        if let Some(deadline) = deadline {
            self.timers.insert((deadline, Timer::Timeout(id)));
        }
        self.launch.push(id);
    }

    /// Processes follow the states of their instances. Looked at only after something unplanned
    /// happened: what goes by plan keeps them together by itself. What failed is not tried again
    /// before something else happens to its instance.
    fn tidy(&mut self) {
        if !std::mem::take(&mut self.suspect) {
            return;
        }
        let processes: Holders =
            self.holders.iter().map(|(id, holder)| (id.clone(), holder.process.clone())).collect();
        for untidy in self.machine.untidy(&processes) {
            if self.hopeless.contains(&untidy) {
                continue;
            }
            let resource = [Resource::Instance(untidy.instance.clone())];
            let busy = self.given.values().any(|given| given.order.instance == untidy.instance);
            if busy {
                // Looked at again when that has ended.
                self.suspect = true;
                continue;
            }
            let work = self.tidying(untidy);
            self.limits.take(None, &resource);
            self.give(None, work, 0, resource.into());
        }
    }

    pub(crate) fn tidying(&self, untidy: Untidy) -> Work {
        let Untidy { instance, node, spawn } = untidy;
        let leaves = self.holders.get(&instance).map(|holder| holder.process.clone());
        let verb = if spawn.is_some() { "start" } else { "stop" };
        Work {
            label: format!("{verb} the process of {instance}"),
            node,
            operation: None,
            run: None,
            leaves,
            enters: spawn,
            removes: false,
            effect: Effect::Idempotent,
            timeout: None,
            retry: None,
            host: None,
            lock: None,
            expected: None,
            instance,
        }
    }
}
