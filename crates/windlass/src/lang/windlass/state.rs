//! State files: which instances exist, where each one is, what is bound to what.

use super::{STATE_DOES_NOT_FIT, check_shape, unknown};
use crate::application::{Application, Faults, GlobalState, Instance, InstanceId, NodeId};
use crate::diagnostic::Diagnostic;
use crate::lang::language::Kind;
use crate::lifecycle::protocol::Element;
use crate::tree::{Entry, Node, Value};

/// Reads a state file for an application.
pub fn read_state(
    root: Node<'_>,
    application: &Application,
    findings: &mut Vec<Diagnostic>,
) -> GlobalState {
    check_shape(Kind::State, root, findings);
    let mut state = GlobalState::empty();
    let instances = || {
        let node = root.get("state").and_then(|state| state.get("instances"));
        node.into_iter().flat_map(Node::entries)
    };
    for entry in instances() {
        if let Some(instance) = instance(entry, application, findings) {
            state.instances.insert(InstanceId(entry.name().to_owned()), instance);
        }
    }
    for entry in instances() {
        contain(entry, application, &mut state, findings);
        bind(entry, application, &mut state, findings);
    }
    state
}

fn does_not_fit(node: Node<'_>, message: String) -> Diagnostic {
    Diagnostic::error(STATE_DOES_NOT_FIT, node.span(), message)
}

fn instance(
    entry: Entry<'_>,
    application: &Application,
    findings: &mut Vec<Diagnostic>,
) -> Option<Instance> {
    let name = entry.value.get("node")?;
    let Some(node) = application.node_named(name.as_str()?) else {
        let known = application.nodes.iter().map(|node| &*node.name);
        unknown("node", name, known, findings);
        return None;
    };
    let element = element(entry, node, application, findings)?;
    Some(Instance { node, element })
}

fn element(
    entry: Entry<'_>,
    node: NodeId,
    application: &Application,
    findings: &mut Vec<Diagnostic>,
) -> Option<Element> {
    let (name, component) = (&application.node(node).name, application.type_of(node));
    let Some(protocol) = component.protocol() else {
        findings.push(does_not_fit(entry.key, format!("`{name}` is a net and has no states")));
        return None;
    };
    match (entry.value.get("state"), entry.value.get("operation")) {
        (Some(state), None) => {
            let found = protocol.state_named(state.as_str()?);
            if found.is_none() {
                let known = protocol.states.iter().map(|s| &*s.name);
                unknown("state", state, known, findings);
            }
            found.map(Element::State)
        }
        (None, Some(running)) => {
            let text = |key| running.get(key).and_then(Node::as_str);
            let (from, operation, to) = (text("from")?, text("operation")?, text("to")?);
            let fits = |t: &crate::lifecycle::protocol::Transition| {
                protocol.state(t.from).name == from
                    && protocol.state(t.to).name == to
                    && component.operations[t.operation.index()].name == operation
            };
            let found = protocol.transitions.iter().position(fits);
            if found.is_none() {
                let message = format!("`{name}` has no `{operation}` from `{from}` to `{to}`");
                findings.push(does_not_fit(running, message));
            }
            found.map(|at| Element::Transition(at.into()))
        }
        _ => {
            let message = format!("instance `{}` is nowhere, or in two places", entry.name());
            findings.push(does_not_fit(entry.key, message).help("give `state` or `operation`"));
            None
        }
    }
}

fn contain(
    entry: Entry<'_>,
    application: &Application,
    state: &mut GlobalState,
    findings: &mut Vec<Diagnostic>,
) {
    let id = InstanceId(entry.name().to_owned());
    let Some(instance) = state.instances.get(&id) else { return };
    let node = application.node(instance.node);
    let containment = application.type_of(instance.node).containment();
    let home = containment.and_then(|r| Some((r, node.binding(r)?.target)));
    match (entry.value.get("in"), home) {
        (None, None) => {}
        (None, Some((requirement, home))) if application.faults != Faults::Replicas => {
            // There is one instance of each node, so the container is known.
            let container = state.of_node(home).next().map(|(container, _)| container.clone());
            if let Some(container) = container {
                state.vertical.insert(id, (requirement, container));
            }
        }
        (None, Some((_, home))) => {
            findings.push(does_not_fit(entry.key, format!("`{id}` is contained in nothing")).help(
                format!("add `in: ID` with an instance of `{}`", application.node(home).name),
            ));
        }
        (Some(written), None) => findings.push(
            does_not_fit(written, format!("`{}` is contained in nothing", node.name))
                .help("remove `in`"),
        ),
        (Some(written), Some((requirement, home))) => {
            let container = InstanceId(written.as_str().unwrap_or_default().to_owned());
            match state.instances.get(&container) {
                Some(found) if found.node == home => {
                    state.vertical.insert(id, (requirement, container));
                }
                _ => {
                    let home = &application.node(home).name;
                    let message = format!("`{container}` is no instance of `{home}`");
                    findings.push(does_not_fit(written, message));
                }
            }
        }
    }
}

fn bind(
    entry: Entry<'_>,
    application: &Application,
    state: &mut GlobalState,
    findings: &mut Vec<Diagnostic>,
) {
    let id = InstanceId(entry.name().to_owned());
    let Some(&Instance { node, .. }) = state.instances.get(&id) else { return };
    let component = application.type_of(node);
    for bound in entry.value.get("bindings").into_iter().flat_map(Node::entries) {
        let Some(requirement) = component.requirement_named(bound.name()) else {
            let known = component.requirements.iter().map(|r| &*r.name);
            unknown("requirement", bound.key, known, findings);
            continue;
        };
        if component.containment() == Some(requirement) {
            let message = format!("`{}` is the containment of `{id}`", bound.name());
            findings.push(does_not_fit(bound.key, message).help("say it by `in`"));
            continue;
        }
        let target = application.node(node).binding(requirement).map(|b| b.target);
        let ends: Vec<Node<'_>> =
            if bound.value.is_list() { bound.value.items().collect() } else { vec![bound.value] };
        for end in ends {
            let provider = InstanceId(end.as_str().unwrap_or_default().to_owned());
            let found = state.instances.get(&provider).map(|instance| instance.node);
            if found.is_some() && found == target {
                state.horizontal.insert((id.clone(), requirement, provider));
            } else {
                let message = format!("`{provider}` cannot satisfy `{}` of `{id}`", bound.name());
                findings.push(does_not_fit(end, message));
            }
        }
    }
}

/// The document of a state, which reads as the same state.
pub fn print_state(application: &Application, state: &GlobalState) -> Value {
    let mut instances = Value::map();
    for (id, instance) in &state.instances {
        let component = application.type_of(instance.node);
        let mut value = Value::map().with("node", application.node(instance.node).name.as_str());
        if let Some(protocol) = component.protocol() {
            match instance.element {
                Element::State(at) => value.insert("state", protocol.state(at).name.as_str()),
                Element::Transition(at) => {
                    let running = protocol.transition(at);
                    let operation = &component.operations[running.operation.index()].name;
                    let running = Value::map()
                        .with("from", protocol.state(running.from).name.as_str())
                        .with("operation", operation.as_str())
                        .with("to", protocol.state(running.to).name.as_str());
                    value.insert("operation", running);
                }
            }
        }
        if let Some((_, container)) = state.vertical.get(id) {
            value.insert("in", container.0.as_str());
        }
        let mut bindings = Value::map();
        for (at, requirement) in component.requirements.iter().enumerate() {
            let ends: Vec<_> = state.bound(id, at.into()).map(|end| end.0.as_str()).collect();
            match ends.as_slice() {
                [] => {}
                [end] => bindings.insert(&requirement.name, *end),
                ends => bindings.insert(&requirement.name, Value::list(ends.iter().copied())),
            }
        }
        if !bindings.is_empty() {
            value.insert("bindings", bindings);
        }
        instances.insert(&id.0, value.inline());
    }
    Value::map().with("state", Value::map().with("instances", instances))
}
