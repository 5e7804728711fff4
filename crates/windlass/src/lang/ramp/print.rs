//! The way back: our descriptions as RAMP's JSON, as far as RAMP can say them.
//!
//! What RAMP cannot say and what changes no behavior (commands, durations, costs, counts) is left
//! out. What would change the behavior is refused: nothing is written that means something else.

use crate::application::{Application, ComponentType, Faults, GlobalState, Policy};
use crate::lang::{Inexpressible, Written};
use crate::lifecycle::Protocol;
use crate::lifecycle::protocol::{
    Arity, CapabilityId, Element, Handler, Requirement, RequirementId, Sort, Transition,
};
use crate::plan::{Plan, PlanAction};
use crate::tree::Value;

/// The document of an application.
pub fn print(application: &Application) -> Result<Written<Value>, Inexpressible> {
    let mut refused = Inexpressible::new("RAMP");
    if application.faults != Faults::Replicas {
        let word = application.faults.as_str();
        refused.add(format!("the relation `faults: {word}`; RAMP has replicas only"));
    }
    let policy = match application.policy {
        Policy::Greedy => "GREEDYPI",
        Policy::Any => "RANDOMPI",
        Policy::LeastLoaded => {
            refused.add("the policy `least-loaded`");
            ""
        }
    };
    let mut nodes = Vec::new();
    let mut bindings = Vec::new();
    for node in &application.nodes {
        let component = application.component_type(node.component_type);
        nodes.extend(self::node(&node.name, component, &mut refused));
        for binding in &node.bindings {
            let target = application.type_of(binding.target);
            bindings.push(
                Value::map()
                    .with("sourceNode", node.name.as_str())
                    .with("sourceRequirement", requirement_name(component, binding.requirement))
                    .with("targetNode", application.node(binding.target).name.as_str())
                    .with("targetCapability", capability_name(target, binding.capability)),
            );
        }
    }
    let document = Value::map()
        .with("name", application.name.as_str())
        .with("piVersion", policy)
        .with("nodes", Value::List(nodes))
        .with("bindings", Value::List(bindings));
    refused.or(Written { left_out: left_out(application), document })
}

/// What is not written, in words for people.
fn left_out(application: &Application) -> Vec<&'static str> {
    let types = || application.types.iter();
    let operations = || types().flat_map(|t| &t.operations);
    let nodes = || application.nodes.iter();
    let protocols = || types().filter_map(ComponentType::protocol);
    let mut left_out = Vec::new();
    let mut add = |present: bool, what| {
        if present {
            left_out.push(what);
        }
    };
    add(operations().any(|o| o.run.is_some()), "the commands of operations");
    add(types().any(|t| !t.processes.is_empty()), "the processes of states");
    add(operations().any(|o| o.duration.is_some() || o.timeout.is_some()), "durations");
    let priced = operations().any(|o| o.cost.0 > 0) || types().any(|t| t.cost_per_second.0 > 0);
    add(priced, "costs");
    add(nodes().any(|n| n.count != 1 || !n.instances.is_empty()), "wanted instances");
    add(protocols().any(|p| p.up.is_some()), "the ways up");
    add(protocols().any(|p| p.states.iter().any(|s| s.on_crash.is_some())), "`on_crash`");
    left_out
}

fn node(name: &str, component: &ComponentType, refused: &mut Inexpressible) -> Option<Value> {
    let Some(protocol) = component.protocol() else {
        refused.add(format!("the net of `{name}`"));
        return None;
    };
    let mut requirements = Value::map();
    for requirement in &component.requirements {
        if requirement.arity != Arity::Any {
            refused.add(format!("the arity of `{}` of `{name}`", requirement.name));
        }
        requirements.insert(&requirement.name, self::requirement(requirement).inline());
    }
    let states = protocol.states.iter().map(|state| {
        let value = Value::map().with("name", state.name.as_str());
        let (requires, offers) = (state.requires.iter(), state.offers.iter());
        conditions(value, component, protocol, requires, offers, &state.handlers)
    });
    let transitions = protocol.transitions.iter().map(|transition| {
        let value = Value::map()
            .with("startState", protocol.state(transition.from).name.as_str())
            .with("operation", component.operations[transition.operation.index()].name.as_str())
            .with("targetState", protocol.state(transition.to).name.as_str());
        let (requires, offers) = (transition.requires.iter(), transition.offers.iter());
        conditions(value, component, protocol, requires, offers, &transition.handlers)
    });
    let initial = protocol.states.get(protocol.initial.index()).map_or("", |s| s.name.as_str());
    let value = Value::map()
        .with("initialState", initial)
        .with("states", Value::List(states.collect()))
        .with("transitions", Value::List(transitions.collect()));
    unambiguous(name, component, protocol, refused);
    let names = |names: Vec<&str>| Value::list(names).inline();
    Some(
        Value::map()
            .with("name", name)
            .with("requirements", requirements)
            .with("capabilities", names(component.capabilities.iter().map(|c| &*c.name).collect()))
            .with("operations", names(component.operations.iter().map(|o| &*o.name).collect()))
            .with("managementProtocol", value),
    )
}

/// RAMP knows a transition by the names of its source, operation and target written together.
fn unambiguous(
    name: &str,
    component: &ComponentType,
    protocol: &Protocol,
    refused: &mut Inexpressible,
) {
    let mut seen = std::collections::BTreeSet::new();
    for transition in &protocol.transitions {
        let called = transition_name(component, protocol, transition);
        if !seen.insert(called) {
            let operation = &component.operations[transition.operation.index()].name;
            let from = &protocol.state(transition.from).name;
            refused.add(format!("two ways to perform `{operation}` in `{from}` of `{name}`"));
        }
    }
    let states = protocol.states.iter();
    for state in states.filter(|state| seen.contains(&state.name)) {
        refused.add(format!("state `{}` of `{name}`, which a transition is called", state.name));
    }
}

/// What RAMP calls a transition.
pub(super) fn transition_name(
    component: &ComponentType,
    protocol: &Protocol,
    transition: &Transition,
) -> String {
    [
        protocol.state(transition.from).name.as_str(),
        component.operations[transition.operation.index()].name.as_str(),
        protocol.state(transition.to).name.as_str(),
    ]
    .concat()
}

fn requirement(requirement: &Requirement) -> Value {
    let sort = match requirement.sort {
        Sort::Containment => "CONTAINMENT",
        Sort::ReplicaAware => "REPLICA_AWARE",
        Sort::ReplicaUnaware => "REPLICA_UNAWARE",
    };
    Value::map().with("name", requirement.name.as_str()).with("sort", sort)
}

fn conditions<'a>(
    value: Value,
    component: &ComponentType,
    protocol: &Protocol,
    requires: impl Iterator<Item = &'a RequirementId>,
    offers: impl Iterator<Item = &'a CapabilityId>,
    handlers: &[Handler],
) -> Value {
    let requires = requires.map(|r| requirement_name(component, *r));
    let offers = offers.map(|c| capability_name(component, *c));
    let handlers = handlers.iter().map(|h| protocol.state(h.to).name.as_str());
    value
        .with("requires", Value::list(requires).inline())
        .with("offers", Value::list(offers).inline())
        .with("faultHandlers", Value::list(handlers).inline())
}

fn requirement_name(component: &ComponentType, id: RequirementId) -> &str {
    &component.requirements[id.index()].name
}

fn capability_name(component: &ComponentType, id: CapabilityId) -> &str {
    &component.capabilities[id.index()].name
}

/// The document of a global state.
pub fn print_state(
    application: &Application,
    state: &GlobalState,
) -> Result<Written<Value>, Inexpressible> {
    let mut refused = Inexpressible::new("RAMP");
    let mut instances = Value::map();
    let mut bindings = Value::map();
    for (id, instance) in &state.instances {
        let component = application.type_of(instance.node);
        let Some(protocol) = component.protocol() else {
            refused.add(format!("the net of `{id}`"));
            continue;
        };
        let current = match instance.element {
            Element::State(at) => protocol.state(at).name.clone(),
            Element::Transition(at) => {
                transition_name(component, protocol, protocol.transition(at))
            }
        };
        let value = Value::map()
            .with("currentState", current)
            .with("id", id.0.as_str())
            .with("node", Value::map())
            .with("nodeTypeName", application.node(instance.node).name.as_str());
        instances.insert(&id.0, value.inline());
        let contained = state.vertical.get(id).map(|(requirement, end)| (*requirement, end));
        let least = (id.clone(), RequirementId(0), "".into());
        let bound = state.horizontal.range(least..).take_while(|binding| binding.0 == *id);
        let bound: Vec<_> = contained.into_iter().chain(bound.map(|b| (b.1, &b.2))).collect();
        for pair in bound.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            let name = requirement_name(component, pair[0].0);
            refused.add(format!("several providers of `{name}` of `{id}`"));
        }
        let values = bound.into_iter().map(|(requirement, end)| {
            let described = self::requirement(&component.requirements[requirement.index()]);
            Value::map().with("req", described).with("instanceID", end.0.as_str()).inline()
        });
        bindings.insert(&id.0, Value::List(values.collect()));
    }
    let document = Value::map()
        .with("app", Value::map())
        .with("activeInstances", instances)
        .with("runtimeBindings", bindings);
    refused.or(Written { left_out: Vec::new(), document })
}

/// The document of a plan. RAMP can say every plan.
pub fn print_plan(plan: &Plan) -> Written<Value> {
    let mut actions = Value::map();
    for step in &plan.steps {
        let value = match &step.action {
            PlanAction::Operation { instance, operation } => Value::map()
                .with("action", "op")
                .with("instanceID", instance.0.as_str())
                .with("opName", operation.as_str()),
            PlanAction::ScaleOut { node, instance, container } => Value::map()
                .with("action", "scaleOut")
                .with("nodeName", node.as_str())
                .with("idToAssign", instance.0.as_str())
                .with_some("containerID", container.as_ref().map(|c| c.0.as_str())),
            PlanAction::ScaleIn { instance } => {
                Value::map().with("action", "scaleIn").with("instanceID", instance.0.as_str())
            }
        };
        actions.insert(&step.label, value.inline());
    }
    let order = plan.order.iter().map(|edge| {
        Value::map()
            .with("before", plan.steps[edge.before].label.as_str())
            .with("after", plan.steps[edge.after].label.as_str())
            .inline()
    });
    let order = Value::List(order.collect());
    let mut left_out = Vec::new();
    if plan.order.iter().any(|edge| edge.why.is_some()) {
        left_out.push("the reasons of the order");
    }
    if plan.application.is_some() || plan.start.is_some() {
        left_out.push("the digests of application and state");
    }
    Written {
        left_out,
        document: Value::map().with("actions", actions).with("partialOrder", order),
    }
}
