//! What a thread does for an order on a host, and for a process that runs there.

use std::io::{BufRead as _, BufReader, Read};
use std::path::Path;
use std::process::Child;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use windlass::lifecycle::implementation::{Command, Effect, Probe, ProbeKind, Process, Stop};

use super::Shared;
use super::connection::{NoAnswer, append, end_of};
use super::error::PrepareError;
use super::files;
use super::script::{ClaimKind, ClaimStatus};
use crate::entry::{End, OrderId};
use crate::secrets::Filter;
use crate::world::process::probe;
use crate::world::{Order, Report, in_thread, without_thread};

/// How long a process may take to stop when its author says nothing.
const GRACE: Duration = Duration::from_secs(10);
/// After which pauses, in seconds, a host that does not answer is asked again before the outcome is
/// unknown.
const RETRY_PAUSES: [u64; 6] = [0, 1, 2, 4, 8, 15];
/// When a question itself takes long, none is asked any more after this.
const LONGEST: Duration = Duration::from_secs(30);
/// How long after a connection broke its host is asked again.
const AGAIN: Duration = Duration::from_secs(2);
/// How much of a log is repeated as the reason of a failure.
const TAIL: u64 = 400;

/// How much of an order has been done already.
#[derive(Debug, Clone, Copy)]
pub(super) enum From {
    Start,
    /// Its command runs: it was started by an engine that died.
    Running,
    /// Its command is over.
    Command,
}

/// Why an order did not end well.
enum Failure {
    Failed(String),
    Unknown,
}

impl std::convert::From<PrepareError> for Failure {
    fn from(why: PrepareError) -> Self {
        Failure::Failed(why.to_string())
    }
}

/// What a session says on standard error.
enum SessionEvent {
    Began,
    /// With the exit code, if it is known.
    Ended(Option<i32>),
    /// The connection is gone, with the last words of ssh.
    NoAnswer(NoAnswer),
}

/// Carries out an order in a thread of its own.
pub(super) fn begin(shared: &Arc<Shared>, host: String, order: Order, from: From) {
    let (id, is_new) = (order.id, matches!(from, From::Start));
    let (reports, shared) = (shared.reports.clone(), Arc::clone(shared));
    let begun = in_thread(move || {
        let end = match parts(&shared, &host, &order, from) {
            Ok(()) => Some(End::Done),
            _ if shared.is_cancelled(order.id) => Some(End::Cancelled),
            Err(Failure::Failed(reason)) => Some(End::Failed { reason }),
            Err(Failure::Unknown) => None,
        };
        let order = order.id;
        if let Ok(mut cancelled) = shared.cancelled.lock() {
            cancelled.remove(&order);
        }
        let report = match end {
            Some(end) => Report::Ended { order, end },
            None => Report::Lost { order },
        };
        shared.reports.send(report);
    });
    if let Err(error) = begun {
        reports.send(without_thread(id, is_new, &error));
    }
}

fn parts(shared: &Arc<Shared>, host: &str, order: &Order, from: From) -> Result<(), Failure> {
    match (&order.run, from) {
        (Some(command), From::Start) => run(shared, host, order, command)?,
        (Some(_), From::Running) => follow(shared, host, order)?,
        _ => {}
    }
    // It is done, but not all that it gave is here: a later look fetches it.
    files::fetch(shared, host, order).map_err(|_| Failure::Unknown)?;
    if let Some((before, process)) = &order.stop {
        stop(shared, host, order, *before, process)?;
    }
    match &order.spawn {
        Some(process) if process.image.is_some() => {
            Err(Failure::Failed("containers of other hosts are not run".to_owned()))
        }
        Some(process) => start_process(shared, host, order, process),
        None => Ok(()),
    }
}

fn failed_unanswered(NoAnswer(why): NoAnswer) -> Failure {
    Failure::Failed(why)
}

/// Asks a host, again and again if it does not answer.
pub(super) fn ask_with_retries(
    shared: &Shared,
    host: &str,
    script: &str,
) -> Result<String, NoAnswer> {
    let (mut last, begun) = (NoAnswer("it was not asked".to_owned()), Instant::now());
    for wait in RETRY_PAUSES {
        if begun.elapsed() >= LONGEST {
            break;
        }
        thread::sleep(Duration::from_secs(wait));
        match ask_once(shared, host, script) {
            Ok(text) => return Ok(text),
            Err(away) => last = away,
        }
        if wait == 0 {
            shared.unreachable.first_failure(host, &last);
        }
    }
    Err(last)
}

/// Asks a host, which may be known not to answer.
pub(super) fn ask_once(shared: &Shared, host: &str, script: &str) -> Result<String, NoAnswer> {
    let (_, text) = shared.connections.ask(host, script)?;
    shared.unreachable.answered(host);
    Ok(String::from_utf8_lossy(&text).trim().to_owned())
}

/// The command of an order, to its end.
fn run(shared: &Arc<Shared>, host: &str, order: &Order, command: &Command) -> Result<(), Failure> {
    // Nothing has begun on a host that was never reached.
    shared.connections.reach(host).map_err(failed_unanswered)?;
    files::deliver(shared, host, order, command)?;
    let result = !matches!(order.effect, Effect::Idempotent);
    let script = shared.scripts.launch(order, command, ClaimKind::Command, result);
    let words = session(shared, host, order.id, &script?)?;
    match words.iter().find(|word| !matches!(word, SessionEvent::Began)) {
        Some(SessionEvent::Ended(code)) => outcome(shared, order.id, code),
        Some(SessionEvent::NoAnswer(_)) | None => settle(shared, host, order),
        Some(SessionEvent::Began) => Err(Failure::Unknown),
    }
}

/// The connection broke while a command may have been running.
fn settle(shared: &Arc<Shared>, host: &str, order: &Order) -> Result<(), Failure> {
    let script = shared.scripts.inquire(order.id, ClaimKind::Command);
    // Whether it began is not known, as long as the host does not say.
    let Ok(said) = ask_with_retries(shared, host, &script) else { return Err(Failure::Unknown) };
    match ClaimStatus::parse(&said) {
        ClaimStatus::Free => {
            Err(Failure::Failed(format!("the connection to `{host}` ended before it began")))
        }
        ClaimStatus::Ended(code) => outcome(shared, order.id, code),
        ClaimStatus::Running(_) => follow(shared, host, order),
        ClaimStatus::Unknown => Err(Failure::Unknown),
    }
}

/// Waits for a command that another session started.
fn follow(shared: &Arc<Shared>, host: &str, order: &Order) -> Result<(), Failure> {
    let script = shared.scripts.follow(order.id, ClaimKind::Command, shared.known(order.id));
    match session(shared, host, order.id, &script)?.iter().next() {
        Some(SessionEvent::Ended(Some(code))) => outcome(shared, order.id, Some(code)),
        Some(SessionEvent::Ended(None)) => Err(Failure::Unknown),
        _ => settle(shared, host, order),
    }
}

fn outcome(shared: &Shared, order: OrderId, code: Option<i32>) -> Result<(), Failure> {
    match code {
        Some(0) => Ok(()),
        Some(code) => Err(Failure::Failed(reason(shared, order, code))),
        None => Err(Failure::Unknown),
    }
}

/// How a command ended, and its last words.
fn reason(shared: &Shared, order: OrderId, code: i32) -> String {
    let ended = match code {
        129.. => format!("it was killed by signal {}", code - 128),
        code => crate::world::process::exit_words(code),
    };
    let text = end_of(&shared.log(order), TAIL).unwrap_or_default();
    match text.lines().rev().find(|line| !line.trim().is_empty()) {
        Some(line) => format!("{ended}: {}", shared.scripts.secrets.redact(line.trim())),
        None => ended,
    }
}

/// What a session says; what it prints goes to the log meanwhile.
fn listen(
    shared: &Arc<Shared>,
    host: &str,
    order: OrderId,
    mut child: Child,
) -> mpsc::Receiver<SessionEvent> {
    let (say, words) = mpsc::channel();
    let (output, errors) = (child.stdout.take(), child.stderr.take());
    let log = shared.log(order);
    let filter = Filter::new(&shared.scripts.secrets).keeping_length();
    let copying = thread::Builder::new().spawn(move || copy(output, &log, filter));
    let (shared, host) = (Arc::clone(shared), host.to_owned());
    // A session that cannot be listened to counts as ended.
    let _ = in_thread(move || {
        let mut last = Vec::new();
        for line in errors.into_iter().flat_map(|errors| BufReader::new(errors).lines()) {
            let Ok(line) = line else { break };
            if line == "windlass began" {
                let _ = say.send(SessionEvent::Began);
            } else if let Some(code) = line.strip_prefix("windlass ended") {
                // Its last words are in the log before anybody hears that it ended.
                let _ = child.wait();
                let _ = copying.map(JoinHandle::join);
                let _ = say.send(SessionEvent::Ended(code.trim().parse().ok()));
                return;
            } else {
                last = line.into_bytes();
            }
        }
        let _ = child.wait();
        let _ = say.send(SessionEvent::NoAnswer(shared.connections.no_answer(&host, &last)));
    });
    words
}

/// The length of the log here says where the log there is taken up again.
fn copy(output: Option<impl Read>, log: &Path, mut filter: Filter) {
    let Some(mut output) = output else { return };
    let mut bytes = [0; 8192];
    while let Ok(read) = output.read(&mut bytes) {
        let shown = if read == 0 { filter.rest() } else { filter.pass(&bytes[..read]) };
        // A log that cannot be written is no reason to stop a run.
        if append(log, &shown).is_err() || read == 0 {
            return;
        }
    }
}

/// Ends the process that was the state before.
fn stop(
    shared: &Shared,
    host: &str,
    order: &Order,
    before: OrderId,
    process: &Process,
) -> Result<(), Failure> {
    shared.unwatch(before);
    let grace = process.grace.unwrap_or(GRACE);
    let signal = match &process.stop {
        Stop::Signal(name) => name.clone(),
        Stop::Command(command) => {
            let script = shared.scripts.run_unclaimed(order, command)?;
            shared.connections.ask(host, &script).map_err(failed_unanswered)?;
            "TERM".to_owned()
        }
    };
    // Signals have names of letters and digits; anything else is none.
    let fits = !signal.is_empty() && signal.chars().all(|c| c.is_ascii_alphanumeric());
    let signal = if fits { signal.as_str() } else { "TERM" };
    let tenths = u64::try_from(grace.as_millis() / 100).unwrap_or(u64::MAX).max(1);
    let script = shared.scripts.stop(before, ClaimKind::Process, signal, tenths);
    ask_with_retries(shared, host, &script).map_err(failed_unanswered)?;
    shared.unreachable.shows(before);
    Ok(())
}

/// Starts the process that is a state, and waits until it serves.
fn start_process(
    shared: &Arc<Shared>,
    host: &str,
    order: &Order,
    process: &Process,
) -> Result<(), Failure> {
    shared.connections.reach(host).map_err(failed_unanswered)?;
    let is_running = shared.scripts.is_running(order.id, ClaimKind::Process);
    let said = ask_with_retries(shared, host, &is_running).map_err(failed_unanswered)?;
    let words = if ClaimStatus::parse(&said).is_running() {
        let script = shared.scripts.follow(order.id, ClaimKind::Process, shared.known(order.id));
        session(shared, host, order.id, &script)?
    } else {
        files::deliver(shared, host, order, &process.command)?;
        let script = shared.scripts.launch(order, &process.command, ClaimKind::Process, false);
        let words = session(shared, host, order.id, &script?)?;
        match words.recv() {
            Ok(SessionEvent::Began) => {}
            Ok(SessionEvent::Ended(code)) => return Err(too_early(shared, order.id, code)),
            Ok(SessionEvent::NoAnswer(away)) => return Err(failed_unanswered(away)),
            Err(_) => return Err(Failure::Unknown),
        }
        words
    };
    let mut tries = 0;
    loop {
        let passes = |it| passes(shared, host, order, it).unwrap_or(false);
        let serves = process.health.as_ref().is_none_or(passes);
        if serves {
            break;
        }
        let wait = process.health.as_ref().map(|health| probe::every_at_first(health, tries));
        tries += 1;
        match words.recv_timeout(wait.unwrap_or_default()) {
            Ok(SessionEvent::Ended(code)) => return Err(too_early(shared, order.id, code)),
            Ok(SessionEvent::NoAnswer(away)) => return Err(failed_unanswered(away)),
            _ => {}
        }
        if shared.is_cancelled(order.id) {
            let script = shared.scripts.stop(order.id, ClaimKind::Process, "KILL", 1);
            let _ = ask_with_retries(shared, host, &script);
            return Err(Failure::Failed("it was cancelled".to_owned()));
        }
    }
    watch(shared, host, order, words);
    Ok(())
}

/// A process ended that should have stayed.
fn too_early(shared: &Shared, order: OrderId, code: Option<i32>) -> Failure {
    Failure::Failed(match code {
        Some(0) | None => "it ended at once".to_owned(),
        Some(code) => reason(shared, order, code),
    })
}

fn session(
    shared: &Arc<Shared>,
    host: &str,
    order: OrderId,
    script: &str,
) -> Result<mpsc::Receiver<SessionEvent>, Failure> {
    let child = shared.connections.session(host, script).map_err(failed_unanswered)?;
    Ok(listen(shared, host, order, child))
}

/// Commands are asked there, addresses from here. None when the host does not answer.
fn passes(shared: &Shared, host: &str, order: &Order, health: &Probe) -> Option<bool> {
    match &health.kind {
        ProbeKind::Command(command) => {
            let Ok(script) = shared.scripts.run_unclaimed(order, command) else {
                return Some(false);
            };
            let (code, _) = shared.connections.ask(host, &script).ok()?;
            Some(code == 0)
        }
        _ => Some(probe::answer_to_here(health).is_ok()),
    }
}

/// A process of an earlier engine is looked after from here on.
pub(super) fn adopt(shared: &Arc<Shared>, host: &str, order: &Order) {
    if shared.is_watched(order.id) {
        return;
    }
    let script = shared.scripts.follow(order.id, ClaimKind::Process, shared.known(order.id));
    if let Ok(words) = session(shared, host, order.id, &script) {
        watch(shared, host, order, words);
    }
}

/// A process of an earlier engine is looked after as soon as its host answers.
pub(super) fn adopt_unseen(shared: &Arc<Shared>, host: &str, order: &Order) {
    if shared.is_watched(order.id) {
        return;
    }
    shared.unreachable.hides(order.id);
    // Nothing is reported so far.
    let (_, words) = mpsc::channel();
    watch(shared, host, order, words);
}

/// Waits for the end of a process, and asks for its health.
fn watch(shared: &Arc<Shared>, host: &str, order: &Order, words: mpsc::Receiver<SessionEvent>) {
    if !shared.watch(order.id) {
        return;
    }
    let (there, place, watched) = (Arc::clone(shared), host.to_owned(), order.clone());
    let watching = in_thread(move || {
        let detail = live(&there, &place, &watched, words);
        there.has_died(watched, detail);
    });
    if let Err(error) = watching {
        // A process that cannot be looked after is ended, unless it cannot be reached either.
        if kill(shared, host, order.id).is_err() {
            shared.unreachable.hides(order.id);
            return;
        }
        let detail = format!("it cannot be looked after: no thread can be started: {error}");
        shared.has_died(order.clone(), detail);
    }
}

impl Shared {
    /// The process of an order is gone; whether anybody wants to know.
    fn has_died(&self, order: Order, detail: String) {
        if self.unwatch(order.id) {
            self.unreachable.shows(order.id);
            let report = Report::Died { instance: order.instance, order: order.id, detail };
            self.reports.send(report);
        }
    }
}

fn kill(shared: &Shared, host: &str, order: OrderId) -> Result<(), NoAnswer> {
    let script = shared.scripts.stop(order, ClaimKind::Process, "KILL", 1);
    ask_with_retries(shared, host, &script).map(drop)
}

/// Until the process ends: how. A host that does not answer says nothing about its processes.
fn live(
    shared: &Arc<Shared>,
    host: &str,
    order: &Order,
    mut words: mpsc::Receiver<SessionEvent>,
) -> String {
    let health = order.spawn.as_ref().and_then(|process| process.health.as_ref());
    let mut failures = 0;
    loop {
        let word = match health {
            Some(health) => words.recv_timeout(probe::every(health)),
            None => words.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match (word, health) {
            (Ok(SessionEvent::Ended(Some(code))), _) => return reason(shared, order.id, code),
            (Ok(SessionEvent::Ended(None)), _) => return "it is gone".to_owned(),
            (Ok(SessionEvent::Began), _) => {}
            (Err(RecvTimeoutError::Timeout), Some(health)) => {
                match passes(shared, host, order, health) {
                    Some(true) => failures = 0,
                    Some(false) => failures += 1,
                    None => {}
                }
                let has_failed = failures >= probe::failures(health);
                if has_failed && kill(shared, host, order.id).is_ok() {
                    return "its health check failed, and it was killed".to_owned();
                }
            }
            // It was stopped while its host was away.
            _ if !shared.is_watched(order.id) => return String::new(),
            _ => {
                thread::sleep(AGAIN);
                if let Some(again) = listen_again(shared, host, order.id) {
                    words = again;
                }
            }
        }
    }
}

/// Another session for a process whose connection is gone, if its host answers.
fn listen_again(
    shared: &Arc<Shared>,
    host: &str,
    order: OrderId,
) -> Option<mpsc::Receiver<SessionEvent>> {
    let is_running = shared.scripts.is_running(order, ClaimKind::Process);
    let said = ask_once(shared, host, &is_running);
    let said = said.map_err(|away| shared.unreachable.repeated_failure(host, &away)).ok()?;
    if ClaimStatus::parse(&said).is_running() && shared.unreachable.shows(order) {
        shared.reports.send(Report::Seen { order });
    }
    let script = shared.scripts.follow(order, ClaimKind::Process, shared.known(order));
    session(shared, host, order, &script).ok()
}
