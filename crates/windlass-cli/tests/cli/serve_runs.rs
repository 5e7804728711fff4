//! `windlass serve` and real deployments: what is executed, by whom, and what is told about it.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::support;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::support::served::Served;
use serde_json::{Value, json};

const FILE: &str = "windlass.yaml";

/// An application that leaves a file, says something, and waits a while.
const APPLICATION: &str = "windlass: 1
name: small
types:
  t:
    operations:
      make: { run: [sh, -c, 'echo hello from make; echo made > made.txt'], effect: idempotent }
      rest: { run: [sh, -c, 'sleep 3; echo rested'], effect: idempotent }
    protocol:
      initial: off
      states: { off: {}, half: {}, on: {} }
      transitions:
        - { from: off, operation: make, to: half }
        - { from: half, operation: rest, to: on }
      up: [make, rest]
nodes:
  one: { type: t }
";

fn ask(served: &Served, path: &str) -> Value {
    served.ask(path, &json!({ "file": FILE })).json()
}

/// Asks until the answer is good, for at most half a minute.
fn wait(mut is_good: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_good() {
        assert!(begun.elapsed() < Duration::from_mins(1), "it never came");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Follows a deployment until an event of this kind has come.
fn watched(served: &Served, last: &str) -> Vec<Value> {
    let mut stream = TcpStream::connect(("127.0.0.1", served.port)).unwrap();
    stream.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
    let body = json!({ "file": FILE }).to_string();
    let request = format!(
        "POST /api/watch HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: {}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        served.port,
        served.bearer(),
        body.len()
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut entries = Vec::new();
    for line in BufReader::new(stream).lines() {
        let line = line.unwrap();
        let Some(data) = line.strip_prefix("data: ") else { continue };
        let data: Value = serde_json::from_str(data).unwrap();
        let is_last = data["event"]["kind"] == last;
        entries.push(data);
        if is_last {
            break;
        }
    }
    entries
}

#[test]
fn nothing_is_executed_without_run() {
    let folder = support::Folder::with(&[(FILE, APPLICATION)]);
    let served = Served::start(&folder.path(""), &["--edit"]);
    assert_eq!(served.session()["run"], false);
    let deploy = json!({ "file": FILE, "verb": "up" });
    let reply = served.ask("/api/deploy", &deploy);
    assert_eq!(reply.status, 403, "{}", reply.body);
    assert!(reply.body.contains("--run"), "{}", reply.body);
    assert_eq!(served.ask("/api/cancel", &json!({ "file": FILE })).status, 403);
    assert_eq!(ask(&served, "/api/status")["exit"], 2);
    assert!(!folder.path("made.txt").exists() && !folder.path(".windlass").exists());
}

#[test]
fn a_deployment_is_started_watched_cancelled_and_resumed() {
    let folder = support::Folder::with(&[(FILE, APPLICATION)]);
    let served = Served::start(&folder.path(""), &["--run"]);
    assert_eq!(served.session()["run"], true);
    let deploy = |verb: &str| served.ask("/api/deploy", &json!({ "file": FILE, "verb": verb }));
    assert_eq!(deploy("up").status, 200);
    // One engine at a time.
    assert_eq!(deploy("up").status, 409);
    let entries = watched(&served, "outcome");
    assert!(entries.iter().any(|entry| entry["run"] == 1), "{entries:?}");
    let kinds: Vec<&str> = entries.iter().filter_map(|it| it["event"]["kind"].as_str()).collect();
    assert_eq!(kinds.first(), Some(&"begun"));
    assert!(kinds.contains(&"planned"));
    let predicted = entries.iter().find(|entry| entry["bars"].is_array()).unwrap();
    assert!(!predicted["bars"].as_array().unwrap().is_empty());
    wait(|| folder.path("made.txt").exists());
    // While the second action sleeps, the engine is asked to end.
    assert_eq!(served.ask("/api/cancel", &json!({ "file": FILE })).status, 200);
    wait(|| ask(&served, "/api/status")["answer"]["engine"] == "interrupted");
    assert_eq!(served.ask("/api/cancel", &json!({ "file": FILE })).status, 409);
    assert_eq!(deploy("resume").status, 200);
    let entries = watched(&served, "ended");
    assert_eq!(entries.last().unwrap()["event"]["ending"], "reached", "{entries:?}");
    let status = ask(&served, "/api/status");
    assert_eq!(status["answer"]["instances"][0]["state"], "on", "{status}");
    let label = entries
        .iter()
        .filter_map(|entry| entry["event"]["label"].as_str())
        .find(|label| label.contains("make"))
        .unwrap();
    let logs = served.ask("/api/logs", &json!({ "file": FILE, "action": label })).json();
    assert_eq!(logs["lines"][0]["line"], "hello from make", "{logs}");
    wait(|| served.ask("/api/cancel", &json!({ "file": FILE })).status == 409);
    assert_eq!(deploy("down").status, 200);
    wait(|| ask(&served, "/api/status")["answer"]["instances"] == json!([]));
}

#[test]
fn what_a_request_says_cannot_become_an_option_or_another_file() {
    let folder = support::Folder::with(&[
        ("in/windlass.yaml", APPLICATION),
        ("out/windlass.yaml", APPLICATION),
    ]);
    let served = Served::start(&folder.path("in"), &["--run"]);
    for path in ["/api/deploy", "/api/status", "/api/watch", "/api/logs", "/api/cancel"] {
        for file in ["../out/windlass.yaml", "--help", ""] {
            let mut body = json!({ "file": file });
            if path == "/api/deploy" {
                body["verb"] = json!("up");
            }
            if path == "/api/logs" {
                body["action"] = json!("one");
            }
            assert_eq!(served.ask(path, &body).status, 404, "{path} {file}");
        }
    }
    let unknown = json!({ "file": FILE, "verb": "restart" });
    assert_eq!(served.ask("/api/deploy", &unknown).status, 422);
    let more = json!({ "file": FILE, "verb": "up", "state_dir": "/tmp" });
    assert_eq!(served.ask("/api/deploy", &more).status, 422);
    let action = json!({ "file": FILE, "action": "--state-dir=/tmp" });
    assert_eq!(served.ask("/api/logs", &action).json()["exit"], 2);
    assert!(!folder.path("out/made.txt").exists() && !folder.path("in/made.txt").exists());
}
