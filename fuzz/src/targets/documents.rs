//! States, plans and goals, which are read for an application: here always Thinking.

use super::findings;
use std::sync::LazyLock;
use windlass::application::Application;
use windlass::lang::{self, windlass as language};
use windlass::source::{Sources, Span};
use windlass::tree::{self, Options, Value};
use windlass::{goal, lang::Reading};

/// The application that the documents are about.
static THINKING: LazyLock<Application> = LazyLock::new(|| {
    let mut sources = Sources::new();
    let text = include_str!("../../../examples/thinking/windlass.yaml");
    let id = sources.add("windlass.yaml", text);
    let Reading { application, .. } = lang::read(None, id, &sources);
    application.unwrap_or_else(|| unreachable!("the example is without findings; a test reads it"))
});

/// Small limits, so that a hang is a hang.
fn options() -> Options {
    Options { max_nodes: 100_000, ..Options::default() }
}

/// A state without findings, printed, reads as the same state.
pub(super) fn state(input: &[u8]) -> u64 {
    document(input, |root, found| {
        let state = language::read_state(root, &THINKING, found);
        (language::print_state(&THINKING, &state), state.instances.len())
    })
}

/// A plan without findings, printed, reads as the same plan.
pub(super) fn plan(input: &[u8]) -> u64 {
    document(input, |root, found| {
        let plan = language::read_plan(root, found);
        (language::print_plan(&plan), plan.steps.len())
    })
}

/// Reads a document with `read`, which gives back its printed form and its size.
fn document(
    input: &[u8],
    read: impl Fn(tree::Node<'_>, &mut Vec<windlass::diagnostic::Diagnostic>) -> (Value, usize),
) -> u64 {
    let text = String::from_utf8_lossy(input);
    let mut sources = Sources::new();
    let id = sources.add("document.yaml", text.as_ref());
    let (read_tree, mut found) = tree::parse(id, &text, &options());
    let (printed, size) = read(read_tree.root(), &mut found);
    findings::check(&sources, &found);
    if found.is_empty() {
        let text = tree::emit::yaml(&printed);
        let (again, mut found) = tree::parse(id, &text, &options());
        let (twice, _) = read(again.root(), &mut found);
        assert!(found.is_empty(), "printed text has findings: {found:?}\n{text}");
        assert_eq!(tree::emit::yaml(&twice), text, "printing twice differs");
    }
    super::behavior(found.iter().map(|finding| finding.code), size)
}

/// A goal without findings, printed, reads as the same goal.
pub(super) fn goal(input: &[u8]) -> u64 {
    let text = String::from_utf8_lossy(input);
    let mut sources = Sources::new();
    let source = sources.add("goal", text.as_ref());
    let span = Span { source, start: 0, end: text.len() as u32 };
    let mut found = Vec::new();
    let read = goal::parse(&text, span, true, &THINKING, &mut found);
    findings::check(&sources, &found);
    if found.is_empty() {
        let printed = goal::print(&read, &THINKING);
        let again = goal::parse(&printed, span, false, &THINKING, &mut found);
        assert!(found.is_empty(), "printed text has findings: {found:?}\n{printed}");
        assert_eq!(again, read, "the goal changed: {printed}");
    }
    super::behavior(found.iter().map(|finding| finding.code), read.wants.len())
}
