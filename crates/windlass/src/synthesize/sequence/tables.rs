//! The application as small tables: what each element of each node needs and offers, by number.
//!
//! An element of a node is a number: its states first, then its transitions.

use std::sync::Arc;

use crate::application::{Application, Faults};
use crate::lifecycle::protocol::{Arity, Element, Sort};

/// A requirement of a node.
#[derive(Debug, Clone)]
pub(crate) struct Requirement {
    /// What kind of dependency it is.
    pub sort: Sort,
    /// How many providers it needs.
    pub arity: Arity,
    /// The node and the capability that satisfy it; none when it is unbound.
    pub(crate) target: Option<(usize, usize)>,
}

/// What an element needs and offers.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    /// Requirements, sorted.
    pub(crate) needs: Vec<usize>,
    /// Capabilities, sorted.
    pub(crate) offers: Vec<usize>,
}

/// One way to perform an operation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Way {
    /// The state it starts in.
    pub(crate) from: usize,
    /// The state it ends in.
    pub(crate) to: usize,
    /// The operation.
    pub(crate) operation: usize,
    /// The element that it is itself.
    pub(crate) element: usize,
}

/// A node.
#[derive(Debug, Clone)]
pub(crate) struct NodeTable {
    /// The state in which instances begin.
    pub(crate) initial: usize,
    /// How many states there are: elements from here on are transitions.
    pub(crate) states: usize,
    /// By element.
    pub(crate) rows: Vec<Row>,
    /// The transitions.
    pub(crate) ways: Vec<Way>,
    /// Where faults lead: from an element to a state.
    pub(crate) falls: Vec<(usize, usize)>,
    /// The node in whose instances this node's instances live; by its containment requirement.
    pub(crate) home: Option<usize>,
    /// Whether instances live inside others but nothing says in which: none can be created.
    pub(crate) homeless: bool,
    /// The nodes whose instances live in this node's instances.
    pub(crate) inside: Vec<usize>,
    /// Its place when every node comes after those that it needs, as far as that is possible.
    pub(crate) place: usize,
    /// The requirements.
    pub(crate) requirements: Vec<Requirement>,
    /// How many instances are wanted; never 0.
    pub(crate) wanted: u32,
}

/// The whole application.
#[derive(Debug, Clone)]
pub struct Tables {
    /// By node.
    pub(crate) nodes: Vec<NodeTable>,
    /// Whether operations are atomic and there is one instance of each node (paper 003).
    pub(crate) atomic: bool,
    /// Where the elements of each node begin when those of all nodes stand in one row, and where
    /// those of the last one end.
    pub(crate) rows: Arc<[usize]>,
}

impl Tables {
    /// The tables of an application of protocols; none when it has nets.
    pub fn new(application: &Application) -> Option<Self> {
        let atomic = application.faults != Faults::Replicas;
        let nodes = application.node_ids().map(|id| {
            let (node, component) = (application.node(id), application.type_of(id));
            let protocol = component.protocol()?;
            let rows = protocol.elements().map(|element| Row {
                needs: protocol.requires(element).iter().map(|r| r.index()).collect(),
                offers: protocol.offers(element).iter().map(|c| c.index()).collect(),
            });
            let states = protocol.states.len();
            let ways = protocol.transitions.iter().enumerate().map(|(at, way)| Way {
                from: way.from.index(),
                to: way.to.index(),
                operation: way.operation.index(),
                element: states + at,
            });
            let falls = protocol.elements().enumerate().flat_map(|(at, element)| {
                let handlers = protocol.handlers(element).iter();
                handlers.map(move |handler| (at, handler.to.index()))
            });
            let requirements = component.requirements.iter().enumerate().map(|(at, declared)| {
                let binding = node.binding(at.into());
                Requirement {
                    // In 003 a container is a provider like any other.
                    sort: if atomic { Sort::ReplicaUnaware } else { declared.sort },
                    arity: if atomic { Arity::Any } else { declared.arity },
                    target: binding.map(|b| (b.target.index(), b.capability.index())),
                }
            });
            let containment = component.containment().filter(|_| !atomic);
            let home = containment.and_then(|r| node.binding(r)).map(|b| b.target.index());
            Some(NodeTable {
                initial: protocol.initial.index(),
                states,
                rows: rows.collect(),
                ways: ways.collect(),
                falls: falls.collect(),
                home,
                homeless: containment.is_some() && home.is_none(),
                inside: Vec::new(),
                place: 0,
                requirements: requirements.collect(),
                wanted: node.count.max(1),
            })
        });
        let mut nodes = nodes.collect::<Option<Vec<NodeTable>>>()?;
        for node in 0..nodes.len() {
            if let Some(home) = nodes[node].home {
                nodes[home].inside.push(node);
            }
        }
        for (place, node) in providers_first(&nodes).into_iter().enumerate() {
            nodes[node].place = place;
        }
        let mut rows = vec![0];
        rows.extend(nodes.iter().scan(0, |end, node| {
            *end += node.rows.len();
            Some(*end)
        }));
        Some(Tables { nodes, atomic, rows: rows.into() })
    }

    /// What an element of a node needs and offers.
    pub(crate) fn row(&self, node: usize, element: usize) -> &Row {
        &self.nodes[node].rows[element]
    }

    /// Whether an element of a node offers a capability.
    pub(crate) fn offers(&self, node: usize, element: usize, capability: usize) -> bool {
        self.row(node, element).offers.binary_search(&capability).is_ok()
    }

    /// Whether an element of a node needs a requirement.
    pub(crate) fn needs(&self, node: usize, element: usize, requirement: usize) -> bool {
        self.row(node, element).needs.binary_search(&requirement).is_ok()
    }

    /// The number of an element.
    pub(crate) fn element(&self, node: usize, element: Element) -> usize {
        match element {
            Element::State(state) => state.index(),
            Element::Transition(transition) => self.nodes[node].states + transition.index(),
        }
    }
}

/// The nodes, each after those that its requirements are bound to unless they wait for each other.
fn providers_first(nodes: &[NodeTable]) -> Vec<usize> {
    let mut order = Vec::with_capacity(nodes.len());
    let mut is_seen = vec![false; nodes.len()];
    for first in 0..nodes.len() {
        // The nodes on the way here, each with the next of its requirements.
        let mut way = vec![(first, 0)];
        if std::mem::replace(&mut is_seen[first], true) {
            continue;
        }
        while let Some((node, next)) = way.last_mut() {
            match nodes[*node].requirements.get(*next) {
                Some(requirement) => {
                    *next += 1;
                    if let Some((provider, _)) = requirement.target
                        && !std::mem::replace(&mut is_seen[provider], true)
                    {
                        way.push((provider, 0));
                    }
                }
                None => {
                    order.push(*node);
                    way.pop();
                }
            }
        }
    }
    order
}
