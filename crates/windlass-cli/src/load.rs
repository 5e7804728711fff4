//! The application that a file describes, for every command that asks something about one.
//!
//! `check` reports everything; a command that needs an application reports only what keeps it from
//! having one: the errors of the reader. Rules are not asked here, because a picture of a wrong
//! application is still a picture.

use std::path::Path;

use windlass::application::{Application, GlobalState};
use windlass::diagnostic::Severity;
use windlass::goal::GoalFile;
use windlass::lang::{self, Reading, documents};
use windlass::plan::Plan;
use windlass::plan::fit::fit;
use windlass::source::{SourceId, Sources};

use crate::args::CheckFormat;
use crate::failure::Failure;
use crate::report::Report;
use crate::{exit_code, input, output, render};

/// An application with what its file says beside it.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// The application.
    pub(crate) application: Application,
    /// The goal that the file declares.
    pub(crate) goal: Option<GoalFile>,
}

/// Reads a state for an application. What is wrong with it goes to standard error: it does not fit.
pub(crate) fn state(path: &Path, application: &Application) -> Result<GlobalState, Failure> {
    document(path, "state", |root, sources| documents::read_state(root, sources, application))
}

/// Reads a plan. What is wrong with it goes to standard error: it does not fit.
pub(crate) fn plan(path: &Path) -> Result<Plan, Failure> {
    document(path, "plan", documents::read_plan)
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
    path: &Path,
    what: &str,
    read: impl FnOnce(SourceId, &Sources) -> documents::Reading<T>,
) -> Result<T, Failure> {
    let name = path.display().to_string();
    let mut sources = Sources::new();
    let (id, wrong) = input::add(&mut sources, name.clone(), input::bytes(path)?);
    let reading = match wrong {
        Some(finding) => {
            documents::Reading { language: None, document: None, findings: vec![finding] }
        }
        None => read(id, &sources),
    };
    let mut errors = reading.findings;
    errors.retain(|finding| finding.severity == Severity::Error);
    if !errors.is_empty() {
        let report = Report::new(sources, errors);
        output::stderr(&render::report(CheckFormat::Text, &report, false)?);
        return Err(Failure::reported(exit_code::USAGE));
    }
    reading.document.ok_or_else(|| Failure::usage(format!("`{name}` is no {what}")))
}

/// Reads the application in a file, or in standard input for `-`. When it cannot be understood,
/// the findings go to standard error and the exit code is that of findings.
pub(crate) fn application(path: &Path, lang: Option<&str>) -> Result<Loaded, Failure> {
    let language = lang.map(input::language).transpose()?;
    let name = path.display().to_string();
    let mut sources = Sources::new();
    let (id, wrong) = input::add(&mut sources, name.clone(), input::bytes(path)?);
    let reading = match wrong {
        Some(finding) => Reading { findings: vec![finding], ..Reading::default() },
        None => lang::read(language, id, &sources),
    };
    let mut errors = reading.findings;
    errors.retain(|finding| finding.severity == Severity::Error);
    if !errors.is_empty() {
        let report = Report::new(sources, errors);
        output::stderr(&render::report(CheckFormat::Text, &report, false)?);
        return Err(Failure::reported(exit_code::FINDINGS));
    }
    match (reading.application, reading.language) {
        (Some(application), _) => Ok(Loaded { application, goal: reading.goal }),
        (None, Some(_)) => Err(Failure::usage(format!("`{name}` describes no application"))),
        (None, None) => Err(input::no_language(&name)),
    }
}
