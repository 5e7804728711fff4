//! Services of TOSCA on other machines: scripts, what they need and what they give back go over
//! ssh. Without `sshd` the test says that it was skipped.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test may panic"
)]

use crate::support::Run;
use crate::support::sshd::{Server, server};

/// A store on a machine with an address, and a front of this machine that learns where it is. The
/// store has a file with a place of its own, and its script one that it depends on.
const SERVICE: &str = "\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Store:
    derived_from: tosca.nodes.SoftwareComponent
    attributes: { place: { type: string } }
    capabilities: { notes: { type: tosca.capabilities.Endpoint } }
    artifacts:
      page: { type: tosca.artifacts.File, file: files/page.txt, deploy_path: web/page.txt }
    interfaces:
      Standard:
        operations:
          create:
            implementation: { primary: scripts/create.sh, dependencies: [ scripts/lib.sh ] }
            inputs: { WHO: { get_input: who } }
            outputs: { place: [ SELF, place ] }
          start:
            implementation: scripts/start.sh
            inputs: { PLACE: { get_attribute: [ SELF, place ] } }
          stop: scripts/stop.sh
  Front:
    derived_from: tosca.nodes.SoftwareComponent
    requirements:
      - store: { capability: tosca.capabilities.Endpoint, relationship: tosca.relationships.ConnectsTo }
    interfaces:
      Standard:
        operations:
          start:
            implementation: scripts/front.sh
            inputs:
              PLACE: { get_attribute: [ SELF, store, place ] }
              SAID: { get_operation_output: [ store, Standard, create, place ] }
topology_template:
  inputs:
    who: { type: string, default: them }
    address: { type: string }
    port: { type: integer }
  node_templates:
    far:
      type: tosca.nodes.Compute
      attributes: { public_address: { get_input: address } }
      capabilities: { endpoint: { properties: { port: { get_input: port } } } }
    near: { type: tosca.nodes.Compute }
    store: { type: Store, requirements: [ host: far ] }
    front: { type: Front, requirements: [ host: near, store: { node: store, capability: notes } ] }
";

const FILES: &[(&str, &str)] = &[
    ("service.yaml", SERVICE),
    ("files/page.txt", "a page\n"),
    ("scripts/lib.sh", "say() { echo \"$1\" >> \"$HOME/said\"; }\n"),
    (
        "scripts/create.sh",
        ". \"$TOSCA_DEPENDENCIES\"\nsay \"create for $WHO\"\ntest -e web/page.txt\n\
         echo \"place=$HOME\" >> \"$TOSCA_OUTPUTS\"\n",
    ),
    ("scripts/start.sh", "echo \"start in $PLACE\" >> \"$HOME/said\"\n"),
    ("scripts/stop.sh", "echo stop >> \"$HOME/said\"\n"),
    ("scripts/front.sh", "echo \"$PLACE $SAID\" > front\n"),
];

/// Brings the service up with these inputs.
fn up(server: &Server, inputs: &[&str]) -> Run {
    let mut words = vec!["up", "service.yaml", "--ssh-config", "ssh_config", "--yes", "--detach"];
    words.extend(inputs.iter().flat_map(|input| ["--input", *input]));
    server.folder.run(&words)
}

#[test]
fn scripts_files_and_values_go_to_machines_with_addresses_and_come_back() {
    let Some(server) = server(FILES) else { return };
    let folder = &server.folder;
    let port = format!("port={}", folder.read("port"));
    let run = up(&server, &["address=127.0.0.1", &port, "who=us"]);
    assert_eq!(run.code, 0, "{run:?} {}", folder.read("sshd.log"));
    let home = folder.path("home").canonicalize().unwrap().display().to_string();
    let said = folder.read("home/said").replace(&folder.path("home").display().to_string(), &home);
    assert_eq!(said, format!("create for us\nstart in {home}\n"));
    // The front is not on a machine with an address: it ran here, and knows what was said there.
    let front = folder.read("front");
    let words: Vec<&str> = front.split_whitespace().collect();
    assert!(words.len() == 2 && words.iter().all(|word| word.ends_with("/home")), "{front}");
    let down = folder.run(&["down", "service.yaml"]);
    assert_eq!(down.code, 0, "{down:?}");
    assert!(folder.read("home/said").ends_with("stop\n"));
}

#[test]
fn a_file_that_is_not_there_is_named_before_anything_runs_on_the_host() {
    let Some(server) = server(FILES) else { return };
    let folder = &server.folder;
    let port = format!("port={}", folder.read("port"));
    std::fs::remove_file(folder.path("scripts/lib.sh")).unwrap();
    let run = up(&server, &["address=127.0.0.1", &port]);
    assert_ne!(run.code, 0, "{run:?}");
    assert!(format!("{run:?}").contains("lib.sh"), "{run:?}");
    assert!(!folder.path("home/said").exists());
}

/// A machine whose address its own `create` finds out, software on it, and operations that say
/// where they run.
const FOUND: &str = "\
tosca_definitions_version: tosca_simple_yaml_1_3
relationship_types:
  Wire:
    derived_from: tosca.relationships.ConnectsTo
    interfaces:
      Configure:
        operations:
          add_target:
            implementation: { primary: scripts/say.sh, operation_host: TARGET }
            inputs: { WHAT: wire-at-target }
          post_configure_source:
            implementation: { primary: scripts/say.sh, operation_host: ORCHESTRATOR }
            inputs: { WHAT: wire-here }
node_types:
  Store:
    derived_from: tosca.nodes.SoftwareComponent
    capabilities: { notes: { type: tosca.capabilities.Endpoint } }
    interfaces:
      Standard:
        operations:
          create:
            implementation: { primary: scripts/say.sh, operation_host: ORCHESTRATOR }
            inputs: { WHAT: store-here }
          configure:
            implementation: { primary: scripts/say.sh, operation_host: HOST }
            inputs: { WHAT: store-at-host }
          start:
            implementation: scripts/say.sh
            inputs: { WHAT: store-usual, AT: { get_attribute: [ HOST, public_address ] } }
          delete: { implementation: scripts/say.sh, inputs: { WHAT: store-gone } }
  Front:
    derived_from: tosca.nodes.SoftwareComponent
    requirements:
      - store: { capability: tosca.capabilities.Endpoint, relationship: Wire }
topology_template:
  inputs: { port: { type: integer } }
  node_templates:
    far:
      type: tosca.nodes.Compute
      capabilities: { endpoint: { properties: { port: { get_input: port } } } }
      interfaces:
        Standard:
          operations:
            create:
              implementation: scripts/find.sh
              outputs: { address: [ SELF, public_address ] }
            start:
              implementation: { primary: scripts/say.sh, operation_host: SELF }
              inputs: { WHAT: machine-itself }
    near: { type: tosca.nodes.Compute }
    store: { type: Store, requirements: [ host: far ] }
    front: { type: Front, requirements: [ host: near, store: { node: store, capability: notes } ] }
";

#[test]
fn operations_run_where_they_say_and_on_machines_that_a_run_finds() {
    let files = [
        ("service.yaml", FOUND),
        (
            "scripts/find.sh",
            "echo found >> \"$PWD/found\"\necho address=127.0.0.1 >> \"$TOSCA_OUTPUTS\"\n",
        ),
        // A node without a home on the server is on this machine.
        (
            "scripts/say.sh",
            "case \"$HOME\" in */home) echo \"$WHAT$AT\" >> \"$HOME/said\";; *) echo \"$WHAT\" >> here;; esac\n",
        ),
    ];
    let Some(server) = server(&files) else { return };
    let folder = &server.folder;
    let port = format!("port={}", folder.read("port"));
    let run = up(&server, &[&port]);
    assert_eq!(run.code, 0, "{run:?} {}", folder.read("sshd.log"));
    assert_eq!(folder.read("found"), "found\n");
    let sorted = |text: String| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(folder.read("here")), ["store-here", "wire-here"]);
    assert_eq!(
        sorted(folder.read("home/said")),
        ["machine-itself", "store-at-host", "store-usual127.0.0.1", "wire-at-target"]
    );
    let down = folder.run(&["down", "service.yaml"]);
    assert_eq!(down.code, 0, "{down:?}");
    assert!(folder.read("home/said").ends_with("store-gone\n"));
}

#[test]
fn an_address_that_no_operation_leaves_is_said() {
    let silent = FOUND.replace("scripts/find.sh", "scripts/silent.sh");
    let files = [
        ("service.yaml", silent.as_str()),
        ("scripts/silent.sh", "true\n"),
        ("scripts/say.sh", "true\n"),
    ];
    let Some(server) = server(&files) else { return };
    let folder = &server.folder;
    let port = format!("port={}", folder.read("port"));
    let run = up(&server, &[&port]);
    assert_ne!(run.code, 0, "{run:?}");
    assert!(format!("{run:?}").contains("no operation has left `far.public_address`"), "{run:?}");
}
