//! An application as a new CSAR: one file of definitions and the metadata that points to it.

use std::fmt::Write as _;

use super::render::{Style, interface, interfaces, protocol, states};
use super::{ArchiveFile, SPECIAL, expressible};
use crate::application::{Application, ComponentType, Faults, Node};
use crate::lang::tosca::csar::META_FILE;
use crate::lang::tosca::xml::definitions::TOSCA;
use crate::lang::tosca::xml::escape;
use crate::lang::{Inexpressible, Written};
use crate::lifecycle::protocol::Sort;

/// The namespace of what is written; its parts refer to each other only.
const NAMESPACE: &str = "urn:windlass:application";
const DEFINITIONS: &str = "Definitions/application.tosca";

/// The files of a CSAR that reads as the same application.
pub fn print(application: &Application) -> Result<Written<Vec<ArchiveFile>>, Inexpressible> {
    let mut refused = Inexpressible::new("BARREL");
    expressible::refuse(application, &mut refused);
    let nodes = application.nodes.iter().map(|node| &node.name);
    for name in application.types.iter().map(|t| &t.name).chain(nodes) {
        if !is_xml_name(name) {
            refused
                .add(format!("the name `{name}`; XML names have letters, digits, `-`, `_`, `.`"));
        }
    }
    let meta = format!(
        "TOSCA-Meta-Version: 1.0\nCSAR-Version: 1.0\nCreated-By: Windlass\n\
         Entry-Definitions: {DEFINITIONS}\n\nName: {DEFINITIONS}\n\
         Content-Type: application/vnd.oasis.tosca.definitions\n"
    );
    let definitions = if refused.is_empty() { definitions(application) } else { String::new() };
    let document = vec![(META_FILE.to_owned(), meta), (DEFINITIONS.to_owned(), definitions)];
    refused.or(Written { left_out: expressible::left_out(application), document })
}

/// Whether a text can be an id or the name of a type.
fn is_xml_name(text: &str) -> bool {
    let first = text.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_');
    first && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

fn definitions(application: &Application) -> String {
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
         <tosca:Definitions xmlns:tosca=\"{TOSCA}\" xmlns:app=\"{NAMESPACE}\" \
         id=\"application\" targetNamespace=\"{NAMESPACE}\">\n"
    );
    for kind in ["HostedOn", "ConnectsTo"] {
        let _ = writeln!(out, "    <tosca:RelationshipType name=\"{kind}\"/>");
    }
    out.push_str("    <tosca:RequirementType name=\"Requirement\"/>\n");
    out.push_str("    <tosca:CapabilityType name=\"Capability\"/>\n");
    for component in &application.types {
        node_type(&mut out, application, component);
    }
    let name = escape(&application.name);
    let _ = writeln!(out, "    <tosca:ServiceTemplate id=\"application\" name=\"{name}\">");
    out.push_str("        <tosca:TopologyTemplate>\n");
    let ids = Ids::new(application);
    for node in &application.nodes {
        node_template(&mut out, application, node, &ids);
    }
    for node in &application.nodes {
        relationships(&mut out, application, node, &ids);
    }
    out.push_str("        </tosca:TopologyTemplate>\n    </tosca:ServiceTemplate>\n");
    out.push_str("</tosca:Definitions>\n");
    out
}

fn node_type(out: &mut String, application: &Application, component: &ComponentType) {
    let Some(described) = component.protocol() else { return };
    let _ = writeln!(out, "    <tosca:NodeType name=\"{}\">", escape(&component.name));
    let list = |out: &mut String, kind: &str, names: Vec<&str>| {
        if names.is_empty() {
            return;
        }
        let _ = writeln!(out, "        <tosca:{kind}Definitions>");
        let lower = kind.to_lowercase();
        for name in names {
            let name = escape(name);
            let _ = writeln!(
                out,
                "            <tosca:{kind}Definition name=\"{name}\" {lower}Type=\"app:{kind}\"/>"
            );
        }
        let _ = writeln!(out, "        </tosca:{kind}Definitions>");
    };
    list(out, "Requirement", component.requirements.iter().map(|r| &*r.name).collect());
    list(out, "Capability", component.capabilities.iter().map(|c| &*c.name).collect());
    let handlers = application.faults == Faults::Handled;
    let style = Style { prefix: "tosca:", indent: "        ", handlers };
    out.push_str(&states(component, described, &style));
    let interfaces: Vec<_> =
        interfaces(component).into_iter().filter(|(name, _)| *name != SPECIAL).collect();
    if !interfaces.is_empty() {
        let inner = Style { indent: "            ", ..style };
        out.push_str("        <tosca:Interfaces>\n");
        for (name, operations) in interfaces {
            out.push_str(&interface(name, &operations, &inner));
        }
        out.push_str("        </tosca:Interfaces>\n");
    }
    out.push_str(&protocol(component, described, &style));
    out.push_str("    </tosca:NodeType>\n");
}

/// Ids of requirements and capabilities that no node template has.
struct Ids {
    prefix: String,
}

impl Ids {
    fn new(application: &Application) -> Self {
        let mut prefix = "_".to_owned();
        while application.nodes.iter().any(|node| node.name.starts_with(&prefix)) {
            prefix.push('_');
        }
        Ids { prefix }
    }

    fn requirement(&self, node: &Node, at: usize) -> String {
        format!("{}{}.requirement.{at}", self.prefix, node.name)
    }

    fn capability(&self, node: &Node, at: usize) -> String {
        format!("{}{}.capability.{at}", self.prefix, node.name)
    }
}

fn node_template(out: &mut String, application: &Application, node: &Node, ids: &Ids) {
    let component = application.component_type(node.component_type);
    let (id, kind) = (escape(&node.name), escape(&component.name));
    let _ = writeln!(
        out,
        "            <tosca:NodeTemplate id=\"{id}\" name=\"{id}\" type=\"app:{kind}\">"
    );
    let list = |out: &mut String, plural: &str, kind: &str, ends: Vec<(String, &str)>| {
        if ends.is_empty() {
            return;
        }
        let _ = writeln!(out, "                <tosca:{plural}>");
        for (id, name) in ends {
            let (id, name) = (escape(&id), escape(name));
            let _ = writeln!(
                out,
                "                    <tosca:{kind} id=\"{id}\" name=\"{name}\" type=\"app:{kind}\"/>"
            );
        }
        let _ = writeln!(out, "                </tosca:{plural}>");
    };
    let requirements = component.requirements.iter().enumerate();
    let requirements = requirements.map(|(at, r)| (ids.requirement(node, at), &*r.name));
    list(out, "Requirements", "Requirement", requirements.collect());
    let capabilities = component.capabilities.iter().enumerate();
    let capabilities = capabilities.map(|(at, c)| (ids.capability(node, at), &*c.name));
    list(out, "Capabilities", "Capability", capabilities.collect());
    out.push_str("            </tosca:NodeTemplate>\n");
}

fn relationships(out: &mut String, application: &Application, node: &Node, ids: &Ids) {
    let component = application.component_type(node.component_type);
    for binding in &node.bindings {
        let contains =
            component.requirements[binding.requirement.index()].sort == Sort::Containment;
        let kind = if contains { "HostedOn" } else { "ConnectsTo" };
        let source = ids.requirement(node, binding.requirement.index());
        let target = application.node(binding.target);
        let target = ids.capability(target, binding.capability.index());
        let source = escape(&source);
        let _ = writeln!(
            out,
            "            <tosca:RelationshipTemplate id=\"{source}.binding\" type=\"app:{kind}\">\n\
             \u{20}               <tosca:SourceElement ref=\"{source}\"/>\n\
             \u{20}               <tosca:TargetElement ref=\"{}\"/>\n\
             \u{20}           </tosca:RelationshipTemplate>",
            escape(&target),
        );
    }
}
