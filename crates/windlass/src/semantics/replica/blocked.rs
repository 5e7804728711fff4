//! The premises of paper 004 Def. 3.9 and 4.1, as reasons why an action cannot be executed.

use crate::application::{Application, InstanceId, NodeId};
use crate::lifecycle::protocol::{Element, RequirementId, StateId};
use crate::semantics::{offering, states_with};

/// The premise that failed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Blocked {
    /// scaleout: `R_N^C = ∅`.
    NeedsContainer {
        /// `N`.
        node: NodeId,
        /// Its containment requirement.
        requirement: RequirementId,
    },
    /// scaleout-c: `R_N^C = {r_c}`.
    NeedsNoContainer {
        /// `N`.
        node: NodeId,
    },
    /// scaleout, scaleout-c: `∄ ⟨i, ·⟩ ∈ G`.
    IdInUse {
        /// `i`.
        instance: InstanceId,
        /// The node whose instance has the id.
        node: NodeId,
    },
    /// scaleout-c: `b(r_c) ∈ C_{N_c}`.
    WrongContainer {
        /// `N`.
        node: NodeId,
        /// `r_c`.
        requirement: RequirementId,
        /// `i_c`.
        container: InstanceId,
        /// `N_c`.
        is: NodeId,
    },
    /// Every rule about an instance: `⟨i, ·⟩ ∈ G`.
    NotActive {
        /// `i`.
        instance: InstanceId,
    },
    /// op-start: `⟨i, s⟩_N ∈ G` with a state.
    Busy {
        /// `i`.
        instance: InstanceId,
        /// `N`.
        node: NodeId,
        /// The transition it performs.
        element: Element,
    },
    /// op-start: `⟨s, o, s'⟩ ∈ τ_N`.
    NotDefined {
        /// `i`.
        instance: InstanceId,
        /// `N`.
        node: NodeId,
        /// `s`.
        state: StateId,
        /// `o`.
        operation: String,
    },
    /// op-end: `⟨i, ⟨s, o, s'⟩⟩_N ∈ G`.
    NotRunning {
        /// `i`.
        instance: InstanceId,
        /// `N`.
        node: NodeId,
        /// Where it is.
        element: Element,
        /// `o`.
        operation: String,
    },
    /// op-end: `⟨i, ·⟩ ∉ pending(G, H, V)`.
    FaultPending {
        /// `i`.
        instance: InstanceId,
        /// `N`.
        node: NodeId,
        /// `r`.
        requirement: RequirementId,
    },
    /// resolve-fault, handle-fault: `⟨i, r⟩ ∈ pending(G, H, V)`.
    NotPending {
        /// `i`.
        instance: InstanceId,
        /// `N`.
        node: NodeId,
        /// `r`.
        requirement: RequirementId,
    },
    /// resolve-fault: `⟨i, r⟩ ∈ resolvable(G, H, V)`.
    NotResolvable {
        /// `i`.
        instance: InstanceId,
        /// `N`.
        node: NodeId,
        /// `r`.
        requirement: RequirementId,
    },
    /// handle-fault: `⟨i, r⟩ ∉ resolvable(G, H, V)`.
    Resolvable {
        /// `i`.
        instance: InstanceId,
        /// `N`.
        node: NodeId,
        /// `r`.
        requirement: RequirementId,
    },
    /// handle-fault: `⟨e, s'⟩ ∈ φ_N` with `r ∉ ρ(s')`.
    NoHandler {
        /// `i`.
        instance: InstanceId,
        /// `N`.
        node: NodeId,
        /// `e`.
        element: Element,
        /// `r`.
        requirement: RequirementId,
    },
    /// destroy: `⟨i, ·⟩ ∈ broken(G, V)`.
    NotBroken {
        /// `i`.
        instance: InstanceId,
    },
    /// no-broken-instances: `broken(G, V) = ∅`.
    Broken {
        /// The instance that is left.
        instance: InstanceId,
        /// The container that is gone.
        container: InstanceId,
    },
    /// Fault handlers lead in a cycle, so the faults of the action never settle.
    NeverSettles {
        /// An instance on the cycle.
        instance: InstanceId,
    },
}

impl Blocked {
    /// The premise in words, with what would satisfy it.
    pub fn explain(&self, application: &Application) -> String {
        let name = |node: &NodeId| application.node(*node).name.as_str();
        let requirement_name = |node: &NodeId, requirement: &RequirementId| {
            application.type_of(*node).requirements[requirement.index()].name.as_str()
        };
        match self {
            Blocked::NeedsContainer { node, requirement } => format!(
                "an instance of `{}` lives inside {}; say in which",
                name(node),
                container_of(application, *node, *requirement),
            ),
            Blocked::NeedsNoContainer { node } => {
                format!("an instance of `{}` lives inside no other", name(node))
            }
            Blocked::IdInUse { instance, node } => format!(
                "the id `{instance}` is in use by an instance of `{}`; it is free again when that \
                 is gone",
                name(node),
            ),
            Blocked::WrongContainer { node, requirement, container, is } => format!(
                "an instance of `{}` lives inside {}, but `{container}` is an instance of `{}`",
                name(node),
                container_of(application, *node, *requirement),
                name(is),
            ),
            Blocked::NotActive { instance } => format!("there is no instance `{instance}`"),
            Blocked::Busy { instance, node, element } => format!(
                "`{instance}` is performing {}; the next operation can start when that has ended",
                element_name(application, *node, *element),
            ),
            Blocked::NotDefined { instance, node, state, operation } => {
                not_defined(application, instance, *node, *state, operation)
            }
            Blocked::NotRunning { instance, node, element, operation } => format!(
                "operation `{operation}` of `{instance}` cannot end: the instance is {}",
                where_it_is(application, *node, *element),
            ),
            Blocked::FaultPending { instance, node, requirement } => format!(
                "`{}` of `{instance}` is faulted: {}",
                requirement_name(node, requirement),
                wanted(application, *node, *requirement),
            ),
            Blocked::NotPending { instance, node, requirement } => {
                format!("`{}` of `{instance}` is not faulted", requirement_name(node, requirement))
            }
            Blocked::NotResolvable { instance, node, requirement } => format!(
                "no other instance can satisfy `{}` of `{instance}`: {}",
                requirement_name(node, requirement),
                wanted(application, *node, *requirement),
            ),
            Blocked::Resolvable { instance, node, requirement } => format!(
                "`{}` of `{instance}` can be satisfied by another instance and needs no handler",
                requirement_name(node, requirement),
            ),
            Blocked::NoHandler { instance, node, element, requirement } => {
                no_handler(application, instance, *node, *element, *requirement)
            }
            Blocked::NotBroken { instance } => {
                format!("`{instance}` is not left over from a container that is gone")
            }
            Blocked::Broken { instance, container } => {
                format!("`{instance}` is left over from its container `{container}`, which is gone")
            }
            Blocked::NeverSettles { instance } => {
                format!("the fault handlers of `{instance}` lead in a cycle")
            }
        }
    }
}

/// "in state `s`" or "in operation `o`".
fn where_it_is(application: &Application, node: NodeId, element: Element) -> String {
    match element {
        Element::State(_) => format!("in state {}", element_name(application, node, element)),
        Element::Transition(_) => {
            format!("in operation {}", element_name(application, node, element))
        }
    }
}

/// The name of a state, or of the operation of a transition.
fn element_name(application: &Application, node: NodeId, element: Element) -> String {
    let component = application.type_of(node);
    let Some(protocol) = component.protocol() else { return String::new() };
    let name = match element {
        Element::State(state) => &protocol.state(state).name,
        Element::Transition(transition) => {
            &component.operations[protocol.transition(transition).operation.index()].name
        }
    };
    format!("`{name}`")
}

/// Which handler is missing, and what would make it needless.
fn no_handler(
    application: &Application,
    instance: &InstanceId,
    node: NodeId,
    element: Element,
    requirement: RequirementId,
) -> String {
    let name = &application.type_of(node).requirements[requirement.index()].name;
    format!(
        "no handler for `{name}` {} of `{instance}`; a handler to a state that does not rely on \
         `{name}` would take the fault: {}",
        where_it_is(application, node, element),
        wanted(application, node, requirement),
    )
}

/// Where an operation does not exist, and where it would.
fn not_defined(
    application: &Application,
    instance: &InstanceId,
    node: NodeId,
    state: StateId,
    operation: &str,
) -> String {
    let component = application.type_of(node);
    let Some(protocol) = component.protocol() else { return String::new() };
    let here = element_name(application, node, Element::State(state));
    let Some(id) = component.operation_named(operation) else {
        return format!("`{}` has no operation `{operation}`", application.node(node).name);
    };
    format!(
        "`{instance}` is in state {here}, where operation `{operation}` does not exist; it exists \
         in {}",
        states_with(protocol, id),
    )
}

/// "an instance of `node`", the target of a containment requirement.
fn container_of(application: &Application, node: NodeId, requirement: RequirementId) -> String {
    match application.node(node).binding(requirement) {
        Some(binding) => format!("an instance of `{}`", application.node(binding.target).name),
        None => "another instance, but its containment is bound to nothing".to_owned(),
    }
}

/// What would satisfy a requirement: the capability it is bound to and the states that offer it.
fn wanted(application: &Application, node: NodeId, requirement: RequirementId) -> String {
    match application.node(node).binding(requirement) {
        Some(binding) => offering(application, binding.target, binding.capability),
        None => "it is bound to nothing".to_owned(),
    }
}
