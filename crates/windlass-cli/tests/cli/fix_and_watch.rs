//! `check --fix` and `check --watch`.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use crate::support;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command};

use crate::support::{Folder, GOOD, broken};

#[test]
fn fixes_are_applied_and_the_file_is_checked_again() {
    let text = broken("operation: work", "oparation: work").replace("name: shop", "nmae: shop");
    let folder = Folder::with(&[("windlass.yaml", &text)]);
    let run = folder.run(&["check", "windlass.yaml", "--fix"]);
    assert_eq!(run.stderr, "fixed 2 findings\n");
    assert_eq!(run.stdout, "no errors, no warnings in 1 file\n");
    assert_eq!((run.code, folder.read("windlass.yaml").as_str()), (0, GOOD));
    let again = folder.run(&["check", "windlass.yaml", "--fix"]);
    assert_eq!((again.stderr.as_str(), again.code), ("", 0));
}

#[test]
fn what_cannot_be_fixed_stays_and_is_reported() {
    let text =
        broken("operation: work", "oparation: work").replace("name: shop", "name: a\nname: b");
    let folder = Folder::with(&[("windlass.yaml", &text)]);
    let run = folder.run(&["check", "windlass.yaml", "--fix", "--format", "json"]);
    assert_eq!(run.findings(), ["3:1 error YAML002"]);
    assert_eq!(run.code, 1);
    assert!(folder.read("windlass.yaml").contains("operation: work"));
}

#[test]
fn a_suppressed_finding_is_not_fixed() {
    let text = broken("name: shop", "nmae: shop # windlass: ignore[WL001] an old tool wants it");
    let folder = Folder::with(&[("windlass.yaml", &text)]);
    let run = folder.run(&["check", "windlass.yaml", "--fix"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert_eq!(folder.read("windlass.yaml"), text);
}

#[test]
fn standard_input_comes_out_fixed() {
    let folder = Folder::with(&[]);
    let text = broken("name: shop", "nmae: shop");
    let run = folder.run_with(&["check", "-", "--fix"], &text);
    assert_eq!((run.code, run.stdout.as_str()), (0, GOOD));
    assert_eq!(run.stderr, "fixed 1 finding\nno errors, no warnings in 1 file\n");
    let nothing_to_fix = folder.run_with(&["check", "-", "--fix"], GOOD);
    assert_eq!(nothing_to_fix.stdout, GOOD);
}

#[cfg(unix)]
#[test]
fn a_fixed_file_keeps_its_permissions_and_a_link_stays_a_link() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let folder = Folder::with(&[("real.yaml", &broken("name: shop", "nmae: shop"))]);
    let private = std::fs::Permissions::from_mode(0o640);
    std::fs::set_permissions(folder.path("real.yaml"), private).unwrap();
    symlink("real.yaml", folder.path("windlass.yaml")).unwrap();
    assert_eq!(folder.run(&["check", "windlass.yaml", "--fix"]).code, 0);
    assert_eq!(folder.read("real.yaml"), GOOD);
    assert!(folder.path("windlass.yaml").is_symlink());
    let mode = std::fs::metadata(folder.path("real.yaml")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    let left = std::fs::read_dir(folder.path("")).unwrap().count();
    assert_eq!(left, 2, "no temporary file is left behind");
}

/// The program while it watches. It is ended when the test fails, too.
struct Watching {
    child: Child,
    reports: std::io::Lines<BufReader<std::process::ChildStdout>>,
}

impl Watching {
    fn start(folder: &Folder, args: &[&str]) -> Self {
        let args = [&["check", "--watch", "--format", "json"], args].concat();
        let mut child = support::command(&folder.path(""), &args).spawn().unwrap();
        let reports = BufReader::new(child.stdout.take().unwrap()).lines();
        Watching { child, reports }
    }

    /// Waits for the next report and gives its number of errors.
    fn errors(&mut self) -> u64 {
        let line = self.reports.next().expect("a further report").unwrap();
        let report: serde_json::Value = serde_json::from_str(&line).unwrap();
        report["errors"].as_u64().unwrap()
    }

    /// Waits until a report has this many errors: one change may be seen as several.
    fn wait_for(&mut self, errors: u64) {
        while self.errors() != errors {}
    }

    /// Sends what Ctrl-C sends, and gives the exit code.
    fn interrupt(mut self) -> Option<i32> {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        self.child.wait().unwrap().code()
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(unix)]
#[test]
fn a_watched_file_is_checked_again_until_the_user_has_enough() {
    let folder = Folder::with(&[("windlass.yaml", GOOD)]);
    let mut watching = Watching::start(&folder, &["windlass.yaml"]);
    assert_eq!(watching.errors(), 0);
    folder.write("windlass.yaml", broken("type: job }", "type: jib }"));
    watching.wait_for(1);
    // Editors replace a file by renaming another one.
    folder.write("new.yaml", GOOD);
    std::fs::rename(folder.path("new.yaml"), folder.path("windlass.yaml")).unwrap();
    watching.wait_for(0);
    folder.write("windlass.toml", "[chek]\n");
    watching.wait_for(1);
    assert_eq!(watching.interrupt(), Some(0));
}

#[cfg(unix)]
#[test]
fn a_watched_folder_notices_new_files() {
    let folder = Folder::with(&[("app/windlass.yaml", GOOD)]);
    let mut watching = Watching::start(&folder, &["."]);
    assert_eq!(watching.errors(), 0);
    folder.write("more/windlass.yaml", broken("type: job }", "type: jib }"));
    watching.wait_for(1);
    std::fs::remove_file(folder.path("more/windlass.yaml")).unwrap();
    watching.wait_for(0);
    assert_eq!(watching.interrupt(), Some(0));
}

#[test]
fn standard_input_cannot_be_watched() {
    assert_eq!(Folder::with(&[]).run(&["check", "-", "--watch"]).code, 2);
}
