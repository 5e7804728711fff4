//! Management protocols: states, transitions, handlers.

use super::{commands, entries, items, resolve, twice};
use crate::application::{ComponentType, Operation};
use crate::diagnostic::Diagnostic;
use crate::lang::windlass::{DECLARED_TWICE, unknown};
use crate::lifecycle::protocol::{
    CapabilityId, Handler, OperationId, RequirementId, State, StateId, Transition,
};
use crate::lifecycle::{Cost, Lifecycle, Protocol};
use crate::tree::{Entry, Node};

/// Lowers `protocol:` of a type whose requirements, capabilities and operations are known.
/// Operations that only transitions name are added, unless the type lists its operations.
pub(super) fn lower(
    node: Node<'_>,
    type_node: Node<'_>,
    component: &mut ComponentType,
    findings: &mut Vec<Diagnostic>,
) {
    let names: Vec<String> = entries(node, "states").map(|e| e.name().to_owned()).collect();
    if type_node.get("operations").is_none() {
        add_operations(node, component);
    }
    let scope = Scope { component, states: &names };
    let mut processes = Vec::new();
    let mut states = Vec::new();
    for entry in entries(node, "states") {
        let process = entry.value.get("process").and_then(|p| commands::process(p, findings));
        processes.extend(process.map(|process| (StateId::from(states.len()), process)));
        states.push(scope.state(entry, findings));
    }
    let transitions =
        items(node, "transitions").filter_map(|item| scope.transition(item, findings)).collect();
    let initial = node.get("initial").and_then(|initial| scope.state_id(initial, findings));
    let up = node.get("up").map(|up| {
        let known = scope.operation_names();
        let find = |name: &str| scope.component.operation_named(name);
        resolve("operation", up.items(), find, &known, findings)
    });
    component.processes = processes.into_iter().collect();
    let initial = initial.unwrap_or(StateId(0));
    component.lifecycle = Lifecycle::Protocol(Protocol { initial, states, transitions, up });
    report_repeated(component, findings);
}

fn add_operations(node: Node<'_>, component: &mut ComponentType) {
    for name in items(node, "transitions").filter_map(|item| item.get("operation")) {
        let Some(text) = name.as_str() else { continue };
        if component.operation_named(text).is_none() {
            component.operations.push(Operation {
                name: text.to_owned(),
                run: None,
                duration: None,
                cost: Cost::default(),
                timeout: None,
                retry: None,
                effect: None,
                host: None,
                origin: name.span().into(),
            });
        }
    }
}

/// Two transitions that are equal in every respect are one written twice.
fn report_repeated(component: &ComponentType, findings: &mut Vec<Diagnostic>) {
    let Some(protocol) = component.protocol() else { return };
    for (at, second) in protocol.transitions.iter().enumerate() {
        let first = protocol.transitions[..at].iter().find(|first| *first == second);
        let places = first.and_then(|first| Some((first.origin.0?, second.origin.0?)));
        let Some((known, place)) = places else { continue };
        findings.push(
            Diagnostic::error(DECLARED_TWICE, place, "the same transition is written twice")
                .label(known, "first written here")
                .help("remove one of the two"),
        );
    }
}

/// The names that a protocol may use.
struct Scope<'a> {
    component: &'a ComponentType,
    states: &'a [String],
}

impl Scope<'_> {
    fn state(&self, entry: Entry<'_>, findings: &mut Vec<Diagnostic>) -> State {
        let node = entry.value;
        State {
            name: entry.name().to_owned(),
            requires: self.requirements(node, findings),
            offers: self.capabilities(node, findings),
            handlers: self.handlers(node, findings),
            on_crash: node.get("on_crash").and_then(|state| self.state_id(state, findings)),
            origin: entry.key.span().into(),
        }
    }

    fn transition(&self, node: Node<'_>, findings: &mut Vec<Diagnostic>) -> Option<Transition> {
        let from = node.get("from").and_then(|state| self.state_id(state, findings));
        let to = node.get("to").and_then(|state| self.state_id(state, findings));
        let operation = node.get("operation").and_then(|name| self.operation_id(name, findings));
        let requires = self.requirements(node, findings);
        let offers = self.capabilities(node, findings);
        let handlers = self.handlers(node, findings);
        let origin = node.get("operation").unwrap_or(node).span().into();
        let (from, operation, to) = (from?, operation?, to?);
        Some(Transition { from, operation, to, requires, offers, handlers, origin })
    }

    fn requirements<C: FromIterator<RequirementId>>(
        &self,
        node: Node<'_>,
        findings: &mut Vec<Diagnostic>,
    ) -> C {
        let known: Vec<_> = self.component.requirements.iter().map(|r| &*r.name).collect();
        let find = |name: &str| self.component.requirement_named(name);
        twice("requirement", items(node, "requires"), findings);
        resolve("requirement", items(node, "requires"), find, &known, findings)
    }

    fn capabilities<C: FromIterator<CapabilityId>>(
        &self,
        node: Node<'_>,
        findings: &mut Vec<Diagnostic>,
    ) -> C {
        let known: Vec<_> = self.component.capabilities.iter().map(|c| &*c.name).collect();
        let find = |name: &str| self.component.capability_named(name);
        twice("capability", items(node, "offers"), findings);
        resolve("capability", items(node, "offers"), find, &known, findings)
    }

    fn handlers(&self, node: Node<'_>, findings: &mut Vec<Diagnostic>) -> Vec<Handler> {
        twice("handler", items(node, "on_fault"), findings);
        items(node, "on_fault")
            .filter_map(|item| {
                let to = self.state_id(item, findings)?;
                Some(Handler { to, origin: item.span().into() })
            })
            .collect()
    }

    fn state_id(&self, node: Node<'_>, findings: &mut Vec<Diagnostic>) -> Option<StateId> {
        let name = node.as_str()?;
        let found = self.states.iter().position(|state| state == name);
        if found.is_none() {
            unknown("state", node, self.states.iter().map(|s| &**s), findings);
        }
        found.map(StateId::from)
    }

    fn operation_id(&self, node: Node<'_>, findings: &mut Vec<Diagnostic>) -> Option<OperationId> {
        let found = self.component.operation_named(node.as_str()?);
        if found.is_none() {
            unknown("operation", node, self.operation_names().into_iter(), findings);
        }
        found
    }

    fn operation_names(&self) -> Vec<&str> {
        self.component.operations.iter().map(|o| &*o.name).collect()
    }
}
