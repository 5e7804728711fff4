//! The JSON rendering of OCCI, read: ours with the names of TOSCA types, and anybody's.
//!
//! Links stand with their resource or beside all of them. They name resources by where these are
//! found; an id that is a URN and a path with folders mean the same when their last parts agree.

use super::attributes::{self, CAPABILITY, REQUIREMENT, TYPE};
use super::{Configuration, Link, Resource};
use crate::diagnostic::Diagnostic;
use crate::tree::Node;

/// The code of a configuration that cannot be understood.
const BROKEN: &str = "OCCI001";

/// Whether a text is a collection of resources.
pub fn detect(root: Node<'_>) -> bool {
    let first = root.get("resources").and_then(|resources| resources.items().next());
    let kind = first.and_then(|first| first.get("kind")).and_then(Node::as_str);
    kind.is_some_and(|kind| kind.contains("://") && kind.contains('#'))
}

/// Reads a collection of resources; none when something is wrong with it.
pub fn read(root: Node<'_>, findings: &mut Vec<Diagnostic>) -> Option<Configuration> {
    let before = findings.len();
    let mut configuration = Configuration::default();
    let written: Vec<Node<'_>> = root.get("resources").into_iter().flat_map(Node::items).collect();
    for node in &written {
        let (id, kind) = (text(*node, "id"), kind(*node));
        for (found, key) in [(&id, "id"), (&kind, "kind")] {
            if found.is_none() {
                let message = format!("this resource has no `{key}`");
                findings.push(Diagnostic::error(BROKEN, node.span(), message));
            }
        }
        if let (Some(id), Some(kind)) = (id, kind) {
            let values = attributes::read(*node);
            configuration.resources.push(Resource { id, kind, links: Vec::new(), values });
        }
    }
    for node in &written {
        let own = text(*node, "id");
        for link in node.get("links").into_iter().flat_map(Node::items) {
            add(&mut configuration, link, own.clone(), findings);
        }
    }
    for link in root.get("links").into_iter().flat_map(Node::items) {
        add(&mut configuration, link, None, findings);
    }
    (findings.len() == before).then_some(configuration)
}

/// Adds a link to the resource that it comes from: the one that it stands with, else its source.
fn add(
    configuration: &mut Configuration,
    link: Node<'_>,
    own: Option<String>,
    findings: &mut Vec<Diagnostic>,
) {
    let source = own.or_else(|| end(configuration, link, "source", "comes from", findings));
    let target = end(configuration, link, "target", "leads to", findings);
    let (Some(source), Some(target)) = (source, target) else { return };
    let Some(kind) = kind(link) else {
        let message = "this link has no `kind`";
        findings.push(Diagnostic::error(BROKEN, link.span(), message));
        return;
    };
    let attribute = |key: &str| link.get("attributes").and_then(|node| text(node, key));
    let requirement = attribute(REQUIREMENT).unwrap_or_else(|| kind.clone());
    let capability = attribute(CAPABILITY).unwrap_or_else(|| "feature".to_owned());
    let id = text(link, "id").unwrap_or_else(|| format!("{source}.{requirement}"));
    let of = configuration.resources.iter_mut().find(|resource| resource.id == source);
    if let Some(of) = of {
        let values = attributes::read(link);
        of.links.push(Link { id, kind, target, ends: (requirement, capability), values });
    }
}

/// The id of the resource at one end of a link.
fn end(
    configuration: &Configuration,
    link: Node<'_>,
    key: &str,
    verb: &str,
    findings: &mut Vec<Diagnostic>,
) -> Option<String> {
    let Some(node) = link.get(key).and_then(|end| end.get("location")) else {
        let message = format!("this link has no `{key}` with a `location`");
        findings.push(Diagnostic::error(BROKEN, link.span(), message));
        return None;
    };
    let location = node.as_str().unwrap_or_default();
    let found = resource_at(configuration, location);
    if found.is_none() {
        let message = format!("the link {verb} `{location}`, which no resource is");
        findings.push(Diagnostic::error(BROKEN, node.span(), message));
    }
    found.map(|resource| resource.id.clone())
}

fn resource_at<'c>(configuration: &'c Configuration, location: &str) -> Option<&'c Resource> {
    let path = location.trim_matches('/');
    let exact = configuration.resources.iter().find(|resource| resource.id == path);
    let same = |resource: &&Resource| last(&resource.id) == last(path);
    exact.or_else(|| configuration.resources.iter().find(same))
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
