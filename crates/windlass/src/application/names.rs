//! Nodes by name: made when the first one is asked for, and never trusted blindly.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::{Node, NodeId};

/// The nodes of an application by name. It says nothing that the nodes do not say, so two are
/// always equal, and a copy, whose nodes may become others, starts empty.
#[derive(Debug, Default)]
pub struct NodeNames(OnceLock<BTreeMap<String, NodeId>>);

impl Clone for NodeNames {
    fn clone(&self) -> Self {
        NodeNames::default()
    }
}

impl PartialEq for NodeNames {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for NodeNames {}

impl NodeNames {
    /// The first of `nodes` with this name.
    pub(super) fn find(&self, nodes: &[Node], name: &str) -> Option<NodeId> {
        let known = self.0.get_or_init(|| {
            // Of two with one name the first stays.
            let all = nodes.iter().enumerate().rev();
            all.map(|(at, node)| (node.name.clone(), NodeId::from(at))).collect()
        });
        let found = known.get(name).copied();
        let is_right = |id: &NodeId| nodes.get(id.index()).is_some_and(|node| node.name == name);
        if let Some(found) = found.filter(is_right) {
            return Some(found);
        }
        if found.is_none() && known.len() == nodes.len() {
            return None;
        }
        // The nodes have changed since they were asked for the first time.
        nodes.iter().position(|node| node.name == name).map(NodeId::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::application::TypeId;
    use crate::source::Origin;

    fn node(name: &str) -> Node {
        Node {
            name: name.to_owned(),
            component_type: TypeId::from(0),
            count: 1,
            instances: Vec::new(),
            bindings: Vec::new(),
            connections: Vec::new(),
            origin: Origin(None),
        }
    }

    #[test]
    fn the_first_of_a_name_is_found_and_what_came_later_too() {
        let mut nodes = vec![node("a"), node("b"), node("b")];
        let names = NodeNames::default();
        assert_eq!(names.find(&nodes, "b"), Some(NodeId::from(1)));
        assert_eq!(names.find(&nodes, "c"), None);
        nodes.push(node("c"));
        assert_eq!(names.find(&nodes, "c"), Some(NodeId::from(3)));
        nodes.remove(0);
        assert_eq!(names.find(&nodes, "a"), None);
        assert_eq!(names.find(&nodes, "c"), Some(NodeId::from(2)));
    }
}
