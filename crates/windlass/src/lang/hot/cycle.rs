//! Resources that wait for each other (row C10).

use super::stack::Stack;
use crate::cycle::{Cycles, Edges, Step};
use crate::diagnostic::Diagnostic;

/// Cycles that are reported.
const MOST: usize = 20;

/// Reports cycles among the resources, no two with a resource in common.
pub(super) fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    let waits = stack.resources.iter().map(|it| it.waits_for.iter().map(|(target, _)| *target));
    let edges: Edges = waits.collect();
    for cycle in Cycles::disjoint(&edges).take(MOST) {
        report(stack, &cycle, findings);
    }
}

fn report(stack: &Stack, cycle: &[Step], findings: &mut Vec<Diagnostic>) {
    let Some(first) = cycle.first() else { return };
    let names: Vec<String> =
        cycle.iter().map(|step| format!("`{}`", stack.resources[step.vertex].name)).collect();
    let message = if cycle.len() == 1 {
        format!("resource {} waits for itself (C10)", names[0])
    } else {
        format!("resources {} wait for each other in a cycle (C10)", names.join(", "))
    };
    let place = |step: &Step| stack.resources[step.vertex].waits_for[step.edge].1;
    let mut finding = Diagnostic::error("HOT110", place(first), message);
    for step in cycle.iter().skip(1).take(5) {
        let name = &stack.resources[step.vertex].name;
        finding = finding.label(place(step), format!("`{name}` waits here"));
    }
    findings.push(finding);
}
