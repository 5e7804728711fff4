//! `external_resource_no_depends_on` (row C11): a resource with external_id does not depend on
//! non-external resources.

use super::super::{Rule, page};
use crate::diagnostic::Severity;

/// The rule. The reader reports it on the way.
pub const RULE: Rule = Rule {
    code: "HOT111",
    name: "external-resource-no-depends-on",
    severity: Severity::Error,
    summary: "it must hold that a resource with external_id does not depend on non-external resources",
    paper: Some("000 7.1.4"),
    doc: page!("HOT111"),
    check: None,
};
