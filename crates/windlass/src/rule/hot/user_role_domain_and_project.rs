//! `user_role_domain_and_project` (row S09): a role assignment names a domain or a project, not
//! both.

use super::super::{LooksAt, Rule, page};
use super::shared::role_assignments;
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT209",
    name: "user-role-domain-and-project",
    severity: Severity::Error,
    summary: "a role assignment names both a domain and a project",
    paper: Some("000 7.1.4"),
    doc: page!("HOT209"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    role_assignments(
        stack,
        &["OS::Keystone::User", "OS::Keystone::UserRoleAssignment"],
        &RULE,
        findings,
    );
}
