//! Which relationship an assignment of a requirement means: one that it writes in place, a template
//! or a type that it names, or else what the definition of the requirement says.
//!
//! Everything that asks this asks here, so that a check and the application agree.

use super::model::{
    Model, RelationshipTemplate, RequirementAssignment, RequirementDefinition, Target, TypeId,
    TypeKind,
};
use super::value::Name;

/// The relationship of a requirement, as far as the files say.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ResolvedRelationship<'m> {
    /// The relationship template that is named.
    pub(crate) template: Option<(&'m Name, &'m RelationshipTemplate)>,
    /// The type that the assignment itself says, by a name that is written there.
    pub(crate) assigned: Option<(&'m Name, TypeId)>,
    /// The type: what the assignment says, else what the definition does.
    pub(crate) of: Option<TypeId>,
    /// A name that is neither a template nor a type.
    pub(crate) unknown: Option<&'m Name>,
}

impl<'m> ResolvedRelationship<'m> {
    /// What an assignment means, given the definition of its requirement.
    pub(crate) fn resolve(
        model: &'m Model,
        assignment: &'m RequirementAssignment,
        definition: Option<&RequirementDefinition>,
    ) -> ResolvedRelationship<'m> {
        let declared = definition.and_then(|definition| definition.relationship.as_ref()?.id);
        let mut relationship = ResolvedRelationship::assigned(model, assignment);
        relationship.of = relationship.assigned.map(|(_, of)| of).or(declared);
        relationship
    }

    /// The target that a requirement has by this relationship.
    pub(crate) fn at(&self, node: &str, capability: Option<String>) -> Target {
        Target {
            node: node.to_owned(),
            capability,
            template: self.template.map(|(name, _)| name.text.clone()),
            relationship: self.of,
        }
    }

    fn assigned(
        model: &'m Model,
        assignment: &'m RequirementAssignment,
    ) -> ResolvedRelationship<'m> {
        let in_place = assignment.inline.as_ref().and_then(|inline| inline.of.as_ref());
        if let Some(of) = in_place {
            // A type that nothing declares was reported where it is written.
            let assigned = of.id.map(|id| (&of.name, id));
            return ResolvedRelationship { assigned, ..ResolvedRelationship::default() };
        }
        let Some(named) = &assignment.relationship else { return ResolvedRelationship::default() };
        let service = model.service.as_ref();
        if let Some(template) = service.and_then(|service| service.relationships.get(&named.text)) {
            let of = template.of.as_ref().and_then(|of| of.id);
            let assigned = of.map(|of| (named, of));
            return ResolvedRelationship {
                template: Some((named, template)),
                assigned,
                ..ResolvedRelationship::default()
            };
        }
        let file = service.and_then(|service| model.files.get(service.file.0 as usize));
        let key = (TypeKind::Relationship, named.text.clone());
        match file.and_then(|file| file.names.get(&key)) {
            Some(of) => ResolvedRelationship {
                assigned: Some((named, *of)),
                ..ResolvedRelationship::default()
            },
            None => {
                ResolvedRelationship { unknown: Some(named), ..ResolvedRelationship::default() }
            }
        }
    }
}
