//! `interval_max_ge_min` (row C17): max >= min when both given.

use super::super::{Rule, page};
use crate::diagnostic::Severity;

/// The rule. The reader reports it on the way.
pub const RULE: Rule = Rule {
    code: "HOT117",
    name: "interval-max-ge-min",
    severity: Severity::Error,
    summary: "it must hold that max >= min when both given",
    paper: Some("000 7.1.4"),
    doc: page!("HOT117"),
    check: None,
};
