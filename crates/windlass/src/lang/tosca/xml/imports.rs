//! Which file imports which: an import that leads back to a file on the way to it is reported.

use std::collections::{BTreeMap, BTreeSet};

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

/// A file on the way from the first one, and which of its imports is looked at next.
struct Open<'a> {
    path: &'a str,
    imported_at: Option<Span>,
    next: usize,
}

impl Imports {
    /// Adds an import of the file at `path`, which people call `name`.
    pub(super) fn add(&mut self, path: &str, name: &str, imported: &str, at: Span) {
        self.names.entry(path.to_owned()).or_insert_with(|| name.to_owned());
        self.of.entry(path.to_owned()).or_default().push((imported.to_owned(), at));
    }

    /// Reports every import that closes a cycle, on the way from the first file in the order of the
    /// text. A file is gone into once, so this is linear in the number of imports.
    pub(super) fn report_cycles(&self, first: &str, findings: &mut Vec<Diagnostic>) {
        let mut seen = BTreeSet::from([first]);
        let mut places = BTreeMap::from([(first, 0)]);
        let mut reported = 0;
        let mut way = vec![Open { path: first, imported_at: None, next: 0 }];
        while let Some(last) = way.last_mut() {
            let imports = self.of.get(last.path).map_or(&[][..], Vec::as_slice);
            let Some((imported, at)) = imports.get(last.next) else {
                places.remove(last.path);
                way.pop();
                continue;
            };
            last.next += 1;
            if let Some(from) = places.get(imported.as_str()) {
                let mut finding = self.cycle(&way[*from..]).diagnostic(*at);
                finding.severity = Severity::Warning;
                findings.push(finding);
                reported += 1;
                if reported == MOST_REPORTED {
                    return;
                }
            } else if seen.insert(imported) {
                places.insert(imported, way.len());
                way.push(Open { path: imported, imported_at: Some(*at), next: 0 });
            }
        }
    }

    fn cycle(&self, way: &[Open<'_>]) -> FileError {
        let name = |open: &Open<'_>| match self.names.get(open.path) {
            Some(name) => name.clone(),
            None => open.path.to_owned(),
        };
        FileError::ImportCycle {
            chain: way.iter().map(name).collect(),
            imports: way[1..].iter().filter_map(|open| open.imported_at).collect(),
        }
    }
}
