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
    // Nobody knows yet what the image will have in it.
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

/// A job that nobody waits for.
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
    // Whoever starts something else does not run it a second time.
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
