//! The processes of instances: which run, which died, and which do not fit.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use windlass::lifecycle::implementation::Process;

use crate::entry::OrderId;
use crate::machine::{ProcessMismatch, RunningProcesses};
use crate::world::Order;

/// Deaths of one process count for so long.
const DEATHS_WITHIN: Duration = Duration::from_mins(1);

/// The process of an instance.
#[derive(Debug, Clone)]
pub(crate) struct RunningProcess {
    /// The order that started it.
    pub(crate) order: OrderId,
    pub(crate) node: String,
    pub(crate) process: Process,
}

/// The processes of all instances.
#[derive(Debug)]
pub(crate) struct Processes {
    running: BTreeMap<String, RunningProcess>,
    /// Whether processes may not fit the states of their instances.
    needs_check: bool,
    /// What was tried to put a process into the state of its instance, and failed.
    unrepairable: Vec<ProcessMismatch>,
    /// Processes that died before the report that they had come up, by their orders.
    early_deaths: BTreeMap<OrderId, String>,
    /// When each instance died lately.
    deaths: BTreeMap<String, VecDeque<Duration>>,
}

impl Processes {
    pub(super) fn new() -> Self {
        Processes {
            running: BTreeMap::new(),
            needs_check: true,
            unrepairable: Vec::new(),
            early_deaths: BTreeMap::new(),
            deaths: BTreeMap::new(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.running.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&String, &RunningProcess)> {
        self.running.iter()
    }

    pub(crate) fn get(&self, instance: &str) -> Option<&RunningProcess> {
        self.running.get(instance)
    }

    /// The process of an instance, if this order started it.
    pub(super) fn started_by(&self, instance: &str, order: OrderId) -> Option<&RunningProcess> {
        self.get(instance).filter(|running| running.order == order)
    }

    /// The processes that run, by instance.
    pub(crate) fn by_instance(&self) -> RunningProcesses {
        let process =
            |(id, running): (&String, &RunningProcess)| (id.clone(), running.process.clone());
        self.running.iter().map(process).collect()
    }

    pub(crate) fn insert(&mut self, instance: String, running: RunningProcess) {
        self.running.insert(instance, running);
    }

    pub(crate) fn remove(&mut self, instance: &str) {
        self.running.remove(instance);
    }

    /// An order was done: it may have stopped a process, and started one.
    pub(crate) fn order_done(&mut self, order: &Order) {
        self.unrepairable.retain(|mismatch| mismatch.instance != order.instance);
        if order.stop.is_some() {
            self.remove(&order.instance);
        }
        if let Some(process) = &order.spawn {
            let (node, process) = (order.node.clone(), process.clone());
            let running = RunningProcess { order: order.id, node, process };
            self.insert(order.instance.clone(), running);
        }
    }

    /// Something unplanned happened: processes may not fit the states of their instances.
    pub(super) fn request_check(&mut self) {
        self.needs_check = true;
    }

    /// Whether processes may not fit; from now on they are taken to fit.
    pub(super) fn take_check_request(&mut self) -> bool {
        std::mem::take(&mut self.needs_check)
    }

    /// What was tried to repair this failed: it is not tried again.
    pub(super) fn mark_unrepairable(&mut self, mismatch: ProcessMismatch) {
        self.unrepairable.push(mismatch);
    }

    pub(super) fn is_unrepairable(&self, mismatch: &ProcessMismatch) -> bool {
        self.unrepairable.contains(mismatch)
    }

    /// Another plan is followed: everything may be tried again.
    pub(super) fn forget_unrepairable(&mut self) {
        self.unrepairable.clear();
    }

    /// A process died before the report that it had come up.
    pub(super) fn died_early(&mut self, order: OrderId, detail: String) {
        self.early_deaths.insert(order, detail);
    }

    pub(super) fn take_early_death(&mut self, order: OrderId) -> Option<String> {
        self.early_deaths.remove(&order)
    }

    /// Counts a death; how many there were lately.
    pub(super) fn count_death(&mut self, instance: &str, now: Duration) -> usize {
        let deaths = self.deaths.entry(instance.to_owned()).or_default();
        deaths.push_back(now);
        while deaths.front().is_some_and(|death| *death + DEATHS_WITHIN < now) {
            deaths.pop_front();
        }
        deaths.len()
    }
}
