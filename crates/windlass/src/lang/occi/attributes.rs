//! What values are called among the attributes of OCCI.
//!
//! A property `P` is `tosca.property.P`; one whose name has a dot is an attribute of OCCI already,
//! such as `occi.compute.cores`, and keeps its name. An attribute `A` of TOSCA is
//! `tosca.attribute.A`, and `tosca.capabilities` holds those of capabilities.

use crate::lang::tosca::locations::{Assigned, CapabilityValues, Values};
use crate::tree::{Node, Value};

/// What OCCI itself calls an entity.
pub(super) const ID: &str = "occi.core.id";
/// The TOSCA type of an entity.
pub(super) const TYPE: &str = "tosca.type";
/// The requirement that a link starts from.
pub(super) const REQUIREMENT: &str = "tosca.requirement";
/// The capability that a link leads to.
pub(super) const CAPABILITY: &str = "tosca.capability";

const PROPERTY: &str = "tosca.property.";
const ATTRIBUTE: &str = "tosca.attribute.";
const CAPABILITIES: &str = "tosca.capabilities";
/// What is ours.
const OWN: &str = "tosca.";

/// What OCCI calls what stands beside the attributes.
const BESIDE: &[(&str, &str)] = &[("title", "occi.core.title"), ("summary", "occi.core.summary")];

/// The values as attributes, in the order of their names, properties first.
pub(super) fn written(values: &Values) -> Vec<(String, Value)> {
    let mut all = Vec::new();
    for (name, value) in &values.properties {
        let is_theirs = name.contains('.') && !name.starts_with(OWN);
        let name = if is_theirs { name.clone() } else { format!("{PROPERTY}{name}") };
        all.push((name, value.clone()));
    }
    let attribute =
        |(name, value): (&String, &Value)| (format!("{ATTRIBUTE}{name}"), value.clone());
    all.extend(values.attributes.iter().map(attribute));
    if !values.capabilities.is_empty() {
        let capabilities = values.capabilities.iter();
        let capabilities: Value = capabilities.map(|(name, it)| (name, capability(it))).collect();
        all.push((CAPABILITIES.to_owned(), capabilities));
    }
    all
}

fn capability(values: &CapabilityValues) -> Value {
    Value::map()
        .with_some("type", values.kind.as_deref())
        .with_some("properties", map(&values.properties))
        .with_some("attributes", map(&values.attributes))
}

/// Names with values as a mapping; none when there are none.
pub(super) fn map(assigned: &Assigned) -> Option<Value> {
    let all: Value = assigned.iter().map(|(name, value)| (name, value.clone())).collect();
    (!assigned.is_empty()).then_some(all)
}

/// The values that an entity carries.
pub(super) fn read(entity: Node<'_>) -> Values {
    let mut values = Values::default();
    for (key, name) in BESIDE {
        let said = entity.get(key).filter(|node| node.as_text().is_some());
        values.properties.extend(said.map(|node| ((*name).to_owned(), Value::from(node))));
    }
    for entry in entity.get("attributes").into_iter().flat_map(Node::entries) {
        let (name, value) = (entry.name(), Value::from(entry.value));
        if value == Value::Null || [ID, TYPE, REQUIREMENT, CAPABILITY].contains(&name) {
            continue;
        }
        if let Some(name) = name.strip_prefix(ATTRIBUTE) {
            values.attributes.insert(name.to_owned(), value);
        } else if name == CAPABILITIES {
            let all = entry.value.entries();
            values.capabilities = all.map(|it| (it.name().to_owned(), of(it.value))).collect();
        } else {
            let name = name.strip_prefix(PROPERTY).unwrap_or(name);
            values.properties.insert(name.to_owned(), value);
        }
    }
    values
}

fn of(node: Node<'_>) -> CapabilityValues {
    let assigned = |key: &str| -> Assigned {
        let entries = node.get(key).into_iter().flat_map(Node::entries);
        entries.map(|entry| (entry.name().to_owned(), Value::from(entry.value))).collect()
    };
    CapabilityValues {
        kind: node.get("type").and_then(Node::as_str).map(str::to_owned),
        properties: assigned("properties"),
        attributes: assigned("attributes"),
    }
}
