//! What may start: plans of protocols (with replicas, or with one instance of each node) and
//! assemblies of nets behind one face.
//!
//! A machine holds the model's state and asks the library's rules; it has no effects and no clock,
//! so that folding over a journal is running it again.

mod error;
mod instances;
pub mod net;
mod obstacle;
pub mod plan;
mod progress;
pub mod protocols;
pub mod single;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use windlass::lifecycle::implementation::{Command, Effect, Process};
use windlass::lifecycle::timing::Retry;
use windlass::plan::Plan;

use crate::entry::{Aim, Task};

pub use error::{FollowError, PlanError, Refusal};
pub use obstacle::Obstacle;

/// What has to be done for a task.
#[derive(Debug, Clone)]
pub struct Work {
    /// For people, unique among the tasks that exist at one time.
    pub(crate) label: String,
    /// The instance that it is about.
    pub instance: String,
    /// Its node.
    pub(crate) node: String,
    /// The operation that it is.
    pub operation: Option<String>,
    /// The command.
    pub(crate) run: Option<Command>,
    /// The process of the instance that has to end first.
    pub(crate) stop: Option<Process>,
    /// The process that has to start.
    pub(crate) spawn: Option<Process>,
    /// Whether the instance goes for good from a state in which something of it is out there.
    pub removes: bool,
    /// What may be done when it is not known whether it happened.
    pub(crate) effect: Effect,
    /// When it is given up.
    pub(crate) timeout: Option<Duration>,
    /// What happens when it fails.
    pub(crate) retry: Option<Retry>,
    /// Where it runs.
    pub(crate) host: Option<String>,
    /// What it holds while it runs.
    pub(crate) lock: Option<String>,
    /// How long it is expected to take.
    pub(crate) expected: Option<Duration>,
}

impl Default for Work {
    /// Nothing, which must not be done twice.
    fn default() -> Self {
        Work {
            label: String::new(),
            instance: String::new(),
            node: String::new(),
            operation: None,
            run: None,
            stop: None,
            spawn: None,
            removes: false,
            effect: Effect::AtMostOnce,
            timeout: None,
            retry: None,
            host: None,
            lock: None,
            expected: None,
        }
    }
}

/// Something that followed from a step, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// What.
    pub what: String,
    /// Whether it is a fault.
    pub fault: bool,
}

/// A process that does not fit the state of its instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessMismatch {
    /// The instance.
    pub(crate) instance: String,
    /// Its node.
    pub(crate) node: String,
    /// The process that should run and does not.
    pub(crate) spawn: Option<Process>,
}

/// The process of an instance, as the dispatcher knows it.
pub(crate) type RunningProcesses = BTreeMap<String, Process>;

/// A model under way.
pub trait Machine {
    /// The tasks that have become ready since the last question. Asked again until it is empty.
    fn ready(&mut self) -> Vec<Task>;

    /// Whether there is such a task: a journal may be of another program.
    fn knows(&self, task: Task) -> bool;

    /// What has to be free for a task: its instance, when only one thing at a time may happen.
    fn exclusive(&self, task: Task) -> Option<String>;

    /// Starts a task, or says which premise does not hold; then it will be ready again later.
    fn start(&mut self, task: Task) -> Result<Vec<Note>, Refusal>;

    /// A task ended well.
    fn end(&mut self, task: Task) -> Result<Vec<Note>, Refusal>;

    /// A task failed for good.
    fn give_up(&mut self, task: Task) -> Vec<Note>;

    /// A task that failed for good may be tried again.
    fn retry_abandoned(&mut self, task: Task);

    /// The process of an instance died.
    fn observe(&mut self, instance: &str) -> Vec<Note>;

    /// What has to be done for a task that has started.
    fn work(&self, task: Task) -> Work;

    /// The processes that do not fit the states of their instances.
    fn process_mismatches(&self, running: &RunningProcesses) -> Vec<ProcessMismatch>;

    /// The node of an instance and the process that its state is.
    fn process_of(&self, instance: &str) -> Option<(String, Process)>;

    /// Whether all that was asked for holds.
    fn is_done(&self) -> bool;

    /// What every waiting task waits for.
    fn obstacles(&self) -> Vec<Obstacle>;

    /// A plan from here; none when this model needs no plans.
    fn plan(&self, aim: Aim) -> Result<Option<Plan>, PlanError>;

    /// Follows another plan from here on.
    fn follow(&mut self, plan: Arc<Plan>, aim: Aim) -> Result<(), FollowError>;

    /// Where whatever is about a node takes place, when the description says it.
    fn host_of(&self, _node: &str) -> Option<String> {
        None
    }

    /// Where a host is reached, when its name does not say it.
    fn address(&self, _host: &str) -> Option<String> {
        None
    }

    /// Where a task takes place.
    fn host(&self, task: Task) -> Option<String> {
        self.work(task).host
    }

    /// How many actions each host carries out at once.
    fn hosts(&self) -> BTreeMap<String, u32> {
        BTreeMap::new()
    }

    /// How many actions hold each lock at once.
    fn locks(&self) -> BTreeMap<String, u32> {
        BTreeMap::new()
    }
}
