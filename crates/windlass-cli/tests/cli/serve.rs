//! `windlass serve` from outside: who is answered, what is answered, and what is refused.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::support;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::support::served::Served;
use serde_json::{Value, json};

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

const FILE: &str = "windlass.yaml";

#[test]
fn a_request_without_the_token_is_refused() {
    let served = Served::start(&example("thinking"), &[]);
    let wrong = format!("Bearer {}", "0".repeat(64));
    let cookie = format!("token={}", served.token);
    for headers in [&[][..], &[("Authorization", &*wrong)], &[("Cookie", &*cookie)]] {
        for (method, path) in [("GET", "/api/session"), ("POST", "/api/text"), ("GET", "/api/none")]
        {
            let reply = served.request(method, path, headers, "{}");
            assert_eq!(reply.status, 401, "{method} {path}: {}", reply.body);
            assert!(!reply.body.contains("thinking"), "{}", reply.body);
        }
    }
    // In the address it does not count either: addresses are logged.
    let path = format!("/api/session?token={}", served.token);
    assert_eq!(served.request("GET", &path, &[], "").status, 401);
    assert_eq!(served.session()["folder"], "thinking");
}

#[test]
fn another_page_or_another_host_is_refused_even_with_the_token() {
    let served = Served::start(&example("thinking"), &[]);
    let bearer = served.bearer();
    let own = format!("http://127.0.0.1:{}", served.port);
    let ask = |extra: (&str, &str)| {
        served.request("GET", "/api/session", &[("Authorization", &bearer), extra], "").status
    };
    assert_eq!(ask(("Origin", &own)), 200);
    assert_eq!(ask(("Origin", "http://evil.example")), 403);
    assert_eq!(ask(("Origin", "null")), 403);
    assert_eq!(ask(("Sec-Fetch-Site", "cross-site")), 403);
    assert_eq!(ask(("Host", "evil.example")), 421);
    let rebound = format!("evil.example:{}", served.port);
    assert_eq!(ask(("Host", &rebound)), 421);
    // Pages are refused as well: a page under a foreign name would run with that name.
    assert_eq!(served.request("GET", "/", &[("Host", &rebound)], "").status, 421);
}

#[test]
fn every_answer_forbids_inline_scripts_and_frames() {
    let served = Served::start(&example("thinking"), &[]);
    for path in ["/", "/api/session", "/none.js"] {
        let head = served.request("GET", path, &[], "").head;
        let policy = head.lines().find(|line| line.starts_with("content-security-policy")).unwrap();
        assert!(policy.contains("default-src 'none'"), "{policy}");
        let scripts = policy.split(';').find(|part| part.trim().starts_with("script-src")).unwrap();
        assert_eq!(scripts.trim(), "script-src 'self'");
        assert!(policy.contains("frame-ancestors 'none'"));
        assert!(head.contains("x-content-type-options: nosniff"));
    }
}

#[test]
fn only_opened_files_and_their_imports_are_read() {
    let folder = support::Folder::with(&[
        ("in/compose.yaml", "include: [part.yaml]\nservices: { web: { image: a } }\n"),
        ("in/part.yaml", "services: { db: { image: b } }\n"),
        ("in/notes.txt", "private\n"),
        ("secret.yaml", "services: { x: { image: secret } }\n"),
    ]);
    let served = Served::start(&folder.path("in/compose.yaml"), &["--edit"]);
    let text = |file: &str| served.ask("/api/text", &json!({ "file": file }));
    assert!(text("compose.yaml").body.contains("include"));
    assert!(text("part.yaml").body.contains("db"), "{}", text("part.yaml").body);
    let absolute = folder.path("secret.yaml").display().to_string();
    let traversals =
        ["../secret.yaml", "./../secret.yaml", "notes.txt", &*absolute, "/etc/passwd", "", "."];
    for file in traversals {
        for path in ["/api/text", "/api/check", "/api/model"] {
            let reply = served.ask(path, &json!({ "file": file }));
            assert_eq!(reply.status, 404, "{path} {file}: {}", reply.body);
        }
        let save = json!({ "file": file, "was": "private\n", "text": "gone" });
        assert_eq!(served.ask("/api/save", &save).status, 404, "{file}");
    }
    for path in
        ["/../Cargo.toml", "/..%2f..%2fCargo.toml", "/assets/../../Cargo.toml", "//etc/passwd"]
    {
        let reply = served.request("GET", path, &[], "");
        assert_eq!(reply.status, 404, "{path}: {}", reply.body);
    }
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_out_of_the_folder_leads_nowhere() {
    let folder = support::Folder::with(&[
        ("in/windlass.yaml", "windlass: 1\nname: a\ntypes: {}\nnodes: {}\n"),
        ("secret.yaml", "windlass: 1\nname: secret\ntypes: {}\nnodes: {}\n"),
    ]);
    let link = folder.path("in/link.yaml");
    std::os::unix::fs::symlink(folder.path("secret.yaml"), link).unwrap();
    let served = Served::start(&folder.path("in"), &["--edit"]);
    let reply = served.ask("/api/text", &json!({ "file": "link.yaml" }));
    assert!([403, 404].contains(&reply.status), "{}", reply.body);
    assert!(!reply.body.contains("secret\""), "{}", reply.body);
}

#[test]
fn a_huge_request_is_refused() {
    let served = Served::start(&example("thinking"), &[]);
    let text = "a".repeat(5 << 20);
    let reply = served.ask("/api/check", &json!({ "file": FILE, "text": text }));
    assert!([413, 0].contains(&reply.status), "{}", reply.body);
    assert_eq!(served.session()["folder"], "thinking");
}

/// The claim alone is refused: nothing is read, nothing is waited for, nothing is kept.
#[test]
fn a_request_that_announces_too_much_is_not_waited_for() {
    let served = Served::start(&example("thinking"), &[]);
    let claim = |token: &str, length: &str| {
        let mut stream = TcpStream::connect(("127.0.0.1", served.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let request = format!(
            "POST /api/check HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{{",
            served.port
        );
        stream.write_all(request.as_bytes()).unwrap();
        // The connection stays open on this side, and the answer comes all the same.
        let mut start = [0_u8; 12];
        stream.read_exact(&mut start).unwrap();
        String::from_utf8_lossy(&start).into_owned()
    };
    let begun = Instant::now();
    assert_eq!(claim(&served.token, "99999999999999"), "HTTP/1.1 413");
    assert_eq!(claim(&served.token, "4194305"), "HTTP/1.1 413");
    assert_eq!(claim("wrong", "99999999999999"), "HTTP/1.1 401");
    assert_eq!(claim(&served.token, "-1"), "HTTP/1.1 400");
    assert_eq!(claim(&served.token, "18446744073709551617"), "HTTP/1.1 400");
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    assert_eq!(served.session()["folder"], "thinking");
}

#[test]
fn a_request_in_pieces_without_an_end_is_cut_off() {
    let served = Served::start(&example("thinking"), &[]);
    let mut stream = TcpStream::connect(("127.0.0.1", served.port)).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let head = format!(
        "POST /api/check HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: {}\r\n\
         Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
        served.port,
        served.bearer()
    );
    stream.write_all(head.as_bytes()).unwrap();
    let piece = format!("10000\r\n{}\r\n", "a".repeat(0x10000));
    let sent = (0..200).take_while(|_| stream.write_all(piece.as_bytes()).is_ok()).count();
    let mut reply = Vec::new();
    let _ = stream.read_to_end(&mut reply);
    let reply = String::from_utf8_lossy(&reply);
    // 200 pieces are 13 MB; the server reads 4 MiB and says so, or is gone before we could read.
    assert!(reply.is_empty() || reply.starts_with("HTTP/1.1 413"), "{sent}: {reply}");
    assert_eq!(served.session()["folder"], "thinking");
}

#[test]
fn a_script_in_a_name_comes_back_as_data() {
    let name = "<script>alert(1)</script>";
    let served = Served::start(&example("thinking"), &[]);
    let text = format!(
        "windlass: 1\nname: a\ntypes:\n  t:\n    protocol:\n      initial: off\n      \
         states: {{ off: {{}} }}\n      transitions: []\nnodes:\n  \"{name}\": {{ type: t }}\n"
    );
    let reply = served.ask("/api/model", &json!({ "file": FILE, "text": text }));
    assert_eq!(reply.status, 200, "{}", reply.body);
    assert!(reply.head.contains("content-type: application/json"), "{}", reply.head);
    assert!(reply.head.contains("nosniff"));
}

#[test]
fn files_are_saved_as_a_whole_with_edit_only_and_never_over_another_change() {
    let before = "windlass: 1\nname: a\ntypes: {}\nnodes: {}\n";
    let folder = support::Folder::with(&[("windlass.yaml", before)]);
    let path = folder.path(FILE);
    let after = before.replace("name: a", "name: b");
    let save = json!({ "file": FILE, "was": before, "text": after });
    let reading = Served::start(&folder.path(""), &[]);
    assert_eq!(reading.ask("/api/save", &save).status, 403);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), before);
    let editing = Served::start(&folder.path(""), &["--edit"]);
    assert_eq!(editing.ask("/api/save", &save).status, 200);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), after);
    assert_eq!(editing.ask("/api/save", &save).status, 409);
    assert_eq!(std::fs::read_dir(folder.path("")).unwrap().count(), 1);
}

#[test]
fn answers_are_those_of_the_commands() {
    let served = Served::start(&example("thinking"), &[]);
    let text = |file: &str| {
        served.ask("/api/text", &json!({ "file": file })).json()["text"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let (plan, state) = (text("reconfigure.plan.yaml"), text("running.state.yaml"));
    let asked = json!({ "file": FILE, "plan": plan, "state": state });
    let verdict = served.ask("/api/verify", &asked).json();
    assert_eq!(verdict["exit"], 1);
    assert_eq!(verdict["answer"]["verdict"], "weakly_valid");
    assert!(!verdict["answer"]["repair"].as_array().unwrap().is_empty());
    let goal = "api=running*3";
    let asked = json!({ "file": FILE, "state": state, "goal": goal });
    let found = served.ask("/api/plan", &asked).json();
    let printed = Command::new(env!("CARGO_BIN_EXE_windlass"))
        .current_dir(example("thinking"))
        .args(["plan", FILE, "--state=running.state.yaml", "--format=json", "--goal", goal])
        .output()
        .unwrap();
    let printed: Value = serde_json::from_slice(&printed.stdout).unwrap();
    assert_eq!(found["answer"], printed);
    let broken = text(FILE).replace("initial: stopped", "initial: stoped");
    let findings = served.ask("/api/check", &json!({ "file": FILE, "text": broken })).json();
    assert_eq!(findings["answer"]["findings"][0]["file"], FILE);
    assert!(findings["answer"]["errors"].as_u64() > Some(0));
}

#[test]
fn steps_tell_what_can_be_done_and_write_no_file() {
    let served = Served::start(&example("thinking"), &[]);
    let state = served.ask("/api/text", &json!({ "file": "running.state.yaml" })).json();
    let step = |lines: &[&str]| {
        let asked = json!({ "file": FILE, "state": state["text"], "lines": lines });
        served.ask("/api/step", &asked)
    };
    let after = step(&["start g1 stop", "end g1"]).json();
    let answers = after["answers"].as_array().unwrap();
    assert_eq!(answers.len(), 3, "{after}");
    assert_eq!(answers[1]["state"]["g1"], "configured");
    let options = answers[2]["options"].as_array().unwrap();
    let option = |command: &str| {
        options.iter().find(|option| option["command"] == command).unwrap_or(&Value::Null)
    };
    assert_eq!(option("start g1 start")["blocked"], Value::Null);
    let reason = option("start g1 stop")["blocked"].as_str().unwrap();
    assert!(reason.contains("exists in `working`"), "{reason}");
    assert!(option("scale-out gui gui-1 in n1").is_object(), "{after}");
    assert!(after["state"].as_str().unwrap().contains("configured"));
    let out = std::env::temp_dir().join("windlass-must-not-be-written");
    let save = format!("save {}", out.display());
    assert_eq!(step(&[&save]).status, 400);
    assert_eq!(step(&[&format!("undo\n{save}")]).status, 400);
    assert!(!out.exists());
}

#[test]
fn a_goal_cannot_become_an_option() {
    let served = Served::start(&example("thinking"), &[]);
    let out = std::env::temp_dir().join("windlass-must-not-be-planned");
    for goal in [format!("--output={}", out.display()), "-h".to_owned()] {
        let reply = served.ask("/api/plan", &json!({ "file": FILE, "goal": goal })).json();
        assert_eq!(reply["exit"], 2, "{reply}");
        assert_eq!(reply["answer"], Value::Null);
    }
    assert!(!out.exists());
}

#[test]
fn a_run_in_the_simulated_world_is_streamed_to_its_end() {
    let served = Served::start(&example("guestbook"), &[]);
    let reply = served.ask("/api/run", &json!({ "file": FILE, "seed": 3 }));
    assert_eq!(reply.status, 200);
    assert!(reply.head.contains("content-type: text/event-stream"), "{}", reply.head);
    let data: Vec<Value> = reply
        .body
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .map(|data| serde_json::from_str(data).unwrap())
        .collect();
    assert_eq!(data[0]["event"]["kind"], "begun", "{}", reply.body);
    assert_eq!(data.last().unwrap()["exit"], 0, "{}", reply.body);
    assert!(!example("guestbook").join(".windlass").exists());
}

/// Where everything takes as long as it says, what was expected is what happens.
#[test]
fn a_run_in_the_simulated_world_is_beside_its_prediction() {
    let served = Served::start(&example("openstack"), &[]);
    let reply = served.ask("/api/run", &json!({ "file": FILE, "seed": 3 }));
    let data = reply.body.lines().filter_map(|line| line.strip_prefix("data: "));
    let data: Vec<Value> = data.map(|data| serde_json::from_str(data).unwrap()).collect();
    let bars = data.iter().find_map(|one| one["bars"].as_array()).unwrap();
    let expected = bars.iter().filter_map(|bar| bar["end"].as_u64()).max().unwrap();
    let happened = data.iter().filter_map(|one| one["at_ms"].as_u64()).max().unwrap();
    assert!(expected > 0, "{}", reply.body);
    assert_eq!(expected, happened);
}
