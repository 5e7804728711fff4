//! What `status`, `logs` and `up` say when something is missing, failed or interrupted.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use std::process::Stdio;
use std::thread;
use std::time::Duration;

use crate::support::{Folder, PAIR, is_alive, kill};

/// One instance that runs a command and is up then.
fn one(command: &str) -> String {
    format!(
        "windlass: 1\nname: one\ntypes:\n  it:\n    operations:\n      go: {{ run: {command} }}\n      \
         back: {{}}\n    protocol:\n      initial: a\n      states: {{ a: {{}}, b: {{}} }}\n      \
         transitions:\n        - {{ from: a, operation: go, to: b }}\n        \
         - {{ from: b, operation: back, to: a }}\n      up: [go]\nnodes: {{ n: {{ type: it }} }}\n"
    )
}

const UP: &[&str] = &["up", "windlass.yaml", "--yes", "--detach"];

#[test]
fn status_tells_a_failure_its_reason_and_the_way_on() {
    let folder = Folder::with(&[("windlass.yaml", &one("[cat, missing]"))]);
    assert_eq!(folder.run(UP).code, 4);
    let status = folder.run(&["status"]);
    assert_eq!(status.code, 1, "{status:?}");
    assert!(
        status.stdout.starts_with("one  run 1, failed: `go n` failed: exit code 1"),
        "{status:?}"
    );
    assert!(status.stdout.ends_with("help: `windlass resume --name one` goes on\n"), "{status:?}");
    let report = folder.run(&["status", "--format", "json"]).json();
    assert_eq!((&report["engine"], &report["ending"]), (&"ended".into(), &"failed".into()));
    let back = folder.run(&["resume", "--detach", "--on-failure", "roll-back"]);
    assert_eq!(back.code, 4, "{back:?}");
    assert!(
        back.stderr.contains("`windlass up windlass.yaml --name one` starts again"),
        "{back:?}"
    );
    let status = folder.run(&["status"]);
    assert!(status.code == 1 && status.stdout.contains("run 1, rolled back"), "{status:?}");
    let again = folder.run(&["resume", "--detach"]);
    assert!(again.code == 4 && again.stderr.contains("exit code 1"), "{again:?}");
    assert!(again.stderr.contains("starts again"), "{again:?}");
    folder.write("missing", "");
    assert_eq!(folder.run(UP).code, 0);
    assert_eq!(folder.run(&["status"]).code, 0);
}

#[test]
fn a_missing_secret_is_reported_before_anything_runs() {
    let command = "{ shell: \"echo x >> done\", environment: { T: { secret: token } } }";
    let folder = Folder::with(&[("windlass.yaml", &one(command))]);
    let up = folder.run(UP);
    assert!(up.code == 2 && !folder.path("done").exists(), "{up:?}");
    assert!(up.stderr.contains("secret `token`, which operation `go`"), "{up:?}");
    assert!(up.stderr.contains("(windlass.yaml:6)"), "{up:?}");
    assert!(
        up.stderr.contains("--secrets") && up.stderr.contains("WINDLASS_SECRET_token"),
        "{up:?}"
    );
    folder.write("secrets/token", "sesame");
    let up = folder.run(&[UP, &["--secrets", "secrets"]].concat());
    assert_eq!(up.code, 0, "{up:?}");
    let restart = folder.run(&["restart", "n", "--detach"]);
    assert!(restart.code == 2 && restart.stderr.contains("`token`"), "{restart:?}");
    assert_eq!(folder.read("done"), "x\n");
    assert_eq!(folder.run(&["down"]).code, 0, "no secret is needed to go");
}

#[test]
fn a_plan_that_does_not_reach_the_goal_is_not_begun() {
    let folder = Folder::with(&[("windlass.yaml", PAIR)]);
    let plan =
        folder.run(&["plan", "windlass.yaml", "--goal", "store=running", "--format", "json"]);
    folder.write("plan.json", &plan.stdout);
    for more in [["--dry-run", "--yes"], ["--detach", "--yes"]] {
        let up = folder.run(&[&["up", "windlass.yaml", "--plan", "plan.json"], &more[..]].concat());
        assert!(up.code == 1 && up.stderr.contains("does not reach the goal"), "{up:?}");
        assert!(up.stderr.contains("--goal") && up.stdout.is_empty(), "{up:?}");
    }
    assert!(folder.run(&["status"]).stderr.contains("no deployment"));
    let arguments = ["up", "windlass.yaml", "--plan", "plan.json", "--detach", "--yes"];
    let up = folder.run(&[&arguments[..], &["--goal", "store=running"]].concat());
    assert_eq!(up.code, 0, "{up:?}");
    assert_eq!(folder.run(&["down"]).code, 0);
}

#[test]
fn a_terminated_engine_says_that_it_was_interrupted() {
    for signal in ["-TERM", "-HUP", "-INT"] {
        let folder = Folder::with(&[("it/windlass.yaml", PAIR)]);
        let arguments = ["up", "it/windlass.yaml", "--yes"];
        let engine = folder.command(&arguments).stderr(Stdio::piped()).spawn().unwrap();
        let reached = || folder.run(&["history", "it/windlass.yaml"]).stdout.contains("reached");
        assert!((0..400).any(|_| {
            thread::sleep(Duration::from_millis(50));
            reached()
        }));
        kill(signal, u64::from(engine.id()));
        let output = engine.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(130), "{signal} {said}");
        // The hint works as it is typed.
        assert!(
            said.contains("`windlass resume it/windlass.yaml --name pair` takes over"),
            "{said}"
        );
        let resume = folder.run(&["resume", "it/windlass.yaml", "--name", "pair", "--detach"]);
        assert_eq!(resume.code, 0, "{resume:?}");
        assert_eq!(folder.run(&["down", "it/windlass.yaml"]).code, 0);
    }
}

#[test]
fn logs_know_their_names_and_what_still_runs() {
    let hello = "[sh, -c, 'echo hello from $WINDLASS_INSTANCE; exec sleep 1000']";
    let text = PAIR.replace("[sleep, '1000']", hello);
    assert_ne!(text, PAIR);
    let folder = Folder::with(&[("windlass.yaml", &text)]);
    assert_eq!(folder.run(UP).code, 0);
    let wrong = folder.run(&["logs", "stroe"]);
    assert!(wrong.code == 2 && wrong.stderr.contains("did you mean `store`"), "{wrong:?}");
    // A run without actions hides nothing.
    assert_eq!(folder.run(UP).code, 0);
    let logs = folder.run(&["logs"]);
    assert!(logs.stdout.contains("hello from store"), "{logs:?}");
    let mut follower = folder.command(&["logs", "-f", "--format", "json"]).spawn().unwrap();
    thread::sleep(Duration::from_millis(700));
    assert_eq!(folder.run(&["restart", "store", "--detach"]).code, 0);
    thread::sleep(Duration::from_millis(1500));
    follower.kill().unwrap();
    let said = follower.wait_with_output().unwrap();
    let said = String::from_utf8(said.stdout).unwrap();
    assert!(said.matches("hello from store").count() >= 2, "{said}");
    assert!(said.lines().all(|line| line.starts_with("{\"schema\"")), "{said}");
    let running = folder.processes();
    assert_eq!(folder.run(&["down"]).code, 0);
    assert!(running.values().all(|pid| !is_alive(*pid)));
    let status = folder.run(&["status"]);
    assert!(status.code == 0 && status.stdout.contains("ended"), "{status:?}");
}

#[test]
fn a_dry_run_looks_at_the_world_and_tells_what_is_described_otherwise() {
    let folder = Folder::with(&[("windlass.yaml", PAIR)]);
    assert_eq!(folder.run(UP).code, 0);
    let dry = ["up", "windlass.yaml", "--dry-run"];
    assert_eq!(folder.run(&dry).stdout, "nothing to do\n");
    kill("-9", folder.processes()["store"]);
    let shown = folder.run(&dry);
    let expected = "stop the process of api\nstart store\n    process sleep 1000\nstart api\n    \
                    process sleep 1001\n";
    assert_eq!(shown.stdout, expected, "{shown:?}");
    assert_eq!(folder.run(&["resume", "--detach"]).code, 0);
    folder.write("windlass.yaml", PAIR.replace("'1001'", "'1002'"));
    let shown = folder.run(&dry);
    assert!(shown.stderr.contains("`api` runs as it was described before"), "{shown:?}");
    assert!(shown.stderr.contains("windlass restart api --app windlass.yaml"), "{shown:?}");
    assert_eq!(folder.run(&["down"]).code, 0);
}

#[test]
fn a_dry_run_shows_the_images_of_containers() {
    let text = include_str!("../../../../examples/containers/windlass.yaml");
    let folder = Folder::with(&[("windlass.yaml", text)]);
    let dry = ["up", "windlass.yaml", "--world", "docker", "--dry-run"];
    let shown = folder.run(&dry);
    let expected = "start api\n    process sleep 100000\n    image   busybox:1\n";
    assert!(shown.code == 0 && shown.stdout.contains(expected), "{shown:?}");
    let report = folder.run(&[&dry[..], &["--format", "json"]].concat()).json();
    let actions = report["actions"].as_array().unwrap();
    let images = |action: &str| {
        let found = actions.iter().find(|one| one["action"] == action).unwrap();
        found["images"].as_array().cloned().unwrap()
    };
    assert_eq!(images("start store"), ["busybox:1"]);
    assert!(images("create store").is_empty());
}

#[test]
fn a_file_means_its_own_deployment() {
    let other = one("[\"true\"]");
    let folder = Folder::with(&[("windlass.yaml", PAIR), ("other.yaml", &other)]);
    assert_eq!(folder.run(&["up", "windlass.yaml", "--yes", "--detach", "--name", "blue"]).code, 0);
    let running = folder.processes();
    for file in ["other.yaml", "missing.yaml"] {
        let down = folder.run(&["down", file]);
        assert_eq!(down.code, 2, "{down:?}");
    }
    let status = folder.run(&["status", "other.yaml"]);
    assert!(status.code == 2 && status.stderr.contains("no deployment of `one`"), "{status:?}");
    assert!(running.values().all(|pid| is_alive(*pid)), "{running:?}");
    // Of the same application under another name there is one.
    assert_eq!(folder.run(&["status", "windlass.yaml"]).code, 0);
    let wrong = folder.run(&["resume", "--in-doubt", "99=done"]);
    assert!(wrong.code == 2 && wrong.stderr.contains("order 99 is not in doubt"), "{wrong:?}");
    assert_eq!(folder.run(&["down"]).code, 0);
}

#[test]
fn a_container_without_an_engine_is_refused_before_anything_runs() {
    let text = PAIR.replace("[sleep, '1001']", "{ run: [sleep, '1001'], image: it }");
    let folder = Folder::with(&[("windlass.yaml", &text)]);
    let up = folder.run(UP);
    assert!(up.code == 2 && up.stderr.contains("--world docker"), "{up:?}");
    assert!(!folder.path(".windlass/pair/journal.db").exists());
}

#[test]
fn a_net_shows_every_component_and_what_it_waits_for() {
    let text = "
windlass: 1
name: two
types:
  first:
    net:
      places: [off, on]
      initial: [off]
      transitions: { start: { from: off, to: on, run: [cat, missing] } }
      groups: { on: [on] }
      ports: { service: { kind: provide, groups: [on] } }
  second:
    net:
      places: [off, on]
      initial: [off]
      transitions: { start: { from: off, to: on } }
      ports: { first: { kind: use, transitions: [start] } }
nodes:
  first: { type: first }
  second: { type: second, bind: { first: first.service } }
";
    let folder = Folder::with(&[("windlass.yaml", text)]);
    assert_eq!(folder.run(UP).code, 4);
    let status = folder.run(&["status"]);
    assert_eq!(status.code, 1, "{status:?}");
    assert!(status.stdout.contains("first   start failed"), "{status:?}");
    assert!(status.stdout.contains("second  off           waits for `start`: "), "{status:?}");
    let report = folder.run(&["status", "--format", "json"]).json();
    assert!(report["instances"][1]["waits"].as_str().unwrap().contains("first"), "{report}");
}
