//! `allowed_values_types` (row C14d): allowed_values only on string or number.

use super::super::{Rule, page};
use crate::diagnostic::Severity;

/// The rule. The reader reports it on the way.
pub const RULE: Rule = Rule {
    code: "HOT144",
    name: "allowed-values-types",
    severity: Severity::Error,
    summary: "it must hold that allowed_values only on string or number",
    paper: Some("000 7.1.4"),
    doc: page!("HOT144"),
    check: None,
};
