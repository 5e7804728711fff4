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
use crate::source::{Origin, Span};

/// The state of a resource that is not there.
pub(super) const ABSENT: usize = 0;
/// The state of a resource as the template describes it.
pub(super) const CREATED: usize = 1;
/// The state of a resource as another template described it, from where an update leads on.
pub(super) const OUTDATED: usize = 2;

/// A resource on its way into an application.
pub(super) struct Part<'s> {
    pub(super) name: String,
    pub(super) resource: &'s Resource,
    /// What it needs when it is as the template describes it.
    pub(super) needs: Vec<Need>,
    /// What it needs before an update; none when there is no update.
    pub(super) outdated: Option<Vec<Need>>,
    /// What must be there before it is deleted: the resource that replaces it.
    pub(super) replacement: Option<Need>,
}

/// That a resource needs another.
pub(super) struct Need {
    /// The position of the other part.
    pub(super) target: usize,
    /// Where the template says so.
    pub(super) span: Span,
}

/// Whether a resource is created with the stack: neither one whose condition does not hold nor one
/// that exists already.
pub(super) fn is_part(resource: &Resource) -> bool {
    resource.condition != Some(false) && !resource.is_external
}

/// What each resource waits for when it is created: a member what its group waits for, a group also
/// its members.
pub(super) fn waits(stack: &Stack) -> Vec<Vec<(usize, Span)>> {
    let mut all: Vec<Vec<(usize, Span)>> = Vec::with_capacity(stack.resources.len());
    for resource in &stack.resources {
        let own = resource.group.map_or(resource, |group| &stack.resources[group]);
        all.push(own.waits_for.clone());
    }
    for (at, member) in stack.resources.iter().enumerate() {
        if let Some(group) = member.group {
            all[group].push((at, member.span));
        }
    }
    all
}

/// The application that a template describes.
///
/// Paper: 000 7.1.2
///
/// Deviation: roles carry a life cycle, so that creating and deleting have an order.
pub(super) fn application(stack: &Stack, name: &str) -> Application {
    let mut places: BTreeMap<usize, usize> = BTreeMap::new();
    for (at, _) in stack.resources.iter().enumerate().filter(|(_, own)| is_part(own)) {
        places.insert(at, places.len());
    }
    let waits = waits(stack);
    let part = |at: &usize| {
        let known = waits[*at].iter();
        let needs = known
            .filter_map(|(to, span)| Some(Need { target: *places.get(to)?, span: *span }))
            .collect();
        let resource = &stack.resources[*at];
        Part { name: resource.name.clone(), resource, needs, outdated: None, replacement: None }
    };
    let parts: Vec<Part<'_>> = places.keys().map(part).collect();
    build(name, stack.span, &parts)
}

/// The application of some parts.
pub(super) fn build(name: &str, span: Span, parts: &[Part<'_>]) -> Application {
    let mut application = Application {
        name: name.to_owned(),
        faults: Faults::Forbidden,
        policy: Policy::default(),
        types: Vec::new(),
        nodes: Vec::new(),
        deployment: Deployment::default(),
        origin: span.into(),
        names: crate::application::NodeNames::default(),
    };
    for part in parts {
        let mut needs: Vec<&Need> = Vec::new();
        let mut places: BTreeMap<usize, RequirementId> = BTreeMap::new();
        let others = part.outdated.iter().flatten().chain(&part.replacement);
        for need in part.needs.iter().chain(others) {
            if let std::collections::btree_map::Entry::Vacant(e) = places.entry(need.target) {
                e.insert(RequirementId::from(needs.len()));
                needs.push(need);
            }
        }
        let own = |list: &[Need]| list.iter().map(|need| places[&need.target]).collect();
        let life = Life {
            created: own(&part.needs),
            outdated: part.outdated.as_deref().map(own),
            replacement: part.replacement.as_ref().map(|need| places[&need.target]),
        };
        let names = needs
            .iter()
            .map(|need| (parts[need.target].name.as_str(), Origin::from(need.span)))
            .collect();
        let component_type = TypeId::from(application.types.len());
        application.types.push(component(part, names, &life));
        let binding = |(at, need): (usize, &&Need)| Binding {
            requirement: RequirementId::from(at),
            target: NodeId::from(need.target),
            capability: CapabilityId::from(0),
            origin: Origin::from(need.span),
        };
        application.nodes.push(Node {
            name: part.name.clone(),
            component_type,
            count: 1,
            instances: Vec::new(),
            bindings: needs.iter().enumerate().map(binding).collect(),
            connections: Vec::new(),
            origin: part.resource.span.into(),
        });
    }
    application
}

/// What the states of a resource require.
struct Life {
    created: BTreeSet<RequirementId>,
    outdated: Option<BTreeSet<RequirementId>>,
    replacement: Option<RequirementId>,
}

/// The life of a resource: `create` leads from absent to created, `delete` back; `update` leads
/// from outdated to created, while the resource stays usable.
fn component(part: &Part<'_>, needs: Vec<(&str, Origin)>, life: &Life) -> ComponentType {
    let origin: Origin = part.resource.span.into();
    let requirement = |(name, origin): (&str, Origin)| Requirement {
        name: name.to_owned(),
        sort: Sort::ReplicaUnaware,
        arity: Arity::Any,
        origin,
    };
    let offered: BTreeSet<CapabilityId> = [CapabilityId::from(0)].into();
    let state = |name: &str, requires: Option<&BTreeSet<RequirementId>>| State {
        name: name.to_owned(),
        requires: requires.cloned().unwrap_or_default(),
        offers: requires.map(|_| offered.clone()).unwrap_or_default(),
        handlers: Vec::new(),
        on_crash: None,
        origin,
    };
    let transition = |from: usize, operation: usize, to: usize| Transition {
        from: StateId::from(from),
        operation: OperationId::from(operation),
        to: StateId::from(to),
        requires: life.created.clone(),
        offers: BTreeSet::new(),
        handlers: Vec::new(),
        origin,
    };
    let mut states = vec![state("absent", None), state("created", Some(&life.created))];
    let mut transitions = vec![transition(ABSENT, 0, CREATED), transition(CREATED, 1, ABSENT)];
    transitions[1].requires.extend(life.replacement);
    let mut operations = vec![operation("create", origin), operation("delete", origin)];
    if let Some(outdated) = &life.outdated {
        states.push(state("outdated", Some(outdated)));
        let mut update = transition(OUTDATED, 2, CREATED);
        update.requires.extend(outdated);
        update.offers.clone_from(&offered);
        transitions.push(update);
        operations.push(operation("update", origin));
    }
    let up = Some(vec![OperationId::from(0)]);
    let protocol = Protocol { initial: StateId::from(ABSENT), states, transitions, up };
    ComponentType {
        name: format!("{} ({})", part.name, part.resource.type_name),
        requirements: needs.into_iter().map(requirement).collect(),
        capabilities: vec![Capability { name: "created".to_owned(), origin }],
        operations,
        lifecycle: Lifecycle::Protocol(protocol),
        processes: BTreeMap::new(),
        cost_per_second: Cost::default(),
        origin,
    }
}

fn operation(name: &str, origin: Origin) -> Operation {
    Operation {
        name: name.to_owned(),
        run: None,
        duration: Expected::default(),
        cost: Cost::default(),
        timeout: Expected::default(),
        retry: None,
        effect: None,
        origin,
    }
}
