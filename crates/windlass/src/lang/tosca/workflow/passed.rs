//! Operations that nothing carries out need no call: the orchestrator passes over them. A workflow
//! that calls `create` and `start` of a node without a `configure` of its own has the whole life of
//! that node in it.

use std::collections::BTreeSet;

use super::super::lower::ways::Way;
use crate::application::InstanceId;
use crate::plan::{Order, Plan, PlanAction, Step};
use crate::source::Origin;

/// Adds the operations that are passed over, each where it would stand.
pub(super) fn over(plan: &mut Plan, ways: &[Way]) {
    for way in ways {
        let up: Vec<&str> = way.up.iter().map(|(operation, _)| &**operation).collect();
        let down: Vec<&str> = way.down.iter().map(|operation| &**operation).collect();
        let has = |plan: &Plan, operations: &[&str]| {
            operations.iter().any(|operation| called(plan, &way.node, operation).is_some())
        };
        // Who goes up and down in one workflow says himself how far.
        match (has(plan, &up), has(plan, &down)) {
            (true, false) => along(plan, way, &up, true),
            (false, true) => along(plan, way, &down, false),
            _ => {}
        }
    }
}

/// The step that calls an operation of a node.
fn called(plan: &Plan, node: &str, operation: &str) -> Option<usize> {
    plan.steps.iter().position(|step| match &step.action {
        PlanAction::Operation { instance, operation: known } => {
            instance.0 == node && known == operation
        }
        _ => false,
    })
}

/// Fills the gaps of one way. What follows the last call is passed over on the way up only: a node
/// that is not deleted stays.
fn along(plan: &mut Plan, way: &Way, operations: &[&str], to_the_end: bool) {
    let calls: Vec<Option<usize>> =
        operations.iter().map(|operation| called(plan, &way.node, operation)).collect();
    let mut from = 0;
    while from < operations.len() {
        if calls[from].is_some() {
            from += 1;
            continue;
        }
        let gap = calls[from..].iter().take_while(|call| call.is_none()).count();
        let to = from + gap;
        let missing = &operations[from..to];
        if missing.iter().all(|operation| way.bare.contains(*operation)) {
            match (calls.get(to).copied().flatten(), from.checked_sub(1).and_then(|at| calls[at])) {
                (Some(next), _) => before(plan, &way.node, missing, next),
                (None, Some(last)) if to_the_end => after(plan, &way.node, missing, last),
                _ => {}
            }
        }
        from = to;
    }
}

/// Everything that comes before the next call comes before what is passed over.
fn before(plan: &mut Plan, node: &str, operations: &[&str], next: usize) {
    let earlier: Vec<usize> =
        plan.order.iter().filter(|edge| edge.after == next).map(|edge| edge.before).collect();
    let (first, last) = chain(plan, node, operations);
    plan.order.extend(earlier.into_iter().map(|earlier| edge(earlier, first)));
    plan.order.push(edge(last, next));
}

/// Everything that follows the last call follows what is passed over.
fn after(plan: &mut Plan, node: &str, operations: &[&str], call: usize) {
    let later: BTreeSet<usize> =
        plan.order.iter().filter(|edge| edge.before == call).map(|edge| edge.after).collect();
    let (first, last) = chain(plan, node, operations);
    plan.order.push(edge(call, first));
    plan.order.extend(later.into_iter().map(|later| edge(last, later)));
}

/// The operations as steps in a row: the first and the last of them.
fn chain(plan: &mut Plan, node: &str, operations: &[&str]) -> (usize, usize) {
    let first = plan.steps.len();
    for operation in operations {
        let at = plan.steps.len();
        let instance = InstanceId(node.to_owned());
        let action = PlanAction::Operation { instance, operation: (*operation).to_owned() };
        let label = format!("{operation} {node}");
        plan.steps.push(Step { label, action, origin: Origin(None) });
        if at > first {
            plan.order.push(edge(at - 1, at));
        }
    }
    (first, plan.steps.len() - 1)
}

fn edge(before: usize, after: usize) -> Order {
    Order { before, after, why: None, origin: Origin(None) }
}
