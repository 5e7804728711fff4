//! What a Compose file means: its life cycles, what is up, and how it gets stuck.

use std::collections::BTreeSet;

use super::read;
use windlass::analyze;
use windlass::application::Application;
use windlass::explore::Options;
use windlass::goal::{Amount, Want};
use windlass::lifecycle::protocol::Arity;
use windlass::prove::{self, Answer};
use windlass::system::Unlimited;

const CHAIN: &str = "services:\n  db:\n    image: db:1\n    healthcheck: { test: [CMD, ok] }\n  \
                     mig:\n    image: app:1\n    depends_on: { db: { condition: service_healthy } }\n  \
                     api:\n    image: app:1\n    deploy: { replicas: 3 }\n    depends_on: { mig: { \
                     condition: service_completed_successfully } }\n  web:\n    image: web:1\n    \
                     depends_on: { api: { condition: service_started, restart: true } }\n";

fn application(text: &str) -> (Application, Vec<Want>) {
    let read = read(&[("compose.yaml", text)]);
    let found = read.findings();
    let application = read.reading.application.unwrap_or_else(|| panic!("{found:?}"));
    (application, read.reading.goal.unwrap().goal.wants)
}

fn state_of(application: &Application, wants: &[Want], name: &str) -> String {
    let wanted = application.node_named(name).unwrap();
    let state = wants.iter().find_map(|want| match want {
        Want::Node { node, state, amount: Amount::Wanted } if *node == wanted => Some(*state),
        _ => None,
    });
    application.protocol_of(wanted).unwrap().state(state.unwrap()).name.clone()
}

#[test]
fn everything_is_brought_up_as_far_as_another_service_waits() {
    let (application, wants) = application(CHAIN);
    let state = |name| state_of(&application, &wants, name);
    assert_eq!(state("db"), "healthy");
    assert_eq!(state("mig"), "completed");
    assert_eq!(state("api"), "running");
    assert_eq!(state("network_default"), "present");
    let api = application.node_named("api").unwrap();
    assert_eq!(application.node(api).count, 3);
    let mig = &application.type_of(api).requirements;
    let waits: Vec<_> = mig.iter().filter(|r| r.arity == Arity::All).map(|r| &*r.name).collect();
    assert_eq!(waits, ["mig"], "a dependency is one on every container");
}

#[test]
fn an_edge_with_restart_is_needed_while_the_service_runs() {
    let (application, _) = application(CHAIN);
    let web = application.protocol_of(application.node_named("web").unwrap()).unwrap();
    let running = web.state(web.state_named("running").unwrap());
    assert_eq!(running.requires.len(), 1);
    assert_eq!(web.state(running.handlers[0].to).name, "created");
    let api = application.protocol_of(application.node_named("api").unwrap()).unwrap();
    assert!(api.state(api.state_named("running").unwrap()).requires.is_empty());
}

fn proves(text: &str) -> Answer {
    let read = read(&[("compose.yaml", text)]);
    let application = read.reading.application.unwrap();
    let start = analyze::wanted(&application);
    let goal = read.reading.goal.unwrap().goal;
    let (targets, others) = prove::targets(&application, &start, &goal);
    assert!(others.is_empty());
    let options = Options::default();
    let none = BTreeSet::new();
    let proof = prove::application(&application, &start, &targets, none, &options, &mut Unlimited);
    proof.unwrap().answer
}

#[test]
fn a_chain_always_completes_and_a_wait_for_nothing_gets_stuck() {
    assert_eq!(proves(CHAIN), Answer::AlwaysCompletes);
    let unchecked = CHAIN.replace("    healthcheck: { test: [CMD, ok] }\n", "");
    assert_eq!(proves(&unchecked), Answer::CanGetStuck);
    let again = CHAIN
        .replace("  mig:\n    image: app:1\n", "  mig:\n    image: app:1\n    restart: always\n");
    assert_eq!(proves(&again), Answer::CanGetStuck);
}

#[test]
fn external_and_optional_things_block_nothing() {
    let text = "services:\n  web:\n    image: web:1\n    networks: [front]\n    depends_on: { job: { \
                condition: service_completed_successfully, required: false } }\n  job: { image: \
                'j:1', restart: always, networks: [front] }\nnetworks: { front: { external: true } }\n";
    assert_eq!(proves(text), Answer::AlwaysCompletes);
}

#[test]
fn waits_that_cannot_end_are_described_in_words_of_compose() {
    let text = "services:\n  db: { image: 'db:1' }\n  off: { image: 'o:1', healthcheck: { disable: true } }\n  \
                job: { image: 'j:1', restart: unless-stopped }\n  api:\n    image: api:1\n    depends_on:\n      \
                db: { condition: service_healthy }\n      job: { condition: service_completed_successfully }\n      \
                off: { condition: service_healthy, required: false }\n  web:\n    image: web:1\n    depends_on: \
                { off: { condition: service_healthy } }\n";
    let read = read(&[("compose.yaml", text)]);
    let all = windlass::lang::compose::endless_waits(read.project());
    let told: Vec<_> = all.iter().map(|wait| (wait.culprit(), wait.sentence())).collect();
    let expected = [
        (
            "db.healthy",
            "`api` waits for `db` to be healthy, and `db` has no healthcheck in the file",
        ),
        (
            "job.completed",
            "`api` waits for `job` to end, and `job` is started again whenever it ends (`restart: \
             unless-stopped`)",
        ),
        (
            "off.healthy",
            "`web` waits for `off` to be healthy, and `off` switches its healthcheck off",
        ),
    ];
    let expected = expected.map(|(culprit, words)| (culprit.to_owned(), words.to_owned()));
    assert_eq!(told, expected);
}
