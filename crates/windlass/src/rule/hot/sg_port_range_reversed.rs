//! `sg_port_range_reversed` (row S05): for tcp/udp rules port_range_min <= port_range_max.

use super::super::{LooksAt, Rule, page};
use super::look::{protocol, row_finding, security_rules};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;
use crate::lang::hot::value::Value;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT205",
    name: "sg-port-range-reversed",
    severity: Severity::Error,
    summary: "a rule for tcp or udp has port_range_min above port_range_max",
    paper: Some("000 7.1.4"),
    doc: page!("HOT205"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    for (resource, rule) in security_rules(stack) {
        let bounds = [rule.get("port_range_min"), rule.get("port_range_max")];
        let [Some(min), Some(max)] = bounds.map(|bound| bound.and_then(Value::as_int)) else {
            continue;
        };
        if matches!(protocol(rule).as_deref(), Some("tcp" | "udp")) && min > max {
            let message =
                format!("a rule of `{}` starts at port {min} and ends at {max}", resource.name);
            findings.push(row_finding(
                &RULE,
                bounds[0].map_or(rule.span, |bound| bound.span),
                message,
            ));
        }
    }
}
