//! Values that operations of a TOSCA service leave for each other, and for who brought it up.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use crate::support::{Folder, Run};

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
    attributes: { u: { type: string }, tosca_id: { type: string } }
    interfaces:
      Standard:
        operations:
          create: { implementation: a.sh, outputs: { u: [ SELF, u ] } }
          start: { implementation: a.sh, inputs: { X: { $get_attribute: [ SELF, u ] }, AT: { $node_index: [] }, ID: { $get_attribute: [ SELF, tosca_id ] } } }
service_template:
  node_templates: { w: { type: W, count: 3 } }
  outputs: { first: { type: string, value: { $get_attribute: [ w, u ] } } }
";

#[test]
fn each_instance_has_its_own_values() {
    // The last line has no end, and operations without outputs may write some.
    let script = "printf 'u=%s=' \"$WINDLASS_INSTANCE\" >> \"$TOSCA_OUTPUTS\"
        echo \"$WINDLASS_INSTANCE has <$X> at <$AT> $ID\" >> said\n";
    let folder = Folder::with(&[("service.yaml", SEVERAL), ("a.sh", script)]);
    let up = good(up(&folder));
    assert!(up.stdout.contains("output first: w-1=\n"), "{}", up.stdout);
    let said = folder.read("said");
    for line in
        ["w-1 has <w-1=> at <0> w-1", "w-2 has <w-2=> at <1> w-2", "w-3 has <w-3=> at <2> w-3"]
    {
        assert!(said.lines().any(|known| known == line), "{line}: {said}");
    }
}

/// Values that differ from instance to instance, in every spelling.
const NUMBERED: &str = "tosca_definitions_version: tosca_2_0
imports: [ { profile: 'org.oasis-open.simple:2.0' } ]
node_types:
  R:
    derived_from: Root
    capabilities: { c: { type: Node } }
    properties: { size: { type: integer } }
    attributes: { me: { type: string } }
    interfaces:
      Standard:
        operations:
          create: { implementation: r.sh, outputs: { me: [ SELF, me ] } }
  W:
    derived_from: Root
    properties: { loc: { type: string }, locs: { type: list, entry_schema: { type: string } } }
    requirements: [ uses: { capability: Node, relationship: DependsOn } ]
    interfaces:
      Standard:
        operations:
          start:
            implementation: w.sh
            inputs:
              I: { type: integer, value: $node_index }
              N: { type: string, value: { $concat: [ n, $node_index ] } }
              S: { type: integer, value: { $sum: [ $node_index, 10 ] } }
              L: { type: string, value: { $get_property: [ SELF, loc ] } }
              P: { type: string, value: { $get_property: [ SELF, locs, { $node_index: [] } ] } }
              ME: { type: string, value: { $get_attribute: [ SELF, RELATIONSHIP, uses, TARGET, me ] } }
              SIZE: { type: integer, value: { $get_property: [ SELF, RELATIONSHIP, uses, TARGET, size ] } }
MORE
service_template:
  inputs: { locs: { type: list, entry_schema: { type: string }, default: [ paris, rome ] } }
  node_templates:
    r: { type: R, count: 2, properties: { size: { $product: [ $node_index, 7 ] } } }
    w:
      type: W
      count: 2
      properties: { loc: { $get_input: [ locs, $node_index ] }, locs: [ x, y ] }
      requirements: [ uses: [ r, { $difference: [ 1, $node_index ] } ] ]
";

fn numbered(more: &str) -> Folder {
    let r =
        "echo \"me=$WINDLASS_INSTANCE\" >> \"$TOSCA_OUTPUTS\"; echo $WINDLASS_INSTANCE >> order\n";
    let w = "echo $WINDLASS_INSTANCE >> order
        echo \"$WINDLASS_INSTANCE: $I $N $S $L $P $ME $SIZE\" >> said\n";
    let text = NUMBERED.replace("MORE\n", more);
    Folder::with(&[("service.yaml", text.as_str()), ("r.sh", r), ("w.sh", w)])
}

#[test]
fn what_depends_on_the_index_of_an_instance_is_computed() {
    let folder = numbered("");
    good(up(&folder));
    let said = folder.read("said");
    for line in ["w-1: 0 n0 10 paris x r-2 7", "w-2: 1 n1 11 rome y r-1 0"] {
        assert!(said.lines().any(|known| known == line), "{line}: {said}");
    }
    // Nothing comes up before the instance whose index it names.
    let order = folder.read("order");
    let place = |id: &str| order.lines().position(|line| line == id).expect("it came up");
    assert!(place("r-2") < place("w-1"), "{order}");
    assert!(place("r-1") < place("w-2"), "{order}");
}

#[test]
fn an_index_that_leads_nowhere_is_refused_before_anything_runs() {
    let cases = [
        (
            "              X: { type: string, value: { $get_input: [ locs, { $sum: [ $node_index, 1 ] } ] } }\n",
            "get_input",
        ),
        ("              X: { type: string, value: { $get_input: [ locs, 2 ] } }\n", "no such part"),
        (
            "              X: { type: integer, value: $relationship_index }\n",
            "`relationship_index` outside of a relationship",
        ),
    ];
    for (more, said) in cases {
        let folder = numbered(more);
        let run = up(&folder);
        assert_eq!(run.code, 1, "{more}: {}\n{}", run.stdout, run.stderr);
        assert!(run.stderr.contains(said), "{said}: {}", run.stderr);
        assert!(!folder.path("order").exists());
    }
}

#[test]
fn an_index_that_is_made_of_what_it_leads_to_is_none() {
    let folder = numbered("");
    let own = "{ $get_property: [ SELF, RELATIONSHIP, uses, TARGET, size ] }";
    let text = NUMBERED.replace("MORE\n", "").replace("{ $difference: [ 1, $node_index ] }", own);
    folder.write("service.yaml", text);
    let run = up(&folder);
    assert_eq!(run.code, 1, "{}\n{}", run.stdout, run.stderr);
    assert!(!folder.path("order").exists());
}

/// Nodes that need one of several, or are hosted on it.
const INDEXED: &str = "tosca_definitions_version: tosca_2_0
imports: [ { profile: 'org.oasis-open.simple:2.0' } ]
node_types: { Up: { derived_from: Root, requirements: [ uses: { capability: Node, relationship: DependsOn } ] } }
service_template:
  node_templates:
    box: { type: Compute, count: 2 }
    app: { type: SoftwareComponent, count: 2, requirements: [ host: [ box, $node_index ] ] }
    one: { type: Up, requirements: [ uses: { node: [ box, 1 ] } ] }
";

#[test]
fn a_node_waits_for_the_node_that_it_names_and_for_no_other() {
    let folder = Folder::with(&[("service.yaml", INDEXED)]);
    let plan = good(folder.run(&["plan", "service.yaml"])).stdout;
    for (id, own, other) in
        [("app-1", "box-1", "box-2"), ("app-2", "box-2", "box-1"), ("one", "box-2", "box-1")]
    {
        let line = format!("  Standard.create {id}");
        let at = plan.lines().position(|known| known == line).expect("the step");
        let after: Vec<&str> = plan.lines().skip(at + 1).take(2).collect();
        let waits = |id: &str| after.iter().any(|known| known.contains(&format!("start {id}")));
        assert!(waits(own) && !waits(other), "{id}: {plan}");
    }
    // What is hosted lives in the node that it names.
    assert!(plan.contains("create app-2 in box-2"), "{plan}");
    good(folder.run(&["prove", "service.yaml"]));
    good(folder.run(&["simulate", "service.yaml", "--seed", "1"]));
    let dot = good(folder.run(&["show", "service.yaml", "--as", "dot"])).stdout;
    assert_eq!(dot.matches(" -> ").count(), 1, "{dot}");
    assert!(dot.contains("one.uses requires box-2.binding"), "{dot}");
}

#[test]
fn a_workflow_is_about_all_nodes_of_a_template() {
    let workflow = "  workflows:
    deploy:
      steps:
        first: { target: box, activities: [ delegate: deploy ], on_success: [ then, last ] }
        then: { target: app, activities: [ delegate: deploy ] }
        last: { target: one, activities: [ delegate: deploy ] }
";
    let folder = Folder::with(&[("service.yaml", format!("{INDEXED}{workflow}").as_str())]);
    let verify = ["verify", "service.yaml", "--app", "service.yaml"];
    let said = good(folder.run(&verify)).stdout;
    assert!(said.contains("app-2: created, an instance of app-2 in started"), "{said}");
    good(folder.run(&["up", "service.yaml", "--plan", "service.yaml", "--yes", "--detach"]));
    // Nothing waits for a machine any more.
    folder.write(
        "service.yaml",
        format!("{INDEXED}{workflow}").replace("[ then, last ]", "[ last ]"),
    );
    assert_eq!(folder.run(&verify).code, 1);
}

#[test]
fn pairs_come_up_and_go_down_independently() {
    // The partner of `w-2` waits until `w-1` has started: it would wait forever if either waited
    // for both.
    let r = "if [ $WINDLASS_INSTANCE = r-1 ]; then
            for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
                grep -q w-1 said 2>/dev/null && break; sleep 0.5
            done
            grep -q w-1 said
        fi
        echo \"me=$WINDLASS_INSTANCE\" >> \"$TOSCA_OUTPUTS\"\n";
    let folder = numbered("");
    folder.write("r.sh", r);
    good(up(&folder));
    let journal = good(folder.run(&["history", "service.yaml"])).stdout;
    let at = |event: &str| {
        let found = journal.lines().position(|line| line.contains(event));
        found.unwrap_or_else(|| panic!("{event}: {journal}"))
    };
    // The pair of `w-1` is complete while the other one has not even made its first node.
    assert!(at("done    Standard.start w-1 ") < at("done    Standard.create r-1 "), "{journal}");
    assert!(at("start   Standard.create r-1") < at("done    Standard.start w-1 "), "{journal}");
    // Each still waits for its own partner.
    for (source, target) in [("w-1", "r-2"), ("w-2", "r-1")] {
        let started = at(&format!("done    Standard.start {target} "));
        assert!(started < at(&format!("start   Standard.create {source}")), "{journal}");
    }
    let status = good(folder.run(&["status", "service.yaml"])).stdout;
    for id in ["r-1", "r-2", "w-1", "w-2"] {
        let is_up = |line: &str| line.trim() == format!("{id}  started");
        assert!(status.lines().any(is_up), "{id}: {status}");
    }
    assert!(folder.read("said").contains("w-1: 0 n0 10 paris x r-2 7"));
    // One more would have no partner.
    for scaled in ["w=3", "r-1=2"] {
        let run = folder.run(&["scale", scaled, "--app", "service.yaml", "--yes"]);
        assert_eq!(run.code, 1, "{}", run.stderr);
        assert!(run.stderr.contains("has a partner of its own"), "{}", run.stderr);
    }
    good(folder.run(&["down", "service.yaml", "--yes"]));
}

/// A node with several relationships of one requirement.
const COUNTED: &str = "tosca_definitions_version: tosca_2_0
imports: [ { profile: 'org.oasis-open.simple:2.0' } ]
relationship_types:
  Wire:
    derived_from: DependsOn
    properties: { port: { type: integer }, at: { type: integer, default: $relationship_index } }
    interfaces:
      Configure:
        operations:
          add_target:
            implementation: wire.sh
            inputs:
              AT: { type: integer, value: $relationship_index }
              SAME: { type: integer, value: { $get_property: [ SELF, at ] } }
              PORT: { type: integer, value: { $get_property: [ SELF, port ] } }
              ME: { type: string, value: { $get_attribute: [ SELF, TARGET, me ] } }
node_types:
  R:
    derived_from: Root
    capabilities: { c: { type: Node } }
    attributes: { me: { type: string } }
    interfaces:
      Standard: { operations: { create: { implementation: r.sh, outputs: { me: [ SELF, me ] } } } }
  L:
    derived_from: Root
    requirements: [ uses: { capability: Node, relationship: Wire, count_range: [ 0, UNBOUNDED ] } ]
service_template:
  inputs: { ports: { type: list, entry_schema: { type: integer }, default: [ 80, 81, 82 ] } }
  node_templates:
    r: { type: R, count: 3 }
    l:
      type: L
      requirements:
        - uses:
            node: TARGET
            count: COUNT
            relationship:
              type: Wire
              properties: { port: { $get_input: [ ports, $relationship_index ] } }
        MORE
";

fn counted(target: &str, count: &str, more: &str) -> Folder {
    let r = "echo \"me=$WINDLASS_INSTANCE\" >> \"$TOSCA_OUTPUTS\"\n";
    let wire = "echo \"$AT $SAME $PORT $ME\" >> wires\n";
    let text = COUNTED.replace("TARGET\n", &format!("{target}\n"));
    let text = text.replace("COUNT", count).replace("MORE", more);
    Folder::with(&[("service.yaml", text.as_str()), ("r.sh", r), ("wire.sh", wire)])
}

#[test]
fn each_relationship_of_a_requirement_has_its_index() {
    let more = "- uses: { node: [ r, $relationship_index ], relationship: { type: Wire, properties: { port: 9 } } }";
    for (target, count, more, lines) in [
        ("r", "3", "", &["0 0 80 r-1", "1 1 81 r-2", "2 2 82 r-3"][..]),
        (
            "r",
            "{ $length: [ { $get_input: ports } ] }",
            "",
            &["0 0 80 r-1", "1 1 81 r-2", "2 2 82 r-3"],
        ),
        (
            "[ r, { $difference: [ 2, $relationship_index ] } ]",
            "2",
            "",
            &["0 0 80 r-3", "1 1 81 r-2"],
        ),
        // The numbers of a requirement go on when it is assigned again.
        ("r", "2", more, &["0 0 80 r-1", "1 1 81 r-2", "2 2 9 r-3"]),
    ] {
        let folder = counted(target, count, more);
        good(up(&folder));
        let wires = folder.read("wires");
        let mut wires: Vec<&str> = wires.lines().collect();
        wires.sort_unstable();
        assert_eq!(wires, lines, "{target} {count}");
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
    let said = "`sum` is not computed of what only a run knows";
    assert!(run.stderr.contains(said) && run.stderr.contains("TOSCA017"), "{}", run.stderr);
    assert!(run.stderr.contains("service.yaml:21"), "{}", run.stderr);
    assert!(!folder.path(".windlass/service/shared").exists());
}

#[test]
fn inputs_that_came_too_late_are_reported() {
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

/// A refined input without a type, and names that no shell takes: one of a plain value, one of a
/// value that only the run knows, and one whose variable another input has.
const NAMED: &str = "tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  N:
    derived_from: tosca.nodes.Root
    attributes: { host: { type: string } }
    interfaces:
      Standard:
        operations:
          create: { implementation: a.sh, outputs: { host: [ SELF, host ] } }
          start:
            implementation: b.sh
            inputs: { count: { type: integer }, text: { type: string } }
  M:
    derived_from: N
    interfaces:
      Standard:
        operations:
          start: { inputs: { count: { description: How many., default: 7 } } }
topology_template:
  node_templates:
    n:
      type: M
      interfaces:
        Standard:
          operations:
            start:
              inputs:
                text: plain
                db-host: { get_attribute: [ SELF, host ] }
                db-port: 80
                a.b: dot
                a_b: line
";

#[test]
fn inputs_are_there_by_their_own_names() {
    let a = "echo host=here >> \"$TOSCA_OUTPUTS\"\n";
    let b = "echo \"$count $text $db_host $db_port $a_b\" > said
        printenv db-host db-port a.b >> said\n";
    let folder = Folder::with(&[("service.yaml", NAMED), ("a.sh", a), ("b.sh", b)]);
    good(up(&folder));
    assert_eq!(folder.read("said"), "7 plain here 80 line\nhere\n80\ndot\n");
}
