//! `property_length` (row C26): a list property respects its length bounds.

use super::super::{Rule, page};
use crate::diagnostic::Severity;

/// The rule. The reader reports it on the way.
pub const RULE: Rule = Rule {
    code: "HOT126",
    name: "property-length",
    severity: Severity::Error,
    summary: "it must hold that a list property respects its length bounds",
    paper: Some("000 7.1.4"),
    doc: page!("HOT126"),
    check: None,
};
