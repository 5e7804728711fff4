//! `param_in_at_most_one_group` (row C07): a parameter is in one group at most.

use super::super::{Rule, page};
use crate::diagnostic::Severity;

/// The rule. The reader reports it on the way.
pub const RULE: Rule = Rule {
    code: "HOT107",
    name: "param-in-at-most-one-group",
    severity: Severity::Error,
    summary: "it must hold that a parameter is in one group at most",
    paper: Some("000 7.1.4"),
    doc: page!("HOT107"),
    check: None,
};
