//! What is wrong in one place hides nothing in another, and says which file it came from.

use crate::{Read, over, read, read_with};
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
fn a_range_of_ports_is_told_once() {
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
