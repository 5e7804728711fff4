//! Plan files: actions by label, and the order between them.

use std::collections::BTreeMap;

use super::{PLAN_DOES_NOT_FIT, check_shape, unknown};
use crate::application::InstanceId;
use crate::diagnostic::Diagnostic;
use crate::lang::language::Kind;
use crate::plan::{Order, Plan, PlanAction, Step};
use crate::tree::{Entry, Node, Value};

/// Reads a plan file. Whether its names exist is asked where the application is known.
pub fn read_plan(root: Node<'_>, findings: &mut Vec<Diagnostic>) -> Plan {
    check_shape(Kind::Plan, root, findings);
    let Some(node) = root.get("plan") else { return Plan::default() };
    let text = |key: &str| node.get(key).and_then(Node::as_str).map(str::to_owned);
    let mut plan =
        Plan { application: text("application"), start: text("start"), ..Plan::default() };
    for entry in node.get("actions").into_iter().flat_map(Node::entries) {
        let Some(action) = action(entry, findings) else { continue };
        let origin = entry.key.span().into();
        plan.steps.push(Step { label: entry.name().to_owned(), action, origin });
    }
    let labels: BTreeMap<&str, usize> =
        plan.steps.iter().enumerate().map(|(at, step)| (&*step.label, at)).collect();
    let mut order = Vec::new();
    for edge in node.get("order").into_iter().flat_map(Node::items) {
        let mut end = |key: &str| {
            let name = edge.get(key)?;
            let found = labels.get(name.as_str()?).copied();
            if found.is_none() {
                unknown("action", name, labels.keys().copied(), findings);
            }
            found
        };
        let (before, after) = (end("before"), end("after"));
        let why = edge.get("why").and_then(Node::as_str).map(str::to_owned);
        if let (Some(before), Some(after)) = (before, after) {
            order.push(Order { before, after, why, origin: edge.span().into() });
        }
    }
    plan.order = order;
    plan
}

fn action(entry: Entry<'_>, findings: &mut Vec<Diagnostic>) -> Option<PlanAction> {
    let node = entry.value;
    let text = |key: &str| node.get(key).and_then(Node::as_str).map(str::to_owned);
    let kind = text("do")?;
    let instance = InstanceId(text("instance")?);
    let allowed: &[&str] = match kind.as_str() {
        "op" => &["operation"],
        "scale_out" => &["node", "container"],
        _ => &[],
    };
    for key in ["operation", "node", "container"] {
        if let Some(wrong) = node.get_entry(key).filter(|_| !allowed.contains(&key)) {
            let message = format!("`do: {kind}` takes no `{key}`");
            findings.push(
                Diagnostic::error(PLAN_DOES_NOT_FIT, wrong.key.span(), message).help("remove it"),
            );
        }
    }
    let mut needed = |key: &str| {
        let found = text(key);
        if found.is_none() {
            let message = format!("action `{}` has no `{key}`", entry.name());
            let help = format!("`do: {kind}` needs `{key}`");
            findings
                .push(Diagnostic::error(PLAN_DOES_NOT_FIT, entry.key.span(), message).help(help));
        }
        found
    };
    match kind.as_str() {
        "op" => Some(PlanAction::Operation { instance, operation: needed("operation")? }),
        "scale_out" => {
            let container = text("container").map(InstanceId);
            Some(PlanAction::ScaleOut { node: needed("node")?, instance, container })
        }
        "scale_in" => Some(PlanAction::ScaleIn { instance }),
        _ => None,
    }
}

/// The finding about actions that have to wait for each other, if there are any.
pub fn cyclic_order(plan: &Plan) -> Option<Diagnostic> {
    let cycle = plan.topological_order().err()?;
    let labels: Vec<String> =
        cycle.iter().map(|step| format!("`{}`", plan.steps[*step].label)).collect();
    let on_cycle = |edge: &&Order| cycle.contains(&edge.before) && cycle.contains(&edge.after);
    let place = plan.order.iter().filter(on_cycle).find_map(|edge| edge.origin.0)?;
    let message = format!("actions wait for each other: {}", labels.join(", "));
    Some(Diagnostic::error(PLAN_DOES_NOT_FIT, place, message).help("remove one of these edges"))
}

/// The document of a plan, which reads as the same plan.
pub fn print_plan(plan: &Plan) -> Value {
    let mut actions = Value::map();
    for step in &plan.steps {
        let value = match &step.action {
            PlanAction::Operation { instance, operation } => Value::map()
                .with("do", "op")
                .with("instance", instance.0.as_str())
                .with("operation", operation.as_str()),
            PlanAction::ScaleOut { node, instance, container } => Value::map()
                .with("do", "scale_out")
                .with("instance", instance.0.as_str())
                .with("node", node.as_str())
                .with_some("container", container.as_ref().map(|c| c.0.as_str())),
            PlanAction::ScaleIn { instance } => {
                Value::map().with("do", "scale_in").with("instance", instance.0.as_str())
            }
        };
        actions.insert(&step.label, value.inline());
    }
    let order = plan.order.iter().map(|edge| {
        Value::map()
            .with("before", plan.steps[edge.before].label.as_str())
            .with("after", plan.steps[edge.after].label.as_str())
            .with_some("why", edge.why.as_deref())
            .inline()
    });
    let order: Vec<Value> = order.collect();
    let body = Value::map()
        .with("actions", actions)
        .with("order", Value::List(order))
        .with_some("application", plan.application.as_deref())
        .with_some("start", plan.start.as_deref());
    Value::map().with("plan", body)
}
