//! What can be reached at all when nothing ever gets in the way of anything else.
//!
//! Once something can be offered it is taken to be offered forever, and instances may be as many
//! as one likes. Whatever cannot be reached even so cannot be reached by any plan; and the reason
//! can be given: a requirement that nothing can ever offer, or things that wait for each other.

use super::class::{Classes, Counts};
use super::tables::{Tables, Way};
use super::target::Target;
use crate::lifecycle::protocol::Sort;

/// Which states instances of each node can be in, by node and state.
#[derive(Debug, Clone)]
pub(crate) struct Relaxed {
    /// By node and state.
    pub(crate) reached: Vec<Vec<bool>>,
    /// Elements in which instances are stuck: they offer, and go nowhere.
    stuck: Vec<Vec<bool>>,
    /// Whether instances of a node can be created.
    pub(crate) creatable: Vec<bool>,
    /// States that the goal forbids for every instance.
    forbidden: Vec<Vec<bool>>,
}

impl Relaxed {
    /// From a state on.
    pub(crate) fn new(
        tables: &Tables,
        target: &Target,
        classes: &Classes,
        start: &Counts,
        limits: &[u32],
    ) -> Self {
        let by_node = |len: fn(&super::tables::NodeTable) -> usize| {
            tables.nodes.iter().map(|node| vec![false; len(node)]).collect::<Vec<_>>()
        };
        let mut relaxed = Relaxed {
            reached: by_node(|node| node.states),
            stuck: by_node(|node| node.rows.len()),
            creatable: vec![false; tables.nodes.len()],
            forbidden: target.forbidden(tables),
        };
        classes.visit(start, &mut |class, _, _, _| {
            if class.mark.stuck {
                relaxed.stuck[class.node][class.element] = true;
            } else {
                relaxed.reached[class.node][class.element] = true;
            }
        });
        while relaxed.grow(tables, limits) {}
        relaxed
    }

    fn grow(&mut self, tables: &Tables, limits: &[u32]) -> bool {
        let mut has_grown = false;
        for (at, node) in tables.nodes.iter().enumerate() {
            let has_home = node.home.is_none_or(|home| self.exists(home));
            let first = node.initial;
            if !self.creatable[at]
                && !tables.atomic
                && !node.homeless
                && limits[at] > 0
                && has_home
                && self.can_be(tables, at, first)
            {
                self.creatable[at] = true;
                self.reached[at][first] = true;
                has_grown = true;
            }
            for way in &node.ways {
                if self.reached[at][way.from]
                    && !self.reached[at][way.to]
                    && self.is_usable(tables, at, way)
                {
                    self.reached[at][way.to] = true;
                    has_grown = true;
                }
            }
        }
        has_grown
    }

    /// Whether an instance of a node can exist.
    pub(crate) fn exists(&self, node: usize) -> bool {
        self.reached[node].contains(&true) || self.stuck[node].contains(&true)
    }

    /// Whether an element is allowed and everything that it needs can be offered.
    pub(crate) fn can_be(&self, tables: &Tables, node: usize, element: usize) -> bool {
        let is_forbidden = self.forbidden[node].get(element).copied().unwrap_or(false);
        !is_forbidden
            && tables.row(node, element).needs.iter().all(|r| self.can_have(tables, node, *r))
    }

    /// Whether an operation can be performed, if its first state can be reached.
    pub(crate) fn is_usable(&self, tables: &Tables, node: usize, way: &Way) -> bool {
        self.can_be(tables, node, way.element) && self.can_be(tables, node, way.to)
    }

    /// Whether a requirement can be satisfied.
    pub(crate) fn can_have(&self, tables: &Tables, node: usize, requirement: usize) -> bool {
        let Some((provider, capability)) = tables.nodes[node].requirements[requirement].target
        else {
            return false;
        };
        self.can_offer(tables, provider, capability)
    }

    /// Whether some instance of a node can offer a capability.
    pub(crate) fn can_offer(&self, tables: &Tables, node: usize, capability: usize) -> bool {
        let offers =
            |(element, there): (usize, &bool)| *there && tables.offers(node, element, capability);
        self.reached[node].iter().enumerate().any(offers)
            || self.stuck[node].iter().enumerate().any(offers)
    }
}

/// Why a state of a node cannot be reached: a chain of reasons, the last one is the culprit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// No operations lead to the state, whatever is offered.
    NoPath {
        /// The node.
        node: usize,
        /// The state.
        state: usize,
    },
    /// An operation or a state on every way needs a requirement that cannot be satisfied.
    Needs {
        /// The node.
        node: usize,
        /// The element that needs it.
        element: usize,
        /// The requirement.
        requirement: usize,
    },
    /// A requirement that is bound to nothing.
    Unbound {
        /// The node.
        node: usize,
        /// The requirement.
        requirement: usize,
    },
    /// No state of the node offers the capability.
    NotOffered {
        /// The node.
        node: usize,
        /// The capability.
        capability: usize,
    },
    /// No instance of the node can be created.
    NoInstance {
        /// The node.
        node: usize,
    },
    /// The reasons from here lead back to an earlier one.
    Cycle {
        /// How many reasons the cycle has.
        length: usize,
    },
}

/// The chain of reasons why an unreachable state cannot be reached.
pub(crate) fn reasons(
    tables: &Tables,
    relaxed: &Relaxed,
    node: usize,
    state: usize,
) -> Vec<Reason> {
    let mut chain = Vec::new();
    let mut wanted = (node, vec![state]);
    loop {
        let (node, states) = &wanted;
        if !relaxed.exists(*node) && !relaxed.creatable[*node] && !can_begin(tables, relaxed, *node)
        {
            let home = tables.nodes[*node].home;
            match home.filter(|home| !relaxed.exists(*home)) {
                Some(home) => {
                    chain.push(Reason::NoInstance { node: *node });
                    let first = tables.nodes[home].initial;
                    if chain.len() > tables.nodes.len() {
                        return chain;
                    }
                    wanted = (home, vec![first]);
                    continue;
                }
                None => {
                    chain.push(Reason::NoInstance { node: *node });
                    return chain;
                }
            }
        }
        let Some((element, requirement)) = obstacle(tables, relaxed, *node, states) else {
            chain.push(Reason::NoPath { node: *node, state: states[0] });
            return chain;
        };
        let reason = Reason::Needs { node: *node, element, requirement };
        if let Some(at) = chain.iter().position(|known| *known == reason) {
            chain.push(Reason::Cycle { length: chain.len() - at });
            return chain;
        }
        chain.push(reason);
        let Some((provider, capability)) = tables.nodes[*node].requirements[requirement].target
        else {
            chain.push(Reason::Unbound { node: *node, requirement });
            return chain;
        };
        let offering: Vec<usize> = (0..tables.nodes[provider].states)
            .filter(|state| tables.offers(provider, *state, capability))
            .collect();
        if offering.is_empty() {
            chain.push(Reason::NotOffered { node: provider, capability });
            return chain;
        }
        wanted = (provider, offering);
    }
}

/// Whether nothing but needs keeps instances of a node from being created.
fn can_begin(tables: &Tables, relaxed: &Relaxed, node: usize) -> bool {
    let table = &tables.nodes[node];
    !tables.atomic && !table.homeless && table.home.is_none_or(|home| relaxed.exists(home))
}

/// The first need that stands in the way: on a shortest way to one of the states that ignores
/// needs, the first element that needs what cannot be had.
fn obstacle(
    tables: &Tables,
    relaxed: &Relaxed,
    node: usize,
    states: &[usize],
) -> Option<(usize, usize)> {
    let table = &tables.nodes[node];
    let missing = |element: usize| {
        let needs = tables.row(node, element).needs.iter();
        let mut missing = needs.filter(|r| !relaxed.can_have(tables, node, **r)).peekable();
        // What is bound to nothing, or to a container, is the plainest thing to say.
        missing.peek().map(|first| (element, **first))
    };
    // Breadth first from what is reached, over operations whose needs are ignored.
    let mut from: Vec<Option<Option<&Way>>> = vec![None; table.states];
    let mut queue = std::collections::VecDeque::new();
    for (state, from) in from.iter_mut().enumerate() {
        let begins = state == table.initial && can_begin(tables, relaxed, node);
        if relaxed.reached[node][state] || begins {
            *from = Some(None);
            queue.push_back(state);
        }
    }
    while let Some(state) = queue.pop_front() {
        if states.contains(&state) {
            let mut path = vec![state];
            let mut at = state;
            while let Some(Some(Some(way))) = from.get(at) {
                path.push(way.element);
                path.push(way.from);
                at = way.from;
            }
            path.reverse();
            return path.into_iter().find_map(missing);
        }
        for way in table.ways.iter().filter(|way| way.from == state) {
            if from[way.to].is_none() {
                from[way.to] = Some(Some(way));
                queue.push_back(way.to);
            }
        }
    }
    None
}

/// Whether a requirement is one to live inside something.
pub(crate) fn is_containment(tables: &Tables, node: usize, requirement: usize) -> bool {
    tables.nodes[node].requirements[requirement].sort == Sort::Containment
}
