//! OCCI: configurations of resources and links, from and to location graphs of TOSCA topologies.
//!
//! A node is a resource, a relationship is a link of the resource that requires (paper 000 section
//! 5.3); properties and attributes of both are attributes of OCCI. The JSON is that of the OCCI 1.2
//! rendering; the kinds carry the names of the TOSCA types.
//!
//! Reading order: here what a configuration is and how it maps to graphs, `attributes` (what values
//! are called), `write` (renderings), `read`, `read_text`, `service` (the way back to TOSCA) with
//! `shape` (types for values that come without any).

mod attributes;
mod read;
mod read_text;
mod service;
mod shape;
mod write;

pub(crate) use read::{detect, read};
pub(crate) use read_text::{is_text, read_text};
pub use service::service;
pub use write::{json, text};

use std::collections::BTreeMap;

use super::language::{Context, Kind, Language, Reader, Text};
use super::{ReadOptions, Reading, tosca};
use crate::diagnostic;
use crate::graph::{Location, LocationGraph, Process, Role, RoleId, Sort};
use crate::lang::tosca::locations::{self, Values};
use crate::lang::tosca::model::Model;
use crate::source::SourceId;
use crate::tree::{self, Node, Value};

impl Language {
    /// The renderings of OCCI, JSON and text.
    pub const OCCI: Language = Language::new(&Occi);
}

#[derive(Debug)]
struct Occi;

impl Reader for Occi {
    fn name(&self) -> &'static str {
        "occi"
    }

    fn recognize_text(&self, text: &str) -> Option<Kind> {
        is_text(text).then_some(Kind::Application)
    }

    fn recognize_keys(&self, root: Node<'_>) -> Option<Kind> {
        detect(root).then_some(Kind::Application)
    }

    fn read(&self, text: Text, context: &mut Context<'_>) -> Reading {
        let (mut findings, root) = (Vec::new(), text.id);
        let source = context.sources.get(root);
        let configuration = if is_text(&source.text) {
            context.sources.note_parse(root);
            read_text(root, &source.text, &mut findings)
        } else {
            let (tree, mut syntax) = text.parse(context.sources, &tree::Options::default());
            findings.append(&mut syntax);
            read(tree.root(), &mut findings).filter(|_| tree.is_complete())
        };
        diagnostic::sort(&mut findings);
        let reading = configuration.map(|configuration| lowered(&configuration, root, context));
        Reading { findings, ..reading.unwrap_or_default() }
    }
}

/// A configuration means the TOSCA service that it maps to. What the types require and it does not
/// say is not asked for.
fn lowered(configuration: &Configuration, root: SourceId, context: &mut Context<'_>) -> Reading {
    let name = context.sources.get(root).name.clone();
    let options = ReadOptions::default();
    let mut inner = Context {
        path: &name,
        sources: &mut *context.sources,
        files: None,
        options: &options,
        rules: context.rules,
    };
    let text = Text::of_value(root, &service(configuration));
    let model = tosca::checked(text, &mut inner, &mut Vec::new());
    let lowered = model.as_ref().and_then(|model| tosca::lower::lower(model, super::stem(&name)));
    let (application, goal) = lowered.unzip();
    Reading { application, goal, tosca: model.map(Box::new), ..Reading::default() }
}

const SCHEME: &str = "http://windlass.example/occi/tosca#";

/// A configuration.
///
/// Paper: 000 4.1 (Configuration)
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Configuration {
    /// Its resources, in the order of their ids.
    pub resources: Vec<Resource>,
}

/// A resource with its links.
///
/// Paper: 000 4.1 (Resource)
#[derive(Debug, Clone, PartialEq)]
pub struct Resource {
    /// Its id.
    pub(crate) id: String,
    /// The term of its kind.
    pub(crate) kind: String,
    /// The links that start here.
    pub links: Vec<Link>,
    /// What it says.
    pub(crate) values: Values,
}

/// A link.
///
/// Paper: 000 4.1 (Link)
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// Its id.
    pub(crate) id: String,
    /// The term of its kind.
    pub(crate) kind: String,
    /// The id of the resource that it leads to.
    pub target: String,
    /// The requirement and the capability that it connects.
    pub(crate) ends: (String, String),
    /// What it says.
    pub(crate) values: Values,
}

/// The configuration of a service, with its values; none without a service template.
pub fn of_service(model: &Model) -> Option<Configuration> {
    let mut configuration = of_topology(&locations::graph(model)?);
    let mut values = locations::values(model);
    for resource in &mut configuration.resources {
        resource.values = values.remove(&resource.id).unwrap_or_default();
        for link in &mut resource.links {
            link.values = values.remove(&link.id).unwrap_or_default();
            if let Some(Value::Str(id)) = link.values.properties.remove(attributes::ID) {
                link.id = id;
            }
        }
    }
    Some(configuration)
}

/// The configuration of a topology.
///
/// Paper: 000 5.3 (topology2configuration)
/// Paper: 000 5.3 (node2resource)
/// Paper: 000 5.3 (relationship2link)
pub fn of_topology(topology: &LocationGraph) -> Configuration {
    let nodes = || topology.locations.iter().filter(|location| !is_relationship(location));
    let mut providers: BTreeMap<RoleId, &Location> = BTreeMap::new();
    for node in nodes() {
        providers.extend(node.provided().map(|role| (role, node)));
    }
    // By the role of the requirement, with the place in the order of the graph.
    let mut relationships: BTreeMap<RoleId, (usize, &Location, RoleId)> = BTreeMap::new();
    for (at, location) in topology.locations.iter().enumerate() {
        let ends = (location.provided().next(), location.required().next());
        if let ((Some(source), Some(target)), true) = (ends, is_relationship(location)) {
            relationships.insert(source, (at, location, target));
        }
    }
    let mut configuration = Configuration::default();
    for node in nodes() {
        let own = node.required().filter_map(|role| Some((role, *relationships.get(&role)?)));
        let mut own: Vec<_> = own.collect();
        own.sort_by_key(|(_, (at, ..))| *at);
        let mut links = Vec::new();
        for (source, (_, relationship, target)) in own {
            let Some(to) = providers.get(&target) else { continue };
            let group = |location: &Location, role: RoleId| {
                location.group_of(role).map(|name| name.as_str().to_owned()).unwrap_or_default()
            };
            links.push(Link {
                id: relationship.name().as_str().to_owned(),
                kind: relationship.sort().name.as_str().to_owned(),
                target: to.name().as_str().to_owned(),
                ends: (group(node, source), group(to, target)),
                values: Values::default(),
            });
        }
        let id = node.name().as_str().to_owned();
        let kind = node.sort().name.as_str().to_owned();
        configuration.resources.push(Resource { id, kind, links, values: Values::default() });
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
    let mut provided: BTreeMap<&str, Vec<Role>> = BTreeMap::new();
    let mut required: BTreeMap<&str, Vec<Role>> = BTreeMap::new();
    for (at, (from, link)) in numbered() {
        let (requirement, capability) = (link.ends.0.as_str(), link.ends.1.as_str());
        required.entry(&*from.id).or_default().push(Role::new(source(at), requirement));
        provided.entry(&*link.target).or_default().push(Role::new(target(at), capability));
    }
    let mut node = |resource: &Resource| {
        Location::new(
            resource.id.as_str(),
            Sort::new(resource.kind.as_str()),
            Process::new("initial"),
            provided.remove(&*resource.id).unwrap_or_default(),
            required.remove(&*resource.id).unwrap_or_default(),
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
    let nodes = configuration.resources.iter().map(&mut node);
    nodes.chain(numbered().map(relationship)).flatten().collect()
}

#[cfg(test)]
mod tests;
