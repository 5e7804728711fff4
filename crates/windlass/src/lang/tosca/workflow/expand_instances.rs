//! A step of a workflow is about all nodes of its template. Where each of them is a node of the
//! application (`lower/pairs`), the step becomes one for each, and what follows it follows all.

use std::collections::BTreeMap;

use crate::application::InstanceId;
use crate::plan::{Order, Plan, PlanAction, Step};

/// Takes the steps about the templates apart that have several nodes each.
pub(super) fn taken_apart(plan: Plan, parts: &BTreeMap<String, Vec<String>>) -> Plan {
    if parts.is_empty() {
        return plan;
    }
    let mut apart = Plan { steps: Vec::new(), order: Vec::new(), ..plan };
    let mut places: Vec<Vec<usize>> = Vec::new();
    for step in plan.steps {
        let first = apart.steps.len();
        match parts.get(&step.action.instance().0) {
            Some(own) => apart.steps.extend(own.iter().map(|part| about(&step, part))),
            None => apart.steps.push(Step { action: outside(step.action, parts), ..step }),
        }
        places.push((first..apart.steps.len()).collect());
    }
    for edge in plan.order {
        for (before, after) in super::pairs(&places[edge.before], &places[edge.after]) {
            let Order { why, origin, .. } = edge.clone();
            apart.order.push(Order { before, after, why, origin });
        }
    }
    apart
}

/// A step for one of the nodes.
fn about(step: &Step, part: &str) -> Step {
    let instance = InstanceId(part.to_owned());
    let action = match &step.action {
        PlanAction::Operation { operation, .. } => {
            PlanAction::Operation { instance, operation: operation.clone() }
        }
        // In which one it lives is for the application to say.
        PlanAction::ScaleOut { .. } => {
            PlanAction::ScaleOut { node: part.to_owned(), instance, container: None }
        }
        PlanAction::ScaleIn { .. } => PlanAction::ScaleIn { instance },
    };
    Step { label: format!("{}:{part}", step.label), action, origin: step.origin }
}

/// What lives in a template that was taken apart lives in one of its nodes.
fn outside(action: PlanAction, parts: &BTreeMap<String, Vec<String>>) -> PlanAction {
    match action {
        PlanAction::ScaleOut { node, instance, container } => {
            let container = container.filter(|container| !parts.contains_key(&container.0));
            PlanAction::ScaleOut { node, instance, container }
        }
        other => other,
    }
}
