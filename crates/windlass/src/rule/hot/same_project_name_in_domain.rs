//! `same_project_name_in_domain` (row O49): projects of one domain have distinct names.

use super::super::{LooksAt, Rule, page};
use super::shared::names_in_domain;
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT349",
    name: "same-project-name-in-domain",
    severity: Severity::Error,
    summary: "two projects of one domain have the same name",
    paper: Some("000 7.1.4"),
    doc: page!("HOT349"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    names_in_domain(stack, "OS::Keystone::Project", "projects", &RULE, findings);
}
