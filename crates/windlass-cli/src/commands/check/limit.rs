//! At most so many findings of one file are shown: more are not read, and a file that was never
//! a description would fill a disk with them.

use std::collections::BTreeMap;

use windlass::source::{SourceId, Span};
use windlass::tree::LeftOut;

use crate::report::{Finding, Report};

/// As many findings of one file are shown.
const SHOWN: usize = 1000;

/// Leaves out findings beyond the limit, the least bad of each file first, and says so.
pub(super) fn apply(report: &mut Report) {
    let mut by_source: BTreeMap<SourceId, Vec<Finding>> = BTreeMap::new();
    for finding in report.findings.drain(..) {
        by_source.entry(finding.diagnostic.primary.source).or_default().push(finding);
    }
    for (source, mut findings) in by_source {
        // The reader may have left out others already.
        let mut left_out = LeftOut { count: 0, at_least: false };
        findings.retain(|finding| match LeftOut::of(&finding.diagnostic) {
            Some(before) => {
                left_out.count += before.count;
                left_out.at_least |= before.at_least;
                false
            }
            None => true,
        });
        if findings.len() > SHOWN {
            let place = |finding: &Finding| (finding.start.clone(), finding.diagnostic.code);
            findings.sort_by_key(|finding| (finding.diagnostic.severity, place(finding)));
            left_out.count += findings.len() - SHOWN;
            findings.truncate(SHOWN);
            findings.sort_by_key(place);
        }
        if left_out.count > 0 {
            findings.insert(0, note(report, source, left_out));
        }
        report.findings.append(&mut findings);
    }
}

fn note(report: &Report, source: SourceId, left_out: LeftOut) -> Finding {
    let span = Span { source, start: 0, end: 0 };
    let (start, end) = report.sources.positions(span);
    let diagnostic = left_out.finding(span);
    // There is one such note for each file, so no fingerprint has to tell them apart.
    Finding { diagnostic, start, end, fingerprint: u64::from(source.0) }
}
