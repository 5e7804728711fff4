//! What the description says, by name: `ρ`, `χ`, `τ`, `φ`, `b` and the sorts of requirements.
//!
//! Paper: 004 Def. 3.1 and 3.2. A node that the application does not have, or whose life cycle is
//! a net, is a mistake of the test and panics; `Workflow::of_plan` refuses plans that name one.

use std::collections::BTreeSet;

use windlass::application::{Application, ComponentType, Node, Policy};
use windlass::lifecycle::Protocol;
use windlass::lifecycle::protocol::{Arity, Element, Requirement, Sort, TransitionId};

use super::state::{Active, Place};

/// `⟨T, b, π⟩`.
pub(crate) struct World<'a> {
    /// `T` and `b`.
    pub(crate) application: &'a Application,
    /// `π`.
    pub(crate) policy: Policy,
}

impl World<'_> {
    /// The node with this name.
    pub(crate) fn node(&self, name: &str) -> &Node {
        let found = self.application.nodes.iter().find(|node| node.name == name);
        found.unwrap_or_else(|| panic!("no node {name}"))
    }

    /// Its type.
    pub(crate) fn type_of(&self, node: &str) -> &ComponentType {
        self.application.component_type(self.node(node).component_type)
    }

    /// Its protocol.
    pub(crate) fn protocol(&self, node: &str) -> &Protocol {
        let found = self.type_of(node).protocol();
        found.unwrap_or_else(|| panic!("{node} has no protocol"))
    }

    fn element(&self, active: &Active) -> Element {
        match &active.place {
            Place::In(name) => {
                let found = self.protocol(&active.node).state_named(name);
                Element::State(found.unwrap_or_else(|| panic!("no state {name}")))
            }
            Place::Doing(at) => Element::Transition(TransitionId::from(*at)),
        }
    }

    /// `ρ(e)`.
    pub(crate) fn requires(&self, active: &Active) -> BTreeSet<String> {
        let all = &self.type_of(&active.node).requirements;
        let assumed = self.protocol(&active.node).requires(self.element(active));
        assumed.iter().map(|at| all[at.index()].name.clone()).collect()
    }

    /// `χ(e)`.
    pub(crate) fn offers(&self, active: &Active) -> BTreeSet<String> {
        let all = &self.type_of(&active.node).capabilities;
        let offered = self.protocol(&active.node).offers(self.element(active));
        offered.iter().map(|at| all[at.index()].name.clone()).collect()
    }

    /// `{ s' | ⟨e, s'⟩ ∈ φ }`.
    pub(crate) fn handlers(&self, active: &Active) -> BTreeSet<String> {
        let protocol = self.protocol(&active.node);
        let handlers = protocol.handlers(self.element(active));
        handlers.iter().map(|handler| protocol.state(handler.to).name.clone()).collect()
    }

    /// `s̄`.
    pub(crate) fn initial(&self, node: &str) -> String {
        let protocol = self.protocol(node);
        protocol.state(protocol.initial).name.clone()
    }

    /// The transitions of `τ` that perform `operation` in `state`.
    pub(crate) fn transitions(&self, node: &str, state: &str, operation: &str) -> Vec<usize> {
        let protocol = self.protocol(node);
        let operations = &self.type_of(node).operations;
        (0..protocol.transitions.len())
            .filter(|at| {
                let transition = &protocol.transitions[*at];
                protocol.state(transition.from).name == state
                    && operations[transition.operation.index()].name == operation
            })
            .collect()
    }

    /// The operation that a transition performs.
    pub(crate) fn operation(&self, node: &str, transition: usize) -> String {
        let at = self.protocol(node).transitions[transition].operation;
        self.type_of(node).operations[at.index()].name.clone()
    }

    /// The state that a transition leads to.
    pub(crate) fn target(&self, node: &str, transition: usize) -> String {
        let protocol = self.protocol(node);
        protocol.state(protocol.transitions[transition].to).name.clone()
    }

    /// A requirement of a node.
    pub(crate) fn requirement(&self, node: &str, name: &str) -> &Requirement {
        let found = self.type_of(node).requirements.iter().find(|r| r.name == name);
        found.unwrap_or_else(|| panic!("no requirement {name} of {node}"))
    }

    /// Containment, replica-aware or replica-unaware.
    pub(crate) fn sort(&self, node: &str, requirement: &str) -> Sort {
        self.requirement(node, requirement).sort
    }

    /// How many providers a requirement needs.
    pub(crate) fn arity(&self, node: &str, requirement: &str) -> Arity {
        self.requirement(node, requirement).arity
    }

    /// `R^C`.
    pub(crate) fn containment(&self, node: &str) -> Option<String> {
        let all = &self.type_of(node).requirements;
        all.iter().find(|r| r.sort == Sort::Containment).map(|r| r.name.clone())
    }

    /// `b(r)`: the node and its capability; none when nothing is connected.
    pub(crate) fn provider(&self, node: &str, requirement: &str) -> Option<(String, String)> {
        let requirement = self.type_of(node).requirement_named(requirement)?;
        let binding = self.node(node).bindings.iter().find(|b| b.requirement == requirement)?;
        let target = self.application.node(binding.target);
        let capabilities = &self.application.type_of(binding.target).capabilities;
        Some((target.name.clone(), capabilities[binding.capability.index()].name.clone()))
    }

    /// How many instances of a node are wanted, for arity `all`; never 0.
    pub(crate) fn wanted(&self, node: &str) -> usize {
        self.node(node).count.max(1) as usize
    }
}
