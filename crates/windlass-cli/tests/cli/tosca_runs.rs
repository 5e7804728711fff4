//! Services of TOSCA run from archives and folders, with functions, outputs and ways down.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use std::process::Command;

use crate::support::{Folder, Run};

fn good(run: Run) -> Run {
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    run
}

/// Functions of 2.0 that a script gets, and outputs that it leaves.
const TWO: &str = "tosca_definitions_version: tosca_2_0
imports: [ { profile: 'org.oasis-open.simple:2.0' } ]
node_types:
  Store:
    derived_from: SoftwareComponent
    properties: { list: { type: list, entry_schema: { type: string }, default: [ a, b, c ] } }
    attributes: { place: { type: string }, size: { type: integer, default: 7 } }
    capabilities: { data: { type: Endpoint } }
    interfaces:
      Standard:
        operations:
          create: { implementation: scripts/store.sh, outputs: { place: [ SELF, place ] } }
  Front:
    derived_from: SoftwareComponent
    requirements: [ store: { capability: Endpoint, relationship: ConnectsTo } ]
    interfaces:
      Standard:
        operations:
          create:
            implementation: scripts/front.sh
            inputs:
              PLACE: { $get_attribute: [ SELF, RELATIONSHIP, store, TARGET, place ] }
              SIZE: { $get_attribute: [ store, size ] }
              ONE: { $get_property: [ store, list, 1 ] }
              ALL: { $join: [ { $get_property: [ store, list ] }, '-' ] }
              SUM: { $sum: [ 3, { $length: [ { $get_property: [ store, list ] } ] } ] }
              LIST: { $get_property: [ store, list ] }
service_template:
  node_templates:
    box: { type: Compute }
    store: { type: Store, requirements: [ host: box ] }
    front: { type: Front, requirements: [ host: box, store: { node: store, capability: data } ] }
  outputs:
    where: { type: string, value: { $concat: [ 'at ', { $get_attribute: [ store, place ] } ] } }
";

const SCRIPTS: &[(&str, &str)] = &[
    ("scripts/store.sh", "echo \"place=$WINDLASS_NODE\" >> \"$TOSCA_OUTPUTS\"\n"),
    ("scripts/front.sh", "echo \"$PLACE $SIZE $ONE $ALL $SUM $LIST\"\n"),
];

fn service(prefix: &str) -> Folder {
    let folder = Folder::with(&[]);
    folder.write(&format!("{prefix}service.yaml"), TWO);
    for (name, text) in SCRIPTS {
        folder.write(&format!("{prefix}{name}"), text);
    }
    folder
}

#[test]
fn functions_reach_scripts_as_values_and_outputs_are_printed() {
    let folder = service("");
    let up = good(folder.run(&["up", "service.yaml", "--yes", "--detach"]));
    assert!(up.stdout.contains("output where: at store\n"), "{}", up.stdout);
    let said = good(folder.run(&["logs", "--app", "service.yaml"])).stdout;
    assert!(said.contains("store 7 b a-b-c 6 [\"a\", \"b\", \"c\"]"), "{said}");
}

#[test]
fn a_script_that_is_not_there_is_said_before_anything_runs() {
    let folder = service("");
    std::fs::remove_file(folder.path("scripts/front.sh")).unwrap();
    let run = folder.run(&["up", "service.yaml", "--yes", "--detach"]);
    assert_eq!(run.code, 2, "{}\n{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("there is no file `scripts/front.sh`"), "{}", run.stderr);
    assert!(!folder.path(".windlass/service/shared/store/place").exists());
}

#[test]
fn archives_run_from_where_their_files_are_laid_out_and_are_imported() {
    let folder = service("csar/Definitions/");
    folder.write(
        "csar/TOSCA.meta",
        "CSAR-Version: 2.0\nCreated-By: me\nEntry-Definitions: Definitions/service.yaml\n",
    );
    for args in [["plan", "csar"], ["prove", "csar"]] {
        good(folder.run(&args));
    }
    good(folder.run(&["up", "csar", "--yes", "--detach"]));
    for args in [["status", "csar", ""], ["history", "csar", ""], ["logs", "--app", "csar"]] {
        let args: Vec<&str> = args.into_iter().filter(|word| !word.is_empty()).collect();
        good(folder.run(&args));
    }
    good(folder.run(&["down", "csar", "--yes"]));
    let archive = folder.path("service.tar");
    let mut packed = Command::new("tar");
    packed.arg("-C").arg(folder.path("csar")).arg("--format=ustar").arg("-cf").arg(&archive);
    assert!(packed.args(["TOSCA.meta", "Definitions"]).status().unwrap().success());
    let up = good(folder.run(&["up", "service.tar", "--yes", "--detach"]));
    assert!(up.stdout.contains("output where: at store\n"), "{}", up.stdout);
    good(folder.run(&["down", "service.tar"]));
    folder.write(
        "importing.yaml",
        "tosca_definitions_version: tosca_2_0\nimports: [ { url: service.tar, namespace: lib } ]\n\
         node_types: { Big: { derived_from: 'lib:Store' }, Bad: { derived_from: 'lib:Stoer' } }\n",
    );
    let checked = folder.run(&["check", "importing.yaml", "--format", "json"]);
    assert_eq!(checked.findings(), ["3:72 error TOSCA005"], "{}", checked.stdout);
}

/// A relationship that is taken away before its source stops.
const LEAVING: &str = "tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    box: { type: tosca.nodes.Compute }
    store:
      type: tosca.nodes.SoftwareComponent
      interfaces: { Standard: { operations: { create: say.sh, start: say.sh, stop: say.sh, delete: say.sh } } }
      requirements: [ host: box ]
    front:
      type: tosca.nodes.SoftwareComponent
      interfaces: { Standard: { operations: { create: say.sh, configure: CONFIGURE, start: say.sh, stop: say.sh, delete: say.sh } } }
      requirements:
        - host: box
        - dependency:
            node: store
            relationship:
              type: tosca.relationships.ConnectsTo
              interfaces: { Configure: { operations: { pre_configure_source: say.sh, remove_target: say.sh } } }
";

#[test]
fn what_leaves_takes_its_relationships_away_stops_and_is_deleted() {
    let text = LEAVING.replace("CONFIGURE", "say.sh");
    let folder = Folder::with(&[("service.yaml", text.as_str()), ("say.sh", "true\n")]);
    let plan = good(folder.run(&["plan", "service.yaml", "--down", "--format", "json"])).json();
    let actions = plan["plan"]["actions"].as_object().unwrap();
    let wanted = [
        "Configure.remove_target:dependency front",
        "Standard.stop front",
        "Standard.delete front",
        "Standard.stop store",
        "Standard.delete store",
    ];
    for action in wanted {
        assert!(actions.contains_key(action), "{action} in {:?}", actions.keys());
    }
}

#[test]
fn after_a_failure_half_way_everything_is_stopped_and_deleted() {
    let text = LEAVING.replace("CONFIGURE", "fail.sh");
    let files = [
        ("service.yaml", text.as_str()),
        ("say.sh", "echo \"$WINDLASS_NODE $(basename \"$0\")\" >> said\n"),
        ("fail.sh", "exit 1\n"),
    ];
    let folder = Folder::with(&files);
    let run = folder.run(&["up", "service.yaml", "--yes", "--detach"]);
    assert_ne!(run.code, 0, "{}", run.stdout);
    std::fs::remove_file(folder.path("said")).unwrap();
    good(folder.run(&["down", "service.yaml"]));
    let said = folder.read("said");
    let count = |node: &str| said.lines().filter(|line| line.starts_with(node)).count();
    // The store stops and is deleted; the front is deleted from where it failed.
    assert_eq!((count("store"), count("front")), (2, 1), "{said}");
}

/// Attributes that only who runs a service can tell.
const TOLD: &str = "tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    box: { type: tosca.nodes.Compute }
    store:
      type: tosca.nodes.SoftwareComponent
      requirements: [ host: box ]
      interfaces: { Standard: { operations: { create: { implementation: say.sh, inputs: { STATE: { get_attribute: [ SELF, state ] } } } } } }
    front:
      type: tosca.nodes.SoftwareComponent
      requirements: [ host: box, dependency: store ]
      interfaces:
        Standard:
          operations:
            create: { implementation: say.sh, inputs: { STATE: { get_attribute: [ store, state ] }, NAME: { get_attribute: [ SELF, tosca_name ] }, ID: { get_attribute: [ box, tosca_id ] } } }
            start: { implementation: say.sh, inputs: { STATE: { get_attribute: [ SELF, state ] } } }
  outputs:
    state: { value: { get_attribute: [ front, state ] } }
    box: { value: { get_attribute: [ box, state ] } }
";

#[test]
fn state_and_names_are_attributes_that_the_run_knows() {
    let say = "echo \"$WINDLASS_NODE said $STATE $NAME $ID.\"\n";
    let folder = Folder::with(&[("service.yaml", TOLD), ("say.sh", say)]);
    let up = good(folder.run(&["up", "service.yaml", "--yes", "--detach"]));
    assert!(up.stdout.contains("output state: started\n"), "{}", up.stdout);
    assert!(up.stdout.contains("output box: started\n"), "{}", up.stdout);
    let said = good(folder.run(&["logs", "--app", "service.yaml"])).stdout;
    for words in ["store said creating", "front said started front box.", "front said starting"] {
        assert!(said.contains(words), "{words}: {said}");
    }
}

#[test]
fn a_node_that_nothing_brings_up_is_named() {
    let text = "tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates: { db: { type: tosca.nodes.Root, directives: [ substitute ] } }
";
    let folder = Folder::with(&[("service.yaml", text)]);
    let up = good(folder.run(&["up", "service.yaml", "--yes", "--detach"]));
    assert!(up.stderr.contains("nothing is done for `db` (`substitute`)"), "{}", up.stderr);
    // A file that could stand for it is named.
    let inner = "tosca_definitions_version: tosca_simple_yaml_1_3
node_types: { Db: { derived_from: tosca.nodes.Root } }
topology_template:
  substitution_mappings: { node_type: Db }
  node_templates: { one: { type: tosca.nodes.Root } }
";
    let text = text.replace("topology_template", "imports: [ inner.yaml ]\ntopology_template");
    let text = text.replace("tosca.nodes.Root", "Db");
    let folder = Folder::with(&[("service.yaml", text.as_str()), ("inner.yaml", inner)]);
    let up = good(folder.run(&["up", "service.yaml", "--yes", "--detach"]));
    assert!(up.stderr.contains("inner.yaml could stand for it"), "{}", up.stderr);
}

#[test]
fn errors_of_a_file_are_json_for_programs() {
    let text = "tosca_definitions_version: tosca_simple_yaml_1_3
topology_template: { node_templates: { a: { type: Nothing } } }
";
    let folder = Folder::with(&[("service.yaml", text)]);
    for command in ["prove", "plan"] {
        let run = folder.run(&[command, "service.yaml", "--format", "json"]);
        assert_eq!(run.code, 1, "{}", run.stderr);
        assert_eq!(run.findings(), ["2:51 error TOSCA005"], "{}", run.stdout);
        assert!(run.stderr.contains("TOSCA005"), "{}", run.stderr);
        assert_eq!(folder.run(&[command, "service.yaml"]).stdout, "");
    }
}

#[test]
fn a_substitute_that_never_stops_is_reported() {
    let text = "tosca_definitions_version: tosca_simple_yaml_1_3
node_types: { Store: { derived_from: tosca.nodes.Root } }
topology_template:
  substitution_mappings:
    node_type: Store
    interfaces: { Standard: { create: bring, start: run } }
  node_templates: { server: { type: tosca.nodes.Compute } }
  workflows:
    bring: { steps: { one: { target: server, activities: [ { call_operation: Standard.create }, { call_operation: Standard.configure } ] } } }
    run: { steps: { one: { target: server, activities: [ { call_operation: Standard.start } ] } } }
";
    let folder = Folder::with(&[("service.yaml", text)]);
    let run = folder.run(&["check", "service.yaml"]);
    assert!(run.stdout.contains("`stop` is mapped to no workflow"), "{}", run.stdout);
    assert!(run.stdout.contains("map `stop` to a workflow"), "{}", run.stdout);
}

/// A way down that wants what only a way up that succeeded gives.
const HALF: &str = "tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  N:
    derived_from: tosca.nodes.Root
    attributes: { address: { type: string } }
    interfaces:
      Standard:
        operations:
          start: { implementation: start.sh, outputs: { addr: [ SELF, address ] } }
          delete: { implementation: say.sh, inputs: { A: { get_attribute: [ SELF, address ] } } }
topology_template:
  inputs: { word: { type: string, default: nothing } }
  node_templates: { a: { type: N } }
  outputs:
    at: { value: { concat: [ { get_input: word }, ' ', { get_attribute: [ a, address ] } ] } }
";

#[test]
fn a_missing_value_is_empty_on_the_way_down_and_is_reported() {
    let say = "echo \"deleted with <$A>\"\n";
    let folder = Folder::with(&[("s.yaml", HALF), ("start.sh", "exit 1\n"), ("say.sh", say)]);
    assert_eq!(folder.run(&["up", "s.yaml", "--yes", "--detach"]).code, 4);
    let down = good(folder.run(&["down", "s.yaml"]));
    let told = "no operation has given `address` of `a`; it is empty for Standard.delete";
    assert!(down.stderr.contains(told), "{}", down.stderr);
    let said = good(folder.run(&["logs", "--app", "s.yaml"])).stdout;
    assert!(said.contains("deleted with <>"), "{said}");
    // On the way up it is an error, as before.
    let early =
        HALF.replace("start: {", "start: { inputs: { A: { get_attribute: [ a, address ] } },");
    folder.write("early.yaml", early);
    folder.write("start.sh", "echo addr=there >> \"$TOSCA_OUTPUTS\"\n");
    let up = folder.run(&["up", "early.yaml", "--yes", "--detach"]);
    assert_eq!(up.code, 4, "{}", up.stdout);
    assert!(up.stdout.contains("no operation has given `address` of `a`"), "{}", up.stdout);
}

#[test]
fn a_run_that_is_resumed_tells_the_outputs_of_the_service() {
    let folder = Folder::with(&[("s.yaml", HALF), ("start.sh", "exit 1\n"), ("say.sh", "true\n")]);
    let up = ["up", "s.yaml", "--yes", "--detach", "--input", "word=given"];
    assert_eq!(folder.run(&up).code, 4);
    folder.write("start.sh", "echo addr=there >> \"$TOSCA_OUTPUTS\"\n");
    let resumed = good(folder.run(&["resume", "s.yaml", "--detach"]));
    assert!(resumed.stdout.contains("output at: given there\n"), "{}", resumed.stdout);
    // Who takes down has none to tell.
    let down = good(folder.run(&["down", "s.yaml"]));
    assert!(!down.stdout.contains("output at"), "{}", down.stdout);
}

#[test]
fn a_dry_run_says_which_scripts_are_missing() {
    let folder = service("csar/Definitions/");
    folder.write(
        "csar/TOSCA.meta",
        "CSAR-Version: 2.0\nEntry-Definitions: Definitions/service.yaml\n",
    );
    let pack = |name: &str| {
        let mut packed = Command::new("tar");
        packed.arg("-C").arg(folder.path("csar")).arg("--format=ustar").arg("-cf");
        packed.arg(folder.path(name)).args(["TOSCA.meta", "Definitions"]);
        assert!(packed.status().unwrap().success());
    };
    pack("whole.tar");
    let entry = "csar/Definitions/service.yaml";
    for file in [entry, "csar", "whole.tar"] {
        good(folder.run(&["up", file, "--dry-run"]));
    }
    std::fs::remove_file(folder.path("csar/Definitions/scripts/front.sh")).unwrap();
    pack("half.tar");
    for file in [entry, "csar"] {
        let run = folder.run(&["up", file, "--dry-run"]);
        assert_eq!(run.code, 2, "{file}: {}", run.stdout);
        assert!(run.stderr.contains("there is no file `scripts/front.sh`"), "{}", run.stderr);
        // Nothing runs in a simulated world.
        good(folder.run(&["up", file, "--dry-run", "--world", "simulated"]));
    }
    // An archive is to be complete, for every reader.
    let run = folder.run(&["up", "half.tar", "--dry-run"]);
    assert_eq!(run.code, 1, "{}", run.stdout);
    assert!(run.stderr.contains("there is no file `scripts/front.sh`"), "{}", run.stderr);
    assert!(!folder.path(".windlass").exists());
}

#[test]
fn workflows_in_a_file_of_their_own_are_about_the_application() {
    let text = LEAVING.replace("CONFIGURE", "say.sh");
    let folder = Folder::with(&[("service.yaml", text.as_str()), ("say.sh", "true\n")]);
    good(folder.run(&["convert", "service.yaml", "--to", "tosca", "-o", "flows.yaml"]));
    good(folder.run(&["convert", "service.yaml", "--to", "windlass", "-o", "own.yaml"]));
    good(folder.run(&["plan", "service.yaml", "--format", "json", "-o", "up.json"]));
    good(folder.run(&["convert", "up.json", "--to", "tosca", "-o", "up.yaml"]));
    for app in ["service.yaml", "own.yaml"] {
        for flow in ["flows.yaml", "up.yaml"] {
            good(folder.run(&["verify", flow, "--app", app]));
        }
        let down = ["--workflow", "undeploy", "--after", "flows.yaml"];
        good(folder.run(&[&["verify", "flows.yaml", "--app", app][..], &down].concat()));
    }
    good(folder.run(&["simulate", "flows.yaml", "--app", "service.yaml"]));
    let up = ["up", "service.yaml", "--plan", "flows.yaml", "--yes", "--detach"];
    good(folder.run(&up));
    // What is left to the orchestrator and what has no implementation is known of the service.
    folder.write(
        "short.yaml",
        "tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  workflows:
    deploy:
      steps:
        box: { target: box, activities: [ delegate: deploy ], on_success: [ store ] }
        store: { target: store, activities: [ call_operation: Standard.create, call_operation: Standard.start ] }
",
    );
    good(folder.run(&["verify", "short.yaml", "--app", "service.yaml"]));
    let wrong = folder.read("short.yaml").replace(", on_success: [ store ]", "");
    folder.write("wrong.yaml", wrong);
    assert_eq!(folder.run(&["verify", "wrong.yaml", "--app", "service.yaml"]).code, 1);
}

/// A service that stands for a type; `configure` has no implementation.
const STANDS: &str = "tosca_definitions_version: tosca_simple_yaml_1_3
node_types: { Sys: { derived_from: tosca.nodes.Root } }
topology_template:
  substitution_mappings:
    node_type: Sys
    interfaces: { Standard: { create: wc, start: ws, stop: wp, delete: wd } }
  node_templates:
    a:
      type: tosca.nodes.Root
      interfaces: { Standard: { operations: { create: x.sh, start: x.sh, stop: x.sh, delete: x.sh } } }
  workflows:
    wc: { steps: { x: { target: a, activities: [ call_operation: Standard.create ] } } }
    ws: { steps: { x: { target: a, activities: [ call_operation: Standard.start ] } } }
    wp: { steps: { x: { target: a, activities: [ call_operation: Standard.stop ] } } }
    wd: { steps: { x: { target: a, activities: [ call_operation: Standard.delete ] } } }
";

#[test]
fn a_substitute_needs_no_workflow_for_unimplemented_operations() {
    let folder = Folder::with(&[("service.yaml", STANDS), ("x.sh", "true\n")]);
    good(folder.run(&["check", "service.yaml"]));
    let wrong = [
        ("start: ws", "start: wc"),
        ("create: wc", "create: wp"),
        ("stop: wp", "stop: wd"),
        ("create: x.sh,", "create: x.sh, configure: x.sh,"),
    ];
    for (from, to) in wrong {
        folder.write("service.yaml", STANDS.replace(from, to));
        let run = folder.run(&["check", "service.yaml", "--format", "json"]);
        let codes = run.findings();
        assert!(codes.iter().any(|it| it.ends_with("error TOSCA029")), "{to}: {codes:?}");
    }
    // Nor is the end of the way up called when nothing carries it out.
    let bare = STANDS
        .replace("start: ws, stop: wp, ", "start: ws, ")
        .replace("start: x.sh, stop: x.sh, ", "configure: x.sh, ")
        .replace("Standard.start", "Standard.configure")
        .replace(
            "    node_type: Sys\n",
            "    node_type: Sys\n    capabilities: { feature: [ a, feature ] }\n",
        );
    let (head, rest) = bare.split_once("    wp:").unwrap();
    let (_, rest) = rest.split_once('\n').unwrap();
    folder.write("service.yaml", format!("{head}{rest}"));
    let run = folder.run(&["check", "service.yaml"]);
    assert!(!run.stdout.contains("and the service does not"), "{}", run.stdout);
}

#[test]
fn archives_are_checked_in_the_language_of_tosker() {
    let folder = Folder::with(&[("csar/s.yaml", STANDS), ("csar/x.sh", "true\n")]);
    folder.write("csar/TOSCA.meta", "CSAR-Version: 2.0\nEntry-Definitions: s.yaml\n");
    let mut packed = Command::new("tar");
    packed.arg("-C").arg(folder.path("csar")).arg("--format=ustar").arg("-cf");
    packed.arg(folder.path("s.tar")).args(["TOSCA.meta", "s.yaml", "x.sh"]);
    assert!(packed.status().unwrap().success());
    let run = folder.run(&["check", "s.tar", "--lang", "tosker"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stdout.contains("TosKer does not bring up `a`"), "{}", run.stdout);
}

/// A service with a way after a failure, and with a condition.
const CAREFUL: &str = "tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  A:
    derived_from: tosca.nodes.Root
    interfaces: { Standard: { operations: { create: a.sh, start: a.sh } } }
topology_template:
  node_templates: { a: { type: A } }
  workflows:
    deploy:
      preconditions: [ { target: a, condition: [ { state: [ { equal: initial } ] } ] } ]
      steps:
        make: { target: a, activities: [ call_operation: Standard.create ], on_success: [ go ] }
        go: { target: a, activities: [ call_operation: Standard.start ], on_failure: [ undo ] }
        undo: { target: a, activities: [ call_operation: Standard.delete ] }
";

#[test]
fn a_workflow_of_an_archive_runs_and_skipped_steps_are_reported() {
    let meta = "TOSCA-Meta-File-Version: 1.1\nCSAR-Version: 1.1\nCreated-By: me\n\
                Entry-Definitions: service.yaml\n";
    let folder = Folder::with(&[
        ("csar/service.yaml", CAREFUL),
        ("csar/a.sh", "true\n"),
        ("csar/TOSCA-Metadata/TOSCA.meta", meta),
    ]);
    let mut packed = Command::new("tar");
    packed.arg("-C").arg(folder.path("csar")).arg("--format=ustar").arg("-cf");
    packed.arg(folder.path("whole.tar")).args(["service.yaml", "a.sh", "TOSCA-Metadata"]);
    assert!(packed.status().unwrap().success());
    for file in ["csar", "whole.tar"] {
        good(folder.run(&["verify", file, "--app", file]));
        let up = good(folder.run(&["up", file, "--plan", file, "--yes", "--detach"]));
        assert!(up.stderr.contains("step `undo`, which follows a failure, is not run"), "{file}");
        assert!(up.stderr.contains("preconditions of the workflow"), "{}", up.stderr);
        assert!(up.stdout.contains("done    go "), "{}", up.stdout);
        good(folder.run(&["down", file, "--yes"]));
    }
}

/// A workflow that gives inputs, and inputs whose names no shell has.
const GIVEN: &str = "tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    a:
      type: tosca.nodes.Root
      interfaces:
        Standard:
          operations:
            create: { implementation: o.sh, inputs: { db-host: one, x-y: two, x_y: three } }
  workflows:
    deploy:
      steps:
        s:
          target: a
          activities:
            - call_operation: { operation: Standard.create, inputs: { V: two } }
            - call_operation: Standard.start
";

#[test]
fn inputs_of_a_step_are_reported_and_inputs_have_names_of_a_shell() {
    let folder = Folder::with(&[("s.yaml", GIVEN), ("o.sh", "echo \"$db_host $x_y\" > got\n")]);
    let run = good(folder.run(&["up", "s.yaml", "--plan", "s.yaml", "--yes", "--detach"]));
    let told = "the inputs that step `s` gives to `Standard.create` are not passed on";
    assert!(run.stderr.contains(told), "{}", run.stderr);
    assert_eq!(std::fs::read_to_string(folder.path("got")).unwrap().trim(), "one three");
}

/// An application whose store is told about those that use it.
const RELATED: &str = "tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    box: { type: tosca.nodes.Compute }
    store: { type: tosca.nodes.SoftwareComponent, requirements: [ host: box ] }
    app:
      type: tosca.nodes.SoftwareComponent
      requirements:
        - host: box
        - dependency: { node: store, relationship: told }
  relationship_templates:
    told:
      type: tosca.relationships.ConnectsTo
      interfaces:
        Configure: { operations: { pre_configure_target: o.sh, add_target: o.sh } }
";

#[test]
fn workflows_that_are_written_are_accepted() {
    let folder = Folder::with(&[("s.yaml", RELATED), ("o.sh", "true\n")]);
    let run = good(folder.run(&["convert", "s.yaml", "--to", "tosca"]));
    assert!(run.stdout.contains("target_relationship: app/dependency"), "{}", run.stdout);
    let workflows = run.stdout.split_once("topology_template:\n").unwrap().1;
    folder.write("merged.yaml", format!("{RELATED}{workflows}"));
    good(folder.run(&["check", "merged.yaml"]));
    let run = good(folder.run(&["verify", "merged.yaml", "--app", "merged.yaml"]));
    assert!(run.stdout.contains("valid"), "{}", run.stdout);
}
