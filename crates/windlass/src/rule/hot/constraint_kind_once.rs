//! `constraint_kind_once` (row C15): each constraint kind appears once at most per parameter.

use super::super::{Rule, page};
use crate::diagnostic::Severity;

/// The rule. The reader reports it on the way.
pub const RULE: Rule = Rule {
    code: "HOT115",
    name: "constraint-kind-once",
    severity: Severity::Error,
    summary: "it must hold that each constraint kind appears once at most per parameter",
    paper: Some("000 7.1.4"),
    doc: page!("HOT115"),
    check: None,
};
