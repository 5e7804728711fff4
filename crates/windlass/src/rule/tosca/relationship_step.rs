//! Steps of workflows that are about a relationship: the requirement of the target that they name
//! is there, it has a relationship, and the relationship has the operations that are called.

use super::Checker;
use crate::diagnostic::Diagnostic;
use crate::lang::tosca::codes;
use crate::lang::tosca::model::{Activity, ActivityKind, NodeTemplate, Service, Step, TypeId};
use crate::lang::tosca::resolve_relationship::ResolvedRelationship;
use crate::lang::tosca::value::Name;
use crate::spelling;

/// A node template with its name and its type.
pub(super) type Typed<'m> = (&'m str, &'m NodeTemplate, TypeId);

impl Checker<'_> {
    /// One step; nothing when it is about no relationship.
    pub(super) fn related(&mut self, service: &Service, step: &Step) {
        let Some(name) = &step.target_relationship else { return };
        let Some(target) = &step.target else {
            let message = "there is no `target` that could have this requirement";
            return self.error(codes::UNKNOWN_NAME, name.span, message);
        };
        let (target, name) =
            &from_source(service, target, name).unwrap_or_else(|| (target.clone(), name.clone()));
        let Some(nodes) = self.targeted(service, &target.text).filter(|all| !all.is_empty()) else {
            return;
        };
        let model = self.model;
        let has = |(_, _, of): &&Typed<'_>| model.requirement(*of, &name.text).is_some();
        let with: Vec<&Typed<'_>> = nodes.iter().filter(has).collect();
        if with.is_empty() {
            let message = format!("`{}` has no requirement `{}`", target.text, name.text);
            let known = nodes.iter().flat_map(|(_, _, of)| model.requirement_names(*of));
            let known: Vec<&str> = known.collect();
            let help = spelling::advice("requirement", &name.text, known.into_iter(), 0);
            return self.advise(codes::UNKNOWN_NAME, name.span, message, help);
        }
        let is_open = |(node, template, _): &&&Typed<'_>| {
            let mut own = template.requirements.names();
            own.any(|own| own == name.text) || service.maps_requirement(node, &name.text)
        };
        if with.iter().any(|one| is_open(&one)) {
            let calls = step.activities.iter().filter(|it| it.kind == ActivityKind::CallOperation);
            for activity in calls {
                self.called_between(&with, name, activity);
            }
        } else if !with.iter().any(|(_, node, _)| self.is_elsewhere(node)) {
            let message =
                format!("the requirement `{}` of `{}` is not assigned", name.text, target.text);
            let finding = Diagnostic::warning(codes::UNKNOWN_NAME, name.span, message);
            self.findings.push(finding.help("without a target there is no relationship"));
        }
    }

    /// The node template, or the members of the group, that a step is for; none when the type of
    /// one of them is not known.
    pub(super) fn targeted<'m>(
        &self,
        service: &'m Service,
        target: &str,
    ) -> Option<Vec<Typed<'m>>> {
        let group = service.groups.get(target);
        let members = group.into_iter().flat_map(|group| &group.members);
        let members = members.map(|member| member.text.as_str());
        let typed = |name: &str| {
            let (name, node) = service.nodes.entry(name)?;
            let of = node.of.id.filter(|id| !self.model.is_opaque(*id))?;
            Some((name.text.as_str(), node, of))
        };
        match service.nodes.get(target) {
            Some(_) => Some(vec![typed(target)?]),
            None => members.map(typed).collect(),
        }
    }

    /// A relationship has the operation that is called on it; some call one of the node there.
    fn called_between(&mut self, nodes: &[&Typed<'_>], name: &Name, activity: &Activity) {
        let model = self.model;
        let operation = &activity.subject;
        let mut known: Vec<String> = Vec::new();
        for (_, node, of) in nodes {
            let definition = model.requirement(*of, &name.text);
            let own = node.requirements.iter().filter(|(own, _)| own.text == name.text);
            for (_, assignment) in own {
                let resolved =
                    ResolvedRelationship::resolve(model, assignment, definition.as_ref());
                let Some(id) = resolved.of.filter(|id| !model.is_opaque(*id)) else { return };
                let templates = resolved.template.map(|(_, template)| template);
                let written = assignment.inline.iter().chain(templates);
                let mut written = written.flat_map(|it| it.interfaces.iter());
                let is_written = written.any(|(interface, it)| {
                    let parts = operation.text.rsplit_once(['.', '/']);
                    parts.is_some_and(|(of, name)| {
                        of == interface.text && it.operations.get(name).is_some()
                    })
                });
                let has = |of: TypeId| self.has_operation(of, &operation.text);
                if is_written || has(id) || has(*of) {
                    return;
                }
                known.extend(self.operation_names(id));
            }
        }
        if known.is_empty() {
            return;
        }
        let message =
            format!("the relationship of `{}` has no operation `{}`", name.text, operation.text);
        let near = spelling::nearest(&operation.text, known.iter().map(String::as_str));
        let help = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => "an operation is written `interface.operation`".to_owned(),
        };
        self.advise(codes::OPERATION, operation.span, message, Some(help));
    }
}

/// `SOURCE/REQUIREMENT`, as plans call a relationship on the side of its target: the source and
/// its requirement. None unless the requirement leads to the target of the step.
fn from_source(service: &Service, target: &Name, name: &Name) -> Option<(Name, Name)> {
    let (source, requirement) = name.text.split_once('/')?;
    let node = service.nodes.get(source)?;
    let mut own = node.requirements.iter().filter(|(own, _)| own.text == requirement);
    let leads = own.any(|(_, it)| it.target.as_ref().is_some_and(|it| it.node == target.text));
    let part = |text: &str| Name { text: text.to_owned(), span: name.span };
    leads.then(|| (part(source), part(requirement)))
}
