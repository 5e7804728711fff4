//! `group_labels_unique` (row C04): no two parameter groups share a label; each group listed once.

use super::super::{Rule, page};
use crate::diagnostic::Severity;

/// The rule. The reader reports it on the way.
pub const RULE: Rule = Rule {
    code: "HOT104",
    name: "group-labels-unique",
    severity: Severity::Error,
    summary: "it must hold that no two parameter groups share a label; each group listed once",
    paper: Some("000 7.1.4"),
    doc: page!("HOT104"),
    check: None,
};
