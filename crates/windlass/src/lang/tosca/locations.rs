//! A service template as a location graph: nodes and relationships are locations, requirements and
//! capabilities are roles (paper 000 section 5.1).

mod defaults;

use std::collections::BTreeMap;

use self::defaults::{Defaults, Part, of_capabilities, of_type};
use super::command::static_values::{settled, settled_of};
use super::command::{Inputs, ReturnedAttributes};
use super::lower::links::templates;
use super::lower::name_of;
use super::model::{Fields, Model, NodeTemplate, Service};
use super::profiles::is_normative;
use super::value::Value;
use crate::graph::{Location, LocationGraph, Process, Role, RoleId, Sort};
use crate::tree;

/// The graph of a service; none without a service template.
///
/// Paper: 000 5.1 (Topology)
/// Paper: 000 5.1 (Node)
/// Paper: 000 5.1 (Requirement)
/// Paper: 000 5.1 (Capability)
/// Paper: 000 5.1 (Relationship)
///
/// Deviation: one role per capability and relationship, grouped under the name of the capability;
/// with one role per capability two nodes could not share a host.
pub(crate) fn graph(model: &Model) -> Option<LocationGraph> {
    let service = model.service.as_ref()?;
    let links = templates(model, service);
    // Two roles for each relationship: that of the requirement, and that of the capability.
    let source = |at: usize| RoleId::from(2 * at);
    let target = |at: usize| RoleId::from(2 * at + 1);
    let mut locations = Vec::new();
    for (at, (name, template)) in service.nodes.iter().enumerate() {
        locations.push(Location::new(
            name_of(&name.text),
            Sort::new(template.of.name.text.as_str()),
            Process::new("initial"),
            links.to(at).map(|link| Role::new(target(link.at), link.capability.as_str())),
            links.of(at).iter().map(|link| Role::new(source(link.at), link.name.as_str())),
        ));
    }
    for link in links.iter() {
        let of = link.relationship.map(|id| model.types.get(id).name.text.as_str());
        locations.push(Location::new(
            relationship_name(service, link.source, &link.name),
            Sort::new(of.unwrap_or("tosca.relationships.Root")),
            Process::new("initial"),
            [Role::new(source(link.at), "source")],
            [Role::new(target(link.at), "target")],
        ));
    }
    // No location can have a role on both sides: a role belongs to one relationship.
    Some(locations.into_iter().flatten().collect())
}

/// Names with values.
pub(crate) type Assigned = BTreeMap<String, tree::Value>;

/// What a location of a service says beside its place in the graph.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Values {
    /// Values of properties.
    pub(crate) properties: Assigned,
    /// Values of attributes.
    pub(crate) attributes: Assigned,
    /// Values of the capabilities of a node.
    pub(crate) capabilities: BTreeMap<String, CapabilityValues>,
}

/// What a capability says.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct CapabilityValues {
    /// Its type, when it is known.
    pub(crate) kind: Option<String>,
    /// Values of properties.
    pub(crate) properties: Assigned,
    /// Values of attributes.
    pub(crate) attributes: Assigned,
}

/// The values of the locations of [`graph`], by their names: those that are known before anything
/// runs, or that inputs without a value would tell.
pub(crate) fn values(model: &Model) -> BTreeMap<String, Values> {
    let Some(service) = &model.service else { return BTreeMap::new() };
    let links = templates(model, service);
    let given = ReturnedAttributes::new();
    let inputs = Inputs { model, service, links: &links, given: &given };
    let mut all = BTreeMap::new();
    for (at, (name, template)) in service.nodes.iter().enumerate() {
        let of = &template.of;
        let given = |part: Part| of_type(&model.types, "node_types", &of.name.text, of.id, part);
        let known = |value: &Value| settled(&inputs, at, value);
        let values = Values {
            properties: assigned(&template.properties, &given(|of| &of.properties), known),
            attributes: assigned(&template.attributes, &given(|of| &of.attributes), known),
            capabilities: capabilities(&inputs, at, template),
        };
        all.insert(name_of(&name.text), values);
    }
    for link in links.iter() {
        let known = |value: &Value| settled_of(&inputs, link, value);
        let kind = link.relationship.map_or("", |id| &*model.types.get(id).name.text);
        let given = |part: Part| {
            let all = of_type(&model.types, "relationship_types", kind, link.relationship, part);
            assigned(&Fields::default(), &all, known)
        };
        let mut values = Values {
            properties: given(|of| &of.properties),
            attributes: given(|of| &of.attributes),
            ..Values::default()
        };
        // What is written in place is nearer than the template that it names.
        for template in link.templates.iter().rev() {
            replace(&mut values.properties, &template.properties, known);
            replace(&mut values.attributes, &template.attributes, known);
        }
        all.insert(relationship_name(service, link.source, &link.name), values);
    }
    all
}

/// What is written, and what types give to everything else.
fn assigned(
    written: &Fields<Value>,
    given: &Defaults<'_>,
    known: impl Fn(&Value) -> Option<tree::Value>,
) -> Assigned {
    let given = given.iter().filter_map(|(name, value)| Some(((*name).to_owned(), known(value)?)));
    let mut all = given.collect();
    replace(&mut all, written, known);
    all
}

/// Puts what is written in the place of what was there. What only a run knows leaves nothing.
fn replace(
    all: &mut Assigned,
    written: &Fields<Value>,
    known: impl Fn(&Value) -> Option<tree::Value>,
) {
    for (name, value) in written.iter() {
        match known(value) {
            Some(value) => drop(all.insert(name.text.clone(), value)),
            None => drop(all.remove(&name.text)),
        }
    }
}

fn capabilities(
    inputs: &Inputs<'_, '_>,
    at: usize,
    template: &NodeTemplate,
) -> BTreeMap<String, CapabilityValues> {
    let types = &inputs.model.types;
    let is_known = is_normative("node_types", &template.of.name.text);
    // What the profile says, or what every capability is, need not be said.
    let kind = |name: &str| {
        if is_known {
            return None;
        }
        let mut chain = template.of.id.into_iter().flat_map(|id| types.chain(id));
        let of = chain.find_map(|(_, of)| of.capabilities.get(name)?.of.as_ref())?;
        (of.name.text != "tosca.capabilities.Root").then(|| of.name.text.clone())
    };
    let known = |value: &Value| settled(inputs, at, value);
    let mut given = of_capabilities(types, template);
    let mut all = BTreeMap::new();
    for (name, capability) in template.capabilities.iter() {
        let given = given.remove(&*name.text).unwrap_or_default();
        let values = CapabilityValues {
            kind: kind(&name.text),
            properties: assigned(&capability.properties, &given, known),
            attributes: assigned(&capability.attributes, &Defaults::new(), known),
        };
        all.insert(name.text.clone(), values);
    }
    for (name, given) in given {
        let properties = assigned(&Fields::default(), &given, known);
        let values = CapabilityValues { kind: kind(name), properties, ..Default::default() };
        all.insert(name.to_owned(), values);
    }
    all.retain(|_, it| !it.properties.is_empty() || !it.attributes.is_empty());
    all
}

/// What a relationship is called that has no name of its own.
fn relationship_name(service: &Service, source: usize, requirement: &str) -> String {
    let source = service.nodes.at(source).map_or("", |(name, _)| &*name.text);
    format!("{}.{requirement}", name_of(source))
}
