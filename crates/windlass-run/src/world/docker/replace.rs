//! A container in the place of another: made beside it, started, and given its name.
//!
//! The new one is called as Compose calls it, with the first digits of the old one's id in front,
//! so that a run that was cut off can be gone on with by either of the two programs. When the new
//! one does not come up, the old one goes on; and what was replaced comes back when a run is
//! rolled back.

use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::Shared;
use super::dependents;
use super::engine::Container;
use super::error::OrderError;
use super::health::wait_healthy;
use super::requests::{self, Previous, Service};
use super::service::{
    ok_if_missing, run_post_start, stop, unguard_container, watch_end, with_last_lines,
};
use crate::compose::ProjectEvent;
use crate::world::Order;

/// How many digits of an id are enough.
const DIGITS: usize = 12;
/// How often a pause looks whether it was cancelled.
const CANCEL_CHECK: Duration = Duration::from_millis(100);

/// What a container is called as long as the one that it replaces is there.
pub(super) fn replacement_name(old: &str, name: &str) -> String {
    format!("{}_{name}", old.get(..DIGITS).unwrap_or(old))
}

/// Whether a container still stands beside the one that it replaces.
pub(crate) fn is_replacement(container: &Container) -> bool {
    let old = container.label(requests::REPLACE);
    let digits = old.get(..DIGITS).filter(|digits| !digits.is_empty());
    digits.is_some_and(|digits| {
        container.name.strip_prefix(digits).is_some_and(|rest| rest.starts_with('_'))
    })
}

/// The container that stands ready to replace one.
pub(super) fn replacement(
    shared: &Shared,
    service: &Service,
    number: u32,
) -> Result<Option<Container>, OrderError> {
    if !shared.has_replacements() {
        return Ok(None);
    }
    let labels = [
        format!("{}={}", requests::PROJECT, shared.requests.project),
        format!("{}={}", requests::SERVICE, service.name),
        format!("{}={number}", requests::NUMBER),
        requests::REPLACE.to_owned(),
    ];
    for id in shared.engine.filtered(&json!({ "label": labels }))? {
        match shared.engine.inspect(&id) {
            Ok(container) if is_replacement(&container) => return Ok(Some(container)),
            Err(refused) if !refused.is_missing() => return Err(refused.into()),
            _ => {}
        }
    }
    Ok(None)
}

/// Removes the container that stands ready, if there is one.
pub(super) fn remove_replacement(
    shared: &Shared,
    service: &Service,
    number: u32,
) -> Result<(), OrderError> {
    match replacement(shared, service, number)? {
        Some(replacement) => {
            shared.watch.unguard(&replacement.id);
            ok_if_missing(shared.engine.remove(&replacement.id, false))
        }
        None => Ok(()),
    }
}

/// Starts the new container and takes the old one away; the old one goes on when that fails.
pub(super) fn replace(
    shared: &Shared,
    order: &Order,
    service: &Service,
    name: &str,
    replacement: &Container,
) -> Result<(), OrderError> {
    let old = match shared.engine.inspect(name) {
        Ok(old) => Some(old),
        Err(refused) if refused.is_missing() => None,
        Err(refused) => return Err(refused.into()),
    };
    let ran = old.as_ref().is_some_and(Container::is_running);
    let overlaps = ran && service.update.start_first;
    let is_alone = service.replicas == 1;
    let dependents = if overlaps { Vec::new() } else { dependents::running(shared, service)? };
    if !overlaps {
        // Those of which others go on meanwhile are not missed.
        if is_alone {
            dependents::stop(shared, order, &dependents)?;
        }
        stop(shared, name)?;
    }
    if let Err(why) = start_container(shared, order, service, replacement) {
        shared.watch.unguard(&replacement.id);
        ok_if_missing(shared.engine.remove(&replacement.id, false))?;
        if !ran {
            return Err(why);
        }
        if !overlaps {
            shared.engine.start(name)?;
            if !is_alone {
                dependents::stop(shared, order, &dependents)?;
            }
            dependents::start(shared, order, &dependents)?;
        }
        return Err(OrderError::NotReplaced { why: Box::new(why) });
    }
    if let Some(old) = old {
        unguard_container(shared, &old.id)?;
        ok_if_missing(shared.engine.stop(&old.id, None))?;
        ok_if_missing(shared.engine.remove(&old.id, false))?;
    }
    shared.engine.rename(&replacement.id, name)?;
    shared.remember(name, Some(&replacement.id));
    let number: u32 = replacement.label(requests::NUMBER).parse().unwrap_or(1);
    if ran && number < service.replicas {
        pause(shared, order, service.update.delay)?;
    }
    Ok(())
}

fn start_container(
    shared: &Shared,
    order: &Order,
    service: &Service,
    replacement: &Container,
) -> Result<(), OrderError> {
    shared.engine.start(&replacement.id)?;
    run_post_start(shared, order, service, &replacement.id)?;
    if service.is_job || service.may_fail {
        return Ok(());
    }
    pause(shared, order, service.update.monitor)?;
    let now = shared.engine.inspect(&replacement.id)?;
    if now.status == "restarting" || now.all["RestartCount"].as_u64().unwrap_or(0) > 0 {
        return Err(with_last_lines(shared, &replacement.id, OrderError::KeepsEnding));
    }
    if now.health.is_some() {
        wait_healthy(shared, order, &replacement.id)
            .map_err(|why| with_last_lines(shared, &replacement.id, why))?;
    } else if !(now.is_running() || service.may_end && now.exit_code == 0) {
        return Err(with_last_lines(shared, &replacement.id, OrderError::ended(&now)));
    }
    watch_end(shared, order, service, &replacement.id)
}

fn pause(shared: &Shared, order: &Order, time: Duration) -> Result<(), OrderError> {
    let end = Instant::now() + time;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(());
        }
        if shared.is_cancelled(order.id) {
            return Err(OrderError::Cancelled);
        }
        std::thread::sleep(left.min(CANCEL_CHECK));
    }
}

/// What makes a container again, from what the engine says about it.
pub(crate) fn previous(container: &Container) -> Previous {
    let all = &container.all;
    let short = container.id.get(..DIGITS).unwrap_or(&container.id);
    let mut body = all["Config"].clone();
    body["Image"] = container.image.clone().into();
    body["HostConfig"] = all["HostConfig"].clone();
    if body["Hostname"] == short {
        body["Hostname"] = "".into();
    }
    let attached = all["NetworkSettings"]["Networks"].as_object();
    let mut networks: Vec<(String, Value)> = Vec::new();
    for (network, seen) in attached.into_iter().flatten() {
        networks.push((network.clone(), endpoint(container, seen)));
    }
    let mode = all["HostConfig"]["NetworkMode"].as_str().unwrap_or_default();
    if let Some(at) = networks.iter().position(|(network, _)| network == mode) {
        let (network, endpoint) = networks.remove(at);
        let mut first = Map::new();
        first.insert(network, endpoint);
        body["NetworkingConfig"] = json!({ "EndpointsConfig": first });
    } else {
        networks.clear();
    }
    pin_anonymous_volumes(all, &mut body);
    Previous {
        hash: container.label(requests::HASH).to_owned(),
        image: container.image.clone(),
        ran: container.is_running(),
        body,
        networks,
    }
}

/// What brings a container into a network again, from what the engine says about it there.
pub(super) fn endpoint(container: &Container, seen: &Value) -> Value {
    let short = container.id.get(..DIGITS).unwrap_or(&container.id);
    let aliases = seen["Aliases"].as_array().into_iter().flatten();
    let aliases: Vec<&Value> = aliases.filter(|alias| **alias != short).collect();
    json!({ "Aliases": aliases, "IPAMConfig": seen["IPAMConfig"] })
}

/// A volume without a name is found again by the one that the engine gave it.
fn pin_anonymous_volumes(all: &Value, body: &mut Value) {
    let mut binds = body["HostConfig"]["Binds"].as_array().cloned().unwrap_or_default();
    let mut mounts = body["HostConfig"]["Mounts"].as_array().cloned().unwrap_or_default();
    for mount in all["Mounts"].as_array().into_iter().flatten() {
        let text = |key: &str| mount.get(key).and_then(Value::as_str).unwrap_or_default();
        let (name, target) = (text("Name"), text("Destination"));
        // One that was mounted without a name gets the name that it has by now.
        let is_anonymous = |it: &&mut Value| {
            it["Target"] == target && it["Type"] == "volume" && it.get("Source").is_none()
        };
        if let Some(own) = mounts.iter_mut().find(is_anonymous).filter(|_| text("Type") == "volume")
        {
            own["Source"] = name.into();
        }
        let there = format!(":{target}");
        let is_known = binds.iter().any(|it| it.as_str().is_some_and(|it| it.contains(&there)))
            || mounts.iter().any(|it| it["Target"] == target);
        if text("Type") == "volume" && !is_known {
            binds.push(json!(format!("{name}:{target}:rw")));
        }
    }
    body["HostConfig"]["Binds"] = binds.into();
    if !mounts.is_empty() {
        body["HostConfig"]["Mounts"] = mounts.into();
    }
}

/// Whether a container is the one that stood there before this run.
pub(super) fn is_previous(container: &Container, previous: &Previous) -> bool {
    container.label(requests::HASH) == previous.hash && container.image == previous.image
}

/// Puts back what stood there before this run.
pub(super) fn restore(shared: &Shared, name: &str, previous: &Previous) -> Result<(), OrderError> {
    match shared.engine.inspect(name) {
        Ok(now) if is_previous(&now, previous) => {}
        Err(refused) if !refused.is_missing() => return Err(refused.into()),
        _ => {
            shared.remember(name, None);
            ok_if_missing(shared.engine.remove(name, false))?;
            let id = shared.engine.create(name, &previous.body)?;
            for (network, endpoint) in &previous.networks {
                shared.engine.connect(network, &id, endpoint)?;
            }
        }
    }
    (shared.on_event)(&ProjectEvent::Restored { name: name.to_owned() });
    if previous.ran {
        shared.engine.start(name)?;
    }
    Ok(())
}
