//! Commands and processes of other hosts, by the system's `ssh`; those without a host are
//! processes of this machine.
//!
//! The guarantees are those of the process world, by the same means: a claim on the host before
//! anything happens, exit codes and output in files there, processes by boot, number and start
//! time. What runs outlives the connection and the engine. A host that does not answer is no proof
//! of anything: its orders are lost, never ended, and its processes not dead.
//!
//! Reading order: `address.rs` (where a host is), `connection.rs` (how a script gets there),
//! `script.rs` (what runs there), `execute.rs` (what a thread does here), `files.rs` (what is
//! copied there and back), `unreachable.rs` (hosts that do not answer).

mod address;
mod connection;
mod error;
mod execute;
mod files;
mod script;
mod unreachable;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use windlass::lifecycle::implementation::Command;

use super::process::{Interrupter, ProcessSettings, Processes, Reports};
use super::{Order, OrderStatus, Report, World, in_thread};
use crate::entry::{End, OrderId};
use crate::secrets::Secrets;
pub(crate) use address::AddressError;
use connection::Connections;
use script::{ClaimKind, ClaimStatus, Scripts};
use unreachable::UnreachableHosts;

/// How long after a request to stop a command the next one is sent.
const STOP_INTERVAL: Duration = Duration::from_millis(300);

/// How long a command that was stopped may take before it is killed, in tenths of a second.
const GRACE: u64 = 50;

/// How soon the operator is heard while a host is asked.
const INTERRUPT_INTERVAL: Duration = Duration::from_millis(100);

/// How long a host may take to answer before the operator is informed.
const SLOW_ANSWER: Duration = Duration::from_secs(2);

/// What the threads share.
#[derive(Debug)]
struct Shared {
    connections: Connections,
    scripts: Scripts,
    here: files::LocalFolders,
    logs: PathBuf,
    reports: Reports,
    cancelled: Mutex<BTreeSet<OrderId>>,
    watched: Mutex<BTreeSet<OrderId>>,
    unreachable: UnreachableHosts,
}

impl Shared {
    fn log(&self, order: OrderId) -> PathBuf {
        self.logs.join(format!("{}.log", order.0))
    }

    /// How much of the log of an order is here.
    fn known(&self, order: OrderId) -> u64 {
        std::fs::metadata(self.log(order)).map_or(0, |about| about.len())
    }

    fn is_cancelled(&self, order: OrderId) -> bool {
        self.cancelled.lock().is_ok_and(|cancelled| cancelled.contains(&order))
    }

    fn is_watched(&self, order: OrderId) -> bool {
        self.watched.lock().is_ok_and(|watched| watched.contains(&order))
    }

    /// Whether it is not looked after yet.
    fn watch(&self, order: OrderId) -> bool {
        self.watched.lock().is_ok_and(|mut watched| watched.insert(order))
    }

    /// Whether it is looked after already.
    fn unwatch(&self, order: OrderId) -> bool {
        self.watched.lock().is_ok_and(|mut watched| watched.remove(&order))
    }
}

/// How hosts are reached.
#[derive(Debug, Clone)]
pub(crate) struct SshSettings {
    /// Another configuration than the operator's own.
    pub(crate) config: Option<PathBuf>,
    /// A name for the deployment that no other one has: its folder on every host.
    pub(crate) unique: String,
    /// For what the operator should know during a wait for a host.
    pub(crate) tell: fn(&str),
}

/// Hosts, and this machine.
#[derive(Debug)]
pub(crate) struct Ssh {
    local: Processes,
    shared: Arc<Shared>,
    /// Where the orders that this engine knows are carried out.
    hosts: BTreeMap<OrderId, String>,
    /// The hosts that did not answer for as long as there is patience.
    unresponsive: BTreeSet<String>,
}

/// Why it is unknown what happens on a host.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub(crate) enum HostError {
    /// Its address is not known.
    Address(AddressError),
    /// It does not answer, with the reason that ssh gives.
    Unreachable(String),
}

impl fmt::Display for HostError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HostError::Address(error) => error.fmt(f),
            HostError::Unreachable(why) => f.write_str(why),
        }
    }
}

impl From<AddressError> for HostError {
    fn from(error: AddressError) -> Self {
        HostError::Address(error)
    }
}

impl Ssh {
    /// A world of hosts.
    pub(crate) fn new(
        place: ProcessSettings,
        secrets: Secrets,
        reach: SshSettings,
    ) -> std::io::Result<Self> {
        let scripts = Scripts {
            folder: format!(".windlass-orders/{}", reach.unique),
            name: place.name.clone(),
            secrets: secrets.clone(),
        };
        let (logs, deployment) = (place.logs.clone(), place.name.clone());
        let here = files::LocalFolders {
            directory: place.directory.clone(),
            folder: place.folder.clone(),
        };
        let local = Processes::new(place, secrets)?;
        let shared = Shared {
            connections: Connections::new(reach.config, deployment)?,
            scripts,
            here,
            logs,
            reports: local.reports(),
            cancelled: Mutex::default(),
            watched: Mutex::default(),
            unreachable: UnreachableHosts::new(reach.tell),
        };
        let (hosts, unresponsive) = (BTreeMap::new(), BTreeSet::new());
        Ok(Ssh { local, shared: Arc::new(shared), hosts, unresponsive })
    }

    /// For the handler of Ctrl-C.
    pub(crate) fn interrupter(&self) -> Interrupter {
        self.local.interrupter()
    }

    /// The number of the process that an order started, if it runs; why when that is unknown. It is
    /// not looked after.
    pub(crate) fn running(
        &self,
        host: Option<&str>,
        order: OrderId,
    ) -> Result<Option<u32>, HostError> {
        let host = match host {
            Some(host) => address::resolve(&self.shared.here.folder, host)?,
            None => None,
        };
        let Some(host) = host else { return Ok(self.local.running(order)) };
        let script = self.shared.scripts.is_running(order, ClaimKind::Process);
        let asked = self.shared.connections.ask(&host, &script);
        let (_, said) = asked.map_err(|away| HostError::Unreachable(away.0))?;
        match ClaimStatus::parse(&String::from_utf8_lossy(&said)) {
            ClaimStatus::Running(number) => Ok(number),
            _ => Ok(None),
        }
    }

    /// Where an order is carried out, when not here; why when that is unknown.
    fn host(&mut self, order: &Order) -> Result<Option<String>, AddressError> {
        let Some(host) = &order.host else { return Ok(None) };
        let host = address::resolve(&self.shared.here.folder, host)?;
        if let Some(host) = &host {
            self.hosts.insert(order.id, host.clone());
        }
        Ok(host)
    }

    /// What a host says; none when it does not answer, or when the operator does not want to wait.
    /// One that did not answer repeated questions is asked once: others wait for the same.
    fn asked(&mut self, host: &str, script: String) -> Option<String> {
        let (place, is_unresponsive) = (host.to_owned(), self.unresponsive.contains(host));
        let said = self.unless_interrupted(Some(host), move |shared| {
            if is_unresponsive {
                execute::ask_once(shared, &place, &script)
            } else {
                execute::ask_with_retries(shared, &place, &script)
            }
        })?;
        match said {
            Ok(said) => {
                self.unresponsive.remove(host);
                Some(said)
            }
            Err(_) => {
                self.unresponsive.insert(host.to_owned());
                None
            }
        }
    }

    /// What a host is asked by another thread, so that the operator is heard meanwhile; none when
    /// the operator does not want to wait, or when the system has no thread to spare. A `host` that
    /// should answer at once and does not is named.
    fn unless_interrupted<T: Send + 'static>(
        &self,
        host: Option<&str>,
        ask: impl FnOnce(&Shared) -> T + Send + 'static,
    ) -> Option<T> {
        let (say, answer) = mpsc::channel();
        let (shared, begun) = (Arc::clone(&self.shared), Instant::now());
        in_thread(move || drop(say.send(ask(&shared)))).ok()?;
        loop {
            match answer.recv_timeout(INTERRUPT_INTERVAL) {
                Ok(said) => return Some(said),
                Err(RecvTimeoutError::Timeout) if !self.local.is_interrupted() => {}
                Err(_) => return None,
            }
            if let Some(host) = host.filter(|_| begun.elapsed() > SLOW_ANSWER) {
                self.shared.unreachable.is_slow(host, SLOW_ANSWER);
            }
        }
    }
}

impl Drop for Ssh {
    fn drop(&mut self) {
        self.shared.connections.close();
    }
}

impl World for Ssh {
    fn now(&self) -> Duration {
        self.local.now()
    }

    fn start(&mut self, order: &Order) {
        match self.host(order) {
            Ok(Some(host)) => {
                execute::begin(&self.shared, host, order.clone(), execute::From::Start);
            }
            Ok(None) => self.local.start(order),
            Err(why) => {
                let end = End::Failed { reason: why.to_string() };
                self.shared.reports.send(Report::Ended { order: order.id, end });
            }
        }
    }

    fn wait(&mut self, until: Option<Duration>) -> Option<Report> {
        self.local.wait(until)
    }

    fn poll(&mut self) -> Option<Report> {
        self.local.poll()
    }

    fn cancel(&mut self, order: OrderId) {
        let Some(host) = self.hosts.get(&order).cloned() else {
            self.local.cancel(order);
            return;
        };
        if let Ok(mut cancelled) = self.shared.cancelled.lock() {
            cancelled.insert(order);
        }
        let script = self.shared.scripts.stop(order, ClaimKind::Command, "TERM", GRACE);
        let (shared, place, request) = (Arc::clone(&self.shared), host.clone(), script.clone());
        let telling = in_thread(move || {
            // The command may not have begun there: the request is sent again until its thread has
            // ended.
            while shared.is_cancelled(order) {
                let _ = execute::ask_with_retries(&shared, &place, &request);
                thread::sleep(STOP_INTERVAL);
            }
        });
        if telling.is_err() {
            // It cannot be sent again.
            let _ = execute::ask_with_retries(&self.shared, &host, &script);
        }
    }

    fn inquire(&mut self, order: &Order) -> OrderStatus {
        let host = match self.host(order) {
            Ok(Some(host)) => host,
            Ok(None) => return self.local.inquire(order),
            Err(_) => return OrderStatus::Unknown,
        };
        let from = if order.run.is_some() {
            // A host that does not answer: the outcome is unknown.
            let script = self.shared.scripts.inquire(order.id, ClaimKind::Command);
            let Some(said) = self.asked(&host, script) else { return OrderStatus::Silent };
            match ClaimStatus::parse(&said) {
                ClaimStatus::Free => return OrderStatus::NotDone,
                ClaimStatus::Ended(Some(0)) => execute::From::Command,
                ClaimStatus::Ended(code) => {
                    let reason = super::process::exit_words(code.unwrap_or(1));
                    let end = End::Failed { reason };
                    self.shared.reports.send(Report::Ended { order: order.id, end });
                    return OrderStatus::Known;
                }
                ClaimStatus::Running(_) => execute::From::Running,
                ClaimStatus::Unknown => return OrderStatus::Unknown,
            }
        } else if order.spawn.is_some() {
            let script = self.shared.scripts.inquire(order.id, ClaimKind::Process);
            match self.asked(&host, script) {
                Some(said) if ClaimStatus::parse(&said).is_running() => execute::From::Command,
                Some(_) => return OrderStatus::NotDone,
                None => return OrderStatus::Silent,
            }
        } else {
            // Stopping what has stopped changes nothing.
            execute::From::Command
        };
        execute::begin(&self.shared, host, order.clone(), from);
        OrderStatus::Known
    }

    fn adopt(&mut self, order: &Order) -> bool {
        let host = match self.host(order) {
            Ok(Some(host)) => host,
            Ok(None) => return self.local.adopt(order),
            Err(_) => return false,
        };
        let script = self.shared.scripts.is_running(order.id, ClaimKind::Process);
        match self.asked(&host, script) {
            Some(said) if ClaimStatus::parse(&said).is_running() => {
                execute::adopt(&self.shared, &host, order);
            }
            Some(_) => return false,
            // A host that does not answer is asked until it does.
            None => execute::adopt_unseen(&self.shared, &host, order),
        }
        true
    }

    fn unseen(&self) -> BTreeSet<OrderId> {
        self.shared.unreachable.unseen()
    }

    fn is_interrupted(&self) -> bool {
        self.local.is_interrupted()
    }

    fn check(&mut self, order: &Order, check: &Command) -> Option<bool> {
        let host = match self.host(order) {
            Ok(Some(host)) => host,
            Ok(None) => return self.local.check(order, check),
            Err(_) => return Some(false),
        };
        let (order, check) = (order.clone(), check.clone());
        // A check may take its time.
        let passes = self.unless_interrupted(None, move |shared| {
            files::deliver(shared, &host, &order, &check).ok()?;
            let Ok(script) = shared.scripts.run_unclaimed(&order, &check) else {
                return Some(false);
            };
            let (code, _) = shared.connections.ask(&host, &script).ok()?;
            Some(code == 0)
        });
        passes.flatten()
    }

    fn cleanup(&mut self, order: OrderId) {
        let Some(host) = self.hosts.remove(&order) else {
            self.local.cleanup(order);
            return;
        };
        let shared = Arc::clone(&self.shared);
        let _ = in_thread(move || {
            // What is not forgotten takes a little room there, and nothing else.
            let _ = shared.connections.ask(&host, &shared.scripts.forget(order));
        });
    }
}
