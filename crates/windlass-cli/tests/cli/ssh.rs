//! Commands and processes of another host, which is this machine behind an ssh server of the test's
//! own: another port, other keys, another home. Without `sshd` the test says that it was skipped.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test may panic"
)]

use std::io::{BufRead as _, BufReader};
use std::process::{ChildStderr, Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::support::sshd::{Server, server};
use crate::support::{is_alive, kill};

const APPLICATION: &str = "
windlass: 1
name: afar
types:
  store:
    capabilities: [data]
    operations:
      prepare: { run: { shell: 'echo prepare $WINDLASS_INSTANCE; sleep 1; echo prepare >> done' } }
      start: {}
      stop: { run: { shell: 'echo stop $TOKEN >> done', environment: { TOKEN: { secret: token } } } }
    protocol:
      initial: absent
      states:
        absent: {}
        prepared: {}
        running:
          offers: [data]
          on_crash: prepared
          process:
            run: { shell: 'echo I run; exec sleep 1020' }
            health: { run: [test, -e, done] }
      transitions:
        - { from: absent, operation: prepare, to: prepared }
        - { from: prepared, operation: start, to: running }
        - { from: running, operation: stop, to: prepared }
      up: [prepare, start]
  api:
    requirements: { data: replica_unaware }
    protocol:
      initial: off
      states:
        off: {}
        running: { requires: [data], on_fault: [off], process: [sleep, '1021'] }
      transitions:
        - { from: off, operation: start, to: running, requires: [data], on_fault: [off] }
        - { from: running, operation: stop, to: off }
      up: [start]
nodes:
  store: { type: store, host: far }
  api: { type: api, bind: { data: store.data } }
";

const UP: &[&str] =
    &["up", "windlass.yaml", "--world", "ssh", "--ssh-config", "ssh_config", "--yes", "--detach"];

#[test]
fn a_process_of_another_host_is_started_observed_and_stopped() {
    let Some(server) = server(&[("windlass.yaml", APPLICATION)]) else { return };
    let folder = &server.folder;
    let up = folder.run(UP);
    assert_eq!(up.code, 0, "{up:?} {}", folder.read("sshd.log"));
    assert_eq!(folder.read("home/done"), "prepare\n");
    let running = folder.processes();
    assert_eq!(running.len(), 2, "{running:?}");
    assert!(running.values().all(|pid| is_alive(*pid)), "{running:?}");
    let logs = folder.run(&["logs"]);
    assert!(logs.stdout.contains("prepare store"), "{logs:?}");
    assert!(logs.stdout.contains("I run"), "{logs:?}");
    let accepted = folder.read("sshd.log").matches("Accepted publickey").count();
    assert!((1..=3).contains(&accepted), "sessions share a connection: {accepted}");

    // It dies while no engine looks; what relied on it, here, follows.
    kill("-9", running["store"]);
    let status = folder.run(&["status"]);
    assert!(status.code == 1 && status.stdout.contains("DRIFT"), "{status:?}");
    let resume = folder.run(&["resume", "--detach"]);
    assert_eq!(resume.code, 0, "{resume:?}");
    assert!(resume.stdout.contains("api loses data"), "{resume:?}");
    let again = folder.processes();
    assert!(again.len() == 2 && again["store"] != running["store"], "{again:?}");
    assert_eq!(folder.read("home/done"), "prepare\n", "it was done once");

    folder.write("secrets/token", "hush-hush");
    let down = folder.run(&["down", "--secrets", "secrets"]);
    assert_eq!(down.code, 0, "{down:?}");
    assert_eq!(folder.read("home/done"), "prepare\nstop hush-hush\n");
    assert!(again.values().all(|pid| !is_alive(*pid)), "{again:?}");
    assert!(!down.stdout.contains("hush"), "{down:?}");
}

/// The connections that engines made and that do not end. What an engine has let go of may take
/// an instant to go.
fn connections(server: &Server) -> Vec<String> {
    for _ in 0..100 {
        if connections_now(server).is_empty() {
            return Vec::new();
        }
        thread::sleep(Duration::from_millis(50));
    }
    connections_now(server)
}

fn connections_now(server: &Server) -> Vec<String> {
    let config = server.folder.path("ssh_config").display().to_string();
    let all = Command::new("ps").args(["-eo", "args"]).output().unwrap().stdout;
    let all = String::from_utf8_lossy(&all).into_owned();
    all.lines()
        .filter(|line| line.contains("ssh") && line.contains(&config))
        .map(String::from)
        .collect()
}

#[test]
fn a_host_may_have_its_address_in_the_description_and_connections_end_with_the_engine() {
    let Some(server) = server(&[("windlass.yaml", APPLICATION)]) else { return };
    let folder = &server.folder;
    // No server listens where the configuration leads; the port is in the description.
    let hosts = format!(
        "hosts: {{ rack: {{ slots: 1, address: 'ssh://127.0.0.1:{}' }} }}\n",
        folder.read("port")
    );
    folder.write("windlass.yaml", APPLICATION.replace("host: far", "host: rack") + &hosts);
    let up = folder.run(UP);
    assert_eq!(up.code, 0, "{up:?} {}", folder.read("sshd.log"));
    assert_eq!(folder.read("home/done"), "prepare\n");
    assert_eq!(folder.processes().len(), 2);
    assert_eq!(connections(&server), Vec::<String>::new());
    folder.write("secrets/token", "x");
    let down = folder.run(&["down", "--secrets", "secrets"]);
    assert_eq!(down.code, 0, "{down:?}");
    assert_eq!(connections(&server), Vec::<String>::new());
}

#[test]
fn an_engine_that_stays_sees_a_process_of_another_host_die() {
    let Some(server) = server(&[("windlass.yaml", APPLICATION)]) else { return };
    let folder = &server.folder;
    let mut engine = folder.command(&UP[..UP.len() - 1]).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(engine.stdout.take().unwrap()).lines();
    let mut until = |word: &str| {
        let line = lines.by_ref().map(Result::unwrap).find(|line| line.contains(word));
        line.unwrap_or_else(|| panic!("`{word}` was never said"))
    };
    until("reached");
    let before = folder.processes();
    kill("-9", before["store"]);
    let died = until("died");
    assert!(died.contains("signal 9"), "{died}");
    until("reached");
    let after = folder.processes();
    assert!(after.len() == 2 && after["store"] != before["store"], "{before:?} {after:?}");
    kill("-INT", u64::from(engine.id()));
    assert_eq!(engine.wait().unwrap().code(), Some(130));
    assert!(after.values().all(|pid| is_alive(*pid)), "what runs outlives the engine");
    folder.write("secrets/token", "x");
    assert_eq!(folder.run(&["down", "--secrets", "secrets"]).code, 0);
}

#[test]
fn a_command_of_another_host_outlives_the_engine_and_is_done_once() {
    let Some(server) = server(&[("windlass.yaml", APPLICATION)]) else { return };
    let folder = &server.folder;
    for wait in [100, 500, 900] {
        let mut engine = folder.command(UP).stdout(Stdio::null()).spawn().unwrap();
        thread::sleep(Duration::from_millis(wait));
        engine.kill().unwrap();
        engine.wait().unwrap();
        let mut resume = folder.run(&["resume", "--detach"]);
        if resume.code == 2 {
            // It died before there was anything to resume.
            resume = folder.run(UP);
        }
        assert_eq!(resume.code, 0, "{resume:?}");
        assert_eq!(folder.read("home/done"), "prepare\n", "after {wait} ms: {resume:?}");
        folder.write("secrets/token", "x");
        let down = folder.run(&["down", "--secrets", "secrets"]);
        assert_eq!(down.code, 0, "{down:?}");
        folder.write("home/done", "");
        std::fs::remove_file(folder.path("home/done")).unwrap();
    }
}

#[test]
fn what_takes_too_long_is_stopped_there_and_a_host_that_is_away_is_named() {
    let text = "
windlass: 1
name: slow
types:
  job:
    net:
      places: [off, on]
      initial: [off]
      transitions:
        work: { from: off, to: on, timeout: 1s, run: { shell: 'echo $$ > pid; exec sleep 1022' } }
nodes:
  job: { type: job, host: far }
";
    let Some(server) = server(&[("windlass.yaml", text)]) else { return };
    let folder = &server.folder;
    let up = folder.run(UP);
    assert!(up.code == 4 && up.stdout.contains("took too long"), "{up:?}");
    let pid = folder.read("home/pid").trim().parse().unwrap();
    assert!(!is_alive(pid), "{pid} still runs");
    folder.write("windlass.yaml", text.replace("host: far", "host: gone"));
    let mut arguments = UP.to_vec();
    arguments.extend(["--name", "other"]);
    let up = folder.run(&arguments);
    assert_eq!(up.code, 4, "{up:?}");
    assert!(up.stdout.contains("`gone` cannot be reached"), "{up:?}");
}

/// The first of its lines with these words.
fn line_with(lines: &mut std::io::Lines<BufReader<ChildStderr>>, words: &str) -> String {
    let line = lines.map(Result::unwrap).find(|line| line.contains(words));
    line.unwrap_or_else(|| panic!("`{words}` was never said"))
}

#[test]
fn a_host_that_is_gone_is_named_and_what_runs_there_is_neither_dead_nor_reached() {
    let Some(mut server) = server(&[("windlass.yaml", APPLICATION)]) else { return };
    assert_eq!(server.folder.run(UP).code, 0);
    let before = server.folder.processes();
    server.stop();
    let folder = &server.folder;

    // The host cannot be asked, and nothing reports that the process is there.
    let resume = folder.run(&["resume", "--detach"]);
    assert_eq!(resume.code, 4, "{resume:?}");
    assert!(!resume.stdout.contains("reached"), "{resume:?}");
    assert!(resume.stderr.contains("`far` cannot be reached"), "{resume:?}");
    assert!(resume.stderr.contains("it is asked again"), "{resume:?}");
    assert!(resume.stderr.contains("whether the process of store runs"), "{resume:?}");
    assert!(resume.stderr.contains("windlass resume"), "{resume:?}");
    assert!(before.values().all(|pid| is_alive(*pid)), "{before:?}");

    // The operator is heard while the host is asked.
    for signal in ["-INT", "-TERM", "-HUP"] {
        let mut engine = folder.command(&["resume"]).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(engine.stderr.take().unwrap()).lines();
        line_with(&mut lines, "it is asked again");
        kill(signal, u64::from(engine.id()));
        let output = engine.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{output:?}");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(!said.contains("reached"), "{said}");
    }

    // An engine that stays waits until the host answers, and finds what runs there.
    let mut engine = folder.command(&["resume"]).stderr(Stdio::piped()).spawn().unwrap();
    let mut errors = BufReader::new(engine.stderr.take().unwrap()).lines();
    line_with(&mut errors, "it is asked again");
    server.start_again();
    let folder = &server.folder;
    let mut lines = BufReader::new(engine.stdout.take().unwrap()).lines();
    let reached = lines.by_ref().map(Result::unwrap).find(|line| line.contains("reached"));
    assert!(reached.is_some());
    line_with(&mut errors, "answers again");
    assert_eq!(folder.processes(), before, "nothing was started twice");
    kill("-INT", u64::from(engine.id()));
    assert_eq!(engine.wait().unwrap().code(), Some(130));
    folder.write("secrets/token", "x");
    assert_eq!(folder.run(&["down", "--secrets", "secrets"]).code, 0);
}

#[test]
fn what_was_under_way_on_a_host_that_is_gone_is_not_done_again() {
    let idempotent = "prepare: { effect: idempotent, run:";
    let text = APPLICATION.replace("prepare: { run:", idempotent);
    let Some(mut server) = server(&[("windlass.yaml", &text)]) else { return };
    let mut engine = server.folder.command(UP).stderr(Stdio::null()).spawn().unwrap();
    let lines = BufReader::new(engine.stdout.take().unwrap()).lines();
    lines.map(Result::unwrap).find(|line| line.contains("prepare")).expect("it begins");
    engine.kill().unwrap();
    engine.wait().unwrap();
    server.stop();
    let resume = server.folder.run(&["resume", "--detach"]);
    assert_eq!(resume.code, 4, "{resume:?}");
    assert!(resume.stderr.contains("it is unknown what became of"), "{resume:?}");
    assert!(resume.stderr.contains("at the host far"), "{resume:?}");
    server.start_again();
    let folder = &server.folder;
    assert_eq!(folder.run(&["resume", "--detach"]).code, 0);
    folder.write("secrets/token", "x");
    assert_eq!(folder.run(&["down", "--secrets", "secrets"]).code, 0);
}

#[test]
fn status_tells_what_it_knows_when_a_host_is_gone() {
    let Some(mut server) = server(&[("windlass.yaml", APPLICATION)]) else { return };
    assert_eq!(server.folder.run(UP).code, 0);
    let before = server.folder.processes();
    server.stop();
    let folder = &server.folder;
    let status = folder.run(&["status"]);
    assert_eq!(status.code, 1, "{status:?}");
    assert!(status.stdout.contains("unknown: the host far does not answer"), "{status:?}");
    assert!(status.stdout.contains(&format!("process {} runs", before["api"])), "{status:?}");
    assert!(!status.stdout.contains("DRIFT"), "{status:?}");
    let status = folder.run(&["status", "--format", "json"]);
    assert_eq!(status.code, 1, "{status:?}");
    let report: serde_json::Value = serde_json::from_str(&status.stdout).unwrap();
    assert_eq!(report["drift"], false);
    let one = |name: &str| {
        let mut all = report["instances"].as_array().unwrap().iter();
        all.find(|it| it["instance"] == name).unwrap()
    };
    assert_eq!(one("store")["unreachable"], "far");
    assert_eq!(one("store")["process"], serde_json::Value::Null);
    assert_eq!(one("store")["state"], "running");
    assert_eq!(one("api")["unreachable"], serde_json::Value::Null);
    assert_eq!(one("api")["process"], true);
    server.start_again();
    let folder = &server.folder;
    let status = folder.run(&["status"]);
    assert_eq!(status.code, 0, "{status:?}");
    assert_eq!(folder.processes(), before);
    folder.write("secrets/token", "x");
    assert_eq!(folder.run(&["down", "--secrets", "secrets"]).code, 0);
}
