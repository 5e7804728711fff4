//! Reading descriptions: text in, findings out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use windlass::diagnostic::Diagnostic;
use windlass::lang::tosca::csar::{self, Entry};
use windlass::lang::{self, Language, Origin, ReadOptions, Reading, Recognized, foreign};
use windlass::rule;
use windlass::source::files::{FileError, Files, Limits, ReadFile};
use windlass::source::{SourceId, Sources, Span};

use super::inputs::{Input, may_be_text, may_hold_description};
use super::parts;
use crate::failure::Failure;
use crate::load::{Content, Loader};
use crate::{files, input, paths, read_options};

/// What was read and what was found in it.
pub(super) struct Collected<'a> {
    pub(super) loader: &'a Loader,
    pub(super) sources: Sources,
    pub(super) findings: Vec<Diagnostic>,
    /// How many descriptions were in a known language.
    pub(super) checked: usize,
    /// Every file on disk that was read.
    pub(super) files: Vec<PathBuf>,
    /// Files found in folders that are in a language that is not read yet, with that language.
    pub(super) skipped: Vec<(String, &'static str)>,
    /// Whether a file that was named is in a language that is not read yet.
    pub(super) is_unread: bool,
    /// The folder whose settings count for a description, by its first text.
    folders: BTreeMap<SourceId, PathBuf>,
    /// Compose files that were found in folders.
    composed: Vec<parts::Found>,
}

impl<'a> Collected<'a> {
    /// Nothing read yet.
    pub(super) fn new(loader: &'a Loader) -> Self {
        Collected {
            loader,
            sources: loader.options.sources(),
            findings: Vec::new(),
            checked: 0,
            files: Vec::new(),
            skipped: Vec::new(),
            is_unread: false,
            folders: BTreeMap::new(),
            composed: Vec::new(),
        }
    }

    /// Compose files that turned out to be parts of others are not judged alone.
    pub(super) fn settle_parts(&mut self) {
        self.checked -= parts::leave_out(&self.composed, &mut self.findings);
    }

    /// Reads one description, or the descriptions in an archive.
    pub(super) fn read(
        &mut self,
        input: &Input,
        language: Option<Language>,
    ) -> Result<(), Failure> {
        let path = match input {
            Input::Stdin => return self.read_named(Path::new("-"), language),
            Input::Unpacked(path) => {
                self.read_metadata(path);
                return Ok(());
            }
            Input::Named(path) | Input::Found(path) => path,
        };
        self.files.push(path.clone());
        let is_found = matches!(input, Input::Found(_));
        match files::open_archive(path, Limits::default(), &self.loader.options.files) {
            Ok(Some(files)) => {
                if !self.read_archive(path, files, language, is_found) && !is_found {
                    return Err(input::no_language(&path.display().to_string()));
                }
                Ok(())
            }
            Ok(None) if !is_found => self.read_named(path, language),
            Ok(None) if read_options::is_override(path) => Ok(()),
            Ok(None) => self.read_found(path, language),
            Err(error) => {
                self.add_unreadable(path, &error);
                Ok(())
            }
        }
    }

    /// Reads a file that was named: it must be a text in a known language.
    fn read_named(&mut self, path: &Path, language: Option<Language>) -> Result<(), Failure> {
        let opened = self.loader.open(path, language, Origin::Named, &mut self.sources)?;
        let (id, reading) = match opened {
            Content::NoText(id, finding) => {
                (id, Reading { findings: vec![finding], ..Reading::default() })
            }
            Content::Text(text) => {
                let id = text.id;
                let (reading, mut files) =
                    self.loader.read(text, path, &mut self.sources, false)?;
                self.files.append(&mut files);
                (id, reading)
            }
        };
        // A file that cannot be read as YAML has something worse than no language.
        if reading.language.is_none() && reading.findings.is_empty() {
            return Err(input::no_language(&path.display().to_string()));
        }
        self.take(id, path, reading);
        Ok(())
    }

    /// Reads a text that was found in a folder, if it is in a known language.
    fn read_found(&mut self, path: &Path, language: Option<Language>) -> Result<(), Failure> {
        let text = match self.loader.open(path, None, Origin::Found, &mut self.sources)? {
            Content::Text(text) => text,
            Content::NoText(id, _) => {
                self.sources.take_back(id);
                return Ok(());
            }
        };
        let id = text.id;
        let Some(wanted) = self.wanted(&text, language) else {
            let name = path.display().to_string();
            self.skipped.extend(text.foreign.map(|foreign| (name, foreign.name)));
            self.sources.take_back(id);
            return Ok(());
        };
        let is_compose = text.language == Some(Language::COMPOSE);
        let since = self.findings.len();
        let text = text.in_language(wanted);
        let (reading, files) = self.loader.read(text, path, &mut self.sources, true)?;
        self.take(id, path, reading);
        if is_compose {
            if parts::is_beside_base(path) {
                parts::judge_partly(&mut self.findings, since);
            }
            self.composed.push(parts::Found::new(path, &files, since..self.findings.len()));
        }
        self.files.extend(files);
        Ok(())
    }

    /// The language in which a text that was found is read; none when another one is asked for, or
    /// it is only there for others to import. What TosKer reads are services of TOSCA.
    fn wanted(&self, text: &Recognized, language: Option<Language>) -> Option<Language> {
        let found = text.language.filter(|_| !text.is_library(&self.sources))?;
        let is_service = language == Some(Language::TOSKER) && found == Language::TOSCA;
        let wanted = language.unwrap_or(found);
        (wanted == found || is_service).then_some(wanted)
    }

    /// Reads the description with which an archive says that it begins, then every other one that
    /// was not read with it, and says whether there is one.
    fn read_archive(
        &mut self,
        path: &Path,
        mut files: Box<dyn Files>,
        language: Option<Language>,
        is_found: bool,
    ) -> bool {
        let mut any = false;
        let entry = csar::entry(&mut *files);
        // What was looked at to find the entry has not been checked by that.
        let mut noted = files.record().names().len();
        let mut known = BTreeSet::new();
        let mut is_service = false;
        let packed = Packed { path, language, is_found };
        match entry {
            Ok(Some(Entry { path: name, file })) => {
                known.insert(file.name.clone());
                let text = self.recognize_packed(file);
                is_service = text.language == Some(Language::TOSCA);
                any = self.read_packed(packed, &name, text, &mut *files);
            }
            Ok(None) => {}
            Err(error) => {
                self.add_unreadable(path, &error);
                any = true;
                if ends_archive(&error) {
                    return any;
                }
            }
        }
        // Files that the entry imports have been read with it.
        let may_hold = |name: &&String| may_hold_description(Path::new(name));
        for name in files.names().iter().filter(may_hold) {
            let read = files.record().names();
            known.extend(read[noted..].iter().cloned());
            noted = read.len();
            if known.contains(&path.join(name).display().to_string()) {
                continue;
            }
            match files.read(None, name) {
                Ok(file) => {
                    let text = self.recognize_packed(file);
                    if is_service && text.language == Some(Language::TOSCA) {
                        // What the service does not import is no part of it.
                        self.sources.take_back(text.id);
                    } else {
                        any |= self.read_packed(packed, name, text, &mut *files);
                    }
                }
                // An archive within an archive, for example.
                Err(FileError::NotUtf8 { .. }) if !may_be_text(Path::new(name)) => {}
                Err(error) => {
                    any = true;
                    self.add_unreadable(path, &error);
                    if ends_archive(&error) {
                        break;
                    }
                }
            }
        }
        any
    }

    /// Looks at a text in an archive.
    fn recognize_packed(&mut self, file: ReadFile) -> Recognized {
        let id = self.sources.add(file.name, file.text);
        let options = ReadOptions::default();
        lang::recognize(None, id, Origin::Packed, &self.sources, &options)
    }

    /// Reads a text in an archive, if it is in a known language.
    fn read_packed(
        &mut self,
        packed: Packed<'_>,
        name: &str,
        text: Recognized,
        files: &mut dyn Files,
    ) -> bool {
        let id = text.id;
        let text = match (self.wanted(&text, packed.language), text.foreign) {
            (Some(wanted), _) => text.in_language(wanted),
            (None, Some(_)) if !packed.is_found => text,
            (None, foreign) => {
                let name = self.sources.get(id).name.clone();
                self.skipped.extend(foreign.map(|foreign| (name, foreign.name)));
                self.sources.take_back(id);
                return false;
            }
        };
        let options = self.loader.options.for_file(packed.path, false);
        let reading = lang::read_recognized(text, name, &mut self.sources, files, &options);
        self.take(id, packed.path, reading);
        true
    }

    /// Takes the findings of a description whose settings are beside `path`.
    fn take(&mut self, id: SourceId, path: &Path, mut reading: Reading) {
        reading.findings.extend(rule::check_reading(&reading, &self.sources));
        let is_unread = |finding: &Diagnostic| finding.code == foreign::NOT_READ_YET;
        self.is_unread |= reading.findings.iter().any(is_unread);
        self.folders.insert(id, paths::real_folder(path));
        self.findings.append(&mut reading.findings);
        self.checked += 1;
    }

    /// The file with which an unpacked archive says that it begins is there.
    fn read_metadata(&mut self, path: &Path) {
        let depth = if path.ends_with(csar::META_FILE) { 2 } else { 1 };
        let folder = path.ancestors().nth(depth).unwrap_or(Path::new(""));
        let cache = &self.loader.options.files;
        if let Ok(mut files) = files::DiskFiles::new(folder, Limits::default(), cache)
            && let Err(error) = csar::entry(&mut files)
        {
            self.add_unreadable(path, &error);
        }
    }

    /// Adds an archive that cannot be read, as a text without content.
    fn add_unreadable(&mut self, path: &Path, error: &FileError) {
        let source = self.sources.add(path.display().to_string(), String::new());
        let finding = error.diagnostic(Span { source, start: 0, end: 0 });
        self.take(source, path, Reading { findings: vec![finding], ..Reading::default() });
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

/// How the texts of an archive are read.
#[derive(Debug, Clone, Copy)]
struct Packed<'a> {
    /// The archive.
    path: &'a Path,
    /// The language that is asked for.
    language: Option<Language>,
    /// Whether the archive was found in a folder, and not named.
    is_found: bool,
}

/// Whether nothing further of an archive is read: it used up the limits, or is not worth trusting.
fn ends_archive(error: &FileError) -> bool {
    error.is_limit()
}
