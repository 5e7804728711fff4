//! Building an image by the classic builder: what is sent to it, and the Dockerfile in it.

use std::fmt;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Component::{CurDir, Normal};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::archive::{Content, Entry, pack};
use super::dockerignore::{BadPattern, Dockerignore};
use super::engine::{Engine, EngineError, escaped};
use super::requests::Build;
use crate::compose::ProjectEvent;

/// What a Dockerfile is called that does not lie in the folder.
pub(crate) const INLINE: &str = ".windlass.Dockerfile";

/// Why an image was not built.
#[derive(Debug)]
#[non_exhaustive]
pub enum BuildError {
    /// A file or a folder of the context cannot be read.
    Unreadable {
        /// Which.
        path: String,
        /// Why.
        error: io::Error,
    },
    /// `.dockerignore` cannot be followed.
    Ignore(BadPattern),
    /// The engine refused, or cannot be reached.
    Engine(EngineError),
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::Unreadable { path, error } => write!(f, "cannot read `{path}`: {error}"),
            BuildError::Ignore(pattern) => pattern.fmt(f),
            BuildError::Engine(error) => error.fmt(f),
        }
    }
}

/// Builds an image; `on_event` hears what the builder writes.
pub(super) fn build(
    engine: &Engine,
    on_event: fn(&ProjectEvent),
    reference: &str,
    build: &Build,
) -> Result<(), BuildError> {
    let (archive, query) = if build.is_remote {
        (Vec::new(), build.query.clone())
    } else {
        let (archive, file) = context(build)?;
        (archive, format!("{}&dockerfile={}", build.query, escaped(&file)))
    };
    let mut progress = |line: &Value| {
        let line = line.get("stream").and_then(Value::as_str).unwrap_or_default().trim();
        if !line.is_empty() {
            let (reference, line) = (reference.to_owned(), line.to_owned());
            on_event(&ProjectEvent::Build { reference, line });
        }
    };
    engine.build(&query, &archive, &mut progress).map_err(BuildError::Engine)
}

/// What is sent to the builder, and the Dockerfile in it. One that stands in the Compose file or
/// outside of the folder is put beside the rest; `.dockerignore` never leaves it out.
fn context(build: &Build) -> Result<(Vec<u8>, String), BuildError> {
    let root = Path::new(&build.context);
    let failed = |error| BuildError::Unreadable { path: build.context.clone(), error };
    let inside = Path::new(&build.file);
    let inside = inside.strip_prefix(root).unwrap_or(inside);
    let is_inside = inside.components().all(|part| matches!(part, Normal(_) | CurDir));
    let name: PathBuf = inside.components().filter(|part| *part != CurDir).collect();
    let name = name.to_string_lossy().into_owned();
    let text = fs::read_to_string(root.join(".dockerignore")).unwrap_or_default();
    let ignore = Dockerignore::parse(&text).map_err(BuildError::Ignore)?;
    let mut entries = Vec::new();
    let is_out = |path: &str| path != name && ignore.leaves_out(path);
    collect(root, Path::new(""), &is_out, &mut entries).map_err(failed)?;
    let beside = match &build.inline {
        Some(inline) => Some(inline.clone().into_bytes()),
        None if is_inside => None,
        None => {
            let path = root.join(&build.file);
            let unreadable =
                |error| BuildError::Unreadable { path: path.display().to_string(), error };
            Some(fs::read(&path).map_err(unreadable)?)
        }
    };
    let name = if beside.is_some() { INLINE.to_owned() } else { name };
    entries.extend(beside.map(|content| Entry::file(INLINE, content, 0o644)));
    Ok((pack(entries).map_err(failed)?, name))
}

fn collect(
    root: &Path,
    below: &Path,
    is_out: &dyn Fn(&str) -> bool,
    entries: &mut Vec<Entry>,
) -> io::Result<()> {
    let mut found = fs::read_dir(root.join(below))?.collect::<io::Result<Vec<_>>>()?;
    found.sort_by_key(fs::DirEntry::file_name);
    for file in found {
        let path = below.join(file.file_name());
        let name = path.to_string_lossy().into_owned();
        let kind = file.file_type()?;
        let mode = file.metadata()?.permissions().mode() & 0o7777;
        let is_out_itself = is_out(&name);
        if kind.is_dir() {
            if !is_out_itself {
                entries.push(Entry::new(name, Content::Folder, mode));
            }
            // Something in it may be taken back.
            collect(root, &path, is_out, entries)?;
            continue;
        }
        if is_out_itself {
            continue;
        }
        if kind.is_file() {
            entries.push(Entry::file(name, fs::read(file.path())?, mode));
        } else if kind.is_symlink() {
            let target = fs::read_link(file.path())?.to_string_lossy().into_owned();
            entries.push(Entry::new(name, Content::Link(target), mode));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_context_has_its_dockerfile_its_links_and_its_folders() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("app");
        fs::create_dir_all(root.join("empty")).unwrap();
        fs::write(root.join(".dockerignore"), "*\n!empty\n!link\n").unwrap();
        fs::write(root.join("Dockerfile"), "FROM a").unwrap();
        fs::write(root.join("secret"), "x").unwrap();
        fs::write(folder.path().join("Other"), "FROM b").unwrap();
        std::os::unix::fs::symlink("empty", root.join("link")).unwrap();
        let unpacked = |file: &str, inline: Option<&str>| {
            let context = root.display().to_string();
            let (inline, file) = (inline.map(str::to_owned), file.to_owned());
            let build = Build { context, query: String::new(), inline, file, is_remote: false };
            let (archive, name) = super::context(&build).unwrap();
            let out = tempfile::tempdir().unwrap();
            fs::write(out.path().join("t.tar"), archive).unwrap();
            let mut tar = std::process::Command::new("tar");
            let status = tar.args(["-xf", "t.tar"]).current_dir(out.path()).status();
            assert!(status.unwrap().success());
            assert!(out.path().join("empty").is_dir() && !out.path().join("secret").exists());
            assert_eq!(fs::read_link(out.path().join("link")).unwrap(), Path::new("empty"));
            fs::read_to_string(out.path().join(name)).unwrap()
        };
        assert_eq!(unpacked("./Dockerfile", None), "FROM a");
        assert_eq!(unpacked("../Other", None), "FROM b");
        assert_eq!(unpacked("Dockerfile", Some("FROM c")), "FROM c");
    }
}
