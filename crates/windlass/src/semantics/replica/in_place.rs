//! Steps of which nothing follows, taken in place.
//!
//! [`outcomes`] answers with copies of the state. That suits a search; an engine follows one run,
//! perhaps of thousands of instances, and most of its steps change one instance and no needs.
//! [`InPlace`] holds a state with indexes that show when that is so, and then takes the step
//! without a copy. Whenever anything could follow (a fault, another binding, a choice of several
//! transitions) the reference is asked.
//!
//! Invariant: a step leads to the first of [`outcomes`], with its events. Tested against it on
//! random walks (`tests/library/replica_in_place.rs`).

use std::collections::{BTreeMap, BTreeSet};

use super::faults::{broken, pending};
use super::observable::outcomes;
use super::{Action, Blocked, Event, Outcome, Replica, Tracking};
use crate::application::{GlobalState, Instance, InstanceId, NodeId, Policy};
use crate::lifecycle::protocol::{Arity, CapabilityId, Element, RequirementId, Sort};

/// A state that an engine moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InPlace {
    state: GlobalState,
    /// Nodes of which another node needs every instance, or that are bound to themselves: their
    /// steps are not taken here.
    involved: BTreeSet<NodeId>,
    /// None while something is broken or pending: no step is taken here then.
    index: Option<Index>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Index {
    /// Who offers a capability of a node.
    offering: BTreeMap<(NodeId, CapabilityId), BTreeSet<InstanceId>>,
    /// Who is bound to an instance.
    users: BTreeMap<InstanceId, BTreeSet<(InstanceId, RequirementId)>>,
    /// What lives in an instance.
    inside: BTreeMap<InstanceId, BTreeSet<InstanceId>>,
}

/// A step of which nothing follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    id: InstanceId,
    from: Option<Instance>,
    to: Option<Instance>,
    /// Where a new instance lives.
    container: Option<(RequirementId, InstanceId)>,
    unbound: Vec<RequirementId>,
    bound: Vec<(RequirementId, InstanceId)>,
}

/// Where an action leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// Nothing follows from it.
    Quiet(Change),
    /// As the rules say.
    Outcome(Outcome),
}

impl Next {
    /// The rules that fire by themselves after the action.
    pub fn events(&self) -> &[Event] {
        match self {
            Next::Quiet(_) => &[],
            Next::Outcome(outcome) => &outcome.events,
        }
    }
}

impl InPlace {
    /// In `state`, which need not be settled.
    pub fn new(replica: &Replica, state: GlobalState) -> Self {
        let application = replica.application();
        let mut involved = BTreeSet::new();
        for node in application.node_ids() {
            for binding in &application.node(node).bindings {
                let arity = replica.requirement(node, binding.requirement).arity;
                if arity == Arity::All || binding.target == node {
                    involved.insert(binding.target);
                }
            }
        }
        let index = Index::of(replica, &state);
        InPlace { state, involved, index }
    }

    /// Where everything is.
    pub fn state(&self) -> &GlobalState {
        &self.state
    }

    /// Goes to another state.
    pub(crate) fn put(&mut self, replica: &Replica, state: GlobalState) {
        self.index = Index::of(replica, &state);
        self.state = state;
    }

    /// Where an action leads from here: the first outcome of the rules.
    pub fn next(&self, replica: &Replica, action: &Action) -> Result<Next, Blocked> {
        if let Some(change) = self.change(replica, action) {
            return Ok(Next::Quiet(change));
        }
        let outcomes = outcomes(replica, &self.state, action)?;
        let never = || Blocked::NeverSettles { instance: action.instance().clone() };
        outcomes.into_iter().next().map(Next::Outcome).ok_or_else(never)
    }

    /// Goes where an action leads from here; what fired by itself.
    pub fn take(&mut self, replica: &Replica, next: Next) -> Vec<Event> {
        match next {
            Next::Outcome(outcome) => {
                self.put(replica, outcome.state);
                outcome.events
            }
            Next::Quiet(change) => {
                if let Some(index) = &mut self.index {
                    index.follow(replica, &self.state, &change);
                }
                change.apply(&mut self.state);
                Vec::new()
            }
        }
    }

    /// The change that an action is when nothing follows from it.
    fn change(&self, replica: &Replica, action: &Action) -> Option<Change> {
        let index = self.index.as_ref()?;
        let mut change = self.moved(replica, action)?;
        let node = change.to.or(change.from)?.node;
        if self.involved.contains(&node) || self.is_missed(replica, index, &change) {
            return None;
        }
        let Some(to) = change.to else { return Some(change) };
        let nothing = BTreeSet::new();
        let relied = change.from.map_or(&nothing, |from| replica.requires(from));
        let relies = replica.requires(to);
        change.unbound = relied.difference(relies).copied().collect();
        for requirement in relies.difference(relied) {
            if replica.requirement(node, *requirement).sort == Sort::Containment {
                let home = self.state.vertical.get(&change.id).or(change.container.as_ref());
                let (of, container) = home?;
                let offering = index.offering(replica, node, *requirement)?;
                if of != requirement || !offering.contains(container) {
                    return None;
                }
                continue;
            }
            let targets = Self::choice(replica, index, node, *requirement)?;
            change.bound.extend(targets.into_iter().map(|target| (*requirement, target)));
        }
        Some(change)
    }

    /// Which instance goes where, if the premises of the rule hold and leave no choice.
    fn moved(&self, replica: &Replica, action: &Action) -> Option<Change> {
        let id = action.instance();
        let from = self.state.instance(id);
        let mut container = None;
        let at = |node, element| Some(Instance { node, element });
        let to = match action {
            Action::ScaleOut { node, .. } | Action::ScaleOutContained { node, .. } => {
                let wanted = replica.application().type_of(*node).containment();
                let given = match action {
                    Action::ScaleOutContained { container, .. } => Some(container.clone()),
                    _ => None,
                };
                if let (Some(requirement), Some(home)) = (wanted, &given) {
                    let binding = replica.application().node(*node).binding(requirement)?;
                    self.state.instance(home).filter(|it| it.node == binding.target)?;
                    container = Some((requirement, home.clone()));
                }
                if wanted.is_some() != given.is_some() || from.is_some() || self.is_traced(id) {
                    return None;
                }
                at(*node, Element::State(replica.protocol(*node).initial))
            }
            Action::ScaleIn { .. } => {
                from?;
                None
            }
            Action::OpStart { operation, .. } => {
                let Instance { node, element: Element::State(state) } = from? else { return None };
                let operation = replica.application().type_of(node).operation_named(operation)?;
                let mut ways = replica.protocol(node).transitions_for(state, operation);
                let (way, None) = (ways.next()?, ways.next()) else { return None };
                at(node, Element::Transition(way))
            }
            Action::OpEnd { operation, .. } => {
                let Instance { node, element: Element::Transition(way) } = from? else {
                    return None;
                };
                let way = replica.protocol(node).transition(way);
                let operations = &replica.application().type_of(node).operations;
                if operations[way.operation.index()].name != *operation {
                    return None;
                }
                at(node, Element::State(way.to))
            }
        };
        let (unbound, bound) = (Vec::new(), Vec::new());
        Some(Change { id: id.clone(), from, to, container, unbound, bound })
    }

    /// Whether a written state has traces of an instance that is not there.
    fn is_traced(&self, id: &InstanceId) -> bool {
        self.state.vertical.contains_key(id)
            || bindings_of(&self.state, id).next().is_some()
            || self
                .index
                .as_ref()
                .is_some_and(|index| index.users.contains_key(id) || index.inside.contains_key(id))
    }

    /// Whether another instance relies on what an instance no longer offers, or on the instance
    /// itself when it goes.
    fn is_missed(&self, replica: &Replica, index: &Index, change: &Change) -> bool {
        let Some(from) = change.from else { return false };
        let (users, inside) = (index.users.get(&change.id), index.inside.get(&change.id));
        let Some(to) = change.to else { return users.is_some() || inside.is_some() };
        let lost: BTreeSet<CapabilityId> =
            replica.offers(from).difference(replica.offers(to)).copied().collect();
        if lost.is_empty() {
            return false;
        }
        let relies = |id: &InstanceId, requirement: RequirementId| {
            let instance = self.state.instance(id)?;
            let binding = replica.application().node(instance.node).binding(requirement)?;
            let relies = replica.requires(instance).contains(&requirement);
            (relies && lost.contains(&binding.capability)).then_some(())
        };
        let uses = users.into_iter().flatten().any(|(id, of)| relies(id, *of).is_some());
        let lives = |id: &InstanceId| {
            self.state.vertical.get(id).and_then(|(of, _)| relies(id, *of)).is_some()
        };
        uses || inside.into_iter().flatten().any(lives)
    }

    /// What the first outcome binds a requirement of `node` to, if that satisfies it.
    fn choice(
        replica: &Replica,
        index: &Index,
        node: NodeId,
        requirement: RequirementId,
    ) -> Option<Vec<InstanceId>> {
        let offering = index.offering(replica, node, requirement)?;
        let size = match replica.requirement(node, requirement).arity {
            Arity::Any => 1,
            Arity::AtLeast(least) => least.max(1) as usize,
            Arity::All => return None,
        };
        if offering.len() < size {
            return None;
        }
        match replica.policy {
            // The smallest ids are the smallest state.
            Policy::Any if replica.tracking == Tracking::EveryChoice => {
                Some(offering.iter().take(size).cloned().collect())
            }
            Policy::Greedy if size == 1 => {
                let target = replica.application().node(node).binding(requirement)?.target;
                let named = &replica.application().node(target).instances;
                let named = named.iter().map(|wanted| InstanceId(wanted.id.clone()));
                let first = named.into_iter().find(|id| offering.contains(id));
                first.or_else(|| offering.first().cloned()).map(|first| vec![first])
            }
            _ => None,
        }
    }
}

impl Change {
    fn apply(self, state: &mut GlobalState) {
        let Change { id, to, container, unbound, bound, .. } = self;
        let Some(to) = to else {
            let bindings: Vec<_> = bindings_of(state, &id).cloned().collect();
            for binding in bindings {
                state.horizontal.remove(&binding);
            }
            state.instances.remove(&id);
            state.vertical.remove(&id);
            return;
        };
        for requirement in unbound {
            state.unbind(&id, requirement);
        }
        state.instances.insert(id.clone(), to);
        state.vertical.extend(container.map(|home| (id.clone(), home)));
        let bound =
            bound.into_iter().map(|(requirement, target)| (id.clone(), requirement, target));
        state.horizontal.extend(bound);
    }
}

/// The bindings that go out from an instance.
fn bindings_of<'s>(
    state: &'s GlobalState,
    id: &InstanceId,
) -> impl Iterator<Item = &'s (InstanceId, RequirementId, InstanceId)> + use<'s> {
    let first = (id.clone(), RequirementId::from(0), InstanceId(String::new()));
    let id = id.clone();
    state.horizontal.range(first..).take_while(move |(source, _, _)| *source == id)
}

/// Takes an element from a set in a map; no empty sets are kept.
fn forget<K: Ord, V: Ord>(map: &mut BTreeMap<K, BTreeSet<V>>, key: &K, value: &V) {
    let Some(set) = map.get_mut(key) else { return };
    set.remove(value);
    if set.is_empty() {
        map.remove(key);
    }
}

impl Index {
    /// The index of a state in which nothing is broken or pending.
    fn of(replica: &Replica, state: &GlobalState) -> Option<Self> {
        if broken(state).next().is_some() || !pending(replica, state).is_empty() {
            return None;
        }
        let mut index = Index::default();
        for (id, instance) in &state.instances {
            index.offer(replica, id, *instance);
        }
        for (source, requirement, target) in &state.horizontal {
            let user = (source.clone(), *requirement);
            index.users.entry(target.clone()).or_default().insert(user);
        }
        for (id, (_, container)) in &state.vertical {
            index.inside.entry(container.clone()).or_default().insert(id.clone());
        }
        Some(index)
    }

    /// The instances that offer what a requirement of `node` is bound to; none when none does.
    fn offering(
        &self,
        replica: &Replica,
        node: NodeId,
        requirement: RequirementId,
    ) -> Option<&BTreeSet<InstanceId>> {
        let binding = replica.application().node(node).binding(requirement)?;
        self.offering.get(&(binding.target, binding.capability))
    }

    fn offer(&mut self, replica: &Replica, id: &InstanceId, instance: Instance) {
        for capability in replica.offers(instance) {
            let who = self.offering.entry((instance.node, *capability)).or_default();
            who.insert(id.clone());
        }
    }

    /// What a change of `before` changes here.
    fn follow(&mut self, replica: &Replica, before: &GlobalState, change: &Change) {
        let id = &change.id;
        if let Some(from) = change.from {
            for capability in replica.offers(from) {
                forget(&mut self.offering, &(from.node, *capability), id);
            }
        }
        let goes = change.to.is_none();
        for (_, requirement, target) in bindings_of(before, id) {
            if goes || change.unbound.contains(requirement) {
                forget(&mut self.users, target, &(id.clone(), *requirement));
            }
        }
        match change.to {
            Some(to) => self.offer(replica, id, to),
            None => {
                if let Some((_, container)) = before.vertical.get(id) {
                    forget(&mut self.inside, container, id);
                }
            }
        }
        for (requirement, target) in &change.bound {
            let user = (id.clone(), *requirement);
            self.users.entry(target.clone()).or_default().insert(user);
        }
        if let Some((_, container)) = &change.container {
            self.inside.entry(container.clone()).or_default().insert(id.clone());
        }
    }
}
