//! What TOSCA 1.0 calls the elements: thin views with the words of the standard.
//!
//! A view holds an element and answers by looking at it. What a language does not need yet is not
//! here; a further part of the standard is a further method.

use super::{Attribute, Element, Library, Name};

/// The namespace of TOSCA 1.0.
pub(crate) const TOSCA: &str = "http://docs.oasis-open.org/tosca/ns/2011/12";

/// `Definitions`, the outermost element of a file.
#[derive(Clone, Copy)]
pub(crate) struct Definitions<'t>(pub Element<'t>);

impl<'t> Definitions<'t> {
    /// The view, when the element is one.
    pub(crate) fn of(element: Element<'t>) -> Option<Self> {
        element.is(TOSCA, "Definitions").then_some(Definitions(element))
    }

    /// `targetNamespace`.
    pub(crate) fn target_namespace(self) -> &'t str {
        self.0.attribute("targetNamespace").map_or("", |attribute| &attribute.value)
    }

    /// `Import`.
    pub(crate) fn imports(self) -> impl Iterator<Item = Import<'t>> {
        self.0.children_named(TOSCA, "Import").map(Import)
    }

    /// `NodeType`.
    pub(crate) fn node_types(self) -> impl Iterator<Item = NodeType<'t>> {
        let namespace = self.target_namespace();
        self.0
            .children_named(TOSCA, "NodeType")
            .map(move |element| NodeType { element, namespace: target(element, namespace) })
    }

    /// `ServiceTemplate`.
    pub(crate) fn service_templates(self) -> impl Iterator<Item = Element<'t>> {
        self.0.children_named(TOSCA, "ServiceTemplate")
    }
}

fn target<'t>(element: Element<'t>, outer: &'t str) -> &'t str {
    element.attribute("targetNamespace").map_or(outer, |attribute| &attribute.value)
}

/// `Import`.
#[derive(Clone, Copy)]
pub(crate) struct Import<'t>(pub Element<'t>);

impl<'t> Import<'t> {
    /// `location`.
    pub(crate) fn location(self) -> Option<&'t Attribute> {
        self.0.attribute("location")
    }

    /// Whether TOSCA definitions are imported, not a schema.
    pub(crate) fn is_definitions(self) -> bool {
        self.0.attribute("importType").is_some_and(|kind| kind.value == TOSCA)
    }
}

/// `NodeType`.
#[derive(Clone, Copy)]
pub(crate) struct NodeType<'t> {
    /// The element.
    pub(crate) element: Element<'t>,
    namespace: &'t str,
}

impl<'t> NodeType<'t> {
    /// `name`, with the target namespace.
    pub(crate) fn name(self) -> Name {
        let local = self.element.attribute("name").map_or("", |name| &name.value);
        Name { namespace: self.namespace.to_owned(), local: local.to_owned() }
    }

    /// `DerivedFrom`.
    pub(crate) fn derived_from(self) -> Option<Name> {
        let derived = self.element.child(TOSCA, "DerivedFrom")?;
        Some(derived.qualified(&derived.attribute("typeRef")?.value))
    }

    /// `RequirementDefinition`.
    pub(crate) fn requirements(self) -> impl Iterator<Item = Element<'t>> {
        let list = self.element.child(TOSCA, "RequirementDefinitions");
        list.into_iter().flat_map(|list| list.children_named(TOSCA, "RequirementDefinition"))
    }

    /// `CapabilityDefinition`.
    pub(crate) fn capabilities(self) -> impl Iterator<Item = Element<'t>> {
        let list = self.element.child(TOSCA, "CapabilityDefinitions");
        list.into_iter().flat_map(|list| list.children_named(TOSCA, "CapabilityDefinition"))
    }

    /// `InstanceStates`.
    pub(crate) fn instance_states(self) -> Option<Element<'t>> {
        self.element.child(TOSCA, "InstanceStates")
    }

    /// `Interfaces`.
    pub(crate) fn interfaces(self) -> Option<Element<'t>> {
        self.element.child(TOSCA, "Interfaces")
    }

    /// The operations of `Interfaces`: the attributes with the names of interface and operation.
    pub(crate) fn operations(self) -> impl Iterator<Item = (&'t Attribute, &'t Attribute)> {
        let interfaces = self.interfaces().into_iter();
        interfaces.flat_map(|list| list.children_named(TOSCA, "Interface")).flat_map(|interface| {
            let operations = interface.children_named(TOSCA, "Operation");
            operations.filter_map(move |operation| {
                Some((interface.attribute("name")?, operation.attribute("name")?))
            })
        })
    }
}

/// `NodeTemplate`.
#[derive(Clone, Copy)]
pub(crate) struct NodeTemplate<'t>(pub Element<'t>);

impl<'t> NodeTemplate<'t> {
    /// The node templates of a service template, in order.
    pub(crate) fn all(service: Element<'t>) -> impl Iterator<Item = NodeTemplate<'t>> {
        let topology = service.child(TOSCA, "TopologyTemplate");
        topology
            .into_iter()
            .flat_map(|topology| topology.children_named(TOSCA, "NodeTemplate"))
            .map(NodeTemplate)
    }

    /// `id`.
    pub(crate) fn id(self) -> Option<&'t Attribute> {
        self.0.attribute("id")
    }

    /// `type`.
    pub(crate) fn node_type(self) -> Option<(&'t Attribute, Name)> {
        let written = self.0.attribute("type")?;
        Some((written, self.0.qualified(&written.value)))
    }

    /// `Requirement`.
    pub(crate) fn requirements(self) -> impl Iterator<Item = Element<'t>> {
        let list = self.0.child(TOSCA, "Requirements");
        list.into_iter().flat_map(|list| list.children_named(TOSCA, "Requirement"))
    }

    /// `Capability`.
    pub(crate) fn capabilities(self) -> impl Iterator<Item = Element<'t>> {
        let list = self.0.child(TOSCA, "Capabilities");
        list.into_iter().flat_map(|list| list.children_named(TOSCA, "Capability"))
    }
}

/// `RelationshipTemplate`.
#[derive(Clone, Copy)]
pub(crate) struct RelationshipTemplate<'t>(pub Element<'t>);

impl<'t> RelationshipTemplate<'t> {
    /// The relationship templates of a service template, in order.
    pub(crate) fn all(service: Element<'t>) -> impl Iterator<Item = RelationshipTemplate<'t>> {
        let topology = service.child(TOSCA, "TopologyTemplate");
        topology
            .into_iter()
            .flat_map(|topology| topology.children_named(TOSCA, "RelationshipTemplate"))
            .map(RelationshipTemplate)
    }

    /// Whether the source lives in the target. BARREL decides by the end of the name of the type.
    pub(crate) fn is_containment(self) -> bool {
        let written = self.0.attribute("type").map_or("", |kind| kind.value.trim());
        let local = written.rsplit(':').next().unwrap_or_default();
        local == "HostedOn" || local == "hostedOn"
    }

    /// `ref` of `SourceElement`.
    pub(crate) fn source(self) -> Option<&'t Attribute> {
        self.0.child(TOSCA, "SourceElement")?.attribute("ref")
    }

    /// `ref` of `TargetElement`.
    pub(crate) fn target(self) -> Option<&'t Attribute> {
        self.0.child(TOSCA, "TargetElement")?.attribute("ref")
    }
}

impl Library {
    /// The definitions of every file, the one to begin with first.
    pub(crate) fn definitions(&self) -> impl Iterator<Item = Definitions<'_>> {
        self.documents.iter().filter_map(|document| Definitions::of(document.tree.root()))
    }

    /// The node type with this name; when no namespace fits, the only one with its local name.
    pub(crate) fn node_type(&self, name: &Name) -> Option<NodeType<'_>> {
        let all = || self.definitions().flat_map(Definitions::node_types);
        if let Some(found) = all().find(|found| found.name() == *name) {
            return Some(found);
        }
        let mut similar = all().filter(|found| found.name().local == name.local);
        similar.next().filter(|_| similar.next().is_none())
    }
}
