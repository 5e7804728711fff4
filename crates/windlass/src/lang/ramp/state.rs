//! RAMP's global states: instances, and what each one is bound to at run time.
//!
//! The sort that a binding repeats is not looked at: RAMP's own files spell it in two ways, and
//! the application says it anyway. `app` and `node` are leftovers of RAMP's serialization.

use std::collections::BTreeSet;

use super::STATE_DOES_NOT_FIT;
use super::fields::{bad_value, check_name, needed, record, text, unknown, wrong_type};
use super::print::transition_name;
use crate::application::{Application, GlobalState, Instance, InstanceId};
use crate::diagnostic::Diagnostic;
use crate::lifecycle::protocol::{Element, RequirementId, Sort, Transition};
use crate::tree::Node;

/// An instance as it is written.
pub(super) struct Written<'t> {
    id: Node<'t>,
    node: Node<'t>,
    state: Node<'t>,
}

/// A binding as it is written.
pub(super) struct Bound<'t> {
    user: Node<'t>,
    requirement: Node<'t>,
    provider: Node<'t>,
}

/// Reads a global state for an application.
pub fn read_state(
    root: Node<'_>,
    application: &Application,
    findings: &mut Vec<Diagnostic>,
) -> GlobalState {
    let mut state = GlobalState::empty();
    let written = instances(root, findings);
    for item in &written {
        if let Some(instance) = instance(item, application, findings) {
            let id = item.id.as_str().unwrap_or_default();
            state.instances.insert(InstanceId(id.to_owned()), instance);
        }
    }
    let ids = written.iter().filter_map(|item| item.id.as_str()).collect();
    for bound in bindings(root, findings) {
        bind(&bound, application, &ids, &mut state, findings);
    }
    for item in &written {
        contained(item, application, &state, findings);
    }
    state
}

/// The instances that have everything an instance needs.
pub(super) fn instances<'t>(root: Node<'t>, findings: &mut Vec<Diagnostic>) -> Vec<Written<'t>> {
    let what = "the state";
    let known = ["app", "activeInstances", "activeNodeInstances", "runtimeBindings"];
    record(root, what, &known, findings);
    let keys = ["activeInstances", "activeNodeInstances"];
    let Some(all) = needed(root, &keys, what, findings) else { return Vec::new() };
    if !all.is_mapping() {
        findings.push(wrong_type(all, "a mapping with instances"));
    }
    let mut written = Vec::new();
    for entry in all.entries() {
        let what = format!("instance `{}`", entry.name());
        let known = ["currentState", "id", "node", "nodeTypeName"];
        if !check_name(entry.key, findings) || !record(entry.value, &what, &known, findings) {
            continue;
        }
        let id = entry.value.get("id").filter(|id| id.as_str() != Some(entry.name()));
        if let Some(id) = id {
            let message = format!("{what} calls itself `{}`", id.as_str().unwrap_or_default());
            findings.push(bad_value(id, message).help("give both the same id"));
        }
        let node = text(entry.value, &["nodeTypeName"], &what, findings);
        let state = text(entry.value, &["currentState"], &what, findings);
        if let (Some(node), Some(state)) = (node, state) {
            written.push(Written { id: entry.key, node, state });
        }
    }
    written
}

/// The bindings that have everything a binding needs.
pub(super) fn bindings<'t>(root: Node<'t>, findings: &mut Vec<Diagnostic>) -> Vec<Bound<'t>> {
    let Some(all) = needed(root, &["runtimeBindings"], "the state", findings) else {
        return Vec::new();
    };
    if !all.is_mapping() {
        findings.push(wrong_type(all, "a mapping with the bindings of each instance"));
    }
    let what = "a binding";
    let known = ["req", "requirement", "instanceID", "targetInstanceID"];
    let mut written = Vec::new();
    for entry in all.entries() {
        if !entry.value.is_list() && !entry.value.is_null() {
            findings.push(wrong_type(entry.value, "a list of bindings"));
        }
        for item in entry.value.items() {
            if !record(item, what, &known, findings) {
                continue;
            }
            let requirement = needed(item, &["req", "requirement"], what, findings);
            let requirement = requirement.and_then(|described| {
                let keys = ["name", "sort", "reqSort"];
                if !record(described, "a requirement", &keys, findings) {
                    return None;
                }
                text(described, &["name"], "a requirement", findings)
            });
            let keys = ["instanceID", "targetInstanceID"];
            let provider = text(item, &keys, what, findings);
            if let (Some(requirement), Some(provider)) = (requirement, provider) {
                written.push(Bound { user: entry.key, requirement, provider });
            }
        }
    }
    written
}

fn does_not_fit(node: Node<'_>, message: String) -> Diagnostic {
    Diagnostic::error(STATE_DOES_NOT_FIT, node.span(), message)
}

fn instance(
    written: &Written<'_>,
    application: &Application,
    findings: &mut Vec<Diagnostic>,
) -> Option<Instance> {
    let Some(node) = application.node_named(written.node.as_str()?) else {
        let known = application.nodes.iter().map(|node| &*node.name);
        unknown("node", written.node, known, findings);
        return None;
    };
    let component = application.type_of(node);
    let name = written.state.as_str()?;
    let Some(protocol) = component.protocol() else {
        let message = format!("`{}` is a net and has no states", application.node(node).name);
        findings.push(does_not_fit(written.node, message));
        return None;
    };
    // An instance that performs an operation is in a state called like the whole transition.
    let performing = || {
        let called = |t: &Transition| transition_name(component, protocol, t) == name;
        let found = protocol.transitions.iter().position(called)?;
        Some(Element::Transition(found.into()))
    };
    let element = protocol.state_named(name).map(Element::State).or_else(performing);
    if element.is_none() {
        let known = protocol.states.iter().map(|state| &*state.name);
        unknown("state", written.state, known, findings);
    }
    element.map(|element| Instance { node, element })
}

fn bind(
    bound: &Bound<'_>,
    application: &Application,
    ids: &BTreeSet<&str>,
    state: &mut GlobalState,
    findings: &mut Vec<Diagnostic>,
) {
    let id = |node: Node<'_>| InstanceId(node.as_str().unwrap_or_default().to_owned());
    let (user, provider) = (id(bound.user), id(bound.provider));
    // What is wrong with an instance that is written has been reported already.
    let mut instance = |id: &InstanceId, node: Node<'_>| {
        let found = state.instances.get(id).copied();
        if found.is_none() && !ids.contains(&*id.0) {
            unknown("instance", node, ids.iter().copied(), findings);
        }
        found
    };
    let (user_instance, provider_instance) =
        (instance(&user, bound.user), instance(&provider, bound.provider));
    let Some(Instance { node, .. }) = user_instance else { return };
    let component = application.type_of(node);
    let name = bound.requirement.as_str().unwrap_or_default();
    let Some(requirement) = component.requirement_named(name) else {
        let known = component.requirements.iter().map(|r| &*r.name);
        unknown("requirement", bound.requirement, known, findings);
        return;
    };
    let Some(Instance { node: found, .. }) = provider_instance else { return };
    let target = application.node(node).binding(requirement).map(|binding| binding.target);
    if target != Some(found) {
        let message = format!("`{provider}` cannot satisfy `{name}` of `{user}`");
        let mut finding = does_not_fit(bound.provider, message);
        if let Some(target) = target {
            finding =
                finding.help(format!("only instances of `{}` can", application.node(target).name));
        }
        findings.push(finding);
        return;
    }
    let contains = component.requirements[requirement.index()].sort == Sort::Containment;
    let fresh = if contains {
        state.vertical.insert(user.clone(), (requirement, provider)).is_none()
    } else {
        let known = is_bound(state, &user, requirement);
        state.horizontal.insert((user.clone(), requirement, provider));
        !known
    };
    if !fresh {
        let message = format!("`{name}` of `{user}` is bound twice");
        findings.push(does_not_fit(bound.requirement, message).help("remove one of the two"));
    }
}

fn is_bound(state: &GlobalState, user: &InstanceId, requirement: RequirementId) -> bool {
    let least = (user.clone(), requirement, InstanceId(String::new()));
    let next = state.horizontal.range(least..).next();
    next.is_some_and(|binding| binding.0 == *user && binding.1 == requirement)
}

/// An instance of a node with a containment requirement lives in something.
fn contained(
    written: &Written<'_>,
    application: &Application,
    state: &GlobalState,
    findings: &mut Vec<Diagnostic>,
) {
    let id = InstanceId(written.id.as_str().unwrap_or_default().to_owned());
    let Some(instance) = state.instances.get(&id) else { return };
    let Some(requirement) = application.type_of(instance.node).containment() else { return };
    let Some(home) = application.node(instance.node).binding(requirement) else { return };
    if !state.vertical.contains_key(&id) {
        let name = &application.type_of(instance.node).requirements[requirement.index()].name;
        let home = &application.node(home.target).name;
        findings
            .push(does_not_fit(written.id, format!("`{id}` is contained in nothing")).help(
                format!("bind its `{name}` to an instance of `{home}` in `runtimeBindings`"),
            ));
    }
}
