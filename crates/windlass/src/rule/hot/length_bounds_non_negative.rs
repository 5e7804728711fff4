//! `length_bounds_non_negative` (row C18): length bounds are >= 0.

use super::super::{Rule, page};
use crate::diagnostic::Severity;

/// The rule. The reader reports it on the way.
pub const RULE: Rule = Rule {
    code: "HOT118",
    name: "length-bounds-non-negative",
    severity: Severity::Error,
    summary: "it must hold that length bounds are >= 0",
    paper: Some("000 7.1.4"),
    doc: page!("HOT118"),
    check: None,
};
