//! Leaving in good order: what goes is first brought back by its own operations.
//!
//! The rules let an instance be removed in any state. A container or a network that is out there
//! would stay; only the operations `stop` and `remove` take it away.

use std::collections::BTreeSet;

use windlass::application::{GlobalState, Instance, InstanceId};
use windlass::goal::evaluate::Closure;
use windlass::goal::{GoalFile, Want};
use windlass::lifecycle::protocol::Element;
use windlass::plan::{Order, Plan, PlanAction, Step};
use windlass::source::Origin;
use windlass::synthesize::{self, Answer, Objective, Question};
use windlass::verify::Effort;

use super::PlanMachine;

/// The operations by which the parts of a project leave, the first that there is.
const LEAVING: &[&str] = &["stop", "remove"];

impl PlanMachine<'_> {
    /// A plan from here to `goal`; where plans are arranged, one by which nothing is left behind.
    pub(super) fn way(&self, goal: &GoalFile) -> Result<Option<Plan>, String> {
        let at_once = || self.found(&self.state, goal);
        let Some(first) = self.arrange.and_then(|_| self.rest(goal)) else { return at_once() };
        let end = synthesize::end_of(self.application, &self.state, &first);
        let Some(end) = end else { return at_once() };
        Ok(self.found(&end, goal)?.map(|then| one_after_the_other(first, then)))
    }

    /// The plan that stops and removes whatever leaves; none when nothing has to be stopped, or
    /// when these operations do not lead back.
    fn rest(&self, goal: &GoalFile) -> Option<Plan> {
        let leaves = |id: &InstanceId, instance: &Instance| {
            goal.goal.wants.iter().any(|want| match want {
                Want::NodeGone(node) => *node == instance.node,
                Want::InstanceGone(gone) => gone == id,
                _ => false,
            })
        };
        let mut plan = Plan::default();
        for (id, instance) in &self.state.instances {
            if leaves(id, instance) {
                self.leave(id, instance, &mut plan)?;
            }
        }
        if let Some(arrange) = self.arrange {
            arrange(self.application, &self.nodes_of(&plan), &mut plan);
        }
        (!plan.steps.is_empty()).then_some(plan)
    }

    /// Appends the operations by which an instance comes back to where it began, in their order.
    fn leave(&self, id: &InstanceId, instance: &Instance, plan: &mut Plan) -> Option<()> {
        let protocol = self.application.protocol_of(instance.node)?;
        let component = self.application.type_of(instance.node);
        let Element::State(mut state) = instance.element else { return None };
        let first = plan.steps.len();
        while state != protocol.initial {
            // A life cycle that goes round would never end.
            if plan.steps.len() - first > protocol.states.len() {
                return None;
            }
            let (operation, to) = LEAVING.iter().find_map(|name| {
                let operation = component.operation_named(name)?;
                let mut all = protocol.transitions.iter();
                let found = all.find(|it| it.from == state && it.operation == operation)?;
                Some((*name, found.to))
            })?;
            if plan.steps.len() > first {
                plan.order.push(edge(plan.steps.len() - 1, plan.steps.len()));
            }
            let action =
                PlanAction::Operation { instance: id.clone(), operation: operation.to_owned() };
            let label = format!("{operation} {id}");
            plan.steps.push(Step { label, action, origin: Origin(None) });
            state = to;
        }
        Some(())
    }

    /// A plan that the planner finds, arranged.
    fn found(&self, start: &GlobalState, goal: &GoalFile) -> Result<Option<Plan>, String> {
        let question = Question {
            application: self.application,
            start,
            goal,
            closure: Closure::Open,
            policy: self.application.policy,
            objective: Objective::Length,
            known: Some(&self.began),
            prove: false,
            allow_faults: self.allow_faults,
            soft: false,
        };
        let mut budget = (self.budget)();
        match synthesize::synthesize(&question, &Effort::default(), &mut *budget) {
            Answer::Plan(mut found) => {
                if let Some(arrange) = self.arrange {
                    arrange(self.application, &self.nodes_of(&found.plan), &mut found.plan);
                }
                Ok(Some(found.plan))
            }
            Answer::Unreachable(why) => {
                let mut words = vec![format!("unreachable: {}", why.headline)];
                words.extend(why.because);
                Err(words.join("; "))
            }
            Answer::Unknown { stopped, .. } => Err(format!("no plan was found: {stopped}")),
            Answer::Nets => Ok(None),
        }
    }
}

fn edge(before: usize, after: usize) -> Order {
    let why = Some("its operations come first".to_owned());
    Order { before, after, why, origin: Origin(None) }
}

/// One plan of two: whatever ends the first comes before whatever begins the second.
fn one_after_the_other(mut first: Plan, mut then: Plan) -> Plan {
    let mut labels: BTreeSet<String> = first.steps.iter().map(|step| step.label.clone()).collect();
    for step in &mut then.steps {
        let numbered = (2..).map(|number| format!("{} #{number}", step.label));
        let mut all = std::iter::once(step.label.clone()).chain(numbered);
        if let Some(label) = all.find(|label| labels.insert(label.clone())) {
            step.label = label;
        }
    }
    let count = first.steps.len();
    let goes_on: BTreeSet<usize> = first.order.iter().map(|edge| edge.before).collect();
    let follows: BTreeSet<usize> = then.order.iter().map(|edge| edge.after).collect();
    let ends: Vec<usize> = (0..count).filter(|step| !goes_on.contains(step)).collect();
    let begins = (0..then.steps.len()).filter(|step| !follows.contains(step));
    let joints: Vec<Order> = begins
        .flat_map(|after| ends.iter().map(move |before| (*before, after + count)))
        .map(|(before, after)| edge(before, after))
        .collect();
    for edge in &mut then.order {
        edge.before += count;
        edge.after += count;
    }
    first.steps.append(&mut then.steps);
    first.order.append(&mut then.order);
    first.order.extend(joints);
    first
}
