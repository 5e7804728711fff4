//! `server_without_router` (row X01): a server is connected to a network that is, directly or not,
//! attached to a router.

use super::super::{LooksAt, Rule, page};
use super::look::{
    SERVER, is_named_external, network_of_entry, routed_networks, row_finding, truth,
};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT501",
    name: "server-without-router",
    severity: Severity::Warning,
    summary: "a server is on no network that is, directly or not, attached to a router",
    paper: Some("000 7.1.4"),
    doc: page!("HOT501"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    let routed = routed_networks(stack);
    for server in stack.of(&[SERVER]) {
        if truth(server, "config_drive") == Some(true) || server.list("networks").is_empty() {
            continue;
        }
        let mut reached = false;
        for entry in server.list("networks") {
            reached |= match network_of_entry(stack, entry) {
                Some(network) if network.as_resource().is_some() => {
                    network.identity().is_some_and(|id| routed.contains(&id))
                }
                Some(network) => !is_named_external(network),
                None => true,
            };
        }
        if !reached {
            let message = format!("server `{}` is on no network with a router", server.name);
            let help = "without `config_drive: true` it may not reach the metadata service";
            findings.push(row_finding(&RULE, server.at("networks"), message).help(help));
        }
    }
}
