//! Nodes whose instances live in something else in the new version, or no longer in anything.
//!
//! Nothing carries an instance from one container to another: those of such a node go, and others
//! come where they belong. So the old version of the node is a node of its own that has to be gone
//! in the end. What lives in it lives in something else in the new version, and what uses it
//! is bound to another node, so they change too.

use std::collections::BTreeMap;

use crate::application::{Application, Node, NodeId};
use crate::lifecycle::protocol::Requirement;

/// What the names of such nodes begin with.
const OLD: &str = "old-";

/// The old version with such nodes under names of their own, and those names with the nodes that
/// take their place.
pub(super) fn separate_moved(
    old: &Application,
    new: &Application,
) -> (Application, BTreeMap<String, String>) {
    let mut separated = old.clone();
    let mut names = BTreeMap::new();
    loop {
        let mut nodes = separated.node_ids();
        let Some(node) = nodes.find(|node| lives_elsewhere(&separated, new, *node)) else {
            return (separated, names);
        };
        let name = separated.node(node).name.clone();
        let is_taken = |name: &String| {
            separated.nodes.iter().chain(&new.nodes).any(|known: &Node| known.name == *name)
        };
        let mut fresh = format!("{OLD}{name}");
        while is_taken(&fresh) {
            fresh.insert_str(0, OLD);
        }
        let moved = &mut separated.nodes[node.index()];
        moved.name.clone_from(&fresh);
        // The names that the description gives belong to the new version.
        moved.instances.clear();
        names.insert(fresh, name);
    }
}

/// A container by names: the requirement, the node and the capability.
type Home<'a> = Option<(&'a Requirement, Option<(&'a str, &'a str)>)>;

fn home(application: &Application, node: NodeId) -> Home<'_> {
    let component = application.type_of(node);
    let containment = component.containment()?;
    let bound = application.node(node).binding(containment).map(|binding| {
        let capabilities = &application.type_of(binding.target).capabilities;
        let name = &capabilities[binding.capability.index()].name;
        (application.node(binding.target).name.as_str(), name.as_str())
    });
    Some((&component.requirements[containment.index()], bound))
}

fn lives_elsewhere(old: &Application, new: &Application, node: NodeId) -> bool {
    let now = new.node_named(&old.node(node).name);
    now.is_some_and(|now| home(old, node) != home(new, now))
}
