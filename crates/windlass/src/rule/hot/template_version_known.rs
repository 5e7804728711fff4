//! `template_version_known` (row C01): heat_template_version is present and one of the versions
//! Heat registers.

use super::super::{Rule, page};
use crate::diagnostic::Severity;

/// The rule. The reader reports it on the way.
pub const RULE: Rule = Rule {
    code: "HOT101",
    name: "template-version-known",
    severity: Severity::Error,
    summary: "it must hold that heat_template_version is present and one of the versions Heat registers",
    paper: Some("000 7.1.4"),
    doc: page!("HOT101"),
    check: None,
};
