//! `allowed_pattern_only_on_string` (row C14e): allowed_pattern only on string.

use super::super::{Rule, page};
use crate::diagnostic::Severity;

/// The rule. The reader reports it on the way.
pub const RULE: Rule = Rule {
    code: "HOT145",
    name: "allowed-pattern-only-on-string",
    severity: Severity::Error,
    summary: "it must hold that allowed_pattern only on string",
    paper: Some("000 7.1.4"),
    doc: page!("HOT145"),
    check: None,
};
