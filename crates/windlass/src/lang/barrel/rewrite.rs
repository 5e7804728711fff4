//! Changed protocols in definitions that are there: only the parts of node types that say what a
//! protocol is are replaced, every other byte of every file stays.
//!
//! Invariant: what is written reads as the protocols that were asked for; this is checked before
//! anything is handed out.

use super::render::{self, Style, inner, interface, interfaces, states};
use super::{ArchiveFile, PROTOCOL, SPECIAL, expressible, lower};
use crate::application::{Application, ComponentType, Faults};
use crate::lang::tosca::xml::definitions::{NodeType, TOSCA};
use crate::lang::tosca::xml::{Document, Edits, Element, Library, Limits, escape, parse};
use crate::lang::{Inexpressible, Written};
use crate::lifecycle::protocol::{Sort, State};
use crate::source::Sources;

/// The files of definitions that change, with their new texts.
pub fn rewrite(
    library: &Library,
    sources: &Sources,
    application: &Application,
) -> Result<Written<Vec<ArchiveFile>>, Inexpressible> {
    let mut refused = Inexpressible::new("this CSAR");
    expressible::refuse(application, &mut refused);
    let mut ignored = Vec::new();
    let Some(base) = lower::lower(library, &mut ignored) else {
        refused.add("a service template");
        return Err(refused);
    };
    same_topology(&base.application, application, &mut refused);
    if !refused.is_empty() {
        return Err(refused);
    }
    let mut files = Vec::new();
    for document in &library.documents {
        let text = &sources.get(document.tree.source()).text;
        let mut edits = Edits::new();
        for (old, name) in base.application.types.iter().zip(&base.types) {
            let new = application.types.iter().find(|new| new.name == old.name);
            let place = library.node_type(name);
            if let (Some(new), Some(place)) = (new, place)
                && place.element.span().source == document.tree.source()
            {
                Place { text, node_type: place, faults: application.faults }
                    .edit(old, new, &mut edits);
            }
        }
        if !edits.is_empty() {
            files.push((document.path.clone(), edits.apply(text)));
        }
    }
    if !reads_as(library, sources, &files, application) {
        refused.add("these protocols in its node types");
    }
    refused.or(Written { left_out: expressible::left_out(application), document: files })
}

/// Everything but protocols is as it was.
fn same_topology(old: &Application, new: &Application, refused: &mut Inexpressible) {
    for node in &new.nodes {
        let Some(known) = old.node_named(&node.name) else {
            refused.add(format!("the node `{}`, which it does not have", node.name));
            continue;
        };
        let target = |application: &Application, node: &crate::application::Node| {
            let component = application.component_type(node.component_type);
            let mut ends: Vec<[String; 3]> = Vec::new();
            for binding in &node.bindings {
                let provider = application.type_of(binding.target);
                ends.push([
                    component.requirements[binding.requirement.index()].name.clone(),
                    application.node(binding.target).name.clone(),
                    provider.capabilities[binding.capability.index()].name.clone(),
                ]);
            }
            ends.sort();
            (component.name.clone(), ends)
        };
        if target(old, old.node(known)) != target(new, node) {
            refused.add(format!("another type or other bindings of node `{}`", node.name));
        }
    }
    for node in old.nodes.iter().filter(|node| new.node_named(&node.name).is_none()) {
        refused.add(format!("an application without the node `{}`", node.name));
    }
    for new in &new.types {
        let Some(old) = old.types.iter().find(|old| old.name == new.name) else { continue };
        let ends = |component: &ComponentType| {
            let requirements = component.requirements.iter();
            let requirements = requirements.map(|r| (r.name.clone(), r.sort == Sort::Containment));
            let capabilities = component.capabilities.iter().map(|c| c.name.clone());
            let mut ends = (requirements.collect::<Vec<_>>(), capabilities.collect::<Vec<_>>());
            ends.0.sort();
            ends.1.sort();
            ends
        };
        if ends(old) != ends(new) {
            refused.add(format!("other requirements or capabilities of type `{}`", new.name));
        }
    }
}

/// A node type in a text.
struct Place<'t> {
    text: &'t str,
    node_type: NodeType<'t>,
    faults: Faults,
}

impl Place<'_> {
    fn edit(&self, old: &ComponentType, new: &ComponentType, edits: &mut Edits) {
        let (Some(old_protocol), Some(protocol)) = (old.protocol(), new.protocol()) else { return };
        let element = self.node_type.element;
        let handlers = self.faults == Faults::Handled;
        if behavior(old, true) == behavior(new, handlers) {
            return;
        }
        let prefix = match element.prefix_of(TOSCA) {
            Some("") | None => String::new(),
            Some(prefix) => format!("{prefix}:"),
        };
        let style = |indent| Style { prefix: &prefix, indent, handlers };
        let mut added = String::new();
        let within = inner(self.indent(element));
        if described(old, &old_protocol.states) != described(new, &protocol.states) {
            match self.node_type.instance_states() {
                Some(list) => {
                    let lines = states(new, protocol, &style(self.indent(list)));
                    edits.replace(list, lines.trim().to_owned());
                }
                None => added += &states(new, protocol, &style(&within)),
            }
        }
        added += &self.operations(old, new, &prefix, edits);
        match element.child(PROTOCOL, "ManagementProtocol") {
            Some(written) => {
                let lines = render::protocol(new, protocol, &style(self.indent(written)));
                edits.replace(written, lines.trim().to_owned());
            }
            None => added += &render::protocol(new, protocol, &style(&within)),
        }
        if !added.is_empty() {
            edits.append(element, self.text, &added, self.indent(element));
        }
    }

    /// Adds the operations that are new; lines for the node type itself are returned.
    fn operations(
        &self,
        old: &ComponentType,
        new: &ComponentType,
        prefix: &str,
        edits: &mut Edits,
    ) -> String {
        let mut added = String::new();
        let list = self.node_type.interfaces();
        let around = match list {
            Some(list) => self.indent(list).to_owned(),
            None => inner(self.indent(self.node_type.element)),
        };
        let within = inner(&around);
        let style = Style { prefix, indent: &within, handlers: false };
        let known = interfaces(old);
        for (name, operations) in interfaces(new).into_iter().filter(|(name, _)| *name != SPECIAL) {
            let has = |operation: &&str| {
                known.iter().any(|known| known.0 == name && known.1.contains(operation))
            };
            let fresh: Vec<&str> = operations.into_iter().filter(|o| !has(o)).collect();
            if fresh.is_empty() {
                continue;
            }
            let same = |element: &Element<'_>| {
                element.attribute("name").is_some_and(|written| written.value == name)
            };
            let interfaces = list.into_iter().flat_map(|l| l.children_named(TOSCA, "Interface"));
            match interfaces.into_iter().find(same) {
                Some(element) => {
                    let indent = self.indent(element);
                    let within = inner(indent);
                    let line = |operation: &&str| {
                        format!("{within}<{prefix}Operation name=\"{}\"/>\n", escape(operation))
                    };
                    let lines: String = fresh.iter().map(line).collect();
                    edits.append(element, self.text, &lines, indent);
                }
                None => added += &interface(name, &fresh, &style),
            }
        }
        match list {
            _ if added.is_empty() => String::new(),
            Some(list) => {
                edits.append(list, self.text, &added, &around);
                String::new()
            }
            None => {
                format!("{around}<{prefix}Interfaces>\n{added}{around}</{prefix}Interfaces>\n")
            }
        }
    }

    /// The spaces in front of an element, when it is the first on its line.
    fn indent(&self, element: Element<'_>) -> &str {
        let before = &self.text[..element.span().start as usize];
        let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
        let spaces = line.len() - line.trim_start_matches([' ', '\t']).len();
        &line[..spaces]
    }
}

/// States in words, without handlers, which stand in the protocol.
fn described(
    component: &ComponentType,
    states: &[State],
) -> Vec<(String, Vec<String>, Vec<String>)> {
    let state = |state: &State| {
        let requires = state.requires.iter().map(|r| &component.requirements[r.index()].name);
        let offers = state.offers.iter().map(|c| &component.capabilities[c.index()].name);
        (state.name.clone(), sorted(requires), sorted(offers))
    };
    states.iter().map(state).collect()
}

fn sorted<'a>(names: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut names: Vec<String> = names.cloned().collect();
    names.sort();
    names
}

/// A protocol in words: two that are equal so differ in nothing that is written.
fn behavior(component: &ComponentType, handlers: bool) -> impl PartialEq {
    let protocol = component.protocol();
    let states = protocol.map_or(&[][..], |protocol| &protocol.states);
    let name = |at: usize| states.get(at).map(|state| state.name.clone());
    let transitions = protocol.map_or(&[][..], |protocol| &protocol.transitions).iter().map(|t| {
        let requires = t.requires.iter().map(|r| &component.requirements[r.index()].name);
        let operation = component.operations[t.operation.index()].name.clone();
        (name(t.from.index()), operation, name(t.to.index()), sorted(requires))
    });
    let handled = states.iter().filter(|_| handlers).flat_map(|state| {
        state.handlers.iter().map(|handler| (state.name.clone(), name(handler.to.index())))
    });
    let initial = protocol.and_then(|protocol| name(protocol.initial.index()));
    (
        described(component, states),
        transitions.collect::<Vec<_>>(),
        handled.collect::<Vec<_>>(),
        initial,
    )
}

/// Whether the definitions with the changed files have the protocols of the application.
fn reads_as(
    library: &Library,
    sources: &Sources,
    files: &[ArchiveFile],
    application: &Application,
) -> bool {
    let mut findings = Vec::new();
    let mut documents = Vec::new();
    for document in &library.documents {
        let source = document.tree.source();
        let changed = files.iter().find(|file| file.0 == document.path);
        let text = changed.map_or(&*sources.get(source).text, |file| &*file.1);
        let Some(tree) = parse(source, text, &Limits::default(), &mut findings) else {
            return false;
        };
        documents.push(Document { path: document.path.clone(), tree });
    }
    let Some(read) = lower::lower(&Library { documents, is_complete: true }, &mut findings) else {
        return false;
    };
    let handlers = application.faults == Faults::Handled;
    read.application.faults == application.faults
        && application.types.iter().all(|wanted| {
            let found = read.application.types.iter().find(|found| found.name == wanted.name);
            found.is_some_and(|found| behavior(found, true) == behavior(wanted, handlers))
        })
}
