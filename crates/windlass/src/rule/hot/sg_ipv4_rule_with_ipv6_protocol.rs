//! `sg_ipv4_rule_with_ipv6_protocol` (row O17): an IPv4 rule has no IPv6-only protocol.

use super::super::{LooksAt, Rule, page};
use super::look::{row_finding, security_rules};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;
use crate::lang::hot::value::Value;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT317",
    name: "sg-ipv4-rule-with-ipv6-protocol",
    severity: Severity::Error,
    summary: "an IPv4 rule has an IPv6-only protocol",
    paper: Some("000 7.1.4"),
    doc: page!("HOT317"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    for (resource, rule) in security_rules(stack) {
        let version = match rule.get("ethertype") {
            Some(version) => version.as_str(),
            None => Some("IPv4"),
        };
        let Some(word) = rule.get("protocol").and_then(Value::scalar_text) else { continue };
        let only_six = matches!(
            word.to_lowercase().as_str(),
            "icmpv6"
                | "ipv6-icmp"
                | "58"
                | "ipv6-encap"
                | "ipv6-frag"
                | "ipv6-nonxt"
                | "ipv6-opts"
                | "ipv6-route"
        );
        if version == Some("IPv4") && only_six {
            let message = format!(
                "an IPv4 rule of `{}` has the protocol {word}, which is IPv6 only",
                resource.name
            );
            let span = rule.get("protocol").map_or(rule.span, |value| value.span);
            findings.push(row_finding(&RULE, span, message));
        }
    }
}
