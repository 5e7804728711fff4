//! What is told before a project comes up, and how it goes down.

use windlass_run::world::docker::engine::Engine;

use super::{Project, ids};

const CHECKED: &str = r#"services:
  db:
    build: {context: ., dockerfile_inline: "FROM windlass-test:1\nHEALTHCHECK --interval=1s CMD true\n"}
    image: windlass-test-checked:1
    command: sleep 1000
    init: true
  api:
    image: windlass-test:1
    command: sleep 1000
    init: true
    depends_on: {db: {condition: service_healthy}}
"#;

pub(super) fn check_in_image(engine: &Engine) {
    let _ = engine.drop("images", "windlass-test-checked:1");
    let project = Project::new("wlcheck", "compose.yaml", CHECKED);
    // It is not known yet what the image will have in it.
    let (code, said) = project.up(&[]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("assumed db:") && said.contains("done    await_healthy db"), "{said}");
    let (code, said) = project.run(&["down"]);
    assert_eq!(code, 0, "{said}");
    // Now it is there, and has a check.
    let (code, said) = project.up(&[]);
    assert_eq!(code, 0, "{said}");
    assert!(!said.contains("assumed") && said.contains("done    await_healthy db"), "{said}");
    let (code, said) = project.run(&["down"]);
    assert_eq!(code, 0, "{said}");
    let _ = engine.drop("images", "windlass-test-checked:1");
    // An image without one is told before anything runs.
    let none = CHECKED.replace("windlass-test-checked:1", "windlass-test:1");
    let none: Vec<&str> = none.lines().filter(|line| !line.contains("build:")).collect();
    std::fs::write(&project.file, none.join("\n")).unwrap();
    let (code, said) = project.up(&[]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("`api` waits for the health of `db`, and neither the file"), "{said}");
    assert!(ids(engine, "wlcheck").is_empty(), "{said}");
}

const CLASH: &str = r#"services:
  a: {image: "windlass-test:1", command: sleep 1000, init: true, ports: ["127.0.0.1:18775:80"]}
  b: {image: "windlass-test:1", command: sleep 1000, init: true, ports: ["127.0.0.1:18775:80"]}
  c:
    image: windlass-test:1
    command: sleep 1000
    init: true
    ports: ["127.0.0.1:18776:80"]
    deploy: {replicas: 2}
"#;

pub(super) fn told_first(engine: &Engine) {
    let project = Project::new("wltold", "compose.yaml", CLASH);
    let output = project.windlass(&["up", "--dry-run", "--project-name", "wltold"]).output();
    let said = String::from_utf8_lossy(&output.unwrap().stderr).into_owned();
    assert!(said.contains("COMPOSE021") && said.contains("COMPOSE022"), "{said}");
    assert!(ids(engine, "wltold").is_empty(), "nothing ran");
    let mut command = project.windlass(&["up", "--yes", "--detach", "--project-name", "wltold"]);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let place = |text: &str| said.find(text).unwrap_or_else(|| panic!("no `{text}`:\n{said}"));
    for code in ["COMPOSE021", "COMPOSE022"] {
        assert!(place(code) < place("nothing was done"), "{said}");
    }
}

const JOB: &str = r#"services:
  db: {image: "windlass-test:1", command: sleep 1000, init: true}
  job: {image: "windlass-test:1", command: "true", depends_on: [db]}
  api:
    image: windlass-test:1
    command: sleep 1000
    init: true
    depends_on: {job: {condition: service_completed_successfully}}
"#;

pub(super) fn orders_and_orphans(engine: &Engine) {
    let project = Project::new("wlend", "compose.yaml", JOB);
    let (code, said) = project.up(&[]);
    assert_eq!(code, 0, "{said}");
    // A second deployment of the same folder: the file says which is meant.
    let (code, said) = project.run(&["up", "--yes", "--detach", "--project-name", "wlend2"]);
    assert_eq!(code, 0, "{said}");
    let file = format!("name: wlend2\n{JOB}");
    std::fs::write(&project.file, file).unwrap();
    let (code, said) = project.run(&["down"]);
    assert_eq!(code, 0, "{said}");
    assert!(ids(engine, "wlend2").is_empty(), "{said}");
    // A service that the file has no more.
    let less: Vec<&str> = JOB.lines().filter(|line| !line.contains("  job:")).collect();
    let less =
        less.join("\n").replace("{job: {condition: service_completed_successfully}}", "[db]");
    std::fs::write(&project.file, format!("name: wlend\n{less}\n")).unwrap();
    let (code, said) = project.up(&[]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("orphan  wlend-job-1") || said.contains("orphan  job-1"), "{said}");
    let (code, said) = project.run(&["down"]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("it stays (--remove-orphans)"), "{said}");
    assert!(said.contains("network wlend_default: it stays"), "{said}");
    assert_eq!(ids(engine, "wlend").len(), 1, "{said}");
    let (code, said) = project.run(&["down", "--remove-orphans"]);
    assert_eq!(code, 0, "{said}");
    assert!(ids(engine, "wlend").is_empty(), "{said}");
    assert!(engine.look("networks", "wlend_default").is_err(), "{said}");
}

pub(super) fn through_jobs(engine: &Engine) {
    let project = Project::new("wljobs", "compose.yaml", JOB);
    let (code, said) = project.up(&[]);
    assert_eq!(code, 0, "{said}");
    let (code, said) = project.run(&["down"]);
    assert_eq!(code, 0, "{said}");
    let place = |text: &str| said.find(text).unwrap_or_else(|| panic!("no `{text}`:\n{said}"));
    assert!(place("done    stop api") < place("start   stop db"), "{said}");
    assert!(ids(engine, "wljobs").is_empty(), "{said}");
}

/// A job that no service waits for.
const LOOSE: &str = r#"services:
  job: {image: "windlass-test:1", command: "true"}
  api: {image: "windlass-test:1", command: sleep 1000, init: true}
"#;

pub(super) fn loose_job(engine: &Engine) {
    let project = Project::new("wlloose", "compose.yaml", LOOSE);
    let (code, said) = project.up(&[]);
    assert_eq!(code, 0, "{said}");
    let job = || engine.inspect("wlloose-job-1").unwrap();
    for _ in 0..50 {
        if !job().is_running() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    let (code, said) = project.run(&["status"]);
    assert!(code == 0 && said.contains("ended") && !said.contains("DRIFT"), "{said}");
    // Starting something else does not run it a second time.
    let begun = job().started_at;
    let file = project.file.to_str().unwrap();
    for words in [["restart", "api"], ["scale", "api=2"]] {
        let mut command = project.bare();
        let output = command.args(words).args(["--app", file, "--detach"]).output().unwrap();
        assert!(output.status.success(), "{words:?}: {output:?}");
        assert_eq!(job().started_at, begun, "{words:?}: {output:?}");
    }
    assert!(engine.inspect("wlloose-api-2").unwrap().is_running());
    let (code, said) = project.run(&["down"]);
    assert_eq!(code, 0, "{said}");
    assert!(ids(engine, "wlloose").is_empty(), "{said}");
}

/// A service whose health is waited for, and that ends well after a moment.
const BRIEF: &str = r#"services:
  db:
    image: windlass-test:1
    command: sleep 3
    init: true
    healthcheck: {test: ["CMD", "true"], interval: 1s}
  api:
    image: windlass-test:1
    command: sleep 1000
    init: true
    depends_on: {db: {condition: service_healthy}}
"#;

pub(super) fn ended_dependency(engine: &Engine) {
    let project = Project::new("wlbrief", "compose.yaml", BRIEF);
    let (code, said) = project.up(&[]);
    assert_eq!(code, 0, "{said}");
    let look = |name: &str| engine.inspect(name).unwrap();
    let until_ended = || {
        let looks = (0..100).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(100));
            !look("wlbrief-db-1").is_running()
        });
        assert!(looks, "db goes on");
    };
    until_ended();
    // As with Compose: who needed it is restarted, and it stays as it is.
    let (begun, before) = (look("wlbrief-db-1").started_at, look("wlbrief-api-1").started_at);
    for words in [["restart", "api"], ["scale", "api=2"]] {
        let mut command = project.bare();
        let output = command.args(words).args(["--app", ".", "--detach"]).output().unwrap();
        assert!(output.status.success(), "{words:?}: {output:?}");
        assert_eq!(look("wlbrief-db-1").started_at, begun, "{words:?}: {output:?}");
    }
    assert!(look("wlbrief-api-1").is_running() && look("wlbrief-api-2").is_running());
    assert_ne!(look("wlbrief-api-1").started_at, before);
    let mut command = project.bare();
    let output = command.args(["resume", ".", "--detach"]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    // Who names it runs it again.
    let mut command = project.bare();
    let output = command.args(["restart", "db", "--app", ".", "--detach"]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_ne!(look("wlbrief-db-1").started_at, begun, "{output:?}");
    // What was taken over when it had ended already is not waited for either.
    until_ended();
    std::fs::remove_dir_all(project.folder.path().join(".windlass")).unwrap();
    let (code, said) = project.up(&["--adopt"]);
    assert_eq!(code, 0, "{said}");
    let (begun, before) = (look("wlbrief-db-1").started_at, look("wlbrief-api-1").started_at);
    let mut command = project.bare();
    let output = command.args(["restart", "api", "--app", ".", "--detach"]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(look("wlbrief-db-1").started_at, begun, "{output:?}");
    assert_ne!(look("wlbrief-api-1").started_at, before, "{output:?}");
}

/// Whatever ends before it is healthy is started once more when its run is resumed.
pub(super) fn health_again(engine: &Engine) {
    let text = BRIEF.replace("sleep 3", "sh -c \"test ! -f /f/ok || exec sleep 1000\"");
    let text = text.replace("    healthcheck", "    volumes: [\"./f:/f\"]\n    healthcheck");
    let text = text.replace("\"CMD\", \"true\"", "\"CMD\", \"test\", \"-f\", \"/f/ok\"");
    let project = Project::new("wlagain", "compose.yaml", &text);
    let (code, said) = project.run(&["up", "--yes", "--detach", "--project-name", "wlagain"]);
    assert_eq!(code, 4, "{said}");
    assert!(said.contains("`await_healthy db` failed"), "{said}");
    std::fs::write(project.folder.path().join("f/ok"), "").unwrap();
    let mut command = project.bare();
    let output = command.args(["resume", ".", "--detach"]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(engine.inspect("wlagain-api-1").unwrap().is_running(), "{output:?}");
}

const MIGRATION: &str = r#"services:
  mig: {image: "windlass-test:1", command: sh -c "echo trying; test -f /f/ok", volumes: ["./f:/f"]}
  api:
    image: windlass-test:1
    command: sleep 1000
    init: true
    depends_on: {mig: {condition: service_completed_successfully}}
"#;

pub(super) fn job_again(engine: &Engine) {
    let project = Project::new("wljob", "compose.yaml", MIGRATION);
    let (code, said) = project.up(&[]);
    assert_eq!(code, 4, "{said}");
    assert!(said.contains("`await_completed mig` failed"), "{said}");
    std::fs::write(project.folder.path().join("f/ok"), "").unwrap();
    // The cause is gone: the job is run once more, and what waited for it comes up.
    let (code, said) = project.run(&["resume", "--detach"]);
    assert_eq!(code, 0, "{said}");
    assert!(engine.inspect("wljob-api-1").unwrap().is_running(), "{said}");
    assert_eq!(engine.inspect("wljob-mig-1").unwrap().exit_code, 0, "{said}");
}

const ONE: &str = r#"services:
  web: {image: "windlass-test:1", command: sleep 1000, init: true, ports: ["127.0.0.1:18431:80"]}
  api: {image: "windlass-test:1", command: sleep 1000, init: true, env_file: [OUTSIDE]}
"#;

pub(super) fn only_one(engine: &Engine) {
    let outside = tempfile::tempdir().unwrap();
    let variables = outside.path().join("wlone.env");
    let text = ONE.replace("OUTSIDE", &variables.display().to_string());
    let project = Project::new("wlone", "compose.yaml", &text);
    let (code, said) = project.up(&[]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("`env_file` of `api`") && said.contains("it is not there"), "{said}");
    assert!(ids(engine, "wlone").is_empty(), "{said}");
    std::fs::write(variables, "Z=1\n").unwrap();
    let (code, said) = project.up(&[]);
    assert_eq!(code, 0, "{said}");
    let scale = |what: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_windlass"));
        let app = project.file.display().to_string();
        command.args(["scale", what, "--app", &app, "--detach"]).current_dir(project.folder.path());
        command.output().unwrap()
    };
    // A port of the host is there once: nothing is tried.
    let refused = scale("web=2");
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(1), "{said}");
    assert!(said.contains("it has the port 18431 of the host"), "{said}");
    assert_eq!(scale("api=2").status.code(), Some(0));
    // An instance and its container have the same number.
    let started = |name: &str| engine.inspect(name).unwrap().started_at;
    let before = (started("wlone-api-1"), started("wlone-api-2"));
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_windlass"));
    let app = project.file.display().to_string();
    command.args(["restart", "api-2", "--app", &app, "--detach"]);
    assert!(command.current_dir(project.folder.path()).status().unwrap().success());
    assert_eq!(started("wlone-api-1"), before.0);
    assert_ne!(started("wlone-api-2"), before.1);
}
