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
struct EventState {
    /// How many events each container has had.
    counts: BTreeMap<String, u64>,
    guards: BTreeMap<String, Guard>,
    /// Why no more events come.
    broken: Option<String>,
}

/// What is known about the containers by their events.
#[derive(Debug, Default)]
pub(super) struct EventWatch {
    state: Mutex<EventState>,
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

    fn lock(&self) -> MutexGuard<'_, EventState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, event: &Value, engine: &Engine, reports: &Reports) {
        let text = |path: &str| event.pointer(path).and_then(Value::as_str);
        let (Some(id), Some(action)) = (text("/Actor/ID"), text("/Action")) else { return };
        if action.starts_with("exec_") {
            return;
        }
        let mut state = self.lock();
        *state.counts.entry(id.to_owned()).or_default() += 1;
        let code = text("/Actor/Attributes/exitCode").unwrap_or("0");
        let is_end = action == "die" || action == "destroy";
        let is_reported =
            is_end && state.guards.get(id).is_some_and(|it| !it.may_end || code != "0");
        drop(state);
        self.changed.notify_all();
        // Asked without the lock: others need not wait for the answer.
        if !is_reported || action == "die" && restarts_by_policy(engine, id) {
            return;
        }
        if let Some(Guard { instance, order, .. }) = self.lock().guards.remove(id) {
            let detail = format!("its container ended with exit code {code}");
            // When the receiver is gone, the report is not needed.
            reports.send(Report::Died { instance, order, detail });
        }
    }

    /// How many events a container has had so far.
    pub(super) fn count(&self, id: &str) -> u64 {
        self.lock().counts.get(id).copied().unwrap_or(0)
    }

    /// Sleeps until a container has had more than `count` events, or `most` has passed, or
    /// `stopped` says so when [`EventWatch::wake`] is called.
    pub(super) fn wait(
        &self,
        id: &str,
        count: u64,
        most: Option<Duration>,
        stopped: impl Fn() -> bool,
    ) -> Result<(), EngineError> {
        let until = most.map(|most| Instant::now() + most);
        let mut state = self.lock();
        loop {
            if state.counts.get(id).copied().unwrap_or(0) > count || stopped() {
                return Ok(());
            }
            if let Some(why) = &state.broken {
                return Err(EngineError::Unreachable(why.clone()));
            }
            state = match until.map(|until| until.saturating_duration_since(Instant::now())) {
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(left) if left.is_zero() => return Ok(()),
                Some(left) => {
                    let waited = self.changed.wait_timeout(state, left);
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
        self.lock().guards.insert(id.to_owned(), guard);
    }

    /// From here on it is not.
    pub(super) fn unguard(&self, id: &str) {
        self.lock().guards.remove(id);
    }
}

/// Whether the engine starts a container that has ended again, by the restart policy that it was
/// made with. As for Compose that is no death: what depends on it stays as it is. One that
/// was stopped, killed or restarted by hand is not started again by the policy.
fn restarts_by_policy(engine: &Engine, id: &str) -> bool {
    let Ok(now) = engine.inspect(id) else { return false };
    let again = now.all["RestartCount"].as_u64().unwrap_or(0) > 0;
    now.status == "restarting" || again && now.is_running()
}
