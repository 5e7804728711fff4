//! What the end of an order, or the death of a process, means for the model.

use windlass::lifecycle::implementation::Effect;

use super::{Dispatcher, Given, Holder, Timer};
use crate::entry::{Aim, End, Entry, OrderId, Witness};
use crate::journal::Journal;
use crate::machine::{Machine, Untidy};
use crate::world::{Order, World};

impl<M: Machine, W: World, J: Journal> Dispatcher<'_, M, W, J> {
    /// An order ended. A report about an order that is not under way says nothing new.
    pub(crate) fn ended(&mut self, id: OrderId, end: End, witness: Option<Witness>) {
        let Some(given) = self.given.remove(&id) else { return };
        self.doubtful.remove(&id);
        if let Some(deadline) = given.deadline {
            self.timers.remove(&(deadline, Timer::Timeout(id)));
        }
        let end = match end {
            End::Cancelled if given.timed_out => End::TimedOut,
            End::Failed { reason } if given.timed_out => {
                End::Failed { reason: format!("it took too long: {reason}") }
            }
            other => other,
        };
        self.entries.push(Entry::Outcome { order: id, end: end.clone(), witness });
        self.once |= !given.order.is_repeatable();
        if end != End::NotDone {
            self.over.push(id);
        }
        let woken = self.limits.give_back(&given.resources);
        self.queue.extend(woken);
        self.hold(&given.order, &end);
        if end != End::Done
            && let Some((before, _)) = &given.order.stop
        {
            self.still_runs(*before, &given.order.instance);
        }
        let asked = self.asked.remove(&id) || witness.is_some();
        let spawned =
            (end == End::Done && given.order.spawn.is_some()).then(|| given.order.instance.clone());
        self.concluded(&given, end);
        match (spawned, self.early.remove(&id)) {
            (Some(instance), Some(detail)) => self.died(&instance, id, detail),
            // The report is old: what came up may be gone, and its death was not reported.
            (Some(instance), None) if asked => self.still_runs(id, &instance),
            _ => {}
        }
    }

    /// Who holds the process of an instance after an order ended.
    pub(crate) fn hold(&mut self, order: &Order, end: &End) {
        if *end != End::Done {
            return;
        }
        self.hopeless.retain(|untidy| untidy.instance != order.instance);
        if order.stop.is_some() {
            self.holders.remove(&order.instance);
        }
        if let Some(process) = &order.spawn {
            let holder =
                Holder { order: order.id, node: order.node.clone(), process: process.clone() };
            self.holders.insert(order.instance.clone(), holder);
        }
    }

    /// Does the process that this order started still run? If not, it has died.
    fn still_runs(&mut self, id: OrderId, instance: &str) {
        let Some(holder) = self.holders.get(instance).filter(|holder| holder.order == id) else {
            return;
        };
        let order = self.holding(instance, holder);
        if !self.world.adopt(&order) {
            self.died(instance, id, "it ended, and no engine had seen it".to_owned());
        }
    }

    fn concluded(&mut self, given: &Given, end: End) {
        let Given { order, task, attempt, .. } = given;
        let end = self.unless_in_vain(&order.label, end);
        let Some(task) = *task else {
            self.tidied(order, end);
            return;
        };
        match end {
            End::Done => match self.machine.end(task) {
                Ok(notes) => self.followed(notes),
                // The world changed while it ran: what it did counts no more.
                Err(what) => {
                    self.suspect = true;
                    let what = format!("`{}` ended in vain: {what}", order.label);
                    self.entries.push(Entry::Followed { what, fault: false });
                }
            },
            End::NotDone => {
                self.retrying.insert(task, *attempt);
                self.queue.push_back(task);
            }
            End::Failed { reason } => self.failed_once(task, &order.label, *attempt, reason),
            End::TimedOut => {
                self.failed_once(task, &order.label, *attempt, "it took too long".to_owned());
            }
            End::Cancelled => self.give_up(task, &order.label, "it was cancelled".to_owned()),
        }
    }

    /// The order behind a process that runs, as far as the world needs it.
    pub(crate) fn holding(&self, instance: &str, holder: &Holder) -> Order {
        Order {
            id: holder.order,
            label: format!("the process of {instance}"),
            instance: instance.to_owned(),
            node: holder.node.clone(),
            host: self.address(self.machine.host_of(&holder.node)),
            operation: None,
            run: None,
            stop: None,
            spawn: Some(holder.process.clone()),
            removes: false,
            effect: Effect::Idempotent,
            expected: None,
            again: false,
        }
    }

    /// An order that puts a process where its instance is has ended.
    fn tidied(&mut self, order: &Order, end: End) {
        let reason = match end {
            End::Done => return,
            // It is given again.
            End::NotDone => {
                self.suspect = true;
                return;
            }
            End::Failed { reason } => reason,
            End::TimedOut => "it took too long".to_owned(),
            End::Cancelled => "it was cancelled".to_owned(),
        };
        let (instance, node) = (order.instance.clone(), order.node.clone());
        self.hopeless.push(Untidy { instance, node, spawn: order.spawn.clone() });
        self.failed.push(format!("`{}` failed: {reason}", order.label));
        let wanted = self.machine.process_of(&order.instance).map(|(_, process)| process);
        if order.spawn.is_some() && order.spawn == wanted {
            // The state says that it runs, and it does not: whoever relies on it has to know.
            self.holders.remove(&order.instance);
            self.is_gone(&order.instance, order.id, reason);
        }
        self.fail_for_good();
    }

    /// A process that the state of its instance asks for is not there.
    fn is_gone(&mut self, instance: &str, order: OrderId, detail: String) {
        self.suspect = true;
        let entry = Entry::Observed { instance: instance.to_owned(), order, detail };
        self.entries.push(entry);
        let notes = self.machine.observe(instance);
        self.followed(notes);
    }

    /// The process of an instance is gone, though no order ended it.
    ///
    /// An action of the environment: the model follows it by rule `observe`, faults settle, and
    /// what is left of the plan no longer fits.
    pub(crate) fn died(&mut self, instance: &str, order: OrderId, detail: String) {
        if self.holders.get(instance).is_none_or(|holder| holder.order != order) {
            if self.given.contains_key(&order) {
                // The report that it came up was overtaken, or lost and will be asked for.
                self.early.insert(order, detail);
            }
            return;
        }
        self.holders.remove(instance);
        self.is_gone(instance, order, detail.clone());
        if self.options.keep_faults {
            return;
        }
        if self.dies_too_often(instance) {
            let last = if detail.is_empty() { detail } else { format!(": {detail}") };
            self.failed.push(format!("the process of {instance} dies again and again{last}"));
            self.stopping = true;
            return;
        }
        if !self.rolling_back && !self.stopping {
            self.replan = Some((Aim::Goal, format!("the process of {instance} died")));
        }
    }
}
