//! `same_role_name_in_domain` (row O51): roles of one domain have distinct names.

use super::super::{LooksAt, Rule, page};
use super::shared::names_in_domain;
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT351",
    name: "same-role-name-in-domain",
    severity: Severity::Error,
    summary: "two roles of one domain have the same name",
    paper: Some("000 7.1.4"),
    doc: page!("HOT351"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    names_in_domain(stack, "OS::Keystone::Role", "roles", &RULE, findings);
}
