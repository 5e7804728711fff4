//! `ip_syntax` (row I03): addresses, cidrs and macs are well formed.

use super::super::{Rule, page};
use crate::diagnostic::Severity;

/// The rule. The reader reports it on the way.
pub const RULE: Rule = Rule {
    code: "HOT403",
    name: "ip-syntax",
    severity: Severity::Error,
    summary: "it must hold that addresses, cidrs and macs are well formed",
    paper: Some("000 7.1.4"),
    doc: page!("HOT403"),
    check: None,
};
