//! What windlass makes and what the real Compose makes is the same: the second program finds
//! nothing to change.

use std::process::Command;

use windlass_run::world::docker::engine::Engine;

use super::{Project, compose_agrees, ids};

/// One of everything that is known only when containers are made, or that Compose spells in a way
/// of its own.
const FILE: &str = r#"x-usual: &usual {image: "windlass-test:1", command: sleep 1000, init: true, stop_grace_period: 0s}
services:
  base: {<<: *usual, volumes: [/nameless, "data:/data:nocopy", {type: bind, source: ./made, target: /made}]}
  net: {<<: *usual, network_mode: "service:base"}
  names: {<<: *usual, pid: "service:base", ipc: "service:share"}
  share: {<<: *usual, ipc: shareable}
  from: {<<: *usual, volumes_from: ["base:ro", "container:wlsame-share-1", share], depends_on: [share]}
  links: {<<: *usual, links: ["base:other", share]}
  secret:
    <<: *usual
    secrets: [s, {source: s, target: relative}, {source: s, target: /absolute}]
    configs: [{source: c, target: /c}]
  limits:
    <<: *usual
    ulimits: {nofile: 1000, core: 0}
    blkio_config: {weight: 300}
    mem_limit: 64m
    cpus: 0.3
    environment: {BIG: 1e6, NONE: , EMPTY: ""}
    deploy: {restart_policy: {}}
  ports: {<<: *usual, ports: ["127.0.0.1:18771-18772:80-81", "127.0.0.1::82"], expose: [3000]}
volumes: {data: {}}
secrets: {s: {file: ./secret.txt}}
configs: {c: {content: hello}}
"#;

fn project() -> Project {
    let project = Project::new("wlsame", "compose.yaml", FILE);
    std::fs::write(project.folder.path().join("secret.txt"), "s").unwrap();
    project
}

pub(super) fn compose_second(engine: &Engine) {
    let project = project();
    let (code, said) = project.up(&[]);
    assert_eq!(code, 0, "{said}");
    let before = ids(engine, "wlsame");
    assert_eq!(before.len(), 9, "{said}");
    compose_agrees(engine, &project, &before);
    let (code, said) = project.up(&["--dry-run"]);
    assert_eq!((code, said.as_str()), (0, "nothing to do\n"));
    // Who shares volumes with a container that is replaced is replaced too.
    let changed = FILE.replace("base: {<<: *usual,", "base: {<<: *usual, hostname: other,");
    std::fs::write(&project.file, changed).unwrap();
    let id = |name: &str| engine.inspect(name).unwrap().id;
    let names = ["wlsame-net-1", "wlsame-names-1", "wlsame-from-1", "wlsame-limits-1"];
    let old = names.map(id);
    let (code, said) = project.up(&[]);
    assert_eq!(code, 0, "{said}");
    let new = names.map(id);
    let is_same: Vec<bool> = old.iter().zip(&new).map(|(old, new)| old == new).collect();
    assert_eq!(is_same, [false, false, false, true], "{said}");
    compose_agrees(engine, &project, &ids(engine, "wlsame"));
    let (code, said) = project.run(&["down", "--volumes", "--yes"]);
    assert_eq!(code, 0, "{said}");
}

pub(super) fn compose_first(engine: &Engine) {
    let Some(compose) = std::env::var_os("WINDLASS_COMPOSE") else {
        println!("SKIPPED: `WINDLASS_COMPOSE` names no docker-compose to start anything with");
        return;
    };
    let project = project();
    let mut command = Command::new(compose);
    command.args(["-p", "wlsame", "up", "-d"]).current_dir(project.folder.path());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let before = ids(engine, "wlsame");
    let (code, said) = project.up(&["--dry-run"]);
    assert!(code == 0 && said.starts_with("nothing to do\n"), "{said}");
    let (code, said) = project.up(&["--adopt"]);
    assert_eq!(code, 0, "{said}");
    assert!(!said.contains("changed") && !said.contains("missing"), "{said}");
    assert_eq!(ids(engine, "wlsame"), before);
    let (code, said) = project.run(&["down", "--volumes", "--yes"]);
    assert_eq!(code, 0, "{said}");
    assert!(ids(engine, "wlsame").is_empty(), "{said}");
}
