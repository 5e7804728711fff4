//! Where `get_property` and `get_attribute` lead: from a node or a relationship, through
//! requirements and capabilities, to a value and into it.
//!
//! From 2.0 the words `RELATIONSHIP`, `CAPABILITY`, `SOURCE` and `TARGET` say which way a path
//! takes; before, the name of a requirement or a capability may stand before that of a property.

use super::requirement::count;
use super::schema::Base;
use crate::lang::tosca::codes;
use crate::lang::tosca::model::{
    Fields, Model, NodeTemplate, RequirementAssignment, Schema, Service, TypeId,
};
use crate::lang::tosca::value::{Data, Value, index};
use crate::source::Span;
use crate::spelling;

/// What a path has come to.
#[derive(Clone)]
pub(super) enum Spot<'m> {
    /// A node, by its template when it is known.
    Node { name: String, of: TypeId, template: Option<&'m NodeTemplate> },
    /// A relationship.
    Relationship(Ends<'m>),
    /// A capability of a node.
    Capability { node: TypeId, name: String },
    /// Only a run knows.
    Unknown,
}

/// A relationship and what it connects, as far as that is known.
#[derive(Clone, Default)]
pub(super) struct Ends<'m> {
    pub(super) of: Option<TypeId>,
    pub(super) source: Option<(&'m str, &'m NodeTemplate)>,
    pub(super) target: Option<(&'m str, &'m NodeTemplate)>,
    /// The type of the target when no template is known.
    pub(super) target_type: Option<TypeId>,
    pub(super) capability: Option<String>,
}

/// Why a path leads nowhere.
pub(super) struct Wrong {
    pub(super) code: &'static str,
    pub(super) span: Span,
    pub(super) message: String,
    pub(super) help: Option<String>,
    /// Whether only this node lacks what the path goes through.
    pub(super) is_absent: bool,
}

/// Where a path ends.
pub(super) struct Found {
    /// The node template that has the value, when it is one of a node.
    pub(super) owner: Option<String>,
    /// The property or attribute.
    pub(super) name: String,
    /// What the value at the end must be; none when that is not known.
    pub(super) schema: Option<Schema>,
}

/// What walks.
pub(super) struct Walk<'m> {
    pub(super) model: &'m Model,
    pub(super) service: &'m Service,
    /// Whether attributes count too.
    pub(super) with_attributes: bool,
}

type Step<T> = Result<T, Box<Wrong>>;

impl<'m> Walk<'m> {
    /// A node template as the beginning of a path.
    pub(super) fn node(name: &str, template: &'m NodeTemplate) -> Spot<'m> {
        match template.of.id {
            Some(of) => Spot::Node { name: name.to_owned(), of, template: Some(template) },
            None => Spot::Unknown,
        }
    }

    /// Follows the rest of a path; none when only a run knows where it leads.
    pub(super) fn follow(&self, from: Spot<'m>, steps: &[Value]) -> Step<Option<Found>> {
        let mut spot = from;
        let mut rest = steps;
        // Every turn takes at least one step.
        while let Some((first, further)) = rest.split_first() {
            if let Some(of) = spot.node_type()
                && self.model.is_opaque(of)
            {
                return Ok(None);
            }
            let Some(word) = first.text() else { return Ok(None) };
            let Some((next, left)) = self.turn(&spot, word, first.span, further)? else {
                return self.end(&spot, word, first.span, further);
            };
            spot = next;
            rest = left;
        }
        Ok(None)
    }

    /// A step that is not the name of a value.
    fn turn<'s>(
        &self,
        spot: &Spot<'m>,
        word: &str,
        span: Span,
        further: &'s [Value],
    ) -> Step<Option<(Spot<'m>, &'s [Value])>> {
        if !self.model.version.is_2() {
            return self.turn_1(spot, word, span, further);
        }
        match (spot, word) {
            (Spot::Unknown, _) | (Spot::Capability { .. }, "RELATIONSHIP" | "SOURCE") => {
                Ok(Some((Spot::Unknown, &[])))
            }
            (Spot::Node { name, of, template }, "RELATIONSHIP") => {
                let Some((requirement, left)) = further.split_first() else { return Ok(None) };
                let Some(text) = requirement.text() else { return Ok(Some((Spot::Unknown, &[]))) };
                if self.model.requirement(*of, text).is_none() {
                    let names = self.model.requirement_names(*of);
                    return Err(lacks(name, "requirement", text, requirement.span, &names));
                }
                self.is_there(name, *of, *template, text, left, requirement.span)?;
                let (index, left) = index(left);
                let ends = self.ends(name, *of, *template, text, index);
                Ok(Some((Spot::Relationship(ends), left)))
            }
            (Spot::Node { name, of, .. }, "CAPABILITY") => {
                let Some((capability, left)) = further.split_first() else { return Ok(None) };
                let Some(text) = capability.text() else { return Ok(Some((Spot::Unknown, &[]))) };
                if self.model.capability(*of, text).is_none() {
                    let chain = self.model.types.chain(*of);
                    let names: Vec<&str> =
                        chain.flat_map(|(_, of)| of.capabilities.names()).collect();
                    return Err(lacks(name, "capability", text, capability.span, &names));
                }
                Ok(Some((Spot::Capability { node: *of, name: text.to_owned() }, left)))
            }
            (Spot::Relationship(ends), "TARGET") => Ok(Some((ends.far(), further))),
            (Spot::Relationship(ends), "SOURCE") => {
                let source = ends.source.map_or(Spot::Unknown, |(name, it)| Self::node(name, it));
                Ok(Some((source, further)))
            }
            (Spot::Relationship(ends), "CAPABILITY") => {
                let node = ends.far().node_type();
                let both = node.zip(ends.capability.clone());
                let capability = both.map(|(node, name)| Spot::Capability { node, name });
                Ok(Some((capability.unwrap_or(Spot::Unknown), further)))
            }
            (Spot::Node { .. }, "SOURCE" | "TARGET") => {
                let message = format!("`{word}` is an end of a relationship, and this is a node");
                Err(wrong(codes::FUNCTION, span, message))
            }
            // Many files of 2.0 still name requirements and capabilities as 1.3 does.
            _ => self.turn_1(spot, word, span, further),
        }
    }

    /// Before 2.0: the name of a capability or of a requirement, unless it is one of a value.
    fn turn_1<'s>(
        &self,
        spot: &Spot<'m>,
        word: &str,
        span: Span,
        further: &'s [Value],
    ) -> Step<Option<(Spot<'m>, &'s [Value])>> {
        let Spot::Node { name, of, template } = spot else { return Ok(None) };
        if self.schema(spot, word).is_some() || further.is_empty() {
            return Ok(None);
        }
        if self.model.capability(*of, word).is_some() {
            return Ok(Some((Spot::Capability { node: *of, name: word.to_owned() }, further)));
        }
        if self.model.requirement(*of, word).is_none() {
            return Ok(None);
        }
        self.is_there(name, *of, *template, word, further, span)?;
        let (index, left) = index(further);
        let ends = self.ends(name, *of, *template, word, index);
        let Some(asked) = left.first().and_then(Value::text) else { return Ok(None) };
        let node = ends.far();
        let capability = ends.capability.clone();
        let capability = node.node_type().zip(capability);
        let capability = capability.map(|(node, name)| Spot::Capability { node, name });
        let all = [Some(node.clone()), capability, Some(Spot::Relationship(ends))];
        let found = all.into_iter().flatten().find(|spot| self.schema(spot, asked).is_some());
        Ok(Some((found.unwrap_or(node), left)))
    }

    /// A requirement that nothing asks for, and that is not assigned, leads nowhere; nor does an
    /// index beyond the assignments. What comes from elsewhere may have more.
    fn is_there(
        &self,
        name: &str,
        of: TypeId,
        template: Option<&NodeTemplate>,
        requirement: &str,
        further: &[Value],
        span: Span,
    ) -> Step<()> {
        let (Some(template), Some(definition)) =
            (template, self.model.requirement(of, requirement))
        else {
            return Ok(());
        };
        let is_imported = self.model.substituted.contains_key(&of) && !self.model.version.is_2();
        let is_elsewhere = template.directives.iter().any(|word| word.text != "create");
        let is_all = further.first().and_then(Value::text) == Some("ALL");
        let is_mapped = self.service.maps_requirement(name, requirement);
        if is_imported || is_elsewhere || is_all || is_mapped {
            return Ok(());
        }
        let own = template.requirements.iter().filter(|(known, _)| known.text == requirement);
        let Some(given) = own.map(|(_, it)| count(it)).sum::<Option<u64>>() else { return Ok(()) };
        let unsaid = u64::from(!self.model.version.is_2());
        let lower = definition.count.map_or(unsaid, |range| range.lower);
        let (index, _) = index(further);
        if (index as u64) < given.max(lower) {
            return Ok(());
        }
        let message = match given {
            0 => format!("the requirement `{requirement}` of `{name}` has no target"),
            1 => format!("the requirement `{requirement}` of `{name}` has 1 target"),
            _ => format!("the requirement `{requirement}` of `{name}` has {given} targets"),
        };
        let help = match given {
            0 => format!(
                "it is optional and not assigned: assign `{requirement}`, or read elsewhere"
            ),
            _ => "the index of the first one is 0".to_owned(),
        };
        Err(Box::new(Wrong {
            code: codes::FUNCTION,
            span,
            message,
            help: Some(help),
            is_absent: true,
        }))
    }

    /// The relationship of a requirement; the first one when no index says which.
    fn ends(
        &self,
        name: &str,
        of: TypeId,
        template: Option<&'m NodeTemplate>,
        requirement: &str,
        index: usize,
    ) -> Ends<'m> {
        let definition = self.model.requirement(of, requirement);
        let source = template.and_then(|_| {
            let (name, template) = self.service.nodes.entry(name)?;
            Some((name.text.as_str(), template))
        });
        let own = template.map(|template| template.requirements.iter());
        let mut own = own.into_iter().flatten().filter(|(name, _)| name.text == requirement);
        let assigned: Option<&'m RequirementAssignment> = own.nth(index).map(|(_, it)| it);
        let target = assigned.and_then(|assigned| assigned.target.as_ref());
        let node = target.and_then(|target| {
            let (name, template) = self.service.nodes.entry(&target.node)?;
            Some((name.text.as_str(), template))
        });
        let declared = definition.as_ref();
        Ends {
            of: target
                .and_then(|target| target.relationship)
                .or_else(|| declared.and_then(|it| it.relationship.as_ref()?.id)),
            source,
            target: node,
            target_type: declared.and_then(|it| it.node.as_ref()?.id),
            capability: target.and_then(|target| target.capability.clone()),
        }
    }

    /// What a spot says about the name of a value.
    fn schema(&self, spot: &Spot<'m>, name: &str) -> Option<Schema> {
        let model = self.model;
        let pick = |properties: Fields<Schema>, attributes: &dyn Fn() -> Fields<Schema>| {
            let own = properties.get(name).cloned();
            own.or_else(|| self.with_attributes.then(|| attributes().get(name).cloned())?)
        };
        let of_type = |of: TypeId| {
            let attributes = || model.schemas(of, |of| &of.attributes);
            pick(model.schemas(of, |of| &of.properties), &attributes)
        };
        match spot {
            Spot::Node { of, .. } => of_type(*of),
            Spot::Relationship(ends) => ends.of.and_then(of_type),
            Spot::Capability { node, name: at } => {
                let attributes = || {
                    model.capability_schemas(*node, at, |of| &of.attributes, |of| &of.attributes)
                };
                let properties =
                    model.capability_schemas(*node, at, |of| &of.properties, |of| &of.properties);
                pick(properties, &attributes)
            }
            Spot::Unknown => None,
        }
    }

    /// The name of a value, and the way into it.
    fn end(
        &self,
        spot: &Spot<'m>,
        word: &str,
        span: Span,
        further: &[Value],
    ) -> Step<Option<Found>> {
        let of = match spot {
            Spot::Unknown | Spot::Relationship(Ends { of: None, .. }) => return Ok(None),
            Spot::Relationship(ends) => ends.of,
            Spot::Node { of, .. } => Some(*of),
            Spot::Capability { node, name } => self.model.capability_type(*node, name),
        };
        if of.is_none_or(|of| self.model.is_opaque(of)) {
            return Ok(None);
        }
        let Some(schema) = self.schema(spot, word) else {
            let what = if self.with_attributes { "attribute" } else { "property" };
            let names = self.names(spot);
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            return Err(lacks(&spot.words(self.model), what, word, span, &names));
        };
        let schema = self.parts(schema, further)?;
        let owner = match spot {
            Spot::Node { name, template: Some(_), .. } => Some(name.clone()),
            _ => None,
        };
        Ok(Some(Found { owner, name: word.to_owned(), schema }))
    }

    fn names(&self, spot: &Spot<'m>) -> Vec<String> {
        let model = self.model;
        let mut fields = Vec::new();
        match spot {
            Spot::Capability { node, name } => {
                fields.push(model.capability_schemas(
                    *node,
                    name,
                    |of| &of.properties,
                    |of| &of.properties,
                ));
            }
            Spot::Node { of, .. } | Spot::Relationship(Ends { of: Some(of), .. }) => {
                fields.push(model.schemas(*of, |of| &of.properties));
                if self.with_attributes {
                    fields.push(model.schemas(*of, |of| &of.attributes));
                }
            }
            _ => {}
        }
        fields.iter().flat_map(Fields::names).map(str::to_owned).collect()
    }

    /// Goes into lists, maps and structures.
    pub(super) fn parts(&self, schema: Schema, further: &[Value]) -> Step<Option<Schema>> {
        let mut schema = schema;
        for step in further {
            let Some(of) = &schema.of else { return Ok(None) };
            let is_place = matches!(step.data, Data::Int(_)) || step.text().is_some();
            match self.model.base(of, self.model.version) {
                Base::BuiltIn("list" | "map") => match self.model.entry_of(&schema) {
                    Some(entry) => schema = entry.clone(),
                    None => return Ok(None),
                },
                Base::Structure(id) => {
                    let fields = self.model.schemas(id, |of| &of.properties);
                    // What a function gives is not known here.
                    let named = step.text().filter(|text| super::function::is_plain(text));
                    let Some(name) = named else { return Ok(None) };
                    if fields.is_empty() || self.model.is_opaque(id) {
                        return Ok(None);
                    }
                    let Some(found) = fields.get(name) else {
                        let names: Vec<&str> = fields.names().collect();
                        let of = &self.model.types.get(id).name.text;
                        return Err(lacks(of, "property", name, step.span, &names));
                    };
                    schema = found.clone();
                }
                Base::BuiltIn(_) | Base::Scalar(_) if is_place => {
                    let message = format!("a {} has no parts", of.name.text);
                    return Err(wrong(codes::FUNCTION, step.span, message));
                }
                _ => return Ok(None),
            }
        }
        Ok(Some(schema))
    }
}

impl Spot<'_> {
    fn node_type(&self) -> Option<TypeId> {
        match self {
            Spot::Node { of, .. } => Some(*of),
            _ => None,
        }
    }

    /// For people.
    fn words(&self, model: &Model) -> String {
        match self {
            Spot::Node { name, .. } | Spot::Capability { name, .. } => name.clone(),
            Spot::Relationship(ends) => {
                ends.of.map(|of| model.types.get(of).name.text.clone()).unwrap_or_default()
            }
            Spot::Unknown => String::new(),
        }
    }
}

impl<'m> Ends<'m> {
    /// The node at the other end.
    pub(super) fn far(&self) -> Spot<'m> {
        if let Some((name, template)) = self.target {
            return Walk::node(name, template);
        }
        match self.target_type {
            Some(of) => Spot::Node { name: "TARGET".to_owned(), of, template: None },
            None => Spot::Unknown,
        }
    }
}

#[expect(clippy::unnecessary_box_returns, reason = "errors of steps are boxed, for they are large")]
fn wrong(code: &'static str, span: Span, message: String) -> Box<Wrong> {
    Box::new(Wrong { code, span, message, help: None, is_absent: false })
}

#[expect(clippy::unnecessary_box_returns, reason = "errors of steps are boxed, for they are large")]
fn lacks(owner: &str, word: &str, name: &str, span: Span, known: &[&str]) -> Box<Wrong> {
    let message = format!("`{owner}` has no {word} `{name}`");
    let near = spelling::nearest(name, known.iter().copied());
    let help = near.map(|near| format!("did you mean `{near}`?"));
    Box::new(Wrong { code: codes::UNKNOWN_NAME, span, message, help, is_absent: false })
}
