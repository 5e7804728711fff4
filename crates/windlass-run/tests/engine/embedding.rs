//! The example that shows how a program brings something up: it runs, and the book shows it.

use std::fs;

#[expect(dead_code, reason = "the example has a main function of its own")]
#[path = "../../examples/bring_up.rs"]
mod bring_up;

const DESCRIPTION: &str = "\
windlass: 1
name: notes
types:
  store:
    operations:
      start: { run: { shell: 'echo up >> trace', directory: . } }
      stop: { run: { shell: 'echo down >> trace', directory: . } }
    protocol:
      initial: absent
      states: { absent: {}, running: {} }
      transitions:
        - { from: absent, operation: start, to: running }
        - { from: running, operation: stop, to: absent }
      up: [start]
nodes:
  store: { type: store }
";

#[test]
fn the_example_brings_a_description_up_and_down() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("windlass.yaml");
    fs::write(&file, DESCRIPTION).unwrap();
    assert!(bring_up::run(&file).unwrap());
    assert_eq!(fs::read_to_string(folder.path().join("trace")).unwrap(), "up\ndown\n");
}

#[test]
fn the_book_shows_the_example_as_it_is() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let page = fs::read_to_string(format!("{root}/docs/embedding.md")).unwrap();
    let example = fs::read_to_string(format!("{root}/crates/windlass-run/examples/bring_up.rs"));
    let example = example.unwrap();
    assert!(page.contains(&format!("```rust\n{example}```\n")), "docs/embedding.md differs");
    assert!(example.lines().count() <= 40, "the example is meant to be read at a glance");
}
