//! `required_property_given` (row C21): a required property has a value.

use super::super::{Rule, page};
use crate::diagnostic::Severity;

/// The rule. The reader reports it on the way.
pub const RULE: Rule = Rule {
    code: "HOT121",
    name: "required-property-given",
    severity: Severity::Error,
    summary: "it must hold that a required property has a value",
    paper: Some("000 7.1.4"),
    doc: page!("HOT121"),
    check: None,
};
