//! A run in the simulated world, as it happens: an event for each entry of its journal.

use std::convert::Infallible;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};
use tokio::sync::mpsc::{self, Sender};
use tokio::time::Instant;
use windlass_run::entry::{Entry, Record};

use super::requests::Run;
use super::scratch::Scratch;
use super::{Server, ask, watch};
use crate::serve::refusal::Refusal;

/// How many events wait for a slow reader.
pub(super) const WAITING: usize = 16;

/// Runs, and streams what happens. The run ends when the listener is gone.
pub(super) async fn run(
    State(server): State<Arc<Server>>,
    Json(request): Json<Run>,
) -> Result<Response, Refusal> {
    let scratch = server.scratch(&request.about).await?;
    let (sender, receiver) = mpsc::channel(WAITING);
    tokio::spawn(async move {
        let _turn = server.turn().await;
        if let Err(refusal) = follow(&scratch, &request, &sender).await {
            let _ = sender.send(Ok(named("ended", &refusal.into_message()))).await;
        }
    });
    let stream = Events(receiver);
    Ok(Sse::new(stream).keep_alive(KeepAlive::default()).into_response())
}

/// What a stream of events is made of; nothing can go wrong.
pub(super) type StreamEvent = Result<Event, Infallible>;

async fn follow(
    scratch: &Scratch,
    request: &Run,
    sender: &Sender<StreamEvent>,
) -> Result<(), Refusal> {
    let question = scratch
        .question(&["up", "--world=simulated", "--format=json", "--yes", "--detach"])
        .option("--state-dir", Some(scratch.path("deployments")))
        .option("--goal", request.goal.as_ref())
        .option("--jobs", request.jobs.map(|jobs| jobs.to_string()))
        .option("--seed", request.seed.map(|seed| seed.to_string()))
        .about_file();
    let mut child = ask::start(&question.folder, &question.words, Stdio::null())?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let started = Instant::now();
    if let Some(stdout) = stdout {
        let mut lines = BufReader::new(stdout).lines();
        let mut records = Vec::new();
        while let Ok(Some(line)) = lines.next_line().await {
            if let Some(due) = due(&line, request) {
                tokio::time::sleep_until(started + due).await;
            }
            let predicted = predict(&line, &mut records).await;
            let entry = Event::default().event("entry").data(line);
            let told = [Some(entry), predicted.map(|it| named("predicted", &it))];
            for event in told.into_iter().flatten() {
                if sender.send(Ok(event)).await.is_err() {
                    // Dropping the child ends it.
                    return Ok(());
                }
            }
        }
    }
    let mut messages = String::new();
    if let Some(mut stderr) = stderr {
        let _ = stderr.read_to_string(&mut messages).await;
    }
    let status = child.wait().await.map_err(|error| Refusal::internal(&error))?;
    let ended = serde_json::json!({ "exit": status.code(), "messages": messages });
    let _ = sender.send(Ok(named("ended", &ended))).await;
    Ok(())
}

pub(super) fn named(name: &str, data: &serde_json::Value) -> Event {
    Event::default().event(name).data(data.to_string())
}

/// The prediction, as soon as enough is known for it.
async fn predict(line: &str, records: &mut Vec<Record>) -> Option<serde_json::Value> {
    let said: serde_json::Value = serde_json::from_str(line).ok()?;
    let entry: Entry = serde_json::from_value(said.get("event")?.clone()).ok()?;
    let seq = records.len() as u64 + 1;
    let known = watch::is_known(&entry);
    records.push(Record { run: 1, seq, at: said.get("at_ms")?.as_u64()?, entry });
    if !known {
        return None;
    }
    // A whole run in virtual time: others are answered meanwhile.
    let all = records.clone();
    tokio::task::spawn_blocking(move || watch::prediction(1, &all, seq)).await.ok()?
}

/// When an event is shown, at this speed of virtual time; what a page has seen before is shown at
/// once.
fn due(line: &str, request: &Run) -> Option<Duration> {
    let speed = request.speed.filter(|speed| *speed > 0.0)?;
    let entry: serde_json::Value = serde_json::from_str(line).ok()?;
    let moment = entry.get("at_ms")?.as_f64()? - request.from_ms.unwrap_or(0.0);
    Duration::try_from_secs_f64((moment.max(0.0) / 1000.0 / speed).min(3600.0)).ok()
}

/// The receiving end as a stream.
pub(super) struct Events(pub(super) mpsc::Receiver<StreamEvent>);

impl futures_core::Stream for Events {
    type Item = StreamEvent;

    fn poll_next(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Self::Item>> {
        self.0.poll_recv(context)
    }
}
