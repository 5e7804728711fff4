//! `interval_has_bound` (row C16): length/range gives min or max.

use super::super::{Rule, page};
use crate::diagnostic::Severity;

/// The rule. The reader reports it on the way.
pub const RULE: Rule = Rule {
    code: "HOT116",
    name: "interval-has-bound",
    severity: Severity::Error,
    summary: "it must hold that length/range gives min or max",
    paper: Some("000 7.1.4"),
    doc: page!("HOT116"),
    check: None,
};
