//! RAMP's plans: actions by label and an optional order. A sequence is the same file, read in the
//! order of its labels.

use std::collections::BTreeMap;

use super::fields::{bad_value, check_name, needed, record, text, unknown, wrong_type};
use super::halves;
use crate::application::InstanceId;
use crate::diagnostic::Diagnostic;
use crate::plan::{Order, Plan, PlanAction, Step};
use crate::tree::{Entry, Node};

/// Reads a plan. Whether its names exist is asked where the application is known.
pub fn read_plan(root: Node<'_>, findings: &mut Vec<Diagnostic>) -> Plan {
    if root.get("planExecutableElements").is_some() {
        return halves::read_plan(root, findings);
    }
    record(root, "the plan", &["actions", "partialOrder"], findings);
    let mut plan = Plan::default();
    let mut labels = Labels::new();
    for entry in actions(root, &["actions"], findings) {
        let action = action(entry, findings);
        labels.insert(entry.name(), action.is_some().then_some(plan.steps.len()));
        let Some(action) = action else { continue };
        let origin = entry.key.span().into();
        plan.steps.push(Step { label: entry.name().to_owned(), action, origin });
    }
    let edges = edges(root, "partialOrder", &labels, findings);
    let order = edges.into_iter().map(|(before, after, edge)| Order {
        before,
        after,
        why: None,
        origin: edge.span().into(),
    });
    plan.order = order.collect();
    plan
}

/// The place of each action by its label; none for an action that could not be read.
pub(super) type Labels<'t> = BTreeMap<&'t str, Option<usize>>;

/// The actions of a plan, each an object with a label that may be one.
pub(super) fn actions<'t>(
    root: Node<'t>,
    keys: &[&str],
    findings: &mut Vec<Diagnostic>,
) -> Vec<Entry<'t>> {
    let Some(actions) = needed(root, keys, "the plan", findings) else { return Vec::new() };
    if !actions.is_mapping() {
        findings.push(wrong_type(actions, "a mapping with actions"));
    }
    let fine = |entry: &Entry<'t>| check_label(entry.key, findings);
    actions.entries().filter(fine).collect()
}

/// A label is for people: it may hold what a name may not.
fn check_label(label: Node<'_>, findings: &mut Vec<Diagnostic>) -> bool {
    if label.is_scalar() {
        return true;
    }
    findings.push(wrong_type(label, "a label"));
    false
}

/// The pairs of an order whose ends are labels of actions.
pub(super) fn edges<'t>(
    root: Node<'t>,
    key: &str,
    labels: &Labels<'_>,
    findings: &mut Vec<Diagnostic>,
) -> Vec<(usize, usize, Node<'t>)> {
    let Some(written) = root.get(key).filter(|order| !order.is_null()) else { return Vec::new() };
    if !written.is_list() {
        findings.push(wrong_type(written, "a list of pairs"));
    }
    let what = "a pair of the order";
    let mut edges = Vec::new();
    for edge in written.items() {
        if !record(edge, what, &["before", "after"], findings) {
            continue;
        }
        let [before, after] = ["before", "after"].map(|key| {
            let name = text(edge, &[key], what, findings)?;
            let found = labels.get(name.as_str()?).copied();
            if found.is_none() {
                unknown("action", name, labels.keys().copied(), findings);
            }
            found?
        });
        edges.extend(before.zip(after).map(|(before, after)| (before, after, edge)));
    }
    edges
}

fn action(entry: Entry<'_>, findings: &mut Vec<Diagnostic>) -> Option<PlanAction> {
    let what = format!("action `{}`", entry.name());
    let known = ["action", "instanceID", "opName", "nodeName", "idToAssign", "containerID"];
    if !record(entry.value, &what, &known, findings) {
        return None;
    }
    let kind = text(entry.value, &["action"], &what, findings)?;
    match kind.as_str()? {
        "op" => operation(entry.value, "opName", &what, findings),
        "scaleOut" => scale_out(entry.value, &what, findings),
        "scaleIn" => {
            Some(PlanAction::ScaleIn { instance: id(entry.value, "instanceID", &what, findings)? })
        }
        other => {
            let message = format!("`{other}` is no action");
            findings.push(bad_value(kind, message).help("write `op`, `scaleOut` or `scaleIn`"));
            None
        }
    }
}

pub(super) fn operation(
    node: Node<'_>,
    key: &str,
    what: &str,
    findings: &mut Vec<Diagnostic>,
) -> Option<PlanAction> {
    let instance = id(node, "instanceID", what, findings);
    let operation = text(node, &[key], what, findings)?.as_str()?.to_owned();
    Some(PlanAction::Operation { instance: instance?, operation })
}

pub(super) fn scale_out(
    node: Node<'_>,
    what: &str,
    findings: &mut Vec<Diagnostic>,
) -> Option<PlanAction> {
    let named = text(node, &["nodeName"], what, findings);
    let instance = text(node, &["idToAssign"], what, findings)
        .filter(|id| check_name(*id, findings))
        .and_then(Node::as_str);
    let container = match node.get("containerID").filter(|id| !id.is_null()) {
        Some(_) => Some(id(node, "containerID", what, findings)?),
        None => None,
    };
    Some(PlanAction::ScaleOut {
        node: named?.as_str()?.to_owned(),
        instance: InstanceId(instance?.to_owned()),
        container,
    })
}

pub(super) fn id(
    node: Node<'_>,
    key: &str,
    what: &str,
    findings: &mut Vec<Diagnostic>,
) -> Option<InstanceId> {
    let value = text(node, &[key], what, findings)?;
    Some(InstanceId(value.as_str()?.to_owned()))
}
