//! YAML and JSON as a tree: every span lies in the text, and what is printed reads back.

use super::findings::{self, check_span};
use windlass::source::{SourceId, Sources};
use windlass::tree::{self, Options, Schema, Value};

/// Limits small enough that a hang is a hang.
fn options(schema: Schema) -> Options {
    Options { max_nodes: 100_000, ..Options::with_schema(schema) }
}

/// Reads the text with one of the schemas.
pub(super) fn run(input: &[u8]) -> u64 {
    let text = String::from_utf8_lossy(input);
    let mut sources = Sources::new();
    let id = sources.add("input.yaml", text.as_ref());
    let schemas = [Schema::Core, Schema::Yaml11, Schema::Go];
    let schema = schemas[input.len() % schemas.len()];
    let (read, found) = tree::parse(id, &text, &options(schema));
    findings::check(&sources, &found);
    check_spans(&sources, &read);
    if found.is_empty() {
        check_printing(id, &read, schema);
    }
    super::behavior(found.iter().map(|finding| finding.code), read.node_count())
}

fn check_spans(sources: &Sources, read: &tree::Tree) {
    let mut open: Vec<_> = read.documents().map(|(_, root)| root).collect();
    let mut visited = 0;
    while let Some(node) = open.pop() {
        visited += 1;
        assert!(visited <= 2 * read.node_count() + 2, "more nodes than there are");
        check_span(sources, node.span());
        if node.is_alias() {
            continue;
        }
        for entry in node.entries() {
            check_span(sources, entry.span());
            open.push(entry.value);
        }
        open.extend(node.items());
    }
}

/// A text without findings, printed, is the same value again.
fn check_printing(id: SourceId, read: &tree::Tree, schema: Schema) {
    let printed = tree::emit::yaml(&Value::from(read.root()));
    // What stood behind an alias stands there in full now.
    let roomy = Options { max_nodes: 1_000_000, max_depth: 1_000, ..options(schema) };
    let (again, found) = tree::parse(id, &printed, &roomy);
    assert!(found.is_empty(), "printed text has findings: {found:?}");
    assert_eq!(tree::emit::yaml(&Value::from(again.root())), printed, "printing twice differs");
}
