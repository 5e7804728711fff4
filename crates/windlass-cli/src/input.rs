//! Bytes from a file or from standard input, as a text of [`Sources`].
//!
//! What cannot be opened is a failure. What can be opened and is no text is a finding, and the
//! text is then what could be read of it, for the excerpt in that finding.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};

use windlass::diagnostic::Diagnostic;
use windlass::lang::{self, LANGUAGES, Language, Origin, Reach, ReadOptions, Reading, Recognized};
use windlass::source::files::{FileError, Files as _, Limits, decode};
use windlass::source::{SourceId, Sources, Span};

use crate::failure::Failure;
use crate::files::DiskFiles;
use crate::read_options::CommandOptions;

/// The bytes of a file, or of standard input for `-`; one more than may be read when there are
/// more, because a file may be endless.
pub(crate) fn bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    let limit = Limits::default().file_bytes + 1;
    let mut bytes = Vec::new();
    let read = if path.as_os_str() == "-" {
        std::io::stdin().lock().take(limit).read_to_end(&mut bytes)
    } else {
        refuse_named_pipe(path)
            .and_then(|()| File::open(path))
            .and_then(|file| file.take(limit).read_to_end(&mut bytes))
    };
    read.map_err(|error| Failure::file("read", path, &error))?;
    Ok(bytes)
}

/// Refuses a pipe that lies in a folder: to open it is to wait for a writer that may never come.
/// Those that a shell hands over, such as `/dev/stdin` and `/dev/fd/63`, have a writer.
pub(crate) fn refuse_named_pipe(path: &Path) -> std::io::Result<()> {
    let is_handed_over = ["/dev", "/proc"].iter().any(|folder| path.starts_with(folder));
    // A pipe without a name has no path of its own, whatever leads to it.
    if !is_handed_over
        && std::fs::metadata(path).is_ok_and(|found| found.file_type().is_fifo())
        && path.canonicalize().is_ok()
    {
        return Err(std::io::Error::other("it is a pipe, not a regular file"));
    }
    Ok(())
}

/// Adds a text, and says what is wrong when the bytes are none.
pub(crate) fn add(
    sources: &mut Sources,
    name: String,
    bytes: Vec<u8>,
) -> (SourceId, Option<Diagnostic>) {
    let limit = Limits::default().file_bytes;
    let (error, text, at) = if bytes.len() as u64 > limit {
        (FileError::TooLarge { name: name.clone(), limit }, String::new(), 0)
    } else {
        match String::from_utf8(bytes) {
            Ok(text) => return (sources.add(name, text), None),
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
                (not_utf8(&name, error.into_bytes()), text, at)
            }
        }
    };
    let wrong = text.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
    let source = sources.add(name, text);
    let span = Span { source, start: at as u32, end: (at + wrong) as u32 };
    (source, Some(error.diagnostic(span)))
}

/// The library's words for bytes that are no text.
fn not_utf8(name: &str, bytes: Vec<u8>) -> FileError {
    let plain = FileError::NotUtf8 { name: name.to_owned(), offset: 0, encoding: None };
    decode(name, bytes).err().unwrap_or(plain)
}

/// Looks at a text.
pub(crate) fn recognize(
    language: Option<Language>,
    id: SourceId,
    origin: Origin,
    sources: &Sources,
) -> Recognized {
    lang::recognize(language, id, origin, sources, &ReadOptions::default())
}

/// Reads a text that was looked at with the files it imports from beside it; gives those as well.
///
/// `with_override` says that an override beside a Compose file counts. What a Compose or TOSCA file
/// names may lie anywhere below the current folder when the file itself does.
pub(crate) fn read(
    text: Recognized,
    path: &Path,
    sources: &mut Sources,
    options: &CommandOptions,
    with_override: bool,
) -> (Reading, Vec<PathBuf>) {
    let reach = text.reach();
    let folder = match reach {
        Reach::CurrentFolder if is_below_current(path) => PathBuf::new(),
        Reach::Project => tosca_root(path),
        Reach::CurrentFolder | Reach::Folder => path.parent().unwrap_or(Path::new("")).to_owned(),
    };
    let name = path.file_name().filter(|name| reach != Reach::Folder || *name != "-");
    let files = DiskFiles::with_log(&folder, Limits::default(), options.log.clone());
    let (Some(name), Ok(mut files)) = (name, files) else {
        return (lang::read_alone(text, sources, &ReadOptions::default()), Vec::new());
    };
    let options = options.for_file(path, with_override);
    let name = name.to_string_lossy();
    let reading = lang::read_recognized(text, &name, sources, &mut files, &options);
    (reading, files.record().names().iter().map(PathBuf::from).collect())
}

/// The folder below which a TOSCA file may import: the current one when the file lies below it,
/// unless its project reaches further up. The current folder takes nothing away.
fn tosca_root(path: &Path) -> PathBuf {
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

/// The language with this name, as `--lang` takes it.
pub(crate) fn language(name: &str) -> Result<Language, Failure> {
    Language::from_name(name).ok_or_else(|| {
        Failure::usage(format!("unknown language `{name}`"))
            .help(format!("known: {}", known_languages()))
    })
}

/// A file that was named is in no known language.
pub(crate) fn no_language(name: &str) -> Failure {
    Failure::usage(format!("`{name}` is in no known language"))
        .help(format!("say which with --lang; known: {}", known_languages()))
        .about("LANG002", name.to_owned())
}

/// The names of all languages that are read.
pub(crate) fn known_languages() -> String {
    let known: Vec<_> = LANGUAGES.iter().map(|language| language.name()).collect();
    known.join(", ")
}
