//! `windlass check`: what it prints and how it ends.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use crate::support;
use crate::support::{Folder, GOOD, broken};
use expect_test::expect;

#[test]
fn a_good_file_is_good() {
    let folder = Folder::with(&[("windlass.yaml", GOOD)]);
    expect![[r#"
        no errors, no warnings in 1 file
        exit: 0
    "#]]
    .assert_eq(&folder.run(&["check", "windlass.yaml"]).transcript());
}

#[test]
fn a_mistake_is_shown_at_its_line() {
    let folder = Folder::with(&[("windlass.yaml", &broken("operation: work", "oparation: work"))]);
    expect![[r#"
        error[WL003]: a transition has no `operation`
         --> windlass.yaml:9:13
          |
        9 |         - { from: idle, oparation: work, to: done }
          |             ^^^^
          |
          = help: add `operation`: the operation that it performs

        error[WL001]: a transition has no key `oparation`
         --> windlass.yaml:9:25
          |
        9 |         - { from: idle, oparation: work, to: done }
          |                         ^^^^^^^^^
          |
          = help: did you mean `operation`? (`--fix` does this)

        error[WL004]: unknown operation `work`
          --> windlass.yaml:10:12
           |
        10 |       up: [work]
           |            ^^^^
           |
           = help: there are no operations here

        3 errors, 0 warnings in 1 file
        exit: 1
    "#]]
    .assert_eq(&folder.run(&["check", "windlass.yaml"]).transcript());
}

#[test]
fn further_places_are_shown_together_with_the_first() {
    let folder = Folder::with(&[("windlass.yaml", &broken("name: shop", "name: shop\nname: bar"))]);
    expect![[r#"
        error[YAML002]: duplicate key `name`
         --> windlass.yaml:3:1
          |
        2 | name: shop
          | ---- first given here
        3 | name: bar
          | ^^^^
          |
          = help: keep one of the two, or give one another name

        1 error, 0 warnings in 1 file
        exit: 1
    "#]]
    .assert_eq(&folder.run(&["check", "windlass.yaml"]).transcript());
}

#[test]
fn a_long_line_is_cut_around_the_mistake() {
    let padding = "x".repeat(3000);
    let text = format!("a: [{padding}, *nowhere, {padding}]\n");
    let folder = Folder::with(&[("windlass.yaml", &text)]);
    expect![[r#"
        error[YAML005]: unknown anchor `nowhere`
         --> windlass.yaml:1:3007
          |
        1 | ...xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx, *nowhere, xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...
          |                                            ^^^^^^^^
          |
          = help: give a value above it the anchor: `&nowhere`

        1 error, 0 warnings in 1 file
        exit: 1
    "#]].assert_eq(&folder.run(&["check", "windlass.yaml"]).transcript());
}

#[test]
fn standard_input_is_a_file_too() {
    let folder = Folder::with(&[]);
    let text = broken("type: job }", "type: jib }");
    let run = folder.run_with(&["check", "-", "--format", "json"], &text);
    assert_eq!(run.code, 1);
    assert_eq!(run.json()["findings"][0]["file"], "-");
    assert_eq!(folder.run_with(&["check", "-"], GOOD).code, 0);
}

#[test]
fn a_folder_is_walked_in_the_order_of_names() {
    let folder = Folder::with(&[
        ("b/windlass.yaml", "windlass: 1\nwindlass: 1\n"),
        ("a/two.yml", "windlass: 1\nwindlass: 1\n"),
        ("a/other.yaml", "some: thing\n"),
        ("a/notes.txt", "windlass: 1\nwindlass: 1\n"),
        ("a/data.json", "{\"windlass\": 1, \"windlass\": 1}"),
        (".hidden/windlass.yaml", "windlass: 1\nwindlass: 1\n"),
        ("generated/windlass.yaml", "windlass: 1\nwindlass: 1\n"),
        (".gitignore", "generated/\n"),
        ("image.json", "\u{1}\u{0}"),
    ]);
    let run = folder.run(&["check", ".", "--format", "json"]);
    let report = run.json();
    let duplicate = |f: &&serde_json::Value| f["code"] == "YAML002";
    let findings = report["findings"].as_array().unwrap().iter().filter(duplicate);
    let files: Vec<_> = findings.map(|f| f["file"].as_str().unwrap()).collect();
    assert_eq!(files, ["a/data.json", "a/two.yml", "b/windlass.yaml"]);
    assert!(run.stderr.ends_with(" in 3 files\n"), "{}", run.stderr);
    assert_eq!(run.code, 1);
}

#[test]
fn a_file_that_is_not_there_is_no_finding() {
    let folder = Folder::with(&[("windlass.yaml", GOOD)]);
    expect![[r#"
        stderr: error[FILE001]: cannot read `nope.yaml`: no such file or directory
        stderr: help: paths start in the folder that you are in
        exit: 2
    "#]]
    .assert_eq(&folder.run(&["check", "nope.yaml"]).transcript());
    expect![[r#"
        no errors, no warnings in 1 file
        stderr: error[FILE001]: cannot read `nope.yaml`: no such file or directory
        stderr: help: paths start in the folder that you are in
        exit: 2
    "#]]
    .assert_eq(&folder.run(&["check", "nope.yaml", "windlass.yaml"]).transcript());
}

#[test]
fn a_file_in_no_known_language_is_no_finding_but_a_syntax_error_is() {
    let folder = Folder::with(&[("a.yaml", "some: thing\n"), ("b.yaml", "some: [thing\n")]);
    expect![[r#"
        stderr: error[LANG002]: `a.yaml` is in no known language
        stderr: help: say which with --lang; known: windlass, ramp, barrel, tosker, concerto, compose, hot, tosca, occi
        exit: 2
    "#]]
    .assert_eq(&folder.run(&["check", "a.yaml"]).transcript());
    assert_eq!(folder.run(&["check", "b.yaml"]).code, 1);
    assert_eq!(folder.run(&["check", "a.yaml", "--lang", "windlass"]).code, 1);
}

#[test]
fn an_unknown_language_is_wrong_usage() {
    let folder = Folder::with(&[("a.yaml", GOOD)]);
    expect![[r#"
        stderr: error: unknown language `fortran`
        stderr: help: known: windlass, ramp, barrel, tosker, concerto, compose, hot, tosca, occi
        exit: 2
    "#]]
    .assert_eq(&folder.run(&["check", "a.yaml", "--lang", "fortran"]).transcript());
}

#[test]
fn bytes_that_are_no_text_are_a_finding() {
    let folder = Folder::with(&[("empty.yaml", "")]);
    folder.write("latin.yaml", b"windlass: 1\nname: caf\xe9\n");
    folder.write("utf16.yaml", b"\xff\xfew\0i\0n\0");
    expect![[r#"
        error[FILE005]: `latin.yaml` is not UTF-8: byte 21 is wrong
         --> latin.yaml:2:10
          |
        2 | name: caf�
          |          ^
          |
          = help: save the file as UTF-8

        1 error, 0 warnings in 1 file
        exit: 1
    "#]]
    .assert_eq(&folder.run(&["check", "latin.yaml"]).transcript());
    assert_eq!(folder.run(&["check", "utf16.yaml"]).code, 1);
    expect![[r#"
        error[YAML009]: the file is empty
        --> empty.yaml:1:1
         = help: write a description into it, or name another file

        1 error, 0 warnings in 1 file
        exit: 1
    "#]]
    .assert_eq(&folder.run(&["check", "empty.yaml"]).transcript());
}

#[test]
fn warnings_fail_only_with_strict() {
    let text = format!("{GOOD}# windlass: ignore[YAML002] not needed\n");
    let folder = Folder::with(&[("windlass.yaml", &text)]);
    assert_eq!(folder.run(&["check", "windlass.yaml"]).code, 0);
    let strict = folder.run(&["check", "windlass.yaml", "--strict"]);
    assert_eq!(strict.code, 1);
    assert!(strict.stdout.ends_with("0 errors, 1 warning in 1 file\n"), "{}", strict.stdout);
}

#[test]
fn a_path_is_asked_for() {
    let run = Folder::with(&[]).run(&["check"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("<PATH>..."), "{}", run.stderr);
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let wrong =
        broken("operation: work", "oparation: work").replace("name: shop", "name: a\nname: b");
    let folder = Folder::with(&[("a/windlass.yaml", &wrong), ("b/windlass.yaml", &wrong)]);
    for format in ["text", "json", "sarif", "github"] {
        let first = folder.run(&["check", ".", "--format", format]);
        assert!(first.stdout.contains("YAML002"), "{first:?}");
        assert_eq!(first, folder.run(&["check", ".", "--format", format]));
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let many = (0..900).map(|n| format!("k{n}: 1\nk{n}: 2\n")).collect::<Vec<_>>().concat();
    let folder = Folder::with(&[("a.yaml", &many)]);
    let mut child =
        support::command(folder.path("").as_path(), &["check", "a.yaml"]).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn colors_are_for_terminals() {
    let folder = Folder::with(&[("a.yaml", "a: 1\na: 1\n")]);
    assert!(!folder.run(&["check", "a.yaml"]).stdout.contains('\u{1b}'));
    let forced = support::command(folder.path("").as_path(), &["check", "a.yaml"])
        .env("CLICOLOR_FORCE", "1")
        .output()
        .unwrap();
    assert!(forced.stdout.contains(&0x1b));
    let refused = support::command(folder.path("").as_path(), &["check", "a.yaml"])
        .env("CLICOLOR_FORCE", "1")
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    assert!(!refused.stdout.contains(&0x1b));
}

#[test]
fn descriptions_in_an_archive_are_found_and_named_by_their_path() {
    let folder = Folder::with(&[]);
    let mut archive = tar::Builder::new(Vec::new());
    for (name, text) in [("a/app.yaml", "windlass: 1\nwindlass: 1\n"), ("b.yaml", "some: thing\n")]
    {
        let mut header = tar::Header::new_ustar();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, name, text.as_bytes()).unwrap();
    }
    folder.write("app.tar", archive.into_inner().unwrap());
    for path in ["app.tar", "."] {
        let run = folder.run(&["check", path, "--format", "json"]);
        assert_eq!(run.code, 1);
        assert_eq!(run.json()["findings"][0]["file"], "app.tar/a/app.yaml");
        assert!(run.stderr.ends_with(" in 1 file\n"), "{}", run.stderr);
    }
    folder.write("broken.csar", b"PK\x03\x04 and nothing behind it");
    let run = folder.run(&["check", "broken.csar", "--format", "json"]);
    assert_eq!((run.code, run.findings()), (1, vec!["1:1 error FILE007".to_owned()]));
}

#[test]
fn a_comment_in_a_file_of_no_known_language_is_ignored() {
    let folder = Folder::with(&[("other.yaml", "a: 1 # windlass: ignore[WL001]\n")]);
    let run = folder.run(&["check", "."]);
    assert_eq!(run.stdout, "");
    assert!(run.stderr.starts_with("error[LANG002]: nothing to check in `.`\n"), "{}", run.stderr);
}

#[test]
fn a_thousand_findings_of_a_file_are_shown_errors_first() {
    let useless = "# windlass: ignore[YAML001] x\n".repeat(1500);
    let folder = Folder::with(&[("windlass.yaml", &format!("{useless}{GOOD}nodes: {{}}\n"))]);
    let run = folder.run(&["check", "windlass.yaml", "--format", "json"]);
    let findings = run.findings();
    assert_eq!(findings.len(), 1001);
    assert_eq!(findings[0], "1:1 note YAML010");
    assert!(run.json()["findings"][0]["message"].as_str().unwrap().starts_with("501 further"));
    assert_eq!(run.json()["errors"], 1, "the error stands behind all the warnings");
    assert_eq!(run.code, 1);
    folder.run(&["check", "windlass.yaml", "--write-baseline", "old.json"]);
    let run = folder.run(&["check", "windlass.yaml", "--baseline", "old.json", "--strict"]);
    assert_eq!(run.code, 0, "a baseline has them all");
}

#[test]
fn the_report_of_a_large_file_is_short() {
    let folder = Folder::with(&[]);
    folder.write("flow.yaml", "[".repeat(50_000));
    folder.write("name.yaml", format!("windlass: 1\n{}: 1\n", "x".repeat(100_000)));
    for (file, code) in [("flow.yaml", "YAML003"), ("name.yaml", "YAML001")] {
        for format in ["text", "json", "sarif", "github"] {
            let run = folder.run(&["check", file, "--format", format]);
            assert_eq!(run.code, 1, "{file} {format}");
            assert!(run.stdout.contains(code), "{file} {format}: {}", run.stdout);
            assert!(run.stdout.len() < 20_000, "{file} {format}: {}", run.stdout.len());
        }
    }
}

#[test]
fn the_examples_have_no_findings() {
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    let run = Folder::with(&[]).run(&["check", examples, "--strict", "--format", "json"]);
    assert_eq!((run.code, run.findings()), (0, vec![]), "{}", run.stdout);
    assert!(!run.stderr.ends_with(" in 0 files\n"), "{}", run.stderr);
}
