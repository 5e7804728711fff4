//! Orders that are nothing but a command: the dispatcher sees to them itself, without a shell and
//! without a thread, and sleeps until they end. One that may be repeated is its child; one that
//! must not run twice is a child of its keeper.
//!
//! After a crash a command that runs is found by its environment, which names the deployment and
//! the order. None can begin late: until it has become the command, a child has a copy of the lock
//! of the engine that started it, and the next engine waits for that, as it does for the keeper.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Instant;

use rustix::process::{Pid, PidfdFlags, pidfd_open};
use windlass::lifecycle::implementation::{Command, Effect};

use super::claim::Identity;
use super::group::{Group, Known};
use super::inbox::Inbox;
use super::keeper::{Fact, Keeper, Notice, Records};
use super::launch::{Begun, Launcher, Ready};
use super::logs::{Log, Logs};
use super::scan::ProcessScan;
use super::spawn::Streams;
use super::throttle::{PATIENCE, Throttle};
use super::{Shared, execute, redact};
use crate::entry::{End, OrderId};
use crate::world::{Order, Report};

/// How many commands run without a handle at most: at every end all of them are looked at.
const FEW: usize = 8;

/// The commands that the dispatcher sees to and that have not ended.
#[derive(Debug, Default)]
pub(super) struct Direct {
    running: BTreeMap<OrderId, Started>,
    logs: Logs,
    /// Those that have ended and whose outcome is not safe yet.
    over: BTreeMap<OrderId, Over>,
    /// What is the same for many commands.
    streams: Streams,
    /// Whether some log has no name yet.
    has_nameless: bool,
    /// Those that run without a handle.
    heard: Vec<OrderId>,
    /// How many children of this engine run at once.
    throttle: Throttle,
    keeper: Option<Keeper>,
    /// Whether there can be no keeper.
    is_without_keeper: bool,
    /// What the killed keeper of this engine wrote down: it may be all that the
    /// next engine finds about its commands.
    lost: Option<Records>,
    /// How commands of the keeper ended.
    told: BTreeMap<OrderId, ExitStatus>,
}

#[derive(Debug)]
struct Started {
    child: Child,
    log: Log,
    /// Who it is, when it was told to end.
    cancelled: Option<Identity>,
}

/// Whose child a command is.
#[derive(Debug)]
enum Child {
    /// This engine's. The end of the handle wakes the dispatcher; without one that of any child
    /// does.
    Own(Begun, Option<OwnedFd>),
    /// The keeper's.
    Kept(Box<Order>),
}

/// A command that has ended.
#[derive(Debug)]
struct Over {
    /// What the system still keeps of it.
    left: Option<(Begun, Option<OwnedFd>)>,
    log: Log,
}

/// The command of an order that is nothing but a command that writes to its log itself.
pub(super) fn command(order: &Order) -> Option<&Command> {
    let alone = order.stop.is_none() && order.spawn.is_none();
    order.run.as_ref().filter(|command| alone && !redact::is_needed(command))
}

/// Whether an order is nothing but a command that may be repeated.
pub(super) fn is_repeatable(order: &Order) -> bool {
    command(order).is_some() && order.effect == Effect::Idempotent
}

impl Direct {
    /// Starts the command of an order; whether that could be done.
    pub(super) fn start(&mut self, shared: &Arc<Shared>, inbox: &mut Inbox, order: &Order) -> bool {
        let launcher = &shared.launcher;
        let Some(command) = command(order) else { return false };
        let is_own = is_repeatable(order);
        if !is_own && !self.has_keeper(launcher, inbox) {
            return false;
        }
        let Ok(ready) = launcher.ready(order, command) else { return false };
        let Ok(log) = self.logs.open(launcher.log(order.id)) else { return false };
        if is_own {
            self.start_own(shared, inbox, order, &ready, log)
        } else {
            self.start_kept(order, ready, log)
        }
    }

    fn start_own(
        &mut self,
        shared: &Arc<Shared>,
        inbox: &mut Inbox,
        order: &Order,
        ready: &Ready,
        mut log: Log,
    ) -> bool {
        self.make_room(inbox);
        let Ok(begun) = shared.launcher.start(ready, &log, &mut self.streams) else {
            self.logs.over(log);
            return false;
        };
        match self.expect(inbox, order.id, &begun) {
            Ok(handle) => {
                self.throttle.begun(order.id);
                self.runs(order.id, Child::Own(begun, handle), log);
            }
            // No room for another handle: a thread can wait without one.
            Err(_) => {
                log.name();
                execute::begin(shared, order.clone(), execute::From::Started(begun));
            }
        }
        true
    }

    fn start_kept(&mut self, order: &Order, ready: Ready, log: Log) -> bool {
        let sent = self.keeper.as_ref().is_some_and(|it| it.run(order.id, ready, &log).is_ok());
        if sent {
            self.runs(order.id, Child::Kept(Box::new(order.clone())), log);
        } else {
            self.logs.over(log);
        }
        sent
    }

    fn runs(&mut self, order: OrderId, child: Child, log: Log) {
        self.has_nameless |= !log.has_name();
        self.running.insert(order, Started { child, log, cancelled: None });
    }

    /// Waits a little when enough commands of this engine run.
    fn make_room(&mut self, inbox: &mut Inbox) {
        let until = Instant::now() + PATIENCE;
        while self.throttle.is_saturated(inbox.waiting()) {
            let most = until.saturating_duration_since(Instant::now());
            let before = inbox.waiting();
            if most.is_zero() || !inbox.sleep(Some(most)) {
                self.throttle.wait_expired();
                return;
            }
            if inbox.take_child_signal() {
                self.ended().into_iter().for_each(|order| inbox.push(order));
            }
            if inbox.waiting() == before {
                // Another thread has something to report, and is not kept waiting.
                return;
            }
            self.throttle.wait_succeeded();
        }
    }

    fn has_keeper(&mut self, launcher: &Launcher, inbox: &Inbox) -> bool {
        if self.keeper.is_none() && !self.is_without_keeper {
            let keeper = Keeper::start(launcher);
            self.keeper = keeper.filter(|keeper| inbox.listen(keeper).is_ok());
            self.is_without_keeper = self.keeper.is_none();
        }
        self.keeper.is_some()
    }

    /// From here on the end of the command ends the sleep of the dispatcher.
    fn expect(
        &mut self,
        inbox: &Inbox,
        order: OrderId,
        child: &Begun,
    ) -> io::Result<Option<OwnedFd>> {
        if inbox.has_child_signal() && self.heard.len() < FEW {
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
        let running = &mut self.running;
        let has_ended = |order: &mut OrderId| match running.get_mut(order).map(|it| &mut it.child) {
            Some(Child::Own(begun, _)) => begun.is_over(),
            Some(Child::Kept(_)) | None => true,
        };
        self.heard.extract_if(.., has_ended).collect()
    }

    /// Hears what the keeper has to say; those that have ended.
    pub(super) fn hear(&mut self, shared: &Arc<Shared>) -> Vec<OrderId> {
        let Some(keeper) = &mut self.keeper else { return Vec::new() };
        let (notices, is_there) = keeper.notices();
        let mut ended = Vec::new();
        for notice in notices {
            match notice {
                Notice::Ended { order, status, is_named } => {
                    let order = OrderId(order);
                    if let Some(started) = self.running.get_mut(&order).filter(|_| is_named) {
                        started.log.is_named();
                    }
                    self.told.insert(order, ExitStatus::from_raw(status));
                    ended.push(order);
                }
                // What was wrong with it, its shell will say.
                Notice::NotBegun { order } => {
                    self.hand_over(shared, OrderId(order), || Some(execute::From::Start));
                }
                Notice::Runs { order, process } => {
                    if let Some(started) = self.running.get_mut(&OrderId(order)) {
                        started.cancelled = Identity::of(process).filter(|it| it.is_alive());
                        started.cancelled.into_iter().for_each(super::end_soon);
                    }
                }
            }
        }
        if !is_there {
            ended.extend(self.without_keeper(shared));
        }
        ended
    }

    /// A thread looks after a command from here on, or its end is unknown.
    fn hand_over(
        &mut self,
        shared: &Arc<Shared>,
        order: OrderId,
        from: impl FnOnce() -> Option<execute::From>,
    ) {
        let Some(Started { child: Child::Kept(order), mut log, .. }) = self.running.remove(&order)
        else {
            return;
        };
        match from() {
            Some(execute::From::Start) => {
                self.logs.over(log);
                execute::begin(shared, *order, execute::From::Start);
            }
            Some(from) => {
                log.name();
                execute::begin(shared, *order, from);
            }
            None => {
                // The operator who has to decide wants to read its output.
                log.name_unless_empty();
                shared.reports.send(Report::Lost { order: order.id });
            }
        }
    }

    /// The keeper was killed: what it wrote down has to do, and there is no other. Those
    /// of which it is known how they ended.
    fn without_keeper(&mut self, shared: &Arc<Shared>) -> Vec<OrderId> {
        let Some(keeper) = self.keeper.take() else { return Vec::new() };
        self.is_without_keeper = true;
        let (mut ended, mut found) = (Vec::new(), None);
        let is_kept = |started: &Started| matches!(started.child, Child::Kept(_));
        let kept = self
            .running
            .iter()
            .filter(|(order, started)| is_kept(started) && !self.told.contains_key(order));
        for order in kept.map(|(order, _)| *order).collect::<Vec<_>>() {
            match keeper.records().fact(order) {
                Some(Fact::Ended(status)) => {
                    self.told.insert(order, ExitStatus::from_raw(status));
                    ended.push(order);
                }
                Some(fact @ (Fact::Begun | Fact::Runs(_))) => {
                    let look = || ProcessScan::look(&shared.launcher);
                    let find = || found.get_or_insert_with(look).running(order);
                    let running = fact.running(find).map(execute::From::Running);
                    self.hand_over(shared, order, || running);
                }
                Some(Fact::NotBegun) | None => {
                    self.hand_over(shared, order, || Some(execute::From::Start));
                }
            }
        }
        self.lost = Some(keeper.leave(false));
        ended
    }

    /// Whether these are the records of a keeper of this engine that is gone.
    pub(super) fn has_lost(&self, records: &Records) -> bool {
        self.lost.as_ref().is_some_and(|lost| lost.is_same_as(records))
    }

    /// What the keeper of this engine writes down.
    pub(super) fn records(&self) -> Option<&Records> {
        self.keeper.as_ref().map(Keeper::records)
    }

    /// Whether the log of some command has no name yet.
    pub(super) fn has_nameless(&self) -> bool {
        self.has_nameless
    }

    /// The commands that run take their time: their logs get names, so that they can be read.
    pub(super) fn name_logs(&mut self) {
        self.running.values_mut().for_each(|it| it.log.name());
        self.logs.settle();
        self.has_nameless = false;
    }

    pub(super) fn is_running(&self, order: OrderId) -> bool {
        self.running.contains_key(&order)
    }

    /// Ends a command that is one of these.
    pub(super) fn cancel(&mut self, order: OrderId) {
        let Some(started) = self.running.get_mut(&order) else { return };
        match (&started.child, &self.keeper) {
            (Child::Own(begun, _), _) => {
                started.cancelled = Identity::of(begun.id()).filter(|it| it.is_alive());
                started.cancelled.into_iter().for_each(super::end_soon);
            }
            // It may not have begun; when it begins, it writes down its process.
            (Child::Kept(_), Some(keeper)) => keeper.ask(order),
            (Child::Kept(_), None) => {}
        }
    }

    /// Whether an order that is over has left nothing to forget.
    pub(super) fn has_left_nothing(&mut self, order: OrderId) -> bool {
        let Some(over) = self.over.remove(&order) else { return false };
        // Whatever had to start has started, so nothing waits for this. How it ended is known.
        let _ = over.left.map(|(child, _)| child.wait());
        self.logs.over(over.log);
        true
    }

    /// What is to be said about a command that has ended.
    /// A command that was told to end is over when no process of its group runs any more; the
    /// thread that waits for that reports it.
    pub(super) fn reap(&mut self, shared: &Arc<Shared>, order: OrderId) -> Option<Report> {
        let Started { child, mut log, cancelled } = self.running.remove(&order)?;
        log.name_unless_empty();
        let (status, known, left) = match child {
            Child::Own(mut begun, handle) => {
                self.throttle.ended(order);
                let status = begun.ended();
                // One that was told to end must be gone before others of its group are looked for.
                let left = match cancelled {
                    Some(_) => begun.wait().ok().and(None),
                    None => Some((begun, handle)),
                };
                (status, Known::Seen, left)
            }
            Child::Kept(_) => {
                let status = self.told.remove(&order).ok_or(io::ErrorKind::NotFound.into());
                (status, Known::ByEnvironment, None)
            }
        };
        self.over.insert(order, Over { left, log });
        let end = match status {
            // Whatever it says: it ended because it was told to.
            _ if cancelled.is_some() => End::Cancelled,
            Ok(status) if status.success() => End::Done,
            Ok(status) => End::Failed { reason: shared.launcher.reason(order, status) },
            Err(error) => End::Failed { reason: format!("cannot wait for the command: {error}") },
        };
        let report = Report::Ended { order, end };
        let left = cancelled.map(|leader| Group { leader, order, known });
        let Some(left) = left.filter(|group| group.may_have_members()) else { return Some(report) };
        let (there, told) = (Arc::clone(shared), report.clone());
        let patient = crate::world::in_thread(move || {
            left.end(&there.launcher, super::GRACE);
            there.reports.send(told);
        });
        match patient {
            Ok(()) => None,
            Err(_) => {
                left.end(&shared.launcher, super::GRACE);
                Some(report)
            }
        }
    }
}

impl Drop for Direct {
    fn drop(&mut self) {
        let is_idle = self.running.is_empty() && self.over.is_empty();
        if let Some(keeper) = self.keeper.take() {
            keeper.leave(is_idle);
        }
    }
}
