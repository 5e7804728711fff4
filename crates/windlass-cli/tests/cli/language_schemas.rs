//! The JSON Schemas of our own documents are what the grammar says, accept the examples, and
//! refuse what the reader refuses.
//!
//! After a change of the grammar, run this test with `UPDATE=1` in the environment: that writes
//! `docs/schemas` again.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use std::path::PathBuf;

use windlass::lang::{self, windlass::schema};
use windlass::source::{SourceId, Sources};
use windlass::tree::{self, Value, emit};

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// A file of the repository as JSON.
fn json(path: &str) -> serde_json::Value {
    let text = std::fs::read_to_string(folder().join(path)).unwrap();
    let (tree, findings) = tree::parse(SourceId(0), &text, &tree::Options::default());
    assert!(findings.is_empty(), "{path}");
    serde_json::from_str(&emit::json(&Value::from(tree.root()))).unwrap()
}

fn validator(name: &str) -> jsonschema::Validator {
    let text = std::fs::read_to_string(folder().join(format!("docs/schemas/{name}.json"))).unwrap();
    jsonschema::validator_for(&serde_json::from_str(&text).unwrap()).unwrap()
}

#[test]
fn the_schemas_are_up_to_date() {
    for (name, value) in schema::all() {
        let path = folder().join(format!("docs/schemas/{name}.json"));
        let fresh = emit::json(&value);
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&path, &fresh).unwrap();
        }
        let written = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(written == fresh, "docs/schemas/{name}.json is outdated; run with UPDATE=1");
    }
}

#[test]
fn the_examples_fit_their_schemas() {
    let application = validator("windlass");
    for example in ["thinking", "web-services", "two-components", "openstack"] {
        let document = json(&format!("examples/{example}/windlass.yaml"));
        assert!(application.is_valid(&document), "{example}");
    }
    assert!(validator("state").is_valid(&json("examples/thinking/running.state.yaml")));
    assert!(validator("plan").is_valid(&json("examples/thinking/reconfigure.plan.yaml")));
}

/// Whether the reader accepts a document, and whether the schema does.
fn both(document: &serde_json::Value) -> (bool, bool) {
    let mut sources = Sources::new();
    let root = sources.add("windlass.json", document.to_string());
    let reading = lang::read(Some(lang::Language::WINDLASS), root, &sources);
    (reading.findings.is_empty(), validator("windlass").is_valid(document))
}

#[test]
fn schema_and_reader_refuse_the_same_shapes() {
    let good = json("examples/thinking/windlass.yaml");
    assert_eq!(both(&good), (true, true));
    let changes: [(&str, serde_json::Value); 6] = [
        ("/windlass", serde_json::json!(2)),
        ("/faults", serde_json::json!("sometimes")),
        ("/types/gui/protocol/states/working/requires", serde_json::json!("host")),
        ("/types/gui/protocol/transitions", serde_json::json!({})),
        ("/nodes/api/count", serde_json::json!(-1)),
        ("/nodes/api/count", serde_json::json!("two")),
    ];
    for (place, value) in changes {
        let mut broken = good.clone();
        if place == "/faults" {
            broken["faults"] = value;
        } else {
            *broken.pointer_mut(place).unwrap() = value;
        }
        assert_eq!(both(&broken), (false, false), "{place}");
    }
    let mut broken = good.clone();
    broken["nodes"]["api"]["cuont"] = serde_json::json!(2);
    assert_eq!(both(&broken), (false, false), "an unknown key");
    let mut broken = good;
    broken["nodes"]["api"].as_object_mut().unwrap().remove("type");
    assert_eq!(both(&broken), (false, false), "a missing key");
}
