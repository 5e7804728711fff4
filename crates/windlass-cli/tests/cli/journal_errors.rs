//! A folder of a deployment that cannot be made or written to, and a journal that cannot be written
//! or does not fit: what is wrong is named with its path, and what to do about it.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use std::fs;
use std::process::Command;

use crate::support::{Folder, PAIR, Run, kill};

const UP: [&str; 4] = ["up", "windlass.yaml", "--yes", "--detach"];

fn pair() -> Folder {
    Folder::with(&[("windlass.yaml", PAIR)])
}

/// Runs the program where no file may be longer than so many bytes.
fn limited(folder: &Folder, most: u32, args: &[&str]) -> (Option<i32>, String) {
    let program = folder.command(args);
    let mut command = Command::new("sh");
    // A process that writes more gets an error then, and no signal.
    let script = format!("trap '' XFSZ; exec prlimit --fsize={most} \"$@\"");
    command.args(["-c", &script, "sh"]).arg(program.get_program()).args(program.get_args());
    let output = command.current_dir(folder.path("")).output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_folder_that_cannot_be_used_is_named_with_a_way_out() {
    let folder = pair();
    for state in ["/proc/windlass", "windlass.yaml"] {
        let up = folder.run(&[&UP[..], &["--state-dir", state]].concat());
        assert_eq!(up.code, 2, "{up:?}");
        assert!(up.stderr.contains(&format!("error: cannot make `{state}/pair`: ")), "{up:?}");
        assert!(up.stderr.contains("help: name a folder with `--state-dir`"), "{up:?}");
    }
    assert_eq!(folder.run(&UP).code, 0);
    let runs = folder.processes();
    let lock = folder.path(".windlass/pair/lock");
    fs::remove_file(&lock).unwrap();
    fs::create_dir(&lock).unwrap();
    for command in ["resume", "down"] {
        let refused = folder.run(&[command]);
        let told =
            "error: cannot write to `./.windlass/pair`: is a directory\nhelp: nothing was done";
        assert!(refused.code == 2 && refused.stderr.contains(told), "{refused:?}");
    }
    fs::remove_dir(&lock).unwrap();
    assert_eq!(folder.processes(), runs);
    assert_eq!(folder.run(&["down"]).code, 0);
}

#[test]
fn a_journal_that_cannot_be_written_is_named_and_what_runs_goes_on() {
    let folder = pair();
    let (code, told) = limited(&folder, 1000, &UP);
    assert_eq!(code, Some(4), "{told}");
    assert!(told.contains("error: cannot write `./.windlass/pair/journal.db`: "), "{told}");
    assert!(told.contains("help: nothing was done; "), "{told}");

    assert_eq!(folder.run(&UP).code, 0);
    let before = folder.processes();
    kill("-9", before["api"]);
    let (code, told) = limited(&folder, 60_000, &["resume", "--detach"]);
    assert_eq!(code, Some(4), "{told}");
    assert!(told.contains("error: cannot write `./.windlass/pair/journal.db`: "), "{told}");
    let help = "help: what runs goes on; `windlass resume --name pair` takes over";
    assert!(told.contains(help), "{told}");
    assert_eq!(folder.processes()["store"], before["store"]);
    let resume = folder.run(&["resume", "--detach"]);
    assert_eq!(resume.code, 0, "{resume:?}");
    assert_eq!(folder.run(&["down"]).code, 0);
}

#[test]
fn every_command_reports_an_unreadable_plan_alike() {
    let folder = pair();
    assert_eq!(folder.run(&UP).code, 0);
    // The next engine puts everything into the tables.
    assert_eq!(folder.run(&["resume", "--detach"]).code, 0);
    let runs = folder.processes();
    let journal = folder.path(".windlass/pair/journal.db");
    let tail = folder.path(".windlass/pair/journal.db-tail");
    let (whole, lines) = (fs::read(&journal).unwrap(), fs::read(&tail).unwrap());
    let mut damaged = whole.clone();
    let is_step = |at: &usize| whole[*at..].starts_with(b"do: ");
    let steps: Vec<usize> = (0..whole.len()).filter(is_step).collect();
    assert!(!steps.is_empty());
    for at in steps {
        damaged[at] = b'x';
    }
    fs::write(&journal, damaged).unwrap();
    let told = |args: &[&str]| {
        let Run { code, stderr, .. } = folder.run(args);
        assert_eq!(code, 2, "{args:?}: {stderr}");
        assert!(stderr.contains("help: nothing was done; "), "{args:?}: {stderr}");
        stderr
    };
    let resume = told(&["resume", "--detach"]);
    assert!(resume.contains("the plan cannot be read"), "{resume}");
    assert_eq!(told(&["status"]), resume);
    assert_eq!(told(&UP), resume);
    fs::write(&journal, whole).unwrap();
    fs::write(&tail, lines).unwrap();
    assert_eq!(folder.processes(), runs);
    assert_eq!(folder.run(&["down"]).code, 0);
}
