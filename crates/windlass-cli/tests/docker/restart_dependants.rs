//! Services that are restarted with one that they need (`restart: true`), when that one is
//! replaced and when it cannot be.

use windlass_run::world::docker::engine::Engine;

use super::Project;

const FOLLOWED: &str = r#"services:
  db: {image: "windlass-test:1", command: sleep 1000, init: true}
  api:
    image: windlass-test:1
    command: sleep 1000
    init: true
    depends_on: {db: {condition: service_started, restart: true}}
  page:
    image: windlass-test:1
    command: sleep 1000
    init: true
    depends_on: {api: {condition: service_started, restart: true}}
  other:
    image: windlass-test:1
    command: sleep 1000
    init: true
    depends_on: [db]
"#;

/// When a container began, or ended last.
fn when(engine: &Engine, name: &str, what: &str) -> String {
    let container = engine.inspect(name).unwrap();
    container.all["State"][what].as_str().unwrap_or_default().to_owned()
}

/// A follower is stopped before what it needs goes, and starts after what takes its place.
pub(super) fn replaced(engine: &Engine) {
    let project = Project::new("wlfollow", "compose.yaml", FOLLOWED);
    let (code, said) = project.up(&[]);
    assert_eq!(code, 0, "{said}");
    let other = when(engine, "wlfollow-other-1", "StartedAt");
    let changed = FOLLOWED.replacen("sleep 1000", "sleep 1001", 1);
    std::fs::write(&project.file, changed).unwrap();
    let (code, said) = project.up(&[]);
    assert_eq!(code, 0, "{said}");
    let db = when(engine, "wlfollow-db-1", "StartedAt");
    let (api, page) = ("wlfollow-api-1", "wlfollow-page-1");
    assert!(when(engine, page, "FinishedAt") <= when(engine, api, "FinishedAt"), "{said}");
    assert!(when(engine, api, "FinishedAt") < db, "{said}");
    assert!(db < when(engine, api, "StartedAt"), "{said}");
    assert!(when(engine, api, "StartedAt") < when(engine, page, "StartedAt"), "{said}");
    assert_eq!(other, when(engine, "wlfollow-other-1", "StartedAt"), "it does not follow");
}

/// The old container goes on: its followers are restarted with it, each once.
pub(super) fn not_replaced(engine: &Engine) {
    for policy in ["stop", "roll-back"] {
        let project = Project::new("wlnofollow", "compose.yaml", FOLLOWED);
        let (code, said) = project.up(&[]);
        assert_eq!(code, 0, "{said}");
        let (db, api, page) = ("wlnofollow-db-1", "wlnofollow-api-1", "wlnofollow-page-1");
        let before = [db, api, page].map(|name| engine.inspect(name).unwrap().id);
        let started = [db, api, page].map(|name| when(engine, name, "StartedAt"));
        let changed = FOLLOWED.replacen("sleep 1000", "sh -c 'echo disk full; exit 4'", 1);
        std::fs::write(&project.file, changed).unwrap();
        let (code, said) = project.up(&["--on-failure", policy]);
        assert_eq!(code, 4, "{policy}: {said}");
        assert!(said.contains("disk full"), "{said}");
        let now = [db, api, page].map(|name| engine.inspect(name).unwrap());
        for (at, container) in now.iter().enumerate() {
            assert!(container.is_running(), "{policy}: {}: {said}", container.name);
            assert_eq!(container.id, before[at], "{policy}: {said}");
            assert_ne!(when(engine, &container.name, "StartedAt"), started[at], "{policy}: {said}");
        }
        assert!(when(engine, db, "StartedAt") < when(engine, api, "StartedAt"), "{said}");
        // It ended once: what is started again for others is not stopped again at once.
        assert!(when(engine, api, "FinishedAt") < when(engine, db, "StartedAt"), "{said}");
    }
}

const COPIES: &str = r#"services:
  api:
    image: windlass-test:1
    command: sleep 1000
    init: true
    deploy: {replicas: 2, update_config: {order: start-first}}
"#;

/// A container that has gone on all the time is not stopped by going back.
pub(super) fn untouched(engine: &Engine) {
    let project = Project::new("wluntouched", "compose.yaml", COPIES);
    let (code, said) = project.up(&[]);
    assert_eq!(code, 0, "{said}");
    let names = ["wluntouched-api-1", "wluntouched-api-2"];
    let before = names.map(|name| when(engine, name, "StartedAt"));
    let changed = COPIES.replace("sleep 1000", "sh -c 'exit 9'");
    std::fs::write(&project.file, changed).unwrap();
    let (code, said) = project.up(&["--on-failure", "roll-back"]);
    assert_eq!(code, 4, "{said}");
    assert_eq!(before, names.map(|name| when(engine, name, "StartedAt")), "{said}");
}

/// A replacement that came up goes again when something else fails; what followed it runs.
pub(super) fn back(engine: &Engine) {
    let project = Project::new("wlfollowback", "compose.yaml", FOLLOWED);
    let (code, said) = project.up(&[]);
    assert_eq!(code, 0, "{said}");
    let bad = "  bad: {image: \"windlass-test:1\", command: sh -c 'sleep 1; exit 9', init: true}\n  \
               late:\n    image: windlass-test:1\n    command: sleep 1\n    depends_on: {bad: \
               {condition: service_completed_successfully}, page: {condition: service_started}}\n";
    let changed = format!("{}{bad}", FOLLOWED.replacen("sleep 1000", "sleep 1001", 1));
    std::fs::write(&project.file, changed).unwrap();
    let (code, said) = project.up(&["--on-failure", "roll-back"]);
    assert_eq!(code, 4, "{said}");
    for name in ["db", "api", "page", "other"] {
        let container = engine.inspect(&format!("wlfollowback-{name}-1")).unwrap();
        assert!(container.is_running(), "{name}: {said}");
        let command = container.all["Config"]["Cmd"].to_string();
        assert!(command.contains("1000"), "{name}: {command}: {said}");
    }
    assert!(engine.inspect("wlfollowback-bad-1").is_err(), "{said}");
}
