//! `same_user_name_in_domain` (row O50): users of one domain have distinct names.

use super::super::{LooksAt, Rule, page};
use super::shared::names_in_domain;
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT350",
    name: "same-user-name-in-domain",
    severity: Severity::Error,
    summary: "two users of one domain have the same name",
    paper: Some("000 7.1.4"),
    doc: page!("HOT350"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    names_in_domain(stack, "OS::Keystone::User", "users", &RULE, findings);
}
