//! A template as an application: each resource is absent or created, and what it waits for must be
//! created as long as it is.
//!
//! Resources are nodes, `depends_on` and references are requirements, as paper 000 section 7.1 has
//! them as locations and roles. Members of groups stand for themselves beside their group.

use std::collections::{BTreeMap, BTreeSet};

use super::stack::{Resource, Stack};
use crate::application::{
    Application, Binding, ComponentType, Deployment, Faults, Node, NodeId, Operation, Policy,
    TypeId,
};
use crate::lifecycle::protocol::{
    Arity, Capability, CapabilityId, OperationId, Requirement, RequirementId, Sort, State, StateId,
    Transition,
};
use crate::lifecycle::{Cost, Expected, Lifecycle, Protocol};
use crate::source::Origin;

/// The application that a template describes; a resource whose condition does not hold has no part
/// in it, and neither has one that exists already.
pub(super) fn application(stack: &Stack, name: &str) -> Application {
    let is_part = |resource: &Resource| resource.condition != Some(false) && !resource.is_external;
    let mut nodes: BTreeMap<usize, NodeId> = BTreeMap::new();
    for (at, _) in stack.resources.iter().enumerate().filter(|(_, resource)| is_part(resource)) {
        nodes.insert(at, NodeId::from(nodes.len()));
    }
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, resource) in stack.resources.iter().enumerate() {
        if let Some(group) = resource.group {
            members.entry(group).or_default().push(at);
        }
    }
    let mut application = Application {
        name: name.to_owned(),
        faults: Faults::Forbidden,
        policy: Policy::default(),
        types: Vec::new(),
        nodes: Vec::new(),
        deployment: Deployment::default(),
        origin: stack.span.into(),
    };
    for at in nodes.keys() {
        let resource = &stack.resources[*at];
        let waits: Vec<_> = match resource.group {
            // A member is created by its group, after what the group waits for.
            Some(group) => stack.resources[group].waits_for.clone(),
            None => {
                let members = members.get(at).into_iter().flatten();
                let members = members.map(|member| (*member, stack.resources[*member].span));
                resource.waits_for.iter().copied().chain(members).collect()
            }
        };
        let known: Vec<_> = waits
            .into_iter()
            .filter_map(|(target, span)| Some((*nodes.get(&target)?, target, span)))
            .collect();
        let names = known
            .iter()
            .map(|(_, target, span)| (stack.resources[*target].name.as_str(), Origin::from(*span)));
        let component_type = TypeId::from(application.types.len());
        application.types.push(component(resource, names.collect()));
        let binding = |(at, (target, _, span)): (usize, &(NodeId, usize, _))| Binding {
            requirement: RequirementId::from(at),
            target: *target,
            capability: CapabilityId::from(0),
            origin: Origin::from(*span),
        };
        application.nodes.push(Node {
            name: resource.name.clone(),
            component_type,
            count: 1,
            instances: Vec::new(),
            bindings: known.iter().enumerate().map(binding).collect(),
            connections: Vec::new(),
            origin: resource.span.into(),
        });
    }
    application
}

/// The life of a resource: `create` leads from absent to created, `delete` back.
fn component(resource: &Resource, needs: Vec<(&str, Origin)>) -> ComponentType {
    let origin: Origin = resource.span.into();
    let requirement = |(name, origin): &(&str, Origin)| Requirement {
        name: (*name).to_owned(),
        sort: Sort::ReplicaUnaware,
        arity: Arity::Any,
        origin: *origin,
    };
    let all: BTreeSet<RequirementId> = (0..needs.len()).map(RequirementId::from).collect();
    let created = CapabilityId::from(0);
    let state = |name: &str, requires: BTreeSet<RequirementId>, offers: &[CapabilityId]| State {
        name: name.to_owned(),
        requires,
        offers: offers.iter().copied().collect(),
        handlers: Vec::new(),
        on_crash: None,
        origin,
    };
    let transition = |from: usize, operation: usize, to: usize| Transition {
        from: StateId::from(from),
        operation: OperationId::from(operation),
        to: StateId::from(to),
        requires: all.clone(),
        offers: BTreeSet::new(),
        handlers: Vec::new(),
        origin,
    };
    let operation = |name: &str| Operation {
        name: name.to_owned(),
        run: None,
        duration: Expected::default(),
        cost: Cost::default(),
        timeout: Expected::default(),
        retry: None,
        effect: None,
        origin,
    };
    let protocol = Protocol {
        initial: StateId::from(0),
        states: vec![
            state("absent", BTreeSet::new(), &[]),
            state("created", all.clone(), &[created]),
        ],
        transitions: vec![transition(0, 0, 1), transition(1, 1, 0)],
        up: None,
    };
    ComponentType {
        name: format!("{} ({})", resource.name, resource.type_name),
        requirements: needs.iter().map(requirement).collect(),
        capabilities: vec![Capability { name: "created".to_owned(), origin }],
        operations: vec![operation("create"), operation("delete")],
        lifecycle: Lifecycle::Protocol(protocol),
        processes: BTreeMap::new(),
        cost_per_second: Cost::default(),
        origin,
    }
}
