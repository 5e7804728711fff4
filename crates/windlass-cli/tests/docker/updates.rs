//! Containers that are replaced: in turn, with the old one kept until the new one is up.

use std::io::BufRead;
use std::sync::mpsc::{Receiver, channel};

use windlass_run::world::docker::engine::Engine;

use super::{Project, compose_agrees, ids};

const ROLLING: &str = r#"services:
  api:
    image: windlass-test:1
    command: sh -c "sleep 1; echo ok > /tmp/r; exec sleep 1000"
    init: true
    environment: {VERSION: 1}
    healthcheck: {test: ["CMD","test","-f","/tmp/r"], interval: 1s, retries: 20}
    deploy: {replicas: 3}
    volumes: ["/data"]
  web:
    image: windlass-test:1
    command: sleep 1000
    init: true
    depends_on: {api: {condition: service_healthy}}
"#;

fn write(project: &Project, text: &str) {
    std::fs::write(&project.file, text).unwrap();
}

/// What happens to containers from now on: what, and the name and id of the container.
fn events(engine: &Engine) -> Receiver<(String, String)> {
    let mut events = engine.events().unwrap();
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut line = String::new();
        while events.read_line(&mut line).is_ok_and(|read| read > 0) {
            let event: serde_json::Value = serde_json::from_str(&line).unwrap();
            let text = |path: &str| event.pointer(path).and_then(|it| it.as_str()).unwrap_or("");
            let seen = (text("/Action").to_owned(), text("/Actor/ID").to_owned());
            if sender.send(seen).is_err() {
                return;
            }
            line.clear();
        }
    });
    receiver
}

fn names(count: u32, project: &str) -> Vec<String> {
    (1..=count).map(|number| format!("{project}-api-{number}")).collect()
}

/// Each is healthy before the one that it replaces goes, and the next follows after that.
pub(super) fn rolling(engine: &Engine) {
    let project = Project::new("wlroll", "compose.yaml", ROLLING);
    let (code, said) = project.up(&[]);
    assert_eq!(code, 0, "{said}");
    let names = names(3, "wlroll");
    let id = |name: &String| engine.inspect(name).unwrap().id;
    let volume = |name: &String| {
        let all = engine.inspect(name).unwrap().all;
        all["Mounts"][0]["Name"].as_str().unwrap().to_owned()
    };
    let (old, volumes): (Vec<_>, Vec<_>) =
        names.iter().map(|name| (id(name), volume(name))).unzip();
    let web = engine.inspect("wlroll-web-1").unwrap();
    let seen = events(engine);
    write(&project, &ROLLING.replace("VERSION: 1", "VERSION: 2"));
    let (code, said) = project.up(&[]);
    assert_eq!(code, 0, "{said}");
    let new: Vec<String> = names.iter().map(id).collect();
    assert!(new.iter().all(|id| !old.contains(id)), "{said}");
    std::thread::sleep(std::time::Duration::from_millis(300));
    let seen: Vec<(String, String)> = seen.try_iter().collect();
    let at = |action: &str, id: &String| {
        let place = seen.iter().position(|(what, whose)| what.starts_with(action) && whose == id);
        place.unwrap_or_else(|| panic!("no `{action}` of {id}: {seen:?}"))
    };
    for number in 0..3 {
        assert!(at("health_status: healthy", &new[number]) < at("die", &old[number]), "{seen:?}");
        if number > 0 {
            assert!(at("die", &old[number - 1]) < at("start", &new[number]), "{seen:?}");
        }
    }
    let after = engine.inspect("wlroll-web-1").unwrap();
    assert_eq!((web.id, web.started_at), (after.id, after.started_at), "it was kept up");
    let kept: Vec<String> = names.iter().map(volume).collect();
    assert_eq!(volumes, kept, "what has no name goes from the old to the new");
    compose_agrees(engine, &project, &ids(engine, "wlroll"));
    let (code, said) = project.up(&["--dry-run"]);
    assert_eq!((code, said.as_str()), (0, "nothing to do\n"));
}

/// Containers beyond what the file asks for go, also when the one that stays is replaced.
pub(super) fn fewer(engine: &Engine) {
    let project = Project::new("wlfewer", "compose.yaml", ROLLING);
    let (code, said) = project.up(&[]);
    assert_eq!(code, 0, "{said}");
    let two = ROLLING.replace("{replicas: 3}", "{replicas: 2}");
    let one = ROLLING.replace("{replicas: 3}", "{replicas: 1}").replace("VERSION: 1", "VERSION: 2");
    for (text, count) in [(two, 2), (one, 1)] {
        write(&project, &text);
        let (code, said) = project.up(&[]);
        assert_eq!(code, 0, "{said}");
        for (at, name) in names(3, "wlfewer").iter().enumerate() {
            let runs = engine.inspect(name).is_ok_and(|container| container.is_running());
            assert_eq!(runs, at < count, "{name} of {count}: {said}");
        }
        let (code, said) = project.up(&["--dry-run"]);
        assert_eq!((code, said.as_str()), (0, "nothing to do\n"));
    }
    let variables = engine.inspect("wlfewer-api-1").unwrap().all["Config"]["Env"].to_string();
    assert!(variables.contains("VERSION=2"), "{variables}");
    compose_agrees(engine, &project, &ids(engine, "wlfewer"));
}

/// A new version that does not come up: the old one goes on, and the others are not touched.
pub(super) fn bad_version(engine: &Engine) {
    let project = Project::new("wlbad", "compose.yaml", ROLLING);
    let (code, said) = project.up(&[]);
    assert_eq!(code, 0, "{said}");
    let before = ids(engine, "wlbad");
    write(&project, &ROLLING.replace("echo ok > /tmp/r; exec sleep 1000", "exit 7"));
    let (code, said) = project.up(&[]);
    assert_eq!(code, 4, "{said}");
    assert!(said.contains("exit code 7"), "{said}");
    assert!(said.contains("the old container stays"), "{said}");
    assert_eq!(ids(engine, "wlbad"), before, "{said}");
    for name in names(3, "wlbad") {
        assert!(engine.inspect(&name).unwrap().is_running(), "{said}");
    }
    let (code, said) = project.run(&["status"]);
    // The run failed, which `status` says by its code; everything is as before.
    assert!(code == 1 && !said.contains("absent") && !said.contains("created"), "{said}");
}

/// What was replaced comes back when a run is rolled back.
pub(super) fn back_to_before(engine: &Engine) {
    let project = Project::new("wlbefore", "compose.yaml", ROLLING);
    let (code, said) = project.up(&[]);
    assert_eq!(code, 0, "{said}");
    let variables = |name: &String| engine.inspect(name).unwrap().all["Config"]["Env"].to_string();
    let text = ROLLING.replace("VERSION: 1", "VERSION: 2").replace(
        "    image: windlass-test:1\n    command: sleep 1000",
        "    image: windlass-test:1\n    command: sh -c \"exit 9\"",
    );
    let config = "{replicas: 3, update_config: {parallelism: 0, order: stop-first}}";
    write(&project, &text.replace("{replicas: 3}", config));
    let (code, said) = project.up(&["--on-failure", "roll-back"]);
    assert_eq!(code, 4, "{said}");
    assert!(said.contains("exit code 9"), "{said}");
    for name in names(3, "wlbefore") {
        let container = engine.inspect(&name).unwrap();
        assert!(container.is_running(), "{name}: {said}");
        assert!(variables(&name).contains("VERSION=1"), "{name}: {said}");
    }
    let web = engine.inspect("wlbefore-web-1").unwrap();
    assert!(web.is_running(), "{said}");
    let (code, said) = project.run(&["status"]);
    assert!(code == 1 && said.contains("rolled back") && !said.contains("absent"), "{said}");
    write(&project, ROLLING);
    // What came back has to become healthy again.
    let begun = std::time::Instant::now();
    loop {
        let (code, said) = project.up(&["--dry-run"]);
        assert_eq!(code, 0, "{said}");
        if said == "nothing to do\n" {
            break;
        }
        assert!(begun.elapsed() < std::time::Duration::from_secs(30), "{said}");
        std::thread::sleep(std::time::Duration::from_millis(500));
    }
}

const SHARING: &str = r#"services:
  a_side: {image: "windlass-test:1", command: sleep 1000, init: true, network_mode: "service:main"}
  main: {image: "windlass-test:1", command: sleep 1000, init: true}
"#;

/// Who lives in the network of another container follows it into the new one.
pub(super) fn sharing(engine: &Engine) {
    let project = Project::new("wlshare", "compose.yaml", SHARING);
    let (code, said) = project.up(&[]);
    assert_eq!(code, 0, "{said}");
    let shared = || engine.inspect("wlshare-a_side-1").unwrap().all["HostConfig"].clone();
    let main = || format!("container:{}", engine.inspect("wlshare-main-1").unwrap().id);
    assert_eq!(shared()["NetworkMode"], main(), "{said}");
    let before = main();
    write(&project, &SHARING.replace("  main: {", "  main: {environment: {A: 1}, "));
    let (code, said) = project.up(&[]);
    assert_eq!(code, 0, "{said}");
    assert_ne!(main(), before, "{said}");
    assert_eq!(shared()["NetworkMode"], main(), "{said}");
    assert!(engine.inspect("wlshare-a_side-1").unwrap().is_running());
}
