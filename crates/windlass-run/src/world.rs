//! Who carries out what the dispatcher decides.
//!
//! A world is asked one thing at a time by one thread and answers with reports; how it does its
//! work is its own affair. Nothing here decides what may happen.

pub mod docker;
pub mod process;
pub mod simulated;
pub mod ssh;

use std::collections::BTreeSet;
use std::io;
use std::thread;
use std::time::Duration;

use windlass::lifecycle::implementation::{Command, Effect, Process};

use crate::entry::{End, OrderId};

/// What the world is asked to do: a command, then the end of the process that was the state
/// before, then the process that is the state after. Each part may be absent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// Its number.
    pub id: OrderId,
    /// For people and for names of files.
    pub(crate) label: String,
    /// The instance that it is about.
    pub instance: String,
    /// Its node.
    pub(crate) node: String,
    /// The host that it is carried out on, in worlds that have several.
    pub(crate) host: Option<String>,
    /// The operation that it carries out.
    pub operation: Option<String>,
    /// The command.
    pub(crate) run: Option<Command>,
    /// The process of the instance that has to end, and how.
    pub(crate) stop: Option<(OrderId, Process)>,
    /// The process that has to start.
    pub(crate) spawn: Option<Process>,
    /// Whether the instance goes for good, and with it what is out there of it.
    pub(crate) removes: bool,
    /// What may be done when it is unknown whether the command ran.
    pub(crate) effect: Effect,
    /// How long it is expected to take, for worlds that only play.
    pub(crate) expected: Option<Duration>,
    /// Whether it failed for good before, and the operator wants it tried again.
    pub(crate) again: bool,
}

impl Order {
    /// Whether there is nothing to do: such an order ends where it begins.
    pub(crate) fn is_empty(&self) -> bool {
        self.run.is_none() && self.stop.is_none() && self.spawn.is_none()
    }

    /// Whether it may be carried out again without knowledge of the first time.
    pub(crate) fn is_repeatable(&self) -> bool {
        self.run.is_none() || self.effect == Effect::Idempotent
    }
}

/// How many orders are given at once where each time means waiting for the disk.
pub(crate) const BATCH: usize = 32;

/// Has a thread do something; an error when the system has none to spare.
fn in_thread(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().spawn(work).map(drop)
}

/// What is to be said about an order for which the system has no thread to spare.
fn without_thread(order: OrderId, is_new: bool, error: &io::Error) -> Report {
    if !is_new {
        return Report::Lost { order };
    }
    let reason = format!("it did not begin: no thread can be started: {error}");
    Report::Ended { order, end: End::Failed { reason } }
}

/// What the world says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Report {
    /// An order ended.
    Ended {
        /// Which.
        order: OrderId,
        /// How; never [`End::TimedOut`], for the dispatcher keeps the time.
        end: End,
    },
    /// An order is over, and it is unknown how it ended.
    Lost {
        /// Which.
        order: OrderId,
    },
    /// The process that an order had started is gone, though no order ended it.
    Died {
        /// The instance.
        instance: String,
        /// The order that had started it.
        order: OrderId,
        /// What is known about it.
        detail: String,
    },
    /// The process that an order had started, and that could not be seen, runs.
    Seen {
        /// The order.
        order: OrderId,
    },
    /// The operator wants to stop; what runs goes on by itself.
    Interrupted,
}

/// What the world knows about an order that was given before the engine died.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderStatus {
    /// It is under way, or over with a known result: a report will come.
    Known,
    /// It never began, and cannot begin any more.
    NotDone,
    /// It began, and it is unknown how it ended.
    Unknown,
    /// Its host does not answer: to do it again would be to guess.
    Silent,
}

/// Where actions take place.
pub trait World {
    /// The time, since 1970 or since the world began.
    fn now(&self) -> Duration;

    /// Whether there is something to do for an order; one without ends where it begins.
    fn performs(&self, order: &Order) -> bool {
        !order.is_empty()
    }

    /// How many orders can be under way at once, where that is known. More wait for their turn.
    fn room(&self) -> Option<usize> {
        None
    }

    /// Of how many orders a batch is given before the world is asked what has happened meanwhile:
    /// its first run while the others are written down, and no timeout is missed. When
    /// one of them may not be repeated, each time means waiting for the disk.
    fn batch(&self, _once: bool) -> usize {
        BATCH
    }

    /// Carries out an order; a report will say how it ended.
    fn start(&mut self, order: &Order);

    /// Waits for a report, at most until a moment. None when the moment has come, or when no
    /// report can come any more.
    fn wait(&mut self, until: Option<Duration>) -> Option<Report>;

    /// A report that is there already.
    fn poll(&mut self) -> Option<Report>;

    /// Stops an order that is under way; its report will say that it was cancelled.
    fn cancel(&mut self, order: OrderId);

    /// What became of an order that an engine gave before this one began. When it is under way,
    /// this engine gets its report.
    fn inquire(&mut self, order: &Order) -> OrderStatus;

    /// Whether the process that an order started still runs. From here on its end is reported. One
    /// that cannot be seen counts as running, and is among the [`World::unseen`].
    fn adopt(&mut self, order: &Order) -> bool;

    /// The adopted processes of which it is unknown whether they run, because their host does not
    /// answer, by the orders that started them. A report says when one of them has been seen.
    fn unseen(&self) -> BTreeSet<OrderId> {
        BTreeSet::new()
    }

    /// Whether the operator wants to stop. A question that takes its time is broken off then, and
    /// what it was answered with means nothing.
    fn is_interrupted(&self) -> bool {
        false
    }

    /// Whether the check of an observable action says that it has been done.
    /// None when its host does not answer.
    fn check(&mut self, order: &Order, check: &Command) -> Option<bool>;

    /// Forgets what is only needed while an order is in doubt; called when its outcome is safe.
    /// Never for an order that was found not done: what an engine that was killed set off for it
    /// may come late, and must find the door closed.
    fn cleanup(&mut self, order: OrderId);

    /// Whether nothing that an order started goes on when this machine loses power. Then an order
    /// that may be repeated need not be on the disk before it is carried out.
    fn ends_with_machine(&self) -> bool {
        false
    }
}
