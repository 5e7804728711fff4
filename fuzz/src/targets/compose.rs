//! Docker Compose: whatever the text, it is read, checked and lowered; what it names is itself.

use super::findings;
use windlass::export::alloy;
use windlass::lang::{self, Language, ReadOptions};
use windlass::rule;
use windlass::source::Sources;
use windlass::source::files::{Limits, MemoryFiles};

/// A text that may include and extend itself under three names.
pub(super) fn run(input: &[u8]) -> u64 {
    let text = String::from_utf8_lossy(input);
    let limits = Limits { files: 64, ..Limits::default() };
    let mut files = MemoryFiles::new(limits)
        .with("compose.yaml", text.as_ref())
        .with("a.yaml", text.as_ref())
        .with(".env", text.as_ref());
    let mut sources = Sources::new();
    let root = sources.add("compose.yaml", text.as_ref());
    let language = Some(Language::COMPOSE);
    let beside = ReadOptions::default();
    let reading = lang::read_in(language, root, "compose.yaml", &mut sources, &mut files, &beside);
    findings::check(&sources, &reading.findings);
    let of_rules = rule::check_reading(&reading, &sources);
    findings::check(&sources, &of_rules);
    if let Some(project) = &reading.compose {
        assert!(!alloy::print(project).is_empty(), "an Alloy text without words");
    }
    let size = reading.application.map_or(0, |application| application.nodes.len());
    let codes = reading.findings.iter().chain(&of_rules).map(|finding| finding.code);
    super::behavior(codes, size)
}
