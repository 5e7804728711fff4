//! The set `occi`: TOSCA services written as OCCI, each compared with the schema of the JSON
//! rendering of OCCI 1.2, and with what comes back by way of TOSCA. A service without any node is
//! left out: a collection has at least one. `occi-attributes`: configurations of others.

use super::{Score, process};
use serde_json::Value;
use std::path::Path;

/// The folder of the schema and the definition that a collection of resources must fit.
const SCHEMA: &str =
    "occi/the-rocci-project_rOCCI-core/lib/occi/core/parsers/json/validator/occi-schema.json";
const COLLECTION: &str = "#/definitions/entity_collection";

/// At most this many services are asked for.
const MOST: usize = 60;

/// Asks for the valid services of the TOSCA corpus; nothing when the schema is not there.
pub fn score(windlass: &Path, folder: &Path) -> Result<Option<Score>, String> {
    let Ok(text) = std::fs::read_to_string(folder.join(SCHEMA)) else { return Ok(None) };
    let schema: Value =
        serde_json::from_str(&text).map_err(|error| format!("{SCHEMA}: {error}"))?;
    let tosca = folder.join("tosca");
    let oracle = std::fs::read_to_string(tosca.join("ORACLE.tsv")).unwrap_or_default();
    let (mut total, mut wrong) = (0, Vec::new());
    for row in oracle.lines().skip(1) {
        let mut cells = row.split('\t');
        let (Some(path), Some("valid")) = (cells.next(), cells.next()) else { continue };
        if total == MOST {
            break;
        }
        let name = tosca.join(path).display().to_string();
        let ended = process::run(windlass, &tosca, &["convert", &name, "--to", "occi"])?;
        if let Some(crash) = ended.crash {
            total += 1;
            wrong.push(format!("{path}: {crash}"));
            continue;
        }
        let Ok(written) = serde_json::from_str::<Value>(&ended.output) else { continue };
        if written["resources"].as_array().is_none_or(Vec::is_empty) {
            continue;
        }
        total += 1;
        let why = match misfit(&schema, COLLECTION, &written) {
            None => changed(windlass, &tosca, &ended.output)?,
            why => why,
        };
        wrong.extend(why.map(|why| format!("{path}: {why}")));
    }
    let right = total - wrong.len();
    Ok(Some(Score { set: "occi".to_owned(), right, total, all_must_be_right: false, wrong }))
}

/// What the way back to TOSCA and to OCCI again changes; none when nothing is lost.
fn changed(windlass: &Path, folder: &Path, written: &str) -> Result<Option<String>, String> {
    let place = std::env::temp_dir().join(format!("windlass-occi-{}", std::process::id()));
    let keep = |name: &str, text: &str| {
        std::fs::create_dir_all(&place)
            .and_then(|()| std::fs::write(place.join(name), text))
            .map(|()| place.join(name).display().to_string())
            .map_err(|error| format!("{}: {error}", place.display()))
    };
    let configuration = keep("service.json", written)?;
    let back = process::run(windlass, folder, &["convert", &configuration, "--to", "tosca"])?;
    let service = keep("service.yaml", &back.output)?;
    let again = process::run(windlass, folder, &["convert", &service, "--to", "occi"])?;
    let _ = std::fs::remove_dir_all(&place);
    Ok((again.output != written).then(|| "the way back changes it".to_owned()))
}

/// The set `occi-attributes`: collections of resources by others, whose attributes are still there
/// when Windlass writes them again.
pub fn attributes(windlass: &Path, folder: &Path) -> Result<Option<Score>, String> {
    let root = folder.join("occi");
    let (mut total, mut wrong) = (0, Vec::new());
    let mut open = vec![root.clone()];
    let mut files = Vec::new();
    while let Some(at) = open.pop() {
        for entry in std::fs::read_dir(&at).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|ending| ending == "json") {
                files.push(path);
            }
        }
    }
    files.sort();
    for path in files {
        let name = path.display().to_string();
        let ended = process::run(windlass, &root, &["convert", &name, "--to", "occi"])?;
        // What is no collection of resources, or names resources that it does not hold, is none.
        let Ok(written) = serde_json::from_str::<Value>(&ended.output) else { continue };
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let Ok(given) = serde_json::from_str::<Value>(&text) else { continue };
        total += 1;
        wrong.extend(lost(&given, &written).map(|why| format!("{name}: {why}")));
    }
    if total == 0 {
        return Ok(None);
    }
    let right = total - wrong.len();
    let set = "occi-attributes".to_owned();
    Ok(Some(Score { set, right, total, all_must_be_right: false, wrong }))
}

/// An attribute of a resource that is not written again.
fn lost(given: &Value, written: &Value) -> Option<String> {
    let resources = |of: &Value| of["resources"].as_array().cloned().unwrap_or_default();
    let (given, written) = (resources(given), resources(written));
    for (before, after) in given.iter().zip(&written) {
        for (name, value) in before["attributes"].as_object().into_iter().flatten() {
            let same = match (value.as_f64(), after["attributes"][name].as_f64()) {
                (Some(one), Some(other)) => one.total_cmp(&other).is_eq(),
                _ => *value == after["attributes"][name],
            };
            if !same {
                return Some(format!("`{name}` is lost"));
            }
        }
    }
    (given.len() != written.len()).then(|| "resources are lost".to_owned())
}

/// Why a value does not fit a definition; none when it does. Knows the words of this schema.
fn misfit(root: &Value, reference: &str, value: &Value) -> Option<String> {
    let known = reference.strip_prefix('#').and_then(|path| root.pointer(path));
    match known {
        Some(schema) => against(root, schema, value),
        None if reference.ends_with("/stringArray") => {
            let is_text = |items: &Vec<Value>| items.iter().all(Value::is_string);
            let fits = value.as_array().is_some_and(is_text);
            (!fits).then(|| format!("{value} is no list of strings"))
        }
        None => Some(format!("the schema has no {reference}")),
    }
}

fn against(root: &Value, schema: &Value, value: &Value) -> Option<String> {
    if let Some(reference) = schema["$ref"].as_str() {
        return misfit(root, reference, value);
    }
    if let Some(kind) = schema["type"].as_str()
        && !is_of(kind, value)
    {
        return Some(format!("{value} is no {kind}"));
    }
    if let Some(choices) = schema["oneOf"].as_array() {
        let fitting = choices.iter().filter(|choice| against(root, choice, value).is_none());
        return (fitting.count() != 1).then(|| format!("{value} fits none or several"));
    }
    if let Some(items) = value.as_array() {
        let least = schema["minItems"].as_u64().unwrap_or(0);
        if (items.len() as u64) < least {
            return Some(format!("a list has {} of at least {least}", items.len()));
        }
        let of = schema.get("items")?;
        return items.iter().find_map(|item| against(root, of, item));
    }
    of_object(root, schema, value)
}

fn of_object(root: &Value, schema: &Value, value: &Value) -> Option<String> {
    let fields = value.as_object()?;
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    for name in required {
        if !fields.contains_key(name) {
            return Some(format!("`{name}` is missing"));
        }
    }
    for (name, field) in fields {
        let own = schema["properties"].get(name);
        // The only pattern of this schema takes every name.
        let by_pattern = schema["patternProperties"].get(".+");
        let found = match own.or(by_pattern) {
            Some(own) => against(root, own, field),
            None if schema["additionalProperties"] == Value::Bool(false) => {
                Some(format!("`{name}` is not allowed"))
            }
            None => schema.get("additionalProperties").and_then(|of| against(root, of, field)),
        };
        if let Some(why) = found {
            return Some(format!("{name}: {why}"));
        }
    }
    None
}

fn is_of(kind: &str, value: &Value) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_does_not_fit_is_said() {
        let schema = json!({ "definitions": {
            "all": { "type": "object", "additionalProperties": false, "required": ["a"],
                "properties": { "a": { "type": "array", "minItems": 1,
                    "items": { "$ref": "#/definitions/one" } } } },
            "one": { "oneOf": [{ "type": "string" }, { "type": "number" }] },
        } });
        let fits = |value: Value| misfit(&schema, "#/definitions/all", &value);
        assert_eq!(fits(json!({ "a": ["x", 1] })), None);
        assert!(fits(json!({ "a": [] })).is_some());
        assert!(fits(json!({ "a": [true] })).is_some());
        assert!(fits(json!({ "a": ["x"], "b": 1 })).is_some());
        assert!(fits(json!({})).is_some());
    }
}
