//! What an engine cannot do for a project: told before anything is made.
//!
//! Compose makes the networks first and then fails at the first container.

use serde_json::{Value, json};
use windlass::lang::compose::dotenv;
use windlass::lang::compose::item::Item;
use windlass::lang::compose::project::{Project, Service};

use super::{ProjectContext, additions, canon, security, special};
use crate::world::docker::engine::{Engine, EngineError};

/// Something that only newer engines do: the version of the interface and of the engine.
type Since = (u32, &'static str);

const HEALTH_START: Since = (44, "25.0");
const HARDWARE_ADDRESS: Since = (44, "25.0");
const PART_OF_VOLUME: Since = (45, "26.0");
const IMAGE_MOUNT: Since = (48, "28.0");
const INTERFACE: Since = (49, "28.1");

/// What of a project cannot work on this engine, in words.
pub fn unsupported(
    engine: &Engine,
    project: &Project,
    ground: &ProjectContext,
) -> Result<Vec<String>, EngineError> {
    let mut all = Vec::new();
    let mut newer: Vec<(String, &'static str, Since)> = Vec::new();
    for service in project.services.values() {
        let value = canon::service(service, ground);
        let name = &service.name;
        if let Err(why) = security::put(&value, ground, &mut json!({})) {
            all.push(format!("`{name}`: {why}"));
        }
        if additions::uses_socket(&value) && !engine.is_local() {
            all.push(format!(
                "`use_api_socket` of `{name}` takes an engine that is reached by a socket"
            ));
        }
        all.extend(unreadable(service, ground));
        newer.extend(asked(&value).into_iter().map(|(key, since)| (name.clone(), key, since)));
    }
    if newer.is_empty() {
        return Ok(all);
    }
    let version = engine.version()?;
    for (name, key, (minor, engine)) in newer {
        if version < minor {
            all.push(format!("`{key}` of `{name}` takes a Docker engine {engine} or newer"));
        }
    }
    Ok(all)
}

/// Files with variables or labels that a service wants and that cannot be read. Those outside of
/// the folder of the project are looked at here for the first time.
fn unreadable(service: &Service, ground: &ProjectContext) -> Vec<String> {
    let mut all = Vec::new();
    for key in ["env_file", "label_file"] {
        let Some(item) = service.item.get(key) else { continue };
        for file in special::listed(item) {
            let is =
                |key: &str, word: &str| file.get(key).map(Item::plain).as_deref() == Some(word);
            let path = ground.path_of(file.get("path").unwrap_or(file));
            let why = match special::text_of(&path) {
                Ok(_) if is("format", "raw") => continue,
                Ok(text) => match dotenv::parse(&text, &ground.environment) {
                    Ok(_) => continue,
                    Err(bad) => {
                        let line = text.bytes().take(bad.at).filter(|it| *it == b'\n').count() + 1;
                        format!("line {line}: {}", bad.message)
                    }
                },
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                    if is("required", "false") {
                        continue;
                    }
                    "it is not there".to_owned()
                }
                Err(error) => error.to_string(),
            };
            all.push(format!("`{key}` of `{}`: `{path}`: {why}", service.name));
        }
    }
    all
}

/// The keys of a service, spelled out, that only newer engines know.
fn asked(service: &Value) -> Vec<(&'static str, Since)> {
    let mut all = Vec::new();
    if service.pointer("/healthcheck/start_interval").is_some() {
        all.push(("healthcheck.start_interval", HEALTH_START));
    }
    let networks = service.get("networks").and_then(Value::as_object);
    for network in networks.into_iter().flat_map(|all| all.values()) {
        if network.get("mac_address").is_some() {
            all.push(("networks.mac_address", HARDWARE_ADDRESS));
        }
        if network.get("interface_name").is_some() {
            all.push(("networks.interface_name", INTERFACE));
        }
    }
    for mount in service.get("volumes").and_then(Value::as_array).into_iter().flatten() {
        if mount.pointer("/volume/subpath").is_some() {
            all.push(("volumes.volume.subpath", PART_OF_VOLUME));
        }
        if mount.get("type").and_then(Value::as_str) == Some("image") {
            all.push(("volumes.type: image", IMAGE_MOUNT));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_newer_engines_know() {
        let service = json!({
            "healthcheck": { "test": ["CMD", "x"], "start_interval": "1s" },
            "networks": { "default": null, "a": { "mac_address": "02:00:00:00:00:01" } },
            "volumes": [{ "type": "image", "source": "x" }, { "type": "bind", "bind": {} }],
        });
        let keys: Vec<&str> = asked(&service).into_iter().map(|(key, _)| key).collect();
        let expected =
            ["healthcheck.start_interval", "networks.mac_address", "volumes.type: image"];
        assert_eq!(keys, expected);
        assert!(asked(&json!({ "image": "x" })).is_empty());
    }
}
