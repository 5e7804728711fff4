//! `modulo_step_non_zero` (row C19): modulo step is not 0.

use super::super::{Rule, page};
use crate::diagnostic::Severity;

/// The rule. The reader reports it on the way.
pub const RULE: Rule = Rule {
    code: "HOT119",
    name: "modulo-step-non-zero",
    severity: Severity::Error,
    summary: "it must hold that modulo step is not 0",
    paper: Some("000 7.1.4"),
    doc: page!("HOT119"),
    check: None,
};
