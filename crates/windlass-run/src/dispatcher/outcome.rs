//! What the end of an order, or the death of a process, means for the model.

use windlass::lifecycle::implementation::Effect;

use super::{Dispatcher, InFlight, RunningProcess};
use crate::entry::{Aim, End, Entry, OrderId, Witness};
use crate::journal::Journal;
use crate::machine::{Machine, ProcessMismatch};
use crate::world::{Order, World};

impl<M: Machine, W: World, J: Journal> Dispatcher<'_, M, W, J> {
    /// An order ended. A report about an order that is not under way says nothing new.
    pub(crate) fn order_ended(&mut self, id: OrderId, end: End, witness: Option<Witness>) {
        let Some(ended) = self.orders.remove(id) else { return };
        self.waiting.stop_timeout(id, ended.deadline);
        let end = match end {
            End::Cancelled if ended.timed_out => End::TimedOut,
            End::Failed { reason } if ended.timed_out => {
                End::Failed { reason: format!("it took too long: {reason}") }
            }
            other => other,
        };
        self.outbox.record(Entry::Outcome { order: id, end: end.clone(), witness });
        self.outbox.note_order(&ended.order);
        if end != End::NotDone {
            self.outbox.clean_up(id);
        }
        self.waiting.release(&ended.resources);
        let is_done = end == End::Done;
        if is_done {
            self.processes.order_done(&ended.order);
        } else if let Some((before, _)) = &ended.order.stop {
            self.check_process(*before, &ended.order.instance);
        }
        let is_old = self.orders.take_inquired(id) || witness.is_some();
        let spawned =
            (is_done && ended.order.spawn.is_some()).then(|| ended.order.instance.clone());
        self.settle_task(&ended, end);
        match (spawned, self.processes.take_early_death(id)) {
            (Some(instance), Some(detail)) => self.process_died(&instance, id, detail),
            // The report is old: what came up may be gone, and its death was not reported.
            (Some(instance), None) if is_old => self.check_process(id, &instance),
            _ => {}
        }
    }

    /// Does the process that this order started still run? If not, it has died.
    fn check_process(&mut self, id: OrderId, instance: &str) {
        let Some(running) = self.processes.started_by(instance, id) else { return };
        let order = self.process_order(instance, running);
        if !self.world.adopt(&order) {
            self.process_died(instance, id, "it ended, and no engine had seen it".to_owned());
        }
    }

    /// What the end of an order means for its task.
    fn settle_task(&mut self, ended: &InFlight, end: End) {
        let InFlight { order, task, attempt, .. } = ended;
        let end = self.failures.count_not_done(&order.label, end);
        let Some(task) = *task else {
            self.repair_ended(order, end);
            return;
        };
        match end {
            End::Done => match self.machine.end(task) {
                Ok(notes) => self.record_notes(notes),
                // The world changed while it ran: what it did counts no more.
                Err(what) => {
                    self.processes.request_check();
                    let what = format!("`{}` ended without success: {what}", order.label);
                    self.outbox.record(Entry::Followed { what, fault: false });
                }
            },
            End::NotDone => self.waiting.retry_now(task, *attempt),
            End::Failed { reason } => self.attempt_failed(task, &order.label, *attempt, reason),
            End::TimedOut => {
                self.attempt_failed(task, &order.label, *attempt, "it took too long".to_owned());
            }
            End::Cancelled => self.give_up(task, &order.label, "it was cancelled".to_owned()),
        }
    }

    /// The order behind a process that runs, as far as the world needs it.
    pub(crate) fn process_order(&self, instance: &str, running: &RunningProcess) -> Order {
        Order {
            id: running.order,
            label: format!("the process of {instance}"),
            instance: instance.to_owned(),
            node: running.node.clone(),
            host: self.address(self.machine.host_of(&running.node)),
            operation: None,
            run: None,
            stop: None,
            spawn: Some(running.process.clone()),
            removes: false,
            effect: Effect::Idempotent,
            expected: None,
            again: false,
        }
    }

    /// An order that puts a process into the state of its instance has ended.
    fn repair_ended(&mut self, order: &Order, end: End) {
        let reason = match end {
            End::Done => return,
            // It is given again.
            End::NotDone => {
                self.processes.request_check();
                return;
            }
            End::Failed { reason } => reason,
            End::TimedOut => "it took too long".to_owned(),
            End::Cancelled => "it was cancelled".to_owned(),
        };
        let (instance, node) = (order.instance.clone(), order.node.clone());
        let spawn = order.spawn.clone();
        self.processes.mark_unrepairable(ProcessMismatch { instance, node, spawn });
        self.failures.record(format!("`{}` failed: {reason}", order.label));
        let wanted = self.machine.process_of(&order.instance).map(|(_, process)| process);
        if order.spawn.is_some() && order.spawn == wanted {
            // The state says that it runs, and it does not: what relies on it has to know.
            self.processes.remove(&order.instance);
            self.process_missing(&order.instance, order.id, reason);
        }
        self.fail_for_good();
    }

    /// A process that the state of its instance asks for is not there.
    fn process_missing(&mut self, instance: &str, order: OrderId, detail: String) {
        self.processes.request_check();
        self.outbox.record(Entry::Observed { instance: instance.to_owned(), order, detail });
        let notes = self.machine.observe(instance);
        self.record_notes(notes);
    }

    /// The process of an instance is gone without an order to end it.
    ///
    /// An action of the environment: the model follows it by rule `observe`, faults settle, and
    /// what is left of the plan no longer fits.
    pub(crate) fn process_died(&mut self, instance: &str, order: OrderId, detail: String) {
        if self.processes.started_by(instance, order).is_none() {
            if self.orders.contains(order) {
                // The report that it came up was overtaken, or lost and will be asked for.
                self.processes.died_early(order, detail);
            }
            return;
        }
        self.processes.remove(instance);
        self.process_missing(instance, order, detail.clone());
        if self.options.keep_faults {
            return;
        }
        if self.dies_too_often(instance) {
            let last = if detail.is_empty() { detail } else { format!(": {detail}") };
            let reason = format!("the process of {instance} dies again and again{last}");
            self.failures.record(reason);
            self.control.stop();
            return;
        }
        if !self.control.is_rolling_back() && !self.control.is_stopping() {
            self.control.replan(Aim::Goal, format!("the process of {instance} died"));
        }
    }
}
