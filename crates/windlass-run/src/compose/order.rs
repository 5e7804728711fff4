//! The order in which a project goes down, and in which its containers are replaced.
//!
//! Who needs something leaves before it: the life cycles alone let a network be removed while
//! containers are in it, because a container needs it only to be made. More order never makes a
//! valid plan invalid.

use std::collections::{BTreeMap, BTreeSet};

use windlass::application::{Application, NodeId};
use windlass::plan::{Order, Plan, PlanAction};
use windlass::source::Origin;

/// Adds to a plan that `stop` and `remove` of what needs something come before those of what it
/// needs. A container that is only removed may still run, because it lost what it needs while no
/// engine looked: its removal stands for its stop.
pub fn arrange(application: &Application, nodes: &BTreeMap<String, String>, plan: &mut Plan) {
    let mut leaving: BTreeMap<&str, Vec<(usize, &str)>> = BTreeMap::new();
    for (at, step) in plan.steps.iter().enumerate() {
        let PlanAction::Operation { instance, operation } = &step.action else { continue };
        if let Some(node) = nodes.get(&instance.0)
            && matches!(operation.as_str(), "stop" | "remove")
        {
            leaving.entry(node).or_default().push((at, operation));
        }
    }
    let stopped: BTreeSet<&str> = plan
        .steps
        .iter()
        .filter_map(|step| match &step.action {
            PlanAction::Operation { instance, operation } if operation == "stop" => {
                Some(instance.0.as_str())
            }
            _ => None,
        })
        .collect();
    let known: BTreeSet<(usize, usize)> =
        plan.order.iter().map(|edge| (edge.before, edge.after)).collect();
    let mut more = BTreeSet::new();
    for (name, own) in &leaving {
        let Some(node) = application.node_named(name) else { continue };
        for (before, operation) in own {
            let is_stopped = stopped.contains(plan.steps[*before].action.instance().0.as_str());
            let also = (*operation == "remove" && !is_stopped).then_some("stop");
            for operation in std::iter::once(*operation).chain(also) {
                let after = needed(application, node, operation, &leaving).into_iter();
                let new = after.map(|after| (*before, after)).filter(|edge| !known.contains(edge));
                more.extend(new);
            }
        }
    }
    let old = plan.order.len();
    plan.order.extend(more.into_iter().map(|(before, after)| Order {
        before,
        after,
        why: Some("what is needed leaves last".to_owned()),
        origin: Origin(None),
    }));
    if plan.topological_order().is_err() {
        // A part that goes down and comes up again: the plan alone knows better.
        plan.order.truncate(old);
    }
}

/// The steps by which what a node needs leaves, and what that needs where it has no such step: a
/// job that has ended does not stop, and what waited for it still leaves before what it used.
fn needed(
    application: &Application,
    node: NodeId,
    operation: &str,
    leaving: &BTreeMap<&str, Vec<(usize, &str)>>,
) -> Vec<usize> {
    let mut steps = Vec::new();
    let mut seen = BTreeSet::from([node]);
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        for target in application.node(node).bindings.iter().map(|binding| binding.target) {
            if !seen.insert(target) {
                continue;
            }
            let own = leaving.get(application.node(target).name.as_str());
            let same = own.into_iter().flatten().filter(|(_, other)| *other == operation);
            let before = steps.len();
            steps.extend(same.map(|(at, _)| *at));
            if steps.len() == before {
                open.push(target);
            }
        }
    }
    steps
}

/// [`arrange`], and containers that are replaced follow one another: for plans that are made when
/// it is not known any more how many at a time were wanted.
pub fn arrange_one_by_one(
    application: &Application,
    nodes: &BTreeMap<String, String>,
    plan: &mut Plan,
) {
    arrange(application, nodes, plan);
    rolling_update(nodes, plan, |_| 1);
}

/// Adds to a plan that the containers of a node are replaced in turn, so many at a time as
/// `parallelism` says (0 for all): the next are not touched before the last are up.
///
/// An instance that is there and still has to be made is one whose container is replaced.
pub fn rolling_update(
    nodes: &BTreeMap<String, String>,
    plan: &mut Plan,
    parallelism: impl Fn(&str) -> usize,
) {
    let mut steps: BTreeMap<(&str, &str), Replaced> = BTreeMap::new();
    for (at, step) in plan.steps.iter().enumerate() {
        let (instance, operation) = match &step.action {
            PlanAction::Operation { instance, operation } => (instance, operation.as_str()),
            PlanAction::ScaleOut { instance, .. } => (instance, "new"),
            PlanAction::ScaleIn { .. } => continue,
        };
        let Some(node) = nodes.get(&instance.0) else { continue };
        let own = steps.entry((node, &instance.0)).or_default();
        match operation {
            "new" | "await_completed" => own.is_exempt = true,
            "create" => own.first = Some(at),
            "start" => own.last = own.last.or(Some(at)),
            "await_healthy" => own.last = Some(at),
            _ => {}
        }
    }
    let mut by_node: BTreeMap<&str, Vec<(u32, usize, usize)>> = BTreeMap::new();
    for ((node, instance), own) in steps {
        if let (false, Some(first), Some(last)) = (own.is_exempt, own.first, own.last) {
            let number = crate::world::docker::requests::number(node, instance).unwrap_or(0);
            by_node.entry(node).or_default().push((number, first, last));
        }
    }
    let mut more = Vec::new();
    for (node, mut all) in by_node {
        all.sort_unstable();
        let size = match parallelism(node) {
            0 => all.len(),
            size => size,
        };
        let batches: Vec<_> = all.chunks(size).collect();
        for pair in batches.windows(2) {
            for (_, _, before) in pair[0] {
                more.extend(pair[1].iter().map(|(_, after, _)| (*before, *after)));
            }
        }
    }
    let old = plan.order.len();
    plan.order.extend(more.into_iter().map(|(before, after)| Order {
        before,
        after,
        why: Some("containers are replaced in turn".to_owned()),
        origin: Origin(None),
    }));
    if plan.topological_order().is_err() {
        plan.order.truncate(old);
    }
}

/// Adds to a plan that a service starts after those that it waits for and does not need:
/// `optional_dependencies` says which, by node.
pub fn optional_order<'a>(
    nodes: &BTreeMap<String, String>,
    plan: &mut Plan,
    optional_dependencies: impl Fn(&str) -> Vec<&'a str>,
) {
    let mut starts: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, step) in plan.steps.iter().enumerate() {
        let PlanAction::Operation { instance, operation } = &step.action else { continue };
        if let Some(node) = nodes.get(&instance.0).filter(|_| operation == "start") {
            starts.entry(node).or_default().push(at);
        }
    }
    let mut more = Vec::new();
    for (node, own) in &starts {
        for before in
            optional_dependencies(node).into_iter().filter_map(|other| starts.get(other)).flatten()
        {
            more.extend(own.iter().map(|after| (*before, *after)));
        }
    }
    let old = plan.order.len();
    plan.order.extend(more.into_iter().map(|(before, after)| Order {
        before,
        after,
        why: Some("it is waited for, though not needed".to_owned()),
        origin: Origin(None),
    }));
    if plan.topological_order().is_err() {
        plan.order.truncate(old);
    }
}

/// The steps of an instance.
#[derive(Default)]
struct Replaced {
    first: Option<usize>,
    last: Option<usize>,
    /// Whether it is new, or a job, whose end is waited for: nothing talks to that.
    is_exempt: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use windlass::application::InstanceId;
    use windlass::plan::Step;

    /// Three containers that are replaced, and one that is new.
    fn plan() -> (BTreeMap<String, String>, Plan) {
        let mut plan = Plan::default();
        let mut nodes = BTreeMap::new();
        for number in 1..=3 {
            let instance = InstanceId(format!("api-{number}"));
            nodes.insert(instance.0.clone(), "api".to_owned());
            for operation in ["create", "start"] {
                let (instance, operation) = (instance.clone(), operation.to_owned());
                let label = format!("{operation} {instance}");
                let action = PlanAction::Operation { instance, operation };
                plan.steps.push(Step { label, action, origin: Origin(None) });
            }
        }
        (nodes, plan)
    }

    fn edges(plan: &Plan) -> Vec<(&str, &str)> {
        let label = |at: usize| plan.steps[at].label.as_str();
        plan.order.iter().map(|edge| (label(edge.before), label(edge.after))).collect()
    }

    #[test]
    fn so_many_are_replaced_at_a_time() {
        let (nodes, mut plan) = plan();
        rolling_update(&nodes, &mut plan, |_| 1);
        let one = [("start api-1", "create api-2"), ("start api-2", "create api-3")];
        assert_eq!(edges(&plan), one);
        plan.order.clear();
        rolling_update(&nodes, &mut plan, |_| 2);
        let two = [("start api-1", "create api-3"), ("start api-2", "create api-3")];
        assert_eq!(edges(&plan), two);
        plan.order.clear();
        rolling_update(&nodes, &mut plan, |_| 0);
        assert!(plan.order.is_empty(), "all at once");
    }

    #[test]
    fn what_is_hoped_for_starts_first() {
        let (mut nodes, mut plan) = plan();
        nodes.insert("api-3".to_owned(), "web".to_owned());
        optional_order(&nodes, &mut plan, |node| if node == "web" { vec!["api"] } else { vec![] });
        let both = [("start api-1", "start api-3"), ("start api-2", "start api-3")];
        assert_eq!(edges(&plan), both);
    }
}
