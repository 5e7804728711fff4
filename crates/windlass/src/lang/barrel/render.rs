//! Protocols as XML.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::PROTOCOL;
use super::protocol::interface_and_operation;
use crate::application::ComponentType;
use crate::lang::tosca::xml::escape;
use crate::lifecycle::Protocol;
use crate::lifecycle::protocol::{CapabilityId, RequirementId};

/// How XML is written at one place.
pub(super) struct Style<'a> {
    /// What stands in front of the names of TOSCA: `tosca:` or nothing.
    pub(super) prefix: &'a str,
    /// The spaces in front of the element.
    pub(super) indent: &'a str,
    /// Whether fault handlers are written.
    pub(super) handlers: bool,
}

impl Style<'_> {
    /// The spaces in front of what stands inside, like those around it.
    fn inner(&self) -> String {
        inner(self.indent)
    }
}

/// One level deeper: by a tab where tabs are used.
pub(super) fn inner(indent: &str) -> String {
    let step = if indent.contains('\t') { "\t" } else { "    " };
    format!("{indent}{step}")
}

/// `InstanceStates`, as whole lines.
pub(super) fn states(component: &ComponentType, protocol: &Protocol, style: &Style<'_>) -> String {
    let Style { prefix, indent, .. } = style;
    let within = style.inner();
    let mut out = format!("{indent}<{prefix}InstanceStates>\n");
    for state in &protocol.states {
        let name = escape(&state.name);
        let _ = write!(out, "{within}<{prefix}InstanceState state=\"{name}\"");
        if state.requires.is_empty() && state.offers.is_empty() {
            out.push_str("/>\n");
            continue;
        }
        out.push('>');
        relies_on(&mut out, component, &state.requires, &format!(" xmlns=\"{PROTOCOL}\""));
        offers(&mut out, component, &state.offers);
        let _ = writeln!(out, "</{prefix}InstanceState>");
    }
    let _ = writeln!(out, "{indent}</{prefix}InstanceStates>");
    out
}

fn relies_on(
    out: &mut String,
    component: &ComponentType,
    requires: &BTreeSet<RequirementId>,
    namespace: &str,
) {
    if requires.is_empty() {
        return;
    }
    let _ = write!(out, "<ReliesOn{namespace}>");
    for requirement in requires {
        let name = escape(&component.requirements[requirement.index()].name);
        let _ = write!(out, "<Requirement name=\"{name}\"/>");
    }
    out.push_str("</ReliesOn>");
}

fn offers(out: &mut String, component: &ComponentType, offers: &BTreeSet<CapabilityId>) {
    if offers.is_empty() {
        return;
    }
    let _ = write!(out, "<Offers xmlns=\"{PROTOCOL}\">");
    for capability in offers {
        let name = escape(&component.capabilities[capability.index()].name);
        let _ = write!(out, "<Capability name=\"{name}\"/>");
    }
    out.push_str("</Offers>");
}

/// `ManagementProtocol`, as whole lines.
pub(super) fn protocol(
    component: &ComponentType,
    protocol: &Protocol,
    style: &Style<'_>,
) -> String {
    let indent = style.indent;
    let state = |id: crate::lifecycle::protocol::StateId| {
        escape(protocol.states.get(id.index()).map_or("", |state| &state.name))
    };
    let within = style.inner();
    let deeper = inner(&within);
    let mut out = format!("{indent}<ManagementProtocol xmlns=\"{PROTOCOL}\">\n");
    let _ = writeln!(out, "{within}<InitialState state=\"{}\"/>", state(protocol.initial));
    let _ = writeln!(out, "{within}<Transitions>");
    for transition in &protocol.transitions {
        let name = &component.operations[transition.operation.index()].name;
        let (interface, operation) = interface_and_operation(name);
        let _ = write!(
            out,
            "{deeper}<Transition sourceState=\"{}\" targetState=\"{}\" \
             operationName=\"{}\" interfaceName=\"{}\"",
            state(transition.from),
            state(transition.to),
            escape(operation),
            escape(interface),
        );
        if transition.requires.is_empty() {
            out.push_str("/>\n");
        } else {
            out.push('>');
            relies_on(&mut out, component, &transition.requires, "");
            out.push_str("</Transition>\n");
        }
    }
    let _ = writeln!(out, "{within}</Transitions>");
    let handlers = protocol.states.iter().filter(|_| style.handlers);
    let handlers: Vec<_> = handlers
        .flat_map(|from| from.handlers.iter().map(|handler| (escape(&from.name), handler.to)))
        .collect();
    if handlers.is_empty() {
        let _ = writeln!(out, "{within}<FaultHandlers/>");
    } else {
        let _ = writeln!(out, "{within}<FaultHandlers>");
        for (from, to) in handlers {
            let _ = writeln!(
                out,
                "{deeper}<FaultHandler sourceState=\"{from}\" targetState=\"{}\"/>",
                state(to),
            );
        }
        let _ = writeln!(out, "{within}</FaultHandlers>");
    }
    let _ = writeln!(out, "{indent}</ManagementProtocol>");
    out
}

/// The operations of a type by interface, in the order of their first use.
pub(super) fn interfaces(component: &ComponentType) -> Vec<(&str, Vec<&str>)> {
    let mut interfaces: Vec<(&str, Vec<&str>)> = Vec::new();
    for operation in &component.operations {
        let (interface, name) = interface_and_operation(&operation.name);
        match interfaces.iter_mut().find(|known| known.0 == interface) {
            Some(known) => known.1.push(name),
            None => interfaces.push((interface, vec![name])),
        }
    }
    interfaces
}

/// `Interface`, as whole lines.
pub(super) fn interface(name: &str, operations: &[&str], style: &Style<'_>) -> String {
    let Style { prefix, indent, .. } = style;
    let within = style.inner();
    let mut out = format!("{indent}<{prefix}Interface name=\"{}\">\n", escape(name));
    for operation in operations {
        let name = escape(operation);
        let _ = writeln!(out, "{within}<{prefix}Operation name=\"{name}\"/>");
    }
    let _ = writeln!(out, "{indent}</{prefix}Interface>");
    out
}
