//! `at_least_one_resource` (row C02): the resources section holds one resource or more.

use super::super::{Rule, page};
use crate::diagnostic::Severity;

/// The rule. The reader reports it on the way.
pub const RULE: Rule = Rule {
    code: "HOT102",
    name: "at-least-one-resource",
    severity: Severity::Warning,
    summary: "it must hold that the resources section holds one resource or more",
    paper: Some("000 7.1.4"),
    doc: page!("HOT102"),
    check: None,
};
