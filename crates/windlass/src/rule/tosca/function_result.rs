//! What a function gives must fit where it is put.

use super::Checker;
use super::function::{Place, is_plain};
use super::property_path::{Found, Spot, Walk};
use super::schema::Base;
use super::standard_function::{self, Gives};
use super::validation_clause::is_call;
use crate::diagnostic::Diagnostic;
use crate::lang::tosca::codes;
use crate::lang::tosca::model::{FileId, Model, Parameter, Schema, Service, TypeRef};
use crate::lang::tosca::switches;
use crate::lang::tosca::value::{Data, Value};

/// The function that a value calls, without the dollar sign, and its arguments; from 2.0 the name
/// alone calls one without any.
fn called(value: &Value, version_2: bool) -> Option<(&str, Option<&Value>)> {
    if let Some(name) = value.text().filter(|text| version_2 && !is_plain(text)) {
        return Some((name.trim_start_matches('$'), None));
    }
    let [entry] = value.entries() else { return None };
    let name = entry.key.text().filter(|_| is_call(value, version_2))?;
    Some((name.trim_start_matches('$'), Some(&entry.value)))
}

/// What `concat` of 2.0 gives, which joins texts or lists; none when that cannot be seen.
fn of_concat(arguments: &Value) -> Option<Gives> {
    arguments.items().iter().find_map(|part| match &part.data {
        Data::List(_) => Some(Gives::List),
        Data::Text(text) => is_plain(text).then_some(Gives::Text),
        Data::Map(_) => match called(part, true)? {
            ("concat", Some(inner)) => of_concat(inner),
            (name, _) => standard_function::gives(name, true),
        },
        Data::Null => None,
        Data::Bool(_) | Data::Int(_) | Data::Float(..) => Some(Gives::Text),
    })
}

impl Checker<'_> {
    /// What functions in a value give must fit where it is put: its type, then the value itself as
    /// far as it is known.
    pub(super) fn result(
        &mut self,
        service: &Service,
        value: &Value,
        schema: &Schema,
        place: Place<'_>,
    ) {
        let Some((name, arguments)) = called(value, self.version().is_2()) else {
            for (part, schema) in self.parts(value, schema) {
                self.result(service, part, &schema, place);
            }
            return;
        };
        let before = self.findings.len();
        // The whole value of an input says more than its type.
        let is_part = arguments.is_some_and(|it| it.items().len() > 1);
        let by_value = name == "get_input" && !is_part;
        if by_value {
            self.result_value(service, value, schema, place);
        }
        if self.findings.len() == before {
            self.result_type(service, value, schema, place);
        }
        if self.findings.len() == before && !by_value {
            self.result_value(service, value, schema, place);
        }
    }

    /// The type of what a function gives.
    pub(super) fn result_type(
        &mut self,
        service: &Service,
        value: &Value,
        schema: &Schema,
        place: Place<'_>,
    ) {
        let version_2 = self.version().is_2();
        let Some((name, arguments)) = called(value, version_2) else { return };
        let Some(wanted) = &schema.of else { return };
        let model = self.model;
        let wanted_base = model.base(wanted, model.version);
        let given = match (name, arguments) {
            (_, Some(_)) if version_2 && self.own_functions(value.span).contains_key(name) => {
                return self.own_result(name, value, wanted);
            }
            ("get_input", Some(arguments)) => self.input_type(service, arguments),
            ("get_property", Some(way)) => self.part_type(service, way, place, false),
            ("get_attribute", Some(way)) => self.part_type(service, way, place, true),
            (name, arguments) => {
                let joined = arguments.filter(|_| version_2 && name == "concat");
                let is_list = wanted_base == Base::BuiltIn("list");
                let given = match joined.map(of_concat) {
                    Some(Some(given)) => Some(given),
                    // It may join lists.
                    Some(None) if is_list => None,
                    _ => standard_function::gives(name, version_2),
                };
                let Some(given) = given else { return };
                if !given.fits(wanted_base) {
                    self.misfit_of(value, given.as_str(), &wanted.name.text);
                }
                return;
            }
        };
        let Some(given) = given else { return };
        if !fits(model, model.base(&given, model.version), wanted_base) {
            self.misfit_of(value, &given.name.text, &wanted.name.text);
        }
    }

    /// The value that a function gives, against what is wanted; nothing is said about one that is
    /// wrong where it is written, too.
    fn result_value(
        &mut self,
        service: &Service,
        value: &Value,
        schema: &Schema,
        place: Place<'_>,
    ) {
        let Some((name, arguments)) = called(value, self.version().is_2()) else { return };
        let Some(known) = self.constant_value(value, place) else { return };
        let before = self.findings.len();
        self.value(&known, schema, self.version());
        let Some(first) = self.findings.split_off(before).into_iter().next() else { return };
        let input = arguments.filter(|_| name == "get_input").and_then(|it| input(service, it));
        let subject = match input {
            Some(input) if input.is_given() => "the value given for this input does not fit",
            Some(_) => "the default of this input does not fit",
            None => "what this gives does not fit",
        };
        // Of what functions make, the type was looked at before; a unit is part of the text.
        let is_unit = || {
            let base = schema.of.as_ref().map(|of| self.model.base(of, self.version()));
            matches!(base, Some(Base::Scalar(_)))
                || matches!(base, Some(Base::BuiltIn(name)) if name.starts_with("scalar-unit"))
        };
        // Numbers are looked at as such before: whether one is whole is seen here.
        let is_fraction = matches!(known.data, Data::Float(number, _) if number.fract() != 0.0);
        let is_known =
            first.code == codes::CONSTRAINT || input.is_some() || is_unit() || is_fraction;
        let is_written = name == "get_property";
        if !is_known || is_written && self.is_said(service, arguments, place) {
            return;
        }
        let message = format!("{subject}: {}", first.message);
        let mut found = Diagnostic::new(first.code, first.severity, value.span, message);
        let is_quirk = is_about_type(&first) && input.is_some();
        found.quirk = is_quirk.then_some(switches::UNCHECKED_INPUTS);
        self.findings.push(found);
    }

    /// Whether something was found in the value of a node template that a path leads to.
    fn is_said(&self, service: &Service, way: Option<&Value>, place: Place<'_>) -> bool {
        let found = way.and_then(|way| self.found(service, way, place, false));
        let owner = found.and_then(|found| Some((found.owner?, found.name)));
        let value = owner.and_then(|(node, name)| service.nodes.get(&node)?.properties.get(&name));
        value.is_some_and(|value| {
            let span = value.span;
            self.findings.iter().any(|found| {
                let at = found.primary;
                at.source == span.source && span.start <= at.start && at.end <= span.end
            })
        })
    }

    /// The type of an input or of a part of it; none when it is not known.
    fn input_type(&self, service: &Service, arguments: &Value) -> Option<TypeRef> {
        let input = input(service, arguments)?;
        let steps = arguments.items().get(1..).unwrap_or_default();
        if !steps.is_empty() {
            let walk = Walk { model: self.model, service, with_attributes: false };
            let part = walk.parts(input.schema.clone(), steps).ok().flatten();
            return part.and_then(|part| part.of);
        }
        input.schema.of.clone()
    }

    /// What a function of one's own gives, by any of its signatures.
    fn own_result(&mut self, name: &str, value: &Value, wanted: &TypeRef) {
        let model = self.model;
        let mut files = model.files.iter().enumerate();
        let Some((file, body)) =
            files.find_map(|(at, file)| Some((FileId(at as u32), file.signatures.get(name)?)))
        else {
            return;
        };
        let signatures = body.get("signatures").map_or(&[][..], Value::items);
        let mut words = Vec::new();
        for signature in signatures {
            let result = signature.get("result").and_then(|it| self.argument(file, it)?.of);
            let Some(result) = result else { return };
            let given = model.base(&result, model.version);
            if fits(model, given, model.base(wanted, model.version)) {
                return;
            }
            if !words.contains(&result.name.text) {
                words.push(result.name.text);
            }
        }
        if !words.is_empty() {
            self.misfit_of(value, &words.join("` or `"), &wanted.name.text);
        }
    }

    fn misfit_of(&mut self, value: &Value, given: &str, wanted: &str) {
        let message = format!("this gives `{given}` where `{wanted}` is needed");
        self.error(codes::FUNCTION, value.span, message);
    }

    /// The type of what a path of `get_property` or `get_attribute` leads to.
    fn part_type(
        &self,
        service: &Service,
        arguments: &Value,
        place: Place<'_>,
        with_attributes: bool,
    ) -> Option<TypeRef> {
        self.found(service, arguments, place, with_attributes)?.schema?.of
    }

    /// What such a path leads to.
    fn found(
        &self,
        service: &Service,
        arguments: &Value,
        place: Place<'_>,
        with_attributes: bool,
    ) -> Option<Found> {
        let [entity, rest @ ..] = arguments.items() else { return None };
        let from = match (entity.text()?, place) {
            ("SELF", Place::Node(name, node)) => Walk::node(name, node),
            ("SELF", Place::Filter(name, of)) => {
                Spot::Node { name: name.to_owned(), of, template: None }
            }
            (name, _) => Walk::node(name, service.nodes.get(name)?),
        };
        let walk = Walk { model: self.model, service, with_attributes };
        walk.follow(from, rest).ok()?
    }
}

/// The input that is asked for.
fn input<'s>(service: &'s Service, arguments: &Value) -> Option<&'s Parameter> {
    service.inputs.get(arguments.items().first().unwrap_or(arguments).text()?)
}

/// Whether a finding says that a value is of another type, and not that it is a bad one.
fn is_about_type(finding: &Diagnostic) -> bool {
    finding.code == codes::WRONG_VALUE
}

/// Whether values of one type may stand for values of another.
pub(super) fn fits(model: &Model, given: Base<'_>, wanted: Base<'_>) -> bool {
    match (given, wanted) {
        (Base::BuiltIn("integer"), Base::BuiltIn("float")) => true,
        (Base::BuiltIn(given), Base::BuiltIn(wanted)) => {
            given == wanted
                || given.starts_with("scalar-unit") && wanted.starts_with("scalar-unit")
                || (given == "string"
                    && !["integer", "float", "boolean", "list", "map"].contains(&wanted))
        }
        (Base::Structure(given), Base::Structure(wanted)) => {
            model.types.derives(given, wanted) || model.types.derives(wanted, given)
        }
        (Base::Structure(_), Base::BuiltIn(wanted)) => wanted == "map",
        _ => true,
    }
}
