//! `external_reference_exists` (row X04): a name or id used as external resource exists in the
//! target cloud.

use super::super::{Rule, page};
use crate::diagnostic::Severity;

/// The rule. The reader reports it on the way.
pub const RULE: Rule = Rule {
    code: "HOT504",
    name: "external-reference-exists",
    severity: Severity::Error,
    summary: "it must hold that a name or id used as external resource exists in the target cloud",
    paper: Some("000 7.1.4"),
    doc: page!("HOT504"),
    check: None,
};
