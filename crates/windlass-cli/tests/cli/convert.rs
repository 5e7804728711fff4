//! `convert` between our language, RAMP, BARREL and TosKer, and `check` on what it writes.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use std::io::{Cursor, Read as _, Write as _};

use crate::support::Folder;
use expect_test::expect;
use zip::write::SimpleFileOptions;

const THINKING: &str = include_str!("../../../../examples/thinking/windlass.yaml");
const STATE: &str = include_str!("../../../../examples/thinking/running.state.yaml");
const PLAN: &str = include_str!("../../../../examples/thinking/reconfigure.plan.yaml");
const WEB: &str = include_str!("../../../../examples/web-services/windlass.yaml");

fn thinking() -> Folder {
    Folder::with(&[
        ("thinking.yaml", THINKING),
        ("state.yaml", STATE),
        ("plan.yaml", PLAN),
        ("web.yaml", WEB),
    ])
}

/// Runs a command that succeeds without a word.
fn quiet(folder: &Folder, args: &[&str]) {
    let run = folder.run(args);
    assert_eq!((run.stdout.as_str(), run.stderr.as_str(), run.code), ("", "", 0), "{args:?}");
}

#[test]
fn documents_go_to_ramp_and_come_back() {
    let folder = thinking();
    for (name, app) in [("plan", None), ("state", Some("thinking.yaml"))] {
        let (yaml, json, again) =
            (format!("{name}.yaml"), format!("{name}.json"), format!("{name}-again.yaml"));
        let mut to_ramp = vec!["convert", &yaml, "--to", "ramp", "-o", &json];
        let mut back = vec!["convert", &json, "--to", "windlass", "-o", &again];
        for command in [&mut to_ramp, &mut back] {
            command.extend(app.into_iter().flat_map(|app| ["--app", app]));
        }
        quiet(&folder, &to_ramp);
        quiet(&folder, &back);
        let tidy = folder.run(
            &[
                &["convert", &yaml, "--to", "windlass"][..],
                &app.map_or(vec![], |a| vec!["--app", a]),
            ]
            .concat(),
        );
        assert_eq!(folder.read(&again), tidy.stdout);
    }
    let run = folder.run(&["convert", "thinking.yaml", "--to", "ramp", "-o", "thinking.json"]);
    expect![[r#"
        stderr: left out: wanted instances, the ways up
        exit: 0
    "#]]
    .assert_eq(&run.transcript());
    assert_eq!(folder.run(&["check", "thinking.json"]).code, 0);
    quiet(&folder, &["convert", "state.json", "--app", "thinking.json", "--to", "ramp", "-o", "x"]);
    assert_eq!(folder.read("x"), folder.read("state.json"));
}

#[test]
fn what_cannot_be_converted_is_said() {
    let folder = thinking();
    let mut said = String::new();
    for command in [
        "web.yaml --to ramp",
        "thinking.yaml --to tosker",
        "plan.yaml --to barrel -o x",
        "plan.yaml --to tosker",
        "state.yaml --to ramp",
        "web.yaml --to barrel",
    ] {
        let args: Vec<&str> = ["convert"].into_iter().chain(command.split(' ')).collect();
        let run = folder.run(&args);
        said.push_str(command);
        said.push('\n');
        said.push_str(&run.transcript());
    }
    expect![[r#"
        web.yaml --to ramp
        stderr: error: RAMP cannot say: the relation `faults: forbidden`; RAMP has replicas only
        exit: 2
        thinking.yaml --to tosker
        stderr: error: an application cannot be written as TosKer's plan files
        exit: 2
        plan.yaml --to barrel -o x
        stderr: error: a plan cannot be written as BARREL's archives
        exit: 2
        plan.yaml --to tosker
        stderr: error: TosKer cannot say: the operation `stop`, which names no interface; the operation `config`, which names no interface; the operation `start`, which names no interface
        exit: 2
        state.yaml --to ramp
        stderr: error: a state is read together with its application
        stderr: help: say with --app which application it is of
        exit: 2
        web.yaml --to barrel
        stderr: error: a CSAR is an archive and no text
        stderr: help: say with -o where to write it
        exit: 2
    "#]].assert_eq(&said);
    assert!(!folder.path("x").exists());
    let run = folder.run(&["convert", "state.yaml", "--app", "web.yaml", "--to", "ramp"]);
    assert_eq!((run.code, run.stderr.matches("error[WL004]: unknown node").count()), (2, 7));
}

#[test]
fn a_plan_of_tosker_has_two_forms() {
    let folder = Folder::with(&[("up.plan", "db:Standard.create\n\ndb:Standard.start\n")]);
    quiet(&folder, &["convert", "up.plan", "--to", "tosker", "-o", "up.csv"]);
    assert_eq!(folder.read("up.csv"), "db,Standard,create\ndb,Standard,start\n");
    quiet(&folder, &["convert", "up.csv", "--to", "ramp", "-o", "up.json"]);
    quiet(&folder, &["convert", "up.json", "--to", "tosker", "-o", "again.plan"]);
    assert_eq!(folder.read("again.plan"), "db:Standard.create\ndb:Standard.start\n");
}

/// Every entry of an archive, in order.
fn entries(folder: &Folder, name: &str) -> Vec<(String, Vec<u8>)> {
    let bytes = std::fs::read(folder.path(name)).unwrap();
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    (0..archive.len())
        .map(|index| {
            let mut entry = archive.by_index(index).unwrap();
            let mut content = Vec::new();
            entry.read_to_end(&mut content).unwrap();
            (entry.name().unwrap().into_owned(), content)
        })
        .collect()
}

/// Puts a picture, an empty folder and a schema into an archive.
fn enrich(folder: &Folder, name: &str) {
    let old = entries(folder, name);
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default();
    archive.add_directory("pictures/", options).unwrap();
    for (name, content) in
        old.iter().chain(&[("pictures/logo.png".to_owned(), vec![0x89, 0, 0xff, 13, 10])])
    {
        archive.start_file(name.as_str(), options).unwrap();
        archive.write_all(content).unwrap();
    }
    folder.write(name, archive.finish().unwrap().into_inner());
}

#[test]
fn a_csar_is_made_edited_and_written_with_everything_else_in_it() {
    let folder = thinking();
    let made = folder.run(&["convert", "web.yaml", "--to", "barrel", "-o", "web.csar"]);
    assert_eq!(made.code, 0, "{made:?}");
    enrich(&folder, "web.csar");
    let checked = folder.run(&["check", "web.csar"]);
    assert_eq!((checked.code, &*checked.stdout), (0, "no errors, no warnings in 1 file\n"));
    quiet(&folder, &["convert", "web.csar", "--to", "barrel", "-o", "same.csar"]);
    assert_eq!(entries(&folder, "same.csar"), entries(&folder, "web.csar"));

    quiet(&folder, &["convert", "web.csar", "--to", "windlass", "-o", "edited.yaml"]);
    let text = folder.read("edited.yaml");
    let from = "operation: Start, ";
    assert!(text.contains(from), "{text}");
    folder.write("edited.yaml", text.replacen(from, "operation: Launch, ", 1));
    let command =
        ["convert", "edited.yaml", "--to", "barrel", "--base", "web.csar", "-o", "new.csar"];
    quiet(&folder, &command);
    let (old, new) = (entries(&folder, "web.csar"), entries(&folder, "new.csar"));
    assert_eq!(old.len(), new.len());
    let changed: Vec<&str> =
        old.iter().zip(&new).filter(|(old, new)| old != new).map(|(old, _)| &*old.0).collect();
    assert_eq!(changed, ["Definitions/application.tosca"]);
    quiet(&folder, &["convert", "new.csar", "--to", "windlass", "-o", "again.yaml"]);
    assert!(folder.read("again.yaml").contains("operation: Launch, "));

    folder.write("broken.csar", b"PK\x03\x04 and nothing behind it");
    assert_eq!(folder.run(&["convert", "broken.csar", "--to", "json"]).code, 1);
}

#[test]
fn definitions_on_a_disk_are_read_with_their_imports() {
    let types = r#"<Definitions xmlns="http://docs.oasis-open.org/tosca/ns/2011/12" targetNamespace="urn:x">
  <NodeType name="Job">
    <InstanceStates><InstanceState state="idle"/></InstanceStates>
    <ManagementProtocol xmlns="http://di.unipi.it/~soldani/mprot"><InitialState state="idel"/></ManagementProtocol>
  </NodeType>
</Definitions>"#;
    let service = r#"<Definitions xmlns="http://docs.oasis-open.org/tosca/ns/2011/12" xmlns:x="urn:x" targetNamespace="urn:y">
  <Import location="../types/job.tosca" importType="http://docs.oasis-open.org/tosca/ns/2011/12"/>
  <Import location="types/job.tosca" importType="http://docs.oasis-open.org/tosca/ns/2011/12"/>
  <ServiceTemplate id="app"><TopologyTemplate><NodeTemplate id="job" type="x:Job"/></TopologyTemplate></ServiceTemplate>
</Definitions>"#;
    let folder = Folder::with(&[("app/app.tosca", service), ("app/types/job.tosca", types)]);
    expect![[r#"
        error[FILE002]: `../types/job.tosca` leads out of the folder that may be read
         --> app/app.tosca:2:21
          |
        2 |   <Import location="../types/job.tosca" importType="http://docs.oasis-open.org/tosca/ns/2011/12"/>
          |                     ^^^^^^^^^^^^^^^^^^
          |
          = help: move the file below the folder of the description that is checked

        error[BARREL001]: unknown state `idel`
         --> app/types/job.tosca:4:88
          |
        4 |     <ManagementProtocol xmlns="http://di.unipi.it/~soldani/mprot"><InitialState state="idel"/></ManagementProtocol>
          |                                                                                        ^^^^
          |
          = note: imported by app/app.tosca:3:21
          = help: did you mean `idle`?

        2 errors, 0 warnings in 1 file
        exit: 1
    "#]].assert_eq(&folder.run(&["check", "app/app.tosca"]).transcript());
    let run = folder.run(&["check", "app", "--format", "json"]);
    assert_eq!(run.findings().len(), 2, "the file without a service template is only imported");
}

#[test]
fn logs_are_printed_as_json() {
    let folder = thinking();
    let args = ["convert", "thinking.yaml", "--to", "json", "-o", "out.json", "--format", "json"];
    let run = folder.run(&args);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(run.json()["output"], "out.json");
    assert_eq!(run.json()["text"], serde_json::Value::Null);
    assert!(folder.read("out.json").contains("\"windlass\": 1"));
    let barrel = ["convert", "web.yaml", "--to", "barrel", "-o", "out.csar", "--format", "json"];
    let run = folder.run(&barrel);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(run.json()["to"], "barrel");
    assert_eq!(run.json()["output"], "out.csar");
    let based = ["convert", "web.yaml", "--to", "json", "--base", "out.csar"];
    let run = folder.run(&based);
    assert_eq!((run.code, &*run.stdout), (2, ""));
    assert!(run.stderr.starts_with("error: --base is for `--to barrel`"), "{}", run.stderr);
}

#[test]
fn an_archive_without_metadata_begins_with_its_only_service_template() {
    let folder = Folder::with(&[]);
    let original =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/web-services/windlass.yaml");
    quiet(&folder, &["convert", original, "--to", "barrel", "-o", "web.csar"]);
    let bytes = std::fs::read(folder.path("web.csar")).unwrap();
    let mut old = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut bare = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let mut twice = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for index in 0..old.len() {
        let entry = old.by_index_raw(index).unwrap();
        let name = entry.name().unwrap().into_owned();
        if name.starts_with("TOSCA-Metadata") {
            continue;
        }
        bare.raw_copy_file(entry).unwrap();
        twice.raw_copy_file(old.by_index_raw(index).unwrap()).unwrap();
        let entry = old.by_index_raw(index).unwrap();
        twice.raw_copy_file_rename(entry, format!("Copy/{name}")).unwrap();
    }
    folder.write("bare.csar", bare.finish().unwrap().into_inner());
    folder.write("twice.csar", twice.finish().unwrap().into_inner());
    let analyzed = |file: &str| folder.run(&["analyze", file]);
    assert_eq!(analyzed("bare.csar"), analyzed("web.csar"));
    assert_eq!(folder.run(&["check", "bare.csar"]).code, 0);
    for command in ["check", "analyze"] {
        let run = folder.run(&[command, "twice.csar"]);
        let told = format!("{}{}", run.stdout, run.stderr);
        assert!(run.code == 1 && told.contains("FILE012"), "{command}: {run:?}");
        assert!(told.contains("1 error, 0 warnings"), "{command}: {told}");
    }
}

#[test]
fn a_picture_is_no_language_and_the_answer_says_where_pictures_are() {
    let folder = Folder::with(&[("compose.yaml", "services: { a: { image: 'a:1' } }\n")]);
    for form in ["dot", "svg", "mermaid"] {
        let run = folder.run(&["convert", "compose.yaml", "--to", form]);
        let hint = format!("windlass show FILE --as {form}");
        assert!(run.code == 2 && run.stderr.contains(&hint), "{}", run.stderr);
        assert_eq!(folder.run(&["show", "compose.yaml", "--as", form]).code, 0);
    }
    let run = folder.run(&["convert", "compose.yaml", "--to", "pictures"]);
    assert!(run.code == 2 && run.stderr.contains("alloy"), "{}", run.stderr);
}
