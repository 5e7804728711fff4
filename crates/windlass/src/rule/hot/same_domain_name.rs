//! `same_domain_name` (row O52): domains have distinct names.

use super::super::{LooksAt, Rule, page};
use super::shared::names_in_domain;
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT352",
    name: "same-domain-name",
    severity: Severity::Error,
    summary: "two domains have the same name",
    paper: Some("000 7.1.4"),
    doc: page!("HOT352"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    names_in_domain(stack, "OS::Keystone::Domain", "domains", &RULE, findings);
}
