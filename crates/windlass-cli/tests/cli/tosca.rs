//! Services of TOSCA as applications: proved, planned, verified, run.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use crate::support;
use std::fs;
use std::path::Path;

use crate::support::{Folder, Run};

/// A copy of an example, so that a run leaves nothing behind.
fn example(name: &str) -> Folder {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tosca").join(name);
    let folder = Folder::with(&[]);
    copy(&from, "", &folder);
    folder
}

fn copy(from: &Path, below: &str, folder: &Folder) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{below}{}", entry.file_name().to_str().unwrap());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &format!("{name}/"), folder);
        } else {
            folder.write(&name, fs::read(entry.path()).unwrap());
        }
    }
}

fn good(run: Run) -> Run {
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    run
}

#[test]
fn the_customer_application_is_checked_proved_planned_and_drawn() {
    let folder = example("crm");
    good(folder.run(&["check", "service.yaml"]));
    let proof = good(folder.run(&["prove", "service.yaml", "--format", "json"])).json();
    assert_eq!(proof["verdict"], "always_completes");
    let plan = good(folder.run(&["plan", "service.yaml", "--format", "json"])).json();
    // Nine instances, and three operations with a start and an end for each.
    assert_eq!(plan["length"], 9 + 9 * 3 * 2);
    folder.write("up.json", plan.to_string());
    let verified = folder.run(&["verify", "up.json", "--app", "service.yaml", "--format", "json"]);
    assert_eq!(good(verified).json()["verdict"], "valid");
    let drawn = good(folder.run(&["show", "service.yaml", "--as", "mermaid"])).stdout;
    let names = ["VMApache", "OSApache", "ApacheWebServer", "PHPModule", "CRMApp", "VMMySQL"];
    assert!(names.iter().chain(&["OSMySQL", "MySQL", "CRMDB"]).all(|name| drawn.contains(name)));
}

#[test]
fn the_customer_application_runs_in_the_order_of_the_profile() {
    let folder = example("crm");
    good(folder.run(&["up", "service.yaml", "--yes", "--detach"]));
    let said = good(folder.run(&["logs", "--app", "service.yaml"])).stdout;
    let at = |what: &str| said.find(what).unwrap_or_else(|| panic!("{what} in {said}"));
    for (first, then) in [
        ("start OSApache", "create ApacheWebServer"),
        ("start ApacheWebServer", "create PHPModule"),
        ("start PHPModule", "create CRMApp"),
        ("start CRMDB", "create CRMApp"),
        ("create CRMApp", "configure CRMApp"),
        ("configure CRMApp", "start CRMApp"),
    ] {
        assert!(at(first) < at(then), "{first} before {then} in {said}");
    }
}

#[test]
fn scripts_get_inputs_and_give_attributes_back() {
    let folder = example("notes");
    good(folder.run(&["check", "service.yaml"]));
    good(folder.run(&["up", "service.yaml", "--yes", "--detach"]));
    assert_eq!(folder.read("data/notes.txt"), "hello\n");
    good(folder.run(&["down", "service.yaml"]));
    assert!(!folder.path("data").exists());
}

const TYPES: &str = "\
tosca_definitions_version: tosca_simple_yaml_1_0
policy_types:
  tosker.policies.Protocol:
    derived_from: tosca.policies.Root
    properties:
      initial_state: { type: string }
      states: { type: map, entry_schema: { type: map } }
      transitions: { type: list, entry_schema: { type: map } }
node_types:
  tosker.nodes.Root: { derived_from: tosca.nodes.Root }
  tosker.nodes.Container:
    derived_from: tosker.nodes.Root
    capabilities:
      host: { type: tosca.capabilities.Container }
      endpoint: { type: tosca.capabilities.Endpoint }
  tosker.nodes.Software:
    derived_from: tosker.nodes.Root
    capabilities:
      endpoint: { type: tosca.capabilities.Endpoint }
    requirements:
      - host: { capability: tosca.capabilities.Container, relationship: tosca.relationships.HostedOn }
      - connection:
          capability: tosca.capabilities.Endpoint
          relationship: tosca.relationships.ConnectsTo
          occurrences: [0, UNBOUNDED]
";

const SERVICE: &str = "\
tosca_definitions_version: tosca_simple_yaml_1_0
imports: [tosker-types.yaml]
topology_template:
  node_templates:
    box: { type: tosker.nodes.Container }
    db: { type: tosker.nodes.Container }
    app:
      type: tosker.nodes.Software
      requirements:
        - host: box
        - connection: db
  policies:
    - life:
        type: tosker.policies.Protocol
        targets: [app]
        properties:
          initial_state: gone
          states:
            gone: {}
            there: { requires: [host] }
            busy: { requires: [host, connection], offers: [endpoint] }
          transitions:
            - { source: gone, target: there, interface: my, operation: put, requires: [host] }
            - { source: there, target: busy, interface: my, operation: run }
            - { source: busy, target: there, interface: my, operation: halt }
            - { source: there, target: gone, interface: my, operation: drop }
";

#[test]
fn protocols_in_policies_decide_which_plans_are_valid() {
    let folder = Folder::with(&[("tosker-types.yaml", TYPES), ("service.yaml", SERVICE)]);
    folder.write(
        "up.plan",
        "box:Standard.create\nbox:Standard.start\ndb:Standard.create\ndb:Standard.start\n\
         app:my.put\napp:my.run\n",
    );
    folder.write("hasty.plan", "box:Standard.create\napp:my.put\nbox:Standard.start\n");
    let verdict = |plan: &str| {
        let run = folder.run(&["verify", plan, "--app", "service.yaml", "--format", "json"]);
        run.json()["verdict"].as_str().unwrap().to_owned()
    };
    assert_eq!(verdict("up.plan"), "valid");
    assert_eq!(verdict("hasty.plan"), "not_valid");
}

#[test]
fn a_service_of_tosker_is_planned_down_again() {
    let folder = Folder::with(&[("tosker-types.yaml", TYPES), ("service.yaml", SERVICE)]);
    good(folder.run(&["plan", "service.yaml", "--format", "json", "-o", "up.json"]));
    good(folder.run(&["plan", "service.yaml", "--down", "--format", "json", "-o", "down.json"]));
    let args = ["verify", "down.json", "--app", "service.yaml", "--after", "up.json"];
    let goal = ["--goal", "box=deleted,db=deleted", "--format", "json"];
    let run = good(folder.run(&[&args[..], &goal[..]].concat()));
    assert_eq!((&run.json()["verdict"], &run.json()["goal"]), (&"valid".into(), &"met".into()));
    let down = ["plan", "service.yaml", "--down", "--as", "tosker"];
    let down = good(folder.run(&down)).stdout;
    let at = |line: &str| down.find(line).unwrap_or_else(|| panic!("no {line} in {down}"));
    assert!(at("app:my.drop") < at("box:Standard.stop"), "{down}");
    // The way back of a plan leads to the same.
    let undone = folder.run(&["plan", "service.yaml", "--undo", "up.json"]);
    assert!(good(undone).stdout.contains("Standard.delete box"));
}

#[test]
fn a_protocol_without_a_way_back_is_named() {
    let way = "            - { source: there, target: gone, interface: my, operation: drop }\n";
    let folder = Folder::with(&[("tosker-types.yaml", TYPES)]);
    folder.write("service.yaml", SERVICE.replace(way, ""));
    let run = folder.run(&["plan", "service.yaml", "--down"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stdout.contains("no operations of `app` lead to `gone`"), "{run:?}");
    // And one that never comes up.
    let way = "            - { source: there, target: busy, interface: my, operation: run }\n";
    folder.write("service.yaml", SERVICE.replace(way, ""));
    let run = folder.run(&["plan", "service.yaml", "--down"]);
    assert_eq!(run.code, 1, "{run:?}");
    let why = "never up: no instance of `app` can ever be `busy`: no operations of `app` lead to";
    assert!(run.stderr.contains(why), "{run:?}");
}

const WORKFLOW: &str = "\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    machine: { type: tosca.nodes.Compute }
    software:
      type: tosca.nodes.SoftwareComponent
      requirements: [{ host: machine }]
  workflows:
    deploy:
      steps:
        machine:
          target: machine
          activities:
            - call_operation: Standard.create
            - call_operation: Standard.configure
            - call_operation: Standard.start
          on_success: [software]
        software:
          target: software
          activities:
            - set_state: creating
            - call_operation: Standard.create
            - call_operation: Standard.configure
            - call_operation: Standard.start
";

#[test]
fn a_workflow_is_a_plan_and_a_plan_is_written_as_a_workflow() {
    let hasty = WORKFLOW.replace("          on_success: [software]\n", "");
    let folder = Folder::with(&[("service.yaml", WORKFLOW), ("hasty.yaml", &hasty)]);
    let verdict = |plan: &str| {
        let run = folder.run(&["verify", plan, "--app", "service.yaml", "--format", "json"]);
        run.json()["verdict"].as_str().unwrap_or(&run.stderr).to_owned()
    };
    assert_eq!(verdict("service.yaml"), "valid");
    assert_ne!(verdict("hasty.yaml"), "valid");
    let plan = good(folder.run(&["plan", "service.yaml", "--format", "json"])).json();
    folder.write("up.json", plan.to_string());
    let written = good(folder.run(&["convert", "up.json", "--to", "tosca"])).stdout;
    // The workflow of the service gives way to the one that was just made.
    let (topology, _) = WORKFLOW.split_once("  workflows:").unwrap();
    let (_, workflows) = written.split_once("  workflows:").unwrap();
    folder.write("made.yaml", format!("{topology}  workflows:{workflows}"));
    assert_eq!(verdict("made.yaml"), "valid");
}

#[test]
fn a_service_may_choose_other_weaving_rules() {
    let policy = "\
policy_types:
  windlass.policies.Weaving:
    derived_from: tosca.policies.Root
    properties: { rules: { type: string } }
";
    let (head, rest) = WORKFLOW.split_once('\n').unwrap();
    let (topology, _) = rest.split_once("  workflows:").unwrap();
    let chosen = "  policies:
    - order: { type: windlass.policies.Weaving, properties: { rules: setup } }
";
    let folder = Folder::with(&[("service.yaml", &format!("{head}\n{policy}{topology}{chosen}"))]);
    let said = good(folder.run(&["convert", "service.yaml", "--to", "windlass"])).stdout;
    assert!(said.contains("host:created"), "{said}");
    let proof = good(folder.run(&["prove", "service.yaml", "--format", "json"])).json();
    assert_eq!(proof["verdict"], "always_completes");
}

const INPUTS: &str = "\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  inputs:
    size: { type: integer, constraints: [{ in_range: [1, 8] }] }
    name: { type: string, default: shop }
    note: { type: string, required: false }
  node_templates:
    machine:
      type: tosca.nodes.Compute
      capabilities: { host: { properties: { num_cpus: { get_input: size } } } }
";

#[test]
fn inputs_are_checked_with_their_values() {
    let folder = Folder::with(&[
        ("service.yaml", INPUTS),
        ("good.yaml", "size: 2\nname: a\n"),
        ("wrong.yaml", "size: many\n"),
        ("large.yaml", "size: 9\n"),
        ("other.yaml", "size: 1\nsise: 2\n"),
        ("empty.yaml", "name: b\n"),
    ]);
    let check = |args: &[&str]| {
        let all = [&["check", "service.yaml", "--format", "json"], args].concat();
        let run = folder.run(&all);
        (run.findings(), run.code)
    };
    let clean = (Vec::<String>::new(), 0);
    assert_eq!(check(&[]), clean);
    assert_eq!(check(&["--inputs", "good.yaml"]), clean);
    assert_eq!(check(&["--input", "size=3"]), clean);
    let one = |finding: &str| (vec![finding.to_owned()], 1);
    assert_eq!(check(&["--inputs", "empty.yaml"]), one("4:5 error TOSCA012"));
    let (found, code) = check(&["--inputs", "wrong.yaml"]);
    assert!(code == 1 && found.iter().all(|found| found.contains("TOSCA010")), "{found:?}");
    let (found, code) = check(&["--inputs", "large.yaml"]);
    assert!(code == 1 && found.iter().any(|found| found == "1:7 error TOSCA011"), "{found:?}");
    assert_eq!(check(&["--inputs", "other.yaml"]), one("2:1 error TOSCA014"));
    // What is given is no default.
    let small = folder.run(&["check", "service.yaml", "--input", "size=0"]);
    let said = "the value given for this input does not fit";
    assert!(small.stdout.contains(said) && !small.stdout.contains("default"), "{small:?}");
    // The later one wins.
    assert_eq!(check(&["--inputs", "large.yaml", "--input", "size=8"]), clean);
    // Nothing is no number, and whatever is written is a text.
    for empty in ["size=", "size=null"] {
        let (found, code) = check(&["--input", empty]);
        assert!(code == 1 && found.iter().any(|it| it.contains("TOSCA012")), "{found:?}");
    }
    for text in ["pass #1", "&x 1", "a: b", "@me", "- a", "*a", "|", "null", "{ get_input: size }"]
    {
        let name = format!("name={text}");
        assert_eq!(check(&["--input", "size=3", "--input", &name]), clean, "{text}");
    }
    assert_eq!(folder.run(&["check", "service.yaml", "--input", "size"]).code, 2);
    good(folder.run(&["show", "service.yaml", "--input", "size=2"]));
    good(folder.run(&["plan", "service.yaml", "--input", "size=2"]));
    let up = folder.run(&["up", "service.yaml", "--yes"]);
    assert!(up.code != 0 && up.stderr.contains("the input `size` has no value"), "{up:?}");
}

#[test]
fn what_tosker_does_not_bring_up_is_refused_when_it_is_read_for_tosker() {
    let service = SERVICE.replace("  policies:", "  unknown:");
    let folder = Folder::with(&[("tosker-types.yaml", TYPES), ("service.yaml", SERVICE)]);
    folder.write("machine.yaml", WORKFLOW);
    assert_eq!(folder.run(&["check", "machine.yaml"]).code, 0);
    let run = folder.run(&["check", "machine.yaml", "--lang", "tosker", "--format", "json"]);
    assert!(run.code == 1 && run.findings().iter().all(|f| f.ends_with("TOSKER002")), "{run:?}");
    assert_eq!(folder.run(&["check", "service.yaml", "--lang", "tosker"]).code, 0);
    folder.write("other.yaml", service);
    assert_ne!(folder.run(&["check", "other.yaml", "--lang", "tosker"]).code, 0);
}

#[test]
fn a_service_from_standard_input_takes_values_and_imports() {
    let service = "\
tosca_definitions_version: tosca_simple_yaml_1_3
imports: [types.yaml]
topology_template:
  inputs:
    size: { type: integer, constraints: [{ less_than: 5 }] }
  node_templates:
    one: { type: my.Node, properties: { size: { get_input: size } } }
";
    let types = "\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  my.Node:
    derived_from: tosca.nodes.Root
    properties: { size: { type: integer } }
";
    let folder = Folder::with(&[("types.yaml", types)]);
    let fine = folder.run_with(&["check", "-", "--input", "size=3"], service);
    assert_eq!(fine.code, 0, "{}", fine.stdout);
    let wrong = folder.run_with(&["check", "-", "--input", "size=7"], service);
    assert_eq!(wrong.code, 1, "{}", wrong.stdout);
    assert!(wrong.stdout.contains("TOSCA011"), "{}", wrong.stdout);
    let unknown = folder.run_with(&["check", "-", "--input", "sise=3"], service);
    assert!(unknown.stdout.contains("TOSCA014"), "{}", unknown.stdout);
}

#[test]
fn a_plan_that_takes_down_is_judged_after_the_one_that_brings_up() {
    let folder = Folder::with(&[
        ("project/tosker-types.yaml", TYPES),
        (
            "project/examples/app/service.yaml",
            &SERVICE.replace("tosker-types", "../../tosker-types"),
        ),
        (
            "project/examples/app/up.plan",
            "box:Standard.create\nbox:Standard.start\ndb:Standard.create\ndb:Standard.start\n\
             app:my.put\napp:my.run\n",
        ),
        ("project/examples/app/down.plan", "box:Standard.stop\n"),
    ]);
    // From where the files are, and from far away: what may be imported is the same.
    for (place, path) in [("project/examples/app", ""), (".", "project/examples/app/")] {
        let verdict = |plan: &str, after: &[&str]| {
            let [plan, app] = [plan, "service.yaml"].map(|name| format!("{path}{name}"));
            let after: Vec<String> = after.iter().map(|name| format!("{path}{name}")).collect();
            let mut arguments = vec!["verify", &plan, "--app", &app, "--format", "json"];
            for before in &after {
                arguments.extend(["--after", before]);
            }
            let run = support::command(&folder.path(place), &arguments).output().unwrap();
            let answer: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap_or_default();
            answer["verdict"]
                .as_str()
                .map_or_else(|| String::from_utf8_lossy(&run.stderr).into_owned(), str::to_owned)
        };
        assert_eq!(verdict("up.plan", &[]), "valid");
        assert_ne!(verdict("down.plan", &[]), "valid");
        // The application is left running in a box that is stopped.
        assert_eq!(verdict("down.plan", &["up.plan"]), "not_valid");
    }
}

#[test]
fn woven_workflows_are_valid_plans() {
    for name in ["crm", "notes"] {
        let folder = example(name);
        let workflows = good(folder.run(&["convert", "service.yaml", "--to", "tosca"])).stdout;
        let (_, workflows) = workflows.split_once("topology_template:\n").unwrap();
        let service = folder.read("service.yaml");
        folder.write(
            "woven.yaml",
            service.replacen(
                "topology_template:\n",
                &format!("topology_template:\n{workflows}"),
                1,
            ),
        );
        good(folder.run(&["check", "woven.yaml"]));
        let verdict = |arguments: &[&str]| {
            let fixed = ["verify", "woven.yaml", "--app", "woven.yaml", "--format", "json"];
            let run = folder.run(&[&fixed[..], arguments].concat());
            run.json()["verdict"].as_str().unwrap_or(&run.stderr).to_owned()
        };
        assert_eq!(verdict(&["--workflow", "deploy"]), "valid", "{workflows}");
        assert_eq!(verdict(&["--workflow", "undeploy", "--after", "woven.yaml"]), "valid");
        // Nothing is there that could be taken away.
        let early = ["verify", "woven.yaml", "--app", "woven.yaml", "--workflow", "undeploy"];
        assert_eq!(folder.run(&early).code, 2);
        let unknown =
            folder.run(&["verify", "woven.yaml", "--app", "woven.yaml", "--workflow", "x"]);
        assert_eq!(unknown.code, 2);
        assert!(unknown.stderr.contains("it has: deploy, undeploy"), "{}", unknown.stderr);
    }
}

#[test]
fn a_configuration_of_occi_brings_no_warnings() {
    for name in ["crm", "notes"] {
        let folder = example(name);
        good(folder.run(&["check", "service.yaml", "--strict"]));
        good(folder.run(&["convert", "service.yaml", "--to", "occi", "-o", "there.json"]));
        good(folder.run(&["check", "there.json", "--strict"]));
        good(folder.run(&["convert", "there.json", "--to", "tosca", "-o", "back.yaml"]));
        good(folder.run(&["check", "back.yaml", "--strict"]));
    }
}

#[test]
fn a_configuration_of_occi_is_read_back() {
    let folder = example("crm");
    let written = good(folder.run(&["convert", "service.yaml", "--to", "occi"])).stdout;
    folder.write("crm.json", &written);
    good(folder.run(&["check", "crm.json"]));
    let service = good(folder.run(&["convert", "crm.json", "--to", "tosca"])).stdout;
    folder.write("again.yaml", &service);
    good(folder.run(&["check", "again.yaml"]));
    for file in ["again.yaml", "crm.json"] {
        let again = good(folder.run(&["convert", file, "--to", "occi"])).stdout;
        assert_eq!(again, written, "{file}");
    }
    let proof = good(folder.run(&["prove", "crm.json", "--format", "json"])).json();
    assert_eq!(proof["verdict"], "always_completes");
}

/// Values of a node, of a capability, and of an input.
const VALUES: &str = "tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  inputs: { cpus: { type: integer, default: 2 } }
  node_templates:
    box:
      type: tosca.nodes.Compute
      capabilities: { host: { properties: { num_cpus: { get_input: cpus }, mem_size: 4 GB } } }
    data:
      type: tosca.nodes.DBMS
      properties: { port: 3306, root_password: secret }
      requirements: [ host: box ]
";

#[test]
fn values_are_part_of_a_configuration_of_occi_and_come_back() {
    let folder = Folder::with(&[("service.yaml", VALUES)]);
    let written = good(folder.run(&["convert", "service.yaml", "--to", "occi"])).stdout;
    for wanted in ["\"tosca.property.port\": 3306", "\"tosca.capabilities\"", "\"num_cpus\": 2"] {
        assert!(written.contains(wanted), "{wanted} in {written}");
    }
    folder.write("notes.json", &written);
    let service = good(folder.run(&["convert", "notes.json", "--to", "tosca"])).stdout;
    folder.write("again.yaml", &service);
    good(folder.run(&["check", "again.yaml"]));
    good(folder.run(&["convert", "service.yaml", "--to", "occi", "-o", "notes.txt"]));
    for file in ["again.yaml", "notes.json", "notes.txt"] {
        let again = good(folder.run(&["convert", file, "--to", "occi"])).stdout;
        assert_eq!(again, written, "{file}");
    }
}

/// A workflow that sets a state which is none.
const OWN_STATE: &str = "tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates: { server: { type: tosca.nodes.Compute } }
  workflows: { rest: { steps: { one: { target: server, activities: [ set_state: down ] } } } }
";

#[test]
fn quirks_are_switched_on_by_the_command_line_and_by_settings() {
    let folder = Folder::with(&[("service.yaml", OWN_STATE)]);
    let refused = folder.run(&["check", "service.yaml"]);
    assert_eq!(refused.code, 1);
    assert!(refused.stdout.contains("`--quirks free-states` tolerates it"), "{}", refused.stdout);
    let tolerated =
        good(folder.run(&["check", "service.yaml", "--quirks", "loose-versions,puccini"]));
    assert!(tolerated.stdout.contains("quirk `free-states`"), "{}", tolerated.stdout);
    assert_eq!(folder.run(&["plan", "service.yaml"]).code, 1);
    good(folder.run(&["plan", "service.yaml", "--quirks", "free-states"]));
    let unknown = folder.run(&["check", "service.yaml", "--quirks", "free-state"]);
    assert_eq!(unknown.code, 2);
    assert!(unknown.stderr.contains("did you mean `free-states`?"), "{}", unknown.stderr);
    folder.write("windlass.toml", "[tosca]\nquirks = [\"free-states\"]\n");
    good(folder.run(&["check", "service.yaml"]));
    good(folder.run(&["plan", "service.yaml"]));
    folder.write("windlass.toml", "[tosca]\nquirks = [\"frei-states\"]\n");
    let wrong = folder.run(&["check", "service.yaml"]);
    assert!(wrong.stdout.contains("there is no quirk `frei-states`"), "{}", wrong.stdout);
}

#[test]
fn a_plan_that_takes_a_service_down_stops_and_deletes_what_is_in_a_machine_first() {
    let folder = example("notes");
    let plan = good(folder.run(&["plan", "service.yaml", "--down", "--format", "json"])).json();
    let actions = plan["plan"]["actions"].as_object().unwrap();
    for wanted in ["Standard.stop front", "Standard.delete front", "Standard.delete store"] {
        assert!(actions.contains_key(wanted), "{wanted} in {plan}");
    }
    // The plan is valid after the one that brings up, and has users before what they use.
    folder.write("down.json", plan.to_string());
    good(folder.run(&["plan", "service.yaml", "--as", "windlass", "-o", "up.yaml"]));
    let down = ["verify", "down.json", "--app", "service.yaml", "--after", "up.yaml"];
    good(folder.run(&down));
    let order = plan["plan"]["order"].as_array().unwrap();
    let is_ordered = |before: &str, after: &str| {
        order.iter().any(|edge| edge["before"] == before && edge["after"] == after)
    };
    assert!(is_ordered("Standard.delete front", "Standard.stop store"), "{plan}");
    assert!(is_ordered("Standard.delete store", "Standard.stop machine"), "{plan}");
    assert!(is_ordered("Standard.delete machine", "remove machine"), "{plan}");
}

/// A service whose workflows say more than operations.
const SAYING: &str = "tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates: { server: { type: tosca.nodes.Compute } }
  workflows:
    deploy:
      steps:
        make:
          target: server
          activities:
            - set_state: creating
            - call_operation: Standard.create
            - set_state: created
          on_success: [ set ]
          on_failure: [ undo ]
        set:
          target: server
          activities: [ call_operation: Standard.configure, set_state: SET ]
          on_success: [ go ]
          on_failure: [ drop ]
        go: { target: server, activities: [ set_state: starting, call_operation: Standard.start ] }
        undo: { target: server, activities: [ call_operation: Standard.delete ] }
        drop: { target: server, activities: [ call_operation: Standard.delete ] }
    rest:
      preconditions:
        - target: server
          condition: [ state: [ equal: started ] ]
      steps:
        halt: { target: server, activities: [ call_operation: Standard.stop ] }
";

#[test]
fn states_that_a_workflow_sets_and_its_conditions_are_judged() {
    let folder = Folder::with(&[("service.yaml", &SAYING.replace("SET", "configured"))]);
    let verify = ["verify", "service.yaml", "--app", "service.yaml"];
    let fine = good(folder.run(&verify));
    assert!(!fine.stdout.contains("contradiction"), "{fine:?}");
    assert!(fine.stdout.contains("when `make` fails it is unknown"), "{fine:?}");
    let rest = [&verify[..], &["--workflow", "rest"]].concat();
    let after = [&rest[..], &["--after", "service.yaml"]].concat();
    let late = good(folder.run(&after));
    assert!(!late.stdout.contains("precondition"), "{late:?}");
    let text = SAYING.replace("SET", "configured").replace("equal: started", "equal: created");
    folder.write("service.yaml", text);
    let never = folder.run(&after);
    assert_eq!(never.code, 1, "{never:?}");
    assert!(never.stdout.contains("does not hold at the start, where `server` is started"));
    folder.write("service.yaml", SAYING.replace("SET", "started"));
    let wrong = folder.run(&verify);
    assert_eq!(wrong.code, 1, "{wrong:?}");
    assert!(wrong.stdout.starts_with("contradicted: "), "{wrong:?}");
    let words = "`set` sets `server` to started, but configure leads to configured";
    assert!(wrong.stdout.contains(words), "{wrong:?}");
    let elsewhere = SAYING.replace(
        "drop: { target: server, activities: [ call_operation: \
        Standard.delete ] }",
        "drop: { target: other, activities: [ call_operation: Standard.stop ] }",
    );
    let elsewhere = elsewhere.replace("SET", "configured").replace(
        "{ server: { type: tosca.nodes.Compute } }",
        "{ server: { type: tosca.nodes.Compute }, other: { type: tosca.nodes.Compute } }",
    );
    folder.write("service.yaml", elsewhere);
    let wrong = folder.run(&verify);
    assert!(wrong.stdout.contains("calls stop of `other`, which is initial"), "{wrong:?}");
}

/// What a container is made of, and where its tenant runs.
#[test]
fn what_is_hosted_on_a_container_has_it_for_a_host() {
    let service = "\
tosca_definitions_version: tosca_simple_yaml_1_0
node_types:
  Box:
    derived_from: tosca.nodes.Container.Application
    properties:
      command: { type: string }
      ports: { type: map, entry_schema: { type: integer } }
    capabilities: { host: { type: tosca.capabilities.Container } }
  Tenant:
    derived_from: tosca.nodes.Root
    requirements:
      - host: { capability: tosca.capabilities.Container, node: Box, relationship: tosca.relationships.HostedOn }
    interfaces: { Standard: { start: start.sh } }
topology_template:
  node_templates:
    near: { type: tosca.nodes.Compute }
    runtime: { type: tosca.nodes.Container.Runtime, requirements: [ host: near ] }
    box:
      type: Box
      properties: { command: \"echo it's; sleep 9\", ports: { '80': 8080 } }
      artifacts:
        image: { type: tosca.artifacts.Deployment.Image.Container.Docker, file: 'shop/web:1' }
      requirements: [ host: runtime ]
    tenant: { type: Tenant, requirements: [ host: box ] }
";
    let folder = Folder::with(&[("service.yaml", service), ("start.sh", "true\n")]);
    let text = good(folder.run(&["convert", "service.yaml", "--to", "windlass"])).stdout;
    assert!(
        text.contains("--publish '8080:80' -- 'shop/web:1' sh -c 'echo it'\\''s; sleep 9'"),
        "{text}"
    );
    assert!(text.contains("docker rm --force \"$WINDLASS_DEPLOYMENT\"-box"), "{text}");
    assert!(text.contains("address: \"docker://${WINDLASS_DEPLOYMENT}-box\""), "{text}");
    // Only the tenant is inside, and small images have no bash.
    assert_eq!(text.matches("    host: box\n").count(), 1, "{text}");
    assert!(text.contains("sh, start.sh"), "{text}");
}

/// A workflow that leaves one node to the orchestrator and calls of the other what it implements.
const LEAVING: &str = "tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    server: { type: tosca.nodes.Compute }
    app:
      type: tosca.nodes.SoftwareComponent
      requirements: [ host: server ]
      interfaces: { Standard: { operations: { create: a.sh, start: a.sh, stop: a.sh } } }
  workflows:
    deploy:
      steps:
        machine: { target: server, activities: [ delegate: deploy ], on_success: [ make ] }
        make: { target: app, activities: [ call_operation: Standard.create ], on_success: [ go ] }
        go: { target: app, activities: [ call_operation: Standard.start ] }
    undeploy:
      steps:
        halt: { target: app, activities: [ call_operation: Standard.stop ], on_success: [ machine ] }
        machine: { target: server, activities: [ delegate: undeploy ] }
";

#[test]
fn unimplemented_and_delegated_operations_are_part_of_a_workflow() {
    let folder = Folder::with(&[("service.yaml", LEAVING), ("a.sh", "")]);
    let verify = ["verify", "service.yaml", "--app", "service.yaml"];
    let up = good(folder.run(&verify));
    assert!(up.stdout.starts_with("valid"), "{up:?}");
    assert!(up.stdout.contains("app: created, an instance of app in started"), "{up:?}");
    // `configure` is carried out now, and the workflow does not call it.
    let text = LEAVING.replace("create: a.sh, start", "create: a.sh, configure: a.sh, start");
    folder.write("service.yaml", text);
    let skipped = folder.run(&verify);
    assert!(skipped.stdout.starts_with("not valid"), "{skipped:?}");
    folder.write("service.yaml", LEAVING);
    let alone = folder.run(&[&verify[..], &["--workflow", "undeploy"]].concat());
    assert_eq!(alone.code, 2, "{alone:?}");
    assert!(alone.stderr.contains("--after service.yaml"), "{alone:?}");
}

#[test]
fn unimplemented_operations_are_skipped_where_a_node_is_stopped_and_started_again() {
    let folder = Folder::with(&[("a.sh", "")]);
    let verdict = |steps: &[&str], implemented: &str| {
        let calls: Vec<String> =
            steps.iter().map(|it| format!("call_operation: Standard.{it}")).collect();
        let service = format!(
            "tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    a: {{ type: tosca.nodes.Root, interfaces: {{ Standard: {{ operations: {{ {implemented} }} }} }} }}
  workflows: {{ deploy: {{ steps: {{ s: {{ target: a, activities: [ {} ] }} }} }} }}
",
            calls.join(", ")
        );
        folder.write("service.yaml", service);
        let run = folder.run(&["verify", "service.yaml", "--app", "service.yaml"]);
        run.stdout.split(':').next().unwrap_or_default().to_owned()
    };
    let all = "create: a.sh, start: a.sh, stop: a.sh, delete: a.sh";
    for steps in [
        &["create", "start", "stop"][..],
        &["create", "start", "stop", "start"],
        &["create", "start", "stop", "start", "stop", "delete"],
        &["create", "start", "stop", "delete", "create", "start"],
        &["create", "delete"],
    ] {
        assert_eq!(verdict(steps, all), "valid", "{steps:?}");
        let all = format!("{all}, configure: a.sh");
        let expected = if steps.len() > 2 { "not valid" } else { "valid" };
        assert_eq!(verdict(steps, &all), expected, "{steps:?}");
    }
    // No step stops the node, though one could.
    assert_eq!(verdict(&["create", "start", "delete"], all), "not valid");
    assert_eq!(verdict(&["create", "start", "delete"], "create: a.sh, start: a.sh"), "valid");
}

/// A workflow with calls of the relationship between a node and its host.
const BETWEEN: &str = "tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    server: { type: tosca.nodes.Compute }
    app:
      type: tosca.nodes.SoftwareComponent
      requirements: [ host: { node: server, relationship: { type: tosca.relationships.HostedOn } } ]
  workflows:
    deploy:
      steps:
        machine: { target: server, activities: [ delegate: deploy ], on_success: [ make ] }
        make: { target: app, activities: [ call_operation: Standard.create ], on_success: [ before ] }
        before: { target: app, target_relationship: host, activities: [ call_operation: Configure.pre_configure_source ], on_success: [ set ] }
        set: { target: app, activities: [ call_operation: Standard.configure ], on_success: [ after ] }
        after: { target: app, target_relationship: host, activities: [ call_operation: Configure.post_configure_target ], on_success: [ go ] }
        go: { target: app, activities: [ call_operation: Standard.start ] }
";

#[test]
fn unimplemented_calls_of_relationships_are_skipped() {
    let folder = Folder::with(&[("service.yaml", BETWEEN), ("a.sh", "")]);
    let verify = ["verify", "service.yaml", "--app", "service.yaml"];
    let bare = good(folder.run(&verify));
    assert!(bare.stdout.starts_with("valid"), "{bare:?}");
    // Where something carries it out it is a step like others, which must not be left out.
    let own = "HostedOn, interfaces: { Configure: { operations: { pre_configure_source: a.sh } } }";
    let carried = BETWEEN.replace("HostedOn", own);
    folder.write("service.yaml", &carried);
    let called = good(folder.run(&verify));
    assert!(called.stdout.starts_with("valid"), "{called:?}");
    let before = "[ call_operation: Configure.pre_configure_source ]";
    folder.write("service.yaml", carried.replace(before, "[ set_state: created ]"));
    let skipped = folder.run(&verify);
    assert!(skipped.stdout.starts_with("not valid"), "{skipped:?}");
}

#[test]
fn a_workflow_that_delegates_to_what_nothing_describes_is_not_called_valid() {
    let start = "call_operation: Standard.start";
    let text = LEAVING.replace(start, &format!("{start}, delegate: announce"));
    let inlined = format!(
        "{text}    outer: {{ steps: {{ all: {{ target: app, activities: [ inline: deploy ] }} }} }}\n"
    );
    let folder = Folder::with(&[("service.yaml", &text), ("in.yaml", &inlined), ("a.sh", "")]);
    let verify = ["verify", "service.yaml", "--app", "service.yaml", "--format", "json"];
    let run = folder.run(&verify);
    assert_eq!((run.code, &run.json()["verdict"]), (3, &"unknown".into()), "{run:?}");
    let warning = run.json()["warnings"][0].clone();
    let expected = "not judged: what `announce` does, which `go` delegates to, is not known";
    assert_eq!(warning, expected);
    assert_eq!(run.json()["stopped"], "it has parts that nothing describes");
    let down = ["--workflow", "undeploy", "--after", "service.yaml"];
    assert_eq!(folder.run(&[&verify[..], &down[..]].concat()).code, 3);
    let outer = ["verify", "in.yaml", "--app", "in.yaml", "--workflow", "outer"];
    let outer = folder.run(&outer);
    assert_eq!(outer.code, 3, "{outer:?}");
    assert!(outer.stdout.starts_with("unknown: it has parts"), "{outer:?}");
    // What the delegated workflow would have brought is not there.
    folder.write("service.yaml", LEAVING.replace("delegate: deploy", "delegate: bring_racks"));
    let lacking = folder.run(&verify[..4]);
    assert_eq!(lacking.code, 2, "{lacking:?}");
    assert!(lacking.stderr.contains("what `bring_racks` does"), "{lacking:?}");
}
