//! `same_group_name_in_domain` (row O53): groups of one domain have distinct names.

use super::super::{LooksAt, Rule, page};
use super::shared::names_in_domain;
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT353",
    name: "same-group-name-in-domain",
    severity: Severity::Error,
    summary: "two groups of one domain have the same name",
    paper: Some("000 7.1.4"),
    doc: page!("HOT353"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    names_in_domain(stack, "OS::Keystone::Group", "groups", &RULE, findings);
}
