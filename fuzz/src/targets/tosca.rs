//! TOSCA in YAML: whatever the text, it is read, judged, lowered, woven and mapped to OCCI.

use super::findings;
use windlass::lang::tosca::workflow;
use windlass::lang::{self, Language, ReadOptions, occi};
use windlass::rule;
use windlass::source::Sources;
use windlass::source::files::{Limits, MemoryFiles};

/// A text that may import itself under a second name.
pub(super) fn run(input: &[u8]) -> u64 {
    let text = String::from_utf8_lossy(input);
    let limits = Limits { files: 64, ..Limits::default() };
    let mut files =
        MemoryFiles::new(limits).with("service.yaml", text.as_ref()).with("a.yaml", text.as_ref());
    let mut sources = Sources::new();
    let root = sources.add("service.yaml", text.as_ref());
    let language = Some(Language::TOSCA);
    let beside = ReadOptions::default();
    let reading = lang::read_in(language, root, "service.yaml", &mut sources, &mut files, &beside);
    findings::check(&sources, &reading.findings);
    let judged = rule::check_reading(&reading, &sources);
    findings::check(&sources, &judged);
    let mut size = reading.application.as_ref().map_or(0, |application| application.nodes.len());
    if let Some(model) = &reading.tosca {
        size += workflow::plan(model, None).map_or(0, |plan| plan.steps.len());
        // What has errors is not mapped.
        let is_mapped = reading.application.is_some();
        if let Some(configuration) = occi::of_service(model).filter(|_| is_mapped) {
            let again = occi::of_topology(&occi::topology(&configuration));
            let links = |of: &occi::Configuration| -> usize {
                of.resources.iter().map(|resource| resource.links.len()).sum()
            };
            let sizes = |of: &occi::Configuration| (of.resources.len(), links(of));
            assert_eq!(sizes(&again), sizes(&configuration), "something got lost in OCCI");
        }
    }
    let codes = reading.findings.iter().chain(&judged).map(|finding| finding.code);
    super::behavior(codes, size)
}
