//! The set `concerto`: descriptions of assemblies in Concerto's JSON against `windlass check`.
//!
//! What is expected is counted from the file itself, with a reader that knows nothing but JSON: how
//! often a transition, a start, a port, an instance or a connection names something that is not
//! declared. Files without `components` are data of another kind and are not asked about.

use super::{Score, process};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// The code of a name that nothing declares.
const UNKNOWN: &str = "CONCERTO001";

/// Asks about every description; nothing when the folder is not there.
pub fn score(windlass: &Path, folder: &Path) -> Result<Option<Score>, String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(None) };
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| Path::new(name).extension().is_some_and(|ending| ending == "json"))
        .collect();
    names.sort();
    let (mut total, mut wrong) = (0, Vec::new());
    for name in names {
        let text =
            std::fs::read_to_string(folder.join(&name)).map_err(|error| error.to_string())?;
        let Ok(document) = serde_json::from_str::<Value>(&text) else { continue };
        if document["components"].is_null() {
            continue;
        }
        total += 1;
        let expected = undeclared(&document);
        let ended = process::run(windlass, folder, &["check", "--format", "json", &name])?;
        if let Some(crash) = ended.crash {
            wrong.push(format!("{name}: {crash}"));
            continue;
        }
        let answer: Value = serde_json::from_str(&ended.output).unwrap_or_default();
        let findings = answer["findings"].as_array().cloned().unwrap_or_default();
        let found = findings.iter().filter(|finding| finding["code"] == UNKNOWN).count();
        let errors = answer["errors"].as_u64().unwrap_or(u64::MAX);
        if found != expected || errors != expected as u64 {
            wrong.push(format!("{name}: {errors} errors, expected {expected} unknown names"));
        }
    }
    let right = total - wrong.len();
    Ok(Some(Score { set: "concerto".to_owned(), right, total, all_must_be_right: false, wrong }))
}

fn items<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

/// How often a file names something that it does not declare.
fn undeclared(document: &Value) -> usize {
    let mut count = 0;
    for component in items(document, "components") {
        let places: BTreeSet<&str> =
            items(component, "places").iter().filter_map(Value::as_str).collect();
        let mut named: Vec<&Value> = vec![&component["start"]];
        for transition in items(component, "transitions") {
            named.extend([&transition["from"], &transition["to"]]);
        }
        named.extend(items(component, "ports").iter().flat_map(|port| items(port, "places")));
        let known = |value: &&&Value| value.as_str().is_some_and(|name| places.contains(name));
        count += named.iter().filter(|value| !known(value)).count();
    }
    let types: BTreeSet<_> =
        items(document, "components").iter().map(|node| node["name"].as_str()).collect();
    let instances = items(document, "instances");
    count += instances.iter().filter(|node| !types.contains(&node["component"].as_str())).count();
    let names: BTreeSet<_> = instances.iter().map(|node| node["name"].as_str()).collect();
    for connection in items(document, "connects") {
        let ends = [connection["provider"].as_str(), connection["user"].as_str()];
        count += ends.iter().filter(|end| !names.contains(*end)).count();
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_declared_is_counted() {
        let document = serde_json::json!({
            "components": [{
                "name": "a", "places": ["off", "on"], "start": "of",
                "transitions": [
                    { "name": "start", "from": "off", "to": "on", "behavior": "deploy" },
                    { "name": "stop", "from": "on", "to": "gone", "behavior": "stop" },
                ],
                "ports": [{ "name": "service", "type": "provide", "places": ["on", "away"] }],
            }],
            "instances": [{ "name": "a", "component": "a" }, { "name": "b", "component": "b" }],
            "connects": [{ "provider": "a", "provide_port": "service", "user": "c", "use_port": "x" }],
        });
        assert_eq!(undeclared(&document), 5);
    }
}
