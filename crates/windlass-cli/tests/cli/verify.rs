//! `verify`, `step` and `analyze` on the examples: verdicts, exit codes and what is refused.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Runs windlass in the root of the repository.
fn windlass(args: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_windlass"))
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

const APP: &str = "examples/thinking/windlass.yaml";
const STATE: &str = "examples/thinking/running.state.yaml";

/// The verdict on a plan for the running example, as JSON, and the exit code.
fn judge(plan: &str, more: &[&str]) -> (serde_json::Value, i32) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan.yaml");
    std::fs::write(&path, plan).unwrap();
    let mut args = vec!["verify", path.to_str().unwrap(), "--app", APP, "--state", STATE];
    args.extend(["--format", "json"]);
    args.extend(more);
    let output = windlass(&args, "");
    let code = output.status.code().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let json = serde_json::from_str(&text).unwrap_or_else(
        |_| serde_json::json!({ "error": String::from_utf8(output.stderr).unwrap() }),
    );
    (json, code)
}

const STOP_BOTH: &str = "\
plan:
  actions:
    stop first: { do: op, instance: a1, operation: stop }
    stop second: { do: op, instance: a2, operation: stop }
    stop page: { do: op, instance: g1, operation: stop }
";

#[test]
fn a_plan_that_breaks_comes_with_its_story_and_its_repair() {
    let (report, code) = judge(STOP_BOTH, &[]);
    assert_eq!(code, 1);
    assert_eq!(report["schema"], "windlass/verify/1");
    assert_eq!(report["verdict"], "weakly_valid");
    assert_eq!(report["deterministic"], serde_json::Value::Null);
    let story = &report["counterexample"];
    assert_eq!(story["trace"].as_array().unwrap().len(), 2);
    assert_eq!(story["action"], "stop page (start)");
    assert!(story["reason"].as_str().unwrap().contains("`configured`"));
    assert_eq!(report["repair_search"], "found");
    let before = &report["repair"][0]["before"];
    assert_eq!(before, "stop page");
    let (_, code) = judge(STOP_BOTH, &["--accept", "weakly-valid"]);
    assert_eq!(code, 0);
    // The same with the edge that was proposed.
    let after = report["repair"][0]["after"].as_str().unwrap();
    let order = format!("  order: [{{ before: stop page, after: {after} }}]\n");
    let (repaired, code) = judge(&format!("{STOP_BOTH}{order}"), &["--stats"]);
    assert_eq!((repaired["verdict"].as_str(), code), (Some("valid"), 0));
    assert_eq!(repaired["evidence"], "cover");
    assert_eq!(repaired["stats"]["tier"], "T1");
}

#[test]
fn a_goal_decides_the_exit_code_too() {
    let plan = "plan: { actions: { s: { do: op, instance: g1, operation: stop } } }\n";
    let (report, code) = judge(plan, &["--goal", "gui=configured"]);
    assert_eq!((report["goal"].as_str(), code), (Some("met"), 0));
    let (report, code) = judge(plan, &["--goal", "gui=working"]);
    assert_eq!((report["goal"].as_str(), code), (Some("not_met"), 1));
    let (_, code) = judge(plan, &["--goal", "gui=nowhere"]);
    assert_eq!(code, 2);
}

#[test]
fn an_empty_plan_is_valid_and_what_cannot_run_is_not() {
    let (report, code) = judge("plan: { actions: {} }\n", &[]);
    assert_eq!((report["verdict"].as_str(), code), (Some("valid"), 0));
    let plan = "plan: { actions: { s: { do: op, instance: g1, operation: install } } }\n";
    let (report, code) = judge(plan, &[]);
    assert_eq!((report["verdict"].as_str(), code), (Some("not_valid"), 1));
}

#[test]
fn what_does_not_fit_the_application_is_refused_with_its_label() {
    let cases = [
        "plan: { actions: { lost: { do: op, instance: nobody, operation: stop } } }\n",
        "plan: { actions: { lost: { do: op, instance: g1, operation: fly } } }\n",
        "plan: { actions: { lost: { do: scale_out, node: moon, instance: m9 } } }\n",
        "plan:\n  actions:\n    lost: { do: scale_in, instance: g1 }\n    b: { do: scale_in, \
         instance: a1 }\n  order:\n    - { before: lost, after: b }\n    - { before: b, after: \
         lost }\n",
    ];
    for plan in cases {
        let (report, code) = judge(plan, &[]);
        assert_eq!(code, 2, "{plan}");
        assert!(report["error"].as_str().unwrap().contains("`lost`"), "{plan}: {report}");
    }
}

#[test]
fn the_answer_is_the_same_twice_and_with_two_threads() {
    let first = judge(STOP_BOTH, &[]);
    assert_eq!(first, judge(STOP_BOTH, &[]));
    assert_eq!(first, judge(STOP_BOTH, &["--threads", "2"]));
}

#[test]
fn steps_are_taken_one_at_a_time() {
    let input = "start a1 stop\nstart a2 stop\nstart g1 stop\nundo\nnonsense\n";
    let output = windlass(&["step", APP, "--state", STATE, "--format", "json"], input);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let done: Vec<bool> = lines.iter().map(|line| line["done"].as_bool().unwrap()).collect();
    assert_eq!(done, [true, true, false, true, false]);
    assert_eq!(lines[1]["state"]["g1"], "configured");
    assert_eq!(lines[3]["state"]["g1"], "working");
}

#[test]
fn everything_that_can_happen_is_counted() {
    let output =
        windlass(&["analyze", "examples/web-services/windlass.yaml", "--format", "json"], "");
    assert_eq!(output.status.code(), Some(0));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["schema"], "windlass/analyze/1");
    assert_eq!(report["reachable"], 27);
    assert_eq!(report["never_run"], serde_json::json!([]));
    let output = windlass(&["analyze", "examples/two-components/windlass.yaml"], "");
    assert_eq!(output.status.code(), Some(0), "nets complete");
}

#[test]
fn a_limit_leaves_counts_that_are_marked_as_partial() {
    let limited = ["analyze", APP, "--max-states", "1"];
    let output = windlass(&limited, "");
    assert_eq!(output.status.code(), Some(3));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("partial: "), "{text}");
    assert!(text.contains(" or more\n") && text.contains("reversible               unknown\n"));
    let output = windlass(&[&limited[..], &["--format", "json"]].concat(), "");
    assert_eq!(output.status.code(), Some(3));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["complete"], false);
    assert_eq!(report["limit"], "the limit on states was reached");
    assert_eq!(report["reversible"], serde_json::Value::Null);
    assert!(report["reachable"].as_u64().unwrap() > 1, "{report}");
    assert_eq!(report["examined"], report["reachable"], "there was time for a look at each");
}

#[test]
fn a_limit_on_time_is_kept() {
    for threads in ["1", "2"] {
        let started = std::time::Instant::now();
        let args = ["analyze", APP, "--time-limit", "1", "--threads", threads, "--format", "json"];
        let output = windlass(&args, "");
        let took = started.elapsed().as_millis();
        assert_eq!(output.status.code(), Some(3));
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["limit"], "the time was up");
        assert!(report["reachable"].as_u64().unwrap() > 1, "{report}");
        // A tenth of a second, and what a busy machine adds to it.
        assert!((1_000..2_500).contains(&took), "{took} ms");
    }
}

#[test]
fn a_sequence_does_not_contradict_the_plan() {
    let plan = "plan:
  actions:
    second: { do: scale_in, instance: g1 }
    first: { do: scale_in, instance: a1 }
  order: [ { before: first, after: second } ]
";
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), plan).unwrap();
    let path = file.path().to_str().unwrap();
    let output = windlass(&["verify", path, "--app", APP, "--sequence"], "");
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("`first` comes before `second`"), "{text}");
}

#[test]
fn a_story_that_cannot_be_written_does_not_hide_the_verdict() {
    let (report, code) = judge(STOP_BOTH, &[]);
    assert!(report["counterexample"].is_object() && code == 1, "{report}");
    let (again, code) = judge(STOP_BOTH, &["--story", "/no/such/folder/story.svg"]);
    assert_eq!((again, code), (report, 2));
}

#[test]
fn a_goal_names_nodes_and_instances_that_can_be() {
    let plan = "plan: { actions: { n: { do: scale_out, node: mongo, instance: fresh } } }\n";
    for (goal, met) in [("fresh=stopped", "met"), ("g1=working", "met"), ("fresh=gone", "not_met")]
    {
        let (report, code) = judge(plan, &["--goal", goal]);
        assert_eq!((report["goal"].as_str(), code), (Some(met), i32::from(met != "met")), "{goal}");
    }
    for (goal, hint) in [
        ("zz=gone", "known nodes: `api`"),
        ("guii=working", "did you mean `gui`?"),
        ("frehs=gone", "did you mean `fresh`?"),
        ("g1=running", "known states: `configured`"),
    ] {
        let (report, code) = judge(plan, &["--goal", goal, "--accept", "weakly-valid"]);
        assert_eq!(code, 2, "{goal}: {report}");
        assert!(report["error"].as_str().unwrap().contains(hint), "{goal}: {report}");
    }
    for command in [&["plan", APP][..], &["plan", APP, "--state", STATE], &["prove", APP]] {
        let output = windlass(&[command, &["--goal", "guii=working"]].concat(), "");
        assert_eq!(output.status.code(), Some(2), "{command:?}");
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(text.contains("did you mean `gui`?"), "{command:?}: {text}");
    }
}

#[test]
fn a_goal_that_a_description_declares_is_looked_at_when_the_state_is_known() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("windlass.yaml");
    let application = std::fs::read_to_string(root().join(APP)).unwrap();
    std::fs::write(&path, format!("{application}goal: g7=working\n")).unwrap();
    let path = path.to_str().unwrap();
    assert_eq!(windlass(&["check", path], "").status.code(), Some(0), "g7 may come later");
    let output = windlass(&["plan", path, "--state", STATE], "");
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("the goal in the description: `g7` is no node"), "{text}");
}

#[test]
fn an_option_that_would_be_ignored_is_refused() {
    let atomic = "examples/web-services/windlass.yaml";
    for (app, option, relation) in
        [(atomic, "--crash", "`faults: replicas`"), (APP, "--hard-recovery", "`faults: handled`")]
    {
        let output = windlass(&["analyze", app, option], "");
        assert_eq!(output.status.code(), Some(2), "{option}");
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(text.contains(option) && text.contains(relation), "{text}");
    }
}

#[test]
fn without_a_failing_run_there_is_no_story_and_a_notice() {
    let folder = tempfile::tempdir().unwrap();
    let plan = folder.path().join("plan.yaml");
    let story = folder.path().join("story.svg");
    std::fs::write(&plan, "plan: { actions: {} }\n").unwrap();
    let (plan, story) = (plan.to_str().unwrap(), story.to_str().unwrap());
    let output = windlass(&["verify", plan, "--app", APP, "--story", story], "");
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8(output.stderr).unwrap().contains("no failing run to draw"));
    assert!(!std::path::Path::new(story).exists());
}

#[test]
fn a_story_fits_a_terminal_and_leaves_out_what_never_moves() {
    let plan = "examples/thinking/reconfigure.plan.yaml";
    let output = windlass(&["verify", plan, "--app", APP, "--state", STATE], "");
    let text = String::from_utf8(output.stdout).unwrap();
    let story = text.split("that fails").nth(1).unwrap().split("FAILS").next().unwrap();
    assert!(story.contains("(start)                           a1 running, a2 running, g1 working"));
    assert!(!story.contains("d1") && !story.contains("m2"), "{story}");
    let longest = story.lines().map(|line| line.chars().count()).max().unwrap();
    assert!(longest <= 80, "{longest}: {story}");
    let plan = "plan: { actions: { a: { do: op, instance: g1, operation: stop }, b: { do: op, \
                instance: g1, operation: start } }, order: [ { before: b, after: a } ] }\n";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan.yaml");
    std::fs::write(&path, plan).unwrap();
    let path = path.to_str().unwrap();
    let output = windlass(&["verify", path, "--app", APP, "--state", STATE], "");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("run that fails, after 0 events:"), "{text}");
}

#[test]
fn the_shown_state_lists_bindings() {
    let output = windlass(&["step", APP, "--state", STATE], "show\nstart a1 stop\n");
    let text = String::from_utf8(output.stdout).unwrap();
    let (shown, after) = text.split_once("start a1 stop").unwrap();
    assert!(shown.contains("g1: working (backend: a1; host: n1)"), "{text}");
    assert!(!after.contains("host:"), "{text}");
    let output = windlass(&["step", APP, "--state", STATE, "--format", "json"], "show\n");
    let line: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(line["bindings"]["g1"], serde_json::json!({ "backend": ["a1"], "host": ["n1"] }));
}

#[test]
fn the_repository_itself_has_nothing_to_complain_about() {
    let output = windlass(&["check", "."], "");
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{text}");
}
