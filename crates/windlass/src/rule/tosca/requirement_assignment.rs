//! What an assignment of a requirement may say against what its definition says: a relationship and
//! a capability of the declared types, or of types that derive from them.

use super::Checker;
use crate::diagnostic::Diagnostic;
use crate::lang::tosca::codes;
use crate::lang::tosca::model::{RequirementAssignment, RequirementDefinition, TypeId, TypeKind};
use crate::lang::tosca::resolve_relationship::ResolvedRelationship;
use crate::lang::tosca::value::Name;

impl Checker<'_> {
    /// One assignment of a requirement that is declared.
    pub(super) fn refined(
        &mut self,
        requirement: &Name,
        assignment: &RequirementAssignment,
        resolved: &ResolvedRelationship<'_>,
        definition: &RequirementDefinition,
    ) {
        let declared = definition.relationship.as_ref().and_then(|of| of.id);
        self.derives_from(requirement, resolved.assigned, declared, "relationship");
        let capability = self.capability_said(assignment);
        let declared = definition.capability.as_ref().and_then(|of| of.id);
        self.derives_from(requirement, capability, declared, "capability");
    }

    fn derives_from(
        &mut self,
        requirement: &Name,
        said: Option<(&Name, TypeId)>,
        declared: Option<TypeId>,
        what: &str,
    ) {
        let model = self.model;
        let (Some((name, said)), Some(declared)) = (said, declared) else { return };
        let is_known = !model.is_opaque(said) && !model.is_opaque(declared);
        if !is_known || model.types.derives(said, declared) {
            return;
        }
        let of = |id: TypeId| &model.types.get(id).name.text;
        let message =
            format!("`{}` is not the {what} that `{}` wants", name.text, requirement.text);
        let note =
            format!("it is a `{}` and the requirement wants a `{}`.", of(said), of(declared));
        // What only the normative types forbid, many files do.
        let is_strict = self.version().is_2() && !model.is_normative(declared);
        let finding = if is_strict {
            Diagnostic::error(codes::UNMATCHED, name.span, message)
        } else {
            Diagnostic::warning(codes::UNMATCHED, name.span, message)
        };
        let finding = finding.note(note);
        // A copy of a node says it in the same place.
        if !self.findings.contains(&finding) {
            self.findings.push(finding);
        }
    }

    /// The capability of the target that an assignment names, or its type.
    fn capability_said<'a>(
        &self,
        assignment: &'a RequirementAssignment,
    ) -> Option<(&'a Name, TypeId)> {
        let model = self.model;
        let named = assignment.capability.as_ref()?;
        let target = assignment.target.as_ref();
        let node = target.and_then(|target| model.service.as_ref()?.nodes.get(&target.node));
        let own = node.and_then(|node| model.capability_type(node.of.id?, &named.text));
        let of = own.or_else(|| model.type_named(TypeKind::Capability, &named.text));
        Some((named, of?))
    }
}
