//! The formats of other tools: RAMP's JSON, BARREL's XML, TosKer's plans, Concerto's JSON.

use super::findings;
use windlass::application::Application;
use windlass::lang::{self, Language, Reading, barrel, ramp, tosker};
use windlass::source::Sources;
use windlass::source::files::{Limits, MemoryFiles};
use windlass::tree::emit;

/// An application without errors, printed, reads as the same application.
pub(super) fn ramp(input: &[u8]) -> u64 {
    let text = String::from_utf8_lossy(input);
    let (_, reading) = read(Language::RAMP, &text);
    if let Some(application) = &reading.application
        && let Ok(written) = ramp::print(application)
    {
        let printed = emit::json(&written.document);
        let (_, again) = read(Language::RAMP, &printed);
        same(&again, application, &printed);
    }
    behavior(&reading)
}

/// An assembly without errors reads as the same assembly when it is written in our language.
pub(super) fn concerto(input: &[u8]) -> u64 {
    let text = String::from_utf8_lossy(input);
    let (_, reading) = read(Language::CONCERTO, &text);
    if let Some(application) = &reading.application {
        let printed = emit::yaml(&lang::windlass::print(application, None));
        let (_, again) = read(Language::WINDLASS, &printed);
        same(&again, application, &printed);
    }
    behavior(&reading)
}

/// A plan without errors, printed, reads as the same plan.
pub(super) fn plan(input: &[u8]) -> u64 {
    let text = String::from_utf8_lossy(input);
    let mut sources = Sources::new();
    let id = sources.add("plan", text.as_ref());
    let reading = lang::read_plan(id, &sources);
    findings::check(&sources, &reading.findings);
    if let Some(plan) = &reading.document {
        let printed = emit::json(&ramp::print_plan(plan).document);
        let id = sources.add("printed", printed.as_str());
        let again = lang::read_plan(id, &sources).document;
        assert_eq!(again.as_ref(), Some(plan), "the plan changed: {printed}");
        if let Ok(written) = tosker::print_plan(plan, tosker::Form::Csv) {
            let id = sources.add("csv", written.document.as_str());
            let again = lang::read_plan(id, &sources).document;
            let steps = again.map_or(0, |plan| plan.steps.len());
            assert_eq!(steps, plan.steps.len(), "{}", written.document);
        }
    }
    let size = reading.document.map_or(0, |plan| plan.steps.len());
    super::behavior(reading.findings.iter().map(|finding| finding.code), size)
}

/// Definitions without errors, printed as an archive, read as the same application.
pub(super) fn barrel(input: &[u8]) -> u64 {
    let text = String::from_utf8_lossy(input);
    let (_, reading) = read(Language::BARREL, &text);
    if let Some(application) = &reading.application
        && let Ok(written) = barrel::print(application)
    {
        let mut files = MemoryFiles::new(Limits::default());
        let printed = written.document[1].1.clone();
        for (name, text) in written.document {
            files.insert(name, text);
        }
        let mut sources = Sources::new();
        match lang::read_archive(None, &mut sources, &mut files) {
            Ok(Some(again)) => {
                assert!(again.application.is_some(), "{:?}\n{printed}", again.findings);
            }
            other => panic!("the archive cannot be read: {other:?}"),
        }
    }
    behavior(&reading)
}

fn read(language: Language, text: &str) -> (Sources, Reading) {
    let mut sources = Sources::new();
    let id = sources.add("text", text);
    let reading = lang::read(Some(language), id, &sources);
    findings::check(&sources, &reading.findings);
    (sources, reading)
}

fn same(again: &Reading, application: &Application, printed: &str) {
    assert_eq!(
        again.application.as_ref(),
        Some(application),
        "the application changed: {:?}\n{printed}",
        again.findings
    );
}

fn behavior(reading: &Reading) -> u64 {
    let size = reading.application.as_ref().map_or(0, |application| application.nodes.len());
    super::behavior(reading.findings.iter().map(|finding| finding.code), size)
}
