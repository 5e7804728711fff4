//! What a reader of a verdict should know beside it: none of this decides anything.

use std::collections::BTreeMap;

use super::Question;
use super::bindings::MOST_PAIRS;
use crate::application::InstanceId;
use crate::plan::Plan;
use crate::plan::events::Events;
use crate::semantics::replica::faults;
use crate::semantics::{self, AnySystem, Setting};

/// Faults that are pending in the start state, and actions on one instance without an order.
pub(super) fn remarks(question: &Question<'_>) -> Vec<String> {
    let mut remarks = pending_at_start(question);
    if let Ok(events) = Events::new(question.plan) {
        remarks.extend(unordered(question.plan, &events));
    }
    remarks
}

/// Effects on bindings are left out.
pub(super) fn too_many_bindings() -> String {
    format!(
        "what requirements are bound to in the end is left out: there are more than {MOST_PAIRS} \
         pairs of a user and a possible provider"
    )
}

/// Effects on bindings may be too many.
pub(super) fn bindings_not_followed() -> String {
    "the plan has too many orders to follow every choice of a provider: a binding that is listed as \
     possible may be one that no run makes; every other one is left out rightly"
        .to_owned()
}

/// The start state is taken as given; what is wrong with it settles with the first action.
fn pending_at_start(question: &Question<'_>) -> Vec<String> {
    let application = question.application;
    let remark = |id: &str, requirement: &str| {
        format!("a fault is pending in the start state: `{id}` lacks `{requirement}`")
    };
    let setting = Setting {
        start: question.start.clone(),
        policy: Some(question.policy),
        ..Setting::default()
    };
    match semantics::system_of(application, setting) {
        AnySystem::Nets => Vec::new(),
        AnySystem::Template(template) => {
            let pending = template.faults(&template.start).into_iter();
            let pending = pending.map(|(node, requirement)| {
                let name = &application.type_of(node).requirements[requirement.index()].name;
                remark(&application.node(node).name, name)
            });
            pending.collect()
        }
        AnySystem::Replicas(replica) => {
            let pending = faults::unresolvable(&replica, question.start).into_iter();
            let pending = pending.filter_map(|(id, requirement)| {
                let node = question.start.instance(&id)?.node;
                Some(remark(&id.0, &replica.requirement(node, requirement).name))
            });
            pending.collect()
        }
    }
}

/// Neighbours among the actions on one instance that the plan does not order.
fn unordered(plan: &Plan, events: &Events) -> Vec<String> {
    let mut last: BTreeMap<&InstanceId, usize> = BTreeMap::new();
    let mut remarks = Vec::new();
    for event in events.topological() {
        let step = events.get(*event).step;
        if events.first_of(step) != *event {
            continue;
        }
        let instance = plan.steps[step].action.instance();
        let Some(before) = last.insert(instance, step) else { continue };
        if !events.at_most(events.last_of(before), *event) {
            let (before, after) = (before.min(step), before.max(step));
            remarks.push(format!(
                "actions `{}` and `{}` are both about `{instance}` and not ordered",
                plan.steps[before].label, plan.steps[after].label
            ));
        }
    }
    remarks
}
