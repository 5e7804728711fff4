//! Asking a question: the same program, started with the words of the command line.
//!
//! Whatever a page shows is what the command would have printed, to the byte. A search that is
//! no longer waited for is ended by ending its process, and a defect of ours in one answer leaves
//! the server standing.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use schemars::JsonSchema;
use serde::Serialize;
use tokio::io::AsyncWriteExt as _;
use tokio::process::{Child, Command};

use super::refusal::Refusal;

/// How many seconds a search may take before its answer is "unknown".
pub(super) const SECONDS: &str = "20";

/// One question.
#[derive(Debug)]
pub(super) struct Question {
    /// The folder in which it is asked: names of files in the answer are relative to it.
    pub(super) folder: PathBuf,
    /// The words after `windlass`.
    pub(super) words: Vec<String>,
    /// What comes on standard input.
    pub(super) input: String,
}

/// What a command answers.
#[expect(clippy::struct_field_names, reason = "the page asks for `answer.answer`")]
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Answer {
    /// The exit code of the command.
    pub(super) exit: i32,
    /// What the command prints with `--format json`; absent when it had no answer.
    pub(super) answer: Option<serde_json::Value>,
    /// What the command writes to standard error, such as why it has no answer.
    pub(super) messages: String,
}

/// What a command printed.
pub(super) struct Printed {
    pub(super) exit: i32,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: String,
}

/// Asks, and takes the answer as one JSON value.
pub(super) async fn ask(question: Question) -> Result<Answer, Refusal> {
    let printed = print(question).await?;
    let answer = serde_json::from_slice(&printed.stdout).ok();
    Ok(Answer { exit: printed.exit, answer, messages: printed.stderr })
}

/// Asks, and takes what is printed as it is.
pub(super) async fn print(question: Question) -> Result<Printed, Refusal> {
    let Question { folder, words, input } = question;
    let mut child = start(&folder, &words, Stdio::piped())?;
    let writing = child.stdin.take();
    let write = async move {
        if let Some(mut pipe) = writing {
            // A command that does not want to hear more has said why in its answer.
            let _ = pipe.write_all(input.as_bytes()).await;
        }
    };
    let (output, ()) = tokio::join!(child.wait_with_output(), write);
    let output = output.map_err(|error| Refusal::internal(&error))?;
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    Ok(Printed { exit: output.status.code().unwrap_or(-1), stdout: output.stdout, stderr })
}

/// Starts this program with other words. It ends when the handle is dropped.
pub(super) fn start(folder: &Path, words: &[String], input: Stdio) -> Result<Child, Refusal> {
    let program = std::env::current_exe().map_err(|error| Refusal::internal(&error))?;
    Command::new(program)
        .args(words)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .stdin(input)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| Refusal::internal(&error))
}
