//! A state of one description, taken over to another: instances, states and bindings by name.

use std::fmt;

use windlass::application::{Application, Faults, GlobalState, Instance, InstanceId};
use windlass::lifecycle::protocol::{Element, RequirementId, TransitionId};

/// What of a state has no place in another description.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum StateMisfit {
    /// It has no such node.
    NoNode(String),
    /// The node is a net.
    IsNet(String),
    /// The life cycle has no such state.
    NoState(String),
    /// The life cycle has no such transition.
    NoTransition {
        /// The node.
        node: String,
        /// Its operation.
        operation: String,
        /// Where it begins.
        from: String,
        /// Where it ends.
        to: String,
    },
    /// An instance, or every one of a node, is inside nothing.
    InNothing(String),
    /// An instance is inside another one that is of another node.
    NotOf {
        /// The instance that is around it.
        container: String,
        /// The node that should be.
        node: String,
    },
    /// The type has no such requirement.
    NoRequirement(String),
    /// The requirement is now the one that says what an instance is inside.
    IsContainment {
        /// The requirement.
        requirement: String,
        /// The instance.
        instance: String,
    },
    /// An instance is bound to one that cannot give what it needs.
    CannotSatisfy {
        /// The one that it is bound to.
        provider: String,
        /// What it needs.
        requirement: String,
        /// The instance.
        instance: String,
    },
}

impl fmt::Display for StateMisfit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StateMisfit::NoNode(name) => write!(out, "unknown node `{name}`"),
            StateMisfit::IsNet(name) => write!(out, "`{name}` is a net and has no states"),
            StateMisfit::NoState(name) => write!(out, "unknown state `{name}`"),
            StateMisfit::NoTransition { node, operation, from, to } => {
                write!(out, "`{node}` has no `{operation}` from `{from}` to `{to}`")
            }
            StateMisfit::InNothing(name) => write!(out, "`{name}` is contained in nothing"),
            StateMisfit::NotOf { container, node } => {
                write!(out, "`{container}` is no instance of `{node}`")
            }
            StateMisfit::NoRequirement(name) => write!(out, "unknown requirement `{name}`"),
            StateMisfit::IsContainment { requirement, instance } => {
                write!(out, "`{requirement}` is the containment of `{instance}`")
            }
            StateMisfit::CannotSatisfy { provider, requirement, instance } => {
                write!(out, "`{provider}` cannot satisfy `{requirement}` of `{instance}`")
            }
        }
    }
}

/// The same state for another description.
pub(crate) fn carry_over(
    state: &GlobalState,
    before: &Application,
    now: &Application,
) -> Result<GlobalState, StateMisfit> {
    let mut carried = GlobalState::empty();
    for (id, instance) in &state.instances {
        carried.instances.insert(id.clone(), carry_instance(*instance, before, now)?);
    }
    for (id, instance) in &state.instances {
        let container = state.vertical.get(id).map(|(_, container)| container);
        contain(id, container, now, &mut carried)?;
        for (at, requirement) in before.type_of(instance.node).requirements.iter().enumerate() {
            for provider in state.bound(id, RequirementId::from(at)) {
                bind(id, &requirement.name, provider, now, &mut carried)?;
            }
        }
    }
    Ok(carried)
}

fn carry_instance(
    instance: Instance,
    before: &Application,
    now: &Application,
) -> Result<Instance, StateMisfit> {
    let name = &before.node(instance.node).name;
    let node = now.node_named(name).ok_or_else(|| StateMisfit::NoNode(name.clone()))?;
    let (old, new) = (before.type_of(instance.node), now.type_of(node));
    let is_net = || StateMisfit::IsNet(name.clone());
    let (was, is) = (old.protocol().ok_or_else(is_net)?, new.protocol().ok_or_else(is_net)?);
    let element = match instance.element {
        Element::State(state) => {
            let state = &was.state(state).name;
            let found = is.state_named(state);
            Element::State(found.ok_or_else(|| StateMisfit::NoState(state.clone()))?)
        }
        Element::Transition(transition) => {
            let transition = was.transition(transition);
            let from = &was.state(transition.from).name;
            let to = &was.state(transition.to).name;
            let operation = &old.operations[transition.operation.index()].name;
            let found = is.transitions.iter().position(|it| {
                is.state(it.from).name == *from
                    && is.state(it.to).name == *to
                    && new.operations[it.operation.index()].name == *operation
            });
            let missing = || StateMisfit::NoTransition {
                node: name.clone(),
                operation: operation.clone(),
                from: from.clone(),
                to: to.clone(),
            };
            Element::Transition(TransitionId::from(found.ok_or_else(missing)?))
        }
    };
    Ok(Instance { node, element })
}

fn contain(
    id: &InstanceId,
    container: Option<&InstanceId>,
    now: &Application,
    carried: &mut GlobalState,
) -> Result<(), StateMisfit> {
    let Some(instance) = carried.instances.get(id) else { return Ok(()) };
    let node = now.node(instance.node);
    let containment = now.type_of(instance.node).containment();
    let home = containment.and_then(|it| Some((it, node.binding(it)?.target)));
    match (container, home) {
        (None, None) => {}
        (None, Some((requirement, home))) if now.faults != Faults::Replicas => {
            // There is one instance of each node: it is the one.
            let container = carried.of_node(home).next().map(|(container, _)| container.clone());
            if let Some(container) = container {
                carried.vertical.insert(id.clone(), (requirement, container));
            }
        }
        (None, Some(_)) => return Err(StateMisfit::InNothing(id.0.clone())),
        (Some(_), None) => return Err(StateMisfit::InNothing(node.name.clone())),
        (Some(container), Some((requirement, home))) => {
            if carried.instances.get(container).is_none_or(|found| found.node != home) {
                let (container, node) = (container.0.clone(), now.node(home).name.clone());
                return Err(StateMisfit::NotOf { container, node });
            }
            carried.vertical.insert(id.clone(), (requirement, container.clone()));
        }
    }
    Ok(())
}

fn bind(
    id: &InstanceId,
    name: &str,
    provider: &InstanceId,
    now: &Application,
    carried: &mut GlobalState,
) -> Result<(), StateMisfit> {
    let Some(&Instance { node, .. }) = carried.instances.get(id) else { return Ok(()) };
    let component = now.type_of(node);
    let requirement = component.requirement_named(name);
    let requirement = requirement.ok_or_else(|| StateMisfit::NoRequirement(name.to_owned()))?;
    let (instance, required) = (id.0.clone(), name.to_owned());
    if component.containment() == Some(requirement) {
        return Err(StateMisfit::IsContainment { requirement: required, instance });
    }
    let target = now.node(node).binding(requirement).map(|binding| binding.target);
    let found = carried.instances.get(provider).map(|instance| instance.node);
    if found.is_none() || found != target {
        let provider = provider.0.clone();
        return Err(StateMisfit::CannotSatisfy { provider, requirement: required, instance });
    }
    carried.horizontal.insert((id.clone(), requirement, provider.clone()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use windlass::lang;
    use windlass::source::Sources;

    use super::*;

    const TYPES: &str = "\
windlass: 1
name: shop
types:
  store:
    capabilities: [data]
    operations: { start: {}, stop: {} }
    protocol:
      initial: stopped
      states: { stopped: {}, running: { offers: [data] } }
      transitions:
        - { from: stopped, operation: start, to: running }
        - { from: running, operation: stop, to: stopped }
  api:
    requirements: { data: replica_unaware }
    operations: { start: {} }
    protocol:
      initial: stopped
      states: { stopped: {}, running: { requires: [data] } }
      transitions:
        - { from: stopped, operation: start, to: running }
nodes:
";

    fn application(nodes: &str) -> Application {
        let mut sources = Sources::new();
        let root = sources.add("shop", format!("{TYPES}{nodes}"));
        lang::read(None, root, &sources).application.unwrap()
    }

    const NODES: &str =
        "  store: { type: store }\n  api: { type: api, bind: { data: store.data } }\n";

    /// Both run, and the one is bound to the other.
    fn running(application: &Application) -> GlobalState {
        let mut state = GlobalState::empty();
        for name in ["store", "api"] {
            let node = application.node_named(name).unwrap();
            let running = application.protocol_of(node).unwrap().state_named("running").unwrap();
            let element = Element::State(running);
            state.instances.insert(name.into(), Instance { node, element });
        }
        let bound = ("api".into(), RequirementId::from(0), "store".into());
        state.horizontal.insert(bound);
        state
    }

    #[test]
    fn a_state_means_the_same_in_a_description_with_other_nodes() {
        let before = application(NODES);
        let more = format!("  spare: {{ type: store }}\n{NODES}");
        let now = application(&more);
        let carried = carry_over(&running(&before), &before, &now).unwrap();
        assert_eq!(carried, running(&now));
        assert_ne!(before.node_named("api"), now.node_named("api"));
    }

    #[test]
    fn what_has_no_place_any_more_is_named() {
        let before = application(NODES);
        let state = running(&before);
        let without = |nodes: &str| carry_over(&state, &before, &application(nodes)).unwrap_err();
        let gone = without("  store: { type: store }\n");
        assert_eq!(gone, StateMisfit::NoNode("api".to_owned()));
        let elsewhere = "  store: { type: store }\n  other: { type: store }\n  \
                         api: { type: api, bind: { data: other.data } }\n";
        let unbound = without(elsewhere).to_string();
        assert_eq!(unbound, "`store` cannot satisfy `data` of `api`");
        let types = TYPES.replace("running", "serving");
        let mut sources = Sources::new();
        let root = sources.add("shop", format!("{types}{NODES}"));
        let renamed = lang::read(None, root, &sources).application.unwrap();
        let misfit = carry_over(&state, &before, &renamed).unwrap_err();
        assert_eq!(misfit.to_string(), "unknown state `running`");
    }
}
