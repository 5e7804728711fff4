//! `group_params_defined` (row C05): every name in a group is a declared parameter.

use super::super::{Rule, page};
use crate::diagnostic::Severity;

/// The rule. The reader reports it on the way.
pub const RULE: Rule = Rule {
    code: "HOT105",
    name: "group-params-defined",
    severity: Severity::Error,
    summary: "it must hold that every name in a group is a declared parameter",
    paper: Some("000 7.1.4"),
    doc: page!("HOT105"),
    check: None,
};
