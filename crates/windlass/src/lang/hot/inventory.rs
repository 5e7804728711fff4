//! What exists in the cloud already (row X04): `NAME: { type: TYPE }`, one entry each.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::{Constraint, PropertyFacts};
use super::parameter::options;
use super::schema::providers;
use super::stack::Stack;
use super::value::{Data, Value};
use crate::diagnostic::Diagnostic;
use crate::source::{SourceId, Sources};
use crate::spelling;
use crate::tree::{self, Node};

/// Names and ids by the type of what has them.
#[derive(Debug, Clone, Default)]
pub struct Inventory {
    names: BTreeMap<String, BTreeSet<String>>,
}

impl Inventory {
    /// Reads an inventory.
    pub fn read(source: SourceId, sources: &Sources, findings: &mut Vec<Diagnostic>) -> Self {
        let (tree, mut syntax) = tree::parse_source(source, sources, &options());
        findings.append(&mut syntax);
        let mut inventory = Inventory::default();
        for entry in tree.root().entries() {
            let Some(type_name) = entry.value.get("type").and_then(Node::as_str) else {
                let message = format!("`{}` in an inventory needs a `type`", entry.name());
                findings.push(Diagnostic::error("HOT013", entry.key.span(), message));
                continue;
            };
            let names = inventory.names.entry(type_name.to_owned()).or_default();
            names.insert(entry.name().to_owned());
            names.extend(entry.value.get("id").and_then(Node::as_str).map(str::to_owned));
        }
        inventory
    }

    /// Reports every name of something outside that the inventory does not have.
    pub fn check(&self, stack: &Stack, findings: &mut Vec<Diagnostic>) {
        for resource in &stack.resources {
            let Some(facts) = resource.facts else { continue };
            self.check_map(&facts.properties, &resource.properties, findings);
        }
    }

    fn check_map(&self, schema: &[PropertyFacts], map: &Value, findings: &mut Vec<Diagnostic>) {
        for entry in map.entries() {
            if let Some(property) = schema.iter().find(|property| property.name == entry.key) {
                self.check_value(property, &entry.value, findings);
            }
        }
    }

    fn check_value(&self, property: &PropertyFacts, value: &Value, findings: &mut Vec<Diagnostic>) {
        match (&value.data, property.each()) {
            (Data::List(items), Some(each)) => {
                for item in items {
                    self.check_value(each, item, findings);
                }
            }
            (Data::Map(_), None) => self.check_map(&property.nested, value, findings),
            (Data::Str(text), _) if !text.is_empty() => {
                for constraint in &property.constraints {
                    let Constraint::Is(custom) = constraint else { continue };
                    let types = providers(custom);
                    let known = |name: &&str| self.names.get(*name);
                    let found = types.iter().filter_map(known).any(|names| names.contains(text));
                    if types.is_empty() || found {
                        continue;
                    }
                    let message = format!(
                        "`{text}` of property `{}` is not in the inventory (X04)",
                        property.name
                    );
                    let mut finding = Diagnostic::error("HOT504", value.span, message);
                    let names = types.iter().filter_map(known).flatten().map(String::as_str);
                    let near = spelling::nearest(text, names);
                    finding.help = near.map(|near| format!("did you mean `{near}`?"));
                    findings.push(finding);
                }
            }
            _ => {}
        }
    }
}
