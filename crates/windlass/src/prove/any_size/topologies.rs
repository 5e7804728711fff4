//! Every small topology of a rule set, the smallest first.

use crate::lifecycle::setup::{NodeTypeId, RelationshipTypeId, RuleSet, Topology, TopologyNode};

/// Topologies of a size: nodes and relationships together.
pub struct Small<'a> {
    rules: &'a RuleSet,
    nodes: usize,
    links: usize,
}

/// Sizes up to `most`, the smallest first; of equal size, those with fewer nodes first.
pub fn smaller_first(rules: &RuleSet, most: usize) -> impl Iterator<Item = Small<'_>> {
    (1..=most).flat_map(move |size| {
        (1..=size).map(move |nodes| Small { rules, nodes, links: size - nodes })
    })
}

impl Small<'_> {
    /// Nodes and relationships together.
    pub(crate) fn size(&self) -> usize {
        self.nodes + self.links
    }

    /// Calls `visit` with each topology until it says that it has seen enough; says whether it did.
    ///
    /// Topologies that differ only in the order of their nodes may come more than once.
    pub fn each(&self, visit: &mut dyn FnMut(Topology) -> bool) -> bool {
        let kinds = self.rules.node_types.len();
        let mut types = vec![0; self.nodes];
        loop {
            if self.with_types(&types, visit) {
                return true;
            }
            // Types in falling order of place suffice: nodes have no other names.
            let Some(at) = (0..types.len()).rev().find(|at| types[*at] + 1 < kinds) else {
                return false;
            };
            let next = types[at] + 1;
            types[at..].fill(next);
        }
    }

    fn with_types(&self, types: &[usize], visit: &mut dyn FnMut(Topology) -> bool) -> bool {
        let mut possible = Vec::new();
        for source in 0..self.nodes {
            for target in (0..self.nodes).filter(|target| *target != source) {
                for relationship in self.rules.relationship_type_ids() {
                    possible.push((relationship, source, target));
                }
            }
        }
        if possible.is_empty() && self.links > 0 {
            return false;
        }
        // Chosen relationships by place, never falling, so that each set comes once.
        let mut chosen = vec![0; self.links];
        loop {
            let links: Vec<_> = chosen.iter().map(|at| possible[*at]).collect();
            if let Some(topology) = self.topology(types, &links)
                && visit(topology)
            {
                return true;
            }
            let last = possible.len().saturating_sub(1);
            let Some(at) = (0..chosen.len()).rev().find(|at| chosen[*at] < last) else {
                return false;
            };
            let next = chosen[at] + 1;
            chosen[at..].fill(next);
        }
    }

    /// The topology, unless it has a cycle that the rules exclude or falls apart.
    fn topology(
        &self,
        types: &[usize],
        links: &[(RelationshipTypeId, usize, usize)],
    ) -> Option<Topology> {
        // What falls apart is stuck only if a part is, and the parts are smaller.
        if !is_connected(self.nodes, links) {
            return None;
        }
        let node = |(at, kind): (usize, &usize)| {
            let node_type = NodeTypeId::from(*kind);
            TopologyNode { name: format!("n{}", at + 1), node_type }
        };
        let nodes = types.iter().enumerate().map(node).collect();
        let topology = Topology::new("smallest", self.rules.clone(), nodes).with_links(links);
        topology.cycle().is_none().then_some(topology)
    }
}

fn is_connected(nodes: usize, links: &[(RelationshipTypeId, usize, usize)]) -> bool {
    let mut reached = vec![false; nodes];
    reached[0] = true;
    loop {
        let before = reached.iter().filter(|node| **node).count();
        for &(_, source, target) in links {
            let either = reached[source] || reached[target];
            reached[source] |= either;
            reached[target] |= either;
        }
        let after = reached.iter().filter(|node| **node).count();
        if after == before {
            return after == nodes;
        }
    }
}
