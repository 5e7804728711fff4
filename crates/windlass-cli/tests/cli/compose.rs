//! Docker Compose on the command line: overrides, folders, variables, profiles, every command.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use crate::support::Folder;
use expect_test::expect;

const SHOP: &str = "\
services:
  db:
    image: postgres:16
    healthcheck: { test: [CMD, pg_isready] }
  web:
    image: web:${TAG:-1}
    ports: ['8080:80']
    depends_on:
      db: { condition: service_healthy }
  debug:
    image: debug:1
    profiles: [dev]
    depends_on: [web]
";

#[test]
fn an_override_is_put_over_the_file_and_findings_say_where() {
    let folder = Folder::with(&[
        ("compose.yaml", SHOP),
        ("over.yaml", "services:\n  web:\n    deploy: { replicas: 2 }\n"),
        ("bad.yaml", "services:\n  web:\n    restart: 7\n"),
    ]);
    let run = folder.run(&["check", "compose.yaml", "--format", "json"]);
    assert_eq!((run.findings(), run.code), (vec![], 0));
    let run = folder.run(&["check", "compose.yaml", "-f", "over.yaml", "--format", "json"]);
    assert_eq!((run.findings(), run.code), (vec!["7:13 warning COMPOSE022".to_owned()], 0));
    let run = folder.run(&["check", "compose.yaml", "-f", "over.yaml", "--strict"]);
    assert_eq!(run.code, 1);
    // As `docker compose` has it: every file by name.
    let alike = folder.run(&["check", "-f", "compose.yaml", "-f", "over.yaml", "--strict"]);
    assert_eq!(alike.transcript(), run.transcript());
    assert_eq!(folder.run(&["check", "--strict"]).code, 2);
    expect![[r#"
        error[COMPOSE001]: `services.web.restart` must be a string; this is an integer
         --> bad.yaml:3:14
          |
        3 |     restart: 7
          |              ^
          |
          = help: put it into quotes: `"7"`

        1 error, 0 warnings in 1 file
        exit: 1
    "#]]
    .assert_eq(&folder.run(&["check", "compose.yaml", "-f", "bad.yaml"]).transcript());
    let run = folder.run(&["check", "compose.yaml", "-f", "nope.yaml"]);
    assert_eq!(run.code, 2, "{}", run.stderr);
}

#[test]
fn a_file_with_the_name_of_a_compose_file_is_one() {
    let wrong = "service:\n  web: { image: 'web:1' }\n";
    let folder = Folder::with(&[("compose.yaml", wrong), ("other.yaml", wrong)]);
    let run = folder.run(&["check", "compose.yaml", "--format", "json"]);
    assert_eq!((run.findings(), run.code), (vec!["1:1 error COMPOSE001".to_owned()], 1));
    assert!(run.stdout.contains("did you mean `services`?"), "{}", run.stdout);
    // One that was named is taken for what it resembles; in a folder it may be anything.
    assert_eq!(folder.run(&["check", "other.yaml"]).code, 1);
    let run = folder.run(&["check", ".", "--format", "json"]);
    assert_eq!((run.findings(), run.code), (vec!["1:1 error COMPOSE001".to_owned()], 1));
}

#[test]
fn a_folder_stands_for_its_file_with_the_override() {
    let folder = Folder::with(&[
        ("shop/compose.yaml", SHOP),
        ("shop/compose.override.yaml", "services:\n  web:\n    scale: 2\n"),
    ]);
    let run = folder.run(&["check", "shop", "--format", "json"]);
    assert_eq!((run.findings(), run.code), (vec!["7:13 warning COMPOSE022".to_owned()], 0));
    let run = folder.run(&["show", "shop"]);
    assert!(run.code == 0 && run.stdout.contains("×2"), "{}{}", run.stdout, run.stderr);
    let alone = folder.run(&["check", "shop/compose.yaml", "--format", "json"]);
    assert_eq!(alone.findings(), Vec::<String>::new(), "a file that is named stands alone");
}

#[test]
fn a_folder_judges_no_part_of_a_project_alone() {
    let folder = Folder::with(&[
        (
            "compose.yaml",
            "include: [sub/part.yaml]\nservices:\n  a: { image: 'a:1', networks: [n] }\nnetworks: { n: {} }\n",
        ),
        ("sub/part.yaml", "services:\n  b: { image: 'b:1', networks: [n] }\n"),
        ("two/docker-compose.yml", SHOP),
        ("two/docker-compose.prod.yml", "services:\n  web: { restart: always }\n"),
    ]);
    let run = folder.run(&["check", ".", "--format", "json"]);
    assert_eq!((run.findings(), run.code), (vec![], 0), "{}", run.stdout);
    // One that is named stands for itself.
    let run = folder.run(&["check", "sub/part.yaml", "--format", "json"]);
    assert_eq!((run.findings(), run.code), (vec!["2:33 error COMPOSE007".to_owned()], 1));
    // What is wrong in a part is told once, and what is wrong with an override is told.
    let folder = Folder::with(&[
        ("compose.yaml", "include: [sub/part.yaml]\nservices:\n  a: { image: 'a:1' }\n"),
        ("sub/part.yaml", "services:\n  b: { image: 'b:1', restart: 7 }\n"),
        ("two/compose.yaml", SHOP),
        ("two/compose.prod.yaml", "services:\n  web: { restart: 7 }\n"),
    ]);
    let run = folder.run(&["check", ".", "--format", "json"]);
    let found = run.findings();
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.iter().all(|it| it.ends_with("error COMPOSE001")), "{found:?}");
}

#[test]
fn variables_and_profiles_come_from_beside_the_file() {
    let folder = Folder::with(&[
        ("compose.yaml", SHOP),
        ("other.env", "TAG=7\n"),
        ("sub/compose.yaml", "include: [../part.yaml]\n"),
        ("part.yaml", "services: { a: { image: 'a:1', env_file: other.env } }\n"),
    ]);
    let run = folder.run(&["convert", "compose.yaml", "--to", "alloy", "--env-file", "other.env"]);
    assert!(run.stdout.contains("web.image = \"web:7\""), "{}{}", run.stdout, run.stderr);
    assert!(!run.stdout.contains("debug"));
    let run = folder.run(&["convert", "compose.yaml", "--to", "alloy", "--profile", "dev"]);
    assert!(run.stdout.contains("debug.depends_on[ web ]"), "{}", run.stdout);
    let run = folder.run(&["check", "sub/compose.yaml", "--format", "json"]);
    assert_eq!((run.findings(), run.code), (vec![], 0), "{}", run.stderr);
}

#[test]
fn every_command_takes_a_compose_file() {
    let folder = Folder::with(&[("compose.yaml", SHOP)]);
    let run = folder.run(&["prove", "compose.yaml"]);
    assert!(run.code == 0 && run.stdout.starts_with("always completes"), "{}", run.stdout);
    let run = folder.run(&["plan", "compose.yaml", "--format", "json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    folder.write("plan.json", run.stdout);
    let run = folder.run(&["verify", "plan.json", "--app", "compose.yaml"]);
    assert!(run.code == 0 && run.stdout.starts_with("valid"), "{}{}", run.stdout, run.stderr);
    for picture in ["svg", "dot", "mermaid", "text"] {
        assert_eq!(folder.run(&["show", "compose.yaml", "--as", picture]).code, 0);
    }
    let run = folder.run(&["convert", "compose.yaml", "--to", "windlass"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    folder.write("windlass.yaml", run.stdout);
    let run = folder.run(&["prove", "windlass.yaml"]);
    assert!(run.stdout.starts_with("always completes"), "{}{}", run.stdout, run.stderr);
    let run = folder.run(&["analyze", "compose.yaml", "--format", "json"]);
    assert_eq!(run.json()["deadlocks"], 0, "{}{}", run.stdout, run.stderr);
}

/// The pictures of the documentation are what `show` draws of the examples; `UPDATE=1` writes them.
#[test]
fn the_pictures_of_the_documentation_are_up_to_date() {
    let repository = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    for name in ["shop", "stack"] {
        let example = repository.join(format!("examples/compose/{name}/compose.yaml"));
        let text = std::fs::read_to_string(example).unwrap();
        let folder = Folder::with(&[(&*format!("{name}/compose.yaml"), &text)]);
        let run = folder.run(&["check", name, "--strict"]);
        assert_eq!(run.code, 0, "{}", run.stdout);
        let fresh = folder.run(&["show", name, "--as", "svg"]).stdout;
        let path = repository.join(format!("docs/pictures/compose-{name}.svg"));
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&path, &fresh).unwrap();
        }
        let written = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(written == fresh, "{} is outdated; run with UPDATE=1", path.display());
    }
}

#[test]
fn prove_and_plan_say_what_is_waited_for() {
    let healthy = "services:\n  db: { image: 'db:1' }\n  api:\n    image: api:1\n    depends_on: { db: { \
                   condition: service_healthy } }\n";
    let ended = "services:\n  job: { image: 'j:1', restart: always }\n  api:\n    image: api:1\n    depends_on: \
                 { job: { condition: service_completed_successfully } }\n";
    let folder = Folder::with(&[("healthy.yaml", healthy), ("ended.yaml", ended)]);
    for (file, why) in [
        ("healthy.yaml", "`db` to be healthy, and `db` has no healthcheck in the file"),
        (
            "ended.yaml",
            "`job` to end, and `job` is started again whenever it ends (`restart: always`)",
        ),
    ] {
        let run = folder.run(&["prove", file]);
        let words = format!("`api` stays `created`: it waits for {why}\n");
        assert!(run.code == 1 && run.stdout.contains(&words), "{}", run.stdout);
        let run = folder.run(&["plan", file]);
        let words = format!("  - `api` waits for {why}\nculprit: ");
        assert!(run.code == 1 && run.stdout.contains(&words), "{}", run.stdout);
    }
}
