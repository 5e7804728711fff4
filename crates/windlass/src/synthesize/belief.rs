//! Where an application may be, followed by the rules themselves.
//!
//! With the policy `any`, and where several handlers apply, an action leads to several states. A
//! path is strong when every action can be performed in all of them; a [`Belief`] is the set of
//! states in which the application may be after such a path. The count-canonical search needs no
//! beliefs, because it leaves everything out that faults; they are for starts in which faults are
//! pending, and for plans that may use faults.

use std::collections::{BTreeMap, BTreeSet};

use super::Question;
use super::sequence::target::Target;
use crate::application::{GlobalState, InstanceId, NodeId, Policy};
use crate::goal::evaluate::Closure;
use crate::lifecycle::protocol::{Element, Sort};
use crate::plan::PlanAction;
use crate::semantics::replica::{
    Action, Creation, Event, Outcome, Replica, Tracking, faults, observable,
};

/// The states in which the application may be: at least one.
pub(super) type Belief = BTreeSet<GlobalState>;

/// The application, followed by the rules.
pub(super) struct World<'a> {
    question: &'a Question<'a>,
    target: &'a Target,
    replica: Replica<'a>,
    /// The most instances of each node.
    pub(super) limits: Vec<u32>,
    /// Whether faults may happen.
    pub(super) faults_allowed: bool,
    /// Instances that faults of the start lead elsewhere: no action of the plan causes those.
    excused: BTreeSet<InstanceId>,
    /// Instances in the middle of an operation that no plan can end.
    stuck: BTreeSet<InstanceId>,
}

/// Where an action leads, and the faults that happened on the way.
pub(super) struct After {
    pub(super) belief: Belief,
    pub(super) faults: Vec<Event>,
}

impl<'a> World<'a> {
    /// The world of a question; none for nets.
    pub(super) fn new(
        question: &'a Question<'a>,
        target: &'a Target,
        faults_allowed: bool,
    ) -> Option<Self> {
        let mut replica = Replica::new(question.application, question.start.clone())?;
        replica.policy = question.policy;
        replica.tracking = Tracking::Representative;
        let is_under_way = |id: &&InstanceId| {
            question.start.instance(id).is_some_and(|i| matches!(i.element, Element::Transition(_)))
        };
        let stuck = question.start.instances.keys().filter(is_under_way).cloned().collect();
        let limits = vec![u32::MAX; question.application.nodes.len()];
        let excused = BTreeSet::new();
        let mut world = World { question, target, replica, limits, faults_allowed, excused, stuck };
        world.excused = world.settled().map(|(_, moved)| moved).unwrap_or_default();
        Some(world)
    }

    /// Where the start settles by itself, and the instances that faults or destruction move; none
    /// when a fault has no handler.
    pub(super) fn settled(&self) -> Option<(Belief, BTreeSet<InstanceId>)> {
        let given = Outcome { state: self.question.start.clone(), events: Vec::new() };
        let outcomes = observable::settle(&self.replica, vec![given]).ok()?;
        let mut moved = BTreeSet::new();
        for event in outcomes.iter().flat_map(|outcome| &outcome.events) {
            match event {
                Event::Handled { instance, .. } | Event::Destroyed { instance, .. } => {
                    moved.insert(instance.clone());
                }
                Event::Resolved { .. } => {}
            }
        }
        Some((self.distinct(outcomes.into_iter().map(|outcome| outcome.state)), moved))
    }

    /// Where an action leads from every state; none when it cannot be performed in one of them,
    /// faults without leave, or breaks an invariant.
    pub(super) fn act(&self, belief: &Belief, action: &PlanAction, first: bool) -> Option<After> {
        let mut belief = belief.clone();
        let mut faults = Vec::new();
        for (at, event) in self.events(action)?.iter().enumerate() {
            let mut next = Vec::new();
            for state in &belief {
                for outcome in observable::outcomes(&self.replica, state, event).ok()? {
                    if !self.is_allowed(&outcome, first && at == 0) {
                        return None;
                    }
                    faults.extend(outcome.events.into_iter().filter(Event::is_fault));
                    next.push(outcome.state);
                }
            }
            belief = self.distinct(next.into_iter());
        }
        faults.sort();
        faults.dedup();
        Some(After { belief, faults })
    }

    fn events(&self, action: &PlanAction) -> Option<Vec<Action>> {
        Some(match action.clone() {
            PlanAction::Operation { instance, operation } => vec![
                Action::OpStart { instance: instance.clone(), operation: operation.clone() },
                Action::OpEnd { instance, operation },
            ],
            PlanAction::ScaleIn { instance } => vec![Action::ScaleIn { instance }],
            PlanAction::ScaleOut { node, instance, container } => {
                let node = self.question.application.node_named(&node)?;
                vec![Action::create(&Creation { instance, node, container })]
            }
        })
    }

    /// Whether an outcome may be passed through.
    fn is_allowed(&self, outcome: &Outcome, settles_the_start: bool) -> bool {
        let is_excused = |event: &Event| match event {
            Event::Handled { instance, .. } => settles_the_start && self.excused.contains(instance),
            _ => true,
        };
        if !self.faults_allowed {
            let pending = faults::unresolvable(&self.replica, &outcome.state);
            let is_fault = pending.iter().any(|(id, _)| !self.stuck.contains(id));
            if is_fault || !outcome.events.iter().all(is_excused) {
                return false;
            }
        }
        self.keeps_invariants(&outcome.state)
    }

    /// Where one event leads from a state; none when it cannot happen there.
    pub(super) fn outcomes(&self, state: &GlobalState, event: &Action) -> Option<Vec<GlobalState>> {
        let outcomes = observable::outcomes(&self.replica, state, event).ok()?;
        Some(outcomes.into_iter().map(|outcome| outcome.state).collect())
    }

    /// Whether a state is allowed on the way.
    pub(super) fn keeps_invariants(&self, state: &GlobalState) -> bool {
        let Question { application, goal, start, .. } = *self.question;
        let holds = |goal: &crate::goal::Goal| goal.holds(application, state, Closure::Open);
        goal.always.iter().all(holds)
            && !goal.never.iter().any(holds)
            && goal.keep.iter().all(|id| state.instance(id) == start.instance(id))
            && goal.budget.iter().all(|(node, most)| state.of_node(*node).count() <= *most as usize)
    }

    /// The states that differ in more than bindings that decide nothing.
    fn distinct(&self, states: impl Iterator<Item = GlobalState>) -> Belief {
        if self.question.policy != Policy::Any {
            return states.collect();
        }
        let mut known: BTreeMap<GlobalState, GlobalState> = BTreeMap::new();
        for state in states {
            known.entry(self.deciding(&state)).or_insert(state);
        }
        known.into_values().collect()
    }

    /// A state without the bindings of replica-unaware requirements.
    fn deciding(&self, state: &GlobalState) -> GlobalState {
        let mut deciding = state.clone();
        deciding.horizontal.retain(|(user, requirement, _)| {
            let node = state.instances.get(user).map(|instance| instance.node);
            node.is_some_and(|node| {
                self.replica.requirement(node, *requirement).sort == Sort::ReplicaAware
            })
        });
        deciding
    }

    /// Every action worth trying in a belief.
    pub(super) fn candidates(&self, belief: &Belief) -> Vec<PlanAction> {
        let Some(some) = belief.first() else { return Vec::new() };
        let Question { application, goal, .. } = *self.question;
        let mut actions = Vec::new();
        for (id, instance) in &some.instances {
            if goal.keep.contains(id) {
                continue;
            }
            actions.push(PlanAction::ScaleIn { instance: id.clone() });
            let Element::State(state) = instance.element else { continue };
            let component = application.type_of(instance.node);
            let Some(protocol) = component.protocol() else { continue };
            for (at, operation) in component.operations.iter().enumerate() {
                if protocol.transitions_for(state, at.into()).next().is_some() {
                    let (instance, operation) = (id.clone(), operation.name.clone());
                    actions.push(PlanAction::Operation { instance, operation });
                }
            }
        }
        for node in application.node_ids() {
            let number = some.of_node(node).count();
            let most = goal.budget.get(&node).copied().unwrap_or(u32::MAX);
            if number < most.min(self.limits[node.index()]) as usize {
                self.creations(some, node, &mut actions);
            }
        }
        actions
    }

    fn creations(&self, some: &GlobalState, node: NodeId, actions: &mut Vec<PlanAction>) {
        let application = self.question.application;
        let home = application.type_of(node).containment();
        let homes: Vec<Option<InstanceId>> = match home {
            None => vec![None],
            Some(containment) => match application.node(node).binding(containment) {
                None => Vec::new(),
                Some(home) => some.of_node(home.target).map(|(id, _)| Some(id.clone())).collect(),
            },
        };
        for instance in self.names(some, node) {
            for container in &homes {
                let (node, instance) = (application.node(node).name.clone(), instance.clone());
                actions.push(PlanAction::ScaleOut { node, instance, container: container.clone() });
            }
        }
    }

    /// Names for a new instance: those that the goal names and are missing, and one that it does
    /// not name.
    fn names(&self, some: &GlobalState, node: NodeId) -> Vec<InstanceId> {
        let described = self.question.application.node(node);
        let is_missing = |id: &InstanceId| !some.instances.contains_key(id);
        let roles = self.target.roles.iter().filter(|role| role.node == node.index());
        let wanted = roles.filter(|role| !role.wanted_gone && !role.kept);
        let mut names: Vec<InstanceId> =
            wanted.filter_map(|role| role.ids.iter().find(|id| is_missing(id))).cloned().collect();
        let is_free = |id: &InstanceId| {
            is_missing(id)
                && !self.question.start.instances.contains_key(id)
                && self.target.role_of(id) == 0
        };
        let declared = described.instances.iter().map(|i| InstanceId(i.id.clone()));
        let plain = InstanceId(described.name.clone());
        let least = if is_free(&plain) { 1 } else { 2 };
        let plain = (described.count <= 1).then_some(plain);
        let numbered = (least..).map(|n| InstanceId(format!("{}-{n}", described.name)));
        names.extend(declared.chain(plain).chain(numbered).find(is_free));
        names
    }

    /// Whether the goal holds wherever the application may be, and nothing is left behind that was
    /// created for support and could be taken away again.
    pub(super) fn is_goal(&self, belief: &Belief) -> bool {
        if !self.holds(belief) {
            return false;
        }
        let Some(some) = belief.first() else { return false };
        let support = some.instances.iter().filter(|(id, instance)| {
            !self.question.start.instances.contains_key(*id)
                && !self.target.named[instance.node.index()]
                && self.target.role_of(id) == 0
        });
        let mut can_go = support.filter_map(|(id, _)| {
            let after = self.act(belief, &PlanAction::ScaleIn { instance: id.clone() }, false)?;
            after.faults.is_empty().then_some(after.belief)
        });
        !can_go.any(|without| self.holds(&without))
    }

    fn holds(&self, belief: &Belief) -> bool {
        let Question { application, goal, closure, .. } = *self.question;
        belief.iter().all(|state| goal.goal.holds(application, state, closure))
    }

    /// One state that stands for all, when they differ only in what replica-aware requirements are
    /// bound to: every instance that may be bound is bound.
    pub(super) fn merged(belief: &Belief) -> Option<GlobalState> {
        let mut merged = belief.first()?.clone();
        for state in belief {
            if state.instances != merged.instances || state.vertical != merged.vertical {
                return None;
            }
            merged.horizontal.extend(state.horizontal.iter().cloned());
        }
        Some(merged)
    }
}
