//! Commands that must not run twice, and the keeper that outlives the engine: whatever is killed,
//! and when, a command runs once, and how it ended is known or asked about.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use std::process::Child;
use std::thread;
use std::time::Duration;

use crate::support::{Folder, kill};

/// Two components, the second over the first; each runs a script.
fn assembly(first: &str, second: &str) -> String {
    let net = |script: &str| {
        format!(
            "    net:\n      places: [off, on]\n      initial: [off]\n      transitions:\n        \
             start: {{ from: off, to: on, run: {{ shell: \"{script}\" }} }}\n      groups: {{ up: \
             [on] }}\n      ports:\n        mine: {{ kind: provide, groups: [up] }}\n"
        )
    };
    format!(
        "windlass: 1\nname: two\ntypes:\n  first:\n{}  second:\n{}        other: {{ kind: use, \
         transitions: [start] }}\nnodes:\n  one: {{ type: first }}\n  two: {{ type: second, bind: \
         {{ other: one.mine }} }}\n",
        net(first),
        net(second)
    )
}

/// A folder where the first script writes `begun` and goes on when there is a file `go`.
fn folder(after: &str) -> Folder {
    let first = format!(
        "echo begun >> lines; echo first words; until [ -e go ]; do sleep 0.02; done; {after}"
    );
    Folder::with(&[("windlass.yaml", &assembly(&first, "echo second >> lines"))])
}

/// An engine whose first command has begun.
fn engine(folder: &Folder) -> Child {
    let mut up = folder.command(&["up", "windlass.yaml", "--yes", "--detach"]).spawn().unwrap();
    for _ in 0..1_000 {
        if folder.path("lines").exists() {
            return up;
        }
        thread::sleep(Duration::from_millis(10));
    }
    up.kill().unwrap();
    panic!("the command did not begin: {:?}", up.wait());
}

/// The keeper of an engine.
fn keeper(engine: &Child) -> u64 {
    let number = engine.id();
    let children = std::fs::read_to_string(format!("/proc/{number}/task/{number}/children"));
    let children = children.unwrap();
    let is_keeper = |child: &&str| {
        let line = std::fs::read_to_string(format!("/proc/{child}/cmdline")).unwrap_or_default();
        line.contains("--keep-commands")
    };
    children.split_whitespace().find(is_keeper).expect("a keeper").parse().unwrap()
}

fn kill_engine(mut engine: Child) {
    engine.kill().unwrap();
    engine.wait().unwrap();
}

/// The files of keepers that are left.
fn records(folder: &Folder) -> usize {
    let claims = std::fs::read_dir(folder.path(".windlass/two/claims")).unwrap().flatten();
    let files = claims.flat_map(|boot| std::fs::read_dir(boot.path()).unwrap().flatten());
    files.filter(|file| file.file_name().to_string_lossy().starts_with("keeper-")).count()
}

#[test]
fn a_command_outlives_its_engine_and_how_it_ended_is_known() {
    let folder = folder("echo last words");
    kill_engine(engine(&folder));
    folder.write("go", "");
    let resume = folder.run(&["resume", "--detach"]);
    assert_eq!(resume.code, 0, "{resume:?}");
    assert_eq!(folder.read("lines"), "begun\nsecond\n");
    let logs = folder.run(&["logs", "one"]);
    assert!(logs.stdout.contains("first words") && logs.stdout.contains("last words"), "{logs:?}");
    assert_eq!(records(&folder), 0);
}

#[test]
fn what_a_keeper_wrote_about_commands_whose_ends_are_known_goes_with_the_next_command() {
    let folder = folder("true");
    folder.write("go", "");
    let up = ["up", "windlass.yaml", "--yes", "--detach"];
    assert_eq!(folder.run(&up).code, 0);
    let claims = std::fs::read_dir(folder.path(".windlass/two/claims")).unwrap().flatten();
    let boot = claims.map(|entry| entry.path()).find(|path| path.is_dir()).unwrap();
    // As an engine leaves it that is killed after the last outcome.
    std::fs::write(boot.join("keeper-7"), "begun 1\nended 1 0\n").unwrap();
    assert_eq!(folder.run(&["status"]).code, 0);
    assert_eq!(records(&folder), 1);
    let third = "  three: { type: second, bind: { other: one.mine } }\n";
    folder.write("windlass.yaml", folder.read("windlass.yaml") + third);
    assert_eq!(folder.run(&up).code, 0);
    assert_eq!(folder.read("lines"), "begun\nsecond\nsecond\n");
    assert_eq!(records(&folder), 0);
}

#[test]
fn a_command_that_hides_its_environment_is_waited_for() {
    let folder = folder("true");
    let text =
        folder.read("windlass.yaml").replacen("run: { shell: ", "run: [env, -i, sh, -c, ", 1);
    let text = text.replacen("done; true\" }", "done; true\"]", 1);
    folder.write("windlass.yaml", text);
    kill_engine(engine(&folder));
    let resume = folder.command(&["resume", "--detach"]).spawn().unwrap();
    thread::sleep(Duration::from_secs(3));
    folder.write("go", "");
    let resume = resume.wait_with_output().unwrap();
    assert_eq!(resume.status.code(), Some(0), "{}", String::from_utf8_lossy(&resume.stderr));
    assert_eq!(folder.read("lines"), "begun\nsecond\n");
}

#[test]
fn an_engine_that_cannot_hear_of_ends_says_so() {
    let folder = folder("true");
    let windlass = folder.command(&[]).get_program().to_owned();
    let mut up = std::process::Command::new("env");
    up.args(["--ignore-signal=CHLD"]).arg(windlass).args(["up", "windlass.yaml", "--yes"]);
    let output = up.current_dir(folder.root()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("--default-signal=CHLD"), "{said}");
    assert!(!folder.path("lines").exists());
}

#[test]
fn a_command_that_failed_without_an_engine_has_failed() {
    let folder = folder("echo ended >> lines; exit 3");
    kill_engine(engine(&folder));
    folder.write("go", "");
    while folder.read("lines") != "begun\nended\n" {
        thread::sleep(Duration::from_millis(10));
    }
    let resume = folder.run(&["resume", "--detach"]);
    assert_eq!(resume.code, 4, "{resume:?}");
    assert!(resume.stdout.contains("exit code 3"), "{resume:?}");
    // What failed is tried again when the operator says so.
    let again = folder.run(&["resume", "--detach"]);
    assert_eq!(again.code, 4, "{again:?}");
    assert_eq!(folder.read("lines"), "begun\nended\n".repeat(2));
    assert_eq!(records(&folder), 0);
}

#[test]
fn without_engine_and_keeper_the_operator_is_asked() {
    let folder = folder("exit 0");
    let engine = engine(&folder);
    let keeper = keeper(&engine);
    kill_engine(engine);
    kill("-9", keeper);
    folder.write("go", "");
    let resume = folder.run(&["resume", "--detach"]);
    assert_eq!(resume.code, 4, "{resume:?}");
    assert!(resume.stderr.contains("one.start"), "{resume:?}");
    assert_eq!(folder.read("lines"), "begun\n");
    let told = folder.run(&["resume", "--detach", "--in-doubt", "1=done"]);
    assert_eq!(told.code, 0, "{told:?}");
    assert_eq!(folder.read("lines"), "begun\nsecond\n");
}

#[test]
fn about_many_commands_in_doubt_one_answer_is_enough() {
    let script = "echo $WINDLASS_NODE >> lines; until [ -e go ]; do sleep 0.02; done";
    let mut text = assembly(script, "true");
    text.truncate(text.find("nodes:").unwrap());
    text.push_str("nodes:\n");
    text.extend((0..23).map(|at| format!("  n{at}: {{ type: first }}\n")));
    let folder = Folder::with(&[("windlass.yaml", &text)]);
    let engine = engine(&folder);
    while folder.read("lines").lines().count() < 23 {
        thread::sleep(Duration::from_millis(10));
    }
    let keeper = keeper(&engine);
    kill_engine(engine);
    kill("-9", keeper);
    folder.write("go", "");
    thread::sleep(Duration::from_millis(100));
    let asked = folder.run(&["resume", "--detach"]);
    assert!(asked.code == 4 && asked.stderr.contains("--in-doubt all=done`"), "{asked:?}");
    // Each has a line of its own, as far as people want to read; programs get all of them.
    let listed = |text: &str| text.lines().filter(|line| line.starts_with("    `n")).count();
    assert_eq!(listed(&asked.stderr), 20, "{asked:?}");
    assert!(asked.stderr.contains("\n    and 3 more\nhelp: "), "{asked:?}");
    let asked = folder.run(&["resume", "--detach", "--format", "json"]);
    assert_eq!(listed(&asked.stderr), 23, "{asked:?}");
    let both = ["--in-doubt", "all=done", "--in-doubt", "all=again"];
    let refused = folder.run(&[&["resume", "--detach"], &both[..]].concat());
    assert!(refused.code == 2 && refused.stderr.contains("say one of the two"), "{refused:?}");
    let word = folder.run(&["resume", "--in-doubt", "some=done"]);
    assert!(word.code == 2 && word.stderr.contains("nor `all`"), "{word:?}");
    let order = asked.stderr.split("`n3.start` (order ").nth(1).unwrap();
    let again = format!("{}=again", order.split(')').next().unwrap());
    let answers = ["resume", "--detach", "--in-doubt", "all=done", "--in-doubt", &again];
    let told = folder.run(&answers);
    assert_eq!(told.code, 0, "{told:?}");
    let lines = folder.read("lines");
    assert_eq!(lines.lines().count(), 24, "{lines}");
    assert_eq!(lines.lines().filter(|line| *line == "n3").count(), 2, "{lines}");
}

#[test]
fn a_keeper_that_is_killed_leaves_the_command_in_doubt_and_nothing_runs_twice() {
    let folder = folder("exit 0");
    let engine = engine(&folder);
    kill("-9", keeper(&engine));
    folder.write("go", "");
    let output = engine.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(
        said.contains("error: it is unknown whether this happened") && said.contains("help: look,"),
        "{said}"
    );
    assert!(said.contains("--in-doubt 1=done"), "{said}");
    // The same is asked until it is answered.
    for _ in 0..2 {
        let resume = folder.run(&["resume", "--detach"]);
        assert!(resume.code == 4 && resume.stderr.contains("--in-doubt 1=done"), "{resume:?}");
    }
    assert_eq!(folder.read("lines"), "begun\n");
    let told = folder.run(&["resume", "--detach", "--in-doubt", "1=done"]);
    assert_eq!(told.code, 0, "{told:?}");
    assert_eq!(folder.read("lines"), "begun\nsecond\n");
}

#[test]
fn what_a_command_said_can_be_read_when_engine_and_keeper_were_killed_at_once() {
    let both = "$(cut -d' ' -f4 /proc/$PPID/stat) $PPID";
    let script = format!("echo first words; kill -9 {both}; echo last words");
    let folder = Folder::with(&[("windlass.yaml", &assembly(&script, "true"))]);
    let up = folder.command(&["up", "windlass.yaml", "--yes", "--detach"]).status().unwrap();
    assert_eq!(up.code(), None, "{up:?}");
    thread::sleep(Duration::from_millis(100));
    let resume = folder.run(&["resume", "--detach"]);
    assert_eq!(resume.code, 4, "{resume:?}");
    let logs = folder.run(&["logs", "one"]);
    assert!(logs.stdout.contains("first words") && logs.stdout.contains("last words"), "{logs:?}");
    assert_eq!(folder.run(&["resume", "--detach", "--in-doubt", "all=done"]).code, 0);
}

#[test]
fn what_no_keeper_can_start_a_shell_does() {
    // Longer than a message, and a program that is not there.
    let long = format!("run: ['true', '{}']", "x".repeat(120_000));
    let text = assembly("SCRIPT", "exit 0").replace("run: { shell: \"SCRIPT\" }", &long);
    let folder = Folder::with(&[("windlass.yaml", &text)]);
    let up = folder.run(&["up", "windlass.yaml", "--yes", "--detach"]);
    assert_eq!(up.code, 0, "{up:?}");
    let text = assembly("SCRIPT", "exit 0");
    let text = text.replace("run: { shell: \"SCRIPT\" }", "run: [there-is-no-such-program]");
    let folder = Folder::with(&[("windlass.yaml", &text)]);
    let up = folder.run(&["up", "windlass.yaml", "--yes", "--detach"]);
    assert_eq!(up.code, 4, "{up:?}");
    assert!(up.stdout.contains("there is no such program"), "{up:?}");
    assert_eq!(records(&folder), 0);
}
