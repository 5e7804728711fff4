//! The page about running an application: what it shows is what happens.
//!
//! The example runs on ports of its own here; times, durations and numbers of processes are masked.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Lines};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, Command, Stdio};

const PORTS: [&str; 3] = ["18431", "18432", "18433"];

fn repository() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// The blocks of the page, masked.
fn page() -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(repository().join("docs/running.md")).unwrap();
    let blocks = text.split("```console\n").skip(1);
    let block = |block: &str| block.split("```").next().unwrap().lines().map(masked).collect();
    blocks.map(block).collect()
}

/// A line without what differs from run to run.
fn masked(line: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut before = "";
    for word in line.split(' ') {
        let is_time = word.len() == 8 && word.matches(':').count() == 2;
        let is_number = word.chars().all(|c| c.is_ascii_digit()) && before == "process";
        let is_duration = word.starts_with('(') && word.contains('.');
        words.push(if is_time || is_number || is_duration { "~".into() } else { word.into() });
        before = word;
    }
    words.join(" ")
}

/// A copy of the example on free ports, and these ports.
fn guestbook() -> (tempfile::TempDir, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let free: Vec<TcpListener> =
        PORTS.iter().map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    let free: Vec<String> =
        free.iter().map(|it| it.local_addr().unwrap().port().to_string()).collect();
    for file in ["windlass.yaml", "store.pl", "api.pl", "front.pl"] {
        let mut text =
            std::fs::read_to_string(repository().join("examples/guestbook").join(file)).unwrap();
        for (port, free) in PORTS.iter().zip(&free) {
            text = text.replace(port, free);
        }
        std::fs::write(folder.path().join(file), text).unwrap();
    }
    (folder, free)
}

fn windlass(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_windlass"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    command
}

/// What a command prints, with the ports of the page.
fn said(folder: &Path, arguments: &[&str], free: &[String]) -> Vec<String> {
    let output = windlass(folder, arguments).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    text.lines().map(|line| as_on_page(line, free)).collect()
}

fn as_on_page(line: &str, free: &[String]) -> String {
    let mut line = line.to_owned();
    for (port, free) in PORTS.iter().zip(free) {
        line = line.replace(free.as_str(), port);
    }
    masked(&line)
}

/// The lines of an engine up to the goal.
fn until_reached(lines: &mut Lines<BufReader<ChildStdout>>, free: &[String]) -> Vec<String> {
    let mut seen = Vec::new();
    for line in lines {
        seen.push(as_on_page(&line.unwrap(), free));
        if seen.last().is_some_and(|line| line.ends_with("reached")) {
            return seen;
        }
    }
    panic!("the goal was not reached: {seen:#?}");
}

/// Without the line that shows the command.
fn shown(block: &[String], command: &str) -> Vec<String> {
    assert_eq!(block[0], format!("$ windlass {command}"));
    block[1..].to_vec()
}

/// The number of the process of an instance.
fn process(folder: &Path, instance: &str) -> u64 {
    let output = windlass(folder, &["status", "--format", "json"]).output().unwrap();
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let instances = report["instances"].as_array().unwrap();
    let found = instances.iter().find(|it| it["instance"] == instance).unwrap();
    found["pid"].as_u64().unwrap()
}

#[test]
fn the_page_shows_what_happens() {
    let (folder, free) = guestbook();
    let folder = folder.path();
    let page = page();
    let [dry, up, status, fault, down] = page.as_slice() else { panic!("other blocks: {page:?}") };
    let dry_run = ["up", "windlass.yaml", "--dry-run"];
    assert_eq!(said(folder, &dry_run, &free), shown(dry, "up windlass.yaml --dry-run"));
    let mut engine = windlass(folder, &["up", "windlass.yaml", "--yes"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(engine.stdout.take().unwrap()).lines();
    assert_eq!(until_reached(&mut lines, &free), shown(up, "up windlass.yaml --yes"));
    assert_eq!(said(folder, &["status"], &free), shown(status, "status"));
    let store = process(folder, "store");
    let signal = |signal: &str, pid: u64| {
        assert!(Command::new("kill").args([signal, &pid.to_string()]).status().unwrap().success());
    };
    signal("-9", store);
    // What happens at once has no order among itself.
    let sorted = |lines: &[String]| lines.iter().cloned().collect::<BTreeSet<String>>();
    let handled = until_reached(&mut lines, &free);
    assert_eq!(handled.len(), fault.len(), "{handled:#?}");
    assert_eq!(sorted(&handled), sorted(fault));
    assert_ne!(process(folder, "store"), store);
    signal("-INT", u64::from(engine.id()));
    assert_eq!(engine.wait().unwrap().code(), Some(130));
    assert_eq!(said(folder, &["down"], &free), shown(down, "down"));
}
