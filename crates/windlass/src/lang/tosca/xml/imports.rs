//! Which file imports which: an import that leads back to a file on the way to it is reported.

use std::collections::BTreeMap;

use crate::cycle::{Cycles, Edges, Step};
use crate::diagnostic::{Diagnostic, Severity};
use crate::source::Span;
use crate::source::files::FileError;

/// More cycles than this are not reported: each is reported with every import on its way.
const MOST_REPORTED: usize = 50;

/// The imports of files, by their paths.
#[derive(Debug, Default)]
pub(super) struct Imports {
    /// What each file imports, and where, in the order of the text.
    of: BTreeMap<String, Vec<(String, Span)>>,
    /// What people call a file.
    names: BTreeMap<String, String>,
}

impl Imports {
    /// Adds an import of the file at `path`, which people call `name`.
    pub(super) fn add(&mut self, path: &str, name: &str, imported: &str, at: Span) {
        self.names.entry(path.to_owned()).or_insert_with(|| name.to_owned());
        self.of.entry(path.to_owned()).or_default().push((imported.to_owned(), at));
    }

    /// Reports every import that closes a cycle, on the way from the first file in the order of the
    /// text.
    pub(super) fn report_cycles(&self, first: &str, findings: &mut Vec<Diagnostic>) {
        let files: Vec<&str> = self.of.keys().map(String::as_str).collect();
        let number = |path: &str| files.binary_search(&path).ok();
        let Some(first) = number(first) else { return };
        // Files that import nothing are on no cycle.
        let imports: Vec<Vec<(usize, Span)>> = (self.of.values())
            .map(|all| all.iter().filter_map(|(path, at)| Some((number(path)?, *at))).collect())
            .collect();
        let edges: Edges =
            imports.iter().map(|all| all.iter().map(|(imported, _)| *imported)).collect();
        for cycle in Cycles::reachable_from(&edges, first).take(MOST_REPORTED) {
            let mut places: Vec<Span> =
                cycle.iter().map(|step| imports[step.vertex][step.edge].1).collect();
            let Some(closing) = places.pop() else { continue };
            let name = |step: &Step| {
                let path = files[step.vertex];
                self.names.get(path).map_or(path, String::as_str).to_owned()
            };
            let chain = cycle.iter().map(name).collect();
            let mut finding = FileError::ImportCycle { chain, imports: places }.diagnostic(closing);
            finding.severity = Severity::Warning;
            findings.push(finding);
        }
    }
}
