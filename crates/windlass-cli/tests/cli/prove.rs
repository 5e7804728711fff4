//! `prove`: the examples complete, broken variants of them get stuck, and what is refused.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

const THINKING: &str = include_str!("../../../../examples/thinking/windlass.yaml");
const RULES: &str = include_str!("../../../../examples/setup/rules.yaml");

/// Runs `windlass prove` in the root of the repository.
fn prove(args: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_windlass"))
        .arg("prove")
        .args(args)
        .current_dir(root())
        .env("NO_COLOR", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn json(output: &Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn what_an_engine_cannot_do_speaks_against_the_answer() {
    let text = "services:\n  a: { image: 'a:1', ports: ['8080:80'] }\n  \
                b: { image: 'b:1', ports: ['8080:81'] }\n";
    let output = prove(&["-", "--lang", "compose"], text);
    let said = String::from_utf8_lossy(&output.stdout);
    let line = "this does no harm: `b` and `a` both publish port 8080 of the host (COMPOSE021)";
    assert!(said.contains(line), "{said}");
}

#[test]
fn the_examples_always_complete() {
    let mut files = Vec::new();
    let mut folders = vec![root().join("examples")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let document = [".plan.", ".state.", ".goal."].iter().any(|kind| name.contains(kind));
            let rules = ["rules.yaml", "lifecycle.yaml", "teardown.yaml"].contains(&name.as_str());
            if path.is_dir() && name != "durations" {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "yaml") && !document && !rules {
                files.push(path);
            }
        }
    }
    files.sort();
    assert!(files.len() >= 16, "{files:?}");
    for file in files {
        let file = file.to_str().unwrap();
        let output = prove(&[file, "--format", "json"], "");
        assert_eq!(output.status.code(), Some(0), "{file}");
        assert_eq!(json(&output)["verdict"], "always_completes", "{file}");
        assert_eq!(json(&output)["certificate"]["kind"], "run", "{file}");
    }
}

#[test]
fn the_rule_sets_complete_for_every_topology() {
    for file in ["rules", "lifecycle", "teardown"] {
        let path = format!("examples/setup/{file}.yaml");
        let output = prove(&["--any-size", &path, "--format", "json"], "");
        assert_eq!(output.status.code(), Some(0), "{file}");
        assert_eq!(json(&output)["method"], "argument", "{file}");
    }
}

#[test]
fn who_waits_for_what_is_never_offered_waits_for_ever() {
    let broken = [
        ("guestbook", "offers: [data]"),
        ("guestbook", "offers: [guests]"),
        ("containers", "offers: [data]"),
        ("web-services", "offers: [WebAppRuntime]"),
        ("thinking-next", "offers: [endpoint]"),
    ];
    for (example, offers) in broken {
        let path = root().join(format!("examples/{example}/windlass.yaml"));
        let text = std::fs::read_to_string(path).unwrap();
        assert!(text.contains(offers), "{example}: {offers}");
        let output = prove(&["-", "--format", "json"], &text.replacen(offers, "offers: []", 1));
        assert_eq!(json(&output)["verdict"], "can_get_stuck", "{example} without {offers}");
    }
}

#[test]
fn a_proof_says_which_checks_and_jobs_it_rests_on() {
    let output = prove(&["examples/compose/shop/compose.yaml", "--format", "json"], "");
    let assumptions = json(&output)["assumptions"].to_string();
    for words in ["health checks turn healthy", "one-shot services exit with 0"] {
        assert!(assumptions.contains(words), "{assumptions}");
    }
}

#[test]
fn examples_that_must_get_stuck_do() {
    // The database waits for the service, which waits for the database.
    let crossed = THINKING
        .replace("  database:\n    capabilities: [db]", "  database:\n    requirements: { client: replica_unaware }\n    capabilities: [db]")
        .replace("running: { offers: [db] }", "running: { requires: [client], offers: [db], on_fault: [stopped] }")
        .replace("  mongo: { type: database }", "  mongo: { type: database, bind: { client: api.endpoint } }")
        .replace("- { from: available, operation: start, to: running, requires: [host], on_fault: [available] }", "- { from: available, operation: start, to: running, requires: [host, data], on_fault: [available] }");
    let output = prove(&["-", "--format", "json"], &crossed);
    let report = json(&output);
    assert_eq!(output.status.code(), Some(1), "{report}");
    assert_eq!(report["verdict"], "can_get_stuck");
    let waiting = report["counterexample"]["waiting"].to_string();
    assert!(waiting.contains("cycle") && waiting.contains("mongo"), "{waiting}");
    // A container that never starts.
    let no_start = THINKING.replace("running: { offers: [host] }", "running: {}");
    assert_eq!(prove(&["-"], &no_start).status.code(), Some(1));
}

#[test]
fn an_operation_that_may_fail_stops_what_waits() {
    let args = ["examples/thinking/windlass.yaml", "--may-fail", "mongo.start", "--format", "json"];
    let output = prove(&args, "");
    assert_eq!(output.status.code(), Some(1));
    let trace = json(&output)["counterexample"]["trace"].to_string();
    assert!(trace.contains("fail mongo start"), "{trace}");
    let unknown = prove(&["examples/thinking/windlass.yaml", "--may-fail", "mongo.fly"], "");
    assert_eq!(unknown.status.code(), Some(2));
}

/// Two components that wait for each other.
const CROSSED: &str = "
windlass: 1
types:
  half:
    net:
      places: [off, on]
      initial: [off]
      transitions: { start: { from: off, to: on } }
      groups: { up: [on] }
      ports:
        mine: { kind: provide, groups: [up] }
        other: { kind: use, transitions: [start] }
nodes:
  left: { type: half, bind: { other: right.mine } }
  right: { type: half, bind: { other: left.mine } }
";

#[test]
fn nets_that_wait_for_each_other_are_explained_by_a_sentence_and_a_picture() {
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("waits.svg");
    let picture_path = picture.to_str().unwrap();
    let output = prove(&["-", "--format", "json", "--picture", picture_path], CROSSED);
    let report = json(&output);
    assert_eq!((output.status.code(), report["method"].as_str()), (Some(1), Some("one run")));
    let stuck = &report["counterexample"];
    assert_eq!(stuck["trace"], serde_json::json!(["leave left.off", "leave right.off"]));
    let waiting = stuck["waiting"][0].as_str().unwrap();
    assert!(waiting.ends_with(": a cycle"), "{waiting}");
    let svg = std::fs::read_to_string(&picture).unwrap();
    for name in ["left.start", "left.other", "right.start", "right.other", "a cycle"] {
        assert!(svg.contains(name), "{name} is not in the picture");
    }
    let drawn =
        PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/pictures/waits.svg"));
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&drawn, &svg).unwrap();
    }
    assert!(std::fs::read_to_string(drawn).unwrap() == svg, "run with UPDATE=1");
}

#[test]
fn a_port_without_provider_and_a_place_never_reached_are_reported() {
    // Nothing provides it: the provider never gets to the place that serves.
    let never = CROSSED
        .replace("places: [off, on]", "places: [off, on, nowhere]")
        .replace("groups: { up: [on] }", "groups: { up: [nowhere] }")
        .replace("left: { type: half, bind: { other: right.mine } }", "left: { type: free }")
        .replace("nodes:", "  free:\n    net:\n      places: [off, on, nowhere]\n      initial: [off]\n      transitions: { start: { from: off, to: on } }\n      groups: { up: [nowhere] }\n      ports: { mine: { kind: provide, groups: [up] } }\nnodes:");
    let output = prove(&["-", "--format", "json"], &never);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let report = json(&output);
    assert_eq!(
        report["counterexample"]["waiting"][0],
        "`right.start` waits for port `right.other`, which nothing ever provides"
    );
}

#[test]
fn a_place_never_reached_has_a_picture_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("never.svg");
    let net = "windlass: 1\ntypes:\n  job:\n    net:\n      places: [idle, busy, lost, done]\n      \
               initial: [idle]\n      transitions:\n        work: { from: idle, to: busy }\n        \
               finish: { from: lost, to: done }\nnodes:\n  job: { type: job }\n";
    let output = prove(&["-", "--picture", picture.to_str().unwrap()], net);
    assert!(output.status.code().is_some_and(|code| code < 2), "{output:?}");
    let svg = std::fs::read_to_string(&picture).unwrap();
    for words in ["job.lost", "job.done", "never entered", "finish", "job.idle"] {
        assert!(svg.contains(words), "{words} is not in the picture");
    }
    let none = prove(
        &["-", "--picture", picture.to_str().unwrap()],
        &net.replace("lost, to", "busy, to").replace(" lost,", ""),
    );
    assert!(String::from_utf8_lossy(&none.stderr).contains("every place can be reached"));
}

#[test]
fn what_nets_have_not_is_refused() {
    let net = "examples/two-components/windlass.yaml";
    let goal = prove(&[net, "--goal", "server=running"], "");
    assert_eq!(goal.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&goal.stderr).contains("--reach"));
    assert_eq!(prove(&[net, "--may-fail", "server.fly"], "").status.code(), Some(2));
    assert_eq!(prove(&[net, "--may-fail", "server.start"], "").status.code(), Some(1));
    assert_eq!(prove(&[net, "--may-fail", "all"], "").status.code(), Some(1));
    let picture = prove(&["examples/thinking/windlass.yaml", "--picture", "x.svg"], "");
    assert_eq!(picture.status.code(), Some(2));
}

#[test]
fn acyclicity_as_printed_is_refuted_by_two_nodes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rules.yaml");
    let printed = RULES
        .replace("DependsOn: {}", "DependsOn: { acyclic: no }")
        .replace("ConnectsTo: {}", "ConnectsTo: { acyclic: no }");
    std::fs::write(&path, printed).unwrap();
    let path = path.to_str().unwrap();
    let output = prove(&["--any-size", path, "--format", "json"], "");
    assert_eq!(output.status.code(), Some(1));
    let topology = &json(&output)["counterexample"]["topology"];
    assert_eq!(topology["nodes"].as_object().unwrap().len(), 2);
    assert_eq!(topology["relationships"].as_array().unwrap().len(), 2);
    let text = prove(&["--any-size", path, "--explain"], "");
    assert!(String::from_utf8_lossy(&text.stdout).contains("A smallest topology"));
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let rules = prove(&["examples/setup/rules.yaml"], "");
    assert_eq!(rules.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&rules.stderr).contains("--any-size"));
    let topology = prove(&["--any-size", "examples/setup/crm.yaml"], "");
    assert_eq!(topology.status.code(), Some(2));
    let goal = prove(&["examples/thinking/windlass.yaml", "--goal", "../../../../../docsb"], "");
    assert_eq!(goal.status.code(), Some(2));
    let missing = prove(&["no-such-file.yaml"], "");
    assert_eq!(missing.status.code(), Some(2));
}

#[test]
fn a_certificate_is_written_for_people_and_for_programs() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["proof.md", "proof.json"] {
        let path = folder.path().join(name);
        let args = ["--any-size", "examples/setup/rules.yaml", "--certificate"];
        let output = prove(&[&args[..], &[path.to_str().unwrap()]].concat(), "");
        assert_eq!(output.status.code(), Some(0));
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains("R12"), "{name}");
    }
}
