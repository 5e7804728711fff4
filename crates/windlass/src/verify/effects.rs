//! What a plan changes: for certain in every run, or possibly in some.
//!
//! Paper: 003 Sec. 4.2 (effects)

use std::collections::{BTreeMap, BTreeSet};

use crate::application::{Application, Faults, GlobalState, InstanceId, NodeId};
use crate::lifecycle::protocol::{CapabilityId, Element};
use crate::plan::{Plan, PlanAction};

/// One change.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// An instance is there that was not, in this element.
    Created(InstanceId, NodeId, Element),
    /// An instance is gone.
    Destroyed(InstanceId, NodeId),
    /// An instance is somewhere else.
    Moved(InstanceId, NodeId, Element, Element),
    /// A requirement is bound to an instance that it was not bound to.
    Bound(InstanceId, String, InstanceId),
    /// A requirement is no longer bound to an instance.
    Unbound(InstanceId, String, InstanceId),
    /// A node offers a capability that it did not.
    Gained(NodeId, CapabilityId),
    /// A node no longer offers a capability.
    Lost(NodeId, CapabilityId),
}

/// The changes of a plan, each in one of the two sets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Effects {
    /// In every final state.
    pub certain: BTreeSet<Effect>,
    /// In some final states.
    pub possible: BTreeSet<Effect>,
}

impl Effects {
    /// Adds one change to the set where it belongs.
    pub(super) fn add(&mut self, effect: Effect, certain: bool) {
        let set = if certain { &mut self.certain } else { &mut self.possible };
        set.insert(effect);
    }
}

impl Effects {
    /// With the instances that are gone and there again under the same name: another instance is
    /// there, also where it ends in the state in which the old one was. A plan creates a name that
    /// is taken only after its instance is gone, in every run that can be carried out.
    pub(super) fn with_replaced(self, start: &GlobalState, plan: &Plan) -> Self {
        let mut all = self;
        for step in &plan.steps {
            let PlanAction::ScaleOut { instance: id, .. } = &step.action else { continue };
            let Some(old) = start.instances.get(id) else { continue };
            let gone = Effect::Destroyed(id.clone(), old.node);
            if all.certain.contains(&gone) {
                // Gone for good, or already listed: there is an instance of another node.
                continue;
            }
            let has = |set: &BTreeSet<Effect>| set.iter().any(|effect| effect.moves(id));
            let (always_moved, is_gone) = (has(&all.certain), all.possible.remove(&gone));
            let may_move = has(&all.possible);
            for set in [&mut all.certain, &mut all.possible] {
                *set = std::mem::take(set)
                    .into_iter()
                    .map(|effect| effect.of_new_instance(id))
                    .collect();
            }
            if !always_moved {
                let stays = Effect::Created(id.clone(), old.node, old.element);
                all.add(stays, !may_move && !is_gone);
            }
            all.certain.insert(gone);
        }
        all
    }
}

impl Effect {
    fn moves(&self, id: &InstanceId) -> bool {
        matches!(self, Effect::Moved(moved, ..) if moved == id)
    }

    /// The same about a new instance with a name that an old one had.
    fn of_new_instance(self, id: &InstanceId) -> Self {
        match self {
            Effect::Moved(moved, node, _, to) if moved == *id => Effect::Created(moved, node, to),
            other => other,
        }
    }
}

/// The changes between a start and every final state of a plan.
pub(crate) fn effects(
    application: &Application,
    start: &GlobalState,
    finals: &[GlobalState],
) -> Effects {
    let all: Vec<BTreeSet<Effect>> =
        finals.iter().map(|end| changes(application, start, end)).collect();
    let Some((first, rest)) = all.split_first() else { return Effects::default() };
    let certain: BTreeSet<Effect> =
        first.iter().filter(|effect| rest.iter().all(|o| o.contains(effect))).cloned().collect();
    let possible = all.iter().flatten().filter(|effect| !certain.contains(effect)).cloned();
    Effects { possible: possible.collect(), certain }
}

fn changes(application: &Application, start: &GlobalState, end: &GlobalState) -> BTreeSet<Effect> {
    let mut all = BTreeSet::new();
    for (id, now) in &end.instances {
        match start.instances.get(id) {
            None => {
                all.insert(Effect::Created(id.clone(), now.node, now.element));
            }
            Some(before) if before.node != now.node => {
                all.insert(Effect::Destroyed(id.clone(), before.node));
                all.insert(Effect::Created(id.clone(), now.node, now.element));
            }
            Some(before) if before.element != now.element => {
                all.insert(Effect::Moved(id.clone(), now.node, before.element, now.element));
            }
            Some(_) => {}
        }
    }
    let gone = start.instances.iter().filter(|(id, _)| !end.instances.contains_key(id));
    all.extend(gone.map(|(id, before)| Effect::Destroyed(id.clone(), before.node)));
    let bindings = |state: &GlobalState| -> BTreeSet<(InstanceId, String, InstanceId)> {
        let name = |(user, requirement, provider): &(InstanceId, _, InstanceId)| {
            let node = state.instances.get(user)?.node;
            let requirements = &application.type_of(node).requirements;
            let requirement: &crate::lifecycle::protocol::RequirementId = requirement;
            Some((user.clone(), requirements[requirement.index()].name.clone(), provider.clone()))
        };
        state.horizontal.iter().filter_map(name).collect()
    };
    let (before, after) = (bindings(start), bindings(end));
    let bound = after.difference(&before).cloned().map(|(u, r, p)| Effect::Bound(u, r, p));
    let unbound = before.difference(&after).cloned().map(|(u, r, p)| Effect::Unbound(u, r, p));
    all.extend(bound.chain(unbound));
    let (before, after) = (offered(application, start), offered(application, end));
    let gained = after.difference(&before).map(|(node, c)| Effect::Gained(*node, *c));
    let lost = before.difference(&after).map(|(node, c)| Effect::Lost(*node, *c));
    all.extend(gained.chain(lost));
    all
}

/// What each node offers by at least one instance.
fn offered(application: &Application, state: &GlobalState) -> BTreeSet<(NodeId, CapabilityId)> {
    let mut all = BTreeSet::new();
    for instance in state.instances.values() {
        if let Some(protocol) = application.protocol_of(instance.node) {
            let offers = protocol.offers(instance.element);
            all.extend(offers.iter().map(|capability| (instance.node, *capability)));
        }
    }
    all
}

/// An effect in words, with its subject, for people and for JSON.
pub(crate) fn describe(application: &Application, effect: &Effect) -> (String, String) {
    let element = |node: NodeId, element: Element| element_name(application, node, element);
    let node_name = |node: NodeId| application.node(node).name.clone();
    let capability = |node: NodeId, id: CapabilityId| {
        let name = &application.type_of(node).capabilities[id.index()].name;
        (node_name(node), name.clone())
    };
    match effect {
        Effect::Created(id, node, at) => (
            id.to_string(),
            format!("created, an instance of {} in {}", node_name(*node), element(*node, *at)),
        ),
        Effect::Destroyed(id, node) => {
            (id.to_string(), format!("destroyed, an instance of {}", node_name(*node)))
        }
        Effect::Moved(id, node, from, to) => {
            (id.to_string(), format!("{} -> {}", element(*node, *from), element(*node, *to)))
        }
        Effect::Bound(id, requirement, provider) => {
            (id.to_string(), format!("{requirement} bound to {provider}"))
        }
        Effect::Unbound(id, requirement, provider) => {
            (id.to_string(), format!("{requirement} no longer bound to {provider}"))
        }
        Effect::Gained(node, id) => {
            let (node, name) = capability(*node, *id);
            (node, format!("offers {name}"))
        }
        Effect::Lost(node, id) => {
            let (node, name) = capability(*node, *id);
            (node, format!("no longer offers {name}"))
        }
    }
}

/// A state by its name, an operation as `from -operation-> to`.
pub fn element_name(application: &Application, node: NodeId, element: Element) -> String {
    let component = application.type_of(node);
    let Some(protocol) = component.protocol() else { return String::new() };
    match element {
        Element::State(state) => protocol.state(state).name.clone(),
        Element::Transition(id) => {
            let running = protocol.transition(id);
            let operation = &component.operations[running.operation.index()].name;
            let (from, to) = (&protocol.state(running.from).name, &protocol.state(running.to).name);
            format!("{from} -{operation}-> {to}")
        }
    }
}

/// Effects by their subject, for reports. A node that has the name of an instance is called
/// `node NAME`, unless the two are one (paper 003 has no replicas).
pub fn by_subject(
    application: &Application,
    effects: &BTreeSet<Effect>,
) -> BTreeMap<String, Vec<String>> {
    let is_about_a_node = |effect: &Effect| matches!(effect, Effect::Gained(..) | Effect::Lost(..));
    let instances: BTreeSet<String> = effects
        .iter()
        .filter(|effect| application.faults == Faults::Replicas && !is_about_a_node(effect))
        .map(|effect| describe(application, effect).0)
        .collect();
    let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for effect in effects {
        let (mut subject, what) = describe(application, effect);
        if is_about_a_node(effect) && instances.contains(&subject) {
            subject = format!("node {subject}");
        }
        all.entry(subject).or_default().push(what);
    }
    all
}
