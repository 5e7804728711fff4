//! The engine on real processes: faults, failures, and kill -9 at random instants.
//!
//! The last test kills the engine during runs of 40 actions. Every command writes a line when it
//! has done its work. Whenever the engine is killed, `resume` has to reach the goal; a command that
//! may happen once must have written one line, or be reported in doubt before anything else.
//! `WINDLASS_LONG` makes it 1,000 instants.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

const COMPONENTS: usize = 10;

/// Ten components of four actions each, every second one over the one before it.
fn assembly() -> String {
    let action = |from: &str, to: &str, name: &str, effect: &str| {
        format!(
            "        {name}: {{ from: {from}, to: {to}, effect: {effect}, run: {{ shell: \
             \"sleep 0.01; echo $WINDLASS_INSTANCE.{name} >> done\" }} }}\n"
        )
    };
    let mut text = String::from("windlass: 1\nname: forty\ntypes:\n  part:\n    net:\n");
    text.push_str(
        "      places: [off, half, whole, on]\n      initial: [off]\n      transitions:\n",
    );
    text.push_str(&action("off", "half", "first", "at_most_once"));
    text.push_str(&action("off", "half", "second", "idempotent"));
    text.push_str(&action("half", "whole", "third", "at_most_once"));
    let check = "{ check: { shell: \"grep -qx $WINDLASS_INSTANCE.fourth done\" } }";
    text.push_str(&action("whole", "on", "fourth", check));
    text.push_str("      groups: { on: [on] }\n      ports:\n");
    text.push_str("        below: { kind: use, transitions: [fourth] }\n");
    text.push_str("        service: { kind: provide, groups: [on] }\n");
    text.push_str("  base:\n    net:\n      places: [off, half, whole, on]\n");
    text.push_str("      initial: [off]\n      transitions:\n");
    text.push_str(&action("off", "half", "first", "at_most_once"));
    text.push_str(&action("off", "half", "second", "idempotent"));
    text.push_str(&action("half", "whole", "third", "at_most_once"));
    text.push_str(&action("whole", "on", "fourth", "at_most_once"));
    text.push_str("      groups: { on: [on] }\n      ports:\n");
    text.push_str("        service: { kind: provide, groups: [on] }\nnodes:\n");
    for at in 0..COMPONENTS {
        let line = if at % 2 == 0 {
            format!("  n{at}: {{ type: base }}\n")
        } else {
            format!("  n{at}: {{ type: part, bind: {{ below: n{}.service }} }}\n", at - 1)
        };
        text.push_str(&line);
    }
    text
}

fn windlass(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_windlass"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    command
}

/// How often each command did its work.
fn lines(folder: &Path) -> BTreeMap<String, usize> {
    let text = std::fs::read_to_string(folder.join("done")).unwrap_or_default();
    let mut lines = BTreeMap::new();
    for line in text.lines() {
        *lines.entry(line.to_owned()).or_default() += 1;
    }
    lines
}

/// Resumes until the goal is reached; how many actions were in doubt.
fn resume(folder: &Path) -> usize {
    let mut doubts = 0;
    let mut answers: Vec<String> = Vec::new();
    for _ in 0..50 {
        let mut arguments = vec!["resume", "windlass.yaml", "--detach"];
        arguments.extend(answers.iter().map(String::as_str));
        let output = windlass(folder, &arguments).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        match output.status.code() {
            Some(0) => return doubts,
            Some(2) if errors.contains("no deployment") || errors.contains("never been up") => {
                // It died before there was anything to resume.
                let arguments = ["up", "windlass.yaml", "--yes", "--detach"];
                assert!(windlass(folder, &arguments).status().unwrap().success());
                return doubts;
            }
            Some(4) if errors.contains("nobody knows") => {
                let seen = lines(folder);
                for part in errors.split("(order ").skip(1) {
                    let order = part.split(')').next().unwrap();
                    let before = errors.split(&format!("` (order {order})")).next().unwrap();
                    let label = before.rsplit('`').next().unwrap();
                    let verdict = if seen.contains_key(label) { "done" } else { "again" };
                    answers.push(format!("--in-doubt={order}={verdict}"));
                    doubts += 1;
                }
            }
            code => panic!("resume ended with {code:?}: {errors}"),
        }
    }
    panic!("fifty resumptions were not enough");
}

const PAIR: &str = "
windlass: 1
name: pair
types:
  store:
    capabilities: [data]
    protocol:
      initial: off
      states:
        off: {}
        running: { offers: [data], process: [sleep, '1000'] }
      transitions:
        - { from: off, operation: start, to: running }
        - { from: running, operation: stop, to: off }
      up: [start]
  api:
    requirements: { data: replica_unaware }
    protocol:
      initial: off
      states:
        off: {}
        running: { requires: [data], on_fault: [off], process: [sleep, '1001'] }
      transitions:
        - { from: off, operation: start, to: running, requires: [data], on_fault: [off] }
        - { from: running, operation: stop, to: off }
      up: [start]
nodes:
  store: { type: store }
  api: { type: api, bind: { data: store.data } }
";

/// The processes that the deployment started and that still run: arguments and number.
fn processes(folder: &Path) -> Vec<(String, String)> {
    let claims = folder.join(".windlass/pair/claims");
    let boots = std::fs::read_dir(claims).into_iter().flatten().flatten();
    let claims = boots.flat_map(|boot| std::fs::read_dir(boot.path()).unwrap().flatten());
    let mut found = Vec::new();
    for claim in claims {
        let text = std::fs::read_to_string(claim.path()).unwrap_or_default();
        let Some(pid) = text.split(' ').next().filter(|pid| !pid.is_empty()) else { continue };
        let words = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let words = String::from_utf8_lossy(&words).replace('\0', " ").trim().to_owned();
        if words.starts_with("sleep") {
            found.push((words, pid.to_owned()));
        }
    }
    found.sort();
    found
}

fn kill(signal: &str, pid: &str) {
    assert!(Command::new("kill").args([signal, pid]).status().unwrap().success());
}

/// Runs the program to its end: exit code, standard output, standard error.
fn ended(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = windlass(folder, arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn pair() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("windlass.yaml"), PAIR).unwrap();
    folder
}

#[test]
fn a_process_that_died_while_nobody_looked_is_drift_and_is_handled_on_resume() {
    let folder = pair();
    let folder = folder.path();
    let up = ended(folder, &["up", "windlass.yaml", "--yes", "--detach"]);
    assert_eq!(up.0, Some(0), "{up:?}");
    let running = processes(folder);
    assert_eq!(running.len(), 2, "{running:?}");
    assert_eq!(ended(folder, &["status"]).0, Some(0));
    kill("-9", &running[0].1);
    thread::sleep(Duration::from_millis(100));
    let status = ended(folder, &["status"]);
    assert_eq!(status.0, Some(1), "{status:?}");
    assert!(status.1.contains("DRIFT"), "{status:?}");
    let resume = ended(folder, &["resume", "--detach"]);
    assert_eq!(resume.0, Some(0), "{resume:?}");
    assert!(resume.1.contains("died") && resume.1.contains("fault"), "{resume:?}");
    let again = processes(folder);
    assert!(again.len() == 2 && again != running, "{running:?} {again:?}");
    let down = ended(folder, &["down"]);
    assert_eq!(down.0, Some(0), "{down:?}");
    assert_eq!(processes(folder), []);
    let status = ended(folder, &["status"]);
    assert!(status.0 == Some(0) && status.1.contains("nothing is there"), "{status:?}");
}

#[test]
fn an_engine_that_stays_handles_a_death_at_once_and_leaves_everything_running() {
    use std::io::BufRead as _;
    let folder = pair();
    let folder = folder.path();
    let mut engine = windlass(folder, &["up", "windlass.yaml", "--yes"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = std::io::BufReader::new(engine.stdout.take().unwrap()).lines();
    let mut until = |word: &str| {
        let mut seen = String::new();
        for line in lines.by_ref() {
            let line = line.unwrap();
            writeln!(seen, "{line}").unwrap();
            if line.contains(word) {
                return seen;
            }
        }
        panic!("`{word}` was never said: {seen}");
    };
    until("reached");
    let second = ended(folder, &["up", "windlass.yaml", "--yes"]);
    assert_eq!(second.0, Some(2), "two engines: {second:?}");
    kill("-9", &processes(folder)[0].1);
    let said = until("reached");
    assert!(said.contains("died") && said.contains("fault") && said.contains("plan"), "{said}");
    assert_eq!(processes(folder).len(), 2);
    kill("-INT", &engine.id().to_string());
    assert_eq!(engine.wait().unwrap().code(), Some(130));
    assert_eq!(processes(folder).len(), 2);
    assert_eq!(ended(folder, &["down"]).0, Some(0));
    assert_eq!(processes(folder), []);
}

#[test]
fn after_a_failure_dependents_do_not_start_and_resume_completes() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let text = "
windlass: 1
name: two
types:
  first:
    net:
      places: [off, on]
      initial: [off]
      transitions: { start: { from: off, to: on, run: [test, -e, ready] } }
      groups: { on: [on] }
      ports: { service: { kind: provide, groups: [on] } }
  second:
    net:
      places: [off, on]
      initial: [off]
      transitions: { start: { from: off, to: on, run: [touch, second] } }
      ports: { first: { kind: use, transitions: [start] } }
nodes:
  first: { type: first }
  second: { type: second, bind: { first: first.service } }
";
    std::fs::write(folder.join("windlass.yaml"), text).unwrap();
    let up = ended(folder, &["up", "windlass.yaml", "--yes"]);
    assert_eq!(up.0, Some(4), "{up:?}");
    assert!(up.1.contains("failed  first.start: exit code 1"), "{up:?}");
    assert!(!folder.join("second").exists());
    let again = ended(folder, &["up", "windlass.yaml", "--yes"]);
    assert!(again.0 == Some(2) && again.2.contains("windlass resume"), "{again:?}");
    std::fs::write(folder.join("ready"), "").unwrap();
    let resume = ended(folder, &["resume"]);
    assert_eq!(resume.0, Some(0), "{resume:?}");
    assert!(folder.join("second").exists());
    // What has been done is not done again.
    std::fs::remove_file(folder.join("second")).unwrap();
    let again = ended(folder, &["up", "windlass.yaml", "--yes"]);
    assert!(again.0 == Some(0) && again.1.contains("nothing to do"), "{again:?}");
    assert!(!folder.join("second").exists());
    let history = ended(folder, &["history", "--format", "json"]);
    assert!(history.1.contains("taken_up") && history.1.contains("gave_up"), "{history:?}");
}

#[test]
fn a_killed_engine_loses_nothing_and_does_nothing_twice() {
    let number = |name: &str, otherwise: u64| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
    };
    let is_long = number("WINDLASS_LONG", 1) > 1;
    let kills = number("WINDLASS_KILLS", if is_long { 1_000 } else { 50 });
    let mut random = number("WINDLASS_SEED", 1);
    let (mut doubts, mut interrupted) = (0, 0);
    for kill in 0..kills {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("windlass.yaml"), assembly()).unwrap();
        let arguments = ["up", "windlass.yaml", "--yes", "--detach"];
        let mut engine = windlass(folder.path(), &arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        thread::sleep(Duration::from_micros((random >> 33) % 250_000));
        interrupted += u64::from(engine.try_wait().unwrap().is_none());
        engine.kill().unwrap();
        engine.wait().unwrap();
        doubts += resume(folder.path());
        let seen = lines(folder.path());
        let mut wrong = String::new();
        for at in 0..COMPONENTS {
            for name in ["first", "second", "third", "fourth"] {
                let label = format!("n{at}.{name}");
                let times = seen.get(&label).copied().unwrap_or(0);
                let fits = if name == "second" { times >= 1 } else { times == 1 };
                if !fits {
                    writeln!(wrong, "{label} happened {times} times").unwrap();
                }
            }
        }
        assert!(wrong.is_empty(), "kill {kill}: {wrong}");
    }
    println!(
        "figure: {kills} engines killed, {interrupted} of them during the run: every run reached \
         its goal, {doubts} actions were in doubt, none happened twice"
    );
}
