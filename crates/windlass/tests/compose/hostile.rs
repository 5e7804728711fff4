//! Bad input: every text is answered, soon and without a panic.

use std::fmt::Write as _;
use std::time::Instant;

use crate::read;
use windlass::application::GlobalState;
use windlass::rule;
use windlass::synthesize::{self, Answer, Question};
use windlass::system::Unlimited;
use windlass::verify::Effort;

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
    assert_eq!(read.findings().len(), 1, "one cycle");
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

/// An engine plans with where the run began at hand. Where nothing lives in anything that costs
/// nothing more: replaying the plan took a hundred times as long as making it.
#[test]
fn a_plan_of_an_engine_costs_what_a_plan_costs() {
    let mut text = String::from("services:\n");
    for at in 0..40 {
        let _ = write!(text, "  s{at}:\n    image: a:1\n    deploy: {{ replicas: 2 }}\n");
        let needs: Vec<String> = (0..at).rev().take(5).map(|other| format!("s{other}")).collect();
        let _ = writeln!(text, "    depends_on: [{}]", needs.join(", "));
    }
    let read = read(&[("compose.yaml", &text)]);
    let application = read.reading.application.unwrap();
    let goal = read.reading.goal.unwrap();
    let start = GlobalState::empty();
    let time = |known| {
        let question = Question { known, ..Question::new(&application, &start, &goal) };
        let begun = Instant::now();
        let answer = synthesize::synthesize(&question, &Effort::default(), &mut Unlimited);
        assert!(matches!(answer, Answer::Plan(_)), "{answer:?}");
        begun.elapsed()
    };
    let alone = time(None);
    let known = time(Some(&start));
    assert!(known < alone * 4, "{known:?}, and {alone:?} without");
}
