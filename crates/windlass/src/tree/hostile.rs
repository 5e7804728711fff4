//! Tests of reading texts that want to do harm, and property tests.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;
use crate::diagnostic::Diagnostic;

fn read(text: &str) -> (Tree, Vec<Diagnostic>) {
    parse(SourceId(0), text, &Options::default())
}

fn codes(text: &str) -> Vec<&'static str> {
    read(text).1.into_iter().map(|finding| finding.code).collect()
}

/// Visits everything that a language could visit; the count is bounded by the limits.
fn visit(tree: &Tree) -> usize {
    let mut work: Vec<Node<'_>> = tree.documents().map(|(_, root)| root).collect();
    let mut visited = 0;
    while let Some(node) = work.pop() {
        visited += 1;
        assert!(!node.kind_name().is_empty());
        assert!(node.span().start <= node.span().end);
        assert!(node.span().end as usize <= tree.text.len());
        work.extend(node.items());
        for entry in node.entries() {
            visited += 1;
            work.push(entry.value);
            assert!(!entry.key.is_scalar() || node.get(entry.name()).is_some());
        }
    }
    visited
}

#[test]
fn fifty_thousand_levels_are_too_deep() {
    for text in [
        "- ".repeat(50_000),
        "[".repeat(50_000),
        "{a: ".repeat(50_000),
        "? ".repeat(50_000),
        "a: [".repeat(50_000),
        (0..2_000).map(|n| format!("{}a:\n", " ".repeat(n))).collect::<Vec<_>>().concat(),
    ] {
        let (tree, findings) = read(&text);
        assert_eq!(findings.len(), 1, "{}", &text[..10]);
        assert_eq!(findings[0].code, "YAML003");
        assert_eq!(findings[0].message, "more than 200 levels of nesting");
        assert!(!tree.is_complete());
        assert!(visit(&tree) <= 403);
    }
}

#[test]
fn the_deepest_text_allowed_is_read() {
    let text = format!("{}{}", "[".repeat(200), "]".repeat(200));
    assert_eq!(codes(&text), Vec::<&str>::new());
    let text = format!("{}{}", "[".repeat(201), "]".repeat(201));
    assert_eq!(codes(&text), ["YAML003"]);
    assert_eq!(codes(&"- ".repeat(200)), Vec::<&str>::new());
    assert_eq!(codes(&"- ".repeat(201)), ["YAML003"]);
}

#[test]
fn an_alias_bomb_is_known_before_it_explodes() {
    let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for level in 1..=20 {
        let aliases = vec![format!("*a{}", level - 1); 9].join(", ");
        writeln!(text, "a{level}: &a{level} [{aliases}]").unwrap();
    }
    let (tree, findings) = read(&text);
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].code, "YAML004");
    assert_eq!(findings[0].message, "with its aliases the file has more than 5000000 values");
    assert!(visit(&tree) <= 2 * 5_000_000);
    assert!(tree.node_count() < 200);
}

#[test]
fn a_chain_of_merges_is_known_before_it_explodes() {
    let mut text = String::from("m0: &m0 {k: v}\n");
    for level in 1..20_000 {
        writeln!(text, "m{level}: &m{level} {{<<: *m{}, k{level}: v}}", level - 1).unwrap();
    }
    let (tree, findings) = read(&text);
    assert!(!findings.is_empty());
    assert!(findings.iter().all(|finding| ["YAML003", "YAML004"].contains(&finding.code)));
    assert!(visit(&tree) <= 2 * 5_000_000);
}

#[test]
fn a_chain_of_aliases_is_too_deep() {
    let mut text = String::from("a0: &a0 [x]\n");
    for level in 1..1000 {
        writeln!(text, "a{level}: &a{level} [*a{}]", level - 1).unwrap();
    }
    assert!(codes(&text).iter().all(|code| *code == "YAML003"));
    assert!(!codes(&text).is_empty());
}

#[test]
fn brackets_without_end_cost_nothing() {
    let (tree, findings) = read(&"[".repeat(10_000_000));
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].code, "YAML003");
    assert!(tree.node_count() <= 201);
    let options = Options { max_bytes: 1000, ..Options::default() };
    let (tree, findings) = parse(SourceId(0), &"[".repeat(1001), &options);
    assert_eq!(findings[0].code, "YAML004");
    assert_eq!(findings[0].message, "the file has 1001 bytes, more than the limit of 1000");
    assert!(tree.node_count() == 0 && !tree.is_complete());
}

#[test]
fn too_many_values_end_the_reading() {
    let options = Options { max_nodes: 100, ..Options::default() };
    let (tree, findings) = parse(SourceId(0), &"- a\n".repeat(1000), &options);
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].message, "more than 100 values in one file");
    assert_eq!((tree.node_count(), tree.root().len()), (100, 99));
    let (_, findings) = parse(SourceId(0), &"---\n".repeat(1000), &options);
    assert_eq!(findings.len(), 1);
}

#[test]
fn too_many_findings_are_summed_up() {
    let (_, findings) = read(&"a: 1\n".repeat(1501));
    assert_eq!(findings.len(), 1001);
    assert_eq!(findings[0].code, "YAML010");
    assert_eq!(findings[0].message, "500 further findings not shown");
    let (tree, findings) = read(&"a: b: c\n---\n".repeat(1501));
    assert_eq!(findings.len(), 1001);
    assert_eq!(findings[0].message, "at least 1 further finding not shown");
    assert_eq!(tree.documents().count(), 1001);
}

#[test]
fn control_characters_are_reported_where_they_stand() {
    for control in ['\0', '\u{1}', '\u{1b}', '\u{7f}', '\u{8}'] {
        for text in [format!("a: x{control}y\n"), format!("a: '{control}'\n"), control.to_string()]
        {
            let (_, findings) = read(&text);
            assert_eq!(findings.len(), 1, "{text:?}");
            assert_eq!(findings[0].code, "YAML001");
            let expected = format!("the control character U+{:04X} is not allowed", control as u32);
            assert_eq!(findings[0].message, expected, "{text:?}");
            assert_eq!(findings[0].primary.start as usize, text.find(control).unwrap(), "{text:?}");
        }
    }
    assert_eq!(codes("a: 1\n\0\nb: 2\n"), ["YAML001"]);
}

#[test]
fn byte_order_mark_and_windows_line_ends_are_read() {
    let text = "\u{feff}a: 1\r\nb:\r\n  - x\r\nc: \"d\"\r\n";
    let (tree, findings) = read(text);
    assert!(findings.is_empty());
    let d = tree.root().get("c").unwrap();
    assert_eq!(d.as_str(), Some("d"));
    assert_eq!(&text[d.span().start as usize..d.span().end as usize], "\"d\"");
    assert_eq!(tree.root().get("a").and_then(Node::as_int), Some(1));
}

#[test]
fn strange_but_short_texts_are_survived() {
    for text in [
        "&a",
        "*a",
        "!",
        "!!",
        "? ",
        "- - - :",
        ":",
        "{:}",
        "[,]",
        "%YAML 9.9\n---\n",
        "%TAG",
        "|",
        "a: |99\n",
        ">",
        "'",
        "\"",
        "\"\\x",
        "\"\\ud800\"",
        "&a *a",
        "&a &b c",
        "<<: {}",
        "<<:",
        "{<<: *x, <<: *y}",
        "---\n...\n---",
        "...",
        "a\n  b: c\n d",
        "\u{feff}\u{feff}",
        "@",
        "`",
    ] {
        let (tree, _) = read(text);
        visit(&tree);
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        any::<String>(),
        "[ -~\\n\\t]{0,12}",
        "[a-z:#?*&!|>'\"%@`,\\[\\]{} -]{0,8}",
        "[0-9_.:eExob+-]{0,8}",
        "(true|yes|No|null|~|on|<<|=|---|\\.\\.\\.|y|1|2020-01-01)[ :\\n]?",
        "\\PC{190,220}",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i128>().prop_map(Value::Int),
        any::<i8>().prop_map(|n| Value::Int(n.into())),
        any::<f64>().prop_filter("equal to itself", |n| !n.is_nan()).prop_map(Value::Float),
        text.clone().prop_map(Value::Str),
    ];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        let text = text.clone();
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::List),
            prop::collection::vec((text, inner.clone()), 0..5).prop_map(|mut entries| {
                entries.sort_by(|a, b| a.0.cmp(&b.0));
                entries.dedup_by(|a, b| a.0 == b.0);
                Value::Map(entries)
            }),
            inner.prop_map(Value::inline),
        ]
    })
}

/// The value as it is read back: how it is printed is not part of it.
fn without_layout(value: &Value) -> Value {
    match value.shape() {
        Value::List(items) => Value::List(items.iter().map(without_layout).collect()),
        Value::Map(entries) => Value::Map(
            entries.iter().map(|(key, value)| (key.clone(), without_layout(value))).collect(),
        ),
        other => other.clone(),
    }
}

/// What JSON makes of it.
fn without_infinity(value: Value) -> Value {
    match value {
        Value::Float(number) if !number.is_finite() => Value::Null,
        Value::List(items) => Value::List(items.into_iter().map(without_infinity).collect()),
        Value::Map(entries) => Value::Map(
            entries.into_iter().map(|(key, value)| (key, without_infinity(value))).collect(),
        ),
        other => other,
    }
}

proptest! {
    #[test]
    fn no_text_is_fatal(text in any::<String>()) {
        visit(&read(&text).0);
    }

    #[test]
    fn no_text_of_indicators_is_fatal(text in "[\\[\\]{}:,?&*!|>'\"%#ab<\\- \\n\\t]{0,60}") {
        let (tree, _) = read(&text);
        visit(&tree);
    }

    #[test]
    fn printed_yaml_reads_back_with_every_schema(value in any_value()) {
        let text = emit::yaml(&value);
        for schema in [Schema::Core, Schema::Yaml11, Schema::Go] {
            let (tree, findings) = parse(SourceId(0), &text, &Options::with_schema(schema));
            prop_assert!(findings.is_empty(), "{text}\n{findings:?}");
            prop_assert_eq!(Value::from(tree.root()), without_layout(&value), "{}", text);
        }
    }

    #[test]
    fn a_value_reads_as_itself_with_every_schema(value in any_value()) {
        for schema in [Schema::Core, Schema::Yaml11, Schema::Go] {
            let parsed = Parsed::of_value(SourceId(0), &value);
            let (tree, findings) = parsed.read_as(&Sources::new(), &Options::with_schema(schema));
            prop_assert!(findings.is_empty(), "{findings:?}");
            prop_assert_eq!(Value::from(tree.root()), without_layout(&value));
        }
    }

    #[test]
    fn printed_json_reads_back(value in any_value()) {
        let text = emit::json(&value);
        let (tree, findings) = read(&text);
        prop_assert!(findings.is_empty(), "{text}\n{findings:?}");
        let expected = without_infinity(without_layout(&value));
        prop_assert_eq!(Value::from(tree.root()), expected, "{}", text);
    }
}
