//! The engine on real processes: faults, failures, and kill -9 at random instants.
//!
//! The last two tests kill the engine during runs of 40 actions, of an assembly of nets and of
//! atomic operations (paper 003). Every command writes a line when it has done its work. Whenever
//! the engine is killed, `resume` has to reach the goal; a command that may happen once must have
//! written one line, or be reported in doubt before anything else. `WINDLASS_LONG` makes it 1,000
//! instants.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::Stdio;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use crate::support::{Folder, PAIR, is_alive, kill};

const COMPONENTS: usize = 10;
const SIDE_BY_SIDE: usize = 4;
const NAMES: [&str; 4] = ["first", "second", "third", "fourth"];

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
    text.push_str(&nodes());
    text
}

/// Ten nodes of four atomic operations each, every second one over the one before it.
fn atomic() -> String {
    let check = "{ check: { shell: \"grep -qx $WINDLASS_INSTANCE.fourth done\" } }";
    let kind = |name: &str, fourth: &str, (needs, needed, handled): (&str, &str, &str)| {
        let effects = ["at_most_once", "idempotent", "at_most_once", fourth];
        let operation = |(name, effect): (&str, &str)| {
            format!(
                "      {name}: {{ effect: {effect}, run: {{ shell: \"sleep 0.01; echo \
                 $WINDLASS_INSTANCE.{name} >> done\" }} }}\n"
            )
        };
        let operations: String = NAMES.into_iter().zip(effects).map(operation).collect();
        format!(
            "  {name}:\n{needs}    capabilities: [service]\n    operations:\n{operations}    \
             protocol:\n      initial: off\n      states:\n        off: {{}}\n        one: {{}}\n        \
             two: {{}}\n        three: {{}}\n        on: {{ offers: [service]{needed}{handled} }}\n      \
             transitions:\n        - {{ from: off, operation: first, to: one }}\n        \
             - {{ from: one, operation: second, to: two }}\n        \
             - {{ from: two, operation: third, to: three }}\n        \
             - {{ from: three, operation: fourth, to: on{needed} }}\n      \
             up: [first, second, third, fourth]\n"
        )
    };
    let mut text = String::from("windlass: 1\nname: forty\nfaults: handled\ntypes:\n");
    text.push_str(&kind("base", "at_most_once", ("", "", "")));
    let needs = "    requirements: { below: replica_unaware }\n";
    text.push_str(&kind("part", check, (needs, ", requires: [below]", ", on_fault: [three]")));
    text.push_str("nodes:\n");
    text.push_str(&nodes());
    text
}

/// The nodes of both.
fn nodes() -> String {
    let node = |at: usize| {
        if at.is_multiple_of(2) {
            format!("  n{at}: {{ type: base }}\n")
        } else {
            format!("  n{at}: {{ type: part, bind: {{ below: n{}.service }} }}\n", at - 1)
        }
    };
    (0..COMPONENTS).map(node).collect()
}

/// What a command writes, by the label of its action: `n1.first` of a net, `first n1` of an
/// operation.
fn line_of(label: &str) -> String {
    match label.split_once(' ') {
        Some((operation, instance)) => format!("{instance}.{operation}"),
        None => label.to_owned(),
    }
}

/// How often each command did its work.
fn lines(folder: &Folder) -> BTreeMap<String, usize> {
    let text = std::fs::read_to_string(folder.path("done")).unwrap_or_default();
    let mut lines = BTreeMap::new();
    for line in text.lines() {
        *lines.entry(line.to_owned()).or_default() += 1;
    }
    lines
}

/// Resumes until the goal is reached; how many actions were in doubt.
fn resume(folder: &Folder) -> usize {
    let mut doubts = 0;
    let mut answers: Vec<String> = Vec::new();
    for _ in 0..50 {
        let mut arguments = vec!["resume", "windlass.yaml", "--detach"];
        arguments.extend(answers.iter().map(String::as_str));
        let ended = folder.run(&arguments);
        let errors = &ended.stderr;
        match ended.code {
            0 => return doubts,
            2 if errors.contains("no deployment") || errors.contains("never been up") => {
                // It died before there was anything to resume.
                let arguments = ["up", "windlass.yaml", "--yes", "--detach"];
                assert_eq!(folder.run(&arguments).code, 0);
                return doubts;
            }
            4 if errors.contains("it is unknown") => {
                let seen = lines(folder);
                for part in errors.split("(order ").skip(1) {
                    let order = part.split(')').next().unwrap();
                    let before = errors.split(&format!("` (order {order})")).next().unwrap();
                    let label = before.rsplit('`').next().unwrap();
                    let verdict = if seen.contains_key(&line_of(label)) { "done" } else { "again" };
                    answers.push(format!("--in-doubt={order}={verdict}"));
                    doubts += 1;
                }
            }
            code => panic!("resume ended with {code:?}: {errors}"),
        }
    }
    panic!("fifty resumptions were not enough");
}

fn pair() -> Folder {
    Folder::with(&[("windlass.yaml", PAIR)])
}

#[test]
fn a_process_that_died_without_an_engine_is_drift_and_is_handled_on_resume() {
    let folder = pair();
    let up = folder.run(&["up", "windlass.yaml", "--yes", "--detach"]);
    assert_eq!(up.code, 0, "{up:?}");
    let running = folder.processes();
    assert_eq!(running.len(), 2, "{running:?}");
    assert_eq!(folder.run(&["status"]).code, 0);
    assert!(running.values().all(|pid| is_alive(*pid)), "{running:?}");
    kill("-9", running["store"]);
    let status = folder.run(&["status"]);
    assert_eq!(status.code, 1, "{status:?}");
    assert!(status.stdout.contains("DRIFT"), "{status:?}");
    let resume = folder.run(&["resume", "--detach"]);
    assert_eq!(resume.code, 0, "{resume:?}");
    assert!(resume.stdout.contains("died") && resume.stdout.contains("fault"), "{resume:?}");
    let again = folder.processes();
    assert!(again.len() == 2 && again != running, "{running:?} {again:?}");
    let down = folder.run(&["down"]);
    assert_eq!(down.code, 0, "{down:?}");
    assert!(again.values().all(|pid| !is_alive(*pid)), "{again:?}");
    let status = folder.run(&["status"]);
    assert!(status.code == 0 && status.stdout.contains("nothing is there"), "{status:?}");
}

#[test]
fn an_engine_that_stays_handles_a_death_at_once_and_leaves_everything_running() {
    use std::io::BufRead as _;
    let folder = pair();
    let mut engine =
        folder.command(&["up", "windlass.yaml", "--yes"]).stderr(Stdio::null()).spawn().unwrap();
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
    let second = folder.run(&["up", "windlass.yaml", "--yes"]);
    assert_eq!(second.code, 2, "two engines: {second:?}");
    kill("-9", folder.processes()["store"]);
    let said = until("reached");
    assert!(said.contains("died") && said.contains("fault") && said.contains("plan"), "{said}");
    assert_eq!(folder.processes().len(), 2);
    kill("-INT", u64::from(engine.id()));
    assert_eq!(engine.wait().unwrap().code(), Some(130));
    let running = folder.processes();
    assert!(running.len() == 2 && running.values().all(|pid| is_alive(*pid)), "{running:?}");
    assert_eq!(folder.run(&["down"]).code, 0);
    assert!(running.values().all(|pid| !is_alive(*pid)), "{running:?}");
}

#[test]
fn after_a_failure_dependents_do_not_start_and_resume_completes() {
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
    let folder = Folder::with(&[("windlass.yaml", text)]);
    let up = folder.run(&["up", "windlass.yaml", "--yes"]);
    assert_eq!(up.code, 4, "{up:?}");
    assert!(up.stdout.contains("failed  first.start: exit code 1"), "{up:?}");
    assert!(!folder.path("second").exists());
    let again = folder.run(&["up", "windlass.yaml", "--yes"]);
    assert!(again.code == 4 && again.stderr.contains("windlass resume"), "{again:?}");
    assert!(!folder.path("second").exists());
    folder.write("ready", "");
    let resume = folder.run(&["resume"]);
    assert_eq!(resume.code, 0, "{resume:?}");
    assert!(folder.path("second").exists());
    // What has been done is not done again.
    std::fs::remove_file(folder.path("second")).unwrap();
    let again = folder.run(&["up", "windlass.yaml", "--yes"]);
    assert!(again.code == 0 && again.stdout.contains("nothing to do"), "{again:?}");
    assert!(!folder.path("second").exists());
    let history = folder.run(&["history", "--format", "json"]);
    assert!(
        history.stdout.contains("taken_up") && history.stdout.contains("gave_up"),
        "{history:?}"
    );
}

/// When an engine is killed, in microseconds: anything up to a quarter of a second.
fn instant(seed: u64, kill: u64) -> u64 {
    let mut random = seed.wrapping_add(kill.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    for _ in 0..3 {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        random ^= random >> 29;
    }
    (random >> 33) % 250_000
}

/// Starts an engine and kills it; whether it was killed during its run (1) or after it (0).
fn kill_after(folder: &Folder, arguments: &[&str], instant: u64) -> u64 {
    let mut engine =
        folder.command(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    thread::sleep(Duration::from_micros(instant));
    let interrupted = u64::from(engine.try_wait().unwrap().is_none());
    engine.kill().unwrap();
    engine.wait().unwrap();
    interrupted
}

/// One engine: killed, resumed, and what its commands wrote counted. Every second time the first
/// engine that resumes is killed, too. How many actions were in doubt, and how many engines were
/// killed during their runs.
fn kill_one(text: &str, kill: u64, instant: u64) -> (usize, u64) {
    let folder = Folder::with(&[("windlass.yaml", text)]);
    let mut interrupted =
        kill_after(&folder, &["up", "windlass.yaml", "--yes", "--detach"], instant);
    if !kill.is_multiple_of(2) {
        // The beginning, where what the first one left is looked at, is short.
        let soon = instant % 50_000;
        interrupted += kill_after(&folder, &["resume", "windlass.yaml", "--detach"], soon);
    }
    let doubts = resume(&folder);
    let seen = lines(&folder);
    let mut wrong = String::new();
    for at in 0..COMPONENTS {
        for name in NAMES {
            let label = format!("n{at}.{name}");
            let times = seen.get(&label).copied().unwrap_or(0);
            let fits = if name == "second" { times >= 1 } else { times == 1 };
            if !fits {
                writeln!(wrong, "{label} happened {times} times").unwrap();
            }
        }
    }
    assert!(wrong.is_empty(), "kill {kill}, after {instant} microseconds: {wrong}");
    let status = folder.run(&["status"]);
    assert_eq!(status.code, 0, "kill {kill}, after {instant} microseconds: {status:?}");
    (doubts, interrupted)
}

/// Kills engines of one description at so many instants.
#[expect(clippy::print_stdout, reason = "figures are what a long run is for")]
fn kill_many(text: &str) {
    let number = |name: &str, otherwise: u64| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
    };
    let is_long = number("WINDLASS_LONG", 1) > 1;
    let kills = number("WINDLASS_KILLS", if is_long { 1_000 } else { 50 });
    let seed = number("WINDLASS_SEED", 1);
    // Most of the time an engine sleeps, so several are killed side by side.
    let (next, totals) = (AtomicU64::new(0), Mutex::new((0, 0)));
    thread::scope(|scope| {
        for _ in 0..SIDE_BY_SIDE {
            scope.spawn(|| {
                loop {
                    let kill = next.fetch_add(1, Ordering::Relaxed);
                    if kill >= kills {
                        return;
                    }
                    let (doubts, interrupted) = kill_one(text, kill, instant(seed, kill));
                    let mut totals = totals.lock().unwrap();
                    *totals = (totals.0 + doubts, totals.1 + interrupted);
                }
            });
        }
    });
    let (doubts, interrupted) = totals.into_inner().unwrap();
    println!(
        "figure: {kills} engines killed, and half as many that resumed, {interrupted} of all during \
         the run: every run reached its goal, {doubts} actions were in doubt, none happened twice"
    );
}

#[test]
fn a_killed_engine_loses_nothing_and_does_nothing_twice() {
    kill_many(&assembly());
}

#[test]
fn a_killed_engine_loses_no_atomic_operation_and_does_none_twice() {
    kill_many(&atomic());
}
