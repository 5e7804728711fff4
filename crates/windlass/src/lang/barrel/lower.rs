//! From the first service template to an application.

use std::collections::BTreeMap;

use super::protocol::{attribute, check_name, component, missing, twice};
use super::{MIXED_CONTAINMENT, SERVICE_TEMPLATES, UNKNOWN_NAME, plain, unknown};
use crate::application::{
    Application, Binding, ComponentType, Faults, Node, NodeId, Policy, TypeId,
};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::tosca::xml::definitions::{
    Definitions, NodeTemplate, RelationshipTemplate, TOSCA,
};
use crate::lang::tosca::xml::{Attribute, Element, Library, Name};
use crate::lifecycle::protocol::{RequirementId, Sort};
use crate::source::{Origin, Span};

/// An application and where its types come from.
pub(super) struct Lowered {
    pub(super) application: Application,
    /// The name of the node type behind each type, in the order of the types.
    pub(super) types: Vec<Name>,
}

/// Lowers the first service template, as BARREL does; none when there is none.
pub(super) fn lower(library: &Library, findings: &mut Vec<Diagnostic>) -> Option<Lowered> {
    let service = service_template(library, findings)?;
    let name = service.attribute("name").or(service.attribute("id"));
    let name = name.filter(|name| check_name(name, findings));
    let mut lowered = Lowered {
        application: Application {
            name: name.map_or("application", |name| &name.value).to_owned(),
            faults: Faults::Forbidden,
            policy: Policy::default(),
            types: Vec::new(),
            nodes: Vec::new(),
            deployment: crate::application::Deployment::default(),
            origin: Origin::from(service.name_span()),
            names: crate::application::NodeNames::default(),
        },
        types: Vec::new(),
    };
    let mut ends = Ends::default();
    let mut first: BTreeMap<&str, Span> = BTreeMap::new();
    for template in NodeTemplate::all(service) {
        let Some(id) = attribute(template.0, "id", findings) else { continue };
        if let Some(known) = first.get(id.value.as_str()) {
            let message = format!("node template `{}` is declared twice", id.value);
            findings.push(twice(id.span, *known, message));
            continue;
        }
        first.insert(&id.value, id.span);
        let Some(component_type) = type_of(template, library, &mut lowered, findings) else {
            ends.add_unknown(template);
            continue;
        };
        check_name(id, findings);
        let node = NodeId::from(lowered.application.nodes.len());
        let component = lowered.application.component_type(component_type);
        ends.add(node, template, component, findings);
        lowered.application.nodes.push(Node {
            name: id.value.clone(),
            component_type,
            count: 1,
            instances: Vec::new(),
            bindings: Vec::new(),
            connections: Vec::new(),
            origin: id.span.into(),
        });
    }
    bind(service, &ends, &mut lowered.application, findings);
    if !plain::has_protocols(library) {
        plain::drop_unbound(&mut lowered.application);
    }
    let protocols = lowered.application.types.iter().filter_map(ComponentType::protocol);
    if protocols.flat_map(|protocol| &protocol.states).any(|state| !state.handlers.is_empty()) {
        lowered.application.faults = Faults::Handled;
    }
    Some(lowered)
}

/// Whether an element of a file declares a type.
fn is_type(element: Element<'_>) -> bool {
    const TYPES: &[&str] = &[
        "NodeType",
        "RelationshipType",
        "RequirementType",
        "CapabilityType",
        "ArtifactType",
        "PolicyType",
        "NodeTypeImplementation",
        "RelationshipTypeImplementation",
        "ArtifactTemplate",
        "PolicyTemplate",
    ];
    TYPES.iter().any(|name| element.is(TOSCA, name))
}

fn service_template<'t>(
    library: &'t Library,
    findings: &mut Vec<Diagnostic>,
) -> Option<Element<'t>> {
    let mut all = library.definitions().flat_map(Definitions::service_templates);
    let Some(first) = all.next() else {
        // A file of types alone is a library for others.
        let has_types = library.definitions().any(|it| it.0.children().any(is_type));
        if let Some(document) = library.documents.first().filter(|_| !has_types) {
            let root = document.tree.root();
            findings.push(
                Diagnostic::error(
                    SERVICE_TEMPLATES,
                    root.name_span(),
                    "there is no service template",
                )
                .help("add `ServiceTemplate` with a topology, or begin with the file that has one"),
            );
        }
        return None;
    };
    for other in all {
        let message = "only the first service template is read";
        findings.push(
            Diagnostic::warning(SERVICE_TEMPLATES, other.name_span(), message)
                .label(first.name_span(), "this one"),
        );
    }
    Some(first)
}

/// The type of a node template; a node type is lowered when it is used for the first time.
fn type_of(
    template: NodeTemplate<'_>,
    library: &Library,
    lowered: &mut Lowered,
    findings: &mut Vec<Diagnostic>,
) -> Option<TypeId> {
    let Some((written, name)) = template.node_type() else {
        findings.push(missing(template.0, "attribute `type`"));
        return None;
    };
    if let Some((prefix, _)) = written.value.trim().split_once(':')
        && name.namespace.is_empty()
    {
        let message = format!("the prefix `{prefix}` names no namespace");
        findings.push(
            Diagnostic::error(UNKNOWN_NAME, written.span, message)
                .help(format!("declare it: `xmlns:{prefix}=\"...\"`")),
        );
        return None;
    }
    let Some(node_type) = library.node_type(&name) else {
        if !library.is_complete {
            // It may stand in a file that could not be read, which has been reported.
            return None;
        }
        let all = library.definitions().flat_map(Definitions::node_types);
        let known: Vec<String> = all.map(|known| known.name().local).collect();
        unknown("node type", written, known.iter().map(|name| &**name), findings);
        return None;
    };
    let name = node_type.name();
    if let Some(known) = lowered.types.iter().position(|known| *known == name) {
        return Some(known.into());
    }
    if let Some(written) = node_type.element.attribute("name") {
        check_name(written, findings);
    }
    let mut component = component(node_type, library, findings);
    // Types of different namespaces may share a local name; ours are unique.
    let mut number = 2;
    while lowered.application.types.iter().any(|known| known.name == component.name) {
        component.name = format!("{}-{number}", name.local);
        number += 1;
    }
    lowered.types.push(name);
    lowered.application.types.push(component);
    Some((lowered.types.len() - 1).into())
}

/// Requirements and capabilities of node templates by their ids; nothing is known of those of a
/// node whose type is unknown.
#[derive(Default)]
struct Ends<'t> {
    requirements: BTreeMap<&'t str, Option<(NodeId, &'t Attribute)>>,
    capabilities: BTreeMap<&'t str, Option<(NodeId, &'t Attribute)>>,
    /// Node templates: a relationship may also name them as a whole.
    nodes: BTreeMap<&'t str, Option<NodeId>>,
}

/// What a relationship names at one of its ends.
#[derive(Clone, Copy)]
enum Named<'t> {
    /// A node, and which of its requirements or capabilities; none means the whole node.
    End(NodeId, Option<&'t Attribute>),
    /// Something of a node of which nothing is known.
    Unknown,
    /// Nothing that there is.
    Nothing,
}

impl<'t> Ends<'t> {
    /// What a relationship names at one of its ends.
    fn end(
        &self,
        parts: &BTreeMap<&'t str, Option<(NodeId, &'t Attribute)>>,
        written: &Attribute,
    ) -> Named<'t> {
        let name = written.value.as_str();
        match (parts.get(name), self.nodes.get(name)) {
            (Some(Some((node, part))), _) => Named::End(*node, Some(part)),
            (None, Some(Some(node))) => Named::End(*node, None),
            (None, None) => Named::Nothing,
            _ => Named::Unknown,
        }
    }

    fn add_unknown(&mut self, template: NodeTemplate<'t>) {
        self.nodes.extend(template.id().map(|id| (id.value.as_str(), None)));
        let id = |element: Element<'t>| Some((element.attribute("id")?.value.as_str(), None));
        self.requirements.extend(template.requirements().filter_map(id));
        self.capabilities.extend(template.capabilities().filter_map(id));
    }

    fn add(
        &mut self,
        node: NodeId,
        template: NodeTemplate<'t>,
        component: &ComponentType,
        findings: &mut Vec<Diagnostic>,
    ) {
        self.nodes.extend(template.id().map(|id| (id.value.as_str(), Some(node))));
        for element in template.requirements() {
            let Some((id, name)) = end(element, findings) else { continue };
            if component.requirement_named(&name.value).is_none() {
                let known = component.requirements.iter().map(|r| &*r.name);
                unknown("requirement", name, known, findings);
            }
            self.requirements.insert(id, Some((node, name)));
        }
        for element in template.capabilities() {
            let Some((id, name)) = end(element, findings) else { continue };
            if component.capability_named(&name.value).is_none() {
                let known = component.capabilities.iter().map(|c| &*c.name);
                unknown("capability", name, known, findings);
            }
            self.capabilities.insert(id, Some((node, name)));
        }
    }
}

fn end<'t>(
    element: Element<'t>,
    findings: &mut Vec<Diagnostic>,
) -> Option<(&'t str, &'t Attribute)> {
    let id = attribute(element, "id", findings)?;
    Some((&id.value, attribute(element, "name", findings)?))
}

/// Binds requirements by the relationship templates and tells which of them contain.
fn bind(
    service: Element<'_>,
    ends: &Ends<'_>,
    application: &mut Application,
    findings: &mut Vec<Diagnostic>,
) {
    let mut sorts: BTreeMap<(TypeId, RequirementId), (Sort, Span)> = BTreeMap::new();
    for relationship in RelationshipTemplate::all(service) {
        let (source, target) = (relationship.source(), relationship.target());
        let (Some(source), Some(target)) = (source, target) else {
            findings.push(missing(relationship.0, "source and target"));
            continue;
        };
        let place = relationship.0.name_span();
        let from = ends.end(&ends.requirements, source);
        let to = ends.end(&ends.capabilities, target);
        let (Named::End(user, required), Named::End(provider, offered)) = (from, to) else {
            let is_nothing = |end| matches!(end, Named::Nothing);
            findings.extend(is_nothing(from).then(|| dangling(source, "requirement")));
            findings.extend(is_nothing(to).then(|| dangling(target, "capability")));
            continue;
        };
        let capability = match offered {
            Some(offered) => application.type_of(provider).capability_named(&offered.value),
            None => Some(plain::capability(application, provider, place.into())),
        };
        let requirement = match required {
            Some(required) => application.type_of(user).requirement_named(&required.value),
            None => Some(whole_node(relationship, source, user, application, findings)),
        };
        let (Some(requirement), Some(capability)) = (requirement, capability) else { continue };
        let named = &application.type_of(user).requirements[requirement.index()].name;
        let required = named.clone();
        if let Some(known) = application.node(user).binding(requirement) {
            let message = format!("requirement `{required}` is bound twice");
            findings.push(twice(place, known.origin.0.unwrap_or(place), message));
            continue;
        }
        let contains = relationship.is_containment();
        let sort = if contains { Sort::Containment } else { Sort::ReplicaUnaware };
        let key = (application.node(user).component_type, requirement);
        match sorts.get(&key) {
            Some((known, first)) if *known != sort => {
                findings.push(mixed(place, *first, &required));
            }
            _ => {
                sorts.insert(key, (sort, place));
            }
        }
        let component = &mut application.types[key.0.index()];
        component.requirements[requirement.index()].sort = sort;
        application.nodes[user.index()].bindings.push(Binding {
            requirement,
            target: provider,
            capability,
            origin: place.into(),
        });
    }
}

/// The requirement of a relationship that names its source as a whole.
fn whole_node(
    relationship: RelationshipTemplate<'_>,
    source: &Attribute,
    user: NodeId,
    application: &mut Application,
    findings: &mut Vec<Diagnostic>,
) -> RequirementId {
    let name = relationship.0.attribute("id").filter(|id| check_name(id, findings));
    let name = name.map_or("relationship", |id| &id.value);
    let place = relationship.0.name_span();
    let (id, requirement) = plain::requirement(application, user, name, place.into());
    let protocol = application.component_type(id).protocol();
    if !protocol.is_some_and(plain::is_plain) {
        let node = &application.node(user).name;
        let message = format!("nothing says in which states `{node}` needs this");
        findings.push(
            Diagnostic::warning(UNKNOWN_NAME, source.span, message)
                .help("refer to the `id` of a requirement of the node template"),
        );
    }
    requirement
}

fn dangling(written: &Attribute, what: &str) -> Diagnostic {
    let message = format!("`{}` is the id of no {what}", written.value);
    Diagnostic::new(UNKNOWN_NAME, Severity::Error, written.span, message)
        .help(format!("refer to the `id` of a node template or of a {what} of one"))
}

fn mixed(place: Span, first: Span, requirement: &str) -> Diagnostic {
    let message =
        format!("requirement `{requirement}` contains in one node and connects in another");
    Diagnostic::error(MIXED_CONTAINMENT, place, message)
        .label(first, "the other one")
        .help("give the two nodes types of their own")
}
