//! More reserved than allowed.

use super::super::{LooksAt, Rule, page};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::compose::Project;
use crate::lang::compose::cast;
use crate::lang::compose::item::Item;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "COMPOSE037",
    name: "contradicting-resources",
    severity: Severity::Warning,
    summary: "a service reserves more than it may have",
    doc: page!("COMPOSE037"),
    looks_at: LooksAt::Project(check),
    ..Rule::DEFAULT
};

/// What must be at least as large, what it is compared with, and whether they are sizes.
const PAIRS: &[(&[&str], &[&str], bool)] = &[
    (&["mem_limit"], &["mem_reservation"], true),
    (&["memswap_limit"], &["mem_limit"], true),
    (
        &["deploy", "resources", "limits", "memory"],
        &["deploy", "resources", "reservations", "memory"],
        true,
    ),
    (
        &["deploy", "resources", "limits", "cpus"],
        &["deploy", "resources", "reservations", "cpus"],
        false,
    ),
];

/// Limits below what is reserved. Zero and -1 mean that there is no limit.
fn check(project: &Project, findings: &mut Vec<Diagnostic>) {
    for service in project.services.values() {
        for (limit_path, path, is_size) in PAIRS {
            let (Some(limit), Some(item)) = (service.item.at(limit_path), service.item.at(path))
            else {
                continue;
            };
            let number = |item: &Item| match is_size {
                true => cast::bytes(&item.plain()),
                false => item.plain().parse().ok(),
            };
            let (Some(most), Some(value)) = (number(limit), number(item)) else { continue };
            if most > 0.0 && value > most {
                let message = format!(
                    "`{}` of `{}` is more than `{}`",
                    path.join("."),
                    service.name,
                    limit_path.join(".")
                );
                let finding = RULE.finding(item.span, message).label(limit.span, "the limit");
                findings.push(finding.help("raise the limit, or lower the reservation"));
            }
        }
    }
}
