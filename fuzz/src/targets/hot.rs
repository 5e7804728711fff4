//! Templates of OpenStack Heat: read, judged, lowered.

use super::findings;
use windlass::lang::{self, Language};
use windlass::rule;
use windlass::source::Sources;

/// Reads the text as a template; all findings lie in it.
pub(super) fn run(input: &[u8]) -> u64 {
    let text = String::from_utf8_lossy(input);
    let mut sources = Sources::new();
    let id = sources.add("template.yaml", text);
    let reading = lang::read(Some(Language::HOT), id, &sources);
    findings::check(&sources, &reading.findings);
    let judged = rule::check_reading(&reading, &sources);
    findings::check(&sources, &judged);
    let size = reading.application.as_ref().map_or(0, |application| application.nodes.len());
    let codes = reading.findings.iter().chain(&judged).map(|finding| finding.code);
    super::behavior(codes, size)
}
