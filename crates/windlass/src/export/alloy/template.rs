//! A template of OpenStack Heat as Alloy text, on top of the paper's modules `HOT` and `HOT_types`:
//! one signature with everything as fields, what each thing is as facts, and a command that asks
//! for an instance.
//!
//! What exists in the cloud already and is named by a parameter or in quotes (a network, an image,
//! a flavor, a key) becomes a field too, as the paper has it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::{quoted, word};
use crate::lang::hot::facts::{PropertyFacts, TypeFacts};
use crate::lang::hot::parameter::Parameter;
use crate::lang::hot::value::{Data, Value};
use crate::lang::hot::{Resource, Stack};

/// Things of a cloud by the constraint of the property that names them, with their type.
const OUTSIDE: &[(&str, &str)] = &[
    ("neutron.network", "OS::Neutron::ProviderNet"),
    ("glance.image", "OS::Glance::Image"),
    ("nova.flavor", "OS::Nova::Flavor"),
    ("nova.keypair", "OS::Nova::KeyPair"),
];

/// The Alloy text of a template.
///
/// Paper: 000 7.3
///
/// Deviation: the lines of YAML are not repeated as comments; a value that is known only after
/// deployment is left open by a comment; the numbers of roles count what the template refers to;
/// sizes of values are left to the command `for 40`.
pub fn print(stack: &Stack, name: &str) -> String {
    let name = word(name);
    let printer = Printer { stack, outside: outside(stack) };
    let mut text = "open HOT\nopen HOT_types\nopen LocationGraphs as LG\n\n".to_owned();
    let _ = writeln!(text, "sig {name}_template extends HOT/Template\n{{");
    printer.fields(&mut text);
    let _ = writeln!(text, "}} {{");
    let _ = writeln!(text, "heat_template_version = {}", quoted(stack.version.as_str()));
    match &stack.description {
        Some(description) => {
            let _ = writeln!(text, "description = {}", quoted(description.trim_end()));
        }
        None => text.push_str("no description\n"),
    }
    text.push_str("no parameter_groups\n\n");
    for parameter in &stack.parameters {
        print_parameter(&mut text, parameter);
    }
    for resource in printer.resources() {
        printer.resource(&mut text, resource);
    }
    for (name, type_name) in &printer.outside {
        let id = word(name);
        let _ = writeln!(text, "resource[{id}]\n{id}.id = {}", quoted(name));
        let _ = writeln!(text, "// a {type_name} that exists already\n");
    }
    for output in &stack.outputs {
        let id = word(&output.name);
        let _ = writeln!(text, "output[{id}]\n{id}.name = {}", quoted(&output.name));
        if let Some(description) = &output.description {
            let _ = writeln!(text, "{id}.description = {}", quoted(description.trim_end()));
        }
        let value = plain(&output.value).unwrap_or_else(|| quoted(&origin(&output.value)));
        let _ = writeln!(text, "{id}.value = {value}\nno {id}.condition\n");
    }
    if stack.conditions.is_empty() {
        text.push_str("no conditions\n");
    }
    text.push_str("}\n\n");
    printer.command(&mut text, &name);
    text
}

/// What exists already and is named, with its type.
fn outside(stack: &Stack) -> BTreeMap<String, &'static str> {
    let mut found = BTreeMap::new();
    for resource in &stack.resources {
        let Some(facts) = resource.facts else { continue };
        collect(&facts.properties, &resource.properties, &mut found);
    }
    let own = |name: &str| stack.named(name).is_some();
    found.retain(|name, _| !own(name));
    found
}

fn collect(facts: &[PropertyFacts], value: &Value, found: &mut BTreeMap<String, &'static str>) {
    for property in facts {
        let Some(value) = value.get(property.name) else { continue };
        let kind = OUTSIDE.iter().find(|(constraint, _)| property.is_custom(constraint));
        if let (Some((_, kind)), Some(name)) = (kind, value.as_str()) {
            found.insert(name.to_owned(), kind);
        }
        collect(&property.nested, value, found);
        for item in value.items() {
            let each = property.each().map_or(&[][..], |each| &each.nested);
            collect(each, item, found);
        }
    }
}

struct Printer<'s> {
    stack: &'s Stack,
    outside: BTreeMap<String, &'static str>,
}

impl<'s> Printer<'s> {
    fn resources(&self) -> impl Iterator<Item = &'s Resource> + use<'s> {
        let own = |own: &&Resource| own.group.is_none() && own.condition != Some(false);
        self.stack.resources.iter().filter(own)
    }

    fn fields(&self, text: &mut String) {
        let parameters = self.stack.parameters.iter().map(|own| (word(&own.name), "Parameter"));
        let resources = self.resources().map(|own| (word(&own.name), own.type_name.as_str()));
        let outside = self.outside.iter().map(|(name, kind)| (word(name), *kind));
        let outputs = self.stack.outputs.iter().map(|own| (word(&own.name), "Output"));
        let all = parameters.chain(resources).chain(outside).chain(outputs);
        let lines: Vec<String> = all.map(|(name, kind)| format!("  {name}: one {kind}")).collect();
        let _ = writeln!(text, "{}", lines.join(",\n"));
    }

    fn resource(&self, text: &mut String, resource: &Resource) {
        let id = word(&resource.name);
        let _ = writeln!(text, "resource[{id}]\n{id}.id = {}", quoted(&resource.name));
        let empty = &[][..];
        let facts = resource.facts.map_or(empty, |facts: &TypeFacts| &facts.properties);
        for property in facts {
            let field = format!("{id}.prop_{}", word(property.name));
            match (resource.get(&[property.name]), property.default) {
                (Some(value), _) => self.property(text, &field, property, value),
                (None, Some(default)) => {
                    let _ = writeln!(text, "{field} = {}", default_text(default));
                }
                (None, None) => {
                    let _ = writeln!(text, "no {field}");
                }
            }
        }
        let policy = resource.deletion_policy.as_deref().unwrap_or("delete");
        let _ = writeln!(text, "{id}.deletion_policy = {}", quoted(policy));
        for other in &resource.depends_on {
            let _ = writeln!(text, "{id}.depends_on[{}]", word(other));
        }
        for (key, is_there) in [
            ("condition", false),
            ("external_id", resource.is_external),
            ("depends_on", !resource.depends_on.is_empty()),
            ("metadata", false),
        ] {
            if !is_there {
                let _ = writeln!(text, "no {id}.{key}");
            }
        }
        text.push('\n');
    }

    /// `x.prop_network[get_resource[net]]`, `x.prop_cidr = "..."`.
    fn property(&self, text: &mut String, field: &str, facts: &PropertyFacts, value: &Value) {
        match &value.data {
            Data::List(items) => {
                for item in items {
                    self.property(text, field, facts.each().unwrap_or(facts), item);
                }
                if items.is_empty() {
                    let _ = writeln!(text, "no {field}");
                }
            }
            Data::Map(_) if !facts.nested.is_empty() => {
                let argument = |own: &PropertyFacts| {
                    value.get(own.name).map_or_else(|| "none".to_owned(), |own| self.argument(own))
                };
                let mut names: Vec<&PropertyFacts> = facts.nested.iter().collect();
                names.sort_by_key(|own| own.name);
                let arguments: Vec<String> = names.into_iter().map(argument).collect();
                let _ = writeln!(text, "{field}[{}]", arguments.join(", "));
            }
            Data::Map(_) => {
                let _ = writeln!(text, "some {field}");
            }
            _ => match self.reference(value) {
                Some(reference) => {
                    let _ = writeln!(text, "{field}[{reference}]");
                }
                None => match plain(value) {
                    Some(value) => {
                        let _ = writeln!(text, "{field} = {value}");
                    }
                    None => {
                        let _ = writeln!(text, "some {field} // {}", comment(&origin(value)));
                    }
                },
            },
        }
    }

    fn reference(&self, value: &Value) -> Option<String> {
        match &value.data {
            Data::Resource(name) => Some(format!("get_resource[{}]", word(name))),
            Data::Str(name) if self.outside.contains_key(name) => {
                Some(format!("get_resource[{}]", word(name)))
            }
            _ => None,
        }
    }

    fn argument(&self, value: &Value) -> String {
        let known = self.reference(value).or_else(|| plain(value));
        known.unwrap_or_else(|| "some".to_owned())
    }

    /// The command that asks for an instance, with how many of everything there are.
    fn command(&self, text: &mut String, name: &str) {
        let mut types: BTreeMap<&str, usize> = BTreeMap::new();
        let mut roles: BTreeMap<&str, usize> = BTreeMap::new();
        let mut count = 0;
        for resource in self.resources() {
            *types.entry(&resource.type_name).or_default() += 1;
            count += 1;
            let mut uses = Vec::new();
            self.references(&resource.properties, &mut uses);
            uses.extend(resource.depends_on.iter().cloned());
            self.count_roles(&uses, &mut roles);
        }
        for output in &self.stack.outputs {
            let mut uses = Vec::new();
            self.references(&output.value, &mut uses);
            self.count_roles(&uses, &mut roles);
        }
        for kind in self.outside.values() {
            *types.entry(kind).or_default() += 1;
            count += 1;
        }
        let _ = write!(
            text,
            "run Show_{name} {{\n}} for 40 but\n  exactly 1 {name}_template,\n  exactly 1 \
             HOT/Template,\n  exactly 1 LG/LocationGraph,\n  exactly {} HOT/Parameter,\n  exactly \
             {count} HOT/Resource,\n  exactly {count} LG/Location,\n  exactly {} HOT/Output",
            self.stack.parameters.len(),
            self.stack.outputs.len(),
        );
        let all: BTreeSet<&str> = types.keys().chain(roles.keys()).copied().collect();
        for kind in all {
            let signature = kind.replace("::", "_");
            for (table, ending) in [(&types, ""), (&roles, "_Role")] {
                if let Some(count) = table.get(kind) {
                    let _ = write!(text, ",\n  exactly {count} {signature}{ending}");
                }
            }
        }
        text.push_str("\nexpect 1\n");
    }

    /// Everything that a value refers to.
    fn references(&self, value: &Value, found: &mut Vec<String>) {
        match &value.data {
            Data::Resource(name) => found.push(name.clone()),
            Data::Str(name) if self.outside.contains_key(name) => found.push(name.clone()),
            Data::Unknown(unknown) => {
                let rest = unknown.from.as_deref().and_then(|f| f.strip_prefix("attribute "));
                found.extend(rest.and_then(|rest| rest.split(' ').next()).map(str::to_owned));
            }
            Data::List(items) => items.iter().for_each(|item| self.references(item, found)),
            Data::Map(entries) => {
                for entry in entries {
                    self.references(&entry.value, found);
                }
            }
            _ => {}
        }
    }

    fn count_roles(&self, names: &[String], roles: &mut BTreeMap<&'s str, usize>) {
        for name in names {
            let own = self.stack.named(name).map(|own| own.type_name.as_str());
            if let Some(kind) = own.or_else(|| self.outside.get(name).copied()) {
                *roles.entry(kind).or_default() += 1;
            }
        }
    }
}

fn print_parameter(text: &mut String, parameter: &Parameter) {
    let id = word(&parameter.name);
    let _ = writeln!(text, "parameter[{id}]\n{id}.name = {}", quoted(&parameter.name));
    if let Some(kind) = parameter.declared_type {
        let _ = writeln!(text, "{id}.type = {}", quoted(kind.as_str()));
    }
    if let Some(value) = plain(&parameter.value) {
        let _ = writeln!(text, "{id}.value = {value}");
    }
    if parameter.constraints.is_empty() {
        let _ = writeln!(text, "no {id}.constraints");
    }
    let _ = writeln!(text, "{id}.immutable = {}\n", parameter.immutable);
}

/// A scalar that is known, as Alloy writes it.
fn plain(value: &Value) -> Option<String> {
    match &value.data {
        Data::Bool(value) => Some(value.to_string()),
        Data::Int(value) => Some(value.to_string()),
        Data::Null => Some("none".to_owned()),
        Data::Str(_) | Data::Float(_) => value.scalar_text().map(|text| quoted(&text)),
        _ => None,
    }
}

/// Where a value will come from.
fn origin(value: &Value) -> String {
    match &value.data {
        Data::Unknown(unknown) => {
            unknown.from.clone().unwrap_or_else(|| "known after deployment".to_owned())
        }
        Data::Resource(name) => format!("get_resource {name}"),
        _ => value.kind_words().to_owned(),
    }
}

/// Words that stand in one line.
fn comment(text: &str) -> String {
    crate::export::escape::visible(text).replace('\n', " ")
}

/// A default of a property, as Alloy writes it.
fn default_text(default: &str) -> String {
    match default {
        "True" | "true" => "true".to_owned(),
        "False" | "false" => "false".to_owned(),
        "{}" | "[]" => "none".to_owned(),
        number if number.parse::<i64>().is_ok() => number.to_owned(),
        text => quoted(text),
    }
}
