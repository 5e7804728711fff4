//! A service template as a location graph: nodes and relationships are locations, requirements and
//! capabilities are roles (paper 000 section 5.1).

use super::lower::links::links;
use super::lower::name_of;
use super::model::{Model, Service};
use crate::graph::{Location, LocationGraph, Process, Role, RoleId, Sort};

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
        let provided = links.iter().enumerate().filter(|(_, link)| link.target == at);
        let required = links.iter().enumerate().filter(|(_, link)| link.source == at);
        locations.push(Location::new(
            name_of(&name.text),
            Sort::new(template.of.name.text.as_str()),
            Process::new("initial"),
            provided.map(|(role, link)| Role::new(target(role), link.capability.as_str())),
            required.map(|(role, link)| Role::new(source(role), link.name.as_str())),
        ));
    }
    for (at, link) in links.iter().enumerate() {
        let of = link.relationship.map(|id| model.types.get(id).name.text.as_str());
        locations.push(Location::new(
            relationship_name(service, link.source, &link.name),
            Sort::new(of.unwrap_or("tosca.relationships.Root")),
            Process::new("initial"),
            [Role::new(source(at), "source")],
            [Role::new(target(at), "target")],
        ));
    }
    // No location can have a role on both sides: a role belongs to one relationship.
    Some(locations.into_iter().flatten().collect())
}

/// What a relationship is called that has no name of its own.
fn relationship_name(service: &Service, source: usize, requirement: &str) -> String {
    let source = service.nodes.at(source).map_or("", |(name, _)| &*name.text);
    format!("{}.{requirement}", name_of(source))
}
