//! Mistakes in TOSCA files, one at a time: each is found at its line.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use windlass::diagnostic::Diagnostic;
use windlass::lang::{Language, Surroundings, read_in};
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
capability_types: { Host: { properties: { mem: { type: integer, default: 100 } } } }
relationship_types: { On: { valid_capability_types: [ Host ], valid_source_node_types: [ App ] } }
interface_types: { Life: { operations: { go: { inputs: { n: { type: integer } } } }, notifications: { boom: {} } } }
node_types:
  Box: { properties: { zone: { type: string, default: eu } }, capabilities: { host: { type: Host } }, interfaces: { life: { type: Life } } }
  App:
    properties: { zone: { type: string, required: false }, part: { type: float, required: false }, text: { type: string, required: false } }
    requirements: [ host: { capability: Host, node: Box, relationship: On, count_range: [ 0, 2 ] } ]
policy_types: { P: { targets: [ Box ] } }
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

/// What is written in place of what, and the code of what is found in that line.
const MISTAKES: &[(&str, &str, &str, &str)] = &[
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
];

fn findings(text: &str) -> (Vec<Diagnostic>, Sources) {
    let mut sources = Sources::new();
    let mut files = MemoryFiles::new(Limits::default())
        .with("service.yaml", text)
        .with("save.sh", "")
        .with("half.py", "");
    let root = sources.add("service.yaml", text);
    let surroundings = Surroundings::default();
    let tosca = Some(Language::Tosca);
    let read = read_in(tosca, root, "service.yaml", &mut sources, &mut files, &surroundings);
    (read.findings, sources)
}

#[test]
fn services_without_mistakes_have_no_findings() {
    for text in [SIMPLE, TWO] {
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
