//! `param_names_unique` (row C06): no two parameters share a name.

use super::super::{Rule, page};
use crate::diagnostic::Severity;

/// The rule. The reader reports it on the way.
pub const RULE: Rule = Rule {
    code: "HOT106",
    name: "param-names-unique",
    severity: Severity::Error,
    summary: "it must hold that no two parameters share a name",
    paper: Some("000 7.1.4"),
    doc: page!("HOT106"),
    check: None,
};
