//! Operations that nothing carries out need no call: the orchestrator passes over them. A workflow
//! that calls `create` and `start` of a node without a `configure` of its own has the whole life of
//! that node in it.

use std::collections::BTreeSet;

use super::super::command::{Inputs, of_link};
use super::super::lower::name_of;
use super::super::lower::operation_sequences::Way;
use super::super::weaving::Phase;
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
        match (has(plan, &up), has(plan, &down)) {
            (true, false) => along(plan, way, &up, true),
            (false, true) => along(plan, way, &down, false),
            (true, true) => up_and_down(plan, way),
            (false, false) => {}
        }
    }
}

/// The operations of relationships that a life cycle knows. No other one is skipped.
const CONFIGURE: &[&str] = &[
    "pre_configure_source",
    "pre_configure_target",
    "post_configure_source",
    "post_configure_target",
    "add_source",
    "add_target",
    "remove_source",
    "remove_target",
    "target_changed",
];

/// Whether nothing carries an operation of a relationship of a node out, at neither end. It is
/// written with its requirement, on the side of the target also with its source.
pub(super) fn between(inputs: &Inputs<'_, '_>, node: &str, operation: &str) -> bool {
    let Some((call, requirement)) = operation.split_once(':') else { return false };
    let call = call.strip_prefix("Configure.").filter(|call| CONFIGURE.contains(call));
    let Some(call) = call else { return false };
    let (source, requirement) = requirement.split_once('/').unwrap_or((node, requirement));
    let source =
        inputs.service.nodes.iter().position(|(it, _)| name_of(&it.text) == name_of(source));
    let links = source.map_or(&[][..], |source| inputs.links.of(source));
    let mut links = links.iter().filter(|link| link.name == requirement).peekable();
    links.peek().is_some() && links.all(|link| of_link(inputs, link, call, link.source).is_none())
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

/// Where a call stands in the life of a node: on the way up or down, and its place there.
#[derive(Clone, Copy)]
enum At {
    Up(usize),
    Down(usize),
}

/// Fills the gaps between the calls of a node that goes up and down in one workflow, one after the
/// other. Calls without an order are no life, and stay what they are whatever is put between them.
fn up_and_down(plan: &mut Plan, way: &Way) {
    let place = |step: &Step| match &step.action {
        PlanAction::Operation { instance, operation } if instance.0 == way.node => {
            let up = way.up.iter().position(|(known, _)| known == operation).map(At::Up);
            up.or_else(|| way.down.iter().position(|known| known == operation).map(At::Down))
        }
        _ => None,
    };
    let Ok(order) = plan.topological_order() else { return };
    let calls: Vec<(usize, At)> =
        order.into_iter().filter_map(|step| Some((step, place(&plan.steps[step])?))).collect();
    let is_bare = |gap: &[&str]| gap.iter().all(|operation| way.bare.contains(*operation));
    let mut last = None;
    for (step, at) in &calls {
        let gap = gap(way, last, *at);
        if !gap.is_empty() && is_bare(&gap) {
            before(plan, &way.node, &gap, *step);
        }
        last = Some(*at);
    }
    if let Some((step, At::Up(at))) = calls.last() {
        let rest: Vec<&str> = way.up[at + 1..].iter().map(|(operation, _)| &**operation).collect();
        if !rest.is_empty() && is_bare(&rest) {
            after(plan, &way.node, &rest, *step);
        }
    }
}

/// The operations between two calls of a node, on the way that its life takes from one to the
/// other; none where there is no such way.
fn gap(way: &Way, from: Option<At>, to: At) -> Vec<&str> {
    let up = |from: usize, to: usize| {
        let part = way.up.get(from..to).unwrap_or_default();
        part.iter().map(|(operation, _)| operation.as_str())
    };
    let down = |from: usize, to: usize| {
        way.down.get(from..to).unwrap_or_default().iter().map(String::as_str)
    };
    let starts = way.up.iter().position(|(_, phase)| *phase == Phase::Start);
    let starts = starts.unwrap_or(way.up.len());
    let is_end = |at: usize| at + 1 == way.down.len();
    match (from, to) {
        (None, At::Up(to)) => up(0, to).collect(),
        (None, At::Down(to)) => down(0, to).collect(),
        (Some(At::Up(from)), At::Up(to)) => up(from + 1, to).collect(),
        (Some(At::Down(from)), At::Down(to)) => down(from + 1, to).collect(),
        // What has not begun to start is deleted as it is.
        (Some(At::Up(from)), At::Down(to)) if from < starts && is_end(to) => Vec::new(),
        (Some(At::Up(from)), At::Down(to)) => {
            up(from + 1, way.up.len()).chain(down(0, to)).collect()
        }
        (Some(At::Down(from)), At::Up(to)) if is_end(from) => up(0, to).collect(),
        // What is stopped rests where it was before it was started.
        (Some(At::Down(_)), At::Up(to)) if to < starts => Vec::new(),
        (Some(At::Down(from)), At::Up(to)) => {
            down(from + 1, way.down.len().saturating_sub(1)).chain(up(starts, to)).collect()
        }
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
        let wish = format!("{operation} {node}");
        let numbered = (2..).map(|number| format!("{wish} {number}"));
        let mut labels = std::iter::once(wish.clone()).chain(numbered);
        let label = labels.find(|it| plan.step_labelled(it).is_none()).unwrap_or(wish.clone());
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
