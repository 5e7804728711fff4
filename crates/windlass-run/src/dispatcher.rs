//! The loop: one owner of the state takes events one at a time, decides, writes down, acts.
//!
//! ```text
//! report of the world -> what it means -> what may start now -> journal (one commit) -> orders
//! ```
//! Everything that one report leads to, the outcome of an action and the intents that it enables,
//! is one commit. Nothing is asked twice and nothing is polled: between two reports the dispatcher
//! sleeps in [`World::wait`].

mod failure;
mod outcome;
mod starting;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use windlass::lifecycle::implementation::{Effect, Process};
use windlass::plan::Plan;

use crate::entry::{Aim, End, Ending, Entry, OrderId, Task, Witness};
use crate::journal::{Journal, JournalError, Safety};
use crate::limits::{Limits, Resource};
use crate::machine::{FollowError, Machine, Note, Untidy};
use crate::resume::InDoubt;
use crate::world::{Order, OrderStatus, Report, World};

pub use failure::OnFailure;

/// How a run is driven.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// How many actions run at once.
    pub jobs: Option<usize>,
    /// What happens when an action has failed for good.
    pub on_failure: OnFailure,
    /// Decides the jitter of waits before another try.
    pub seed: u64,
    /// Whether a process that died is no reason for a new plan.
    pub keep_faults: bool,
}

/// How a run came to an end, or to rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finish {
    /// The goal holds.
    Reached,
    /// An action failed for good; why, line by line.
    Failed(Vec<String>),
    /// An action failed for good, and what had been done was undone.
    RolledBack(Vec<String>),
    /// Nothing can start any more: what each waiting action waits for.
    Stalled(Vec<String>),
    /// It is unknown how these actions ended, and they must not happen twice.
    InDoubt(Vec<InDoubt>),
    /// The goal holds if the processes of these run, and it is unknown whether they do, because a
    /// host does not answer. The run can be resumed.
    Unseen(Vec<Unseen>),
    /// The operator stopped the engine; what runs goes on, and the run can be resumed.
    Interrupted,
}

/// A process of which it is unknown whether it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unseen {
    /// Its instance.
    pub instance: String,
    /// The host that does not answer.
    pub host: String,
}

/// An order that has been given and has not ended.
#[derive(Debug, Clone)]
pub(crate) struct Given {
    pub(crate) order: Order,
    pub(crate) task: Option<Task>,
    pub(crate) attempt: u32,
    pub(crate) resources: Vec<Resource>,
    pub(crate) timed_out: bool,
    /// When it is given up.
    pub(crate) deadline: Option<Duration>,
}

/// The process of an instance.
#[derive(Debug, Clone)]
pub(crate) struct Holder {
    pub(crate) order: OrderId,
    pub(crate) node: String,
    pub(crate) process: Process,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Timer {
    Retry(Task),
    Timeout(OrderId),
    /// A process that dies again and again is not started again at once.
    Pause,
}

/// Whoever wants to see entries when they are safe.
pub type Listener<'l> = Box<dyn FnMut(Duration, &[Entry]) + 'l>;

/// Whoever wants to look at the model between two reports; after how long it wants to look again
/// when there is none, if it does.
pub type Watcher<'l, M> = Box<dyn FnMut(&M) -> Option<Duration> + 'l>;

/// The owner of a run.
#[expect(clippy::struct_excessive_bools, reason = "four conditions that hold independently")]
pub struct Dispatcher<'l, M, W, J> {
    /// The model.
    pub machine: M,
    /// Where orders go.
    pub world: W,
    pub(crate) journal: J,
    options: Options,
    listener: Listener<'l>,
    watcher: Option<Watcher<'l, M>>,
    limits: Limits,
    queue: VecDeque<Task>,
    /// What has been given and has not ended. An order is large, and moved as others come and go.
    pub(crate) given: BTreeMap<OrderId, Box<Given>>,
    timers: BTreeSet<(Duration, Timer)>,
    /// Tasks that have started and wait for another try, with the number of that try.
    pub(crate) retrying: BTreeMap<Task, u32>,
    pub(crate) holders: BTreeMap<String, Holder>,
    pub(crate) entries: Vec<Entry>,
    launch: Vec<OrderId>,
    over: Vec<OrderId>,
    /// Whether an entry that waits for its commit is about a command that may not be repeated.
    pub(crate) once: bool,
    pub(crate) failed: Vec<String>,
    pub(crate) given_up: Vec<Task>,
    /// Tasks that were given up once, and that the operator wants tried again.
    pub(crate) again: BTreeSet<Task>,
    pub(crate) replan: Option<(Aim, String)>,
    pub(crate) rolling_back: bool,
    stopping: bool,
    interrupted: bool,
    /// Whether processes may not fit the states of their instances.
    pub(crate) suspect: bool,
    /// What was tried to put a process where its instance is, and failed.
    pub(crate) hopeless: Vec<Untidy>,
    /// Orders of which it is unknown how they ended.
    doubtful: BTreeSet<OrderId>,
    /// Orders under way that the world was asked about: their reports may be old.
    pub(crate) asked: BTreeSet<OrderId>,
    /// Processes that died before anybody said that they had come up.
    early: BTreeMap<OrderId, String>,
    /// When each instance died lately.
    deaths: BTreeMap<String, VecDeque<Duration>>,
    /// How often in a row each action turned out not to have happened, by label.
    in_vain: BTreeMap<String, u32>,
    pub(crate) next_order: OrderId,
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
            limits,
            queue: VecDeque::new(),
            given: BTreeMap::new(),
            timers: BTreeSet::new(),
            retrying: BTreeMap::new(),
            holders: BTreeMap::new(),
            entries: Vec::new(),
            launch: Vec::new(),
            over: Vec::new(),
            once: false,
            failed: Vec::new(),
            given_up: Vec::new(),
            again: BTreeSet::new(),
            replan: None,
            rolling_back: false,
            stopping: false,
            interrupted: false,
            suspect: true,
            hopeless: Vec::new(),
            doubtful: BTreeSet::new(),
            asked: BTreeSet::new(),
            early: BTreeMap::new(),
            deaths: BTreeMap::new(),
            in_vain: BTreeMap::new(),
            next_order,
        }
    }

    /// Shows every entry to `listener` as soon as it is safe.
    #[must_use]
    pub fn listening(mut self, listener: impl FnMut(Duration, &[Entry]) + 'l) -> Self {
        self.listener = Box::new(listener);
        self
    }

    /// Shows the model to `watcher` before the engine goes to sleep, and wakes it when the watcher
    /// wants to look again.
    #[must_use]
    pub fn watching(mut self, watcher: impl FnMut(&M) -> Option<Duration> + 'l) -> Self {
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
            self.hold_processes(processes);
        }
        self.entries.push(begun);
        if let Some(plan) = plan {
            let (plan, aim) = (Arc::new(plan), Aim::Goal);
            if let Err(why) = self.machine.follow(Arc::clone(&plan), aim) {
                self.entries.clear();
                return Ok(Err(why));
            }
            let why = "the run begins".to_owned();
            self.entries.push(Entry::Planned { plan: plan.into(), aim, why });
        }
        self.commit().map(Ok)
    }

    /// The orders whose processes run, by instance.
    pub fn processes(&self) -> BTreeMap<String, OrderId> {
        self.holders.iter().map(|(id, holder)| (id.clone(), holder.order)).collect()
    }

    /// Runs until the goal holds, or something else ends the run.
    pub fn run(&mut self) -> Result<Finish, JournalError> {
        self.run_and(false)
    }

    /// Runs; with `stays` it waits for processes that cannot be seen.
    fn run_and(&mut self, stays: bool) -> Result<Finish, JournalError> {
        // Heard while the world was asked what became of what was there: nothing begins.
        self.interrupted = self.world.is_interrupted();
        loop {
            let goes_on = self.advance();
            self.commit()?;
            if self.interrupted {
                return Ok(Finish::Interrupted);
            }
            if !self.doubtful.is_empty() && self.given.len() == self.doubtful.len() {
                let orders = self.given.values().map(|given| &given.order);
                let doubts = orders.map(|it| InDoubt { order: it.id, label: it.label.clone() });
                return Ok(Finish::InDoubt(doubts.collect()));
            }
            if self.is_idle() {
                match self.at_rest() {
                    // What cannot be seen is not reported as reached. Nothing is written: the run
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
                        self.drop_retries("nothing new starts");
                        self.conclude(&finish);
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
                self.timers.first().map(|(moment, _)| *moment).into_iter().chain(look).min()
            };
            match self.world.wait(until) {
                Some(report) => self.take(report),
                // No report can come any more: one was lost, and the world is asked again.
                None if until.is_none() => self.ask_again(),
                None => {}
            }
            while let Some(report) = self.world.poll() {
                self.take(report);
            }
            self.ring();
        }
    }

    /// Runs, and stays while there are processes to look after. Ends only when the operator wants
    /// it to, or when something has failed for good.
    pub fn keep(&mut self) -> Result<Finish, JournalError> {
        loop {
            let finish = self.run_and(true)?;
            if finish != Finish::Reached || self.holders.is_empty() {
                return Ok(finish);
            }
            let Some(report) = self.world.wait(None) else { return Ok(finish) };
            self.take(report);
            if self.interrupted {
                return Ok(Finish::Interrupted);
            }
        }
    }

    /// The processes that should run, and of which it is unknown whether they do.
    fn unseen(&self) -> Vec<Unseen> {
        let orders = self.world.unseen();
        let mut unseen = Vec::new();
        for (instance, holder) in &self.holders {
            if orders.contains(&holder.order) {
                let host = self.machine.host_of(&holder.node).unwrap_or_default();
                unseen.push(Unseen { instance: instance.clone(), host });
            }
        }
        unseen
    }

    /// Nothing runs, nothing waits for its time.
    fn is_idle(&self) -> bool {
        let has_plan = self.replan.is_none() || self.pauses();
        let waits = !self.timers.is_empty() && !self.stopping && has_plan;
        self.given.is_empty() && !waits
    }

    pub(crate) fn followed(&mut self, notes: Vec<Note>) {
        self.suspect |= notes.iter().any(|note| note.fault);
        let entries =
            notes.into_iter().map(|note| Entry::Followed { what: note.what, fault: note.fault });
        self.entries.extend(entries);
    }

    /// What the next commit has to survive. What only says that something repeatable begins or
    /// has ended may get lost with the power: it is repeated then.
    fn safety(&self) -> Safety {
        let repeatable = |entry: &Entry| {
            matches!(entry, Entry::Intent { .. } | Entry::Outcome { .. } | Entry::Followed { .. })
        };
        let repeatable = !self.once && self.entries.iter().all(repeatable);
        if self.world.ends_with_machine() && repeatable { Safety::Crash } else { Safety::PowerLoss }
    }

    /// Writes down, then acts; what is only for people or only tidies up comes last.
    pub(crate) fn commit(&mut self) -> Result<(), JournalError> {
        let now = self.world.now();
        if !self.entries.is_empty() {
            self.journal.append(now, &self.entries, self.safety())?;
            self.once = false;
        }
        for id in std::mem::take(&mut self.launch) {
            if let Some(given) = self.given.get(&id) {
                self.world.start(&given.order);
            }
        }
        if !self.entries.is_empty() {
            (self.listener)(now, &self.entries);
            self.entries.clear();
        }
        for id in self.over.drain(..) {
            self.world.cleanup(id);
        }
        Ok(())
    }

    /// Asks the world about every order that has not ended.
    fn ask_again(&mut self) {
        for id in self.given.keys().copied().collect::<Vec<_>>() {
            let Some(given) = self.given.get(&id) else { continue };
            let order = given.order.clone();
            match self.world.inquire(&order) {
                OrderStatus::Known => {
                    self.asked.insert(id);
                }
                OrderStatus::NotDone => self.ended(id, End::NotDone, Some(Witness::World)),
                OrderStatus::Unknown | OrderStatus::Silent => self.unknown(id),
            }
        }
    }

    /// It is unknown how an order ended: what it declares decides, or the operator has to.
    fn unknown(&mut self, id: OrderId) {
        let Some(given) = self.given.get(&id) else { return };
        let order = given.order.clone();
        match &order.effect {
            Effect::Idempotent => self.ended(id, End::NotDone, Some(Witness::Idempotent)),
            Effect::Observable(check) => {
                let done = self.world.check(&order, check);
                if self.world.is_interrupted() {
                    // The run was interrupted before the answer: the next engine asks again.
                    return;
                }
                match done {
                    Some(true) => self.ended(id, End::Done, Some(Witness::Check)),
                    Some(false) => self.ended(id, End::NotDone, Some(Witness::Check)),
                    None => drop(self.doubtful.insert(id)),
                }
            }
            Effect::AtMostOnce => {
                self.doubtful.insert(id);
            }
        }
    }

    /// What one report means.
    fn take(&mut self, report: Report) {
        match report {
            Report::Ended { order, end } => self.ended(order, end, None),
            Report::Died { instance, order, detail } => self.died(&instance, order, detail),
            Report::Lost { order } => self.unknown(order),
            // The world says so when it is asked.
            Report::Seen { .. } => {}
            Report::Interrupted => self.interrupted = true,
        }
    }

    pub(crate) fn enqueue(&mut self, tasks: Vec<Task>) {
        for task in tasks {
            self.queue.push_back(task);
        }
    }

    /// Whatever time it is.
    fn ring(&mut self) {
        let now = self.world.now();
        while let Some((moment, timer)) = self.timers.first() {
            if *moment > now {
                return;
            }
            let (moment, timer) = (*moment, *timer);
            self.timers.remove(&(moment, timer));
            match timer {
                Timer::Retry(task) => self.queue.push_back(task),
                Timer::Pause => {}
                Timer::Timeout(id) => {
                    if let Some(given) = self.given.get_mut(&id) {
                        given.timed_out = true;
                        self.world.cancel(id);
                    }
                }
            }
        }
    }

    /// Nothing runs any more: either there is another plan to follow, or the run is over.
    fn at_rest(&mut self) -> Option<Finish> {
        if let Some((aim, why)) = self.replan.take() {
            return self.new_plan(aim, &why);
        }
        if !self.stopping && self.machine.is_done() {
            return Some(match (self.rolling_back, self.failed.is_empty()) {
                (true, _) => Finish::RolledBack(self.failed.clone()),
                (false, true) => Finish::Reached,
                (false, false) => Finish::Failed(self.failed.clone()),
            });
        }
        if self.failed.is_empty() {
            return Some(Finish::Stalled(self.machine.stuck()));
        }
        Some(Finish::Failed(self.failed.clone()))
    }

    fn conclude(&mut self, finish: &Finish) {
        let (ending, why) = match finish {
            Finish::Reached => (Ending::Reached, Vec::new()),
            Finish::Failed(why) => (Ending::Failed, why.clone()),
            Finish::RolledBack(why) => (Ending::RolledBack, why.clone()),
            Finish::Stalled(why) => (Ending::Stalled, why.clone()),
            Finish::InDoubt(_) | Finish::Unseen(_) | Finish::Interrupted => return,
        };
        self.entries.push(Entry::Ended { ending, why });
    }
}
