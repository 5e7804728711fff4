//! A configuration as a TOSCA 1.3 service: the way back of paper 000 section 5.3.
//!
//! A resource is a node template, a link is a requirement with its target. Types that the profile
//! defines keep their meaning; all others are declared with the ends that their links use and the
//! values that they have.

use std::collections::{BTreeMap, BTreeSet};

use super::attributes::{ID, map};
use super::shape::{Definitions, Shape, call, fitted, shapes};
use super::{Configuration, Link, Resource};
use crate::lang::tosca::locations::{Assigned, CapabilityValues, Values};
use crate::lang::tosca::profiles::{is_normative, type_of_field};
use crate::tree::Value;

/// What a relationship type wants for a capability.
const WANTED: &[(&str, &str)] = &[
    ("tosca.relationships.HostedOn", "tosca.capabilities.Compute"),
    ("tosca.relationships.ConnectsTo", "tosca.capabilities.Endpoint"),
    ("tosca.relationships.RoutesTo", "tosca.capabilities.Endpoint"),
    ("tosca.relationships.AttachesTo", "tosca.capabilities.Attachment"),
    ("tosca.relationships.network.LinksTo", "tosca.capabilities.network.Linkable"),
    ("tosca.relationships.network.BindsTo", "tosca.capabilities.network.Bindable"),
];

/// A machine takes nothing but software: what the requirement and the capability are called, by
/// what they are connected, and from which type on it is software.
const MACHINE: &str = "tosca.nodes.Compute";
const HOST: &str = "host";
const HOSTED: &str = "tosca.relationships.HostedOn";
const SOFTWARE: &str = "tosca.nodes.SoftwareComponent";

/// What every node has.
const INHERITED: (&str, &str) = ("dependency", "feature");

const NODES: &str = "node_types";
const RELATIONSHIPS: &str = "relationship_types";
const CAPABILITIES: &str = "capability_types";
/// What all types of a kind derive from.
const ROOTS: &[(&str, &str)] = &[
    (NODES, "tosca.nodes.Root"),
    (RELATIONSHIPS, "tosca.relationships.Root"),
    (CAPABILITIES, "tosca.capabilities.Root"),
];

/// The service of a configuration.
pub fn service(configuration: &Configuration) -> Value {
    let configuration = &with_ids(configuration);
    let mut way = Way::new(configuration);
    let node_types = way.node_types();
    let relationship_types = way.relationship_types();
    let capability_types = way.capability_types();
    let nodes: Value = configuration
        .resources
        .iter()
        .map(|resource| (&*resource.id, way.node(resource)))
        .collect();
    let inputs = inputs(configuration);
    let data_types: Value = way.definitions.data_types.into_iter().collect();
    let some = |value: Value| (!value.is_empty()).then_some(value);
    let topology = Value::map().with_some("inputs", some(inputs)).with("node_templates", nodes);
    Value::map()
        .with("tosca_definitions_version", "tosca_simple_yaml_1_3")
        .with_some("data_types", some(data_types))
        .with_some(CAPABILITIES, some(capability_types))
        .with_some(RELATIONSHIPS, some(relationship_types))
        .with_some(NODES, some(node_types))
        .with("topology_template", topology)
}

/// Links that have names of their own keep them as a value: requirements have none. Types of the
/// profile have no place for it.
fn with_ids(configuration: &Configuration) -> Configuration {
    let mut configuration = configuration.clone();
    for resource in &mut configuration.resources {
        for link in &mut resource.links {
            let is_own = link.id != format!("{}.{}", resource.id, link.ends.0);
            if is_own && !is_normative(RELATIONSHIPS, &link.kind) {
                link.values.properties.insert(ID.to_owned(), Value::from(link.id.as_str()));
            }
        }
    }
    configuration
}

/// The shapes of properties, and those of attributes.
type Shapes<'c> = [BTreeMap<&'c str, Shape>; 2];

struct Way<'c> {
    configuration: &'c Configuration,
    definitions: Definitions,
    /// Resources by id.
    resources: BTreeMap<&'c str, &'c Resource>,
    /// Resources by kind.
    kinds: BTreeMap<&'c str, Vec<&'c Resource>>,
    /// Links by the kind of the resource that they lead to.
    leading: BTreeMap<&'c str, Vec<&'c Link>>,
    /// What the values of nodes look like, by kind.
    nodes: BTreeMap<&'c str, Shapes<'c>>,
    /// What the values of relationships look like, by kind.
    relationships: BTreeMap<&'c str, Shapes<'c>>,
}

fn shapes_of<'c>(of: &[&'c Values]) -> Shapes<'c> {
    let part = |pick: fn(&Values) -> &Assigned| shapes(of.iter().map(|values| pick(values)));
    [part(|values| &values.properties), part(|values| &values.attributes)]
}

fn by_kind<'c>(all: impl Iterator<Item = (&'c str, &'c Values)>) -> BTreeMap<&'c str, Shapes<'c>> {
    let mut kinds: BTreeMap<&str, Vec<&Values>> = BTreeMap::new();
    for (kind, values) in all {
        kinds.entry(kind).or_default().push(values);
    }
    kinds.into_iter().map(|(kind, of)| (kind, shapes_of(&of))).collect()
}

/// A capability that a node type has to have.
#[derive(Default)]
struct Offered<'c> {
    /// A link that leads to it.
    link: Option<&'c Link>,
    /// What resources say about it.
    values: Vec<&'c CapabilityValues>,
}

impl Offered<'_> {
    /// The type that it is said to have, else what relationships want.
    fn kind(&self) -> &str {
        let said = self.values.iter().find_map(|values| values.kind.as_deref());
        said.unwrap_or_else(|| {
            // What says nothing of its type, with values, is of none in particular.
            let link = self.link.filter(|_| self.values.is_empty());
            link.map_or("tosca.capabilities.Root", |it| wanted(&it.kind))
        })
    }
}

impl<'c> Way<'c> {
    fn new(configuration: &'c Configuration) -> Self {
        let all = &configuration.resources;
        let links = || all.iter().flat_map(|resource| resource.links.iter());
        let resources: BTreeMap<&str, &Resource> = all.iter().map(|it| (&*it.id, it)).collect();
        let mut kinds: BTreeMap<&str, Vec<&Resource>> = BTreeMap::new();
        for resource in all {
            kinds.entry(&*resource.kind).or_default().push(resource);
        }
        let mut leading: BTreeMap<&str, Vec<&Link>> = BTreeMap::new();
        for link in links() {
            if let Some(target) = resources.get(&*link.target) {
                leading.entry(&*target.kind).or_default().push(link);
            }
        }
        Way {
            configuration,
            definitions: Definitions::default(),
            resources,
            kinds,
            leading,
            nodes: by_kind(all.iter().map(|it| (&*it.kind, &it.values))),
            relationships: by_kind(links().map(|it| (&*it.kind, &it.values))),
        }
    }

    fn links(&self) -> impl Iterator<Item = &'c Link> {
        self.configuration.resources.iter().flat_map(|resource| resource.links.iter())
    }

    fn of_kind(&self, kind: &str) -> Vec<&'c Resource> {
        self.kinds.get(kind).cloned().unwrap_or_default()
    }

    fn node(&self, resource: &Resource) -> Value {
        let shapes = self.nodes.get(&*resource.kind);
        let own = fields(&resource.values, shapes, NODES, &resource.kind);
        let capability = |(name, values): (&String, &CapabilityValues)| {
            let body = Value::map()
                .with_some("properties", map(&values.properties))
                .with_some("attributes", map(&values.attributes));
            (name.clone(), body)
        };
        let capabilities: Value = resource.values.capabilities.iter().map(capability).collect();
        let requirements: Vec<Value> =
            resource.links.iter().map(|link| self.assignment(link)).collect();
        let requirements = (!requirements.is_empty()).then_some(Value::List(requirements));
        let capabilities = (!capabilities.is_empty()).then_some(capabilities);
        Value::map()
            .with("type", resource.kind.as_str())
            .with_some("properties", own.0)
            .with_some("attributes", own.1)
            .with_some("capabilities", capabilities)
            .with_some("requirements", requirements)
    }

    fn assignment(&self, link: &Link) -> Value {
        let shapes = self.relationships.get(&*link.kind);
        let (properties, attributes) = fields(&link.values, shapes, RELATIONSHIPS, &link.kind);
        let is_plain = properties.is_none() && attributes.is_none();
        let relationship = if is_plain {
            Value::from(link.kind.as_str())
        } else {
            Value::map()
                .with("type", link.kind.as_str())
                .with_some("properties", properties)
                .with_some("attributes", attributes)
        };
        let body = Value::map()
            .with("node", link.target.as_str())
            .with("capability", link.ends.1.as_str())
            .with("relationship", relationship);
        Value::map().with(link.ends.0.as_str(), body.inline())
    }

    /// The node types that the profile does not define.
    fn node_types(&mut self) -> Value {
        let resources = &self.configuration.resources;
        let kinds: BTreeSet<&str> = resources.iter().map(|resource| &*resource.kind).collect();
        let own = kinds.into_iter().filter(|kind| !is_normative(NODES, kind));
        own.map(|kind| (kind, self.node_type(kind))).collect()
    }

    fn node_type(&mut self, kind: &str) -> Value {
        let resources = self.of_kind(kind);
        let mut capabilities: Vec<(&str, Value)> = Vec::new();
        for (name, offered) in self.offered(kind) {
            let of = offered.kind();
            let owner = format!("{kind}.{name}");
            // A type of one's own declares its values itself.
            let is_own = !is_normative(CAPABILITIES, of);
            let extra = |part: &str, pick: fn(&CapabilityValues) -> &Assigned| {
                let mut shapes = shapes(offered.values.iter().map(|values| pick(values)));
                shapes.retain(|name, _| {
                    !is_own && type_of_field(CAPABILITIES, of, part, name).is_none()
                });
                shapes
            };
            let properties = extra("properties", |it| &it.properties);
            let attributes = extra("attributes", |it| &it.attributes);
            let properties = self.definitions.fields(&owner, &properties);
            let attributes = self.definitions.fields(&format!("{owner}.attributes"), &attributes);
            let body = Value::map()
                .with("type", of)
                .with_some("properties", properties)
                .with_some("attributes", attributes);
            capabilities.push((name, body.inline()));
        }
        let is_software = resources.iter().all(|resource| self.is_software(resource));
        let mut requirements: BTreeMap<&str, Vec<&Link>> = BTreeMap::new();
        for link in resources.iter().flat_map(|resource| &resource.links) {
            let is_inherited = link.ends.0 == INHERITED.0 || is_software && link.ends.0 == HOST;
            if !is_inherited {
                requirements.entry(link.ends.0.as_str()).or_default().push(link);
            }
        }
        let requirements: Vec<Value> = requirements
            .into_iter()
            .map(|(name, links)| Value::map().with(name, self.requirement(&links)))
            .collect();
        let of: Vec<&Values> = resources.iter().map(|resource| &resource.values).collect();
        let capabilities: Value = capabilities.into_iter().collect();
        let declared = if is_software {
            self.derived(NODES, kind, SOFTWARE, &of)
        } else {
            self.declared(NODES, kind, &of)
        };
        declared
            .with_some("capabilities", (!capabilities.is_empty()).then_some(capabilities))
            .with_some(
                "requirements",
                (!requirements.is_empty()).then_some(Value::List(requirements)),
            )
    }

    /// Whether a resource lives on one machine, and that in the words of the profile.
    fn is_software(&self, resource: &Resource) -> bool {
        let mut hosts = resource.links.iter().filter(|link| link.ends.0 == HOST);
        let (Some(host), None) = (hosts.next(), hosts.next()) else { return false };
        let target = self.resources.get(&*host.target);
        let is_machine = target.is_some_and(|target| target.kind == MACHINE);
        is_machine && host.ends.1 == HOST && host.kind == HOSTED
    }

    /// The capabilities of a kind that links lead to or that have values, without the inherited.
    fn offered(&self, kind: &str) -> BTreeMap<&'c str, Offered<'c>> {
        let mut all: BTreeMap<&str, Offered<'_>> = BTreeMap::new();
        let resources = self.of_kind(kind);
        for link in self.leading.get(kind).into_iter().flatten() {
            all.entry(&*link.ends.1).or_default().link.get_or_insert(link);
        }
        for (name, values) in resources.iter().flat_map(|it| &it.values.capabilities) {
            all.entry(&**name).or_default().values.push(values);
        }
        all.retain(|name, offered| *name != INHERITED.1 || !offered.values.is_empty());
        all
    }

    /// A requirement that these links start from.
    fn requirement(&self, links: &[&Link]) -> Value {
        let kinds: BTreeSet<&str> = links.iter().map(|link| self.capability_of(link)).collect();
        let mut kinds = kinds.into_iter();
        let capability = match (kinds.next(), kinds.next()) {
            (Some(only), None) => only,
            _ => "tosca.capabilities.Root",
        };
        let occurrences = Value::List(vec![Value::from(0), Value::from("UNBOUNDED")]);
        Value::map()
            .with("capability", capability)
            .with_some("relationship", links.first().map(|link| link.kind.as_str()))
            .with("occurrences", occurrences.inline())
            .inline()
    }

    /// The type of the capability that a link leads to.
    fn capability_of(&self, link: &Link) -> &'c str {
        let target = self.resources.get(&*link.target);
        let values = target.and_then(|target| target.values.capabilities.get(&link.ends.1));
        let is_own = target.is_some_and(|target| !is_normative(NODES, &target.kind));
        match values {
            Some(values) if is_own => values.kind.as_deref().unwrap_or("tosca.capabilities.Root"),
            _ => wanted(&link.kind),
        }
    }

    /// The relationship types that the profile does not define.
    fn relationship_types(&mut self) -> Value {
        let mut kinds: BTreeMap<&str, Vec<&Values>> = BTreeMap::new();
        for link in self.links() {
            kinds.entry(&*link.kind).or_default().push(&link.values);
        }
        kinds.retain(|kind, _| !is_normative(RELATIONSHIPS, kind));
        let body = |(kind, of): (&'c str, Vec<&Values>)| {
            (kind, self.declared(RELATIONSHIPS, kind, &of).inline())
        };
        kinds.into_iter().map(body).collect()
    }

    /// The capability types that values name and the profile does not define.
    fn capability_types(&mut self) -> Value {
        let mut kinds: BTreeMap<&str, (Vec<Values>, Option<&Link>)> = BTreeMap::new();
        let mut first: BTreeMap<(&str, &str), &Link> = BTreeMap::new();
        for link in self.links() {
            first.entry((&*link.target, &*link.ends.1)).or_insert(link);
        }
        for resource in &self.configuration.resources {
            for (name, values) in &resource.values.capabilities {
                let Some(kind) = values.kind.as_deref() else { continue };
                let (properties, attributes) =
                    (values.properties.clone(), values.attributes.clone());
                let values = Values { properties, attributes, ..Values::default() };
                let entry = kinds.entry(kind).or_default();
                entry.0.push(values);
                entry.1 = entry.1.or(first.get(&(&*resource.id, &**name)).copied());
            }
        }
        kinds.retain(|kind, _| !is_normative(CAPABILITIES, kind));
        let body = |(kind, (of, link)): (&'c str, (Vec<Values>, Option<&Link>))| {
            let base = link.map_or("tosca.capabilities.Root", |link| wanted(&link.kind));
            let of: Vec<&Values> = of.iter().collect();
            (kind, self.derived(CAPABILITIES, kind, base, &of))
        };
        kinds.into_iter().map(body).collect()
    }

    fn declared(&mut self, section: &str, kind: &str, of: &[&Values]) -> Value {
        let base = ROOTS.iter().find(|(name, _)| *name == section);
        self.derived(section, kind, base.map_or("", |(_, root)| root), of)
    }

    /// A type with what entities of it say, except what it inherits.
    fn derived(&mut self, section: &str, kind: &str, base: &str, of: &[&Values]) -> Value {
        let mut part = |word: &str, owner: &str, pick: fn(&Values) -> &Assigned| {
            let mut shapes = shapes(of.iter().map(|values| pick(values)));
            shapes.retain(|name, _| type_of_field(section, base, word, name).is_none());
            self.definitions.fields(owner, &shapes)
        };
        let properties = part("properties", kind, |values| &values.properties);
        let owner = format!("{kind}.attributes");
        let attributes = part("attributes", &owner, |values| &values.attributes);
        Value::map()
            .with("derived_from", base)
            .with_some("properties", properties)
            .with_some("attributes", attributes)
    }
}

/// Properties and attributes of an entity, as they fit its type.
fn fields(
    own: &Values,
    shapes: Option<&Shapes<'_>>,
    section: &str,
    kind: &str,
) -> (Option<Value>, Option<Value>) {
    if is_normative(section, kind) {
        return (map(&own.properties), map(&own.attributes));
    }
    let part = |at: usize, own: &Assigned| {
        let fit = |(name, value): (&String, &Value)| {
            let shape = shapes.and_then(|shapes| shapes[at].get(&**name)).unwrap_or(&Shape::Open);
            (name.clone(), fitted(value, shape))
        };
        let all: Assigned = own.iter().map(fit).collect();
        map(&all)
    };
    (part(0, &own.properties), part(1, &own.attributes))
}

/// The inputs that values wait for, with the type of what they are put into.
fn inputs(configuration: &Configuration) -> Value {
    let mut inputs: BTreeMap<String, &'static str> = BTreeMap::new();
    for resource in &configuration.resources {
        waiting(&resource.values, NODES, &resource.kind, &mut inputs);
        for (name, values) in &resource.values.capabilities {
            let declared = type_of_field(NODES, &resource.kind, "capabilities", name);
            let kind = values.kind.as_deref().or(declared).unwrap_or_default();
            let all = Values {
                properties: values.properties.clone(),
                attributes: values.attributes.clone(),
                ..Values::default()
            };
            waiting(&all, CAPABILITIES, kind, &mut inputs);
        }
        for link in &resource.links {
            waiting(&link.values, RELATIONSHIPS, &link.kind, &mut inputs);
        }
    }
    let body = |of: &str| Value::map().with("type", of).inline();
    inputs.into_iter().map(|(name, of)| (name, body(of))).collect()
}

fn waiting(
    values: &Values,
    section: &str,
    kind: &str,
    inputs: &mut BTreeMap<String, &'static str>,
) {
    let parts = [("properties", &values.properties), ("attributes", &values.attributes)];
    for (part, assigned) in parts {
        for (name, value) in assigned {
            let direct = type_of_field(section, kind, part, name).unwrap_or("string");
            let mut found = Vec::new();
            names(value, direct, &mut found);
            for (input, of) in found {
                // What is more than a text says more.
                let known = inputs.entry(input).or_insert(of);
                if *known == "string" {
                    *known = of;
                }
            }
        }
    }
}

/// The names of the inputs that a value waits for.
fn names(value: &Value, of: &'static str, found: &mut Vec<(String, &'static str)>) {
    match (call(value), value) {
        (Some(("get_input", Value::Str(name))), _) => found.push((name.clone(), of)),
        (Some(("get_input", Value::List(path))), _) => {
            if let Some(Value::Str(name)) = path.first() {
                found.push((name.clone(), "map"));
            }
        }
        (Some((_, argument)), _) => names(argument, "string", found),
        (None, Value::Inline(inner)) => names(inner, of, found),
        (None, Value::List(items)) => items.iter().for_each(|item| names(item, "string", found)),
        (None, Value::Map(entries)) => {
            for (_, value) in entries {
                names(value, "string", found);
            }
        }
        _ => {}
    }
}

fn wanted(relationship: &str) -> &'static str {
    let found = WANTED.iter().find(|(name, _)| *name == relationship);
    found.map_or("tosca.capabilities.Node", |(_, capability)| capability)
}
