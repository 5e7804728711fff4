//! The order in which a project goes down: who needs something leaves before it.
//!
//! The life cycles alone let a network be removed while containers are in it, because a container
//! needs it only to be made. More order never makes a valid plan invalid.

use std::collections::{BTreeMap, BTreeSet};

use windlass::application::Application;
use windlass::plan::{Order, Plan, PlanAction};
use windlass::source::Origin;

/// Adds to a plan that `stop` and `remove` of whoever needs something come before those of what it
/// needs.
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
    let known: BTreeSet<(usize, usize)> =
        plan.order.iter().map(|edge| (edge.before, edge.after)).collect();
    let mut more = BTreeSet::new();
    for id in application.node_ids() {
        let node = application.node(id);
        for target in node.bindings.iter().map(|binding| &application.node(binding.target).name) {
            for (before, own) in leaving.get(node.name.as_str()).into_iter().flatten() {
                for (after, other) in leaving.get(target.as_str()).into_iter().flatten() {
                    if own == other && !known.contains(&(*before, *after)) {
                        more.insert((*before, *after));
                    }
                }
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
