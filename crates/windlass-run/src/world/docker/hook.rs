//! Commands that run inside a container: hooks after its start and before its stop.
//!
//! Hooks run one after the other, and the first that fails is the end of the step it belongs to: a
//! service whose hook failed has not started, so nothing that waits for it starts.

use std::io::{ErrorKind, Read};
use std::time::Duration;

use serde_json::{Value, json};

use super::engine::{Engine, EngineError};
use super::error::{HookStage, OrderError, last_lines};
use super::requests::Hook;
use super::{Shared, archive};
use crate::entry::OrderId;

/// How often the wait for a hook looks whether it was cancelled.
const CANCEL_CHECK: Duration = Duration::from_millis(200);

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

/// A command that ran inside a container.
pub(super) struct Finished {
    pub(super) exit_code: i64,
    /// What it wrote.
    pub(super) text: String,
}

/// Runs hooks inside a container that runs.
pub(super) fn run(
    shared: &Shared,
    order: OrderId,
    container: &str,
    stage: HookStage,
    hooks: &[Hook],
) -> Result<(), OrderError> {
    run_all(&shared.engine, container, stage, hooks, || shared.is_cancelled(order))
}

/// The same outside of a run.
pub(super) fn run_all(
    engine: &Engine,
    container: &str,
    stage: HookStage,
    hooks: &[Hook],
    stopped: impl Fn() -> bool,
) -> Result<(), OrderError> {
    for hook in hooks {
        let command = hook.command.join(" ");
        match one(engine, container, hook, &stopped) {
            Ok(Finished { exit_code: 0, .. }) => {}
            Ok(Finished { exit_code, text }) => {
                let output = last_lines(&text);
                return Err(OrderError::HookFailed { stage, command, exit_code, output });
            }
            Err(why) => {
                return Err(OrderError::HookNotRun { stage, command, why: Box::new(why) });
            }
        }
    }
    Ok(())
}

/// Runs one command. The wait ends early when `stopped` says so.
pub(super) fn one(
    engine: &Engine,
    container: &str,
    hook: &Hook,
    stopped: impl Fn() -> bool,
) -> Result<Finished, OrderError> {
    let id = engine.prepare(container, hook)?;
    let start = json!({ "Detach": false, "Tty": false }).to_string();
    let path = format!("/exec/{id}/start");
    let kind = "application/json";
    let mut answer = engine.answer("POST", &path, kind, start.as_bytes())?;
    answer.body.wake_every(CANCEL_CHECK).map_err(OrderError::Stream)?;
    let mut wrote = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        match answer.body.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => wrote.extend(&buffer[..read]),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                if stopped() {
                    return Err(OrderError::Cancelled);
                }
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(OrderError::Stream(error)),
        }
    }
    let exit_code = engine.end_of(&id)?;
    let text = String::from_utf8_lossy(&archive::unframed(&wrote)).into_owned();
    Ok(Finished { exit_code, text })
}
