//! OCCI: configurations of resources and links, from and to location graphs of TOSCA topologies.
//!
//! A node is a resource, a relationship is a link of the resource that requires (paper 000 section
//! 5.3). The JSON is that of the OCCI 1.2 rendering; the kinds carry the names of the TOSCA types.

mod read;
mod service;

pub use read::{detect, read};
pub use service::service;

use std::fmt::Write as _;

use crate::graph::{Location, LocationGraph, Process, Role, RoleId, Sort};
use crate::tree::Value;

const SCHEME: &str = "http://windlass.example/occi/tosca#";

/// A configuration.
///
/// Paper: 000 4.1 (Configuration)
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Configuration {
    /// Its resources, in the order of their ids.
    pub resources: Vec<Resource>,
}

/// A resource with its links.
///
/// Paper: 000 4.1 (Resource)
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// Its id.
    pub id: String,
    /// The term of its kind.
    pub kind: String,
    /// The links that start here.
    pub links: Vec<Link>,
}

/// A link.
///
/// Paper: 000 4.1 (Link)
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Its id.
    pub id: String,
    /// The term of its kind.
    pub kind: String,
    /// The id of the resource that it leads to.
    pub target: String,
    /// The requirement and the capability that it connects.
    pub ends: (String, String),
}

/// The configuration of a topology.
///
/// Paper: 000 5.3 (topology2configuration)
/// Paper: 000 5.3 (node2resource)
/// Paper: 000 5.3 (relationship2link)
pub fn of_topology(topology: &LocationGraph) -> Configuration {
    let owner = |role: RoleId, required: bool| {
        topology.locations.iter().find(|location| {
            !is_relationship(location)
                && if required { location.requires(role) } else { location.provides(role) }
        })
    };
    let mut configuration = Configuration::default();
    for node in topology.locations.iter().filter(|location| !is_relationship(location)) {
        let mut links = Vec::new();
        for relationship in topology.locations.iter().filter(|other| is_relationship(other)) {
            let (Some(source), Some(target)) =
                (relationship.provided().next(), relationship.required().next())
            else {
                continue;
            };
            let Some(to) = owner(target, false).filter(|_| node.requires(source)) else { continue };
            let group = |location: &Location, role: RoleId| {
                location.group_of(role).map(|name| name.as_str().to_owned()).unwrap_or_default()
            };
            links.push(Link {
                id: relationship.name().as_str().to_owned(),
                kind: relationship.sort().name.as_str().to_owned(),
                target: to.name().as_str().to_owned(),
                ends: (group(node, source), group(to, target)),
            });
        }
        let id = node.name().as_str().to_owned();
        let kind = node.sort().name.as_str().to_owned();
        configuration.resources.push(Resource { id, kind, links });
    }
    configuration
}

/// Whether a location of a topology is a relationship: it provides the source and requires the
/// target, under these names.
fn is_relationship(location: &Location) -> bool {
    let (capabilities, requirements) = (location.capabilities(), location.requirements());
    let only = |groups: Vec<&str>, word: &str| groups == [word];
    only(capabilities.keys().map(|name| name.as_str()).collect(), "source")
        && only(requirements.keys().map(|name| name.as_str()).collect(), "target")
}

/// The topology of a configuration: the way back.
pub fn topology(configuration: &Configuration) -> LocationGraph {
    let links: Vec<(&Resource, &Link)> = configuration
        .resources
        .iter()
        .flat_map(|resource| resource.links.iter().map(move |link| (resource, link)))
        .collect();
    let source = |at: usize| RoleId::from(2 * at);
    let target = |at: usize| RoleId::from(2 * at + 1);
    let numbered = || links.iter().enumerate();
    let node = |resource: &Resource| {
        let provided = numbered().filter(|(_, (_, link))| link.target == resource.id);
        let required = numbered().filter(|(_, (from, _))| from.id == resource.id);
        Location::new(
            resource.id.as_str(),
            Sort::new(resource.kind.as_str()),
            Process::new("initial"),
            provided.map(|(at, (_, link))| Role::new(target(at), link.ends.1.as_str())),
            required.map(|(at, (_, link))| Role::new(source(at), link.ends.0.as_str())),
        )
    };
    let relationship = |(at, (_, link)): (usize, &(&Resource, &Link))| {
        Location::new(
            link.id.as_str(),
            Sort::new(link.kind.as_str()),
            Process::new("initial"),
            [Role::new(source(at), "source")],
            [Role::new(target(at), "target")],
        )
    };
    let nodes = configuration.resources.iter().map(node);
    nodes.chain(numbered().map(relationship)).flatten().collect()
}

/// The JSON rendering: an entity collection.
pub fn json(configuration: &Configuration) -> Value {
    let kind = |term: &str| format!("{SCHEME}{}", term.to_lowercase());
    let title = |term: &str| Value::map().with("tosca.type", term);
    let uri = |kind_of: &str, id: &str| {
        Value::map().with("location", format!("/{id}/")).with("kind", kind(kind_of))
    };
    let kind_of = |id: &str| {
        let found = configuration.resources.iter().find(|resource| resource.id == id);
        found.map_or("", |resource| &*resource.kind)
    };
    let resource = |resource: &Resource| {
        let link = |link: &Link| {
            let ends = title(&link.kind)
                .with("tosca.requirement", link.ends.0.as_str())
                .with("tosca.capability", link.ends.1.as_str());
            Value::map()
                .with("kind", kind(&link.kind))
                .with("id", link.id.as_str())
                .with("attributes", ends)
                .with("source", uri(&resource.kind, &resource.id))
                .with("target", uri(kind_of(&link.target), &link.target))
        };
        let links: Vec<Value> = resource.links.iter().map(link).collect();
        let links = (!links.is_empty()).then_some(Value::List(links));
        Value::map()
            .with("kind", kind(&resource.kind))
            .with("id", resource.id.as_str())
            .with("attributes", title(&resource.kind))
            .with_some("links", links)
    };
    Value::map()
        .with("resources", Value::List(configuration.resources.iter().map(resource).collect()))
}

/// The text rendering.
pub fn text(configuration: &Configuration) -> String {
    let mut text = String::new();
    for resource in &configuration.resources {
        let class =
            |term: &str| format!("{}; scheme=\"{SCHEME}\"; class=\"kind\"", term.to_lowercase());
        let _ = writeln!(text, "Category: {}", class(&resource.kind));
        let _ = writeln!(text, "X-OCCI-Attribute: occi.core.id=\"{}\"", resource.id);
        let _ = writeln!(text, "X-OCCI-Attribute: tosca.type=\"{}\"", resource.kind);
        for link in &resource.links {
            let _ = writeln!(
                text,
                "Link: </{}/>; rel=\"{SCHEME}{}\"; self=\"/{}/\"; category=\"{SCHEME}{}\"",
                link.target,
                link.ends.1.to_lowercase(),
                link.id,
                link.kind.to_lowercase(),
            );
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::diagnostic::{Diagnostic, Severity};
    use crate::graph::wellformed::well_formed_location_graph;
    use crate::lang;
    use crate::source::Sources;
    use crate::tree::{self, emit};

    const CRM: &str = include_str!("../../../../examples/tosca/crm/service.yaml");

    fn crm() -> LocationGraph {
        let mut sources = Sources::new();
        let root = sources.add("service.yaml", CRM);
        let reading = lang::read(None, root, &sources);
        let model = reading.tosca.expect("it is TOSCA");
        lang::tosca::locations::graph(&model).expect("it has a service")
    }

    fn locations(configuration: &Configuration) -> BTreeSet<&str> {
        let links = configuration.resources.iter().flat_map(|resource| &resource.links);
        let resources = configuration.resources.iter().map(|resource| &*resource.id);
        resources.chain(links.map(|link| &*link.id)).collect()
    }

    /// Paper: 000 5.3 (EachTopologyMapsToConfiguration)
    #[test]
    fn each_topology_maps_to_a_configuration_and_back() {
        let graph = crm();
        assert!(well_formed_location_graph(&graph).is_empty());
        let configuration = of_topology(&graph);
        assert_eq!(of_topology(&topology(&configuration)), configuration);
        assert!(well_formed_location_graph(&topology(&configuration)).is_empty());
    }

    /// Paper: 000 5.3 (MappingPreserveNumberOfLocations)
    #[test]
    fn the_mapping_preserves_the_number_of_locations() {
        let graph = crm();
        let configuration = of_topology(&graph);
        assert_eq!(graph.locations.len(), 18);
        assert_eq!(locations(&configuration).len(), graph.locations.len());
        let links: usize = configuration.resources.iter().map(|it| it.links.len()).sum();
        assert_eq!((configuration.resources.len(), links), (9, 9));
    }

    /// Paper: 000 5.3 (MappingPreserveLocationNames)
    #[test]
    fn the_mapping_preserves_the_names_of_locations() {
        let graph = crm();
        let names: BTreeSet<&str> =
            graph.locations.iter().map(|location| location.name().as_str()).collect();
        assert_eq!(locations(&of_topology(&graph)), names);
    }

    /// Reads a text as a configuration; what is wrong with it, if anything is.
    fn read_text(written: &str) -> (Option<Configuration>, Vec<String>) {
        let mut sources = Sources::new();
        let root = sources.add("occi.json", written);
        let (tree, mut findings) = tree::parse(root, written, &tree::Options::default());
        assert!(findings.is_empty());
        assert!(detect(tree.root()));
        let configuration = read(tree.root(), &mut findings);
        (configuration, findings.into_iter().map(|finding| finding.message).collect())
    }

    #[test]
    fn the_json_rendering_is_read_back() {
        let configuration = of_topology(&crm());
        let written = emit::json(&json(&configuration));
        assert_eq!(read_text(&written), (Some(configuration.clone()), vec![]));
        assert_eq!(text(&configuration).matches("Category:").count(), 9);
        assert_eq!(text(&configuration).matches("Link:").count(), 9);
    }

    #[test]
    fn a_configuration_becomes_a_service_with_the_same_configuration() {
        let configuration = of_topology(&crm());
        let written = emit::yaml(&service(&configuration));
        let mut sources = Sources::new();
        let root = sources.add("service.yaml", written.as_str());
        let reading = lang::read(None, root, &sources);
        // A machine warns of guests that are no software of the profile: OCCI does not say so.
        let is_error = |finding: &Diagnostic| finding.severity == Severity::Error;
        assert!(!reading.findings.iter().any(is_error), "{:?}\n{written}", reading.findings);
        let model = reading.tosca.expect("it is TOSCA");
        let graph = lang::tosca::locations::graph(&model).expect("it has a service");
        assert_eq!(of_topology(&graph), configuration, "{written}");
    }

    /// Kinds of OCCI's own infrastructure, a link outside of its resource, ids that are URNs.
    const INFRASTRUCTURE: &str = r#"{
      "resources": [
        { "kind": "http://schemas.ogf.org/occi/infrastructure#compute", "id": "urn:uuid:c1",
          "links": [
            { "kind": "http://schemas.ogf.org/occi/infrastructure#networkinterface", "id": "n",
              "target": { "location": "/network/n1" } } ] },
        { "kind": "http://schemas.ogf.org/occi/infrastructure#network", "id": "urn:uuid:n1" },
        { "kind": "http://schemas.ogf.org/occi/infrastructure#storage", "id": "s1" } ],
      "links": [
        { "kind": "http://schemas.ogf.org/occi/infrastructure#storagelink", "id": "d",
          "source": { "location": "/compute/c1" }, "target": { "location": "/storage/s1" } } ] }"#;

    #[test]
    fn infrastructure_is_read_without_any_word_of_tosca() {
        let (configuration, wrong) = read_text(INFRASTRUCTURE);
        assert_eq!(wrong, Vec::<String>::new());
        let configuration = configuration.expect("a configuration");
        let links: Vec<(&str, &str, &str)> = configuration.resources[0]
            .links
            .iter()
            .map(|link| (&*link.kind, &*link.target, &*link.ends.0))
            .collect();
        assert_eq!(
            links,
            [
                ("networkinterface", "urn:uuid:n1", "networkinterface"),
                ("storagelink", "s1", "storagelink")
            ]
        );
        let mut sources = Sources::new();
        let root = sources.add("infrastructure.json", INFRASTRUCTURE);
        let reading = lang::read(None, root, &sources);
        assert_eq!(reading.language, Some(lang::Language::Occi));
        let application = reading.application.expect("an application");
        assert_eq!(application.nodes.len(), 3);
        assert_eq!(application.nodes[0].bindings.len(), 2);
    }

    #[test]
    fn what_is_missing_is_said() {
        let broken = INFRASTRUCTURE
            .replace("/network/n1", "/network/n2")
            .replace("\"id\": \"s1\"", "\"title\": \"s1\"")
            .replace("/compute/c1", "/compute/c2");
        let (configuration, wrong) = read_text(&broken);
        assert_eq!(configuration, None);
        assert_eq!(
            wrong,
            [
                "this resource has no `id`",
                "the link leads to `/network/n2`, which no resource is",
                "the link comes from `/compute/c2`, which no resource is",
                "the link leads to `/storage/s1`, which no resource is",
            ]
        );
    }
}
