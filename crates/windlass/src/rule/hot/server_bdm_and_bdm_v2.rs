//! `server_bdm_and_bdm_v2` (row O30): block_device_mapping and _v2 are not both used.

use super::super::{LooksAt, Rule, page};
use super::look::{SERVER, row_finding};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT330",
    name: "server-bdm-and-bdm-v2",
    severity: Severity::Error,
    summary: "block_device_mapping and block_device_mapping_v2 are both used",
    paper: Some("000 7.1.4"),
    doc: page!("HOT330"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    for server in stack.of(&[SERVER]) {
        if !server.list("block_device_mapping").is_empty()
            && !server.list("block_device_mapping_v2").is_empty()
        {
            let message = format!(
                "server `{}` has both `block_device_mapping` and `block_device_mapping_v2`",
                server.name
            );
            findings.push(row_finding(&RULE, server.at("block_device_mapping_v2"), message));
        }
    }
}
