//! What happens after a failure: another try, or the choice of the operator.

use std::sync::Arc;
use std::time::Duration;

use super::{Dispatcher, Finish, Timer};
use crate::entry::{Aim, End, Entry, Task};
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

/// So many deaths of one process in [`DEATHS_WITHIN`] are no accident.
const MOST_DEATHS: usize = 5;
const DEATHS_WITHIN: Duration = Duration::from_mins(1);
/// How long the second of them is waited for.
const FIRST_PAUSE: Duration = Duration::from_millis(200);
/// So often an action is given again that is not known to have happened.
const MOST_IN_VAIN: u32 = 10;

impl<M: Machine, W: World, J: Journal> Dispatcher<'_, M, W, J> {
    /// A try failed: another one follows, or the task is given up.
    pub(super) fn failed_once(&mut self, task: Task, label: &str, attempt: u32, reason: String) {
        let retry = self.machine.work(task).retry;
        let Some(retry) = retry.filter(|retry| attempt < retry.times) else {
            self.give_up(task, label, reason);
            return;
        };
        self.retrying.insert(task, attempt + 1);
        let wait = retry.wait_before(attempt + 1);
        let wait = wait.saturating_add(self.jitter(task, attempt, wait));
        let moment = self.world.now().saturating_add(wait);
        self.timers.insert((moment, Timer::Retry(task)));
    }

    /// Up to a quarter of the wait, so that many that failed together do not try together.
    fn jitter(&self, task: Task, attempt: u32, wait: Duration) -> Duration {
        let mixed = (u64::from(task.0) << 32 | u64::from(attempt)) ^ self.options.seed;
        let mixed = mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        wait.mul_f64((mixed >> 40) as f64 / (1u64 << 24) as f64 / 4.0)
    }

    pub(super) fn give_up(&mut self, task: Task, label: &str, reason: String) {
        let why = format!("`{label}` failed: {reason}");
        self.entries.push(Entry::GaveUp { task, label: label.to_owned(), reason });
        self.given_up.push(task);
        let notes = self.machine.give_up(task);
        self.suspect = true;
        self.followed(notes);
        // Before another plan to the goal it may be tried again, unless all of it is to be undone.
        let goes_back = self.options.on_failure == OnFailure::RollBack && !self.rolling_back;
        if self.replan.is_none() || goes_back {
            self.failed.push(why);
            self.fail_for_good();
        }
    }

    pub(super) fn fail_for_good(&mut self) {
        match self.options.on_failure {
            OnFailure::GoOn => {}
            OnFailure::RollBack if !self.rolling_back => {
                self.rolling_back = true;
                self.replan = Some((Aim::Back, "an action failed".to_owned()));
            }
            OnFailure::Stop | OnFailure::RollBack => self.stopping = true,
        }
    }

    /// Counts a death; whether there were too many. What dies again lately comes back after a
    /// pause, and each pause is longer.
    pub(super) fn dies_too_often(&mut self, instance: &str) -> bool {
        let now = self.world.now();
        let deaths = self.deaths.entry(instance.to_owned()).or_default();
        deaths.push_back(now);
        while deaths.front().is_some_and(|death| *death + DEATHS_WITHIN < now) {
            deaths.pop_front();
        }
        let again = u32::try_from(deaths.len()).unwrap_or(u32::MAX).saturating_sub(1);
        if again > 0 && deaths.len() <= MOST_DEATHS {
            let pause = FIRST_PAUSE.saturating_mul(1 << (again - 1).min(10));
            self.timers.insert((now.saturating_add(pause), Timer::Pause));
        }
        deaths.len() > MOST_DEATHS
    }

    /// Whether a process that died again has to wait before anything is planned for it.
    pub(super) fn pauses(&self) -> bool {
        self.timers.iter().any(|(_, timer)| *timer == Timer::Pause)
    }

    /// What never happens however often it is given has failed: a world that cannot say what
    /// becomes of an order would be asked for it without end.
    pub(super) fn unless_in_vain(&mut self, label: &str, end: End) -> End {
        if end != End::NotDone {
            self.in_vain.remove(label);
            return end;
        }
        let times = self.in_vain.entry(label.to_owned()).or_default();
        *times += 1;
        if *times <= MOST_IN_VAIN {
            return end;
        }
        self.in_vain.remove(label);
        let reason =
            format!("it was given {MOST_IN_VAIN} times more, and was never seen to happen");
        End::Failed { reason }
    }

    /// Whatever waits for another try is not tried again in this run.
    pub(super) fn drop_retries(&mut self, why: &str) {
        for task in std::mem::take(&mut self.retrying).into_keys() {
            let label = self.machine.work(task).label;
            let reason = why.to_owned();
            self.entries.push(Entry::GaveUp { task, label, reason });
            self.given_up.push(task);
            let notes = self.machine.give_up(task);
            self.suspect = true;
            self.followed(notes);
        }
        self.timers.clear();
    }

    /// Makes a plan from here and follows it; how the run ends when there is none.
    pub(super) fn new_plan(&mut self, aim: Aim, why: &str) -> Option<Finish> {
        self.drop_retries(why);
        self.queue.clear();
        self.limits.forget_waiting();
        let why = why.to_owned();
        match self.machine.plan(aim) {
            Ok(Some(plan)) => {
                let plan = Arc::new(plan);
                if let Err(reason) = self.machine.follow(Arc::clone(&plan), aim) {
                    return Some(self.without_plan(&why, &reason.to_string()));
                }
                self.given_up.clear();
                self.hopeless.clear();
                self.entries.push(Entry::Planned { plan: plan.into(), aim, why });
                None
            }
            Ok(None) => Some(self.without_plan(&why, "nets are not planned")),
            Err(reason) => Some(self.without_plan(&why, &reason.to_string())),
        }
    }

    fn without_plan(&mut self, why: &str, reason: &str) -> Finish {
        self.failed.push(format!("{why}, and there is no way on: {reason}"));
        Finish::Failed(self.failed.clone())
    }
}
