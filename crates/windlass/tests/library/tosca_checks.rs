//! Mistakes in TOSCA files, one at a time: each is found at its line.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use windlass::diagnostic::{Diagnostic, Severity};
use windlass::lang::{Language, ReadOptions, read_in};
use windlass::source::Sources;
use windlass::source::files::{Limits, MemoryFiles};

/// A service of 1.3 without a mistake.
const SIMPLE: &str = "tosca_definitions_version: tosca_simple_yaml_1_3
repositories: { hub: { url: 'https://example.com/' } }
capability_types:
  Cap: { derived_from: tosca.capabilities.Root, properties: { limit: { type: integer, default: 3 } } }
relationship_types:
  Wire:
    derived_from: tosca.relationships.ConnectsTo
    properties: { weight: { type: float, default: 0.5 } }
    valid_target_types: [ Cap ]
data_types:
  Peer: { properties: { name: { type: string, constraints: [ pattern: '[a-z]+' ] } } }
interface_types:
  Ops: { derived_from: tosca.interfaces.Root, operations: { save: { inputs: { level: { type: integer } } } } }
policy_types:
  Scale: { derived_from: tosca.policies.Scaling, targets: [ Server ] }
node_types:
  Server:
    derived_from: tosca.nodes.Root
    properties:
      tags: { type: map, entry_schema: string, default: { a: b } }
      peers: { type: list, entry_schema: Peer, required: false, constraints: [ max_length: 3 ] }
    attributes: { seen: { type: string } }
    capabilities: { svc: { type: Cap, occurrences: [ 0, 5 ] } }
    interfaces: { Ops: { type: Ops } }
  Client:
    derived_from: tosca.nodes.Root
    properties: { tag: { type: string, required: false }, count: { type: integer, constraints: [ in_range: [ 1, 4 ] ], default: 1 } }
    requirements: [ uses: { capability: Cap, node: Server, relationship: Wire, occurrences: [ 0, 2 ] } ]
topology_template:
  inputs: { who: { type: string, default: me } }
  node_templates:
    server:
      type: Server
      artifacts: { image: { type: tosca.artifacts.File, file: img, repository: hub } }
      interfaces:
        Ops: { operations: { save: { implementation: { primary: save.sh, timeout: 30, operation_host: HOST }, inputs: { level: 4 }, outputs: { at: [ SELF, seen ] } } } }
    client:
      type: Client
      properties: { tag: { get_property: [ SELF, uses, tags, a ] } }
      requirements:
        - uses: { node: server, relationship: wire }
    copied: { copy: client, properties: { tag: x } }
  relationship_templates:
    wire:
      type: Wire
      interfaces: { Configure: { operations: { add_target: { implementation: save.sh, inputs: { t: { get_property: [ TARGET, tags, a ] } } } } } }
  policies:
    - scale:
        type: Scale
        targets: [ server ]
        triggers:
          up:
            event: load
            schedule: { start_time: 2020-04-02T10:00:00Z }
            condition: { evaluations: 3 }
            action: [ call_operation: { operation: Ops.save, inputs: { level: 1 } } ]
  workflows:
    save:
      inputs: { how: { type: string } }
      preconditions: [ { target: server, condition: [ assert: [ seen: [ equal: x ] ] ] } ]
      steps: { one: { target: server, operation_host: server, activities: [ call_operation: { operation: Ops.save, inputs: { level: 2 } } ] } }
    all:
      steps: { one: { target: server, activities: [ inline: { workflow: save, inputs: { how: x } } ] } }
  outputs:
    file: { value: { get_artifact: [ server, image ] } }
    peer: { value: { get_property: [ server, peers, 0, name ] } }
";

/// A service of 2.0 without a mistake.
const TWO: &str = "tosca_definitions_version: tosca_2_0
functions:
  half: { signatures: [ { arguments: [ { type: float } ], result: { type: float }, implementation: half.py } ] }
capability_types: { Host: { properties: { mem: { type: integer, default: 100 } } }, Side: {} }
relationship_types: { On: { properties: { w: { type: integer, default: 1 } }, valid_capability_types: [ Host ], valid_source_node_types: [ App ] }, Off: {} }
interface_types: { Life: { operations: { go: { inputs: { n: { type: integer } } } }, notifications: { boom: {} } } }
node_types:
  Box: { properties: { zone: { type: string, default: eu } }, capabilities: { host: { type: Host }, side: { type: Side } }, interfaces: { life: { type: Life } } }
  App:
    properties: { zone: { type: string, required: false }, part: { type: float, required: false }, text: { type: string, required: false } }
    requirements: [ host: { capability: Host, node: Box, relationship: On, count_range: [ 0, 2 ] } ]
policy_types: { P: { targets: [ Box ] } }
group_types: { G: { members: [ Box ] } }
service_template:
  node_templates:
    box: { type: Box }
    app:
      type: App
      properties: { zone: { $get_property: [ SELF, RELATIONSHIP, host, TARGET, zone ] }, part: { $half: [ 3.0 ] }, text: $$price }
      requirements:
        - host: { node: box, allocation: { properties: { mem: 10 } }, node_filter: { $equal: [ { $get_property: [ SELF, zone ] }, eu ] } }
  policies:
    - p: { type: P, targets: [ box ], triggers: { t: { event: [ box, life, boom ], action: [ call_operation: { operation: life.go, inputs: { n: 1 } } ] } } }
  outputs:
    mem: { value: { $get_property: [ box, CAPABILITY, host, mem ] } }
";

/// A service of 2.0 with several nodes of a template, without a mistake.
const SEVERAL: &str = "tosca_definitions_version: tosca_2_0
functions:
  double: { signatures: [ { arguments: [ { type: integer } ], result: { type: integer }, implementation: half.py } ] }
capability_types: { Cap: {} }
node_types:
  Right: { capabilities: { cap: { type: Cap } } }
  Left:
    properties: { number: { type: integer }, name: { type: string }, word: { type: string }, all: { type: list, entry_schema: { type: string } } }
    requirements: [ uses: { capability: Cap, count_range: [ 0, UNBOUNDED ] } ]
service_template:
  inputs:
    amount: { type: integer, default: 2 }
    open: { type: integer }
    names: { type: list, entry_schema: { type: string }, default: [ a, b ] }
    word: { type: string, default: a }
  node_templates:
    right: { type: Right, count: 2 }
    left:
      type: Left
      count: { $get_input: [ amount ] }
      properties:
        number: { $double: [ 1 ] }
        name: { $get_input: [ names, $node_index ] }
        word: { $get_input: [ word ] }
        all: { $concat: [ [ x ], { $get_input: names } ] }
      requirements:
        - uses: [ right, $node_index ]
        - uses: { node: [ right, 1 ] }
        - uses: [ right, { $remainder: [ $node_index, { $get_input: open } ] } ]
    copied: { copy: right }
    other: { type: Right }
";

/// A service of 1.3 with refinements, filters and functions, without a mistake.
const THREE: &str = "tosca_definitions_version: tosca_simple_yaml_1_3
repositories: { hub: { url: 'https://example.com/', credential: { token: x, user: me } } }
capability_types: { Cap: { derived_from: tosca.capabilities.Root } }
relationship_types:
  Wire: { derived_from: tosca.relationships.DependsOn, properties: { weight: { type: integer, default: 1 } } }
artifact_types: { Own: { derived_from: tosca.artifacts.File } }
data_types: { Peer: { properties: { name: { type: string }, port: { type: integer } } } }
interface_types:
  Ops: { operations: { go: { inputs: { n: { type: integer, default: 1, constraints: [ { greater_than: 0 } ] } } } } }
  More: { derived_from: Ops }
node_types:
  Base:
    derived_from: tosca.nodes.SoftwareComponent
    properties: { size: { type: integer, constraints: [ less_than: 9 ], status: supported, required: false }, word: { type: string, constraints: [ max_length: 5 ], default: abc }, peer: { type: Peer, required: false } }
    attributes: { at: { type: string }, num: { type: integer } }
    capabilities: { cap: { type: Cap } }
    requirements: [ uses: { capability: Cap, node: Base, occurrences: [ 0, 2 ] } ]
    artifacts: { f: { type: tosca.artifacts.File, file: save.sh } }
    interfaces:
      Ops: { type: Ops, operations: { go: { inputs: { m: { type: integer, default: 1 } } } } }
      Standard:
        operations:
          create: { implementation: save.sh, outputs: { at: [ SELF, at ] } }
          start: { implementation: save.sh, inputs: { x: { get_operation_output: [ SELF, Standard, create, at ] } } }
  Derived:
    derived_from: Base
    properties: { word: { type: string, default: abcd } }
    requirements: [ uses: { capability: Cap, occurrences: [ 0, 1 ] } ]
    artifacts: { f: { type: Own, file: save.sh } }
    interfaces: { Ops: { type: More, operations: { go: { inputs: { m: { type: integer } } } } } }
topology_template:
  node_templates:
    box: { type: tosca.nodes.Compute, capabilities: { host: { properties: { num_cpus: 4, mem_size: 4 GB } } } }
    one: { type: Base, requirements: [ host: box ], properties: { peer: { name: a, port: 1 }, word: { get_property: [ SELF, peer, name ] } } }
    two:
      type: Derived
      properties: { word: { token: [ a-b, '-', 1 ] }, size: { get_attribute: [ one, num ] } }
      requirements:
        - host: { node: tosca.nodes.Compute, node_filter: { capabilities: [ host: { properties: [ num_cpus: { greater_than: 2 } ] } ] } }
        - uses: { node: one, capability: cap, relationship: { type: Wire, properties: { weight: 2 } } }
  policies: [ p: { type: tosca.policies.Scaling, triggers: { t: { event: x, schedule: { start_time: 2020-04-02T10:00:00Z }, target_filter: { node: one }, action: [ set_state: started ] } } } ]
  workflows: { w: { preconditions: [ { target: one } ], steps: { s: { target: one, activities: [ call_operation: { operation: Standard.create } ] } } } }
  outputs:
    all: { value: { get_nodes_of_type: tosca.nodes.Compute } }
    at: { type: string, value: { get_attribute: [ one, at ] } }
";

/// What is written in place of what, and the code of what is found in that line.
const MISTAKES: &[(&str, &str, &str, &str)] = &[
    (
        TWO,
        "node: box, allocation: { properties: { mem: 10 } },",
        "node: box, capability: side,",
        "TOSCA015",
    ),
    (SIMPLE, "[ TARGET, tags, a ]", "[ TARGET, tgs, a ]", "TOSCA014"),
    (SIMPLE, "[ SELF, uses, tags, a ]", "[ SELF, uses, tgs, a ]", "TOSCA014"),
    (SIMPLE, "peers, 0, name ]", "peers, 0, nam ]", "TOSCA014"),
    (SIMPLE, "[ server, image ]", "[ server, imag ]", "TOSCA014"),
    (SIMPLE, "{ get_property: [ SELF", "{ get_proprety: [ SELF", "TOSCA017"),
    (SIMPLE, "copy: client", "copy: clint", "TOSCA014"),
    (SIMPLE, "copy: client", "copy: copied", "TOSCA014"),
    (SIMPLE, "'[a-z]+'", "'[a-z+'", "TOSCA011"),
    (SIMPLE, "max_length: 3", "max_length: -3", "TOSCA011"),
    (SIMPLE, "max_length: 3", "max_lenght: 3", "TOSCA011"),
    (SIMPLE, "in_range: [ 1, 4 ]", "in_range: [ 4, 1 ]", "TOSCA011"),
    (SIMPLE, "in_range: [ 1, 4 ]", "in_range: [ one, 4 ]", "TOSCA011"),
    (SIMPLE, "occurrences: [ 0, 5 ]", "occurrences: [ 5, 0 ]", "TOSCA010"),
    (SIMPLE, "timeout: 30", "timeout: soon", "TOSCA010"),
    (SIMPLE, "operation_host: HOST", "operation_host: HOTS", "TOSCA014"),
    (SIMPLE, "operation_host: server", "operation_host: servr", "TOSCA014"),
    (SIMPLE, "inputs: { level: 4 }", "inputs: { level: four }", "TOSCA010"),
    (SIMPLE, "inputs: { level: 2 }", "inputs: { level: two }", "TOSCA010"),
    (SIMPLE, "[ SELF, seen ]", "[ SELF, sen ]", "TOSCA014"),
    (SIMPLE, "repository: hub", "repository: hubb", "TOSCA014"),
    (
        SIMPLE,
        "valid_target_types: [ Cap ]",
        "valid_target_types: [ tosca.capabilities.Node ]",
        "TOSCA015",
    ),
    (SIMPLE, "targets: [ Server ] }", "targets: [ Client ] }", "TOSCA015"),
    (SIMPLE, "start_time: 2020-04-02T10:00:00Z", "start_time: yesterday", "TOSCA010"),
    (SIMPLE, "evaluations: 3", "evaluations: many", "TOSCA010"),
    (SIMPLE, "[ { target: server,", "[ { target: servr,", "TOSCA014"),
    (SIMPLE, "assert: [ seen:", "assert: [ sen:", "TOSCA014"),
    (
        SIMPLE,
        "workflow: save, inputs: { how: x }",
        "workflow: save, inputs: { how: x, who: x }",
        "TOSCA014",
    ),
    (SIMPLE, "[ inline: {", "[ inlin: {", "TOSCA002"),
    (THREE, "token: x, user", "tokn: x, user", "TOSCA002"),
    (THREE, "{ weight: 2 }", "{ weight: much }", "TOSCA010"),
    (THREE, "{ weight: 2 }", "{ wight: 2 }", "TOSCA013"),
    (THREE, "default: 1, constraints: [ { greater_than: 0 } ]", "default: x", "TOSCA010"),
    (THREE, "{ greater_than: 0 } ]", "{ greater_than: 0, less_than: 9 } ]", "TOSCA011"),
    (THREE, "{ greater_than: 0 } ]", "{ greatr_than: 0 } ]", "TOSCA011"),
    (THREE, "constraints: [ { greater_than: 0 } ]", "constraint: 0", "TOSCA002"),
    (THREE, "status: supported", "status: suported", "TOSCA010"),
    (THREE, "{ at: { type: string }, num", "{ at: {}, num", "TOSCA003"),
    (THREE, "default: abcd", "default: abcdef", "TOSCA011"),
    (THREE, "Cap, occurrences: [ 0, 1 ]", "Cap, occurrences: [ 0, 3 ]", "TOSCA007"),
    (THREE, "f: { type: Own", "f: { type: tosca.artifacts.Implementation", "TOSCA007"),
    (THREE, "Ops: { type: More", "Ops: { type: tosca.interfaces.Root", "TOSCA007"),
    (THREE, "inputs: { m: { type: integer } }", "inputs: { m: { type: string } }", "TOSCA007"),
    (THREE, "Standard, create, at ] }", "Standard, crate, at ] }", "TOSCA014"),
    (THREE, "[ SELF, Standard, create", "[ SELF, Standrd, create", "TOSCA014"),
    (THREE, "Standard, create, at ] }", "Standard, stop, at ] }", "TOSCA027"),
    (THREE, "Standard, create, at ] }", "Standard, create, it ] }", "TOSCA014"),
    (THREE, "'-', 1 ]", "'-', 2 ]", "TOSCA017"),
    (THREE, "[ one, num ]", "[ one, at ]", "TOSCA017"),
    (THREE, "[ one, num ]", "[ SOURCE, num ]", "TOSCA017"),
    (THREE, "{ get_attribute: [ one, num ] }", "{ get_property: [ HOST, cpus ] }", "TOSCA014"),
    (THREE, "{ get_attribute: [ one, num ] }", "{ get_input: [] }", "TOSCA017"),
    (THREE, "num_cpus: { greater", "num_cpu: { greater", "TOSCA014"),
    (THREE, "{ capabilities: [ host", "{ capabilites: [ host", "TOSCA002"),
    (THREE, "{ properties: [ num_cpus: {", "{ propertis: [ num_cpus: {", "TOSCA002"),
    (THREE, "{ start_time: 2020", "{ start_tim: 2020", "TOSCA002"),
    (THREE, "target_filter: { node:", "target_filter: { nod:", "TOSCA002"),
    (THREE, "[ set_state: started ]", "[ { set_state: started, x: 1 } ]", "TOSCA002"),
    (THREE, "{ operation: Standard.create }", "{ operation: Standard.create, x: 1 }", "TOSCA002"),
    (THREE, "[ { target: one } ]", "[ { target: one, x: 1 } ]", "TOSCA002"),
    (THREE, "operation: Standard.create", "operation: Standard.crate", "TOSCA028"),
    (THREE, "get_nodes_of_type: tosca.nodes.Compute", "get_nodes_of_type: Compte", "TOSCA005"),
    (
        THREE,
        "{ type: string, value: { get_attribute: [ one",
        "{ type: integer, value: { get_attribute: [ one",
        "TOSCA017",
    ),
    (THREE, "{ get_attribute: [ one, at ] }", "{ get_attribute: [ SELF, at ] }", "TOSCA017"),
    (THREE, "all: { value: { get_nodes_of_type: tosca.nodes.Compute } }", "all: {}", "TOSCA003"),
    (THREE, "capability: cap,", "capability: cpa,", "TOSCA015"),
    (THREE, "4 GB", "4 GX", "TOSCA010"),
    (THREE, "{ name: a, port: 1 }", "{ name: a, prt: 1 }", "TOSCA013"),
    (TWO, "[ SELF, RELATIONSHIP, host,", "[ SELF, RELATIONSHIP, hots,", "TOSCA014"),
    (TWO, "TARGET, zone ]", "TARGET, zne ]", "TOSCA014"),
    (TWO, "CAPABILITY, host, mem ]", "CAPABILITY, host, men ]", "TOSCA014"),
    (TWO, "{ $half: [ 3.0 ] }", "{ $half: [ x ] }", "TOSCA017"),
    (TWO, "$$price", "$price", "TOSCA017"),
    (TWO, "{ mem: 10 }", "{ mem: 101 }", "TOSCA016"),
    (TWO, "{ mem: 10 }", "{ men: 10 }", "TOSCA013"),
    (TWO, "zone ] }, eu ]", "zone ] }, us ]", "TOSCA015"),
    (TWO, "{ $equal: [ {", "{ $eqal: [ {", "TOSCA017"),
    (TWO, "[ box, life, boom ]", "[ box, life, bom ]", "TOSCA014"),
    (TWO, "inputs: { n: 1 }", "inputs: { n: one }", "TOSCA010"),
    (TWO, "valid_source_node_types: [ App ]", "valid_source_node_types: [ Box ]", "TOSCA015"),
    (SEVERAL, "uses: [ right, $node_index ]", "uses: [ rigth, $node_index ]", "TOSCA014"),
    (SEVERAL, "uses: [ right, $node_index ]", "uses: [ Right, $node_index ]", "TOSCA014"),
    (SEVERAL, "uses: [ right, $node_index ]", "uses: [ right, 2 ]", "TOSCA015"),
    (SEVERAL, "uses: [ right, $node_index ]", "uses: [ other, $node_index ]", "TOSCA015"),
    (SEVERAL, "uses: [ right, $node_index ]", "uses: [ right, -1 ]", "TOSCA004"),
    (SEVERAL, "uses: [ right, $node_index ]", "uses: [ right, first ]", "TOSCA004"),
    (SEVERAL, "uses: [ right, $node_index ]", "uses: [ right, 0, 1 ]", "TOSCA004"),
    (SEVERAL, "uses: [ right, $node_index ]", "uses: [ right, { $concat: [ a ] } ]", "TOSCA004"),
    (SEVERAL, "uses: [ right, $node_index ]", "uses: [ right, $node_indx ]", "TOSCA017"),
    (SEVERAL, "node: [ right, 1 ]", "node: [ rigth, 1 ]", "TOSCA014"),
    (SEVERAL, "node: [ right, 1 ]", "node: [ right, 7 ]", "TOSCA015"),
    (SEVERAL, "node: [ right, 1 ]", "node: [ right, 1.5 ]", "TOSCA004"),
    (SEVERAL, "count: { $get_input: [ amount ] }", "count: 3", "TOSCA015"),
    (SEVERAL, "word: { $get_input: [ word ] }", "word: { $get_input: [ amount ] }", "TOSCA010"),
    (SEVERAL, "word: { $get_input: [ word ] }", "word: { $get_input: [ open ] }", "TOSCA017"),
    (SEVERAL, "word: { $get_input: [ word ] }", "word: { $double: [ 1 ] }", "TOSCA017"),
    (SEVERAL, "word: { $get_input: [ word ] }", "word: $node_index", "TOSCA017"),
    (SEVERAL, "names, $node_index", "names, $relationship_index", "TOSCA017"),
    (
        SEVERAL,
        "word: { type: string, default: a }",
        "word: { type: integer, default: $node_index }",
        "TOSCA017",
    ),
    (SEVERAL, "right, $node_index ]", "right, { $sum: [ $relationship_index, 2 ] } ]", "TOSCA015"),
    (SEVERAL, "number: { $double: [ 1 ] }", "number: { $get_input: [ names, 0 ] }", "TOSCA017"),
    (SEVERAL, "$concat: [ [ x ], {", "$concat: [ x, {", "TOSCA017"),
    (SEVERAL, "word: { $get_input: [ word ] }", "word: { $concat: [ [ x ] ] }", "TOSCA017"),
];

fn findings(text: &str) -> (Vec<Diagnostic>, Sources) {
    let mut sources = Sources::new();
    let mut files = MemoryFiles::new(Limits::default())
        .with("service.yaml", text)
        .with("save.sh", "")
        .with("half.py", "");
    let root = sources.add("service.yaml", text);
    let options = ReadOptions::default();
    let tosca = Some(Language::TOSCA);
    let read = read_in(tosca, root, "service.yaml", &mut sources, &mut files, &options);
    (read.findings, sources)
}

#[test]
fn services_without_mistakes_have_no_findings() {
    for text in [SIMPLE, TWO, SEVERAL, THREE] {
        let (found, _) = findings(text);
        assert!(found.is_empty(), "{found:#?}");
    }
}

#[test]
fn every_mistake_is_found_where_it_is() {
    let mut wrong = Vec::new();
    for (text, from, to, code) in MISTAKES {
        assert_eq!(text.matches(from).count(), 1, "{from}");
        let (found, sources) = findings(&text.replace(from, to));
        let line = text[..text.find(from).unwrap()].matches('\n').count() + 1;
        let lines: Vec<(usize, &str)> = found
            .iter()
            .map(|finding| {
                let source = sources.get(finding.primary.source);
                let before = &source.text[..finding.primary.start as usize];
                (before.matches('\n').count() + 1, finding.code)
            })
            .collect();
        // A type that does not fit is found where it is used.
        let elsewhere = ["TOSCA015", "TOSCA016"].contains(code);
        let is_right = |(at, known): &(usize, &str)| known == code && (elsewhere || *at == line);
        // A range that is wrong is also wrong for what it is used for, and for every user.
        if lines.len() > 2 || !lines.iter().any(is_right) {
            wrong.push(format!("{to}: line {line} {code}, found {lines:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Copies of copies are followed, and are no good; those that never end are wrong.
#[test]
fn what_is_copied_copies_nothing() {
    let versions = [
        ("tosca_2_0\nnode_types: { N: {} }\nservice_template", "N"),
        ("tosca_simple_yaml_1_3\ntopology_template", "tosca.nodes.Root"),
    ];
    for (start, of) in versions {
        let said = |templates: &str| {
            let templates = templates.replace("{ N", &format!("{{ type: {of}"));
            let text = format!(
                "tosca_definitions_version: {start}:\n  node_templates: {{ {templates} }}\n"
            );
            let (found, _) = findings(&text);
            found.iter().map(|it| (it.severity, it.message.clone())).collect::<Vec<_>>()
        };
        assert_eq!(said("a: { N }, b: { copy: a }, c: { copy: a }"), []);
        let chain = said("a: { N }, b: { copy: a }, c: { copy: b }");
        let message = "`c` copies `b`, which copies `a` itself".to_owned();
        assert_eq!(chain, [(Severity::Warning, message)]);
        let cycle = said("a: { N, copy: b }, b: { copy: a }");
        assert_eq!(cycle, [(Severity::Error, "`a`, `b` copy each other".to_owned())]);
    }
}

/// One mistake, one finding: what only follows from it is not said.
#[test]
fn what_follows_from_a_mistake_is_not_said() {
    let mistakes = [
        (THREE, "{ name: a, port: 1 }", "{ nam: a, port: 1 }"),
        (THREE, "{ url: 'https", "{ ulr: 'https"),
        (THREE, "Ops: { type: Ops,", "Ops: { type: Opss,"),
        (THREE, "cap: { type: Cap }", "cap: { type: Capp }"),
        (THREE, "{ size: {", "{ wrong: 1, size: {"),
        (
            THREE,
            "- uses: { node: one, capability: cap, relationship: { type: Wire, properties: { weight: 2 } } }",
            "- { uses: one, x: y }",
        ),
    ];
    for (text, from, to) in mistakes {
        assert_eq!(text.matches(from).count(), 1, "{from}");
        let (found, _) = findings(&text.replace(from, to));
        assert_eq!(found.len(), 1, "{to}: {found:#?}");
    }
}

/// Mistakes that have exactly one finding, wherever it is.
const ONCE: &[(&str, &str, &str, &str)] = &[
    // Requirements against their definitions.
    (SIMPLE, "relationship: wire }", "relationship: tosca.relationships.HostedOn }", "TOSCA015"),
    (TWO, "node: box, allocation", "node: box, relationship: Off, allocation", "TOSCA015"),
    (
        TWO,
        "node: box, allocation",
        "node: box, relationship: { type: Off }, allocation",
        "TOSCA015",
    ),
    (TWO, "w: { type: integer, default: 1 }", "w: { type: integer }", "TOSCA012"),
    // Functions in defaults.
    (TWO, "default: eu }", "default: { $conct: [ a, b ] } }", "TOSCA017"),
    (TWO, "default: eu }", "default: { $get_property: [ SELF, nope ] } }", "TOSCA014"),
    (TWO, "float, required: false", "float, default: { $concat: [ a ] }", "TOSCA017"),
    (
        TWO,
        "part: { type: float",
        "is: { type: boolean, default: { $equal: [ 1 ] } }, part: { type: float",
        "TOSCA017",
    ),
    (TWO, "default: 100", "default: { $sum: [ 1, x ] }", "TOSCA017"),
    (
        THREE,
        "m: { type: integer, default: 1 }",
        "m: { type: integer, default: { get_property: [ SELF, nope ] } }",
        "TOSCA014",
    ),
    (
        THREE,
        "m: { type: integer, default: 1 }",
        "m: { type: integer, default: { get_propery: [ SELF, size ] } }",
        "TOSCA017",
    ),
    (
        THREE,
        "m: { type: integer, default: 1 }",
        "m: { type: integer, default: { concat: [ a ] } }",
        "TOSCA017",
    ),
    (
        THREE,
        "attributes: { at: { type: string },",
        "attributes: { at: { type: string, default: { get_atribute: [ SELF, num ] } },",
        "TOSCA017",
    ),
    // Inputs and operations in types.
    (
        THREE,
        "m: { type: integer, default: 1 }",
        "m: { type: integer, default: 1 }, n: two",
        "TOSCA010",
    ),
    (
        TWO,
        "life: { type: Life }",
        "life: { type: Life, operations: { go: { inputs: { n: two } } } }",
        "TOSCA010",
    ),
    (THREE, "start: { implementation", "strat: { implementation", "TOSCA013"),
    (THREE, ", outputs: { at: [ SELF, at ] }", "", "TOSCA014"),
    (SIMPLE, "valid_target_types: [ Cap ]", "valid_target_types: [ Server ]", "TOSCA005"),
    // Constraints that do not fit.
    (THREE, "[ max_length: 5 ]", "[ greater_than: 3 ]", "TOSCA011"),
    (THREE, "[ max_length: 5 ]", "[ valid_values: abc ]", "TOSCA011"),
    (SIMPLE, "in_range: [ 1, 4 ]", "max_length: 3", "TOSCA011"),
    (SIMPLE, "in_range: [ 1, 4 ]", "pattern: a", "TOSCA011"),
    (SIMPLE, "in_range: [ 1, 4 ]", "in_range: 4", "TOSCA011"),
    // Workflows and triggers.
    (THREE, "call_operation: { operation: Standard.create }", "delegate: deplooy", "TOSCA014"),
    (
        THREE,
        "[ { target: one } ]",
        "[ { target: one, condition: [ state: [ { equal: startd } ] ] } ]",
        "TOSCA024",
    ),
    (
        THREE,
        "[ { target: one } ]",
        "[ { target: one, condition: [ state: [ { eqal: started } ] ] } ]",
        "TOSCA011",
    ),
    (
        THREE,
        "s: { target: one,",
        "s: { target: one, filter: [ state: [ { equal: startd } ] ],",
        "TOSCA024",
    ),
    (
        THREE,
        "target_filter: { node: one }",
        "target_filter: { node: one }, condition: [ nope: [ { equal: 1 } ] ]",
        "TOSCA014",
    ),
    (
        THREE,
        "target_filter: { node: one }",
        "target_filter: { node: one }, condition: [ num: [ { eqal: 1 } ] ]",
        "TOSCA011",
    ),
    (
        THREE,
        "steps: { s: { target: one, activities: [ call_operation: { operation: Standard.create } ] } }",
        "steps: { s: { target: one, activities: [ call_operation: Standard.create ], on_success: [ t ] }, t: { target: one, activities: [ call_operation: Standard.start ], on_failure: [ s ] } }",
        "TOSCA021",
    ),
    // Substitution.
    (
        THREE,
        "  policies:",
        "  substitution_mappings: { node_type: Base, interfaces: { Standard: { create: nowf } } }\n  policies:",
        "TOSCA014",
    ),
    (
        THREE,
        "  policies:",
        "  inputs: { i: { type: integer, default: 1 } }\n  substitution_mappings: { node_type: Base, properties: { word: [ i ] } }\n  policies:",
        "TOSCA025",
    ),
    (
        THREE,
        "  policies:",
        "  substitution_mappings: { node_type: Base, substitution_filter: { properties: [ { nope: { equal: 1 } } ] } }\n  policies:",
        "TOSCA014",
    ),
    // What follows from a mistake is not said.
    (SIMPLE, "in_range: [ 1, 4 ]", "in_range: [ 4, 1 ]", "TOSCA011"),
    (SIMPLE, "occurrences: [ 0, 5 ]", "occurrences: [ 5, 0 ]", "TOSCA010"),
    (TWO, "count_range: [ 0, 2 ]", "count_range: [ 2, 1 ]", "TOSCA010"),
    (
        TWO,
        "node_types:\n",
        "data_types: { L: { derived_from: scalar, units: { m: 1, km: x } }, K: { derived_from: L, units: { m: 1, km: 1000 } } }\nnode_types:\n",
        "TOSCA026",
    ),
    (SIMPLE, "peer: { value: {", "peer: { valu: {", "TOSCA002"),
    (
        TWO,
        "  policies:\n    - p: { type: P, targets: [ box ]",
        "  groups: { g: { type: G, members: [ bxo ] } }\n  policies:\n    - q: { type: P, targets: [ g ] }\n    - p: { type: P, targets: [ box ]",
        "TOSCA014",
    ),
];

#[test]
fn one_mistake_has_one_finding() {
    let mut wrong = Vec::new();
    for (text, from, to, code) in ONCE {
        assert_eq!(text.matches(from).count(), 1, "{from}");
        let (found, _) = findings(&text.replace(from, to));
        let codes: Vec<&str> = found.iter().map(|finding| finding.code).collect();
        if codes != [*code] {
            let said: Vec<&str> = found.iter().map(|finding| finding.message.as_str()).collect();
            wrong.push(format!("{to}: {code}, found {codes:?} {said:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A type that no template has is asked itself, and a file of types has no inputs to name.
#[test]
fn functions_in_types_without_templates_are_checked() {
    let text = "tosca_definitions_version: tosca_2_0
node_types:
  N:
    properties:
      fine: { type: string, default: { $get_input: name } }
      odd: { type: string, default: { $get_property: [ SELF, nope ] } }
      bad: { type: integer, default: { $concat: [ a ] } }
";
    let (found, _) = findings(text);
    let said: Vec<(&str, Severity)> =
        found.iter().map(|finding| (finding.code, finding.severity)).collect();
    let wanted = [("TOSCA014", Severity::Warning), ("TOSCA017", Severity::Error)];
    assert_eq!(said, wanted, "{found:#?}");
}

/// By the rules `setup` a node is created when its host is created, by others when it is started.
#[test]
fn the_order_of_hosts_is_that_of_the_chosen_rules() {
    let text = "tosca_definitions_version: tosca_simple_yaml_1_3
policy_types:
  windlass.policies.Weaving: { derived_from: tosca.policies.Root, properties: { rules: { type: string } } }
topology_template:
  node_templates:
    vm: { type: tosca.nodes.Compute }
    a: { type: tosca.nodes.SoftwareComponent, requirements: [ host: vm ] }
  policies: [ w: { type: windlass.policies.Weaving, properties: { rules: setup } } ]
  workflows:
    deploy:
      steps:
        v1: { target: vm, activities: [ call_operation: Standard.create ], on_success: [ v2, a1 ] }
        v2: { target: vm, activities: [ call_operation: Standard.start ] }
        a1: { target: a, activities: [ call_operation: Standard.create ] }
";
    let (found, _) = findings(text);
    assert!(found.is_empty(), "{found:#?}");
    let (found, _) = findings(&text.replace("rules: setup", "rules: aria"));
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0].code, "TOSCA022");
    let apart = text.replace("[ v2, a1 ]", "[ v2 ]");
    let (found, _) = findings(&apart);
    assert_eq!(found.len(), 1, "{found:#?}");
}

#[test]
fn a_cycle_of_types_hides_nothing_else() {
    let cycle = "group_types: { G: { derived_from: H }, H: { derived_from: G } }\n";
    let text = THREE
        .replace("[ one, num ]", "[ one, at ]")
        .replace("node_types:", &format!("{cycle}node_types:"));
    let (found, _) = findings(&text);
    let codes: Vec<&str> = found.iter().map(|finding| finding.code).collect();
    assert_eq!(codes, ["TOSCA006", "TOSCA017"], "{found:#?}");
}

#[test]
fn policies_are_a_list_by_the_text_of_2_0() {
    let text = TWO.replace(
        "    - p: { type: P, targets: [ box ], triggers",
        "    p: { type: P, targets: [ box ], triggers",
    );
    let (found, _) = findings(&text);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0].code, "TOSCA004");
}

#[test]
fn validations_of_2_0_are_calls_of_functions() {
    for (clause, code) in [
        ("[ 1 ]", "TOSCA011"),
        ("{ $equal: [ $value, eu ], $x: 1 }", "TOSCA011"),
        ("{ $eqal: [ $value, eu ] }", "TOSCA017"),
        ("{ $and: [ { $eqal: [ $value, eu ] } ] }", "TOSCA017"),
        ("{ $sum: [ $value, 1 ] }", "TOSCA011"),
        ("{ $greater_than: [ $value, 3 ] }", "TOSCA011"),
    ] {
        let to = format!("{{ type: string, default: eu, validation: {clause} }}");
        let (found, _) = findings(&TWO.replace("{ type: string, default: eu }", &to));
        let codes: Vec<&str> = found.iter().map(|finding| finding.code).collect();
        assert_eq!(codes, [code], "{clause}: {found:#?}");
    }
}

#[test]
fn names_that_differ_in_odd_characters_only_stay_apart() {
    let text = "tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    a b: { type: tosca.nodes.Root }
    a_b: { type: tosca.nodes.Root, requirements: [ dependency: a b ] }
    \"a\\u20acb\": { type: tosca.nodes.Root }
";
    let mut sources = Sources::new();
    let mut files = MemoryFiles::new(Limits::default());
    let root = sources.add("service.yaml", text);
    let options = ReadOptions::default();
    let read = read_in(None, root, "service.yaml", &mut sources, &mut files, &options);
    let application = read.application.unwrap();
    let names: std::collections::BTreeSet<&str> =
        application.nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names.len(), 3, "{names:?}");
    assert!(names.contains("a_b"), "{names:?}");
}

/// Definitions as Winery writes them: no protocols, relationships between nodes.
const WINERY: &str = r#"<Definitions xmlns="http://docs.oasis-open.org/tosca/ns/2011/12" targetNamespace="urn:x" xmlns:x="urn:x">
  <NodeType name="Job">
    <RequirementDefinitions><RequirementDefinition name="free" requirementType="x:R"/></RequirementDefinitions>
  </NodeType>
  <ServiceTemplate id="app">
    <TopologyTemplate>
      <NodeTemplate id="one" type="x:Job"/>
      <NodeTemplate id="two" type="x:Job"/>
      <RelationshipTemplate id="uses" type="x:DependsOn">
        <SourceElement ref="one"/>
        <TargetElement ref="two"/>
      </RelationshipTemplate>
    </TopologyTemplate>
  </ServiceTemplate>
</Definitions>
"#;

#[test]
fn relationships_of_xml_may_be_between_nodes() {
    let read = |text: &str| {
        let mut sources = Sources::new();
        let mut files = MemoryFiles::new(Limits::default());
        let root = sources.add("app.tosca", text);
        let options = ReadOptions::default();
        read_in(None, root, "app.tosca", &mut sources, &mut files, &options)
    };
    let fine = read(WINERY);
    let codes: Vec<&str> = fine.findings.iter().map(|finding| finding.code).collect();
    assert_eq!(codes, ["BARREL003"], "{:#?}", fine.findings);
    let application = fine.application.unwrap();
    let [one, two] = &application.nodes[..] else { panic!("{application:#?}") };
    assert_eq!((one.bindings.len(), two.bindings.len()), (1, 0));
    assert_eq!(application.node(one.bindings[0].target).name, "two");
    let lost = read(&WINERY.replace("ref=\"two\"", "ref=\"tow\""));
    assert!(lost.findings.iter().any(|finding| finding.code == "BARREL001"));
    let prefix = read(&WINERY.replace("id=\"two\" type=\"x:Job\"", "id=\"two\" type=\"y:Job\""));
    assert!(prefix.findings.iter().any(|finding| finding.code == "BARREL001"));
    let types = WINERY.find("  <ServiceTemplate").unwrap();
    let library = read(&format!("{}</Definitions>\n", &WINERY[..types]));
    assert!(library.findings.is_empty(), "{:#?}", library.findings);
}

/// A node whose life gives an attribute, and reads it.
const LIFE: &str = "tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  N:
    derived_from: tosca.nodes.Root
    attributes: { at: { type: string } }
    interfaces:
      Standard:
        operations:
          create: { implementation: a.sh, inputs: { V: { get_attribute: [ SELF, at ] } } }
          start: { implementation: a.sh, outputs: { v: [ SELF, at ] } }
topology_template:
  node_templates:
    a: { type: N }
";

#[test]
fn an_attribute_that_a_later_operation_gives_is_read_too_early() {
    let codes = |text: &str| {
        let (found, _) = findings(text);
        let told = |it: &Diagnostic| it.message.contains("gives afterwards");
        found.iter().filter(|it| told(it)).map(|it| (it.code, it.severity)).collect::<Vec<_>>()
    };
    assert_eq!(codes(LIFE), [("TOSCA027", Severity::Error)]);
    let by_name = LIFE.replace(
        "    a: { type: N }",
        "    a: { type: N, interfaces: { Standard: { operations: { configure: { inputs: { W: { get_attribute: [ a, at ] } } } } } } }",
    );
    assert_eq!(codes(&by_name).len(), 2);
    let fine = [
        // A later operation, a default, the template, an input that says otherwise.
        ("create: {", "delete: {"),
        ("at: { type: string }", "at: { type: string, default: x }"),
        ("{ type: N }", "{ type: N, attributes: { at: x } }"),
        (
            "{ type: N }",
            "{ type: N, interfaces: { Standard: { operations: { create: { inputs: { V: x } } } } } }",
        ),
        // An operation of a relationship, and another node.
        (
            "node_types:",
            "relationship_types: { R: { derived_from: tosca.relationships.Root, interfaces: { Configure: { operations: { pre_configure_target: { outputs: { o: [ TARGET, at ] } } } } } } }\nnode_types:",
        ),
        (
            "    a: { type: N }",
            "    a: { type: N }\n    b: { type: N, interfaces: { Standard: { operations: { create: { inputs: { V: x }, outputs: { o: [ a, at ] } } } } } }",
        ),
    ];
    for (from, to) in fine {
        assert!(codes(&LIFE.replace(from, to)).is_empty(), "{to}");
    }
}

#[test]
fn a_new_interface_of_a_type_has_a_type() {
    let text = LIFE.replace("Standard:", "Standrd:");
    let (found, _) = findings(&text);
    let new: Vec<_> = found.iter().filter(|it| it.message.contains("is new here")).collect();
    assert_eq!(new.len(), 1, "{found:#?}");
    assert_eq!(
        (new[0].code, new[0].help.as_deref()),
        ("TOSCA013", Some("did you mean `Standard`?"))
    );
    let two = TWO.replace(
        "interfaces: { life: { type: Life } }",
        "interfaces: { life: { operations: { go: a.sh } } }",
    );
    let (found, _) = findings(&two);
    assert!(found.iter().any(|it| it.message.contains("is new here")), "{found:#?}");
    let (found, _) = findings(TWO);
    assert!(found.is_empty(), "{found:#?}");
}
