//! `property_type` (row C28): a property value has the declared type.

use super::super::{Rule, page};
use crate::diagnostic::Severity;

/// The rule. The reader reports it on the way.
pub const RULE: Rule = Rule {
    code: "HOT128",
    name: "property-type",
    severity: Severity::Error,
    summary: "it must hold that a property value has the declared type",
    paper: Some("000 7.1.4"),
    doc: page!("HOT128"),
    check: None,
};
