//! At most so many findings of one file are shown: nobody reads more, and a file that was never
//! a description would fill a disk with them.

use std::collections::BTreeMap;

use windlass::diagnostic::{Diagnostic, Severity};
use windlass::source::{SourceId, Span};

use crate::report::{Finding, Report, count};

/// As many findings of one file are shown.
const SHOWN: usize = 1000;

/// Leaves out findings beyond the limit, the least bad of each file first, and says so.
pub(super) fn apply(report: &mut Report) {
    let mut by_source: BTreeMap<SourceId, Vec<Finding>> = BTreeMap::new();
    for finding in report.findings.drain(..) {
        by_source.entry(finding.diagnostic.primary.source).or_default().push(finding);
    }
    for (source, mut findings) in by_source {
        if findings.len() > SHOWN {
            let place = |finding: &Finding| (finding.start.clone(), finding.diagnostic.code);
            findings.sort_by_key(|finding| (finding.diagnostic.severity, place(finding)));
            let left_out = findings.len() - SHOWN;
            findings.truncate(SHOWN);
            findings.sort_by_key(place);
            findings.insert(0, note(report, source, left_out));
        }
        report.findings.append(&mut findings);
    }
}

fn note(report: &Report, source: SourceId, left_out: usize) -> Finding {
    let span = Span { source, start: 0, end: 0 };
    let (start, end) = report.sources.positions(span);
    let message = format!("{} not shown", count(left_out, "further finding"));
    let diagnostic = Diagnostic::new("YAML010", Severity::Note, span, message);
    // There is one such note for each file, so no fingerprint has to tell them apart.
    Finding { diagnostic, start, end, fingerprint: u64::from(source.0) }
}
