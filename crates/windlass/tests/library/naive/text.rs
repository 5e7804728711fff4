//! A small notation for hand-made applications, states and plans, so that a test can be read
//! beside its argument. A mistake in it panics: it is only for tests.
//!
//! ```text
//! node web * 2                          a node, two instances wanted
//!   needs db data.sql unaware           or: aware, containment; then: all, at_least 2
//!   state off                           the first state is the initial one
//!   state on needs db offers page else off      `else` names the handlers
//!   start off -> on needs db else off   an operation; any other word is its name
//! ```
//! State: `w1:web=on@h1` (in container `h1`; `=#3` is transition 3) and `w1.db>d1`.
//! Plan: `x: w1 start ; y: + w2 web @ h1 ; z: - w1 ; x < y < z`.

use std::collections::{BTreeMap, BTreeSet};

use windlass::application::{
    Application, Binding, ComponentType, Faults, GlobalState, Instance, InstanceId, Node,
    Operation, Policy, WantedInstance,
};
use windlass::lifecycle::protocol::{
    Arity, Capability, CapabilityId, Element, Handler, Requirement, RequirementId, Sort, State,
    StateId, Transition, TransitionId,
};
use windlass::lifecycle::{Cost, Lifecycle, Protocol};
use windlass::plan::{Order, Plan, PlanAction, Step};
use windlass::source::Origin;

/// One node as written: its head and its lines, as words.
struct Written<'a> {
    head: Vec<&'a str>,
    lines: Vec<Vec<&'a str>>,
}

/// The word that must be there.
fn word<'a>(words: &[&'a str], at: usize) -> &'a str {
    words.get(at).unwrap_or_else(|| panic!("a word is missing in {words:?}"))
}

/// The words after `keyword`, up to the next keyword.
fn after<'a>(words: &[&'a str], keyword: &str) -> Vec<&'a str> {
    let rest = words.iter().skip_while(|w| **w != keyword).skip(1);
    rest.take_while(|w| !["needs", "offers", "else"].contains(w)).copied().collect()
}

/// Reads an application.
pub(crate) fn application(text: &str) -> Application {
    let mut faults = Faults::Replicas;
    let mut written: Vec<Written<'_>> = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.first() {
            None => {}
            Some(&"forbidden") => faults = Faults::Forbidden,
            Some(&"handled") => faults = Faults::Handled,
            Some(&"node") => written.push(Written { head: words, lines: Vec::new() }),
            Some(_) => match written.last_mut() {
                Some(node) => node.lines.push(words),
                None => panic!("no node before {words:?}"),
            },
        }
    }
    let types: Vec<ComponentType> = written.iter().map(|w| component_type(w, &written)).collect();
    let nodes = written.iter().enumerate().map(|(at, w)| node(at, w, &types)).collect();
    let (name, policy, origin) = ("fixture".to_owned(), Policy::Any, Origin(None));
    Application {
        name,
        faults,
        policy,
        types,
        nodes,
        deployment: windlass::application::Deployment::default(),
        origin,
        names: windlass::application::NodeNames::default(),
    }
}

/// The capabilities of a node: what it offers somewhere, and what others need of it.
fn capabilities(written: &Written<'_>, all: &[Written<'_>]) -> Vec<Capability> {
    let name = word(&written.head, 1);
    let offered = written.lines.iter().flat_map(|line| after(line, "offers"));
    let needed = all
        .iter()
        .flat_map(|other| &other.lines)
        .filter(|line| line[0] == "needs")
        .filter_map(|line| word(line, 2).split_once('.'))
        .filter(|(node, _)| *node == name)
        .map(|(_, capability)| capability);
    let names: BTreeSet<&str> = offered.chain(needed).collect();
    names.iter().map(|n| Capability { name: (*n).to_owned(), origin: Origin(None) }).collect()
}

fn requirement(line: &[&str]) -> Requirement {
    let sort = match word(line, 3) {
        "containment" => Sort::Containment,
        "aware" => Sort::ReplicaAware,
        "unaware" => Sort::ReplicaUnaware,
        other => panic!("no sort {other}"),
    };
    let arity = match line.get(4) {
        None => Arity::Any,
        Some(&"all") => Arity::All,
        Some(&"at_least") => Arity::AtLeast(word(line, 5).parse().unwrap_or(1)),
        Some(other) => panic!("no arity {other}"),
    };
    Requirement { name: word(line, 1).to_owned(), sort, arity, origin: Origin(None) }
}

fn component_type(written: &Written<'_>, all: &[Written<'_>]) -> ComponentType {
    let origin = Origin(None);
    let name = word(&written.head, 1).to_owned();
    let (needs, rest): (Vec<_>, Vec<_>) = written.lines.iter().partition(|l| l[0] == "needs");
    let (states, moves): (Vec<_>, Vec<_>) = rest.into_iter().partition(|l| l[0] == "state");
    let requirements: Vec<Requirement> = needs.iter().map(|line| requirement(line)).collect();
    let capabilities = capabilities(written, all);
    let operation_names: BTreeSet<&str> = moves.iter().map(|line| line[0]).collect();
    let find = |found: Option<usize>, what: &str| {
        found.unwrap_or_else(|| panic!("{what} is not known in {name}"))
    };
    let state_id =
        |s: &str| StateId::from(find(states.iter().position(|line| word(line, 1) == s), s));
    let requires = |line: &[&str]| -> BTreeSet<RequirementId> {
        let names = after(line, "needs").into_iter();
        names.map(|n| find(requirements.iter().position(|r| r.name == n), n).into()).collect()
    };
    let offers = |line: &[&str]| -> BTreeSet<CapabilityId> {
        let names = after(line, "offers").into_iter();
        names.map(|n| find(capabilities.iter().position(|c| c.name == n), n).into()).collect()
    };
    let handlers = |line: &[&str]| -> Vec<Handler> {
        after(line, "else").into_iter().map(|to| Handler { to: state_id(to), origin }).collect()
    };
    let protocol = Protocol {
        initial: StateId(0),
        states: states
            .iter()
            .map(|line| State {
                name: word(line, 1).to_owned(),
                requires: requires(line),
                offers: offers(line),
                handlers: handlers(line),
                on_crash: None,
                origin,
            })
            .collect(),
        transitions: moves
            .iter()
            .map(|line| Transition {
                from: state_id(word(line, 1)),
                operation: find(operation_names.iter().position(|o| *o == line[0]), line[0]).into(),
                to: state_id(word(line, 3)),
                requires: requires(line),
                offers: offers(line),
                handlers: handlers(line),
                origin,
            })
            .collect(),
        up: None,
    };
    let operations = operation_names.iter().map(|name| operation(name)).collect();
    ComponentType {
        name,
        requirements,
        capabilities,
        operations,
        lifecycle: Lifecycle::Protocol(protocol),
        processes: BTreeMap::default(),
        cost_per_second: Cost::default(),
        origin,
    }
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
        origin: Origin(None),
    }
}

fn node(at: usize, written: &Written<'_>, types: &[ComponentType]) -> Node {
    let origin = Origin(None);
    let mut count = 1;
    if written.head.get(2) == Some(&"*") {
        count = word(&written.head, 3).parse().unwrap_or(1);
    }
    let declared = written.head.iter().skip_while(|w| **w != "named").skip(1);
    let instances = declared
        .map(|id| WantedInstance { id: (*id).to_owned(), container: None, origin })
        .collect();
    let needs = written.lines.iter().filter(|line| line[0] == "needs");
    let bindings = needs
        .enumerate()
        .map(|(requirement, line)| {
            let Some((node, capability)) = word(line, 2).split_once('.') else {
                panic!("NODE.CAPABILITY expected in {line:?}");
            };
            let target = types.iter().position(|t| t.name == node);
            let target = target.unwrap_or_else(|| panic!("no node {node}"));
            let capability = types[target].capability_named(capability);
            let capability = capability.unwrap_or_else(|| panic!("no capability in {line:?}"));
            Binding { requirement: requirement.into(), target: target.into(), capability, origin }
        })
        .collect();
    Node {
        name: word(&written.head, 1).to_owned(),
        component_type: at.into(),
        count,
        instances,
        bindings,
        connections: Vec::new(),
        origin,
    }
}

/// Reads a global state.
pub(crate) fn state(application: &Application, text: &str) -> GlobalState {
    let mut state = GlobalState::empty();
    let (bindings, instances): (Vec<&str>, Vec<&str>) =
        text.split_whitespace().partition(|item| item.contains('>'));
    for item in instances {
        let parts: Vec<&str> = item.split([':', '=', '@']).collect();
        let [id, node, place, ..] = parts[..] else { panic!("ID:NODE=STATE expected: {item}") };
        let node = application.node_named(node).unwrap_or_else(|| panic!("no node {node}"));
        let element = if let Some(at) = place.strip_prefix('#') {
            Element::Transition(TransitionId(at.parse().unwrap_or(u32::MAX)))
        } else {
            let protocol = application.protocol_of(node);
            let found = protocol.and_then(|protocol| protocol.state_named(place));
            Element::State(found.unwrap_or_else(|| panic!("no state {place}")))
        };
        state.instances.insert(id.into(), Instance { node, element });
        if let Some(container) = parts.get(3) {
            let by = application.type_of(node).containment();
            let by = by.unwrap_or_else(|| panic!("{item} is contained in nothing"));
            state.vertical.insert(id.into(), (by, (*container).into()));
        }
    }
    for item in bindings {
        let parts: Vec<&str> = item.split(['.', '>']).collect();
        let [from, by, to] = parts[..] else { panic!("ID.REQUIREMENT>ID expected: {item}") };
        let node = state.instances[&InstanceId::from(from)].node;
        let by = application.type_of(node).requirement_named(by);
        let by = by.unwrap_or_else(|| panic!("no requirement in {item}"));
        state.horizontal.insert((from.into(), by, to.into()));
    }
    state
}

/// Reads a plan.
pub(crate) fn plan(text: &str) -> Plan {
    let mut plan = Plan::default();
    let origin = Origin(None);
    let statements = || text.split([';', '\n']).map(str::trim).filter(|s| !s.is_empty());
    for statement in statements() {
        let Some((label, rest)) = statement.split_once(": ") else { continue };
        let words: Vec<&str> = rest.split_whitespace().collect();
        let action = match words[..] {
            ["+", id, node] => {
                PlanAction::ScaleOut { node: node.to_owned(), instance: id.into(), container: None }
            }
            ["+", id, node, "@", container] => PlanAction::ScaleOut {
                node: node.to_owned(),
                instance: id.into(),
                container: Some(container.into()),
            },
            ["-", id] => PlanAction::ScaleIn { instance: id.into() },
            [id, operation] => {
                PlanAction::Operation { instance: id.into(), operation: operation.to_owned() }
            }
            _ => panic!("no action: {rest}"),
        };
        plan.steps.push(Step { label: label.to_owned(), action, origin });
    }
    for statement in statements().filter(|statement| !statement.contains(": ")) {
        let labels: Vec<&str> = statement.split('<').map(str::trim).collect();
        for pair in labels.windows(2) {
            let at = |label| {
                let found = plan.step_labelled(label);
                found.unwrap_or_else(|| panic!("no step {label}"))
            };
            let (before, after) = (at(pair[0]), at(pair[1]));
            plan.order.push(Order { before, after, why: None, origin });
        }
    }
    plan
}
