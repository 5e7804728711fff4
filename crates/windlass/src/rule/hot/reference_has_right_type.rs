//! `reference_has_right_type` (row C29): a property with a resource custom_constraint refers to a
//! resource of that type.

use super::super::{Rule, page};
use crate::diagnostic::Severity;

/// The rule. The reader reports it on the way.
pub const RULE: Rule = Rule {
    code: "HOT129",
    name: "reference-has-right-type",
    severity: Severity::Error,
    summary: "it must hold that a property with a resource custom_constraint refers to a resource of that type",
    paper: Some("000 7.1.4"),
    doc: page!("HOT129"),
    check: None,
};
