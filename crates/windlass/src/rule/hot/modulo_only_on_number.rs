//! `modulo_only_on_number` (row C14c): modulo constraint only on number.

use super::super::{Rule, page};
use crate::diagnostic::Severity;

/// The rule. The reader reports it on the way.
pub const RULE: Rule = Rule {
    code: "HOT143",
    name: "modulo-only-on-number",
    severity: Severity::Error,
    summary: "it must hold that modulo constraint only on number",
    paper: Some("000 7.1.4"),
    doc: page!("HOT143"),
    check: None,
};
