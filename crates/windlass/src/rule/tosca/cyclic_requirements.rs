//! Nodes that need each other before either can be there.

use super::Checker;
use crate::cycle::{Cycles, Edges, Step};
use crate::diagnostic::Diagnostic;
use crate::lang::tosca::codes;
use crate::lang::tosca::model::{NodeTemplate, Service};
use std::collections::BTreeMap;

impl Checker<'_> {
    /// Reports cycles of requirements. From 2.0 on only hosting gives an order; before, every
    /// relationship does, because a target is started before its source is created.
    pub(super) fn topology(&mut self) {
        let model = self.model;
        let Some(service) = &model.service else { return };
        let places: BTreeMap<&str, usize> =
            service.nodes.names().enumerate().map(|(at, name)| (name, at)).collect();
        let edges: Edges =
            service.nodes.iter().map(|(_, node)| self.needs(node, &places)).collect();
        for cycle in Cycles::new(&edges) {
            self.cycle_of_nodes(service, &cycle);
        }
    }

    /// The nodes that must be there before a node.
    fn needs(&self, node: &NodeTemplate, places: &BTreeMap<&str, usize>) -> Vec<usize> {
        let mut needs = Vec::new();
        for (_, requirement) in node.requirements.iter() {
            let Some(target) = &requirement.target else { continue };
            let is_host = target.relationship.is_some_and(|of| {
                self.model.types.chain(of).any(|(_, of)| of.name.text.ends_with("HostedOn"))
            });
            if is_host || !self.version().is_2() {
                needs.extend(places.get(target.node.as_str()));
            }
        }
        needs
    }

    fn cycle_of_nodes(&mut self, service: &Service, cycle: &[Step]) {
        let all: Vec<_> = cycle.iter().filter_map(|step| service.nodes.at(step.vertex)).collect();
        let names: Vec<String> = all.iter().map(|(name, _)| format!("`{}`", name.text)).collect();
        let Some((first, _)) = all.first() else { return };
        let message = match names.len() {
            1 => format!("{} needs itself", names[0]),
            _ => format!("{} need each other", names.join(", ")),
        };
        let finding = Diagnostic::error(codes::CYCLE, first.span, message);
        let note = "A node is created only when the targets of its requirements are started.";
        self.findings.push(finding.note(note));
    }
}
