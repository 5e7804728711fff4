//! One node type: requirements, capabilities, operations and the management protocol.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    BAD_NAME, DECLARED_TWICE, LIFECYCLE, MISSING, NO_PROTOCOL, PROTOCOL, SPECIAL,
    UNDECLARED_OPERATION, plain, unknown,
};
use crate::application::{ComponentType, Operation};
use crate::diagnostic::Diagnostic;
use crate::lang::tosca::xml::definitions::{NodeType, TOSCA};
use crate::lang::tosca::xml::{Attribute, Element, Library};
use crate::lang::windlass::name_complaint;
use crate::lifecycle::protocol::{
    Arity, Capability, CapabilityId, Handler, OperationId, Requirement, RequirementId, Sort, State,
    StateId, Transition,
};
use crate::lifecycle::{Cost, Lifecycle, Protocol};
use crate::source::{Origin, Span};

/// Lowers a node type.
pub(super) fn component(
    node_type: NodeType<'_>,
    library: &Library,
    findings: &mut Vec<Diagnostic>,
) -> ComponentType {
    let chain = ancestry(node_type, library);
    let name = node_type.name().local;
    let mut component = ComponentType {
        name: name.clone(),
        requirements: Vec::new(),
        capabilities: Vec::new(),
        operations: Vec::new(),
        lifecycle: Lifecycle::Protocol(Protocol {
            initial: StateId(0),
            states: Vec::new(),
            transitions: Vec::new(),
            up: None,
        }),
        processes: BTreeMap::new(),
        cost_per_second: Cost::default(),
        origin: node_type.element.name_span().into(),
    };
    for at in &chain {
        declare(*at, &mut component, findings);
    }
    let protocol = chain.iter().find_map(|at| at.element.child(PROTOCOL, "ManagementProtocol"));
    let Some(protocol) = protocol else {
        let message = format!("node type `{name}` has no management protocol");
        let span = node_type.element.name_span();
        // Where no type has one, all of them are taken to start and stop.
        findings.push(if plain::has_protocols(library) {
            Diagnostic::error(NO_PROTOCOL, span, message)
                .help("add `ManagementProtocol` with its initial state and transitions")
        } else {
            plain::life(&mut component);
            Diagnostic::warning(NO_PROTOCOL, span, message)
                .note("It is taken to start when all that it needs has started, and to stop.")
        });
        return component;
    };
    let mut reader = Reader { component, names: Vec::new() };
    let mut states = reader.states(&chain, findings);
    let transitions = reader.transitions(protocol, findings);
    reader.handlers(protocol, &mut states, findings);
    close(&mut states);
    let initial = protocol.child(PROTOCOL, "InitialState");
    let initial = match initial {
        Some(initial) => attribute(initial, "state", findings),
        None => {
            findings.push(missing(protocol, "`InitialState`"));
            None
        }
    };
    let initial = initial.and_then(|written| reader.state(written, findings));
    let initial = initial.unwrap_or(StateId(0));
    let protocol = Protocol { initial, states, transitions, up: None };
    reader.component.lifecycle = Lifecycle::Protocol(protocol);
    reader.component
}

/// Closes handlers transitively, as BARREL does before it uses them: a state also goes where the
/// handlers of the states go that its own handlers lead to. A handler to the state itself would
/// handle nothing and is left out.
fn close(states: &mut [State]) {
    for at in 0..states.len() {
        let mut next = 0;
        while let Some(handler) = states[at].handlers.get(next).cloned() {
            next += 1;
            for further in states[handler.to.index()].handlers.clone() {
                let known = &states[at].handlers;
                let is_new = !known.iter().any(|known| known.to == further.to);
                if is_new && further.to.index() != at {
                    let origin = handler.origin;
                    states[at].handlers.push(Handler { to: further.to, origin });
                }
            }
        }
    }
}

/// The type and those it is derived from, itself first.
fn ancestry<'t>(node_type: NodeType<'t>, library: &'t Library) -> Vec<NodeType<'t>> {
    let mut seen = BTreeSet::from([node_type.name()]);
    let mut chain = vec![node_type];
    while let Some(parent) = chain[chain.len() - 1].derived_from()
        && let Some(parent) = library.node_type(&parent)
        && seen.insert(parent.name())
    {
        chain.push(parent);
    }
    chain
}

/// Adds what a type declares unless a type derived from it did.
fn declare(node_type: NodeType<'_>, component: &mut ComponentType, findings: &mut Vec<Diagnostic>) {
    let name = |definition: Element<'_>, findings: &mut Vec<Diagnostic>| {
        let written = attribute(definition, "name", findings)?;
        check_name(written, findings).then(|| (written.value.clone(), Origin::from(written.span)))
    };
    for definition in node_type.requirements() {
        let Some((name, origin)) = name(definition, findings) else { continue };
        if component.requirement_named(&name).is_none() {
            let (sort, arity) = (Sort::ReplicaUnaware, Arity::Any);
            component.requirements.push(Requirement { name, sort, arity, origin });
        }
    }
    for definition in node_type.capabilities() {
        let Some((name, origin)) = name(definition, findings) else { continue };
        if component.capability_named(&name).is_none() {
            component.capabilities.push(Capability { name, origin });
        }
    }
    for (interface, operation) in node_type.operations() {
        if check_name(interface, findings) && check_name(operation, findings) {
            add_operation(component, &interface.value, operation);
        }
    }
}

fn add_operation(component: &mut ComponentType, interface: &str, name: &Attribute) -> OperationId {
    let full = operation_name(interface, &name.value);
    if let Some(known) = component.operation_named(&full) {
        return known;
    }
    component.operations.push(operation(&full, name.span.into()));
    (component.operations.len() - 1).into()
}

/// An operation of which nothing but its name is known.
pub(super) fn operation(name: &str, origin: Origin) -> Operation {
    Operation {
        name: name.to_owned(),
        run: None,
        duration: None,
        cost: Cost::default(),
        timeout: None,
        retry: None,
        effect: None,
        host: None,
        origin,
    }
}

/// What we call an operation of an interface.
fn operation_name(interface: &str, operation: &str) -> String {
    if interface.is_empty() || interface == LIFECYCLE {
        operation.to_owned()
    } else {
        format!("{interface}.{operation}")
    }
}

/// The interface and the operation that are called so: together they are read as this name again.
pub(super) fn interface_and_operation(name: &str) -> (&str, &str) {
    let is_name = |part: &str| name_complaint(part).is_none();
    let parts = name.rsplit_once('.').filter(|(interface, operation)| {
        is_name(interface) && is_name(operation) && *interface != LIFECYCLE
    });
    parts.unwrap_or((LIFECYCLE, name))
}

/// A type on the way, with the names of its states.
struct Reader {
    component: ComponentType,
    names: Vec<String>,
}

impl Reader {
    /// The states of the type and of those it is derived from, each once.
    fn states(&mut self, chain: &[NodeType<'_>], findings: &mut Vec<Diagnostic>) -> Vec<State> {
        let mut states = Vec::new();
        let mut own: BTreeMap<String, Span> = BTreeMap::new();
        for (depth, node_type) in chain.iter().enumerate() {
            let list = node_type.instance_states().into_iter();
            for element in list.flat_map(|list| list.children_named(TOSCA, "InstanceState")) {
                let Some(written) = attribute(element, "state", findings) else { continue };
                let name = written.value.clone();
                if let Some(first) = own.get(&name) {
                    if depth == 0 {
                        let message = format!("state `{name}` is declared twice");
                        findings.push(twice(written.span, *first, message));
                    }
                    continue;
                }
                if !check_name(written, findings) {
                    continue;
                }
                own.insert(name.clone(), written.span);
                self.names.push(name.clone());
                states.push(State {
                    name,
                    requires: self.requires(element, findings),
                    offers: self.offers(element, findings),
                    handlers: Vec::new(),
                    on_crash: None,
                    origin: written.span.into(),
                });
            }
        }
        states
    }

    fn transitions(
        &mut self,
        protocol: Element<'_>,
        findings: &mut Vec<Diagnostic>,
    ) -> Vec<Transition> {
        let mut transitions: Vec<Transition> = Vec::new();
        let list = protocol.child(PROTOCOL, "Transitions").into_iter();
        for element in list.flat_map(|list| list.children_named(PROTOCOL, "Transition")) {
            let Some(transition) = self.transition(element, findings) else { continue };
            // Transitions that differ in what they rely on are alternatives; equal ones are one.
            if let Some(first) = transitions.iter().find(|first| **first == transition) {
                let first = first.origin.0.unwrap_or(element.name_span());
                let message = "the same transition is written twice; one is enough".to_owned();
                let mut finding = twice(element.name_span(), first, message);
                finding.severity = crate::diagnostic::Severity::Warning;
                findings.push(finding);
                continue;
            }
            transitions.push(transition);
        }
        transitions
    }

    fn transition(
        &mut self,
        element: Element<'_>,
        findings: &mut Vec<Diagnostic>,
    ) -> Option<Transition> {
        let [from, to, name] = ["sourceState", "targetState", "operationName"]
            .map(|key| attribute(element, key, findings));
        let from = from.and_then(|written| self.state(written, findings));
        let to = to.and_then(|written| self.state(written, findings));
        let requires = self.requires(element, findings);
        let (from, to, name) = (from?, to?, name?);
        let interface = element.attribute("interfaceName");
        let named = interface.is_none_or(|written| check_name(written, findings));
        let interface = interface.filter(|_| named).map_or("", |written| &written.value);
        let declared = self.component.operation_named(&operation_name(interface, &name.value));
        let operation = match declared {
            Some(operation) => operation,
            None => {
                if !check_name(name, findings) {
                    return None;
                }
                if interface != SPECIAL {
                    findings.push(self.undeclared(interface, name));
                }
                add_operation(&mut self.component, interface, name)
            }
        };
        Some(Transition {
            from,
            operation,
            to,
            requires,
            offers: BTreeSet::new(),
            handlers: Vec::new(),
            origin: name.span.into(),
        })
    }

    fn undeclared(&self, interface: &str, name: &Attribute) -> Diagnostic {
        let operation = &name.value;
        let message = format!("operation `{operation}` of interface `{interface}` is not declared");
        Diagnostic::warning(UNDECLARED_OPERATION, name.span, message)
            .help(format!("add it to `Interfaces` of node type `{}`", self.component.name))
    }

    fn handlers(
        &self,
        protocol: Element<'_>,
        states: &mut [State],
        findings: &mut Vec<Diagnostic>,
    ) {
        let list = protocol.child(PROTOCOL, "FaultHandlers").into_iter();
        for element in list.flat_map(|list| list.children_named(PROTOCOL, "FaultHandler")) {
            let [from, to] =
                ["sourceState", "targetState"].map(|key| attribute(element, key, findings));
            let from = from.and_then(|written| self.state(written, findings));
            let to = to.and_then(|written| self.state(written, findings));
            let (Some(from), Some(to)) = (from, to) else { continue };
            let handlers = &mut states[from.index()].handlers;
            if !handlers.iter().any(|known| known.to == to) {
                handlers.push(Handler { to, origin: element.name_span().into() });
            }
        }
    }

    fn requires(
        &self,
        element: Element<'_>,
        findings: &mut Vec<Diagnostic>,
    ) -> BTreeSet<RequirementId> {
        let mut found = BTreeSet::new();
        let list = element.child(PROTOCOL, "ReliesOn").into_iter();
        for item in list.flat_map(|list| list.children_named(PROTOCOL, "Requirement")) {
            let Some(written) = attribute(item, "name", findings) else { continue };
            match self.component.requirement_named(&written.value) {
                Some(requirement) => {
                    found.insert(requirement);
                }
                None => {
                    let known = self.component.requirements.iter().map(|r| &*r.name);
                    unknown("requirement", written, known, findings);
                }
            }
        }
        found
    }

    fn offers(
        &self,
        element: Element<'_>,
        findings: &mut Vec<Diagnostic>,
    ) -> BTreeSet<CapabilityId> {
        let mut found = BTreeSet::new();
        let list = element.child(PROTOCOL, "Offers").into_iter();
        for item in list.flat_map(|list| list.children_named(PROTOCOL, "Capability")) {
            let Some(written) = attribute(item, "name", findings) else { continue };
            match self.component.capability_named(&written.value) {
                Some(capability) => {
                    found.insert(capability);
                }
                None => {
                    let known = self.component.capabilities.iter().map(|c| &*c.name);
                    unknown("capability", written, known, findings);
                }
            }
        }
        found
    }

    fn state(&self, written: &Attribute, findings: &mut Vec<Diagnostic>) -> Option<StateId> {
        let found = self.names.iter().position(|name| *name == written.value);
        if found.is_none() {
            unknown("state", written, self.names.iter().map(|name| &**name), findings);
        }
        found.map(StateId::from)
    }
}

/// An attribute that must be there.
pub(super) fn attribute<'t>(
    element: Element<'t>,
    name: &str,
    findings: &mut Vec<Diagnostic>,
) -> Option<&'t Attribute> {
    let found = element.attribute(name);
    if found.is_none() {
        findings.push(missing(element, &format!("attribute `{name}`")));
    }
    found
}

pub(super) fn missing(element: Element<'_>, what: &str) -> Diagnostic {
    let message = format!("`{}` has no {what}", element.name().local);
    Diagnostic::error(MISSING, element.name_span(), message).help(format!("add {what}"))
}

/// Whether an attribute may name something; if not, it is reported.
pub(super) fn check_name(written: &Attribute, findings: &mut Vec<Diagnostic>) -> bool {
    let complaint = name_complaint(&written.value);
    let fine = complaint.is_none();
    findings.extend(complaint.map(|message| Diagnostic::error(BAD_NAME, written.span, message)));
    fine
}

pub(super) fn twice(second: Span, first: Span, message: String) -> Diagnostic {
    Diagnostic::error(DECLARED_TWICE, second, message)
        .label(first, "first here")
        .help("remove one of the two")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interface_and_operation_are_read_as_the_same_name_again() {
        let names = ["start", "Extra.start", "a.b.c", ".k", "f.. k", "wor...", "Lifecycle.k"];
        for name in names {
            let (interface, operation) = interface_and_operation(name);
            assert_eq!(operation_name(interface, operation), name);
            assert_eq!((name_complaint(interface), name_complaint(operation)), (None, None));
        }
    }
}
