//! `parameter_type_known` (row C23): type is string, number, json, comma_delimited_list or boolean.

use super::super::{Rule, page};
use crate::diagnostic::Severity;

/// The rule. The reader reports it on the way.
pub const RULE: Rule = Rule {
    code: "HOT123",
    name: "parameter-type-known",
    severity: Severity::Error,
    summary: "it must hold that type is string, number, json, comma_delimited_list or boolean",
    paper: Some("000 7.1.4"),
    doc: page!("HOT123"),
    check: None,
};
