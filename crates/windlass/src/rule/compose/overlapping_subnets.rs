//! Two networks with addresses in common.

use super::super::{LooksAt, Rule, Tag, page};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::compose::Project;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "COMPOSE028",
    name: "overlapping-subnets",
    severity: Severity::Warning,
    summary: "two networks have addresses in common",
    doc: page!("COMPOSE028"),
    looks_at: LooksAt::Project(check),
    tags: &[Tag::Hazard, Tag::PreventsUp],
    ..Rule::DEFAULT
};

/// Ranges of addresses that overlap with one that was written before.
fn check(project: &Project, findings: &mut Vec<Diagnostic>) {
    let networks = project.networks.iter().filter(|(_, network)| !network.resource.external);
    let mut all: Vec<_> =
        networks.flat_map(|(key, network)| network.subnets.iter().map(move |s| (key, s))).collect();
    // Ranges are nested or apart: behind its first address each one can meet only those before.
    all.sort_by_key(|(key, subnet)| (subnet.range.addr(), subnet.range.prefix_len(), *key));
    let mut open: Vec<(&String, &crate::lang::compose::project::Subnet)> = Vec::new();
    for (key, subnet) in all {
        open.retain(|(_, other)| other.overlaps(subnet));
        if let Some((other_key, other)) = open.first().filter(|(other, _)| *other != key) {
            let (first, second) =
                if other.span <= subnet.span { (*other, subnet) } else { (subnet, *other) };
            let message =
                format!("the networks `{other_key}` and `{key}` have addresses in common");
            let finding = RULE.finding(second.span, message).label(first.span, "the other range");
            findings.push(finding.help("give one of them a range of its own"));
        }
        open.push((key, subnet));
    }
}
