//! Commands that run inside a container: hooks after its start and before its stop.
//!
//! Hooks run one after the other, and the first that fails is the end of the step it belongs to: a
//! service whose hook failed has not started, so nothing that waits for it starts.

use std::io::{ErrorKind, Read};
use std::time::Duration;

use serde_json::{Value, json};

use super::engine::{Engine, EngineError};
use super::requests::Hook;
use super::service::words;
use super::{Shared, archive};
use crate::entry::OrderId;

/// How often the wait for a hook looks whether it was cancelled.
const GLANCE: Duration = Duration::from_millis(200);
/// How much of what a hook wrote is shown when it failed.
const LAST_LINES: usize = 5;

impl Engine {
    /// Gets a command ready that will run inside a container; its id.
    fn prepare(&self, container: &str, hook: &Hook) -> Result<String, EngineError> {
        let body = json!({
            "AttachStdout": true,
            "AttachStderr": true,
            "Cmd": hook.command,
            "Env": hook.environment,
            "Privileged": hook.privileged,
            "User": hook.user,
            "WorkingDir": hook.folder,
        });
        let made = self.ask("POST", &format!("/containers/{container}/exec"), Some(&body))?;
        Ok(made.get("Id").and_then(Value::as_str).unwrap_or_default().to_owned())
    }

    /// How a command ended.
    fn end_of(&self, command: &str) -> Result<i64, EngineError> {
        let said = self.ask("GET", &format!("/exec/{command}/json"), None)?;
        Ok(said.get("ExitCode").and_then(Value::as_i64).unwrap_or(-1))
    }
}

/// Runs hooks inside a container that runs; `which` says when, in the words of the file.
pub(super) fn run(
    shared: &Shared,
    order: OrderId,
    container: &str,
    which: &str,
    hooks: &[Hook],
) -> Result<(), String> {
    run_all(&shared.engine, container, which, hooks, || shared.is_cancelled(order))
}

/// The same outside of a run.
pub(super) fn run_all(
    engine: &Engine,
    container: &str,
    which: &str,
    hooks: &[Hook],
    stopped: impl Fn() -> bool,
) -> Result<(), String> {
    for hook in hooks {
        let said = hook.command.join(" ");
        let (code, wrote) = one(engine, container, hook, &stopped)
            .map_err(|why| format!("its {which} hook `{said}` cannot run: {why}"))?;
        if code != 0 {
            let lines: Vec<&str> = wrote.lines().collect();
            let last = lines[lines.len().saturating_sub(LAST_LINES)..].join(" / ");
            let last = if last.is_empty() { last } else { format!("; it wrote: {last}") };
            return Err(format!("its {which} hook `{said}` ended with exit code {code}{last}"));
        }
    }
    Ok(())
}

/// Runs one command: its exit code and what it wrote. The wait ends early when `stopped` says so.
pub(super) fn one(
    engine: &Engine,
    container: &str,
    hook: &Hook,
    stopped: impl Fn() -> bool,
) -> Result<(i64, String), String> {
    let id = engine.prepare(container, hook).map_err(words)?;
    let start = json!({ "Detach": false, "Tty": false }).to_string();
    let path = format!("/exec/{id}/start");
    let kind = "application/json";
    let mut answer = engine.answer("POST", &path, kind, start.as_bytes()).map_err(words)?;
    answer.body.wake_every(GLANCE).map_err(|error| error.to_string())?;
    let mut wrote = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        match answer.body.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => wrote.extend(&buffer[..read]),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                if stopped() {
                    return Err("it was cancelled".to_owned());
                }
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error.to_string()),
        }
    }
    let code = engine.end_of(&id).map_err(words)?;
    Ok((code, String::from_utf8_lossy(&archive::unframed(&wrote)).into_owned()))
}
