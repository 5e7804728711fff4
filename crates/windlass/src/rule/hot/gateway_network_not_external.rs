//! `gateway_network_not_external` (row X03): external_gateway_info.network is an external
//! network.

use super::super::{LooksAt, Rule, page};
use super::look::{ROUTER, not_external, row_finding};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT503",
    name: "gateway-network-not-external",
    severity: Severity::Error,
    summary: "external_gateway_info.network is not an external network",
    paper: Some("000 7.1.4"),
    doc: page!("HOT503"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    for router in stack.of(&[ROUTER, "OS::Neutron::RouterGateway"]) {
        let network = router.get(&["external_gateway_info"]).and_then(|info| info.get("network"));
        let network = network.or_else(|| router.get(&["network", "network_id"]));
        if let Some(network) = network
            && let Some(net) = not_external(stack, network)
        {
            let message =
                format!("`{}`, the gateway of `{}`, is no external network", net.name, router.name);
            findings.push(row_finding(&RULE, network.span, message).label(net.span, "the network"));
        }
    }
}
