//! Every finding says what to do, and has a place; and nothing is waited for that may never come.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]
// Pipes with names are made by a program of the system.
#![cfg(unix)]

use std::process::{Command, Stdio};

use crate::support::Folder;

const GOOD: &str = "services: {a: {image: 'a:1'}}\n";

/// Files that are wrong, each with the code that is found in it.
fn wrong() -> Vec<(&'static str, String, &'static str)> {
    let level =
        |n: usize| format!("  a{n}: &a{n} [{}]\n", vec![format!("*a{}", n - 1); 9].join(","));
    let bomb: String = (1..20).map(level).collect();
    let service = |keys: &str| format!("services:\n  a:\n    image: a:1\n    {keys}\n");
    let texts = [
        ("unclosed", service("command: [a, b"), "YAML001"),
        ("brace", service("labels: {a: b"), "YAML001"),
        ("mixed", service("command: [a}"), "YAML001"),
        ("escape", service("command: \"\\q\""), "YAML001"),
        ("directive", format!("%YAML 9.9.9\n---\n{GOOD}"), "YAML001"),
        ("twice", format!("{GOOD}services: {{}}\n"), "YAML002"),
        ("deep", format!("x-a: {}\n{GOOD}", "[".repeat(300)), "YAML003"),
        ("bomb", format!("{GOOD}x-a:\n  a0: &a0 [x]\n{bomb}"), "YAML004"),
        ("self", format!("x-a: &a [*a]\n{GOOD}"), "YAML006"),
        ("cycle", service("extends: b").replace("services:", CYCLE), "COMPOSE005"),
        ("unknown", service("extends: zzzzzz"), "COMPOSE005"),
        ("whom", service("extends: {}"), "COMPOSE0"),
        ("include", format!("include: [include.yaml]\n{GOOD}"), "COMPOSE006"),
        ("empty", String::new(), "COMPOSE018"),
        ("comment", "# nothing\n".to_owned(), "COMPOSE018"),
        ("null", "~\n".to_owned(), "COMPOSE018"),
        ("list", "- a\n- b\n".to_owned(), "COMPOSE001"),
        ("scalar", "hello\n".to_owned(), "COMPOSE001"),
        ("none", "services:\n".to_owned(), "COMPOSE001"),
        ("lines", service("env_file: bad.env"), "COMPOSE012"),
        ("quotes", service("env_file: quote.env"), "COMPOSE012"),
        ("missing", service("env_file: missing.env"), "COMPOSE012"),
        ("folder", service("env_file: folder"), "COMPOSE012"),
        ("pipe", service("env_file: pipe"), "COMPOSE012"),
        ("large", "#".repeat((64 << 20) + 1), "FILE003"),
    ];
    let top = |keys: &str| format!("{GOOD}{keys}\n");
    let values = [
        ("listed", "services: [a]\n".to_owned(), "COMPOSE001"),
        ("image", "services: {a: nginx}\n".to_owned(), "COMPOSE001"),
        ("number", service("working_dir: 3"), "COMPOSE001"),
        ("word", service("environment: x"), "COMPOSE001"),
        ("one", service("ports: 80"), "COMPOSE001"),
        ("pairs", service("cap_add: {a: b}"), "COMPOSE001"),
        ("nested", service("labels: {a: {b: c}}"), "COMPOSE001"),
        ("range", service("oom_score_adj: 2000"), "COMPOSE001"),
        ("needs", service("develop: {watch: [{action: sync}]}"), "COMPOSE001"),
        ("twins", service("security_opt: [a, a]"), "COMPOSE001"),
        ("strange", service("blkio_config: {weight_device: [{zzz: 1}]}"), "COMPOSE001"),
        ("cast", service("privileged: '${X:-maybe}'"), "COMPOSE003"),
        ("two", top("volumes: {v: {external: true, driver: d}}"), "COMPOSE009"),
        ("secret", top("secrets: {s: {file: f, environment: E}}"), "COMPOSE009"),
        ("content", top("configs: {c: {}}"), "COMPOSE009"),
        ("modes", service("network_mode: host\n    networks: [n]"), "COMPOSE009"),
        ("mount", service("volumes: [{type: bind, target: /x}]"), "COMPOSE009"),
        ("target", service("ports: [{published: '80'}]"), "COMPOSE013"),
        ("address", service("networks: {default: {ipv4_address: x}}"), "COMPOSE013"),
        ("check", service("healthcheck: {test: [RUN, x]}"), "COMPOSE013"),
        ("numbers", service("scale: 2\n    deploy: {replicas: 3}"), "COMPOSE009"),
        ("unused", top("networks: {n: {}}"), "COMPOSE027"),
        ("ignored", service("deploy: {placement: {}}"), "COMPOSE036"),
    ];
    texts.into_iter().chain(values).collect()
}

/// A service that extends back.
const CYCLE: &str = "services:\n  b: {image: 'b:1', extends: a}";

fn folder() -> Folder {
    let folder = Folder::with(&[("bad.env", "A=1\nB C\n"), ("quote.env", "A=\"x\n")]);
    folder.write("folder/x", "");
    for (name, text, _) in wrong() {
        folder.write(&format!("{name}.yaml"), text);
    }
    make_pipe(&folder, "pipe");
    folder
}

fn make_pipe(folder: &Folder, name: &str) {
    assert!(Command::new("mkfifo").arg(folder.path(name)).status().unwrap().success());
}

#[test]
fn every_finding_has_a_hint_and_a_place() {
    let folder = folder();
    for (name, _, code) in wrong() {
        let file = format!("{name}.yaml");
        let args = ["check", "--lang", "compose", &file];
        let report = folder.run(&[&args[..], &["--format", "json"]].concat()).json();
        let findings = report["findings"].as_array().unwrap();
        let has = |it: &serde_json::Value| it["code"].as_str().unwrap().starts_with(code);
        assert!(findings.iter().any(has), "{name}: no {code} in {report}");
        for finding in findings.iter().filter(|it| it["severity"] == "error") {
            assert!(finding["help"].as_str().is_some_and(|it| !it.is_empty()), "{finding}");
            assert!(finding["line"].as_u64() >= Some(1), "{finding}");
        }
        let said = folder.run(&args);
        assert!(said.stdout.contains("help: "), "{name}: {}", said.stdout);
        let place = format!("--> {file}:");
        let is_elsewhere = matches!(name, "lines" | "quotes");
        assert!(is_elsewhere || said.stdout.contains(&place), "{name}: {}", said.stdout);
    }
}

#[test]
fn what_cannot_be_read_is_reported_with_its_code() {
    let folder = folder();
    for (name, code, help) in [
        ("nothing.yaml", "FILE001", "paths start in the folder that you are in"),
        ("pipe", "FILE010", "name a regular file that can be read"),
    ] {
        let said = folder.run(&["check", name]);
        assert_eq!(said.code, 2, "{said:?}");
        assert!(said.stderr.starts_with(&format!("error[{code}]: cannot read `{name}`: ")));
        assert!(said.stderr.contains(&format!("help: {help}\n")), "{said:?}");
        let report = folder.run(&["check", name, "--format", "json"]).json();
        assert_eq!(report["findings"][0]["code"], code, "{report}");
        assert_eq!(report["findings"][0]["help"], help, "{report}");
    }
}

#[test]
fn hints_about_files_of_variables_fit_what_is_wrong() {
    let folder = folder();
    let hint = |file: &str| {
        let report = folder.run(&["check", file, "--format", "json"]).json();
        let all = report["findings"].as_array().unwrap().clone();
        let found = all.into_iter().find(|it| it["code"] == "COMPOSE012").unwrap();
        found["help"].as_str().unwrap().to_owned()
    };
    assert!(hint("missing.yaml").starts_with("make the file"));
    assert_eq!(hint("folder.yaml"), "name a file in it");
    assert_eq!(hint("pipe.yaml"), "name a regular file that can be read");
    assert_eq!(hint("quotes.yaml"), "add the missing quote");
    assert!(hint("lines.yaml").starts_with("write `NAME=value`"));
}

#[test]
fn a_pipe_in_a_folder_is_not_waited_for() {
    let folder = Folder::with(&[("project/compose.yaml", GOOD)]);
    make_pipe(&folder, "project/.env");
    let said = folder.run(&["check", "project/compose.yaml"]);
    assert_eq!(said.code, 1, "{said:?}");
    assert!(said.stdout.contains("COMPOSE012") && said.stdout.contains(".env"), "{said:?}");
    make_pipe(&folder, "compose.yaml");
    for verb in ["check", "plan", "prove", "show"] {
        let said = folder.run(&[verb, "compose.yaml"]);
        assert_eq!(said.code, 2, "{verb}: {said:?}");
        assert!(said.stderr.contains("it is a pipe"), "{verb}: {said:?}");
    }
    make_pipe(&folder, "windlass.toml");
    let said = folder.run(&["check", "project/compose.yaml"]);
    assert!(said.stderr.contains("it is a pipe"), "{said:?}");
}

#[test]
fn pipes_that_a_shell_hands_over_are_read() {
    let folder = Folder::with(&[("compose.yaml", GOOD)]);
    let program = env!("CARGO_BIN_EXE_windlass");
    for line in [
        "cat compose.yaml | \"$0\" check --lang compose -",
        "cat compose.yaml | \"$0\" check --lang compose /dev/stdin",
        "cat compose.yaml | \"$0\" check --lang compose /dev/fd/3 3<&0",
        "ln -s /dev/stdin link; cat compose.yaml | \"$0\" check --lang compose link",
    ] {
        let mut command = Command::new("sh");
        command.args(["-c", line, program]).current_dir(folder.path("")).stdin(Stdio::null());
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{line}: {output:?}");
    }
}
