//! Templates of OpenStack Heat beyond single pages: environments, nested templates, groups,
//! updates, releases, inventories, and the application behind a template.

#![allow(clippy::expect_used, reason = "a test may panic")]

use windlass::lang::hot::{Settings, inventory::Inventory, update};
use windlass::lang::{self, Language, ReadOptions, Reading};
use windlass::rule;
use windlass::source::Sources;
use windlass::source::files::{Limits, MemoryFiles};

/// Reads `main.yaml` among files, with environments and a release.
fn read(
    files: &[(&str, &str)],
    environments: &[&str],
    release: Option<&str>,
) -> (Reading, Sources) {
    let mut memory = MemoryFiles::new(Limits::default());
    let mut sources = Sources::new();
    let text = files.iter().find(|(name, _)| *name == "main.yaml").expect("a template").1;
    let root = sources.add("main.yaml", text);
    let mut settings = Settings { release: release.map(str::to_owned), ..Settings::default() };
    for (name, text) in files {
        memory = memory.with(*name, *text);
        if environments.contains(name) {
            let id = sources.add(*name, *text);
            settings.environments.push((id, Some((*name).to_owned())));
        }
    }
    let hot = Some(Language::HOT);
    let options = ReadOptions { hot: settings, ..ReadOptions::default() };
    let mut reading = lang::read_in(hot, root, "main.yaml", &mut sources, &mut memory, &options);
    let judged = rule::check_reading(&reading, &sources);
    reading.findings.extend(judged);
    (reading, sources)
}

/// `file:line CODE` of every finding.
fn places((reading, sources): &(Reading, Sources)) -> Vec<String> {
    let place = |finding: &windlass::diagnostic::Diagnostic| {
        let source = sources.get(finding.primary.source);
        let line = source.position(finding.primary.start).line;
        format!("{}:{line} {}", source.name, finding.code)
    };
    reading.findings.iter().map(place).collect()
}

const PAIR: &str = "heat_template_version: wallaby
parameters:
  size: { type: number, constraints: [{ range: { max: 9 } }] }
resources:
  text:
    type: Our::Text
    properties: { length: { get_param: size } }
outputs:
  text: { value: { get_attr: [text, words] } }
";

const TEXT: &str = "heat_template_version: wallaby
parameters:
  length: { type: number }
resources:
  inner:
    type: OS::Heat::RandomString
    properties: { lenght: { get_param: length } }
outputs:
  words: { value: { get_attr: [inner, value] } }
";

#[test]
fn an_environment_maps_types_to_templates_and_gives_values() {
    let environment = "parameters: { size: 12, other: 1 }
resource_registry: { \"Our::*\": text.yaml }
";
    let files = [("main.yaml", PAIR), ("text.yaml", TEXT), ("env.yaml", environment)];
    let found = places(&read(&files, &["env.yaml"], None));
    let expected = ["env.yaml:1 HOT012", "env.yaml:1 HOT013", "text.yaml:7 HOT006"];
    for place in expected {
        assert!(found.iter().any(|found| found == place), "{place} in {found:?}");
    }
    assert_eq!(found.len(), expected.len(), "{found:?}");
}

#[test]
fn without_its_environment_a_type_is_unknown() {
    let found = places(&read(&[("main.yaml", PAIR)], &[], None));
    assert!(found.contains(&"main.yaml:6 HOT005".to_owned()), "{found:?}");
}

#[test]
fn a_template_that_uses_itself_is_refused_and_ends() {
    let own = "heat_template_version: wallaby
resources:
  again: { type: main.yaml }
";
    let found = places(&read(&[("main.yaml", own)], &[], None));
    assert!(found.iter().any(|place| place.ends_with("FILE006")), "{found:?}");
}

#[test]
fn members_of_a_group_that_want_one_port_are_found() {
    let group = |port: &str| {
        format!(
            "heat_template_version: wallaby
resources:
  lan: {{ type: OS::Neutron::Net }}
  door: {{ type: OS::Neutron::Port, properties: {{ network: {{ get_resource: lan }} }} }}
  web:
    type: OS::Heat::ResourceGroup
    properties:
      count: 2
      resource_def:
        type: OS::Nova::Server
        properties:
          name: web-%index%
          config_drive: true
          flavor: tiny
          image: cirros
          networks: [{{ {port} }}]
"
        )
    };
    let shared = group("port: { get_resource: door }");
    let found = places(&read(&[("main.yaml", &shared)], &[], None));
    assert_eq!(found, ["main.yaml:16 HOT329"]);
    let apart = group("network: { get_resource: lan }");
    assert!(places(&read(&[("main.yaml", &apart)], &[], None)).is_empty());
}

#[test]
fn an_update_says_what_is_replaced_and_what_cannot_change() {
    let template = |cidr: &str, name: &str| {
        format!(
            "heat_template_version: wallaby
resources:
  lan: {{ type: OS::Neutron::Net, properties: {{ name: {name} }} }}
  sub:
    type: OS::Neutron::Subnet
    properties:
      network: {{ get_resource: lan }}
      cidr: {cidr}
"
        )
    };
    let compare = |old: &str, new: &str| {
        let (old, _) = read(&[("main.yaml", old)], &[], None);
        let (new, sources) = read(&[("main.yaml", new)], &[], None);
        let (old, new) = (old.stack.expect("a stack"), new.stack.expect("a stack"));
        let findings = update::compare(&old, &new);
        places(&(Reading { findings, ..Reading::default() }, sources))
    };
    let old = template("10.1.0.0/24", "one");
    assert_eq!(compare(&old, &template("10.2.0.0/24", "one")), ["main.yaml:8 HOT019"]);
    assert!(compare(&old, &template("10.1.0.0/24", "two")).is_empty(), "a name changes in place");
}

#[test]
fn a_release_must_have_the_version_and_the_types() {
    let text = "heat_template_version: wallaby
resources:
  text: { type: OS::Heat::RandomString }
";
    let files = [("main.yaml", text)];
    assert_eq!(places(&read(&files, &[], Some("queens"))), ["main.yaml:1 HOT021"]);
    assert!(places(&read(&files, &[], Some("wallaby"))).is_empty());
}

#[test]
fn an_inventory_knows_what_exists() {
    let text = "heat_template_version: wallaby
resources:
  door: { type: OS::Neutron::Port, properties: { network: publik } }
";
    let (reading, mut sources) = read(&[("main.yaml", text)], &[], None);
    let id = sources.add("cloud.yaml", "public: { type: \"OS::Neutron::Net\" }\n");
    let mut findings = Vec::new();
    let inventory = Inventory::read(id, &sources, &mut findings);
    inventory.check(&reading.stack.expect("a stack"), &mut findings);
    let found = places(&(Reading { findings, ..Reading::default() }, sources));
    assert_eq!(found, ["main.yaml:3 HOT504"]);
}

#[test]
fn resources_are_nodes_and_references_are_bindings() {
    let text = "heat_template_version: wallaby
resources:
  lan: { type: OS::Neutron::Net }
  door: { type: OS::Neutron::Port, properties: { network: { get_resource: lan } } }
  gone: { type: OS::Neutron::Net, condition: false }
";
    let (reading, _) = read(&[("main.yaml", text)], &[], None);
    let application = reading.application.expect("an application");
    let names: Vec<_> = application.nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["lan", "door"]);
    let targets: Vec<_> = application.nodes[1].bindings.iter().map(|b| b.target.index()).collect();
    assert_eq!(targets, [0]);
}

#[test]
fn ten_thousand_resources_are_read_in_one_go() {
    use std::fmt::Write as _;
    let mut text = "heat_template_version: wallaby\nresources:\n".to_owned();
    for at in 0..10_000 {
        let before = if at == 0 { "lan".to_owned() } else { format!("door{}", at - 1) };
        let _ = write!(
            text,
            "  door{at}:\n    type: OS::Neutron::Port\n    depends_on: {before}\n    \
             properties: {{ network: {{ get_resource: lan }} }}\n"
        );
    }
    text.push_str("  lan: { type: OS::Neutron::Net }\n");
    let (reading, _) = read(&[("main.yaml", &text)], &[], None);
    assert!(reading.findings.is_empty());
    assert_eq!(reading.application.expect("an application").nodes.len(), 10_001);
}

const SITE: &str = "heat_template_version: wallaby
parameters:
  gate: { type: string }
  size: { type: number, default: 3 }
resources:
  lan: { type: OS::Neutron::Net }
  range:
    type: OS::Neutron::Subnet
    properties:
      network: { get_resource: lan }
      cidr: 10.0.0.0/24
      gateway_ip: { get_param: gate }
  word: { type: OS::Heat::RandomString, properties: { length: { get_param: size } } }
";

#[test]
fn values_are_passed_into_templates_that_are_used_as_types() {
    let main = "heat_template_version: wallaby
resources:
  good: { type: site.yaml, properties: { gate: 10.0.0.1 } }
  bad: { type: site.yaml, properties: { gate: 10.9.0.1, size: many } }
  worse: { type: site.yaml, properties: { gate: 10.9.0.1 } }
";
    let found = places(&read(&[("main.yaml", main), ("site.yaml", SITE)], &[], None));
    // The gateway is outside twice, and said once.
    assert_eq!(found, ["main.yaml:4 HOT012", "site.yaml:12 HOT404"]);
}

#[test]
fn templates_that_use_each_other_end_also_with_values() {
    let own = |other: &str| {
        format!(
            "heat_template_version: wallaby
parameters: {{ size: {{ type: number }} }}
resources:
  a: {{ type: {other}, properties: {{ size: {{ get_param: size }} }} }}
  b: {{ type: {other}, properties: {{ size: 4 }} }}
"
        )
    };
    let main = "heat_template_version: wallaby
resources:
  start: { type: one.yaml, properties: { size: 3 } }
";
    let (one, two) = (own("two.yaml"), own("one.yaml"));
    let files = [("main.yaml", main), ("one.yaml", &*one), ("two.yaml", &*two)];
    let found = places(&read(&files, &[], None));
    assert!(found.iter().any(|place| place == "two.yaml:4 FILE006"), "{found:?}");
}

#[test]
fn a_property_that_a_type_does_not_have_is_named() {
    let main = "heat_template_version: wallaby
resources:
  monitor:
    type: OS::Octavia::HealthMonitor
    properties: { pool: web, type: HTTP, delay: 3, timeout: 3, max_retries: 3, max_retries_down: 3 }
";
    let (reading, _) = read(&[("main.yaml", main)], &[], None);
    let messages: Vec<&str> = reading.findings.iter().map(|f| f.message.as_str()).collect();
    assert_eq!(messages, ["resource `monitor` has no property `max_retries_down`"]);
}

#[test]
fn what_the_environment_replaces_is_no_longer_what_is_written() {
    let main = "heat_template_version: wallaby
resources:
  door: { type: OS::Neutron::Port, properties: { network: lan } }
  one: { type: OS::Nova::Server, properties: { flavor: m1, image: i, networks: [{ port: { get_resource: door } }] } }
  two: { type: OS::Nova::Server, properties: { flavor: m1, image: i, networks: [{ port: { get_resource: door } }] } }
";
    let found = |environment: &str| {
        let files = [("main.yaml", main), ("env.yaml", environment)];
        places(&read(&files, &["env.yaml"], None))
    };
    let shared = "main.yaml:5 HOT329".to_owned();
    assert!(found("parameters: {}").contains(&shared), "two servers share a port");
    for none in ["\"OS::Nova::Server\": OS::Heat::None", "\"OS::Nova*\": OS::Heat::None"] {
        let found = found(&format!("resource_registry: {{ {none} }}"));
        assert!(!found.iter().any(|place| place.starts_with("main.yaml:")), "{none}: {found:?}");
    }
    // Lines of a registry that mean nothing are told.
    let wrong = "resource_registry:
  bad: 5
  resources:
    one: { hooks: pre-nonsense, restricted_actions: [update, sleep] }
    two: { hooks: [pre-create, post-delete] }
";
    let found = found(wrong);
    for place in ["env.yaml:2 HOT013", "env.yaml:4 HOT013"] {
        assert!(found.iter().any(|found| found == place), "{place} in {found:?}");
    }
    assert_eq!(found.iter().filter(|place| place.starts_with("env.yaml:4")).count(), 2);
    assert!(!found.contains(&"env.yaml:5 HOT013".to_owned()), "{found:?}");
}

#[test]
fn resources_under_different_unknown_conditions_may_exclude_each_other() {
    let main = |first: &str, second: &str| {
        format!(
            "heat_template_version: wallaby
parameters: {{ ha: {{ type: boolean }} }}
conditions:
  yes_ha: {{ get_param: ha }}
  no_ha: {{ not: yes_ha }}
resources:
  lan: {{ type: OS::Neutron::Net }}
  door: {{ type: OS::Neutron::Port, properties: {{ network: {{ get_resource: lan }} }} }}
  one:
    type: OS::Nova::Server
    properties: {{ flavor: m1, image: i, networks: [{{ port: {{ get_resource: door }} }}] }}
{first}  two:
    type: OS::Nova::Server
    properties: {{ flavor: m1, image: i, networks: [{{ port: {{ get_resource: door }} }}] }}
{second}"
        )
    };
    let shares = |first: &str, second: &str| {
        let found = places(&read(&[("main.yaml", &main(first, second))], &[], None));
        found.iter().any(|place| place.ends_with("HOT329"))
    };
    assert!(shares("", ""));
    assert!(shares("    condition: yes_ha\n", ""));
    assert!(shares("    condition: yes_ha\n", "    condition: yes_ha\n"));
    assert!(!shares("    condition: yes_ha\n", "    condition: no_ha\n"));
}

#[test]
fn the_help_says_where_a_misplaced_key_belongs() {
    let swallowed = "heat_template_version: wallaby
description: >
  Two servers.
  resources:
    one: { type: OS::Heat::None }
";
    let (reading, _) = read(&[("main.yaml", swallowed)], &[], None);
    let finding = reading.findings.iter().find(|f| f.code == "HOT102").expect("no resources");
    assert!(finding.help.as_deref().unwrap_or_default().contains("`resources:` is part of"));
    let flavor = "heat_template_version: wallaby
resources:
  one: { type: OS::Nova::Server, flavor: m1, properties: { image: i, networks: none } }
";
    let (reading, _) = read(&[("main.yaml", flavor)], &[], None);
    let finding = reading.findings.iter().find(|f| f.code == "HOT003").expect("a wrong key");
    assert_eq!(finding.help.as_deref(), Some("`flavor` belongs below `properties`"));
}
