//! `length_only_on_string_json_list` (row C14a): length constraint only on string, json,
//! comma_delimited_list.

use super::super::{Rule, page};
use crate::diagnostic::Severity;

/// The rule. The reader reports it on the way.
pub const RULE: Rule = Rule {
    code: "HOT141",
    name: "length-only-on-string-json-list",
    severity: Severity::Error,
    summary: "it must hold that length constraint only on string, json, comma_delimited_list",
    paper: Some("000 7.1.4"),
    doc: page!("HOT141"),
    check: None,
};
