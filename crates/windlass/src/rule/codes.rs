//! The codes that readers report on the way: what a file must be before a rule can look at it.
//!
//! They have no check of their own; the reader that finds one of them names the code. The page of
//! each is still a test where a text can show it.

use super::{Rule, page};
use crate::diagnostic::Severity::{self, Error, Warning};

/// Codes of files, of YAML and JSON, of settings, and of the syntax of each language.
pub const CODES: &[&Rule] = &[
    // `windlass.toml` and the comments that suppress findings.
    &code("CFG001", "settings-syntax", Error, "windlass.toml is not valid TOML", page!("CFG001")),
    &code("CFG002", "unknown-setting", Error, "windlass.toml has an unknown key", page!("CFG002")),
    &code("CFG003", "wrong-setting", Error, "a setting has a wrong value", page!("CFG003")),
    &code("CFG004", "unknown-code", Warning, "no finding has this code", page!("CFG004")),
    &code(
        "CFG005",
        "suppression-without-reason",
        Warning,
        "a comment suppresses a finding and does not say why",
        page!("CFG005"),
    ),
    &code(
        "CFG006",
        "useless-suppression",
        Warning,
        "a comment suppresses a finding that is not there",
        page!("CFG006"),
    ),
];

/// A code without a check.
const fn code(
    code: &'static str,
    name: &'static str,
    severity: Severity,
    summary: &'static str,
    doc: &'static str,
) -> Rule {
    Rule { code, name, severity, summary, paper: None, doc, check: None }
}
