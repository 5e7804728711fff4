//! What a thread does for an order: the command, then the end of the old process, then the start
//! of the new one. And what a thread does for a process that runs: wait for its end.

use std::io;
use std::process::Child;
use std::sync::Arc;
use std::time::Duration;

use rustix::process::Signal;
use windlass::lifecycle::implementation::{Command, Effect, Process, Stop};

use super::claim::{Claim, Identity};
use super::group::{Group, Known, ORPHANS};
use super::launch::{After, Begun};
use super::probe::ProbeError;
use super::{Running, Shared, probe};
use crate::entry::{End, OrderId};
use crate::world::{Order, Report, docker, in_thread, without_thread};

/// How long a process may take to stop when its author says nothing.
const GRACE: Duration = Duration::from_secs(10);
/// After that long a process that was killed is not waited for any more.
const AFTER_KILL: Duration = Duration::from_secs(5);

/// How much of an order has been done already.
#[derive(Debug)]
pub(super) enum From {
    /// Nothing.
    Start,
    /// Its command runs: this engine started it.
    Started(Begun),
    /// Its command runs: it was started by an engine that died.
    Running(Identity),
    /// Its command is over.
    Command,
}

/// Carries out an order in a thread of its own.
pub(super) fn begin(shared: &Arc<Shared>, order: Order, from: From) {
    if let Ok(mut commands) = shared.commands.lock() {
        commands.insert(order.id, Running::default());
    }
    let (id, is_new) = (order.id, matches!(from, From::Start));
    let there = Arc::clone(shared);
    let begun = in_thread(move || {
        let report = carry_out(&there, &order, from);
        there.is_over(order.id, report);
    });
    if let Err(error) = begun {
        shared.is_over(id, without_thread(id, is_new, &error));
    }
}

impl Shared {
    fn is_over(&self, order: OrderId, report: Report) {
        if let Ok(mut commands) = self.commands.lock() {
            commands.remove(&order);
        }
        self.reports.send(report);
    }
}

/// Why an order did not end well.
enum Failure {
    Failed(String),
    Cancelled,
    /// It was cancelled while its process came up: why that did not serve.
    NotServing(String),
    /// It was started by another engine, and left no exit code.
    Unknown,
}

fn carry_out(shared: &Arc<Shared>, order: &Order, from: From) -> Report {
    let end = match parts(shared, order, from) {
        Ok(()) => End::Done,
        Err(Failure::Unknown) => return Report::Lost { order: order.id },
        Err(Failure::Cancelled) => End::Cancelled,
        // It ended because it was told to.
        Err(Failure::Failed(_)) if is_cancelled(shared, order.id) => End::Cancelled,
        Err(Failure::Failed(reason) | Failure::NotServing(reason)) => End::Failed { reason },
    };
    Report::Ended { order: order.id, end }
}

fn parts(shared: &Arc<Shared>, order: &Order, from: From) -> Result<(), Failure> {
    match (&order.run, from) {
        (Some(command), From::Start) => run(shared, order, command)?,
        (Some(_), From::Started(child)) => wait_for_command(shared, order, child)?,
        (Some(_), From::Running(identity)) => resume_command(shared, order, identity)?,
        _ => {}
    }
    match &order.stop {
        Some((_, process)) if process.image.is_some() => {
            let down =
                docker::execute::stop_container(containers(shared)?, &order.instance, process);
            down.map_err(|why| Failure::Failed(why.to_string()))?;
        }
        Some((before, process)) => stop(shared, order, *before, process),
        None => {}
    }
    match &order.spawn {
        Some(process) if process.image.is_some() => {
            let secrets = &shared.launcher.secrets;
            docker::execute::start_container(containers(shared)?, order, process, secrets)
                .map_err(|why| Failure::Failed(secrets.redact(&why.to_string())))
        }
        Some(process) => start_process(shared, order, process),
        None => Ok(()),
    }
}

/// Who runs containers.
fn containers(shared: &Shared) -> Result<&docker::Shared, Failure> {
    let containers = shared.containers.get().map(AsRef::as_ref);
    containers.ok_or_else(|| {
        Failure::Failed("it has an image: containers need `--world docker`".to_owned())
    })
}

fn is_cancelled(shared: &Shared, order: OrderId) -> bool {
    let commands = shared.commands.lock();
    commands.is_ok_and(|commands| commands.get(&order).is_some_and(|it| it.cancelled))
}

/// From here on the command can be cancelled. One that was cancelled before it began is stopped.
fn set_identity(shared: &Shared, order: OrderId, identity: Option<Identity>) {
    let Ok(mut commands) = shared.commands.lock() else { return };
    let running = commands.entry(order).or_default();
    running.identity = identity;
    if let (true, Some(identity)) = (running.cancelled, identity) {
        identity.signal_group(Signal::TERM);
    }
}

fn failed(what: &str, error: &io::Error) -> Failure {
    Failure::Failed(format!("cannot {what}: {error}"))
}

/// The command of an order, to its end.
fn run(shared: &Shared, order: &Order, command: &Command) -> Result<(), Failure> {
    let launcher = &shared.launcher;
    let after = match order.effect {
        Effect::Idempotent => After::Nothing,
        Effect::Observable(_) | Effect::AtMostOnce => After::Result,
    };
    let claim = launcher.claims.command(order.id);
    let child = launcher.claimed(order, command, &claim, after);
    let child = child.map_err(|error| failed("start the command", &error))?;
    wait_for_command(shared, order, Begun::Usual(child))
        .map_err(|trouble| unclaimed(&claim, trouble))
}

fn wait_for_command(shared: &Shared, order: &Order, child: Begun) -> Result<(), Failure> {
    let identity = Identity::of(child.id());
    set_identity(shared, order.id, identity);
    let status = child.wait().map_err(|error| failed("wait for the command", &error))?;
    after_cancel(shared, order.id, identity);
    // One that was told to end has not done its work, whatever it says.
    if status.success() && !is_cancelled(shared, order.id) {
        return Ok(());
    }
    Err(Failure::Failed(shared.launcher.reason(order.id, status)))
}

/// A command that was cancelled is over when no process of its group runs any more.
fn after_cancel(shared: &Shared, order: OrderId, leader: Option<Identity>) {
    if let Some(leader) = leader.filter(|_| is_cancelled(shared, order)) {
        Group { leader, order, known: Known::Seen }.end(&shared.launcher, super::GRACE);
    }
}

/// The shell that claims says by this code that it could not, but commands may use it too.
fn unclaimed(claim: &Claim, trouble: Failure) -> Failure {
    match trouble {
        Failure::Failed(_) if !claim.is_written() => {
            let path = claim.path().display();
            Failure::Failed(format!("it did not begin: `{path}` cannot be written"))
        }
        other => other,
    }
}

/// A command that an engine before this one started, to its end.
fn resume_command(shared: &Shared, order: &Order, identity: Identity) -> Result<(), Failure> {
    set_identity(shared, order.id, Some(identity));
    identity.wait(None);
    after_cancel(shared, order.id, Some(identity));
    match shared.launcher.claims.status(order.id) {
        Some(status) if status.success() => Ok(()),
        Some(status) => Err(Failure::Failed(super::launch::end_words(status))),
        None => Err(Failure::Unknown),
    }
}

/// Ends the process of an instance: as its author says, and by force when that does not help.
fn stop(shared: &Shared, order: &Order, before: OrderId, process: &Process) {
    let claim = shared.launcher.claims.process(before);
    let leader = claim.identity();
    if let Ok(mut watched) = shared.watched.lock() {
        // Its end is no news from here on.
        watched.remove(&before);
    }
    let identity = leader.filter(|identity| identity.is_alive());
    if let Some(identity) = identity {
        match &process.stop {
            Stop::Signal(name) => identity.signal_group(signal(name)),
            Stop::Command(command) => {
                shared.launcher.succeeds(order, command, Some(process.grace.unwrap_or(GRACE)));
            }
        }
        if !identity.wait(Some(process.grace.unwrap_or(GRACE))) {
            identity.signal_group(Signal::KILL);
            identity.wait(Some(AFTER_KILL));
        }
    }
    if let Some(leader) = leader {
        let known = identity.map_or(Known::ByEnvironment, |_| Known::Seen);
        let grace = process.grace.unwrap_or(GRACE);
        Group { leader, order: before, known }.end(&shared.launcher, grace);
    }
    claim.forget();
}

/// Ends what is left of the group of a process that has died: its state is left when all are gone.
pub(super) fn reap(shared: &Shared, order: &Order, leader: Identity, known: Known) {
    let grace = order.spawn.as_ref().and_then(|process| process.grace).unwrap_or(ORPHANS);
    Group { leader, order: order.id, known }.end(&shared.launcher, grace);
}

fn signal(name: &str) -> Signal {
    match name {
        "INT" => Signal::INT,
        "QUIT" => Signal::QUIT,
        "HUP" => Signal::HUP,
        "USR1" => Signal::USR1,
        "USR2" => Signal::USR2,
        "KILL" => Signal::KILL,
        "ABRT" => Signal::ABORT,
        "WINCH" => Signal::WINCH,
        _ => Signal::TERM,
    }
}

/// Starts the process that is a state, and waits until it serves.
fn start_process(shared: &Arc<Shared>, order: &Order, process: &Process) -> Result<(), Failure> {
    let launcher = &shared.launcher;
    let claim = launcher.claims.process(order.id);
    let running = claim.path().exists().then(|| claim.identity()).flatten();
    let mut child = None;
    let identity = match running.filter(|identity| identity.is_alive()) {
        Some(identity) => identity,
        None => {
            let started = launcher.claimed(order, &process.command, &claim, After::Nothing);
            let started = started.map_err(|error| failed("start the process", &error))?;
            let identity = Identity::of(started.id());
            child = Some(started);
            identity.ok_or_else(|| Failure::Failed("it ended at once".to_owned()))?
        }
    };
    set_identity(shared, order.id, Some(identity));
    let mut tries = 0;
    loop {
        let serves = match &process.health {
            Some(health) => probe::answer(launcher, order, health),
            // It is the process that its author wrote, and no longer the shell before it.
            None => claim.identity().map(|_| ()).ok_or(ProbeError::NotBegun),
        };
        if serves.is_ok() && identity.is_alive() {
            break;
        }
        let wait = process
            .health
            .as_ref()
            .map_or(Duration::from_millis(5), |health| probe::every_at_first(health, tries));
        tries += 1;
        let has_ended = identity.wait(Some(wait));
        if is_cancelled(shared, order.id) {
            identity.signal_group(Signal::KILL);
            identity.wait(Some(AFTER_KILL));
            reap(shared, order, identity, Known::Seen);
            let Err(reason) = serves else { return Err(Failure::Cancelled) };
            return Err(Failure::NotServing(format!("its health check did not pass: {reason}")));
        }
        if has_ended {
            let reason = ended(shared, order.id, child);
            reap(shared, order, identity, Known::Seen);
            return Err(unclaimed(&claim, Failure::Failed(reason)));
        }
    }
    watch(shared, order, identity, child);
    Ok(())
}

/// How a process ended that should not have.
fn ended(shared: &Shared, order: OrderId, child: Option<Child>) -> String {
    match child.map(|mut child| child.wait()) {
        Some(Ok(status)) => shared.launcher.reason(order, status),
        _ => "it is gone".to_owned(),
    }
}

/// Looks after a process: waits for its end, and asks for its health.
pub(super) fn watch(shared: &Arc<Shared>, order: &Order, identity: Identity, child: Option<Child>) {
    {
        let Ok(mut watched) = shared.watched.lock() else { return };
        if watched.insert(order.id, identity).is_some() {
            return;
        }
    }
    let (instance, id, reports) = (order.instance.clone(), order.id, shared.reports.clone());
    let shared = Arc::clone(shared);
    let order = order.clone();
    let watching = in_thread(move || {
        let unhealthy = supervise(&shared, &order, identity);
        let how = ended(&shared, order.id, child);
        if shared.watched.lock().is_ok_and(|watched| watched.contains_key(&order.id)) {
            reap(&shared, &order, identity, Known::Seen);
        }
        let watched = shared.watched.lock().map(|mut watched| watched.remove(&order.id));
        if matches!(watched, Ok(Some(_))) {
            let detail = if unhealthy {
                "its health check failed, and it was killed".to_owned()
            } else {
                how
            };
            let report = Report::Died { instance: order.instance, order: order.id, detail };
            shared.reports.send(report);
        }
    });
    if let Err(error) = watching {
        // A process that cannot be looked after is ended.
        identity.signal_group(Signal::KILL);
        let detail = format!("it cannot be looked after: no thread can be started: {error}");
        reports.send(Report::Died { instance, order: id, detail });
    }
}

/// Until the process ends; whether it was killed because it did not serve.
fn supervise(shared: &Shared, order: &Order, identity: Identity) -> bool {
    let Some(health) = order.spawn.as_ref().and_then(|process| process.health.as_ref()) else {
        identity.wait(None);
        return false;
    };
    let mut failures = 0;
    while !identity.wait(Some(probe::every(health))) {
        let passes = probe::answer(&shared.launcher, order, health).is_ok();
        failures = if passes { 0 } else { failures + 1 };
        if failures >= probe::failures(health) {
            identity.signal_group(Signal::KILL);
            identity.wait(Some(AFTER_KILL));
            return true;
        }
    }
    false
}
