//! `min_adjustment_step_without_percent` (row S12): min_adjustment_step only with
//! percent_change_in_capacity.

use super::super::{LooksAt, Rule, page};
use super::look::row_finding;
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;
use crate::lang::hot::value::Value;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT212",
    name: "min-adjustment-step-without-percent",
    severity: Severity::Error,
    summary: "min_adjustment_step is used without percent_change_in_capacity",
    paper: Some("000 7.1.4"),
    doc: page!("HOT212"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    let policies = [
        (
            "OS::Heat::ScalingPolicy",
            "adjustment_type",
            "min_adjustment_step",
            "percent_change_in_capacity",
        ),
        (
            "AWS::AutoScaling::ScalingPolicy",
            "AdjustmentType",
            "MinAdjustmentStep",
            "PercentChangeInCapacity",
        ),
    ];
    for (type_name, kind, step, percent) in policies {
        for policy in stack.of(&[type_name]) {
            let adjustment = policy.get(&[kind]).and_then(Value::as_str);
            if policy.has(step) && adjustment.is_some_and(|kind| kind != percent) {
                let message =
                    format!("policy `{}` gives `{step}` without `{percent}`", policy.name);
                findings.push(row_finding(&RULE, policy.at(step), message));
            }
        }
    }
}
