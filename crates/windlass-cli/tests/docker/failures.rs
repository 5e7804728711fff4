//! Containers that fail: those that the engine itself starts again, and runs that are rolled back
//! to where something had failed or a network had another shape.

use windlass_run::world::docker::engine::Engine;

use super::{IMAGE, Project, Watched};

/// Our own example of containers, under another name.
fn containers(name: &str) -> String {
    let text = include_str!("../../../../examples/containers/windlass.yaml");
    text.replace("busybox:1", IMAGE).replace("name: containers", &format!("name: {name}"))
}

/// `docker rm -f` kills first and takes its time for the rest: who hears of the death waits.
pub(super) fn removed_by_force(engine: &Engine) {
    let project = Project::new("wlforce", "windlass.yaml", &containers("wlforce"));
    let mut run = Watched::begin(project.windlass(&["up", "--world", "docker", "--yes"]));
    run.until("reached");
    // Fewer deaths of each in a minute than would be given up.
    for part in ["front", "api", "front", "store", "front", "api", "front", "store"] {
        let name = format!("wlforce-{part}");
        let before = engine.inspect(&name).unwrap().id;
        engine.remove(&name, false).unwrap();
        run.until("died");
        run.until("reached");
        let after = engine.inspect(&name).unwrap();
        assert!(after.is_running() && after.id != before, "{}", run.seen.join("\n"));
    }
    run.interrupt();
    let (code, said) = project.run(&["resume", "--detach"]);
    assert_eq!(code, 0, "{said}");
    let (code, said) = project.run(&["down"]);
    assert_eq!(code, 0, "{said}");
    assert!(engine.labelled("windlass.deployment=wlforce").unwrap().is_empty(), "{said}");
}

/// A container that cannot be made, one that ends at once, those that never serve and one that died
/// take themselves and their network along.
pub(super) fn nothing_left(engine: &Engine) {
    let text = containers("wlleft");
    let missing = text.replace(IMAGE, "windlass-none:1");
    let ready = "echo ready > /tmp/ready; exec sleep 100000";
    let ends = text.replace(ready, "echo no luck; exit 7");
    let idles = text.replace(ready, "exec sleep 100000");
    let late = idles.replace("timeout: 60s", "timeout: 1s").replace("every: 200ms", "every: 60s");
    let is_nothing_left = |said: &str| {
        assert!(engine.labelled("windlass.deployment=wlleft").unwrap().is_empty(), "{said}");
        assert!(engine.look("networks", "windlass_wlleft").is_err(), "{said}");
    };
    let up = ["up", "--world", "docker", "--yes", "--detach"];
    let bad = [
        (missing, "windlass-none"),
        (ends, "exit code 7; it wrote: no luck"),
        (idles, "it is unhealthy"),
        (late, "it took too long"),
    ];
    for (text, why) in bad {
        let project = Project::new("wlleft", "windlass.yaml", &text);
        let (code, said) = project.run(&up);
        assert_eq!(code, 4, "{said}");
        assert!(said.contains(why), "{said}");
        is_nothing_left(&said);
        let (code, said) = project.run(&["down"]);
        assert_eq!(code, 0, "{said}");
    }
    let project = Project::new("wlleft", "windlass.yaml", &text);
    let (code, said) = project.run(&up);
    assert_eq!(code, 0, "{said}");
    // No engine looks after them: what died is still there.
    engine.kill("wlleft-front").unwrap();
    let (code, said) = project.run(&["down"]);
    assert_eq!(code, 0, "{said}");
    is_nothing_left(&said);
}

const IMPATIENT: &str = r#"services:
  db:
    image: windlass-test:1
    command: sh -c "sleep 4; echo ok > /s/ready; exec sleep 1000"
    init: true
    volumes: ["shared:/s"]
  api:
    image: windlass-test:1
    command: sh -c "sleep 0.3; test -f /s/ready || exit 1; exec sleep 1000"
    init: true
    restart: always
    depends_on: [db]
    volumes: ["shared:/s"]
  web:
    image: windlass-test:1
    command: sleep 1000
    init: true
    depends_on: [api]
volumes: {shared: {}}
"#;

/// Many applications end until what they need is there. The engine starts them again, and no
/// dependant is touched.
pub(super) fn engine_restarts(engine: &Engine) {
    let project = Project::new("wlimpatient", "compose.yaml", IMPATIENT);
    let (code, said) = project.up(&[]);
    assert_eq!(code, 0, "{said}");
    assert!(!said.contains("died") && !said.contains("falls back"), "{said}");
    let begun = std::time::Instant::now();
    loop {
        let api = engine.inspect("wlimpatient-api-1").unwrap();
        let ready = engine.inspect("wlimpatient-db-1").unwrap().is_running();
        if api.status == "running" && ready && begun.elapsed().as_secs() > 6 {
            assert!(api.all["RestartCount"].as_u64() > Some(0), "{}", api.all["State"]);
            break;
        }
        assert!(begun.elapsed().as_secs() < 40, "{}", api.all["State"]);
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
    assert!(engine.inspect("wlimpatient-web-1").unwrap().is_running());
    let (code, said) = project.run(&["status"]);
    assert_eq!(code, 0, "{said}");
    let (code, said) = project.run(&["down", "--volumes", "--yes"]);
    assert_eq!(code, 0, "{said}");
}

const TWO: &str = r#"services:
  a: {image: "windlass-test:1", command: sleep 1000, init: true}
  b: {image: "windlass-test:1", command: sleep 1000, init: true}
"#;

const MORE: &str = r#"services:
  a: {image: "windlass-test:1", command: sleep 1000, init: true}
  b: {image: "windlass-test:1", command: sleep 1001, init: true}
  c: {image: "windlass-test:1", command: sleep 1000, init: true}
  job: {image: "windlass-test:1", command: sh -c "sleep 1; exit 9", init: true}
  d:
    image: windlass-test:1
    command: sleep 1000
    init: true
    depends_on: {job: {condition: service_completed_successfully}}
"#;

/// What had failed before a run is no place to go back to; the rest is.
pub(super) fn back_past_a_failure(engine: &Engine) {
    let project = Project::new("wlpast", "compose.yaml", TWO);
    let (code, said) = project.up(&[]);
    assert_eq!(code, 0, "{said}");
    engine.kill("wlpast-a-1").unwrap();
    std::fs::write(&project.file, MORE).unwrap();
    let (code, said) = project.up(&["--on-failure", "roll-back"]);
    assert_eq!(code, 4, "{said}");
    assert!(said.contains("exit code 9") && said.contains("rolled back"), "{said}");
    for gone in ["c", "d", "job"] {
        assert!(engine.inspect(&format!("wlpast-{gone}-1")).is_err(), "{gone}: {said}");
    }
    let before = engine.inspect("wlpast-b-1").unwrap();
    assert!(before.is_running(), "{said}");
    assert!(before.all["Config"]["Cmd"].to_string().contains("\"1000\""), "{said}");
}

const NETWORKS: &str = r#"services:
  a:
    image: windlass-test:1
    command: sleep 1000
    init: true
    healthcheck: {test: ["CMD","true"], interval: 1s, retries: 2}
  b:
    image: windlass-test:1
    command: sleep 1000
    init: true
    networks: [default, x]
    depends_on: {a: {condition: service_healthy}}
networks: {x: {}}
"#;

/// A changed network is recreated under its containers: when the run fails before they are
/// replaced, they are in the new one.
pub(super) fn network_under_containers(engine: &Engine) {
    let project = Project::new("wlunder", "compose.yaml", NETWORKS);
    let (code, said) = project.up(&[]);
    assert_eq!(code, 0, "{said}");
    let changed = NETWORKS.replace("x: {}", "x: {labels: {q: z}}").replace("\"true\"", "\"false\"");
    std::fs::write(&project.file, changed).unwrap();
    let (code, said) = project.up(&["--on-failure", "roll-back"]);
    assert_eq!(code, 4, "{said}");
    let b = engine.inspect("wlunder-b-1").unwrap();
    assert!(b.is_running(), "{said}");
    let network = &b.all["NetworkSettings"]["Networks"]["wlunder_x"];
    let aliases = network["Aliases"].to_string();
    assert!(aliases.contains("\"b\""), "{aliases}: {said}");
    let there = engine.look("networks", "wlunder_x").unwrap();
    assert_eq!(there["Id"], network["NetworkID"], "{said}");
    let (code, said) = project.run(&["down", "--yes"]);
    assert_eq!(code, 0, "{said}");
    let _ = engine.drop("networks", "wlunder_x");
}
