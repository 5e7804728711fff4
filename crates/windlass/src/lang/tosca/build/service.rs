//! The service template.

use super::super::codes;
use super::super::load::Text;
use super::super::model::{
    CapabilityAssignment, FileId, Group, NodeTemplate, Policy, RelationshipTemplate,
    RequirementAssignment, RequirementMapping, Service, Substitution, Trigger, TypeKind, TypeRef,
};
use super::super::value::Name;
use super::{Build, range, value, word, words};
use crate::diagnostic::Diagnostic;
use crate::spelling;
use crate::tree::{Entry, Node};

/// Builds the service template of a file, if it has one.
pub(crate) fn service(
    text: &Text,
    file: FileId,
    findings: &mut Vec<Diagnostic>,
) -> Option<Service> {
    let root = text.tree.root();
    let key = if text.file.version.is_2() { "service_template" } else { "topology_template" };
    let entry = root.get_entry(key)?;
    let node = entry.value;
    let mut build = Build { text, file, shared: None, findings };
    let templates = node.get("node_templates");
    let relationships = node.get("relationship_templates");
    let substitution =
        node.get_entry("substitution_mappings").or(node.get_entry("substitution_mapping"));
    Some(Service {
        file,
        inputs: build.fields(node.get("inputs"), Build::parameter),
        outputs: build.fields(node.get("outputs"), Build::parameter),
        nodes: build.fields(templates, |build, entry| {
            build.known_copy(entry, templates, "node template");
            build.node_template(entry, &copied(entry.value, templates))
        }),
        relationships: build.fields(relationships, |build, entry| {
            build.known_copy(entry, relationships, "relationship template");
            build.relationship_template(entry, &copied(entry.value, relationships))
        }),
        groups: build.fields(node.get("groups"), Build::group),
        policies: build.fields(node.get("policies"), Build::policy),
        workflows: build.fields(node.get("workflows"), Build::workflow),
        substitution: substitution
            .filter(|entry| entry.value.is_mapping())
            .map(|entry| build.substitution(entry)),
        span: Some(entry.key.span()),
    })
}

/// The templates that another one copies, nearest first. Who copies himself is copied once.
fn copied<'t>(node: Node<'t>, templates: Option<Node<'t>>) -> Vec<Node<'t>> {
    let mut copied: Vec<Node<'t>> = Vec::new();
    let mut at = node;
    while let Some(next) =
        at.get("copy").and_then(Node::as_str).and_then(|name| templates?.get(name))
        && copied.iter().all(|known| known.span() != next.span())
    {
        copied.push(next);
        at = next;
    }
    copied
}

/// What a template says itself, else what it copies.
fn nearest<'t>(node: Node<'t>, copied: &[Node<'t>], key: &str) -> Option<Node<'t>> {
    let mut all = std::iter::once(node).chain(copied.iter().copied());
    all.find_map(|node| node.get(key))
}

impl Build<'_> {
    /// What a template copies is another template.
    fn known_copy(&mut self, entry: Entry<'_>, templates: Option<Node<'_>>, word: &str) {
        let Some(copy) = entry.value.get("copy") else { return };
        let Some(name) = copy.as_str() else { return };
        let message = match templates.and_then(|all| all.get(name)) {
            None => format!("there is no {word} `{name}` to copy"),
            Some(_) if name == entry.name() => format!("`{name}` copies itself"),
            Some(_) => return self.copy_of_copy(entry, copy, templates),
        };
        let names = templates.into_iter().flat_map(Node::entries).map(|entry| entry.name());
        let others: Vec<&str> = names.filter(|other| *other != entry.name()).collect();
        let near = spelling::nearest(name, others);
        let finding = Diagnostic::error(codes::UNKNOWN_NAME, copy.span(), message);
        self.findings.push(match near.filter(|near| *near != name) {
            Some(near) => finding.help(format!("did you mean `{near}`?")),
            None => finding,
        });
    }

    /// What is copied is complete and copies nothing itself. Processors follow such copies, unless
    /// they have no end.
    fn copy_of_copy(&mut self, entry: Entry<'_>, copy: Node<'_>, templates: Option<Node<'_>>) {
        let mut all = vec![entry.name()];
        let mut at = entry.value;
        while let Some(next) = at.get("copy").and_then(Node::as_str)
            && let Some(template) = templates.and_then(|all| all.get(next))
        {
            if next == entry.name() {
                // One of them says it for all.
                let names = templates.into_iter().flat_map(Node::entries).map(|it| it.name());
                if names.into_iter().find(|name| all.contains(name)) == Some(entry.name()) {
                    let message = format!("`{}` copy each other", all.join("`, `"));
                    let finding = Diagnostic::error(codes::UNKNOWN_NAME, copy.span(), message);
                    self.findings.push(finding);
                }
                return;
            }
            if all.contains(&next) {
                break;
            }
            all.push(next);
            at = template;
        }
        if let [own, copied, further, ..] = &all[..] {
            let message = format!("`{own}` copies `{copied}`, which copies `{further}` itself");
            let finding = Diagnostic::warning(codes::UNKNOWN_NAME, copy.span(), message);
            self.findings.push(finding.help("a template that is copied is complete by itself"));
        }
    }

    /// Values that a template gives, merged into those that it copies.
    fn merged(
        &mut self,
        node: Node<'_>,
        copied: &[Node<'_>],
        key: &str,
    ) -> super::Fields<super::Value> {
        let mut fields = self.values(copied.last().copied().unwrap_or(node).get(key));
        let nearer = copied.iter().rev().skip(1).copied();
        for over in nearer.chain((!copied.is_empty()).then_some(node)) {
            for (name, value) in self.values(over.get(key)).iter() {
                let known = fields.iter_mut().find(|(known, _)| known.text == name.text);
                match known {
                    Some((_, known)) => *known = known.merged(value),
                    None => fields.push(name.clone(), value.clone()),
                }
            }
        }
        fields
    }

    /// A type that must be named; the grammar reports it when it is not.
    fn type_or_nothing(
        &mut self,
        kind: TypeKind,
        node: Option<Node<'_>>,
        entry: Entry<'_>,
    ) -> TypeRef {
        let nothing = Name { text: String::new(), span: entry.key.span() };
        let of = node.and_then(|node| self.type_ref(kind, node));
        of.unwrap_or(TypeRef { name: nothing, id: None })
    }

    /// Values of attributes, which may be described.
    fn attributes(&mut self, node: Option<Node<'_>>) -> super::Fields<super::Value> {
        self.fields(node, |_, entry| {
            let is_long = |node: &Node<'_>| {
                node.get("value").is_some()
                    && node.entries().all(|e| ["value", "description"].contains(&e.name()))
            };
            let long = Some(entry.value).filter(is_long).and_then(|node| node.get("value"));
            super::Value::of(long.unwrap_or(entry.value))
        })
    }

    fn node_template(&mut self, entry: Entry<'_>, copied: &[Node<'_>]) -> NodeTemplate {
        let node = entry.value;
        let get = |key: &str| nearest(node, copied, key);
        NodeTemplate {
            of: self.type_or_nothing(TypeKind::Node, get("type"), entry),
            directives: words(get("directives")),
            properties: self.merged(node, copied, "properties"),
            attributes: self.attributes(get("attributes")),
            capabilities: self.fields(get("capabilities"), Self::capability_assignment),
            requirements: self.fields(get("requirements"), Self::requirement_assignment),
            interfaces: self.interfaces(get("interfaces"), false),
            artifacts: self.fields(get("artifacts"), |build, entry| build.artifact(entry.value)),
            node_filter: value(get("node_filter")),
            count: value(get("count")),
            span: entry.key.span(),
        }
    }

    fn capability_assignment(&mut self, entry: Entry<'_>) -> CapabilityAssignment {
        let node = entry.value;
        CapabilityAssignment {
            properties: self.values(node.get("properties")),
            attributes: self.values(node.get("attributes")),
            directives: words(node.get("directives")),
            occurrences: range(node.get("occurrences")),
            span: entry.key.span(),
        }
    }

    fn requirement_assignment(&mut self, entry: Entry<'_>) -> RequirementAssignment {
        let node = entry.value;
        let is_2 = self.text.file.version.is_2();
        let is_short = node.is_scalar() || is_2 && node.is_list();
        let target = if is_short { Some(node) } else { node.get("node") };
        let relationship = node.get("relationship");
        let inline = relationship.filter(|node| node.is_mapping());
        let inline = inline.map(|node| self.relationship(node, &[]));
        let in_place = inline.as_ref().and_then(|inline| inline.of.as_ref());
        RequirementAssignment {
            node: word(target).or_else(|| words(target).into_iter().next()),
            indexed: value(target.filter(|target| is_2 && target.is_list())),
            capability: word(node.get("capability")),
            relationship: word(relationship).or(in_place.map(|of| of.name.clone())),
            inline,
            node_filter: value(node.get("node_filter")),
            count: value(node.get("count")),
            occurrences: range(node.get("occurrences")),
            optional: value(node.get("optional")),
            directives: words(node.get("directives")),
            allocation: value(node.get("allocation")),
            target: None,
            span: entry.key.span(),
        }
    }

    fn relationship_template(
        &mut self,
        entry: Entry<'_>,
        copied: &[Node<'_>],
    ) -> RelationshipTemplate {
        let mut template = self.relationship(entry.value, copied);
        template.span = entry.key.span();
        template
    }

    fn relationship(&mut self, node: Node<'_>, copied: &[Node<'_>]) -> RelationshipTemplate {
        let get = |key: &str| nearest(node, copied, key);
        // In place, the name of a template may stand where a type is meant.
        let templates = self.text.tree.root();
        let templates = templates.get("topology_template").or(templates.get("service_template"));
        let templates = templates.and_then(|node| node.get("relationship_templates"));
        let is_template = |of: &Node<'_>| {
            templates.is_some_and(|all| all.get(of.as_str().unwrap_or_default()).is_some())
        };
        let of = get("type").filter(|of| !is_template(of) || !copied.is_empty());
        RelationshipTemplate {
            of: of.and_then(|of| self.type_ref(TypeKind::Relationship, of)),
            properties: self.merged(node, copied, "properties"),
            attributes: self.values(get("attributes")),
            interfaces: self.interfaces(get("interfaces"), false),
            span: node.span(),
        }
    }

    fn group(&mut self, entry: Entry<'_>) -> Group {
        let node = entry.value;
        Group {
            of: self.type_or_nothing(TypeKind::Group, node.get("type"), entry),
            members: words(node.get("members")),
            properties: self.values(node.get("properties")),
            interfaces: self.interfaces(node.get("interfaces"), false),
            span: entry.key.span(),
        }
    }

    fn policy(&mut self, entry: Entry<'_>) -> Policy {
        let node = entry.value;
        Policy {
            of: self.type_or_nothing(TypeKind::Policy, node.get("type"), entry),
            targets: words(node.get("targets")),
            properties: self.values(node.get("properties")),
            triggers: self.fields(node.get("triggers"), Self::trigger),
            span: entry.key.span(),
        }
    }

    fn trigger(&mut self, entry: Entry<'_>) -> Trigger {
        let node = entry.value;
        Trigger {
            event: word(node.get("event").or(node.get("event_type"))),
            condition: value(node.get("condition")),
            actions: self.activities(node.get("action"), false),
            body: super::Value::of(node),
            span: entry.key.span(),
        }
    }

    fn substitution(&mut self, entry: Entry<'_>) -> Substitution {
        let node = entry.value;
        Substitution {
            of: self.type_or_nothing(TypeKind::Node, node.get("node_type"), entry),
            filter: value(node.get("substitution_filter")),
            properties: self.values(node.get("properties")),
            attributes: self.values(node.get("attributes")),
            capabilities: self.values(node.get("capabilities")),
            requirements: requirement_mappings(node.get("requirements")),
            interfaces: self.values(node.get("interfaces")),
            span: entry.key.span(),
        }
    }
}

/// Mappings of requirements. From 2.0 a key may be a list: the requirement and a count.
fn requirement_mappings(node: Option<Node<'_>>) -> super::Fields<RequirementMapping> {
    let mut mappings = super::Fields::default();
    for entry in Build::named(node) {
        let mut key = entry.key.items();
        let name = key.next().unwrap_or(entry.key);
        let mapping =
            RequirementMapping { value: super::Value::of(entry.value), count: value(key.next()) };
        mappings.push(Name::of(name), mapping);
    }
    mappings
}
