//! What decides which findings are reported: `windlass.toml`, comments and baselines.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use crate::support;
use crate::support::{Folder, GOOD};
use expect_test::expect;

/// Findings as `line:column severity code`.
fn check(folder: &Folder, more: &[&str]) -> Vec<String> {
    let args = [&["check", "app/windlass.yaml", "--format", "json"], more].concat();
    folder.run(&args).findings()
}

/// A description with a duplicate key and an unknown key.
fn wrong() -> String {
    GOOD.replace("name: shop", "name: shop\nname: shop\nnoise: 1")
}

#[test]
fn without_settings_everything_is_reported() {
    let folder = Folder::with(&[("app/windlass.yaml", &wrong())]);
    assert_eq!(check(&folder, &[]), ["3:1 error YAML002", "4:1 error WL001"]);
}

#[test]
fn settings_are_found_above_the_file_and_change_severities() {
    let folder = Folder::with(&[("app/windlass.yaml", &wrong())]);
    folder.write(
        "windlass.toml",
        "[check]\nseverity.YAML002 = \"warning\"\nseverity.WL001 = \"off\"\n",
    );
    assert_eq!(check(&folder, &[]), ["3:1 warning YAML002"]);
    assert_eq!(folder.run(&["check", "app/windlass.yaml"]).code, 0);
    folder.write("windlass.toml", "[check]\nignore = [\"YAML\"]\n");
    assert_eq!(check(&folder, &[]), ["4:1 error WL001"]);
}

#[test]
fn the_nearest_settings_count_alone() {
    let folder = Folder::with(&[
        ("app/windlass.yaml", &wrong()),
        ("windlass.toml", "[check]\nignore = [\"YAML002\"]\n"),
        ("app/windlass.toml", "[check]\nignore = [\"WL001\"]\n"),
    ]);
    assert_eq!(check(&folder, &[]), ["3:1 error YAML002"]);
}

#[test]
fn select_chooses_among_rules_and_never_hides_what_a_reader_says() {
    let unused = GOOD.replace("idle: {}", "idle: {}, stray: {}");
    let folder = Folder::with(&[("app/windlass.yaml", &unused)]);
    assert_eq!(check(&folder, &[]), ["7:27 warning PROT008"]);
    folder.write("windlass.toml", "[check]\nselect = [\"TOP\"]\n");
    assert_eq!(check(&folder, &[]), [""; 0]);
    folder.write("windlass.toml", "[check]\nselect = [\"TOP\", \"PROT008\"]\n");
    assert_eq!(check(&folder, &[]), ["7:27 warning PROT008"]);
    folder.write("windlass.toml", "[check]\nselect = [\"TOP\"]\n");
    folder.write("app/windlass.yaml", wrong());
    assert_eq!(check(&folder, &[]), ["3:1 error YAML002", "4:1 error WL001"]);
}

#[test]
fn an_override_is_about_some_files() {
    let folder = Folder::with(&[("app/windlass.yaml", &wrong()), ("lib/windlass.yaml", &wrong())]);
    let settings = "[check]\nignore = [\"WL001\"]\n\n[[check.override]]\npaths = [\"lib/\"]\n\
                    severity.YAML002 = \"note\"\nseverity.WL001 = \"warning\"\n";
    folder.write("windlass.toml", settings);
    assert_eq!(
        folder.run(&["check", ".", "--format", "json"]).findings(),
        ["3:1 error YAML002", "3:1 note YAML002", "4:1 warning WL001"]
    );
}

#[test]
fn a_mistake_in_the_settings_is_a_finding() {
    let folder = Folder::with(&[
        ("windlass.yaml", GOOD),
        ("windlass.toml", "[check]\nignor = [\"WL001\"]\nselect = [\"WL\", \"WX\"]\n"),
    ]);
    expect![[r#"
        error[CFG002]: `ignor` is not a setting
         --> windlass.toml:2:1
          |
        2 | ignor = ["WL001"]
          | ^^^^^
          |
          = help: did you mean `ignore`?

        warning[CFG004]: no finding has the code `WX`
         --> windlass.toml:3:17
          |
        3 | select = ["WL", "WX"]
          |                 ^^^^
          |
          = help: `windlass explain --list` shows all codes

        1 error, 1 warning in 1 file
        exit: 1
    "#]]
    .assert_eq(&folder.run(&["check", "windlass.yaml"]).transcript());
}

#[test]
fn a_baseline_leaves_out_what_was_there_and_survives_new_lines() {
    let folder = Folder::with(&[("app/windlass.yaml", &wrong())]);
    let run = folder.run(&["check", "app/windlass.yaml", "--write-baseline", "old.json"]);
    expect![[r#"
        no errors, no warnings in 1 file
        stderr: wrote 2 findings to old.json
        exit: 0
    "#]]
    .assert_eq(&run.transcript());
    assert_eq!(check(&folder, &["--baseline", "old.json"]), [""; 0]);
    folder.write("app/windlass.yaml", format!("# one more line\n{}", wrong()));
    assert_eq!(check(&folder, &["--baseline", "old.json"]), [""; 0]);
    folder.write("app/windlass.yaml", wrong().replace("nodes:", "nodes:\nnodes:"));
    assert_eq!(check(&folder, &["--baseline", "old.json"]).len(), 1);
    // From another folder it means the same.
    let above = folder.path("app");
    let args = ["check", "windlass.yaml", "--baseline", "../old.json"];
    let output = support::command(&above, &args).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 error,"));
}

#[test]
fn a_baseline_says_when_it_is_outdated() {
    let folder = Folder::with(&[("app/windlass.yaml", &wrong())]);
    folder.run(&["check", "app/windlass.yaml", "--write-baseline", "old.json"]);
    folder.write("app/windlass.yaml", GOOD);
    let run = folder.run(&["check", "app/windlass.yaml", "--baseline", "old.json"]);
    expect![[r#"
        no errors, no warnings in 1 file
        stderr: 2 findings of the baseline no longer there
        exit: 0
    "#]]
    .assert_eq(&run.transcript());
}

#[test]
fn what_is_no_baseline_is_refused() {
    let folder = Folder::with(&[("app/windlass.yaml", GOOD), ("old.json", "{}")]);
    let run = folder.run(&["check", "app/windlass.yaml", "--baseline", "old.json"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("`old.json` is not a baseline: missing field"), "{}", run.stderr);
    assert_eq!(folder.run(&["check", "app/windlass.yaml", "--baseline", "none"]).code, 2);
}

#[test]
fn excluded_files_are_not_looked_for_in_folders() {
    let folder = Folder::with(&[
        ("app/windlass.yaml", &wrong()),
        ("tests/fixtures/windlass.yaml", &wrong()),
        ("windlass.yaml", GOOD),
        ("windlass.toml", "[check]\nexclude = [\"fixtures/\", \"/app\"]\n"),
    ]);
    let all = folder.run(&["check", "."]);
    assert_eq!((all.stdout.as_str(), all.code), ("no errors, no warnings in 1 file\n", 0));
    assert_eq!(folder.run(&["check", "tests"]).code, 2, "nothing to check there");
    assert_eq!(check(&folder, &[]).len(), 2, "a file that is named is checked");
    folder.write("windlass.toml", "[check]\nexclude = \"fixtures/\"\n");
    assert!(folder.run(&["check", "."]).stdout.contains("CFG003"));
}
