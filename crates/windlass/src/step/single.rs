//! Stepping where every node is one instance (paper 003, and later BARREL's explicit handlers).

use std::collections::BTreeMap;

use super::{Bound, Choice, Done, NotDone, Walk};
use crate::application::{GlobalState, Instance, InstanceId, NodeId};
use crate::lifecycle::protocol::Element;
use crate::semantics::Semantics;
use crate::semantics::protocol::{Action, ServiceTemplate, States};
use crate::system::System;

/// What can be written.
const WORDS: &str = "write `start NODE OPERATION`, `handle NODE REQUIREMENT`, `reset NODE`, `undo`, `show`, \
     `options`, `save FILE` or `quit`";

/// An application of single instances with a state that lines change.
pub struct Single<'a> {
    template: ServiceTemplate<'a>,
    /// The states so far; the last one is now.
    history: Vec<States>,
}

impl<'a> Single<'a> {
    /// Begins where the system starts.
    pub fn new(template: ServiceTemplate<'a>) -> Self {
        let history = vec![template.start.clone()];
        Single { template, history }
    }

    fn now(&self) -> &States {
        self.history.last().unwrap_or(&self.template.start)
    }

    /// The action that a line says.
    fn action(&self, line: &str) -> Result<Action, NotDone> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (word, node, role) = match words.as_slice() {
            [word @ ("start" | "handle"), node, role] => (*word, *node, *role),
            ["reset", node] => ("reset", *node, ""),
            _ => return Err(NotDone::NoCommand(WORDS)),
        };
        let application = self.template.application();
        let Some(node) = application.node_named(node) else {
            let known = application.node_ids().map(|id| &*application.node(id).name);
            let known = crate::spelling::known("node", known);
            return Err(NotDone::UnknownNode { name: node.to_owned(), known });
        };
        let component = application.type_of(node);
        let unknown = |what| NotDone::UnknownRole {
            component: component.name.clone(),
            what,
            name: role.to_owned(),
        };
        match word {
            "start" => {
                let operation = component.operation_named(role);
                let operation = operation.ok_or_else(|| unknown("operation"))?;
                Ok(Action::Perform { node, operation })
            }
            "handle" => {
                let requirement = component.requirement_named(role);
                let requirement = requirement.ok_or_else(|| unknown("requirement"))?;
                Ok(Action::HandleFault { node, requirement })
            }
            _ => Ok(Action::HardReset { node }),
        }
    }

    /// What would come of an action.
    fn look(&self, action: &Action) -> Result<(States, Done), NotDone> {
        let outcomes = self.template.step(self.now(), action);
        let explained = |blocked| NotDone::Blocked(self.template.explain(&blocked));
        let outcomes = outcomes.map_err(explained)?;
        let after = outcomes.first().clone();
        let application = self.template.application();
        let pending = self.template.faults(&after).into_iter().map(|(node, requirement)| {
            let requirement = &application.type_of(node).requirements[requirement.index()].name;
            format!("fault: {} loses {requirement}", application.node(node).name)
        });
        let consequences = pending.collect();
        let alternatives = outcomes.len() - 1;
        Ok((after, Done { consequences, alternatives, ..Done::default() }))
    }

    fn choice(&self, command: String, action: &Action) -> Choice {
        let (blocked, done) = match self.look(action) {
            Ok((_, done)) => (None, done),
            Err(reason) => (Some(reason.to_string()), Done::default()),
        };
        Choice { command, blocked, consequences: done.consequences }
    }

    /// What can be done to a node: its operations, its faults, and its reset.
    fn choices_of(&self, node: NodeId) -> Vec<Choice> {
        let application = self.template.application();
        let name = &application.node(node).name;
        let component = application.type_of(node);
        let mut all = Vec::new();
        for operation in &component.operations {
            if let Some(id) = component.operation_named(&operation.name) {
                let action = Action::Perform { node, operation: id };
                all.push(self.choice(format!("start {name} {}", operation.name), &action));
            }
        }
        for (at, requirement) in self.template.faults(self.now()) {
            if at == node {
                let role = &component.requirements[requirement.index()].name;
                let action = Action::HandleFault { node, requirement };
                all.push(self.choice(format!("handle {name} {role}"), &action));
            }
        }
        if self.template.hard_recovery && self.template.container(node).is_some() {
            all.push(self.choice(format!("reset {name}"), &Action::HardReset { node }));
        }
        all
    }
}

impl Walk for Single<'_> {
    fn perform(&mut self, line: &str) -> Result<Done, NotDone> {
        match line {
            "show" => Ok(Done::default()),
            "options" => {
                let nodes = self.template.application().node_ids();
                let options = nodes.flat_map(|node| self.choices_of(node)).collect();
                Ok(Done { options, ..Done::default() })
            }
            "undo" if self.history.len() < 2 => Err(NotDone::NothingToUndo),
            "undo" => {
                self.history.pop();
                Ok(Done::default())
            }
            line => {
                let (after, done) = self.look(&self.action(line)?)?;
                self.history.push(after);
                Ok(done)
            }
        }
    }

    fn places(&self) -> BTreeMap<String, String> {
        let application = self.template.application();
        let place = |node| {
            let state = self.template.protocol(node).state(self.now().of(node));
            (application.node(node).name.clone(), state.name.clone())
        };
        application.node_ids().map(place).collect()
    }

    fn bindings(&self) -> Bound {
        let application = self.template.application();
        let mut all = Bound::new();
        for node in application.node_ids() {
            for binding in &application.node(node).bindings {
                if self.template.is_offered(self.now(), node, binding.requirement) {
                    let component = application.type_of(node);
                    let role = component.requirements[binding.requirement.index()].name.clone();
                    let of_node = all.entry(application.node(node).name.clone()).or_default();
                    let target = application.node(binding.target).name.clone();
                    of_node.entry(role).or_default().push(target);
                }
            }
        }
        all
    }

    fn state(&self) -> Option<GlobalState> {
        let application = self.template.application();
        let mut global = GlobalState::empty();
        for node in application.node_ids() {
            let element = Element::State(self.now().of(node));
            let id = InstanceId(application.node(node).name.clone());
            global.instances.insert(id, Instance { node, element });
        }
        Some(global)
    }
}
