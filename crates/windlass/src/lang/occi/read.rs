//! The JSON rendering of OCCI, read: ours with the names of TOSCA types, and those of other tools.
//!
//! A text is a collection of resources, or one resource. Links stand with their resource or beside
//! all of them. They name resources by where these are found: by their `location` or their id; an
//! id that is a URN and a path with folders mean the same when their last parts agree. A resource
//! that is yet to be made may have no id: its location stands for it, else its kind with a number.

use std::collections::{BTreeMap, BTreeSet};

use super::attributes::{self, CAPABILITY, ID, REQUIREMENT, TYPE};
use super::{Configuration, Link, Resource};
use crate::diagnostic::Diagnostic;
use crate::tree::Node;

/// The code of a configuration that cannot be understood.
const BROKEN: &str = "OCCI001";

/// Whether a text is a collection of resources, or a resource.
pub(crate) fn detect(root: Node<'_>) -> bool {
    let first = match root.get("resources") {
        // Of nothing there is nothing to tell, and nothing else is written like this.
        Some(resources) if resources.is_list() && resources.is_empty() => return root.len() == 1,
        Some(resources) => resources.items().next(),
        None => Some(root),
    };
    let kind = first.and_then(|first| first.get("kind")).and_then(Node::as_str);
    kind.is_some_and(|kind| kind.contains("://") && kind.contains('#'))
}

/// Reads a collection of resources; none when something is wrong with it.
pub(crate) fn read(root: Node<'_>, findings: &mut Vec<Diagnostic>) -> Option<Configuration> {
    let before = findings.len();
    let written: Vec<Node<'_>> = match root.get("resources") {
        Some(resources) => resources.items().collect(),
        None => vec![root],
    };
    let mut reading = Reading::default();
    let taken = written.iter().filter_map(|node| called(*node));
    let mut taken: BTreeSet<String> = taken.collect();
    let mut owners = Vec::new();
    for node in &written {
        let Some(kind) = kind(*node) else {
            let message = "this resource has no `kind`";
            findings.push(Diagnostic::error(BROKEN, node.span(), message));
            continue;
        };
        let id = called(*node).unwrap_or_else(|| numbered(&kind, &mut taken));
        owners.push((*node, reading.resources.len()));
        reading.add(id, kind, *node);
    }
    for (node, own) in owners {
        for link in node.get("links").into_iter().flat_map(Node::items) {
            reading.link(link, Some(own), findings);
        }
    }
    // Of one resource alone the links are its own, and were read with it.
    let beside = root.get("links").filter(|_| root.get("resources").is_some());
    for link in beside.into_iter().flat_map(Node::items) {
        reading.link(link, None, findings);
    }
    let configuration = Configuration { resources: reading.resources };
    (findings.len() == before).then_some(configuration)
}

/// A name for a resource without any: its kind, with a number when others have it.
fn numbered(kind: &str, taken: &mut BTreeSet<String>) -> String {
    let mut names = (2..).map(|number| format!("{kind}-{number}"));
    let first = std::iter::once(kind.to_owned());
    let free = first.chain(&mut names).find(|name| !taken.contains(name));
    let name = free.unwrap_or_else(|| kind.to_owned());
    taken.insert(name.clone());
    name
}

#[derive(Default)]
struct Reading {
    resources: Vec<Resource>,
    /// Resources by their locations and ids.
    places: BTreeMap<String, usize>,
    /// Resources by the last parts of those; of several the first.
    lasts: BTreeMap<String, usize>,
    /// How often a resource has links of a kind.
    kinds: BTreeMap<(usize, String), usize>,
}

impl Reading {
    fn add(&mut self, id: String, kind: String, node: Node<'_>) {
        let at = self.resources.len();
        let location = text(node, "location");
        for place in [Some(&id), location.as_ref()].into_iter().flatten() {
            self.places.entry(path(place).to_owned()).or_insert(at);
            self.lasts.entry(last(place).to_owned()).or_insert(at);
        }
        let values = attributes::read(node);
        self.resources.push(Resource { id, kind, links: Vec::new(), values });
    }

    /// Adds a link to the resource that it comes from: the one that it stands with, else its
    /// source.
    fn link(&mut self, link: Node<'_>, own: Option<usize>, findings: &mut Vec<Diagnostic>) {
        let source = own.or_else(|| self.end(link, "source", "comes from", findings));
        let target = self.end(link, "target", "leads to", findings);
        let (Some(source), Some(target)) = (source, target) else { return };
        let Some(kind) = kind(link) else {
            let message = "this link has no `kind`";
            findings.push(Diagnostic::error(BROKEN, link.span(), message));
            return;
        };
        let attribute = |key: &str| link.get("attributes").and_then(|node| text(node, key));
        let requirement = attribute(REQUIREMENT).unwrap_or_else(|| {
            // Requirements of a node have names of their own, as `lower/links` gives them.
            let count = self.kinds.entry((source, kind.clone())).or_default();
            *count += 1;
            if *count == 1 { kind.clone() } else { format!("{kind}_{count}") }
        });
        let capability = attribute(CAPABILITY).unwrap_or_else(|| "feature".to_owned());
        let id = called(link);
        let id = id.unwrap_or_else(|| format!("{}.{requirement}", self.resources[source].id));
        let target = self.resources[target].id.clone();
        let values = attributes::read(link);
        let link = Link { id, kind, target, ends: (requirement, capability), values };
        self.resources[source].links.push(link);
    }

    /// The resource at one end of a link.
    fn end(
        &self,
        link: Node<'_>,
        key: &str,
        verb: &str,
        findings: &mut Vec<Diagnostic>,
    ) -> Option<usize> {
        let Some(node) = link.get(key).and_then(|end| end.get("location")) else {
            let message = format!("this link has no `{key}` with a `location`");
            findings.push(Diagnostic::error(BROKEN, link.span(), message));
            return None;
        };
        let location = node.as_str().unwrap_or_default();
        let exact = self.places.get(path(location));
        let found = exact.or_else(|| self.lasts.get(last(location))).copied();
        if found.is_none() {
            let message = format!("the link {verb} `{location}`, which no resource is");
            findings.push(Diagnostic::error(BROKEN, node.span(), message));
        }
        found
    }
}

/// What an entity is called: by its id, as a key or as an attribute, else by its location.
fn called(node: Node<'_>) -> Option<String> {
    let attribute = || node.get("attributes").and_then(|node| text(node, ID));
    let location = || Some(path(&text(node, "location")?).to_owned());
    text(node, "id").or_else(attribute).or_else(location).filter(|id| !id.is_empty())
}

/// A path without the slashes around it.
fn path(text: &str) -> &str {
    text.trim_matches('/')
}

/// The last part of a path or a URN.
fn last(path: &str) -> &str {
    path.trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or(path)
}

/// The TOSCA type that an entity carries, else the term of its kind.
fn kind(node: Node<'_>) -> Option<String> {
    let carried = node.get("attributes").and_then(|node| text(node, TYPE));
    carried.or_else(|| Some(text(node, "kind")?.rsplit('#').next()?.to_owned()))
}

fn text(node: Node<'_>, key: &str) -> Option<String> {
    let found = node.get(key)?.as_str().filter(|text| !text.is_empty());
    found.map(str::to_owned)
}
