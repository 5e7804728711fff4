//! HOT, the language of OpenStack Heat, and Heat's reading of CloudFormation templates.
//!
//! A template is read as Heat reads it, with its environment and the templates that it uses as
//! types, but offline: functions are evaluated as far as values are known ([`value`]), properties
//! are
//! compared with the schemas of Heat's resource types ([`facts`]), and everything that is wrong is
//! said at once. The [`Stack`] that comes out is what `rule::hot` looks at.
//!
//! | file | what it reads |
//! |---|---|
//! | `template`, `sections`, `resources`, `parameter`, `constraint`, `conditions` | a template |
//! | `environment` | environment files |
//! | `evaluate`, `text_functions` | functions |
//! | `schema`, `facts` | properties and their schemas |

pub(crate) mod address;
mod conditions;
pub(crate) mod constraint;
mod cycle;
pub(crate) mod environment;
mod evaluate;
pub mod facts;
mod hidden;
pub mod inventory;
mod lower;
mod nested;
pub(crate) mod parameter;
pub mod renew;
mod resources;
pub(crate) mod schema;
mod sections;
pub mod stack;
mod template;
mod text_functions;
pub mod update;
pub mod value;
pub mod versions;

pub(crate) use sections::detect;
pub use stack::{Resource, Stack};

use super::Reading;
use super::language::{Context, Kind, Language, Reader, Text, Unrecognized, reborrow};
use crate::application::Application;
use crate::diagnostic::{self, Diagnostic};
use crate::source::files::{Files, ImportStack, ReadFile};
use crate::source::{SourceId, Sources, Span};
use crate::tree::Node;
use environment::Environment;
use template::{Builder, TemplateUse};

impl Language {
    /// HOT of OpenStack Heat.
    pub const HOT: Language = Language::new(&Hot);
}

#[derive(Debug)]
struct Hot;

impl Reader for Hot {
    fn name(&self) -> &'static str {
        "hot"
    }

    fn recognize_keys(&self, root: Node<'_>) -> Option<Kind> {
        detect(root).then_some(Kind::Application)
    }

    /// The version may stand behind what cannot be read.
    fn guess(&self, text: Unrecognized<'_>) -> Option<Kind> {
        has_version_line(text.text).then_some(Kind::Application)
    }

    fn read(&self, text: Text, context: &mut Context<'_>) -> Reading {
        let mut findings = Vec::new();
        let name = context.sources.get(text.id).name.clone();
        let path = context.files.is_some().then_some(name.as_str());
        let files = reborrow(&mut context.files);
        let settings = &context.options.hot;
        let stack = read(text, path, context.sources, files, settings, &mut findings);
        diagnostic::sort(&mut findings);
        let stack = stack.map(Box::new);
        let application = stack.as_ref().filter(|_| !super::has_errors(&findings));
        let application = application.map(|stack| lower(stack, &name));
        Reading { application, stack, findings, ..Reading::default() }
    }
}

/// What is given beside a template.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Environment files, with their paths among the files; a later one wins.
    pub environments: Vec<(SourceId, Option<String>)>,
    /// The release of OpenStack that the template must work with.
    pub release: Option<String>,
}

/// Reads a template. `path` is the name by which its files are asked for; without files nothing
/// that
/// it names is looked at.
pub(crate) fn read<'f>(
    text: Text,
    path: Option<&str>,
    sources: &'f mut Sources,
    files: Option<&'f mut dyn Files>,
    settings: &'f Settings,
    findings: &mut Vec<Diagnostic>,
) -> Option<Stack> {
    let root = text.id;
    let mut environment = Environment::default();
    for (source, path) in &settings.environments {
        environment.add(*source, path.as_deref(), sources, findings);
    }
    let mut imports = ImportStack::new();
    let name = sources.get(root).name.clone();
    let identity = path.unwrap_or(&name).to_owned();
    let own = ReadFile { name, identity, text: String::new() };
    // The first file of a chain is never refused.
    let _ = imports.enter(&own, None);
    let mut builder = Builder {
        first: Some(text),
        parsed: std::collections::BTreeMap::new(),
        sources,
        files,
        environment,
        settings,
        findings: Vec::new(),
        imports,
        known: std::collections::BTreeMap::new(),
        uses: Vec::new(),
    };
    let read = builder.template(root, path, TemplateUse::User);
    // A template that is used twice has its mistakes once.
    diagnostic::without_repetitions(&mut builder.findings);
    findings.append(&mut builder.findings);
    let (mut stack, _) = read?;
    stack.nested = builder.nested_stacks();
    Some(stack)
}

/// Whether a line of a text says that it is a template.
fn has_version_line(text: &str) -> bool {
    const KEYS: &[&str] =
        &["heat_template_version", "HeatTemplateFormatVersion", "AWSTemplateFormatVersion"];
    let starts = |line: &str| {
        KEYS.iter().any(|key| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(':')))
    };
    text.lines().any(starts)
}

/// The application that a template without errors describes.
pub(crate) fn lower(stack: &Stack, name: &str) -> Application {
    lower::application(stack, name)
}

/// The place of the first key, for what is missing.
fn first(root: Node<'_>) -> Span {
    root.entries().next().map_or(root.span(), |entry| entry.key.span())
}
