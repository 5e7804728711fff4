//! Management protocols written as policies, as TosKer has them, and the lives of its node types.
//!
//! A policy of type `tosker.policies.Protocol` gives its targets states, what each requires and
//! offers, and transitions. TosKer follows paper 003: one instance of each node, and no state in
//! which something that is required is missing.

use std::collections::{BTreeMap, BTreeSet};

use super::lower::{is_a, name_of};
use super::model::{Model, NodeTemplate, Policy, Service};
use super::value::Value;
use super::weaving::Phase;
use crate::application::{ComponentType, Operation};
use crate::lifecycle::protocol::{
    CapabilityId, OperationId, RequirementId, State, StateId, Transition,
};
use crate::lifecycle::{Cost, Expected, Lifecycle, Protocol};
use crate::source::Origin;

const POLICY: &str = "tosker.policies.Protocol";
const CONTAINER: &str = "tosker.nodes.Container";
const VOLUME: &str = "tosker.nodes.Volume";
const SOFTWARE: &str = "tosker.nodes.Software";

/// Whether a node is one of TosKer.
pub(super) fn is_tosker(model: &Model, template: &NodeTemplate) -> bool {
    [CONTAINER, VOLUME, SOFTWARE].iter().any(|name| is_a(&model.types, template, name))
}

/// Whether a service is managed as TosKer does it.
pub(super) fn is_used(model: &Model, service: &Service) -> bool {
    let is_node = |template: &NodeTemplate| is_tosker(model, template);
    service.nodes.iter().any(|(_, template)| is_node(template))
        || service.policies.iter().any(|(_, policy)| is_protocol(model, policy))
}

fn is_protocol(model: &Model, policy: &Policy) -> bool {
    let derives = |id| model.types.derives_from_name(id, POLICY);
    policy.of.id.map_or(policy.of.name.text == POLICY, derives)
}

/// The protocol that a policy gives a node.
pub(super) fn policy_of<'m>(model: &Model, service: &'m Service, node: &str) -> Option<&'m Policy> {
    let mut policies = service.policies.iter().map(|(_, policy)| policy);
    policies.find(|policy| {
        is_protocol(model, policy) && policy.targets.iter().any(|target| target.text == node)
    })
}

/// The parts of the way up that a node has: a container is never configured, a volume only made.
pub(super) fn phases(model: &Model, template: &NodeTemplate) -> &'static [Phase] {
    if is_a(&model.types, template, CONTAINER) {
        &[Phase::Create, Phase::Start]
    } else if is_a(&model.types, template, VOLUME) {
        &[Phase::Create]
    } else {
        &[Phase::Create, Phase::Configure, Phase::Start]
    }
}

/// The state in which a node is up: the end of its way up, or the one that offers most.
pub(super) fn last_state(component: &ComponentType) -> Option<StateId> {
    let protocol = component.protocol()?;
    if let Some(up) = &protocol.up {
        let step = |at: Option<StateId>, operation: &OperationId| {
            let transition = protocol.transitions_for(at?, *operation).next()?;
            Some(protocol.transition(transition).to)
        };
        return up.iter().fold(Some(protocol.initial), step);
    }
    let states = protocol.states.iter().enumerate().map(|(at, state)| (StateId::from(at), state));
    let others = states.filter(|(id, _)| *id != protocol.initial);
    let weight = |(id, state): &(StateId, &State)| {
        (state.name == "started", state.offers.len(), state.requires.len(), id.index())
    };
    others.max_by_key(weight).map(|(id, _)| id)
}

/// Puts the protocol of a policy in the place of the life that a type has. What a policy names that
/// does not exist has no part in it.
pub(super) fn apply(policy: &Policy, component: &mut ComponentType) {
    let origin: Origin = policy.span.into();
    let Some(written) = policy.properties.get("states") else { return };
    let mut states: Vec<State> = Vec::new();
    for entry in written.entries() {
        let Some(name) = entry.key.text() else { continue };
        states.push(State {
            name: name_of(name),
            requires: requirements(&entry.value, component),
            offers: capabilities(&entry.value, component),
            handlers: Vec::new(),
            on_crash: None,
            origin: entry.key.span.into(),
        });
    }
    let initial = policy.properties.get("initial_state").and_then(Value::text).map(name_of);
    let named = |name: Option<&str>| {
        let name = name_of(name?);
        states.iter().position(|state| state.name == name).map(StateId::from)
    };
    let Some(initial) = named(initial.as_deref()) else { return };
    let mut operations = Operations::of(component);
    let mut transitions = Vec::new();
    for written in policy.properties.get("transitions").map_or(&[][..], Value::items) {
        let word = |key: &str| written.get(key).and_then(Value::text);
        let ends = (named(word("source")), named(word("target")));
        let (Some(from), Some(to)) = ends else { continue };
        let (Some(interface), Some(operation)) = (word("interface"), word("operation")) else {
            continue;
        };
        let name = format!("{}.{}", name_of(interface), name_of(operation));
        let both = |state: StateId| &states[state.index()].offers;
        transitions.push(Transition {
            from,
            operation: operations.named(&name, origin),
            to,
            requires: requirements(written, component),
            offers: both(from).intersection(both(to)).copied().collect(),
            handlers: Vec::new(),
            origin: written.span.into(),
        });
    }
    component.operations = operations.used;
    component.lifecycle = Lifecycle::Protocol(Protocol { initial, states, transitions, up: None });
}

/// Operations that the transitions use, with the commands that are known.
struct Operations {
    known: BTreeMap<String, Operation>,
    used: Vec<Operation>,
}

impl Operations {
    fn of(component: &ComponentType) -> Self {
        let known = component.operations.iter().map(|known| (known.name.clone(), known.clone()));
        Operations { known: known.collect(), used: Vec::new() }
    }

    fn named(&mut self, name: &str, origin: Origin) -> OperationId {
        if let Some(at) = self.used.iter().position(|operation| operation.name == name) {
            return at.into();
        }
        let operation = self.known.remove(name).unwrap_or_else(|| Operation {
            name: name.to_owned(),
            run: None,
            duration: Expected::default(),
            cost: Cost::default(),
            timeout: Expected::default(),
            retry: None,
            effect: None,
            host: None,
            origin,
        });
        self.used.push(operation);
        (self.used.len() - 1).into()
    }
}

fn requirements(written: &Value, component: &ComponentType) -> BTreeSet<RequirementId> {
    let names = written.get("requires").map_or(&[][..], Value::items).iter();
    let of = |name: &str| {
        // A requirement that is assigned several times stands under numbered names.
        let numbered = format!("{name}_");
        let all = component.requirements.iter().enumerate();
        all.filter(move |(_, known)| known.name == name || known.name.starts_with(&numbered))
            .map(|(at, _)| RequirementId::from(at))
            .collect::<Vec<_>>()
    };
    names.filter_map(Value::text).flat_map(|name| of(&name_of(name))).collect()
}

fn capabilities(written: &Value, component: &ComponentType) -> BTreeSet<CapabilityId> {
    let names = written.get("offers").map_or(&[][..], Value::items).iter();
    let known = |name: &str| component.capability_named(&name_of(name));
    names.filter_map(Value::text).filter_map(known).collect()
}
