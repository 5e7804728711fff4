//! Where things lie and who they are: folders of included files, profiles, numbers of containers,
//! volumes without a name, containers that were removed.

use super::{Engine, Project, Watched, ids};

pub(super) fn included(engine: &Engine) {
    let text = "include: [sub/inner.yaml]\nservices:\n  b:\n    extends: {file: sub/base.yaml, service: base}\n";
    let project = Project::new("wlinc", "compose.yaml", text);
    let sub = project.folder.path().join("sub");
    std::fs::create_dir_all(&sub).unwrap();
    let service = "{image: \"windlass-test:1\", command: sleep 1000, init: true, volumes: [\"./d:/d\"], env_file: e.env}";
    std::fs::write(sub.join("inner.yaml"), format!("services:\n  a: {service}\n")).unwrap();
    std::fs::write(sub.join("base.yaml"), format!("services:\n  base: {service}\n")).unwrap();
    std::fs::write(sub.join("e.env"), "WORD=inside\n").unwrap();
    let (code, said) = project.up(&[]);
    assert_eq!(code, 0, "{said}");
    let real = project.folder.path().canonicalize().unwrap();
    for name in ["wlinc-a-1", "wlinc-b-1"] {
        let all = engine.inspect(name).unwrap().all;
        let bind = format!("{}/sub/d:/d:rw", real.display());
        assert!(all["HostConfig"]["Binds"].to_string().contains(&bind), "{}", all["HostConfig"]);
        assert!(all["Config"]["Env"].to_string().contains("WORD=inside"), "{}", all["Config"]);
    }
    super::compose_agrees(engine, &project, &ids(engine, "wlinc"));
    let (code, said) = project.run(&["down"]);
    assert_eq!(code, 0, "{said}");
}

const PROFILES: &str = r#"services:
  a: {image: "windlass-test:1", command: sleep 1000, init: true}
  d: {image: "windlass-test:1", command: sleep 1000, init: true, profiles: [p]}
"#;

pub(super) fn profiles(engine: &Engine) {
    let project = Project::new("wlprof", "compose.yaml", PROFILES);
    // Naming a service switches its profiles on.
    let (code, said) = project.up(&["d"]);
    assert_eq!(code, 0, "{said}");
    assert_eq!(ids(engine, "wlprof").len(), 1, "{said}");
    let (code, said) = project.up(&[]);
    assert_eq!(code, 0, "{said}");
    assert!(!said.contains("orphan"), "the file has it: {said}");
    let (code, said) = project.run(&["status"]);
    assert_eq!(code, 0, "{said}");
    // Compose takes it down as well.
    let (code, said) = project.run(&["down"]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("removed wlprof-d-1: an earlier `up` brought it up"), "{said}");
    assert!(ids(engine, "wlprof").is_empty(), "{said}");
    assert!(engine.look("networks", "wlprof_default").is_err(), "{said}");
}

const BESIDE: &str = r#"services:
  a:
    image: windlass-test:1
    command: sleep 1000
    init: true
    networks: [default, own]
    volumes: ["data:/data", "/anywhere:/mnt"]
    pre_stop: [{command: ["sh", "-c", "echo left > /mnt/left"]}]
    depends_on: [c]
  b: {image: "windlass-test:1", command: sleep 1000, init: true}
  c: {image: "windlass-test:1", command: sleep 1000, init: true}
networks: {own: {}}
volumes: {data: {}}
"#;

pub(super) fn beside(engine: &Engine) {
    let mark = tempfile::tempdir().unwrap();
    let text = BESIDE.replace("/anywhere", &mark.path().display().to_string());
    let project = Project::new("wlbeside", "compose.yaml", &text);
    for services in [&["a"][..], &["b"]] {
        let (code, said) = project.up(services);
        assert_eq!(code, 0, "{said}");
    }
    assert_eq!(ids(engine, "wlbeside").len(), 3);
    let (code, said) = project.run(&["down"]);
    assert_eq!(code, 0, "{said}");
    assert!(ids(engine, "wlbeside").is_empty(), "{said}");
    assert!(mark.path().join("left").is_file(), "its hook ran: {said}");
    for network in ["wlbeside_default", "wlbeside_own"] {
        assert!(engine.look("networks", network).is_err(), "{network}: {said}");
    }
    assert!(engine.look("volumes", "wlbeside_data").is_ok(), "{said}");
    let (code, said) = project.run(&["down", "--volumes", "--yes"]);
    assert_eq!(code, 0, "{said}");
    assert!(engine.look("volumes", "wlbeside_data").is_err(), "{said}");
}

const NAMED: &str = r#"services:
  j: {image: "windlass-test:1", command: "true"}
  p:
    image: windlass-test:1
    command: sleep 1000
    init: true
    environment: [GONE]
    env_file: []
    restart: "no"
    deploy: {restart_policy: {condition: on-failure, max_attempts: 4}}
"#;

pub(super) fn named(engine: &Engine) {
    let project = Project::new("wlnamed", "compose.yaml", NAMED);
    let (code, said) = project.up(&[]);
    assert_eq!(code, 0, "{said}");
    let all = engine.inspect("wlnamed-p-1").unwrap().all;
    // Without a value a variable of the image would go.
    assert!(all["Config"]["Env"].to_string().contains("\"GONE\""), "{}", all["Config"]);
    let policy = &all["HostConfig"]["RestartPolicy"];
    let expected = serde_json::json!({ "Name": "on-failure", "MaximumRetryCount": 4 });
    assert_eq!(*policy, expected);
    // In another folder the name of the project would be another one.
    let (code, said) = project.run(&["up", "--yes", "--detach", "--name", "wlnamed"]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("is a deployment of the project `wlnamed`"), "{said}");
    assert!(said.contains("say `--project-name wlnamed`"), "{said}");
    for (word, message) in [
        ("network_default=0", "`network_default` is no service"),
        ("nosuch=2", "there is no service `nosuch`"),
    ] {
        let mut scale = project.bare();
        scale.args(["scale", word, "--name", "wlnamed"]);
        let output = scale.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(message) && !said.contains("`network_default`,"), "{said}");
    }
    let (code, said) = project.run(&["up", "--adopt", "--project-name", "wlnamed"]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("adopted container p-1: running"), "{said}");
    assert!(said.contains("adopted container j-1: ended"), "{said}");
    let (code, said) = project.run(&["down"]);
    assert_eq!(code, 0, "{said}");
    // The command names no file: the one that is there counts.
    let output = project.bare().args(["scale", "p=2"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let help = "`windlass up compose.yaml --project-name wlnamed` brings it up";
    assert!(said.contains(help), "{said}");
}

pub(super) fn scaled(engine: &Engine) {
    let text = PROFILES
        .replace("profiles: [p]", "depends_on: {a: {condition: service_started, restart: true}}");
    let project = Project::new("wlscale", "compose.yaml", &text);
    let (code, said) = project.up(&[]);
    assert_eq!(code, 0, "{said}");
    let app = project.file.display().to_string();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_windlass"));
    command.args(["scale", "d=2", "--app", &app, "--detach"]).current_dir(project.folder.path());
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(engine.inspect("wlscale-d-2").unwrap().is_running());
    assert_eq!(ids(engine, "wlscale").len(), 3);
    // What needs a part that is restarted follows it.
    let before = engine.inspect("wlscale-d-1").unwrap().started_at;
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_windlass"));
    command.args(["restart", "a", "--app", &app, "--detach"]).current_dir(project.folder.path());
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_ne!(engine.inspect("wlscale-d-1").unwrap().started_at, before);
    let (code, said) = project.run(&["down"]);
    assert_eq!(code, 0, "{said}");
    assert!(ids(engine, "wlscale").is_empty(), "{said}");
}

pub(super) fn removed(engine: &Engine) {
    let text = PROFILES.replace("profiles: [p]", "depends_on: [a], volumes: [/anon]");
    let project = Project::new("wlgone", "compose.yaml", &text);
    let mut run = Watched::begin(project.windlass(&["up", "--yes", "--project-name", "wlgone"]));
    run.until("reached");
    engine.remove("wlgone-a-1", false).unwrap();
    run.until("died");
    run.until("reached");
    assert!(engine.inspect("wlgone-a-1").unwrap().is_running(), "it was recreated");
    run.interrupt();
    let mounts = engine.inspect("wlgone-d-1").unwrap().all["Mounts"].clone();
    let volume = mounts[0]["Name"].as_str().unwrap().to_owned();
    let (code, said) = project.run(&["resume", "--detach"]);
    assert_eq!(code, 0, "{said}");
    let (code, said) = project.run(&["down", "--volumes", "--yes"]);
    assert_eq!(code, 0, "{said}");
    assert!(engine.look("volumes", &volume).is_err(), "volumes without a name go as well");
}

const WHOLE: &str = r#"services:
  api: {image: "windlass-test:1", command: sleep 1000, init: true, deploy: {replicas: 1}}
  web:
    image: windlass-test:1
    command: sh -c 'trap "sleep 2; exit 0" TERM; while true; do sleep 0.1; done'
    init: true
    depends_on: {api: {condition: service_started, restart: true}}
"#;

/// A command about the deployment of a project: exit code and everything it said.
fn about(project: &Project, words: &[&str]) -> (i32, String) {
    let app = project.file.display().to_string();
    let output = project.bare().args(words).args(["--app", &app]).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&text).into_owned())
}

/// What one service needs of all containers of another: those become more and fewer.
pub(super) fn whole(engine: &Engine) {
    let project = Project::new("wlwhole", "compose.yaml", WHOLE);
    let (code, said) = project.up(&[]);
    assert_eq!(code, 0, "{said}");
    let started_at = || engine.inspect("wlwhole-web-1").unwrap().started_at;
    let before = started_at();
    let (code, said) = about(&project, &["scale", "api=3", "--yes", "--detach"]);
    assert_eq!(code, 0, "{said}");
    assert_eq!(ids(engine, "wlwhole").len(), 4, "{said}");
    let after = started_at();
    assert_ne!(after, before, "it was started before all of them were there: {said}");
    // One too many goes with its container, and disturbs no other.
    let (code, said) = about(&project, &["scale", "api=2", "--yes", "--detach"]);
    assert_eq!(code, 0, "{said}");
    assert_eq!(ids(engine, "wlwhole").len(), 3, "{said}");
    assert_eq!(started_at(), after, "{said}");
    let (code, said) = about(&project, &["restart", "web", "--detach"]);
    assert_eq!(code, 0, "{said}");
    assert_ne!(started_at(), after, "{said}");
    let web = engine.inspect("wlwhole-web-1").unwrap();
    assert!(web.is_running(), "it ended well because it was stopped: {said}");
    // The file says the same in its own way.
    for (replicas, count) in [("replicas: 3", 4), ("replicas: 2", 3)] {
        std::fs::write(&project.file, WHOLE.replace("replicas: 1", replicas)).unwrap();
        let (code, said) = project.up(&[]);
        assert_eq!(code, 0, "{said}");
        assert_eq!(ids(engine, "wlwhole").len(), count, "{said}");
        let (code, said) = project.up(&["--dry-run"]);
        assert_eq!((code, said.as_str()), (0, "nothing to do\n"));
    }
    let (code, said) = project.run(&["down"]);
    assert_eq!(code, 0, "{said}");
    let place = |text: &str| said.find(text).unwrap_or_else(|| panic!("no `{text}`:\n{said}"));
    assert!(place("done    stop web") < place("start   stop api-1"), "{said}");
    assert!(ids(engine, "wlwhole").is_empty(), "{said}");
}

/// Who runs without what it needs has its time to end, and what it needs runs until then.
pub(super) fn unfounded(engine: &Engine) {
    let text = WHOLE.replace("replicas: 1", "replicas: 2");
    let project = Project::new("wlunfound", "compose.yaml", &text);
    let (code, said) = project.up(&[]);
    assert_eq!(code, 0, "{said}");
    engine.kill("wlunfound-api-2").unwrap();
    let begun = std::time::Instant::now();
    let (code, said) = project.run(&["down"]);
    assert_eq!(code, 0, "{said}");
    assert!(begun.elapsed() >= std::time::Duration::from_secs(2), "{said}");
    let place = |text: &str| said.find(text).unwrap_or_else(|| panic!("no `{text}`:\n{said}"));
    assert!(place("done    remove web") < place("start   stop api-1"), "{said}");
    assert!(ids(engine, "wlunfound").is_empty(), "{said}");
}
