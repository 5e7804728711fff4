//! Applications of paper 003 (`faults: handled`, `faults: forbidden`) on real processes.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use std::thread;
use std::time::Duration;

use crate::support::{Folder, Run, is_alive, kill};

const HANDLED: &str = include_str!("../../../../examples/atomic/handled.yaml");
const FORBIDDEN: &str = include_str!("../../../../examples/atomic/forbidden.yaml");

fn folder(text: &str) -> Folder {
    Folder::with(&[("windlass.yaml", text)])
}

fn good(run: &Run) -> &str {
    assert_eq!(run.code, 0, "{run:?}");
    &run.stdout
}

fn states(folder: &Folder) -> String {
    let report = folder.run(&["status", "--format", "json"]).json();
    let state = |it: &serde_json::Value| {
        format!("{}={}", it["instance"].as_str().unwrap(), it["state"].as_str().unwrap())
    };
    let all: Vec<String> = report["instances"].as_array().unwrap().iter().map(state).collect();
    all.join(" ")
}

#[test]
fn both_come_up_and_go_down_and_tell_their_story() {
    for text in [HANDLED, FORBIDDEN] {
        let folder = folder(text);
        let dry = folder.run(&["up", "windlass.yaml", "--dry-run"]);
        assert!(good(&dry).contains("run     touch site/data"), "{dry:?}");
        assert!(!folder.path("site").exists());
        let up = folder.run(&["up", "windlass.yaml", "--yes", "--detach"]);
        assert!(good(&up).contains("done    start board"), "{up:?}");
        let running = folder.processes();
        assert!(running.len() == 2 && running.values().all(|pid| is_alive(*pid)), "{running:?}");
        assert!(folder.path("site/data").exists());
        // Installing both is not ordered, starting them is.
        let place = |line: &str| up.stdout.find(line).unwrap();
        assert!(place("start   install board") < place("done    start database"));
        assert!(place("done    start database") < place("start   start board"));
        assert!(good(&folder.run(&["history", "--chart"])).contains("predicted"));
        good(&folder.run(&["history", "--gantt", "run.svg"]));
        assert!(folder.read("run.svg").starts_with("<svg"));
        let again = folder.run(&["restart", "database", "--app", "windlass.yaml", "--detach"]);
        assert!(good(&again).contains("stop board"), "{again:?}");
        let scale = folder.run(&["scale", "board=2", "--app", "windlass.yaml"]);
        assert!(scale.code == 2 && scale.stderr.contains("one instance"), "{scale:?}");
        let running = folder.processes();
        let down = folder.run(&["down", "--format", "json"]);
        assert!(good(&down).contains("\"kind\": \"intent\""), "{down:?}");
        assert!(running.values().all(|pid| !is_alive(*pid)), "{running:?}");
        assert_eq!(states(&folder), "board=absent database=absent host=absent");
        assert!(!folder.path("site").exists());
    }
}

#[test]
fn a_death_is_handled_where_handlers_are() {
    let folder = folder(HANDLED);
    good(&folder.run(&["up", "windlass.yaml", "--yes", "--detach"]));
    let before = folder.processes();
    kill("-9", before["database"]);
    assert_eq!(folder.run(&["status"]).code, 1);
    let resume = folder.run(&["resume", "--detach"]);
    let said = good(&resume);
    assert!(said.contains("fault   board loses data and goes to sorry"), "{said}");
    assert!(said.contains("plan    2 actions: the process of database died"), "{said}");
    let after = folder.processes();
    assert!(after.len() == 2 && !is_alive(before["board"]), "{before:?} {after:?}");
    assert_eq!(states(&folder), "board=running database=running host=there");
    good(&folder.run(&["down"]));
    assert!(after.values().all(|pid| !is_alive(*pid)), "{after:?}");
}

#[test]
fn a_death_that_others_notice_ends_a_run_where_faults_are_forbidden() {
    let folder = folder(FORBIDDEN);
    let mut engine = folder.command(&["up", "windlass.yaml", "--yes"]).spawn().unwrap();
    let wait = |what: &dyn Fn() -> bool| {
        let found = (0..500).any(|_| {
            thread::sleep(Duration::from_millis(20));
            what()
        });
        assert!(found, "it took too long");
    };
    wait(&|| {
        folder.path(".windlass/strict-board").exists()
            && folder.run(&["history"]).stdout.contains("reached")
    });
    let before = folder.processes();
    // A process on which nothing relies is brought back.
    kill("-9", before["board"]);
    wait(&|| folder.processes().get("board").is_some_and(|pid| *pid != before["board"]));
    let board = folder.processes()["board"];
    kill("-9", before["database"]);
    let ended = engine.wait().unwrap();
    assert_eq!(ended.code(), Some(4));
    let history = folder.run(&["history"]);
    let why = "faults are forbidden: `board` in `running` lacks `data`";
    assert!(history.stdout.contains(why), "{history:?}");
    // Nothing was touched, and resuming changes nothing.
    assert!(is_alive(board));
    let resume = folder.run(&["resume", "--detach"]);
    assert!(resume.code == 4 && resume.stdout.contains(why), "{resume:?}");
    assert!(is_alive(board));
    // The operator decides; what lacked something is stopped before it starts again.
    let up = folder.run(&["up", "windlass.yaml", "--detach"]);
    assert!(good(&up).contains("stop the process of board"), "{up:?}");
    assert!(up.stderr.contains("counts as dead: board"), "{up:?}");
    assert!(!is_alive(board));
    let after = folder.processes();
    assert_eq!(after.len(), 2);
    kill("-9", after["database"]);
    assert_eq!(folder.run(&["resume", "--detach"]).code, 4);
    good(&folder.run(&["down"]));
    assert!(after.values().all(|pid| !is_alive(*pid)), "{after:?}");
    assert_eq!(states(&folder), "board=absent database=absent host=absent");
}

#[test]
fn a_failure_is_rolled_back_by_a_plan() {
    for text in [HANDLED, FORBIDDEN] {
        let folder = folder(&text.replace("[touch, site/board]", "[cat, missing]"));
        let arguments = ["up", "windlass.yaml", "--yes", "--detach", "--on-failure", "roll-back"];
        let up = folder.run(&arguments);
        assert_eq!(up.code, 4, "{up:?}");
        assert!(up.stdout.contains("rolled back"), "{up:?}");
        assert_eq!(states(&folder), "board=absent database=absent host=absent");
        assert!(!folder.path("site").exists());
        // Without rolling back what has been done stays, and goes on when the cause is gone.
        let up = folder.run(&["up", "windlass.yaml", "--yes", "--detach"]);
        assert_eq!(up.code, 4, "{up:?}");
        folder.write("missing", "");
        good(&folder.run(&["resume", "--detach"]));
        good(&folder.run(&["down"]));
    }
}

#[test]
fn a_plan_that_is_not_valid_is_not_begun() {
    let folder = folder(FORBIDDEN);
    let plan = "plan:\n  actions:\n    make: { do: op, instance: host, operation: make }\n    \
                start: { do: op, instance: board, operation: start }\n";
    folder.write("plan.yaml", plan);
    let up = folder.run(&["up", "windlass.yaml", "--plan", "plan.yaml", "--yes", "--detach"]);
    assert!(up.code == 1 && up.stderr.contains("the plan is not valid"), "{up:?}");
}

#[test]
fn a_journal_that_is_none_is_an_error_with_a_message() {
    let folder = folder(HANDLED);
    good(&folder.run(&["up", "windlass.yaml", "--yes", "--detach", "--world", "simulated"]));
    let journal = std::fs::read_dir(folder.path(".windlass/board")).unwrap();
    let journal = journal.map(|it| it.unwrap().path());
    let journal = journal.into_iter().find(|it| it.extension().is_some_and(|it| it == "db"));
    let journal = journal.unwrap();
    let whole = std::fs::read(&journal).unwrap();
    let mut torn = whole.clone();
    let half = torn.len() / 2;
    torn[half..].fill(0xff);
    for damaged in [b"this is no journal".repeat(500), torn, whole[..whole.len() / 2].to_vec()] {
        std::fs::write(&journal, damaged).unwrap();
        for command in ["status", "history", "resume", "down", "logs"] {
            let run = folder.run(&[command]);
            assert!(run.code != 0 && run.code != 101, "{command}: {run:?}");
            assert!(!run.stderr.contains("panicked"), "{command}: {run:?}");
            // Nothing was executed, and the file is named.
            assert!(run.code == 2 && run.stderr.contains("journal"), "{command}: {run:?}");
            assert!(run.stderr.contains("nothing was done"), "{command}: {run:?}");
        }
    }
}
