//! From a path to a text, and from a text to what it describes: every command reads this way.

use std::path::{Path, PathBuf};

use windlass::diagnostic::Diagnostic;
use windlass::lang::{self, Language, Origin, Reach, ReadOptions, Reading, Recognized};
use windlass::source::files::{Files as _, Limits};
use windlass::source::{SourceId, Sources};

use super::Loader;
use crate::failure::Failure;
use crate::files::DiskFiles;
use crate::{hot, input};

/// What a file turned out to hold that is no archive.
#[derive(Debug)]
pub(crate) enum Content {
    /// A text, and what is known about it.
    Text(Recognized),
    /// Something that is no text; what could be read of it is there for the excerpt.
    NoText(SourceId, Diagnostic),
}

impl Loader {
    /// Reads a file, or standard input for `-`, and looks at the text. A language that is given is
    /// taken as it is.
    pub(crate) fn open(
        &self,
        path: &Path,
        language: Option<Language>,
        origin: Origin,
        sources: &mut Sources,
    ) -> Result<Content, Failure> {
        let bytes = self.options.bytes(path)?;
        let (id, wrong) = input::add(sources, path.display().to_string(), bytes);
        Ok(match wrong {
            Some(finding) => Content::NoText(id, finding),
            None => {
                let options = ReadOptions::default();
                Content::Text(lang::recognize(language, id, origin, sources, &options))
            }
        })
    }

    /// Reads a text that was looked at with the files that it names; gives those as well.
    ///
    /// An override beside a Compose file counts when the file was found, not named. What a Compose
    /// or TOSCA file names may lie anywhere below the current folder when the file itself does.
    pub(crate) fn read(
        &self,
        text: Recognized,
        path: &Path,
        sources: &mut Sources,
        is_found: bool,
    ) -> Result<(Reading, Vec<PathBuf>), Failure> {
        let options = &self.options;
        if options.template.applies_to(&text, path, is_found)? {
            return hot::read(text, path, sources, options);
        }
        let reach = text.reach();
        let folder = match reach {
            Reach::CurrentFolder if is_below_current(path) => PathBuf::new(),
            Reach::Project => project_root(path),
            Reach::CurrentFolder | Reach::Folder => {
                path.parent().unwrap_or(Path::new("")).to_owned()
            }
        };
        let name = path.file_name().filter(|name| reach != Reach::Folder || *name != "-");
        let files = DiskFiles::new(&folder, Limits::default(), &options.files);
        let (Some(name), Ok(mut files)) = (name, files) else {
            return Ok((lang::read_alone(text, sources, &ReadOptions::default()), Vec::new()));
        };
        let options = options.for_file(path, is_found);
        let name = name.to_string_lossy();
        let reading = lang::read_recognized(text, &name, sources, &mut files, &options);
        Ok((reading, files.record().names().iter().map(PathBuf::from).collect()))
    }
}

/// The folder below which a TOSCA file may import: the current one when the file lies below it,
/// unless its project reaches further up. The current folder takes nothing away.
fn project_root(path: &Path) -> PathBuf {
    let project = project_of(path);
    if !is_below_current(path) {
        return project;
    }
    let current = std::env::current_dir().and_then(|folder| folder.canonicalize());
    let reaches_further = |current: PathBuf| {
        let project = project.canonicalize();
        project.is_ok_and(|project| current != project && current.starts_with(project))
    };
    if current.is_ok_and(reaches_further) { project } else { PathBuf::new() }
}

/// The folder of the project of a TOSCA file: the nearest one above it that is a project or an
/// unpacked archive, else two folders up.
fn project_of(path: &Path) -> PathBuf {
    const MARKS: &[&str] = &[".git", "TOSCA-Metadata", "TOSCA.meta", "windlass.toml"];
    let own = path.parent().unwrap_or(Path::new("")).to_owned();
    let named = if own.as_os_str().is_empty() { Path::new(".") } else { &own };
    let Ok(real) = named.canonicalize() else { return own };
    let is_project = |folder: &&Path| MARKS.iter().any(|mark| folder.join(mark).exists());
    let project = real.ancestors().find(is_project);
    let folder = project.or(real.ancestors().nth(2)).filter(|folder| folder.parent().is_some());
    folder.map_or(own, Path::to_owned)
}

/// Whether a file lies below the current folder, and that is not the whole disk.
fn is_below_current(path: &Path) -> bool {
    let Ok(current) = std::env::current_dir().and_then(|folder| folder.canonicalize()) else {
        return false;
    };
    let is_stdin = path.as_os_str() == "-";
    current.parent().is_some()
        && (is_stdin || path.canonicalize().is_ok_and(|path| path.starts_with(&current)))
}
