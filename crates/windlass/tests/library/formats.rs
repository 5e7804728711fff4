//! The formats of other tools: RAMP, BARREL and TosKer, read, written and read again.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "tests panic and talk"
)]
#![allow(
    clippy::format_collect,
    clippy::format_push_string,
    clippy::needless_range_loop,
    reason = "short, not fast"
)]

mod barrel;
mod ramp;
mod random;
mod v0;
mod wrong_application;

use windlass::diagnostic::{Diagnostic, Severity};
use windlass::lang::{self, Reading};
use windlass::source::Sources;

/// Reads a text that stands alone.
fn read(text: &str) -> (Reading, Sources) {
    let mut sources = Sources::new();
    let root = sources.add("text", text);
    (lang::read(None, root, &sources), sources)
}

/// Everything that is wrong, one line each: place, severity, code and message.
fn lines(findings: &[Diagnostic], sources: &Sources) -> String {
    let line = |finding: &Diagnostic| {
        let (start, _) = sources.positions(finding.primary);
        let severity = match finding.severity {
            Severity::Error => "",
            severity => severity.as_str(),
        };
        let text = format!("{}:{} {severity}", start.line, start.column);
        format!("{} {} {}\n", text.trim_end(), finding.code, finding.message)
    };
    findings.iter().map(line).collect()
}
