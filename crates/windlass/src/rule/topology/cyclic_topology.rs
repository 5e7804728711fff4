//! `cyclic-topology`: nodes require each other in a cycle, so none of them can come first.

use super::super::{Context, LooksAt, Rule, page};
use crate::application::NodeId;
use crate::cycle::{self, Edges};
use crate::diagnostic::{Diagnostic, Severity};

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "TOP001",
    name: "cyclic-topology",
    severity: Severity::Error,
    summary: "nodes require each other in a cycle, so none of them can come first",
    paper: Some("004 Def. 3.3 (iv)"),
    doc: page!("TOP001"),
    looks_at: LooksAt::Application(check),
    ..Rule::DEFAULT
};

/// Reports one shortest cycle per group of nodes that require each other. Connections of nets do
/// not count: a net needs its ports at some transitions only, so cycles of nodes are ordinary.
///
/// Paper: 004 Def. 3.3 (iv)
fn check(context: &Context<'_>, findings: &mut Vec<Diagnostic>) {
    let application = context.application;
    let targets = application
        .nodes
        .iter()
        .map(|node| node.bindings.iter().map(|binding| binding.target.index()));
    let edges: Edges = targets.collect();
    let components = cycle::components(&edges, application.nodes.len());
    let mut reported = vec![false; application.nodes.len()];
    for start in 0..application.nodes.len() {
        if reported[start] {
            continue;
        }
        let cycle = cycle::shortest_cycle_from(&edges, &components, start);
        let Some(cycle) = cycle.filter(|cycle| !cycle.iter().any(|node| reported[*node])) else {
            continue;
        };
        for node in &cycle {
            reported[*node] = true;
        }
        let cycle: Vec<NodeId> = cycle.into_iter().map(NodeId::from).collect();
        findings.push(finding(context, &cycle));
    }
}

fn finding(context: &Context<'_>, cycle: &[NodeId]) -> Diagnostic {
    let application = context.application;
    let name = |id: NodeId| &application.node(id).name;
    let binding_to = |from: NodeId, to: NodeId| {
        application.node(from).bindings.iter().find(|b| b.target == to).map(|b| b.origin)
    };
    let pairs: Vec<(NodeId, NodeId)> =
        (0..cycle.len()).map(|at| (cycle[at], cycle[(at + 1) % cycle.len()])).collect();
    let mut story: Vec<String> = cycle.iter().map(|id| format!("`{}`", name(*id))).collect();
    story.push(format!("`{}`", name(cycle[0])));
    let place = |(from, to): (NodeId, NodeId)| {
        context.place(binding_to(from, to).unwrap_or(application.node(from).origin))
    };
    let mut finding = RULE
        .finding(place(pairs[0]), format!("nodes require each other: {}", story.join(" -> ")))
        .help("remove one of these bindings, or split a node so that the cycle is broken");
    for &(from, to) in &pairs[1..] {
        let message = format!("`{}` requires `{}` here", name(from), name(to));
        finding = finding.label(place((from, to)), message);
    }
    finding
}
