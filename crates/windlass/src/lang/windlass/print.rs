//! The way back: an application as a document that reads as the same application.

mod net;

use super::units::print_duration;
use crate::application::{Application, ComponentType, Faults, Node, NodeId, Operation, Policy};
use crate::goal::{self, GoalFile};
use crate::lifecycle::implementation::{
    Command, CommandLine, Effect, EnvironmentValue, Probe, ProbeKind, Process, Stop,
};
use crate::lifecycle::protocol::{
    Arity, CapabilityId, Handler, Requirement, RequirementId, State, StateId,
};
use crate::lifecycle::{Cost, Lifecycle, Protocol};
use crate::tree::Value;

/// The document of an application, with the goal that belongs to it.
pub fn print(application: &Application, goal: Option<&GoalFile>) -> Value {
    // One that wants nothing cannot be written down.
    let goal = goal.filter(|goal| **goal != GoalFile::default());
    let mut document = Value::map().with("windlass", 1).with("name", application.name.as_str());
    if application.faults != Faults::default() {
        document.insert("faults", application.faults.as_str());
    }
    if application.policy != Policy::default() {
        document.insert("policy", application.policy.as_str());
    }
    let mut types = Value::map();
    for component in &application.types {
        types.insert(&component.name, component_type(component));
    }
    let mut nodes = Value::map();
    for id in application.node_ids() {
        nodes.insert(&application.node(id).name, node(application, id));
    }
    document
        .with("types", types)
        .with("nodes", nodes)
        .with_some("goal", goal.map(|goal| goal_value(application, goal)))
        .with_some("hosts", net::hosts(&application.deployment))
        .with_some("locks", net::slots(&application.deployment.locks))
        .with_some("durations_from", application.deployment.durations_from.as_deref())
}

fn component_type(component: &ComponentType) -> Value {
    let mut value = Value::map();
    if !component.requirements.is_empty() {
        let mut requirements = Value::map();
        for requirement in &component.requirements {
            requirements.insert(&requirement.name, self::requirement(requirement));
        }
        value.insert("requirements", requirements);
    }
    let capabilities: Vec<_> = component.capabilities.iter().map(|c| c.name.as_str()).collect();
    insert_names(&mut value, "capabilities", capabilities);
    if let Lifecycle::Protocol(protocol) = &component.lifecycle
        && !operations_are_implied(component, protocol)
    {
        let mut operations = Value::map();
        for operation in &component.operations {
            operations.insert(&operation.name, self::operation(operation));
        }
        value.insert("operations", operations);
    }
    insert_cost(&mut value, "cost_per_second", component.cost_per_second);
    match &component.lifecycle {
        Lifecycle::Protocol(protocol) => {
            value.with("protocol", self::protocol(component, protocol))
        }
        Lifecycle::Net(net) => value.with("net", net::net(net)),
    }
}

fn requirement(requirement: &Requirement) -> Value {
    let arity = match requirement.arity {
        Arity::Any => return requirement.sort.as_str().into(),
        Arity::All => "all".into(),
        Arity::AtLeast(number) => Value::map().with("at_least", i128::from(number)).inline(),
    };
    Value::map().with("sort", requirement.sort.as_str()).with("arity", arity).inline()
}

/// Whether reading the transitions alone would give the same list of operations.
fn operations_are_implied(component: &ComponentType, protocol: &Protocol) -> bool {
    let bare = |o: &Operation| {
        let untimed = o.duration.is_none() && o.timeout.is_none() && o.cost == Cost(0);
        let unsaid = o.retry.is_none() && o.effect.is_none() && o.host.is_none();
        o.run.is_none() && untimed && unsaid
    };
    let mut first_use = Vec::new();
    for transition in &protocol.transitions {
        if !first_use.contains(&transition.operation.index()) {
            first_use.push(transition.operation.index());
        }
    }
    component.operations.iter().all(bare) && first_use.into_iter().eq(0..component.operations.len())
}

fn operation(operation: &Operation) -> Value {
    let mut value = Value::map()
        .with_some("run", operation.run.as_ref().map(command))
        .with_some("duration", operation.duration.map(print_duration));
    insert_cost(&mut value, "cost", operation.cost);
    value
        .with_some("timeout", operation.timeout.map(print_duration))
        .with_some("retry", operation.retry.map(net::retry))
        .with_some("effect", operation.effect.as_ref().map(effect))
        .with_some("host", operation.host.as_deref())
}

fn effect(effect: &Effect) -> Value {
    match effect {
        Effect::Idempotent => "idempotent".into(),
        Effect::AtMostOnce => "at_most_once".into(),
        Effect::Observable(check) => Value::map().with("check", command(check)),
    }
}

fn probe(probe: &Probe) -> Value {
    let value = match &probe.kind {
        ProbeKind::Command(run) => Value::map().with("run", command(run)),
        ProbeKind::Tcp(address) => Value::map().with("tcp", address.as_str()),
        ProbeKind::Http(address) => Value::map().with("http", address.as_str()),
    };
    value
        .with_some("every", probe.every.map(print_duration))
        .with_some("timeout", probe.timeout.map(print_duration))
        .with_some("failures", probe.failures.map(i128::from))
}

fn command(command: &Command) -> Value {
    let plain =
        command.directory.is_none() && command.environment.is_empty() && command.files.is_empty();
    let mut value = match &command.line {
        CommandLine::Arguments(argv) if plain => {
            return Value::list(argv.iter().map(String::as_str)).inline();
        }
        CommandLine::Arguments(argv) => {
            Value::map().with("argv", Value::list(argv.iter().map(String::as_str)).inline())
        }
        CommandLine::Shell(script) => Value::map().with("shell", script.as_str()),
    };
    if let Some(directory) = &command.directory {
        value.insert("directory", directory.as_str());
    }
    if !command.environment.is_empty() {
        let mut environment = Value::map();
        for (name, entry) in &command.environment {
            environment.insert(
                name,
                match entry {
                    EnvironmentValue::Plain(text) => Value::from(text.as_str()),
                    EnvironmentValue::Secret(name) => {
                        Value::map().with("secret", name.as_str()).inline()
                    }
                },
            );
        }
        value.insert("environment", environment);
    }
    if !command.files.is_empty() {
        value.insert("files", Value::list(command.files.iter().map(String::as_str)).inline());
    }
    value
}

fn process(process: &Process) -> Value {
    let stop = match &process.stop {
        Stop::Signal(name) => Value::from(name.as_str()),
        Stop::Command(stop) => Value::map().with("run", command(stop)),
    };
    Value::map()
        .with("run", command(&process.command))
        .with("stop", stop)
        .with_some("grace", process.grace.map(print_duration))
        .with_some("health", process.health.as_ref().map(probe))
        .with_some("image", process.image.as_deref())
}

fn protocol(component: &ComponentType, protocol: &Protocol) -> Value {
    let mut states = Value::map();
    for (at, state) in protocol.states.iter().enumerate() {
        states.insert(&state.name, self::state(component, protocol, StateId::from(at), state));
    }
    let transitions: Vec<Value> = protocol
        .transitions
        .iter()
        .map(|transition| {
            let mut value = Value::map()
                .with("from", protocol.state(transition.from).name.as_str())
                .with("operation", component.operations[transition.operation.index()].name.as_str())
                .with("to", protocol.state(transition.to).name.as_str());
            conditions(
                &mut value,
                component,
                protocol,
                transition.requires.iter(),
                transition.offers.iter(),
                &transition.handlers,
            );
            value.inline()
        })
        .collect();
    let up = protocol.up.as_ref().map(|up| {
        Value::list(up.iter().map(|o| component.operations[o.index()].name.as_str())).inline()
    });
    let initial = protocol.states.get(protocol.initial.index()).map_or("", |s| s.name.as_str());
    Value::map()
        .with("initial", initial)
        .with("states", states)
        .with("transitions", Value::List(transitions))
        .with_some("up", up)
}

fn state(component: &ComponentType, protocol: &Protocol, id: StateId, state: &State) -> Value {
    let mut value = Value::map();
    conditions(
        &mut value,
        component,
        protocol,
        state.requires.iter(),
        state.offers.iter(),
        &state.handlers,
    );
    if let Some(crashed) = state.on_crash {
        value.insert("on_crash", protocol.state(crashed).name.as_str());
    }
    match component.processes.get(&id) {
        Some(process) => value.with("process", self::process(process)),
        None => value.inline(),
    }
}

fn conditions<'a>(
    value: &mut Value,
    component: &ComponentType,
    protocol: &Protocol,
    requires: impl Iterator<Item = &'a RequirementId>,
    offers: impl Iterator<Item = &'a CapabilityId>,
    handlers: &[Handler],
) {
    let requires = requires.map(|r| component.requirements[r.index()].name.as_str()).collect();
    let offers = offers.map(|c| component.capabilities[c.index()].name.as_str()).collect();
    let handlers = handlers.iter().map(|h| protocol.state(h.to).name.as_str()).collect();
    insert_names(value, "requires", requires);
    insert_names(value, "offers", offers);
    insert_names(value, "on_fault", handlers);
}

fn node(application: &Application, id: NodeId) -> Value {
    let node = application.node(id);
    let component = application.component_type(node.component_type);
    let mut value = Value::map().with("type", component.name.as_str());
    if node.count != u32::try_from(node.instances.len()).unwrap_or(u32::MAX).max(1) {
        value.insert("count", i128::from(node.count));
    }
    let mut bind = Value::map();
    for binding in &node.bindings {
        let requirement = &component.requirements[binding.requirement.index()].name;
        let target = application.type_of(binding.target);
        let capability = &target.capabilities[binding.capability.index()].name;
        let end = format!("{}.{capability}", application.node(binding.target).name);
        bind.insert(requirement, end);
    }
    connections(application, node, &mut bind);
    if !bind.is_empty() {
        value.insert("bind", bind.inline());
    }
    net::deployment(application, id, &mut value);
    if !node.instances.is_empty() {
        let mut instances = Value::map();
        for instance in &node.instances {
            let container = instance.container.as_deref();
            instances.insert(&instance.id, Value::map().with_some("in", container).inline());
        }
        return value.with("instances", instances);
    }
    value.inline()
}

/// Connections of one port stand together, in the order of the first one.
fn connections(application: &Application, node: &Node, bind: &mut Value) {
    let Some(net) = application.component_type(node.component_type).net() else { return };
    let mut done = Vec::new();
    for connection in &node.connections {
        if done.contains(&connection.port) {
            continue;
        }
        done.push(connection.port);
        let same = node.connections.iter().filter(|other| other.port == connection.port);
        let ends: Vec<String> = same
            .filter_map(|c| {
                let port = &application.type_of(c.target).net()?.port(c.target_port).name;
                Some(format!("{}.{port}", application.node(c.target).name))
            })
            .collect();
        let name = &net.port(connection.port).name;
        match ends.as_slice() {
            [end] => bind.insert(name, end.as_str()),
            ends => bind.insert(name, Value::list(ends.iter().map(String::as_str)).inline()),
        }
    }
}

fn goal_value(application: &Application, file: &GoalFile) -> Value {
    let text = |goal: &goal::Goal| goal::print(goal, application);
    let parts = file.keep.len() + file.always.len() + file.never.len() + file.budget.len();
    if parts == 0 {
        return text(&file.goal).into();
    }
    let mut value = Value::map().with("goal", text(&file.goal));
    insert_names(&mut value, "keep", file.keep.iter().map(|id| id.0.as_str()).collect());
    if !file.always.is_empty() {
        value.insert("always", Value::list(file.always.iter().map(text)));
    }
    if !file.never.is_empty() {
        value.insert("never", Value::list(file.never.iter().map(text)));
    }
    if !file.budget.is_empty() {
        let mut budget = Value::map();
        for (node, most) in &file.budget {
            budget.insert(&application.node(*node).name, i128::from(*most));
        }
        value.insert("budget", budget);
    }
    value
}

fn insert_names(value: &mut Value, key: &str, names: Vec<&str>) {
    if !names.is_empty() {
        value.insert(key, Value::list(names).inline());
    }
}

fn insert_cost(value: &mut Value, key: &str, cost: Cost) {
    if cost == Cost(0) {
        return;
    }
    if cost.0.is_multiple_of(1000) {
        value.insert(key, i128::from(cost.0 / 1000));
    } else {
        value.insert(key, Value::Float(cost.0 as f64 / 1000.0));
    }
}
