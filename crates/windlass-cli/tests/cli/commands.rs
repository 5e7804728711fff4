//! `explain`, `completions`, `man`, and what all commands share.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use crate::support::{Folder, GOOD, broken};
use expect_test::expect;

#[test]
fn a_code_is_explained_by_its_page() {
    let folder = Folder::with(&[]);
    let run = folder.run(&["explain", "yaml002"]);
    assert_eq!(run.stdout, windlass::rule::find("YAML002").unwrap().doc);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
}

#[test]
fn every_code_has_a_line_in_the_list() {
    let run = Folder::with(&[]).run(&["explain", "--list"]);
    for rule in windlass::rule::all() {
        let line = run.stdout.lines().find(|line| line.starts_with(rule.code)).unwrap();
        assert!(line.ends_with(rule.summary), "{line}");
    }
    assert_eq!(run.stdout.lines().count(), windlass::rule::all().len());
}

#[test]
fn an_unknown_code_leads_to_near_ones() {
    let folder = Folder::with(&[]);
    expect![[r#"
        stderr: error: no finding has the code `YAML02`
        stderr: help: did you mean `YAML002`?
        exit: 2
    "#]]
    .assert_eq(&folder.run(&["explain", "YAML02"]).transcript());
    expect![[r#"
        stderr: error: no finding has the code `what`
        stderr: help: `windlass explain --list` shows all codes
        exit: 2
    "#]]
    .assert_eq(&folder.run(&["explain", "what"]).transcript());
}

#[test]
fn a_shell_gets_its_script() {
    let folder = Folder::with(&[]);
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let run = folder.run(&["completions", shell]);
        assert_eq!(run.code, 0);
        assert!(run.stdout.contains("write-baseline"), "{shell}");
    }
    assert_eq!(folder.run(&["completions", "tcsh"]).code, 2);
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = Folder::with(&[]);
    let page = folder.run(&["man"]);
    assert!(page.stdout.contains(".TH windlass 1"), "{}", page.stdout);
    assert_eq!(folder.run(&["man", "--dir", "man1"]).code, 0);
    assert_eq!(folder.read("man1/windlass.1"), page.stdout);
    let help = folder.run(&["--help"]).stdout;
    let commands = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    for line in commands.lines() {
        let name = line.split_whitespace().next().unwrap();
        let page = folder.read(&format!("man1/windlass-{name}.1"));
        assert!(page.contains(&format!(".TH windlass-{name} 1")), "{page}");
        assert!(page.contains("Examples:"), "{name}");
    }
}

#[test]
fn help_and_version_are_answers() {
    let folder = Folder::with(&[]);
    let version = folder.run(&["--version"]);
    assert_eq!(version.stdout, format!("windlass {}\n", env!("CARGO_PKG_VERSION")));
    assert_eq!(version.code, 0);
    assert_eq!(folder.run(&["check", "--help"]).code, 0);
    let nothing = folder.run(&[]);
    assert_eq!((nothing.code, nothing.stdout.as_str()), (2, ""));
    assert_eq!(folder.run(&["frobnicate"]).code, 2);
}

#[test]
fn what_was_typed_is_escaped_when_it_is_repeated() {
    let folder = Folder::with(&[]);
    for args in [&["explain", "\u{1b}[31m\u{202e}"][..], &["check", "\u{1b}[31m\u{202e}"]] {
        let run = folder.run(args);
        assert_eq!(run.code, 2);
        assert!(!run.stderr.contains(['\u{1b}', '\u{202e}']), "{:?}", run.stderr);
        assert!(run.stderr.contains(r"\u{1b}[31m\u{202e}"), "{:?}", run.stderr);
    }
    let run = folder.run(&["\u{9b}31m\u{202e}"]);
    assert!(!run.stderr.contains(['\u{9b}', '\u{202e}']), "{:?}", run.stderr);
}

#[test]
fn a_description_is_converted_and_converts_back() {
    let folder = Folder::with(&[("windlass.yaml", GOOD)]);
    let json = folder.run(&["convert", "windlass.yaml", "--to", "json"]);
    assert_eq!((json.code, json.stderr.as_str()), (0, ""));
    assert_eq!(json.json()["nodes"]["job"]["type"], "job");
    let yaml = folder.run_with(&["convert", "-", "--to", "windlass"], &json.stdout);
    assert_eq!(yaml.code, 0);
    assert_eq!(folder.run_with(&["check", "-"], &yaml.stdout).code, 0);
    let again = folder.run_with(&["convert", "-", "--to", "json"], &yaml.stdout);
    assert_eq!(again.stdout, json.stdout);
    let file = folder.run(&["convert", "windlass.yaml", "--to", "json", "-o", "out.json"]);
    assert_eq!((file.code, file.stdout.as_str()), (0, ""));
    assert_eq!(folder.read("out.json"), json.stdout);
    let report =
        folder.run(&["convert", "windlass.yaml", "--to", "json", "--format", "json"]).json();
    assert_eq!(report["schema"], "windlass/convert/1");
    assert_eq!(report["text"], json.stdout);
}

#[test]
fn what_cannot_be_understood_is_not_converted() {
    let folder = Folder::with(&[("windlass.yaml", &broken("type: job }", "type: jib }"))]);
    let run = folder.run(&["convert", "windlass.yaml", "--to", "json"]);
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
    assert!(run.stderr.starts_with("error[WL004]"), "{}", run.stderr);
    let nothing = folder.run_with(&["convert", "-", "--to", "json"], "some: thing\n");
    assert_eq!(nothing.code, 2);
    assert!(nothing.stderr.contains("in no known language"), "{}", nothing.stderr);
    let state = folder.run_with(&["convert", "-", "--to", "json"], "state: { instances: {} }\n");
    assert_eq!(state.code, 2);
    assert!(state.stderr.contains("together with its application"), "{}", state.stderr);
}

#[test]
fn an_application_is_drawn_in_every_format() {
    let folder = Folder::with(&[("windlass.yaml", GOOD)]);
    for (format, start) in [("svg", "<svg"), ("dot", "digraph"), ("mermaid", ""), ("text", "")] {
        let run = folder.run(&["show", "windlass.yaml", "--as", format, "--what", "all"]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""));
        assert!(run.stdout.contains(start), "{format}: {}", run.stdout);
        assert!(run.stdout.contains("job") && run.stdout.contains("idle"), "{}", run.stdout);
        let file =
            folder.run(&["show", "windlass.yaml", "--as", format, "--what", "all", "-o", "p"]);
        assert_eq!((file.code, file.stdout.as_str()), (0, ""));
        assert_eq!(folder.read("p"), run.stdout, "{format}");
        let args = ["show", "windlass.yaml", "--as", format, "--what", "all", "--format", "json"];
        let report = folder.run(&args).json();
        assert_eq!((&report["as"], &report["text"]), (&format.into(), &run.stdout.into()));
    }
}

#[test]
fn what_is_drawn_can_be_chosen() {
    let folder = Folder::with(&[("windlass.yaml", GOOD)]);
    let show = |what: &str| folder.run(&["show", "windlass.yaml", "--what", what]);
    assert!(!show("topology").stdout.contains("idle"));
    assert!(show("lifecycles").stdout.contains("idle"));
    assert_eq!(show("job"), show("lifecycles"));
    expect![[r#"
        stderr: error: there is no type `jib` to show
        stderr: help: did you mean `job`?
        exit: 2
    "#]]
    .assert_eq(&show("jib").transcript());
}
