//! `router_ha_and_distributed` (row S02): ha and distributed are not both true.

use super::super::{LooksAt, Rule, page};
use super::look::{ROUTER, row_finding, truth};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT202",
    name: "router-ha-and-distributed",
    severity: Severity::Error,
    summary: "ha and distributed are both true",
    paper: Some("000 7.1.4"),
    doc: page!("HOT202"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    for router in stack.of(&[ROUTER]) {
        if truth(router, "ha") == Some(true) && truth(router, "distributed") == Some(true) {
            let message = format!("router `{}` is both `ha` and `distributed`", router.name);
            findings.push(row_finding(&RULE, router.at("distributed"), message));
        }
    }
}
