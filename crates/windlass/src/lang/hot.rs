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

pub mod address;
mod conditions;
pub mod constraint;
mod cycle;
pub mod environment;
mod evaluate;
pub mod facts;
mod hidden;
pub mod inventory;
mod lower;
mod nested;
pub mod parameter;
pub mod renew;
mod resources;
pub mod schema;
mod sections;
pub mod stack;
mod template;
mod text_functions;
pub mod update;
pub mod value;
pub mod versions;

pub use sections::detect;
pub use stack::{Resource, Stack};

use crate::application::Application;
use crate::diagnostic::{self, Diagnostic};
use crate::source::files::{Files, ImportStack, ReadFile};
use crate::source::{SourceId, Sources, Span};
use crate::tree::{self, Node};
use environment::Environment;
use template::{Asker, Builder};

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
pub fn read<'f>(
    root: SourceId,
    path: Option<&str>,
    sources: &'f mut Sources,
    files: Option<&'f mut dyn Files>,
    settings: &'f Settings,
    findings: &mut Vec<Diagnostic>,
) -> Option<Stack> {
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
        sources,
        files,
        environment,
        settings,
        findings: Vec::new(),
        imports,
        known: std::collections::BTreeMap::new(),
        uses: Vec::new(),
    };
    let read = builder.template(root, path, Asker::User);
    // A template that is used twice has its mistakes once.
    diagnostic::without_repetitions(&mut builder.findings);
    findings.append(&mut builder.findings);
    let (mut stack, _) = read?;
    stack.nested = builder.nested_stacks();
    Some(stack)
}

/// Whether a text is a template: by the start of a line, or for JSON by its keys.
pub fn is_template(text: &str) -> bool {
    const KEYS: &[&str] =
        &["heat_template_version", "HeatTemplateFormatVersion", "AWSTemplateFormatVersion"];
    let starts = |line: &str| {
        KEYS.iter().any(|key| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(':')))
    };
    if text.lines().any(starts) {
        return true;
    }
    if !KEYS.iter().any(|key| text.contains(key)) {
        return false;
    }
    let (tree, _) = tree::parse(SourceId(0), text, &parameter::options());
    detect(tree.root())
}

/// The application that a template without errors describes.
pub fn lower(stack: &Stack, name: &str) -> Application {
    lower::application(stack, name)
}

/// The place of the first key, for what is missing.
fn first(root: Node<'_>) -> Span {
    root.entries().next().map_or(root.span(), |entry| entry.key.span())
}
