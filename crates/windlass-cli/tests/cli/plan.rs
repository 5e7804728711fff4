//! `plan` on the examples: what it prints is accepted by `verify`, in every form that is one.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use crate::support;
use crate::support::{Folder, Run};

const APP: &str = include_str!("../../../../examples/thinking/windlass.yaml");
const STATE: &str = include_str!("../../../../examples/thinking/running.state.yaml");
const GOAL: &str = "gui=working*1,api=running*2,node=running*1,maven=running*2,mongo=running*1";

fn folder() -> Folder {
    Folder::with(&[("app.yaml", APP), ("state.yaml", STATE)])
}

fn verified(folder: &Folder, plan: &str, more: &[&str]) -> Run {
    let mut args = vec!["verify", plan, "--app", "app.yaml", "--format", "json"];
    args.extend(more);
    folder.run(&args)
}

#[test]
fn what_is_printed_is_valid_and_meets_the_goal() {
    let folder = folder();
    let run = folder.run(&["plan", "app.yaml", "--goal", GOAL, "--format", "json"]);
    assert_eq!(run.code, 0, "{run:?}");
    let report = run.json();
    assert_eq!(report["schema"], "windlass/plan/1");
    assert_eq!((&report["length"], &report["bound"]), (&29.into(), &29.into()));
    assert_eq!(report["optimal"], true);
    assert!(report["plan"]["order"][0]["why"].is_string());
    folder.write("plan.json", &run.stdout);
    let verdict = verified(&folder, "plan.json", &["--goal", GOAL]);
    assert_eq!((verdict.code, &verdict.json()["verdict"]), (0, &"valid".into()), "{verdict:?}");
    for form in ["windlass", "ramp"] {
        let run = folder.run(&["plan", "app.yaml", "--goal", GOAL, "--as", form, "-o", "plan"]);
        assert_eq!(run.code, 0, "{run:?}");
        assert_eq!(verified(&folder, "plan", &["--goal", GOAL]).code, 0, "{form}");
    }
}

#[test]
fn a_plan_runs_in_virtual_time() {
    let folder = folder();
    let plan = folder.run(&["plan", "app.yaml", "--goal", GOAL, "--format", "json"]);
    folder.write("plan.json", &plan.stdout);
    let simulate = |more: &[&str]| {
        let mut args = vec!["simulate", "plan.json", "--format", "json"];
        args.extend(more);
        folder.run(&args)
    };
    let run = simulate(&["--app", "app.yaml"]);
    assert_eq!(run.code, 0, "{run:?}");
    // Nothing has a duration: the longest chain of operations, in seconds.
    let report = run.json();
    assert_eq!(report["makespan_s"], 5.0, "{run:?}");
    assert_eq!(report["durations_from"], "counting one second for each operation");
    assert_eq!(report["events"].as_array().unwrap().len(), 2 * 18);
    let last = report["critical_path"].as_array().unwrap().last().unwrap();
    assert_eq!((&last["transition"], &last["after"]), (&"gui.start".into(), &"port".into()));
    assert_eq!(last["port"], "gui.start after gui.config");
    // What if: another duration, and one edge less.
    let slow = simulate(&["--app", "app.yaml", "--set", "mongo.start=10s"]).json();
    assert_eq!(slow["makespan_s"], 13.0);
    let from = "--set; for what they do not name counting one second for each operation";
    assert_eq!(slow["durations_from"], from);
    let edge = "api-1.start after mongo.start";
    let without = ["--app", "app.yaml", "--set", "mongo.start=10s", "--without-dependency", edge];
    assert!(simulate(&without).json()["makespan_s"].as_f64().unwrap() <= 13.0);
    // A plan alone does not say what its operations are.
    let alone = simulate(&[]);
    assert!(alone.code == 2 && alone.stderr.contains("`plan.json` is a plan"), "{alone:?}");
    folder.write("other.yaml", "plan: 1\nactions:\n  a: { do: op, instance: x, operation: y }\n");
    let other = folder.run(&["simulate", "other.yaml", "--app", "app.yaml"]);
    assert_eq!(other.code, 2, "{other:?}");
}

#[test]
fn replicas_that_all_have_to_be_there_come_up_at_the_same_time() {
    let compose = "services:
  api: { image: busybox:1, scale: 3, healthcheck: { test: [CMD, \"true\"] } }
  web: { image: busybox:1, depends_on: { api: { condition: service_healthy } } }
";
    let folder = Folder::with(&[("compose.yaml", compose)]);
    let run = folder.run(&["plan", "compose.yaml", "--format", "json"]);
    assert_eq!(run.code, 0, "{run:?}");
    let report = run.json();
    let order = report["plan"]["order"].as_array().unwrap();
    let is_edge = |before: &str, after: &str| {
        order.iter().any(|edge| edge["before"] == before && edge["after"] == after)
    };
    for number in 1..=3 {
        assert!(is_edge(&format!("await_healthy api-{number}"), "start web"), "{order:?}");
        for other in (1..=3).filter(|other| *other != number) {
            let names = [format!("api-{number}"), format!("api-{other}")];
            let between = order.iter().filter(|edge| {
                let ends = |key: &str, name: &str| edge[key].as_str().unwrap().contains(name);
                ends("before", &names[0]) && ends("after", &names[1])
            });
            assert_eq!(between.count(), 0, "{names:?}: {order:?}");
        }
    }
}

#[test]
fn pictures_are_drawn() {
    let folder = folder();
    let svg = folder.run(&["plan", "app.yaml", "--as", "svg"]);
    assert!(svg.stdout.starts_with("<svg ") && svg.stdout.contains(">maven-2<"), "{svg:?}");
    let mermaid = folder.run(&["plan", "app.yaml", "--as", "mermaid"]);
    assert!(mermaid.stdout.starts_with("flowchart LR\n"), "{mermaid:?}");
    // TosKer has no words for scaling.
    assert_eq!(folder.run(&["plan", "app.yaml", "--as", "tosker"]).code, 2);
}

#[test]
fn a_goal_file_says_what_holds_on_the_way() {
    let folder = folder();
    let goal = "goal: m1=gone,m2=gone,a1=gone,a2=gone,api=running*2,maven=running*2\n\
                always: [gui=working*>=1]\n";
    folder.write("goal.yaml", goal);
    let args = ["plan", "app.yaml", "--state", "state.yaml", "--goal-file", "goal.yaml"];
    let run = folder.run(&[&args[..], &["--format", "json"]].concat());
    assert_eq!((run.code, &run.json()["length"]), (0, &18.into()), "{run:?}");
    folder.write("plan.json", &run.stdout);
    let back = ["plan", "app.yaml", "--undo", "plan.json", "--state", "state.yaml"];
    let back = folder.run(&[&back[..], &["--format", "json"]].concat());
    assert_eq!(back.code, 0, "{back:?}");
    assert_eq!(back.json()["length"], 18);
}

#[test]
fn what_cannot_be_reached_and_what_is_not_known_have_codes() {
    let folder = folder();
    let goal = "gui=working*1,api=gone";
    let run = folder.run(&["plan", "app.yaml", "--goal", goal, "--max-states", "20000"]);
    assert_ne!(run.code, 0, "{run:?}");
    let run = folder.run(&["plan", "app.yaml", "--goal", "gui=lost"]);
    assert_eq!(run.code, 2, "{run:?}");
    folder.write("goal.yaml", "goal: gui=gone\nalways: [gui=working*>=1]\n");
    let args = ["plan", "app.yaml", "--state", "state.yaml", "--goal-file", "goal.yaml"];
    let run = folder.run(&[&args[..], &["--format", "json"]].concat());
    assert_eq!(run.code, 1, "{run:?}");
    assert_eq!(run.json()["unreachable"]["culprit"], "always: gui=working*>=1");
}

#[test]
fn faults_are_used_only_when_allowed_and_said() {
    let folder = folder();
    let args = ["plan", "app.yaml", "--goal", "gui=damaged*1", "--format", "json"];
    assert_eq!(folder.run(&args).code, 1);
    let run = folder.run(&[&args[..], &["--allow-faults"]].concat());
    assert_eq!(run.code, 0, "{run:?}");
    let report = run.json();
    assert_eq!((&report["length"], &report["fault_free"]), (&4.into(), &false.into()));
    assert_eq!(report["faults"][0], "fault: gui loses host and falls back to damaged");
    folder.write("plan.json", &run.stdout);
    let verdict = verified(&folder, "plan.json", &["--goal", "gui=damaged*1"]);
    assert_eq!((verdict.code, &verdict.json()["verdict"]), (0, &"valid".into()), "{verdict:?}");
    let text = folder.run(&["plan", "app.yaml", "--goal", "gui=damaged*1", "--allow-faults"]);
    assert!(text.stdout.contains("not free of faults"), "{text:?}");
}

#[test]
fn pending_faults_settle_with_the_first_action() {
    let folder = folder();
    folder.write(
        "faulted.yaml",
        STATE.replace("node: mongo, state: running", "node: mongo, state: stopped"),
    );
    let args = ["plan", "app.yaml", "--state", "faulted.yaml", "--goal", GOAL, "--format", "json"];
    let run = folder.run(&args);
    assert_eq!((run.code, &run.json()["length"]), (0, &8.into()), "{run:?}");
    folder.write("plan.json", &run.stdout);
    let verdict = verified(&folder, "plan.json", &["--state", "faulted.yaml", "--goal", GOAL]);
    assert_eq!((verdict.code, &verdict.json()["verdict"]), (0, &"valid".into()), "{verdict:?}");
}

/// Ctrl-C ends the search with what was found so far, marked as such.
#[cfg(unix)]
#[test]
fn an_interrupted_search_gives_the_best_plan_so_far() {
    let folder = folder();
    // A plan is found at once; that it is the best one takes very long to prove.
    let goal = "gui=configured*9,api=unavailable*8";
    let args = ["plan", "app.yaml", "--goal", goal, "--optimal", "--format", "json"];
    let child = support::command(&folder.path(""), &args)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_secs(3));
    let interrupted = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(interrupted.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&report["optimal"], &report["stopped"]),
        (&false.into(), &"the search was interrupted".into())
    );
    assert!(report["bound"].as_u64() < report["length"].as_u64(), "{report}");
    folder.write("plan.json", String::from_utf8(output.stdout).unwrap());
    let verdict = verified(&folder, "plan.json", &["--goal", goal]);
    assert_eq!(verdict.code, 0, "{verdict:?}");
}

#[test]
fn a_new_version_is_reached_from_an_old_one() {
    let folder = folder();
    let new =
        APP.replace("data: mongo.db", "data: postgres.db").replace("  mongo: {", "  postgres: {");
    folder.write("new.yaml", &new);
    let args = ["plan", "new.yaml", "--from-app", "app.yaml", "--state", "state.yaml"];
    let more = ["--combined", "both", "--format", "json"];
    let run = folder.run(&[&args[..], &more[..]].concat());
    assert_eq!((run.code, &run.json()["length"]), (0, &16.into()), "{run:?}");
    assert!(run.stderr.contains("nodes that changed: api; no longer described: mongo"), "{run:?}");
    folder.write("plan.json", &run.stdout);
    let verdict = folder.run(&[
        "verify",
        "plan.json",
        "--app",
        "both/windlass.yaml",
        "--state",
        "both/start.state.yaml",
    ]);
    assert_eq!(verdict.code, 0, "{verdict:?}");
}

#[test]
fn a_plan_for_another_application_is_refused_and_for_another_state_remarked() {
    let folder = folder();
    let plan = folder.run(&["plan", "app.yaml", "--goal", GOAL, "--format", "json"]);
    folder.write("plan.json", &plan.stdout);
    assert_eq!(verified(&folder, "plan.json", &[]).json()["warnings"], serde_json::json!([]));
    // The same names, and another meaning.
    let other = APP.replacen("count: 2", "count: 3", 1);
    assert_ne!(other, APP);
    folder.write("app.yaml", &other);
    let refused = verified(&folder, "plan.json", &[]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.stderr.contains("made for another application"), "{refused:?}");
    // A plan that starts where one more instance is in the way of nothing.
    folder.write("app.yaml", APP);
    folder.write("more.yaml", "state: { instances: { n9: { node: node, state: running } } }\n");
    let remarked = verified(&folder, "plan.json", &["--state", "more.yaml"]);
    assert_eq!(remarked.code, 0, "{remarked:?}");
    let warning = remarked.json()["warnings"][0].to_string();
    assert!(warning.contains("made for another start state"), "{warning}");
}

#[test]
fn nets_need_no_plan() {
    let net = include_str!("../../../../examples/two-components/windlass.yaml");
    let folder = Folder::with(&[("net.yaml", net)]);
    for more in [&[][..], &["--down"], &["--goal", "server=up"]] {
        let run = folder.run(&[&["plan", "net.yaml"], more].concat());
        assert_eq!(run.code, 2, "{run:?}");
        assert!(run.stderr.contains("`net.yaml` describes nets"), "{run:?}");
        assert!(run.stderr.contains("windlass prove"), "{run:?}");
    }
}

#[test]
fn values_have_units() {
    let app = "windlass: 1\nname: timed\ntypes:\n  Store:\n    protocol:\n      initial: off\n      \
               states: { off: {}, on: {} }\n      transitions:\n        \
               - { from: off, operation: start, to: on }\n    operations:\n      \
               start: { duration: 1500ms, cost: 2.5 }\nnodes:\n  store: { type: Store }\n\
               goal: store=on\n";
    let folder = Folder::with(&[("app.yaml", app)]);
    for (objective, text, value, unit) in [
        ("length", "length 3: optimal", 3, "actions"),
        ("makespan", "makespan 1.500 s: optimal", 1500, "milliseconds"),
        ("cost", "cost 2.500 (in the unit of `cost:`): optimal", 2500, "thousandths"),
    ] {
        let run = folder.run(&["plan", "app.yaml", "--objective", objective]);
        assert!(run.stdout.contains(text), "{run:?}");
        let run = folder.run(&["plan", "app.yaml", "--objective", objective, "--format", "json"]);
        let report = run.json();
        assert_eq!((&report["value"], &report["unit"]), (&value.into(), &unit.into()));
    }
}
