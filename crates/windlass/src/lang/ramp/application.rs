//! From RAMP's application to ours: every node brings its own type of the same name.

use std::collections::BTreeMap;

use super::fields::{
    bad_value, check_name, declared_twice, entry, list, name, names, needed, record, text, unknown,
    unlisted, wrong_type,
};
use crate::application::{
    Application, Binding, ComponentType, Faults, Node as AppNode, NodeId, Operation, Policy, TypeId,
};
use crate::diagnostic::Diagnostic;
use crate::lang::windlass::first_line;
use crate::lifecycle::protocol::{
    Arity, Capability, CapabilityId, Handler, Requirement, RequirementId, Sort, State, StateId,
    Transition,
};
use crate::lifecycle::{Cost, Lifecycle, Protocol};
use crate::source::Origin;
use crate::tree::Node;

/// Lowers the root of an application.
pub(super) fn lower(root: Node<'_>, findings: &mut Vec<Diagnostic>) -> Application {
    let what = "the application";
    record(root, what, &["name", "piVersion", "nodes", "bindings"], findings);
    let name = name(root, what, findings).and_then(Node::as_str);
    let mut application = Application {
        name: name.unwrap_or("application").to_owned(),
        faults: Faults::Replicas,
        policy: policy(root, findings),
        types: Vec::new(),
        nodes: Vec::new(),
        deployment: crate::application::Deployment::default(),
        origin: Origin::from(first_line(root)),
        names: crate::application::NodeNames::default(),
    };
    let mut first: BTreeMap<&str, Node<'_>> = BTreeMap::new();
    for node in list(root, "nodes", what, findings) {
        let Some((named, component)) = component(node, findings) else { continue };
        let name = named.as_str().unwrap_or_default();
        if let Some(known) = first.get(name) {
            let message = format!("node `{name}` is declared twice");
            findings.push(declared_twice(named, *known, message));
            continue;
        }
        first.insert(name, named);
        application.nodes.push(AppNode {
            name: name.to_owned(),
            component_type: TypeId::from(application.types.len()),
            count: 1,
            instances: Vec::new(),
            bindings: Vec::new(),
            connections: Vec::new(),
            origin: named.span().into(),
        });
        application.types.push(component);
    }
    for node in list(root, "bindings", what, findings) {
        bind(node, &mut application, findings);
    }
    application
}

fn policy(root: Node<'_>, findings: &mut Vec<Diagnostic>) -> Policy {
    let Some(written) = text(root, &["piVersion"], "the application", findings) else {
        return Policy::default();
    };
    match written.as_str() {
        Some("GREEDYPI") => Policy::Greedy,
        Some("RANDOMPI") => Policy::Any,
        other => {
            let message = format!("`{}` is no policy", other.unwrap_or_default());
            findings.push(bad_value(written, message).help("write `GREEDYPI` or `RANDOMPI`"));
            Policy::default()
        }
    }
}

fn component<'t>(
    node: Node<'t>,
    findings: &mut Vec<Diagnostic>,
) -> Option<(Node<'t>, ComponentType)> {
    let what = "a node";
    let known = ["name", "requirements", "capabilities", "operations", "managementProtocol"];
    if !record(node, what, &known, findings) {
        return None;
    }
    let named = name(node, what, findings)?;
    let name = named.as_str()?;
    let capability = |item: &Node<'_>| Capability {
        name: item.as_str().unwrap_or_default().to_owned(),
        origin: item.span().into(),
    };
    let capabilities = distinct(node, "capabilities", "capability", findings);
    let operations = distinct(node, "operations", "operation", findings);
    let mut component = ComponentType {
        name: name.to_owned(),
        requirements: requirements(node, findings),
        capabilities: capabilities.iter().map(capability).collect(),
        operations: operations.iter().map(|item| operation(*item)).collect(),
        lifecycle: Lifecycle::Protocol(Protocol {
            initial: StateId(0),
            states: Vec::new(),
            transitions: Vec::new(),
            up: None,
        }),
        processes: BTreeMap::new(),
        cost_per_second: Cost::default(),
        origin: named.span().into(),
    };
    let protocol = needed(node, &["managementProtocol"], &format!("node `{name}`"), findings)?;
    let known = ["initialState", "states", "transitions"];
    if record(protocol, "a management protocol", &known, findings) {
        let listed = |key: &str| node.get(key).is_some_and(Node::is_list);
        let lists =
            Lists { capabilities: listed("capabilities"), operations: listed("operations") };
        let protocol = self::protocol(protocol, &lists, &mut component, findings);
        component.lifecycle = Lifecycle::Protocol(protocol);
    }
    Some((named, component))
}

/// The names in a list, each once.
fn distinct<'t>(
    node: Node<'t>,
    key: &str,
    what: &str,
    findings: &mut Vec<Diagnostic>,
) -> Vec<Node<'t>> {
    let mut first: BTreeMap<&str, Node<'t>> = BTreeMap::new();
    let mut kept = Vec::new();
    for item in names(node, key, "a node", findings) {
        let name = item.as_str().unwrap_or_default();
        match first.get(name) {
            Some(known) => {
                let message = format!("{what} `{name}` is listed twice");
                findings.push(declared_twice(item, *known, message));
            }
            None if check_name(item, findings) => {
                first.insert(name, item);
                kept.push(item);
            }
            None => {}
        }
    }
    kept
}

fn operation(name: Node<'_>) -> Operation {
    Operation {
        name: name.as_str().unwrap_or_default().to_owned(),
        run: None,
        duration: None,
        cost: Cost::default(),
        timeout: None,
        retry: None,
        effect: None,
        origin: name.span().into(),
    }
}

/// Requirements by name; an empty list and a list of named requirements are read as well.
fn requirements(node: Node<'_>, findings: &mut Vec<Diagnostic>) -> Vec<Requirement> {
    let Some(written) = entry(node, &["requirements"]).map(|entry| entry.value) else {
        list(node, "requirements", "a node", findings);
        return Vec::new();
    };
    let mut described: Vec<(Node<'_>, Node<'_>)> = Vec::new();
    if written.is_list() {
        for item in written.items() {
            described.extend(name(item, "a requirement", findings).map(|name| (name, item)));
        }
    } else if written.is_mapping() {
        for entry in written.entries() {
            let same = entry.value.get("name").and_then(Node::as_str);
            if let Some(same) = same.filter(|same| *same != entry.name()) {
                let message = format!("requirement `{}` calls itself `{same}`", entry.name());
                findings.push(bad_value(entry.key, message).help("give both the same name"));
            } else if check_name(entry.key, findings) {
                described.push((entry.key, entry.value));
            }
        }
    } else if !written.is_null() {
        findings.push(wrong_type(written, "a mapping with requirements"));
    }
    let mut all: Vec<Requirement> = Vec::new();
    let mut first: BTreeMap<String, Node<'_>> = BTreeMap::new();
    for (key, value) in described {
        if !record(value, "a requirement", &["name", "sort", "reqSort"], findings) {
            continue;
        }
        let name = key.as_str().unwrap_or_default().to_owned();
        let sort = sort(value, &name, findings).unwrap_or(Sort::ReplicaUnaware);
        if let Some(known) = first.insert(name.clone(), key) {
            let message = format!("requirement `{name}` is declared twice");
            findings.push(declared_twice(key, known, message));
            continue;
        }
        all.push(Requirement { name, sort, arity: Arity::Any, origin: key.span().into() });
    }
    all
}

fn sort(node: Node<'_>, name: &str, findings: &mut Vec<Diagnostic>) -> Option<Sort> {
    let what = format!("requirement `{name}`");
    let written = text(node, &["sort", "reqSort"], &what, findings)?;
    let found = match written.as_str()? {
        "CONTAINMENT" => Some(Sort::Containment),
        "REPLICA_AWARE" | "AWARE" => Some(Sort::ReplicaAware),
        "REPLICA_UNAWARE" | "UNAWARE" => Some(Sort::ReplicaUnaware),
        _ => None,
    };
    if found.is_none() {
        let message = format!("`{}` is no sort of requirement", written.as_str()?);
        findings.push(
            bad_value(written, message)
                .help("write `CONTAINMENT`, `REPLICA_AWARE` or `REPLICA_UNAWARE`"),
        );
    }
    found
}

/// Which lists are there, so that something can be missing in them.
struct Lists {
    capabilities: bool,
    operations: bool,
}

fn protocol(
    node: Node<'_>,
    lists: &Lists,
    component: &mut ComponentType,
    findings: &mut Vec<Diagnostic>,
) -> Protocol {
    let what = format!("the protocol of `{}`", component.name);
    let mut declared: Vec<(Node<'_>, Node<'_>)> = Vec::new();
    let mut first: BTreeMap<&str, Node<'_>> = BTreeMap::new();
    for item in list(node, "states", &what, findings) {
        if !record(item, "a state", &["name", "requires", "offers", "faultHandlers"], findings) {
            continue;
        }
        let Some(named) = name(item, "a state", findings) else { continue };
        let name = named.as_str().unwrap_or_default();
        if let Some(known) = first.get(name) {
            let message = format!("state `{name}` is declared twice");
            findings.push(declared_twice(named, *known, message));
            continue;
        }
        first.insert(name, named);
        declared.push((named, item));
    }
    let names: Vec<&str> = declared.iter().filter_map(|(named, _)| named.as_str()).collect();
    let mut scope = Scope { component, lists, states: &names };
    let mut states = Vec::new();
    for (named, item) in &declared {
        let what = format!("state `{}`", named.as_str().unwrap_or_default());
        states.push(State {
            name: named.as_str().unwrap_or_default().to_owned(),
            requires: scope.requires(*item, &what, findings).into_iter().collect(),
            offers: scope.offers(*item, &what, findings).into_iter().collect(),
            handlers: scope.handlers(*item, &what, findings),
            on_crash: None,
            origin: named.span().into(),
        });
    }
    let transitions = scope.transitions(node, &what, findings);
    let initial = text(node, &["initialState"], &what, findings);
    let initial = initial.and_then(|initial| scope.state_id(initial, findings));
    Protocol { initial: initial.unwrap_or(StateId(0)), states, transitions, up: None }
}

/// The names that a protocol may use. Capabilities and operations that are used and not listed
/// are added: RAMP does not miss them either.
struct Scope<'a> {
    component: &'a mut ComponentType,
    lists: &'a Lists,
    states: &'a [&'a str],
}

impl Scope<'_> {
    fn transitions(
        &mut self,
        node: Node<'_>,
        what: &str,
        findings: &mut Vec<Diagnostic>,
    ) -> Vec<Transition> {
        let mut all: Vec<Transition> = Vec::new();
        let mut first: BTreeMap<_, Node<'_>> = BTreeMap::new();
        for item in list(node, "transitions", what, findings) {
            let Some((operation, transition)) = self.transition(item, findings) else { continue };
            let ends = (transition.from, transition.operation, transition.to);
            if let Some(known) = first.insert(ends, operation) {
                let name = operation.as_str().unwrap_or_default();
                let message = format!("the transition by `{name}` is declared twice");
                findings.push(declared_twice(operation, known, message));
            } else {
                all.push(transition);
            }
        }
        all
    }

    fn transition<'t>(
        &mut self,
        node: Node<'t>,
        findings: &mut Vec<Diagnostic>,
    ) -> Option<(Node<'t>, Transition)> {
        let what = "a transition";
        let known = [
            "startState",
            "startingState",
            "operation",
            "targetState",
            "requires",
            "offers",
            "faultHandlers",
        ];
        if !record(node, what, &known, findings) {
            return None;
        }
        let from = text(node, &["startState", "startingState"], what, findings);
        let from = from.and_then(|state| self.state_id(state, findings));
        let to = text(node, &["targetState"], what, findings);
        let to = to.and_then(|state| self.state_id(state, findings));
        let name = text(node, &["operation"], what, findings);
        let requires = self.requires(node, what, findings).into_iter().collect();
        let offers = self.offers(node, what, findings).into_iter().collect();
        let handlers = self.handlers(node, what, findings);
        let (from, name, to) = (from?, name?, to?);
        let operation = match self.component.operation_named(name.as_str()?) {
            Some(operation) => operation,
            None => {
                if self.lists.operations {
                    findings.push(unlisted(name, "operation", "operations"));
                }
                if !check_name(name, findings) {
                    return None;
                }
                self.component.operations.push(operation(name));
                (self.component.operations.len() - 1).into()
            }
        };
        let origin = name.span().into();
        Some((name, Transition { from, operation, to, requires, offers, handlers, origin }))
    }

    fn requires(
        &self,
        node: Node<'_>,
        what: &str,
        findings: &mut Vec<Diagnostic>,
    ) -> Vec<RequirementId> {
        let mut found = Vec::new();
        for item in names(node, "requires", what, findings) {
            match self.component.requirement_named(item.as_str().unwrap_or_default()) {
                Some(requirement) => found.push(requirement),
                None => {
                    let known = self.component.requirements.iter().map(|r| &*r.name);
                    unknown("requirement", item, known, findings);
                }
            }
        }
        found
    }

    fn offers(
        &mut self,
        node: Node<'_>,
        what: &str,
        findings: &mut Vec<Diagnostic>,
    ) -> Vec<CapabilityId> {
        let mut found = Vec::new();
        for item in names(node, "offers", what, findings) {
            let name = item.as_str().unwrap_or_default();
            found.push(match self.component.capability_named(name) {
                Some(capability) => capability,
                None if !check_name(item, findings) => continue,
                None => {
                    if self.lists.capabilities {
                        findings.push(unlisted(item, "capability", "capabilities"));
                    }
                    let origin = item.span().into();
                    let capability = Capability { name: name.to_owned(), origin };
                    self.component.capabilities.push(capability);
                    (self.component.capabilities.len() - 1).into()
                }
            });
        }
        found
    }

    fn handlers(&self, node: Node<'_>, what: &str, findings: &mut Vec<Diagnostic>) -> Vec<Handler> {
        let mut handlers: Vec<Handler> = Vec::new();
        for item in names(node, "faultHandlers", what, findings) {
            let Some(to) = self.state_id(item, findings) else { continue };
            if !handlers.iter().any(|known| known.to == to) {
                handlers.push(Handler { to, origin: item.span().into() });
            }
        }
        handlers
    }

    fn state_id(&self, node: Node<'_>, findings: &mut Vec<Diagnostic>) -> Option<StateId> {
        let name = node.as_str()?;
        let found = self.states.iter().position(|state| *state == name);
        if found.is_none() {
            unknown("state", node, self.states.iter().copied(), findings);
        }
        found.map(StateId::from)
    }
}

fn bind(node: Node<'_>, application: &mut Application, findings: &mut Vec<Diagnostic>) {
    let what = "a binding";
    let known = ["sourceNode", "sourceRequirement", "targetNode", "targetCapability"];
    if !record(node, what, &known, findings) {
        return;
    }
    let [source, requirement, target, capability] =
        known.map(|key| text(node, &[key], what, findings));
    let source = source.and_then(|name| node_id(name, application, findings));
    let target = target.and_then(|name| node_id(name, application, findings));
    let required = source.zip(requirement).and_then(|(source, name)| {
        let component = application.type_of(source);
        let found = component.requirement_named(name.as_str()?);
        if found.is_none() {
            let known = component.requirements.iter().map(|r| &*r.name);
            unknown("requirement", name, known, findings);
        }
        found
    });
    let offered = target.zip(capability).and_then(|(target, name)| {
        let component = application.type_of(target);
        let found = component.capability_named(name.as_str()?);
        if found.is_none() {
            let known = component.capabilities.iter().map(|c| &*c.name);
            unknown("capability", name, known, findings);
        }
        found
    });
    let (Some(source), Some(required), Some(target), Some(offered)) =
        (source, required, target, offered)
    else {
        return;
    };
    let place = requirement.unwrap_or(node);
    let bindings = &mut application.nodes[source.index()].bindings;
    if let Some(known) = bindings.iter().find(|binding| binding.requirement == required) {
        let message =
            format!("requirement `{}` is bound twice", place.as_str().unwrap_or_default());
        let mut finding = Diagnostic::error(super::DECLARED_TWICE, place.span(), message)
            .help("remove one of the two");
        if let Some(first) = known.origin.0 {
            finding = finding.label(first, "first bound here");
        }
        findings.push(finding);
        return;
    }
    bindings.push(Binding {
        requirement: required,
        target,
        capability: offered,
        origin: place.span().into(),
    });
}

fn node_id(
    name: Node<'_>,
    application: &Application,
    findings: &mut Vec<Diagnostic>,
) -> Option<NodeId> {
    let found = application.node_named(name.as_str()?);
    if found.is_none() {
        unknown("node", name, application.nodes.iter().map(|node| &*node.name), findings);
    }
    found
}
