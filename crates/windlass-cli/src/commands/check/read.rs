//! Reading descriptions: text in, findings out.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use windlass::diagnostic::Diagnostic;
use windlass::lang::tosca::csar::{self, Entry};
use windlass::lang::{self, Language, Reading};
use windlass::rule;
use windlass::source::files::{FileError, Files, Limits, ReadFile};
use windlass::source::{SourceId, Sources, Span};
use windlass::tree;

use super::inputs::{Input, may_hold_description};
use crate::failure::Failure;
use crate::files::{self, Opened};
use crate::{input, paths};

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

    /// Reads one description, or the descriptions in an archive.
    pub(super) fn read(
        &mut self,
        input: &Input,
        language: Option<Language>,
    ) -> Result<(), Failure> {
        let path = match input {
            Input::Stdin => {
                let bytes = self.stdin()?;
                return self.read_named(Path::new("-"), bytes, language);
            }
            Input::Named(path) | Input::Found(path) => path,
        };
        self.files.push(path.clone());
        let is_found = matches!(input, Input::Found(_));
        match files::open(path, Limits::default()) {
            Ok(Opened { files, entry: None }) => {
                if !self.read_archive(path, files, language) && !is_found {
                    return Err(input::no_language(&path.display().to_string()));
                }
            }
            Err(error) if files::is_about_archive(&error) => self.add_unreadable(path, &error),
            // Anything else is a file of its own. It is opened as it was named, because it may be
            // a pipe, or a link to wherever the user likes.
            _ => {
                let bytes = input::bytes(path)?;
                if !is_found {
                    return self.read_named(path, bytes, language);
                }
                if let Ok(text) = String::from_utf8(bytes) {
                    self.read_found(text, path, language);
                }
            }
        }
        Ok(())
    }

    /// Reads a file that was named: it must be a text in a known language.
    fn read_named(
        &mut self,
        path: &Path,
        bytes: Vec<u8>,
        language: Option<Language>,
    ) -> Result<(), Failure> {
        let name = path.display().to_string();
        let (id, wrong) = input::add(&mut self.sources, name.clone(), bytes);
        let reading = match wrong {
            Some(finding) => Reading { findings: vec![finding], ..Reading::default() },
            None => self.read_text(id, path, language),
        };
        // A file that cannot be read as YAML has something worse than no language.
        if reading.language.is_none() && reading.findings.is_empty() {
            return Err(input::no_language(&name));
        }
        self.take(id, path, reading);
        Ok(())
    }

    /// Reads a text with what it imports from beside it.
    fn read_text(&mut self, id: SourceId, path: &Path, language: Option<Language>) -> Reading {
        let (reading, mut files) = input::read(language, id, path, &mut self.sources);
        self.files.append(&mut files);
        reading
    }

    /// Reads a text that was found in a folder, if it is in a known language.
    fn read_found(&mut self, text: String, path: &Path, language: Option<Language>) {
        if let Some(detected) = wanted(&text, language) {
            let id = self.sources.add(path.display().to_string(), text);
            let reading = self.read_text(id, path, Some(detected));
            self.take(id, path, reading);
        }
    }

    /// Reads the description with which an archive says that it begins, else every description in
    /// it, and says whether there is one.
    fn read_archive(
        &mut self,
        path: &Path,
        mut files: Box<dyn Files>,
        language: Option<Language>,
    ) -> bool {
        match csar::entry(&mut *files) {
            Ok(Some(Entry { path: name, file })) => {
                if self.read_entry(path, &name, file, language, &mut *files) {
                    return true;
                }
            }
            Ok(None) => {}
            Err(error) => {
                self.add_unreadable(path, &error);
                return true;
            }
        }
        let mut any = false;
        for name in files.names().iter().filter(|name| may_hold_description(Path::new(name))) {
            match files.read(None, name) {
                Ok(file) => any |= self.read_entry(path, name, file, language, &mut *files),
                Err(FileError::NotUtf8 { .. }) => {}
                Err(error) => {
                    self.add_unreadable(path, &error);
                    return true;
                }
            }
        }
        any
    }

    /// Reads a text in an archive, if it is in a known language.
    fn read_entry(
        &mut self,
        path: &Path,
        name: &str,
        file: ReadFile,
        language: Option<Language>,
        files: &mut dyn Files,
    ) -> bool {
        let Some(detected) = wanted(&file.text, language) else { return false };
        let id = self.sources.add(file.name, file.text);
        let reading = lang::read_with(Some(detected), id, name, &mut self.sources, files);
        self.take(id, path, reading);
        true
    }

    /// Takes the findings of a description whose settings are beside `path`.
    fn take(&mut self, id: SourceId, path: &Path, mut reading: Reading) {
        if let Some(application) = &reading.application {
            reading.findings.extend(rule::check(application, &self.sources));
        }
        self.folders.insert(id, paths::real_folder(path));
        self.findings.append(&mut reading.findings);
        self.checked += 1;
    }

    /// Adds an archive that cannot be read, as a text without content.
    fn add_unreadable(&mut self, path: &Path, error: &FileError) {
        let source = self.sources.add(path.display().to_string(), String::new());
        let finding = error.diagnostic(Span { source, start: 0, end: 0 });
        self.take(source, path, Reading { findings: vec![finding], ..Reading::default() });
    }

    fn stdin(&mut self) -> Result<Vec<u8>, Failure> {
        if let Some(bytes) = &self.stdin {
            return Ok(bytes.clone());
        }
        let bytes = input::bytes(Path::new("-"))?;
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

/// The language of a text that was found, unless another one is wanted. What is in no known
/// language must not become a source, so this look comes first.
fn wanted(text: &str, language: Option<Language>) -> Option<Language> {
    detect(text).filter(|detected| language.is_none_or(|wanted| wanted == *detected))
}

/// The language of a text that was found. Definitions without a service template are for others
/// to import.
fn detect(text: &str) -> Option<Language> {
    match Language::detect_text(text) {
        Some(Language::Barrel) => text.contains("ServiceTemplate").then_some(Language::Barrel),
        Some(language) => Some(language),
        None => {
            let (tree, _) = tree::parse(SourceId(0), text, &tree::Options::default());
            Language::detect(&tree)
        }
    }
}
