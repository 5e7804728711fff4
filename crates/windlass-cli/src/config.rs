//! `windlass.toml`: which codes are reported, how bad each is, and what is tolerated in TOSCA.
//!
//! ```toml
//! [check]
//! exclude = ["tests/fixtures/"]   # not looked for in folders; patterns are those of .gitignore
//! select = ["WL", "YAML002"]      # of the rules, only these; letters stand for all their codes
//! ignore = ["WL007"]
//! severity.WL003 = "warning"      # error, warning, note or off
//!
//! [[check.override]]              # for some files; a later override wins
//! paths = ["vendor/", "*.generated.yaml"]
//! ignore = ["WL"]
//!
//! [tosca]
//! quirks = ["puccini"]            # what is tolerated in TOSCA files
//! ```
//!
//! The settings of a file are in the nearest `windlass.toml` beside it or above it; they do not
//! add up. `select` chooses among rules only: what a reader reports (the file could not be
//! understood) is left out only by a name in `ignore` or by `off`, so that a broken file cannot
//! pass by accident.

mod parse;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use ignore::gitignore::Gitignore;
use windlass::diagnostic::{Diagnostic, Severity};
use windlass::lang::tosca::switches::Switches;
use windlass::rule::{self, LooksAt};
use windlass::source::{ReadLog, SourceId};

use crate::failure::Failure;
use crate::{input, paths};

/// The name of the file.
pub(crate) const FILE_NAME: &str = "windlass.toml";

/// One `windlass.toml` that was read.
#[derive(Debug)]
pub(crate) struct SettingsFile {
    /// What people call it.
    pub(crate) name: String,
    /// Its content.
    pub(crate) text: String,
    /// What it says.
    pub(crate) settings: Settings,
    /// What is wrong with it. The text becomes a source when that is reported.
    problems: Vec<Diagnostic>,
}

impl SettingsFile {
    /// What is wrong with it, in its text as this source.
    pub(crate) fn findings(&self, source: SourceId) -> Vec<Diagnostic> {
        let mut findings = self.problems.clone();
        for finding in &mut findings {
            finding.primary.source = source;
        }
        findings
    }
}

/// The settings of one `windlass.toml`.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    exclude: Option<Gitignore>,
    base: Selection,
    overrides: Vec<Override>,
    /// What is tolerated in TOSCA files.
    pub(crate) quirks: Switches,
}

/// Which codes, and how bad.
#[derive(Debug, Default)]
struct Selection {
    select: Option<Vec<String>>,
    ignore: Vec<String>,
    severity: BTreeMap<String, Wanted>,
}

/// What the settings want of one code.
#[derive(Debug, Clone, Copy)]
enum Wanted {
    /// Reported, this bad.
    As(Severity),
    /// Not reported.
    Off,
}

/// A selection for some files.
#[derive(Debug)]
struct Override {
    paths: Gitignore,
    selection: Selection,
}

impl Settings {
    /// Whether a file that is found in a folder is left out.
    pub(crate) fn excludes(&self, path: &Path) -> bool {
        self.exclude
            .as_ref()
            .is_some_and(|patterns| patterns.matched_path_or_any_parents(path, false).is_ignore())
    }

    /// How bad the finding is in this file, or nothing when it is not reported.
    fn severity(&self, path: &Path, finding: &Diagnostic) -> Option<Severity> {
        let code = finding.code;
        let overrides = self.overrides.iter().rev();
        let about_file = overrides
            .filter(|over| over.paths.matched_path_or_any_parents(path, false).is_ignore())
            .map(|over| &over.selection);
        for selection in about_file.chain([&self.base]) {
            match selection.severity.get(code) {
                Some(Wanted::As(severity)) => return Some(*severity),
                Some(Wanted::Off) => return None,
                None => {}
            }
            if selection.ignore.iter().any(|prefix| covers(prefix, code)) {
                return None;
            }
            if let Some(select) = &selection.select {
                let looks_at = rule::find(code).map(|rule| rule.looks_at);
                let is_rule = matches!(looks_at, Some(LooksAt::Application(_)));
                let selected = select.iter().any(|prefix| covers(prefix, code));
                return (selected || !is_rule).then_some(finding.severity);
            }
        }
        Some(finding.severity)
    }
}

/// Whether a code, or letters that stand for all their codes, means this code.
fn covers(prefix: &str, code: &str) -> bool {
    prefix == code || prefix == code.trim_end_matches(|c: char| c.is_ascii_digit())
}

/// The settings of each folder, read at most once.
#[derive(Debug, Clone, Default)]
pub(crate) struct Config {
    by_folder: BTreeMap<PathBuf, Option<Rc<SettingsFile>>>,
    /// Every settings file that was read, or looked for and not found: a watcher wants to know.
    pub(crate) looked_at: Vec<PathBuf>,
}

impl Config {
    /// The settings for files in this folder, given as [`paths::real_folder`] gives it. What is
    /// read is counted.
    pub(crate) fn of_folder(
        &mut self,
        folder: &Path,
        log: &ReadLog,
    ) -> Result<Option<Rc<SettingsFile>>, Failure> {
        let mut unknown = Vec::new();
        let mut settings = None;
        for above in folder.ancestors() {
            if let Some(known) = self.by_folder.get(above) {
                settings.clone_from(known);
                break;
            }
            unknown.push(above.to_owned());
            let path = above.join(FILE_NAME);
            self.looked_at.push(path.clone());
            match input::refuse_named_pipe(&path).and_then(|()| std::fs::read(&path)) {
                Ok(bytes) => {
                    let text = String::from_utf8_lossy(&bytes).into_owned();
                    let name = paths::shown(&path);
                    log.note_read(&name);
                    log.note_parse(&name);
                    let (read, problems) = parse::settings(&text, above);
                    settings = Some(Rc::new(SettingsFile { name, text, settings: read, problems }));
                    break;
                }
                Err(error) if is_absent(&error) => {}
                Err(error) => return Err(Failure::file("read", &path, &error)),
            }
        }
        for folder in unknown {
            self.by_folder.insert(folder, settings.clone());
        }
        Ok(settings)
    }
}

/// Leaves out what the settings of a file do not want to see, and sets severities. The path is as
/// [`paths::real`] gives it.
pub(crate) fn apply(file: Option<&SettingsFile>, path: &Path, finding: &mut Diagnostic) -> bool {
    let Some(file) = file else { return true };
    match file.settings.severity(path, finding) {
        Some(severity) => {
            finding.severity = severity;
            true
        }
        None => false,
    }
}

/// A folder above may be anything, even closed to us; only a file that is there is ours to read.
fn is_absent(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{IsADirectory, NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory | IsADirectory)
}
