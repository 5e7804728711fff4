//! Which files are checked: folders, archives, other languages, and files that are not there.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use std::io::{Cursor, Write as _};

use crate::support::{Folder, GOOD, broken};
use expect_test::expect;

const CLOUDIFY: &str = "tosca_definitions_version: cloudify_dsl_1_3\n";
const ALIEN: &str = "# types\ntosca_definitions_version: alien_dsl_2_0_0\n";

#[test]
fn a_language_that_is_not_read_yet_is_named() {
    let files = [("stack.yaml", CLOUDIFY), ("service.yaml", ALIEN)];
    let folder = Folder::with(&files);
    expect![[r#"
        error[LANG001]: this is the language of Cloudify, a language that is not read yet
         --> stack.yaml:1:1
          |
        1 | tosca_definitions_version: cloudify_dsl_1_3
          | ^^^^^^^^^^^^^^^^^^^^^^^^^
          |
          = help: describe the application in `windlass.yaml`: see docs/language.md

        1 error, 0 warnings in 1 file
        exit: 2
    "#]]
    .assert_eq(&folder.run(&["check", "stack.yaml"]).transcript());
    for (file, place, name) in
        [("stack.yaml", "1:1", "Cloudify"), ("service.yaml", "2:1", "Alien4Cloud")]
    {
        let run = folder.run(&["check", file, "--format", "json"]);
        assert_eq!((run.findings(), run.code), (vec![format!("{place} error LANG001")], 2));
        assert!(run.json()["findings"][0]["message"].as_str().unwrap().contains(name));
    }
    for command in [&["show"][..], &["analyze"], &["convert", "--to", "json"]] {
        let run = folder.run(&[command, &["stack.yaml"]].concat());
        assert_eq!((run.code, &*run.stdout), (2, ""), "{command:?}");
        assert!(run.stderr.contains("LANG001"), "{}", run.stderr);
    }
}

#[test]
fn in_a_folder_such_files_are_skipped_and_named() {
    let folder = Folder::with(&[("stack.yaml", CLOUDIFY), ("windlass.yaml", GOOD)]);
    expect![[r#"
        no errors, no warnings in 1 file
        stderr: skipped 1 file in languages that are not read yet: stack.yaml (the language of Cloudify)
        exit: 0
    "#]]
    .assert_eq(&folder.run(&["check", "."]).transcript());
}

#[test]
fn a_folder_with_nothing_to_check_is_no_good_folder() {
    let folder = Folder::with(&[("a/notes.yaml", "some: thing\n")]);
    expect![[r#"
        stderr: error[LANG002]: nothing to check in `a`
        stderr: help: looked for descriptions in windlass, ramp, barrel, tosker, concerto, compose, hot, tosca, occi in files that end in .yaml, .yml, .json, .template, .tosca, .plan, .csar, .zip, .tar, .tar.gz, .tgz
        exit: 2
    "#]]
    .assert_eq(&folder.run(&["check", "a"]).transcript());
    let run = folder.run(&["check", "a", "--format", "json"]);
    assert_eq!((run.findings(), run.code), (vec!["1:1 error LANG002".to_owned()], 2));
}

#[test]
fn what_could_not_be_checked_counts_in_reports_for_programs() {
    let folder = Folder::with(&[("windlass.yaml", GOOD), ("a.yaml", "some: thing\n")]);
    for (file, code) in [("nope.yaml", "FILE001"), ("a.yaml", "LANG002")] {
        for paths in [&[file][..], &["windlass.yaml", file]] {
            let run = folder.run(&[&["check", "--format", "json"][..], paths].concat());
            assert_eq!(run.json()["errors"], 1, "{}", run.stdout);
            assert_eq!(run.json()["findings"][0]["file"], file);
            assert_eq!((run.findings(), run.code), (vec![format!("1:1 error {code}")], 2));
        }
        for format in ["sarif", "github"] {
            let run = folder.run(&["check", file, "--format", format]);
            assert!(run.stdout.contains(code) && run.code == 2, "{}", run.stdout);
        }
    }
}

#[test]
fn a_plan_of_tosker_is_one_by_its_name_too() {
    let folder = Folder::with(&[("up.plan", "web:Standard.create\nfoo\nweb:Standard.start\n")]);
    for path in ["up.plan", "."] {
        let run = folder.run(&["check", path, "--format", "json"]);
        assert_eq!((run.findings(), run.code), (vec!["2:1 error TOSKER001".to_owned()], 1));
    }
    folder.write("windlass.yaml", GOOD);
    let run = folder.run(&["verify", "up.plan", "--app", "windlass.yaml"]);
    assert!(run.code == 2 && run.stderr.contains("TOSKER001"), "{run:?}");
    folder.write("notes.plan", "Buy milk\n");
    assert_eq!(folder.run(&["check", "notes.plan"]).code, 1, "its name says that it is a plan");
    folder.write("up.plan", "web:Standard.create\n");
    assert_eq!(folder.run(&["check", "."]).code, 0, "and nothing in it does");
}

#[test]
fn plans_of_tosker_in_a_folder_are_checked() {
    let folder = Folder::with(&[("up.plan", "web:Standard.create\nweb:Standard.start\n")]);
    expect![[r#"
        no errors, no warnings in 1 file
        exit: 0
    "#]]
    .assert_eq(&folder.run(&["check", "."]).transcript());
}

fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        archive.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(content).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    for (name, content) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        archive.append_data(&mut header, name, *content).unwrap();
    }
    archive.into_inner().unwrap()
}

#[test]
fn every_file_of_an_archive_is_checked_and_shown() {
    let wrong = broken("type: job", "type: jab");
    let files: [(&str, &[u8]); 5] = [
        ("a.yaml", wrong.as_bytes()),
        ("b.yaml", b"windlass: 1\nname: \xff\n"),
        ("c/d.yaml", wrong.as_bytes()),
        ("stack.yaml", CLOUDIFY.as_bytes()),
        ("inner.zip", b"PK\x03\x04\xff"),
    ];
    let meta = b"TOSCA-Meta-Version: 1.0\nEntry-Definitions: a.yaml\n";
    let with_meta = [&[("TOSCA-Metadata/TOSCA.meta", &meta[..])][..], &files].concat();
    let folder = Folder::with(&[]);
    folder.write("app.zip", zip(&files));
    folder.write("app.csar", zip(&with_meta));
    folder.write("app.tar", tar(&files));
    let codes =
        ["1:1 error FILE005", "12:16 error WL004", "12:16 error WL004", "1:1 error LANG001"];
    for archive in ["app.zip", "app.csar", "app.tar"] {
        let run = folder.run(&["check", archive, "--format", "json"]);
        let mut found = run.findings();
        found.sort();
        let mut expected = codes.map(str::to_owned);
        expected.sort();
        assert_eq!((found.as_slice(), run.code), (&expected[..], 2), "{archive}");
        let text = folder.run(&["check", archive]).stdout;
        assert!(text.contains("12 |   job: { type: jab }"), "{text}");
        assert!(text.contains("1 | tosca_definitions_version:"), "{text}");
        let is_empty = |line: &&str| line.trim_end().ends_with('|') && line.starts_with("1 ");
        assert_eq!(text.lines().find(is_empty), None, "{text}");
    }
}

#[test]
fn an_unpacked_archive_begins_with_a_file_that_is_there() {
    let service =
        "tosca_definitions_version: tosca_2_0\nservice_template: { node_templates: {} }\n";
    for meta in ["app/TOSCA-Metadata/TOSCA.meta", "app/TOSCA.meta"] {
        let folder = Folder::with(&[("app/service.yaml", service)]);
        folder.write(meta, "Entry-Definitions: nope.yaml\n");
        let run = folder.run(&["check", "app", "--format", "json"]);
        assert_eq!((run.findings(), run.code), (vec!["1:1 error FILE001".to_owned()], 1), "{meta}");
        folder.write(meta, "Entry-Definitions: service.yaml\n");
        let run = folder.run(&["check", "app", "--format", "json"]);
        assert_eq!((run.findings().len(), run.code), (0, 0), "{meta}");
    }
}

#[test]
fn an_archive_that_cannot_be_read_has_no_line_to_show() {
    let folder = Folder::with(&[]);
    folder.write("app.zip", &zip(&[("a.yaml", GOOD.as_bytes())])[..60]);
    let text = folder.run(&["check", "app.zip"]).stdout;
    assert!(text.starts_with("error[FILE007]: the archive `app.zip` cannot be read: "), "{text}");
    assert!(text.contains("--> app.zip\n"), "{text}");
    assert!(!text.contains('|'), "{text}");
}
