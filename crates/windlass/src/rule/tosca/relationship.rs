//! Relationships: between which nodes their types allow them, and how much of a capability their
//! requirements take.

use super::Checker;
use super::quantity::number_of;
use crate::lang::tosca::codes;
use crate::lang::tosca::model::{
    Fields, Interface, NodeTemplate, RequirementAssignment, Service, Target, TypeId, TypeRef,
};
use crate::lang::tosca::resolve_relationship::ResolvedRelationship;
use crate::lang::tosca::value::{Name, Value};
use crate::source::Span;
use crate::spelling;
use std::collections::BTreeMap;

/// The property of a capability of a node that requirements take something of.
#[derive(Debug, Clone, Copy)]
struct Allocation<'a> {
    node: &'a str,
    capability: &'a str,
    property: &'a str,
}

impl Checker<'_> {
    /// Every relationship that requirements were resolved to.
    pub(super) fn relationships(&mut self) {
        let model = self.model;
        let Some(service) = &model.service else { return };
        let mut taken: BTreeMap<(&str, &str, &str), (f64, Span)> = BTreeMap::new();
        for (_, node) in service.nodes.iter() {
            for (name, requirement) in node.requirements.iter() {
                let definition = node.of.id.and_then(|id| model.requirement(id, &name.text));
                let resolved =
                    ResolvedRelationship::resolve(model, requirement, definition.as_ref());
                self.in_place(requirement, &resolved);
                if let Some(definition) = &definition {
                    self.refined(name, requirement, &resolved, definition);
                }
                let Some(target) = &requirement.target else { continue };
                let refined = definition.as_ref().map(|it| &it.interfaces);
                self.needed_between(name, requirement, &resolved, refined);
                self.valid_ends(service, node, requirement, target);
                let Some(capability) = target.capability.as_deref() else { continue };
                let all = requirement.allocation.as_ref().and_then(|it| it.get("properties"));
                for entry in all.map_or(&[][..], Value::entries) {
                    let Some(name) = entry.key.text() else { continue };
                    let number = number_of(&entry.value).unwrap_or(0.0);
                    let key = (target.node.as_str(), capability, name);
                    let sum = taken.entry(key).or_insert((0.0, entry.key.span));
                    sum.0 += number;
                    sum.1 = entry.key.span;
                }
            }
        }
        for ((node, capability, property), (sum, span)) in taken {
            self.allocated(service, Allocation { node, capability, property }, sum, span);
        }
    }

    /// A relationship that a requirement writes in place, or whose type it names, has what its type
    /// declares.
    fn in_place(
        &mut self,
        requirement: &RequirementAssignment,
        resolved: &ResolvedRelationship<'_>,
    ) {
        let Some(inline) = &requirement.inline else {
            // What a template of the relationship gives is looked at with it; what the profile
            // wants, many files leave out, and without a target there is no relationship.
            let said = resolved.assigned.filter(|_| resolved.template.is_none()).map(|(_, of)| of);
            let is_plain = requirement.relationship.is_none() && requirement.target.is_some();
            let declared = resolved.of.filter(|of| is_plain && !self.model.is_normative(*of));
            if let Some(of) = said.or(declared) {
                self.required_values(of, &Fields::default(), requirement.span, "this relationship");
            }
            return;
        };
        let Some(id) = resolved.of else { return };
        self.assigned(id, &inline.properties, |of| &of.properties, "property");
        self.assigned(id, &inline.attributes, |of| &of.attributes, "attribute");
        self.required_values(id, &inline.properties, inline.span, "this relationship");
        self.interfaces(id, &inline.interfaces);
        self.operations_themselves(id, &inline.interfaces);
        self.given_inputs(id, &inline.interfaces);
    }

    /// The operations of a relationship without a template of its own have their inputs; those of a
    /// template are looked at with it.
    fn needed_between(
        &mut self,
        name: &Name,
        requirement: &RequirementAssignment,
        resolved: &ResolvedRelationship<'_>,
        refined: Option<&Fields<Interface>>,
    ) {
        let Some(of) = resolved.of.filter(|_| resolved.template.is_none()) else { return };
        let in_place = requirement.inline.as_ref().map(|inline| &inline.interfaces);
        let mut interfaces = Fields::default();
        for (name, interface) in in_place.into_iter().chain(refined).flat_map(Fields::iter) {
            interfaces.push(name.clone(), interface.clone());
        }
        self.needed_inputs(of, "Configure", name, &interfaces);
    }

    /// The type of a relationship may say what it connects.
    fn valid_ends(
        &mut self,
        service: &Service,
        source: &NodeTemplate,
        requirement: &RequirementAssignment,
        target: &Target,
    ) {
        let model = self.model;
        let Some(of) = target.relationship.filter(|of| !model.is_normative(*of)) else { return };
        let far = service.nodes.get(&target.node).and_then(|node| node.of.id);
        let capability = far.zip(target.capability.as_deref());
        let capability = capability.and_then(|(id, name)| model.capability_type(id, name));
        let checks: [(&[&str], Option<TypeId>, &str); 3] = [
            (&["valid_target_types", "valid_capability_types"], capability, "the capability"),
            (&["valid_source_node_types"], source.of.id, "the source"),
            (&["valid_target_node_types"], far, "the target"),
        ];
        for (keys, end, word) in checks {
            let Some(end) = end.filter(|end| !model.is_opaque(*end)) else { continue };
            // What the profile says about a type that ours derives from, many files do not keep.
            let own = model.types.chain(of).take_while(|(at, _)| !model.is_normative(*at));
            let mut own = own.filter_map(|(_, of)| keys.iter().find_map(|key| of.valid.get(key)));
            let Some(valid) = own.next().filter(|valid| !valid.is_empty()) else { continue };
            let kind = model.types.get(end).kind;
            // Before 2.0 some name node types here.
            let comparable =
                |it: &&TypeRef| it.id.is_some_and(|it| model.types.get(it).kind == kind);
            let fits = |it: &TypeRef| it.id.is_none_or(|it| model.types.derives(end, it));
            if valid.iter().any(|it| !comparable(&it)) || valid.iter().any(fits) {
                continue;
            }
            let names: Vec<String> = valid.iter().map(|of| format!("`{}`", of.name.text)).collect();
            let (of, end) = (&model.types.get(of).name.text, &model.types.get(end).name.text);
            let message = format!("`{of}` is not for {word} of type `{end}`");
            let help = format!("it is for {}", names.join(", "));
            self.advise(codes::UNMATCHED, requirement.span, message, Some(help));
        }
    }

    /// A capability has what requirements take of it.
    fn allocated(&mut self, service: &Service, of: Allocation<'_>, sum: f64, span: Span) {
        let Allocation { node, capability, property } = of;
        let model = self.model;
        let Some(template) = service.nodes.get(node) else { return };
        let Some(id) = template.of.id.filter(|id| !model.is_opaque(*id)) else { return };
        let schemas =
            model.capability_schemas(id, capability, |of| &of.properties, |of| &of.properties);
        let Some(schema) = schemas.get(property) else {
            let message = format!("the capability `{capability}` has no property `{property}`");
            let near = spelling::nearest(property, schemas.names());
            let help = near.map(|near| format!("did you mean `{near}`?"));
            return self.advise(codes::UNDECLARED, span, message, help);
        };
        let assigned = template.capabilities.get(capability);
        let assigned = assigned.and_then(|it| it.properties.get(property));
        let Some(value) = assigned.or(schema.default.as_ref()).and_then(number_of) else { return };
        if sum > value {
            let message = format!(
                "requirements take {sum} of `{property}` of the capability `{capability}` of \
                 `{node}`, which has {value}"
            );
            self.error(codes::COUNT, span, message);
        }
    }
}
