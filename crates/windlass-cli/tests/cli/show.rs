//! `windlass show` on the examples: the pictures in `docs/pictures/` are what it draws.
//!
//! `UPDATE=1` writes them again.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]
#![allow(clippy::print_stderr, reason = "a test that is left out says so")]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::{Folder, GOOD};

/// A picture of the documentation: its name, its example, and what of it.
const PICTURES: [(&str, &str, &str); 9] = [
    ("thinking", "thinking", "topology"),
    ("thinking-api", "thinking", "api"),
    ("thinking-gui", "thinking", "gui"),
    ("web-services", "web-services", "topology"),
    ("web-services-server", "web-services", "Server"),
    ("two-components", "two-components", "topology"),
    ("two-components-server", "two-components", "server"),
    ("openstack", "openstack", "topology"),
    ("openstack-mariadb", "openstack", "mariadb"),
];

const EXAMPLES: [&str; 4] = ["thinking", "web-services", "two-components", "openstack"];

fn repository() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn example(name: &str) -> String {
    let path = repository().join("examples").join(name).join("windlass.yaml");
    std::fs::read_to_string(path).unwrap()
}

fn show(example: &str, args: &[&str]) -> String {
    let folder = Folder::with(&[("windlass.yaml", example)]);
    let run = folder.run(&[&["show", "windlass.yaml"], args].concat());
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{args:?}");
    run.stdout
}

#[test]
fn the_pictures_of_the_documentation_are_up_to_date() {
    let pictures = repository().join("docs/pictures");
    for (name, of, what) in PICTURES {
        let fresh = show(&example(of), &["--what", what, "--as", "svg"]);
        let path = pictures.join(format!("{name}.svg"));
        if std::env::var_os("UPDATE").is_some() {
            std::fs::create_dir_all(&pictures).unwrap();
            std::fs::write(&path, &fresh).unwrap();
        }
        let written = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(written == fresh, "docs/pictures/{name}.svg is outdated; run with UPDATE=1");
    }
}

#[test]
fn every_example_is_drawn_in_every_format() {
    for name in EXAMPLES {
        let text = example(name);
        let of = |picture: &str| show(&text, &["--what", "all", "--as", picture]);
        assert!(of("svg").starts_with("<svg "));
        assert!(of("dot").starts_with("digraph "));
        assert!(of("mermaid").contains("flowchart "));
        assert!(of("text").starts_with(&format!("topology of {name}\n")));
    }
}

#[test]
fn pictures_go_to_files_and_into_json() {
    let folder = Folder::with(&[("windlass.yaml", &example("thinking"))]);
    let printed = folder.run(&["show", "windlass.yaml", "--as", "svg"]).stdout;
    let run = folder.run(&["show", "windlass.yaml", "--as", "svg", "-o", "out.svg"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, ""));
    assert_eq!(folder.read("out.svg"), printed);
    let args = ["show", "windlass.yaml", "--as", "svg", "--format", "json"];
    let report = folder.run(&args).json();
    assert_eq!(report["schema"], "windlass/show/1");
    assert_eq!((&report["as"], &report["text"]), (&"svg".into(), &printed.into()));
}

#[test]
fn a_type_that_is_not_there_is_a_usage_error() {
    let folder = Folder::with(&[("windlass.yaml", &example("thinking"))]);
    let run = folder.run(&["show", "windlass.yaml", "--what", "ap"]);
    assert_eq!(run.code, 2);
    assert_eq!(run.stderr, "error: there is no type `ap` to show\nhelp: did you mean `api`?\n");
}

#[test]
fn a_description_with_errors_is_not_drawn() {
    let folder = Folder::with(&[("windlass.yaml", "windlass: 1\ntypes: 3\n")]);
    let run = folder.run(&["show", "windlass.yaml"]);
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
}

/// Names that are hostile to every format, in a description that is otherwise good.
fn hostile() -> String {
    let name = r#"</script>\u202e \"]; x -> y; <b>&amp;"#;
    let quoted = |text: String| format!("\"{text}\"");
    let text = example("thinking");
    let text = text.replace("mongo.db", &quoted(format!("{name}.db")));
    text.replace("  mongo:", &format!("  {}:", quoted(name.to_owned())))
}

#[test]
fn hostile_names_are_escaped() {
    for picture in ["svg", "dot", "mermaid", "text"] {
        let text = show(&hostile(), &["--as", picture]);
        assert!(!text.contains('\u{202e}'), "{picture}: {text}");
        let has_markup = text.contains("<script") || text.contains("</script");
        assert!(picture == "text" || picture == "dot" || !has_markup, "{picture}: {text}");
    }
}

/// Whether a program is installed.
fn is_installed(program: &str) -> bool {
    let mut command = Command::new(program);
    command.arg("-V").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

#[test]
fn graphviz_accepts_dot() {
    if !is_installed("dot") {
        eprintln!("LEFT OUT: Graphviz is not installed, so that nothing was drawn with it");
        return;
    }
    let mut texts: Vec<String> = EXAMPLES.map(example).to_vec();
    texts.push(hostile());
    for text in texts {
        let dot = show(&text, &["--what", "all", "--as", "dot"]);
        let mut child = Command::new("dot")
            .arg("-Tsvg")
            .current_dir(Path::new("/"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // In a thread, because Graphviz may write before it has read everything.
        let writer = std::thread::spawn(move || stdin.write_all(dot.as_bytes()));
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{stderr}");
        assert!(!stderr.contains("syntax error"), "{stderr}");
    }
}

#[test]
fn a_place_that_is_never_reached_is_marked() {
    let text = "\
windlass: 1
types:
  server:
    net:
      places: [off, on, lost]
      initial: [off]
      transitions: { start: { from: off, to: on } }
nodes:
  server: { type: server }
";
    for picture in ["svg", "dot", "mermaid", "text"] {
        let drawn = show(text, &["--what", "server", "--as", picture]);
        assert_eq!(
            drawn.matches("never reached").count(),
            if picture == "svg" { 2 } else { 1 },
            "{drawn}"
        );
    }
}

#[test]
fn a_plan_is_drawn_as_plan_writes_it() {
    let folder = Folder::with(&[("app.yaml", GOOD)]);
    let made = folder.run(&["plan", "app.yaml", "--format", "json", "-o", "plan.json"]);
    assert_eq!(made.code, 0, "{made:?}");
    for (form, words) in [
        ("text", "    after "),
        ("mermaid", "flowchart LR\n"),
        ("dot", "digraph plan {\n"),
        ("svg", "<svg "),
    ] {
        let run = folder.run(&["show", "plan.json", "--as", form]);
        assert_eq!(run.code, 0, "{form}: {run:?}");
        assert!(run.stdout.contains(words) && run.stdout.contains("work"), "{form}: {run:?}");
    }
    let run = folder.run(&["show", "plan.json", "--what", "all"]);
    assert!(run.code == 2 && run.stderr.contains("this is a plan"), "{run:?}");
}

#[test]
fn findings_of_rules_do_not_keep_an_application_from_being_drawn() {
    let text = GOOD
        .replace("to: done }", "to: done }\n        - { from: idle, operation: work, to: idle }");
    let folder = Folder::with(&[("app.yaml", &text), ("bad.yaml", "windlass: 1\nnodes: 3\n")]);
    assert_eq!(folder.run(&["check", "app.yaml"]).code, 1);
    assert_eq!(folder.run(&["show", "app.yaml"]).code, 0);
    assert_eq!(folder.run(&["show", "bad.yaml"]).code, 1);
}
