//! `group_not_empty` (row C13): a parameter group lists one parameter or more.

use super::super::{Rule, page};
use crate::diagnostic::Severity;

/// The rule. The reader reports it on the way.
pub const RULE: Rule = Rule {
    code: "HOT113",
    name: "group-not-empty",
    severity: Severity::Warning,
    summary: "it must hold that a parameter group lists one parameter or more",
    paper: Some("000 7.1.4"),
    doc: page!("HOT113"),
    check: None,
};
