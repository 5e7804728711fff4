//! One folder per language: `parse` never fails, `lower` keeps spans.
//!
//! [`read`], [`read_with`] and [`read_archive`] are the only entries for descriptions: they find
//! out which language a text is in, read it, and hand back an application together with everything
//! that is wrong with the text. [`documents`] does the same for states, plans and goals.
//! [`recognize`] looks at a text once, and what it found is read without parsing it again. A
//! language that is added later is one folder and one line in [`LANGUAGES`].

pub mod barrel;
pub(crate) mod base64;
pub mod compose;
pub mod concerto;
pub mod documents;
pub mod foreign;
pub mod hot;
pub mod language;
mod names;
pub mod occi;
pub mod ramp;
mod recognize;
pub mod tosca;
pub mod tosker;
pub mod windlass;
mod written;

pub use documents::{
    Reading as DocumentReading, read_goal, read_plan, read_rules, read_state, read_topology,
};
pub use language::{
    Context, Kind, LANGUAGES, Language, ModelRules, Origin, Reach, Reader, Text, Unrecognized,
};
pub use recognize::{Recognized, recognize};
pub use written::{Inexpressible, Written};

use std::borrow::Cow;

use crate::application::Application;
use crate::diagnostic::{self, Diagnostic, Severity};
use crate::goal::GoalFile;
use crate::rule;
use crate::source::files::{FileError, Files};
use crate::source::{SourceId, Sources};
use crate::tree;

/// What came out of reading one description.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    /// The language it was read as; none when no language fits.
    pub language: Option<Language>,
    /// The application, when the text describes one and has no errors of its own.
    pub application: Option<Application>,
    /// The goal that the description declares for itself.
    pub goal: Option<GoalFile>,
    /// The project, when the text is a Compose file: what its rules look at, errors or not.
    pub compose: Option<Box<compose::Project>>,
    /// The template, when the text is one of OpenStack Heat.
    pub stack: Option<Box<hot::Stack>>,
    /// The types and the service template, when the text is TOSCA in YAML.
    pub tosca: Option<Box<tosca::Model>>,
    /// Everything that is wrong with the text, in the order of the text; what the rules say about
    /// the application is asked separately.
    pub findings: Vec<Diagnostic>,
}

/// What readers need to know beside the text, handed in by the caller.
#[derive(Debug, Clone)]
pub struct ReadOptions {
    /// The languages that a text may be in, in the order in which it is shown to them.
    pub languages: Cow<'static, [Language]>,
    /// What a Compose file takes from outside.
    pub compose: compose::Options,
    /// What is given beside a template of OpenStack Heat.
    pub hot: hot::Settings,
    /// Values for the inputs of a TOSCA service.
    pub inputs: tosca::inputs::InputValues,
    /// What is tolerated in TOSCA files on demand.
    pub quirks: tosca::switches::Switches,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions {
            languages: Cow::Borrowed(LANGUAGES),
            compose: compose::Options::default(),
            hot: hot::Settings::default(),
            inputs: tosca::inputs::InputValues::default(),
            quirks: tosca::switches::Switches::default(),
        }
    }
}

/// Reads the text `root`, which stands alone, in the given language, or in the one that it tells.
pub fn read(language: Option<Language>, root: SourceId, sources: &Sources) -> Reading {
    // Profiles are added to the texts; no finding points into them.
    let (mut sources, options) = (sources.clone(), ReadOptions::default());
    let text = recognize(language, root, Origin::Alone, &sources, &options);
    read_alone(text, &mut sources, &options)
}

/// Reads a text that was looked at and that stands alone.
pub fn read_alone(text: Recognized, sources: &mut Sources, options: &ReadOptions) -> Reading {
    let name = sources.get(text.id).name.clone();
    read_text(text, &mut alone(&name, sources, options))
}

/// Reads the text `root` with the files that it imports. `path` is its place among the files.
pub fn read_with(
    language: Option<Language>,
    root: SourceId,
    path: &str,
    sources: &mut Sources,
    files: &mut dyn Files,
) -> Reading {
    read_in(language, root, path, sources, files, &ReadOptions::default())
}

/// Reads the text `root` with the files that it imports and with what stands beside it.
pub fn read_in(
    language: Option<Language>,
    root: SourceId,
    path: &str,
    sources: &mut Sources,
    files: &mut dyn Files,
    options: &ReadOptions,
) -> Reading {
    let text = recognize(language, root, Origin::Alone, sources, options);
    read_recognized(text, path, sources, files, options)
}

/// Reads a text that was looked at, with the files that it imports.
pub fn read_recognized(
    text: Recognized,
    path: &str,
    sources: &mut Sources,
    files: &mut dyn Files,
    options: &ReadOptions,
) -> Reading {
    let mut context = Context { path, sources, files: Some(files), options, rules: RULES };
    read_text(text, &mut context)
}

/// Reads an archive, which says itself with which file to begin; none when it does not.
pub fn read_archive(
    language: Option<Language>,
    sources: &mut Sources,
    files: &mut dyn Files,
) -> Result<Option<Reading>, FileError> {
    read_archive_in(language, sources, files, &ReadOptions::default())
}

/// Reads an archive with what stands beside it.
pub fn read_archive_in(
    language: Option<Language>,
    sources: &mut Sources,
    files: &mut dyn Files,
    options: &ReadOptions,
) -> Result<Option<Reading>, FileError> {
    let Some(entry) = tosca::csar::entry(files)? else { return Ok(None) };
    let root = sources.add(entry.file.name, entry.file.text);
    Ok(Some(read_in(language, root, &entry.path, sources, files, options)))
}

/// What a reader is given for a text that stands alone.
fn alone<'a>(path: &'a str, sources: &'a mut Sources, options: &'a ReadOptions) -> Context<'a> {
    Context { path, sources, files: None, options, rules: RULES }
}

fn read_text(text: Recognized, context: &mut Context<'_>) -> Reading {
    let Some(language) = text.language else {
        let foreign = text.foreign;
        let (_, mut findings) = text.into_text().parse(context.sources, &tree::Options::default());
        findings.extend(foreign.map(|foreign| foreign.finding()));
        diagnostic::sort(&mut findings);
        return Reading { findings, ..Reading::default() };
    };
    let reading = language.reader().read(text.into_text(), context);
    Reading { language: reading.language.or(Some(language)), ..reading }
}

/// What is asked of models before they are lowered.
const RULES: ModelRules = ModelRules { tosca: check_model, compose: rule::compose::check_refused };

/// The rules on a model of TOSCA; without a model only what is wrong is explained.
fn check_model(
    model: Option<&mut tosca::Model>,
    sources: &Sources,
    files: Option<&mut dyn Files>,
    findings: &mut Vec<Diagnostic>,
) {
    match model {
        Some(model) => rule::tosca::check(model, sources, files, findings),
        None => rule::tosca::explain(findings),
    }
}

/// The name of a file without folders and ending.
fn stem(name: &str) -> &str {
    let file = name.rsplit('/').next().unwrap_or(name);
    file.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or("service")
}

/// Whether something is wrong, not only doubtful.
fn has_errors(findings: &[Diagnostic]) -> bool {
    findings.iter().any(|finding| finding.severity == Severity::Error)
}
