//! A configuration as a TOSCA 1.3 service: the way back of paper 000 section 5.3.
//!
//! A resource is a node template, a link is a requirement with its target. Types that the profile
//! defines keep their meaning; all others are declared with the ends that their links use.

use std::collections::{BTreeMap, BTreeSet};

use super::{Configuration, Link, Resource};
use crate::lang::tosca::profiles::is_normative;
use crate::tree::Value;

/// What a relationship type wants for a capability.
const WANTED: &[(&str, &str)] = &[
    ("tosca.relationships.HostedOn", "tosca.capabilities.Compute"),
    ("tosca.relationships.ConnectsTo", "tosca.capabilities.Endpoint"),
    ("tosca.relationships.RoutesTo", "tosca.capabilities.Endpoint"),
    ("tosca.relationships.AttachesTo", "tosca.capabilities.Attachment"),
    ("tosca.relationships.network.LinksTo", "tosca.capabilities.network.Linkable"),
    ("tosca.relationships.network.BindsTo", "tosca.capabilities.network.Bindable"),
];

/// What every node has.
const INHERITED: (&str, &str) = ("dependency", "feature");

/// The service of a configuration.
pub fn service(configuration: &Configuration) -> Value {
    let nodes = configuration.resources.iter().map(|resource| (&*resource.id, node(resource)));
    let nodes: Value = nodes.collect();
    let types = types(configuration);
    let relationships = relationship_types(configuration);
    Value::map()
        .with("tosca_definitions_version", "tosca_simple_yaml_1_3")
        .with_some("node_types", (!types.is_empty()).then_some(types))
        .with_some("relationship_types", (!relationships.is_empty()).then_some(relationships))
        .with("topology_template", Value::map().with("node_templates", nodes))
}

fn node(resource: &Resource) -> Value {
    let requirement = |link: &Link| {
        let body = Value::map()
            .with("node", link.target.as_str())
            .with("capability", link.ends.1.as_str())
            .with("relationship", link.kind.as_str());
        Value::map().with(link.ends.0.as_str(), body.inline())
    };
    let requirements: Vec<Value> = resource.links.iter().map(requirement).collect();
    let requirements = (!requirements.is_empty()).then_some(Value::List(requirements));
    Value::map().with("type", resource.kind.as_str()).with_some("requirements", requirements)
}

/// The node types that the profile does not define.
fn types(configuration: &Configuration) -> Value {
    let resources = &configuration.resources;
    let kinds: BTreeSet<&str> = resources.iter().map(|resource| &*resource.kind).collect();
    let own = kinds.into_iter().filter(|kind| !is_normative("node_types", kind));
    own.map(|kind| (kind, node_type(configuration, kind))).collect()
}

fn node_type(configuration: &Configuration, kind: &str) -> Value {
    let links = || configuration.resources.iter().flat_map(|from| from.links.iter());
    let is_of = |id: &str| {
        configuration.resources.iter().any(|resource| resource.id == id && resource.kind == kind)
    };
    let mut capabilities = BTreeMap::new();
    for link in links().filter(|link| link.ends.1 != INHERITED.1 && is_of(&link.target)) {
        let body = Value::map().with("type", wanted(&link.kind)).inline();
        capabilities.entry(link.ends.1.as_str()).or_insert(body);
    }
    let mut requirements = BTreeMap::new();
    let of_kind = configuration.resources.iter().filter(|resource| resource.kind == kind);
    for link in of_kind.flat_map(|resource| &resource.links) {
        if link.ends.0 != INHERITED.0 {
            requirements.entry(link.ends.0.as_str()).or_insert_with(|| requirement(link));
        }
    }
    let capabilities: Value = capabilities.into_iter().collect();
    let requirements: Vec<Value> =
        requirements.into_iter().map(|(name, body)| Value::map().with(name, body)).collect();
    Value::map()
        .with("derived_from", "tosca.nodes.Root")
        .with_some("capabilities", (!capabilities.is_empty()).then_some(capabilities))
        .with_some("requirements", (!requirements.is_empty()).then_some(Value::List(requirements)))
}

fn requirement(link: &Link) -> Value {
    let occurrences = Value::List(vec![Value::from(0), Value::from("UNBOUNDED")]);
    Value::map()
        .with("capability", wanted(&link.kind))
        .with("relationship", link.kind.as_str())
        .with("occurrences", occurrences.inline())
        .inline()
}

/// The relationship types that the profile does not define.
fn relationship_types(configuration: &Configuration) -> Value {
    let links = configuration.resources.iter().flat_map(|resource| &resource.links);
    let kinds: BTreeSet<&str> = links.map(|link| &*link.kind).collect();
    let own = kinds.into_iter().filter(|kind| !is_normative("relationship_types", kind));
    let body = || Value::map().with("derived_from", "tosca.relationships.Root").inline();
    own.map(|kind| (kind, body())).collect()
}

fn wanted(relationship: &str) -> &'static str {
    let found = WANTED.iter().find(|(name, _)| *name == relationship);
    found.map_or("tosca.capabilities.Node", |(_, capability)| capability)
}
