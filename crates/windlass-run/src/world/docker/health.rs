//! Whether a container is healthy.
//!
//! The engine looks for the first time after one interval. One success of the same command is all
//! that it means by healthy too, so the command is run from here as soon as the container has
//! started, with pauses that grow, until it succeeds or the engine has a verdict; then never again.

use std::time::{Duration, Instant};

use serde_json::Value;

use super::engine::{Container, Engine};
use super::error::OrderError;
use super::requests::Hook;
use super::{Shared, hook};
use crate::world::Order;

/// How long to wait after the first check that failed; then twice as long, and so on.
const PAUSE: Duration = Duration::from_millis(100);
const PAUSE_MOST: Duration = Duration::from_secs(5);
/// How long a check may take by default.
const USUAL_TIMEOUT: Duration = Duration::from_secs(30);

/// Waits until the check of a container succeeds.
pub(super) fn wait_healthy(shared: &Shared, order: &Order, id: &str) -> Result<(), OrderError> {
    let mut pause = (!shared.requests.engine_checks).then_some(PAUSE);
    let stopped = || shared.is_cancelled(order.id);
    loop {
        let count = shared.watch.count(id);
        let now = shared.engine.inspect(id)?;
        match now.health.as_deref() {
            _ if !now.is_running() => return Err(OrderError::ended(&now)),
            None => return Err(OrderError::NoHealthCheck),
            Some("healthy") => return Ok(()),
            Some("unhealthy") => {
                let output = now.check_output.unwrap_or_default();
                return Err(OrderError::Unhealthy { output });
            }
            Some(_) => {}
        }
        if let Some(time) = pause {
            // A check that hangs hides no verdict of the engine.
            if passes(&shared.engine, &now, || stopped() || shared.watch.count(id) > count) {
                return Ok(());
            }
            pause = Some((2 * time).min(PAUSE_MOST));
        }
        shared.watch.wait(id, count, pause, stopped)?;
        if stopped() {
            return Err(OrderError::Cancelled);
        }
    }
}

/// Whether the check of a container succeeds now: the command that the engine itself runs, as it
/// runs it. Given up when it takes too long, or `stopped` says so.
pub(crate) fn passes(engine: &Engine, container: &Container, stopped: impl Fn() -> bool) -> bool {
    let command = command_of(container);
    if command.is_empty() {
        return false;
    }
    let until = Instant::now() + longest(container);
    let hook = Hook { command, ..Hook::default() };
    let stopped = || stopped() || Instant::now() > until;
    matches!(
        hook::one(engine, &container.id, &hook, stopped),
        Ok(hook::Finished { exit_code: 0, .. })
    )
}

/// The command that checks a container, in words.
fn command_of(container: &Container) -> Vec<String> {
    let texts = |value: Option<&Value>| -> Vec<String> {
        let all = value.and_then(Value::as_array).into_iter().flatten();
        all.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let words = texts(container.all.pointer("/Config/Healthcheck/Test"));
    match words.split_first() {
        Some((kind, line)) if kind == "CMD-SHELL" => {
            // The engine too looks at the container, not at its image.
            let mut shell = texts(container.all.pointer("/Config/Shell"));
            if shell.is_empty() {
                shell = vec!["/bin/sh".to_owned(), "-c".to_owned()];
            }
            shell.extend(line.iter().cloned());
            shell
        }
        Some((_, command)) => command.to_vec(),
        None => Vec::new(),
    }
}

/// How long a check of a container may take.
fn longest(container: &Container) -> Duration {
    let time = container.all.pointer("/Config/Healthcheck/Timeout").and_then(Value::as_u64);
    time.filter(|time| *time > 0).map_or(USUAL_TIMEOUT, Duration::from_nanos)
}
