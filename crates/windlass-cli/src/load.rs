//! What a file describes, for every command that asks something about it.
//!
//! `check` reports everything; a command that needs an application, a plan or a state reports only
//! what keeps it from having one: the errors of the reader. Rules are not asked here, because a
//! picture of a wrong application is still a picture.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use windlass::analyze;
use windlass::application::{Application, GlobalState};
use windlass::diagnostic::{Diagnostic, Severity};
use windlass::goal::GoalFile;
use windlass::goal::names::{Ids, Known};
use windlass::lang::compose::Project;
use windlass::lang::hot::Stack;
use windlass::lang::tosca;
use windlass::lang::{self, Kind, Language, Origin, Reading, Recognized, documents};
use windlass::lifecycle::setup::{RuleSet, Topology};
use windlass::lifecycle::timing::Timing;
use windlass::plan::fit::fit;
use windlass::plan::{Plan, PlanAction};
use windlass::rule::{self, Tag};
use windlass::source::files::{FileError, Limits};
use windlass::source::{Sources, Span};

use crate::args::{CheckFormat, Command};
use crate::failure::Failure;
use crate::files::{self, FileCache};
use crate::read_options::{self, CommandOptions};
use crate::report::Report;
use crate::{exit_code, input, output, paths, render};

mod open;

pub(crate) use open::Content;

/// Reads what the arguments of one command name: applications, plans, states, goals.
#[derive(Debug, Default)]
pub(crate) struct Loader {
    /// How descriptions are read.
    pub(crate) options: CommandOptions,
}

/// An application with what its file says beside it.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// Its file, as it was named.
    pub(crate) file: PathBuf,
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
    /// What plans are read for.
    pub(crate) fn plan_context(&self) -> PlanContext<'_> {
        PlanContext::of(&self.application, self.tosca.as_deref(), &self.file)
    }
}

/// A text that was named and that is no archive.
#[derive(Debug)]
pub(crate) struct Text {
    /// What people call it.
    pub(crate) name: String,
    /// The texts.
    pub(crate) sources: Sources,
    /// What it turned out to be.
    recognized: Recognized,
}

impl Text {
    /// What the text describes; none when it is in no known language.
    pub(crate) fn kind(&self) -> Option<Kind> {
        self.recognized.kind
    }

    /// The same text, taken for one of another language if one is given.
    fn in_language(self, language: Option<Language>) -> Self {
        match language {
            Some(language) => Text { recognized: self.recognized.in_language(language), ..self },
            None => self,
        }
    }
}

/// The application that a plan is read for, with its service when it is one of TOSCA.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlanContext<'a> {
    /// The application.
    pub(crate) application: &'a Application,
    /// The service.
    pub(crate) service: Option<&'a tosca::Model>,
    /// The file that both were read from.
    pub(crate) file: Option<&'a Path>,
}

impl<'a> PlanContext<'a> {
    /// The application in a file.
    pub(crate) fn of(
        application: &'a Application,
        service: Option<&'a tosca::Model>,
        file: &'a Path,
    ) -> Self {
        PlanContext { application, service, file: Some(file) }
    }
}

/// What a file says about plans, read once whatever is asked about it.
#[derive(Debug)]
pub(crate) struct PlanFile<'a> {
    /// What people call the file.
    name: String,
    context: PlanContext<'a>,
    content: PlanContent,
}

#[derive(Debug)]
enum PlanContent {
    /// The file is a service of TOSCA, or an archive of one.
    Workflows(Option<Box<tosca::Model>>),
    /// It is a plan.
    Plan(Plan),
}

impl PlanFile<'_> {
    /// The plan; of a TOSCA service the workflow with this name, else `deploy` or the first one.
    pub(crate) fn plan(&self, workflow: Option<&str>) -> Result<Plan, Failure> {
        let file = &self.name;
        let model = match &self.content {
            PlanContent::Plan(plan) if workflow.is_none() => return Ok(plan.clone()),
            PlanContent::Plan(_) => {
                return Err(Failure::usage(format!("`{file}` is no TOSCA service"))
                    .help("--workflow names a workflow of one"));
            }
            PlanContent::Workflows(model) => model,
        };
        let mut found = model.as_ref().and_then(|model| tosca::workflow::plan(model, workflow));
        if let Some(plan) = &mut found {
            tosca::workflow::housed(plan, self.context.application);
        }
        found.ok_or_else(|| {
            let service = model.as_ref().and_then(|model| model.service.as_ref());
            let known: Vec<&str> =
                service.map(|service| service.workflows.names().collect()).unwrap_or_default();
            match workflow {
                Some(name) => Failure::usage(format!("`{file}` has no workflow `{name}`"))
                    .help(format!("it has: {}", known.join(", "))),
                None => Failure::usage(format!("`{file}` is no plan and has no workflow")),
            }
        })
    }

    /// What a workflow says beside its operations, judged from where the nodes are at its start;
    /// nothing when the file is no TOSCA service.
    pub(crate) fn judgement(
        &self,
        workflow: Option<&str>,
        start: &BTreeMap<String, String>,
    ) -> tosca::workflow::Judgement {
        let judged = self.service().and_then(|it| tosca::workflow::judge(it, workflow, start));
        judged.unwrap_or_default()
    }

    /// What a run of a workflow passes over; nothing when the file is no TOSCA service.
    pub(crate) fn skipped_steps(&self) -> Vec<String> {
        self.service().map(|it| tosca::workflow::skipped_steps(it, None)).unwrap_or_default()
    }

    fn service(&self) -> Option<&tosca::Model> {
        match &self.content {
            PlanContent::Workflows(model) => model.as_deref(),
            PlanContent::Plan(_) => None,
        }
    }
}

/// The workflows of a file in the service of the application; in what the file itself has when the
/// application is no service.
fn within(own: Box<tosca::Model>, context: PlanContext<'_>) -> Box<tosca::Model> {
    match context.service {
        Some(service) => Box::new(tosca::workflow::within(service, &own)),
        None => own,
    }
}

impl Loader {
    /// What the arguments of a command say about reading.
    pub(crate) fn of(command: &Command) -> Result<Self, Failure> {
        Ok(Loader { options: CommandOptions::of(command)? })
    }

    /// The text of a file, or of standard input for `-`.
    pub(crate) fn text(&self, path: &Path) -> Result<Text, Failure> {
        self.text_in(path, None)
    }

    /// The same, in a language that is given.
    fn text_in(&self, path: &Path, language: Option<Language>) -> Result<Text, Failure> {
        let mut sources = self.options.sources();
        match self.open(path, language, Origin::Named, &mut sources)? {
            Content::Text(recognized) => {
                Ok(Text { name: path.display().to_string(), sources, recognized })
            }
            Content::NoText(_, finding) => {
                Err(reported(vec![finding], sources, exit_code::FINDINGS)?)
            }
        }
    }

    /// Reads a state for an application. What is wrong with it goes to standard error: it does not
    /// fit.
    pub(crate) fn state(
        &self,
        path: &Path,
        application: &Application,
    ) -> Result<GlobalState, Failure> {
        state_in(self.text(path)?, application)
    }

    /// Reads a plan for an application. What is wrong with it goes to standard error: it does not
    /// fit.
    pub(crate) fn plan(&self, path: &Path, context: PlanContext<'_>) -> Result<Plan, Failure> {
        self.plan_file(path, context)?.plan(None)
    }

    /// Reads a file with a plan or with workflows.
    pub(crate) fn plan_file<'a>(
        &self,
        path: &Path,
        context: PlanContext<'a>,
    ) -> Result<PlanFile<'a>, Failure> {
        let entry = entry_of(path, &self.options.files);
        let path = entry.as_deref().unwrap_or(path);
        let name = path.display().to_string();
        let content = if let Some(service) = context.service
            && context.file.is_some_and(|file| paths::real(file) == paths::real(path))
        {
            // It has been read as the application.
            PlanContent::Workflows(Some(within(Box::new(service.clone()), context)))
        } else if files::looks_like_archive(path) {
            let own = self.application(path, None)?.tosca.map(|own| within(own, context));
            PlanContent::Workflows(own)
        } else {
            let text = self.text(path)?;
            if text.recognized.language == Some(Language::TOSCA) {
                let Text { recognized, mut sources, .. } = text;
                // What is wrong with a service is said where it is read as the application.
                let (reading, _) = self.read(recognized, path, &mut sources, false)?;
                PlanContent::Workflows(reading.tosca.map(|own| within(own, context)))
            } else {
                PlanContent::Plan(plan_in(text)?)
            }
        };
        Ok(PlanFile { name, context, content })
    }

    /// Reads a rule set.
    pub(crate) fn rules(&self, path: &Path) -> Result<RuleSet, Failure> {
        let text = self.text(path)?;
        let reading = documents::rules_of(text.recognized.into_text(), &text.sources);
        described(reading, &text.name, text.sources, "rule set")
    }

    /// Reads durations: `NODE.TRANSITION` with how long it takes. What is wrong with them goes to
    /// standard error.
    pub(crate) fn durations(&self, path: &Path) -> Result<Vec<(String, Timing)>, Failure> {
        let text = self.text(path)?;
        let reading = documents::durations_of(text.recognized.into_text(), &text.sources);
        document(reading, &text.name, text.sources, "list of durations")
    }

    /// Reads a goal file for an application with these instances. What is wrong with it goes to
    /// standard error.
    pub(crate) fn goal(
        &self,
        path: &Path,
        application: &Application,
        ids: Ids<'_>,
    ) -> Result<GoalFile, Failure> {
        let text = self.text(path)?;
        let own = text.recognized.into_text();
        let reading = documents::goal_of(own, &text.sources, application, ids);
        document(reading, &text.name, text.sources, "goal")
    }

    /// Reads the application in a file or an archive, or in standard input for `-`. When it cannot
    /// be understood, the findings go to standard error and the exit code is that of findings.
    pub(crate) fn application(&self, path: &Path, lang: Option<&str>) -> Result<Loaded, Failure> {
        let language = lang.map(input::language).transpose()?;
        // A folder is known by its Compose file.
        if path.is_dir()
            && let Some(file) = read_options::file_in(path)
        {
            return self.application_of(self.text_in(&file, language)?, &file, true);
        }
        let files = &self.options.files;
        let entry = entry_of(path, files);
        let path = entry.as_deref().unwrap_or(path);
        let name = path.display().to_string();
        match files::open_archive(path, Limits::default(), files) {
            Ok(Some(mut files)) => {
                let mut sources = self.options.sources();
                let options = self.options.for_file(path, false);
                match lang::read_archive_in(language, &mut sources, &mut *files, &options) {
                    Ok(Some(reading)) => understood(reading, sources, path),
                    Ok(None) => Err(input::no_language(&name)),
                    Err(error) => Err(unreadable(&name, &error)?),
                }
            }
            Ok(None) => self.application_of(self.text_in(path, language)?, path, false),
            Err(error) => Err(unreadable(&name, &error)?),
        }
    }

    /// The service in a file or an archive, whatever is wrong with it.
    pub(crate) fn service(&self, path: &Path) -> Option<Box<tosca::Model>> {
        let (options, mut sources) = (&self.options, self.options.sources());
        let entry = entry_of(path, &options.files);
        let path = entry.as_deref().unwrap_or(path);
        match files::open_archive(path, Limits::default(), &options.files) {
            Ok(Some(mut files)) => {
                let options = options.for_file(path, false);
                let reading = lang::read_archive_in(None, &mut sources, &mut *files, &options);
                reading.ok()??.tosca
            }
            _ => {
                let content = self.open(path, None, Origin::Named, &mut sources);
                let Ok(Content::Text(text)) = content else { return None };
                self.read(text, path, &mut sources, false).ok()?.0.tosca
            }
        }
    }

    /// Reads the application in a text; a language that is given counts.
    pub(crate) fn application_in(
        &self,
        text: Text,
        path: &Path,
        language: Option<Language>,
    ) -> Result<Loaded, Failure> {
        self.application_of(text.in_language(language), path, false)
    }

    fn application_of(&self, text: Text, path: &Path, is_found: bool) -> Result<Loaded, Failure> {
        let Text { recognized, mut sources, .. } = text;
        let (reading, _) = self.read(recognized, path, &mut sources, is_found)?;
        understood(reading, sources, path)
    }
}

/// Reads a state for an application in a text.
pub(crate) fn state_in(text: Text, application: &Application) -> Result<GlobalState, Failure> {
    let Text { name, sources, recognized } = text;
    let reading = documents::state_of(recognized, &sources, application);
    document(reading, &name, sources, "state")
}

/// Reads a plan in a text.
pub(crate) fn plan_in(text: Text) -> Result<Plan, Failure> {
    let Text { name, sources, recognized } = text;
    let reading = documents::plan_of(recognized, &sources);
    document(reading, &name, sources, "plan")
}

/// Reads a topology of a rule set in a text.
pub(crate) fn topology_in(text: Text) -> Result<Topology, Failure> {
    let Text { name, sources, recognized } = text;
    let reading = documents::topology_of(recognized.into_text(), &sources);
    described(reading, &name, sources, "topology")
}

/// Reads a description that stands for itself: what is wrong with it is a finding.
fn described<T>(
    reading: documents::Reading<T>,
    name: &str,
    sources: Sources,
    what: &str,
) -> Result<T, Failure> {
    refuse_errors(reading.findings, sources, exit_code::FINDINGS)?;
    reading.document.ok_or_else(|| Failure::usage(format!("`{name}` is no {what}")))
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

fn document<T>(
    reading: documents::Reading<T>,
    name: &str,
    sources: Sources,
    what: &str,
) -> Result<T, Failure> {
    // What is no YAML is wrong by itself; the rest does not fit the application.
    let syntax = reading.findings.iter().any(rule::is_syntax);
    let exit = if syntax { exit_code::FINDINGS } else { exit_code::USAGE };
    refuse_errors(reading.findings, sources, exit)?;
    reading.document.ok_or_else(|| Failure::usage(format!("`{name}` is no {what}")))
}

/// The file with which an unpacked archive begins; none for anything else.
pub(crate) fn entry_of(path: &Path, cache: &FileCache) -> Option<PathBuf> {
    if !path.is_dir() || read_options::file_in(path).is_some() {
        return None;
    }
    let mut files = files::DiskFiles::new(path, Limits::default(), cache).ok()?;
    let entry = tosca::csar::entry(&mut files).ok()??;
    Some(path.join(entry.path))
}

fn understood(mut reading: Reading, sources: Sources, path: &Path) -> Result<Loaded, Failure> {
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
            let file = path.to_owned();
            Ok(Loaded {
                file,
                language,
                application,
                goal,
                compose,
                hazards,
                sources,
                stack,
                tosca,
            })
        }
        (None, Some(_)) => {
            Err(Failure::usage(format!("`{}` describes no application", path.display())))
        }
        (None, None) => Err(input::no_language(&path.display().to_string())),
    }
}

/// What would go wrong when a project comes up, in the words of `check`.
fn hazards(project: Option<&Project>, sources: &Sources) -> Result<String, Failure> {
    let Some(project) = project else { return Ok(String::new()) };
    let mut findings = rule::compose::check(project, sources);
    findings.retain(|finding| rule::has_tag(finding.code, Tag::Hazard));
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

#[cfg(test)]
mod tests;
