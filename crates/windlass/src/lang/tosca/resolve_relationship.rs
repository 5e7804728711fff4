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
pub(crate) struct Meant<'m> {
    /// The relationship template that is named.
    pub(crate) template: Option<(&'m Name, &'m RelationshipTemplate)>,
    /// The type that the assignment itself says, by a name that is written there.
    pub(crate) said: Option<(&'m Name, TypeId)>,
    /// The type: what the assignment says, else what the definition does.
    pub(crate) of: Option<TypeId>,
    /// A name that is neither a template nor a type.
    pub(crate) unknown: Option<&'m Name>,
}

impl<'m> Meant<'m> {
    /// What an assignment means, given the definition of its requirement.
    pub(crate) fn by(
        model: &'m Model,
        assignment: &'m RequirementAssignment,
        definition: Option<&RequirementDefinition>,
    ) -> Meant<'m> {
        let declared = definition.and_then(|definition| definition.relationship.as_ref()?.id);
        let mut meant = Meant::said(model, assignment);
        meant.of = meant.said.map(|(_, of)| of).or(declared);
        meant
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

    fn said(model: &'m Model, assignment: &'m RequirementAssignment) -> Meant<'m> {
        let in_place = assignment.inline.as_ref().and_then(|inline| inline.of.as_ref());
        if let Some(of) = in_place {
            // A type that nothing declares was reported where it is written.
            let said = of.id.map(|id| (&of.name, id));
            return Meant { said, ..Meant::default() };
        }
        let Some(named) = &assignment.relationship else { return Meant::default() };
        let service = model.service.as_ref();
        if let Some(template) = service.and_then(|service| service.relationships.get(&named.text)) {
            let of = template.of.as_ref().and_then(|of| of.id);
            let said = of.map(|of| (named, of));
            return Meant { template: Some((named, template)), said, ..Meant::default() };
        }
        let file = service.and_then(|service| model.files.get(service.file.0 as usize));
        let key = (TypeKind::Relationship, named.text.clone());
        match file.and_then(|file| file.names.get(&key)) {
            Some(of) => Meant { said: Some((named, *of)), ..Meant::default() },
            None => Meant { unknown: Some(named), ..Meant::default() },
        }
    }
}
