//! `resource_ids_unique` (row C03): no two resources share an id.

use super::super::{Rule, page};
use crate::diagnostic::Severity;

/// The rule. The reader reports it on the way.
pub const RULE: Rule = Rule {
    code: "HOT103",
    name: "resource-ids-unique",
    severity: Severity::Error,
    summary: "it must hold that no two resources share an id",
    paper: Some("000 7.1.4"),
    doc: page!("HOT103"),
    check: None,
};
