//! `cyclic-topology`: nodes require each other in a cycle, so none of them can come first.

use super::super::{Context, LooksAt, Rule, page};
use crate::diagnostic::{Diagnostic, Severity};
use std::collections::VecDeque;

use crate::application::NodeId;

/// The rule.
pub const RULE: Rule = Rule {
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
    let targets: Vec<Vec<NodeId>> = application
        .nodes
        .iter()
        .map(|node| node.bindings.iter().map(|binding| binding.target).collect())
        .collect();
    // Most nodes lead to no cycle at all, and need no search.
    let mut reported = leads_to_no_cycle(&targets);
    for start in application.node_ids() {
        if reported[start.index()] {
            continue;
        }
        let Some(cycle) = shortest_cycle(start, &targets) else { continue };
        if cycle.iter().any(|node| reported[node.index()]) {
            continue;
        }
        for node in &cycle {
            reported[node.index()] = true;
        }
        findings.push(finding(context, &cycle));
    }
}

/// The nodes from which no cycle can be reached: those that require nothing, and those that
/// require only such nodes.
fn leads_to_no_cycle(targets: &[Vec<NodeId>]) -> Vec<bool> {
    let mut left: Vec<usize> = targets.iter().map(Vec::len).collect();
    let mut required_by: Vec<Vec<usize>> = vec![Vec::new(); targets.len()];
    for (at, all) in targets.iter().enumerate() {
        for target in all {
            required_by[target.index()].push(at);
        }
    }
    let mut done = vec![false; targets.len()];
    let mut open: Vec<usize> = (0..targets.len()).filter(|at| left[*at] == 0).collect();
    while let Some(at) = open.pop() {
        done[at] = true;
        for &user in &required_by[at] {
            left[user] -= 1;
            if left[user] == 0 {
                open.push(user);
            }
        }
    }
    done
}

/// The nodes of a shortest cycle through `start`, in the order of requiring.
fn shortest_cycle(start: NodeId, targets: &[Vec<NodeId>]) -> Option<Vec<NodeId>> {
    let mut came_from: Vec<Option<NodeId>> = vec![None; targets.len()];
    let mut queue = VecDeque::from([start]);
    while let Some(node) = queue.pop_front() {
        for &next in &targets[node.index()] {
            if next == start {
                let mut cycle = vec![node];
                let mut at = node;
                while at != start {
                    at = came_from[at.index()]?;
                    cycle.push(at);
                }
                cycle.reverse();
                return Some(cycle);
            }
            if came_from[next.index()].is_none() {
                came_from[next.index()] = Some(node);
                queue.push_back(next);
            }
        }
    }
    None
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
