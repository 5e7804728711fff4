//! Every text is parsed once and every file read once, whatever language they are in; and a
//! language is a reader and a line in a table.

#![allow(clippy::expect_used, reason = "a test may panic")]

use std::collections::BTreeMap;

use windlass::application::Application;
use windlass::lang::{
    self, Context, Kind, LANGUAGES, Language, Origin, ReadOptions, Reader, Reading, Text, documents,
};
use windlass::source::files::{Files as _, Limits, MemoryFiles};
use windlass::source::{ReadLog, Sources};
use windlass::tree::Node;

const WINDLASS: &str = include_str!("../../../../examples/two-components/windlass.yaml");
const PLAN: &str = include_str!("../../../../examples/web-services/deploy.plan.yaml");
const RAMP: &str = r#"{"name": "a", "nodes": [], "piVersion": "1"}"#;
const CONCERTO: &str =
    r#"{"components": [{"name": "a", "places": ["p"], "start": "p", "transitions": []}]}"#;
const COMPOSE: &str = "\
include: [other.yaml]
services:
  web:
    image: nginx
    extends: { file: base.yaml, service: base }
";
const HOT: &str = "\
heat_template_version: 2021-04-16
resources:
  a: { type: nested.yaml }
  b: { type: nested.yaml }
";
const TOSCA: &str = "\
tosca_definitions_version: tosca_2_0
imports: [types.yaml, more.yaml, { profile: 'org.own:1' }, more.yaml]
service_template:
  node_templates: {}
";
const OCCI: &str =
    r#"{"resources": [{"id": "a", "kind": "http://windlass.example/occi/tosca#Root"}]}"#;
const BARREL: &str = include_str!("formats/site/Server.tosca");

/// What lies beside each of them.
const BESIDE: &[(&str, &str)] = &[
    ("other.yaml", "services: { db: { image: postgres } }\n"),
    ("base.yaml", "services: { base: { image: nginx } }\n"),
    ("nested.yaml", "heat_template_version: 2021-04-16\nresources: {}\n"),
    ("types.yaml", "tosca_definitions_version: tosca_2_0\nimports: [more.yaml]\n"),
    ("more.yaml", "tosca_definitions_version: tosca_2_0\n"),
    // A profile that is found by what it says, not by its name.
    ("own.yaml", "tosca_definitions_version: tosca_2_0\nprofile: org.own:1\n"),
];

/// Reads a text with the files beside it, and says how often each was parsed.
fn parses(name: &str, text: &str) -> (Reading, BTreeMap<String, usize>, Vec<String>) {
    let log = ReadLog::default();
    let mut sources = Sources::with_log(log.clone());
    let root = sources.add(name, text);
    let mut files = MemoryFiles::new(Limits::default()).with(name, text);
    for (name, text) in BESIDE {
        files = files.with(*name, *text);
    }
    let reading = lang::read_with(None, root, name, &mut sources, &mut files);
    let read = files.record().names().to_vec();
    (reading, log.parses(), read)
}

#[test]
fn a_text_is_parsed_once_whatever_language_it_is_in() {
    for (name, text, language, beside) in [
        ("windlass.yaml", WINDLASS, Language::WINDLASS, &[][..]),
        ("a.json", RAMP, Language::RAMP, &[]),
        ("Server.tosca", BARREL, Language::BARREL, &[]),
        ("a.json", CONCERTO, Language::CONCERTO, &[]),
        ("compose.yaml", COMPOSE, Language::COMPOSE, &["other.yaml", "base.yaml"]),
        ("stack.yaml", HOT, Language::HOT, &["nested.yaml"]),
        ("service.yaml", TOSCA, Language::TOSCA, &["types.yaml", "more.yaml", "own.yaml"]),
        ("a.json", OCCI, Language::OCCI, &[]),
    ] {
        let (reading, parses, read) = parses(name, text);
        assert_eq!(reading.language, Some(language));
        assert_eq!(parses.get(name), Some(&1), "{name} as {language:?}: {parses:?}");
        for beside in beside {
            assert_eq!(parses.get(*beside), Some(&1), "{beside} of {language:?}: {parses:?}");
            let times = read.iter().filter(|name| name == beside).count();
            assert_eq!(times, 1, "{beside} of {language:?}: {read:?}");
        }
        assert!(!read.contains(&name.to_owned()), "{name} was read again: {read:?}");
    }
}

#[test]
fn a_plan_is_parsed_once_with_the_look_at_its_language() {
    let texts = [
        ("plan.yaml", PLAN, Some(1)),
        ("plan.json", r#"{"actions": {}, "partialOrder": []}"#, Some(1)),
        // Lines of operations are no tree.
        ("a.plan", "a:Standard.create\n", None),
    ];
    for (name, text, times) in texts {
        let log = ReadLog::default();
        let mut sources = Sources::with_log(log.clone());
        let root = sources.add(name, text);
        let options = ReadOptions::default();
        let text = lang::recognize(None, root, Origin::Named, &sources, &options);
        assert_eq!(text.kind, Some(Kind::Plan), "{name}");
        let reading = documents::plan_of(text, &sources);
        assert!(reading.language.is_some(), "{name}: {:?}", reading.findings);
        assert_eq!(log.parses().get(name).copied(), times, "{name}");
    }
}

/// A language of one key: `toy: NAME` is an application with that name.
#[derive(Debug)]
struct Toy;

impl Reader for Toy {
    fn name(&self) -> &'static str {
        "toy"
    }

    fn recognize_keys(&self, root: Node<'_>) -> Option<Kind> {
        root.get("toy").map(|_| Kind::Application)
    }

    fn read(&self, text: Text, context: &mut Context<'_>) -> Reading {
        let (tree, findings) = text.parse(context.sources, &windlass::tree::Options::default());
        let name = tree.root().get("toy").and_then(Node::as_str).unwrap_or_default();
        let application = Application { name: name.to_owned(), ..any_application() };
        Reading { application: Some(application), findings, ..Reading::default() }
    }
}

/// An application, whatever it is.
fn any_application() -> Application {
    let mut sources = Sources::new();
    let root = sources.add("windlass.yaml", WINDLASS);
    lang::read(None, root, &sources).application.expect("an application")
}

#[test]
fn a_language_is_a_reader_and_a_line_in_the_table() {
    let toy = Language::new(&Toy);
    let languages = [LANGUAGES, &[toy]].concat().into();
    let options = ReadOptions { languages, ..ReadOptions::default() };
    let mut sources = Sources::new();
    let mut files = MemoryFiles::new(Limits::default());
    let root = sources.add("any.yaml", "toy: boat\n");
    let reading = lang::read_in(None, root, "any.yaml", &mut sources, &mut files, &options);
    assert_eq!(reading.language, Some(toy));
    assert_eq!(reading.application.expect("an application").name, "boat");
    // Without the line it is in no language, and the others are recognized as before.
    assert_eq!(lang::read(None, root, &sources).language, None);
    let root = sources.add("windlass.yaml", WINDLASS);
    let reading = lang::read_in(None, root, "any.yaml", &mut sources, &mut files, &options);
    assert_eq!(reading.language, Some(Language::WINDLASS));
}
