//! `output_names_unique` (row C08): no two outputs share a name.

use super::super::{Rule, page};
use crate::diagnostic::Severity;

/// The rule. The reader reports it on the way.
pub const RULE: Rule = Rule {
    code: "HOT108",
    name: "output-names-unique",
    severity: Severity::Error,
    summary: "it must hold that no two outputs share a name",
    paper: Some("000 7.1.4"),
    doc: page!("HOT108"),
    check: None,
};
