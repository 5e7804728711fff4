//! JSON Schemas of our documents, made from `grammar.rs`.

use super::grammar::{APPLICATION, GOAL, PLAN_FILE, RULES_FILE, STATE_FILE, TOPOLOGY_FILE};
use super::shape::{Record, Shape};
use crate::tree::Value;

/// Every document with the name of its schema file.
pub fn all() -> [(&'static str, Value); 6] {
    [
        ("windlass", document("Windlass application", &APPLICATION)),
        ("state", document("Windlass state", &STATE_FILE)),
        ("plan", document("Windlass plan", &PLAN_FILE)),
        ("goal", document("Windlass goal", &GOAL)),
        ("rules", document("Windlass rule set", &RULES_FILE)),
        ("topology", document("Windlass topology", &TOPOLOGY_FILE)),
    ]
}

fn document(title: &str, shape: &Record) -> Value {
    let header = Value::map()
        .with("$schema", "https://json-schema.org/draft/2020-12/schema")
        .with("title", title);
    let Value::Map(mut all) = header else { return Value::Null };
    if let Value::Map(body) = record(shape) {
        all.extend(body);
    }
    Value::Map(all)
}

fn record(record: &Record) -> Value {
    let mut properties = Value::map();
    for key in record.keys {
        let Value::Map(mut body) = shape(&key.shape) else { continue };
        body.insert(0, ("description".to_owned(), key.doc.into()));
        properties.insert(key.name, Value::Map(body));
    }
    let required: Vec<&str> = record.keys.iter().filter(|k| k.required).map(|k| k.name).collect();
    let kinds = if required.is_empty() {
        Value::list(["object", "null"]).inline()
    } else {
        "object".into()
    };
    let mut value = Value::map().with("type", kinds).with("properties", properties);
    if !required.is_empty() {
        value.insert("required", Value::list(required).inline());
    }
    value.with("additionalProperties", false)
}

fn shape(shape: &Shape) -> Value {
    match shape {
        Shape::Text => scalar(),
        Shape::Name => scalar().with("pattern", "^[^,=*@]+$"),
        Shape::Word(words) => {
            Value::map().with("enum", Value::list(words.iter().copied()).inline())
        }
        Shape::Integer(least, most) => Value::map()
            .with("type", "integer")
            .with("minimum", i128::from(*least))
            .with("maximum", i128::from(*most)),
        Shape::Duration => Value::map()
            .with("type", "string")
            .with("pattern", "^([0-9]+(\\.[0-9]+)?(ns|us|ms|s|m|h|d))+$"),
        Shape::Cost => {
            Value::map().with("type", "number").with("minimum", 0).with("maximum", 1_000_000)
        }
        Shape::List(item) => Value::map().with("type", "array").with("items", self::shape(item)),
        Shape::Map(value) => Value::map()
            .with("type", Value::list(["object", "null"]).inline())
            .with("additionalProperties", self::shape(value)),
        Shape::Record(record) => self::record(record),
        Shape::Either(shapes) => {
            Value::map().with("anyOf", Value::List(shapes.iter().map(self::shape).collect()))
        }
    }
}

fn scalar() -> Value {
    Value::map().with("type", Value::list(["string", "number", "boolean"]).inline())
}
