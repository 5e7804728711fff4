//! One folder per language: `parse` never fails, `lower` keeps spans.
//!
//! [`read`], [`read_with`] and [`read_archive`] are the only entries for descriptions: they find
//! out which language a text is in, read it, and hand back an application together with everything
//! that is wrong with the text. [`documents`] does the same for states, plans and goals. A language
//! that is added later is one folder, one variant and one line in each `match` below.

pub mod barrel;
pub mod compose;
pub mod concerto;
pub mod documents;
pub mod foreign;
pub mod hot;
mod names;
pub mod occi;
pub mod ramp;
pub mod tosca;
pub mod tosker;
pub mod windlass;
mod written;

pub use documents::{
    Reading as DocumentReading, read_goal, read_plan, read_rules, read_state, read_topology,
};
pub use written::{Inexpressible, Written};

use crate::application::Application;
use crate::diagnostic::{self, Diagnostic, Severity};
use crate::goal::GoalFile;
use crate::rule;
use crate::source::files::{FileError, Files};
use crate::source::{SourceId, Sources};
use crate::tree::{self, Tree};

/// A language that Windlass reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// Our own, `windlass.yaml`.
    Windlass,
    /// The JSON of RAMP, paper 004's tool.
    Ramp,
    /// TOSCA 1.0 XML with management protocols, as BARREL of paper 003 reads it.
    Barrel,
    /// The plan files of TosKer.
    Tosker,
    /// The JSON of Concerto's model.
    Concerto,
    /// Docker Compose.
    Compose,
    /// HOT of OpenStack Heat.
    Hot,
    /// TOSCA in YAML: Simple Profile 1.0 to 1.3, and 2.0.
    Tosca,
    /// The JSON rendering of OCCI.
    Occi,
}

impl Language {
    /// Every language, in the order in which detection tries them.
    pub const ALL: &[Language] = &[
        Language::Windlass,
        Language::Ramp,
        Language::Barrel,
        Language::Tosker,
        Language::Concerto,
        Language::Compose,
        Language::Hot,
        Language::Tosca,
        Language::Occi,
    ];

    /// The name for `--lang`.
    pub fn name(self) -> &'static str {
        match self {
            Language::Windlass => "windlass",
            Language::Ramp => "ramp",
            Language::Barrel => "barrel",
            Language::Tosker => "tosker",
            Language::Concerto => "concerto",
            Language::Compose => "compose",
            Language::Hot => "hot",
            Language::Tosca => "tosca",
            Language::Occi => "occi",
        }
    }

    /// The language with this name.
    pub fn from_name(name: &str) -> Option<Language> {
        Self::ALL.iter().copied().find(|language| language.name() == name)
    }

    /// The language of a text that is YAML or JSON, by the keys at its top.
    pub fn detect(tree: &Tree) -> Option<Language> {
        let root = tree.root();
        windlass::Document::detect(root)
            .map(|_| Language::Windlass)
            .or_else(|| ramp::Document::detect(root).map(|_| Language::Ramp))
            .or_else(|| concerto::detect(root).then_some(Language::Concerto))
            .or_else(|| compose::detect(root).then_some(Language::Compose))
            .or_else(|| hot::detect(root).then_some(Language::Hot))
            .or_else(|| tosca::detect(root).then_some(Language::Tosca))
            .or_else(|| occi::detect(root).then_some(Language::Occi))
    }

    /// The language of a text that is neither YAML nor JSON.
    pub fn detect_text(text: &str) -> Option<Language> {
        if barrel::detect(text) {
            Some(Language::Barrel)
        } else if occi::is_text(text) {
            Some(Language::Occi)
        } else if tosker::detect(text) {
            Some(Language::Tosker)
        } else {
            None
        }
    }
}

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
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// What a Compose file takes from outside.
    pub compose: compose::Options,
    /// Values for the inputs of a TOSCA service.
    pub inputs: tosca::inputs::InputValues,
    /// What is tolerated in TOSCA files on demand.
    pub quirks: tosca::switches::Switches,
}

/// Reads the text `root`, which stands alone, in the given language, or in the one that it tells.
pub fn read(language: Option<Language>, root: SourceId, sources: &Sources) -> Reading {
    let source = sources.get(root);
    match language.or_else(|| Language::detect_text(&source.text)) {
        Some(Language::Barrel) => {
            let mut findings = Vec::new();
            let library = tosca::xml::load_alone(root, &source.name, sources, &mut findings);
            read_barrel(&library, findings)
        }
        Some(Language::Tosker) if detect_keys(root, &source.text) == Some(Language::Tosca) => {
            tosker::service(read_tosca_alone(root, sources))
        }
        Some(Language::Tosker) => read_tosker(root, sources),
        Some(Language::Compose) => {
            read_compose(compose::load_alone(root, &compose::Options::default(), sources))
        }
        Some(Language::Hot) => read_hot_alone(root, sources),
        Some(Language::Occi) if occi::is_text(&source.text) => read_occi_text(root, sources),
        Some(Language::Tosca) => read_tosca_alone(root, sources),
        None if hot::is_template(&source.text) => read_hot_alone(root, sources),
        language => read_tree(language, root, sources),
    }
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
    let text = &sources.get(root).text;
    match language.or_else(|| Language::detect_text(text)).or_else(|| detect_files(root, text)) {
        Some(Language::Tosca) => read_tosca(root, sources, Some(files), options),
        Some(Language::Tosker) if detect_keys(root, text) == Some(Language::Tosca) => {
            let reading = read_tosca(root, sources, Some(files), options);
            tosker::service(reading)
        }
        Some(Language::Compose) => {
            read_compose(compose::load(root, &options.compose, sources, files))
        }
        Some(Language::Barrel) => {
            let mut findings = Vec::new();
            let library = tosca::xml::load(root, path, sources, files, &mut findings);
            read_barrel(&library, findings)
        }
        Some(Language::Hot) => read_hot(root, sources, files, &hot::Settings::default()),
        None if hot::is_template(&sources.get(root).text) => {
            read_hot(root, sources, files, &hot::Settings::default())
        }
        language => read(language, root, sources),
    }
}

/// Reads a template of OpenStack Heat with the files that it names and what is given beside it.
pub fn read_hot(
    root: SourceId,
    sources: &mut Sources,
    files: &mut dyn Files,
    settings: &hot::Settings,
) -> Reading {
    let mut findings = Vec::new();
    let name = sources.get(root).name.clone();
    let stack = hot::read(root, Some(&name), sources, Some(files), settings, &mut findings);
    understood_hot(stack, &name, findings)
}

fn read_hot_alone(root: SourceId, sources: &Sources) -> Reading {
    // Nothing is added to the texts, because no file is read.
    let mut sources = sources.clone();
    let mut findings = Vec::new();
    let settings = hot::Settings::default();
    let stack = hot::read(root, None, &mut sources, None, &settings, &mut findings);
    understood_hot(stack, &sources.get(root).name, findings)
}

fn understood_hot(stack: Option<hot::Stack>, name: &str, mut findings: Vec<Diagnostic>) -> Reading {
    diagnostic::sort(&mut findings);
    let stack = stack.map(Box::new);
    let application = stack.as_ref().filter(|_| !has_errors(&findings));
    let application = application.map(|stack| hot::lower(stack, name));
    Reading { language: Some(Language::Hot), application, stack, findings, ..Reading::default() }
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

/// The language that a text is read in, if one is given or its keys tell. It is parsed for that.
pub fn told(language: Option<Language>, root: SourceId, sources: &Sources) -> Option<Language> {
    let text = &sources.get(root).text;
    language.or_else(|| Language::detect_text(text)).or_else(|| detect_keys(root, text))
}

/// Whether the keys of a text tell no language at all, not even one that is not read yet.
pub fn tells_nothing(root: SourceId, sources: &Sources) -> bool {
    let text = &sources.get(root).text;
    let (tree, _) = tree::parse(root, text, &quiet());
    Language::detect_text(text).is_none()
        && Language::detect(&tree).is_none()
        && foreign::detect(&tree).is_none()
}

/// Whether a text whose keys tell nothing was probably meant as a Compose file.
pub fn resembles_compose(root: SourceId, sources: &Sources) -> bool {
    let (tree, _) = tree::parse(root, &sources.get(root).text, &quiet());
    compose::resembles(tree.root())
}

/// For a look at the keys only.
fn quiet() -> tree::Options {
    tree::Options { max_findings: 1, ..tree::Options::default() }
}

/// Compose or TOSCA, which read further files, when a text is in no language that comes before.
fn detect_files(root: SourceId, text: &str) -> Option<Language> {
    detect_keys(root, text)
        .filter(|language| matches!(language, Language::Compose | Language::Tosca))
}

fn detect_keys(root: SourceId, text: &str) -> Option<Language> {
    if begins_as_ours(text) {
        return Some(Language::Windlass);
    }
    let (tree, _) = tree::parse(root, text, &quiet());
    Language::detect(&tree)
}

/// Whether the first key of a text is that of our own language: then the rest need not be parsed to
/// know what it is.
fn begins_as_ours(text: &str) -> bool {
    let is_something = |line: &&str| !line.trim().is_empty() && !line.starts_with('#');
    let first = text.lines().find(is_something).unwrap_or_default();
    first.strip_prefix("windlass:").is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

fn read_tosca_alone(root: SourceId, sources: &Sources) -> Reading {
    // Profiles are added to the texts; no finding points into them.
    read_tosca(root, &mut sources.clone(), None, &ReadOptions::default())
}

fn read_tosca(
    root: SourceId,
    sources: &mut Sources,
    files: Option<&mut dyn Files>,
    options: &ReadOptions,
) -> Reading {
    let mut findings = Vec::new();
    let model = checked_tosca(root, sources, files, &options.inputs, &mut findings);
    options.quirks.settle(&mut findings);
    understood_tosca(model, &sources.get(root).name, findings)
}

/// The model of a TOSCA file, after the rules on it: they give requirements their targets.
fn checked_tosca(
    root: SourceId,
    sources: &mut Sources,
    mut files: Option<&mut dyn Files>,
    given: &tosca::inputs::InputValues,
    findings: &mut Vec<Diagnostic>,
) -> Option<tosca::Model> {
    let files_of_imports = files.as_mut().map(|files| &mut **files as &mut dyn Files);
    let mut model = tosca::read(root, sources, files_of_imports, given, findings);
    match &mut model {
        Some(model) => rule::tosca::check(model, sources, files, findings),
        None => rule::tosca::explain(findings),
    }
    model
}

fn understood_tosca(
    model: Option<tosca::Model>,
    name: &str,
    mut findings: Vec<Diagnostic>,
) -> Reading {
    diagnostic::sort(&mut findings);
    let tosca = model.map(Box::new);
    let sound = tosca.as_ref().filter(|_| !has_errors(&findings));
    let lowered = sound.and_then(|model| tosca::lower::lower(model, stem(name)));
    let (application, goal) = lowered.unzip();
    let language = Some(Language::Tosca);
    Reading { language, application, goal, tosca, findings, ..Reading::default() }
}

/// A configuration of OCCI means the TOSCA service that it maps to. What the types
/// require and it does not say is not asked for.
fn read_occi(tree: &Tree, mut findings: Vec<Diagnostic>, name: &str) -> Reading {
    let configuration = occi::read(tree.root(), &mut findings);
    configured(configuration.filter(|_| tree.is_complete()), findings, name)
}

fn read_occi_text(root: SourceId, sources: &Sources) -> Reading {
    let (source, mut findings) = (sources.get(root), Vec::new());
    let configuration = occi::read_text(root, &source.text, &mut findings);
    configured(configuration, findings, &source.name)
}

fn configured(
    configuration: Option<occi::Configuration>,
    mut findings: Vec<Diagnostic>,
    name: &str,
) -> Reading {
    diagnostic::sort(&mut findings);
    let mut reading = Reading { language: Some(Language::Occi), findings, ..Reading::default() };
    let Some(configuration) = configuration else { return reading };
    let mut sources = Sources::new();
    let root = sources.add(name, tree::emit::yaml(&occi::service(&configuration)));
    let given = tosca::inputs::InputValues::default();
    let model = checked_tosca(root, &mut sources, None, &given, &mut Vec::new());
    let lowered = model.as_ref().and_then(|model| tosca::lower::lower(model, stem(name)));
    (reading.application, reading.goal) = lowered.unzip();
    reading.tosca = model.map(Box::new);
    reading
}

/// The name of a file without folders and ending.
fn stem(name: &str) -> &str {
    let file = name.rsplit('/').next().unwrap_or(name);
    file.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or("service")
}

fn read_compose(loaded: compose::Loaded) -> Reading {
    let check = |project| rule::compose::check_refused(project, loaded.is_complete);
    let refused = loaded.project.as_ref().map(check).unwrap_or_default();
    let (project, mut findings) = loaded.judged(refused);
    diagnostic::sort(&mut findings);
    let sound = project.as_ref().filter(|_| !has_errors(&findings));
    let (application, goal) = sound.map(compose::lower).unzip();
    let compose = project.map(Box::new);
    let language = Some(Language::Compose);
    Reading { language, application, goal, compose, findings, ..Reading::default() }
}

fn read_barrel(library: &tosca::xml::Library, mut findings: Vec<Diagnostic>) -> Reading {
    let application = barrel::read(library, &mut findings);
    let application = application.filter(|_| !has_errors(&findings));
    diagnostic::sort(&mut findings);
    Reading { language: Some(Language::Barrel), application, findings, ..Reading::default() }
}

fn read_tosker(root: SourceId, sources: &Sources) -> Reading {
    let mut reading = Reading { language: Some(Language::Tosker), ..Reading::default() };
    tosker::read_plan(root, sources.get(root), &mut reading.findings);
    reading
}

fn read_tree(language: Option<Language>, root: SourceId, sources: &Sources) -> Reading {
    let options = tree::Options::default();
    let (tree, mut findings) = tree::parse(root, &sources.get(root).text, &options);
    let language = language.or_else(|| Language::detect(&tree));
    if language == Some(Language::Tosca) {
        return read_tosca_alone(root, sources);
    }
    if language == Some(Language::Compose) {
        return read_compose(compose::load_alone(root, &compose::Options::default(), sources));
    }
    if language == Some(Language::Occi) {
        return read_occi(&tree, findings, &sources.get(root).name);
    }
    if language.is_none() {
        let foreign = foreign::detect(&tree);
        if foreign.is_none() && tosker::is_named(&sources.get(root).name) {
            return read_tosker(root, sources);
        }
        findings.extend(foreign.map(|foreign| foreign.finding()));
    }
    let (application, goal) = match language {
        Some(Language::Windlass) => read_windlass(&tree, &mut findings),
        Some(Language::Ramp) => (read_ramp(&tree, &mut findings), None),
        Some(Language::Concerto) => (concerto::read_application(tree.root(), &mut findings), None),
        // These were read above.
        Some(
            Language::Barrel
            | Language::Tosker
            | Language::Compose
            | Language::Hot
            | Language::Tosca
            | Language::Occi,
        )
        | None => (None, None),
    };
    diagnostic::sort(&mut findings);
    Reading { language, application, goal, findings, ..Reading::default() }
}

fn read_windlass(
    tree: &Tree,
    findings: &mut Vec<Diagnostic>,
) -> (Option<Application>, Option<GoalFile>) {
    use windlass::Document;
    let root = tree.root();
    match Document::detect(root) {
        Some(Document::Application) => return windlass::read_application(root, findings),
        Some(Document::Plan) => {
            let plan = windlass::read_plan(root, findings);
            findings.extend(windlass::cyclic_order(&plan));
        }
        Some(Document::Rules) => {
            windlass::read_rules(root, findings);
        }
        Some(Document::Topology) => {
            windlass::read_topology(root, findings);
        }
        Some(document) => document.check_shape(root, findings),
        None if !tree.is_complete() => {}
        None => findings.push(
            Diagnostic::error(
                windlass::UNKNOWN_DOCUMENT,
                windlass::first_line(root),
                "this is no application, no state, no plan and no goal",
            )
            .help("an application starts with `windlass: 1` and has `types` and `nodes`"),
        ),
    }
    (None, None)
}

fn read_ramp(tree: &Tree, findings: &mut Vec<Diagnostic>) -> Option<Application> {
    let root = tree.root();
    match ramp::Document::detect(root) {
        Some(ramp::Document::State) => ramp::check_state(root, findings),
        Some(ramp::Document::Plan) => {
            ramp::read_plan(root, findings);
        }
        // What is no document of RAMP is compared with the one that people most often mean.
        Some(ramp::Document::Application) | None => {
            return ramp::read_application(root, findings);
        }
    }
    None
}

/// Whether something is wrong, not only doubtful.
fn has_errors(findings: &[Diagnostic]) -> bool {
    findings.iter().any(|finding| finding.severity == Severity::Error)
}
