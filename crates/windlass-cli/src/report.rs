//! The result of a check, ready to be rendered: findings in order, with their places.

use windlass::diagnostic::{Diagnostic, Severity};
use windlass::source::{Position, Sources};

use crate::failure::Failure;

/// One finding with its place as people count it.
#[derive(Debug)]
pub(crate) struct Finding {
    /// What was found.
    pub(crate) diagnostic: Diagnostic,
    /// Its first place.
    pub(crate) start: Position,
    /// The place behind its last character.
    pub(crate) end: Position,
    /// The same number for the same finding, even when lines were added above it.
    pub(crate) fingerprint: u64,
}

/// Everything that a renderer needs.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// The texts that spans refer to.
    pub(crate) sources: Sources,
    /// The findings to show, in the order of the texts.
    pub(crate) findings: Vec<Finding>,
    /// How many descriptions were checked.
    pub(crate) checked: usize,
}

impl Report {
    /// Findings about one file, as they are.
    pub(crate) fn new(sources: Sources, findings: Vec<Diagnostic>) -> Self {
        let place = |diagnostic: Diagnostic| {
            let (start, end) = sources.positions(diagnostic.primary);
            Finding { diagnostic, start, end, fingerprint: 0 }
        };
        let findings = findings.into_iter().map(place).collect();
        Report { sources, findings, checked: 1 }
    }

    /// Adds what stood in the way of checking a file as findings about these files.
    pub(crate) fn add_failures(&mut self, failures: &[Failure]) {
        for (number, failure) in (0..).zip(failures) {
            let Some(diagnostic) = failure.finding(&mut self.sources) else { continue };
            let (start, end) = self.sources.positions(diagnostic.primary);
            // These are never part of a baseline, so the fingerprint only has to be another one.
            self.findings.push(Finding { diagnostic, start, end, fingerprint: number });
        }
    }

    /// How many findings have this severity.
    pub(crate) fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.diagnostic.severity == severity).count()
    }

    /// The file that a finding is in.
    pub(crate) fn file(&self, finding: &Finding) -> &str {
        &self.sources.get(finding.diagnostic.primary.source).name
    }

    /// One line for people: "2 errors, 1 warning in 3 files".
    pub(crate) fn summary(&self) -> String {
        let files = count(self.checked, "file");
        let errors = self.count(Severity::Error);
        let warnings = self.count(Severity::Warning);
        match (errors, warnings) {
            (0, 0) => format!("no errors, no warnings in {files}"),
            _ => format!("{}, {} in {files}", count(errors, "error"), count(warnings, "warning")),
        }
    }
}

/// A number with its noun.
pub(crate) fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
