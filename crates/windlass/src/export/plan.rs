//! A plan as a picture: one lane per instance, time to the right.
//!
//! An action stands as far right as the longest chain of actions before it; arrows are the edges
//! of the order. The name of an edge's reason is its tooltip. As text, a plan is a list.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::Format;
use super::escape::{dot as quoted, mermaid as escaped, short, xml};
use crate::application::InstanceId;
use crate::plan::{Plan, PlanAction};

const LANE: usize = 46;
const COLUMN: usize = 150;
const BOX: usize = 118;
const MARGIN: usize = 130;
const TOP: usize = 20;

/// The instances of a plan in the order in which they appear, and the lane of each step.
fn lanes(plan: &Plan) -> (Vec<&InstanceId>, Vec<usize>) {
    let mut lanes: Vec<&InstanceId> = Vec::new();
    let mut of_step = Vec::with_capacity(plan.steps.len());
    let mut known: BTreeMap<&InstanceId, usize> = BTreeMap::new();
    for step in &plan.steps {
        let id = step.action.instance();
        let lane = *known.entry(id).or_insert_with(|| {
            lanes.push(id);
            lanes.len() - 1
        });
        of_step.push(lane);
    }
    (lanes, of_step)
}

/// By step, the number of actions on the longest chain before it.
fn columns(plan: &Plan) -> Vec<usize> {
    let mut column = vec![0; plan.steps.len()];
    let Ok(sorted) = plan.topological_order() else { return column };
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); plan.steps.len()];
    for edge in &plan.order {
        next[edge.before].push(edge.after);
    }
    for step in sorted {
        for after in &next[step] {
            column[*after] = column[*after].max(column[step] + 1);
        }
    }
    column
}

fn words(action: &PlanAction) -> String {
    match action {
        PlanAction::Operation { operation, .. } => operation.clone(),
        PlanAction::ScaleOut { container: Some(container), .. } => format!("create in {container}"),
        PlanAction::ScaleOut { .. } => "create".to_owned(),
        PlanAction::ScaleIn { .. } => "remove".to_owned(),
    }
}

/// The plan in a format.
pub fn write(plan: &Plan, format: Format) -> String {
    match format {
        Format::Svg => svg(plan),
        Format::Dot => dot(plan),
        Format::Mermaid => mermaid(plan),
        Format::Text => list(plan),
    }
}

/// The actions in the order of the plan's file, each with those that come before it.
pub fn list(plan: &Plan) -> String {
    let mut into: Vec<Vec<usize>> = vec![Vec::new(); plan.steps.len()];
    for (at, edge) in plan.order.iter().enumerate() {
        into[edge.after].push(at);
    }
    let mut out = String::new();
    for (at, step) in plan.steps.iter().enumerate() {
        let more = match &step.action {
            PlanAction::ScaleOut { container: Some(container), .. } => format!(" in {container}"),
            _ => String::new(),
        };
        let _ = writeln!(out, "  {}{more}", step.label);
        for edge in into[at].iter().map(|edge| &plan.order[*edge]) {
            let why = edge.why.as_deref().map(|why| format!(": {why}")).unwrap_or_default();
            let _ = writeln!(out, "    after {}{why}", plan.steps[edge.before].label);
        }
    }
    out
}

/// The picture as text for Graphviz.
pub(crate) fn dot(plan: &Plan) -> String {
    let (lanes, lane) = lanes(plan);
    let mut out = "digraph plan {\n  rankdir=LR;\n  node [shape=box];\n".to_owned();
    for (at, id) in lanes.iter().enumerate() {
        let _ = writeln!(out, "  subgraph cluster{at} {{\n    label=\"{}\";", quoted(&id.0));
        for (step, _) in lane.iter().enumerate().filter(|(_, of)| **of == at) {
            let label = quoted(&words(&plan.steps[step].action));
            let _ = writeln!(out, "    step{step} [label=\"{label}\"];");
        }
        out.push_str("  }\n");
    }
    for edge in &plan.order {
        let _ = writeln!(out, "  step{} -> step{};", edge.before, edge.after);
    }
    out.push_str("}\n");
    out
}

/// The picture, as SVG without scripts or fonts of its own.
pub fn svg(plan: &Plan) -> String {
    let ((lanes, lane), column) = (lanes(plan), columns(plan));
    let width = MARGIN + COLUMN * (column.iter().max().map_or(0, |last| last + 1)).max(2) + 10;
    let height = TOP + LANE * lanes.len().max(1) + 20;
    let mut out = String::new();
    // Writing to a string cannot fail, here and below.
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         aria-label=\"a plan, one lane per instance\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" \
         markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#64748b\"/></marker></defs>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>"
    );
    for (at, id) in lanes.iter().enumerate() {
        let y = TOP + LANE * at + LANE / 2;
        let name = xml(&short(&id.0, 17));
        let _ = writeln!(
            out,
            "<text x=\"10\" y=\"{}\" fill=\"#1f2937\" font-weight=\"bold\">{name}</text>\n\
             <line x1=\"{MARGIN}\" y1=\"{y}\" x2=\"{width}\" y2=\"{y}\" stroke=\"#e2e8f0\"/>",
            y + 4
        );
    }
    let place = |step: usize| (MARGIN + COLUMN * column[step], TOP + LANE * lane[step] + LANE / 2);
    for edge in &plan.order {
        let ((x1, y1), (x2, y2)) = (place(edge.before), place(edge.after));
        let (x1, middle) = (x1 + BOX, x2.saturating_sub(14));
        let _ = writeln!(
            out,
            "<path d=\"M{x1} {y1}C{middle} {y1} {x1} {y2} {x2} {y2}\" fill=\"none\" \
             stroke=\"#64748b\" marker-end=\"url(#head)\"><title>{}</title></path>",
            xml(edge.why.as_deref().unwrap_or("ends before it starts"))
        );
    }
    for (at, step) in plan.steps.iter().enumerate() {
        let (x, y) = place(at);
        let (fill, stroke) = match step.action {
            PlanAction::Operation { .. } => ("#dbeafe", "#2563eb"),
            PlanAction::ScaleOut { .. } => ("#dcfce7", "#16a34a"),
            PlanAction::ScaleIn { .. } => ("#fee2e2", "#dc2626"),
        };
        let _ = writeln!(
            out,
            "<g><title>{}</title><rect x=\"{x}\" y=\"{}\" width=\"{BOX}\" height=\"28\" rx=\"5\" \
             fill=\"{fill}\" stroke=\"{stroke}\"/><text x=\"{}\" y=\"{}\" text-anchor=\"middle\" \
             fill=\"#1f2937\">{}</text></g>",
            xml(&step.label),
            y - 14,
            x + BOX / 2,
            y + 4,
            xml(&short(&words(&step.action), 18)),
        );
    }
    out.push_str("</svg>\n");
    out
}

/// The picture as text for Markdown files and wikis.
pub fn mermaid(plan: &Plan) -> String {
    let (lanes, lane) = lanes(plan);
    let mut out = "flowchart LR\n".to_owned();
    for (at, id) in lanes.iter().enumerate() {
        let _ = writeln!(out, "  subgraph lane{at}[\"{}\"]", escaped(&id.0));
        for (step, _) in lane.iter().enumerate().filter(|(_, of)| **of == at) {
            let label = escaped(&words(&plan.steps[step].action));
            let _ = writeln!(out, "    step{step}[\"{label}\"]");
        }
        out.push_str("  end\n");
    }
    for edge in &plan.order {
        let _ = writeln!(out, "  step{} --> step{}", edge.before, edge.after);
    }
    out
}
