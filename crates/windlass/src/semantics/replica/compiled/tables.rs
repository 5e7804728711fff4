//! The application as numbers: one number per element of each node, one per capability that some
//! binding points at.

use crate::application::NodeId;
use crate::lifecycle::protocol::{Arity, Element, RequirementId, Sort};
use crate::semantics::largest_targets;
use crate::semantics::replica::Replica;

/// The element of an instance that does not exist.
pub(super) const ABSENT: usize = usize::MAX;

/// A requirement of a node.
#[derive(Debug, Clone)]
pub(super) struct Need {
    pub(crate) sort: Sort,
    pub(crate) arity: Arity,
    /// The node that is to offer, and the number of its capability; none when bound to nothing.
    pub(crate) target: Option<(NodeId, usize)>,
}

impl Need {
    /// How many providers it is bound to, where that is a fixed number.
    pub(super) fn size(&self) -> usize {
        match self.arity {
            Arity::Any | Arity::All => 1,
            Arity::AtLeast(least) => least.max(1) as usize,
        }
    }
}

/// Everything that does not depend on instances.
#[derive(Debug, Clone)]
pub(super) struct Tables {
    /// By node: the number of its first state; its transitions follow its states.
    first: Vec<usize>,
    /// By node: the number of its first transition.
    first_transition: Vec<usize>,
    /// By element: its node.
    pub(crate) node: Vec<NodeId>,
    /// By element: itself.
    pub(crate) element: Vec<Element>,
    /// By element: the requirements it relies on, sorted.
    pub(crate) requires: Vec<Vec<usize>>,
    /// By element: whether it offers the service with this number.
    offers: Vec<Vec<bool>>,
    /// By element: a number, not 0, that elements share which offer the same for the same node.
    profiles: Vec<u32>,
    /// By element: its operation, if it is a transition.
    pub(crate) transition_operation: Vec<Option<usize>>,
    /// By element: where a transition leads.
    pub(crate) target: Vec<usize>,
    /// By element, if it is a state: each operation with its transitions.
    pub(crate) starts: Vec<Vec<(usize, Vec<usize>)>>,
    /// By element and place in `requires`: where a fault of that requirement may lead.
    pub(crate) handlers: Vec<Vec<Vec<usize>>>,
    /// By node: its requirements.
    pub(crate) needs: Vec<Vec<Need>>,
    /// By node: its initial state.
    pub(crate) initial: Vec<usize>,
    /// By node: its containment requirement.
    pub(crate) containment: Vec<Option<RequirementId>>,
}

impl Tables {
    pub(super) fn new(replica: &Replica) -> Self {
        let mut tables = Tables {
            first: Vec::new(),
            first_transition: Vec::new(),
            node: Vec::new(),
            element: Vec::new(),
            requires: Vec::new(),
            offers: Vec::new(),
            profiles: Vec::new(),
            transition_operation: Vec::new(),
            target: Vec::new(),
            starts: Vec::new(),
            handlers: Vec::new(),
            needs: Vec::new(),
            initial: Vec::new(),
            containment: Vec::new(),
        };
        let services = tables.add_needs(replica);
        for node in replica.application().node_ids() {
            tables.first.push(tables.node.len());
            let states = replica.protocol(node).states.len();
            tables.first_transition.push(tables.node.len() + states);
            tables.add_elements(replica, node);
            tables
                .initial
                .push(tables.number(node, Element::State(replica.protocol(node).initial)));
        }
        for at in 0..tables.node.len() {
            let protocol = replica.protocol(tables.node[at]);
            let offered = protocol.offers(tables.element[at]);
            let offers = services.iter().map(|(node, capability)| {
                *node == tables.node[at] && offered.iter().any(|c| c.index() == *capability)
            });
            tables.offers.push(offers.collect());
            let first = tables.first[tables.node[at].index()];
            let same = (first..at).find(|other| tables.offers[*other] == tables.offers[at]);
            let known = same.map(|other| tables.profiles[other]);
            tables.profiles.push(known.unwrap_or(at as u32 + 1));
        }
        tables
    }

    /// What an element, or no element, looks like to those that rely on it.
    #[inline]
    pub(super) fn profile(&self, element: usize) -> u32 {
        if element == ABSENT { 0 } else { self.profiles[element] }
    }

    /// The number of an element of a node.
    pub(super) fn number(&self, node: NodeId, element: Element) -> usize {
        match element {
            Element::State(state) => self.first[node.index()] + state.index(),
            Element::Transition(transition) => {
                self.first_transition[node.index()] + transition.index()
            }
        }
    }

    /// The elements of a node, in their order.
    pub(super) fn elements_of(&self, node: NodeId) -> std::ops::Range<usize> {
        let first = self.first[node.index()];
        let end = self.first.get(node.index() + 1).copied().unwrap_or(self.node.len());
        first..end
    }

    /// Whether an element, or no element, offers a service.
    pub(super) fn is_offered(&self, element: usize, service: usize) -> bool {
        element != ABSENT && self.offers[element][service]
    }

    /// The needs of every node; returns the services that they are bound to.
    fn add_needs(&mut self, replica: &Replica) -> Vec<(NodeId, usize)> {
        let application = replica.application();
        let mut services: Vec<(NodeId, usize)> = Vec::new();
        for node in application.node_ids() {
            let ty = application.type_of(node);
            let mut needs = Vec::new();
            for (at, requirement) in ty.requirements.iter().enumerate() {
                let binding = application.node(node).binding(RequirementId::from(at));
                let target = binding.map(|binding| {
                    let service = (binding.target, binding.capability.index());
                    let known = services.iter().position(|known| *known == service);
                    let number = known.unwrap_or_else(|| {
                        services.push(service);
                        services.len() - 1
                    });
                    (binding.target, number)
                });
                needs.push(Need { sort: requirement.sort, arity: requirement.arity, target });
            }
            self.needs.push(needs);
            self.containment.push(ty.containment());
        }
        services
    }

    fn add_elements(&mut self, replica: &Replica, node: NodeId) {
        let protocol = replica.protocol(node);
        let first = self.node.len();
        let states = protocol.states.len();
        for element in protocol.elements() {
            let requires: Vec<usize> =
                protocol.requires(element).iter().map(|r| r.index()).collect();
            let handlers = requires.iter().map(|requirement| {
                let targets = largest_targets(protocol, element, RequirementId::from(*requirement));
                targets.into_iter().map(|state| first + state.index()).collect()
            });
            self.handlers.push(handlers.collect());
            self.requires.push(requires);
            self.node.push(node);
            self.element.push(element);
            match element {
                Element::State(state) => {
                    let mut starts: Vec<(usize, Vec<usize>)> = Vec::new();
                    for (at, transition) in protocol.transitions.iter().enumerate() {
                        if transition.from != state {
                            continue;
                        }
                        let operation = transition.operation.index();
                        let number = first + states + at;
                        match starts.iter_mut().find(|(known, _)| *known == operation) {
                            Some((_, transitions)) => transitions.push(number),
                            None => starts.push((operation, vec![number])),
                        }
                    }
                    starts.sort();
                    self.starts.push(starts);
                    self.transition_operation.push(None);
                    self.target.push(ABSENT);
                }
                Element::Transition(id) => {
                    let transition = protocol.transition(id);
                    self.starts.push(Vec::new());
                    self.transition_operation.push(Some(transition.operation.index()));
                    self.target.push(first + transition.to.index());
                }
            }
        }
    }
}
