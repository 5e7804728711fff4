//! `sg_port_range_without_ports` (row O16): port_range_* only for tcp, udp, udplite, sctp, dccp.

use super::super::{LooksAt, Rule, page};
use super::look::{protocol, row_finding, security_rules};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT316",
    name: "sg-port-range-without-ports",
    severity: Severity::Error,
    summary: "port_range_* is used with a protocol other than tcp, udp, udplite, sctp, dccp",
    paper: Some("000 7.1.4"),
    doc: page!("HOT316"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    for (resource, rule) in security_rules(stack) {
        let ranges = ["port_range_min", "port_range_max"].map(|key| rule.get(key));
        let Some(range) = ranges.iter().flatten().next() else { continue };
        let name = &resource.name;
        match (rule.get("protocol").map(|value| &value.data), protocol(rule).as_deref()) {
            (None, _) => {
                let message = format!("a rule of `{name}` has ports and no protocol");
                findings.push(row_finding(&RULE, range.span, message));
            }
            (_, Some("icmp" | "icmpv6")) => {
                let codes = ranges.iter().flatten().filter_map(|value| value.as_int());
                if codes.into_iter().any(|code| !(0..=255).contains(&code)) {
                    let message =
                        format!("a rule of `{name}` has an ICMP type or code outside 0 to 255");
                    findings.push(row_finding(&RULE, range.span, message));
                }
            }
            (_, Some("tcp" | "udp" | "udplite" | "sctp" | "dccp") | None) => {}
            (_, Some(other)) => {
                let message = format!("a rule of `{name}` has ports, and {other} knows none");
                findings.push(row_finding(&RULE, range.span, message));
            }
        }
    }
}
