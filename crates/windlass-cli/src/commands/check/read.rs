//! Reading descriptions: text in, findings out.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use windlass::diagnostic::Diagnostic;
use windlass::lang::{self, Language};
use windlass::rule;
use windlass::source::files::{self, FileError, Limits};
use windlass::source::{SourceId, Sources, Span};

use super::Input;
use crate::failure::Failure;
use crate::paths;

/// Texts that were read and what was found in them.
pub(super) struct Texts {
    pub(super) sources: Sources,
    pub(super) findings: Vec<Diagnostic>,
    /// How many descriptions were in a known language.
    pub(super) checked: usize,
    /// Every file on disk that was read.
    pub(super) files: Vec<PathBuf>,
    /// What standard input held.
    pub(super) stdin: Option<Vec<u8>>,
    /// The folder whose settings count for a description, by its first text.
    folders: BTreeMap<SourceId, PathBuf>,
}

impl Texts {
    /// Nothing read yet; `stdin` stands for standard input when that was read before.
    pub(super) fn new(stdin: Option<Vec<u8>>) -> Self {
        Texts {
            sources: Sources::new(),
            findings: Vec::new(),
            checked: 0,
            files: Vec::new(),
            stdin,
            folders: BTreeMap::new(),
        }
    }

    /// Reads one description.
    pub(super) fn read(
        &mut self,
        input: &Input,
        language: Option<Language>,
    ) -> Result<(), Failure> {
        let (name, bytes) = match input {
            Input::Stdin => ("-".to_owned(), self.stdin()?),
            Input::Named(path) | Input::Found(path) => {
                self.files.push(path.clone());
                let bytes = File::open(path)
                    .and_then(read_limited)
                    .map_err(|error| Failure::file("read", path, &error))?;
                (path.display().to_string(), bytes)
            }
        };
        let is_found = matches!(input, Input::Found(_));
        let folder = paths::real_folder(Path::new(&name));
        let (id, mut findings) = self.add(name, bytes);
        if findings.is_empty() {
            let reading = lang::read(language, id, &self.sources);
            if reading.language.is_none() && is_found {
                return Ok(());
            }
            if reading.language.is_none() && reading.findings.is_empty() {
                return Err(self.no_language(id));
            }
            findings = reading.findings;
            if let Some(application) = &reading.application {
                findings.extend(rule::check(application, &self.sources));
            }
        } else if is_found {
            // Not even a text: whatever it is, it is no description.
            return Ok(());
        }
        self.folders.insert(id, folder);
        self.findings.append(&mut findings);
        self.checked += 1;
        Ok(())
    }

    /// Adds a text. When the bytes are none, the text is what could be read of them, for the
    /// excerpt in the finding that says so.
    fn add(&mut self, name: String, bytes: Vec<u8>) -> (SourceId, Vec<Diagnostic>) {
        let limit = Limits::default().file_bytes;
        let (error, text, at) = if bytes.len() as u64 > limit {
            (FileError::TooLarge { name: name.clone(), limit }, String::new(), 0)
        } else {
            match String::from_utf8(bytes) {
                Ok(text) => return (self.sources.add(name, text), Vec::new()),
                Err(error) => {
                    let at = error.utf8_error().valid_up_to();
                    let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
                    (not_utf8(&name, error.into_bytes()), text, at)
                }
            }
        };
        let wrong = text.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        let source = self.sources.add(name, text);
        let span = Span { source, start: at as u32, end: (at + wrong) as u32 };
        (source, vec![error.diagnostic(span)])
    }

    fn no_language(&self, id: SourceId) -> Failure {
        let known: Vec<_> = Language::ALL.iter().map(|language| language.name()).collect();
        Failure::usage(format!("`{}` is in no known language", self.sources.get(id).name))
            .help(format!("say which with --lang; known: {}", known.join(", ")))
    }

    fn stdin(&mut self) -> Result<Vec<u8>, Failure> {
        if let Some(bytes) = &self.stdin {
            return Ok(bytes.clone());
        }
        let bytes = read_limited(std::io::stdin().lock())
            .map_err(|error| Failure::file("read", Path::new("-"), &error))?;
        self.stdin = Some(bytes.clone());
        Ok(bytes)
    }

    /// The folders whose settings count, each once.
    pub(super) fn folders(&self) -> Vec<PathBuf> {
        let mut folders: Vec<_> = self.folders.values().cloned().collect();
        folders.sort();
        folders.dedup();
        folders
    }

    /// The folder whose settings count for a text: that of the description which imports it.
    pub(super) fn folder(&self, source: SourceId) -> PathBuf {
        let mut outer = source;
        while let Some(span) = self.sources.get(outer).included_from
            && span.source < outer
        {
            outer = span.source;
        }
        let own = || paths::real_folder(Path::new(&self.sources.get(outer).name));
        self.folders.get(&outer).cloned().unwrap_or_else(own)
    }
}

/// All bytes, or one more than may be read: a file may be endless.
fn read_limited(from: impl Read) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(Limits::default().file_bytes + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The library's words for bytes that are no text.
fn not_utf8(name: &str, bytes: Vec<u8>) -> FileError {
    let plain = FileError::NotUtf8 { name: name.to_owned(), offset: 0, encoding: None };
    files::decode(name, bytes).err().unwrap_or(plain)
}
