//! Tests of reading: the good path, merge keys, duplicates, recovery.

use super::*;

fn read(text: &str) -> (Tree, Vec<String>) {
    let (tree, findings) = parse(SourceId(0), text, &Options::default());
    let findings = findings
        .into_iter()
        .map(|finding| {
            let label = finding.labels.first().map_or(String::new(), |label| {
                format!(" ({} at {}..{})", label.message, label.span.start, label.span.end)
            });
            let Span { start, end, .. } = finding.primary;
            format!("{} {start}..{end} {}{label}", finding.code, finding.message)
        })
        .collect();
    (tree, findings)
}

fn good(text: &str) -> Tree {
    let (tree, findings) = read(text);
    assert_eq!(findings, Vec::<String>::new(), "{text}");
    tree
}

fn json(node: Node<'_>) -> String {
    emit::json(&Value::from(node).inline()).trim_end().to_owned()
}

#[test]
fn every_node_has_its_place() {
    let text = "a: 1\nb:\n  - x\n  - 'y'\n\n# c\nc: {d: \"e\\n\", f: [1, 2]}\ng:\n";
    let tree = good(text);
    let root = tree.root();
    let written = |node: Node<'_>| &text[node.span().start as usize..node.span().end as usize];
    assert_eq!(written(root.get("b").unwrap()), "- x\n  - 'y'");
    assert_eq!(written(root.get("c").unwrap()), "{d: \"e\\n\", f: [1, 2]}");
    assert_eq!(written(root.get("c").unwrap().get("f").unwrap()), "[1, 2]");
    assert_eq!(written(root.get_entry("a").unwrap().key), "a");
    assert_eq!(root.get("g").unwrap().span().start, text.len() as u32 - 1);
    assert!(root.get("g").unwrap().is_null());
    assert_eq!(root.get("c").unwrap().get("d").unwrap().as_str(), Some("e\n"));
    assert_eq!(
        json(root),
        r#"{"a": 1, "b": ["x", "y"], "c": {"d": "e\n", "f": [1, 2]}, "g": null}"#
    );
}

#[test]
fn types_and_their_names() {
    let tree = good("[1, 1.5, true, ~, x, '1', [], {}, !!str 1, !!int '7', ! 2]");
    let names: Vec<_> = tree.root().items().map(Node::kind_name).collect();
    assert_eq!(
        names,
        [
            "an integer",
            "a number",
            "a boolean",
            "null",
            "a string",
            "a string",
            "a list",
            "a mapping",
            "a string",
            "an integer",
            "a string"
        ]
    );
}

#[test]
fn a_large_mapping_finds_its_keys() {
    let text = (0..100).map(|n| format!("k{n}: {n}\n")).collect::<Vec<_>>().concat();
    let tree = good(&text);
    for n in 0..100 {
        assert_eq!(tree.root().get(&format!("k{n}")).and_then(Node::as_int), Some(n));
    }
    assert!(tree.root().get("k").is_none());
    assert!(tree.root().get("k999").is_none());
    assert!(tree.root().get("").is_none());
    assert_eq!(tree.root().entries().nth(42).unwrap().name(), "k42");
}

#[test]
fn duplicate_keys_are_reported_with_both_places() {
    let (tree, findings) = read("a: 1\n\"a\": 2\nb: {1: x, 0x1: y, 1: z}\n");
    assert_eq!(
        findings,
        [
            "YAML002 5..8 duplicate key `a` (first given here at 0..1)",
            "YAML002 22..25 duplicate key `0x1` (first given here at 16..17)",
            "YAML002 30..31 duplicate key `1` (first given here at 16..17)",
        ]
    );
    assert_eq!(tree.root().get("a").and_then(Node::as_int), Some(1));
    let large = (0..20).map(|n| format!("k{}: {n}\n", n % 19)).collect::<Vec<_>>().concat();
    assert_eq!(read(&large).1, ["YAML002 132..134 duplicate key `k0` (first given here at 0..2)"]);
    let (_, findings) = read("? [a, {b: c}]\n: 1\n? [a, {b: c}]\n: 2\n? [a]\n: 3\n");
    assert_eq!(
        findings,
        [
            "YAML002 20..31 duplicate key: a list or mapping given before (first given here at 2..13)"
        ]
    );
}

#[test]
fn merge_keys_give_way_to_explicit_keys() {
    let tree = good(
        "x: &x {a: 1, b: 1}\ny: &y {b: 2, c: 2}\nz: &z\n  <<: [*x, *y]\n  c: 3\nw:\n  <<: *z\n  d: 4\n",
    );
    assert_eq!(json(tree.root().get("z").unwrap()), r#"{"a": 1, "b": 1, "c": 3}"#);
    assert_eq!(json(tree.root().get("w").unwrap()), r#"{"a": 1, "b": 1, "c": 3, "d": 4}"#);
    let tree = good("x: {\"<<\": 1}");
    assert_eq!(json(tree.root()), r#"{"x": {"<<": 1}}"#);
    let (_, findings) = read("a:\n  <<: 1\n  <<: [{b: 1}, x]\n");
    assert_eq!(
        findings,
        [
            "YAML007 9..10 `<<` merges mappings, but this is an integer",
            "YAML002 13..15 duplicate key `<<` (first given here at 5..7)",
            "YAML007 26..27 `<<` merges mappings, but this is a string",
        ]
    );
}

#[test]
fn aliases_are_read_through_and_keep_their_own_place() {
    let tree = good("a: &a !reset [1, 2]\nb: *a\n");
    let b = tree.root().get("b").unwrap();
    assert!(b.is_alias() && b.is_list());
    assert_eq!(b.tag(), Some("!reset"));
    assert_eq!((b.span().start, b.span().end), (23, 25));
    assert_eq!(json(b), "[1, 2]");
    assert_eq!(tree.node_count(), 7);
}

#[test]
fn wrong_aliases_read_as_null() {
    let (tree, findings) = read("a: &a [*a, *b]\n<<: *c\n");
    assert_eq!(
        findings,
        [
            "YAML006 7..9 an alias inside the value it means (the value begins here at 6..6)",
            "YAML005 11..13 unknown anchor `b`",
            "YAML005 19..21 unknown anchor `c`",
        ]
    );
    assert_eq!(json(tree.root()), r#"{"a": [null, null]}"#);
}

#[test]
fn reading_goes_on_behind_a_syntax_error() {
    let (tree, findings) = read("a: [1, 2\nb: 3\n---\nc: 4\n---\nd: e: f\n---\ng:\n");
    assert_eq!(
        findings,
        ["YAML001 10..11 `:` is not possible here", "YAML001 31..32 a second `: ` on this line"]
    );
    let read: Vec<_> = tree.documents().map(|(doc, root)| (doc.complete, json(root))).collect();
    assert_eq!(
        read,
        [
            (false, r#"{"a": [1]}"#.to_owned()),
            (true, r#"{"c": 4}"#.to_owned()),
            (false, r#"{"d": "e"}"#.to_owned()),
            (true, r#"{"g": null}"#.to_owned()),
        ]
    );
    assert!(!tree.is_complete());
}

#[test]
fn json_is_read_as_json() {
    let text =
        "{\"a\"\t:\t[1,{\"b\":\"\\ud83d\\ude00\\/\\u0041\"}],\n\t\"c\":{\"d\":null,\"e\":1e3}}";
    assert_eq!(
        json(good(text).root()),
        r#"{"a": [1, {"b": "😀/A"}], "c": {"d": null, "e": 1000.0}}"#
    );
}

#[test]
fn an_empty_text_is_a_finding() {
    for text in ["", "\n\n", "# only a comment\n", "\u{feff}"] {
        let (tree, findings) = read(text);
        assert_eq!(findings, ["YAML009 0..0 the file is empty"], "{text:?}");
        assert!(tree.root().is_null());
    }
}

#[test]
fn keys_that_are_lists_stay_apart_as_values() {
    let tree = good("? [a, b]\n: 1\n? [a, c]\n: 2\n");
    assert_eq!(json(tree.root()), r#"{"[a, b]": 1, "[a, c]": 2}"#);
}

#[test]
fn a_line_that_is_indented_too_deep_is_reported_as_such() {
    let first_error = |text: &str| {
        let (_, findings) = parse(SourceId(0), text, &Options::default());
        let finding = findings.first().unwrap();
        (finding.primary.start, finding.message.clone())
    };
    let (at, message) = first_error("name: x\n  windlass: 1\n");
    assert_eq!(at, 10);
    assert_eq!(message, "this line is indented deeper than the line before, which has a value");
    assert_eq!(first_error("a:\n  b: c: d\n").1, "a second `: ` on this line");
    assert_eq!(first_error("a: x\n  b: c: d\n").0, 7, "the first is the one that is too deep");
}
