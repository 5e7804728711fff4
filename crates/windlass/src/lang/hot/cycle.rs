//! Resources that wait for each other (row C10).

use super::stack::Stack;
use crate::diagnostic::Diagnostic;

/// Cycles that are reported.
const MOST: usize = 20;

/// Reports cycles among the resources, each once.
pub(super) fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    let count = stack.resources.len();
    let mut open: Vec<usize> = vec![0; count];
    let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (at, resource) in stack.resources.iter().enumerate() {
        open[at] = resource.waits_for.len();
        for (target, _) in &resource.waits_for {
            waiting[*target].push(at);
        }
    }
    let mut ready: Vec<usize> = (0..count).filter(|at| open[*at] == 0).collect();
    let mut done = vec![false; count];
    for _ in 0..=MOST {
        while let Some(at) = ready.pop() {
            if std::mem::replace(&mut done[at], true) {
                continue;
            }
            for next in &waiting[at] {
                open[*next] -= 1;
                if open[*next] == 0 {
                    ready.push(*next);
                }
            }
        }
        let Some(start) = done.iter().position(|done| !done) else { return };
        let cycle = walk(stack, start, &done);
        report(stack, &cycle, findings);
        // The cycle counts as done, so that others behind it are seen too.
        ready.extend(cycle.iter().map(|(at, _)| *at));
    }
}

/// Follows what is left until a resource comes again; gives the cycle.
fn walk(stack: &Stack, start: usize, done: &[bool]) -> Vec<(usize, usize)> {
    let mut seen = vec![usize::MAX; stack.resources.len()];
    let mut path = Vec::new();
    let mut at = start;
    while seen[at] == usize::MAX {
        seen[at] = path.len();
        let waits_for = &stack.resources[at].waits_for;
        let Some(step) = waits_for.iter().position(|(target, _)| !done[*target]) else { break };
        path.push((at, step));
        at = waits_for[step].0;
    }
    let from = seen[at].min(path.len());
    path.split_off(from)
}

fn report(stack: &Stack, cycle: &[(usize, usize)], findings: &mut Vec<Diagnostic>) {
    let Some((first, step)) = cycle.first() else { return };
    let names: Vec<String> =
        cycle.iter().map(|(at, _)| format!("`{}`", stack.resources[*at].name)).collect();
    let message = if cycle.len() == 1 {
        format!("resource {} waits for itself (C10)", names[0])
    } else {
        format!("resources {} wait for each other in a cycle (C10)", names.join(", "))
    };
    let span = stack.resources[*first].waits_for[*step].1;
    let mut finding = Diagnostic::error("HOT110", span, message);
    for (at, step) in cycle.iter().skip(1).take(5) {
        let resource = &stack.resources[*at];
        finding =
            finding.label(resource.waits_for[*step].1, format!("`{}` waits here", resource.name));
    }
    findings.push(finding);
}
