//! The events of an engine: who waits for a container sleeps until something happens to it.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::engine::{Engine, EngineError};
use crate::entry::OrderId;
use crate::world::process::Reports;
use crate::world::{Report, in_thread};

/// A container whose end is reported to the dispatcher.
#[derive(Debug, Clone)]
pub(super) struct Guard {
    pub(super) instance: String,
    pub(super) order: OrderId,
    /// Whether an end with exit code 0 is no death: nothing says that it stays.
    pub(super) may_end: bool,
}

#[derive(Debug, Default)]
struct Seen {
    /// How many things have happened to each container.
    happened: BTreeMap<String, u64>,
    guarded: BTreeMap<String, Guard>,
    /// Why no more events come.
    broken: Option<String>,
}

/// What has been seen.
#[derive(Debug, Default)]
pub(super) struct EventWatch {
    seen: Mutex<Seen>,
    changed: Condvar,
}

impl EventWatch {
    /// Watches an engine from now on; deaths go to `reports`.
    pub(super) fn begin(engine: &Engine, reports: Reports) -> Result<Arc<Self>, EngineError> {
        let mut events = engine.events()?;
        let watch = Arc::new(EventWatch::default());
        let (own, engine) = (Arc::clone(&watch), engine.clone());
        in_thread(move || {
            let mut line = String::new();
            let why = loop {
                line.clear();
                match events.read_line(&mut line) {
                    Ok(0) => break "it hung up".to_owned(),
                    Err(error) => break error.to_string(),
                    Ok(_) => {}
                }
                if let Ok(event) = serde_json::from_str::<Value>(&line) {
                    own.take(&event, &engine, &reports);
                }
            };
            own.lock().broken = Some(why);
            own.changed.notify_all();
        })
        .map_err(|error| EngineError::Unreachable(format!("no thread can be started: {error}")))?;
        Ok(watch)
    }

    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, event: &Value, engine: &Engine, reports: &Reports) {
        let text = |path: &str| event.pointer(path).and_then(Value::as_str);
        let (Some(id), Some(action)) = (text("/Actor/ID"), text("/Action")) else { return };
        if action.starts_with("exec_") {
            return;
        }
        let mut seen = self.lock();
        *seen.happened.entry(id.to_owned()).or_default() += 1;
        let code = text("/Actor/Attributes/exitCode").unwrap_or("0");
        let is_end = action == "die" || action == "destroy";
        let tell = is_end && seen.guarded.get(id).is_some_and(|it| !it.may_end || code != "0");
        drop(seen);
        self.changed.notify_all();
        // Asked without the lock: others need not wait for the answer.
        if !tell || action == "die" && comes_back(engine, id) {
            return;
        }
        if let Some(Guard { instance, order, .. }) = self.lock().guarded.remove(id) {
            let detail = format!("its container ended with exit code {code}");
            // When the receiver is gone, the report is not needed.
            reports.send(Report::Died { instance, order, detail });
        }
    }

    /// How much has happened to a container so far.
    pub(super) fn count(&self, id: &str) -> u64 {
        self.lock().happened.get(id).copied().unwrap_or(0)
    }

    /// Sleeps until more than `count` has happened to a container, or `most` has passed, or
    /// `stopped` says so when [`EventWatch::wake`] is called.
    pub(super) fn wait(
        &self,
        id: &str,
        count: u64,
        most: Option<Duration>,
        stopped: impl Fn() -> bool,
    ) -> Result<(), EngineError> {
        let until = most.map(|most| Instant::now() + most);
        let mut seen = self.lock();
        loop {
            if seen.happened.get(id).copied().unwrap_or(0) > count || stopped() {
                return Ok(());
            }
            if let Some(why) = &seen.broken {
                return Err(EngineError::Unreachable(why.clone()));
            }
            seen = match until.map(|until| until.saturating_duration_since(Instant::now())) {
                None => self.changed.wait(seen).unwrap_or_else(PoisonError::into_inner),
                Some(left) if left.is_zero() => return Ok(()),
                Some(left) => {
                    let waited = self.changed.wait_timeout(seen, left);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    /// Everybody who waits looks again.
    pub(super) fn wake(&self) {
        drop(self.lock());
        self.changed.notify_all();
    }

    /// From here on the end of a container is reported.
    pub(super) fn guard(&self, id: &str, guard: Guard) {
        self.lock().guarded.insert(id.to_owned(), guard);
    }

    /// From here on it is not.
    pub(super) fn unguard(&self, id: &str) {
        self.lock().guarded.remove(id);
    }
}

/// Whether the engine starts a container that has ended again, by the restart policy that it was
/// made with. As for Compose that is no death: what depends on it stays as it is. One that
/// was stopped, killed or restarted by hand is not started again by the policy.
fn comes_back(engine: &Engine, id: &str) -> bool {
    let Ok(now) = engine.inspect(id) else { return false };
    let again = now.all["RestartCount"].as_u64().unwrap_or(0) > 0;
    now.status == "restarting" || again && now.is_running()
}
