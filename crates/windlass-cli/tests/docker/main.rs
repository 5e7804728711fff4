//! Containers of a real Docker engine. Without one every case is skipped, says so, and is counted
//! as skipped: that is why this program brings its own harness.
//!
//! The engine is that of `DOCKER_HOST`. The image is made here from a static busybox, so that no
//! registry is asked. With `WINDLASS_COMPOSE` set to a `docker-compose` program, what windlass made
//! is handed to it, and it must find nothing to change.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]
#![allow(clippy::print_stdout, reason = "a harness speaks")]

use std::io::{BufRead, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};

use windlass_run::world::docker::archive::{Entry, pack};
use windlass_run::world::docker::engine::Engine;
use windlass_run::world::docker::http::Address;

mod compose_parity;
mod failures;
mod hooks;
mod naming;
mod projects;
mod restart_dependants;
mod services;
mod teardown;
mod updates;

const IMAGE: &str = "windlass-test:1";

type Case = (&'static str, fn(&Engine));

const CASES: &[Case] = &[
    ("three containers of our own language survive the death of one", own_language),
    ("t1 comes up in order, and Compose finds nothing to change", t1),
    ("what windlass started Compose finds as it should be", compose_parity::compose_second),
    ("what Compose started windlass finds as it should be", compose_parity::compose_first),
    ("a health check that stands in the image is found there", teardown::check_in_image),
    ("what will clash is told before anything runs", teardown::told_first),
    (
        "orphans stay unless they are named, and the file names the project",
        teardown::orders_and_orphans,
    ),
    ("who waited for a job leaves before what the job used", teardown::through_jobs),
    ("a job that no service waits for is run once", teardown::loose_job),
    (
        "who needed what has ended well is restarted and scaled without it",
        teardown::ended_dependency,
    ),
    ("what ended before it was healthy is run again by `resume`", teardown::health_again),
    ("a job that failed is run again when its run is resumed", teardown::job_again),
    ("what there can be one of only is not scaled, and numbers mean one thing", teardown::only_one),
    ("hooks run after a start and before a stop, and may fail", hooks::hooks),
    ("a service gets the socket of the engine as Compose gives it", hooks::socket),
    ("what cannot come up is refused before anything runs", hooks::refused),
    ("checks from here do not wait for the engine", hooks::eager),
    ("verdicts of the engine count", hooks::verdicts),
    ("paths of included and extended files start where those lie", naming::included),
    ("a service behind a profile is named, and is no orphan", naming::profiles),
    ("what several `up`s brought up goes with one `down`", naming::beside),
    ("a project keeps its name, and words say what is there", naming::named),
    ("a service that the file has once is scaled, and restarted with who needs it", naming::scaled),
    ("a removed container is recreated", naming::removed),
    ("what needs all containers of a service keeps all of them", naming::whole),
    ("who runs without what it needs is stopped before that", naming::unfounded),
    ("t2 names the job that failed and starts no dependant", t2),
    ("a service that fails is rolled back", rolled_back),
    ("dependants with `restart: true` follow a database that died", restart_follows),
    ("only what changed is replaced", only_what_changed),
    (
        "replicas are replaced in turn, the new one healthy before the old one goes",
        updates::rolling,
    ),
    ("containers beyond what the file asks for go", updates::fewer),
    ("a version that does not come up leaves the old one running", updates::bad_version),
    ("a run that is rolled back brings back what it replaced", updates::back_to_before),
    ("who shares the network of a container follows it", updates::sharing),
    ("who follows a service is stopped before it is replaced", restart_dependants::replaced),
    (
        "a follower is restarted when its service could not be replaced",
        restart_dependants::not_replaced,
    ),
    (
        "what goes on when a replacement fails is not touched by going back",
        restart_dependants::untouched,
    ),
    ("a follower runs again when its service is put back", restart_dependants::back),
    ("a container that is removed by force is recreated", failures::removed_by_force),
    ("of what did not come up or died nothing is left after `down`", failures::nothing_left),
    ("what the engine starts again has not died", failures::engine_restarts),
    ("what had failed before a run does not hinder its way back", failures::back_past_a_failure),
    ("a recreated network keeps the containers that are in it", failures::network_under_containers),
    ("a changed network is recreated with its containers", projects::changed_network),
    ("a volume that changed keeps its data until it is renewed", projects::changed_volume),
    ("what is optional is waited for and not needed", projects::optional),
    ("what Compose started is adopted and named", projects::adopted),
    ("services, profiles and variables are chosen", projects::choices),
    ("images are built, and one that cannot be pulled is named", projects::built),
    ("what TOSCA hosts on a container runs inside", services::hosted_on_containers),
    ("a container of TOSCA that cannot be made is told", services::missing_image),
    (
        "names of other projects and missing external parts are told first",
        projects::names_of_others,
    ),
    ("ports that containers of others hold are told first", projects::ports_of_others),
    ("what was taken down from outside is not reported as there", projects::taken_down_by_others),
];

fn main() -> ExitCode {
    if std::env::args().any(|word| word == "--list") {
        // As runners of tests ask for it; none of the cases is an ignored one.
        let ignored = std::env::args().any(|word| word == "--ignored");
        for (name, _) in CASES.iter().filter(|_| !ignored) {
            println!("{name}: test");
        }
        return ExitCode::SUCCESS;
    }
    let wanted = std::env::args().skip(1).find(|word| !word.starts_with('-'));
    let engine = match engine() {
        Ok(engine) => engine,
        Err(why) => {
            println!("\nSKIPPED: no Docker engine to test with: {why}");
            for (name, _) in CASES {
                println!("test {name} ... SKIPPED");
            }
            println!("\ntest result: ok. 0 passed; 0 failed; {} skipped\n", CASES.len());
            return ExitCode::SUCCESS;
        }
    };
    let (mut passed, mut failed) = (0, 0);
    for (name, case) in CASES {
        if wanted.as_ref().is_some_and(|wanted| !name.contains(wanted.as_str())) {
            continue;
        }
        let result = std::panic::catch_unwind(|| case(&engine));
        println!("test {name} ... {}", if result.is_ok() { "ok" } else { "FAILED" });
        if result.is_ok() { passed += 1 } else { failed += 1 }
    }
    println!("\ntest result: {passed} passed; {failed} failed; 0 skipped\n");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The engine, with the image.
fn engine() -> Result<Engine, String> {
    let host = std::env::var("DOCKER_HOST").ok();
    let address = Address::parse(host.as_deref()).map_err(|why| why.to_string())?;
    let engine = Engine::new(address);
    engine.ping().map_err(|why| why.to_string())?;
    if engine.look("images", IMAGE).is_err() {
        let busybox = ["/bin/busybox", "/usr/bin/busybox"];
        let busybox = busybox.iter().find(|path| Path::new(path).exists());
        let busybox = busybox.ok_or("there is no static busybox to make an image of")?;
        let program = std::fs::read(busybox).map_err(|error| error.to_string())?;
        let names = ["busybox", "sh", "sleep", "test", "echo", "cat", "true", "false", "httpd"];
        let files = names.map(|name| Entry::file(format!("bin/{name}"), &program[..], 0o755));
        let (repository, tag) = IMAGE.split_once(':').unwrap_or((IMAGE, "1"));
        let all = files.into_iter().chain([Entry::file("tmp/keep", "", 0o644)]);
        let archive = pack(all).map_err(|error| error.to_string())?;
        engine.import(repository, tag, &archive).map_err(|why| why.to_string())?;
    }
    Ok(engine)
}

/// A project in a folder of its own, taken down when the test ends, however it ends.
struct Project {
    folder: tempfile::TempDir,
    file: PathBuf,
    name: String,
}

impl Project {
    fn new(name: &str, file: &str, text: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(file);
        std::fs::write(&path, text).unwrap();
        Project { folder, file: path, name: name.to_owned() }
    }

    fn windlass(&self, words: &[&str]) -> Command {
        let mut command = self.bare();
        let (verb, rest) = words.split_first().unwrap();
        command.arg(verb).arg(&self.file).args(rest);
        command
    }

    /// The program in the folder of the project.
    fn bare(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_windlass"));
        command.current_dir(self.folder.path());
        command
    }

    /// Runs the program: exit code and everything it said.
    fn run(&self, words: &[&str]) -> (i32, String) {
        let output = self.windlass(words).output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&text).into_owned())
    }

    fn up(&self, more: &[&str]) -> (i32, String) {
        self.run(&[&["up", "--yes", "--detach", "--project-name", &self.name][..], more].concat())
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        let Ok(engine) = engine() else { return };
        let labels = [
            format!("com.docker.compose.project={}", self.name),
            format!("windlass.deployment={}", self.name),
        ];
        for id in labels.iter().flat_map(|label| engine.labelled(label).unwrap_or_default()) {
            let _ = engine.remove(&id, true);
        }
        for network in [format!("{}_default", self.name), format!("windlass_{}", self.name)] {
            let _ = engine.drop("networks", &network);
        }
    }
}

/// A run in the foreground, read line by line.
struct Watched {
    child: Child,
    lines: std::io::Lines<BufReader<std::process::ChildStdout>>,
    seen: Vec<String>,
}

impl Watched {
    fn begin(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Watched { child, lines, seen: Vec::new() }
    }

    /// Reads until a line contains a text.
    fn until(&mut self, text: &str) {
        for line in self.lines.by_ref() {
            let line = line.unwrap();
            let found = line.contains(text);
            self.seen.push(line);
            if found {
                return;
            }
        }
        panic!("`{text}` never came:\n{}", self.seen.join("\n"));
    }

    fn interrupt(mut self) {
        let id = self.child.id().to_string();
        let _ = Command::new("kill").args(["-INT", &id]).status();
        let code = self.child.wait().unwrap().code();
        assert_eq!(code, Some(130), "{}", self.seen.join("\n"));
    }
}

fn own_language(engine: &Engine) {
    let text = include_str!("../../../../examples/containers/windlass.yaml");
    let text = text.replace("busybox:1", IMAGE);
    let project = Project::new("containers", "windlass.yaml", &text);
    let mut run = Watched::begin(project.windlass(&["up", "--world", "docker", "--yes"]));
    run.until("reached");
    let before = engine.inspect("containers-front").unwrap();
    engine.kill("containers-store").unwrap();
    run.until("died");
    run.until("reached");
    let after = engine.inspect("containers-front").unwrap();
    assert!(after.is_running());
    assert_ne!(before.id, after.id, "the front end lost what it relies on and came up again");
    run.interrupt();
    let (code, said) = project.run(&["resume", "--detach"]);
    assert_eq!(code, 0, "{said}");
    let (code, said) = project.run(&["down"]);
    assert_eq!(code, 0, "{said}");
    assert!(engine.labelled("windlass.deployment=containers").unwrap().is_empty(), "{said}");
}

const T1: &str = r#"services:
  db:
    image: windlass-test:1
    command: sh -c "sleep 1; echo ok > /tmp/r; exec sleep 1000"
    healthcheck: {test: ["CMD","test","-f","/tmp/r"], interval: 1s, retries: 20}
    init: true
  mig:
    image: windlass-test:1
    command: sh -c "sleep 1; exit 0"
    depends_on: {db: {condition: service_healthy}}
  api:
    image: windlass-test:1
    command: sleep 1000
    init: true
    deploy: {replicas: 3}
    depends_on: {mig: {condition: service_completed_successfully}}
  web:
    image: windlass-test:1
    command: httpd -f -p 80 -h /bin
    init: true
    volumes: ["data:/data", "./x:/x:ro"]
    environment: {A: "<&>", B: 2}
    ports: ["127.0.0.1::80"]
    depends_on: [api]
volumes: {data: {}}
"#;

fn ids(engine: &Engine, project: &str) -> Vec<String> {
    let mut ids = engine.labelled(&format!("com.docker.compose.project={project}")).unwrap();
    ids.sort();
    ids
}

fn t1(engine: &Engine) {
    let project = Project::new("wlt1", "compose.yaml", T1);
    let (code, said) = project.up(&[]);
    assert_eq!(code, 0, "{said}");
    let place = |text: &str| said.find(text).unwrap_or_else(|| panic!("no `{text}`:\n{said}"));
    assert!(place("done    await_healthy db") < place("start   start mig"), "{said}");
    assert!(place("done    await_completed mig") < place("start   start api-1"), "{said}");
    assert!(place("done    start api-3") < place("start   start web"), "{said}");
    let before = ids(engine, "wlt1");
    assert_eq!(before.len(), 6, "{said}");
    compose_agrees(engine, &project, &before);
    // Nothing is left to do.
    let (code, said) = project.up(&["--dry-run"]);
    assert_eq!((code, said.as_str()), (0, "nothing to do\n"));
    let (code, said) = project.run(&["down"]);
    assert_eq!(code, 0, "{said}");
    assert!(ids(engine, "wlt1").is_empty(), "{said}");
    assert!(engine.look("volumes", "wlt1_data").is_ok(), "volumes stay unless they are named");
    let _ = engine.drop("volumes", "wlt1_data");
}

/// Hands a project to the real Compose: it must keep every container.
fn compose_agrees(engine: &Engine, project: &Project, before: &[String]) {
    let Some(compose) = std::env::var_os("WINDLASS_COMPOSE") else {
        println!("SKIPPED: `WINDLASS_COMPOSE` names no docker-compose to compare with");
        return;
    };
    let output = Command::new(compose)
        .args(["-p", &project.name, "up", "-d"])
        .current_dir(project.folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    assert!(!said.contains("Recreate") && !said.contains("Creat"), "{said}");
    assert_eq!(ids(engine, &project.name), before, "{said}");
}

const T2: &str = r#"services:
  mig: {image: "windlass-test:1", command: sh -c "echo no table; sleep 1; exit 3"}
  cache: {image: "windlass-test:1", command: sleep 1000, init: true}
  api:
    image: windlass-test:1
    command: sleep 1000
    depends_on: {mig: {condition: service_completed_successfully}}
  web: {image: "windlass-test:1", command: sleep 1000, init: true, depends_on: [api, cache]}
"#;

fn t2(engine: &Engine) {
    let project = Project::new("wlt2", "compose.yaml", T2);
    let (code, said) = project.up(&[]);
    assert_eq!(code, 4, "{said}");
    assert!(said.contains("`await_completed mig` failed"), "{said}");
    assert!(said.contains("exit code 3; it wrote: no table"), "{said}");
    assert!(engine.inspect("wlt2-cache-1").unwrap().is_running(), "what was done stays");
    for name in ["wlt2-api-1", "wlt2-web-1"] {
        assert!(engine.inspect(name).is_ok_and(|it| it.status == "created"), "{name}: {said}");
    }
}

fn rolled_back(engine: &Engine) {
    let project = Project::new("wlback", "compose.yaml", T2);
    let (code, said) = project.up(&["--on-failure", "roll-back"]);
    assert_eq!(code, 4, "{said}");
    assert!(said.contains("`await_completed mig` failed"), "{said}");
    assert!(ids(engine, "wlback").is_empty(), "{said}");
    assert!(engine.look("networks", "wlback_default").is_err(), "{said}");
}

const RESTART: &str = r#"services:
  db: {image: "windlass-test:1", command: sleep 1000, init: true}
  api:
    image: windlass-test:1
    command: sleep 1000
    init: true
    depends_on: {db: {condition: service_started, restart: true}}
  other: {image: "windlass-test:1", command: sleep 1000, init: true, depends_on: [db]}
"#;

fn restart_follows(engine: &Engine) {
    let project = Project::new("wlre", "compose.yaml", RESTART);
    let up = ["up", "--yes", "--project-name", "wlre"];
    let mut run = Watched::begin(project.windlass(&up));
    run.until("reached");
    let started_at = |name: &str| engine.inspect(name).unwrap().started_at;
    let (api, other) = (started_at("wlre-api-1"), started_at("wlre-other-1"));
    engine.kill("wlre-db-1").unwrap();
    run.until("died");
    run.until("reached");
    assert!(engine.inspect("wlre-db-1").unwrap().is_running());
    assert!(engine.inspect("wlre-api-1").unwrap().is_running());
    assert_ne!(started_at("wlre-api-1"), api, "it follows");
    assert_eq!(started_at("wlre-other-1"), other, "it was not named");
    run.interrupt();
}

fn only_what_changed(engine: &Engine) {
    let project = Project::new("wlchange", "compose.yaml", RESTART);
    let (code, said) = project.up(&[]);
    assert_eq!(code, 0, "{said}");
    let id = |name: &str| engine.inspect(name).unwrap().id;
    let names = ["wlchange-db-1", "wlchange-api-1", "wlchange-other-1"];
    let before = names.map(id);
    let changed = RESTART.replace("other: {", "other: {environment: {A: 1}, ");
    let mut file = std::fs::File::create(&project.file).unwrap();
    file.write_all(changed.as_bytes()).unwrap();
    let (code, said) = project.up(&[]);
    assert_eq!(code, 0, "{said}");
    let after = names.map(id);
    assert_eq!(before[..2], after[..2], "{said}");
    assert_ne!(before[2], after[2], "{said}");
    let (code, said) = project.run(&["down"]);
    assert_eq!(code, 0, "{said}");
}
