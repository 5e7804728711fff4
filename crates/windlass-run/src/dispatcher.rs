//! The loop: one owner of the state takes events one at a time, decides, writes down, acts.
//!
//! ```text
//! report of the world -> what it means -> what may start now -> journal (one commit) -> orders
//! ```
//! Everything that one report leads to, the outcome of an action and the intents that it enables,
//! is one commit. Nothing is asked twice and nothing is polled: between two reports the dispatcher
//! sleeps in [`World::wait`].
//!
//! Its state has parts, each with its own functions: `Waiting` (what waits), `Orders` (what is
//! under way), `Processes`, `Outbox` (what is to be told), `Failures` and `RunControl`.

mod control;
mod failures;
mod in_flight;
mod on_failure;
mod outbox;
mod outcome;
mod processes;
mod run_loop;
mod start;
mod waiting;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use windlass::plan::Plan;

use crate::entry::{Aim, Entry, OrderId};
use crate::journal::{Journal, JournalError};
use crate::limits::{Limits, Resource};
use crate::machine::{FollowError, Machine, Obstacle};
use crate::resume::InDoubt;
use crate::world::World;

use control::RunControl;
use failures::Failures;
use in_flight::Orders;
use outbox::Outbox;
use processes::Processes;
use waiting::Waiting;

pub(crate) use in_flight::InFlight;
pub use on_failure::OnFailure;
pub(crate) use processes::RunningProcess;
pub(crate) use run_loop::Settlement;

/// How a run is driven.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// How many actions run at once.
    pub jobs: Option<usize>,
    /// What happens when an action has failed for good.
    pub on_failure: OnFailure,
    /// Decides the jitter of waits before another try.
    pub seed: u64,
    /// Whether a process that died is no reason to plan again.
    pub keep_faults: bool,
}

/// How a run came to an end, or to rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finish {
    /// The goal holds.
    Reached,
    /// An action failed for good; why, line by line.
    Failed(Vec<String>),
    /// No plan leads on from where a failure or a fault left everything.
    NoPlan(Vec<String>),
    /// An action failed for good, and what had been done was undone.
    RolledBack(Vec<String>),
    /// Nothing can start any more: what each waiting action waits for.
    Stalled(Vec<Obstacle>),
    /// The ends of these actions are not known, and they must not happen twice.
    InDoubt(Vec<InDoubt>),
    /// The goal holds if the processes of these run, which is not known: their host does not
    /// answer. The run can be resumed.
    Unseen(Vec<Unseen>),
    /// The operator stopped the engine; what runs goes on, and the run can be resumed.
    Interrupted,
}

/// A process that may run or not: the host that knows does not answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unseen {
    /// Its instance.
    pub instance: String,
    /// The host that does not answer.
    pub host: String,
}

/// Gets entries when they are safe.
pub(crate) type Listener<'l> = Box<dyn FnMut(Duration, &[Entry]) + 'l>;

/// Looks at the model between two reports; after how long it wants to look again
/// when there is none, if it does.
pub(crate) type Watcher<'l, M> = Box<dyn FnMut(&M) -> Option<Duration> + 'l>;

/// The owner of a run.
pub struct Dispatcher<'l, M, W, J> {
    /// The model.
    pub machine: M,
    /// Where orders go.
    pub(crate) world: W,
    journal: J,
    options: Options,
    listener: Listener<'l>,
    watcher: Option<Watcher<'l, M>>,
    pub(crate) waiting: Waiting,
    pub(crate) orders: Orders,
    pub(crate) processes: Processes,
    pub(crate) outbox: Outbox,
    pub(crate) failures: Failures,
    pub(crate) control: RunControl,
}

impl<'l, M: Machine, W: World, J: Journal> Dispatcher<'l, M, W, J> {
    /// A dispatcher that has decided nothing yet.
    pub fn new(machine: M, world: W, journal: J, options: Options, next_order: OrderId) -> Self {
        let hosts = machine.hosts().into_iter().map(|(name, most)| (Resource::Host(name), most));
        let locks = machine.locks().into_iter().map(|(name, most)| (Resource::Lock(name), most));
        let jobs = options.jobs.into_iter().chain(world.room()).min();
        let limits = Limits::new(jobs, hosts.chain(locks).collect());
        Dispatcher {
            machine,
            world,
            journal,
            options,
            listener: Box::new(|_, _| {}),
            watcher: None,
            waiting: Waiting::new(limits),
            orders: Orders::new(next_order),
            processes: Processes::new(),
            outbox: Outbox::default(),
            failures: Failures::default(),
            control: RunControl::default(),
        }
    }

    /// Shows every entry to `listener` as soon as it is safe.
    #[must_use]
    pub(crate) fn listening(mut self, listener: impl FnMut(Duration, &[Entry]) + 'l) -> Self {
        self.listener = Box::new(listener);
        self
    }

    /// Shows the model to `watcher` before the engine goes to sleep, and wakes it when the watcher
    /// wants to look again.
    #[must_use]
    pub(crate) fn watching(mut self, watcher: impl FnMut(&M) -> Option<Duration> + 'l) -> Self {
        self.watcher = Some(Box::new(watcher));
        self
    }

    /// Begins a run: its first entry and its plan, when it needs one, are one commit. Says why
    /// when the plan cannot be followed; then nothing is written.
    pub fn begin_run(
        &mut self,
        begun: Entry,
        plan: Option<Plan>,
    ) -> Result<Result<(), FollowError>, JournalError> {
        if let Entry::Begun { processes, .. } = &begun {
            self.restore_processes(processes);
        }
        self.outbox.record(begun);
        if let Some(plan) = plan {
            let (plan, aim) = (Arc::new(plan), Aim::Goal);
            if let Err(why) = self.machine.follow(Arc::clone(&plan), aim) {
                self.outbox.clear_entries();
                return Ok(Err(why));
            }
            let why = "the run begins".to_owned();
            self.outbox.record(Entry::Planned { plan: plan.into(), aim, why });
        }
        self.commit().map(Ok)
    }

    /// The orders whose processes run, by instance.
    pub(crate) fn processes(&self) -> BTreeMap<String, OrderId> {
        self.processes.iter().map(|(id, running)| (id.clone(), running.order)).collect()
    }
}
