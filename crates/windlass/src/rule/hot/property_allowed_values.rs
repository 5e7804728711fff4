//! `property_allowed_values` (row C25): a property value is among the allowed ones of its type.

use super::super::{Rule, page};
use crate::diagnostic::Severity;

/// The rule. The reader reports it on the way.
pub const RULE: Rule = Rule {
    code: "HOT125",
    name: "property-allowed-values",
    severity: Severity::Error,
    summary: "it must hold that a property value is among the allowed ones of its type",
    paper: Some("000 7.1.4"),
    doc: page!("HOT125"),
    check: None,
};
