//! Nodes that need each other before either can be there.

use super::Checker;
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
        let edges: Vec<Vec<usize>> =
            service.nodes.iter().map(|(_, node)| self.needs(node, &places)).collect();
        let mut state = vec![0_u8; edges.len()];
        for start in 0..edges.len() {
            let mut way: Vec<(usize, usize)> = vec![(start, 0)];
            if state[start] != 0 {
                continue;
            }
            state[start] = 1;
            while let Some((at, next)) = way.last_mut() {
                let Some(to) = edges[*at].get(*next).copied() else {
                    state[*at] = 2;
                    way.pop();
                    continue;
                };
                *next += 1;
                match state[to] {
                    0 => {
                        state[to] = 1;
                        way.push((to, 0));
                    }
                    1 => self.cycle_of_nodes(service, &way, to),
                    _ => {}
                }
            }
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

    fn cycle_of_nodes(&mut self, service: &Service, way: &[(usize, usize)], again: usize) {
        let from = way.iter().position(|(at, _)| *at == again).unwrap_or(0);
        let name = |at: usize| service.nodes.at(at).map(|(name, _)| name);
        let names: Vec<String> = way[from..]
            .iter()
            .filter_map(|(at, _)| name(*at))
            .map(|name| format!("`{}`", name.text))
            .collect();
        let Some(first) = name(again) else { return };
        let message = match names.len() {
            1 => format!("{} needs itself", names[0]),
            _ => format!("{} need each other", names.join(", ")),
        };
        let finding = Diagnostic::error(codes::CYCLE, first.span, message);
        let note = "A node is created only when the targets of its requirements are started.";
        self.findings.push(finding.note(note));
    }
}
