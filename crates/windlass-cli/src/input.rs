//! Bytes from a file or from standard input, as a text of [`Sources`].
//!
//! What cannot be opened is a failure. What can be opened and is no text is a finding, and the
//! text is then what could be read of it, for the excerpt in that finding.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileTypeExt as _;
use std::path::Path;

use windlass::diagnostic::Diagnostic;
use windlass::lang::{LANGUAGES, Language};
use windlass::source::files::{FileError, Limits, decode};
use windlass::source::{SourceId, Sources, Span};

use crate::failure::Failure;

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
