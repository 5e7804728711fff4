//! `group_lists_param_once` (row C12): a parameter is not listed twice in one group.

use super::super::{Rule, page};
use crate::diagnostic::Severity;

/// The rule. The reader reports it on the way.
pub const RULE: Rule = Rule {
    code: "HOT112",
    name: "group-lists-param-once",
    severity: Severity::Error,
    summary: "it must hold that a parameter is not listed twice in one group",
    paper: Some("000 7.1.4"),
    doc: page!("HOT112"),
    check: None,
};
