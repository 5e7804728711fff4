//! Making the container of a service: in an empty place, or beside the one that it will replace.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use super::archive::{Content, Entry, pack};
use super::engine::{Container, Engine, EngineError};
use super::error::OrderError;
use super::requests::{self, File, Part, Requests, Service};
use super::service::ok_if_missing;
use super::{Shared, replace};
use crate::compose::digest;

/// Makes the container. One that is as it should be stays; beside any other the new one is made
/// under another name, and takes its place when it is started.
pub(super) fn make(
    shared: &Shared,
    service: &Service,
    name: &str,
    number: u32,
) -> Result<(), OrderError> {
    let mut body = resolved(&shared.engine, &shared.requests, service)?;
    let image = body.get("Image").and_then(Value::as_str).unwrap_or_default().to_owned();
    let image = shared.image(&image)?;
    body["Labels"][requests::NUMBER] = number.to_string().into();
    body["Labels"][requests::IMAGE] = image["Id"].clone();
    // Mostly the place is empty: to try is cheaper than to look.
    if !shared.has_replacements() && create(shared, service, name, name, &mut body.clone())? {
        return Ok(());
    }
    let mut replacement = replace::replacement(shared, service, number)?;
    if let Some(old) = &replacement
        && !fits(shared, service, &body, old)?
    {
        ok_if_missing(shared.engine.remove(&old.id, false))?;
        replacement = None;
    }
    let old = match shared.engine.inspect(name) {
        Ok(old) => old,
        Err(refused) if !refused.is_missing() => return Err(refused.into()),
        Err(_) => {
            return match replacement {
                // The one that it replaces went, and then the machine lost power.
                Some(replacement) => Ok(shared.engine.rename(&replacement.id, name)?),
                None => require_created(create(shared, service, name, name, &mut body)?, name),
            };
        }
    };
    if fits(shared, service, &body, &old)? {
        return replace::remove_replacement(shared, service, number);
    }
    if old.label(requests::PROJECT) != shared.requests.project {
        return Err(OrderError::ForeignContainer { name: name.to_owned() });
    }
    if replacement.is_some() {
        return Ok(());
    }
    body["Labels"][requests::REPLACE] = old.id.clone().into();
    inherit_volumes(&old, &image, &mut body);
    shared.has_replacements.store(true, Ordering::SeqCst);
    let replacement = replace::replacement_name(&old.id, name);
    require_created(create(shared, service, name, &replacement, &mut body)?, &replacement)
}

/// A name that was free a moment ago.
fn require_created(is_created: bool, name: &str) -> Result<(), OrderError> {
    if is_created { Ok(()) } else { Err(OrderError::NameTaken { name: name.to_owned() }) }
}

/// Whether a container is the one that a request would make.
fn fits(
    shared: &Shared,
    service: &Service,
    body: &Value,
    container: &Container,
) -> Result<bool, OrderError> {
    if shared.made().rejoined.contains(&container.id) {
        return Ok(false);
    }
    let wanted = |name: &str| body["Labels"][name].as_str().unwrap_or_default();
    let is_same = container.label(requests::HASH) == wanted(requests::HASH)
        && container.image == wanted(requests::IMAGE);
    let shares = requests::SHARED.iter().all(|key| {
        let mode = body["HostConfig"].get(*key).and_then(Value::as_str).unwrap_or_default();
        !mode.starts_with("container:") || container.all["HostConfig"][*key] == mode
    });
    Ok(is_same && shares && is_connected(&shared.engine, service, container)?)
}

/// Whether a container is in the networks of its service, and not in some that had their names.
pub(crate) fn is_connected(
    engine: &Engine,
    service: &Service,
    container: &Container,
) -> Result<bool, EngineError> {
    let first = service.body.pointer("/NetworkingConfig/EndpointsConfig");
    let first = first.and_then(Value::as_object).into_iter().flat_map(|all| all.keys());
    for network in first.chain(service.networks.iter().map(|(name, _)| name)) {
        let found = match engine.look("networks", network) {
            Ok(found) => found,
            Err(refused) if refused.is_missing() => return Ok(false),
            Err(refused) => return Err(refused),
        };
        let Some(own) = container.all["NetworkSettings"]["Networks"].get(network) else {
            return Ok(false);
        };
        // One that was never started has no id there yet.
        let id = own["NetworkID"].as_str().unwrap_or_default();
        if !id.is_empty() && found["Id"] != id {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Volumes without a name go from a container to the one that replaces it, with their data.
fn inherit_volumes(old: &Container, image: &Value, body: &mut Value) {
    let is_anonymous = |name: &str| name.len() == 64 && name.bytes().all(|b| b.is_ascii_hexdigit());
    for mount in old.all["Mounts"].as_array().into_iter().flatten() {
        let text = |key: &str| mount.get(key).and_then(Value::as_str).unwrap_or_default();
        let (name, target) = (text("Name"), text("Destination"));
        if text("Type") != "volume" || !is_anonymous(name) {
            continue;
        }
        let own = body.pointer_mut("/HostConfig/Mounts").and_then(Value::as_array_mut);
        let own = own.and_then(|all| all.iter_mut().find(|it| it["Target"] == target));
        if let Some(own) = own {
            if own["Type"] == "volume" && own.get("Source").is_none() {
                own["Source"] = name.into();
            }
            continue;
        }
        let declared = image.pointer("/Config/Volumes").and_then(Value::as_object);
        let is_declared = declared.is_some_and(|all| all.contains_key(target));
        let binds = body.pointer_mut("/HostConfig/Binds").and_then(Value::as_array_mut);
        if let Some(binds) = binds.filter(|_| is_declared) {
            let there = format!(":{target}:");
            if !binds.iter().any(|bind| bind.as_str().is_some_and(|it| it.contains(&there))) {
                binds.push(json!(format!("{name}:{target}:rw")));
            }
        }
    }
}

/// Makes a container; whether the name was free.
fn create(
    shared: &Shared,
    service: &Service,
    known_as: &str,
    name: &str,
    body: &mut Value,
) -> Result<bool, OrderError> {
    if let Some(Value::Object(endpoints)) = body.pointer_mut("/NetworkingConfig/EndpointsConfig") {
        for endpoint in endpoints.values_mut() {
            put_name_first(endpoint, known_as);
        }
    }
    let id = match shared.engine.create_for(service.platform.as_deref(), name, body) {
        Ok(id) => id,
        Err(refused) if refused.is_conflict() => return Ok(false),
        Err(refused) => return Err(refused.into()),
    };
    shared.remember(name, Some(&id));
    for (network, endpoint) in &service.networks {
        let mut endpoint = endpoint.clone();
        put_name_first(&mut endpoint, known_as);
        shared.engine.connect(network, &id, &endpoint)?;
    }
    put_files(shared, &id, &service.files)?;
    Ok(true)
}

/// A container is known in its networks by its own name before that of its service.
fn put_name_first(endpoint: &mut Value, name: &str) {
    if let Some(Value::Array(aliases)) = endpoint.get_mut("Aliases") {
        aliases.insert(0, name.into());
    }
}

fn put_files(shared: &Shared, id: &str, files: &[File]) -> Result<(), OrderError> {
    if files.is_empty() {
        return Ok(());
    }
    let entries = files.iter().map(|file| Entry {
        path: file.target.clone(),
        content: Content::File(file.content.clone().into_bytes()),
        mode: file.mode,
        user: file.owner.0,
        group: file.owner.1,
    });
    let archive = pack(entries).map_err(OrderError::Archive)?;
    Ok(shared.engine.put_archive(id, &archive)?)
}

/// The request with the containers that it shares something with, and the hash that Compose gives
/// it: where the file says `service:NAME`, what is hashed is the id of a container.
pub(crate) fn resolved(
    engine: &Engine,
    requests: &Requests,
    service: &Service,
) -> Result<Value, EngineError> {
    let mut body = service.body.clone();
    for key in requests::SHARED {
        let mode = body["HostConfig"].get(*key).and_then(Value::as_str).unwrap_or_default();
        if let Some(other) = mode.strip_prefix("service:") {
            body["HostConfig"][*key] =
                format!("container:{}", first_container_id(engine, requests, other)?).into();
        }
    }
    if let Some(Value::Array(all)) = body["HostConfig"].get_mut("VolumesFrom") {
        for one in all {
            let text = one.as_str().unwrap_or_default().to_owned();
            if let Some(container) = text.strip_prefix("container:") {
                *one = container.into();
                continue;
            }
            let (other, mode) = text.split_once(':').unwrap_or((&text, "rw"));
            *one = format!("{}:{mode}", first_container_id(engine, requests, other)?).into();
        }
    }
    if let Some(canon) = &service.canon {
        let hash = digest(&hashed(engine, requests, canon.clone())?);
        body["Labels"][requests::HASH] = hash.into();
    }
    Ok(body)
}

/// A service as Compose hashes it when it makes the container. How volumes are mounted is lost
/// there (and is kept in the request).
fn hashed(engine: &Engine, requests: &Requests, mut canon: Value) -> Result<Value, EngineError> {
    for key in ["network_mode", "ipc", "pid"] {
        let mode = canon.get(key).and_then(Value::as_str).unwrap_or_default();
        if let Some(other) = mode.strip_prefix("service:") {
            canon[key] =
                format!("container:{}", first_container_id(engine, requests, other)?).into();
        }
    }
    if let Some(Value::Array(all)) = canon.get_mut("volumes_from") {
        for one in all {
            let text = one.as_str().unwrap_or_default().to_owned();
            let mut parts = text.split(':');
            *one = match (parts.next().unwrap_or_default(), parts.next()) {
                ("container", Some(name)) => name.into(),
                (other, _) => first_container_id(engine, requests, other)?.into(),
            };
        }
    }
    Ok(canon)
}

/// The id of the first container of a service.
fn first_container_id(
    engine: &Engine,
    requests: &Requests,
    service: &str,
) -> Result<String, EngineError> {
    let project = &requests.project;
    let own = requests.parts.values().find_map(|part| match part {
        Part::Service(own) if own.name == service => Some(own.container_name(project, 1)),
        _ => None,
    });
    let name = own.unwrap_or_else(|| format!("{project}-{service}-1"));
    Ok(engine.inspect(&name)?.id)
}
