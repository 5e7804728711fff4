//! Values made of each other, and values read before they can exist.

use super::super::codes;
use super::super::model::{Fields, Interface, Service};
use super::super::value::Value;
use super::Checker;
use super::evaluate::is_call;
use super::path::Walk;
use crate::source::Span;
use std::collections::BTreeMap;

/// Operations of a relationship that run before its source exists.
const BEFORE_SOURCE: &[&str] = &["pre_configure_target", "post_configure_target"];

impl Checker<'_> {
    pub(super) fn flow(&mut self) {
        let model = self.model;
        let Some(service) = &model.service else { return };
        self.value_cycles(service);
        if self.version().is_2() {
            return;
        }
        for (_, template) in service.relationships.iter() {
            self.too_early(&template.interfaces);
        }
        for (_, node) in service.nodes.iter() {
            for inline in node.requirements.iter().filter_map(|(_, one)| one.inline.as_ref()) {
                self.too_early(&inline.interfaces);
            }
        }
    }

    /// A target is configured before its source is created: attributes of the source have no
    /// value then.
    fn too_early(&mut self, interfaces: &Fields<Interface>) {
        for (_, interface) in interfaces.iter() {
            for (name, operation) in interface.operations.iter() {
                if !BEFORE_SOURCE.contains(&name.text.as_str()) {
                    continue;
                }
                let values = operation.inputs.iter().filter_map(|(_, input)| input.value.as_ref());
                let mut found = Vec::new();
                for value in values {
                    reads(value, "get_attribute", false, &mut found);
                }
                for (arguments, span) in found {
                    if arguments.items().first().and_then(Value::text) == Some("SOURCE") {
                        let message = format!(
                            "`{}` reads an attribute of the source before the source exists",
                            name.text
                        );
                        let help = "the source is created when the target is started: use \
                                    `add_source`, or `get_property`";
                        self.advise(codes::TOO_EARLY, span, message, Some(help.to_owned()));
                    }
                }
            }
        }
    }

    /// Properties whose values need each other.
    fn value_cycles(&mut self, service: &Service) {
        let mut places: Vec<(&str, &str, Span)> = Vec::new();
        let mut index: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for (node, template) in service.nodes.iter() {
            for (name, _) in template.properties.iter() {
                index.insert((&node.text, &name.text), places.len());
                places.push((&node.text, &name.text, name.span));
            }
        }
        let mut edges: Vec<Vec<usize>> = Vec::new();
        for (node, template) in service.nodes.iter() {
            for (_, value) in template.properties.iter() {
                let mut found = Vec::new();
                reads(value, "get_property", self.version().is_2(), &mut found);
                let walk = Walk { model: self.model, service, with_attributes: false };
                let targets = found.into_iter().filter_map(|(arguments, _)| {
                    let [owner, rest @ ..] = arguments.items() else { return None };
                    let owner = owner.text()?;
                    let owner = if owner == "SELF" { node.text.as_str() } else { owner };
                    let from = Walk::node(owner, service.nodes.get(owner)?);
                    let found = walk.follow(from, rest).ok()??;
                    index.get(&(found.owner?.as_str(), found.name.as_str())).copied()
                });
                edges.push(targets.collect());
            }
        }
        // What only depends on finished values is finished; the rest is in or behind a cycle.
        let mut done = vec![false; edges.len()];
        loop {
            let ready: Vec<usize> = (0..edges.len())
                .filter(|at| !done[*at] && edges[*at].iter().all(|to| done[*to]))
                .collect();
            if ready.is_empty() {
                break;
            }
            for at in ready {
                done[at] = true;
            }
        }
        let Some(first) = done.iter().position(|done| !done) else { return };
        // Follow edges until a place repeats.
        let (mut at, mut way) = (first, Vec::new());
        while !way.contains(&at) {
            way.push(at);
            match edges[at].iter().find(|to| !done[**to]) {
                Some(to) => at = *to,
                None => return,
            }
        }
        let from = way.iter().position(|known| *known == at).unwrap_or(0);
        let names: Vec<String> = way[from..]
            .iter()
            .map(|at| format!("`{}` of `{}`", places[*at].1, places[*at].0))
            .collect();
        let message = match names.len() {
            1 => format!("{} is made of itself", names[0]),
            _ => format!("{} are made of each other", names.join(" and ")),
        };
        self.error(codes::VALUE_CYCLE, places[at].2, message);
    }
}

/// The calls of one function in a value, with their arguments.
fn reads<'v>(value: &'v Value, name: &str, version_2: bool, found: &mut Vec<(&'v Value, Span)>) {
    if is_call(value, version_2)
        && let [entry] = value.entries()
        && entry.key.text().is_some_and(|key| key.trim_start_matches('$') == name)
    {
        found.push((&entry.value, value.span));
    }
    for item in value.items() {
        reads(item, name, version_2, found);
    }
    for entry in value.entries() {
        reads(&entry.value, name, version_2, found);
    }
}
