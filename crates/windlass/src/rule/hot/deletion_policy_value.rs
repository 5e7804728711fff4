//! `deletion_policy_value` (row C22): deletion_policy is delete, retain or snapshot.

use super::super::{Rule, page};
use crate::diagnostic::Severity;

/// The rule. The reader reports it on the way.
pub const RULE: Rule = Rule {
    code: "HOT122",
    name: "deletion-policy-value",
    severity: Severity::Error,
    summary: "it must hold that deletion_policy is delete, retain or snapshot",
    paper: Some("000 7.1.4"),
    doc: page!("HOT122"),
    check: None,
};
