//! What functions ask of hosts, of operations and of types.

use super::Checker;
use super::function::Place;
use super::property_path::Walk;
use crate::diagnostic::Diagnostic;
use crate::lang::tosca::codes;
use crate::lang::tosca::model::{NodeTemplate, Service, TypeId, TypeKind};
use crate::lang::tosca::value::Value;
use crate::lang::tosca::version::Version;
use crate::spelling;

/// The relationship of a node to what hosts it.
const HOSTED_ON: &str = "tosca.relationships.HostedOn";

impl Checker<'_> {
    /// One of the hosts below a node has what is asked for, when all of them are known.
    pub(super) fn of_hosts(
        &mut self,
        service: &Service,
        node: &NodeTemplate,
        rest: &[Value],
        with_attributes: bool,
    ) {
        let walk = Walk { model: self.model, service, with_attributes };
        let is_host = |of: TypeId| self.model.types.derives_from_name(of, HOSTED_ON);
        let (mut at, mut wrong, mut seen) = (node, None, Vec::new());
        loop {
            let mut own = at.requirements.iter().filter_map(|(_, it)| it.target.as_ref());
            let target = own.find(|target| target.relationship.is_some_and(is_host));
            let Some((name, host)) = target.and_then(|to| service.nodes.entry(&to.node)) else {
                break;
            };
            if seen.contains(&name.text.as_str()) {
                return;
            }
            seen.push(&name.text);
            match walk.follow(Walk::node(&name.text, host), rest) {
                Ok(_) => return,
                Err(reason) => wrong = wrong.or(Some(reason)),
            }
            at = host;
        }
        if let Some(wrong) = wrong {
            self.advise(wrong.code, wrong.span, wrong.message, wrong.help);
        }
    }

    /// The operation whose output is asked for exists, and gives it.
    pub(super) fn get_output(&mut self, service: &Service, arguments: &Value, place: Place<'_>) {
        let [entity, interface, operation, output, ..] = arguments.items() else {
            let message = "`get_operation_output` takes a node, an interface, an operation and \
                           the name of an output";
            return self.error(codes::FUNCTION, arguments.span, message);
        };
        let node = match (entity.text(), place) {
            (Some("SELF"), Place::Node(_, node)) => node,
            (Some(name), _) => match service.nodes.get(name) {
                Some(node) => node,
                None => return,
            },
            _ => return,
        };
        let Some(id) = node.of.id.filter(|id| !self.model.is_opaque(*id)) else { return };
        let (Some(interface_name), Some(name)) = (interface.text(), operation.text()) else {
            return;
        };
        let own = node.interfaces.get(interface_name);
        let Some(mut known) = self.operations(id, interface_name) else {
            if own.is_none() {
                let of = &self.model.types.get(id).name.text;
                let message = format!("`{of}` has no interface `{interface_name}`");
                let chain = self.model.types.chain(id);
                let names: Vec<&str> = chain.flat_map(|(_, of)| of.interfaces.names()).collect();
                let near = spelling::nearest(interface_name, names);
                let help = near.map(|near| format!("did you mean `{near}`?"));
                self.advise(codes::UNKNOWN_NAME, interface.span, message, help);
            }
            return;
        };
        known.extend(own.into_iter().flat_map(|own| own.operations.names()));
        if !known.contains(&name) {
            let message = format!("the interface `{interface_name}` has no operation `{name}`");
            let near = spelling::nearest(name, known);
            let help = near.map(|near| format!("did you mean `{near}`?"));
            return self.advise(codes::UNKNOWN_NAME, operation.span, message, help);
        }
        let chain = self.model.types.chain(id);
        let all = chain.filter_map(|(_, of)| of.interfaces.get(interface_name)).chain(own);
        let all = all.filter_map(|it| it.operations.get(name));
        let outputs: Vec<&str> = all.flat_map(|it| it.outputs.names()).collect();
        if let Some(text) = output.text()
            && !outputs.contains(&text)
            // Operations before 1.3 declare no outputs.
            && (!outputs.is_empty() || self.version() >= Version::V1_3)
        {
            let message = format!("`{name}` declares no output `{text}`");
            let finding = Diagnostic::warning(codes::UNKNOWN_NAME, output.span, message);
            let known = if outputs.is_empty() {
                Some("it declares none: `outputs` of an operation say what it gives".to_owned())
            } else {
                spelling::advice("output", text, outputs.into_iter(), 0)
            };
            self.findings.push(finding.help(known.unwrap_or_default()));
        }
    }

    /// The type whose nodes are asked for exists.
    pub(super) fn get_nodes(&mut self, arguments: &Value) {
        let at = arguments.items().first().unwrap_or(arguments);
        let Some(name) = at.text() else { return };
        if self.model.type_named(TypeKind::Node, name).is_none() && !self.is_open {
            let message = format!("there is no node type `{name}`");
            let near = spelling::nearest(name, self.model.names_of(TypeKind::Node));
            let help = near.map(|near| format!("did you mean `{near}`?"));
            self.advise(codes::UNKNOWN_TYPE, at.span, message, help);
        }
    }

    /// Whether a node that asks its host has one; it is reported when it has none.
    pub(super) fn host(&mut self, name: &str, node: &NodeTemplate, at: &Value) -> bool {
        let Some(id) = node.of.id.filter(|id| !self.model.is_opaque(*id)) else { return false };
        let has_host = self.model.requirement_names(id).iter().any(|requirement| {
            let of = self.model.requirement(id, requirement).and_then(|r| r.relationship?.id);
            of.is_some_and(|of| {
                self.model.types.chain(of).any(|(_, of)| of.name.text.ends_with("HostedOn"))
            }) || *requirement == "host"
        });
        if !has_host {
            let message = format!("`{name}` is hosted on nothing");
            self.error(codes::FUNCTION, at.span, message);
        }
        has_host
    }
}
