//! Which commands of engines before this one run. They are known by their environment, and all of
//! them are looked for at once: to look for each of two thousand took more than ten seconds.

use std::collections::BTreeMap;
use std::fs;

use super::claim::Identity;
use super::launch::Launcher;
use crate::entry::OrderId;

/// The leaders of process groups that have the environment of an order, as they were at one moment.
#[derive(Debug)]
pub(super) struct ProcessScan(BTreeMap<OrderId, Vec<Identity>>);

impl ProcessScan {
    /// Looks at every process of this machine.
    pub(super) fn look(launcher: &Launcher) -> Self {
        let mut found: BTreeMap<OrderId, Vec<Identity>> = BTreeMap::new();
        let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
        for number in processes.filter_map(|it| it.file_name().to_str()?.parse().ok()) {
            let orders = launcher.orders_of(number);
            let leader = orders.first().and_then(|_| Identity::of_leader(number));
            let Some(identity) = leader else { continue };
            for order in orders {
                found.entry(order).or_default().push(identity);
            }
        }
        ProcessScan(found)
    }

    /// The command of an order, if it runs.
    ///
    /// What it left behind has the same environment. A command leads a process group and not a
    /// session; of several that do, it is the oldest.
    pub(super) fn running(&self, order: OrderId) -> Option<Identity> {
        let leaders = self.0.get(&order)?.iter().copied().filter(|it| it.is_alive());
        leaders.min_by_key(|identity| identity.start())
    }
}
