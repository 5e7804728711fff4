//! What is to be as small as possible: the number of actions, the time, or the price.

use super::schedule;
use super::sequence::PlanningContext;
use super::sequence::distance::Weights;
use super::sequence::tables::Tables;
use super::{Question, completed};
use crate::application::{Application, GlobalState, NodeId};
use crate::lifecycle::protocol::Element;
use crate::plan::Plan;
use crate::plan::events::Events;
use crate::semantics::protocol;
use crate::semantics::protocol::settled::Settled;
use crate::semantics::replica::in_place::InPlace;
use crate::semantics::replica::{Action, Creation};
use crate::semantics::{self, AnySystem, Setting};
use crate::system::System as _;

/// What is to be as small as possible.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Objective {
    /// Observable actions: scalings, starts and ends of operations.
    #[default]
    Length,
    /// Milliseconds, when everything starts as soon as the order allows.
    Makespan,
    /// Thousandths of a unit of price.
    Cost,
}

impl Objective {
    /// The word on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Objective::Length => "length",
            Objective::Makespan => "makespan",
            Objective::Cost => "cost",
        }
    }
}

/// Prices and times come first, and among equals fewer actions: one unit is worth more actions
/// than any plan has.
const UNIT: u64 = 1 << 20;

/// The weights that are tried for an objective.
pub(super) fn attempts(question: &Question<'_>, tables: &Tables) -> Vec<Weights> {
    let length = Weights::length(tables);
    let weighted = |of: &dyn Fn(&crate::application::Operation) -> u64| {
        let mut weights = length.clone();
        for (node, table) in tables.nodes.iter().enumerate() {
            let component = question.application.type_of(NodeId::from(node));
            for (at, way) in table.ways.iter().enumerate() {
                let value = component.operations.get(way.operation).map_or(0, of);
                weights.operation[node][at] = value.min(UNIT).saturating_mul(UNIT) + 2;
            }
        }
        weights
    };
    let millis = |operation: &crate::application::Operation| {
        operation.duration.map_or(0, |d| u64::try_from(d.as_millis()).unwrap_or(u64::MAX))
    };
    match question.objective {
        Objective::Length => vec![length],
        Objective::Cost => vec![weighted(&|operation| operation.cost.0)],
        Objective::Makespan => vec![weighted(&millis), length],
    }
}

/// The value of a plan.
pub(super) fn value(question: &Question<'_>, plan: &Plan) -> u64 {
    let Question { application, start, .. } = *question;
    match question.objective {
        Objective::Length => plan.length() as u64,
        Objective::Makespan => schedule::schedule(application, start, plan).length.millis,
        Objective::Cost => schedule::cost(application, start, plan),
    }
}

/// A value below which no plan is, from what the search proved about its weights; whether faults
/// are pending or allowed.
pub(super) fn bound(
    question: &Question<'_>,
    context: &PlanningContext<'_>,
    proven: u64,
    has_faults: bool,
) -> u64 {
    match question.objective {
        Objective::Length => proven,
        // A fault takes no time: what the goal takes without faults bounds nothing.
        Objective::Makespan if has_faults => 0,
        Objective::Cost if has_faults => proven / UNIT,
        // A plan with fewer than a million actions that is cheaper would have been found.
        Objective::Cost => (proven / UNIT).saturating_add(context.least_rent()),
        Objective::Makespan => context.least_makespan(),
    }
}

/// Where a valid plan ends, carried out in one of its orders.
pub fn end_of(application: &Application, start: &GlobalState, plan: &Plan) -> Option<GlobalState> {
    let setting = Setting { start: start.clone(), ..Setting::default() };
    let mut replica = match semantics::system_of(application, setting) {
        AnySystem::Nets => return None,
        AnySystem::Template(template) => {
            return end_of_atomic(application, Settled(template), start, plan);
        }
        AnySystem::Replicas(replica) => replica,
    };
    let events = Events::new(plan).ok()?;
    replica.pool = Creation::planned(application, plan);
    let mut state = InPlace::new(&replica, start.clone());
    for event in events.topological() {
        let action = Action::planned(application, plan, events.get(*event))?;
        let next = state.next(&replica, &action).ok()?;
        state.take(&replica, next);
    }
    Some(state.state().clone())
}

/// The same where each node has one instance and operations are atomic: a requirement is satisfied
/// by the node that it is bound to, whatever lives in what.
fn end_of_atomic(
    application: &Application,
    template: Settled<'_>,
    start: &GlobalState,
    plan: &Plan,
) -> Option<GlobalState> {
    let events = Events::atomic(plan).ok()?;
    let mut end = completed(application, start);
    let mut states = template.0.states_of(&end);
    for event in events.topological() {
        let action = &plan.steps[events.get(*event).step].action;
        let action = protocol::Action::planned(application, &end, action)?;
        states = template.step(&states, &action).ok()?.into_vec().into_iter().next()?;
    }
    for instance in end.instances.values_mut() {
        instance.element = Element::State(states.of(instance.node));
    }
    Some(end)
}
