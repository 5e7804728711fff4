//! Services that wait for each other.

use super::super::{LooksAt, Rule, page};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::compose::Project;
use crate::lang::compose::graph;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "COMPOSE010",
    name: "dependency-cycle",
    severity: Severity::Error,
    summary: "services wait for each other",
    doc: page!("COMPOSE010"),
    looks_at: LooksAt::Project(check),
    ..Rule::DEFAULT
};

/// Cycles in what services wait for.
fn check(project: &Project, findings: &mut Vec<Diagnostic>) {
    for cycle in graph::cycles(project) {
        let Some((first, dependency)) = cycle.first() else { continue };
        let names: Vec<_> = cycle.iter().map(|(name, _)| format!("`{name}`")).collect();
        let message = format!("services wait for each other: {} -> `{first}`", names.join(" -> "));
        let mut finding = RULE.finding(*dependency, message);
        for (name, span) in &cycle[1..] {
            finding = finding.label(*span, format!("`{name}` waits here"));
        }
        findings.push(finding.help("none of them can start first: drop one of the dependencies"));
    }
}
