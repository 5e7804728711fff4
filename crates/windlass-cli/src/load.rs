//! What a file describes, for every command that asks something about it.
//!
//! `check` reports everything; a command that needs an application, a plan or a state reports only
//! what keeps it from having one: the errors of the reader. Rules are not asked here, because a
//! picture of a wrong application is still a picture.

use std::collections::BTreeMap;
use std::path::Path;

use windlass::application::{Application, GlobalState};
use windlass::diagnostic::{Diagnostic, Severity};
use windlass::goal::GoalFile;
use windlass::goal::names::{Ids, Known};
use windlass::lang::compose::Project;
use windlass::lang::hot::Stack;
use windlass::lang::tosca;
use windlass::lang::{self, Language, Reading, documents};
use windlass::lifecycle::setup::{RuleSet, Topology};
use windlass::lifecycle::timing::Timing;
use windlass::plan::fit::fit;
use windlass::plan::{Plan, PlanAction};
use windlass::source::files::{FileError, Limits};
use windlass::source::{SourceId, Sources, Span};
use windlass::{analyze, rule};

use crate::args::CheckFormat;
use crate::failure::Failure;
use crate::files::{self, Opened};
use crate::report::Report;
use crate::{exit_code, hot, input, output, render, surroundings};

/// An application with what its file says beside it.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// The language it is in.
    pub(crate) language: Option<Language>,
    /// The application.
    pub(crate) application: Application,
    /// The goal that the file declares.
    pub(crate) goal: Option<GoalFile>,
    /// The project, when the file is a Compose file.
    pub(crate) compose: Option<Box<Project>>,
    /// Of a Compose file: what would go wrong on an engine, as `check` tells it.
    pub(crate) hazards: String,
    /// The texts that it was read from.
    pub(crate) sources: Sources,
    /// The template, when the file is one of OpenStack Heat.
    pub(crate) stack: Option<Box<Stack>>,
    /// The service, when it is one of TOSCA.
    pub(crate) tosca: Option<Box<tosca::Model>>,
}

impl Loaded {
    /// Whose plans are read.
    pub(crate) fn whose(&self) -> Whose<'_> {
        Whose { application: &self.application, service: self.tosca.as_deref() }
    }
}

/// A text that is no archive.
#[derive(Debug)]
pub(crate) struct Text {
    /// What people call it.
    pub(crate) name: String,
    /// The texts.
    pub(crate) sources: Sources,
    /// The text itself.
    pub(crate) id: SourceId,
}

/// The text of a file, or of standard input for `-`.
pub(crate) fn text(path: &Path) -> Result<Text, Failure> {
    let name = path.display().to_string();
    let mut sources = Sources::new();
    let (id, wrong) = input::add(&mut sources, name.clone(), input::bytes(path)?);
    match wrong {
        Some(finding) => Err(reported(vec![finding], sources, exit_code::FINDINGS)?),
        None => Ok(Text { name, sources, id }),
    }
}

/// Reads a state for an application. What is wrong with it goes to standard error: it does not fit.
pub(crate) fn state(path: &Path, application: &Application) -> Result<GlobalState, Failure> {
    state_in(text(path)?, application)
}

/// Reads a state for an application in a text.
pub(crate) fn state_in(text: Text, application: &Application) -> Result<GlobalState, Failure> {
    let reading = documents::read_state(text.id, &text.sources, application);
    document(reading, text, "state")
}

/// Reads a plan for an application. What is wrong with it goes to standard error: it does not fit.
pub(crate) fn plan(path: &Path, of: Whose<'_>) -> Result<Plan, Failure> {
    workflow(path, None, of)
}

/// The application that a plan is read for, with its service when it is one of TOSCA.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Whose<'a> {
    /// The application.
    pub(crate) application: &'a Application,
    /// The service.
    pub(crate) service: Option<&'a tosca::Model>,
}

/// Reads a plan; of a TOSCA service the workflow with this name, else `deploy` or the first one.
pub(crate) fn workflow(path: &Path, name: Option<&str>, of: Whose<'_>) -> Result<Plan, Failure> {
    let (file, model) = match planned(path, of)? {
        Planned::Workflows(file, model) => (file, model),
        Planned::Other(text) if name.is_none() => return plan_in(text),
        Planned::Other(text) => {
            return Err(Failure::usage(format!("`{}` is no TOSCA service", text.name))
                .help("--workflow names a workflow of one"));
        }
    };
    let mut found = model.as_ref().and_then(|model| tosca::workflow::plan(model, name));
    if let Some(plan) = &mut found {
        tosca::workflow::housed(plan, of.application);
    }
    found.ok_or_else(|| {
        let service = model.as_ref().and_then(|model| model.service.as_ref());
        let known: Vec<&str> =
            service.map(|service| service.workflows.names().collect()).unwrap_or_default();
        match name {
            Some(name) => Failure::usage(format!("`{file}` has no workflow `{name}`"))
                .help(format!("it has: {}", known.join(", "))),
            None => Failure::usage(format!("`{file}` is no plan and has no workflow")),
        }
    })
}

/// What a file may say about plans.
enum Planned {
    /// It is a service of TOSCA, or an archive of one; with what it is called.
    Workflows(String, Option<Box<tosca::Model>>),
    /// It is something else.
    Other(Text),
}

fn planned(path: &Path, of: Whose<'_>) -> Result<Planned, Failure> {
    let entry = entry_of(path);
    let path = entry.as_deref().unwrap_or(path);
    if files::looks_like_archive(path) {
        let own = application(path, None)?.tosca.map(|own| within(own, of));
        return Ok(Planned::Workflows(path.display().to_string(), own));
    }
    let text = text(path)?;
    if lang::told(None, text.id, &text.sources) != Some(Language::Tosca) {
        return Ok(Planned::Other(text));
    }
    Ok(Planned::Workflows(text.name.clone(), service_of(text, path, of)))
}

/// The workflows of a file in the service of the application; in what the file itself has when the
/// application is no service. What is wrong with it is said where it is read as the application.
fn service_of(text: Text, path: &Path, of: Whose<'_>) -> Option<Box<tosca::Model>> {
    let Text { mut sources, id, .. } = text;
    let reading = input::read(Some(Language::Tosca), id, path, &mut sources, false).0;
    Some(within(reading.tosca?, of))
}

fn within(own: Box<tosca::Model>, of: Whose<'_>) -> Box<tosca::Model> {
    match of.service {
        Some(service) => Box::new(tosca::workflow::within(service, &own)),
        None => own,
    }
}

/// What a workflow says beside its operations, judged from where the nodes are at its start; none
/// when the file is no TOSCA service.
pub(crate) fn judgement(
    path: &Path,
    name: Option<&str>,
    start: &BTreeMap<String, String>,
    of: Whose<'_>,
) -> Result<Option<tosca::workflow::Judgement>, Failure> {
    let Planned::Workflows(_, model) = planned(path, of)? else { return Ok(None) };
    Ok(model.and_then(|model| tosca::workflow::judge(&model, name, start)))
}

/// What a run of a workflow passes over; nothing when the file is no TOSCA service.
pub(crate) fn unasked(path: &Path, of: Whose<'_>) -> Result<Vec<String>, Failure> {
    let Planned::Workflows(_, model) = planned(path, of)? else { return Ok(Vec::new()) };
    Ok(model.map(|model| tosca::workflow::unasked(&model, None)).unwrap_or_default())
}

/// Reads a plan in a text.
pub(crate) fn plan_in(text: Text) -> Result<Plan, Failure> {
    let reading = documents::read_plan(text.id, &text.sources);
    document(reading, text, "plan")
}

/// Reads a rule set.
pub(crate) fn rules(path: &Path) -> Result<RuleSet, Failure> {
    let text = text(path)?;
    let reading = documents::read_rules(text.id, &text.sources);
    described(reading, text, "rule set")
}

/// Reads a topology of a rule set in a text.
pub(crate) fn topology_in(text: Text) -> Result<Topology, Failure> {
    let reading = documents::read_topology(text.id, &text.sources);
    described(reading, text, "topology")
}

/// Reads a description that stands for itself: what is wrong with it is a finding.
fn described<T>(reading: documents::Reading<T>, text: Text, what: &str) -> Result<T, Failure> {
    refuse_errors(reading.findings, text.sources, exit_code::FINDINGS)?;
    reading.document.ok_or_else(|| Failure::usage(format!("`{}` is no {what}", text.name)))
}

/// Reads durations: `NODE.TRANSITION` with how long it takes. What is wrong with them goes to
/// standard error.
pub(crate) fn durations(path: &Path) -> Result<Vec<(String, Timing)>, Failure> {
    let text = text(path)?;
    document(documents::read_durations(text.id, &text.sources), text, "list of durations")
}

/// Reads a goal file for an application with these instances. What is wrong with it goes to
/// standard error.
pub(crate) fn goal(
    path: &Path,
    application: &Application,
    ids: Ids<'_>,
) -> Result<GoalFile, Failure> {
    let text = text(path)?;
    let reading = documents::read_goal(text.id, &text.sources, application, ids);
    document(reading, text, "goal")
}

/// The instances that a goal may name: those that are wanted, those of the state, and those that
/// the plan creates.
pub(crate) fn instances(application: &Application, start: &GlobalState, plan: &Plan) -> Known {
    let wanted = analyze::wanted(application);
    let states = [&wanted, start].into_iter().flat_map(|state| &state.instances);
    let mut known: Known = states.map(|(id, instance)| (id.clone(), instance.node)).collect();
    for step in &plan.steps {
        if let PlanAction::ScaleOut { node, instance, .. } = &step.action
            && let Some(node) = application.node_named(node)
        {
            known.insert(instance.clone(), node);
        }
    }
    known
}

/// Refuses a plan that is not about this application and this state.
pub(crate) fn fitting(
    application: &Application,
    state: &GlobalState,
    plan: &Plan,
) -> Result<(), Failure> {
    let misfits = fit(application, state, plan);
    let Some((last, others)) = misfits.split_last() else { return Ok(()) };
    for misfit in others {
        Failure::usage(misfit.message.as_str()).print();
    }
    let failure = Failure::usage(last.message.as_str());
    Err(match &last.help {
        Some(help) => failure.help(help),
        None => failure,
    })
}

fn document<T>(reading: documents::Reading<T>, text: Text, what: &str) -> Result<T, Failure> {
    // What is no YAML is wrong by itself; the rest does not fit the application.
    let syntax = reading.findings.iter().any(|finding| finding.code.starts_with("YAML"));
    let exit = if syntax { exit_code::FINDINGS } else { exit_code::USAGE };
    refuse_errors(reading.findings, text.sources, exit)?;
    reading.document.ok_or_else(|| Failure::usage(format!("`{}` is no {what}", text.name)))
}

/// Reads the application in a file or an archive, or in standard input for `-`. When it cannot be
/// understood, the findings go to standard error and the exit code is that of findings.
pub(crate) fn application(path: &Path, lang: Option<&str>) -> Result<Loaded, Failure> {
    let language = lang.map(input::language).transpose()?;
    // A folder is known by its Compose file.
    if path.is_dir()
        && let Some(file) = surroundings::file_in(path)
    {
        return application_of(text(&file)?, &file, language, true);
    }
    let entry = entry_of(path);
    let path = entry.as_deref().unwrap_or(path);
    match files::open(path, Limits::default()) {
        Ok(Opened { mut files, entry: None }) => {
            let mut sources = Sources::new();
            let name = path.display().to_string();
            match lang::read_archive_in(
                language,
                &mut sources,
                &mut *files,
                &surroundings::of(path, false),
            ) {
                Ok(Some(reading)) => understood(reading, sources, &name),
                Ok(None) => Err(input::no_language(&name)),
                Err(error) => Err(unreadable(&name, &error)?),
            }
        }
        Err(error) if files::is_about_archive(&error) => {
            Err(unreadable(&path.display().to_string(), &error)?)
        }
        _ => application_in(text(path)?, path, language),
    }
}

/// The file with which an unpacked archive begins; none for anything else.
pub(crate) fn entry_of(path: &Path) -> Option<std::path::PathBuf> {
    if !path.is_dir() || surroundings::file_in(path).is_some() {
        return None;
    }
    let mut files = files::DiskFiles::new(path, Limits::default()).ok()?;
    let entry = tosca::csar::entry(&mut files).ok()??;
    Some(path.join(entry.path))
}

/// Reads the application in a text.
pub(crate) fn application_in(
    text: Text,
    path: &Path,
    language: Option<Language>,
) -> Result<Loaded, Failure> {
    application_of(text, path, language, false)
}

fn application_of(
    text: Text,
    path: &Path,
    language: Option<Language>,
    beside: bool,
) -> Result<Loaded, Failure> {
    let Text { name, mut sources, id } = text;
    let reading = match hot::read_in_environment(language, id, path, &mut sources)? {
        Some(reading) => reading,
        None => input::read(language, id, path, &mut sources, beside).0,
    };
    understood(reading, sources, &name)
}

fn understood(mut reading: Reading, sources: Sources, name: &str) -> Result<Loaded, Failure> {
    let is_unread = reading.findings.iter().any(|f| f.code == lang::foreign::NOT_READ_YET);
    let exit = if is_unread { exit_code::USAGE } else { exit_code::FINDINGS };
    let findings = std::mem::take(&mut reading.findings);
    if findings.iter().any(|finding| finding.severity == Severity::Error) {
        refuse_errors(findings, sources, exit)?;
        return Err(Failure::reported(exit));
    }
    match (reading.application.take(), reading.language) {
        (Some(application), _) => {
            let Reading { language, goal, compose, stack, tosca, .. } = reading;
            let hazards = hazards(compose.as_deref(), &sources)?;
            Ok(Loaded { language, application, goal, compose, hazards, sources, stack, tosca })
        }
        (None, Some(_)) => Err(Failure::usage(format!("`{name}` describes no application"))),
        (None, None) => Err(input::no_language(name)),
    }
}

/// The codes of rules about what fails or goes wrong when a project comes up. Whether an image has
/// a health check (COMPOSE020) is asked of the engine.
pub(crate) const HAZARDS: &[&str] = &[
    "COMPOSE021",
    "COMPOSE022",
    "COMPOSE023",
    "COMPOSE024",
    "COMPOSE025",
    "COMPOSE028",
    "COMPOSE029",
    "COMPOSE030",
    "COMPOSE035",
];

/// What would go wrong when a project comes up, in the words of `check`.
fn hazards(project: Option<&Project>, sources: &Sources) -> Result<String, Failure> {
    let Some(project) = project else { return Ok(String::new()) };
    let mut findings = rule::compose::check(project, sources);
    findings.retain(|finding| HAZARDS.contains(&finding.code));
    if findings.is_empty() {
        return Ok(String::new());
    }
    render::report(CheckFormat::Text, &Report::new(sources.clone(), findings), false)
}

/// Reports errors, if there are any.
fn refuse_errors(
    mut findings: Vec<Diagnostic>,
    sources: Sources,
    exit_code: u8,
) -> Result<(), Failure> {
    findings.retain(|finding| finding.severity == Severity::Error);
    if findings.is_empty() { Ok(()) } else { Err(reported(findings, sources, exit_code)?) }
}

fn reported(errors: Vec<Diagnostic>, sources: Sources, code: u8) -> Result<Failure, Failure> {
    with_findings(Failure::reported(code), errors, sources)
}

/// Tells people of findings, and programs when they are the answer: a failure with them.
pub(crate) fn with_findings(
    failure: Failure,
    findings: Vec<Diagnostic>,
    sources: Sources,
) -> Result<Failure, Failure> {
    let report = Report::new(sources, findings);
    output::stderr(&render::report(CheckFormat::Text, &report, false)?);
    if failure.exit_code != exit_code::FINDINGS {
        return Ok(failure);
    }
    Ok(failure.findings(render::report(CheckFormat::Json, &report, true)?))
}

/// An archive that cannot be read, reported as a text without content.
fn unreadable(name: &str, error: &FileError) -> Result<Failure, Failure> {
    let mut sources = Sources::new();
    let source = sources.add(name, String::new());
    let finding = error.diagnostic(Span { source, start: 0, end: 0 });
    reported(vec![finding], sources, exit_code::FINDINGS)
}
