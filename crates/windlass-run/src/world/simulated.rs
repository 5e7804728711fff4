//! A world in virtual time, in which everything that can go wrong does, from a seed.
//!
//! Clones share one world, so that it outlives the engine that drives it: a test kills the engine
//! and starts another one on the same world. It counts what was really carried out, so that a
//! checker outside can compare that with what the journal says.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Duration;

use windlass::lifecycle::implementation::Command;

use super::{Order, OrderStatus, Report, World};
use crate::entry::{End, OrderId};
use crate::journal::{Journal, JournalError, Memory};

/// How much goes wrong, in chances of a hundred.
#[derive(Debug, Clone, Copy, Default)]
pub struct Faults {
    /// An order fails.
    pub fails: u32,
    /// A process dies some time after it came up.
    pub dies: u32,
    /// A report comes twice.
    pub twice: u32,
    /// A report does not come at all.
    pub lost: u32,
    /// The world forgets how an order ended.
    pub forgets: u32,
}

#[derive(Debug, Clone)]
struct Execution {
    instance: String,
    spawns: bool,
    end: End,
    /// Whether the end has come.
    over: bool,
    forgotten: bool,
}

#[derive(Debug, Default)]
struct Inner {
    now: Duration,
    random: u64,
    faults: Faults,
    /// How long an order without a duration takes; drawn when absent.
    unknown: Option<Duration>,
    numbered: u64,
    reports: BTreeMap<(Duration, u64), Report>,
    executions: BTreeMap<OrderId, Execution>,
    cancelled: BTreeSet<OrderId>,
    /// The process of each instance.
    processes: BTreeMap<String, OrderId>,
    /// The instances whose process died without a report.
    unseen: BTreeSet<String>,
    /// After so many steps the engine dies.
    crash_after: Option<u64>,
    steps: u64,
    crashed: bool,
    /// Whether orders with nothing to do take their time as well.
    plays: bool,
    /// How many orders are given at once, when not as many as usual.
    batch: Option<usize>,
}

impl Inner {
    fn random(&mut self, below: u64) -> u64 {
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.random;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % below.max(1)
    }

    fn chance(&mut self, percent: u32) -> bool {
        percent > 0 && self.random(100) < u64::from(percent)
    }

    fn at(&mut self, moment: Duration, report: Report) {
        self.numbered += 1;
        self.reports.insert((moment, self.numbered), report);
    }

    /// One more step of the engine; whether it is its last.
    fn step(&mut self) -> bool {
        self.steps += 1;
        if self.crash_after.is_some_and(|after| self.steps > after) {
            self.crashed = true;
        }
        self.crashed
    }

    fn execute(&mut self, order: &Order) {
        let takes = match order.expected {
            Some(expected) => expected,
            None => match self.unknown {
                Some(takes) => takes,
                None => Duration::from_millis(self.random(2_000)),
            },
        };
        let failed = self.chance(self.faults.fails);
        let reason = "the simulated world said no".to_owned();
        let end = if failed { End::Failed { reason } } else { End::Done };
        let forgotten = self.chance(self.faults.forgets);
        let (instance, spawns) = (order.instance.clone(), order.spawn.is_some());
        if order.stop.is_some() && !failed {
            self.processes.remove(&order.instance);
        }
        let execution = Execution { instance, spawns, end: end.clone(), over: false, forgotten };
        self.executions.insert(order.id, execution);
        let moment = self.now + takes;
        let report = Report::Ended { order: order.id, end };
        self.deliver(moment, report);
    }

    /// A report that comes once, twice or never.
    fn deliver(&mut self, moment: Duration, report: Report) {
        if self.chance(self.faults.twice) {
            let later = moment + Duration::from_millis(self.random(500));
            self.at(later, report.clone());
        }
        self.at(moment, report);
    }

    /// What a report means for the world itself.
    fn apply_report(&mut self, report: &Report) {
        let Report::Ended { order, end } = report else { return };
        let Some(execution) = self.executions.get_mut(order) else { return };
        if std::mem::replace(&mut execution.over, true) {
            return;
        }
        let (instance, spawns) = (execution.instance.clone(), execution.spawns);
        if *end == End::Done && spawns {
            self.processes.insert(instance.clone(), *order);
            self.unseen.remove(&instance);
            if self.chance(self.faults.dies) {
                let moment = self.now + Duration::from_millis(1 + self.random(2_000));
                let detail = "the simulated world killed it".to_owned();
                self.at(moment, Report::Died { instance, order: *order, detail });
            }
        }
    }

    fn next(&mut self, until: Option<Duration>) -> Option<Report> {
        while let Some((&(moment, number), _)) = self.reports.first_key_value() {
            if until.is_some_and(|until| moment > until) {
                break;
            }
            let report = self.reports.remove(&(moment, number))?;
            self.now = self.now.max(moment);
            if let Report::Died { instance, order, .. } = &report {
                // A process that was stopped meanwhile cannot die any more.
                if self.processes.get(instance) != Some(order) {
                    continue;
                }
                self.processes.remove(instance);
            }
            self.apply_report(&report);
            if self.chance(self.faults.lost) {
                if let Report::Died { instance, .. } = report {
                    self.unseen.insert(instance);
                }
                continue;
            }
            return Some(report);
        }
        if let Some(until) = until {
            self.now = self.now.max(until);
        }
        None
    }
}

/// The simulated world.
#[derive(Debug, Clone, Default)]
pub struct Simulated {
    inner: Rc<RefCell<Inner>>,
}

impl Simulated {
    /// A world that does what it likes with this seed.
    pub fn new(seed: u64, faults: Faults) -> Self {
        let world = Self::default();
        {
            let mut inner = world.inner.borrow_mut();
            inner.random = seed;
            inner.faults = faults;
        }
        world
    }

    /// Orders without a duration take this long.
    #[must_use]
    pub(crate) fn with_default_duration(self, unknown: Duration) -> Self {
        self.inner.borrow_mut().unknown = Some(unknown);
        self
    }

    /// Takes so many orders before it tells what has happened.
    #[must_use]
    pub fn in_batches_of(self, most: usize) -> Self {
        self.inner.borrow_mut().batch = Some(most);
        self
    }

    /// The engine dies after so many steps; with none it lives.
    pub fn crash_after(&self, steps: Option<u64>) {
        let mut inner = self.inner.borrow_mut();
        inner.crash_after = steps;
        inner.steps = 0;
        inner.crashed = false;
    }

    /// From here on nothing goes wrong by itself.
    pub fn stop_faults(&self) {
        self.inner.borrow_mut().faults = Faults::default();
    }

    /// The orders that were really carried out, with how they ended.
    pub fn executed(&self) -> BTreeMap<OrderId, End> {
        let inner = self.inner.borrow();
        inner.executions.iter().map(|(id, execution)| (*id, execution.end.clone())).collect()
    }

    /// The instances whose process runs.
    pub fn running(&self) -> BTreeSet<String> {
        self.inner.borrow().processes.keys().cloned().collect()
    }

    /// The instances whose process died without anybody being told.
    pub fn unseen(&self) -> BTreeSet<String> {
        self.inner.borrow().unseen.clone()
    }

    /// The same world, in which every action takes time, whether it has a command or not: for
    /// people who want to see how a run would go.
    #[must_use]
    pub(crate) fn playing(self) -> Self {
        self.inner.borrow_mut().plays = true;
        self
    }

    /// A journal whose disk dies with the engine: a commit is there whole, or not at all.
    pub fn disk(&self, journal: Memory) -> Disk {
        Disk { inner: Rc::clone(&self.inner), journal }
    }
}

impl World for Simulated {
    fn now(&self) -> Duration {
        self.inner.borrow().now
    }

    fn performs(&self, order: &Order) -> bool {
        // Where time is played, it passes even for an order with nothing to do.
        !order.is_empty() || self.inner.borrow().plays
    }

    fn batch(&self, _: bool) -> usize {
        self.inner.borrow().batch.unwrap_or(super::BATCH)
    }

    fn start(&mut self, order: &Order) {
        let mut inner = self.inner.borrow_mut();
        if inner.crashed {
            return;
        }
        inner.execute(order);
        // It may be the last thing that the engine does.
        inner.step();
    }

    fn wait(&mut self, until: Option<Duration>) -> Option<Report> {
        let mut inner = self.inner.borrow_mut();
        if inner.step() {
            return Some(Report::Interrupted);
        }
        inner.next(until)
    }

    fn poll(&mut self) -> Option<Report> {
        let mut inner = self.inner.borrow_mut();
        let now = inner.now;
        inner.next(Some(now))
    }

    fn cancel(&mut self, order: OrderId) {
        let mut inner = self.inner.borrow_mut();
        let is_over = inner.executions.get(&order).is_none_or(|execution| execution.over);
        if is_over || !inner.cancelled.insert(order) {
            return;
        }
        inner.reports.retain(
            |_, report| !matches!(report, Report::Ended { order: other, .. } if *other == order),
        );
        if let Some(execution) = inner.executions.get_mut(&order) {
            execution.end = End::Cancelled;
        }
        let now = inner.now;
        inner.at(now, Report::Ended { order, end: End::Cancelled });
    }

    fn inquire(&mut self, order: &Order) -> OrderStatus {
        let mut inner = self.inner.borrow_mut();
        let Some(execution) = inner.executions.get(&order.id).cloned() else {
            return OrderStatus::NotDone;
        };
        if execution.over && execution.forgotten {
            return OrderStatus::Unknown;
        }
        if execution.over {
            let now = inner.now;
            inner.at(now, Report::Ended { order: order.id, end: execution.end });
        }
        OrderStatus::Known
    }

    fn adopt(&mut self, order: &Order) -> bool {
        self.inner.borrow().processes.get(&order.instance) == Some(&order.id)
    }

    fn check(&mut self, order: &Order, _: &Command) -> Option<bool> {
        let inner = self.inner.borrow();
        let execution = inner.executions.get(&order.id);
        Some(execution.is_some_and(|execution| execution.end == End::Done))
    }

    fn cleanup(&mut self, _: OrderId) {}
}

/// A journal that dies with the engine.
#[derive(Debug, Clone)]
pub struct Disk {
    inner: Rc<RefCell<Inner>>,
    journal: Memory,
}

impl Journal for Disk {
    fn append(
        &mut self,
        at: Duration,
        entries: &[crate::entry::Entry],
        safety: crate::journal::Safety,
    ) -> Result<(), JournalError> {
        let dead = || JournalError::EngineDied;
        let crashes = {
            let mut inner = self.inner.borrow_mut();
            if inner.crashed {
                return Err(dead());
            }
            inner.step().then(|| inner.chance(50))
        };
        match crashes {
            // It died before the commit was safe, or just after.
            Some(false) => Err(dead()),
            Some(true) => self.journal.append(at, entries, safety).and(Err(dead())),
            None => self.journal.append(at, entries, safety),
        }
    }
}
