//! A process with an image: the container that it is.
//!
//! Its name is `DEPLOYMENT-INSTANCE`; all containers of a deployment are in one network and find
//! each other by the names of their instances.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};
use windlass::lifecycle::implementation::{
    Command, CommandLine, EnvironmentValue, Probe, ProbeKind, Process, Stop,
};

use super::Shared;
use super::check::wait_healthy;
use super::engine::{Container, Refused};
use super::watch::Guard;
use crate::secrets::Secrets;
use crate::world::Order;

/// Which deployment a container belongs to.
const DEPLOYMENT: &str = "windlass.deployment";
/// Which instance it is.
const INSTANCE: &str = "windlass.instance";

fn words(refused: Refused) -> String {
    refused.to_string()
}

fn name_of(shared: &Shared, instance: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let instance: String = instance.chars().map(|c| if fits(c) { c } else { '_' }).collect();
    format!("{}-{instance}", shared.name)
}

fn network_of(shared: &Shared) -> String {
    format!("windlass_{}", shared.name)
}

/// Makes and starts the container that a process is, and waits until it serves.
pub(crate) fn come_up(
    shared: &Shared,
    order: &Order,
    process: &Process,
    secrets: &Secrets,
) -> Result<(), String> {
    let name = name_of(shared, &order.instance);
    let network = network_of(shared);
    let labels = json!({ DEPLOYMENT: shared.name });
    let body = json!({ "Name": network, "CheckDuplicate": true, "Labels": labels });
    match shared.engine.make("networks", &body) {
        Ok(_) => {}
        Err(refused) if refused.is_conflict() => {}
        Err(refused) => return Err(words(refused)),
    }
    // What an engine that died may have left is of no use: nobody knows how far it came.
    drop_container(shared, &name)?;
    let body = body_of(shared, order, process, secrets)?;
    let id = shared.engine.create(&name, &body).map_err(words)?;
    let guard = Guard { instance: order.instance.clone(), order: order.id, may_end: false };
    shared.engine.start(&id).map_err(words)?;
    if process.health.is_some() {
        wait_healthy(shared, order, &id)?;
    }
    shared.watch.guard(&id, guard);
    // It may have ended before anybody looked.
    let now = shared.engine.inspect(&id).map_err(words)?;
    if !now.is_running() {
        shared.watch.unguard(&id);
        return Err(ended(&now));
    }
    Ok(())
}

/// How a container ended, in words.
pub(super) fn ended(container: &Container) -> String {
    format!("its container ended with exit code {}", container.exit_code)
}

/// Stops and removes the container of an instance.
pub(crate) fn go_down(shared: &Shared, instance: &str, process: &Process) -> Result<(), String> {
    let name = name_of(shared, instance);
    match shared.engine.inspect(&name) {
        Ok(container) => shared.watch.unguard(&container.id),
        Err(refused) if refused.is_missing() => return Ok(()),
        Err(refused) => return Err(words(refused)),
    }
    let grace = process.grace.map(|grace| grace.as_secs());
    match shared.engine.stop(&name, grace) {
        Ok(()) => {}
        Err(refused) if refused.is_missing() => {}
        Err(refused) => return Err(words(refused)),
    }
    drop_container(shared, &name)?;
    // The last one takes the network along; before that it is in use.
    let label = format!("{DEPLOYMENT}={}", shared.name);
    if shared.engine.labelled(&label).is_ok_and(|left| left.is_empty()) {
        let _ = shared.engine.drop("networks", &network_of(shared));
    }
    Ok(())
}

fn drop_container(shared: &Shared, name: &str) -> Result<(), String> {
    match shared.engine.remove(name, true) {
        Ok(()) => Ok(()),
        Err(refused) if refused.is_missing() => Ok(()),
        Err(refused) => Err(words(refused)),
    }
}

/// Whether the container of an instance runs; from here on its end is told.
pub(super) fn adopt(shared: &Shared, order: &Order) -> bool {
    let name = name_of(shared, &order.instance);
    let Ok(container) = shared.engine.inspect(&name) else { return false };
    if container.is_running() {
        let guard = Guard { instance: order.instance.clone(), order: order.id, may_end: false };
        shared.watch.guard(&container.id, guard);
        return true;
    }
    false
}

fn arguments(command: &Command) -> Vec<String> {
    match &command.line {
        CommandLine::Arguments(all) => all.clone(),
        CommandLine::Shell(script) => {
            vec!["/bin/sh".to_owned(), "-c".to_owned(), script.clone()]
        }
    }
}

fn body_of(
    shared: &Shared,
    order: &Order,
    process: &Process,
    secrets: &Secrets,
) -> Result<Value, String> {
    let mut environment: BTreeMap<&str, String> = BTreeMap::new();
    for (name, value) in &process.command.environment {
        let value = match value {
            EnvironmentValue::Plain(text) => text.clone(),
            EnvironmentValue::Secret(secret) => {
                let known = secrets.get(secret);
                known.ok_or_else(|| format!("there is no secret `{secret}`"))?.to_owned()
            }
        };
        environment.insert(name, value);
    }
    let environment: Vec<String> =
        environment.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let aliases = json!({ "Aliases": [order.instance] });
    let mut body = json!({
        "Image": process.image,
        "Cmd": arguments(&process.command),
        "Env": environment,
        "WorkingDir": process.command.directory.clone().unwrap_or_default(),
        "Labels": { DEPLOYMENT: shared.name, INSTANCE: order.instance },
        "HostConfig": { "Init": true, "NetworkMode": network_of(shared) },
        "NetworkingConfig": { "EndpointsConfig": { network_of(shared): aliases } },
    });
    if let Stop::Signal(signal) = &process.stop {
        body["StopSignal"] = format!("SIG{signal}").into();
    }
    if let Some(health) = &process.health {
        body["Healthcheck"] = check_of(health)?;
    }
    Ok(body)
}

/// The engine runs checks inside the container, so only commands are checks here.
fn check_of(health: &Probe) -> Result<Value, String> {
    let ProbeKind::Command(command) = &health.kind else {
        return Err("the health check of a container is a command: `run:`".to_owned());
    };
    let mut test = vec!["CMD".to_owned()];
    test.extend(arguments(command));
    let nanos = |time: Option<Duration>, usual: u64| {
        time.map_or(usual * 1_000_000_000, |time| {
            u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
        })
    };
    Ok(json!({
        "Test": test,
        "Interval": nanos(health.every, 1),
        "Timeout": nanos(health.timeout, 2),
        "Retries": health.failures.unwrap_or(3),
    }))
}
