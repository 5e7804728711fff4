//! Kill -9 of the engine at random instants of a run of 40 actions with real processes.
//!
//! Every command writes a line when it has done its work. Whenever the engine is killed, `resume`
//! has to reach the goal; a command that may happen once must have written one line, or be
//! reported in doubt before anything else happens. `WINDLASS_LONG` makes it 1,000 instants.

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
