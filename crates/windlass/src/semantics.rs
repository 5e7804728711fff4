//! One file per transition relation, one function per inference rule.
//!
//! Reading order: [`net`] (paper 002), [`protocol`] (papers 003 and later BARREL), [`replica`]
//! (paper 004).
//! [`with_system`] is the only place that picks the relation of an application; everything else
//! is written against [`System`].

pub mod bring_up;
pub mod net;
pub mod protocol;
pub mod replica;
pub mod setup;

use std::collections::{BTreeMap, BTreeSet};

use crate::application::{Application, Faults, GlobalState, NodeId, Policy};
use crate::lifecycle::Protocol;
use crate::lifecycle::protocol::{CapabilityId, Element, OperationId, RequirementId, StateId};
use crate::system::System;
use protocol::ServiceTemplate;
use replica::{Creation, Replica};

/// A system that can put its actions and its premises into words.
pub trait Semantics: System {
    /// An action as people write it.
    fn describe(&self, action: &Self::Action) -> String;

    /// The premise that failed, and what would have satisfied it.
    fn explain(&self, blocked: &Self::Blocked) -> String;
}

/// Something that is asked of whichever system an application has.
pub trait Visitor {
    /// The answer.
    type Output;

    /// Asks it.
    fn visit<S: Semantics>(self, system: &S) -> Self::Output;
}

/// What a system needs to know beside the application. The default is the application alone, in
/// its initial state.
#[derive(Debug, Clone, Default)]
pub struct Setting {
    /// Where everything starts.
    pub start: GlobalState,
    /// The policy to use in place of the application's.
    pub policy: Option<Policy>,
    /// How many instances of a node are wanted, where a goal says otherwise than the application.
    pub wanted: BTreeMap<NodeId, u32>,
    /// The instances that may be created.
    pub pool: Vec<Creation>,
    /// Hard recovery, for `faults: handled`.
    pub hard_recovery: bool,
}

/// Lets `visitor` ask the system of an application of protocols; none when it has nets.
pub fn with_system<V: Visitor>(
    application: &Application,
    setting: Setting,
    visitor: V,
) -> Option<V::Output> {
    match application.faults {
        Faults::Forbidden | Faults::Handled => {
            let mut template = ServiceTemplate::new(application)?;
            template.hard_recovery = setting.hard_recovery;
            template.start = template.states_of(&setting.start);
            Some(visitor.visit(&template))
        }
        Faults::Replicas => {
            let mut replica = Replica::new(application, setting.start)?;
            replica.policy = setting.policy.unwrap_or(application.policy);
            for (node, count) in setting.wanted {
                replica.want(node, count);
            }
            replica.pool = setting.pool;
            Some(visitor.visit(&replica))
        }
    }
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
