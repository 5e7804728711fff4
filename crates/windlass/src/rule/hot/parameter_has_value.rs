//! `parameter_has_value` (row C24): every parameter gets a value.

use super::super::{Rule, page};
use crate::diagnostic::Severity;

/// The rule. The reader reports it on the way.
pub const RULE: Rule = Rule {
    code: "HOT124",
    name: "parameter-has-value",
    severity: Severity::Warning,
    summary: "it must hold that every parameter gets a value",
    paper: Some("000 7.1.4"),
    doc: page!("HOT124"),
    check: None,
};
