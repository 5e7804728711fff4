//! What commands and processes leave behind: process groups, and secrets in what they write.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use std::path::Path;
use std::thread;
use std::time::Duration;

use crate::support::{Folder, kill};

/// One node with one operation, which leads from `off` to `on`, and one that leads back.
fn application(operation: &str, state: &str) -> String {
    format!(
        "windlass: 1
name: one
types:
  thing:
    operations:
      start: {{ {operation} }}
      stop: {{}}
    protocol:
      initial: off
      states:
        off: {{}}
        on: {{ {state} }}
      transitions:
        - {{ from: off, operation: start, to: on }}
        - {{ from: on, operation: stop, to: off }}
      up: [start]
nodes:
  thing: {{ type: thing }}
"
    )
}

/// How many processes that are not waiting to be buried have this folder as theirs, and these words
/// on their command line.
fn running(folder: &Path, words: &str) -> usize {
    let folder = folder.canonicalize().unwrap();
    let here = |number: &str| {
        let place = format!("/proc/{number}");
        let text = std::fs::read(format!("{place}/cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&text).replace('\0', " ");
        line.contains(words)
            && std::fs::read_link(format!("{place}/cwd")).is_ok_and(|cwd| cwd == folder)
    };
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    all.filter(|entry| entry.file_name().to_str().is_some_and(here)).count()
}

#[test]
fn a_command_that_takes_too_long_is_over_when_its_group_has_ended() {
    for effect in ["at_most_once", "idempotent"] {
        let stubborn = "echo x >> tries; trap : TERM; sleep 99 & wait; sleep 98";
        let operation = format!(
            "run: {{ shell: \"{stubborn}\" }}, timeout: 300ms, effect: {effect}, retry: {{ times: 1, wait: 10ms }}"
        );
        let folder = Folder::with(&[("windlass.yaml", &application(&operation, ""))]);
        let up = folder.run(&["up", "windlass.yaml", "--yes", "--detach"]);
        assert_eq!(up.code, 4, "{up:?}");
        assert!(up.stdout.contains("it took too long"), "{up:?}");
        assert_eq!(folder.read("tries"), "x\nx\n", "{effect}");
        assert_eq!(running(folder.root(), "sleep 9"), 0, "{effect}: {up:?}");
    }
}

#[test]
fn a_command_that_takes_too_long_has_not_done_its_work_whatever_it_says() {
    for effect in ["at_most_once", "idempotent", "{ check: ['false'] }"] {
        let polite = "trap 'exit 0' TERM; sleep 95 & wait";
        let operation = format!("run: {{ shell: \"{polite}\" }}, timeout: 300ms, effect: {effect}");
        let folder = Folder::with(&[("windlass.yaml", &application(&operation, ""))]);
        let up = folder.run(&["up", "windlass.yaml", "--yes", "--detach"]);
        assert_eq!(up.code, 4, "{effect}: {up:?}");
        assert!(up.stdout.contains("it took too long"), "{effect}: {up:?}");
    }
}

#[test]
fn the_group_of_a_process_ends_before_the_next_one_starts() {
    let process = "on_crash: off, process: { run: { shell: \"sleep 97 & exec sleep 96\" } }";
    let folder = Folder::with(&[("windlass.yaml", &application("timeout: 20s", process))]);
    let up = folder.run(&["up", "windlass.yaml", "--yes", "--detach"]);
    assert_eq!(up.code, 0, "{up:?}");
    assert_eq!(running(folder.root(), "sleep 97"), 1);
    kill("-9", folder.processes()["thing"]);
    let resume = folder.run(&["resume", "--detach"]);
    assert_eq!(resume.code, 0, "{resume:?}");
    assert_eq!(running(folder.root(), "sleep 97"), 1, "the old one is gone, the new one is there");
    let down = folder.run(&["down", "--yes"]);
    assert_eq!(down.code, 0, "{down:?}");
    assert_eq!(running(folder.root(), "sleep 9"), 0);
}

#[test]
fn a_child_that_bears_the_signal_is_killed_when_the_patience_of_its_author_is_over() {
    let child = "sh -c 'trap : TERM; while :; do sleep 0.1; done' child";
    let process =
        format!("process: {{ run: {{ shell: \"{child} & exec sleep 95\" }}, grace: 300ms }}");
    let folder = Folder::with(&[("windlass.yaml", &application("timeout: 20s", &process))]);
    assert_eq!(folder.run(&["up", "windlass.yaml", "--yes", "--detach"]).code, 0);
    // The shell that starts both says the same words until it has become the other one.
    while running(folder.root(), "sleep 95") != 1 || running(folder.root(), "trap") != 1 {
        thread::sleep(Duration::from_millis(10));
    }
    let down = folder.run(&["down", "--yes"]);
    assert_eq!(down.code, 0, "{down:?}");
    assert_eq!(running(folder.root(), "trap"), 0);
}

#[test]
fn a_health_check_that_never_passes_is_the_reason() {
    let process = "process: { run: [sleep, '94'], health: { tcp: '127.0.0.1:1', every: 50ms } }";
    let folder = Folder::with(&[("windlass.yaml", &application("timeout: 300ms", process))]);
    let up = folder.run(&["up", "windlass.yaml", "--yes", "--detach"]);
    assert_eq!(up.code, 4, "{up:?}");
    let reason = "it took too long: its health check did not pass: 127.0.0.1:1: connection refused";
    assert!(up.stdout.contains(reason), "{up:?}");
    assert_eq!(running(folder.root(), "sleep 94"), 0);
}

#[test]
fn a_process_that_dies_again_and_again_is_given_up_after_pauses() {
    let process = "on_crash: off, process: { run: [sleep, '0.05'] }";
    let folder = Folder::with(&[("windlass.yaml", &application("timeout: 20s", process))]);
    let up = folder.run(&["up", "windlass.yaml", "--yes"]);
    assert_eq!(up.code, 4, "{up:?}");
    assert!(up.stdout.contains("dies again and again"), "{up:?}");
    let history = folder.run(&["history", "--format", "json"]);
    let entries =
        history.stdout.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let deaths: Vec<u64> = entries
        .filter(|it| it["entry"]["kind"] == "observed")
        .map(|it| it["at"].as_u64().unwrap())
        .collect();
    assert_eq!(deaths.len(), 6, "{history:?}");
    let pauses: Vec<u64> = deaths.windows(2).map(|pair| pair[1] - pair[0]).collect();
    // The first is started again at once, then every pause is at least twice as long.
    for (pause, least) in pauses.iter().skip(1).zip([200, 400, 800, 1600]) {
        assert!(*pause >= least, "{pauses:?}");
    }
}

const SECRET: &str = "environment: { TOKEN: { secret: token } }";

/// Everything in the folder of the deployment.
fn everything(folder: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            bytes.extend(everything(&path));
        } else {
            bytes.extend(std::fs::read(path).unwrap_or_default());
        }
    }
    bytes
}

#[test]
fn secrets_reach_neither_logs_nor_journal_however_they_are_printed() {
    let value = "line-one-Alpha\nline-two-Beta";
    for ending in [0, 3] {
        let say = format!(
            "echo plain $TOKEN; printf %s \\\"$TOKEN\\\"; printf line-one; sleep 0.1; printf -- -Al; echo pha; exit {ending}"
        );
        let operation = format!("run: {{ shell: \"{say}\", {SECRET} }}");
        let process = format!(
            "process: {{ run: {{ shell: \"echo process $TOKEN; exec sleep 93\", {SECRET} }} }}"
        );
        let folder = Folder::with(&[("windlass.yaml", &application(&operation, &process))]);
        folder.write("secrets/token", value);
        let arguments = ["up", "windlass.yaml", "--yes", "--detach", "--secrets", "secrets"];
        let up = folder.run(&arguments);
        assert_eq!(up.code, if ending == 0 { 0 } else { 4 }, "{up:?}");
        let mut logs = String::new();
        for _ in 0..100 {
            logs = folder.run(&["logs"]).stdout;
            if logs.contains("process ***") || (ending != 0 && logs.contains("plain ***")) {
                break;
            }
            thread::sleep(Duration::from_millis(20));
        }
        assert!(logs.contains("plain *** ***\n***"), "{logs}");
        let kept = String::from_utf8_lossy(&everything(&folder.path(".windlass"))).into_owned();
        let shown = format!("{kept}{logs}{}{}", up.stdout, up.stderr);
        assert!(!shown.contains("Alpha") && !shown.contains("Beta"), "{up:?} {logs}");
        assert_eq!(folder.run(&["down", "--yes", "--secrets", "secrets"]).code, 0);
    }
}

#[test]
fn a_secret_that_is_a_word_of_the_description_destroys_nothing() {
    for word in ["thing", "sleep", "on", "label", "a"] {
        let process = format!("process: {{ run: {{ shell: \"exec sleep 92\", {SECRET} }} }}");
        let folder = Folder::with(&[("windlass.yaml", &application("", &process))]);
        folder.write("secrets/token", word);
        let up = ["up", "windlass.yaml", "--yes", "--detach", "--secrets", "secrets"];
        assert_eq!(folder.run(&up).code, 0);
        assert_eq!(folder.processes().len(), 1, "{word}");
        kill("-9", folder.processes()["thing"]);
        let resume = folder.run(&["resume", "--detach", "--secrets", "secrets"]);
        assert_eq!(resume.code, 0, "{word}: {resume:?}");
        let down = folder.run(&["down", "--yes", "--secrets", "secrets"]);
        assert_eq!(down.code, 0, "{word}: {down:?}");
    }
}

#[test]
fn a_command_does_not_get_secrets_that_it_does_not_name() {
    let operation = "run: { shell: \"env > environment\" }";
    let folder = Folder::with(&[("windlass.yaml", &application(operation, ""))]);
    let mut up = folder.command(&["up", "windlass.yaml", "--yes", "--detach"]);
    assert!(up.env("WINDLASS_SECRET_token", "hunter2").output().unwrap().status.success());
    assert!(!folder.read("environment").contains("hunter2"));
}
