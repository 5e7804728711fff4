//! Files made to hurt: a finding within two seconds and a gigabyte, escaped in every format.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]
// The limits are set by the shell.
#![cfg(unix)]

mod support;

use std::io::{Cursor, Write as _};
use std::process::{Command, Stdio};

use support::Folder;

/// Seconds of work and kibibytes of memory.
const LIMITS: &str = "ulimit -t 2; ulimit -v 1048576; exec \"$0\" \"$@\"";

/// Standard output, standard error and exit code under the limits; -1 when they were passed.
fn limited(folder: &Folder, args: &[&str]) -> (String, String, i32) {
    let output = Command::new("sh")
        .args(["-c", LIMITS, env!("CARGO_BIN_EXE_windlass")])
        .args(args)
        .current_dir(folder.path(""))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.code().unwrap_or(-1))
}

fn alias_bomb() -> String {
    let level = |n: usize| {
        let inner = vec![format!("*a{}", n - 1); 9].join(", ");
        format!("a{n}: &a{n} [{inner}]\n")
    };
    format!("a0: &a0 [x]\n{}", (1..20).map(level).collect::<String>())
}

fn many(count: usize, head: &str, line: impl Fn(usize) -> String) -> String {
    format!("{head}{}", (0..count).map(line).collect::<String>())
}

const SCRIPT: &str = "</script><script>alert(1)</script>";

#[test]
fn paths_that_end_too_soon_are_findings() {
    let text = "tosca_definitions_version: tosca_2_0
node_types: { A: { properties: { v: { type: integer, required: false } } } }
service_template:
  node_templates:
    a: { type: A, properties: { v: { $get_property: PATH } } }
";
    let folder = Folder::with(&[]);
    for path in [
        "[]",
        "[ SELF ]",
        "[ SELF, RELATIONSHIP ]",
        "[ SELF, CAPABILITY ]",
        "[ a, RELATIONSHIP, x ]",
    ] {
        folder.write("service.yaml", text.replace("PATH", path));
        let check = folder.run(&["check", "service.yaml"]);
        assert_eq!(check.code, 1, "{path}: {check:?}");
    }
}

#[test]
fn hostile_files_end_in_findings_within_the_limits() {
    let folder = Folder::with(&[("bomb.yaml", &alias_bomb()), ("empty.yaml", "")]);
    folder.write("deep.yaml", "- ".repeat(50_000) + "x\n");
    folder.write("maps.yaml", "{a: ".repeat(50_000));
    folder.write("huge.yaml", vec![b'['; 100_000_000]);
    folder.write("bytes.yaml", b"windlass: 1\nname: \xff\xfe\n");
    folder.write("controls.yaml", "windlass: 1\nname: a\u{7}\u{1b}[2Jb\n");
    folder.write("script.yaml", format!("windlass: 1\ntypes: {{}}\nnodes: {{}}\n{SCRIPT}: 1\n"));
    let base = "windlass: 1\ntypes: {}\nnodes: {}\n";
    folder.write("keys.yaml", many(200_000, base, |at| format!("key{at}: 1\n")));
    let nodes = many(5_000, "windlass: 1\ntypes: {}\nnodes:\n", |at| {
        format!("  node{at}: {{ type: type{at} }}\n")
    });
    folder.write("names.yaml", nodes);
    folder.write("same.yaml", many(100_000, base, |_| "name: x\n".to_owned()));
    let acts = |c: char| {
        (c.is_control() && c != '\n')
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    for (file, code) in [
        ("bomb.yaml", "YAML004"),
        ("deep.yaml", "YAML003"),
        ("maps.yaml", "YAML003"),
        ("huge.yaml", "FILE003"),
        ("bytes.yaml", "FILE005"),
        ("empty.yaml", "YAML009"),
        ("controls.yaml", "YAML001"),
        ("script.yaml", "WL001"),
        ("keys.yaml", "WL001"),
        ("names.yaml", "WL004"),
        ("same.yaml", "98999 further findings not shown"),
    ] {
        for format in ["text", "json", "sarif", "github"] {
            let (stdout, stderr, exit) = limited(&folder, &["check", file, "--format", format]);
            assert!(matches!(exit, 1 | 2), "{file} {format}: {exit} {stderr}");
            assert!(stdout.contains(code), "{file} {format}: {stdout:.1000}");
            assert!(!stdout.contains(acts) && !stderr.contains(acts), "{file} {format}");
            let shows_markup = matches!(format, "json" | "sarif") && stdout.contains("</script>");
            assert!(!shows_markup, "{file} {format}: {stdout:.1000}");
        }
    }
}

#[test]
fn names_that_nothing_declares_cost_no_more_than_others() {
    // Each of 4,000 nodes binds to one of 4,000 that are not there, all of them nearly the same.
    let types = "windlass: 1
types:
  a:
    requirements: { r: replica_unaware }
    capabilities: [c]
    protocol: { initial: s, states: { s: { offers: [c] } } }
nodes:
";
    let binds =
        many(4_000, types, |at| format!("  node{at}: {{ type: a, bind: {{ r: nodx{at}.c }} }}\n"));
    let folder = Folder::with(&[("binds.yaml", &binds)]);
    let (stdout, stderr, exit) = limited(&folder, &["check", "binds.yaml"]);
    assert_eq!(exit, 1, "{stderr}");
    assert!(stdout.contains("3000 further findings not shown"), "{stdout:.1000}");
}

/// An archive with these files.
fn archive(files: impl Iterator<Item = (String, String)>) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in files {
        archive.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

#[test]
fn hostile_archives_end_in_findings_within_the_limits() {
    let folder = Folder::with(&[]);
    let small = (0..12_000).map(|at| (format!("f{at}.yaml"), "a: 1".to_owned()));
    folder.write("many.csar", archive(small));
    let large = " ".repeat(20_000_000);
    folder.write("bomb.csar", archive((0..8).map(|at| (format!("b{at}.yaml"), large.clone()))));
    let mut cut = archive(std::iter::once(("a.yaml".to_owned(), "a: 1".to_owned())));
    cut.truncate(cut.len() - 30);
    folder.write("cut.csar", cut);
    for (file, code, words) in [
        ("many.csar", "FILE004", "is not read because 10000 files were read already"),
        ("bomb.csar", "FILE008", "an entry that unpacks to more than 100 times its size"),
        ("cut.csar", "FILE007", "it ends too early; was it cut off?"),
    ] {
        let (stdout, stderr, exit) = limited(&folder, &["check", file]);
        assert_eq!(exit, 1, "{file}: {stderr}");
        assert!(stdout.contains(code) && stdout.contains(words), "{file}: {stdout:.1000}");
        assert!(stdout.contains("1 error, 0 warnings"), "{file}: {stdout:.1000}");
    }
}

const DEFINITIONS: &str = "tosca_definitions_version: tosca_simple_yaml_1_3\n";

/// An archive that begins with `service.yaml`, with one more entry of any name and mode.
fn service(text: &str, other: (&str, &str, u32)) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let plain = zip::write::SimpleFileOptions::default();
    let meta = "TOSCA-Meta-File-Version: 1.0\nCSAR-Version: 1.1\nCreated-By: us\n\
                Entry-Definitions: service.yaml\n";
    let (name, content, mode) = other;
    for (name, text, mode) in [
        ("TOSCA-Metadata/TOSCA.meta", meta, 0o644),
        ("service.yaml", text, 0o644),
        (name, content, mode),
    ] {
        archive.start_file(name, plain.unix_permissions(mode)).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

#[test]
fn archives_do_not_lead_out_of_themselves() {
    let folder = Folder::with(&[("secret.yaml", "token: hidden-in-the-folder\n")]);
    let imports = |what: &str| format!("{DEFINITIONS}imports: [{what}]\n");
    let slip = service(&imports("../secret.yaml"), ("../secret.yaml", "token: hidden\n", 0o644));
    folder.write("slip.csar", slip);
    let absolute = service(&imports("/etc/passwd"), ("/etc/passwd", "root\n", 0o644));
    folder.write("absolute.csar", absolute);
    let mut link = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let plain = zip::write::SimpleFileOptions::default();
    link.start_file("service.yaml", plain).unwrap();
    link.write_all(imports("link.yaml").as_bytes()).unwrap();
    link.add_symlink("link.yaml", "../secret.yaml", plain).unwrap();
    folder.write("link.csar", link.finish().unwrap().into_inner());
    for file in ["slip.csar", "absolute.csar", "link.csar"] {
        let (stdout, stderr, exit) = limited(&folder, &["check", file]);
        assert_eq!(exit, 1, "{file}: {stdout} {stderr}");
        assert!(stdout.contains("error[FILE0"), "{file}: {stdout:.1000}");
        assert!(!stdout.contains("hidden"), "{file}: {stdout:.1000}");
    }
    assert!(folder.path("secret.yaml").is_file());
}

#[test]
fn files_of_a_service_that_never_end_are_findings() {
    let folder = Folder::with(&[
        ("a.yaml", &format!("{DEFINITIONS}imports: [b.yaml]\n")),
        ("b.yaml", &format!("{DEFINITIONS}imports: [a.yaml]\n")),
    ]);
    let deep = many(10_000, &format!("{DEFINITIONS}node_types:\n"), |at| {
        let parent = at.checked_sub(1).map_or("tosca.nodes.Root".to_owned(), |at| format!("t{at}"));
        format!("  t{at}: {{ derived_from: {parent} }}\n")
    });
    folder.write("deep.yaml", &deep);
    folder.write(
        "cycle.yaml",
        deep.replacen("derived_from: tosca.nodes.Root", "derived_from: t9999", 1),
    );
    let entities = (1..30).map(|at| {
        let before = at - 1;
        format!("<!ENTITY e{at} \"&e{before};&e{before};&e{before};&e{before};\">")
    });
    let entities: String = entities.collect();
    folder.write(
        "laughs.tosca",
        format!(
            "<?xml version=\"1.0\"?><!DOCTYPE Definitions [<!ENTITY e0 \"ha\">{entities}]>\n\
                 <Definitions xmlns=\"http://docs.oasis-open.org/tosca/ns/2011/12\" id=\"a\" \
                 targetNamespace=\"a\">&e29;</Definitions>\n"
        ),
    );
    for (file, code, exit_code) in
        [("a.yaml", "FILE", 1), ("cycle.yaml", "TOSCA006", 1), ("laughs.tosca", "XML", 1)]
    {
        let (stdout, stderr, exit) = limited(&folder, &["check", file]);
        assert_eq!(exit, exit_code, "{file}: {stdout:.1000} {stderr}");
        assert!(stdout.contains(&format!("error[{code}")), "{file}: {stdout:.1000}");
    }
    let (stdout, stderr, exit) = limited(&folder, &["check", "deep.yaml"]);
    assert_eq!(exit, 0, "{stdout:.1000} {stderr}");
}

/// Each state that a workflow sets is judged by what comes before it and after it.
#[test]
fn a_long_workflow_with_states_is_judged_within_the_limits() {
    const NODES: usize = 200;
    let head =
        "tosca_definitions_version: tosca_simple_yaml_1_3\ntopology_template:\n  node_templates:\n";
    let nodes = many(NODES, head, |at| format!("    n{at}: {{ type: tosca.nodes.Root }}\n"));
    let parts = [
        "set_state: creating",
        "call_operation: Standard.create",
        "set_state: created",
        "call_operation: Standard.configure",
        "set_state: configured",
        "call_operation: Standard.start",
        "set_state: started",
    ];
    let steps = "  workflows:\n    deploy:\n      steps:\n";
    let last = NODES * parts.len() - 1;
    let steps = many(last + 1, steps, |at| {
        let (node, activity) = (at / parts.len(), parts[at % parts.len()]);
        let next = if at < last { format!("s{}", at + 1) } else { String::new() };
        format!(
            "        s{at}: {{ target: n{node}, activities: [ {activity} ], on_success: [ {next} ] }}\n"
        )
    });
    let folder = Folder::with(&[("service.yaml", format!("{nodes}{steps}").as_str())]);
    let args = ["verify", "--app", "service.yaml", "service.yaml"];
    let (stdout, stderr, exit) = limited(&folder, &args);
    assert_eq!(exit, 0, "{stdout:.1000}\n{stderr:.1000}");
    assert!(stdout.contains("valid"), "{stdout:.1000}");
}

/// The members of a group have calls of their own in every step, and only those of one node are
/// compared with each other.
#[test]
fn a_large_group_in_many_steps_is_checked_within_the_limits() {
    let head =
        "tosca_definitions_version: tosca_simple_yaml_1_3\ntopology_template:\n  node_templates:\n";
    let nodes = many(400, head, |at| format!("    n{at}: {{ type: tosca.nodes.Root }}\n"));
    let members: Vec<String> = (0..400).map(|at| format!("n{at}")).collect();
    let group = format!(
        "  groups: {{ g: {{ type: tosca.groups.Root, members: [ {} ] }} }}\n  workflows:\n    w:\n      steps:\n",
        members.join(", ")
    );
    let steps = many(100, &group, |at| {
        let operation = if at % 2 == 0 { "start" } else { "stop" };
        let next = if at < 99 { format!("s{}", at + 1) } else { String::new() };
        format!(
            "        s{at}: {{ target: g, activities: [ call_operation: Standard.{operation} ], on_success: [ {next} ] }}\n"
        )
    });
    let folder = Folder::with(&[("service.yaml", format!("{nodes}{steps}").as_str())]);
    let (stdout, stderr, exit) = limited(&folder, &["check", "service.yaml"]);
    assert_eq!(exit, 0, "{stdout:.1000}\n{stderr:.1000}");
}

/// Each value is made of the one before it, twice.
#[test]
fn values_that_double_at_every_step_are_left_alone() {
    let head = "tosca_definitions_version: tosca_simple_yaml_1_3
node_types: { N: { derived_from: tosca.nodes.Root, properties: { p: { type: string } } } }
topology_template:
  node_templates:
    n0: { type: N, properties: { p: x } }
";
    let text = many(60, head, |at| {
        let before = format!("{{ get_property: [ n{at}, p ] }}");
        let concat = format!("{{ concat: [ {before}, {before} ] }}");
        format!("    n{}: {{ type: N, properties: {{ p: {concat} }} }}\n", at + 1)
    });
    let folder = Folder::with(&[("service.yaml", text.as_str())]);
    let (stdout, stderr, exit) = limited(&folder, &["check", "service.yaml"]);
    assert_eq!(exit, 0, "{stdout:.1000}\n{stderr:.1000}");
}
