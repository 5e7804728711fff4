//! The readers, each as a function from bytes to a behaviour.
//!
//! A behaviour is a number that two inputs share when the reader did the same kind of thing with
//! them; inputs with a new one are kept. Beyond "no panic" every target states what must hold of
//! the reader's result.

mod archives;
mod compose;
mod documents;
mod findings;
mod formats;
mod hot;
mod tosca;
mod tree;
mod units;
mod windlass;

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// One reader.
#[derive(Debug)]
pub(crate) struct Target {
    /// Its name, also of the folder with its seeds.
    pub(crate) name: &'static str,
    /// Folders from the root whose files are seeds as well.
    pub(crate) shared_seeds: &'static [&'static str],
    /// Words that its texts are made of.
    pub(crate) words: &'static [&'static str],
    /// Reads the bytes and checks the result.
    pub(crate) run: fn(&[u8]) -> u64,
}

/// Words of our own language.
const WORDS: &[&str] = &[
    "windlass: 1\n",
    "name: a\n",
    "faults: forbidden\n",
    "faults: handled\n",
    "policy: any\n",
    "types:\n",
    "nodes:\n",
    "type: a\n",
    "protocol:\n",
    "net:\n",
    "initial: a\n",
    "states:\n",
    "transitions:\n",
    "requires: [a]\n",
    "offers: [a]\n",
    "on_fault: [a]\n",
    "requirements:\n",
    "sort: containment\n",
    "arity: all\n",
    "arity: { at_least: 2 }\n",
    "capabilities: [a]\n",
    "operations:\n",
    "run: [a]\n",
    "shell: a\n",
    "environment: {A: b}\n",
    "secret: a\n",
    "duration: 5s\n",
    "timeout: 1m\n",
    "cost: 2\n",
    "process: { run: [a] }\n",
    "stop: TERM\n",
    "up: [a]\n",
    "on_crash: a\n",
    "places: [a]\n",
    "groups: {a: [b]}\n",
    "ports:\n",
    "kind: provide\n",
    "kind: data_use\n",
    "from: a\n",
    "to: a\n",
    "dock: a\n",
    "bind: {a: b.c}\n",
    "count: 2\n",
    "instances:\n",
    "in: a\n",
    "goal: a=b\n",
    "keep: [a]\n",
    "always: [a=b]\n",
    "budget: {a: 1}\n",
    "state:\n",
    "plan:\n",
    "actions:\n",
    "order:\n",
    "{ before: a, after: b }",
    "do: op",
    "do: scale_out",
    "do: scale_in",
    "instance: a",
    "operation: a",
    "container: a",
    "gui",
    "api",
    "mongo",
    "running",
    "working",
    "g1",
    "a1",
];

/// Words of RAMP's JSON and of TosKer's plans.
const RAMP_WORDS: &[&str] = &[
    "\"nodes\": [",
    "\"managementProtocol\": {",
    "\"requires\": [\"host\"]",
    "\"offers\": [\"host\"]",
    "\"faultHandlers\": [\"down\"]",
    "\"sort\": \"AWARE\"",
    "\"CONTAINMENT\"",
    "\"actions\": {",
    "\"action\": \"op\"",
    "\"action\": \"scaleOut\"",
    "\"partialOrder\": [",
    "{\"before\": \"a\", \"after\": \"b\"}",
    "\"rule\": \"opStart\"",
    "\"rule\": \"opEnd\"",
    "\"isSequence\": \"true\"",
    "null",
    "a:Standard.start\n",
    "a,Standard,start\n",
];

/// Words of templates of OpenStack Heat.
const HOT_WORDS: &[&str] = &[
    "heat_template_version: wallaby\n",
    "AWSTemplateFormatVersion: 2010-09-09\n",
    "parameters:\n",
    "conditions:\n",
    "resources:\n",
    "outputs:\n",
    "type: OS::Nova::Server\n",
    "type: OS::Neutron::Port\n",
    "type: OS::Heat::ResourceGroup\n",
    "properties:\n",
    "depends_on: a\n",
    "{ get_param: a }",
    "{ get_resource: a }",
    "{ get_attr: [a, b] }",
    "{ if: [a, b, c] }",
    "{ repeat: { for_each: { a: [1, 2] }, template: a } }",
    "{ list_join: [',', [a]] }",
    "{ map_merge: [{ a: b }] }",
    "constraints: [{ range: { min: 1 } }]\n",
    "10.0.0.0/24",
    "%index%",
];

/// Words of TOSCA in YAML.
const TOSCA_WORDS: &[&str] = &[
    "tosca_definitions_version: tosca_2_0\n",
    "imports: [a.yaml]\n",
    "derived_from: a\n",
    "node_types:\n",
    "data_types:\n",
    "properties:\n",
    "requirements: [{ a: b }]\n",
    "capabilities:\n",
    "interfaces: { Standard: { create: a } }\n",
    "type: list, entry_schema: { type: map }",
    "constraints: [{ pattern: '(a*)*' }]\n",
    "validation: { $equal: [$value, 1] }\n",
    "occurrences: [0, UNBOUNDED]\n",
    "count: 99999999999999999999\n",
    "count_range: [1, 1]\n",
    "node_filter: { properties: [{ a: { equal: 1 } }] }\n",
    "{ get_property: [SELF, a] }",
    "{ get_attribute: [a, HOST, b] }",
    "{ get_input: a }",
    "{ $get_property: [SELF, a, b] }",
    "{ concat: [a, b] }",
    "{ $a: [] }",
    "workflows: { a: { steps: { b: { target: a, activities: [{ inline: a }] } } } }\n",
    "substitution_mappings: { node_type: a }\n",
    "copy: a\n",
    "10 GB",
    "1.0.0.alpha-1",
];

/// Words of Concerto's JSON.
const CONCERTO_WORDS: &[&str] = &[
    "\"components\": [",
    "\"instances\": [",
    "\"connects\": [",
    "\"places\": [\"off\", \"on\"]",
    "\"start\": \"off\"",
    "\"transitions\": [",
    "\"behavior\": \"deploy\"",
    "\"from\": \"off\", \"to\": \"on\"",
    "\"ports\": [",
    "\"type\": \"use\"",
    "\"type\": \"provide\"",
    "\"provider\": \"a\", \"provide_port\": \"service\"",
    "\"user\": \"b\", \"use_port\": \"service\"",
    "null",
];

/// Words of Docker Compose.
const COMPOSE_WORDS: &[&str] = &[
    "services:\n",
    "  web:\n",
    "    image: a:1\n",
    "    extends: web\n",
    "    extends: { file: a.yaml, service: web }\n",
    "include: [a.yaml]\n",
    "    depends_on: [db]\n",
    "      db: { condition: service_healthy, restart: true, required: false }\n",
    "    ports: [\"8080-8090:80/udp\"]\n",
    "    volumes: [\"data:/data:ro\"]\n",
    "    networks: { front: { ipv4_address: 10.0.0.1 } }\n",
    "    deploy: { replicas: 99999999999999999999 }\n",
    "${A:-${B:-c}}",
    "$$",
    "!reset",
    "!override",
    "<<: *a\n",
    "&a ",
    "profiles: [a]\n",
    "healthcheck: { test: [CMD, a] }\n",
    "subnet: 10.0.0.0/8\n",
    "configs:\n",
    "secrets:\n",
];

/// Words of TOSCA 1.0 with management protocols.
const XML_WORDS: &[&str] = &[
    "<!DOCTYPE a [<!ENTITY b \"c\">]>",
    "&amp;",
    "&#10;",
    "&b;",
    "<![CDATA[",
    "]]>",
    "<!-- ",
    " -->",
    "/>",
    "</NodeType>",
    " xmlns=\"http://docs.oasis-open.org/tosca/ns/2011/12\"",
    " xmlns:x=\"urn:x\"",
    " state=\"idle\"",
    " name=\"a\"",
    " ref=\"a\"",
    " type=\"x:Job\"",
    "<InstanceState state=\"a\"/>",
    "<NodeTemplate id=\"a\" type=\"x:Job\"/>",
    "<Transition sourceState=\"idle\" targetState=\"done\" operationName=\"a\"/>",
];

/// Names and marks of archives.
const ARCHIVE_WORDS: &[&str] = &[
    "PK\u{1}\u{2}",
    "PK\u{3}\u{4}",
    "PK\u{5}\u{6}",
    "../",
    "/",
    "\\",
    "C:",
    ".",
    "\0",
    "ustar",
    "././@LongLink",
    "PaxHeader",
    "17 path=a.yaml\n",
    "20 size=9999999999\n",
    "windlass.yaml",
    "TOSCA-Metadata/TOSCA.meta",
    "Entry-Definitions: windlass.yaml\n",
];

/// Every reader.
pub(crate) const TARGETS: &[Target] = &[
    Target { name: "tree", shared_seeds: &["examples"], words: WORDS, run: tree::run },
    Target { name: "windlass", shared_seeds: &["examples"], words: WORDS, run: windlass::run },
    Target { name: "state", shared_seeds: &[], words: WORDS, run: documents::state },
    Target { name: "plan", shared_seeds: &[], words: WORDS, run: documents::plan },
    Target { name: "goal", shared_seeds: &[], words: WORDS, run: documents::goal },
    Target { name: "compose", shared_seeds: &[], words: COMPOSE_WORDS, run: compose::run },
    Target { name: "ramp", shared_seeds: &[], words: RAMP_WORDS, run: formats::ramp },
    Target { name: "other-plan", shared_seeds: &[], words: RAMP_WORDS, run: formats::plan },
    Target { name: "concerto", shared_seeds: &[], words: CONCERTO_WORDS, run: formats::concerto },
    Target { name: "hot", shared_seeds: &[], words: HOT_WORDS, run: hot::run },
    Target {
        name: "tosca",
        shared_seeds: &["examples/tosca"],
        words: TOSCA_WORDS,
        run: tosca::run,
    },
    Target { name: "barrel", shared_seeds: &[], words: XML_WORDS, run: formats::barrel },
    Target { name: "zip", shared_seeds: &[], words: ARCHIVE_WORDS, run: archives::zip },
    Target { name: "tar", shared_seeds: &[], words: ARCHIVE_WORDS, run: archives::tar },
    Target { name: "units", shared_seeds: &[], words: &["h", "m", "s", "ms"], run: units::run },
];

/// The targets with these names; all when none is named.
pub(crate) fn chosen(names: &[String]) -> Result<Vec<&'static Target>, String> {
    if names.is_empty() {
        return Ok(TARGETS.iter().collect());
    }
    let find = |name: &String| {
        TARGETS.iter().find(|target| target.name == name).ok_or_else(|| {
            let known: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
            format!("no target `{name}`; there are {}", known.join(", "))
        })
    };
    names.iter().map(find).collect()
}

/// A number for a list of words, without regard to how often each stands there.
fn behavior<'a>(words: impl Iterator<Item = &'a str>, size: usize) -> u64 {
    let words: BTreeSet<&str> = words.collect();
    let mut hasher = DefaultHasher::new();
    words.hash(&mut hasher);
    // Sizes count in steps of two, so that not every input is new.
    size.checked_ilog2().hash(&mut hasher);
    hasher.finish()
}
