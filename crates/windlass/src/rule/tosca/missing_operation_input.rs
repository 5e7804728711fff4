//! Inputs that operations need and that nothing gives a value.
//!
//! Only operations that an orchestrator calls by itself are asked, and only those that something
//! carries out; what calls other ones gives them their inputs. An input of the whole interface that
//! one operation is given, the others may do without. Other processors tolerate all of it, so the
//! findings are warnings.

use super::Checker;
use super::template::named_interface;
use crate::diagnostic::Diagnostic;
use crate::lang::tosca::codes;
use crate::lang::tosca::model::{ActivityKind, Fields, Interface, Parameter, TypeId};
use crate::lang::tosca::value::Name;
use std::collections::BTreeSet;

impl Checker<'_> {
    /// The operations of a life cycle, of a template with its type.
    pub(super) fn needed_inputs(
        &mut self,
        id: TypeId,
        life: &str,
        name: &Name,
        interfaces: &Fields<Interface>,
    ) {
        let model = self.model;
        if model.is_opaque(id) {
            return;
        }
        let is_life = |name: &str| name.rsplit('.').next() == Some(life);
        let own = interfaces.iter().filter(|(name, _)| is_life(&name.text)).map(|(_, it)| it);
        let chain = model.types.chain(id);
        let inherited = chain.filter_map(|(_, of)| named_interface(model, of, life));
        let all: Vec<&Interface> = own.chain(inherited.map(|(_, it)| it)).collect();
        let operations: BTreeSet<&str> = all.iter().flat_map(|it| it.operations.names()).collect();
        let mut said: BTreeSet<String> = BTreeSet::new();
        for operation in operations {
            let mut bodies = all.iter().filter_map(|it| it.operations.get(operation));
            if bodies.all(|body| body.implementation.is_none()) {
                continue;
            }
            for input in self.without_value(&all, operation) {
                if self.is_of_interface(&all, operation, &input) && !said.insert(input.clone()) {
                    continue;
                }
                let message = format!(
                    "`{operation}` of `{}` needs the input `{input}`, which has no value",
                    name.text
                );
                let help = format!(
                    "give `{input}` a value, or let its definition have a `default` or say \
                     `required: false`"
                );
                let finding = Diagnostic::warning(codes::MISSING_VALUE, name.span, message);
                self.findings.push(finding.help(help));
            }
        }
    }

    /// The required inputs of an operation without a value, by what declares it, nearest first.
    fn without_value(&self, all: &[&Interface], operation: &str) -> Vec<String> {
        let known = self.known_inputs(all, operation);
        let typed = known.iter().filter(|(_, it)| it.schema.of.is_some());
        let names: BTreeSet<&str> = typed.map(|(name, _)| name.text.as_str()).collect();
        let is_open = |input: &&str| {
            let said: Vec<&Parameter> =
                known.iter().filter(|(name, _)| name.text == **input).map(|(_, it)| *it).collect();
            let required = said.iter().find_map(|it| it.schema.required);
            let is_given = || {
                let others = || all.iter().flat_map(|it| it.operations.iter());
                let elsewhere = || others().filter_map(|(_, it)| it.inputs.get(input));
                said.iter().copied().any(has_value)
                    || self.is_of_interface(all, operation, input) && elsewhere().any(has_value)
                    || self.is_given_by_step(operation, input)
            };
            required != Some(false) && !is_given()
        };
        names.into_iter().filter(is_open).map(str::to_owned).collect()
    }

    /// What is said about the inputs of an operation and of its interface, nearest first.
    fn known_inputs<'m>(
        &'m self,
        all: &[&'m Interface],
        operation: &str,
    ) -> Vec<(&'m Name, &'m Parameter)> {
        let types = &self.model.types;
        let mut known = Vec::new();
        for interface in all {
            let own = interface.operations.get(operation).map(|it| &it.inputs);
            known.extend(own.into_iter().chain([&interface.inputs]).flat_map(Fields::iter));
        }
        for of in all.iter().filter_map(|it| it.of.as_ref()?.id) {
            for (_, of) in types.chain(of) {
                let own = of.operations.get(operation).map(|it| &it.inputs);
                known.extend(own.into_iter().chain([&of.inputs]).flat_map(Fields::iter));
            }
        }
        known
    }

    /// Whether the type of a node says a value of an input, or that it may go without: where the
    /// input is declared, or where a derived type or an interface definition refines it.
    pub(super) fn is_settled(&self, of: TypeId, called: (&str, &str), input: &str) -> bool {
        let (model, (interface, operation)) = (self.model, called);
        let chain = model.types.chain(of);
        let inherited = chain.filter_map(|(_, of)| named_interface(model, of, interface));
        let all: Vec<&Interface> = inherited.map(|(_, it)| it).collect();
        let known = self.known_inputs(&all, operation);
        let said = || known.iter().filter(|(name, _)| name.text == input).map(|(_, it)| *it);
        said().find_map(|it| it.schema.required) == Some(false) || said().any(has_value)
    }

    /// Whether only the interface declares an input, for all of its operations.
    fn is_of_interface(&self, all: &[&Interface], operation: &str, input: &str) -> bool {
        let types = &self.model.types;
        let chains = all.iter().filter_map(|it| it.of.as_ref()?.id);
        let typed = chains.flat_map(|of| types.chain(of)).map(|(_, of)| &of.operations);
        let mut operations = all.iter().map(|it| &it.operations).chain(typed);
        operations.all(|known| {
            let own = known.get(operation).and_then(|it| it.inputs.get(input));
            own.is_none_or(|it| it.schema.of.is_none())
        })
    }

    /// Whether a step of a workflow calls the operation and gives it the input.
    fn is_given_by_step(&self, operation: &str, input: &str) -> bool {
        let service = self.model.service.as_ref();
        let workflows = service.into_iter().flat_map(|service| service.workflows.iter());
        let mut steps = workflows.flat_map(|(_, workflow)| workflow.steps.iter());
        steps.any(|(_, step)| {
            step.activities.iter().any(|activity| {
                activity.kind == ActivityKind::CallOperation
                    && activity.subject.text.rsplit(['.', '/']).next() == Some(operation)
                    && activity.inputs.get(input).is_some()
            })
        })
    }
}

fn has_value(input: &Parameter) -> bool {
    input.value.is_some() || input.schema.value.is_some() || input.schema.default.is_some()
}
