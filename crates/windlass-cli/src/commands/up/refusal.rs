//! What `up` refuses before anything runs. Of a Compose project: what is certain to fail on an
//! engine, and what Windlass does not do.

use windlass::application::Application;
use windlass::diagnostic::{Diagnostic, Severity};
use windlass::lang::compose::project::Condition;
use windlass::lang::compose::{self, Project};
use windlass::rule::{self, Tag};
use windlass::source::Sources;
use windlass_run::compose::ProjectContext;
use windlass_run::controller::Error;
use windlass_run::world::docker::engine::{Engine, EngineError};

use crate::args::CheckFormat;
use crate::failure::Failure;
use crate::report::Report;
use crate::{exit_code, load, output, render};

/// Why something cannot come up, with what `check` says about it and where in the file.
pub(super) fn located(failure: Failure, application: &Application, sources: &Sources) -> Failure {
    if failure.exit_code != exit_code::FINDINGS {
        return failure;
    }
    let mut findings = rule::check(application, sources);
    findings.retain(|finding| finding.severity == Severity::Error);
    if findings.is_empty() {
        return failure;
    }
    load::with_findings(failure, findings, sources.clone()).unwrap_or_else(|other| other)
}

/// What no engine and no order can bring up.
pub(crate) fn certain(project: &Project, sources: &Sources) -> Vec<Diagnostic> {
    let mut findings = rule::compose::check(project, sources);
    findings.retain(|finding| rule::has_tag(finding.code, Tag::PreventsUp));
    findings
}

/// Refuses a project, of which only those services are left that come up.
pub(super) fn refuse(
    project: &Project,
    sources: &Sources,
    ground: &ProjectContext,
    engine: &Engine,
    refused: &dyn Fn(Error) -> Failure,
) -> Result<(), Failure> {
    let mut findings = certain(project, sources);
    let has_jobs = project.services.values().any(|service| {
        service.depends_on.values().any(|other| other.condition == Condition::Completed)
    });
    findings.retain(|it| !(has_jobs && rule::has_tag(it.code, Tag::OnlyWhileBothRun)));
    findings.extend(unbuildable(project, engine).map_err(|why| refused(why.into()))?);
    let mut unsupported = windlass_run::compose::unsupported(engine, project, ground)
        .map_err(|why| refused(why.into()))?;
    // Whether images have checks is looked at later.
    let waits = compose::endless_waits(project).into_iter().filter(|it| it.until == "completed");
    unsupported.extend(waits.map(|wait| wait.sentence()));
    if findings.is_empty() && unsupported.is_empty() {
        return Ok(());
    }
    // The others have been told already.
    findings.retain(|finding| !rule::has_tag(finding.code, Tag::Hazard));
    if !findings.is_empty() {
        let report = Report::new(sources.clone(), findings);
        output::stderr(&render::report(CheckFormat::Text, &report, false)?);
    }
    let message = match unsupported.as_slice() {
        [] => "this cannot come up; nothing was done".to_owned(),
        all => format!("{}; nothing was done", all.join("; ")),
    };
    Err(Failure::usage(message).ending(exit_code::FINDINGS))
}

/// Images that have to be built and that the classic builder cannot build.
fn unbuildable(project: &Project, engine: &Engine) -> Result<Vec<Diagnostic>, EngineError> {
    let mut built = project.clone();
    let mut missing = Vec::new();
    for service in project.services.values().filter(|service| service.build.is_some()) {
        let image = service.image.as_ref().map(|image| image.text.clone());
        let image = image.unwrap_or_else(|| format!("{}-{}", project.name, service.name));
        let policy = service.get("pull_policy").map(compose::item::Item::plain);
        let is_there = match engine.look("images", &image) {
            Ok(_) => true,
            Err(why) if why.is_missing() => false,
            Err(why) => return Err(why),
        };
        if !is_there || policy.as_deref() == Some("build") {
            missing.push(service.name.clone());
        }
    }
    built.services.retain(|name, _| missing.contains(name));
    Ok(rule::compose::beyond_classic_builder::needed(&built))
}
