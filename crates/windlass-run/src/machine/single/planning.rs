//! Plans from the state in which every node is to a goal, and back.

use windlass::application::{Application, GlobalState, Instance};
use windlass::goal::{Amount, Goal, GoalFile, Want};
use windlass::lifecycle::protocol::Element;
use windlass::plan::Plan;
use windlass::semantics::protocol::ServiceTemplate;
use windlass::semantics::protocol::observe;
use windlass::synthesize::{self, Question};
use windlass::verify::Effort;

use super::SingleMachine;
use crate::machine::PlanError;

impl SingleMachine<'_> {
    pub(super) fn rollback_goal(&self) -> GoalFile {
        let mut goal = GoalFile::default();
        for instance in self.began.instances.values() {
            let Element::State(state) = instance.element else { continue };
            let (node, amount) = (instance.node, Amount::Exactly(1));
            goal.goal.wants.push(Want::Node { node, state, amount });
        }
        goal
    }

    /// What is wanted of an instance is wanted of its node, which has no other.
    fn of_nodes(&self, want: &Want) -> Want {
        let Want::Instance { instance, state } = want else { return want.clone() };
        let found = self.node_of(&instance.0).and_then(|node| {
            let state = self.template().protocol(node).state_named(state)?;
            Some(Want::Node { node, state, amount: Amount::Exactly(1) })
        });
        found.unwrap_or_else(|| want.clone())
    }

    /// A plan from here to a goal.
    pub(super) fn search(&self, goal: &GoalFile) -> Result<Plan, PlanError> {
        let wants = goal.goal.wants.iter().map(|want| self.of_nodes(want)).collect();
        let goal = &GoalFile { goal: Goal { wants }, ..goal.clone() };
        let plain = Question::new(self.application, &self.global, goal);
        let question = Question { known: Some(&self.began), ..plain };
        let answer = synthesize::synthesize(&question, &Effort::default(), &mut *(self.budget)());
        Ok(answer.into_plan()?)
    }
}

/// A state in which nothing lacks what it relies on: whatever does counts as dead. The instances
/// that do; none when there is no fault, or no such state.
pub fn without_faults(
    application: &Application,
    state: &GlobalState,
) -> Option<(GlobalState, Vec<String>)> {
    let template = ServiceTemplate::new(application)?;
    let (states, dead) = observe::given_up(&template, &template.states_of(state))?;
    let mut after = state.clone();
    let mut names = Vec::new();
    for node in dead {
        let (id, _) = state.of_node(node).next()?;
        let element = Element::State(states.of(node));
        after.instances.insert(id.clone(), Instance { node, element });
        names.push(id.0.clone());
    }
    (!names.is_empty()).then_some((after, names))
}
