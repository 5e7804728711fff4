//! Files of a disk, confined to one folder.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Component, Path, PathBuf};

use windlass::lang::tosca::csar;
use windlass::source::files::{
    FileError, Files, Limits, ReadFile, Record, UnreadableReason, check_path,
};

use super::FileCache;

/// How many entries of a folder are looked at.
const NEIGHBORS: usize = 10_000;

/// The files below one folder, links followed as long as they stay below it.
pub(crate) struct DiskFiles {
    /// The folder as the user named it.
    shown: PathBuf,
    /// The folder without links.
    real: PathBuf,
    record: Record,
    cache: FileCache,
    /// Archives that were looked into, by the beginning of the names of what is in them.
    archives: Vec<(String, Box<dyn Files>)>,
}

impl DiskFiles {
    /// The files below a folder; the empty path is the current folder.
    pub(crate) fn new(root: &Path, limits: Limits, cache: &FileCache) -> Result<Self, FileError> {
        let real = fs::canonicalize(or_current(root))
            .map_err(|error| unreadable(&root.to_string_lossy(), &error))?;
        let (record, cache) = (Record::new(limits), cache.clone());
        Ok(DiskFiles { shown: root.to_owned(), real, record, cache, archives: Vec::new() })
    }

    /// Whether a path without links lies below the folder.
    pub(super) fn contains(&self, real: &Path) -> bool {
        real.starts_with(&self.real)
    }

    /// The name for people and the real path of a file that exists within the root.
    fn locate(&self, from: Option<&str>, path: &str) -> Result<(String, PathBuf), FileError> {
        check_path(path)?;
        let folder = match from {
            Some(from) => Path::new(from).parent().unwrap_or(Path::new("")),
            None => &self.shown,
        };
        let written = folder.join(path);
        let shown = without_dots(&written).to_string_lossy().into_owned();
        let outside = || FileError::OutsideRoot { path: path.to_owned() };
        let real = match fs::canonicalize(or_current(&written)) {
            Ok(real) => real,
            Err(error) => {
                // What exists outside of the root must not be revealed.
                let real_folder = fs::canonicalize(or_current(folder)).map_err(|_| outside())?;
                if !without_dots(&real_folder.join(path)).starts_with(&self.real) {
                    return Err(outside());
                }
                return Err(unreadable(&shown, &error));
            }
        };
        if !self.contains(&real) {
            return Err(outside());
        }
        let metadata = fs::metadata(&real).map_err(|error| unreadable(&shown, &error))?;
        if !metadata.is_file() {
            let is_folder = metadata.is_dir();
            let reason =
                if is_folder { UnreadableReason::Folder } else { UnreadableReason::Irregular };
            return Err(FileError::Unreadable { name: shown, reason });
        }
        Ok((shown, real))
    }
}

impl std::fmt::Debug for DiskFiles {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("DiskFiles").field("real", &self.real).finish_non_exhaustive()
    }
}

impl DiskFiles {
    /// The archive that a file is in.
    fn inside(&mut self, from: Option<&str>) -> Option<&mut Box<dyn Files>> {
        let from = from?;
        let found = self.archives.iter_mut().find(|(prefix, _)| from.starts_with(prefix.as_str()));
        found.map(|(_, files)| files)
    }
}

impl Files for DiskFiles {
    fn read(&mut self, from: Option<&str>, path: &str) -> Result<ReadFile, FileError> {
        if let Some(archive) = self.inside(from) {
            return archive.read(from, path);
        }
        let (name, real) = self.locate(from, path)?;
        let allowance = self.record.allowance(&name)?;
        let identity = real.to_string_lossy().into_owned();
        let bytes = self.cache.read(&identity, &name, allowance, || {
            let mut bytes = Vec::new();
            File::open(&real)
                .and_then(|file| file.take(allowance.saturating_add(1)).read_to_end(&mut bytes))
                .map_err(|error| unreadable(&name, &error))?;
            Ok(bytes)
        })?;
        let text = self.record.admit(&name, bytes)?;
        Ok(ReadFile { name, identity, text })
    }

    fn identity(&mut self, from: Option<&str>, path: &str) -> Result<String, FileError> {
        if let Some(archive) = self.inside(from) {
            return archive.identity(from, path);
        }
        self.locate(from, path).map(|(_, real)| real.to_string_lossy().into_owned())
    }

    fn exists(&mut self, from: Option<&str>, path: &str) -> Result<(), FileError> {
        if let Some(archive) = self.inside(from) {
            return archive.exists(from, path);
        }
        self.locate(from, path).map(|_| ())
    }

    fn archive(&mut self, from: Option<&str>, path: &str) -> Result<Option<ReadFile>, FileError> {
        if self.inside(from).is_some() {
            return Ok(None);
        }
        let (name, real) = self.locate(from, path)?;
        let Some(kind) = super::archive_kind(&real) else { return Ok(None) };
        let prefix = format!("{name}/");
        if !self.archives.iter().any(|(known, _)| *known == prefix) {
            let files = super::opened(&real, &name, kind, self.record.limits(), &self.cache)?;
            self.archives.push((prefix.clone(), files));
        }
        let found = self.archives.iter_mut().find(|(known, _)| *known == prefix);
        let Some((_, files)) = found else { return Ok(None) };
        Ok(csar::entry(&mut **files)?.map(|entry| entry.file))
    }

    fn names(&self) -> Vec<String> {
        Vec::new()
    }

    fn neighbors(&self, from: &str) -> Vec<String> {
        let folder = Path::new(from).parent().unwrap_or(Path::new(""));
        let inside = fs::canonicalize(or_current(folder)).is_ok_and(|real| self.contains(&real));
        let Ok(entries) = fs::read_dir(or_current(folder)) else { return Vec::new() };
        let name =
            |entry: std::io::Result<fs::DirEntry>| entry.ok()?.file_name().into_string().ok();
        // A folder may be anybody's: no more than this is looked at.
        let mut names: Vec<String> = entries.take(NEIGHBORS).filter_map(name).collect();
        names.retain(|_| inside);
        names.sort();
        names
    }

    fn record(&self) -> &Record {
        &self.record
    }
}

fn or_current(path: &Path) -> &Path {
    if path.as_os_str().is_empty() { Path::new(".") } else { path }
}

/// A path without `.` and, as far as its words allow, without `..`.
fn without_dots(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir
                if matches!(result.components().next_back(), Some(Component::Normal(_))) =>
            {
                result.pop();
            }
            component => result.push(component),
        }
    }
    result
}

/// What an error of the system means for the person who named the file.
pub(super) fn unreadable(name: &str, error: &std::io::Error) -> FileError {
    let name = name.to_owned();
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => FileError::Missing { name },
        kind => FileError::Unreadable { name, reason: UnreadableReason::System(kind) },
    }
}
