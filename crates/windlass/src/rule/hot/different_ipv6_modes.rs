//! `different_ipv6_modes` (row O07): ipv6_ra_mode = ipv6_address_mode when both given.

use super::super::{LooksAt, Rule, page};
use super::look::{SUBNET, row_finding};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;
use crate::lang::hot::value::Value;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT307",
    name: "different-ipv6-modes",
    severity: Severity::Error,
    summary: "ipv6_ra_mode and ipv6_address_mode differ",
    paper: Some("000 7.1.4"),
    doc: page!("HOT307"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    for subnet in stack.of(&[SUBNET]) {
        let modes = [subnet.get(&["ipv6_ra_mode"]), subnet.get(&["ipv6_address_mode"])];
        if let [Some(ra), Some(address)] = modes.map(|mode| mode.and_then(Value::as_str))
            && ra != address
        {
            let message = format!(
                "subnet `{}` has `ipv6_ra_mode` {ra} and `ipv6_address_mode` {address}",
                subnet.name
            );
            findings.push(row_finding(&RULE, subnet.at("ipv6_address_mode"), message));
        }
    }
}
