//! Our own language: applications are read, judged by the rules, and printed.

use super::findings;
use windlass::lang::{self, Reading};
use windlass::source::Sources;
use windlass::{rule, tree};

/// Reads the text; an application without findings, printed, reads as the same application.
pub(super) fn run(input: &[u8]) -> u64 {
    let text = String::from_utf8_lossy(input);
    let (sources, reading) = read(&text);
    findings::check(&sources, &reading.findings);
    let mut codes: Vec<&str> = reading.findings.iter().map(|finding| finding.code).collect();
    let mut size = 0;
    if let Some(application) = &reading.application {
        let judged = rule::check(application, &sources);
        findings::check(&sources, &judged);
        codes.extend(judged.iter().map(|finding| finding.code));
        size = application.nodes.len();
        check_printing(&reading);
    }
    super::behavior(codes.into_iter(), size)
}

fn read(text: &str) -> (Sources, Reading) {
    let mut sources = Sources::new();
    let id = sources.add("windlass.yaml", text);
    let reading = lang::read(None, id, &sources);
    (sources, reading)
}

fn check_printing(reading: &Reading) {
    let Some(application) = &reading.application else { return };
    let value = lang::windlass::print(application, reading.goal.as_ref());
    let printed = tree::emit::yaml(&value);
    let (_, again) = read(&printed);
    assert!(again.findings.is_empty(), "printed text has findings: {:?}", again.findings);
    assert_eq!(again.application.as_ref(), Some(application), "the application changed");
    assert_eq!(again.goal, reading.goal, "the goal changed");
}
