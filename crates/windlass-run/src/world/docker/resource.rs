//! Networks and volumes: created when they are missing, recreated when their definition changed.
//!
//! A changed network is recreated under its containers, which are replaced afterwards. A changed
//! volume is kept, because of what is in it, unless the operator said that it may go.

use serde_json::{Value, json};

use super::Shared;
use super::engine::{Container, EngineError};
use super::error::{OrderError, ResourceKind};
use super::replace::endpoint;
use super::requests;
use super::service::{ok_if_missing, stop};

/// The hash of the configuration that something was made from; none without such a label.
fn hash_of(labels: Option<&Value>) -> Option<&str> {
    labels?.get(requests::HASH)?.as_str().filter(|hash| !hash.is_empty())
}

/// Whether something of a project was made from another configuration than `body` has.
pub(crate) fn is_changed(found: &Value, body: &Value, project: &str) -> bool {
    let labels = found.get("Labels");
    let is_ours = labels.is_some_and(|labels| labels[requests::PROJECT] == project);
    let (old, new) = (hash_of(labels), hash_of(body.get("Labels")));
    is_ours && old.is_some() && new.is_some() && old != new
}

fn look_up(shared: &Shared, kind: &str, name: &str) -> Result<Option<Value>, OrderError> {
    match shared.engine.look(kind, name) {
        Ok(found) => Ok(Some(found)),
        Err(refused) if refused.is_missing() => Ok(None),
        Err(refused) => Err(refused.into()),
    }
}

fn make(shared: &Shared, kind: &str, body: &Value) -> Result<bool, OrderError> {
    match shared.engine.make(kind, body) {
        Ok(_) => Ok(true),
        Err(refused) if refused.is_conflict() => Ok(false),
        Err(refused) => Err(refused.into()),
    }
}

/// A container that uses something, when it is one of the project.
fn project_container(
    shared: &Shared,
    kind: ResourceKind,
    name: &str,
    id: &str,
) -> Result<Option<Container>, OrderError> {
    match shared.engine.inspect(id) {
        Ok(container) if container.label(requests::PROJECT) == shared.requests.project => {
            Ok(Some(container))
        }
        Ok(container) => Err(OrderError::ResourceInUse {
            kind,
            name: name.to_owned(),
            container: container.name,
        }),
        Err(refused) if refused.is_missing() => Ok(None),
        Err(refused) => Err(refused.into()),
    }
}

/// Makes a network.
pub(super) fn network(shared: &Shared, name: &str, body: &Value) -> Result<(), OrderError> {
    if let Some(old) = look_up(shared, "networks", name)? {
        if !is_changed(&old, body, &shared.requests.project) {
            return Ok(());
        }
        let users = old.get("Containers").and_then(Value::as_object);
        let mut ours = Vec::new();
        for id in users.into_iter().flat_map(|all| all.keys()) {
            ours.extend(project_container(shared, ResourceKind::Network, name, id)?);
        }
        for container in &ours {
            ok_if_missing(shared.engine.disconnect(name, &container.id))?;
        }
        ok_if_missing(shared.engine.drop("networks", name))?;
        make(shared, "networks", body)?;
        let mut made = shared.made();
        made.recreated.insert(name.to_owned());
        made.rejoined.extend(ours.iter().map(|container| container.id.clone()));
        drop(made);
        return ours.iter().try_for_each(|container| rejoin(shared, name, container));
    }
    make(shared, "networks", body).map(|_| ())
}

/// Until it is replaced, and when it is not because something fails before, a container stays in
/// its networks. An address that the new one does not have is not kept.
fn rejoin(shared: &Shared, name: &str, container: &Container) -> Result<(), OrderError> {
    let endpoint = endpoint(container, &container.all["NetworkSettings"]["Networks"][name]);
    let again = match shared.engine.connect(name, &container.id, &endpoint) {
        Err(EngineError::Rejected(..)) => {
            let anywhere = json!({ "Aliases": endpoint["Aliases"] });
            shared.engine.connect(name, &container.id, &anywhere)
        }
        asked => asked,
    };
    ok_if_missing(again)
}

/// Removes a network. One that was recreated was there before, and stays, as does one that
/// containers of before are in again.
pub(super) fn drop_network(shared: &Shared, name: &str) -> Result<(), OrderError> {
    if shared.made().recreated.contains(name) {
        return Ok(());
    }
    match shared.engine.drop("networks", name) {
        Err(EngineError::Rejected(403 | 409, _)) if !shared.requests.previous.is_empty() => Ok(()),
        asked => ok_if_missing(asked),
    }
}

/// Makes a volume.
pub(super) fn volume(shared: &Shared, name: &str, body: &Value) -> Result<(), OrderError> {
    let renews = shared.requests.renew.contains(name);
    if let Some(old) = look_up(shared, "volumes", name)? {
        if !renews || !is_changed(&old, body, &shared.requests.project) {
            return Ok(());
        }
        let using = shared.engine.filtered(&json!({ "volume": [name] }))?;
        let mut ours = Vec::new();
        for id in using {
            ours.extend(project_container(shared, ResourceKind::Volume, name, &id)?);
        }
        for Container { id, .. } in ours {
            stop(shared, &id)?;
            ok_if_missing(shared.engine.remove(&id, false))?;
        }
        ok_if_missing(shared.engine.drop("volumes", name))?;
    }
    if make(shared, "volumes", body)? && !renews {
        shared.made().volumes.insert(name.to_owned());
    }
    Ok(())
}

/// A volume holds data: only the operator removes it, or the run that has just made it.
pub(super) fn drop_volume(shared: &Shared, name: &str) -> Result<(), OrderError> {
    let is_new = shared.made().volumes.contains(name);
    if !shared.requests.remove_volumes && !is_new {
        return Ok(());
    }
    ok_if_missing(shared.engine.drop("volumes", name))
}
