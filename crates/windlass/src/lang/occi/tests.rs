//! Topologies as configurations and back, with the values of both.

use std::collections::BTreeSet;

use super::*;
use crate::diagnostic::{Diagnostic, Severity};
use crate::graph::wellformed::well_formed_location_graph;
use crate::lang;
use crate::source::Sources;
use crate::tree::{self, Value, emit};

const CRM: &str = include_str!("../../../../../examples/tosca/crm/service.yaml");

fn crm() -> LocationGraph {
    let mut sources = Sources::new();
    let root = sources.add("service.yaml", CRM);
    let reading = lang::read(None, root, &sources);
    let model = reading.tosca.expect("it is TOSCA");
    locations::graph(&model).expect("it has a service")
}

fn locations(configuration: &Configuration) -> BTreeSet<&str> {
    let links = configuration.resources.iter().flat_map(|resource| &resource.links);
    let resources = configuration.resources.iter().map(|resource| &*resource.id);
    resources.chain(links.map(|link| &*link.id)).collect()
}

/// Paper: 000 5.3 (EachTopologyMapsToConfiguration)
#[test]
fn each_topology_maps_to_a_configuration_and_back() {
    let graph = crm();
    assert!(well_formed_location_graph(&graph).is_empty());
    let configuration = of_topology(&graph);
    assert_eq!(of_topology(&topology(&configuration)), configuration);
    assert!(well_formed_location_graph(&topology(&configuration)).is_empty());
}

/// Paper: 000 5.3 (MappingPreserveNumberOfLocations)
#[test]
fn the_mapping_preserves_the_number_of_locations() {
    let graph = crm();
    let configuration = of_topology(&graph);
    assert_eq!(graph.locations.len(), 18);
    assert_eq!(locations(&configuration).len(), graph.locations.len());
    let links: usize = configuration.resources.iter().map(|it| it.links.len()).sum();
    assert_eq!((configuration.resources.len(), links), (9, 9));
}

/// Paper: 000 5.3 (MappingPreserveLocationNames)
#[test]
fn the_mapping_preserves_the_names_of_locations() {
    let graph = crm();
    let names: BTreeSet<&str> =
        graph.locations.iter().map(|location| location.name().as_str()).collect();
    assert_eq!(locations(&of_topology(&graph)), names);
}

/// Reads a text as a configuration; what is wrong with it, if anything is.
fn read_text(written: &str) -> (Option<Configuration>, Vec<String>) {
    let mut sources = Sources::new();
    let root = sources.add("occi.json", written);
    let (tree, mut findings) = tree::parse(root, written, &tree::Options::default());
    assert!(findings.is_empty());
    assert!(detect(tree.root()));
    let configuration = read(tree.root(), &mut findings);
    (configuration, findings.into_iter().map(|finding| finding.message).collect())
}

#[test]
fn the_json_rendering_is_read_back() {
    let configuration = of_topology(&crm());
    let written = emit::json(&json(&configuration));
    assert_eq!(read_text(&written), (Some(configuration.clone()), vec![]));
    assert_eq!(text(&configuration).matches("Category:").count(), 9);
    assert_eq!(text(&configuration).matches("Link:").count(), 9);
}

#[test]
fn a_configuration_becomes_a_service_with_the_same_configuration() {
    let configuration = of_topology(&crm());
    let written = emit::yaml(&service(&configuration));
    let mut sources = Sources::new();
    let root = sources.add("service.yaml", written.as_str());
    let reading = lang::read(None, root, &sources);
    // A machine warns of guests that are no software of the profile: OCCI does not say so.
    let is_error = |finding: &Diagnostic| finding.severity == Severity::Error;
    assert!(!reading.findings.iter().any(is_error), "{:?}\n{written}", reading.findings);
    let model = reading.tosca.expect("it is TOSCA");
    let graph = locations::graph(&model).expect("it has a service");
    assert_eq!(of_topology(&graph), configuration, "{written}");
}

/// Kinds of OCCI's own infrastructure, a link outside of its resource, ids that are URNs.
const INFRASTRUCTURE: &str = r#"{
  "resources": [
    { "kind": "http://schemas.ogf.org/occi/infrastructure#compute", "id": "urn:uuid:c1",
      "links": [
        { "kind": "http://schemas.ogf.org/occi/infrastructure#networkinterface", "id": "n",
          "target": { "location": "/network/n1" } } ] },
    { "kind": "http://schemas.ogf.org/occi/infrastructure#network", "id": "urn:uuid:n1" },
    { "kind": "http://schemas.ogf.org/occi/infrastructure#storage", "id": "s1" } ],
  "links": [
    { "kind": "http://schemas.ogf.org/occi/infrastructure#storagelink", "id": "d",
      "source": { "location": "/compute/c1" }, "target": { "location": "/storage/s1" } } ] }"#;

#[test]
fn infrastructure_is_read_without_any_word_of_tosca() {
    let (configuration, wrong) = read_text(INFRASTRUCTURE);
    assert_eq!(wrong, Vec::<String>::new());
    let configuration = configuration.expect("a configuration");
    let links: Vec<(&str, &str, &str)> = configuration.resources[0]
        .links
        .iter()
        .map(|link| (&*link.kind, &*link.target, &*link.ends.0))
        .collect();
    assert_eq!(
        links,
        [
            ("networkinterface", "urn:uuid:n1", "networkinterface"),
            ("storagelink", "s1", "storagelink")
        ]
    );
    let mut sources = Sources::new();
    let root = sources.add("infrastructure.json", INFRASTRUCTURE);
    let reading = lang::read(None, root, &sources);
    assert_eq!(reading.language, Some(Language::OCCI));
    let application = reading.application.expect("an application");
    assert_eq!(application.nodes.len(), 3);
    assert_eq!(application.nodes[0].bindings.len(), 2);
}

#[test]
fn what_is_missing_is_said() {
    let broken = INFRASTRUCTURE
        .replace("/network/n1", "/network/n2")
        .replace("\"kind\": \"http://schemas.ogf.org/occi/infrastructure#storage\", ", "")
        .replace("/compute/c1", "/compute/c2");
    let (configuration, wrong) = read_text(&broken);
    assert_eq!(configuration, None);
    assert_eq!(
        wrong,
        [
            "this resource has no `kind`",
            "the link leads to `/network/n2`, which no resource is",
            "the link comes from `/compute/c2`, which no resource is",
            "the link leads to `/storage/s1`, which no resource is",
        ]
    );
}

/// Every kind of value: of types of the profile and of one's own, of capabilities, of
/// relationships; functions, and an input without a value.
const VALUES: &str = "tosca_definitions_version: tosca_simple_yaml_1_3
data_types: { Route: { properties: { to: { type: string }, hops: { type: integer } } } }
relationship_types:
  Wire: { derived_from: tosca.relationships.ConnectsTo, properties: { width: { type: float } } }
node_types:
  Store:
    derived_from: tosca.nodes.SoftwareComponent
    properties:
      name: { type: string }
      keep: { type: boolean }
      routes: { type: list, entry_schema: { type: Route } }
      labels: { type: map, entry_schema: { type: string } }
    attributes: { place: { type: string } }
    capabilities: { data: { type: tosca.capabilities.Endpoint } }
  Front:
    derived_from: tosca.nodes.SoftwareComponent
    properties: { url: { type: string }, size: { type: scalar-unit.size } }
    requirements: [ store: { capability: tosca.capabilities.Endpoint, relationship: Wire } ]
topology_template:
  inputs: { who: { type: string, default: us }, cpus: { type: integer } }
  node_templates:
    box:
      type: tosca.nodes.Compute
      capabilities: { host: { properties: { num_cpus: { get_input: cpus }, mem_size: 4 GB } } }
    store:
      type: Store
      properties:
        name: { concat: [ of-, { get_input: who } ] }
        keep: true
        component_version: 3.10
        routes: [ { to: a, hops: 1 }, { to: b, hops: 2 } ]
        labels: { a: x, b: y }
      attributes: { place: here }
      capabilities: { data: { properties: { port: 8080, protocol: http } } }
      requirements: [ host: box ]
    front:
      type: Front
      properties: { url: { get_property: [ store, name ] }, size: 10 MB }
      requirements:
        - host: box
        - store: { node: store, capability: data, relationship: { type: Wire, properties: { width: 1.5 } } }
";

fn configuration_of(text: &str) -> Configuration {
    let mut sources = Sources::new();
    let root = sources.add("service.yaml", text);
    let reading = lang::read(None, root, &sources);
    let is_error = |finding: &Diagnostic| finding.severity == Severity::Error;
    assert!(!reading.findings.iter().any(is_error), "{:?}\n{text}", reading.findings);
    of_service(&reading.tosca.expect("it is TOSCA")).expect("it has a service")
}

#[test]
fn values_survive_the_way_to_occi_and_back() {
    let first = configuration_of(VALUES);
    let by_id = |id: &str| first.resources.iter().find(|it| it.id == id).expect("a resource");
    let store = &by_id("store").values;
    let expected = [
        ("component_version", Value::from("3.10")),
        ("keep", Value::from(true)),
        ("name", Value::from("of-us")),
    ];
    for (name, value) in expected {
        assert_eq!(store.properties.get(name), Some(&value), "{name}");
    }
    assert_eq!(store.properties["routes"], {
        let route = |to: &str, hops: i32| Value::map().with("to", to).with("hops", hops);
        Value::List(vec![route("a", 1), route("b", 2)])
    });
    assert_eq!(store.attributes["place"], Value::from("here"));
    assert_eq!(store.capabilities["data"].properties["port"], Value::from(8080));
    assert_eq!(by_id("front").values.properties["url"], Value::from("of-us"));
    let wire = by_id("front").links.iter().find(|link| link.kind == "Wire").expect("a link");
    assert_eq!(wire.values.properties["width"], Value::Float(1.5));
    let open = &by_id("box").values.capabilities["host"].properties["num_cpus"];
    assert_eq!(*open, Value::map().with("get_input", "cpus"));
    // By way of the JSON rendering to TOSCA, and from there again.
    let (read, wrong) = read_text(&emit::json(&json(&first)));
    assert_eq!((read.as_ref(), wrong), (Some(&first), vec![]));
    let again = configuration_of(&emit::yaml(&service(&first)));
    assert_eq!(again, first);
    assert!(text(&first).contains("X-OCCI-Attribute: tosca.property.keep=true\n"));
    // The text rendering says the same.
    let mut sources = Sources::new();
    let written = text(&first);
    let root = sources.add("occi.txt", written.as_str());
    let mut wrong = Vec::new();
    assert!(is_text(&written));
    assert_eq!(super::read_text(root, &written, &mut wrong), Some(first), "{written}");
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn attributes_of_others_become_properties_and_keep_their_names() {
    let text = r#"{ "resources": [
        { "kind": "http://schemas.ogf.org/occi/infrastructure#compute", "id": "c1", "title": "one",
          "attributes": { "occi.compute.cores": 2, "occi.compute.memory": 4.5,
            "com.example.mixin": { "key": "value", "number": 1 } } },
        { "kind": "http://schemas.ogf.org/occi/infrastructure#compute", "id": "c2",
          "attributes": { "occi.compute.cores": 1.5 } } ] }"#;
    let (configuration, wrong) = read_text(text);
    assert_eq!(wrong, Vec::<String>::new());
    let configuration = configuration.expect("a configuration");
    let again = configuration_of(&emit::yaml(&service(&configuration)));
    let values = &again.resources[0].values.properties;
    // Both must be of one type, and so they are floats.
    assert_eq!(values["occi.compute.cores"], Value::Float(2.0));
    assert_eq!(values["occi.core.title"], Value::from("one"));
    let nested = Value::map().with("key", "value").with("number", 1);
    assert_eq!(values["com.example.mixin"], nested);
    let written = emit::json(&json(&again));
    assert!(written.contains("\"occi.compute.cores\": 2.0"), "{written}");
}

/// Resources as they are asked for before they exist: one without any name, one with its place.
const WANTED: &str = r#"{
  "resources": [
    { "kind": "http://schemas.ogf.org/occi/infrastructure#network", "title": "one",
      "attributes": { "occi.network.vlan": 1 } },
    { "kind": "http://schemas.ogf.org/occi/infrastructure#network",
      "attributes": { "occi.network.vlan": 2 } },
    { "kind": "http://schemas.ogf.org/occi/infrastructure#network", "id": "urn:uuid:f7",
      "attributes": { "occi.network.vlan": 3 }, "location": "/mine/third/" },
    { "kind": "http://schemas.ogf.org/occi/infrastructure#compute", "location": "/mine/machine",
      "links": [
        { "kind": "http://schemas.ogf.org/occi/infrastructure#networkinterface",
          "target": { "location": "/network/" } },
        { "kind": "http://schemas.ogf.org/occi/infrastructure#networkinterface",
          "id": "urn:uuid:24", "target": { "location": "/mine/third/" },
          "attributes": { "occi.networkinterface.interface": "eth0" } } ] } ] }"#;

#[test]
fn resources_without_ids_are_called_by_their_places_and_kinds() {
    let (configuration, wrong) = read_text(WANTED);
    assert_eq!(wrong, Vec::<String>::new());
    let configuration = configuration.expect("a configuration");
    let vlans: Vec<(&str, Option<&Value>)> = configuration
        .resources
        .iter()
        .map(|it| (&*it.id, it.values.properties.get("occi.network.vlan")))
        .collect();
    let (one, two, three) = (Value::from(1), Value::from(2), Value::from(3));
    assert_eq!(
        vlans,
        [
            ("network", Some(&one)),
            ("network-2", Some(&two)),
            ("urn:uuid:f7", Some(&three)),
            ("mine/machine", None)
        ]
    );
    let links: Vec<(&str, &str, &str)> = configuration.resources[3]
        .links
        .iter()
        .map(|link| (&*link.id, &*link.target, &*link.ends.0))
        .collect();
    assert_eq!(
        links,
        [
            ("mine/machine.networkinterface", "network", "networkinterface"),
            ("urn:uuid:24", "urn:uuid:f7", "networkinterface_2")
        ]
    );
    // The way back keeps it all, the name of a link too.
    let again = configuration_of(&emit::yaml(&service(&configuration)));
    assert_eq!(sorted(again), sorted(configuration));
}

fn sorted(mut configuration: Configuration) -> Configuration {
    configuration.resources.sort_by(|one, other| one.id.cmp(&other.id));
    configuration
}

#[test]
fn one_resource_is_a_configuration() {
    let alone = r#"{ "kind": "http://schemas.ogf.org/occi/infrastructure#network",
        "title": "main", "attributes": { "occi.network.vlan": 14 } }"#;
    let (configuration, wrong) = read_text(alone);
    assert_eq!(wrong, Vec::<String>::new());
    let resources = configuration.expect("a configuration").resources;
    assert_eq!((resources.len(), &*resources[0].id), (1, "network"));
    assert_eq!(resources[0].values.properties["occi.network.vlan"], Value::from(14));
}

#[test]
fn ranges_survive_the_way_back() {
    let text = "tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Port:
    derived_from: tosca.nodes.Root
    properties: { used: { type: range }, pair: { type: list, entry_schema: { type: integer } } }
topology_template:
  node_templates:
    one: { type: Port, properties: { used: [ 1, UNBOUNDED ], pair: [ 1, 2 ] } }
    two: { type: Port, properties: { used: [ 1, 5 ], pair: [ 1, 2, 3 ] } }
";
    let first = configuration_of(text);
    assert_eq!(configuration_of(&emit::yaml(&service(&first))), first);
}

/// A type of one's own with the name of one that is known beside the profile.
#[test]
fn types_beside_the_profile_are_declared_as_they_are_used() {
    let text = "tosca_definitions_version: tosca_simple_yaml_1_2
node_types:
  tosca.nodes.WebApplication.WordPress: { derived_from: tosca.nodes.Root }
topology_template:
  node_templates: { blog: { type: tosca.nodes.WebApplication.WordPress } }
";
    let first = configuration_of(text);
    assert_eq!(configuration_of(&emit::yaml(&service(&first))), first);
}

#[test]
fn texts_that_look_like_json_stay_texts_in_the_text_rendering() {
    let mut values = Values::default();
    let all = ["{\n  \"key\": [ 1, 2 ]\n}", "[1]", "\"quoted\"", "{", "plain \\ \"text\""];
    for (at, value) in all.iter().enumerate() {
        values.properties.insert(format!("text_{at}"), Value::from(*value));
    }
    values.properties.insert("list".to_owned(), Value::List(vec![Value::from(1)]));
    let (id, kind) = ("one".to_owned(), "Thing".to_owned());
    let resources = vec![Resource { id, kind, links: Vec::new(), values }];
    let first = Configuration { resources };
    let mut sources = Sources::new();
    let written = text(&first);
    let root = sources.add("occi.txt", written.as_str());
    let mut findings = Vec::new();
    let read = super::read_text(root, &written, &mut findings);
    assert_eq!((read, findings.len()), (Some(first), 0), "{written}");
}

#[test]
fn values_of_relationships_speak_of_their_ends() {
    let first = configuration_of(
        "tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    disk: { type: tosca.nodes.Storage.BlockStorage, properties: { name: data } }
    box:
      type: tosca.nodes.Compute
      requirements:
        - local_storage:
            node: disk
            relationship:
              type: tosca.relationships.AttachesTo
              properties: { location: { concat: [ /mnt/, { get_property: [ TARGET, name ] } ] } }
",
    );
    let boxed = first.resources.iter().find(|it| it.id == "box").expect("a resource");
    assert_eq!(boxed.links[0].values.properties["location"], Value::from("/mnt/data"));
    assert_eq!(configuration_of(&emit::yaml(&service(&first))), first);
}

#[test]
fn nothing_is_a_configuration_too() {
    let (configuration, wrong) = read_text(&emit::json(&json(&Configuration::default())));
    assert_eq!((configuration, wrong), (Some(Configuration::default()), vec![]));
}

#[test]
fn what_types_give_is_a_value_too() {
    let first = configuration_of(
        "tosca_definitions_version: tosca_simple_yaml_1_3
relationship_types:
  Near:
    derived_from: tosca.relationships.ConnectsTo
    properties: { hops: { type: integer, default: 1 } }
node_types:
  Base:
    derived_from: tosca.nodes.Root
    properties:
      number: { type: integer, default: 1 }
      text: { type: string, default: \"1\" }
    attributes: { mood: { type: string, default: calm } }
    capabilities:
      door:
        type: tosca.capabilities.Endpoint
        properties: { port: { type: tosca.datatypes.network.PortDef, default: 80 } }
  Own:
    derived_from: Base
    properties: { number: { type: integer, default: 2 } }
    requirements:
      - near: { capability: tosca.capabilities.Endpoint, relationship: Near }
topology_template:
  node_templates:
    base: { type: Base }
    own: { type: Own, properties: { text: said }, requirements: [ near: base ] }
",
    );
    let of = |id: &str| first.resources.iter().find(|it| it.id == id).expect("a resource");
    let (base, own) = (of("base"), of("own"));
    assert_eq!(base.values.properties["number"], Value::from(1));
    assert_eq!(base.values.properties["text"], Value::from("1"));
    assert_eq!(base.values.attributes["mood"], Value::from("calm"));
    assert_eq!(base.values.capabilities["door"].properties["port"], Value::from(80));
    assert_eq!(own.values.properties["number"], Value::from(2));
    assert_eq!(own.values.properties["text"], Value::from("said"));
    assert_eq!(own.links[0].values.properties["hops"], Value::from(1));
    assert_eq!(configuration_of(&emit::yaml(&service(&first))), first);
}

#[test]
fn a_link_of_the_text_rendering_names_the_kind_of_its_target() {
    let written = text(&of_topology(&crm()));
    let kind = "http://windlass.example/occi/tosca#tosca.nodes.compute";
    assert!(written.contains(&format!("Link: </VMApache/>; rel=\"{kind}\";")), "{written}");
}
