//! Real deployments: an engine is started, ended and asked, by the commands that people type.
//!
//! Without `--run` nothing is started: a holder of the token could execute what the opened files
//! say. An engine goes on when the page is closed, and is found again by its file.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::sync::{Arc, Mutex};

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use rustix::process::{Pid, Signal, kill_process};
use schemars::JsonSchema;
use serde::Serialize;
use tokio::io::AsyncReadExt as _;
use tokio::process::{Child, Command};

use super::Server;
use super::ask::{self, Answer, Question};
use super::refusal::Refusal;
use super::requests::{About, Deploy, Logs};

/// The engines that this server started, by file.
pub(super) type Engines = Mutex<BTreeMap<String, Engine>>;

/// One engine.
#[derive(Debug, Clone, Default)]
pub(super) struct Engine {
    /// Its process, while it runs.
    pub(super) process: Option<u32>,
    /// How it ended.
    pub(super) exit: Option<i32>,
    /// What it said at its end.
    pub(super) messages: String,
}

/// What a command wrote.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct LogLines {
    /// The exit code of `windlass logs`.
    exit: i32,
    /// The last lines of `windlass logs --format json`.
    lines: Vec<serde_json::Value>,
    /// How many came before them.
    left_out: usize,
    /// Why there are none.
    messages: String,
}

/// That something was begun.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Begun {
    /// What was done, in words.
    done: &'static str,
}

/// How many lines of a log a page gets.
const LINES: usize = 1000;

type ServerState = State<Arc<Server>>;

/// Where a deployment stands: the answer of `status`.
pub(super) async fn status(
    State(server): ServerState,
    Json(about): Json<About>,
) -> Result<Json<Answer>, Refusal> {
    let question = server.plain(&about.file, &["status", "--format=json"]).await?;
    let _turn = server.turn().await;
    ask::ask(question).await.map(Json)
}

/// What the commands of an action wrote: the answer of `logs`.
pub(super) async fn logs(
    State(server): ServerState,
    Json(request): Json<Logs>,
) -> Result<Json<LogLines>, Refusal> {
    let mut question = server.plain(&request.file, &["logs", "--format=json"]).await?;
    // The last word is the file there; here it is an option, and the action comes last.
    question.words.truncate(2);
    question.words.push(format!("--app={}", request.file));
    question.words.extend(request.run.map(|run| format!("--run={run}")));
    question.words.extend(["--".to_owned(), request.action]);
    let _turn = server.turn().await;
    let printed = ask::print(question).await?;
    let text = String::from_utf8_lossy(&printed.stdout);
    let all: Vec<&str> = text.lines().collect();
    let left_out = all.len().saturating_sub(LINES);
    let lines = all.iter().skip(left_out).filter_map(|line| serde_json::from_str(line).ok());
    let (exit, messages) = (printed.exit, printed.stderr);
    Ok(Json(LogLines { exit, lines: lines.collect(), left_out, messages }))
}

/// Starts an engine: `up`, `resume` or `down`.
pub(super) async fn deploy(
    State(server): ServerState,
    Json(request): Json<Deploy>,
) -> Result<Json<Begun>, Refusal> {
    server.may_run()?;
    let mut question = server.plain(&request.file, request.verb.words()).await?;
    let file = question.words.pop().unwrap_or_default();
    question.words.pop();
    let goal = request.goal.filter(|_| request.verb.takes_goal());
    question.words.extend(goal.map(|goal| format!("--goal={goal}")));
    question.words.extend(request.jobs.map(|jobs| format!("--jobs={jobs}")));
    question.words.extend(["--".to_owned(), file]);
    server.begin(&request.file, &question)?;
    Ok(Json(Begun { done: "started" }))
}

/// Ends the engine of a file as Ctrl-C does: what runs goes on, and can be resumed.
pub(super) async fn cancel(
    State(server): ServerState,
    Json(about): Json<About>,
) -> Result<Json<Begun>, Refusal> {
    server.may_run()?;
    let known = server.workspace.lock().await.document(&about.file)?.name.clone();
    let process = server.engine(&known).and_then(|engine| engine.process);
    let pid = process.and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
    let Some(pid) = pid else {
        let message = "this server drives no engine for the file; end the other one where it runs";
        return Err(Refusal::new(StatusCode::CONFLICT, message));
    };
    kill_process(pid, Signal::INT).map_err(|error| Refusal::internal(&error.into()))?;
    Ok(Json(Begun { done: "asked to end" }))
}

impl Server {
    /// Refuses unless the operator allowed runs.
    fn may_run(&self) -> Result<(), Refusal> {
        if self.run {
            return Ok(());
        }
        let message = "nothing is executed here; start `windlass serve` with `--run` to allow it";
        Err(Refusal::new(StatusCode::FORBIDDEN, message))
    }

    /// The engine of a file.
    pub(super) fn engine(&self, file: &str) -> Option<Engine> {
        self.engines.lock().ok()?.get(file).cloned()
    }

    /// A question about an opened file as it is on disk.
    async fn plain(&self, file: &str, words: &[&str]) -> Result<Question, Refusal> {
        let workspace = self.workspace.lock().await;
        let name = workspace.document(file)?.name.clone();
        let mut words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        words.extend(["--".to_owned(), name]);
        Ok(Question { folder: workspace.root.clone(), words, input: String::new() })
    }

    /// Starts an engine, unless there is one, and remembers how it ends.
    fn begin(self: &Arc<Self>, file: &str, question: &Question) -> Result<(), Refusal> {
        let busy = || Refusal::new(StatusCode::CONFLICT, "an engine drives this deployment");
        let mut engines = self.engines.lock().map_err(|_| busy())?;
        if engines.get(file).is_some_and(|engine| engine.process.is_some()) {
            return Err(busy());
        }
        let program = std::env::current_exe().map_err(|error| Refusal::internal(&error))?;
        // It outlives this request, and this server: only the operator ends it.
        let child = Command::new(program)
            .args(&question.words)
            .current_dir(&question.folder)
            .env("NO_COLOR", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| Refusal::internal(&error))?;
        engines.insert(file.to_owned(), Engine { process: child.id(), ..Engine::default() });
        tokio::spawn(wait(Arc::clone(self), file.to_owned(), child));
        Ok(())
    }
}

/// Waits for the end of an engine and keeps what it said.
async fn wait(server: Arc<Server>, file: String, mut child: Child) {
    let mut messages = String::new();
    if let Some(stderr) = child.stderr.take() {
        // A few lines at its end; more would be a defect, and is not kept.
        let _ = stderr.take(64 << 10).read_to_string(&mut messages).await;
    }
    let exit = child.wait().await.ok().and_then(|status| status.code());
    if let Ok(mut engines) = server.engines.lock() {
        engines.insert(file, Engine { process: None, exit, messages });
    }
}
