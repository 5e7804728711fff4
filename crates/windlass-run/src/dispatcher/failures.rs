//! What failed: for good, or so often that it counts as failed.

use std::collections::{BTreeMap, BTreeSet};

use crate::entry::{End, Task};

/// An action that turned out not to have happened is given again at most so often in a row.
const MOST_NOT_DONE: u32 = 10;

/// What failed in this run.
#[derive(Debug, Default)]
pub(crate) struct Failures {
    /// Why the run failed, line by line.
    reasons: Vec<String>,
    abandoned: Vec<Task>,
    /// Tasks that were abandoned once, and that the operator wants tried again.
    retried: BTreeSet<Task>,
    /// How often in a row each action turned out not to have happened, by label.
    not_done_streak: BTreeMap<String, u32>,
}

impl Failures {
    /// A reason why the run failed.
    pub(crate) fn record(&mut self, reason: String) {
        self.reasons.push(reason);
    }

    pub(super) fn reasons(&self) -> &[String] {
        &self.reasons
    }

    /// What failed is tried again. Of a run that is undone the first reason stays known.
    pub(crate) fn forget_reasons(&mut self, rolling_back: bool) {
        self.reasons.truncate(usize::from(rolling_back));
    }

    /// A task failed for good.
    pub(crate) fn abandon(&mut self, task: Task) {
        self.abandoned.push(task);
    }

    /// The tasks that failed for good.
    pub(crate) fn abandoned(&self) -> Vec<Task> {
        self.abandoned.clone()
    }

    /// The operator wants a task tried again that failed for good.
    pub(crate) fn retry_abandoned(&mut self, task: Task) {
        self.abandoned.retain(|other| *other != task);
        self.retried.insert(task);
    }

    /// Whether a task is tried again because the operator wants it.
    pub(super) fn is_retried(&self, task: Task) -> bool {
        self.retried.contains(&task)
    }

    /// Another plan is followed, of which no task has failed.
    pub(crate) fn clear_tasks(&mut self) {
        self.abandoned.clear();
        self.retried.clear();
    }

    /// How an order counts that ended. What never happens however often it is given has failed: a
    /// world that cannot say what becomes of an order would be asked for it without end.
    pub(super) fn count_not_done(&mut self, label: &str, end: End) -> End {
        if end != End::NotDone {
            self.not_done_streak.remove(label);
            return end;
        }
        let times = self.not_done_streak.entry(label.to_owned()).or_default();
        *times += 1;
        if *times <= MOST_NOT_DONE {
            return end;
        }
        self.not_done_streak.remove(label);
        let reason =
            format!("it was given {MOST_NOT_DONE} times more, and was never seen to happen");
        End::Failed { reason }
    }
}
