//! `asg_min_above_max` (row O61): min_size <= max_size.

use super::super::{LooksAt, Rule, page};
use super::look::row_finding;
use super::shared::{ScalingGroup, scaling_groups};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT361",
    name: "asg-min-above-max",
    severity: Severity::Error,
    summary: "min_size is more than max_size",
    paper: Some("000 7.1.4"),
    doc: page!("HOT361"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    for ScalingGroup { resource, min, max, .. } in scaling_groups(stack) {
        if let (Some(min), Some(max)) = (min, max)
            && min > max
        {
            let message =
                format!("group `{}` has at least {min} members and at most {max}", resource.name);
            findings.push(row_finding(&RULE, resource.at("max_size"), message));
        }
    }
}
