//! What happens inside a container beyond its own command: hooks, and the socket of the engine.

use serde_json::{Map, Value, json};

use super::canon::sorted;
use super::tables;
use crate::world::docker::requests::Hook;

/// Where the socket of the engine is mounted, and where it is.
const SOCKET: &str = "/var/run/docker.sock";
/// The folder in which programs inside find the credentials of registries.
const FOLDER: &str = "/run/secrets/docker";
/// The file with them.
pub(super) const CREDENTIALS: &str = "/run/secrets/docker/config.json";

/// The hooks that a service has under a key, from the service spelled out.
pub(super) fn hooks(canon: &Value, key: &str) -> Vec<Hook> {
    let all = canon.get(key).and_then(Value::as_array).into_iter().flatten();
    let hook = |one: &Value| {
        let text = |key: &str| one.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let words = one.get("command").and_then(Value::as_array).into_iter().flatten();
        let pair = |(name, value): (&String, &Value)| match value.as_str() {
            Some(value) => format!("{name}={value}"),
            None => name.clone(),
        };
        let environment = one.get("environment").and_then(Value::as_object);
        Hook {
            command: words.filter_map(Value::as_str).map(str::to_owned).collect(),
            user: text("user"),
            privileged: one.get("privileged") == Some(&Value::Bool(true)),
            folder: text("working_dir"),
            environment: environment.into_iter().flatten().map(pair).collect(),
        }
    };
    all.map(hook).collect()
}

/// Whether a service asks for the socket of the engine.
pub(super) fn uses_socket(canon: &Value) -> bool {
    canon.get("use_api_socket") == Some(&Value::Bool(true))
}

/// Adds to a service what `use_api_socket` means, as Compose does before it hashes it.
pub(super) fn with_socket(canon: Value) -> Value {
    if !uses_socket(&canon) {
        return canon;
    }
    let mut canon = canon;
    push(&mut canon, "volumes", json!({ "type": "bind", "source": SOCKET, "target": SOCKET }));
    push(&mut canon, "configs", json!({ "source": "#apisocket", "target": CREDENTIALS }));
    let mut environment = canon.get("environment").cloned().unwrap_or_else(|| json!({}));
    if let Some(all) = environment.as_object_mut()
        && !all.contains_key("DOCKER_CONFIG")
    {
        all.insert("DOCKER_CONFIG".to_owned(), FOLDER.into());
        all.sort_keys();
    }
    canon["environment"] = environment;
    sorted(&canon, tables::SERVICE)
}

/// Adds the files of labels, which Compose hashes together with what they say when it makes a
/// container (and leaves out when it is only asked for the hash).
pub(super) fn with_label_files(canon: Value, files: Vec<String>) -> Value {
    if files.is_empty() {
        return canon;
    }
    let mut out = Map::new();
    for (key, _) in tables::SERVICE {
        if let Some(value) = canon.get(key) {
            out.insert((*key).to_owned(), value.clone());
        }
        if *key == "labels" {
            out.insert("label_file".to_owned(), files.clone().into());
        }
    }
    Value::Object(out)
}

fn push(canon: &mut Value, key: &str, value: Value) {
    match canon.get_mut(key).and_then(Value::as_array_mut) {
        Some(all) => all.push(value),
        None => canon[key] = json!([value]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compose::digest;

    #[test]
    fn the_socket_is_hashed_as_compose_does() {
        // Asked of Compose 2.40.3: the label of a container that it made.
        let canon = json!({
            "command": ["sleep", "1000"], "entrypoint": null, "image": "busybox:1",
            "init": true, "networks": { "default": null }, "use_api_socket": true,
        });
        let hash = "8f564cb6e14a472426cce442597ee99686b811737ffb6dd967711c0ad9b085dd";
        assert_eq!(digest(&with_socket(canon)), hash);
    }

    #[test]
    fn files_of_labels_are_hashed_as_compose_does() {
        // The labels of containers that Compose 2.40.3 made.
        let canon = json!({
            "command": ["sleep", "1000"], "entrypoint": null, "image": "busybox:1", "init": true,
            "labels": { "A": "1", "B": "two words" }, "networks": { "default": null },
        });
        let files = vec!["/srv/app/x.env".to_owned()];
        let hash = "9cd16783d871d74c3ae8f0a8900906747d512872e14ab19956e786244321a671";
        assert_eq!(digest(&with_label_files(canon, files)), hash);
    }

    #[test]
    fn hooks_are_read_with_everything() {
        let canon = json!({ "post_start": [
            { "command": ["a", "b"], "user": "root", "privileged": true, "working_dir": "/w",
              "environment": { "X": "1", "Y": null } },
            { "command": ["c"] },
        ] });
        let all = hooks(&canon, "post_start");
        assert_eq!(all.len(), 2);
        assert_eq!(all[0].environment, ["X=1", "Y"]);
        assert!(all[0].privileged && all[0].user == "root" && all[0].folder == "/w");
        assert_eq!(all[1].command, ["c"]);
        assert!(hooks(&canon, "pre_stop").is_empty());
    }
}
