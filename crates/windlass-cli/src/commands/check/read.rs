//! Reading descriptions: text in, findings out.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use windlass::diagnostic::Diagnostic;
use windlass::lang::{self, Language};
use windlass::rule;
use windlass::source::{SourceId, Sources};

use super::Input;
use crate::failure::Failure;

/// Texts that were read and what was found in them.
pub(super) struct Texts {
    pub(super) sources: Sources,
    pub(super) findings: Vec<Diagnostic>,
    /// How many descriptions were in a known language.
    pub(super) checked: usize,
    /// Every file on disk that was read.
    pub(super) files: Vec<PathBuf>,
    /// What standard input held.
    pub(super) stdin: Option<String>,
    /// The folder whose settings count for a description, by its first text.
    folders: BTreeMap<SourceId, PathBuf>,
}

impl Texts {
    /// Nothing read yet; `stdin` stands for standard input when that was read before.
    pub(super) fn new(stdin: Option<&str>) -> Self {
        Texts {
            sources: Sources::new(),
            findings: Vec::new(),
            checked: 0,
            files: Vec::new(),
            stdin: stdin.map(str::to_owned),
            folders: BTreeMap::new(),
        }
    }

    /// Reads one description with everything it imports.
    pub(super) fn read(
        &mut self,
        input: &Input,
        language: Option<Language>,
    ) -> Result<(), Failure> {
        let (name, text) = match input {
            Input::Stdin => ("-".to_owned(), self.stdin()?),
            Input::Named(path) | Input::Found(path) => {
                let text = std::fs::read_to_string(path)
                    .map_err(|error| Failure::file("read", path, &error))?;
                self.files.push(path.clone());
                (path.display().to_string(), text)
            }
        };
        let folder = Path::new(&name).parent().map(Path::to_owned).unwrap_or_default();
        let id = self.sources.add(name, text);
        let mut reading = lang::read(language, id, &self.sources);
        if reading.language.is_none() {
            match input {
                Input::Found(_) => return Ok(()),
                // A file that cannot be read as YAML has something worse than no language.
                _ if reading.findings.is_empty() => return Err(self.no_language(id)),
                _ => {}
            }
        }
        if let Some(application) = &reading.application {
            reading.findings.extend(rule::check(application, &self.sources));
        }
        self.folders.insert(id, folder);
        self.findings.append(&mut reading.findings);
        self.checked += 1;
        Ok(())
    }

    fn no_language(&self, id: SourceId) -> Failure {
        let known: Vec<_> = Language::ALL.iter().map(|language| language.name()).collect();
        Failure::usage(format!("`{}` is in no known language", self.sources.get(id).name))
            .help(format!("say which with --lang; known: {}", known.join(", ")))
    }

    fn stdin(&mut self) -> Result<String, Failure> {
        if let Some(text) = &self.stdin {
            return Ok(text.clone());
        }
        let mut text = String::new();
        std::io::stdin()
            .read_to_string(&mut text)
            .map_err(|error| Failure::file("read", Path::new("-"), &error))?;
        self.stdin = Some(text.clone());
        Ok(text)
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
        let own = || Path::new(&self.sources.get(outer).name).parent().map(Path::to_owned);
        self.folders.get(&outer).cloned().or_else(own).unwrap_or_default()
    }
}
