//! Graceful removal: what goes is first brought back by its own operations.
//!
//! The rules let an instance be removed in any state. A container or a network that is out there
//! would stay, and what its author wrote into `stop` would never be executed. So every plan that
//! removes instances (`down`, `scale`, a roll back) has two parts: those that leave come to rest,
//! users before what they use, and then the plan of the planner follows from there. Only what
//! needs an order gets one: what uses an instance, or is inside it, before that instance, and
//! what happens to an instance one after the other. Unrelated instances go at the same time.

mod join;
mod to_rest;

use std::collections::{BTreeMap, BTreeSet};

use self::join::{edge, joined};
use self::to_rest::to_rest;
use super::{NoPlan, Question, synthesize};
use crate::application::{Application, GlobalState, Instance, InstanceId, NodeId};
use crate::goal::{GoalFile, Want};
use crate::lifecycle::protocol::{Arity, Element, RequirementId, Sort};
use crate::plan::{Plan, PlanAction, Step};
use crate::semantics::replica::in_place::InPlace;
use crate::semantics::replica::{Action, Event, Replica};
use crate::source::Origin;
use crate::system::Budget;
use crate::verify::Effort;

/// Adds order to a plan: application, nodes by instance, plan.
pub type Arrange = fn(&Application, &BTreeMap<String, String>, &mut Plan);

/// What is asked: a plan by which nothing is removed before it is at rest.
#[derive(Clone, Copy)]
pub struct GracefulRemoval<'a> {
    /// The description.
    pub application: &'a Application,
    /// Its rules.
    pub replica: &'a Replica<'a>,
    /// Where the plan starts.
    pub start: &'a GlobalState,
    /// Another state in which instances have names that the goal may use.
    pub known: &'a GlobalState,
    /// What it has to reach.
    pub goal: &'a GoalFile,
    /// Whether the plan may pass through faults that handlers take.
    pub allow_faults: bool,
    /// Adds to the order of every part of the plan.
    pub arrange: Option<Arrange>,
    /// How much each search for a part may cost.
    pub budget: fn() -> Box<dyn Budget>,
}

/// The steps of each instance that leaves: first and last.
type Chains = BTreeMap<InstanceId, (usize, usize)>;

/// A step that has to be over before anything is done to an instance.
struct Hold {
    step: usize,
    instance: InstanceId,
}

/// A plan that brings instances to rest.
struct Rest {
    plan: Plan,
    /// Where it leads.
    end: GlobalState,
    holds: Vec<Hold>,
}

impl GracefulRemoval<'_> {
    /// The plan.
    ///
    /// Each search of a part gives a verified plan; the whole is not verified again. The caller
    /// that follows it asks the rules at every step.
    pub fn plan(&self) -> Result<Plan, NoPlan> {
        // First the instances that have to go, then those that the planner removes for the rest.
        let mut first = self.rest(self.start, &self.unwanted());
        let mut state = first.as_ref().map_or(self.start, |rest| &rest.end).clone();
        let then = match self.search(&state) {
            // From where some are at rest there may be no plan: then there is the one from here.
            Err(_) if first.take().is_some() => {
                state = self.start.clone();
                self.search(&state)?
            }
            found => found?,
        };
        let Some(second) = self.rest(&state, &removed(&then)) else {
            return Ok(after(first, then));
        };
        let Ok(last) = self.search(&second.end) else { return Ok(after(first, then)) };
        let Some(Rest { plan, mut holds, .. }) = first else {
            return Ok(after(Some(second), last));
        };
        let count = plan.steps.len();
        let later = |hold: Hold| Hold { step: hold.step + count, ..hold };
        holds.extend(second.holds.into_iter().map(later));
        let plan = joined(plan, second.plan, &[]);
        Ok(joined(plan, last, &holds))
    }

    /// The instances that a goal wants gone.
    fn unwanted(&self) -> BTreeSet<InstanceId> {
        let mut nodes: BTreeSet<NodeId> = BTreeSet::new();
        let mut leaving: BTreeSet<InstanceId> = BTreeSet::new();
        for want in &self.goal.goal.wants {
            match want {
                Want::NodeGone(node) => drop(nodes.insert(*node)),
                Want::InstanceGone(id) => drop(leaving.insert(id.clone())),
                // Back to where it began is as far as leaving goes.
                Want::Instance { instance: id, state } => {
                    let node = self.start.instance(id).map(|instance| instance.node);
                    let protocol = node.and_then(|node| self.application.protocol_of(node));
                    if protocol.is_some_and(|it| it.state(it.initial).name == *state) {
                        leaving.insert(id.clone());
                    }
                }
                _ => {}
            }
        }
        let all = self.start.instances.iter();
        leaving.extend(all.filter(|(_, it)| nodes.contains(&it.node)).map(|(id, _)| id.clone()));
        leaving
    }

    /// The plan that brings `leaving` to rest, and where it leads; none when all of them are at
    /// rest, or when the rules do not let them.
    fn rest(&self, from: &GlobalState, leaving: &BTreeSet<InstanceId>) -> Option<Rest> {
        let mut plan = Plan::default();
        let mut chains = Chains::new();
        let mut relied = BTreeMap::new();
        for id in leaving {
            let Some(instance) = from.instance(id) else { continue };
            let first = plan.steps.len();
            let late = self.leave(id, instance, &mut plan);
            if let Some(last) = plan.steps.len().checked_sub(1).filter(|last| *last >= first) {
                chains.insert(id.clone(), (first, last));
                relied.insert(id.clone(), self.relied_on(from, id, instance, &late));
            }
        }
        if plan.steps.is_empty() {
            return None;
        }
        let mut holds = Vec::new();
        match self.arrange {
            Some(arrange) => arrange(self.application, &self.nodes_of(&plan), &mut plan),
            None => holds = users_first(&chains, relied, &mut plan),
        }
        let end = self.end_without_faults(from, &plan)?;
        Some(Rest { plan, end, holds })
    }

    /// The instances that have to stay as they are until `id` is at rest: what it is inside, what
    /// it is bound to, and what may offer what it needs only on its way (`late`).
    fn relied_on(
        &self,
        from: &GlobalState,
        id: &InstanceId,
        instance: Instance,
        late: &BTreeSet<RequirementId>,
    ) -> BTreeSet<InstanceId> {
        let node = self.application.node(instance.node);
        let mut all: BTreeSet<InstanceId> = from.container(id).cloned().into_iter().collect();
        let requirements = &self.application.type_of(instance.node).requirements;
        for binding in &node.bindings {
            let declared = &requirements[binding.requirement.index()];
            match declared.sort {
                Sort::Containment => {}
                _ if late.contains(&binding.requirement) || declared.arity == Arity::All => {
                    all.extend(from.of_node(binding.target).map(|(id, _)| id.clone()));
                }
                _ => all.extend(from.bound(id, binding.requirement).cloned()),
            }
        }
        all.remove(id);
        all
    }

    /// Appends the operations by which an instance comes to rest, in their order. What it needs on
    /// its way and does not need now.
    fn leave(
        &self,
        id: &InstanceId,
        instance: Instance,
        plan: &mut Plan,
    ) -> BTreeSet<RequirementId> {
        let mut late = BTreeSet::new();
        let Some(protocol) = self.application.protocol_of(instance.node) else { return late };
        let component = self.application.type_of(instance.node);
        let Element::State(state) = instance.element else { return late };
        // What is needed without interruption stays bound as it is.
        let mut kept = protocol.state(state).requires.clone();
        let first = plan.steps.len();
        for transition in to_rest(protocol, state) {
            for needs in [&transition.requires, &protocol.state(transition.to).requires] {
                late.extend(needs.difference(&kept).copied());
                kept = kept.intersection(needs).copied().collect();
            }
            if plan.steps.len() > first {
                let last = plan.steps.len() - 1;
                plan.order.push(edge(last, last + 1, "its operations come first"));
            }
            let operation = component.operations[transition.operation.index()].name.clone();
            let label = format!("{operation} {id}");
            let action = PlanAction::Operation { instance: id.clone(), operation };
            plan.steps.push(Step { label, action, origin: Origin(None) });
        }
        late
    }

    /// Where a plan leads; none when the rules refuse a step, or when it would fault.
    fn end_without_faults(&self, from: &GlobalState, plan: &Plan) -> Option<GlobalState> {
        let mut state = InPlace::new(self.replica, from.clone());
        for step in plan.topological_order().ok()? {
            let PlanAction::Operation { instance, operation } = plan.steps[step].action.clone()
            else {
                return None;
            };
            let end = Action::OpEnd { instance: instance.clone(), operation: operation.clone() };
            for action in [Action::OpStart { instance, operation }, end] {
                let next = state.next(self.replica, &action).ok()?;
                if !self.allow_faults && next.events().iter().any(Event::is_fault) {
                    return None;
                }
                state.take(self.replica, next);
            }
        }
        Some(state.state().clone())
    }

    /// A plan that the planner finds, arranged.
    fn search(&self, start: &GlobalState) -> Result<Plan, NoPlan> {
        let plain = Question::new(self.application, start, self.goal);
        let question =
            Question { known: Some(self.known), allow_faults: self.allow_faults, ..plain };
        let answer = synthesize(&question, &Effort::default(), &mut *(self.budget)());
        let mut plan = answer.into_plan()?;
        if let Some(arrange) = self.arrange {
            arrange(self.application, &self.nodes_of(&plan), &mut plan);
        }
        Ok(plan)
    }

    /// The node of every instance that is there or that a plan makes.
    fn nodes_of(&self, plan: &Plan) -> BTreeMap<String, String> {
        let there = self.start.instances.iter();
        let there =
            there.map(|(id, own)| (id.0.clone(), self.application.node(own.node).name.clone()));
        let made = plan.steps.iter().filter_map(|step| match &step.action {
            PlanAction::ScaleOut { node, instance, .. } => Some((instance.0.clone(), node.clone())),
            _ => None,
        });
        there.chain(made).collect()
    }
}

/// What relies on something is at rest before that begins to leave. The steps that have to be over
/// before anything is done to those that are at rest already.
fn users_first(
    chains: &Chains,
    relied: BTreeMap<InstanceId, BTreeSet<InstanceId>>,
    plan: &mut Plan,
) -> Vec<Hold> {
    let alone = plan.order.len();
    let mut holds = Vec::new();
    for (id, others) in relied {
        let Some((_, last)) = chains.get(&id) else { continue };
        for other in others {
            match chains.get(&other) {
                Some((first, _)) => {
                    plan.order.push(edge(*last, *first, "what uses it comes to rest first"));
                }
                None => holds.push(Hold { step: *last, instance: other }),
            }
        }
    }
    if plan.topological_order().is_err() {
        // They use each other: the rules alone decide who may begin.
        plan.order.truncate(alone);
    }
    holds
}

/// The instances that a plan takes away.
fn removed(plan: &Plan) -> BTreeSet<InstanceId> {
    let removed = plan.steps.iter().filter_map(|step| match &step.action {
        PlanAction::ScaleIn { instance } => Some(instance.clone()),
        _ => None,
    });
    removed.collect()
}

/// A plan after what brings its instances to rest.
fn after(first: Option<Rest>, then: Plan) -> Plan {
    match first {
        Some(Rest { plan, holds, .. }) => joined(plan, then, &holds),
        None => then,
    }
}
