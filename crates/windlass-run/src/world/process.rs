//! Commands and processes of this machine.
//!
//! An order is carried out by a thread that ends with it, or by the dispatcher itself when it is
//! only a command; a waiting thread sleeps in the kernel.
//! A command leads a process group of its own and outlives the engine: its output goes to a file,
//! and what has to be known about it after a crash stands in its *claim*.
//!
//! Reading order: `claim.rs` (how nothing is done twice), `launch.rs` (how a command starts),
//! `probe.rs` (health checks), `group.rs` (orphans), `execute.rs` (what a thread does for an
//! order), `direct.rs` (what needs no thread), `throttle.rs` (how many of these run at once),
//! `scan.rs` (which of an earlier engine run), `keeper.rs` (the parent that outlives the engine),
//! `sigchld.rs` (how ends are heard of), `spawn.rs` (fast starts), `logs.rs` (what was written),
//! `redact.rs` (secrets in it), `inbox.rs` (where reports arrive).

mod claim;
mod direct;
mod execute;
mod group;
mod inbox;
mod keeper;
mod launch;
mod logs;
pub(super) mod probe;
mod redact;
mod scan;
mod sigchld;
mod spawn;
mod throttle;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use windlass::lifecycle::implementation::Command;

use super::{Order, OrderStatus, Report, World, docker, in_thread};
use crate::entry::{End, OrderId};
use crate::secrets::Secrets;
pub(crate) use claim::Identity;
use direct::Direct;
use group::Known;
use inbox::Inbox;
pub(super) use inbox::Reports;
use keeper::Records;
pub use keeper::{KEEP_COMMANDS, keep_commands};
use launch::Launcher;
pub(super) use launch::exit_words;
pub use redact::{HIDE_SECRETS, hide_secrets};
use scan::ProcessScan;
pub use sigchld::block_sigchld;

/// How long a command that was stopped may take before it is killed.
const GRACE: Duration = Duration::from_secs(5);

/// How many of the files that the engine may have open are set aside for one order: its log, the
/// handle of its process, and what its start needs for a moment.
const FILES_EACH: u64 = 5;

/// That many commands that may be repeated are started before it is looked who has ended: what the
/// system keeps of those slows down the start of others.
const BATCH: usize = 8;

/// A command that ends sooner, and says nothing, has no log.
const SHORT: Duration = Duration::from_millis(20);

/// What the threads share.
#[derive(Debug)]
struct Shared {
    launcher: Launcher,
    reports: Reports,
    /// The group of each command under way, so that it can be stopped.
    commands: Mutex<BTreeMap<OrderId, Running>>,
    /// The processes that are looked after, by the order that started each.
    watched: Mutex<BTreeMap<OrderId, Identity>>,
    /// Who runs the processes that have an image.
    containers: OnceLock<Arc<docker::Shared>>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Running {
    identity: Option<Identity>,
    cancelled: bool,
}

/// Local processes.
#[derive(Debug)]
pub struct Processes {
    shared: Arc<Shared>,
    inbox: Inbox,
    direct: Direct,
    /// The orders of engines before this one that it was asked about and whose outcome is not
    /// safe yet; none before the first question, and before the first start, which comes after it.
    asked: Option<BTreeSet<OrderId>>,
    /// What of engines before this one runs, as long as nothing has been started or waited for.
    found: Option<ProcessScan>,
    /// Whether the operator wants to stop.
    is_heard: Arc<AtomicBool>,
}

/// Where the process world works.
#[derive(Debug, Clone)]
pub struct ProcessSettings {
    /// The folder of the deployment.
    pub folder: PathBuf,
    /// Where logs go.
    pub logs: PathBuf,
    /// The folder that relative paths of commands start from.
    pub directory: PathBuf,
    /// The name of the deployment, which commands find in their environment.
    pub name: String,
    /// The program that calls [`hide_secrets`] when its first argument is [`HIDE_SECRETS`], and
    /// [`keep_commands`] when it is [`KEEP_COMMANDS`]. Without one, what commands write goes to
    /// their logs as it is, and each that must not run twice gets a shell.
    pub program: Option<PathBuf>,
}

/// Tells an engine that the operator wants to stop.
#[derive(Debug, Clone)]
pub struct Interrupter {
    reports: Reports,
    is_heard: Arc<AtomicBool>,
}

impl Interrupter {
    /// The engine stops as soon as what it is doing is written down.
    pub fn interrupt(&self) {
        self.reports.send(Report::Interrupted);
        self.is_heard.store(true, Ordering::Relaxed);
    }
}

impl Processes {
    /// A world of local processes.
    pub fn new(place: ProcessSettings, secrets: Secrets) -> std::io::Result<Self> {
        if place.program.is_some() && sigchld::is_ignored() {
            let why = "it was started with the signal CHLD ignored, so it does not hear when \
                       commands end: start it with `env --default-signal=CHLD`";
            return Err(std::io::Error::other(why));
        }
        let (reports, inbox) = inbox::open()?;
        let launcher = Launcher::new(place, secrets)?;
        let shared = Shared {
            launcher,
            reports,
            commands: Mutex::default(),
            watched: Mutex::default(),
            containers: OnceLock::new(),
        };
        let (shared, direct) = (Arc::new(shared), Direct::default());
        let is_heard = Arc::default();
        Ok(Processes { shared, inbox, direct, asked: None, found: None, is_heard })
    }

    /// From here on processes with an image are containers.
    pub(super) fn attach(&mut self, containers: Arc<docker::Shared>) {
        // There is one engine; a second one changes nothing.
        let _ = self.shared.containers.set(containers);
    }

    /// Where reports go.
    pub(super) fn reports(&self) -> Reports {
        self.shared.reports.clone()
    }

    /// For the handler of Ctrl-C.
    pub(crate) fn interrupter(&self) -> Interrupter {
        let (reports, is_heard) = (self.shared.reports.clone(), Arc::clone(&self.is_heard));
        Interrupter { reports, is_heard }
    }

    /// The number of the process that an order started, if it runs. It is not looked after.
    pub(crate) fn running(&self, order: OrderId) -> Option<u32> {
        let claim = self.shared.launcher.claims.process(order);
        claim.identity().filter(|identity| identity.is_alive())?.number()
    }
}

impl Processes {
    /// How far the command of an order got that an engine before this one gave; an error when that
    /// is all there is to be said.
    fn begun(&mut self, order: OrderId) -> Result<execute::From, OrderStatus> {
        let shared = Arc::clone(&self.shared);
        let claims = &shared.launcher.claims;
        let is_earlier = claims.is_of_earlier_boot(order);
        let claim = claims.command(order);
        // No other process may begin it any more.
        let kept =
            claims.recorded(order, self.direct.records()).map_err(|()| OrderStatus::Unknown)?;
        if kept.is_none() && !is_earlier && claim.take() {
            return Err(OrderStatus::NotDone);
        }
        // The log of one that has ended has its name, or it was empty and serves another one.
        let unended = kept.filter(|fact| fact.status().is_none());
        if let Some(spare) = unended.and_then(|_| claims.spare(order)) {
            logs::name_left(&self.shared.launcher.log(order), &spare);
        }
        let running = match kept {
            Some(fact) => fact.running(|| self.find(order)),
            None => claim.identity().filter(|identity| identity.is_alive()),
        };
        let left = match running {
            Some(_) => None,
            None if is_earlier => claims.earlier_status(order),
            None => claims.status(order),
        };
        match (running, left) {
            (Some(identity), _) => Ok(execute::From::Running(identity)),
            (None, Some(status)) if status.success() => Ok(execute::From::Command),
            (None, Some(status)) => {
                let end = End::Failed { reason: launch::end_words(status) };
                self.shared.reports.send(Report::Ended { order, end });
                Err(OrderStatus::Known)
            }
            (None, None) => Err(OrderStatus::Unknown),
        }
    }

    /// The command of an order that an engine before this one gave, if it runs.
    fn find(&mut self, order: OrderId) -> Option<Identity> {
        let launcher = &self.shared.launcher;
        let found = self.found.get_or_insert_with(|| {
            // What a keeper was told to begin has begun when all are looked for, unless that
            // takes too long; those are not known then.
            let earlier = launcher.claims.earlier_keepers(self.direct.records());
            let _ = earlier.iter().all(Records::is_closed);
            ProcessScan::look(launcher)
        });
        found.running(order)
    }
}

impl Drop for Processes {
    /// What keepers before this one wrote down about orders whose outcome is safe is not needed
    /// any more. Who was not asked about was safe before.
    fn drop(&mut self) {
        let Some(asked) = &self.asked else { return };
        let earlier = self.shared.launcher.claims.earlier_keepers(self.direct.records());
        for records in earlier.into_iter().filter(|records| !self.direct.has_lost(records)) {
            if !records.orders().iter().any(|order| asked.contains(order)) {
                records.remove();
            }
        }
    }
}

/// Ends a command: asks it to, and kills it after a while.
fn end_soon(identity: Identity) {
    identity.signal_group(rustix::process::Signal::TERM);
    let patient = in_thread(move || {
        if !identity.wait(Some(GRACE)) {
            identity.signal_group(rustix::process::Signal::KILL);
        }
    });
    if patient.is_err() {
        // It cannot be waited for.
        identity.signal_group(rustix::process::Signal::KILL);
    }
}

impl World for Processes {
    fn now(&self) -> Duration {
        SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
    }

    fn room(&self) -> Option<usize> {
        let most = rustix::process::getrlimit(rustix::process::Resource::Nofile).current?;
        Some(usize::try_from(most / FILES_EACH).unwrap_or(usize::MAX).max(1))
    }

    fn batch(&self, once: bool) -> usize {
        if once { super::BATCH } else { BATCH }
    }

    fn start(&mut self, order: &Order) {
        self.found = None;
        self.asked.get_or_insert_default();
        // Without this an order in doubt after the next boot counts as older, which is safe.
        let _ = self.shared.launcher.claims.begin(order.id);
        if !self.direct.start(&self.shared, &mut self.inbox, order) {
            // What was wrong with a command that was tried, its shell will say.
            execute::begin(&self.shared, order.clone(), execute::From::Start);
        }
    }

    fn wait(&mut self, until: Option<Duration>) -> Option<Report> {
        self.found = None;
        loop {
            if let Some(report) = self.poll() {
                return Some(report);
            }
            let most = until.map(|until| until.saturating_sub(self.now()));
            if self.direct.has_nameless() && most.is_none_or(|most| most > SHORT) {
                if !self.inbox.sleep(Some(SHORT)) {
                    self.direct.name_logs();
                }
            } else if !self.inbox.sleep(most) {
                return None;
            }
        }
    }

    fn is_interrupted(&self) -> bool {
        self.is_heard.load(Ordering::Relaxed)
    }

    fn poll(&mut self) -> Option<Report> {
        if let Some(report) = self.inbox.report() {
            return Some(report);
        }
        if self.inbox.take_child_signal() {
            for order in self.direct.ended() {
                self.inbox.push(order);
            }
        }
        if self.inbox.take_keeper_signal() {
            for order in self.direct.hear(&self.shared) {
                self.inbox.push(order);
            }
        }
        // All of them: a sleeping thread hears only of what ends from then on.
        while let Some(ended) = self.inbox.ended() {
            let report = self.direct.reap(&self.shared, ended);
            if report.is_some() {
                return report;
            }
        }
        None
    }

    fn cancel(&mut self, order: OrderId) {
        if self.direct.is_running(order) {
            self.direct.cancel(order);
            return;
        }
        let Ok(mut commands) = self.shared.commands.lock() else { return };
        let Some(running) = commands.get_mut(&order) else { return };
        running.cancelled = true;
        running.identity.into_iter().for_each(end_soon);
    }

    fn inquire(&mut self, order: &Order) -> OrderStatus {
        if self.direct.is_running(order.id) {
            return OrderStatus::Known;
        }
        self.asked.get_or_insert_default().insert(order.id);
        let claims = &self.shared.launcher.claims;
        let from = if direct::is_repeatable(order) {
            match self.find(order.id) {
                Some(identity) => execute::From::Running(identity),
                None => return OrderStatus::Unknown,
            }
        } else if order.run.is_some() {
            match self.begun(order.id) {
                Ok(from) => from,
                Err(doubt) => return doubt,
            }
        } else if order.spawn.is_some() {
            let claim = claims.process(order.id);
            match claim.identity() {
                Some(identity) if identity.is_alive() => execute::From::Command,
                // The claim is ours now, or what had it is dead: nothing runs.
                _ => {
                    claim.take();
                    return OrderStatus::NotDone;
                }
            }
        } else {
            // Stopping what has stopped changes nothing.
            execute::From::Command
        };
        execute::begin(&self.shared, order.clone(), from);
        OrderStatus::Known
    }

    fn adopt(&mut self, order: &Order) -> bool {
        let claim = self.shared.launcher.claims.process(order.id);
        let Some(identity) = claim.identity() else { return false };
        if !identity.is_alive() {
            execute::reap(&self.shared, order, identity, Known::ByEnvironment);
            return false;
        }
        execute::watch(&self.shared, order, identity, None);
        true
    }

    fn check(&mut self, order: &Order, check: &Command) -> Option<bool> {
        Some(self.shared.launcher.succeeds(order, check, None))
    }

    fn cleanup(&mut self, order: OrderId) {
        self.asked.iter_mut().for_each(|asked| {
            asked.remove(&order);
        });
        if !self.direct.has_left_nothing(order) {
            self.shared.launcher.claims.command(order).forget();
        }
    }

    fn ends_with_machine(&self) -> bool {
        true
    }
}
