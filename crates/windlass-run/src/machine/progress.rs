//! A partial order of steps under way: which have been done, and whose turn it is.

use std::collections::BTreeSet;
use std::sync::Arc;

use windlass::plan::{Plan, Step};

use super::Obstacle;
use crate::entry::Task;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    Waiting,
    Running,
    Done,
    GivenUp,
}

/// A plan under way. A task is the number of a step.
#[derive(Debug, Default)]
pub(super) struct Progress {
    plan: Arc<Plan>,
    status: Vec<Status>,
    /// Steps that each step waits for, and those that wait for it.
    missing: Vec<usize>,
    after: Vec<Vec<usize>>,
    /// Steps that wait for no other step and have not started.
    frontier: BTreeSet<usize>,
    /// Steps of the frontier that have not been offered yet, or may be able to start now.
    fresh: BTreeSet<usize>,
    /// Steps that were offered and that the rules refused, until the state changes.
    refused: BTreeSet<usize>,
}

impl Progress {
    /// A plan before its first step.
    pub(super) fn new(plan: Arc<Plan>) -> Self {
        let steps = plan.steps.len();
        let mut missing = vec![0; steps];
        let mut after = vec![Vec::new(); steps];
        for edge in &plan.order {
            missing[edge.after] += 1;
            after[edge.before].push(edge.after);
        }
        let frontier: BTreeSet<usize> = (0..steps).filter(|step| missing[*step] == 0).collect();
        let status = vec![Status::Waiting; steps];
        let (fresh, refused) = (frontier.clone(), BTreeSet::new());
        Progress { plan, status, missing, after, frontier, fresh, refused }
    }

    pub(super) fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The step that a task is.
    pub(super) fn step(&self, task: Task) -> Option<&Step> {
        self.plan.steps.get(task.0 as usize)
    }

    /// Whether a step waits for no other step and has not started.
    pub(super) fn is_turn(&self, task: Task) -> bool {
        self.frontier.contains(&(task.0 as usize))
    }

    pub(super) fn is_running(&self, task: Task) -> bool {
        self.status.get(task.0 as usize) == Some(&Status::Running)
    }

    pub(super) fn is_done(&self) -> bool {
        self.status.iter().all(|status| *status == Status::Done)
    }

    /// Whether anything is under way.
    pub(super) fn is_idle(&self) -> bool {
        !self.status.contains(&Status::Running)
    }

    /// The steps whose turn has come, and those that may be able to start now.
    pub(super) fn ready(&mut self) -> Vec<Task> {
        std::mem::take(&mut self.fresh).into_iter().map(|step| Task(step as u32)).collect()
    }

    /// The rules do not let a step start now.
    pub(super) fn refuse(&mut self, task: Task) {
        self.refused.insert(task.0 as usize);
    }

    /// The state has changed: what the rules refused they may let start now.
    pub(super) fn offer_again(&mut self) {
        let refused = std::mem::take(&mut self.refused);
        self.fresh.extend(refused.into_iter().filter(|step| self.frontier.contains(step)));
    }

    /// It is the turn of a step.
    fn offer(&mut self, step: usize) {
        self.frontier.insert(step);
        self.fresh.insert(step);
    }

    pub(super) fn started(&mut self, task: Task) {
        let step = task.0 as usize;
        self.frontier.remove(&step);
        self.fresh.remove(&step);
        self.refused.remove(&step);
        self.set(step, Status::Running);
    }

    /// A step has been done; those that waited for it alone have their turn when the model has
    /// taken it.
    pub(super) fn ended(&mut self, task: Task) {
        self.set(task.0 as usize, Status::Done);
    }

    pub(super) fn release(&mut self, task: Task) {
        for next in self.after.get(task.0 as usize).cloned().unwrap_or_default() {
            self.missing[next] -= 1;
            if self.missing[next] == 0 {
                self.offer(next);
            }
        }
    }

    pub(super) fn give_up(&mut self, task: Task) {
        self.set(task.0 as usize, Status::GivenUp);
    }

    pub(super) fn retry_abandoned(&mut self, task: Task) {
        let step = task.0 as usize;
        if self.status.get(step) == Some(&Status::GivenUp) {
            self.set(step, Status::Waiting);
            self.offer(step);
        }
    }

    fn set(&mut self, step: usize, status: Status) {
        if let Some(place) = self.status.get_mut(step) {
            *place = status;
        }
    }

    /// What every step waits for that has not been done; `why` says what keeps one whose turn it
    /// is.
    pub(super) fn obstacles(&self, why: impl Fn(Task) -> String) -> Vec<Obstacle> {
        let mut before: Vec<Option<usize>> = vec![None; self.plan.steps.len()];
        for edge in &self.plan.order {
            if self.status[edge.before] != Status::Done {
                before[edge.after].get_or_insert(edge.before);
            }
        }
        let mut found = Vec::new();
        for (at, (step, status)) in self.plan.steps.iter().zip(&self.status).enumerate() {
            let action = step.label.clone();
            match status {
                Status::Done | Status::Running => {}
                Status::GivenUp => found.push(Obstacle::Failed { action }),
                Status::Waiting if self.missing[at] == 0 => {
                    let why = why(Task(at as u32));
                    found.push(Obstacle::Forbidden { action, why });
                }
                Status::Waiting => {
                    let before = before[at].map(|before| self.plan.steps[before].label.clone());
                    let before = before.unwrap_or_default();
                    found.push(Obstacle::Order { action, before });
                }
            }
        }
        found
    }
}
