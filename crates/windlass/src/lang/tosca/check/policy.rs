//! Policies and groups: members, targets, and what triggers call.

use super::super::codes;
use super::super::model::{Activity, ActivityKind, Policy, Service};
use super::super::value::Name;
use super::Checker;
use crate::spelling;

impl Checker<'_> {
    pub(super) fn policies(&mut self) {
        let model = self.model;
        let Some(service) = &model.service else { return };
        for (_, group) in service.groups.iter() {
            for member in &group.members {
                self.member(service, member, "member");
            }
        }
        for (_, policy) in service.policies.iter() {
            for target in &policy.targets {
                self.member(service, target, "target");
            }
            for (_, trigger) in policy.triggers.iter() {
                for action in &trigger.actions {
                    self.action(service, policy, action);
                }
            }
        }
    }

    fn member(&mut self, service: &Service, name: &Name, word: &str) {
        let is_known =
            service.nodes.get(&name.text).is_some() || service.groups.get(&name.text).is_some();
        if !is_known {
            let message = format!("the {word} `{}` is no node template and no group", name.text);
            let known = service.nodes.names().chain(service.groups.names());
            let help = spelling::nearest(&name.text, known).map(|n| format!("did you mean `{n}`?"));
            self.advise(codes::UNKNOWN_NAME, name.span, message, help);
        }
    }

    /// An operation that a trigger calls exists on a target.
    fn action(&mut self, service: &Service, policy: &Policy, action: &Activity) {
        if action.kind == ActivityKind::Inline {
            return self.known_workflow(service, &action.subject);
        }
        if action.kind != ActivityKind::CallOperation {
            return;
        }
        let names: Vec<&str> = if policy.targets.is_empty() {
            service.nodes.names().collect()
        } else {
            policy
                .targets
                .iter()
                .flat_map(|target| match service.groups.get(&target.text) {
                    Some(group) => group.members.iter().map(|name| name.text.as_str()).collect(),
                    None => vec![target.text.as_str()],
                })
                .collect()
        };
        let types: Vec<_> =
            names.iter().filter_map(|name| service.nodes.get(name)?.of.id).collect();
        let is_open = types.len() < names.len() || types.iter().any(|id| self.model.is_opaque(*id));
        let has = types.iter().any(|id| self.has_operation(*id, &action.subject.text));
        if !has && !is_open {
            let message = format!("no target has the operation `{}`", action.subject.text);
            self.error(codes::OPERATION, action.subject.span, message);
        }
    }

    /// Whether a type has an operation, written `Interface.operation`.
    pub(super) fn has_operation(&self, id: super::super::model::TypeId, name: &str) -> bool {
        let Some((interface, operation)) = name.rsplit_once(['.', '/']) else { return false };
        let known = self.operations(id, interface);
        known.is_some_and(|known| known.contains(&operation))
    }
}
