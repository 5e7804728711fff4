//! The set `occi`: TOSCA services written as OCCI, each compared with the schema of the JSON
//! rendering of OCCI 1.2. A service without any node is left out: a collection has at least one.

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
        wrong.extend(misfit(&schema, COLLECTION, &written).map(|why| format!("{path}: {why}")));
    }
    let right = total - wrong.len();
    Ok(Some(Score { set: "occi".to_owned(), right, total, all_must_be_right: false, wrong }))
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
