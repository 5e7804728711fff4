//! One function for each question that a page can ask.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;

use super::ask::{self, Answer};
use super::refusal::Refusal;
use super::requests::{About, Convert, Plan, Prove, Save, Step, Verify};
use super::scratch::Scratch;
use super::workspace::Document;
use super::{Server, openapi};

type ServerState = State<Arc<Server>>;
type Reply = Result<Json<Answer>, Refusal>;

/// What a page has to know first.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Session {
    /// The version of the program.
    version: &'static str,
    /// The folder that is served, for people.
    folder: String,
    /// Whether files can be saved.
    edit: bool,
    /// Whether deployments can be run for real.
    run: bool,
    /// The files that are open.
    files: Vec<Document>,
}

/// A text.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Text {
    /// The text on disk.
    text: String,
}

/// The answers of `windlass step`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Steps {
    /// The exit code of the command.
    exit: i32,
    /// One answer of `windlass step --format json` for each line, then one for `options`.
    answers: Vec<serde_json::Value>,
    /// The state in the end, as YAML.
    state: Option<String>,
    /// What the command writes to standard error.
    messages: String,
}

pub(super) async fn session(State(server): ServerState) -> Json<Session> {
    let mut workspace = server.workspace.lock().await;
    workspace.look();
    let folder = workspace.root.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let files = workspace.documents();
    let (edit, run) = (server.edit, server.run);
    Json(Session { version: env!("CARGO_PKG_VERSION"), folder, edit, run, files })
}

#[allow(clippy::unused_async, reason = "a handler is asynchronous")]
pub(super) async fn description() -> Json<serde_json::Value> {
    Json(openapi::description())
}

pub(super) async fn text(
    State(server): ServerState,
    Json(about): Json<About>,
) -> Result<Json<Text>, Refusal> {
    let text = server.workspace.lock().await.text(&about.file)?;
    Ok(Json(Text { text }))
}

pub(super) async fn save(
    State(server): ServerState,
    Json(save): Json<Save>,
) -> Result<Json<Text>, Refusal> {
    if !server.edit {
        let message = "files are served for reading; start with `--edit` to save";
        return Err(Refusal::new(axum::http::StatusCode::FORBIDDEN, message));
    }
    server.workspace.lock().await.save(&save.file, &save.was, &save.text)?;
    Ok(Json(Text { text: save.text }))
}

pub(super) async fn check(State(server): ServerState, Json(about): Json<About>) -> Reply {
    let scratch = server.scratch(&about).await?;
    let question = scratch.question(&["check", "--format=json"]).about_file();
    server.ask(question).await
}

pub(super) async fn model(State(server): ServerState, Json(about): Json<About>) -> Reply {
    let scratch = server.scratch(&about).await?;
    server.ask(scratch.question(&["convert", "--to=json"]).about_file()).await
}

pub(super) async fn step(
    State(server): ServerState,
    Json(request): Json<Step>,
) -> Result<Json<Steps>, Refusal> {
    let scratch = server.scratch(&request.about).await?;
    let saved = scratch.path("saved.yaml");
    let given = request.lines.iter().map(|line| harmless(line));
    let mut lines = given.collect::<Result<Vec<&str>, Refusal>>()?;
    let save = format!("save {saved}");
    lines.extend(["options", &save]);
    let question = scratch
        .question(&["step", "--format=json"])
        .text("--state", request.state.as_ref())?
        .switch("--hard-recovery", request.hard_recovery)
        .input(lines.join("\n"))
        .about_file();
    let printed = server.print(question).await?;
    let text = String::from_utf8_lossy(&printed.stdout);
    let mut answers: Vec<_> =
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    // The last answer names the private file that the state went to, so it is dropped.
    answers.pop();
    let state = std::fs::read_to_string(&saved).ok();
    Ok(Json(Steps { exit: printed.exit, answers, state, messages: printed.stderr }))
}

/// A line that changes nothing but the state: `save` would write a file.
fn harmless(line: &str) -> Result<&str, Refusal> {
    const WORDS: &[&str] = &[
        "start",
        "end",
        "scale-out",
        "scale-in",
        "crash",
        "undo",
        "handle",
        "reset",
        "fail",
        "time-out",
        "cancel",
        "retry",
        "skip",
        "compensate",
        "next",
    ];
    let first = line.split_whitespace().next().unwrap_or_default();
    if WORDS.contains(&first) && !line.contains(char::is_control) {
        Ok(line)
    } else {
        Err(Refusal::bad(format!("a line begins with one of: {}", WORDS.join(", "))))
    }
}

pub(super) async fn verify(State(server): ServerState, Json(request): Json<Verify>) -> Reply {
    let scratch = server.scratch(&request.about).await?;
    let plan = scratch.put("plan.yaml", &unbound(&request.plan))?;
    let question = scratch
        .question(&["verify", "--format=json", "--stats"])
        .option("--app", Some(&scratch.file))
        .text("--state", request.state.as_ref())?
        .option("--goal", request.goal)
        .switch("--sequence", request.sequence)
        .limited()
        .about(plan);
    server.ask(question).await
}

/// A plan without the digest of the application that it was made for: in the browser that one is
/// being edited, and the question is what becomes of the plan.
fn unbound(plan: &str) -> String {
    let is_kept = |line: &&str| !line.trim_start().starts_with("application: fnv1a128:");
    plan.split_inclusive('\n').filter(is_kept).collect()
}

pub(super) async fn plan(State(server): ServerState, Json(request): Json<Plan>) -> Reply {
    let scratch = server.scratch(&request.about).await?;
    let question = scratch
        .question(&["plan", "--format=json"])
        .text("--state", request.state.as_ref())?
        .option("--goal", request.goal)
        .option("--objective", Some(request.objective.as_str()))
        .switch("--allow-faults", request.allow_faults)
        .limited()
        .about_file();
    server.ask(question).await
}

pub(super) async fn prove(State(server): ServerState, Json(request): Json<Prove>) -> Reply {
    let scratch = server.scratch(&request.about).await?;
    let question = scratch
        .question(&["prove", "--format=json"])
        .option("--goal", request.goal)
        .option("--may-fail", request.may_fail)
        .limited()
        .about_file();
    server.ask(question).await
}

pub(super) async fn analyze(State(server): ServerState, Json(about): Json<About>) -> Reply {
    let scratch = server.scratch(&about).await?;
    server.ask(scratch.question(&["analyze", "--format=json"]).limited().about_file()).await
}

pub(super) async fn simulate(State(server): ServerState, Json(about): Json<About>) -> Reply {
    let scratch = server.scratch(&about).await?;
    server.ask(scratch.question(&["simulate", "--format=json"]).about_file()).await
}

pub(super) async fn convert(
    State(server): ServerState,
    Json(request): Json<Convert>,
) -> Result<Response, Refusal> {
    let scratch = server.scratch(&request.about).await?;
    let base = match &request.base {
        Some(name) => {
            let workspace = server.workspace.lock().await;
            Some(workspace.root.join(&workspace.document(name)?.name).display().to_string())
        }
        None => None,
    };
    let out = scratch.path("converted");
    let question = scratch
        .question(&["convert"])
        .option("--to", Some(request.to.as_str()))
        .option("--base", base)
        .option("--output", Some(&out))
        .about_file();
    let printed = server.print(question).await?;
    match std::fs::read(&out) {
        Ok(bytes) if printed.exit == 0 => {
            Ok(([(header::CONTENT_TYPE, "application/octet-stream")], bytes).into_response())
        }
        _ => Err(Refusal::bad(printed.stderr)),
    }
}

impl Server {
    /// The texts of a request, as files.
    pub(super) async fn scratch(&self, about: &About) -> Result<Scratch, Refusal> {
        Scratch::new(&*self.workspace.lock().await, about)
    }

    async fn ask(&self, question: ask::Question) -> Reply {
        let _turn = self.turn().await;
        ask::ask(question).await.map(Json)
    }

    async fn print(&self, question: ask::Question) -> Result<ask::Printed, Refusal> {
        let _turn = self.turn().await;
        ask::print(question).await
    }
}

#[cfg(test)]
mod tests {
    use super::unbound;

    #[test]
    fn a_plan_from_the_browser_is_judged_by_what_is_on_the_screen() {
        let digest = "  application: fnv1a128:6c62272e07bb014262b821756295c58d\n";
        let rest = ["plan:\n  actions: {}\n", "  start: fnv1a128:00\n"];
        assert_eq!(unbound(&rest.join(digest)), rest.concat());
    }
}
