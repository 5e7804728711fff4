//! Commands that need no claim, because they may be repeated: the dispatcher starts them itself,
//! without a shell and without a thread, and sleeps until they end.
//!
//! After a crash such a command is found by its environment, which names the deployment and the
//! order. None can begin late: until it has become the command, a child has a copy of the lock of
//! the engine that started it, and the next engine waits for that.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::thread;

use rustix::process::{Pid, PidfdFlags, pidfd_open};
use windlass::lifecycle::implementation::{Command, Effect};

use super::claim::Identity;
use super::group::{Group, Known};
use super::inbox::Inbox;
use super::launch::{Begun, Launcher};
use super::logs::{Log, Logs};
use super::swift::Streams;
use super::{Shared, errand, veil};
use crate::entry::{End, OrderId};
use crate::world::{Order, Report};

/// How many commands run without a handle at most: at every end all of them are looked at.
const FEW: usize = 8;

/// The commands that the dispatcher started itself and that have not ended.
#[derive(Debug, Default)]
pub(super) struct Direct {
    running: BTreeMap<OrderId, Started>,
    logs: Logs,
    /// Those that have ended and whose outcome is not safe yet.
    over: BTreeMap<OrderId, Over>,
    /// How each log becomes what a command writes to.
    streams: Streams,
    /// Whether some log has no name yet.
    has_nameless: bool,
    /// Those that run without a handle.
    heard: Vec<OrderId>,
}

#[derive(Debug)]
struct Started {
    child: Begun,
    /// Its end wakes the dispatcher; without one that of any child does.
    handle: Option<OwnedFd>,
    log: Log,
    /// Who it is, when it was told to end.
    cancelled: Option<Identity>,
}

/// A command that has ended.
#[derive(Debug)]
struct Over {
    /// What the system still keeps of it.
    left: Option<(Begun, Option<OwnedFd>)>,
    log: Log,
}

/// The command of an order that is nothing but a command that may be repeated and writes to its log
/// itself.
pub(super) fn command(order: &Order) -> Option<&Command> {
    let alone = order.stop.is_none() && order.spawn.is_none();
    let fits = |command: &&Command| {
        alone && order.effect == Effect::Idempotent && !veil::is_needed(command)
    };
    order.run.as_ref().filter(fits)
}

impl Direct {
    /// Starts the command of an order; whether that could be done.
    pub(super) fn start(&mut self, shared: &Arc<Shared>, inbox: &Inbox, order: &Order) -> bool {
        let launcher = &shared.launcher;
        let Some(command) = command(order) else { return false };
        let Ok(mut log) = self.logs.open(launcher.log(order.id)) else { return false };
        let Ok(child) = launcher.directly(order, command, &log, &mut self.streams) else {
            return false;
        };
        match self.expect(inbox, order.id, &child) {
            Ok(handle) => {
                self.has_nameless |= !log.has_name();
                let started = Started { child, handle, log, cancelled: None };
                self.running.insert(order.id, started);
            }
            // No room for another handle: a thread can wait without one.
            Err(_) => {
                log.name();
                errand::begin(shared, order.clone(), errand::From::Started(child));
            }
        }
        true
    }

    /// From here on the end of the command ends the sleep of the dispatcher.
    fn expect(
        &mut self,
        inbox: &Inbox,
        order: OrderId,
        child: &Begun,
    ) -> io::Result<Option<OwnedFd>> {
        if inbox.hears_ends() && self.heard.len() < FEW {
            self.heard.push(order);
            return Ok(None);
        }
        let number = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        // It has not been waited for, so the number is still its own.
        let handle = pidfd_open(number.ok_or(io::ErrorKind::NotFound)?, PidfdFlags::empty())?;
        inbox.expect(order, &handle)?;
        Ok(Some(handle))
    }

    /// Those without a handle that have ended.
    pub(super) fn ended(&mut self) -> Vec<OrderId> {
        let running = &self.running;
        let has_ended =
            |order: &mut OrderId| running.get(order).is_none_or(|it| it.child.is_over());
        self.heard.extract_if(.., has_ended).collect()
    }

    /// Whether the log of some command has no name yet.
    pub(super) fn has_nameless(&self) -> bool {
        self.has_nameless
    }

    /// The commands that run take their time: their logs get names, so that they can be read.
    pub(super) fn name_logs(&mut self) {
        for started in self.running.values_mut() {
            started.log.name();
        }
        self.logs.settle();
        self.has_nameless = false;
    }

    pub(super) fn is_running(&self, order: OrderId) -> bool {
        self.running.contains_key(&order)
    }

    /// The process of an order that is to be cancelled, if it is one of these.
    pub(super) fn cancel(&mut self, order: OrderId) -> Option<Identity> {
        let started = self.running.get_mut(&order)?;
        started.cancelled = Identity::of(started.child.id());
        started.cancelled
    }

    /// Whether an order that is over has left nothing to forget.
    pub(super) fn has_left_nothing(&mut self, order: OrderId) -> bool {
        let Some(over) = self.over.remove(&order) else { return false };
        // Whatever had to start has started, so that nobody waits for this. How it ended is known.
        let _ = over.left.map(|(child, _)| child.wait());
        self.logs.over(over.log);
        true
    }

    /// What is to be said about a command that has ended.
    /// A command that was told to end is over when nobody of its group runs any more; whoever
    /// sees to that reports it.
    pub(super) fn bury(&mut self, shared: &Arc<Shared>, order: OrderId) -> Option<Report> {
        let Started { mut child, handle, mut log, cancelled } = self.running.remove(&order)?;
        let status = child.ended();
        log.name_unless_empty();
        // One that was told to end must be gone before others of its group are looked for.
        let left = match cancelled {
            Some(_) => child.wait().ok().and(None),
            None => Some((child, handle)),
        };
        self.over.insert(order, Over { left, log });
        let end = match status {
            Ok(status) if status.success() => End::Done,
            _ if cancelled.is_some() => End::Cancelled,
            Ok(status) => End::Failed { reason: shared.launcher.reason(order, status) },
            Err(error) => End::Failed { reason: format!("cannot wait for the command: {error}") },
        };
        let report = Report::Ended { order, end };
        let left = cancelled.map(|leader| Group { leader, order, known: Known::Seen });
        let Some(left) = left.filter(|group| group.may_have_members()) else { return Some(report) };
        let shared = Arc::clone(shared);
        thread::spawn(move || {
            left.end(&shared.launcher, super::GRACE);
            shared.reports.send(report);
        });
        None
    }
}

/// The command of an order that an engine before this one started, if it runs.
///
/// What it left behind has the same environment. A command leads a process group and not a
/// session; of several that do, it is the oldest.
pub(super) fn find(launcher: &Launcher, order: OrderId) -> Option<Identity> {
    let processes = fs::read_dir("/proc").ok()?.flatten();
    let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    numbers
        .filter(|number| launcher.is_of(order, *number))
        .filter_map(Identity::of_leader)
        .filter(|identity| identity.is_alive())
        .min_by_key(|identity| identity.start())
}
