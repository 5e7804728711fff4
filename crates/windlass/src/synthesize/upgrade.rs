//! From one version of an application to another: both as one application.
//!
//! A node whose type or bindings changed has the states of both versions: those of the old one are
//! called `old.STATE`, offer the same capabilities by name, and only new instances begin in the new
//! one. So what uses such a node is served by both versions meanwhile, and an instance changes
//! over by being removed and created again, under the same name where the goal calls it. Nodes that
//! are no longer described stay until their instances are gone; so do the old versions of nodes
//! whose instances live in something else now (`moved.rs`).

mod moved;

use std::collections::{BTreeMap, BTreeSet};

use crate::application::{
    Application, Binding, ComponentType, Faults, GlobalState, Instance, InstanceId, Node, NodeId,
    TypeId,
};
use crate::goal::{Amount, Goal, GoalFile, Want};
use crate::lifecycle::Lifecycle;
use crate::lifecycle::protocol::{
    CapabilityId, Element, Handler, OperationId, RequirementId, StateId, TransitionId,
};

/// Both versions as one.
#[derive(Debug, Clone)]
pub struct Upgrade {
    /// The application with the states of both versions.
    pub application: Application,
    /// The state of the old version in it.
    pub start: GlobalState,
    /// The nodes whose type or bindings changed, by name.
    pub changed: Vec<String>,
    /// The nodes that are no longer described, by name.
    pub removed: Vec<String>,
    /// The old versions of nodes whose instances live in something else now: the names that they
    /// have in both, with those of the nodes that take their place.
    pub moved: BTreeMap<String, String>,
}

/// Why two versions cannot be one application.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoUpgrade {
    /// One of them is of nets, or their relations differ.
    Relations,
}

impl std::fmt::Display for NoUpgrade {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NoUpgrade::Relations => out.write_str(
                "the versions are not both applications of protocols with replicas and faults",
            ),
        }
    }
}

/// What every instance of the start should be in the new version: in the state of the same name;
/// or the instance for which there is none. What lives elsewhere is wanted by number, not by name.
/// Nodes that `said` speaks of are left to it.
pub fn same_states(upgrade: &Upgrade, said: &Goal) -> Result<Goal, InstanceId> {
    let application = &upgrade.application;
    let mut goal = said.clone();
    for name in upgrade.removed.iter().chain(upgrade.moved.keys()) {
        goal.wants.extend(application.node_named(name).map(Want::NodeGone));
    }
    let named = |node: NodeId| {
        goal.wants.iter().any(|want| match want {
            Want::Node { node: of, .. } | Want::NodeIn { node: of, .. } | Want::NodeGone(of) => {
                *of == node
            }
            _ => false,
        })
    };
    let called: BTreeSet<&InstanceId> = goal
        .wants
        .iter()
        .filter_map(|want| match want {
            Want::Instance { instance, .. } | Want::InstanceGone(instance) => Some(instance),
            _ => None,
        })
        .collect();
    let mut wants = Vec::new();
    let mut recreated: BTreeMap<(NodeId, StateId), u32> = BTreeMap::new();
    for (id, instance) in &upgrade.start.instances {
        let is_changed = upgrade.changed.contains(&application.node(instance.node).name);
        let everything = said.wants.is_empty();
        let again = upgrade.moved.get(&application.node(instance.node).name);
        let again = again.and_then(|name| application.node_named(name));
        let node = again.unwrap_or(instance.node);
        let is_wanted = again.is_some() || is_changed || everything;
        if called.contains(id) || named(node) || !is_wanted {
            continue;
        }
        let protocol = application.protocol_of(instance.node).ok_or_else(|| id.clone())?;
        let Element::State(state) = instance.element else { return Err(id.clone()) };
        let name = &protocol.state(state).name;
        let state = name.strip_prefix(OLD).filter(|_| is_changed).unwrap_or(name).to_owned();
        let protocol = application.protocol_of(node).ok_or_else(|| id.clone())?;
        let number = protocol.state_named(&state).ok_or_else(|| id.clone())?;
        if again.is_some() {
            *recreated.entry((node, number)).or_insert(0) += 1;
            continue;
        }
        wants.push(Want::Instance { instance: id.clone(), state });
    }
    goal.wants.extend(wants);
    goal.wants.extend(as_many(&recreated));
    Ok(goal)
}

/// What has to hold on the way, about whichever version: an instance of a node that changed counts
/// in the state that is asked for, and in the state of the same name of the old version.
pub fn either_version(upgrade: &Upgrade, file: &GoalFile) -> GoalFile {
    let application = &upgrade.application;
    let either = |want: &Want| -> Option<Want> {
        let Want::Node { node, state, amount: Amount::AtLeast(least) } = *want else { return None };
        let protocol = application.protocol_of(node)?;
        let old = protocol.state_named(&format!("{OLD}{}", protocol.state(state).name))?;
        let is_changed = upgrade.changed.contains(&application.node(node).name);
        is_changed.then(|| Want::NodeIn { node, states: vec![state, old], least })
    };
    let all = |goals: &[Goal]| -> Vec<Goal> {
        let wants =
            |goal: &Goal| goal.wants.iter().map(|w| either(w).unwrap_or(w.clone())).collect();
        goals.iter().map(|goal| Goal { wants: wants(goal) }).collect()
    };
    GoalFile { always: all(&file.always), never: all(&file.never), ..file.clone() }
}

/// As many instances of a node in each state as there were before it moved.
fn as_many(recreated: &BTreeMap<(NodeId, StateId), u32>) -> impl Iterator<Item = Want> {
    recreated.iter().map(|((node, state), number)| {
        let is_only = recreated.keys().filter(|(other, _)| other == node).count() == 1;
        let amount = if is_only { Amount::Exactly(*number) } else { Amount::AtLeast(*number) };
        Want::Node { node: *node, state: *state, amount }
    })
}

/// What the names of the old version begin with, where they mean something else in the new one.
const OLD: &str = "old.";

/// Puts two versions together, with a state of the old one.
pub fn upgrade(
    old: &Application,
    new: &Application,
    state: &GlobalState,
) -> Result<Upgrade, NoUpgrade> {
    let replicas = |a: &Application| a.faults == Faults::Replicas && !a.is_net();
    if !replicas(old) || !replicas(new) {
        return Err(NoUpgrade::Relations);
    }
    let (old, moved) = &moved::separate_moved(old, new);
    let mut both = Both { old, new, application: new.clone(), maps: Vec::new() };
    let (mut changed, mut removed) = (Vec::new(), Vec::new());
    for node in old.node_ids() {
        let name = &old.node(node).name;
        match new.node_named(name) {
            None => {
                both.keep(node);
                if !moved.contains_key(name) {
                    removed.push(name.clone());
                }
            }
            Some(now) if both.is_same(node, now) => both.maps.push(Map::same(old, node, now)),
            Some(now) => {
                both.unite(node, now)?;
                changed.push(name.clone());
            }
        }
    }
    both.bind();
    let start = both.moved(state);
    let moved = moved.clone();
    Ok(Upgrade { application: both.application, start, changed, removed, moved })
}

/// Where the parts of a node of the old version are in both.
struct Map {
    node: NodeId,
    /// How many states and transitions stand before its own.
    states: usize,
    transitions: usize,
    requirements: Vec<RequirementId>,
}

impl Map {
    /// Everything is where it was.
    fn same(old: &Application, node: NodeId, now: NodeId) -> Self {
        let all = old.type_of(node).requirements.len();
        let requirements = (0..all).map(RequirementId::from).collect();
        Map { node: now, states: 0, transitions: 0, requirements }
    }

    fn state(&self, state: StateId) -> StateId {
        StateId::from(state.index() + self.states)
    }

    fn element(&self, element: Element) -> Element {
        match element {
            Element::State(state) => Element::State(self.state(state)),
            Element::Transition(at) => {
                Element::Transition(TransitionId::from(at.index() + self.transitions))
            }
        }
    }

    fn needs(&self, needs: &BTreeSet<RequirementId>) -> BTreeSet<RequirementId> {
        needs.iter().map(|r| self.requirements[r.index()]).collect()
    }

    fn handlers(&self, handlers: &[Handler]) -> Vec<Handler> {
        handlers.iter().map(|h| Handler { to: self.state(h.to), ..h.clone() }).collect()
    }
}

struct Both<'a> {
    old: &'a Application,
    new: &'a Application,
    application: Application,
    /// By node of the old version.
    maps: Vec<Map>,
}

/// A binding by names: requirement, node, capability.
type NamedBinding<'a> = (&'a str, &'a str, &'a str);

fn bindings(application: &Application, node: NodeId) -> BTreeSet<NamedBinding<'_>> {
    let own = application.type_of(node);
    let named = |binding: &Binding| {
        let target = application.node(binding.target);
        let capability = &application.type_of(binding.target).capabilities;
        (
            own.requirements[binding.requirement.index()].name.as_str(),
            target.name.as_str(),
            capability[binding.capability.index()].name.as_str(),
        )
    };
    application.node(node).bindings.iter().map(named).collect()
}

impl Both<'_> {
    fn is_same(&self, before: NodeId, now: NodeId) -> bool {
        let (old, new) = (self.old.type_of(before), self.new.type_of(now));
        // What a type is called says nothing.
        let renamed = ComponentType { name: new.name.clone(), ..old.clone() };
        renamed == *new && bindings(self.old, before) == bindings(self.new, now)
    }

    /// A node that is no longer described, with its type.
    fn keep(&mut self, node: NodeId) {
        let application = &mut self.application;
        let (kept, component) = (self.old.node(node), self.old.type_of(node));
        let number = TypeId::from(application.types.len());
        let name = fresh(&component.name, application.types.iter().map(|t| &t.name));
        application.types.push(ComponentType { name, ..component.clone() });
        let now = NodeId::from(application.nodes.len());
        let bindings = Vec::new();
        let kept = Node { component_type: number, count: 0, bindings, ..kept.clone() };
        application.nodes.push(kept);
        self.maps.push(Map::same(self.old, node, now));
    }

    /// A node with the states of both versions.
    fn unite(&mut self, before: NodeId, now: NodeId) -> Result<(), NoUpgrade> {
        let (old, mut both) = (self.old.type_of(before), self.new.type_of(now).clone());
        let (Some(protocol), Lifecycle::Protocol(united)) = (old.protocol(), &mut both.lifecycle)
        else {
            return Err(NoUpgrade::Relations);
        };
        let requirements = self.requirements(before, now, &mut both.requirements);
        let (states, transitions) = (united.states.len(), united.transitions.len());
        let map = Map { node: now, states, transitions, requirements };
        let mut capabilities: Vec<CapabilityId> = Vec::new();
        for capability in &old.capabilities {
            let known = both.capabilities.iter().position(|c| c.name == capability.name);
            let at = known.unwrap_or(both.capabilities.len());
            if known.is_none() {
                both.capabilities.push(capability.clone());
            }
            capabilities.push(CapabilityId::from(at));
        }
        let mut operations: Vec<OperationId> = Vec::new();
        for operation in &old.operations {
            let known = both.operations.iter().position(|o| o == operation);
            let at = known.unwrap_or(both.operations.len());
            if known.is_none() {
                let name = fresh(&operation.name, both.operations.iter().map(|o| &o.name));
                both.operations.push(crate::application::Operation { name, ..operation.clone() });
            }
            operations.push(OperationId::from(at));
        }
        let offers = |all: &BTreeSet<CapabilityId>| {
            all.iter().map(|c| capabilities[c.index()]).collect::<BTreeSet<_>>()
        };
        for state in &protocol.states {
            let mut moved = state.clone();
            moved.name = format!("{OLD}{}", state.name);
            (moved.requires, moved.offers) = (map.needs(&state.requires), offers(&state.offers));
            moved.handlers = map.handlers(&state.handlers);
            // The initial state is another one now.
            let crash = state.on_crash.unwrap_or(protocol.initial);
            moved.on_crash = Some(map.state(crash));
            united.states.push(moved);
        }
        for way in &protocol.transitions {
            let mut moved = way.clone();
            (moved.from, moved.to) = (map.state(way.from), map.state(way.to));
            moved.operation = operations[way.operation.index()];
            (moved.requires, moved.offers) = (map.needs(&way.requires), offers(&way.offers));
            moved.handlers = map.handlers(&way.handlers);
            united.transitions.push(moved);
        }
        for (state, process) in &old.processes {
            both.processes.insert(map.state(*state), process.clone());
        }
        let types = &mut self.application.types;
        let number = TypeId::from(types.len());
        both.name = fresh(&both.name, types.iter().map(|t| &t.name));
        types.push(both);
        self.application.nodes[now.index()].component_type = number;
        self.maps.push(map);
        Ok(())
    }

    /// The requirements of the old version: the same where they are bound to the same, as that of
    /// the container is (`moved.rs`).
    fn requirements(
        &self,
        before: NodeId,
        now: NodeId,
        both: &mut Vec<crate::lifecycle::protocol::Requirement>,
    ) -> Vec<RequirementId> {
        let (then, today) = (bindings(self.old, before), bindings(self.new, now));
        let (old, new) = (self.old.type_of(before), self.new.type_of(now));
        let mut all = Vec::new();
        for requirement in &old.requirements {
            let name = requirement.name.as_str();
            let of = |all: &BTreeSet<NamedBinding<'_>>| {
                let found = all.iter().find(|(r, ..)| *r == name);
                found.map(|(_, node, capability)| ((*node).to_owned(), (*capability).to_owned()))
            };
            let known = new.requirements.iter().position(|r| r == requirement);
            if let Some(known) = known.filter(|_| of(&then) == of(&today)) {
                all.push(RequirementId::from(known));
                continue;
            }
            all.push(RequirementId::from(both.len()));
            let name = fresh(name, both.iter().map(|r| &r.name));
            both.push(crate::lifecycle::protocol::Requirement { name, ..requirement.clone() });
        }
        all
    }

    /// The bindings of the old version, where they are others.
    fn bind(&mut self) {
        // A type that has more capabilities keeps the numbers of those that it had.
        for (node, map) in self.old.node_ids().zip(&self.maps) {
            for binding in &self.old.node(node).bindings {
                let requirement = map.requirements[binding.requirement.index()];
                let target = self.maps[binding.target.index()].node;
                let named = &self.old.type_of(binding.target).capabilities;
                let name = &named[binding.capability.index()].name;
                let capability = self.application.type_of(target).capability_named(name);
                let own = &mut self.application.nodes[map.node.index()].bindings;
                if let Some(capability) = capability
                    && !own.iter().any(|known| known.requirement == requirement)
                {
                    own.push(Binding { requirement, target, capability, ..binding.clone() });
                }
            }
        }
    }

    fn moved(&self, state: &GlobalState) -> GlobalState {
        let map = |id: &InstanceId| Some(&self.maps[state.instance(id)?.node.index()]);
        let mut moved = GlobalState::empty();
        for (id, instance) in &state.instances {
            let map = &self.maps[instance.node.index()];
            let element = map.element(instance.element);
            moved.instances.insert(id.clone(), Instance { node: map.node, element });
        }
        for (id, requirement, to) in &state.horizontal {
            if let Some(map) = map(id) {
                let requirement = map.requirements[requirement.index()];
                moved.horizontal.insert((id.clone(), requirement, to.clone()));
            }
        }
        for (id, (requirement, container)) in &state.vertical {
            if let Some(map) = map(id) {
                let requirement = map.requirements[requirement.index()];
                moved.vertical.insert(id.clone(), (requirement, container.clone()));
            }
        }
        moved
    }
}

/// A name that is not in use yet.
fn fresh<'a>(name: &str, known: impl Iterator<Item = &'a String>) -> String {
    let known: Vec<&String> = known.collect();
    let mut fresh = name.to_owned();
    while known.contains(&&fresh) {
        fresh.insert_str(0, OLD);
    }
    fresh
}
