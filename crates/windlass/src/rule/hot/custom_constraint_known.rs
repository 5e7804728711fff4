//! `custom_constraint_known` (row C20): custom_constraint names a registered one.

use super::super::{Rule, page};
use crate::diagnostic::Severity;

/// The rule. The reader reports it on the way.
pub const RULE: Rule = Rule {
    code: "HOT120",
    name: "custom-constraint-known",
    severity: Severity::Error,
    summary: "it must hold that custom_constraint names a registered one",
    paper: Some("000 7.1.4"),
    doc: page!("HOT120"),
    check: None,
};
