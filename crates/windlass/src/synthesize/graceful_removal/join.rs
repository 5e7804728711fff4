//! Two plans, one after the other, as one partial order.

use std::collections::{BTreeMap, BTreeSet};

use super::Hold;
use crate::application::InstanceId;
use crate::plan::{Order, Plan, PlanAction};
use crate::source::Origin;

/// More edges than this between two parts of a plan are too many: one step stands for the others.
const MANY: usize = 4096;

/// One plan of two. A removal follows what is done to its instance before, and the steps that
/// `holds` names for it; anything else that begins the second follows whatever ends the first.
pub(super) fn joined(mut first: Plan, mut then: Plan, holds: &[Hold]) -> Plan {
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
    let mut before: BTreeMap<&InstanceId, BTreeSet<usize>> = BTreeMap::new();
    // Of the steps of one instance in the first plan the last stands behind the others.
    let lasts: BTreeMap<&InstanceId, usize> =
        first.steps.iter().map(|step| step.action.instance()).zip(0..).collect();
    for (id, step) in lasts.into_iter().chain(holds.iter().map(|hold| (&hold.instance, hold.step)))
    {
        before.entry(id).or_default().insert(step);
    }
    let is_removal = |step: usize| matches!(then.steps[step].action, PlanAction::ScaleIn { .. });
    let mut joints: Vec<(usize, usize)> = Vec::new();
    for (at, step) in then.steps.iter().enumerate().filter(|(at, _)| is_removal(*at)) {
        let own = before.get(step.action.instance()).into_iter().flatten();
        joints.extend(own.map(|before| (*before, at)));
    }
    let begins: Vec<usize> =
        (0..then.steps.len()).filter(|at| !follows.contains(at) && !is_removal(*at)).collect();
    match begins.split_first() {
        Some((hub, others)) if ends.len() * begins.len() > MANY => {
            joints.extend(ends.iter().map(|before| (*before, *hub)));
            then.order.extend(others.iter().map(|at| edge(*hub, *at, "everything is at rest")));
        }
        _ => joints
            .extend(begins.iter().flat_map(|at| ends.iter().map(move |before| (*before, *at)))),
    }
    let joint = |(before, at): (usize, usize)| edge(before, at + count, "it is at rest first");
    let joints: Vec<Order> = joints.into_iter().map(joint).collect();
    for edge in &mut then.order {
        edge.before += count;
        edge.after += count;
    }
    first.steps.append(&mut then.steps);
    first.order.append(&mut then.order);
    first.order.extend(joints);
    first
}

/// An edge of the order, with its reason.
pub(super) fn edge(before: usize, after: usize, why: &str) -> Order {
    Order { before, after, why: Some(why.to_owned()), origin: Origin(None) }
}
