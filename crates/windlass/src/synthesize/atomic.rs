//! Orders of plans in the relations of paper 003: one instance of each node, atomic operations.
//!
//! A requirement is satisfied by the node that it is bound to, whatever lives in what. So the
//! reasons are those of the same application with such requirements only. They look at the middle
//! of operations too; what only that asks for is dropped again by asking the relation itself.

use std::collections::BTreeSet;

use super::Question;
use super::invariants::Invariants;
use crate::application::{Application, GlobalState, Instance, NodeId};
use crate::lifecycle::protocol::{Element, RequirementId, StateId, TransitionId};
use crate::plan::events::Events;
use crate::plan::{Plan, PlanAction};

/// How many sets of actions are looked at for invariants; where there are more, nothing is known.
const MOST: usize = 2_000;

/// What an operation of a plan does.
#[derive(Debug, Clone)]
struct Change {
    node: NodeId,
    from: StateId,
    to: StateId,
    /// The transitions that can be taken.
    ways: Vec<TransitionId>,
}

/// A state that a node is in between two actions.
#[derive(Debug, Clone, Copy)]
struct Stage {
    state: StateId,
    enter: Option<usize>,
    leave: Option<usize>,
}

/// What the operations of a plan do; every order that it allows keeps those of one instance in
/// their order.
pub(super) struct Changes<'a> {
    application: &'a Application,
    start: &'a GlobalState,
    all: Vec<Change>,
}

impl<'a> Changes<'a> {
    /// Those of a sequence that can be carried out; none when it cannot.
    pub(super) fn new(question: &'a Question<'a>, sequence: &Plan) -> Option<Self> {
        let Question { application, start, .. } = *question;
        let mut states = start.clone();
        let mut all = Vec::with_capacity(sequence.steps.len());
        for step in &sequence.steps {
            let PlanAction::Operation { instance, operation } = &step.action else { return None };
            let Instance { node, element: Element::State(from) } = states.instance(instance)?
            else {
                return None;
            };
            let protocol = application.protocol_of(node)?;
            let operation = application.type_of(node).operation_named(operation)?;
            let ways: Vec<TransitionId> = protocol.transitions_for(from, operation).collect();
            let to = protocol.transition(*ways.first()?).to;
            let element = Element::State(to);
            states.instances.insert(instance.clone(), Instance { node, element });
            all.push(Change { node, from, to, ways });
        }
        Some(Changes { application, start, all })
    }

    /// Why one action comes before another, when that can be read off what they need.
    pub(super) fn why(&self, before: usize, after: usize) -> Option<String> {
        let (first, second) = (&self.all[before], &self.all[after]);
        let name = |node: NodeId| &self.application.node(node).name;
        if first.node == second.node {
            return Some(format!("both are about {}", name(second.node)));
        }
        let protocol = self.application.protocol_of(second.node)?;
        let enters = protocol.requires(Element::State(second.to)).iter();
        let performs =
            second.ways.iter().flat_map(|way| protocol.requires(Element::Transition(*way)).iter());
        let mut needs = enters.chain(performs);
        if let Some(need) = needs.find(|need| self.establishes(first, second.node, **need)) {
            let need = self.requirement(second.node, *need);
            return Some(format!("{} is {need} of {}", name(first.node), name(second.node)));
        }
        let protocol = self.application.protocol_of(first.node)?;
        let mut leaves = protocol.requires(Element::State(first.from)).iter();
        let mut performs =
            first.ways.iter().flat_map(|way| protocol.requires(Element::Transition(*way)).iter());
        let is_of = |need: &&RequirementId| self.is_bound(first.node, **need, second.node);
        let need = leaves.find(is_of).or_else(|| performs.find(is_of))?;
        let need = self.requirement(first.node, *need);
        Some(format!("until then {} is {need} of {}", name(second.node), name(first.node)))
    }

    fn requirement(&self, node: NodeId, requirement: RequirementId) -> &str {
        &self.application.type_of(node).requirements[requirement.index()].name
    }

    fn is_bound(&self, node: NodeId, requirement: RequirementId, to: NodeId) -> bool {
        self.application.node(node).binding(requirement).is_some_and(|b| b.target == to)
    }

    /// Whether a change makes its node offer what a requirement is bound to.
    fn establishes(&self, change: &Change, user: NodeId, requirement: RequirementId) -> bool {
        let Some(binding) = self.application.node(user).binding(requirement) else { return false };
        let Some(protocol) = self.application.protocol_of(change.node) else { return false };
        binding.target == change.node
            && protocol.offers(Element::State(change.to)).contains(&binding.capability)
    }

    /// Whether nothing faults or is refused, in any order that a plan of these changes allows.
    ///
    /// Each requirement has one provider. So a fault is a stage of a user that needs, or an action
    /// that does, and a stage of its provider that does not offer, at the same time; and two
    /// stages can be at the same time unless one ends before the other begins.
    pub(super) fn are_fault_free(&self, plan: &Plan) -> bool {
        let Ok(events) = Events::atomic(plan) else { return false };
        if self.all.iter().any(|change| change.ways.len() > 1) {
            return false;
        }
        let stages = self.stages();
        let precedes = |before: Option<usize>, after: Option<usize>| {
            let event = |step: usize| events.first_of(step);
            before.zip(after).is_some_and(|(a, b)| events.at_most(event(a), event(b)))
        };
        // Whether the provider of a requirement may not offer between two actions.
        let may_lack = |node: NodeId, requirement, from: Option<usize>, to: Option<usize>| {
            let Some(binding) = self.application.node(node).binding(requirement) else {
                return true;
            };
            let Some(protocol) = self.application.protocol_of(binding.target) else { return true };
            stages[binding.target.index()].iter().any(|stage| {
                !protocol.offers(Element::State(stage.state)).contains(&binding.capability)
                    && !precedes(to, stage.enter)
                    && !precedes(stage.leave, from)
            })
        };
        let performed = self.all.iter().enumerate().all(|(at, change)| {
            let Some(protocol) = self.application.protocol_of(change.node) else { return false };
            let needs = |way: &TransitionId| protocol.requires(Element::Transition(*way));
            let mut needs = change.ways.iter().flat_map(needs);
            !needs.any(|need| may_lack(change.node, *need, Some(at), Some(at)))
        });
        performed
            && self.application.node_ids().all(|node| {
                let Some(protocol) = self.application.protocol_of(node) else { return false };
                stages[node.index()].iter().all(|Stage { state, enter, leave }| {
                    let mut needs = protocol.requires(Element::State(*state)).iter();
                    !needs.any(|need| may_lack(node, *need, *enter, *leave))
                })
            })
    }

    /// The states that each node goes through.
    fn stages(&self) -> Vec<Vec<Stage>> {
        let first = |node: NodeId| {
            let known = self.start.of_node(node).next().map(|(_, instance)| instance.element);
            let initial = self.application.protocol_of(node).map(|protocol| protocol.initial);
            let state = match known {
                Some(Element::State(state)) => Some(state),
                _ => initial,
            };
            state.map(|state| Stage { state, enter: None, leave: None }).into_iter().collect()
        };
        let mut stages: Vec<Vec<Stage>> = self.application.node_ids().map(first).collect();
        for (at, change) in self.all.iter().enumerate() {
            let of_node = &mut stages[change.node.index()];
            if let Some(last) = of_node.last_mut() {
                last.leave = Some(at);
            }
            of_node.push(Stage { state: change.to, enter: Some(at), leave: None });
        }
        stages
    }

    /// Whether invariants hold in every order that a plan of these changes allows, as far as that
    /// is known.
    pub(super) fn keep(&self, invariants: Invariants<'_>, plan: &Plan) -> bool {
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); plan.steps.len()];
        for edge in &plan.order {
            before[edge.after].push(edge.before);
        }
        let first = vec![false; plan.steps.len()];
        let mut known = BTreeSet::from([first.clone()]);
        let mut open = vec![first];
        while let Some(done) = open.pop() {
            let is_kept = invariants.allow(self.application, &self.state(plan, &done));
            if known.len() > MOST || !is_kept {
                return false;
            }
            for at in 0..plan.steps.len() {
                if !done[at] && before[at].iter().all(|earlier| done[*earlier]) {
                    let mut more = done.clone();
                    more[at] = true;
                    if known.insert(more.clone()) {
                        open.push(more);
                    }
                }
            }
        }
        true
    }

    /// Where everything is when these actions are done.
    fn state(&self, plan: &Plan, done: &[bool]) -> GlobalState {
        let mut state = self.start.clone();
        for (at, step) in plan.steps.iter().enumerate().filter(|(at, _)| done[*at]) {
            let Change { node, to, .. } = self.all[at];
            let instance = Instance { node, element: Element::State(to) };
            state.instances.insert(step.action.instance().clone(), instance);
        }
        state
    }
}
