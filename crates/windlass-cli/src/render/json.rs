//! Findings for programs: `windlass/check/1`.
//!
//! The form is part of the command line contract; `docs/schemas/check.json` is generated from the
//! types below, and a test compares.

use schemars::JsonSchema;
use serde::Serialize;
use windlass::diagnostic::Severity;

use crate::escape;
use crate::failure::Failure;
use crate::report::{Finding, Report};

/// The answer of `windlass check --format json`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "windlass/check/1", deny_unknown_fields)]
pub(crate) struct CheckReport<'a> {
    /// Always `windlass/check/1`; a change that could break a reader gets another number.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// What was found, in the order of the files and lines.
    findings: Vec<CheckFinding<'a>>,
    /// How many of the findings are errors.
    errors: usize,
    /// How many of the findings are warnings.
    warnings: usize,
}

const SCHEMA: &str = "windlass/check/1";

/// One finding.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct CheckFinding<'a> {
    /// Stable code; `windlass explain CODE` says what it means.
    code: &'a str,
    /// How bad it is.
    severity: Level,
    /// What is wrong.
    message: &'a str,
    /// The file as it was named on the command line or reached from there; `-` is standard input.
    file: &'a str,
    /// Line of the first character, from 1.
    #[schemars(range(min = 1))]
    line: u32,
    /// Column of the first character, from 1, in Unicode scalar values.
    #[schemars(range(min = 1))]
    column: u32,
    /// Line of the place behind the last character.
    #[schemars(range(min = 1))]
    end_line: u32,
    /// Column of the place behind the last character.
    #[schemars(range(min = 1))]
    end_column: u32,
    /// What to do about it.
    help: Option<&'a str>,
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Level {
    /// The description is wrong.
    Error,
    /// The description is doubtful.
    Warning,
    /// Something worth knowing.
    Note,
}

impl From<Severity> for Level {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Error => Level::Error,
            Severity::Warning => Level::Warning,
            Severity::Note => Level::Note,
        }
    }
}

/// The report as JSON.
pub(super) fn report(report: &Report, stream: bool) -> Result<String, Failure> {
    let value = CheckReport {
        schema: SCHEMA,
        findings: report.findings.iter().map(|finding| one(report, finding)).collect(),
        errors: report.count(Severity::Error),
        warnings: report.count(Severity::Warning),
    };
    Ok(if stream { escape::json_line(&value)? } else { escape::json(&value)? })
}

fn one<'a>(report: &'a Report, finding: &'a Finding) -> CheckFinding<'a> {
    let diagnostic = &finding.diagnostic;
    CheckFinding {
        code: diagnostic.code,
        severity: diagnostic.severity.into(),
        message: &diagnostic.message,
        file: report.file(finding),
        line: finding.start.line,
        column: finding.start.column,
        end_line: finding.end.line,
        end_column: finding.end.column,
        help: diagnostic.help.as_deref(),
    }
}
