//! The resources of a template, and the members of groups.

use std::collections::BTreeSet;

use super::evaluate::Evaluator;
use super::facts::TypeFacts;
use super::schema::{self, Place};
use super::sections;
use super::stack::{Resource, Stack};
use super::template::{Builder, Resolved, Scope};
use super::value::{Data, Value};
use super::versions::Format;
use crate::diagnostic::Diagnostic;
use crate::lang::names;
use crate::source::Span;
use crate::spelling;
use crate::tree::{Entry, Node};

/// Members of a group that are written out: enough to see two of them meet.
const MOST_MEMBERS: i128 = 4;

/// The keys of a resource in one notation.
struct Words {
    all: &'static [&'static str],
    kind: &'static str,
    properties: &'static str,
    depends_on: &'static str,
    condition: &'static str,
    deletion_policy: &'static str,
    update_policy: &'static str,
    metadata: &'static str,
}

const HOT: Words = Words {
    all: &[
        "type",
        "properties",
        "metadata",
        "depends_on",
        "update_policy",
        "deletion_policy",
        "external_id",
        "condition",
        "description",
        "actions",
    ],
    kind: "type",
    properties: "properties",
    depends_on: "depends_on",
    condition: "condition",
    deletion_policy: "deletion_policy",
    update_policy: "update_policy",
    metadata: "metadata",
};

const CFN: Words = Words {
    all: &[
        "Type",
        "Properties",
        "Metadata",
        "DependsOn",
        "UpdatePolicy",
        "DeletionPolicy",
        "CreationPolicy",
        "Condition",
        "Description",
    ],
    kind: "Type",
    properties: "Properties",
    depends_on: "DependsOn",
    condition: "Condition",
    deletion_policy: "DeletionPolicy",
    update_policy: "UpdatePolicy",
    metadata: "Metadata",
};

/// Reads every resource into the stack, and says which parameters they read.
pub(super) fn read<'t>(
    builder: &mut Builder<'_>,
    root: Node<'t>,
    scope: &Scope<'t>,
    stack: &mut Stack,
) -> BTreeSet<String> {
    let hot = scope.version.format == Format::Hot;
    let words = if hot { &HOT } else { &CFN };
    let section = root.get(if hot { "resources" } else { "Resources" });
    let mut reader = Reader { builder, scope, words, evaluator: scope.evaluator() };
    let mut pending = Vec::new();
    let mut seen = BTreeSet::new();
    for entry in section.into_iter().flat_map(Node::entries) {
        if seen.insert(entry.name()) {
            let (resource, waits) = reader.resource(entry);
            pending.push((stack.push(resource), waits, entry));
        }
    }
    for (at, waits, entry) in pending {
        let mut known: Vec<(usize, Span)> = Vec::with_capacity(waits.len());
        let mut once = BTreeSet::new();
        for (name, span) in waits {
            if let Some(target) = stack.position(&name)
                && once.insert(target)
            {
                known.push((target, span));
            }
        }
        stack.resources[at].waits_for = known;
        reader.external(stack, at);
        reader.members(stack, at, entry);
    }
    let Reader { evaluator, builder, .. } = reader;
    let Evaluator { mut findings, used, .. } = evaluator;
    builder.findings.append(&mut findings);
    used
}

struct Reader<'r, 'f, 's, 't> {
    builder: &'r mut Builder<'f>,
    scope: &'s Scope<'t>,
    words: &'static Words,
    evaluator: Evaluator<'s>,
}

impl<'s, 't: 's> Reader<'_, '_, 's, 't> {
    fn report(&mut self, code: &'static str, span: Span, message: String) {
        self.builder.findings.push(Diagnostic::error(code, span, message));
    }

    /// One resource and the names of those that it waits for.
    fn resource(&mut self, entry: Entry<'t>) -> (Resource, Vec<(String, Span)>) {
        let (name, node) = (entry.name(), entry.value);
        let span = entry.key.span();
        let type_name = self.type_name(entry).unwrap_or_default();
        let resolved = self.scope.types.get(name).cloned().unwrap_or(Resolved::Anything);
        let facts = match &resolved {
            Resolved::Facts(facts) => Some(*facts),
            _ => None,
        };
        self.evaluator.references.clear();
        let asked = node.get(self.words.condition).filter(|condition| !condition.is_null());
        let condition = match asked {
            Some(condition) => self.evaluator.condition(condition),
            None => Some(true),
        };
        let only_if = asked.filter(|_| condition.is_none()).map(|node| match node.as_str() {
            Some(name) => name.to_owned(),
            // What is written in place is taken for a condition of its own.
            None => format!("at {}", node.span().start),
        });
        let properties = self.mapping(node, self.words.properties, span);
        for key in [self.words.metadata, "external_id"] {
            if let Some(node) = node.get(key) {
                self.evaluator.value(node);
            }
        }
        let is_external = node.get("external_id").is_some_and(|id| !id.is_null());
        self.check_properties(name, &resolved, &properties, span, is_external);
        let deletion_policy = self.deletion_policy(name, node, facts.map(|facts| facts.name));
        let policy = self.mapping(node, self.words.update_policy, span);
        if let Some(facts) = facts.filter(|facts| !facts.update_policy.is_empty()) {
            let place = Place { resource: name, is_external, heads: &self.scope.heads };
            let findings = &mut self.builder.findings;
            schema::check_map(&facts.update_policy, &policy, policy.span, &place, findings);
        }
        let references = std::mem::take(&mut self.evaluator.references);
        let mut waits: Vec<(String, Span)> =
            references.into_iter().map(|reference| (reference.target, reference.span)).collect();
        let first = waits.len();
        self.depends_on(name, node, &mut waits);
        let depends_on = waits[first..].iter().map(|(name, _)| name.clone()).collect();
        let path = self.scope.path.as_deref();
        self.builder.take_files(&mut self.evaluator, path);
        self.builder.findings.append(&mut self.evaluator.findings);
        let resource = Resource {
            name: name.to_owned(),
            span,
            type_name: self.type_of(facts, type_name, name),
            facts,
            properties,
            waits_for: Vec::new(),
            depends_on,
            deletion_policy,
            condition,
            only_if,
            extent: span.to(node.span()),
            is_external,
            group: None,
            count: None,
        };
        (resource, waits)
    }

    /// A type after the environment: what stands for it there is no longer what is written, be it
    /// a template or nothing at all.
    fn type_of(&self, facts: Option<&TypeFacts>, written: String, resource: &str) -> String {
        match (facts, self.builder.environment.lookup(&written, resource)) {
            (Some(facts), _) => facts.name.to_owned(),
            (None, Some((to, _))) => to,
            (None, None) => written,
        }
    }

    /// Says which keys a resource cannot have; a property has another place.
    fn unknown_keys(&mut self, name: &str, node: Node<'t>) {
        let mut findings = Vec::new();
        sections::unknown_keys(node, self.words.all, "HOT003", "a resource", &mut findings);
        if let Some(Resolved::Facts(facts)) = self.scope.types.get(name) {
            for finding in &mut findings {
                let is_here = |entry: &Entry<'_>| entry.key.span() == finding.primary;
                let Some(entry) = node.entries().find(is_here) else { continue };
                if facts.properties.iter().any(|property| property.name == entry.name()) {
                    let (key, properties) = (entry.name(), self.words.properties);
                    finding.help = Some(format!("`{key}` belongs below `{properties}`"));
                }
            }
        }
        self.builder.findings.append(&mut findings);
    }

    fn type_name(&mut self, entry: Entry<'t>) -> Option<String> {
        let (name, node) = (entry.name(), entry.value);
        let span = entry.key.span();
        if !node.is_mapping() {
            let kind = node.kind_name();
            self.report(
                "HOT002",
                span,
                format!("resource `{name}` must be a mapping, and this is {kind}"),
            );
            return None;
        }
        self.unknown_keys(name, node);
        let words = self.words;
        match node.get(words.kind).and_then(Node::as_str).filter(|text| !text.is_empty()) {
            Some(type_name) => Some(type_name.to_owned()),
            None => {
                self.report("HOT004", span, format!("resource `{name}` has no `{}`", words.kind));
                None
            }
        }
    }

    /// The value of a key that must be a mapping; an empty one when it is not there.
    fn mapping(&mut self, node: Node<'t>, key: &str, span: Span) -> Value {
        let empty = Value::new(span, Data::Map(Vec::new()));
        let Some(node) = node.get(key).filter(|node| !node.is_null()) else { return empty };
        let value = self.evaluator.value(node);
        if matches!(value.data, Data::Map(_) | Data::Unknown(_)) {
            return value;
        }
        let kind = value.kind_words();
        self.report(
            "HOT002",
            node.span(),
            format!("`{key}` must be a mapping, and this is {kind}"),
        );
        empty
    }

    fn check_properties(
        &mut self,
        name: &str,
        resolved: &Resolved,
        properties: &Value,
        span: Span,
        is_external: bool,
    ) {
        match resolved {
            Resolved::Facts(facts) => {
                let place = Place { resource: name, is_external, heads: &self.scope.heads };
                let findings = &mut self.builder.findings;
                schema::check_map(&facts.properties, properties, span, &place, findings);
            }
            Resolved::Template(file) => self.check_template(name, file, properties, span),
            Resolved::Anything => {}
        }
    }

    /// Properties of a template used as a type are its parameters.
    fn check_template(&mut self, name: &str, file: &str, properties: &Value, span: Span) {
        let nested = self.builder.known.get(file).map(|nested| nested.gives.clone());
        let Some(nested) = nested else { return };
        let Data::Map(entries) = &properties.data else { return };
        for entry in entries {
            let Some(parameter) = nested.parameters.get(&entry.key) else {
                let message = format!("resource `{name}` has no property `{}`", entry.key);
                let known = nested.parameters.keys().map(String::as_str);
                let mut finding = Diagnostic::error("HOT006", entry.key_span, message);
                let before = self.builder.findings.len();
                finding.help = spelling::advice("property", &entry.key, known, before);
                self.builder.findings.push(finding);
                continue;
            };
            if entry.value.is_known() && !entry.value.is_null() {
                parameter.accept(&entry.value, "value", &mut self.builder.findings);
            }
        }
        for parameter in nested.parameters.values().filter(|parameter| !parameter.has_default) {
            if properties.get(&parameter.name).is_none() {
                let parameter = &parameter.name;
                let message = format!(
                    "resource `{name}` gives no value for the required property `{parameter}` (C21)"
                );
                self.report("HOT121", span, message);
            }
        }
        self.builder.with_values(file, properties, span);
    }

    /// Row C22.
    fn deletion_policy(
        &mut self,
        name: &str,
        node: Node<'t>,
        type_name: Option<&str>,
    ) -> Option<String> {
        let node = node.get(self.words.deletion_policy)?;
        let value = self.evaluator.value(node);
        let policy = value.as_str()?;
        let capital = ["Delete", "Retain", "Snapshot"].contains(&policy);
        let small = ["delete", "retain", "snapshot"].contains(&policy);
        let hot = self.scope.version.format == Format::Hot;
        let is_known = capital || (small && hot && self.scope.version.rank >= 5);
        if !is_known {
            let message = format!("`{policy}` is no deletion policy in this version (C22)");
            let help = if small {
                "write it with a capital letter"
            } else {
                "write delete, retain or snapshot"
            };
            self.builder
                .findings
                .push(Diagnostic::error("HOT122", node.span(), message).help(help));
            return None;
        }
        let can_snapshot = type_name.is_none_or(|name| {
            matches!(name, "OS::Nova::Server" | "OS::Cinder::Volume" | "AWS::EC2::Volume")
        });
        if policy.eq_ignore_ascii_case("snapshot") && !can_snapshot {
            let message = format!("resource `{name}` is of a type that takes no snapshots (C22)");
            self.report("HOT122", node.span(), message);
        }
        Some(policy.to_lowercase())
    }

    fn depends_on(&mut self, name: &str, node: Node<'t>, waits: &mut Vec<(String, Span)>) {
        let Some(node) = node.get(self.words.depends_on).filter(|node| !node.is_null()) else {
            return;
        };
        let value = self.evaluator.value(node);
        let items = match &value.data {
            Data::List(items) => items.as_slice(),
            Data::Str(_) => std::slice::from_ref(&value),
            Data::Unknown(_) => return,
            _ => &[],
        };
        let all_text = items.iter().all(|item| item.as_str().is_some());
        if items.is_empty() && !matches!(value.data, Data::List(_)) || !all_text {
            let key = self.words.depends_on;
            let message = format!("`{key}` of resource `{name}` must be a name or a list of names");
            self.report("HOT002", value.span, message);
        }
        for item in items {
            let Some(target) = item.as_str() else { continue };
            if self.scope.heads.contains_key(target) {
                waits.push((target.to_owned(), item.span));
                continue;
            }
            let known = self.scope.heads.keys().map(String::as_str);
            let findings = &mut self.builder.findings;
            names::missing("HOT007", "resource", target, item.span, known, findings);
        }
    }

    /// Row C11: what exists already cannot wait for what does not.
    fn external(&mut self, stack: &Stack, at: usize) {
        let resource = &stack.resources[at];
        if !resource.is_external {
            return;
        }
        for (target, span) in &resource.waits_for {
            let target = &stack.resources[*target];
            if !target.is_external {
                let message = format!(
                    "`{}` exists already and cannot depend on `{}`, which does not (C11)",
                    resource.name, target.name
                );
                self.report("HOT111", *span, message);
            }
        }
    }

    /// Writes out the members of a group.
    fn members(&mut self, stack: &mut Stack, at: usize, entry: Entry<'t>) {
        let group = &stack.resources[at];
        let key = match group.type_name.as_str() {
            "OS::Heat::ResourceGroup" => "resource_def",
            "OS::Heat::AutoScalingGroup" => "resource",
            _ => return,
        };
        let count = |name: &str| group.get(&[name]).and_then(Value::as_int);
        let wanted = if key == "resource_def" {
            Some(count("count").unwrap_or(1)).filter(|_| {
                !matches!(group.get(&["count"]).map(|v| &v.data), Some(Data::Unknown(_)))
            })
        } else {
            count("desired_capacity").or_else(|| count("min_size"))
        };
        let index = group.get(&["index_var"]).and_then(Value::as_str).unwrap_or("%index%");
        let index = index.to_owned();
        let definition = entry.value.get(self.words.properties).and_then(|node| node.get(key));
        let Some(definition) = definition else { return };
        stack.resources[at].count = wanted.and_then(|wanted| u32::try_from(wanted).ok());
        for number in 0..wanted.unwrap_or(1).clamp(1, MOST_MEMBERS) {
            let before = self.builder.findings.len();
            if let Some(member) = self.member(stack, at, definition, &index, number) {
                if wanted == Some(0) {
                    return;
                }
                stack.push(member);
            }
            // Every member is written in the same words.
            if number > 0 {
                self.builder.findings.truncate(before);
            }
        }
    }

    fn member(
        &mut self,
        stack: &Stack,
        group: usize,
        definition: Node<'t>,
        index: &str,
        number: i128,
    ) -> Option<Resource> {
        let owner = &stack.resources[group];
        self.evaluator.substitutions =
            vec![(index.to_owned(), Value::new(owner.span, Data::Int(number)))];
        let value = self.evaluator.value(definition);
        self.evaluator.substitutions.clear();
        self.evaluator.references.clear();
        self.evaluator.files.clear();
        // What is wrong with the functions was said when the group itself was read.
        self.evaluator.findings.clear();
        let type_name = value.get("type")?;
        let name = format!("{}[{number}]", owner.name);
        let text = type_name.as_str()?;
        let path = self.scope.path.clone();
        let resolved = self.builder.resolve(text, &owner.name, type_name.span, path.as_deref());
        let facts = match &resolved {
            Resolved::Facts(facts) => Some(*facts),
            _ => None,
        };
        let empty = Value::new(value.span, Data::Map(Vec::new()));
        let properties = value.get("properties").cloned().unwrap_or(empty);
        self.check_properties(&name, &resolved, &properties, type_name.span, false);
        Some(Resource {
            name,
            span: owner.span,
            type_name: self.type_of(facts, text.to_owned(), &owner.name),
            facts,
            properties,
            waits_for: Vec::new(),
            depends_on: Vec::new(),
            deletion_policy: None,
            condition: owner.condition,
            only_if: owner.only_if.clone(),
            extent: owner.extent,
            is_external: false,
            group: Some(group),
            count: None,
        })
    }
}
