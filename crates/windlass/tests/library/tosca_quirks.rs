//! Quirks of TOSCA files that can be switched on: each tolerates its own text and no other.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use std::collections::BTreeSet;
use windlass::diagnostic::Severity;
use windlass::lang::tosca::switches::{ALL, SETS, Switches};
use windlass::lang::{Language, ReadOptions, Reading, read_in};
use windlass::source::Sources;
use windlass::source::files::{Limits, MemoryFiles};

const SIMPLE: &str = "tosca_definitions_version: tosca_simple_yaml_1_3\n";
const TWO: &str = "tosca_definitions_version: tosca_2_0\n";

/// The name of each quirk, the version, and a text whose errors it tolerates.
const TEXTS: &[(&str, &str, &str)] = &[
    (
        "fractions-of-units",
        TWO,
        "data_types:
  Size: { derived_from: scalar, data_type: integer, units: { B: 1, GB: 1000 }, canonical_unit: B }
  Disk: { properties: { size: { type: Size, default: 1.23 GB } } }
",
    ),
    (
        "free-states",
        SIMPLE,
        "topology_template:
  node_templates: { server: { type: tosca.nodes.Compute } }
  workflows: { rest: { steps: { one: { target: server, activities: [ set_state: down ] } } } }
",
    ),
    (
        "functions-in-metadata",
        SIMPLE,
        "metadata: { 'puccini.scriptlet:tosca.function.double': 'exports.evaluate = x => 2 * x;' }
node_types: { Rack: { derived_from: tosca.nodes.Root, properties: { slots: { type: integer } } } }
topology_template: { node_templates: { rack: { type: Rack, properties: { slots: { double: 4 } } } } }
",
    ),
    (
        "functions-without-dollar",
        TWO,
        "node_types: { Rack: { properties: { name: { type: string } } } }
service_template:
  node_templates: { rack: { type: Rack, properties: { name: { concat: [ a, b ] } } } }
",
    ),
    (
        "implemented-interface-types",
        TWO,
        "interface_types: { Life: { operations: { start: { implementation: start.sh } } } }\n",
    ),
    (
        "keys-of-1.3",
        TWO,
        "node_types: { Rack: { properties: { n: { type: integer, constraints: [ in_range: [ 1, 2 ] ] } } } }\n",
    ),
    (
        "loose-timestamps",
        TWO,
        "node_types: { Rack: { properties: { at: { type: timestamp, default: '1975-09-15 12:34:56.7 +2' } } } }\n",
    ),
    (
        "loose-versions",
        SIMPLE,
        "data_types: { Rack: { properties: { at: { type: version, default: 1.2.3-beta4 } } } }\n",
    ),
    (
        "namespace-tosca",
        TWO,
        "capability_types: { Room: {} }
relationship_types: { In: {} }
node_types:
  Rack: { capabilities: { room: { type: Room } } }
  Board: { requirements: [ host: { capability: Room, relationship: In } ] }
service_template:
  node_templates:
    rack: { type: Rack }
    board: { type: Board, requirements: [ host: { node: rack, relationship: 'tosca:HostedOn' } ] }
",
    ),
    ("types-of-1.3", TWO, "node_types: { Rack: { properties: { ports: { type: range } } } }\n"),
    (
        "data-types-for-capabilities",
        SIMPLE,
        "data_types: { own.Size: { properties: { n: { type: integer } } } }
node_types: { Rack: { derived_from: tosca.nodes.Root, capabilities: { size: { type: own.Size } } } }
",
    ),
    ("duplicate-keys", SIMPLE, "description: one\ndescription: two\n"),
    (
        "listed-operations",
        SIMPLE,
        "node_types:
  Rack: { derived_from: tosca.nodes.Root, interfaces: { Standard: { create: [ create.sh ] } } }
",
    ),
    (
        "loose-booleans",
        SIMPLE,
        "data_types: { Rack: { properties: { n: { type: integer, default: yes } } } }\n",
    ),
    (
        "policies-of-tacker",
        SIMPLE,
        "policy_types:
  Alarm: { derived_from: tosca.policies.Monitoring, action: [ respawn ] }
",
    ),
    (
        "types-below-node-types",
        SIMPLE,
        "node_types:
  own.Room: { derived_from: tosca.capabilities.Root }
  Rack: { derived_from: tosca.nodes.Root, capabilities: { room: { type: own.Room } } }
",
    ),
    (
        "unchecked-concat",
        SIMPLE,
        "topology_template:
  node_templates: { server: { type: tosca.nodes.Compute } }
  outputs: { url: { value: { concat: [ 'http://', { get_attribute: [ server, port ] } ] } } }
",
    ),
    (
        "unchecked-inputs",
        SIMPLE,
        "node_types: { Rack: { derived_from: tosca.nodes.Root, properties: { name: { type: string } } } }
topology_template:
  inputs: { number: { type: integer, default: 80 } }
  node_templates: { rack: { type: Rack, properties: { name: { get_input: number } } } }
",
    ),
    (
        "unchecked-targets",
        SIMPLE,
        "capability_types: { Room: { derived_from: tosca.capabilities.Root } }
node_types:
  Board: { derived_from: tosca.nodes.Root, requirements: [ room: { capability: Room } ] }
topology_template:
  node_templates:
    server: { type: tosca.nodes.Compute }
    board: { type: Board, requirements: [ room: server ] }
",
    ),
    (
        "undeclared-requirements",
        SIMPLE,
        "topology_template:
  node_templates:
    server: { type: tosca.nodes.Compute }
    other: { type: tosca.nodes.Compute, requirements: [ uplink: server ] }
",
    ),
];

/// Reads a text with quirks switched on.
fn read(text: &str, quirks: &[&str]) -> Reading {
    let mut options = ReadOptions::default();
    for quirk in quirks {
        assert!(options.quirks.switch_on(quirk), "{quirk}");
    }
    let mut sources = Sources::new();
    let root = sources.add("service.yaml", text);
    let mut files = MemoryFiles::new(Limits::default()).with("start.sh", "").with("create.sh", "");
    let language = Some(Language::TOSCA);
    read_in(language, root, "service.yaml", &mut sources, &mut files, &options)
}

fn errors(reading: &Reading) -> Vec<String> {
    let errors = reading.findings.iter().filter(|finding| finding.severity == Severity::Error);
    errors
        .map(|finding| format!("{} {} {:?}", finding.code, finding.message, finding.help))
        .collect()
}

#[test]
fn every_quirk_has_a_text() {
    let named: BTreeSet<&str> = TEXTS.iter().map(|(name, ..)| *name).collect();
    let all: BTreeSet<&str> = ALL.iter().map(|switch| switch.name).collect();
    assert_eq!(named, all);
}

#[test]
fn without_quirks_the_text_of_the_standard_counts_and_the_quirk_is_offered() {
    for (name, version, text) in TEXTS {
        let errors = errors(&read(&format!("{version}{text}"), &[]));
        assert!(!errors.is_empty(), "{name}");
        let offer = format!("`--quirks {name}` tolerates it");
        assert!(errors.iter().all(|error| error.contains(&offer)), "{name}: {errors:?}");
    }
}

#[test]
fn a_quirk_makes_a_warning_that_names_it() {
    for (name, version, text) in TEXTS {
        let reading = read(&format!("{version}{text}"), &[name]);
        assert_eq!(errors(&reading), Vec::<String>::new(), "{name}");
        let says = format!("The quirk `{name}` tolerates it.");
        let says = |note: &String| *note == says;
        let mut warnings =
            reading.findings.iter().filter(|finding| finding.severity == Severity::Warning);
        assert!(warnings.any(|finding| finding.notes.iter().any(says)), "{name}");
    }
}

#[test]
fn no_other_quirk_helps() {
    for (name, version, text) in TEXTS {
        let others: Vec<&str> =
            ALL.iter().map(|switch| switch.name).filter(|other| other != name).collect();
        assert!(!errors(&read(&format!("{version}{text}"), &others)).is_empty(), "{name}");
    }
}

#[test]
fn a_set_stands_for_its_quirks() {
    for (name, version, text) in TEXTS {
        let own = ALL.iter().find(|switch| switch.name == *name).unwrap().set;
        for set in SETS {
            let is_tolerated = errors(&read(&format!("{version}{text}"), &[set])).is_empty();
            assert_eq!(is_tolerated, own == *set, "{name} with {set}");
        }
    }
}

#[test]
fn all_quirks_together_leave_what_they_are_not_about() {
    let names: Vec<&str> = Switches::names().collect();
    for wrong in [
        "topology_template: { node_templates: { a: { type: nothing.of.the.kind } } }\n",
        "topology_template: { node_templates: { a: { type: tosca.nodes.Compute, colour: red } } }\n",
        "data_types: { R: { properties: { n: { type: integer, default: many } } } }\n",
        "data_types: { R: { properties: { n: { type: version, default: new } } } }\n",
    ] {
        assert!(!errors(&read(&format!("{SIMPLE}{wrong}"), &names)).is_empty(), "{wrong}");
    }
}
