//! The loop itself: what happens between two reports, and how a run comes to its end.

use windlass::lifecycle::implementation::Effect;

use super::control::Replan;
use super::waiting::Timer;
use super::{Dispatcher, Finish, Unseen};
use crate::entry::{End, Ending, Entry, OrderId, Witness};
use crate::journal::{Journal, JournalError};
use crate::machine::{Machine, Note, Obstacle};
use crate::world::{Order, OrderStatus, Report, World};

/// What is known about an order whose end the world does not know.
pub(crate) enum Settlement {
    /// How it ended, and who says so.
    Ended(End, Witness),
    /// Its check does not answer.
    NoAnswer,
    /// It declares nothing that would decide: the operator has to.
    Undecided,
}

impl<M: Machine, W: World, J: Journal> Dispatcher<'_, M, W, J> {
    /// Runs until the goal holds, or something else ends the run.
    pub fn run(&mut self) -> Result<Finish, JournalError> {
        self.run_until_idle(false)
    }

    /// Runs. With `stays` it waits until processes that cannot be seen are seen again.
    fn run_until_idle(&mut self, stays: bool) -> Result<Finish, JournalError> {
        // Heard while the world was asked what became of what was there: nothing begins.
        self.control.set_interrupted(self.world.is_interrupted());
        loop {
            let goes_on = self.advance();
            self.commit()?;
            if self.control.is_interrupted() {
                return Ok(Finish::Interrupted);
            }
            if let Some(doubts) = self.orders.only_doubtful() {
                return Ok(Finish::InDoubt(doubts));
            }
            if self.is_idle() {
                match self.when_idle() {
                    // What cannot be seen is not said to be reached. Nothing is written: the run
                    // has not ended.
                    Some(Finish::Reached)
                        if let unseen = self.unseen()
                            && !unseen.is_empty() =>
                    {
                        if !stays {
                            return Ok(Finish::Unseen(unseen));
                        }
                    }
                    Some(finish) => {
                        self.abandon_retries("nothing new starts");
                        self.record_end(&finish);
                        self.commit()?;
                        return Ok(finish);
                    }
                    None => continue,
                }
            }
            let pause = self.watcher.as_mut().and_then(|watcher| watcher(&self.machine));
            let look = pause.map(|pause| self.world.now().saturating_add(pause));
            let until = if goes_on {
                Some(self.world.now())
            } else {
                self.waiting.next_moment().into_iter().chain(look).min()
            };
            match self.world.wait(until) {
                Some(report) => self.handle(report),
                // No report can come any more: one was lost, and the world is asked again.
                None if until.is_none() => self.inquire_again(),
                None => {}
            }
            while let Some(report) = self.world.poll() {
                self.handle(report);
            }
            self.fire_timers();
        }
    }

    /// Runs, and stays while there are processes to look after. Ends only when the operator wants
    /// it to, or when something has failed for good.
    pub(crate) fn supervise(&mut self) -> Result<Finish, JournalError> {
        loop {
            let finish = self.run_until_idle(true)?;
            if finish != Finish::Reached || self.processes.is_empty() {
                return Ok(finish);
            }
            let Some(report) = self.world.wait(None) else { return Ok(finish) };
            self.handle(report);
            if self.control.is_interrupted() {
                return Ok(Finish::Interrupted);
            }
        }
    }

    /// The processes that should run, and whose hosts do not say whether they do.
    fn unseen(&self) -> Vec<Unseen> {
        let orders = self.world.unseen();
        let mut unseen = Vec::new();
        for (instance, running) in self.processes.iter() {
            if orders.contains(&running.order) {
                let host = self.machine.host_of(&running.node).unwrap_or_default();
                unseen.push(Unseen { instance: instance.clone(), host });
            }
        }
        unseen
    }

    /// Nothing runs, nothing waits for its time.
    fn is_idle(&self) -> bool {
        let has_plan = !self.control.is_replanning() || self.waiting.is_paused();
        let waits = self.waiting.has_timers() && !self.control.is_stopping() && has_plan;
        self.orders.is_empty() && !waits
    }

    /// What followed from a step.
    pub(super) fn record_notes(&mut self, notes: Vec<Note>) {
        for Note { what, fault } in notes {
            if fault {
                self.processes.request_check();
            }
            self.outbox.record(Entry::Followed { what, fault });
        }
    }

    /// Writes down, then acts; what is only for people or only cleans up comes last.
    pub(crate) fn commit(&mut self) -> Result<(), JournalError> {
        let now = self.world.now();
        let has_entries = !self.outbox.entries().is_empty();
        if has_entries {
            let safety = self.outbox.safety(self.world.ends_with_machine());
            self.journal.append(now, self.outbox.entries(), safety)?;
            self.outbox.written();
        }
        for id in self.outbox.take_starts() {
            if let Some(order) = self.orders.order(id) {
                self.world.start(order);
            }
        }
        if has_entries {
            (self.listener)(now, self.outbox.entries());
            self.outbox.clear_entries();
        }
        for id in self.outbox.take_cleanups() {
            self.world.cleanup(id);
        }
        Ok(())
    }

    /// Asks the world about every order that has not ended.
    fn inquire_again(&mut self) {
        for id in self.orders.ids() {
            let Some(order) = self.orders.order(id) else { continue };
            match self.world.inquire(order) {
                OrderStatus::Known => self.orders.mark_inquired(id),
                OrderStatus::NotDone => self.order_ended(id, End::NotDone, Some(Witness::World)),
                OrderStatus::Unknown | OrderStatus::Silent => self.end_unknown(id),
            }
        }
    }

    /// The end of an order is not known: what it declares decides, or the operator has to.
    fn end_unknown(&mut self, id: OrderId) {
        let Some(order) = self.orders.order(id).cloned() else { return };
        let settlement = self.settle(&order);
        if matches!(order.effect, Effect::Observable(_)) && self.world.is_interrupted() {
            // The answer was not waited for: the next engine asks again.
            return;
        }
        match settlement {
            Settlement::Ended(end, witness) => self.order_ended(id, end, Some(witness)),
            Settlement::NoAnswer | Settlement::Undecided => self.orders.mark_doubtful(id),
        }
    }

    /// What an order declares about an end that the world does not know.
    pub(crate) fn settle(&mut self, order: &Order) -> Settlement {
        match &order.effect {
            Effect::Idempotent => Settlement::Ended(End::NotDone, Witness::Idempotent),
            Effect::AtMostOnce => Settlement::Undecided,
            Effect::Observable(check) => match self.world.check(order, check) {
                Some(true) => Settlement::Ended(End::Done, Witness::Check),
                Some(false) => Settlement::Ended(End::NotDone, Witness::Check),
                None => Settlement::NoAnswer,
            },
        }
    }

    /// What one report means.
    fn handle(&mut self, report: Report) {
        match report {
            Report::Ended { order, end } => self.order_ended(order, end, None),
            Report::Died { instance, order, detail } => self.process_died(&instance, order, detail),
            Report::Lost { order } => self.end_unknown(order),
            // The world says so when it is asked.
            Report::Seen { .. } => {}
            Report::Interrupted => self.control.set_interrupted(true),
        }
    }

    /// Does what is due.
    fn fire_timers(&mut self) {
        let now = self.world.now();
        while let Some(timer) = self.waiting.pop_due(now) {
            match timer {
                Timer::Retry(task) => self.waiting.enqueue([task]),
                Timer::Pause => {}
                Timer::Timeout(id) => {
                    if self.orders.time_out(id) {
                        self.world.cancel(id);
                    }
                }
            }
        }
    }

    /// Nothing runs any more: either there is another plan to follow, or the run is over.
    fn when_idle(&mut self) -> Option<Finish> {
        if let Some(Replan { aim, why }) = self.control.take_replan() {
            return self.new_plan(aim, &why);
        }
        let reasons = self.failures.reasons().to_vec();
        if !self.control.is_stopping() && self.machine.is_done() {
            return Some(match (self.control.is_rolling_back(), reasons.is_empty()) {
                (true, _) => Finish::RolledBack(reasons),
                (false, true) => Finish::Reached,
                (false, false) => Finish::Failed(reasons),
            });
        }
        if reasons.is_empty() {
            return Some(Finish::Stalled(self.machine.obstacles()));
        }
        Some(Finish::Failed(reasons))
    }

    fn record_end(&mut self, finish: &Finish) {
        let (ending, why) = match finish {
            Finish::Reached => (Ending::Reached, Vec::new()),
            Finish::Failed(why) | Finish::NoPlan(why) => (Ending::Failed, why.clone()),
            Finish::RolledBack(why) => (Ending::RolledBack, why.clone()),
            Finish::Stalled(obstacles) => {
                (Ending::Stalled, obstacles.iter().map(Obstacle::to_string).collect())
            }
            Finish::InDoubt(_) | Finish::Unseen(_) | Finish::Interrupted => return,
        };
        let no_plan = matches!(finish, Finish::NoPlan(_));
        self.outbox.record(Entry::Ended { ending, why, no_plan });
    }
}
