//! What is to be told when the next commit is safe: entries to the journal and its readers, orders
//! to the world.

use crate::entry::{Entry, OrderId};
use crate::journal::Safety;
use crate::world::Order;

/// What waits for the next commit.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    entries: Vec<Entry>,
    /// Orders that the world is to start.
    starts: Vec<OrderId>,
    /// Orders that are over, of which the world may forget everything.
    cleanups: Vec<OrderId>,
    /// Whether an entry is about a command that may not be repeated.
    unrepeatable: bool,
}

impl Outbox {
    pub(crate) fn record(&mut self, entry: Entry) {
        self.entries.push(entry);
    }

    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub(crate) fn clear_entries(&mut self) {
        self.entries.clear();
    }

    /// The world starts an order after the commit.
    pub(super) fn start(&mut self, id: OrderId) {
        self.starts.push(id);
    }

    /// How many orders are about to start.
    pub(super) fn starting(&self) -> usize {
        self.starts.len()
    }

    pub(super) fn take_starts(&mut self) -> Vec<OrderId> {
        std::mem::take(&mut self.starts)
    }

    /// The world cleans up after an order that is over.
    pub(super) fn clean_up(&mut self, id: OrderId) {
        self.cleanups.push(id);
    }

    pub(super) fn take_cleanups(&mut self) -> Vec<OrderId> {
        std::mem::take(&mut self.cleanups)
    }

    /// An entry is about this order.
    pub(super) fn note_order(&mut self, order: &Order) {
        self.unrepeatable |= !order.is_repeatable();
    }

    /// Whether an entry is about a command that may not be repeated.
    pub(super) fn is_unrepeatable(&self) -> bool {
        self.unrepeatable
    }

    /// The entries are in the journal.
    pub(super) fn written(&mut self) {
        self.unrepeatable = false;
    }

    /// What the next commit has to survive. What only says that something repeatable begins or
    /// has ended may get lost with the power, where the orders end with the machine: it is repeated
    /// then.
    pub(super) fn safety(&self, ends_with_machine: bool) -> Safety {
        let repeatable = |entry: &Entry| {
            matches!(entry, Entry::Intent { .. } | Entry::Outcome { .. } | Entry::Followed { .. })
        };
        let repeatable = !self.unrepeatable && self.entries.iter().all(repeatable);
        if ends_with_machine && repeatable { Safety::Crash } else { Safety::PowerLoss }
    }
}
