//! What a derived type declares again must fit what it derives from.

use super::Checker;
use super::redeclared_names::Declared;
use crate::lang::tosca::build::is_built_in;
use crate::lang::tosca::codes;
use crate::lang::tosca::model::{
    Fields, Interface, Parameter, Range, Schema, Type, TypeId, TypeKind, TypeRef,
};
use crate::lang::tosca::value::{Data, Name, Value};

/// So many types above are asked about an input: hand-written chains are shorter.
const ASKED: usize = 100;

impl Checker<'_> {
    pub(super) fn refinements(&mut self, id: TypeId, declared: &Declared<'_>) {
        let model = self.model;
        let of = model.types.get(id);
        if of.parent.is_none() {
            for (name, schema) in of.properties.iter() {
                self.untyped(id, name, schema, "property");
            }
            for (name, schema) in of.attributes.iter() {
                self.untyped(id, name, schema, "attribute");
            }
            return;
        }
        self.refined_schemas(id, declared, |of| &of.properties, "property");
        self.refined_schemas(id, declared, |of| &of.attributes, "attribute");
        for (name, own) in of.capabilities.iter() {
            let mut chain = model.types.chain(id).skip(1);
            let from = chain.find_map(|(_, of)| of.capabilities.get(&name.text));
            if let (Some(own), Some(from)) = (&own.of, from.and_then(|from| from.of.as_ref())) {
                self.must_derive(own, from, &format!("the capability `{}`", name.text));
            }
        }
        for (name, own) in of.requirements.iter() {
            let mut chain = model.types.chain(id).skip(1);
            let from = chain.find_map(|(_, of)| of.requirements.get(&name.text));
            let Some(from) = from else { continue };
            let what = format!("the requirement `{}`", name.text);
            for (own, from) in [
                (&own.capability, &from.capability),
                (&own.node, &from.node),
                (&own.relationship, &from.relationship),
            ] {
                if let (Some(own), Some(from)) = (own, from) {
                    self.must_derive(own, from, &what);
                }
            }
            self.must_lie_within(own.count, from.count, &what);
        }
        self.refined_artifacts(id, of);
        self.refined_interfaces(id, of);
    }

    /// How often something may be used is a part of what was allowed before.
    fn must_lie_within(&mut self, own: Option<Range>, from: Option<Range>, what: &str) {
        let (Some(own), Some(from)) = (own, from) else { return };
        let wider = match (own.upper, from.upper) {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some(own), Some(from)) => own > from,
        };
        if own.lower < from.lower || wider {
            let words = |range: Range| {
                let upper = range.upper.map_or("UNBOUNDED".to_owned(), |upper| upper.to_string());
                format!("[{}, {upper}]", range.lower)
            };
            let message = format!("{what} may be used {} and not {}", words(from), words(own));
            let help = "a refinement lies within the bounds of the type it derives from";
            self.advise(codes::REFINEMENT, own.span, message, Some(help.to_owned()));
            // Before 2.0 the text says nothing about it.
            self.tolerate(true);
        }
    }

    /// An artifact that is declared again is of the same type or of one that derives from it.
    fn refined_artifacts(&mut self, id: TypeId, of: &Type) {
        let model = self.model;
        for (name, own) in of.artifacts.iter() {
            let mut chain = model.types.chain(id).skip(1);
            let from = chain.find_map(|(_, of)| of.artifacts.get(&name.text)?.of.as_ref());
            if let (Some(own), Some(from)) = (&own.of, from) {
                let before = self.findings.len();
                self.must_derive(own, from, &format!("the artifact `{}`", name.text));
                // Before 2.0 most artifacts have invented types.
                self.tolerate(self.findings.len() > before);
            }
        }
    }

    /// An interface keeps its type.
    fn refined_interfaces(&mut self, id: TypeId, of: &Type) {
        let model = self.model;
        for (name, own) in of.interfaces.iter() {
            let chain = model.types.chain(id).skip(1);
            let inherited: Vec<&Interface> =
                chain.filter_map(|(_, of)| of.interfaces.get(&name.text)).collect();
            let from = inherited.iter().find_map(|it| it.of.as_ref());
            if let (Some(own), Some(from)) = (&own.of, from) {
                self.must_derive(own, from, &format!("the interface `{}`", name.text));
            }
        }
    }

    /// Inputs of operations and of whole interfaces keep their types: against the types above, then
    /// against the interface type; and so do those of an interface type itself.
    pub(super) fn refined_inputs(&mut self, id: TypeId) {
        let (model, of) = (self.model, self.model.types.get(id));
        if model.version_of(id).is_2() != self.version().is_2() {
            return;
        }
        if of.inputs.is_empty() && of.operations.is_empty() && of.interfaces.is_empty() {
            return;
        }
        let above = model.types.chain(id).skip(1).take(ASKED);
        let above: Vec<&Type> = above.map(|(_, of)| of).collect();
        for (input, parameter) in of.inputs.iter() {
            let from = above.iter().filter_map(|it| it.inputs.get(&input.text)).collect::<Vec<_>>();
            self.refined_input(input, parameter, &of.name.text, &from);
        }
        for (name, own) in of.operations.iter() {
            let known: Vec<_> =
                above.iter().filter_map(|it| it.operations.get(&name.text)).collect();
            for (input, parameter) in own.inputs.iter() {
                let from =
                    known.iter().filter_map(|it| it.inputs.get(&input.text)).collect::<Vec<_>>();
                self.refined_input(input, parameter, &name.text, &from);
            }
        }
        for (name, own) in of.interfaces.iter() {
            let inherited: Vec<&Interface> =
                above.iter().filter_map(|it| it.interfaces.get(&name.text)).collect();
            let mut named = std::iter::once(own).chain(inherited.iter().copied());
            let typed = named.find_map(|it| it.of.as_ref()?.id);
            let types = typed.into_iter().flat_map(|of| model.types.chain(of)).take(ASKED);
            let types: Vec<&Type> = types.map(|(_, of)| of).collect();
            for (input, parameter) in own.inputs.iter() {
                let all = inherited.iter().map(|it| &it.inputs);
                let all = all.chain(types.iter().map(|of| &of.inputs));
                let from = all.filter_map(|it| it.get(&input.text)).collect::<Vec<_>>();
                self.refined_input(input, parameter, &name.text, &from);
            }
            for (operation, body) in own.operations.iter() {
                let all = inherited.iter().map(|it| &it.operations);
                let all = all.chain(types.iter().map(|of| &of.operations));
                let known: Vec<_> = all.filter_map(|it| it.get(&operation.text)).collect();
                for (input, parameter) in body.inputs.iter() {
                    let from = known
                        .iter()
                        .filter_map(|it| it.inputs.get(&input.text))
                        .collect::<Vec<_>>();
                    self.refined_input(input, parameter, &operation.text, &from);
                }
            }
        }
    }

    /// One input against what is said about it above, nearest first.
    fn refined_input(&mut self, input: &Name, own: &Parameter, owner: &str, from: &[&Parameter]) {
        let typed = from.iter().find(|it| it.schema.of.is_some());
        let above = typed.and_then(|it| it.schema.of.as_ref());
        if let (Some(own), Some(above)) = (&own.schema.of, above) {
            self.must_derive(own, above, &format!("the input `{}` of `{owner}`", input.text));
        }
        // What is given without a type is held against the definition with one elsewhere.
        let is_said = own.schema.of.is_none() && typed.is_some_and(|it| it.schema.value.is_some());
        let fixed = from.iter().find(|it| it.schema.value.is_some()).filter(|_| !is_said);
        let value = own.value.as_ref().or(own.schema.value.as_ref());
        if let (Some(value), Some(fixed)) = (value.or(own.schema.default.as_ref()), fixed) {
            self.unfixed(value, &fixed.schema);
        }
    }

    /// What a node type says about the properties of a capability refines what its type says.
    pub(super) fn refined_capabilities(&mut self, id: TypeId) {
        let model = self.model;
        for (name, own) in model.types.get(id).capabilities.iter() {
            let Some(of) = model.capability_type(id, &name.text) else { continue };
            let inherited = model.schemas(of, |of| &of.properties);
            for (property, schema) in own.properties.iter() {
                let from = inherited.get(&property.text).and_then(|from| from.of.as_ref());
                if let (Some(own), Some(from)) = (&schema.of, from) {
                    self.must_derive(own, from, &format!("the property `{}`", property.text));
                }
            }
        }
    }

    fn refined_schemas(
        &mut self,
        id: TypeId,
        declared: &Declared<'_>,
        fields: fn(&Type) -> &Fields<Schema>,
        word: &str,
    ) {
        let model = self.model;
        for (name, schema) in fields(model.types.get(id)).iter() {
            let above = model.types.chain(id).skip(1);
            let mut chain = above.take_while(|_| !declared.is_alone(&name.text));
            let from = chain.find_map(|(_, at)| fields(at).get(&name.text));
            let Some(from) = from else {
                self.untyped(id, name, schema, word);
                continue;
            };
            let what = format!("the {word} `{}`", name.text);
            if let (Some(own), Some(from)) = (&schema.of, &from.of) {
                self.must_derive(own, from, &what);
            }
            if let Some(value) = schema.value.as_ref().or(schema.default.as_ref()) {
                self.unfixed(value, from);
            }
            if from.required.unwrap_or(true)
                && schema.required == Some(false)
                && from.required == Some(true)
            {
                let message = format!("{what} is required by the type it derives from");
                self.error(codes::REFINEMENT, name.span, message);
            }
        }
    }

    /// Without an inherited definition a type must be named.
    fn untyped(&mut self, id: TypeId, name: &Name, schema: &Schema, word: &str) {
        let section = if word == "property" { "properties" } else { "attributes" };
        let written = self.model.types.get(id).body.get(section);
        let written = written.and_then(|all| all.get(&name.text));
        // What is no definition at all was reported as such; in 2.0 it is the value of a property
        // that is inherited.
        let is_map = written.is_none_or(|it| matches!(it.data, Data::Map(_) | Data::Null));
        let is_new = is_map || self.version().is_2();
        if schema.of.is_none() && !self.model.is_opaque(id) && is_new {
            let message = format!("the {word} `{}` has no `type`", name.text);
            let value = schema.value.as_ref().and_then(Value::text).filter(|_| !is_map);
            let help = value.map(|it| format!("write `{}: {{ type: {it} }}`", name.text));
            self.advise(codes::MISSING_KEY, name.span, message, help);
        }
    }

    /// Whether two capability types derive from one that is not the root: before 2.0 a wider type
    /// or a sibling is common and does little harm.
    fn are_kin(&self, own: TypeId, from: TypeId) -> bool {
        let types = &self.model.types;
        let is_root = |of: &Type| of.name.text.ends_with(".Root") || of.parent.is_none();
        types.get(own).kind == TypeKind::Capability
            && (types.derives(from, own)
                || types.chain(own).any(|(at, of)| !is_root(of) && types.derives(from, at)))
    }

    fn must_derive(&mut self, own: &TypeRef, from: &TypeRef, what: &str) {
        let fits = match (own.id, from.id) {
            (Some(own), Some(from)) => {
                self.model.types.derives(own, from)
                    || self.model.is_opaque(own)
                    || self.model.types.get(own).name.text == self.model.types.get(from).name.text
            }
            (None, None) => own.name.text == from.name.text,
            // A type that nothing declares was reported where it is named.
            (Some(_), None) if !is_built_in(&from.name.text, self.version()) => true,
            // A type derived from a built-in one may refine it.
            (Some(own), None) => {
                let chain = self.model.types.chain(own);
                let mut parents = chain.filter_map(|(_, of)| of.parent.as_ref());
                parents.any(|parent| parent.id.is_none() && parent.name.text == from.name.text)
                    || self.model.is_opaque(own)
            }
            (None, Some(_)) => !is_built_in(&own.name.text, self.version()),
        };
        if !fits {
            let message =
                format!("{what} changes its type from `{}` to `{}`", from.name.text, own.name.text);
            let help = "a refinement names the same type or one that derives from it";
            self.advise(codes::REFINEMENT, own.name.span, message, Some(help.to_owned()));
            let is_kin = own.id.zip(from.id).is_some_and(|(own, from)| self.are_kin(own, from));
            self.tolerate(is_kin);
        }
    }
}
