//! Rules on management protocols: well-formed, deterministic, race-free and complete
//! (paper 004 Def. 3.3 (iii) and its supplement).

pub(crate) mod broken_up_path;
pub(crate) mod growing_handler;
pub(crate) mod handler_cycle;
pub(crate) mod nondeterministic_operation;
pub(crate) mod racing_handlers;
pub(crate) mod tied_handlers;
pub(crate) mod two_containments;
pub(crate) mod unhandled_fault;
pub(crate) mod unreachable_state;
pub(crate) mod unused_operation;

use super::Rule;
use crate::application::ComponentType;
use crate::lifecycle::Protocol;
use crate::lifecycle::protocol::Element;
use crate::source::Origin;

/// The rules, in the order in which they run.
pub(crate) const RULES: &[&Rule] = &[
    &two_containments::RULE,
    &nondeterministic_operation::RULE,
    &tied_handlers::RULE,
    &growing_handler::RULE,
    &handler_cycle::RULE,
    &racing_handlers::RULE,
    &unhandled_fault::RULE,
    &unreachable_state::RULE,
    &unused_operation::RULE,
    &broken_up_path::RULE,
];

/// Every type with its protocol.
fn protocols<'a>(
    context: &super::Context<'a>,
) -> impl Iterator<Item = (&'a ComponentType, &'a Protocol)> + use<'a> {
    context.application.types.iter().filter_map(|t| t.protocol().map(|protocol| (t, protocol)))
}

/// An element in words: "state `running`" or "operation `start` of state `stopped`".
fn element_name(component: &ComponentType, protocol: &Protocol, element: Element) -> String {
    match element {
        Element::State(id) => format!("state `{}`", protocol.state(id).name),
        Element::Transition(id) => {
            let transition = protocol.transition(id);
            let operation = &component.operations[transition.operation.index()].name;
            let from = &protocol.state(transition.from).name;
            format!("operation `{operation}` of state `{from}`")
        }
    }
}

/// Where an element was declared.
fn element_origin(protocol: &Protocol, element: Element) -> Origin {
    match element {
        Element::State(id) => protocol.state(id).origin,
        Element::Transition(id) => protocol.transition(id).origin,
    }
}
