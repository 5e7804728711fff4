//! Definitions with everything they import.
//!
//! Files that import each other are read once each: in TOSCA 1.0 an import makes names known, so
//! the cycle is a warning and not the end. Winery writes locations percent-encoded once more than
//! the names in its archives, so a location is tried as it is written, decoded, and decoded twice.

use std::collections::{BTreeSet, VecDeque};

use super::definitions::Definitions;
use super::imports::Imports;
use super::{Limits, Tree, parse};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::has_errors;
use crate::source::files::{FileError, Files, ReadFile, resolve};
use crate::source::{SourceId, Sources, Span};

/// One file of definitions.
#[derive(Debug, Clone)]
pub struct Document {
    /// Its path within the archive or folder.
    pub(crate) path: String,
    /// Its elements.
    pub(crate) tree: Tree,
}

/// Definitions and what they import, the file to begin with first.
#[derive(Debug, Clone, Default)]
pub struct Library {
    /// The files that could be read.
    pub(crate) documents: Vec<Document>,
    /// Whether that is all of them. If not, a name that is not there may be in another file.
    pub(crate) is_complete: bool,
}

/// An import that was not followed yet.
struct Waiting {
    path: String,
    file: ReadFile,
    imported_at: Span,
}

/// Reads a file of definitions and what it imports.
pub fn load(
    root: SourceId,
    path: &str,
    sources: &mut Sources,
    files: &mut dyn Files,
    findings: &mut Vec<Diagnostic>,
) -> Library {
    let before = findings.len();
    let mut loader = Loader::new(path, files);
    let mut library = Library::default();
    let mut next = Some((root, path.to_owned()));
    while let Some((source, path)) = next {
        let text = &sources.get(source).text;
        sources.note_parse(source);
        if let Some(tree) = parse(source, text, &Limits::default(), findings) {
            loader.follow(&tree, &path, &sources.get(source).name, findings);
            library.documents.push(Document { path, tree });
        }
        next = loader.waiting.pop_front().map(|waiting| {
            let Waiting { path, file, imported_at } = waiting;
            (sources.add_included(file.name, file.text, Some(imported_at)), path)
        });
    }
    loader.imports.report_cycles(path, findings);
    library.is_complete = !has_errors(&findings[before..]);
    library
}

struct Loader<'a> {
    files: &'a mut dyn Files,
    seen: BTreeSet<String>,
    waiting: VecDeque<Waiting>,
    imports: Imports,
}

impl<'a> Loader<'a> {
    fn new(path: &str, files: &'a mut dyn Files) -> Self {
        Loader {
            files,
            seen: BTreeSet::from([path.to_owned()]),
            waiting: VecDeque::new(),
            imports: Imports::default(),
        }
    }

    /// Reads what a file imports. `path` is its place in the archive, `name` what people call it.
    fn follow(&mut self, tree: &Tree, path: &str, name: &str, findings: &mut Vec<Diagnostic>) {
        let Some(definitions) = Definitions::of(tree.root()) else { return };
        for import in definitions.imports() {
            let Some(location) = import.location() else { continue };
            let at = location.span;
            let files = &mut *self.files;
            if !import.is_definitions() {
                // A schema describes properties; it is not needed, yet a wrong path is a mistake.
                let missing = |error: &FileError| matches!(error, FileError::Missing { .. });
                let found = try_each(&location.value, |path| files.exists(Some(name), path));
                if let Err(error) = found.map(|_| ())
                    && missing(&error)
                {
                    let mut finding = error.diagnostic(at);
                    finding.severity = Severity::Warning;
                    findings.push(finding);
                }
                continue;
            }
            match try_each(&location.value, |path| files.exists(Some(name), path)) {
                Ok((written, ())) => {
                    let inner = resolve(Some(path), &written).unwrap_or(written.clone());
                    self.imports.add(path, name, &inner, at);
                    if !self.seen.insert(inner.clone()) {
                        continue;
                    }
                    match files.read(Some(name), &written) {
                        Ok(file) => {
                            self.waiting.push_back(Waiting { path: inner, file, imported_at: at });
                        }
                        Err(error) => findings.push(error.diagnostic(at)),
                    }
                }
                Err(error) => findings.push(error.diagnostic(at)),
            }
        }
    }
}

/// The first spelling of a location for which `attempt` succeeds, else the first failure.
fn try_each<T>(
    location: &str,
    mut attempt: impl FnMut(&str) -> Result<T, FileError>,
) -> Result<(String, T), FileError> {
    let mut spelling = location.to_owned();
    let mut first = None;
    for _ in 0..3 {
        match attempt(&spelling) {
            Ok(found) => return Ok((spelling, found)),
            Err(error) => first = Some(first.unwrap_or(error)),
        }
        let Some(decoded) = percent_decoded(&spelling) else { break };
        spelling = decoded;
    }
    Err(first.unwrap_or(FileError::Missing { name: location.to_owned() }))
}

/// A text without its percent encodings; none when it has none.
fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    let mut changed = false;
    while let Some((first, tail)) = rest.split_first() {
        let digits = tail.get(..2).filter(|_| *first == b'%');
        let digits = digits.filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        let decoded = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match decoded {
            Some(byte) => {
                changed = true;
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).ok().filter(|_| changed)
}

#[cfg(test)]
mod tests {
    use super::percent_decoded;

    #[test]
    fn percent_encodings_are_undone_one_layer_at_a_time() {
        let decoded = |text| percent_decoded(text);
        assert_eq!(decoded("a%253Ab").as_deref(), Some("a%3Ab"));
        assert_eq!(decoded("a%3Ab").as_deref(), Some("a:b"));
        assert_eq!(decoded("a:b"), None);
        assert_eq!(decoded("100%"), None);
        assert_eq!(decoded("%f"), None);
        assert_eq!(decoded("%ff"), None, "not UTF-8");
        assert_eq!(decoded("%+1"), None);
    }
}
