//! `range_only_on_number` (row C14b): range constraint only on number.

use super::super::{Rule, page};
use crate::diagnostic::Severity;

/// The rule. The reader reports it on the way.
pub const RULE: Rule = Rule {
    code: "HOT142",
    name: "range-only-on-number",
    severity: Severity::Error,
    summary: "it must hold that range constraint only on number",
    paper: Some("000 7.1.4"),
    doc: page!("HOT142"),
    check: None,
};
