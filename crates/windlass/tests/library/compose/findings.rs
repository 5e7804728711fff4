//! What is wrong in one place hides nothing in another, and says which file it came from.

use super::{Read, over, read, read_with};
use windlass::lang::compose::Options;
use windlass::rule;

/// `CODE line` of everything that the rules find.
fn ruled(read: &Read) -> Vec<String> {
    let findings = rule::check_reading(&read.reading, &read.sources);
    let place = |finding: &windlass::diagnostic::Diagnostic| {
        let source = read.sources.get(finding.primary.source);
        format!("{} {}", finding.code, source.position(finding.primary.start).line)
    };
    findings.iter().map(place).collect()
}

#[test]
fn a_value_that_cannot_be_cast_hides_nothing() {
    let text = "services:\n  a:\n    image: web:1\n    scale: many\n    networks: [nowhere]\n    \
                ports: ['8080:80']\n  b:\n    ports: ['8080:80', '8081:81', '8081:82']\n    imag: x\n";
    let found = read(&[("compose.yaml", text)]);
    assert!(found.reading.application.is_none());
    let expected = [
        "COMPOSE003 compose.yaml:4",
        "COMPOSE007 compose.yaml:5",
        "COMPOSE008 compose.yaml:7",
        "COMPOSE001 compose.yaml:9",
    ];
    assert_eq!(found.findings(), expected);
    assert_eq!(ruled(&found), ["COMPOSE021 8", "COMPOSE021 8"]);
}

#[test]
fn a_range_of_ports_is_reported_once() {
    let text = "services:\n  a:\n    image: web:1\n    ports: ['20000-21499:20000-21499/udp']\n  \
                b:\n    image: web:1\n    ports: ['21000-21099:1000-1099/udp']\n";
    let found = read(&[("compose.yaml", text)]);
    assert_eq!(found.project().services["a"].ports.len(), 1500);
    let findings = rule::check_reading(&found.reading, &found.sources);
    let messages: Vec<_> = findings.iter().map(|finding| finding.message.as_str()).collect();
    assert_eq!(messages, ["`b` and `a` both publish ports 21000-21099 of the host"]);
}

#[test]
fn a_rule_says_which_value_won() {
    let base = "services:\n  web:\n    image: web:1\n    deploy: { replicas: 1 }\n    \
                ports: ['8080:80']\n";
    let text = "services:\n  web:\n    image: web\n    deploy: { replicas: 2 }\n";
    let options = Options { overrides: vec![over("over.yaml", text)], ..Options::default() };
    let found = read_with(&[("compose.yaml", base)], options);
    let findings = rule::check_reading(&found.reading, &found.sources);
    for code in ["COMPOSE022", "COMPOSE032"] {
        let finding = findings.iter().find(|finding| finding.code == code).unwrap();
        let label = finding.labels.iter().find(|label| label.message.contains("overrides"));
        let label = label.unwrap_or_else(|| panic!("{finding:?}"));
        assert_eq!(found.sources.get(label.span.source).name, "compose.yaml");
    }
}

#[test]
fn files_of_secrets_and_configs_are_looked_for() {
    let text = "services:\n  a: { image: 'web:1', secrets: [s, t], configs: [c] }\n\
                secrets: { s: { file: ./s.txt }, t: { file: ./t.txt } }\n\
                configs:\n  c: { file: ./c.txt }\n";
    let found = read(&[("compose.yaml", text), ("t.txt", "x")]);
    assert_eq!(ruled(&found), ["COMPOSE035 3", "COMPOSE035 5"]);
}

#[test]
fn an_error_in_an_included_or_extended_file_hides_nothing() {
    let main = "include: [sub/inc.yaml]\nservices:\n  a: { image: 'a:1', networks: [nowhere] }\n  \
                b: { extends: { file: sub/base.yaml, service: base }, mem_limit: 12xx }\n";
    let included = "services:\n  inc: { image: 'i:1', depends_on: [nope], cpus: many }\n";
    let base = "services:\n  base: { image: 'b:1', privileged: perhaps, networks: [gone] }\n";
    let files = [("compose.yaml", main), ("sub/inc.yaml", included), ("sub/base.yaml", base)];
    let mut found = read(&files).findings();
    found.sort();
    let expected = [
        "COMPOSE003 sub/base.yaml:2",
        "COMPOSE003 sub/inc.yaml:2",
        "COMPOSE007 compose.yaml:3",
        "COMPOSE007 sub/base.yaml:2",
        "COMPOSE007 sub/inc.yaml:2",
        "COMPOSE013 compose.yaml:4",
    ];
    assert_eq!(found, expected);
}

#[test]
fn what_cannot_be_read_hides_nothing_but_what_it_might_hold() {
    let main = "include: [gone.yaml]\nservices:\n  a:\n    image: a:1\n    networks: [nowhere]\n    \
                mem_limit: 12xx\n  b: { extends: { file: bad.yaml, service: base }, scale: many }\n  \
                c: { extends: { file: bad.yaml, service: base }, stop_grace_period: soon }\n";
    let found = read(&[("compose.yaml", main), ("bad.yaml", "services: [x]\n")]);
    let mut codes = found.findings();
    codes.sort();
    let expected = [
        "COMPOSE003 compose.yaml:7",
        "COMPOSE005 bad.yaml:1",
        "COMPOSE013 compose.yaml:6",
        "COMPOSE013 compose.yaml:8",
        "FILE001 compose.yaml:1",
    ];
    assert_eq!(codes, expected);
    assert!(found.reading.application.is_none());
}

#[test]
fn what_compose_accepts_and_refuses_in_small_things() {
    let cases: &[(&str, &[&str])] = &[
        // One mistake is one finding.
        ("services: { a: { image: x:1, secrets: [s] } }\nsecrets: { s: {} }\n", &["COMPOSE009 2"]),
        ("services:\n  a:\n", &["COMPOSE001 2"]),
        ("services:\n  a: { image: x:1, ports: { 80: 80 } }\n", &["COMPOSE001 2"]),
        // Below nothing, and a path of nothing.
        ("services: { a: { image: x:1, stop_grace_period: -1s } }\n", &[]),
        ("services: { a: { image: x:1, stop_grace_period: --1s } }\n", &["COMPOSE013 1"]),
        (
            "services:\n  a: { image: x:1, volumes: [{ type: bind, source: '', target: /x }] }\n",
            &[],
        ),
        (
            "services:\n  a: { image: x:1, volumes: [{ type: bind, target: /x }] }\n",
            &["COMPOSE009 2"],
        ),
        // What only Compose refused.
        ("name: '${NONE:-}'\nservices: { a: { image: x:1 } }\n", &["COMPOSE013 1"]),
        ("name: ''\nservices: { a: { image: x:1 } }\n", &[]),
        ("services: { a: { image: x:1, attach: '5' } }\n", &["COMPOSE013 1"]),
        ("services: { a: { image: x:1, attach: 'true' } }\n", &[]),
        ("services: { a: { build: { context: ., ssh: ['a:/b'] } } }\n", &["COMPOSE013 1"]),
        ("services: { a: { build: { context: ., ssh: [default, 'a=/b'] } } }\n", &[]),
        (
            "services: { a: { build: { context: ., additional_contexts: [bad] } } }\n",
            &["COMPOSE013 1"],
        ),
        (
            "services:\n  a:\n    image: x:1\n    develop:\n      \
             watch: [{ action: sync, path: ., target: '' }]\n",
            &["COMPOSE013 5"],
        ),
    ];
    assert_errors(cases);
}

/// Each text has these errors, each with its line.
fn assert_errors(cases: &[(&str, &[&str])]) {
    for (text, expected) in cases {
        let found = read(&[("compose.yaml", text)]);
        let is_error = |it: &&windlass::diagnostic::Diagnostic| {
            it.severity == windlass::diagnostic::Severity::Error
        };
        let place = |it: &windlass::diagnostic::Diagnostic| {
            let line = found.sources.get(it.primary.source).position(it.primary.start).line;
            format!("{} {line}", it.code)
        };
        let errors: Vec<_> = found.reading.findings.iter().filter(is_error).map(place).collect();
        assert_eq!(errors, *expected, "{text}");
    }
}

#[test]
fn texts_that_compose_reads_in_its_own_way() {
    let service = |keys: &str| format!("services:\n  a:\n    image: x:1\n    {keys}\n");
    let cases: &[(&str, &[&str])] = &[
        // A name that ends with a space, in lists only.
        ("environment: ['A =1']", &["COMPOSE013 4"]),
        ("environment: ['A ']", &["COMPOSE013 4"]),
        ("environment: ['à=1']", &["COMPOSE013 4"]),
        ("environment: [' A=1', '=1', 'A= 1']", &[]),
        ("environment: {'A ': 1}", &[]),
        ("labels: ['A =1']", &[]),
        ("build: {context: ., args: ['A =1']}", &["COMPOSE013 4"]),
        ("post_start: [{command: x, environment: ['A =1']}]", &["COMPOSE013 4"]),
        ("devices: ['a:b:c:d']", &["COMPOSE013 4"]),
        ("devices: ['a:b:c', '']", &[]),
        // A part that is not used has to be right too.
        ("hostname: '${NONE:+${OTHER:?no}}'", &["COMPOSE002 4"]),
        ("hostname: '${NONE:+${OTHER:-no}}'", &[]),
        // A number that is too large is a text.
        ("cpus: 1e400", &["COMPOSE003 4"]),
        ("pids_limit: 1e400", &["COMPOSE003 4"]),
        ("mem_limit: 1e400", &["COMPOSE013 4"]),
        ("command: 1e400", &[]),
        ("command: 1e40", &["COMPOSE001 4"]),
        ("build: 1e400", &[]),
        ("hostname: 1e400", &[]),
        ("hostname: 0xfffffffffffffffffffffffffffffffffffffff", &[]),
        ("hostname: 9_99999999999999999999999999999999999999999999999", &["COMPOSE001 4"]),
        // In brackets a colon belongs to a key.
        ("dns: [::1]", &["YAML001 4"]),
        ("labels: {a: :b}", &["YAML001 4"]),
        ("labels: {a: [x, {b: :b}]}", &["COMPOSE001 4", "YAML001 4"]),
        ("dns: [a::1, '::1']", &[]),
        ("dns: ::1", &[]),
        ("dns: [1.1.1.1]\n    dns_search:\n      - ::1", &[]),
    ];
    for (keys, expected) in cases {
        assert_errors(&[(&service(keys), expected)]);
    }
    assert_errors(&[("services:\n  a:\n    image: 1e400\n", &[])]);
}

#[test]
fn a_drive_that_was_meant_as_a_volume_is_reported_once() {
    let text = "services:\n  a: { image: 'a:1', volumes: ['v:/v'] }\nvolumes: { v: , w: }\n";
    assert_eq!(ruled(&read(&[("compose.yaml", text)])), ["COMPOSE025 2", "COMPOSE027 3"]);
}

#[test]
fn a_bad_line_of_a_file_of_variables_is_reported_in_that_file() {
    let text = "services: { a: { image: 'a:1' } }\n";
    let found = read(&[("compose.yaml", text), (".env", "A=1\n=x\n")]);
    assert_eq!(found.findings(), Vec::<String>::new(), "a value without a name is taken");
    let found = read(&[("compose.yaml", text), (".env", "A=1\n!=x\n")]);
    assert_eq!(found.findings(), ["COMPOSE012 .env:2"]);
}

#[test]
fn one_mistake_is_one_finding() {
    let long = format!("services: {{ a: {{ image: '{}', cap_add: [1] }} }}\n", "x".repeat(100_000));
    let deep = format!(
        "services: {{ a: {{ image: '{}x{}' }} }}\n",
        "${A:-".repeat(20_000),
        "}".repeat(20_000)
    );
    let cases: &[(&str, &[&str])] = &[
        ("include: [nosuch.yaml]\n", &["FILE001 compose.yaml:1"]),
        ("include: [compose.yaml]\n", &["COMPOSE006 compose.yaml:1"]),
        ("services:\n\ta: { image: 'x:1' }\n", &["YAML001 compose.yaml:2"]),
        (
            "services:\n  a:\n    image: x:1\n    container_name: aa\n    deploy:\n      \
             replicas: 99999999999999999999\n",
            &["COMPOSE013 compose.yaml:6"],
        ),
        (
            "services:\n  a:\n    image: x:1\n    ports:\n      - target: 80\n        \
             published: abc\n",
            &["COMPOSE013 compose.yaml:6"],
        ),
        (&long, &["COMPOSE001 compose.yaml:1"]),
        (&deep, &["COMPOSE002 compose.yaml:1"]),
    ];
    for (text, expected) in cases {
        let found = read(&[("compose.yaml", text)]);
        let shown = text.get(..200).unwrap_or(text);
        assert_eq!(found.findings(), *expected, "{shown}");
        for finding in rule::check_reading(&found.reading, &found.sources) {
            let help = finding.help.unwrap_or_default();
            assert!(finding.message.len() + help.len() < 1000, "{shown}");
        }
    }
}

#[test]
fn a_file_beside_the_folder_says_from_where_it_could_be_read() {
    let text = "services: { a: { extends: { file: ../base.yaml, service: a } } }\n";
    let found = read(&[("compose.yaml", text)]);
    assert_eq!(found.findings(), ["FILE002 compose.yaml:1"]);
    let help = found.reading.findings[0].help.clone().unwrap();
    assert!(help.contains("a folder above both"), "{help}");
}

#[test]
fn what_was_meant_as_a_compose_file_is_recognized() {
    use windlass::lang::{Language, Origin, ReadOptions, recognize};
    use windlass::source::Sources;
    for (text, expected) in [
        ("name: 123\n", true),
        ("foo: { image: busybox }\n", true),
        ("123: { foo: { image: busybox } }\n", true),
        ("version: '2'\nweb: { build: ., ports: ['80'] }\n", true),
        ("servics:\n  web: { image: x, command: y }\n  db: { image: z }\n", true),
        ("some: thing\n", false),
        ("web: { image: x, replicaCount: 2 }\n", false),
        ("image: { repository: x, tag: y }\n", false),
        ("global: { scrape_interval: 15s }\nscrape_configs: []\n", false),
        ("[]\n", false),
    ] {
        let mut sources = Sources::new();
        let root = sources.add("a.yaml", text);
        let options = ReadOptions::default();
        let found = recognize(None, root, Origin::Named, &sources, &options).language;
        assert_eq!(found == Some(Language::COMPOSE), expected, "{text}");
    }
}

/// The codes that a service gets, with `image` before its keys.
fn codes(keys: &str) -> Vec<String> {
    let text = format!("services:\n  a:\n    image: web:1\n    {keys}\n");
    read(&[("compose.yaml", &text)]).findings()
}

#[test]
fn a_limit_that_deploy_leaves_out_differs_from_one_that_is_said() {
    let refused = [
        "pids_limit: 50\n    deploy: { resources: { limits: { memory: 64M } } }",
        "pids_limit: 50\n    deploy: { resources: { limits: {} } }",
        "pids_limit: -1\n    deploy: { resources: { limits: { pids: 0 } } }",
        "mem_limit: 50m\n    deploy: { resources: { limits: { cpus: '1' } } }",
        "cpus: 1\n    deploy: { resources: { limits: { memory: 1m } } }",
        "cpus: 1\n    deploy: { resources: { limits: { cpus: '2' } } }",
        "mem_reservation: 50m\n    deploy: { resources: { reservations: { cpus: '1' } } }",
    ];
    for keys in refused {
        assert_eq!(codes(keys), ["COMPOSE009 compose.yaml:4"], "{keys}");
    }
    let accepted = [
        "pids_limit: 50\n    deploy: { resources: { limits: { pids: 50 } } }",
        "pids_limit: 0\n    deploy: { resources: { limits: { pids: 50 } } }",
        "pids_limit: 50\n    deploy: { resources: { reservations: { memory: 50m } } }",
        "mem_limit: 0\n    deploy: { resources: { limits: { memory: 64M } } }",
        "mem_limit: 50m\n    deploy: { resources: { limits: { memory: 50m } } }",
        "cpus: 1\n    deploy: { resources: {} }",
        "mem_reservation: 50m\n    deploy: { resources: { limits: { memory: 64M } } }",
        "network_mode: none\n    networks: []",
        "network_mode: none\n    networks: {}",
    ];
    for keys in accepted {
        assert_eq!(codes(keys), [""; 0], "{keys}");
    }
    assert_eq!(codes("network_mode: none\n    networks: [default]"), ["COMPOSE009 compose.yaml:4"]);
}

#[test]
fn an_override_cannot_say_that_there_are_no_services() {
    let base = "services: { a: { image: 'web:1' } }\n";
    for (text, expected) in [
        ("services:\n", &["COMPOSE001 over.yaml:1"][..]),
        ("services: {}\n", &[]),
        ("services: !reset null\nx-a: 1\n", &[]),
    ] {
        let options = Options { overrides: vec![over("over.yaml", text)], ..Options::default() };
        let found = read_with(&[("compose.yaml", base)], options).findings();
        let found: Vec<_> = found.into_iter().filter(|it| it.contains("COMPOSE001")).collect();
        assert_eq!(found, expected, "{text}");
    }
    assert_eq!(read(&[("compose.yaml", "services:\n")]).findings().len(), 1);
}

#[test]
fn the_restart_policy_of_deploy_wins() {
    let project = |restart: &str, condition: &str| {
        let text = format!(
            "services:\n  job:\n    image: job:1\n    restart: {restart}\n    deploy: {{ \
             restart_policy: {{ {condition} }} }}\n  api:\n    image: api:1\n    depends_on: {{ job: \
             {{ condition: service_completed_successfully }} }}\n"
        );
        let mut found = ruled(&read(&[("compose.yaml", &text)]));
        found.retain(|finding| finding.starts_with("COMPOSE023"));
        found
    };
    assert_eq!(project("'no'", "condition: any"), ["COMPOSE023 8"]);
    for condition in ["condition: none", "condition: on-failure", ""] {
        assert_eq!(project("always", condition), [""; 0], "{condition}");
    }
}
