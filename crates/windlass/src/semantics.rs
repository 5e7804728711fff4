//! One file per transition relation, one function per inference rule.
//!
//! Reading order: [`net`] (paper 002), [`protocol`] (papers 003 and later BARREL), [`replica`]
//! (paper 004). [`system_of`] is the only place that picks the relation of an application;
//! `docs/semantics.md` says which one it picks when.

pub mod bring_up;
pub mod net;
pub mod protocol;
pub mod replica;
pub mod setup;

use std::collections::BTreeSet;

use crate::application::{Application, Faults, GlobalState, NodeId, Policy};
use crate::lifecycle::Protocol;
use crate::lifecycle::protocol::{CapabilityId, Element, OperationId, RequirementId, StateId};
use crate::system::System;
use protocol::ServiceTemplate;
use replica::Replica;

/// A system that can put its actions and its premises into words.
pub trait Semantics: System {
    /// An action as people write it.
    fn describe(&self, action: &Self::Action) -> String;

    /// The premise that failed, and what would have satisfied it.
    fn explain(&self, blocked: &Self::Blocked) -> String;
}

/// What a system needs to know beside the application. The default is the application alone, in
/// its initial state.
#[derive(Debug, Clone, Default)]
pub struct Setting {
    /// Where everything starts; taken as given and not settled.
    pub start: GlobalState,
    /// The policy to use in place of the application's.
    pub policy: Option<Policy>,
    /// Hard recovery, for `faults: handled`.
    pub hard_recovery: bool,
}

/// The system that questions about an application are asked of.
#[derive(Debug, Clone)]
pub enum AnySystem<'a> {
    /// Nets (002): the caller unfolds an [`Assembly`](crate::application::assembly::Assembly).
    Nets,
    /// `faults: forbidden` and `faults: handled` (003): one instance of each node.
    Template(ServiceTemplate<'a>),
    /// `faults: replicas` (004).
    Replicas(Replica<'a>),
}

/// The one place that picks the system of an application: nets when a type is a net, else what its
/// `faults` say.
pub fn system_of(application: &Application, setting: Setting) -> AnySystem<'_> {
    if application.is_net() {
        return AnySystem::Nets;
    }
    let picked = match application.faults {
        Faults::Forbidden | Faults::Handled => {
            ServiceTemplate::new(application).map(|mut template| {
                template.hard_recovery = setting.hard_recovery;
                template.start = template.states_of(&setting.start);
                AnySystem::Template(template)
            })
        }
        Faults::Replicas => Replica::new(application, setting.start).map(|mut replica| {
            replica.policy = setting.policy.unwrap_or(application.policy);
            AnySystem::Replicas(replica)
        }),
    };
    picked.unwrap_or(AnySystem::Nets)
}

/// The targets of the handlers of `element` that drop `requirement`, those with an
/// inclusion-largest set of requirements, each once, in the order of declaration.
///
/// One for race-free protocols; otherwise each is a possible outcome.
fn largest_targets(
    protocol: &Protocol,
    element: Element,
    requirement: RequirementId,
) -> Vec<StateId> {
    let requires = |state: StateId| &protocol.state(state).requires;
    let dropping: BTreeSet<StateId> = protocol
        .handlers(element)
        .iter()
        .map(|handler| handler.to)
        .filter(|target| !requires(*target).contains(&requirement))
        .collect();
    let is_largest = |target: &StateId| {
        let smaller = |other: &StateId| {
            requires(*other).is_superset(requires(*target)) && requires(*other) != requires(*target)
        };
        !dropping.iter().any(smaller)
    };
    let mut largest = Vec::new();
    for handler in protocol.handlers(element) {
        let target = handler.to;
        if dropping.contains(&target) && is_largest(&target) && !largest.contains(&target) {
            largest.push(target);
        }
    }
    largest
}

/// "`node` offers `capability` in state `a` or `b`".
fn offering(application: &Application, node: NodeId, capability: CapabilityId) -> String {
    let component = application.type_of(node);
    let name = &component.capabilities[capability.index()].name;
    let Some(protocol) = component.protocol() else { return String::new() };
    let states: Vec<&str> = protocol
        .states
        .iter()
        .filter(|state| state.offers.contains(&capability))
        .map(|state| state.name.as_str())
        .collect();
    let node = &application.node(node).name;
    if states.is_empty() {
        format!("no state of `{node}` offers `{name}`")
    } else {
        format!("`{node}` offers `{name}` in state {}", list(&states))
    }
}

/// The states in which an operation can start.
fn states_with(protocol: &Protocol, operation: OperationId) -> String {
    let mut states: Vec<&str> = Vec::new();
    for transition in protocol.transitions.iter().filter(|t| t.operation == operation) {
        let name = protocol.state(transition.from).name.as_str();
        if !states.contains(&name) {
            states.push(name);
        }
    }
    list(&states)
}

/// "`a`, `b` or `c`"; "no state" when there is none.
fn list(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        None => "no state".to_owned(),
        Some((only, [])) => only.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
    }
}
