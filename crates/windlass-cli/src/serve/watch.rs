//! A deployment as it goes on: the entries of its journal, from the beginning of its last run.
//!
//! The journal is read, and it does not matter what writes it: an engine of this server or one in
//! another terminal.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use tokio::sync::mpsc::{self, Sender};
use windlass_run::controller::LastRun;
use windlass_run::controller::prediction::{self, Span};
use windlass_run::deployment::Deployment;
use windlass_run::entry::{Entry, Record};
use windlass_run::journal::sqlite::Sqlite;

use super::Server;
use super::refusal::Refusal;
use super::requests::About;
use super::run::{Events, StreamEvent, WAITING, named};
use crate::commands::engine::{self, WhereArgs};

/// How often the journal is looked at.
const EVERY: Duration = Duration::from_millis(200);

/// Streams what happens, until the listener is gone.
pub(super) async fn watch(
    State(server): State<Arc<Server>>,
    Json(about): Json<About>,
) -> Result<Response, Refusal> {
    let (file, path) = {
        let workspace = server.workspace.lock().await;
        let document = workspace.document(&about.file)?;
        (document.name.clone(), workspace.root.join(&document.name))
    };
    let (sender, receiver) = mpsc::channel(WAITING);
    let watching = Watching { server, file, path, sender, seen: (0, 0), told: Value::Null };
    std::thread::spawn(move || watching.follow());
    Ok(Sse::new(Events(receiver)).keep_alive(KeepAlive::default()).into_response())
}

/// A listener looks at a deployment.
struct Watching {
    server: Arc<Server>,
    file: String,
    path: PathBuf,
    sender: Sender<StreamEvent>,
    /// The run, and the last entry of it that was told.
    seen: (u64, u64),
    /// What was told about the engine.
    told: Value,
}

impl Watching {
    fn follow(mut self) {
        while !self.sender.is_closed() {
            if !self.look() {
                return;
            }
            std::thread::sleep(EVERY);
        }
    }

    /// Sends what is new; false when the listener is gone.
    fn look(&mut self) -> bool {
        // The engine first: when it has ended, everything it wrote is there to be read.
        let engine = self.engine();
        if let Some(journal) = self.journal()
            && !self.entries(&journal)
        {
            return false;
        }
        if engine != self.told {
            self.told = engine;
            let event = named("engine", &self.told);
            return self.tell(event);
        }
        true
    }

    fn tell(&self, event: Event) -> bool {
        self.sender.blocking_send(Ok(event)).is_ok()
    }

    fn deployment(&self) -> Option<Deployment> {
        let place = WhereArgs { name: None, state_dir: None };
        engine::existing(&place, &self.path).ok().map(|found| found.deployment)
    }

    fn journal(&self) -> Option<Sqlite> {
        Sqlite::read_only(&self.deployment()?.journal()).ok()
    }

    /// Whether an engine drives, whether it is ours, and what ours said last.
    fn engine(&self) -> Value {
        let ours = self.server.engine(&self.file).unwrap_or_default();
        let deployment = self.deployment();
        json!({
            "exists": deployment.is_some(), "driven": deployment.is_some_and(|it| is_driven(&it)),
            "ours": ours.process.is_some(), "exit": ours.exit, "messages": ours.messages,
        })
    }

    /// Tells the entries that have not been told.
    fn entries(&mut self, journal: &Sqlite) -> bool {
        let Ok(run) = journal.last_run() else { return true };
        if run != self.seen.0 {
            self.seen = (run, 0);
            if !self.tell(named("run", &json!({ "run": run }))) {
                return false;
            }
        }
        let Ok(all) = journal.records(run, 0) else { return true };
        let begun = all.first().map_or(0, |record| record.at);
        for record in &all {
            if record.seq <= self.seen.1 {
                continue;
            }
            self.seen.1 = record.seq;
            let at = record.at.saturating_sub(begun);
            let entry = json!({ "at_ms": at, "event": record.entry });
            if !self.tell(named("entry", &entry)) {
                return false;
            }
            if is_known(&record.entry)
                && let Some(predicted) = prediction(run, &all, record.seq)
                && !self.tell(named("predicted", &predicted))
            {
                return false;
            }
        }
        true
    }
}

/// Whether enough is known for a prediction, for the first time.
pub(super) fn is_known(entry: &Entry) -> bool {
    match entry {
        Entry::Begun { start, .. } => start.is_none(),
        Entry::Planned { .. } => true,
        _ => false,
    }
}

/// What the description lets expect of a run that has come this far.
pub(super) fn prediction(run: u64, records: &[Record], last: u64) -> Option<Value> {
    let planned = |record: &&Record| matches!(record.entry, Entry::Planned { .. });
    let known: Vec<Record> = records.iter().filter(|one| one.seq <= last).cloned().collect();
    // Later plans begin where a fault has left everything; only the first is predicted.
    if known.iter().filter(planned).count() > 1 {
        return None;
    }
    let run = LastRun::of_records(run, known).ok()?;
    let spans = prediction::of_run(&run, None).ok()?;
    let bar = |span: Span| {
        json!({
            "label": span.label, "start": span.start.as_millis() as u64,
            "end": span.end.as_millis() as u64,
        })
    };
    Some(json!({ "bars": spans.into_iter().map(bar).collect::<Vec<Value>>() }))
}

/// Whether an engine holds the lock; it is not waited for.
fn is_driven(deployment: &Deployment) -> bool {
    let lock = File::open(deployment.folder().join("lock"));
    lock.is_ok_and(|file| file.try_lock().is_err())
}
