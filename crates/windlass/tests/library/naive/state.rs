//! `⟨G, H, V⟩` over names.
//!
//! Paper: 004 Def. 3.4 and 3.5.

use std::collections::{BTreeMap, BTreeSet};

use windlass::application::{Application, GlobalState, Instance, InstanceId, NodeId};
use windlass::lifecycle::protocol::{Element, RequirementId, TransitionId};

/// `e ∈ S ∪ τ`: a state by name, a transition by its place in the protocol, because several may
/// have the same ends.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    /// Resting in this state.
    In(String),
    /// Performing this transition.
    Doing(usize),
}

/// `⟨·, e⟩_N`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Active {
    /// `N`.
    pub(crate) node: String,
    /// `e`.
    pub(crate) place: Place,
}

/// `⟨G, H, V⟩`.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct State {
    /// `G`, by id.
    pub(crate) active: BTreeMap<String, Active>,
    /// `H`: instance, requirement, instance that satisfies it.
    pub(crate) horizontal: BTreeSet<(String, String, String)>,
    /// `V`: instance, then requirement and container.
    pub(crate) vertical: BTreeMap<String, (String, String)>,
}

impl State {
    /// The instances that `⟨id, requirement, ·⟩ ∈ H` names.
    pub(crate) fn bound(&self, id: &str, requirement: &str) -> BTreeSet<String> {
        self.horizontal
            .iter()
            .filter(|(from, by, _)| from == id && by == requirement)
            .map(|(_, _, to)| to.clone())
            .collect()
    }

    /// `H \ {⟨id, requirement, ·⟩}`.
    pub(crate) fn unbind(&mut self, id: &str, requirement: &str) {
        self.horizontal.retain(|(from, by, _)| !(from == id && by == requirement));
    }

    /// The ids of the instances of a node.
    pub(crate) fn instances_of(&self, node: &str) -> BTreeSet<String> {
        self.active.iter().filter(|(_, a)| a.node == node).map(|(id, _)| id.clone()).collect()
    }

    /// Reads a state of the library; names replace indices.
    pub(crate) fn from_global(application: &Application, global: &GlobalState) -> Self {
        let mut state = State::default();
        for (id, instance) in &global.instances {
            let place = match instance.element {
                Element::State(at) => {
                    let protocol = application.protocol_of(instance.node);
                    Place::In(protocol.map_or_else(String::new, |p| p.state(at).name.clone()))
                }
                Element::Transition(at) => Place::Doing(at.index()),
            };
            let node = application.node(instance.node).name.clone();
            state.active.insert(id.0.clone(), Active { node, place });
        }
        let requirement = |id: &InstanceId, at: RequirementId| {
            let node = global.instances.get(id).map(|instance| instance.node);
            node.map(|node| application.type_of(node).requirements[at.index()].name.clone())
        };
        for (from, by, to) in &global.horizontal {
            if let Some(by) = requirement(from, *by) {
                state.horizontal.insert((from.0.clone(), by, to.0.clone()));
            }
        }
        for (from, (by, to)) in &global.vertical {
            if let Some(by) = requirement(from, *by) {
                state.vertical.insert(from.0.clone(), (by, to.0.clone()));
            }
        }
        state
    }

    /// The same state with the indices of the library.
    pub(crate) fn to_global(&self, application: &Application) -> GlobalState {
        let node_of =
            |id: &str| -> Option<NodeId> { application.node_named(&self.active.get(id)?.node) };
        let requirement = |id: &str, name: &str| -> Option<RequirementId> {
            application.type_of(node_of(id)?).requirement_named(name)
        };
        let mut global = GlobalState::empty();
        for (id, active) in &self.active {
            let Some(node) = node_of(id) else { continue };
            let element = match &active.place {
                Place::In(name) => application
                    .protocol_of(node)
                    .and_then(|protocol| protocol.state_named(name))
                    .map(Element::State),
                Place::Doing(at) => Some(Element::Transition(TransitionId::from(*at))),
            };
            if let Some(element) = element {
                global.instances.insert(InstanceId(id.clone()), Instance { node, element });
            }
        }
        for (from, by, to) in &self.horizontal {
            if let Some(by) = requirement(from, by) {
                global.horizontal.insert((InstanceId(from.clone()), by, InstanceId(to.clone())));
            }
        }
        for (from, (by, to)) in &self.vertical {
            if let Some(by) = requirement(from, by) {
                global.vertical.insert(InstanceId(from.clone()), (by, InstanceId(to.clone())));
            }
        }
        global
    }
}
