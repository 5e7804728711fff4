//! Compose projects on a real engine: what changed, what is optional, what others started or own.

use std::process::Command;

use windlass_run::world::docker::engine::Engine;

use super::{Project, ids};

fn write(project: &Project, text: &str) {
    std::fs::write(&project.file, text).unwrap();
}

fn logs(project: &Project, service: &str) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_windlass"));
    command.args(["logs", service, "--app", "compose.yaml"]);
    let output = command.current_dir(project.folder.path()).output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

const PLACES: &str = r#"services:
  api: {image: "windlass-test:1", command: sleep 1000, init: true, networks: [back]}
  web:
    image: windlass-test:1
    command: sh -c "echo kept >> /data/file; exec sleep 1000"
    init: true
    networks: [back, front]
    volumes: ["data:/data"]
  other: {image: "windlass-test:1", command: sleep 1000, init: true, networks: [front]}
networks: {back: {}, front: {}}
volumes: {data: {labels: {version: "1"}}}
"#;

/// Takes away what the project of a test leaves behind.
struct Leftovers<'a>(&'a Engine, &'static [(&'static str, &'static str)]);

impl Drop for Leftovers<'_> {
    fn drop(&mut self) {
        for (kind, name) in self.1 {
            let _ = self.0.drop(kind, name);
        }
    }
}

pub(super) fn changed_network(engine: &Engine) {
    let _rest = Leftovers(
        engine,
        &[("networks", "wlnet_back"), ("networks", "wlnet_front"), ("volumes", "wlnet_data")],
    );
    let project = Project::new("wlnet", "compose.yaml", PLACES);
    let (code, said) = project.up(&[]);
    assert_eq!(code, 0, "{said}");
    let id = |name: &str| engine.inspect(name).unwrap().id;
    let names = ["wlnet-api-1", "wlnet-web-1", "wlnet-other-1"];
    let before = names.map(id);
    write(&project, &PLACES.replace("back: {}", "back: {internal: true}"));
    let (code, said) = project.up(&[]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("changed network wlnet_back"), "{said}");
    let network = engine.look("networks", "wlnet_back").unwrap();
    assert_eq!(network["Internal"], true, "{said}");
    let after = names.map(id);
    assert!(before[0] != after[0] && before[1] != after[1], "{said}");
    assert_eq!(before[2], after[2], "it is not in that network");
    for name in names {
        assert!(engine.inspect(name).unwrap().is_running(), "{name}: {said}");
    }
    let inside = network["Containers"].as_object().unwrap().len();
    let now = engine.look("networks", "wlnet_back").unwrap();
    assert_eq!((inside, now["Containers"].as_object().unwrap().len()), (2, 2), "{said}");
    super::compose_agrees(engine, &project, &ids(engine, "wlnet"));
    let (code, said) = project.up(&["--dry-run"]);
    assert_eq!((code, said.as_str()), (0, "nothing to do\n"));
}

pub(super) fn changed_volume(engine: &Engine) {
    let _rest = Leftovers(
        engine,
        &[("networks", "wlvol_back"), ("networks", "wlvol_front"), ("volumes", "wlvol_data")],
    );
    let project = Project::new("wlvol", "compose.yaml", PLACES);
    let (code, said) = project.up(&[]);
    assert_eq!(code, 0, "{said}");
    let version = || engine.look("volumes", "wlvol_data").unwrap()["Labels"]["version"].to_string();
    write(&project, &PLACES.replace("version: \"1\"", "version: \"2\""));
    let (code, said) = project.up(&[]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("it stays as it is, with its data"), "{said}");
    assert_eq!(version(), "\"1\"", "{said}");
    let before = engine.inspect("wlvol-api-1").unwrap().id;
    let (code, said) = project.up(&["--renew-volumes"]);
    assert_eq!(code, 0, "{said}");
    assert_eq!(version(), "\"2\"", "{said}");
    assert!(engine.inspect("wlvol-web-1").unwrap().is_running(), "{said}");
    assert_eq!(engine.inspect("wlvol-api-1").unwrap().id, before, "it does not use the volume");
    // There is no terminal to ask at, so nothing is lost.
    let (code, said) = project.run(&["down", "--volumes"]);
    assert!(code == 2 && said.contains("wlvol_data"), "{said}");
    assert!(engine.look("volumes", "wlvol_data").is_ok());
    let (code, said) = project.run(&["down", "--volumes", "--yes"]);
    assert_eq!(code, 0, "{said}");
    assert!(engine.look("volumes", "wlvol_data").is_err(), "{said}");
}

const OPTIONAL: &str = r#"services:
  job: {image: "windlass-test:1", command: sh -c "sleep 1; exit 3"}
  sick:
    image: windlass-test:1
    command: sleep 1000
    init: true
    healthcheck: {test: ["CMD","false"], interval: 1s, retries: 1}
  web:
    image: windlass-test:1
    command: sleep 1000
    init: true
    depends_on:
      job: {condition: service_completed_successfully, required: false}
      sick: {condition: service_healthy, required: false}
"#;

pub(super) fn optional(engine: &Engine) {
    let project = Project::new("wlopt", "compose.yaml", OPTIONAL);
    let (code, said) = project.up(&[]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("without job: `web` does not need it"), "{said}");
    assert!(said.contains("without sick: `web` does not need it"), "{said}");
    let finished = engine.inspect("wlopt-job-1").unwrap().all["State"]["FinishedAt"].clone();
    let web = engine.inspect("wlopt-web-1").unwrap();
    assert!(web.is_running(), "{said}");
    assert!(web.started_at.as_str() > finished.as_str().unwrap(), "it waited: {said}");
}

const PLAIN: &str = r#"services:
  db: {image: "windlass-test:1", command: sh -c "echo here; exec sleep 1000", init: true}
  web: {image: "windlass-test:1", command: sleep 1000, init: true, depends_on: [db]}
"#;

pub(super) fn adopted(engine: &Engine) {
    let project = Project::new("wladopt", "compose.yaml", PLAIN);
    let (code, said) = project.run(&["up", "--adopt", "--project-name", "wladopt"]);
    assert!(code == 1 && said.contains("no container of the project `wladopt`"), "{said}");
    let Some(compose) = std::env::var_os("WINDLASS_COMPOSE") else {
        println!("SKIPPED: `WINDLASS_COMPOSE` names no docker-compose that could start something");
        return;
    };
    let mut compose = Command::new(compose);
    compose.args(["-p", "wladopt", "up", "-d"]).current_dir(project.folder.path());
    assert!(compose.output().unwrap().status.success());
    let before = ids(engine, "wladopt");
    assert_eq!(before.len(), 2);
    // The file goes on, and so does what runs until the next `up`.
    write(&project, &PLAIN.replace("web: {", "web: {environment: {A: 1}, "));
    let (code, said) = project.run(&["up", "--adopt", "--project-name", "wladopt"]);
    assert_eq!(code, 0, "{said}");
    for line in [
        "adopted container db-1: running",
        "adopted container web-1: running",
        "adopted network wladopt_default",
        "changed web-1: the file says something else by now",
    ] {
        assert!(said.contains(line), "no `{line}`: {said}");
    }
    assert_eq!(ids(engine, "wladopt"), before, "{said}");
    let (code, said) = logs(&project, "db");
    assert!(code == Some(0) && said.contains("here"), "{said}");
    let (code, said) = project.up(&[]);
    assert_eq!(code, 0, "{said}");
    let after = ids(engine, "wladopt");
    assert_eq!(before.iter().filter(|id| after.contains(id)).count(), 1, "{said}");
    let (code, said) = project.run(&["down"]);
    assert_eq!(code, 0, "{said}");
    assert!(ids(engine, "wladopt").is_empty(), "{said}");
}

const CHOICES: &str = r#"services:
  db: {image: "windlass-test:1", command: sleep 1000, init: true}
  api: {image: "windlass-test:1", command: sleep 1000, init: true, depends_on: [db]}
  web: {image: "windlass-test:1", command: sleep 1000, init: true, depends_on: [api]}
  debug:
    image: windlass-test:1
    command: sleep 1000
    init: true
    profiles: [dev]
    environment: {LEVEL: "${LEVEL:-none}"}
"#;

pub(super) fn choices(engine: &Engine) {
    let project = Project::new("wlsome", "compose.yaml", CHOICES);
    std::fs::write(project.folder.path().join("dev.env"), "LEVEL=high\n").unwrap();
    let (code, said) = project.up(&["api"]);
    assert_eq!(code, 0, "{said}");
    let is_there = |name: &str| engine.inspect(&format!("wlsome-{name}-1")).is_ok();
    assert!(is_there("api") && is_there("db") && !is_there("web"), "{said}");
    let (code, said) = project.up(&["--profile", "dev", "--env-file", "dev.env"]);
    assert_eq!(code, 0, "{said}");
    assert!(is_there("web") && is_there("debug"), "{said}");
    let debug = engine.inspect("wlsome-debug-1").unwrap().all;
    assert!(debug["Config"]["Env"].to_string().contains("LEVEL=high"), "{debug}");
    let (code, said) = project.up(&["nobody"]);
    assert!(code == 2 && said.contains("there is no service `nobody`"), "{said}");
}

const BUILT: &str = r#"services:
  app:
    build:
      context: .
      args: {WORD: built}
    command: sh -c "cat /word; exec sleep 1000"
    init: true
  gone: {image: "windlass-test.invalid/none:1", profiles: [broken]}
"#;

pub(super) fn built(engine: &Engine) {
    let _rest = Leftovers(engine, &[("images", "wlbuild-app")]);
    let project = Project::new("wlbuild", "compose.yaml", BUILT);
    let file = "FROM windlass-test:1\nARG WORD\nRUN echo \"$WORD\" > /word\n";
    std::fs::write(project.folder.path().join("Dockerfile"), file).unwrap();
    let (code, said) = project.up(&[]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("build"), "the builder is heard: {said}");
    let (code, said) = logs(&project, "app");
    assert!(code == Some(0) && said.contains("built"), "{said}");
    // No registry has it: the image is named, and what runs goes on.
    let (code, said) = project.up(&["--profile", "broken"]);
    assert!(code == 4 && said.contains("windlass-test.invalid/none:1"), "{said}");
    assert!(engine.inspect("wlbuild-app-1").unwrap().is_running(), "{said}");
    assert!(engine.inspect("wlbuild-gone-1").is_err(), "{said}");
}

const FIXED: &str = r#"services:
  a: {image: "windlass-test:1", command: sleep 1000, init: true, container_name: wl-fixed}
"#;

pub(super) fn names_of_others(engine: &Engine) {
    let first = Project::new("wlfirst", "compose.yaml", FIXED);
    let (code, said) = first.up(&[]);
    assert_eq!(code, 0, "{said}");
    let second = Project::new("wlsecond", "compose.yaml", FIXED);
    let (code, said) = second.up(&[]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("the container `wl-fixed` is one of the project `wlfirst`"), "{said}");
    let outside = "    networks: [out]\nnetworks: {out: {external: true, name: wl-nowhere}}\n";
    let text = format!("services:\n  a:\n    image: windlass-test:1\n{outside}");
    let third = Project::new("wlthird", "compose.yaml", &text);
    let (code, said) = third.up(&[]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("the network `wl-nowhere` is external, and is not there"), "{said}");
    assert!(ids(engine, "wlsecond").is_empty() && ids(engine, "wlthird").is_empty());
    assert!(engine.look("networks", "wlsecond_default").is_err(), "nothing was made");
}

const PUBLISHED: &str = r#"services:
  web: {image: "windlass-test:1", command: sleep 1000, init: true, ports: ["127.0.0.1:18777:80"]}
"#;

pub(super) fn ports_of_others(engine: &Engine) {
    let first = Project::new("wlholder", "compose.yaml", PUBLISHED);
    let (code, said) = first.up(&[]);
    assert_eq!(code, 0, "{said}");
    let wide = PUBLISHED.replace("127.0.0.1:", "");
    let second = Project::new("wlwanter", "compose.yaml", &wide);
    let (code, said) = second.up(&[]);
    assert_eq!(code, 1, "{said}");
    let told = "the port 18777 of the host, which `web` publishes, is held by the container \
                `wlholder-web-1` of the project `wlholder`";
    assert!(said.contains(told), "{said}");
    assert!(ids(engine, "wlwanter").is_empty(), "{said}");
    assert!(engine.look("networks", "wlwanter_default").is_err(), "nothing was made");
    // A port of the project itself is no conflict.
    let (code, said) = first.up(&[]);
    assert_eq!(code, 0, "{said}");
}

const WITH_VOLUME: &str = r#"services:
  a: {image: "windlass-test:1", command: sleep 1000, init: true, volumes: ["data:/data"]}
volumes: {data: {}}
"#;

/// What was taken down from outside is not reported as there.
pub(super) fn taken_down_by_others(engine: &Engine) {
    let project = Project::new("wltaken", "compose.yaml", WITH_VOLUME);
    let (code, said) = project.up(&[]);
    assert_eq!(code, 0, "{said}");
    let (code, said) = project.run(&["status"]);
    assert!(code == 0 && !said.contains("absent"), "{said}");
    engine.stop("wltaken-a-1", Some(0)).unwrap();
    engine.remove("wltaken-a-1", true).unwrap();
    engine.drop("networks", "wltaken_default").unwrap();
    engine.drop("volumes", "wltaken_data").unwrap();
    let (code, said) = project.run(&["status"]);
    assert_eq!(code, 1, "{said}");
    for part in ["network_default", "volume_data"] {
        let mut lines = said.lines();
        let is_told = |line: &str| line.contains(part) && line.contains("absent ");
        assert!(lines.any(is_told), "{said}");
    }
    assert!(said.contains("DRIFT: it was removed"), "{said}");
    // The command that is named does bring it back.
    assert!(said.contains("help: `windlass up ") && said.contains("brings it back"), "{said}");
    let (code, said) = project.up(&[]);
    assert_eq!(code, 0, "{said}");
    let (code, said) = project.run(&["status"]);
    assert!(code == 0 && !said.contains("DRIFT"), "{said}");
    let (code, said) = project.run(&["down", "--volumes", "--yes"]);
    assert_eq!(code, 0, "{said}");
}
