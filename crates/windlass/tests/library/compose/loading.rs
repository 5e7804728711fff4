//! Files, overrides, variables, profiles, and the places of what is found.

use super::{over, read, read_with};
use windlass::lang::compose::Options;
use windlass::lang::compose::project::{Condition, MountKind};

fn with_override(base: &str, text: &str) -> super::Read {
    let options = Options { overrides: vec![over("over.yaml", text)], ..Options::default() };
    read_with(&[("compose.yaml", base)], options)
}

#[test]
fn an_override_wins_and_a_finding_says_where() {
    let base = "services:\n  web:\n    image: web:1\n    restart: always\n";
    let read = with_override(base, "services:\n  web:\n    restart: [no]\n");
    assert_eq!(read.findings(), ["COMPOSE001 over.yaml:3"]);
    let finding = &read.reading.findings[0];
    let label = &finding.labels[0];
    assert_eq!(read.sources.get(label.span.source).name, "compose.yaml");
    assert!(label.message.contains("overrides"), "{}", label.message);
}

#[test]
fn mappings_merge_lists_append_and_scalars_are_replaced() {
    let base = "services:\n  web:\n    image: web:1\n    command: [a, b]\n    ports: ['80:80']\n    \
                environment: { A: '1', B: '2' }\n    volumes: ['data:/data']\nvolumes:\n  data:\n";
    let text = "services:\n  web:\n    image: web:2\n    command: [c]\n    ports: ['81:81', '80:80']\n    \
                environment: ['B=3', 'C']\n    volumes: ['./x:/data:ro']\n";
    let read = with_override(base, text);
    let web = &read.project().services["web"];
    assert_eq!(web.image.as_ref().unwrap().text, "web:2");
    assert_eq!(web.get("command").unwrap().items().len(), 1, "a command is replaced");
    let ports: Vec<_> = web.ports.iter().map(|port| port.port.target).collect();
    assert_eq!(ports, [80, 81], "the same port counts once");
    let variables: Vec<_> =
        web.environment.iter().map(|(name, value, _)| (name.as_str(), value.as_deref())).collect();
    assert_eq!(variables, [("A", Some("1")), ("B", Some("3")), ("C", None)]);
    assert_eq!(web.mounts.len(), 1, "one mount for one target");
    assert_eq!((web.mounts[0].kind, web.mounts[0].read_only), (MountKind::Bind, true));
}

#[test]
fn reset_and_override_take_away_what_came_before() {
    let base = "services:\n  web:\n    image: web:1\n    ports: ['80:80']\n    expose: ['1']\n    \
                environment: { A: '1' }\n";
    let text = "services:\n  web:\n    ports: !reset []\n    expose: !override ['2']\n    \
                environment:\n      A: !reset null\n      B: '2'\n";
    let read = with_override(base, text);
    let web = &read.project().services["web"];
    assert!(web.ports.is_empty());
    let expose: Vec<_> = web
        .get("expose")
        .unwrap()
        .items()
        .iter()
        .map(windlass::lang::compose::item::Item::plain)
        .collect();
    assert_eq!(expose, ["2"]);
    assert_eq!(web.environment.iter().filter(|(name, _, _)| name == "B").count(), 1);
}

#[test]
fn a_value_of_another_kind_cannot_be_put_over() {
    let base = "services:\n  web:\n    image: web:1\n    deploy: { replicas: 2 }\n";
    let read = with_override(base, "services:\n  web:\n    deploy: 2\n");
    assert_eq!(read.findings(), ["COMPOSE017 over.yaml:3"]);
}

#[test]
fn services_extend_across_files_relative_to_each_file() {
    let main = "services:\n  web:\n    extends: { file: sub/base.yaml, service: base }\n    \
                ports: ['80:80']\n";
    let base = "services:\n  base:\n    extends: { file: deep/root.yaml, service: root }\n    \
                env_file: base.env\n";
    let root = "services:\n  root:\n    image: web:1\n    env_file: root.env\n";
    let files = [
        ("compose.yaml", main),
        ("sub/base.yaml", base),
        ("sub/deep/root.yaml", root),
        ("sub/base.env", "A=1\n"),
    ];
    let read = read(&files);
    assert_eq!(read.findings(), ["COMPOSE012 sub/deep/root.yaml:4"], "each path from its file");
    let mut files = files.to_vec();
    files.push(("sub/deep/root.env", "B=1\n"));
    let read = super::read(&files);
    assert_eq!(read.project().services["web"].image.as_ref().unwrap().text, "web:1");
    assert_eq!(read.project().services["web"].ports.len(), 1);
}

#[test]
fn extending_a_service_without_content_adds_nothing() {
    let main = "services: { a: { image: 'a:1', extends: { file: base.yaml, service: b } } }\n";
    let read = read(&[("compose.yaml", main), ("base.yaml", "services:\n  b:\n")]);
    assert_eq!(read.project().services["a"].image.as_ref().unwrap().text, "a:1");
}

#[test]
fn extending_in_a_cycle_is_reported() {
    let text = "services:\n  a: { extends: b, image: 'x:1' }\n  b: { extends: a }\n";
    let read = read(&[("compose.yaml", text)]);
    assert!(read.findings().iter().all(|f| f.starts_with("COMPOSE005")), "{:?}", read.findings());
    assert!(read.reading.findings[0].message.contains("`a` -> `b` -> `a`"));
}

#[test]
fn an_included_file_has_its_own_folder_and_variables() {
    let main = "include:\n  - sub/compose.yaml\nservices:\n  web: { image: 'web:${TAG:-none}', \
                depends_on: [db] }\n";
    let sub = "services:\n  db: { image: 'db:${TAG}' }\n";
    let files = [("compose.yaml", main), ("sub/compose.yaml", sub), ("sub/.env", "TAG=7\n")];
    let read = read(&files);
    let image = |name: &str| read.project().services[name].image.as_ref().unwrap().text.clone();
    assert_eq!((image("web"), image("db")), ("web:none".to_owned(), "db:7".to_owned()));
    let clash = "services:\n  web: { image: 'other:1' }\n";
    let read = super::read(&[("compose.yaml", main), ("sub/compose.yaml", clash)]);
    assert_eq!(read.findings(), ["COMPOSE006 compose.yaml:4", "COMPOSE007 compose.yaml:4"]);
}

#[test]
fn a_file_that_includes_itself_is_reported() {
    let main = "include: [a.yaml]\nservices: { web: { image: 'web:1' } }\n";
    let read = read(&[("compose.yaml", main), ("a.yaml", "include: [compose.yaml]\n")]);
    assert_eq!(read.findings(), ["COMPOSE006 a.yaml:1"]);
    let message = &read.reading.findings[0].message;
    let round = "files include each other: `compose.yaml` -> `a.yaml` -> `compose.yaml`";
    assert_eq!(message, round);
}

#[test]
fn variables_come_from_the_surroundings_then_from_the_file() {
    let text = "services:\n  web:\n    image: web:${TAG}\n    scale: ${COUNT}\n";
    let files = [("compose.yaml", text), (".env", "TAG=file\nCOUNT=3\n")];
    let environment = [("TAG".to_owned(), "shell".to_owned())].into();
    let read = read_with(&files, Options { environment, ..Options::default() });
    let web = &read.project().services["web"];
    assert_eq!((web.image.as_ref().unwrap().text.as_str(), web.replicas), ("web:shell", 3));
    let env_files = Some(vec![over("other.env", "TAG=other\nCOUNT=1\n")]);
    let read = read_with(&files, Options { env_files, ..Options::default() });
    assert_eq!(read.project().services["web"].image.as_ref().unwrap().text, "web:other");
}

#[test]
fn profiles_switch_services_on() {
    let text = "services:\n  web: { image: 'web:1' }\n  debug: { image: 'd:1', profiles: [dev] }\n  \
                x: { image: 'x:1', depends_on: { debug: { condition: service_started, required: \
                false } } }\n";
    let off = read(&[("compose.yaml", text)]);
    assert_eq!(off.project().services.keys().collect::<Vec<_>>(), ["web", "x"]);
    let options = Options { profiles: vec!["dev".to_owned()], ..Options::default() };
    let on = read_with(&[("compose.yaml", text)], options);
    assert_eq!(on.project().services.len(), 3);
    let needed = text.replace("required: false", "required: true");
    assert_eq!(read(&[("compose.yaml", &needed)]).findings(), ["COMPOSE007 compose.yaml:4"]);
}

#[test]
fn dependencies_that_other_keys_imply() {
    let text = "services:\n  a: { image: 'a:1' }\n  b: { image: 'a:1', links: ['a:x'] }\n  \
                c: { image: 'a:1', network_mode: 'service:a' }\n  d: { image: 'a:1', \
                volumes_from: ['b:ro'] }\n";
    let read = read(&[("compose.yaml", text)]);
    let edge = |from: &str, to: &str| {
        let dependency = &read.project().services[from].depends_on[to];
        assert_eq!(dependency.condition, Condition::Started);
        dependency.restart
    };
    assert_eq!((edge("b", "a"), edge("c", "a"), edge("d", "b")), (true, true, false));
    assert!(read.project().networks["default"].implicit);
    assert!(read.project().services["c"].networks.is_empty());
}

#[test]
fn names_are_those_that_compose_gives() {
    let text = "services:\n  web: { image: 'web:1', volumes: ['data:/d', 'old:/o'] }\nvolumes:\n  \
                data:\n  old: { external: true }\n";
    let read = read(&[("compose.yaml", text)]);
    let project = read.project();
    assert_eq!(project.name, "shop");
    assert_eq!(project.volumes["data"].name, "shop_data");
    assert_eq!(project.volumes["old"].name, "old");
    assert_eq!(project.networks["default"].resource.name, "shop_default");
    let named = read_with(&[("compose.yaml", &format!("name: other\n{text}"))], Options::default());
    assert_eq!(named.project().volumes["data"].name, "other_data");
}

#[test]
fn several_documents_are_put_over_each_other() {
    let text = "services:\n  web: { image: 'web:1' }\n---\nservices:\n  web: { scale: 2 }\n";
    assert_eq!(read(&[("compose.yaml", text)]).project().services["web"].replicas, 2);
}
