//! `no_dependency_loop` (row C10): resource dependencies contain no cycle.

use super::super::{Rule, page};
use crate::diagnostic::Severity;

/// The rule. The reader reports it on the way.
pub const RULE: Rule = Rule {
    code: "HOT110",
    name: "no-dependency-loop",
    severity: Severity::Error,
    summary: "it must hold that resource dependencies contain no cycle",
    paper: Some("000 7.1.4"),
    doc: page!("HOT110"),
    check: None,
};
