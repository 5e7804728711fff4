//! A service template as a location graph: nodes and relationships are locations, requirements and
//! capabilities are roles (paper 000 section 5.1).

use std::collections::BTreeMap;

use super::command::settled::{settled, settled_of};
use super::command::{GivenBack, Inputs};
use super::lower::links::links;
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
pub fn graph(model: &Model) -> Option<LocationGraph> {
    let service = model.service.as_ref()?;
    let links = links(model, service);
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
pub type Assigned = BTreeMap<String, tree::Value>;

/// What a location of a service says beside its place in the graph.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Values {
    /// Values of properties.
    pub properties: Assigned,
    /// Values of attributes.
    pub attributes: Assigned,
    /// Values of the capabilities of a node.
    pub capabilities: BTreeMap<String, CapabilityValues>,
}

/// What a capability says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CapabilityValues {
    /// Its type, when it is known.
    pub kind: Option<String>,
    /// Values of properties.
    pub properties: Assigned,
    /// Values of attributes.
    pub attributes: Assigned,
}

/// The values of the locations of [`graph`], by their names: those that are known before anything
/// runs, or that inputs without a value would tell.
pub fn values(model: &Model) -> BTreeMap<String, Values> {
    let Some(service) = &model.service else { return BTreeMap::new() };
    let links = links(model, service);
    let given = GivenBack::new();
    let inputs = Inputs { model, service, links: &links, given: &given };
    let mut all = BTreeMap::new();
    for (at, (name, template)) in service.nodes.iter().enumerate() {
        let values = Values {
            properties: assigned(&template.properties, |it| settled(&inputs, at, it)),
            attributes: assigned(&template.attributes, |it| settled(&inputs, at, it)),
            capabilities: capabilities(&inputs, at, template),
        };
        all.insert(name_of(&name.text), values);
    }
    for link in links.iter() {
        let mut values = Values::default();
        // What is written in place is nearer than the template that it names.
        for template in link.templates.iter().rev() {
            let known = |value: &Value| settled_of(&inputs, link, value);
            values.properties.extend(assigned(&template.properties, known));
            values.attributes.extend(assigned(&template.attributes, known));
        }
        all.insert(relationship_name(service, link.source, &link.name), values);
    }
    all
}

fn assigned(fields: &Fields<Value>, known: impl Fn(&Value) -> Option<tree::Value>) -> Assigned {
    let all = fields.iter();
    all.filter_map(|(name, value)| Some((name.text.clone(), known(value)?))).collect()
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
    let mut all = BTreeMap::new();
    for (name, capability) in template.capabilities.iter() {
        let values = CapabilityValues {
            kind: kind(&name.text),
            properties: assigned(&capability.properties, |it| settled(inputs, at, it)),
            attributes: assigned(&capability.attributes, |it| settled(inputs, at, it)),
        };
        if !values.properties.is_empty() || !values.attributes.is_empty() {
            all.insert(name.text.clone(), values);
        }
    }
    all
}

/// What a relationship is called that has no name of its own.
fn relationship_name(service: &Service, source: usize, requirement: &str) -> String {
    let source = service.nodes.at(source).map_or("", |(name, _)| &*name.text);
    format!("{}.{requirement}", name_of(source))
}
