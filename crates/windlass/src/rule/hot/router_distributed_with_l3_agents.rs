//! `router_distributed_with_l3_agents` (row S01): distributed is not used with l3_agent_ids.

use super::super::{LooksAt, Rule, page};
use super::look::{ROUTER, row_finding, truth};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT201",
    name: "router-distributed-with-l3-agents",
    severity: Severity::Error,
    summary: "distributed is used with l3_agent_ids",
    paper: Some("000 7.1.4"),
    doc: page!("HOT201"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    for router in stack.of(&[ROUTER]) {
        if truth(router, "distributed") == Some(true)
            && (router.has("l3_agent_ids") || router.has("l3_agent_id"))
        {
            let message = format!("router `{}` is distributed and names L3 agents", router.name);
            findings.push(row_finding(&RULE, router.at("distributed"), message));
        }
    }
}
