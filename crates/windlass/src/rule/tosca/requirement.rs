//! Requirements: which node, capability and relationship each one means, and whether they fit.

use super::Checker;
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::tosca::codes;
use crate::lang::tosca::model::{
    Model, NodeTemplate, RequirementAssignment, RequirementDefinition, Service, Target, TypeId,
    TypeKind,
};
use crate::lang::tosca::resolve_relationship::ResolvedRelationship;
use crate::lang::tosca::switches;
use crate::lang::tosca::value::{Data, Name, Value};
use std::collections::BTreeMap;

impl Model {
    /// The requirement that a node type declares or inherits, completed from its chain.
    pub(super) fn requirement(&self, id: TypeId, name: &str) -> Option<RequirementDefinition> {
        let mut found: Option<RequirementDefinition> = None;
        for (_, of) in self.types.chain(id) {
            let Some(at) = of.requirements.get(name) else { continue };
            match &mut found {
                None => found = Some(at.clone()),
                Some(found) => {
                    found.capability = found.capability.take().or_else(|| at.capability.clone());
                    found.node = found.node.take().or_else(|| at.node.clone());
                    found.relationship =
                        found.relationship.take().or_else(|| at.relationship.clone());
                    found.count = found.count.or(at.count);
                }
            }
        }
        found
    }

    /// Names of the requirements of a node type, inherited ones too.
    pub(super) fn requirement_names(&self, id: TypeId) -> Vec<&str> {
        let mut names = Vec::new();
        for (_, of) in self.types.chain(id) {
            for name in of.requirements.names() {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        names
    }

    /// The names of the types of a kind that the main file sees.
    pub(super) fn names_of(&self, kind: TypeKind) -> Vec<&str> {
        let names = self.files[0].names.keys().filter(|(of, _)| *of == kind);
        names.map(|(_, name)| name.as_str()).collect()
    }

    /// A type by its name in the main file.
    pub(super) fn type_named(&self, kind: TypeKind, name: &str) -> Option<TypeId> {
        self.files[0].names.get(&(kind, name.to_owned())).copied()
    }
}

/// Why a node cannot be the target of a requirement.
#[derive(Debug)]
struct Misfit {
    kind: MisfitKind,
    /// A sentence.
    reason: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MisfitKind {
    /// Its type or its capability is another one.
    Type,
    /// Only the normative types forbid it; many files do it.
    NormativeType,
    /// It lacks the capability that the requirement names.
    NoCapability,
    /// A filter rejects it.
    Filter,
}

/// A node template that has a requirement.
#[derive(Debug, Clone, Copy)]
struct Source<'a> {
    name: &'a Name,
    node: &'a NodeTemplate,
}

/// How often each capability of each node is used.
type Uses = BTreeMap<(String, String), Vec<(String, crate::source::Span)>>;

impl Checker<'_> {
    /// Resolves the requirements of every node template: which node, which requirement, to what.
    pub(super) fn requirements(&mut self) -> Vec<(usize, usize, Target)> {
        let model = self.model;
        let Some(service) = &model.service else { return Vec::new() };
        let mut targets = Vec::new();
        let mut uses = Uses::new();
        for (at, (name, node)) in service.nodes.iter().enumerate() {
            let Some(id) = node.of.id else { continue };
            for (index, (requirement, assignment)) in node.requirements.iter().enumerate() {
                let definition = model.requirement(id, &requirement.text);
                if definition.is_none() && !model.is_opaque(id) {
                    let names = model.requirement_names(id);
                    self.undeclared(id, requirement, "requirement", names);
                    self.quirk(switches::UNDECLARED_REQUIREMENTS);
                    continue;
                }
                let found = self.target(
                    service,
                    Source { name, node },
                    requirement,
                    assignment,
                    definition.as_ref(),
                );
                self.indexed(service, at, name, assignment);
                if let Some(target) = found {
                    if let Some(capability) = &target.capability {
                        let key = (target.node.clone(), capability.clone());
                        uses.entry(key).or_default().push((name.text.clone(), assignment.span));
                    }
                    targets.push((at, index, target));
                }
            }
            self.counts(name, node, id);
        }
        self.capacities(service, &uses);
        targets
    }

    fn target(
        &mut self,
        service: &Service,
        source: Source<'_>,
        requirement: &Name,
        assignment: &RequirementAssignment,
        definition: Option<&RequirementDefinition>,
    ) -> Option<Target> {
        let resolved = ResolvedRelationship::resolve(self.model, assignment, definition);
        self.known_relationship(service, &resolved);
        if let Some(filter) = assignment.node_filter.as_ref().filter(|_| !self.version().is_2()) {
            let wanted = assignment.node.as_ref();
            let named = wanted.and_then(|name| self.model.type_named(TypeKind::Node, &name.text));
            let declared = definition.and_then(|definition| definition.node.as_ref()?.id);
            if self.filter_itself(named.or(declared), filter) {
                // Whatever fits, it is not what was meant.
                return None;
            }
        }
        let Some(wanted) = &assignment.node else {
            return self.search(service, source, requirement, assignment, definition, None);
        };
        if let Some(target) = service.nodes.get(&wanted.text) {
            let fit = self.fit(source.node, target, assignment, definition);
            let capability = match fit {
                Ok(capability) => capability,
                Err(misfit) => {
                    let message =
                        format!("`{}` cannot be the target of `{}`", wanted.text, requirement.text);
                    let is_lacking = misfit.kind == MisfitKind::NoCapability;
                    let named = assignment.capability.as_ref().filter(|_| is_lacking);
                    let span = named.map_or(wanted.span, |name| name.span);
                    let mut finding = Diagnostic::error(codes::UNMATCHED, span, message);
                    let is_soft = misfit.kind == MisfitKind::NormativeType;
                    if is_soft {
                        finding.severity = Severity::Warning;
                    }
                    self.findings.push(
                        finding.note(misfit.reason).tolerated_by(switches::UNCHECKED_TARGETS),
                    );
                    if !is_soft {
                        return None;
                    }
                    let found = target
                        .of
                        .id
                        .map(|id| self.fit_capability(source.node, id, assignment, definition));
                    found.and_then(Result::ok).flatten()
                }
            };
            self.named_against_filters(wanted, target, requirement, assignment, definition);
            return Some(resolved.at(&wanted.text, capability));
        }
        if let Some(of) = self.model.type_named(TypeKind::Node, &wanted.text) {
            return self.search(service, source, requirement, assignment, definition, Some(of));
        }
        let is_path = self.version().is_2()
            && ["SELF", "SOURCE", "TARGET"].contains(&wanted.text.as_str())
            || wanted.text.starts_with('$');
        if !self.is_open && !is_path {
            let message = format!("there is no node template and no node type `{}`", wanted.text);
            let types = self.model.names_of(TypeKind::Node);
            let known = service.nodes.names().chain(types.iter().copied());
            let near = crate::spelling::nearest(&wanted.text, known);
            let help = near.map(|near| format!("did you mean `{near}`?"));
            self.advise(codes::UNKNOWN_NAME, wanted.span, message, help);
        }
        None
    }

    /// A relationship that is named is there.
    fn known_relationship(&mut self, service: &Service, resolved: &ResolvedRelationship<'_>) {
        let Some(wanted) = resolved.unknown.filter(|_| !self.is_open) else { return };
        let message =
            format!("there is no relationship template and no relationship type `{}`", wanted.text);
        let types = self.model.names_of(TypeKind::Relationship);
        let known = service.relationships.names().chain(types.iter().copied());
        let near = crate::spelling::nearest(&wanted.text, known);
        let help = near.map(|near| format!("did you mean `{near}`?"));
        self.advise(codes::UNKNOWN_NAME, wanted.span, message, help);
        if self.version().is_2() && wanted.text.starts_with("tosca:") {
            self.quirk(switches::NAMESPACE_TOSCA);
        }
    }

    /// Looks for a node that fits. Nothing is reported when the service has no node of the wanted
    /// type: then another service provides it.
    fn search(
        &mut self,
        service: &Service,
        source: Source<'_>,
        requirement: &Name,
        assignment: &RequirementAssignment,
        definition: Option<&RequirementDefinition>,
        of: Option<TypeId>,
    ) -> Option<Target> {
        let model = self.model;
        let filter = assignment.node_filter.as_ref();
        if of.is_none() && filter.is_none() && assignment.capability.is_none() {
            return None;
        }
        let wanted = of.or_else(|| definition.and_then(|definition| definition.node.as_ref()?.id));
        let mut reasons = Vec::new();
        for (name, node) in service.nodes.iter() {
            let Some(id) = node.of.id.filter(|_| name.text != source.name.text) else { continue };
            if !wanted.is_none_or(|wanted| model.types.derives(id, wanted)) {
                continue;
            }
            let found =
                self.fit(source.node, node, assignment, definition).and_then(|capability| {
                    let rejected =
                        filter.and_then(|filter| super::node_filter::rejects(model, node, filter));
                    rejected.map_or(Ok(capability), |reason| {
                        Err(Misfit { kind: MisfitKind::Filter, reason })
                    })
                });
            match found {
                Ok(capability) => {
                    let resolved = ResolvedRelationship::resolve(model, assignment, definition);
                    return Some(resolved.at(&name.text, capability));
                }
                Err(misfit) => reasons.push(format!("`{}`: {}", name.text, misfit.reason)),
            }
        }
        if wanted.is_some() && !reasons.is_empty() {
            let message = format!(
                "no node fits the requirement `{}` of `{}`",
                requirement.text, source.name.text
            );
            let mut finding = Diagnostic::error(codes::UNMATCHED, assignment.span, message);
            // From 2.0 another service may have one.
            if self.version().is_2() {
                finding.severity = Severity::Warning;
            }
            for reason in reasons {
                finding = finding.note(reason);
            }
            self.findings.push(finding);
        }
        None
    }

    /// From 2.0: a node that is named also satisfies the filters of the requirement.
    fn named_against_filters(
        &mut self,
        wanted: &Name,
        target: &NodeTemplate,
        requirement: &Name,
        assignment: &RequirementAssignment,
        definition: Option<&RequirementDefinition>,
    ) {
        let declared = definition.and_then(|definition| definition.node_filter.as_ref());
        for filter in assignment.node_filter.iter().chain(declared) {
            if !self.version().is_2() {
                return;
            }
            if let Some(reason) = super::node_filter::rejects(self.model, target, filter) {
                let message =
                    format!("`{}` cannot be the target of `{}`", wanted.text, requirement.text);
                let finding = Diagnostic::error(codes::UNMATCHED, wanted.span, message);
                self.findings.push(finding.note(reason));
                return;
            }
        }
    }

    /// Whether a node can be the target, and through which capability; the reason when it cannot.
    fn fit(
        &self,
        source: &NodeTemplate,
        target: &NodeTemplate,
        assignment: &RequirementAssignment,
        definition: Option<&RequirementDefinition>,
    ) -> Result<Option<String>, Misfit> {
        let model = self.model;
        let Some(id) = target.of.id else { return Ok(None) };
        if model.is_opaque(id) {
            return Ok(None);
        }
        let own = &model.types.get(id).name.text;
        if let Some(node) = definition.and_then(|definition| definition.node.as_ref())
            && let Some(wanted) = node.id
            && !model.types.derives(id, wanted)
        {
            // A target with the wanted capability is tolerated, whatever its type.
            let has_capability = || {
                let found = self.fit_capability(source, id, assignment, definition);
                found.is_ok_and(|found| found.is_some())
            };
            let is_tolerated = crate::lang::tosca::quirks::are_tolerated(self.version());
            let is_soft = is_tolerated && (model.is_normative(wanted) || has_capability());
            let kind = if is_soft { MisfitKind::NormativeType } else { MisfitKind::Type };
            // Of many that are looked through, one reason is enough.
            let is_named = assignment.node.is_some();
            let found = is_named.then(|| self.fit_capability(source, id, assignment, definition));
            let lacks = match found {
                Some(Err(misfit)) => format!(" {}", misfit.reason),
                _ => String::new(),
            };
            let reason =
                format!("it is a `{own}` and the requirement wants a `{}`.{lacks}", node.name.text);
            return Err(Misfit { kind, reason });
        }
        self.fit_capability(source, id, assignment, definition)
    }

    /// The capability of a node type that a requirement means; the reason when there is none.
    fn fit_capability(
        &self,
        source: &NodeTemplate,
        id: TypeId,
        assignment: &RequirementAssignment,
        definition: Option<&RequirementDefinition>,
    ) -> Result<Option<String>, Misfit> {
        let model = self.model;
        let own = &model.types.get(id).name.text;
        let named = assignment.capability.as_ref().map(|name| name.text.as_str());
        let declared = definition.and_then(|definition| definition.capability.as_ref());
        let wanted = named.or(declared.map(|of| of.name.text.as_str()));
        let Some(wanted) = wanted else { return Ok(None) };
        if model.capability(id, wanted).is_some() {
            return self.valid_source(source, id, wanted).map(|()| Some(wanted.to_owned()));
        }
        let of = model.type_named(TypeKind::Capability, wanted);
        let of = of.or(declared.filter(|_| named.is_none()).and_then(|of| of.id));
        let Some(of) = of else {
            // A node type may stand where a capability is meant.
            let is_node = model.type_named(TypeKind::Node, wanted).is_some() || self.is_open;
            return if is_node {
                Ok(None)
            } else {
                let names = model.types.chain(id).flat_map(|(_, of)| of.capabilities.names());
                let near = crate::spelling::nearest(wanted, names);
                let near = near.map(|near| format!(" Did you mean `{near}`?"));
                let reason =
                    format!("it has no capability `{wanted}`.{}", near.unwrap_or_default());
                Err(Misfit { kind: MisfitKind::NoCapability, reason })
            };
        };
        let mut refused = None;
        for (_, at) in model.types.chain(id) {
            for name in at.capabilities.names() {
                let fits =
                    model.capability_type(id, name).is_some_and(|own| model.types.derives(own, of));
                if fits {
                    match self.valid_source(source, id, name) {
                        Ok(()) => return Ok(Some(name.to_owned())),
                        Err(misfit) => refused = Some(misfit),
                    }
                }
            }
        }
        let is_known = |name: &&str| model.capability_type(id, name).is_some();
        let mut names = model.types.chain(id).flat_map(|(_, of)| of.capabilities.names());
        // A capability of a type that nothing declares may be the one.
        if !names.all(|name| is_known(&name)) {
            return Ok(None);
        }
        Err(refused.unwrap_or_else(|| Misfit {
            kind: MisfitKind::Type,
            reason: format!("`{own}` has no capability of type `{wanted}`."),
        }))
    }

    /// A capability may say which nodes may use it.
    fn valid_source(&self, source: &NodeTemplate, id: TypeId, name: &str) -> Result<(), Misfit> {
        let model = self.model;
        let Some(own) = source.of.id.filter(|own| !model.is_opaque(*own)) else { return Ok(()) };
        let defined =
            model.nearest(id, |of| of.capabilities.get(name)?.valid_source_types.as_ref());
        let of = model.capability_type(id, name);
        let typed = of.and_then(|of| {
            model.nearest(of, |of| {
                of.valid.get("valid_source_types").or(of.valid.get("valid_source_node_types"))
            })
        });
        let Some(valid) = defined.or(typed).filter(|valid| !valid.is_empty()) else {
            return Ok(());
        };
        let fits =
            valid.iter().any(|valid| valid.id.is_none_or(|valid| model.types.derives(own, valid)));
        let names: Vec<String> = valid.iter().map(|of| format!("`{}`", of.name.text)).collect();
        let own = &model.types.get(own).name.text;
        let is_normative = of.is_some_and(|of| model.is_normative(of));
        let kind = if is_normative { MisfitKind::NormativeType } else { MisfitKind::Type };
        let reason =
            || format!("its capability `{name}` takes {} and not `{own}`.", names.join(", "));
        fits.then_some(()).ok_or_else(|| Misfit { kind, reason: reason() })
    }

    /// How often a requirement is assigned.
    fn counts(&mut self, name: &Name, node: &NodeTemplate, id: TypeId) {
        let model = self.model;
        if model.is_opaque(id) || node.directives.iter().any(|word| word.text.starts_with("select"))
        {
            return;
        }
        for requirement in model.requirement_names(id) {
            let Some(definition) = model.requirement(id, requirement) else { continue };
            // Bounds that nothing lies between were reported as such.
            if definition.count.is_some_and(|range| range.is_empty()) {
                continue;
            }
            let own: Vec<&RequirementAssignment> = node
                .requirements
                .iter()
                .filter(|(name, _)| name.text == requirement)
                .map(|(_, assignment)| assignment)
                .collect();
            let Some(given) = own.iter().map(|one| count(one)).sum::<Option<u64>>() else {
                continue;
            };
            let (lower, upper) =
                definition.count.map_or((1, Some(1)), |range| (range.lower, range.upper));
            let sure = own.iter().filter(|one| !one.is_optional()).filter_map(|one| count(one));
            let sure = sure.fold(0, u64::saturating_add);
            // From 2.0 a requirement that is not assigned is open and not missing.
            let is_open = own.is_empty() && self.is_left_open(name, node, requirement, &definition);
            let is_missing = sure < lower
                && !is_open
                && (!self.version().is_2() || !own.is_empty() && definition.count.is_some());
            let is_over = upper.is_some_and(|upper| given > upper);
            if is_over && definition.count.is_none() {
                self.unbounded(name, requirement, &definition, &own);
            } else if is_missing {
                let span = own.first().map_or(name.span, |one| one.span);
                let optional =
                    if sure < given { format!(", {sure} not optional") } else { String::new() };
                let message = format!(
                    "`{}` has {given} of the requirement `{requirement}`{optional}, it must have \
                     at least {lower}",
                    name.text
                );
                let unsaid = "without `occurrences` a requirement has exactly one target; \
                              `occurrences: [ 0, 1 ]` in its definition makes it optional";
                let help = definition.count.is_none().then(|| unsaid.to_owned());
                self.advise(codes::COUNT, span, message, help);
            } else if let Some(upper) = upper.filter(|_| is_over) {
                let span = beyond(&own, upper).map_or(name.span, |one| one.span);
                let message = format!(
                    "`{}` has {given} of the requirement `{requirement}`, it must have at most \
                     {upper}",
                    name.text
                );
                self.error(codes::COUNT, span, message);
            }
        }
    }

    /// Before 2.0 a requirement without bounds has one target. Most files leave out the bounds of
    /// what they use several times, so that this is doubtful only.
    fn unbounded(
        &mut self,
        name: &Name,
        requirement: &str,
        definition: &RequirementDefinition,
        own: &[&RequirementAssignment],
    ) {
        let Some(second) = beyond(own, 1).filter(|_| !self.version().is_2()) else { return };
        let given: u64 = own.iter().filter_map(|one| count(one)).sum();
        let of = definition.relationship.as_ref().and_then(|of| of.id);
        let is_host = of.is_some_and(|of| {
            self.model.types.derives_from_name(of, "tosca.relationships.HostedOn")
        });
        let message = if is_host {
            format!("`{}` is hosted on {given} nodes", name.text)
        } else {
            format!("`{}` has {given} of the requirement `{requirement}`", name.text)
        };
        let help = "a requirement whose definition leaves out `occurrences` has one target; for \
                    more, write `occurrences: [ 1, UNBOUNDED ]` there";
        self.findings.push(Diagnostic::warning(codes::COUNT, second.span, message).help(help));
    }

    /// Whether a requirement that is not assigned can still be met: by a node of the service that
    /// fits, by the substitute of the node, or by the user of the service.
    fn is_left_open(
        &self,
        name: &Name,
        node: &NodeTemplate,
        requirement: &str,
        definition: &RequirementDefinition,
    ) -> bool {
        let Some(service) = &self.model.service else { return true };
        let is_substituted = self.is_elsewhere(node);
        // A mapping that names a requirement that is not there may mean this one.
        let known = node.of.id.map(|id| self.model.requirement_names(id)).unwrap_or_default();
        let mapped = service.mapped_requirements(&name.text);
        let is_mapped = mapped.iter().any(|it| *it == requirement || !known.contains(it));
        let assignment = RequirementAssignment {
            node: None,
            indexed: None,
            capability: None,
            relationship: None,
            inline: None,
            node_filter: None,
            count: None,
            occurrences: None,
            optional: None,
            directives: Vec::new(),
            allocation: None,
            target: None,
            span: name.span,
        };
        let fits = |(other, target): (&Name, &NodeTemplate)| {
            other.text != name.text
                && self
                    .fit(node, target, &assignment, Some(definition))
                    .is_ok_and(|capability| capability.is_some())
        };
        is_substituted || is_mapped || service.nodes.iter().any(fits)
    }

    /// A capability bears only so many relationships.
    fn capacities(&mut self, service: &Service, uses: &Uses) {
        for ((node, capability), users) in uses {
            let Some(id) = service.nodes.get(node).and_then(|node| node.of.id) else { continue };
            let range =
                self.model.nearest(id, |of| of.capabilities.get(capability)?.occurrences.as_ref());
            let range = range.filter(|range| !range.is_empty());
            let Some(upper) = range.and_then(|range| range.upper) else { continue };
            if users.len() as u64 > upper {
                let names: Vec<&str> = users.iter().map(|(name, _)| name.as_str()).collect();
                let message = format!(
                    "the capability `{capability}` of `{node}` bears {upper} and is used by {}",
                    names.join(", ")
                );
                let span = users
                    .last()
                    .map_or(service.nodes.at(0).map(|(name, _)| name.span), |(_, span)| {
                        Some(*span)
                    });
                if let Some(span) = span {
                    self.error(codes::COUNT, span, message);
                }
            }
        }
    }
}

/// The first assignment that goes beyond a bound.
fn beyond<'a>(own: &[&'a RequirementAssignment], upper: u64) -> Option<&'a RequirementAssignment> {
    let mut sum = 0_u64;
    own.iter().copied().find(|one| {
        sum = sum.saturating_add(count(one).unwrap_or(0));
        sum > upper
    })
}

/// How many relationships an assignment stands for; none when a function says.
pub(super) fn count(assignment: &RequirementAssignment) -> Option<u64> {
    match assignment.count.as_ref().map(|value: &Value| &value.data) {
        None => Some(assignment.occurrences.map_or(1, |range| range.lower.max(1))),
        Some(Data::Int(count)) => u64::try_from(*count).ok(),
        Some(_) => None,
    }
}
