//! `asg_desired_out_of_bounds` (row O60): min_size <= desired_capacity <= max_size.

use super::super::{LooksAt, Rule, page};
use super::look::row_finding;
use super::shared::{ScalingGroup, scaling_groups};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT360",
    name: "asg-desired-out-of-bounds",
    severity: Severity::Error,
    summary: "desired_capacity is less than min_size or more than max_size",
    paper: Some("000 7.1.4"),
    doc: page!("HOT360"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    for ScalingGroup { resource, min, max, desired } in scaling_groups(stack) {
        let Some((value, span)) = desired else { continue };
        if min.is_some_and(|min| value < min) || max.is_some_and(|max| value > max) {
            let message =
                format!("group `{}` wants {value} members, outside its bounds", resource.name);
            findings.push(row_finding(&RULE, span, message));
        }
    }
}
