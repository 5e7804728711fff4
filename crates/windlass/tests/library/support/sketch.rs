//! Applications and states as short texts, one thing a line, for tests only.
//!
//! ```text
//! type api needs host:containment data:aware has endpoint
//!   state available                    # the first state is the initial one
//!   state running needs host data offers endpoint fault available crash available
//!   op available start running needs host fault available
//! node api api x2 host=maven.host data=mongo.db
//! instances api a1 a2                  # named instances, in the order of declaration
//! policy greedy
//! faults forbidden
//! ```
//! Sorts are `containment`, `aware`, `unaware`, with an arity behind a second colon:
//! `data:aware:all`, `data:unaware:2`.

use std::collections::BTreeMap;

use windlass::application::{
    Application, Binding, ComponentType, Faults, GlobalState, Instance, InstanceId, Node, NodeId,
    Operation, Policy, TypeId, WantedInstance,
};
use windlass::lifecycle::protocol::{
    Arity, Capability, Element, Handler, OperationId, Protocol, Requirement, Sort, State, StateId,
    Transition,
};
use windlass::lifecycle::{Cost, Lifecycle};
use windlass::source::Origin;

/// Nowhere.
pub const ORIGIN: Origin = Origin(None);

/// The words of a line up to a comment.
fn words(line: &str) -> Vec<&str> {
    line.split('#').next().unwrap_or_default().split_whitespace().collect()
}

/// The words that follow one of the `keys`, by key.
fn groups<'a>(words: &[&'a str], keys: &[&str]) -> BTreeMap<String, Vec<&'a str>> {
    let mut groups: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let mut key = String::new();
    for word in words {
        if keys.contains(word) {
            (*word).clone_into(&mut key);
        }
        let group = groups.entry(key.clone()).or_default();
        if !keys.contains(word) {
            group.push(word);
        }
    }
    groups
}

/// Reads an application; panics when the sketch is wrong.
pub fn application(text: &str) -> Application {
    let mut application = Application {
        name: "sketch".to_owned(),
        faults: Faults::Replicas,
        policy: Policy::Any,
        types: Vec::new(),
        nodes: Vec::new(),
        deployment: windlass::application::Deployment::default(),
        origin: ORIGIN,
        names: windlass::application::NodeNames::default(),
    };
    let lines: Vec<Vec<&str>> = text.lines().map(words).filter(|w| !w.is_empty()).collect();
    for (at, line) in lines.iter().enumerate() {
        if line[0] == "type" {
            let rest = &lines[at + 1..];
            let end = rest.iter().position(|l| l[0] != "state" && l[0] != "op");
            let body = &rest[..end.unwrap_or(rest.len())];
            application.types.push(component_type(line, body));
        }
    }
    for line in lines.iter().filter(|line| line[0] == "node") {
        let ty = application.types.iter().position(|t| t.name == line[2]).expect("a known type");
        application.nodes.push(Node {
            name: line[1].to_owned(),
            component_type: TypeId::from(ty),
            count: 1,
            instances: Vec::new(),
            bindings: Vec::new(),
            connections: Vec::new(),
            origin: ORIGIN,
        });
    }
    for line in &lines {
        match line[0] {
            "node" => complete_node(&mut application, line),
            "instances" => {
                let node = application.node_named(line[1]).expect("a known node");
                let wanted = |id: &&str| WantedInstance {
                    id: (*id).to_owned(),
                    container: None,
                    origin: ORIGIN,
                };
                application.nodes[node.index()].instances = line[2..].iter().map(wanted).collect();
            }
            "policy" => {
                let all = [Policy::Any, Policy::Greedy, Policy::LeastLoaded];
                application.policy =
                    all.into_iter().find(|p| p.as_str() == line[1]).expect("a policy");
            }
            "faults" => {
                let all = [Faults::Forbidden, Faults::Handled, Faults::Replicas];
                application.faults =
                    all.into_iter().find(|f| f.as_str() == line[1]).expect("a relation");
            }
            "type" | "state" | "op" => {}
            other => panic!("what is `{other}`?"),
        }
    }
    application
}

/// The count and the bindings of a `node` line.
fn complete_node(application: &mut Application, line: &[&str]) {
    let node = application.node_named(line[1]).expect("a known node");
    for word in &line[3..] {
        if let Some((requirement, target)) = word.split_once('=') {
            let (target, capability) = target.split_once('.').expect("node.capability");
            let target = application.node_named(target).expect("a known node");
            let binding = Binding {
                requirement: application.type_of(node).requirement_named(requirement).expect(word),
                target,
                capability: application.type_of(target).capability_named(capability).expect(word),
                origin: ORIGIN,
            };
            application.nodes[node.index()].bindings.push(binding);
        } else {
            application.nodes[node.index()].count = word[1..].parse().expect("xCOUNT");
        }
    }
}

fn requirement(word: &str) -> Requirement {
    let mut parts = word.split(':');
    let name = parts.next().expect("a name").to_owned();
    let sort = match parts.next().expect("name:sort") {
        "containment" => Sort::Containment,
        "aware" => Sort::ReplicaAware,
        "unaware" => Sort::ReplicaUnaware,
        other => panic!("what sort is `{other}`?"),
    };
    let arity = match parts.next() {
        None => Arity::Any,
        Some("all") => Arity::All,
        Some(least) => Arity::AtLeast(least.parse().expect("a number")),
    };
    Requirement { name, sort, arity, origin: ORIGIN }
}

fn component_type(head: &[&str], body: &[Vec<&str>]) -> ComponentType {
    let heads = groups(&head[2..], &["needs", "has"]);
    let mut ty = ComponentType {
        name: head[1].to_owned(),
        requirements: heads.get("needs").into_iter().flatten().map(|w| requirement(w)).collect(),
        capabilities: heads
            .get("has")
            .into_iter()
            .flatten()
            .map(|name| Capability { name: (*name).to_owned(), origin: ORIGIN })
            .collect(),
        operations: Vec::new(),
        lifecycle: Lifecycle::Protocol(Protocol {
            initial: StateId(0),
            states: Vec::new(),
            transitions: Vec::new(),
            up: None,
        }),
        processes: BTreeMap::new(),
        cost_per_second: Cost::default(),
        origin: ORIGIN,
    };
    let names: Vec<&str> = body.iter().filter(|l| l[0] == "state").map(|l| l[1]).collect();
    let state_id =
        |name: &str| StateId::from(names.iter().position(|n| *n == name).expect("a state"));
    let mut states = Vec::new();
    let mut transitions = Vec::new();
    for line in body {
        let first = if line[0] == "state" { 2 } else { 4 };
        let parts = groups(&line[first..], &["needs", "offers", "fault", "crash"]);
        let part = |key: &str| parts.get(key).cloned().unwrap_or_default();
        let requires =
            part("needs").iter().map(|r| ty.requirement_named(r).expect("a need")).collect();
        let offers =
            part("offers").iter().map(|c| ty.capability_named(c).expect("an offer")).collect();
        let handlers =
            part("fault").iter().map(|s| Handler { to: state_id(s), origin: ORIGIN }).collect();
        if line[0] == "state" {
            let on_crash = part("crash").first().map(|name| state_id(name));
            let name = line[1].to_owned();
            states.push(State { name, requires, offers, handlers, on_crash, origin: ORIGIN });
        } else {
            let operation = ty.operation_named(line[2]).unwrap_or_else(|| {
                ty.operations.push(operation(line[2]));
                OperationId::from(ty.operations.len() - 1)
            });
            let (from, to) = (state_id(line[1]), state_id(line[3]));
            transitions.push(Transition {
                from,
                operation,
                to,
                requires,
                offers,
                handlers,
                origin: ORIGIN,
            });
        }
    }
    ty.lifecycle =
        Lifecycle::Protocol(Protocol { initial: StateId(0), states, transitions, up: None });
    ty
}

fn operation(name: &str) -> Operation {
    Operation {
        name: name.to_owned(),
        run: None,
        duration: None,
        cost: Cost::default(),
        timeout: None,
        retry: None,
        effect: None,
        host: None,
        origin: ORIGIN,
    }
}

/// Reads a state: `g1 gui working in n1 backend=a1`, one instance a line. An element
/// `working/stop` is the (first) transition of that operation in that state.
pub fn state(application: &Application, text: &str) -> GlobalState {
    let mut state = GlobalState::empty();
    for line in text.lines().map(words).filter(|w| !w.is_empty()) {
        let id = InstanceId::from(line[0]);
        let node = application.node_named(line[1]).expect("a known node");
        let ty = application.type_of(node);
        state.instances.insert(id.clone(), Instance { node, element: element(ty, line[2]) });
        for at in 3..line.len() {
            if line[at] == "in" {
                let containment = ty.containment().expect("a containment requirement");
                let container = InstanceId::from(line[at + 1]);
                state.vertical.insert(id.clone(), (containment, container));
            } else if let Some((requirement, targets)) = line[at].split_once('=') {
                let requirement = ty.requirement_named(requirement).expect("a requirement");
                for target in targets.split(',') {
                    state.horizontal.insert((id.clone(), requirement, InstanceId::from(target)));
                }
            }
        }
    }
    state
}

fn element(ty: &ComponentType, text: &str) -> Element {
    let protocol = ty.protocol().expect("a protocol");
    match text.split_once('/') {
        None => Element::State(protocol.state_named(text).expect("a known state")),
        Some((from, operation)) => {
            let from = protocol.state_named(from).expect("a known state");
            let operation = ty.operation_named(operation).expect("a known operation");
            let mut transitions = protocol.transitions_for(from, operation);
            Element::Transition(transitions.next().expect("a transition"))
        }
    }
}

/// Prints a state so that [`state`] can read it.
pub fn show(application: &Application, state: &GlobalState) -> String {
    let mut text = String::new();
    for (id, instance) in &state.instances {
        let ty = application.type_of(instance.node);
        let protocol = ty.protocol().expect("a protocol");
        let element = match instance.element {
            Element::State(at) => protocol.state(at).name.clone(),
            Element::Transition(at) => {
                let transition = protocol.transition(at);
                let operation = &ty.operations[transition.operation.index()].name;
                format!("{}/{operation}", protocol.state(transition.from).name)
            }
        };
        text += &format!("{id} {} {element}", node_name(application, instance.node));
        if let Some(container) = state.container(id) {
            text += &format!(" in {container}");
        }
        for (source, requirement, target) in &state.horizontal {
            if source == id {
                text += &format!(" {}={target}", ty.requirements[requirement.index()].name);
            }
        }
        text += "\n";
    }
    text
}

fn node_name(application: &Application, node: NodeId) -> &str {
    &application.node(node).name
}
