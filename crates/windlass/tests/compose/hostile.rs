//! Bad input: every text is answered, soon and without a panic.

use std::fmt::Write as _;

use crate::read;
use windlass::rule;

#[test]
fn large_projects_take_no_longer_than_their_size() {
    let mut text = String::from("services:\n");
    for at in 0..4000 {
        let _ = writeln!(
            text,
            "  s{at}: {{ image: 'a:1', ports: ['{}:80'], depends_on: [s{}] }}",
            at + 1,
            (at + 1) % 4000
        );
    }
    let read = read(&[("compose.yaml", &text)]);
    assert_eq!(read.findings().len(), 1, "one circle");
    assert!(read.findings()[0].starts_with("COMPOSE010"));
}

#[test]
fn a_long_row_of_extends_is_refused_and_not_followed() {
    let mut text = String::from("services:\n  s5000: { image: 'a:1' }\n");
    for at in 0..5000 {
        let _ = writeln!(text, "  s{at}: {{ extends: s{} }}", at + 1);
    }
    let read = read(&[("compose.yaml", &text)]);
    assert!(read.findings().iter().any(|finding| finding.starts_with("COMPOSE005")));
}

#[test]
fn huge_numbers_and_deep_values_are_only_values() {
    for text in [
        "services: { a: { image: 'x:1', scale: 99999999999999999999999999999999999999999 } }"
            .to_owned(),
        "services: { a: { image: 'x:1', scale: -1 } }".to_owned(),
        "services: { a: { image: 'x:1', mem_limit: 1e400 } }".to_owned(),
        "services: { a: { image: 'x:1', ports: ['0-65535:0-65535', '1-65535'] } }".to_owned(),
        "services: { a: { image: 'x:1', stop_grace_period: 99999999999999999999999h } }".to_owned(),
        format!(
            "services: {{ a: {{ image: 'x:1', x-deep: {}{} }} }}",
            "[".repeat(150),
            "]".repeat(150)
        ),
        format!("services: {{ a: {{ image: '{}' }} }}", "${A:-".repeat(5000)),
        "[]".to_owned(),
        "services: []".to_owned(),
        "services: { a: null }".to_owned(),
        "include: { path: a }".to_owned(),
        "include: [{ path: [] }]".to_owned(),
        "services: { a: { extends: { file: 1, service: 2 } } }".to_owned(),
        "networks: { n: { ipam: { config: [{ subnet: '::/0' }, { subnet: '0.0.0.0/0' }] } } }"
            .to_owned(),
    ] {
        let read = read(&[("compose.yaml", &text)]);
        let _ = rule::check_reading(&read.reading, &read.sources);
    }
}
