//! Requirements of a substituted node that are mapped onto requirements of the nodes inside.
//!
//! From 2.0 (section 15.5.4) a mapping leads to requirements that have no target yet, no more of
//! those must have one than the substituted node is sure to have, and mappings beyond what it can
//! have are of no use. For capabilities no such rule is given.

use super::Checker;
use super::requirement::count;
use crate::diagnostic::Diagnostic;
use crate::lang::tosca::codes;
use crate::lang::tosca::model::{
    NodeTemplate, RequirementDefinition, RequirementMapping, Service, Substitution, TypeId,
};
use crate::lang::tosca::value::{Data, Name, Value};
use std::collections::BTreeMap;

/// A requirement inside, by its node template and its name.
type Inner<'m> = (&'m str, &'m str);

/// For how many assignments a mapping is.
#[derive(Clone, Copy, PartialEq)]
enum Amount {
    Exactly(u64),
    /// All, or all that are left.
    Rest,
}

impl Checker<'_> {
    pub(super) fn mapped_requirements(
        &mut self,
        service: &Service,
        substitution: &Substitution,
        id: TypeId,
    ) {
        let model = self.model;
        let mut names: Vec<&str> = Vec::new();
        for (name, mapping) in substitution.requirements.iter() {
            if model.requirement(id, &name.text).is_none() {
                let names = model.requirement_names(id);
                self.undeclared(id, name, "requirement", names);
            }
            for end in mapping.ends() {
                if end.items().len() > 1 {
                    self.mapped(service, end, "requirement");
                    self.same_requirement(service, id, name, end);
                } else if self.version().is_2() {
                    self.selected(service, end.items().first().unwrap_or(end));
                }
            }
            if !names.contains(&name.text.as_str()) {
                names.push(&name.text);
            }
        }
        if !self.version().is_2() {
            return;
        }
        for name in names {
            let Some(definition) = model.requirement(id, name) else { continue };
            let all = substitution.requirements.iter().filter(|(other, _)| other.text == name);
            let all: Vec<(&Name, &RequirementMapping)> = all.collect();
            self.mapped_counts(service, substitution, &definition, &all);
        }
    }

    /// A node that takes the place of a target is one that is selected.
    fn selected(&mut self, service: &Service, at: &Value) {
        let Some(name) = at.text() else { return };
        let Some(node) = service.nodes.get(name) else { return self.no_node(at, name) };
        let is_selected = node.directives.iter().any(|word| word.text.starts_with("select"));
        if !is_selected {
            let message = format!("`{name}` is made here, so no target can take its place");
            let help = "name one of its requirements, or give it the directive `select`";
            self.advise(codes::SUBSTITUTION, at.span, message, Some(help.to_owned()));
        }
    }

    /// What a requirement is mapped to gets its target from outside, so it has none inside.
    fn same_requirement(&mut self, service: &Service, id: TypeId, name: &Name, value: &Value) {
        let model = self.model;
        let Some((node, inner)) = inner(value) else { return };
        let Some(template) = service.nodes.get(node) else { return };
        let Some(of) = template.of.id.filter(|id| !model.is_opaque(*id)) else { return };
        let capability = |of: TypeId, name: &str| model.requirement(of, name)?.capability?.id;
        if let (Some(needs), Some(given)) = (capability(of, inner), capability(id, &name.text))
            && !model.types.derives(given, needs)
            && !model.types.derives(needs, given)
        {
            let needs = &model.types.get(needs).name.text;
            let given = &model.types.get(given).name.text;
            let message =
                format!("`{inner}` needs a `{needs}`, and `{}` gives a `{given}`", name.text);
            return self.error(codes::SUBSTITUTION, value.span, message);
        }
        let upper = model.requirement(of, inner).and_then(|it| it.count).and_then(|it| it.upper);
        let Some(upper) = upper.filter(|_| self.version().is_2()) else { return };
        let own = template.requirements.iter().filter(|(name, _)| name.text == inner);
        let met = own.filter(|(_, it)| it.target.is_some()).map(|(_, it)| count(it)).sum();
        let met: Option<u64> = met;
        if met.is_some_and(|met| met > 0 && met >= upper) {
            let message = format!("`{inner}` of `{node}` has its target inside of the service");
            let help = "only a requirement without a target can get one from outside";
            self.advise(codes::SUBSTITUTION, value.span, message, Some(help.to_owned()));
        }
    }

    /// The mappings of one requirement against how often the substituted node has it.
    fn mapped_counts(
        &mut self,
        service: &Service,
        substitution: &Substitution,
        definition: &RequirementDefinition,
        all: &[(&Name, &RequirementMapping)],
    ) {
        let of = &substitution.of.name.text;
        let (lower, upper) = definition.count.map_or((0, None), |it| (it.lower, it.upper));
        let mut open: BTreeMap<Inner<'_>, u64> = BTreeMap::new();
        let (mut total, mut needed, mut is_rest) = (0_u64, 0_u64, false);
        for (name, mapping) in all {
            let Some(amount) = self.amount(mapping, all.len()) else { return };
            if is_rest {
                let message = "this mapping is never used".to_owned();
                let finding = Diagnostic::warning(codes::SUBSTITUTION, name.span, message);
                let help = "the one before it takes all that are left";
                self.findings.push(finding.help(help));
                return;
            }
            is_rest = amount == Amount::Rest;
            let mut most = 0;
            for end in mapping.ends() {
                let Some(inner) = inner(end) else { continue };
                let left =
                    open.entry(inner).or_insert_with(|| self.open(service, inner.0, inner.1));
                let taken = match amount {
                    Amount::Exactly(amount) => amount.min(*left),
                    Amount::Rest => *left,
                };
                *left -= taken;
                most = most.max(taken);
            }
            needed = needed.saturating_add(most);
            if most > 0 && needed > lower {
                let message = format!(
                    "{needed} requirements inside must have a target, and a `{of}` is only sure \
                     to have {lower} of `{}`",
                    name.text
                );
                let help = "let the requirement inside be optional (`count_range` from 0), or \
                            raise the lower bound of the type";
                self.advise(
                    codes::SUBSTITUTION,
                    mapping.value.span,
                    message,
                    Some(help.to_owned()),
                );
                return;
            }
            if let Amount::Exactly(amount) = amount {
                total = total.saturating_add(amount);
            }
            if let Some(upper) = upper.filter(|upper| total > *upper) {
                let message = format!(
                    "{total} of `{}` are mapped, and a `{of}` has at most {upper}",
                    name.text
                );
                let finding = Diagnostic::warning(codes::SUBSTITUTION, mapping.value.span, message);
                self.findings.push(finding.help("what is mapped beyond that is never used"));
                return;
            }
        }
    }

    /// For how many assignments a mapping is; none when what it says was reported.
    fn amount(&mut self, mapping: &RequirementMapping, mappings: usize) -> Option<Amount> {
        match mapping.count.as_ref().map(|it| (&it.data, it.span)) {
            None if mappings == 1 => Some(Amount::Rest),
            None => Some(Amount::Exactly(1)),
            Some((Data::Int(amount), _)) if *amount >= 0 => {
                Some(Amount::Exactly(u64::try_from(*amount).unwrap_or(u64::MAX)))
            }
            Some((Data::Text(word), _)) if word == "UNBOUNDED" => Some(Amount::Rest),
            Some((_, span)) => {
                let message = "a count is a whole number or `UNBOUNDED`";
                self.error(codes::WRONG_VALUE, span, message);
                None
            }
        }
    }

    /// How many targets a requirement inside must still get.
    fn open(&self, service: &Service, node: &str, name: &str) -> u64 {
        let Some(template) = service.nodes.get(node) else { return 0 };
        let Some(id) = template.of.id.filter(|id| !self.model.is_opaque(*id)) else { return 0 };
        let Some(definition) = self.model.requirement(id, name) else { return 0 };
        must_get(template, name, definition.count.map_or(0, |it| it.lower))
    }
}

/// How many targets a requirement of a template must get that are not inside.
fn must_get(template: &NodeTemplate, name: &str, lower: u64) -> u64 {
    let mut own = template.requirements.iter().filter(|(known, _)| known.text == name).peekable();
    // Without an assignment there are as many as the definition asks for.
    if own.peek().is_none() {
        return lower;
    }
    let open = own.filter(|(_, it)| it.target.is_none() && !it.is_optional());
    open.map(|(_, it)| count(it).unwrap_or(0)).fold(0, u64::saturating_add)
}

/// The requirement inside that a pair names.
fn inner(value: &Value) -> Option<Inner<'_>> {
    let [node, name, ..] = value.items() else { return None };
    node.text().zip(name.text())
}
