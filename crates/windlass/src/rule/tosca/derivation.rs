//! Types that derive from each other, and data types that add properties to a built-in type.

use super::Checker;
use super::redeclared_names::Declared;
use super::schema::Base;
use super::violated_constraint::{violated, words};
use crate::diagnostic::Diagnostic;
use crate::lang::tosca::codes;
use crate::lang::tosca::model::{Fields, RequirementDefinition, Schema, Type, TypeId, TypeKind};
use crate::lang::tosca::switches;
use crate::lang::tosca::value::Value;
use crate::lang::tosca::version::Version;
use crate::spelling;

impl Checker<'_> {
    /// Reports cycles, and says which types are in one.
    pub(super) fn derivation(&mut self) -> Vec<TypeId> {
        let model = self.model;
        let count = model.types.iter().count();
        // 0: not visited, 1: on the way, 2: done.
        let mut state = vec![0_u8; count];
        let mut cyclic = Vec::new();
        for (start, _) in model.types.iter() {
            let mut way = Vec::new();
            let mut at = Some(start);
            while let Some(id) = at {
                let index = id.0 as usize;
                if state[index] == 1 {
                    let from = way.iter().position(|on_the_way| *on_the_way == id).unwrap_or(0);
                    self.cycle(&way[from..], id);
                    cyclic.extend_from_slice(&way[from..]);
                }
                if state[index] != 0 {
                    break;
                }
                state[index] = 1;
                way.push(id);
                at = model.types.get(id).parent.as_ref().and_then(|parent| parent.id);
            }
            for id in way {
                state[id.0 as usize] = 2;
            }
        }
        cyclic
    }

    fn cycle(&mut self, way: &[TypeId], again: TypeId) {
        /// So many names of a long cycle are said.
        const MOST: usize = 8;
        let names = way.iter().map(|id| self.model.types.get(*id).name.text.as_str());
        let of = self.model.types.get(again);
        let span = of.parent.as_ref().map_or(of.span, |parent| parent.name.span);
        let chain = names.take(MOST).map(|name| format!("`{name}`")).collect::<Vec<_>>();
        let more = match way.len().saturating_sub(MOST) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let message = format!("{} `{}` derives from itself", of.kind.as_str(), of.name.text);
        let finding = Diagnostic::error(codes::CYCLIC_TYPE, span, message);
        self.findings.push(finding.note(format!("the chain is {}{more}.", chain.join(", "))));
    }

    /// Everything about the definitions of types, the normative ones left out.
    pub(super) fn types(&mut self) {
        let model = self.model;
        let declared = Declared::new(model);
        for (id, of) in model.types.iter() {
            if model.is_normative(id) {
                continue;
            }
            if of.kind == TypeKind::Data {
                self.data_type(id);
                self.scalar_type(id);
            }
            self.defaults(id, &declared);
            self.refinements(id, &declared);
            self.refined_capabilities(id);
            self.refined_inputs(id);
            self.no_implementation(id);
            self.declared_operations(id);
            self.ranges(id);
            self.target_types(id);
        }
    }

    /// Before 2.0 the targets of a relationship are capabilities; many files name nodes.
    fn target_types(&mut self, id: TypeId) {
        let model = self.model;
        let of = model.types.get(id);
        if of.kind != TypeKind::Relationship || model.version_of(id).is_2() {
            return;
        }
        for target in of.valid.get("valid_target_types").into_iter().flatten() {
            if target.id.is_some_and(|id| model.types.get(id).kind == TypeKind::Node) {
                let name = &target.name.text;
                let message = format!("`{name}` is a node type, and no capability type");
                let span = target.name.span;
                let finding = Diagnostic::warning(codes::UNKNOWN_TYPE, span, message);
                let help = "the valid targets of a relationship are types of capabilities";
                self.findings.push(finding.help(help));
            }
        }
    }

    /// How often requirements and capabilities may be used, and what restricts a data type.
    fn ranges(&mut self, id: TypeId) {
        let model = self.model;
        let of = model.types.get(id);
        for (_, capability) in of.capabilities.iter() {
            self.bounds(capability.occurrences);
        }
        for (_, requirement) in of.requirements.iter() {
            self.bounds(requirement.count);
            self.wanted_capability(of, requirement);
        }
        if of.kind == TypeKind::Data && of.schema.constraints.is_some() {
            let version = model.version_of(id);
            let base = of.parent.as_ref().map_or(Base::Unknown, |of| model.base(of, version));
            // A scalar restricts its numbers and its units; which one is meant is not said.
            if !matches!(base, Base::Scalar(_)) {
                let parent = Schema { of: of.parent.clone(), ..of.schema.clone() };
                self.constraints_of(&parent, version);
            }
        }
    }

    /// What a requirement wants is a capability type, or from 1.3 what some node type calls one of
    /// its capabilities.
    fn wanted_capability(&mut self, of: &Type, requirement: &RequirementDefinition) {
        let model = self.model;
        let wanted = requirement.capability.as_ref().filter(|wanted| wanted.id.is_none());
        let Some(name) = wanted.map(|wanted| &wanted.name) else { return };
        let names = &model.files[of.file.0 as usize].names;
        let is_node = names.contains_key(&(TypeKind::Node, name.text.clone()));
        let has = |(_, of): (TypeId, &Type)| of.capabilities.get(&name.text).is_some();
        // Before 1.3 it was reported where it is written.
        let is_said = model.files[of.file.0 as usize].version < Version::V1_3;
        // The names of profiles and namespaces that others know are not looked at.
        let is_theirs = ["tosca:", ".nfv.", ".mec."].iter().any(|part| name.text.contains(part));
        if is_said || is_theirs || is_node || self.is_open || model.types.iter().any(has) {
            return;
        }
        let message = format!("nothing declares a capability or a capability type `{}`", name.text);
        let known = names.keys().filter(|(kind, _)| *kind == TypeKind::Capability);
        let near = spelling::nearest(&name.text, known.map(|(_, name)| name.as_str()));
        let help = near.map(|near| format!("did you mean `{near}`?"));
        self.advise(codes::UNKNOWN_TYPE, name.span, message, help);
    }

    /// A type derived from a built-in one has no properties, and `scalar` itself has no values.
    fn data_type(&mut self, id: TypeId) {
        let of = self.model.types.get(id);
        let Some(parent) = &of.parent else { return };
        let base = self.model.base(parent, self.model.version_of(id));
        if matches!(base, Base::BuiltIn(_)) && !of.properties.is_empty() {
            let message = format!("`{}` adds properties to `{}`", of.name.text, parent.name.text);
            let help = "a type derived from a built-in one restricts its values";
            self.advise(codes::REFINEMENT, parent.name.span, message, Some(help.to_owned()));
        }
    }

    /// Defaults and fixed values must fit; so must the values of refinements.
    fn defaults(&mut self, id: TypeId, declared: &Declared<'_>) {
        let model = self.model;
        let version = model.version_of(id);
        let of = model.types.get(id);
        let fields: [fn(&Type) -> &Fields<Schema>; 2] = [|of| &of.properties, |of| &of.attributes];
        for of_type in fields {
            for (name, _) in of_type(of).iter() {
                let Some(schema) = model.schema_of(id, &name.text, of_type) else { continue };
                self.schema_itself(&schema, version);
                for value in [&schema.default, &schema.value].into_iter().flatten() {
                    if value.span.source == name.span.source {
                        let before = self.findings.len();
                        self.value(value, &schema, version);
                        if self.findings.len() == before && declared.is_restricted(&name.text) {
                            self.inherited_constraints(id, &name.text, of_type, value);
                        }
                    }
                }
            }
        }
    }

    /// A value that a refinement gives satisfies what the types above ask for.
    fn inherited_constraints(
        &mut self,
        id: TypeId,
        name: &str,
        fields: fn(&Type) -> &Fields<Schema>,
        value: &Value,
    ) {
        let model = self.model;
        let is_own = fields(model.types.get(id)).get(name).is_some_and(|own| {
            [&own.default, &own.value].into_iter().flatten().any(|own| own.span == value.span)
        });
        let above = model.types.chain(id).skip(1).filter(|_| is_own);
        for (at, of) in above {
            let Some(schema) = fields(of).get(name) else { continue };
            let Some(constraints) = &schema.constraints else { continue };
            let Some(kind) = &schema.of else { continue };
            let base = model.base(kind, model.version_of(at));
            if let Some(reason) = violated(model, value, base, constraints) {
                let message = format!("`{}` is not allowed: {reason}", words(value));
                return self.error(codes::CONSTRAINT, value.span, message);
            }
        }
    }

    /// `scalar` is abstract: something must say the units.
    pub(super) fn schema_itself(&mut self, schema: &Schema, version: Version) {
        if let Some(of) = &schema.of
            && of.id.is_none()
            && of.name.text == "scalar"
            && version.is_2()
        {
            let message = "`scalar` has no units: derive a type from it";
            self.error(codes::SCALAR, of.name.span, message);
        }
        self.constraints_of(schema, version);
        for inner in [&schema.entry, &schema.key].into_iter().flatten() {
            self.schema_itself(inner, version);
        }
    }

    /// Operations of interface types are implemented elsewhere.
    fn no_implementation(&mut self, id: TypeId) {
        let of = self.model.types.get(id);
        if of.kind != TypeKind::Interface || !self.model.version_of(id).is_2() {
            return;
        }
        for (name, operation) in of.operations.iter() {
            if let Some(implementation) = &operation.implementation {
                let message = format!("`{}` is implemented in an interface type", name.text);
                let help = "implement it in a node type, a relationship type or a template";
                let (code, span) = (codes::OPERATION, implementation.span);
                self.advise(code, span, message, Some(help.to_owned()));
                self.quirk(switches::IMPLEMENTED_INTERFACE_TYPES);
            }
        }
    }
}
