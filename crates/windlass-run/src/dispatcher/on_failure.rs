//! What happens after a failure: another attempt, or what the operator chose.

use std::sync::Arc;
use std::time::Duration;

use super::{Dispatcher, Finish};
use crate::entry::{Aim, Entry, Task};
use crate::journal::Journal;
use crate::machine::Machine;
use crate::world::World;

/// What happens when an action has failed for good.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnFailure {
    /// Nothing new starts; what has been done stays.
    #[default]
    Stop,
    /// What does not depend on it goes on.
    GoOn,
    /// A plan back to where the run began is made and followed.
    RollBack,
}

/// More deaths of one process in a short time than this are no accident.
const MOST_DEATHS: usize = 5;
/// How long the engine pauses after the second of them.
const FIRST_PAUSE: Duration = Duration::from_millis(200);

impl<M: Machine, W: World, J: Journal> Dispatcher<'_, M, W, J> {
    /// An attempt failed: another one follows, or the task is given up.
    pub(super) fn attempt_failed(&mut self, task: Task, label: &str, attempt: u32, reason: String) {
        let retry = self.machine.work(task).retry;
        let Some(retry) = retry.filter(|retry| attempt < retry.times) else {
            self.give_up(task, label, reason);
            return;
        };
        let wait = retry.wait_before(attempt + 1);
        let wait = wait.saturating_add(self.jitter(task, attempt, wait));
        let moment = self.world.now().saturating_add(wait);
        self.waiting.retry_at(task, attempt + 1, moment);
    }

    /// Up to a quarter of the wait, so that many that failed together do not try together.
    fn jitter(&self, task: Task, attempt: u32, wait: Duration) -> Duration {
        let mixed = (u64::from(task.0) << 32 | u64::from(attempt)) ^ self.options.seed;
        let mixed = mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        wait.mul_f64((mixed >> 40) as f64 / (1u64 << 24) as f64 / 4.0)
    }

    pub(super) fn give_up(&mut self, task: Task, label: &str, reason: String) {
        let why = format!("`{label}` failed: {reason}");
        self.abandon(task, label.to_owned(), reason);
        // Before another plan to the goal it may be tried again, unless all of it is to be undone.
        let rolling_back = self.control.is_rolling_back();
        let goes_back = self.options.on_failure == OnFailure::RollBack && !rolling_back;
        if !self.control.is_replanning() || goes_back {
            self.failures.record(why);
            self.fail_for_good();
        }
    }

    /// A task is not tried again in this run.
    fn abandon(&mut self, task: Task, label: String, reason: String) {
        self.outbox.record(Entry::GaveUp { task, label, reason });
        self.failures.abandon(task);
        let notes = self.machine.give_up(task);
        self.processes.request_check();
        self.record_notes(notes);
    }

    pub(super) fn fail_for_good(&mut self) {
        match self.options.on_failure {
            OnFailure::GoOn => {}
            OnFailure::RollBack if !self.control.is_rolling_back() => self.control.roll_back(),
            OnFailure::Stop | OnFailure::RollBack => self.control.stop(),
        }
    }

    /// Counts a death; whether there were too many. What dies again lately comes back after a
    /// pause, and each pause is longer.
    pub(super) fn dies_too_often(&mut self, instance: &str) -> bool {
        let now = self.world.now();
        let deaths = self.processes.count_death(instance, now);
        let again = u32::try_from(deaths).unwrap_or(u32::MAX).saturating_sub(1);
        if again > 0 && deaths <= MOST_DEATHS {
            let pause = FIRST_PAUSE.saturating_mul(1 << (again - 1).min(10));
            self.waiting.pause_until(now.saturating_add(pause));
        }
        deaths > MOST_DEATHS
    }

    /// Whatever waits for another attempt is not tried again in this run.
    pub(super) fn abandon_retries(&mut self, why: &str) {
        for task in self.waiting.take_retries() {
            let label = self.machine.work(task).label;
            self.abandon(task, label, why.to_owned());
        }
        self.waiting.clear_timers();
    }

    /// Makes a plan from here and follows it; how the run ends when there is none.
    pub(super) fn new_plan(&mut self, aim: Aim, why: &str) -> Option<Finish> {
        self.abandon_retries(why);
        self.waiting.clear_tasks();
        let why = why.to_owned();
        match self.machine.plan(aim) {
            Ok(Some(plan)) => {
                let plan = Arc::new(plan);
                if let Err(reason) = self.machine.follow(Arc::clone(&plan), aim) {
                    return Some(self.without_plan(&why, &reason.to_string()));
                }
                self.failures.clear_tasks();
                self.processes.forget_unrepairable();
                self.outbox.record(Entry::Planned { plan: plan.into(), aim, why });
                None
            }
            Ok(None) => Some(self.without_plan(&why, "nets are not planned")),
            Err(reason) => Some(self.without_plan(&why, &reason.to_string())),
        }
    }

    fn without_plan(&mut self, why: &str, reason: &str) -> Finish {
        self.failures.record(format!("{why}, and there is no way on: {reason}"));
        Finish::NoPlan(self.failures.reasons().to_vec())
    }
}
