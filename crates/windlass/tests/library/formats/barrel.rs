//! BARREL's archives: read with their imports, printed again, and changed in place.

use std::collections::BTreeSet;

use expect_test::{Expect, expect};
use proptest::prelude::*;
use windlass::application::{Application, Faults};
use windlass::lang::tosca::{csar, xml};
use windlass::lang::{self, Language, Reading, barrel};
use windlass::lifecycle::Lifecycle;
use windlass::lifecycle::protocol::{Element, Handler, Sort, State, Transition};
use windlass::source::files::{Limits, MemoryFiles};
use windlass::source::{Origin, Sources};
use windlass::tree::emit;

use super::random;
use super::{lines, read};

const SITE: &str = include_str!("site/site.tosca");
const APP: &str = include_str!("site/App Type.tosca");
const SERVER: &str = include_str!("site/Server.tosca");
const META: &str = "TOSCA-Meta-Version: 1.0\nEntry-Definitions: Definitions/site.tosca\n";

/// An archive with three files of definitions, a schema and a picture.
fn archive(site: &str, app: &str, server: &str) -> MemoryFiles {
    MemoryFiles::new(Limits::default())
        .with("TOSCA-Metadata/TOSCA.meta", META)
        .with("Definitions/site.tosca", site)
        .with("Definitions/types/App%20Type.tosca", app)
        .with("Definitions/types/Server.tosca", server)
        .with("Definitions/xsd/p:q.xsd", "<schema/>")
        .with("picture.png", [0x89, b'P', b'N', b'G', 0xff])
}

fn read_archive(mut files: MemoryFiles) -> (Reading, Sources) {
    let mut sources = Sources::new();
    let reading = lang::read_archive(None, &mut sources, &mut files);
    (reading.expect("no file is missing").expect("the archive has an entry"), sources)
}

fn site() -> Application {
    let (reading, sources) = read_archive(archive(SITE, APP, SERVER));
    assert_eq!(lines(&reading.findings, &sources), "");
    assert_eq!(reading.language, Some(Language::BARREL));
    reading.application.expect("no findings")
}

#[test]
fn an_archive_is_read_with_everything_it_imports() {
    let application = site();
    assert_eq!((application.name.as_str(), application.faults), ("Site", Faults::Handled));
    let names: Vec<&str> = application.nodes.iter().map(|node| &*node.name).collect();
    assert_eq!(names, ["app", "front", "back"]);
    let app = application.type_of(0.into());
    let sorts: Vec<Sort> = app.requirements.iter().map(|r| r.sort).collect();
    assert_eq!(sorts, [Sort::Containment, Sort::ReplicaUnaware]);
    let operations: Vec<&str> = app.operations.iter().map(|o| &*o.name).collect();
    assert_eq!(operations, ["Run", "Other.Stop", "Special.Crash"]);
    let protocol = app.protocol().expect("a protocol");
    assert_eq!(protocol.transitions_for(0.into(), 0.into()).count(), 2, "alternatives");
    assert_eq!(protocol.states[2].name, "Broken & sad");
    assert_eq!(protocol.handlers(Element::State(1.into()))[0].to, 2.into());
    let product: usize = application
        .node_ids()
        .filter_map(|node| application.protocol_of(node))
        .map(|protocol| protocol.states.len())
        .product();
    assert_eq!(product, 3 * 2 * 2, "what a type inherits counts");
}

#[test]
fn without_any_handler_faults_are_forbidden() {
    let start = APP.find("<m:FaultHandlers>").expect("handlers");
    let end = APP.find("</m:FaultHandlers>").expect("handlers") + "</m:FaultHandlers>".len();
    let app = format!("{}{}", &APP[..start], &APP[end..]);
    let (reading, sources) = read_archive(archive(SITE, &app, SERVER));
    assert_eq!(lines(&reading.findings, &sources), "");
    assert_eq!(reading.application.map(|a| a.faults), Some(Faults::Forbidden));
}

/// Changes the texts of the archive; each `from` stands in one of them once.
fn broken(changes: &[(&str, &str)], expected: &Expect) {
    let mut texts = [SITE, APP, SERVER].map(str::to_owned);
    for (from, to) in changes {
        let count: usize = texts.iter().map(|text| text.matches(from).count()).sum();
        assert_eq!(count, 1, "`{from}` stands once in the archive");
        texts = texts.map(|text| text.replace(from, to));
    }
    let [site, app, server] = &texts;
    let (reading, sources) = read_archive(archive(site, app, server));
    let named: String = reading
        .findings
        .iter()
        .map(|finding| {
            let file = &sources.get(finding.primary.source).name;
            let file = file.rsplit('/').next().unwrap_or_default();
            format!("{file} {}", lines(std::slice::from_ref(finding), &sources))
        })
        .collect();
    expected.assert_eq(&named);
}

#[test]
fn mistakes_are_found_in_every_file_in_one_run() {
    broken(
        &[
            ("type=\"t:App\"", "type=\"t:Ap\""),
            ("<SourceElement ref=\"app-data\"/>", "<SourceElement ref=\"app-dta\"/>"),
            ("location=\"xsd/p%3Aq.xsd\"", "location=\"xsd/other.xsd\""),
            ("<InitialState state=\"Away\"/>", "<InitialState state=\"Awya\"/>"),
        ],
        &expect![[r#"
            site.tosca 6:21 warning FILE001 there is no file `Definitions/xsd/other.xsd`
            site.tosca 9:36 BARREL001 unknown node type `t:Ap`
            site.tosca 18:77 BARREL001 `app-dta` is the id of no requirement
            Server.tosca 10:88 BARREL001 unknown state `Awya`
        "#]],
    );
    broken(
        &[
            ("location=\"types/Server.tosca\"", "location=\"types/Sever.tosca\""),
            ("<m:InitialState state=\"Off\"/>", ""),
            ("operationName=\"Stop\"", "operationName=\"Halt\""),
            (
                "sourceState=\"On\" targetState=\"Broken &amp; sad\"/></m:FaultHandlers>",
                "targetState=\"Of\"/></m:FaultHandlers>",
            ),
            (
                "<x:InstanceState state=\"Off\"/>",
                "<x:InstanceState state=\"Off\"/><x:InstanceState state=\"Off\"/>",
            ),
        ],
        &expect![[r#"
            site.tosca 5:21 FILE001 there is no file `Definitions/types/Sever.tosca`
            App%20Type.tosca 9:58 BARREL006 state `Off` is declared twice
            App%20Type.tosca 21:4 BARREL002 `ManagementProtocol` has no `InitialState`
            App%20Type.tosca 26:69 warning BARREL005 operation `Halt` of interface `Other` is not declared
            App%20Type.tosca 29:22 BARREL002 `FaultHandler` has no attribute `sourceState`
            App%20Type.tosca 29:50 BARREL001 unknown state `Of`
        "#]],
    );
    broken(
        &[("</x:NodeType>", "")],
        &expect![[r#"
            App%20Type.tosca 32:1 XML001 expected 'x:NodeType' tag, not 'x:Definitions'
        "#]],
    );
    broken(
        &[("<ServiceTemplate", "<!DOCTYPE a><ServiceTemplate")],
        &expect![[r#"
        site.tosca 7:3 XML002 a document type is not read
    "#]],
    );
}

#[test]
fn a_file_alone_misses_its_imports() {
    let (reading, sources) = read(SITE);
    expect![[r#"
        4:21 FILE001 there is no file `types/App%2520Type.tosca`
        5:21 FILE001 there is no file `types/Server.tosca`
        6:21 warning FILE001 there is no file `xsd/p%3Aq.xsd`
    "#]]
    .assert_eq(&lines(&reading.findings, &sources));
}

/// Rewrites the protocols of the archive; gives the files that changed.
fn rewrite(application: &Application) -> Result<Vec<(String, String)>, String> {
    let mut files = archive(SITE, APP, SERVER);
    let mut sources = Sources::new();
    let entry = csar::entry(&mut files).expect("readable").expect("an entry");
    let root = sources.add(entry.file.name, entry.file.text);
    let mut findings = Vec::new();
    let library = xml::load(root, &entry.path, &mut sources, &mut files, &mut findings);
    let written = barrel::rewrite(&library, &sources, application);
    written.map(|written| written.document).map_err(|refused| refused.to_string())
}

fn protocol(application: &mut Application) -> &mut windlass::lifecycle::Protocol {
    match &mut application.types[0].lifecycle {
        Lifecycle::Protocol(protocol) => protocol,
        Lifecycle::Net(_) => unreachable!("the archive has protocols"),
    }
}

#[test]
fn what_did_not_change_is_not_written() {
    assert_eq!(rewrite(&site()), Ok(Vec::new()));
}

#[test]
fn a_changed_protocol_is_written_in_its_place_and_every_other_byte_stays() {
    let mut changed = site();
    let operation = changed.types[0].operations[0].clone();
    for name in ["Pause", "Extra.Log"] {
        let operation =
            windlass::application::Operation { name: name.to_owned(), ..operation.clone() };
        changed.types[0].operations.push(operation);
    }
    let protocol = protocol(&mut changed);
    protocol.states.push(State {
        name: "Paused <1>".to_owned(),
        requires: [1.into()].into(),
        offers: BTreeSet::new(),
        handlers: vec![Handler { to: 0.into(), origin: Origin(None) }],
        on_crash: None,
        origin: Origin(None),
    });
    let pause = Transition {
        from: 1.into(),
        operation: 3.into(),
        to: 3.into(),
        ..protocol.transitions[0].clone()
    };
    let log = Transition { operation: 4.into(), ..pause.clone() };
    protocol.transitions.extend([pause, log]);
    let files = rewrite(&changed).expect("BARREL can say it");
    let [(path, text)] = &files[..] else { panic!("one file changes: {files:?}") };
    assert_eq!(path, "Definitions/types/App%20Type.tosca");
    for part in [
        "<!-- A comment that stays. -->",
        "<x:RequirementDefinition name=\"host\"/><x:RequirementDefinition name=\"data\"/>",
        "<x:Documentation>Runs it.</x:Documentation>",
        "<x:Interface name=\"Other\"><x:Operation name=\"Stop\"/></x:Interface>",
    ] {
        assert!(text.contains(part), "{part} stays:\n{text}");
    }
    let before = APP.find("<x:InstanceStates>").expect("states");
    assert_eq!(text[..before], APP[..before]);
    let (reading, sources) = read_archive(archive(SITE, text, SERVER));
    assert_eq!(lines(&reading.findings, &sources), "", "{text}");
    // Operations come back in another order.
    let sorted = |application: &Application| {
        let text = emit::yaml(&lang::windlass::print(application, None));
        let listed = |line: &&str| {
            let level = line.len() - line.trim_start().len();
            *line != "    operations:" && !(level == 6 && line.ends_with(": {}"))
        };
        let mut lines: Vec<String> = text.lines().filter(listed).map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(reading.application.as_ref().map(sorted), Some(sorted(&changed)), "{text}");
}

#[test]
fn a_topology_that_changed_is_refused() {
    let mut other = site();
    other.nodes[2].name = "rear".to_owned();
    assert_eq!(
        rewrite(&other).unwrap_err(),
        "this CSAR cannot say: another type or other bindings of node `app`; \
         the node `rear`, which it does not have; an application without the node `back`"
    );
    let mut other = site();
    other.types[0].requirements[0].name = "home".to_owned();
    assert!(
        rewrite(&other).unwrap_err().contains("other requirements or capabilities of type `App`")
    );
}

/// Prints an application as a new archive and reads it again.
fn print_and_read(application: &Application) -> Application {
    let written = barrel::print(application).expect("BARREL can say it");
    let mut files = MemoryFiles::new(Limits::default());
    for (name, text) in &written.document {
        files.insert(name.as_str(), text.as_str());
    }
    let (reading, sources) = read_archive(files);
    let text = &written.document[1].1;
    assert_eq!(lines(&reading.findings, &sources), "", "{text}");
    reading.application.expect("no findings")
}

#[test]
fn applications_of_paper_003_go_to_barrel_and_come_back() {
    let site = site();
    assert_eq!(print_and_read(&site), site);
    let (reading, _) = read(include_str!("../../../../../examples/web-services/windlass.yaml"));
    let mut web = reading.application.expect("the example can be read");
    let again = print_and_read(&web);
    for component in &mut web.types {
        for requirement in &mut component.requirements {
            if requirement.sort == Sort::ReplicaAware {
                requirement.sort = Sort::ReplicaUnaware;
            }
        }
        if let Lifecycle::Protocol(protocol) = &mut component.lifecycle {
            protocol.up = None;
        }
    }
    assert_eq!(again, web);
}

#[test]
fn what_barrel_cannot_say_is_refused() {
    let refused = barrel::print(&super::ramp::thinking()).expect_err("replicas").to_string();
    assert!(refused.contains("faults: replicas"), "{refused}");
    assert!(refused.contains("the fault handlers of `install` of type `gui`"), "{refused}");
    let mut colon = site();
    colon.nodes[0].name = "a:b".to_owned();
    let refused = barrel::print(&colon).expect_err("no XML name").to_string();
    assert!(refused.contains("the name `a:b`"), "{refused}");
}

/// Adds handlers until every state goes wherever the handlers of its targets go.
fn close(states: &mut [State]) {
    let targets = |states: &[State], at: usize| -> BTreeSet<usize> {
        states[at].handlers.iter().map(|handler| handler.to.index()).collect()
    };
    loop {
        let mut added = false;
        for at in 0..states.len() {
            for middle in targets(states, at) {
                let more: Vec<_> = states[middle].handlers.clone();
                for handler in more {
                    if handler.to.index() != at
                        && !targets(states, at).contains(&handler.to.index())
                    {
                        states[at].handlers.push(handler);
                        added = true;
                    }
                }
            }
            states[at].handlers.retain(|handler| handler.to.index() != at);
        }
        if !added {
            return;
        }
    }
}

#[test]
fn handlers_are_closed_transitively() {
    // `Broken & sad` leads back to `Off`, so `On`, which leads to it, does too.
    let handler = r#"<m:FaultHandler sourceState="Broken &amp; sad" targetState="Off"/>"#;
    let app = APP.replace("</m:FaultHandlers>", &format!("{handler}</m:FaultHandlers>"));
    assert_ne!(app, APP);
    let (reading, _) = read_archive(archive(SITE, &app, SERVER));
    let application = reading.application.expect("it can be read");
    let app = application.types.iter().find(|t| t.name == "App").expect("a type");
    let protocol = app.protocol().expect("a protocol");
    let on = protocol.state_named("On").expect("a state");
    let targets: Vec<&str> = protocol
        .state(on)
        .handlers
        .iter()
        .map(|handler| &*protocol.state(handler.to).name)
        .collect();
    assert_eq!(targets, ["Broken & sad", "Off"]);
    // What is not closed would mean something else in BARREL.
    let mut open = site();
    let states = &mut self::protocol(&mut open).states;
    let back = Handler { to: 0.into(), ..states[1].handlers[0].clone() };
    states[2].handlers.push(back);
    let refused = barrel::print(&open).expect_err("not closed").to_string();
    assert!(refused.contains("from `On` to `Off`"), "{refused}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn random_applications_come_back_from_a_new_archive(seed in any::<u64>()) {
        let mut application = random::application(&mut random::Random::new(seed));
        let mut handled = false;
        let mut bound = Vec::new();
        for node in &mut application.nodes {
            node.name = node.name.replace(|c: char| !c.is_alphanumeric(), "_");
            bound.extend(node.bindings.iter().map(|b| (node.component_type, b.requirement)));
        }
        for (at, component) in application.types.iter_mut().enumerate() {
            component.name = component.name.replace(' ', "-");
            for (r, requirement) in component.requirements.iter_mut().enumerate() {
                let is_bound = bound.contains(&(at.into(), r.into()));
                if requirement.sort != Sort::Containment || !is_bound {
                    requirement.sort = Sort::ReplicaUnaware;
                }
            }
            if let Lifecycle::Protocol(protocol) = &mut component.lifecycle {
                for transition in &mut protocol.transitions {
                    transition.offers.clear();
                    transition.handlers.clear();
                }
                close(&mut protocol.states);
                handled |= protocol.states.iter().any(|state| !state.handlers.is_empty());
            }
        }
        application.faults = if handled { Faults::Handled } else { Faults::Forbidden };
        application.policy = windlass::application::Policy::Any;
        prop_assert_eq!(print_and_read(&application), application);
    }
}
