//! A process with an image: the container that it is.
//!
//! Its name is `DEPLOYMENT-INSTANCE`; all containers of a deployment are in one network and find
//! each other by the names of their instances.

use std::collections::BTreeMap;
use std::sync::PoisonError;
use std::time::Duration;

use serde_json::{Value, json};
use windlass::lifecycle::implementation::{
    Command, CommandLine, EnvironmentValue, Probe, ProbeKind, Process, Stop,
};

use super::Shared;
use super::engine::{Container, Engine, EngineError};
use super::error::OrderError;
use super::events::Guard;
use super::health::wait_healthy;
use super::service::{ok_if_gone, ok_if_missing, with_last_lines};
use crate::secrets::Secrets;
use crate::world::Order;

/// Which deployment a container belongs to.
const DEPLOYMENT: &str = "windlass.deployment";
/// Which instance it is.
const INSTANCE: &str = "windlass.instance";

fn name_of(shared: &Shared, instance: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let instance: String = instance.chars().map(|c| if fits(c) { c } else { '_' }).collect();
    format!("{}-{instance}", shared.name)
}

fn network_of(deployment: &str) -> String {
    format!("windlass_{deployment}")
}

/// Makes and starts the container that a process is, and waits until it serves.
pub(crate) fn start_container(
    shared: &Shared,
    order: &Order,
    process: &Process,
    secrets: &Secrets,
) -> Result<(), OrderError> {
    let name = name_of(shared, &order.instance);
    // What a dead engine may have left is of no use: it is unknown how far it came.
    drop_container(shared, &name)?;
    let body = body_of(shared, order, process, secrets)?;
    let up = make(shared, &name, &body).and_then(|id| serve(shared, order, process, &id));
    up.map_err(|why| {
        // It has not come up, so no order will stop it: its output is reported, and it goes.
        let why = with_last_lines(shared, &name, why);
        // The reason is worth more than that something could not be removed.
        let _ = drop_container(shared, &name);
        drop_network(shared);
        why
    })
}

/// Makes a container, and the network of the deployment if it is the first there; its id.
fn make(shared: &Shared, name: &str, body: &Value) -> Result<String, OrderError> {
    // Until the container is there the network must not be taken for an unused one.
    let _joining = shared.network.read().unwrap_or_else(PoisonError::into_inner);
    let labels = json!({ DEPLOYMENT: shared.name });
    let network =
        json!({ "Name": network_of(&shared.name), "CheckDuplicate": true, "Labels": labels });
    match shared.engine.make("networks", &network) {
        Err(refused) if !refused.is_conflict() => Err(refused.into()),
        _ => Ok(shared.engine.create(name, body)?),
    }
}

/// Starts a container and waits until it serves; from here on its end is reported.
fn serve(shared: &Shared, order: &Order, process: &Process, id: &str) -> Result<(), OrderError> {
    let guard = Guard { instance: order.instance.clone(), order: order.id, may_end: false };
    shared.engine.start(id)?;
    if process.health.is_some() {
        wait_healthy(shared, order, id)?;
    }
    shared.watch.guard(id, guard);
    // It may have ended before anybody looked.
    let now = shared.engine.inspect(id);
    if now.as_ref().is_ok_and(Container::is_running) {
        return Ok(());
    }
    shared.watch.unguard(id);
    Err(OrderError::ended(&now?))
}

/// Stops and removes the container of an instance.
pub(crate) fn stop_container(
    shared: &Shared,
    instance: &str,
    process: &Process,
) -> Result<(), OrderError> {
    let name = name_of(shared, instance);
    match shared.engine.inspect(&name) {
        Ok(container) => shared.watch.unguard(&container.id),
        Err(refused) if refused.is_missing() => return Ok(()),
        Err(refused) => return Err(refused.into()),
    }
    let grace = process.grace.map(|grace| grace.as_secs());
    match shared.engine.stop(&name, grace) {
        Ok(()) => {}
        Err(refused) if refused.is_missing() => {}
        Err(refused) => return Err(refused.into()),
    }
    drop_container(shared, &name)?;
    drop_network(shared);
    Ok(())
}

/// The last container takes the network along; before that it is in use.
fn drop_network(shared: &Shared) {
    let _alone = shared.network.write().unwrap_or_else(PoisonError::into_inner);
    let label = format!("{DEPLOYMENT}={}", shared.name);
    if shared.engine.labelled(&label).is_ok_and(|left| left.is_empty()) {
        let _ = shared.engine.drop("networks", &network_of(&shared.name));
    }
}

/// Removes what is left of a deployment that is down: containers that have died and were not
/// started again, and the network when it is empty.
pub(crate) fn remove_leftovers(engine: &Engine, deployment: &str) -> Result<(), EngineError> {
    let mut is_used = false;
    for id in engine.labelled(&format!("{DEPLOYMENT}={deployment}"))? {
        match engine.inspect(&id) {
            Err(refused) if refused.is_missing() => {}
            Err(refused) => return Err(refused),
            // Another deployment of the same name may be up elsewhere on this machine.
            Ok(container) if container.is_running() => is_used = true,
            Ok(_) => ok_if_gone(engine.remove(&id, true))?,
        }
    }
    if is_used { Ok(()) } else { ok_if_gone(engine.drop("networks", &network_of(deployment))) }
}

fn drop_container(shared: &Shared, name: &str) -> Result<(), OrderError> {
    ok_if_missing(shared.engine.remove(name, true))
}

/// Whether the container of an instance runs; from here on its end is reported.
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
) -> Result<Value, OrderError> {
    let mut environment: BTreeMap<&str, String> = BTreeMap::new();
    for (name, value) in &process.command.environment {
        let value = match value {
            EnvironmentValue::Plain(text) => text.clone(),
            EnvironmentValue::Secret(secret) => {
                let known = secrets.get(secret);
                let missing = || OrderError::NoSecret { name: secret.clone() };
                known.ok_or_else(missing)?.to_owned()
            }
        };
        environment.insert(name, value);
    }
    let environment: Vec<String> =
        environment.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let network = network_of(&shared.name);
    let aliases = json!({ "Aliases": [order.instance] });
    let mut body = json!({
        "Image": process.image,
        "Cmd": arguments(&process.command),
        "Env": environment,
        "WorkingDir": process.command.directory.clone().unwrap_or_default(),
        "Labels": { DEPLOYMENT: shared.name, INSTANCE: order.instance },
        "HostConfig": { "Init": true, "NetworkMode": network },
        "NetworkingConfig": { "EndpointsConfig": { &network: aliases } },
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
fn check_of(health: &Probe) -> Result<Value, OrderError> {
    let ProbeKind::Command(command) = &health.kind else {
        return Err(OrderError::HealthCheckKind);
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
