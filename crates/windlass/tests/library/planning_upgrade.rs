//! Plans from one version of an application to another.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]

use crate::support::{fixtures, planning, sketch};
use windlass::application::{Application, GlobalState};
use windlass::goal::{Goal, GoalFile};
use windlass::plan::PlanAction;
use windlass::synthesize::Synthesis;
use windlass::synthesize::upgrade::{NoUpgrade, Upgrade, either_version, same_states, upgrade};
use windlass::verify::Validity;

/// Thinking with another database behind its services.
fn other_database() -> Application {
    let text = fixtures::THINKING.replace("data=mongo.db", "data=postgres.db");
    sketch::application(&text.replace("node mongo database", "node postgres database"))
}

fn plan(both: &Upgrade, goal: &GoalFile) -> Synthesis {
    planning::plan(&both.application, &both.start, goal)
}

/// Every instance in the state of the same name, the page working all along.
fn without_downtime(both: &Upgrade) -> GoalFile {
    let goal = same_states(both, &Goal::default()).expect("states of the same names");
    let gui = both.application.node_named("gui").expect("a node");
    let working = both.application.protocol_of(gui).expect("protocols").state_named("working");
    let want = windlass::goal::Want::Node {
        node: gui,
        state: working.expect("a state"),
        amount: windlass::goal::Amount::AtLeast(1),
    };
    GoalFile { goal, always: vec![Goal { wants: vec![want] }], ..GoalFile::default() }
}

#[test]
fn services_move_to_another_database_while_the_page_works() {
    let (old, running) = fixtures::thinking();
    let both = upgrade(&old, &other_database(), &running).expect("two versions");
    assert_eq!(
        (both.changed.as_slice(), both.removed.as_slice()),
        (&["api".into()][..], &["mongo".into()][..])
    );
    let found = plan(&both, &without_downtime(&both));
    // A database comes and one goes; each service goes, comes, is installed and started.
    assert_eq!((found.plan.length(), found.optimal), (3 + 1 + 2 * 6, true));
    assert_eq!(found.report.validity, Validity::Valid);
    let created = found.plan.steps.iter().filter_map(|step| match &step.action {
        PlanAction::ScaleOut { instance, .. } => Some(instance.0.as_str()),
        _ => None,
    });
    let created: std::collections::BTreeSet<&str> = created.collect();
    assert!(created.contains("a1") && created.contains("a2"), "{created:?}");
}

#[test]
fn another_protocol_replaces_what_has_the_old_one() {
    let (old, running) = fixtures::thinking();
    let text =
        fixtures::THINKING.replace("op configured start working", "op configured launch working");
    let both = upgrade(&old, &sketch::application(&text), &running).expect("two versions");
    assert_eq!(both.changed, ["gui"]);
    let goal = same_states(&both, &Goal::default()).expect("states of the same names");
    let found = plan(&both, &GoalFile { goal, ..GoalFile::default() });
    let labels: Vec<&str> = found.plan.steps.iter().map(|step| &*step.label).collect();
    assert_eq!(labels, ["remove g1", "create g1", "install g1", "config g1", "launch g1"]);
    assert!(found.optimal && found.report.validity == Validity::Valid);
}

#[test]
fn nothing_is_done_when_nothing_changed() {
    let (old, running) = fixtures::thinking();
    let both = upgrade(&old, &old, &running).expect("two versions");
    assert!(both.changed.is_empty() && both.removed.is_empty());
    assert_eq!((&both.application, &both.start), (&old, &running));
    assert!(plan(&both, &without_downtime(&both)).plan.steps.is_empty());
}

#[test]
fn an_instance_with_another_container_is_removed_and_created_again() {
    let (old, running) = fixtures::thinking();
    let new = sketch::application(&fixtures::THINKING.replace("host=maven.host", "host=node.host"));
    let both = upgrade(&old, &new, &running).expect("two versions");
    assert_eq!(both.moved, [("old-api".to_owned(), "api".to_owned())].into());
    // The page is bound to the services that live elsewhere now, so it changes too.
    assert_eq!((both.changed.as_slice(), both.removed.len()), (&["gui".to_owned()][..], 0));
    let goal = same_states(&both, &Goal::default()).expect("states of the same names");
    let found = plan(&both, &GoalFile { goal, ..GoalFile::default() });
    assert_eq!(found.report.validity, Validity::Valid);
    let homes = found.plan.steps.iter().filter_map(|step| match &step.action {
        PlanAction::ScaleOut { node, container, .. } if node == "api" => container.clone(),
        _ => None,
    });
    let homes: Vec<String> = homes.map(|id| id.0).collect();
    assert_eq!(homes, ["n1", "n1"], "{:?}", planning::labels(&found));
}

#[test]
fn relations_without_replicas_are_refused() {
    let forbidden = sketch::application(fixtures::WEB_SERVICES);
    let refused = upgrade(&forbidden, &forbidden, &GlobalState::empty());
    assert_eq!(refused.err(), Some(NoUpgrade::Relations));
}

#[test]
fn a_page_of_either_version_works_all_along() {
    let (old, running) = fixtures::thinking();
    let text =
        fixtures::THINKING.replace("op configured start working", "op configured launch working");
    let both = upgrade(&old, &sketch::application(&text), &running).expect("two versions");
    let file = either_version(&both, &without_downtime(&both));
    let text = windlass::goal::print(&file.always[0], &both.application);
    assert_eq!(text, "gui=working|old.working*>=1");
    assert_eq!(planning::goal(&both.application, &text), file.always[0]);
    let found = plan(&both, &file);
    // A second page comes first; then the old one goes and comes again, and the second one goes.
    let labels: Vec<&str> = found.plan.steps.iter().map(|step| &*step.label).collect();
    let page =
        |id: &str| ["create", "install", "config", "launch"].map(|step| format!("{step} {id}"));
    let first = page("gui").into_iter().chain(["remove g1".to_owned()]);
    let all: Vec<String> = first.chain(page("g1")).chain(["remove gui".to_owned()]).collect();
    assert_eq!(labels, all);
    assert_eq!(found.report.validity, Validity::Valid);
}
