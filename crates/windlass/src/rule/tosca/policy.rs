//! Policies and groups: members, targets, and what triggers call.

use super::Checker;
use crate::lang::tosca::codes;
use crate::lang::tosca::model::{Activity, ActivityKind, Policy, Service, TypeId, TypeRef};
use crate::lang::tosca::value::Name;
use crate::lang::tosca::weaving::Weaving;
use crate::spelling;

impl Checker<'_> {
    pub(super) fn policies(&mut self) {
        let model = self.model;
        let Some(service) = &model.service else { return };
        for (_, group) in service.groups.iter() {
            for member in &group.members {
                self.member(service, member, "member");
                self.valid_member(service, group.of.id, "members", member);
            }
        }
        for (_, policy) in service.policies.iter() {
            for target in &policy.targets {
                self.member(service, target, "target");
                self.valid_member(service, policy.of.id, "targets", target);
            }
            self.weaving(policy);
            for (name, trigger) in policy.triggers.iter() {
                self.trigger(service, name, trigger);
                self.condition(service, policy, trigger);
                for action in &trigger.actions {
                    self.action(service, policy, action);
                }
            }
        }
    }

    /// The rules that a service chooses exist.
    fn weaving(&mut self, policy: &Policy) {
        let Some(rules) = policy.properties.get("rules") else { return };
        let Some(name) = rules.text() else { return };
        let is_ours = policy.of.name.text.ends_with("windlass.policies.Weaving");
        if is_ours && Weaving::named(name).is_none() {
            let message = format!("there are no weaving rules `{name}`");
            let help = spelling::known("rule set", Weaving::names());
            self.advise(codes::UNKNOWN_NAME, rules.span, message, Some(help));
        }
    }

    /// The type of a group or policy may say what it is for; a group stands for its members.
    fn valid_member(&mut self, service: &Service, of: Option<TypeId>, key: &str, name: &Name) {
        let model = self.model;
        let Some(valid) = of.and_then(|of| model.nearest(of, |of| of.valid.get(key))) else {
            return;
        };
        let fits = |id: TypeId| {
            let is_open = |it: &TypeRef| it.id.is_none_or(|it| model.types.derives(id, it));
            valid.is_empty() || model.is_opaque(id) || valid.iter().any(is_open)
        };
        let node = |name: &str| service.nodes.get(name).and_then(|node| node.of.id);
        let is_fit = match (node(&name.text), service.groups.get(&name.text)) {
            (Some(id), _) => fits(id),
            (None, Some(group)) => {
                let members = group.members.iter();
                // A member that does not exist was reported as such.
                let mut members = members.map(|member| node(&member.text));
                group.of.id.is_some_and(fits)
                    || group.members.is_empty()
                    || members.any(|member| member.is_none_or(fits))
            }
            (None, None) => true,
        };
        if !is_fit {
            let names: Vec<String> = valid.iter().map(|of| format!("`{}`", of.name.text)).collect();
            let of = of.map(|of| model.types.get(of).name.text.as_str()).unwrap_or_default();
            let message = format!("`{of}` is not for `{}`", name.text);
            let help = format!("its {key} are of type {}", names.join(", "));
            self.advise(codes::UNMATCHED, name.span, message, Some(help));
            // Other processors accept it, and real files do it.
            self.tolerate(true);
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
        match action.kind {
            ActivityKind::Inline => return self.inlined(service, action),
            ActivityKind::SetState => return self.state(&action.subject),
            ActivityKind::Delegate => return self.delegated(service, action),
            ActivityKind::CallOperation => {}
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
        if let [only] = types[..] {
            self.called_inputs(only, action);
        }
        let has = types.iter().any(|id| self.has_operation(*id, &action.subject.text));
        if !has && !is_open {
            let message = format!("no target has the operation `{}`", action.subject.text);
            self.error(codes::OPERATION, action.subject.span, message);
        }
    }

    /// Whether a type has an operation, written `Interface.operation`.
    pub(super) fn has_operation(&self, id: TypeId, name: &str) -> bool {
        let Some((interface, operation)) = name.rsplit_once(['.', '/']) else { return false };
        let known = self.operations(id, interface);
        known.is_some_and(|known| known.contains(&operation))
    }
}
