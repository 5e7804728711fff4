//! `condition_names_unique` (row C09): no two conditions share a name.

use super::super::{Rule, page};
use crate::diagnostic::Severity;

/// The rule. The reader reports it on the way.
pub const RULE: Rule = Rule {
    code: "HOT109",
    name: "condition-names-unique",
    severity: Severity::Error,
    summary: "it must hold that no two conditions share a name",
    paper: Some("000 7.1.4"),
    doc: page!("HOT109"),
    check: None,
};
