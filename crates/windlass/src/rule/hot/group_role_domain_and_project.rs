//! `group_role_domain_and_project` (row S10): same for groups.

use super::super::{LooksAt, Rule, page};
use super::shared::role_assignments;
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT210",
    name: "group-role-domain-and-project",
    severity: Severity::Error,
    summary: "a role assignment of a group names both a domain and a project",
    paper: Some("000 7.1.4"),
    doc: page!("HOT210"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    role_assignments(
        stack,
        &["OS::Keystone::Group", "OS::Keystone::GroupRoleAssignment"],
        &RULE,
        findings,
    );
}
