//! Templates that are used as types, and files that a template names.
//!
//! Such a template is read when it is first met, with nothing known about its parameters, and once
//! more for each resource of that type, with the values that are passed in.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::TypeFacts;
use super::parameter::Parameter;
use super::schema;
use super::stack::Stack;
use super::template::{Builder, Resolved, TemplateUse};
use super::value::{Data, Value};
use super::versions::{RELEASES, release_of_heat};
use crate::diagnostic::{Diagnostic, Severity};
use crate::source::files::{FileError, ReadFile};
use crate::source::{SourceId, Span};

/// Uses of templates that are read with their values; those beyond are read once for all.
const MOST_USES: usize = 200;

/// A template used as a type.
#[derive(Debug, Clone)]
pub(super) struct Nested {
    pub(super) source: SourceId,
    pub(super) name: String,
    pub(super) gives: Interface,
    /// What is known of it whatever the values; none when every use was read.
    pub(super) stack: Option<Stack>,
    /// How many were read before.
    pub(super) order: usize,
}

/// What a template used as a type takes and gives.
#[derive(Debug, Clone)]
pub(super) struct Interface {
    pub(super) parameters: BTreeMap<String, Parameter>,
    pub(super) outputs: BTreeSet<String>,
}

/// Whether the type of a resource is a file.
pub(super) fn is_file(name: &str) -> bool {
    let path = name.split(['?', '#']).next().unwrap_or(name);
    name.contains("://")
        || [".yaml", ".yml", ".template"].iter().any(|ending| path.ends_with(ending))
}

/// A path as `trait Files` takes it; none for what would have to be fetched.
pub(super) fn local(name: &str) -> Option<&str> {
    match name.split_once("://") {
        None => Some(name),
        Some(("file", path)) => Some(path),
        Some(_) => None,
    }
}

impl Builder<'_> {
    /// What a type name stands for; a template is read when it is first met.
    pub(super) fn resolve(
        &mut self,
        type_name: &str,
        resource: &str,
        span: Span,
        from: Option<&str>,
    ) -> Resolved {
        let (name, from, span) = match self.environment.lookup(type_name, resource) {
            Some((to, mapping)) => (to, mapping.file.clone(), mapping.span),
            None => (type_name.to_owned(), from.map(str::to_owned), span),
        };
        if name == "OS::Heat::None" {
            return Resolved::Anything;
        }
        if is_file(&name) {
            return self.file(&name, from.as_deref(), span);
        }
        match schema::find_type(&name, span, &mut self.findings) {
            Some(facts) => {
                self.check_status(facts, span);
                if facts.is_placeholder() { Resolved::Anything } else { Resolved::Facts(facts) }
            }
            None => Resolved::Anything,
        }
    }

    fn check_status(&mut self, facts: &'static TypeFacts, span: Span) {
        if let Some((status, version)) = facts.retired() {
            let name = facts.name;
            let words = match status {
                "DEPRECATED" => "deprecated",
                "HIDDEN" => "hidden and about to go",
                _ => "not supported",
            };
            let message = format!("type `{name}` is {words} since Heat {version}");
            let mut finding = Diagnostic::warning("HOT015", span, message);
            finding.help = facts.replacement().map(|new| format!("use `{new}`"));
            self.findings.push(finding);
        }
        let release = facts.since().and_then(release_of_heat);
        if let Some(name) = release.and_then(|rank| RELEASES.get(rank)) {
            self.check_release(name, span, &format!("type `{}`", facts.name));
        }
    }

    fn file(&mut self, name: &str, from: Option<&str>, span: Span) -> Resolved {
        let Some(path) = local(name) else { return Resolved::Anything };
        let Some(files) = &mut self.files else { return Resolved::Anything };
        if let Ok(identity) = files.identity(from, path)
            && self.known.contains_key(&identity)
        {
            return Resolved::Template(identity);
        }
        let read = files.read(from, path);
        let file: ReadFile = match read {
            Ok(file) => file,
            Err(error) => return self.refused(&error, span),
        };
        if let Err(error) = self.imports.enter(&file, Some(span)) {
            return self.refused(&error, span);
        }
        let ReadFile { name, identity, text } = file;
        let source = self.sources.add_included(name.clone(), text, Some(span));
        let read = self.template(source, Some(&name), TemplateUse::Type);
        self.imports.leave();
        match read {
            Some((stack, gives)) => {
                let order = self.known.len();
                let stack = Some(stack);
                let nested = Nested { source, name, gives, stack, order };
                self.known.insert(identity.clone(), nested);
                Resolved::Template(identity)
            }
            None => Resolved::Anything,
        }
    }

    pub(super) fn refused(&mut self, error: &FileError, span: Span) -> Resolved {
        let mut finding = error.diagnostic(span);
        if matches!(error, FileError::OutsideRoot { .. }) {
            // Heat would read it; that it was not looked at is no mistake of the template.
            finding.severity = Severity::Warning;
        }
        self.findings.push(finding);
        Resolved::Anything
    }

    /// Reads a template once more, for one resource with its properties.
    pub(super) fn with_values(&mut self, identity: &str, properties: &Value, span: Span) {
        let is_known = matches!(properties.data, Data::Map(_));
        let Some(nested) = self.known.get(identity).filter(|_| is_known) else { return };
        if self.uses.len() >= MOST_USES {
            return;
        }
        let (source, name) = (nested.source, nested.name.clone());
        let file =
            ReadFile { name: name.clone(), identity: identity.to_owned(), text: String::new() };
        // A template that leads back to itself was reported when it was first read.
        if self.imports.enter(&file, Some(span)).is_err() {
            return;
        }
        let read = self.template(source, Some(&name), TemplateUse::Resource(properties));
        self.imports.leave();
        if let Some((stack, _)) = read {
            self.uses.push(stack);
            if let Some(nested) = self.known.get_mut(identity) {
                nested.stack = None;
            }
        }
    }

    /// The templates that were used as types: each use, and once each without a use.
    pub(super) fn nested_stacks(&mut self) -> Vec<Stack> {
        let mut others: Vec<(usize, Stack)> = std::mem::take(&mut self.known)
            .into_values()
            .filter_map(|nested| Some((nested.order, nested.stack?)))
            .collect();
        others.sort_by_key(|(order, _)| *order);
        let mut all: Vec<Stack> = others.into_iter().map(|(_, stack)| stack).collect();
        all.append(&mut self.uses);
        all
    }
}
