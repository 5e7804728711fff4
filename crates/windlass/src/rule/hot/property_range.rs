//! `property_range` (row C27): a number property is inside its range.

use super::super::{Rule, page};
use crate::diagnostic::Severity;

/// The rule. The reader reports it on the way.
pub const RULE: Rule = Rule {
    code: "HOT127",
    name: "property-range",
    severity: Severity::Error,
    summary: "it must hold that a number property is inside its range",
    paper: Some("000 7.1.4"),
    doc: page!("HOT127"),
    check: None,
};
