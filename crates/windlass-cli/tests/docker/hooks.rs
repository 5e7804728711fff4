//! What happens inside containers, and what `up` refuses: hooks, the engine's socket, checks from
//! here, things that no engine does.

use super::{Engine, Project, ids};

const HOOKS: &str = r#"services:
  db:
    image: windlass-test:1
    command: sleep 1000
    init: true
    post_start:
      - command: ["sh", "-c", "echo $$WORD at $$(busybox pwd) > /tmp/greeted"]
        environment: {WORD: hello}
        working_dir: /tmp
    pre_stop:
      - command: sh -c 'echo bye > /kept/bye'
    volumes: ["kept:/kept"]
  api:
    image: windlass-test:1
    command: sh -c "cat /kept/bye; exec sleep 1000"
    init: true
    depends_on: [db]
    volumes: ["kept:/kept"]
volumes: {kept: {}}
"#;

/// What a container wrote.
fn wrote(engine: &Engine, name: &str) -> String {
    let mut bytes = Vec::new();
    let mut body = engine.logs(name, 0, false).unwrap();
    std::io::Read::read_to_end(&mut body, &mut bytes).unwrap();
    String::from_utf8_lossy(&bytes).into_owned()
}

pub(super) fn hooks(engine: &Engine) {
    let project = Project::new("wlhook", "compose.yaml", HOOKS);
    let (code, said) = project.up(&[]);
    assert_eq!(code, 0, "{said}");
    let (code, said) = project.run(&["down"]);
    assert_eq!(code, 0, "{said}");
    // Before it was stopped it left a word, which the next container finds.
    let (code, said) = project.up(&[]);
    assert_eq!(code, 0, "{said}");
    assert!(wrote(engine, "wlhook-api-1").contains("bye"), "{said}");
    // A hook that fails is a failure of its service, and nothing starts after it.
    let bad = HOOKS.replace("echo $$WORD at $$(busybox pwd) > /tmp/greeted", "echo oh no; exit 7");
    let (code, said) = project.run(&["down"]);
    assert_eq!(code, 0, "{said}");
    std::fs::write(&project.file, bad).unwrap();
    let (code, said) = project.up(&[]);
    assert_eq!(code, 4, "{said}");
    assert!(said.contains("ended with exit code 7; it wrote: oh no"), "{said}");
    assert!(!engine.inspect("wlhook-db-1").unwrap().is_running(), "{said}");
    assert!(!engine.inspect("wlhook-api-1").unwrap().is_running(), "{said}");
    let _ = project.run(&["down", "--volumes", "--yes"]);
}

const SOCKET: &str = r#"services:
  tool: {image: "windlass-test:1", command: sleep 1000, init: true, use_api_socket: true}
  other: {image: "windlass-test:1", command: sleep 1000, init: true}
"#;

pub(super) fn socket(engine: &Engine) {
    let project = Project::new("wlsock", "compose.yaml", SOCKET);
    let (code, said) = project.up(&[]);
    assert_eq!(code, 0, "{said}");
    let tool = engine.inspect("wlsock-tool-1").unwrap().all;
    let binds = tool["HostConfig"]["Binds"].to_string();
    assert!(binds.contains("/var/run/docker.sock:/var/run/docker.sock:rw"), "{binds}");
    assert!(tool["Config"]["Env"].to_string().contains("DOCKER_CONFIG=/run/secrets/docker"));
    let other = engine.inspect("wlsock-other-1").unwrap().all;
    assert!(!other["HostConfig"]["Binds"].to_string().contains("docker.sock"), "{other}");
    super::compose_agrees(engine, &project, &ids(engine, "wlsock"));
    let (code, said) = project.run(&["down"]);
    assert_eq!(code, 0, "{said}");
}

pub(super) fn refused(engine: &Engine) {
    let app = "{image: \"windlass-test:1\", command: sleep 1000, init: true";
    for (text, expected) in [
        (format!("services:\n  a: {app}}}\n  b: {{provider: {{type: cloud}}}}\n"), "COMPOSE042"),
        (
            format!("services:\n  a: {app}, models: [m]}}\nmodels: {{m: {{model: ai/x}}}}\n"),
            "COMPOSE042",
        ),
        (
            format!("services:\n  a: {app}, secrets: [s]}}\nsecrets: {{s: {{external: true}}}}\n"),
            "COMPOSE043",
        ),
        ("services:\n  a: {build: {context: ., ssh: [default]}}\n".to_owned(), "COMPOSE044"),
        (
            format!("services:\n  a: {app}, security_opt: [\"seccomp=gone.json\"]}}\n"),
            "gone.json` cannot be read",
        ),
        (
            format!(
                "services:\n  a: {app}, healthcheck: {{test: [CMD, \"true\"], start_interval: 1s}}}}\n"
            ),
            "",
        ),
    ] {
        let project = Project::new("wlno", "compose.yaml", &text);
        let (code, said) = project.up(&[]);
        let is_new = engine.version().unwrap() >= 44 && expected.is_empty();
        assert_eq!(code, i32::from(!is_new), "{said}");
        assert!(said.contains(expected), "no `{expected}`: {said}");
        if !is_new {
            assert!(said.contains("nothing was done"), "{said}");
            assert!(ids(engine, "wlno").is_empty(), "{said}");
            assert!(engine.look("networks", "wlno_default").is_err(), "{said}");
        }
        // Everything else works.
        let (code, said) = project.run(&["plan", "--project-name", "wlno"]);
        assert_eq!(code, 0, "{said}");
    }
}

/// Checks that the engine makes after an hour; `api` lives with `db`.
const SLOW: &str = r#"services:
  db:
    image: windlass-test:1
    command: sh -c "sleep 0.3; echo ok > /tmp/ready; exec sleep 1000"
    init: true
    healthcheck: {test: "test -f /tmp/ready", interval: 1h}
  api:
    image: windlass-test:1
    command: sleep 1000
    init: true
    depends_on: {db: {condition: service_healthy, restart: true}}
"#;

pub(super) fn eager(engine: &Engine) {
    let project = Project::new("wleager", "compose.yaml", SLOW);
    let (code, said) = project.up(&[]);
    assert_eq!(code, 0, "{said}");
    let before = ids(engine, "wleager");
    let begun = |name: &str| engine.inspect(name).unwrap().all["State"]["StartedAt"].clone();
    let (db, api) = (begun("wleager-db-1"), begun("wleager-api-1"));
    let health = engine.inspect("wleager-db-1").unwrap().health;
    assert_eq!(health.as_deref(), Some("starting"), "{said}");
    // That the engine has no verdict yet is no drift, nothing to mend and nothing to wait for.
    let (code, said) = project.run(&["status"]);
    assert!(code == 0 && said.contains("healthy"), "{said}");
    let (code, said) = project.run(&["resume", "--detach"]);
    assert_eq!(code, 0, "{said}");
    let (code, said) = project.up(&[]);
    assert_eq!(code, 0, "{said}");
    assert_eq!(ids(engine, "wleager"), before, "{said}");
    assert_eq!((begun("wleager-db-1"), begun("wleager-api-1")), (db, api), "{said}");
    let (code, said) = project.run(&["down"]);
    assert_eq!(code, 0, "{said}");
}

/// A check that the engine gives up on while it never succeeds here either.
const SICK: &str = r#"services:
  db:
    image: windlass-test:1
    command: sleep 1000
    init: true
    healthcheck: {test: "echo sick; exit 1", interval: 300ms, retries: 2}
  api: {image: "windlass-test:1", command: sleep 1000, depends_on: {db: {condition: service_healthy}}}
"#;

pub(super) fn verdicts(engine: &Engine) {
    let project = Project::new("wlsick", "compose.yaml", SICK);
    let (code, said) = project.up(&[]);
    assert!(code == 4 && said.contains("it is unhealthy: sick"), "{said}");
    let (code, said) = project.run(&["down"]);
    assert_eq!(code, 0, "{said}");
    // The engine alone: it looks for the first time after a second and a half.
    let text = SLOW.replace("interval: 1h", "interval: 1500ms");
    let project = Project::new("wlalone", "compose.yaml", &text);
    let (code, said) = project.up(&["--engine-checks"]);
    assert_eq!(code, 0, "{said}");
    let health = engine.inspect("wlalone-db-1").unwrap().health;
    assert_eq!(health.as_deref(), Some("healthy"), "{said}");
    let (code, said) = project.run(&["down"]);
    assert_eq!(code, 0, "{said}");
}
