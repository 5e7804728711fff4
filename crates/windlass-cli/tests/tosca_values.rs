//! Values that operations of a TOSCA service leave for each other, and for who brought it up.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod support;

use support::{Folder, Run};

fn good(run: Run) -> Run {
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    run
}

fn up(folder: &Folder) -> Run {
    folder.run(&["up", "service.yaml", "--yes", "--detach"])
}

/// Three instances, each with a value of its own.
const SEVERAL: &str = "tosca_definitions_version: tosca_2_0
imports: [ { profile: 'org.oasis-open.simple:2.0' } ]
node_types:
  W:
    derived_from: Root
    attributes: { u: { type: string } }
    interfaces:
      Standard:
        operations:
          create: { implementation: a.sh, outputs: { u: [ SELF, u ] } }
          start: { implementation: a.sh, inputs: { X: { $get_attribute: [ SELF, u ] }, AT: { $node_index: [] } } }
service_template:
  node_templates: { w: { type: W, count: 3 } }
  outputs: { first: { type: string, value: { $get_attribute: [ w, u ] } } }
";

#[test]
fn each_instance_has_its_own_values() {
    // The last line has no end, and operations without outputs may write some.
    let script = "printf 'u=%s=' \"$WINDLASS_INSTANCE\" >> \"$TOSCA_OUTPUTS\"
        echo \"$WINDLASS_INSTANCE has <$X> at <$AT>\" >> said\n";
    let folder = Folder::with(&[("service.yaml", SEVERAL), ("a.sh", script)]);
    let up = good(up(&folder));
    assert!(up.stdout.contains("output first: w-1=\n"), "{}", up.stdout);
    let said = folder.read("said");
    for line in ["w-1 has <w-1=> at <0>", "w-2 has <w-2=> at <1>", "w-3 has <w-3=> at <2>"] {
        assert!(said.lines().any(|known| known == line), "{line}: {said}");
    }
}

/// Attributes made of what an operation gives.
const MADE: &str = "tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  A:
    derived_from: tosca.nodes.Root
    attributes:
      url: { type: string }
      output: { type: string, default: { get_operation_output: [ SELF, Standard, create, url ] } }
      copy: { type: string }
      both: { type: string, default: { concat: [ { get_attribute: [ SELF, copy ] }, '!' ] } }
      ks: { type: map, entry_schema: { type: string } }
    interfaces:
      Standard:
        operations:
          create: { implementation: a.sh, outputs: { url: [ SELF, url ], ip: [ SELF, ks, first ] } }
          start:
            implementation: b.sh
            inputs:
              OUTPUT: { get_attribute: [ SELF, output ] }
              BOTH: { get_attribute: [ SELF, both ] }
              FIRST: { get_attribute: [ SELF, ks, first ] }
              KS: { get_attribute: [ SELF, ks ] }
topology_template:
  node_templates:
    a: { type: A, attributes: { copy: { get_attribute: [ SELF, url ] } } }
";

#[test]
fn attributes_are_made_of_what_operations_give() {
    let files = [
        ("service.yaml", MADE),
        ("a.sh", "printf 'url=here\\nip=10.0.0.1\\n' >> \"$TOSCA_OUTPUTS\"\n"),
        ("b.sh", "echo \"$OUTPUT $BOTH $FIRST $KS\" > said\n"),
    ];
    let folder = Folder::with(&files);
    good(up(&folder));
    assert_eq!(folder.read("said"), "here here! 10.0.0.1 {\"first\": \"10.0.0.1\"}\n");
}

/// Parts of lists, and functions of what a run tells.
const PARTS: &str = "tosca_definitions_version: tosca_2_0
imports: [ { profile: 'org.oasis-open.simple:2.0' } ]
node_types:
  A:
    derived_from: Root
    attributes: { lst: { type: list, entry_schema: { type: string } }, n: { type: integer } }
    interfaces:
      Standard:
        operations:
          create: { implementation: a.sh, outputs: { lst: [ SELF, lst ], n: [ SELF, n ] } }
  B:
    derived_from: Root
    interfaces:
      Standard:
        operations:
          create:
            implementation: b.sh
            inputs:
              ONE: { $get_attribute: [ SELF, RELATIONSHIP, dependency, TARGET, lst, 1 ] }
              ALL: { $join: [ { $get_attribute: [ a, lst ] }, '+' ] }
MORE
service_template:
  node_templates:
    a: { type: A }
    b: { type: B, requirements: [ dependency: a ] }
  outputs:
    one: { type: string, value: { $get_attribute: [ a, lst, 0 ] } }
    sum: { type: integer, value: { $sum: [ 1, { $get_attribute: [ a, n ] } ] } }
    all: { type: string, value: { $join: [ { $get_attribute: [ a, lst ] }, ',' ] } }
";

fn parts(more: &str) -> Folder {
    let text = PARTS.replace("MORE\n", more);
    let a = "echo 'lst=[\"p\",\"q\"]' >> \"$TOSCA_OUTPUTS\"; echo n=5 >> \"$TOSCA_OUTPUTS\"\n";
    Folder::with(&[
        ("service.yaml", text.as_str()),
        ("a.sh", a),
        ("b.sh", "echo \"$ONE $ALL\" > said\n"),
    ])
}

#[test]
fn parts_of_lists_reach_scripts_and_functions_reach_outputs() {
    let folder = parts("");
    let up = good(up(&folder));
    assert_eq!(folder.read("said"), "q p+q\n");
    for line in ["output one: p", "output sum: 6", "output all: p,q"] {
        assert!(up.stdout.lines().any(|known| known == line), "{line}: {}", up.stdout);
    }
}

#[test]
fn what_no_run_computes_is_refused_before_anything_runs() {
    let folder = parts("              SUM: { $sum: [ 1, { $get_attribute: [ a, n ] } ] }\n");
    let run = up(&folder);
    assert_eq!(run.code, 1, "{}\n{}", run.stdout, run.stderr);
    let said = "`sum` is not computed of what only a run tells";
    assert!(run.stderr.contains(said) && run.stderr.contains("TOSCA017"), "{}", run.stderr);
    assert!(run.stderr.contains("service.yaml:21"), "{}", run.stderr);
    assert!(!folder.path(".windlass/service/shared").exists());
}

#[test]
fn inputs_that_came_too_late_are_told() {
    let text = "tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  inputs: { v: { type: string, default: one } }
  node_templates:
    a:
      type: tosca.nodes.Root
      interfaces: { Standard: { operations: { create: { implementation: a.sh, inputs: { V: { get_input: v } } } } } }
";
    let folder = Folder::with(&[("service.yaml", text), ("a.sh", "true\n")]);
    let first = good(up(&folder));
    assert!(!first.stderr.contains("as it was described before"), "{}", first.stderr);
    let same = good(up(&folder));
    assert!(!same.stderr.contains("as it was described before"), "{}", same.stderr);
    let args = ["up", "service.yaml", "--yes", "--detach", "--input", "v=two"];
    let other = good(folder.run(&args));
    let said = "`Standard.create` of `a` has been done as it was described before";
    assert!(other.stderr.contains(said), "{}", other.stderr);
}
