//! Findings as GitHub workflow commands: annotations on the lines of a pull request.

use std::fmt::Write as _;

use windlass::diagnostic::Severity;
use windlass::rule;

use crate::escape::{github_message, github_property, visible};
use crate::report::{Finding, Report};

/// One command a line for each finding.
pub(super) fn report(report: &Report) -> String {
    report.findings.iter().fold(String::new(), |mut out, finding| {
        one(&mut out, report, finding);
        out
    })
}

fn one(out: &mut String, report: &Report, finding: &Finding) {
    let diagnostic = &finding.diagnostic;
    let command = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let title = match rule::find(diagnostic.code) {
        Some(rule) => format!("{} {}", rule.code, rule.name),
        None => diagnostic.code.to_owned(),
    };
    // Notes and help are lines of their own; a line break inside of one is made visible first.
    let mut message = visible(&diagnostic.message).into_owned();
    let notes = diagnostic.notes.iter().map(|note| ("note", note));
    for (word, text) in notes.chain(diagnostic.help.iter().map(|help| ("help", help))) {
        // Writing to a string cannot fail, here and below.
        let _ = write!(message, "\n{word}: {}", visible(text));
    }
    let _ = write!(out, "::{command} file={}", github_property(report.file(finding)));
    let _ = write!(out, ",line={},endLine={}", finding.start.line, finding.end.line);
    if finding.start.line == finding.end.line {
        // GitHub refuses columns for more than one line.
        let _ = write!(out, ",col={},endColumn={}", finding.start.column, finding.end.column);
    }
    let _ = writeln!(out, ",title={}::{}", github_property(&title), github_message(&message));
}
