//! A partial order of steps under way: which have been done, and whose turn it is.

use std::collections::BTreeSet;

use windlass::lang::documents;
use windlass::plan::{Plan, Step};
use windlass::source::Sources;

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
    plan: Plan,
    status: Vec<Status>,
    /// Steps that each step waits for, and those that wait for it.
    missing: Vec<usize>,
    after: Vec<Vec<usize>>,
    /// Steps that wait for nobody and have not started.
    frontier: BTreeSet<usize>,
    /// Steps of the frontier that have been offered since the state changed.
    offered: BTreeSet<usize>,
}

impl Progress {
    /// The plan of a text, before its first step.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let mut sources = Sources::new();
        let root = sources.add("plan", text);
        let reading = documents::read_plan(root, &sources);
        Ok(Self::new(reading.document.ok_or("the plan cannot be read")?))
    }

    fn new(plan: Plan) -> Self {
        let steps = plan.steps.len();
        let mut missing = vec![0; steps];
        let mut after = vec![Vec::new(); steps];
        for edge in &plan.order {
            missing[edge.after] += 1;
            after[edge.before].push(edge.after);
        }
        let frontier = (0..steps).filter(|step| missing[*step] == 0).collect();
        let status = vec![Status::Waiting; steps];
        Progress { plan, status, missing, after, frontier, offered: BTreeSet::new() }
    }

    pub(super) fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The step that a task is.
    pub(super) fn step(&self, task: Task) -> Option<&Step> {
        self.plan.steps.get(task.0 as usize)
    }

    /// Whether a step waits for nobody and has not started.
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

    /// The steps whose turn has come since the state changed.
    pub(super) fn ready(&mut self) -> Vec<Task> {
        let fresh: Vec<usize> = self.frontier.difference(&self.offered).copied().collect();
        self.offered.extend(&fresh);
        fresh.into_iter().map(|step| Task(step as u32)).collect()
    }

    /// The state has changed: what could not start may be able to now.
    pub(super) fn offer_again(&mut self) {
        self.offered.clear();
    }

    pub(super) fn started(&mut self, task: Task) {
        let step = task.0 as usize;
        self.frontier.remove(&step);
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
                self.frontier.insert(next);
            }
        }
    }

    pub(super) fn give_up(&mut self, task: Task) {
        self.set(task.0 as usize, Status::GivenUp);
    }

    pub(super) fn take_up(&mut self, task: Task) {
        let step = task.0 as usize;
        if self.status.get(step) == Some(&Status::GivenUp) {
            self.set(step, Status::Waiting);
            self.frontier.insert(step);
            self.offered.remove(&step);
        }
    }

    fn set(&mut self, step: usize, status: Status) {
        if let Some(place) = self.status.get_mut(step) {
            *place = status;
        }
    }

    /// What every step waits for that has not been done; `why` says what keeps one whose turn it
    /// is.
    pub(super) fn stuck(&self, why: impl Fn(Task) -> String) -> Vec<String> {
        let mut words = Vec::new();
        for (at, (step, status)) in self.plan.steps.iter().zip(&self.status).enumerate() {
            let label = &step.label;
            match status {
                Status::Done | Status::Running => {}
                Status::GivenUp => words.push(format!("`{label}` failed")),
                Status::Waiting if self.missing[at] == 0 => {
                    let why = why(Task(at as u32));
                    words.push(format!("`{label}` cannot start: {why}"));
                }
                Status::Waiting => {
                    let edge = |edge: &&windlass::plan::Order| {
                        edge.after == at && self.status[edge.before] != Status::Done
                    };
                    let before = self.plan.order.iter().find(edge);
                    let before = before.map_or("", |edge| &self.plan.steps[edge.before].label);
                    words.push(format!("`{label}` waits for `{before}`"));
                }
            }
        }
        words
    }
}
