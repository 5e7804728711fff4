//! TOSCA 1.0 as Winery writes it: node types without management protocols, and relationships
//! between nodes and not between their requirements and capabilities.

use std::collections::BTreeSet;

use super::PROTOCOL;
use crate::application::{Application, ComponentType, Node, NodeId, TypeId};
use crate::lang::tosca::xml::Library;
use crate::lang::tosca::xml::definitions::Definitions;
use crate::lifecycle::protocol::{
    Arity, Capability, CapabilityId, OperationId, Requirement, RequirementId, Sort, State, StateId,
    Transition,
};
use crate::lifecycle::{Lifecycle, Protocol};
use crate::source::Origin;

/// What a node offers to those that name it as a whole.
const FEATURE: &str = "feature";
/// The state in which a node of a plain life is up.
const STARTED: &str = "started";

/// Whether some node type of a library has a management protocol.
pub(super) fn has_protocols(library: &Library) -> bool {
    let mut types = library.definitions().flat_map(Definitions::node_types);
    types.any(|of| of.element.child(PROTOCOL, "ManagementProtocol").is_some())
}

/// The life of a type of which nothing is known: it starts when all that it needs is there, and
/// offers all that it has until it stops.
pub(super) fn life(component: &mut ComponentType) {
    let origin = component.origin;
    let requires: BTreeSet<RequirementId> =
        (0..component.requirements.len()).map(RequirementId::from).collect();
    let offers: BTreeSet<CapabilityId> =
        (0..component.capabilities.len()).map(CapabilityId::from).collect();
    let [start, stop] = ["start", "stop"].map(|name| operation(component, name));
    let state = |name: &str, requires: &BTreeSet<RequirementId>, offers: BTreeSet<CapabilityId>| {
        let (name, requires) = (name.to_owned(), requires.clone());
        State { name, requires, offers, handlers: Vec::new(), on_crash: None, origin }
    };
    let states = vec![
        state("stopped", &BTreeSet::new(), BTreeSet::new()),
        state(STARTED, &requires, offers),
    ];
    let way = |from: usize, operation: OperationId, to: usize| Transition {
        from: from.into(),
        operation,
        to: to.into(),
        requires: requires.clone(),
        offers: BTreeSet::new(),
        handlers: Vec::new(),
        origin,
    };
    let transitions = vec![way(0, start, 1), way(1, stop, 0)];
    let protocol = Protocol { initial: StateId(0), states, transitions, up: None };
    component.lifecycle = Lifecycle::Protocol(protocol);
}

/// The operation of this name, which is added when the type has none.
fn operation(component: &mut ComponentType, name: &str) -> OperationId {
    let known = component.operations.iter().position(|known| known.name == name);
    let at = known.unwrap_or_else(|| {
        component.operations.push(super::protocol::operation(name, component.origin));
        component.operations.len() - 1
    });
    at.into()
}

/// A requirement for a relationship that names its source as a whole. Only nodes of a plain life
/// need it to be up; when others need it, nothing says.
pub(super) fn requirement(
    application: &mut Application,
    node: NodeId,
    wish: &str,
    origin: Origin,
) -> (TypeId, RequirementId) {
    let shared = application.node(node).component_type;
    let is_shared =
        application.nodes.iter().filter(|other| other.component_type == shared).count() > 1;
    if is_shared {
        // Others of the type do not have this relationship.
        let mut own = application.component_type(shared).clone();
        own.name = unique(&format!("{}-{}", own.name, application.node(node).name), |name| {
            application.types.iter().any(|known| known.name == name)
        });
        application.nodes[node.index()].component_type = application.types.len().into();
        application.types.push(own);
    }
    let id = application.node(node).component_type;
    let component = &mut application.types[id.index()];
    let name = unique(wish, |name| component.requirement_named(name).is_some());
    let (sort, arity) = (Sort::ReplicaUnaware, Arity::Any);
    component.requirements.push(Requirement { name, sort, arity, origin });
    let requirement = RequirementId::from(component.requirements.len() - 1);
    if let Lifecycle::Protocol(protocol) = &mut component.lifecycle
        && is_plain(protocol)
    {
        for state in protocol.states.iter_mut().filter(|state| state.name == STARTED) {
            state.requires.insert(requirement);
        }
        for transition in &mut protocol.transitions {
            transition.requires.insert(requirement);
        }
    }
    (id, requirement)
}

/// The capability for relationships that name their target as a whole.
pub(super) fn capability(
    application: &mut Application,
    node: NodeId,
    origin: Origin,
) -> CapabilityId {
    let id = application.node(node).component_type;
    let component = &mut application.types[id.index()];
    if let Some(known) = component.capability_named(FEATURE) {
        return known;
    }
    component.capabilities.push(Capability { name: FEATURE.to_owned(), origin });
    let capability = CapabilityId::from(component.capabilities.len() - 1);
    if let Lifecycle::Protocol(protocol) = &mut component.lifecycle
        && is_plain(protocol)
    {
        for state in protocol.states.iter_mut().filter(|state| state.name == STARTED) {
            state.offers.insert(capability);
        }
    }
    capability
}

/// Takes away requirements that no node of a type binds: no relationship fulfils them, and no
/// protocol says that anything waits for them.
pub(super) fn drop_unbound(application: &mut Application) {
    for at in 0..application.types.len() {
        let users = |node: &&mut Node| node.component_type.index() == at;
        let is_bound = |id: RequirementId| {
            let mut own = application.nodes.iter().filter(|it| it.component_type.index() == at);
            own.any(|node| node.binding(id).is_some())
        };
        let count = application.types[at].requirements.len();
        let kept: Vec<bool> = (0..count).map(|id| is_bound(RequirementId::from(id))).collect();
        // Where each of those that stay is then.
        let moved = |id: RequirementId| {
            let before = kept[..id.index()].iter().filter(|kept| **kept).count();
            kept[id.index()].then(|| RequirementId::from(before))
        };
        let all = |ids: &BTreeSet<RequirementId>| ids.iter().filter_map(|id| moved(*id)).collect();
        let component = &mut application.types[at];
        let mut stays = kept.iter();
        component.requirements.retain(|_| stays.next().is_some_and(|stays| *stays));
        if let Lifecycle::Protocol(protocol) = &mut component.lifecycle {
            for state in &mut protocol.states {
                state.requires = all(&state.requires);
            }
            for transition in &mut protocol.transitions {
                transition.requires = all(&transition.requires);
            }
        }
        for binding in application.nodes.iter_mut().filter(users).flat_map(|it| &mut it.bindings) {
            binding.requirement = moved(binding.requirement).unwrap_or(binding.requirement);
        }
    }
}

/// Whether a life is the one that [`life`] gives.
pub(super) fn is_plain(protocol: &Protocol) -> bool {
    let names: Vec<&str> = protocol.states.iter().map(|state| &*state.name).collect();
    names == ["stopped", STARTED]
}

fn unique(wish: &str, is_known: impl Fn(&str) -> bool) -> String {
    let mut name = wish.to_owned();
    let mut number = 2;
    while is_known(&name) {
        name = format!("{wish}-{number}");
        number += 1;
    }
    name
}
