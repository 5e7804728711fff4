//! `l3_agents_without_ha` (row O14): l3_agent_ids not used when ha is false.

use super::super::{LooksAt, Rule, page};
use super::look::{ROUTER, row_finding};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;
use crate::lang::hot::value::Value;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT314",
    name: "l3-agents-without-ha",
    severity: Severity::Error,
    summary: "l3_agent_ids is used and ha is false",
    paper: Some("000 7.1.4"),
    doc: page!("HOT314"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    for router in stack.of(&[ROUTER]) {
        let agents = router.list("l3_agent_ids").len();
        let ha = router.get(&["ha"]).map_or(Some(false), Value::as_bool);
        if agents > 1 && ha == Some(false) {
            let message =
                format!("router `{}` is not `ha` and names {agents} L3 agents", router.name);
            findings.push(row_finding(&RULE, router.at("l3_agent_ids"), message));
        }
    }
}
